// Package audit audits every record of one snapshot of a store, and names each that does not fit. It trusts neither the
// store nor those who could write to it, needs no service key, and changes nothing.
package audit

import (
	"bufio"
	"context"
	"fmt"
	"hash/maphash"
	"io"

	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Options say what an audit is compared with and where it reports.
type Options struct {
	// Checkpoint is one that an earlier audit wrote, nil for none. With it an audit also finds what a forger hid by
	// rewriting a reseller's record along with its last movements.
	Checkpoint io.Reader
	// WriteCheckpoint receives a checkpoint of what the audit saw, nil for none.
	WriteCheckpoint io.Writer
	// AsCopied has the checkpoint vouch for entries that have no number yet, by those that a copy would give them.
	AsCopied bool
	// Report gets each record that does not fit.
	Report func(finding string)
	// Progress is called repeatedly with the number of records read; nil disables it.
	Progress func(records int64)
}

// Verdict is what an audit read and found.
type Verdict struct {
	credit.Totals
	Resellers, Lines, Tombstones int64
	Entries                      int64 // of the journal
	Records                      int64 // of kinds that copies have
	Findings                     int64
}

// Run audits a whole store in one snapshot. It proves that
//
//   - every movement is what was chained, every number 1, 2, 3 ... of every reseller
//     is there and no other, every balance follows from the movements, and issued,
//     consumed and held credits agree;
//   - each movement's actor could make it by role and position, and each reseller below another could be made by it;
//   - every official line was paid for by its owner, or is an imported one whose import
//     one entry of the journal tells of, and every line that was paid for or imported is
//     there or has left a tombstone;
//   - every entry of the journal is what was appended, numbered 1, 2, 3 ... up to the last that the store knows of;
//     each movement is named by one entry, which says what the ledger says; what entries are about is there or has left
//     a tombstone; the figures of each account and day are those that the entries make, and each line has changed as
//     often as they tell;
//   - no two resellers share a password hash, whose salt makes it unique, and no two
//     lines a platform id;
//   - every record of a kind that is audited is what this program writes, to the last byte; each webhook has an owner,
//     and a record of how far its deliveries are, which are not ahead of the journal;
//   - each key and each member of the staff has an account, scopes of the set, and on its day has spent no more than
//     the journal tells of that day and the one before; the name of each member is claimed, each claim of a name is
//     that of who has the name, and each second factor and each session has an owner;
//   - what an account tells its customers is of one that is there, and are texts as they are parsed;
//   - each job for many lines has an account, and its counters are what its parts tell of its lines;
//   - every name is compared as it is shown, every id was given by its sequence, and what the store keeps to find
//     records by leads to them, and nowhere else.
//
// It proves nothing about what is recorded only once: a role that no child and no movement reports, a reseller without
// movements or entries that was put in or taken out, a password hash made again, texts, flags and tokens, when a line
// expires; nor whether what is sealed opens: rekey does.
// Entries at the end of the journal that tell neither of credits nor of a line that is there can be cut off, and the
// journal as a whole: a checkpoint tells.
//
// It holds one page of records in memory, 8 bytes for each reseller, some 50 for each member of the staff and each
// principal that has spent, the jobs of the last month, the ids of webhooks, about a bit for each official line, each
// import, each platform id and each movement that an entry names, and the versions of some 100,000 lines and resellers:
// that versions increase from entry to entry is examined for those that come again before so many others.
func Run(ctx context.Context, archive ports.Archive, o Options) (v Verdict, err error) {
	err = archive.ViewRecords(ctx, func(ctx context.Context, stored ports.Records) (err error) {
		v, err = Records(ctx, stored, o)
		return err
	})
	return v, err
}

// Records audits, as Run does, a snapshot that the caller has open.
func Records(ctx context.Context, stored ports.Records, o Options) (v Verdict, err error) {
	a := newAuditor(stored, &v, o)
	if a.origin, err = stored.Origin(ctx); err != nil {
		return v, err
	}
	if o.WriteCheckpoint == nil {
		o.WriteCheckpoint = io.Discard
	}
	checkpoint := bufio.NewWriter(o.WriteCheckpoint)
	_, _ = fmt.Fprintln(checkpoint, checkpointTitle) // an error comes back from Flush
	for _, step := range []func(context.Context) error{
		a.before,
		a.journal,
		func(context.Context) error { return a.vouchForJournal(checkpoint) },
		func(ctx context.Context) error {
			return each(ctx, a, movementKind, &v.Movements, stored.Movements, func(m credit.Movement) {
				a.movement(m)
				a.inJournal(m)
			}, a.namedByMovement, func(m credit.Movement) { a.nameGone(m.Line) })
		},
		func(ctx context.Context) error {
			return each(ctx, a, resellerKind, &v.Resellers, stored.Resellers, func(r *reseller.Reseller) {
				a.reseller(r.State(), checkpoint)
			}, a.namedByReseller)
		},
		func(ctx context.Context) error {
			return each(ctx, a, lineKind, &v.Lines, stored.Lines, func(l *line.Line) {
				a.line(l)
				a.changes.count(l.ID(), l.State().Version)
			}, a.namedByLine)
		},
		func(ctx context.Context) error {
			return each(ctx, a, tombstoneKind, &v.Tombstones, stored.Tombstones, a.tombstone, a.namedByTombstone)
		},
		a.recount,
		a.changed,
		a.ofKinds,
		func(ctx context.Context) error { return a.compare(ctx, o.Checkpoint) },
		a.sharedHashes,
		a.sequences,
		a.derived,
		a.totals,
	} {
		if err := step(ctx); err != nil {
			return v, err
		}
	}
	_, _ = fmt.Fprintf(checkpoint, checkpointEnd, v.Resellers)
	return v, checkpoint.Flush()
}

// auditor audits one snapshot.
type auditor struct {
	stored  ports.Records
	origin  ports.Origin
	verdict *Verdict
	options Options
	read    int64 // records

	// What the records of a page name.
	resellers  named[int64, *reseller.Reseller]
	lines      named[int64, *line.Line]
	tombstones named[int64, line.Tombstone]
	movements  named[int64, credit.Movement]
	postings   named[ports.PostingID, credit.Movement]

	features  []auditing.Checks
	kinds     map[*record.Kind]auditing.Check
	history   history
	changes   sums  // of lines, by their versions
	posted    int64 // postings of all movements
	numbered  int64 // movements that all resellers count
	strays    map[ports.Sequence]int64
	imported  int64   // lines
	charged   numbers // lines that a movement was seen to be the charge of
	platforms numbers // platform ids of the lines so far
	seed      maphash.Seed
	hashes    []uint64 // digests of the resellers' password hashes
}

func newAuditor(stored ports.Records, v *Verdict, o Options) *auditor {
	a := &auditor{
		stored: stored, verdict: v, options: o,
		resellers:  namedIn(stored.ResellersByID),
		lines:      namedIn(stored.LinesByID),
		tombstones: namedIn(stored.TombstonesByLine),
		movements:  namedIn(stored.MovementsByID),
		postings:   namedIn(stored.MovementsByPosting),
		strays:     map[ports.Sequence]int64{},
		charged:    numbers{},
		platforms:  numbers{},
		history: history{named: numbers{}, imported: numbers{}, versions: map[aggregate]int64{}, figures: newSums(),
			changes: newSums(), unread: map[int64]bool{}},
		changes: newSums(),
		kinds:   map[*record.Kind]auditing.Check{},
		seed:    maphash.MakeSeed(),
	}
	a.register()
	return a
}

// Find implements auditing.Audit.
func (a *auditor) Find(format string, args ...any) {
	a.verdict.Findings++
	a.options.Report(fmt.Sprintf(format, args...))
}

// saw reports that a page of so many records was read.
func (a *auditor) saw(records int) {
	if a.read += int64(records); a.options.Progress != nil {
		a.options.Progress(a.read)
	}
}

// derived audits what the store keeps to find records by.
func (a *auditor) derived(ctx context.Context) error {
	return a.stored.Derived(ctx, func(finding string) { a.Find("%s", finding) })
}
