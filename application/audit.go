package application

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// auditPage is how many records an audit examines at a time: it holds these, and
// those that they name, in memory, and reads each kind of them at once.
const auditPage = 1000

// Verdict is what an audit examined and found.
type Verdict struct {
	credit.Totals
	Resellers, Lines, Tombstones int64
	Findings                     int64
	// Unrecorded counts the activations of lines that are gone without a tombstone
	// since before deletions left any.
	Unrecorded int64
}

// Audit examines a whole store in one snapshot and tells report of each record
// that does not fit. It proves that
//
//   - every movement is what was chained, every number 1, 2, 3 ... of every reseller
//     is there and no other, every balance follows from the movements, and issued,
//     consumed and held credits agree;
//   - whoever moved credits could do so by role and place, and whatever stands below
//     another reseller could be made by it;
//   - every official line was paid for by its owner, and every line that was paid
//     for is there or has left a tombstone;
//   - no two resellers share a password hash, whose salt makes it unique, and no two
//     lines a platform id;
//   - every name is compared as it is shown, every id was given by its sequence, and
//     whatever the store keeps to find records by leads to them, and nowhere else.
//
// It proves nothing of what is written nowhere else: a role that no child and no
// movement tells of, a reseller without movements that was put in or taken out, a
// password hash made anew, texts, flags and tokens, when a line expires, and trials,
// whose deletion costs nothing. Nor of lines that were paid for and deleted before
// deletions left tombstones: it counts these.
//
// It holds a page of records at a time in memory, and besides 8 bytes for each
// reseller and a bit or so for each platform id.
//
// With a checkpoint that an earlier audit wrote, it also finds what a forger hid
// by rewriting a reseller's record along with its last movements. It writes a
// checkpoint of what it saw where write is not nil.
func Audit(ctx context.Context, source ports.Archive, checkpoint io.Reader, write io.Writer, report func(finding string)) (v Verdict, err error) {
	err = source.ViewRecords(ctx, func(ctx context.Context, stored ports.Records) error {
		v = Verdict{}
		a := newAuditor(stored, &v, report)
		if a.origin, err = stored.Origin(ctx); err != nil {
			return err
		}
		if err := each(ctx, a, movementKind, &v.Movements, stored.Movements, a.movement, a.namedByMovement, a.goneByMovement); err != nil {
			return err
		}
		out := bufio.NewWriter(orDiscard(write))
		_, _ = fmt.Fprintln(out, checkpointTitle) // an error comes back from Flush
		if err := each(ctx, a, resellerKind, &v.Resellers, stored.Resellers, func(r *reseller.Reseller) {
			a.reseller(r.State(), out)
		}, a.namedByReseller); err != nil {
			return err
		}
		if err := each(ctx, a, lineKind, &v.Lines, stored.Lines, a.line, a.namedByLine); err != nil {
			return err
		}
		if err := each(ctx, a, tombstoneKind, &v.Tombstones, stored.Tombstones, a.tombstone, a.namedByTombstone); err != nil {
			return err
		}
		if checkpoint != nil {
			if err := a.compare(ctx, checkpoint); err != nil {
				return err
			}
		}
		if err := a.sharedHashes(ctx); err != nil {
			return err
		}
		a.sequences()
		if err := stored.Derived(ctx, func(finding string) { a.find("%s", finding) }); err != nil {
			return err
		}
		if err := a.totals(ctx); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, checkpointEnd, v.Resellers)
		return out.Flush()
	})
	return v, err
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// kind is a kind of records, and the sequence that their ids come from.
type kind struct {
	name string
	ids  ports.Sequence
}

var (
	resellerKind  = kind{"account", ports.ResellerIDs}
	lineKind      = kind{"line", ports.LineIDs}
	tombstoneKind = kind{"tombstone", ports.LineIDs}
	movementKind  = kind{"movement", ports.MovementIDs}
)

