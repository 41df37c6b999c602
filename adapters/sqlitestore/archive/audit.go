package archive

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// audit implements part of ports.Records.
type audit struct {
	*engine.Tx
	seen   *seen
	schema schema.Schema
	helper *helper // nil where there is none
}

// helper is another connection with the snapshot of an audit, on which a part of its work is done at the same time. What
// fails there is done again without it.
type helper struct {
	sync.Mutex // of who uses it
	*engine.Tx
}

func (h *helper) do(work func(a audit) error) error {
	h.Lock()
	defer h.Unlock()
	return work(audit{Tx: h.Tx})
}

// Resellers implements ports.Records.
func (a audit) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return audited(ctx, a, auditResellers, rows.Reseller, after, pageOf(after, limit))
}

// Lines implements ports.Records.
func (a audit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return a.seen.lines.page(a, after, limit, func(a audit, after int64) ([]ports.Audited[*line.Line], error) {
		return audited(ctx, a, auditLines, rows.Line, after, pageOf(after, limit))
	})
}

// Tombstones implements ports.Records.
func (a audit) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return audited(ctx, a, auditTombstones, rows.Tombstone, after, pageOf(after, limit))
}

// Movements implements ports.Records.
func (a audit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	read, err := a.soleMovements(ctx)
	if err != nil {
		return nil, err
	}
	found, err := a.seen.movements.page(a, after, limit, func(a audit, after int64) ([]ports.Audited[credit.Movement], error) {
		return audited(ctx, a, read.page, read.convert, after, pageOf(after, limit))
	})
	a.seen.page(found)
	return found, err
}

// ResellersByID implements ports.Records.
func (a audit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return lookUpIDs(ctx, a, auditResellers, rows.GetReseller, rows.Reseller, ids)
}

// LinesByID implements ports.Records.
func (a audit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return lookUpIDs(ctx, a, auditLines, rows.GetLine, rows.Line, ids)
}

// TombstonesByLine implements ports.Records.
func (a audit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return lookUpIDs(ctx, a, auditTombstones, auditTombstone, rows.Tombstone, lines)
}

// MovementsByID implements ports.Records.
func (a audit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	read, err := a.soleMovements(ctx)
	if err != nil {
		return nil, err
	}
	return lookUpIDs(ctx, a, read.page, read.one, read.convert, ids)
}

// MovementsByPosting implements ports.Records.
func (a audit) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	read, err := a.soleMovements(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[ports.PostingID]ports.Audited[credit.Movement], len(numbers))
	for _, n := range numbers {
		if m, is := a.seen.posting(n); is {
			found[n] = ports.Audited[credit.Movement]{ID: m.ID, Record: m}
			continue
		}
		records, err := audited(ctx, a, read.posting, read.convert, math.MinInt64, engine.Args{engine.Integer("account", n.Reseller), engine.Integer("seq", n.Seq)})
		if err != nil {
			return nil, err
		}
		if len(records) > 0 {
			found[n] = records[0]
		}
	}
	return found, nil
}

// Derived implements ports.Records: the schema is that of this program, the entries of lists are those that records make,
// the answers kept under keys are as they were written, and each table and index is whole.
func (a audit) Derived(ctx context.Context, report func(finding string)) error {
	differences, err := a.alterations(ctx)
	if err != nil {
		return err
	}
	for _, finding := range storekit.SchemaFindings(differences) {
		report(finding)
	}
	var record, list int64
	var table, said string
	var damage error
	questions := []question{
		{answers, func(r *engine.Row) {
			_, damage = rows.Key(r)
			record = r.Again().Integer()
		}, func() string {
			if damage == nil {
				return ""
			}
			return fmt.Sprintf("account %d: an answer kept under a key: %v", record, damage)
		}},
		{brokenTables, func(r *engine.Row) { table, said = r.Text(), r.Text() }, func() string { return fmt.Sprintf("table %s: %s", table, said) }},
		{unlistedResellers, func(r *engine.Row) { record = r.Integer() }, func() string {
			return fmt.Sprintf("account %d: a list that it belongs to does not show it", record)
		}},
		{strayResellers, func(r *engine.Row) { record, list = r.Integer(), r.Integer() }, func() string {
			return fmt.Sprintf("account %d: list %d, which it does not belong to, shows it", record, list)
		}},
	}
	ofLines := []question{
		{unlistedLines, func(r *engine.Row) { record = r.Integer() }, func() string {
			return fmt.Sprintf("line %d: a list that it belongs to does not show it, or not where it expires", record)
		}},
		{strayLines, func(r *engine.Row) { record, list = r.Integer(), r.Integer() }, func() string {
			return fmt.Sprintf("line %d: list %d, which it does not belong to, shows it", record, list)
		}},
		{strayLinesByExpiry, func(r *engine.Row) { record, list = r.Integer(), r.Integer() }, func() string {
			return fmt.Sprintf("line %d: list %d shows it where it does not belong", record, list)
		}},
	}
	listed, err := a.askWithLists(ctx, func(ctx context.Context) error { return a.ask(ctx, questions, report) })
	if err != nil || listed {
		return err
	}
	return a.ask(ctx, ofLines, report) // which of them are not?
}

