// Package audit audits every record of one snapshot of a store, and reports each record that does not fit. It trusts
// neither the store nor anyone who could write to it, needs no service key, and changes nothing.
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

// Options configure an audit: its checkpoints and its reports.
type Options struct {
	// Checkpoint is the checkpoint of an earlier audit, nil for none. With it an audit also finds what a forger hid by
	// rewriting a reseller's record along with its last movements.
	Checkpoint io.Reader
	// WriteCheckpoint receives the checkpoint of this audit, nil for none.
	WriteCheckpoint io.Writer
	// AsCopied makes the checkpoint include entries without a number, with the numbers that a copy would assign to
	// them.
	AsCopied bool
	// Report gets each record that does not fit.
	Report func(finding string)
	// Progress is called repeatedly with the number of records read; nil disables it.
	Progress func(records int64)
}

// Verdict is the result of an audit.
type Verdict struct {
	credit.Totals
	Resellers, Lines, Tombstones int64
	Entries                      int64 // of the journal
	Records                      int64 // of kinds that copies contain
	Findings                     int64
}

// Run audits a whole store in one snapshot. It proves that
//
//   - every movement is what was chained, every number 1, 2, 3 ... of every reseller
//     is there and no other, every balance follows from the movements, and issued,
//     consumed and held credits agree;
//   - each movement's actor could make it by role and position, and each reseller below another could be made by it;
//   - every official line was paid for by its owner, or is an imported one whose import one entry of the journal
//     records, and every line that was paid for or imported exists or has left a tombstone;
//   - every entry of the journal is unchanged, numbered 1, 2, 3 ... up to the last one that the store knows; each
//     movement is named by one entry, which agrees with the ledger; the records that entries name exist or have left a
//     tombstone; the figures of each account and day equal the sums of the entries, and each line has changed as often
//     as the entries record;
//   - no two resellers share a password hash, whose salt makes it unique, and no two
//     lines a platform id;
//   - every record of an audited kind is exactly what this program writes, to the last byte; each webhook has an owner,
//     and a record of its progress, whose cursor is not ahead of the journal;
//   - each API key and each member of the staff has an account and known scopes, and has spent on its day at most the
//     amount that the journal records for that day and the one before; the name of each member is claimed, each claim
//     belongs to the owner of its name, and each second factor and each session has an owner;
//   - the messages of an account belong to an existing account, and are texts as they are parsed;
//   - each version of a price book is what its entry of the journal says, and each charge is the price in the book that
//     was in force at its instant;
//   - each bulk job has an account, and its counters agree with its batches;
//   - every name is compared as it is shown, its sequence has assigned every id, and the lists and indexes of the store
//     lead to its records, and to nothing else.
//
// It proves nothing about facts that are recorded only once: a role that no child and no movement reports, a reseller
// without movements or entries that was added or removed, a new password hash, texts, flags and tokens, the expiry of a
// line. It does not check whether sealed values can be opened: rekey does. Entries at the end of the journal can be cut
// off if they concern neither credits nor an existing line, and the journal as a whole can be removed: a checkpoint
// detects this.
//
// It has one page of records in memory, 8 bytes for each reseller, some 50 for each member of the staff and each
// principal that has spent, the jobs of the last month, the ids of webhooks, and all versions of price books. It has
// about a bit for each official line, each import, each platform id and each movement that an entry names. It has the
// versions of some 100,000 lines and resellers. So it checks that versions increase only where two entries of a record
// are not too far apart.
func Run(ctx context.Context, archive ports.Archive, o Options) (v Verdict, err error) {
	err = archive.ViewRecords(ctx, func(ctx context.Context, stored ports.Records) (err error) {
		v, err = Records(ctx, stored, o)
		return err
	})
	return v, err
}

// Records audits a snapshot that the caller has open, like Run.
func Records(ctx context.Context, stored ports.Records, o Options) (v Verdict, err error) {
	a := newAuditor(stored, &v, o)
	if a.origin, err = stored.Origin(ctx); err != nil {
		return v, err
	}
	if o.WriteCheckpoint == nil {
		o.WriteCheckpoint = io.Discard
	}
	checkpoint := bufio.NewWriter(o.WriteCheckpoint)
	_, _ = fmt.Fprintln(checkpoint, checkpointTitle) // Flush returns its error
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

	// The records that the records of a page refer to.
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
	numbered  int64 // sum of the movements that the resellers count
	strays    map[ports.Sequence]int64
	imported  int64   // lines
	charged   numbers // lines whose charge was seen as a movement
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

// derived audits the lists and indexes of the store.
func (a *auditor) derived(ctx context.Context) error {
	return a.stored.Derived(ctx, func(finding string) { a.Find("%s", finding) })
}