// each counts every record of a kind, page by page, reports those that are damaged
// and examines the others, once it has read what the records of the page name, and
// what they name in a second turn, when that is there.
func each[T any](
	ctx context.Context, a *auditor, of kind, count *int64,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error),
	examine func(record T), namedBy ...func(record T),
) error {
	after := int64(math.MinInt64)
	for {
		found, err := page(ctx, after, auditPage)
		if err != nil || len(found) == 0 {
			return err
		}
		a.forgetNamed()
		for _, name := range namedBy {
			for _, f := range found {
				if f.Damage == nil {
					name(f.Record)
				}
			}
			if err := a.readNamed(ctx); err != nil {
				return err
			}
		}
		for _, f := range found {
			*count++
			a.given(of.ids, f.ID, "%s %d: it has an id that was not given yet", of.name, f.ID)
			switch {
			case f.Damage != nil:
				a.find("%s %d: %v", of.name, f.ID, f.Damage)
			case f.ID <= 0:
				a.find("%s %d: an id is positive", of.name, f.ID)
			default:
				examine(f.Record)
			}
		}
		after = found[len(found)-1].ID
	}
}

// auditor examines one snapshot.
type auditor struct {
	stored  ports.Records
	origin  ports.Origin
	verdict *Verdict
	report  func(string)

	// What the records of a page name.
	resellers  named[int64, *reseller.Reseller]
	lines      named[int64, *line.Line]
	tombstones named[int64, line.Tombstone]
	movements  named[int64, credit.Movement]
	entries    named[ports.PostingID, credit.Movement]

	entered   int64 // entries of all movements
	numbered  int64 // movements that all resellers count
	strays    map[ports.Sequence]int64
	platforms numbers // platform ids of the lines so far
	seed      maphash.Seed
	hashes    []uint64 // digests of the resellers' password hashes
}

func newAuditor(stored ports.Records, v *Verdict, report func(string)) *auditor {
	return &auditor{
		stored: stored, verdict: v, report: report,
		resellers:  namedIn(stored.ResellersByID),
		lines:      namedIn(stored.LinesByID),
		tombstones: namedIn(stored.TombstonesByLine),
		movements:  namedIn(stored.MovementsByID),
		entries:    namedIn(stored.MovementsByPosting),
		strays:     map[ports.Sequence]int64{},
		platforms:  numbers{},
		seed:       maphash.MakeSeed(),
	}
}

func (a *auditor) find(format string, args ...any) {
	a.verdict.Findings++
	a.report(fmt.Sprintf(format, args...))
}

// forgetNamed makes room for what another page names.
func (a *auditor) forgetNamed() {
	a.resellers.found, a.lines.found, a.tombstones.found, a.movements.found, a.entries.found = nil, nil, nil, nil, nil
}