// alterations say how the schema differs from that of this program.
func (a audit) alterations(ctx context.Context) (differences []string, err error) {
	if err := a.Ready(ctx, brokenTables); err != nil {
		return nil, err
	}
	if differences, err = a.schema.Differences(a.Conn); err != nil {
		return nil, a.Lose(storekit.Unavailable("compare the schema", err))
	}
	return differences, nil
}

// askWithLists does something else and finds out whether lines are listed: at once, where there is a connection for each.
func (a audit) askWithLists(ctx context.Context, do func(ctx context.Context) error) (listed bool, err error) {
	if a.helper == nil {
		if err := do(ctx); err != nil {
			return false, err
		}
		return a.listed(ctx)
	}
	var failed error
	helping, cancel := context.WithCancel(ctx)
	defer cancel()
	var both sync.WaitGroup
	both.Go(func() {
		failed = a.helper.do(func(other audit) (err error) {
			listed, err = other.listed(helping)
			return err
		})
	})
	if err = do(ctx); err != nil {
		cancel()
	}
	both.Wait()
	if err == nil && failed != nil {
		return a.listed(ctx)
	}
	return listed, err
}

// ask reports what questions find.
func (a audit) ask(ctx context.Context, questions []question, report func(finding string)) error {
	for _, question := range questions {
		var findings []string // who is told may ask the store
		err := a.Rows(ctx, question.statement, nil, func(r *engine.Row) error {
			question.read(r)
			if finding := question.finding(); finding != "" {
				findings = append(findings, finding)
			}
			return r.Err()
		})
		if err != nil {
			return err
		}
		for _, finding := range findings {
			report(finding)
		}
	}
	return nil
}

// question asks for what is not as it should be.
type question struct {
	statement *engine.Statement
	read      func(*engine.Row)
	finding   func() string // about the row that was read last, "" for none
}

// soleMovementOfRow reads a movement that alone has its numbers.
func soleMovementOfRow(r *engine.Row) (credit.Movement, error) {
	m, err := rows.Movement(r)
	if err == nil && r.Integer() != 0 {
		err = fmt.Errorf("%w: another movement has the same number of the same account", storekit.ErrDamaged)
	}
	return m, err
}

// pageOf are the parameters of a page of records after an id.
func pageOf(after int64, limit int) engine.Args {
	return engine.Args{engine.Integer("after", after), engine.Integer("limit", limit)}
}

// audited reads rows that start with an id, damaged ones too. None may have an id up to after: where damage has them out
// of order, a page may begin anew with what was read before, and who reads page by page would never come to an end.
func audited[R any](ctx context.Context, a audit, n *engine.Statement, convert func(*engine.Row) (R, error), after int64, args engine.Args) (found []ports.Audited[R], err error) {
	err = a.Rows(ctx, n, args, func(r *engine.Row) error {
		id := r.Integer()
		if r.Err() != nil {
			return r.Err()
		}
		if id <= after {
			return outOfOrder(n, id, after)
		}
		found = append(found, examined(r, id, convert))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// outOfOrder says that a page of records after an id has one that is not. It is apart from audited, which is compiled
// for each kind of records.
func outOfOrder(n *engine.Statement, id, after int64) error {
	return fmt.Errorf("%s: %w: %d comes after %d", n, storekit.ErrDamaged, id, after)
}

// examined reads a row, damaged or not.
func examined[R any](r *engine.Row, id int64, convert func(*engine.Row) (R, error)) ports.Audited[R] {
	record, damage := convert(r.Again())
	if damage != nil {
		return ports.Audited[R]{ID: id, Damage: damage}
	}
	return ports.Audited[R]{ID: id, Record: record}
}

// What is looked up in one pass over all ids from the first to the last: some that are
// close to each other. To pass over a record costs less than to look for one.
const (
	closeBy      = 8 // from one id to the next
	leastOfAPass = 4
)

// errPassed ends a pass.
var errPassed = errors.New("the last record was read")

// lookUpIDs reads the records of these ids: page reads those after one, and one a single
// one. There is no network to cross.
func lookUpIDs[R any](
	ctx context.Context, a audit, page, one *engine.Statement, convert func(*engine.Row) (R, error), ids []int64,
) (map[int64]ports.Audited[R], error) {
	found := make(map[int64]ports.Audited[R], len(ids))
	for left := slices.Sorted(slices.Values(ids)); len(left) > 0; {
		near := 1
		for near < len(left) && left[near]-left[near-1] <= closeBy {
			near++
		}
		wanted := left[:near]
		if left = left[near:]; near < leastOfAPass || wanted[0] <= 0 {
			for _, id := range wanted {
				records, err := audited(ctx, a, one, convert, math.MinInt64, engine.Args{engine.Integer("id", id)})
				if err != nil {
					return nil, err
				}
				if len(records) > 0 {
					found[id] = records[0]
				}
			}
			continue
		}
		last := wanted[near-1]
		err := a.Rows(ctx, page, engine.Args{engine.Integer("after", wanted[0]-1), engine.Integer("limit", last-wanted[0]+1)}, func(r *engine.Row) error {
			id := r.Integer()
			for len(wanted) > 0 && wanted[0] < id {
				wanted = wanted[1:]
			}
			switch {
			case r.Err() != nil:
				return r.Err()
			case len(wanted) == 0:
				return errPassed
			case wanted[0] == id:
				found[id] = examined(r, id, convert)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errPassed) {
			return nil, err
		}
	}
	return found, nil
}

// movementReading is how movements are read.
type movementReading struct {
	page, one, posting *engine.Statement
	convert            func(*engine.Row) (credit.Movement, error)
}

// soleMovements reads movements that alone have their numbers, and finds out first
// whether that has to be looked at with each of them: in one pass over the indexes, where
// nobody has dropped these.
func (a audit) soleMovements(ctx context.Context) (movementReading, error) {
	if a.seen.reading != nil {
		return *a.seen.reading, nil
	}
	var indexes int64
	if err := a.Row(ctx, indexesOfNumbers, nil, func(r *engine.Row) { indexes = r.Integer() }); err != nil {
		return movementReading{}, err
	}
	sole := indexes == 2
	if sole {
		var last ports.PostingID
		err := a.Rows(ctx, numbersInOrder, nil, func(r *engine.Row) error {
			n := ports.PostingID{Reseller: r.Integer(), Seq: r.Integer()}
			if r.Err() != nil || n == last {
				return errPassed
			}
			last = n
			return nil
		})
		if err != nil && !errors.Is(err, errPassed) {
			return movementReading{}, err
		}
		sole = err == nil
	}
	reading := movementReading{auditMovements, auditMovement, auditPosting, soleMovementOfRow}
	if sole {
		reading = movementReading{pageOfMovements, rows.GetMovement, rows.MovementAt, rows.Movement}
	}
	a.seen.reading = &reading
	return reading, nil
}

// ahead reads the page that follows, on the other connection, while who asked for the one before looks at it.
type ahead[R any] struct {
	after int64
	limit int
	next  chan []ports.Audited[R] // nil where none is read
}

// page returns the page after an id, and begins to read the one after it.
func (h *ahead[R]) page(
	a audit, after int64, limit int, read func(a audit, after int64) ([]ports.Audited[R], error),
) (found []ports.Audited[R], err error) {
	if h.next != nil && h.after == after && h.limit == limit {
		found = <-h.next
	}
	h.next = nil
	if len(found) == 0 { // it is the end, or could not be read
		found, err = read(a, after)
	}
	if a.helper == nil || err != nil || len(found) == 0 || len(found) < limit {
		return found, err
	}
	last, next := found[len(found)-1].ID, make(chan []ports.Audited[R], 1)
	go func() {
		var found []ports.Audited[R]
		_ = a.helper.do(func(other audit) (err error) {
			found, err = read(other, last)
			return err
		})
		next <- found
	}()
	h.after, h.limit, h.next = last, limit, next
	return found, nil
}

// mostLast bounds of how many resellers the last movement so far is kept, of about 1 KiB each.
const mostLast = 4_096

// seen is what an audit has read. Who goes through movements asks for the one before each.
type seen struct {
	reading *movementReading // nil as long as it is not known
	present map[ports.PostingID]credit.Movement
	last    map[int64]credit.Movement // by reseller

	movements ahead[credit.Movement]
	lines     ahead[*line.Line]
}

func newSeen() *seen {
	return &seen{present: map[ports.PostingID]credit.Movement{}, last: map[int64]credit.Movement{}}
}

// page takes the movements of the next page.
func (s *seen) page(found []ports.Audited[credit.Movement]) {
	for at, m := range s.present {
		if known, is := s.last[at.Reseller]; is {
			if p, _ := known.Posting(at.Reseller); p.Seq > at.Seq {
				continue
			}
		}
		s.last[at.Reseller] = m
	}
	if len(s.last) > mostLast {
		clear(s.last)
	}
	clear(s.present)
	for _, f := range found {
		for _, p := range f.Record.Postings {
			s.present[ports.PostingID{Reseller: p.Reseller, Seq: p.Seq}] = f.Record
		}
	}
}

// posting returns the movement at a place where it was read before.
func (s *seen) posting(at ports.PostingID) (credit.Movement, bool) {
	m, is := s.present[at]
	if !is {
		m, is = s.last[at.Reseller]
		if p, _ := m.Posting(at.Reseller); p.Seq != at.Seq {
			is = false
		}
	}
	return storekit.CloneMovement(m), is
}

// listed reports whether the lists of lines hold what lines make, each once, and nothing
// else. Lines are in another order than lists: so both are summed, each entry as a random
// function makes a number of it that nobody knows.
func (a audit) listed(ctx context.Context) (bool, error) {
	var ids, expiries, idsDue, expiriesDue entrySum
	seed := maphash.MakeSeed()
	sound := true
	err := a.Rows(ctx, placesOfLines, nil, func(r *engine.Row) error {
		id, owner := r.Integer(), r.Integer()
		at := rows.Place{Owner: rows.PositionOf(r.Path()), Expiry: r.Integer()}
		if r.Err() != nil || at.Owner.ID != owner {
			sound = false
			return errPassed
		}
		for scope := range at.Scopes {
			idsDue.add(seed, rows.Entry{Scope: scope, Line: id})
			expiriesDue.add(seed, rows.Entry{Scope: scope, Expiry: at.Expiry, Line: id})
		}
		return nil
	})
	for _, of := range []struct {
		sum     *entrySum
		entries *engine.Statement
	}{{&ids, entriesByID}, {&expiries, entriesByExpiry}} {
		if err != nil || !sound {
			break
		}
		err = a.Rows(ctx, of.entries, nil, func(r *engine.Row) error {
			of.sum.add(seed, rows.Entry{Scope: r.Integer(), Expiry: r.Integer(), Line: r.Integer()})
			return r.Err()
		})
	}
	if err != nil && !errors.Is(err, errPassed) {
		return false, err
	}
	return sound && ids == idsDue && expiries == expiriesDue, nil
}

// entrySum is what entries come to, in whatever order.
type entrySum struct {
	count int64
	sum   uint64
}

func (s *entrySum) add(seed maphash.Seed, e rows.Entry) {
	s.count++
	s.sum += maphash.Comparable(seed, e)
}