// readNamed reads what was named.
func (a *auditor) readNamed(ctx context.Context) error {
	for _, read := range []func(context.Context) error{a.resellers.read, a.lines.read, a.tombstones.read, a.movements.read, a.entries.read} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// named are the records of a kind that others name: named one by one, read all at
// once, and then got.
type named[K comparable, R any] struct {
	stored func(ctx context.Context, keys []K) (map[K]ports.Audited[R], error)
	keys   map[K]bool
	found  map[K]ports.Audited[R]
}

func namedIn[K comparable, R any](stored func(context.Context, []K) (map[K]ports.Audited[R], error)) named[K, R] {
	return named[K, R]{stored: stored, keys: map[K]bool{}}
}

func (n *named[K, R]) name(key K) { n.keys[key] = true }

func (n *named[K, R]) read(ctx context.Context) (err error) {
	if len(n.keys) > 0 {
		n.found, err = n.stored(ctx, slices.Collect(maps.Keys(n.keys)))
		clear(n.keys)
	}
	return err
}

// get returns a record that was named and read.
func (n *named[K, R]) get(key K) (record R, is presence) {
	found, stored := n.found[key]
	switch {
	case !stored:
		return record, missing
	case found.Damage != nil:
		return record, damaged
	}
	return found.Record, there
}

func number(reseller, seq int64) ports.PostingID {
	return ports.PostingID{Reseller: reseller, Seq: seq}
}

// presence is how a record is found that should be there.
type presence int

const (
	there presence = iota
	missing
	damaged // it is named where the records of its kind are examined
)

func (a *auditor) namedByMovement(m credit.Movement) {
	a.resellers.name(m.Actor)
	if m.Line != 0 {
		a.lines.name(m.Line)
	}
	for _, e := range m.Postings {
		a.resellers.name(e.Reseller)
		if e.Seq > 1 {
			a.entries.name(number(e.Reseller, e.Seq-1))
		}
	}
}

// goneByMovement names the tombstone of a line that is not there.
func (a *auditor) goneByMovement(m credit.Movement) {
	if m.Line == 0 {
		return
	}
	if _, is := a.lines.get(m.Line); is == missing {
		a.tombstones.name(m.Line)
	}
}

// movement checks that the movement follows, for each reseller that it concerns,
// from the one before. With what reseller checks, by induction over the numbers,
// the whole chain is there.
func (a *auditor) movement(m credit.Movement) {
	soFar := a.verdict.Findings
	for _, party := range []credit.Party{m.Source, m.Target} {
		if id := party.ResellerID(); id != 0 {
			if _, concerned := m.Posting(id); !concerned {
				a.find("movement %d: it is not entered in the chain of account %d", m.ID, id)
			}
		}
	}
	if len(m.Postings) == 0 {
		a.find("movement %d: it is entered in no account's chain", m.ID)
	}
	if !wellFormed(m) {
		a.find("movement %d: no %s goes from %s to %s, for line %d", m.ID, m.Operation, m.Source, m.Target, m.Line)
	}
	a.lineOf(m)
	a.entered += int64(len(m.Postings))
	for _, e := range m.Postings {
		var before credit.Posting
		r, is := a.resellers.get(e.Reseller)
		if is == missing && e.Seq == 1 {
			a.find("account %d: it has movements and is missing", e.Reseller)
		}
		self := credit.Reseller(e.Reseller)
		standsForIssuance := m.Source != self && m.Target != self
		if standsForIssuance && is == there && r.State().Role != reseller.Admin {
			a.find("movement %d: account %d is no admin and does not pay by issuance", m.ID, e.Reseller)
		}
		if e.Seq > 1 {
			previous, is := a.entries.get(number(e.Reseller, e.Seq-1))
			if is == missing {
				a.find("movement %d: it is number %d of account %d, and number %d is missing", m.ID, e.Seq, e.Reseller, e.Seq-1)
			}
			if is == damaged {
				a.find("movement %d: it can't be verified, for number %d of account %d is damaged", m.ID, e.Seq-1, e.Reseller)
			}
			if is != there {
				continue
			}
			before, _ = previous.Posting(e.Reseller)
		}
		if !m.Fits(e.Reseller, before.Hash) {
			a.find("movement %d: it is not what was recorded as number %d of account %d, or number %d before it is not", m.ID, e.Seq, e.Reseller, e.Seq-1)
			continue
		}
		if !e.Balance.Decimal().Equal(before.Balance.Decimal().Add(m.Change(e.Reseller))) {
			a.find("movement %d: the balance %s of account %d does not follow from %s before it", m.ID, e.Balance, e.Reseller, before.Balance)
		}
	}
	if a.verdict.Findings == soFar { // or it says nothing of resellers
		a.roles(m)
	}
}

// wellFormed reports whether the program makes movements of this shape.
func wellFormed(m credit.Movement) bool {
	switch m.Operation {
	case credit.Opening, credit.Recharge:
		return m.Target.ResellerID() != 0 && m.Line == 0
	case credit.Reclaim:
		return m.Source.ResellerID() != 0 && m.Target != credit.Consumption && m.Line == 0
	default:
		return m.Target == credit.Consumption && m.Line != 0
	}
}

// lineOf checks that a line that was paid for, if it is still there, is official
// by its one activation, and that it was deleted if not.
func (a *auditor) lineOf(m credit.Movement) {
	if m.Line == 0 {
		return
	}
	a.given(ports.LineIDs, m.Line, "movement %d: line %d, which it paid for, has an id that was not given yet", m.ID, m.Line)
	paid, is := a.lines.get(m.Line)
	switch is {
	case missing:
		a.deleted(m)
		return
	case damaged:
		return // it is named by itself
	case there:
	}
	s := paid.State()
	if s.Trial {
		a.find("line %d: it is a trial, and movement %d paid for it", m.Line, m.ID)
	} else if m.Operation == credit.Activation && s.Charge != m.ID {
		a.find("line %d: movement %d activated it, and movement %d is named as its charge", m.Line, m.ID, s.Charge)
	}
}

func (a *auditor) namedByReseller(r *reseller.Reseller) {
	s := r.State()
	if len(s.Ancestors) > 0 {
		a.resellers.name(s.Parent())
	}
	a.entries.name(number(s.ID, s.Tip.Seq))
	a.entries.name(number(s.ID, s.Tip.Seq+1))
}

// reseller checks that the reseller's record agrees with the last movement of its
// chain, and that the chain ends there.
func (a *auditor) reseller(s reseller.State, checkpoint io.Writer) {
	a.numbered += s.Tip.Seq
	a.nameOf(resellerKind, s.ID, s.Username)
	if s.PasswordHash != "" {
		a.hashes = append(a.hashes, maphash.String(a.seed, s.PasswordHash))
	}
	if len(s.Ancestors) > 0 {
		parent, is := a.resellers.get(s.Parent())
		if is == missing || is == there && (parent.State().Role == reseller.Standard || !slices.Equal(parent.Position().Path(), s.Ancestors)) {
			a.find("account %d: its place below account %d is not one in the tree", s.ID, s.Parent())
		}
	}
	_, _ = fmt.Fprintf(checkpoint, "%d %d %s %x\n", s.ID, s.Tip.Seq, s.Credits, s.Tip.Hash)
	var last credit.Posting
	if s.Tip.Seq > 0 {
		m, is := a.entries.get(number(s.ID, s.Tip.Seq))
		if is == missing {
			a.find("account %d: its movement number %d, the last, is missing", s.ID, s.Tip.Seq)
		}
		if is == damaged {
			a.find("account %d: it can't be verified, for its movement number %d, the last, is damaged", s.ID, s.Tip.Seq)
		}
		if is != there {
			return
		}
		last, _ = m.Posting(s.ID)
	}
	if last.Hash != s.Tip.Hash {
		a.find("account %d: its movement number %d is not the one that the account ends with", s.ID, s.Tip.Seq)
	}
	if !last.Balance.Equal(s.Credits) {
		a.find("account %d: its balance is %s, and its movements make %s", s.ID, s.Credits, last.Balance)
	}
	next, is := a.entries.get(number(s.ID, s.Tip.Seq+1))
	if is == there {
		a.find("account %d: movement %d was appended after its last, number %d", s.ID, next.ID, s.Tip.Seq)
	}
}

func (a *auditor) namedByLine(l *line.Line) {
	s := l.State()
	a.resellers.name(s.Owner.ID)
	if !s.Trial {
		a.movements.name(s.Charge)
	}
}

// line checks that an official line was paid for by its owner.
func (a *auditor) line(l *line.Line) {
	s := l.State()
	a.nameOf(lineKind, s.ID, s.Username)
	a.platformID(s)
	owner, is := a.resellers.get(s.Owner.ID)
	if is == missing || is == there && !slices.Equal(owner.Position().Ancestors, s.Owner.Ancestors) {
		a.find("line %d: its owner, account %d, does not stand where the line says", s.ID, s.Owner.ID)
	}
	if s.Trial {
		return
	}
	m, is := a.movements.get(s.Charge)
	if is == missing {
		a.find("line %d: it is official, and movement %d, its charge, is missing", s.ID, s.Charge)
	}
	if is != there {
		return
	}
	if _, byOwner := m.Posting(s.Owner.ID); !byOwner || m.Line != s.ID || m.Operation != credit.Activation || m.Target != credit.Consumption {
		a.find("line %d: it is official, and movement %d is not its charge", s.ID, s.Charge)
	}
}

func (a *auditor) totals(ctx context.Context) error {
	if a.verdict.Findings > 0 {
		return nil // sums over damaged records would say nothing new
	}
	totals, err := a.stored.Totals(ctx)
	if err != nil {
		return err
	}
	if totals.Movements != a.verdict.Movements {
		a.find("ledger: %d movements were examined, and %d are counted", a.verdict.Movements, totals.Movements)
	}
	if a.entered != a.numbered {
		a.find("ledger: accounts count %d movements and %d are entered: a number stands twice", a.numbered, a.entered)
	}
	a.verdict.Totals = totals
	if !totals.Balanced() {
		a.find("ledger: %s credits were issued, and %s consumed and %s held do not make them", totals.Issued, totals.Consumed, totals.Balances)
	}
	return nil
}

// A checkpoint is a text: a title, then for each reseller its id, the number of
// its movements, its balance and the link of the last one, and an end that counts
// the resellers, so that a part of a checkpoint is none.
const (
	checkpointTitle = "resellerd checkpoint 1"
	checkpointEnd   = "end %d\n"
)

var errCheckpoint = errors.New("the checkpoint is damaged or is none")

// vouched is what a checkpoint says of a reseller.
type vouched struct {
	reseller, seq int64
	balance       string
	link          credit.Hash
}

// parseVouched reads what reseller wrote.
func parseVouched(text string) (v vouched, err error) {
	var digits string
	if _, err := fmt.Sscan(text, &v.reseller, &v.seq, &v.balance, &digits); err != nil || len(strings.Fields(text)) != 4 {
		return vouched{}, errCheckpoint
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != len(v.link) {
		return vouched{}, errCheckpoint
	}
	copy(v.link[:], raw)
	unmoved := v.link == credit.Hash{} && v.balance == "0"
	if v.reseller <= 0 || v.seq < 0 || v.seq == 0 && !unmoved {
		return vouched{}, errCheckpoint
	}
	return v, nil
}

// compare checks that every chain still goes through where it ended when the
// checkpoint was written: a link vouches for everything before it.
func (a *auditor) compare(ctx context.Context, checkpoint io.Reader) error {
	lines := bufio.NewScanner(checkpoint)
	if !lines.Scan() || lines.Text() != checkpointTitle {
		return errors.Join(errCheckpoint, lines.Err())
	}
	var resellers int64
	var ended error
	for ended == nil {
		var page []vouched
		for len(page) < auditPage {
			var v vouched
			if v, ended = nextVouched(lines, resellers); ended != nil {
				break
			}
			resellers++
			page = append(page, v)
			a.namedByCheckpoint(v)
		}
		a.forgetNamed()
		if err := a.readNamed(ctx); err != nil {
			return err
		}
		for _, v := range page {
			a.compareOne(v)
		}
	}
	if errors.Is(ended, io.EOF) {
		return nil
	}
	return ended
}

// nextVouched reads the line of a checkpoint that comes after those of so many
// resellers. Its end is io.EOF.
func nextVouched(lines *bufio.Scanner, resellers int64) (vouched, error) {
	if !lines.Scan() {
		return vouched{}, fmt.Errorf("%w: it has no end", errors.Join(errCheckpoint, lines.Err()))
	}
	if lines.Text()+"\n" == fmt.Sprintf(checkpointEnd, resellers) && !lines.Scan() {
		return vouched{}, cmp.Or(lines.Err(), io.EOF)
	}
	v, err := parseVouched(lines.Text())
	if err != nil {
		return vouched{}, fmt.Errorf("%w: line %d", err, resellers+2)
	}
	return v, nil
}

func (a *auditor) namedByCheckpoint(v vouched) {
	if v.seq == 0 {
		a.resellers.name(v.reseller)
	} else {
		a.entries.name(number(v.reseller, v.seq))
	}
}

func (a *auditor) compareOne(v vouched) {
	if v.seq == 0 {
		if _, is := a.resellers.get(v.reseller); is == missing {
			a.find("account %d: it was there at the checkpoint and is missing", v.reseller)
		}
		return
	}
	m, is := a.entries.get(number(v.reseller, v.seq))
	switch is {
	case missing:
		a.find("account %d: its movement number %d was there at the checkpoint and is missing", v.reseller, v.seq)
	case there:
		if e, _ := m.Posting(v.reseller); e.Hash != v.link || e.Balance.String() != v.balance {
			a.find("movement %d: number %d of account %d is not what it was at the checkpoint", m.ID, v.seq, v.reseller)
		}
	case damaged: // it is named where the movements are examined
	}
}
