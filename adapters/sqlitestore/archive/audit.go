package archive

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
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
}

// Resellers implements ports.Records.
func (a audit) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return audited(ctx, a, auditResellers, rows.Reseller, after, pageOf(after, limit))
}

// Lines implements ports.Records.
func (a audit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return audited(ctx, a, auditLines, rows.Line, after, pageOf(after, limit))
}

// Tombstones implements ports.Records.
func (a audit) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return audited(ctx, a, auditTombstones, rows.Tombstone, after, pageOf(after, limit))
}

// Movements implements ports.Records.
func (a audit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	found, err := audited(ctx, a, auditMovements, soleMovementOfRow, after, pageOf(after, limit))
	a.seen.page(found)
	return found, err
}

// ResellersByID implements ports.Records.
func (a audit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return byID(ctx, a, rows.GetReseller, rows.Reseller, ids)
}

// LinesByID implements ports.Records.
func (a audit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return byID(ctx, a, rows.GetLine, rows.Line, ids)
}

// TombstonesByLine implements ports.Records.
func (a audit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return byID(ctx, a, auditTombstone, rows.Tombstone, lines)
}

// MovementsByID implements ports.Records.
func (a audit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return byID(ctx, a, auditMovement, soleMovementOfRow, ids)
}

// MovementsByPosting implements ports.Records.
func (a audit) MovementsByPosting(ctx context.Context,
	numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	found := make(map[ports.PostingID]ports.Audited[credit.Movement], len(numbers))
	for _, n := range numbers {
		if m, is := a.seen.posting(n); is {
			found[n] = ports.Audited[credit.Movement]{ID: m.ID, Record: m}
			continue
		}
		records, err := audited(ctx, a, auditPosting, soleMovementOfRow, math.MinInt64,
			engine.Args{engine.Integer("account", n.Reseller), engine.Integer("seq", n.Seq)})
		if err != nil {
			return nil, err
		}
		if len(records) > 0 {
			found[n] = records[0]
		}
	}
	return found, nil
}

// Derived implements ports.Records. It checks the schema against that of this program, the entries of lists against the
// records, the checksums of answers under idempotency keys, and each table and index.
func (a audit) Derived(ctx context.Context, report func(finding string)) error {
	differences, err := a.alterations(ctx)
	if err != nil {
		return err
	}
	for _, finding := range storekit.SchemaFindings(differences) {
		report(finding)
	}
	if err := storekit.ExamineIndexes(ctx, exporter{a.Tx}, report); err != nil {
		return err
	}
	shown := func(kind string) func(*engine.Row) string {
		return func(r *engine.Row) string {
			return fmt.Sprintf("%s %d: list %d, which it does not belong to, shows it", kind, r.Integer(), r.Integer())
		}
	}
	elsewhere := func(r *engine.Row) string {
		return fmt.Sprintf("line %d: list %d shows it where it does not belong", r.Integer(), r.Integer())
	}
	questions := []question{
		{answers, func(r *engine.Row) string {
			_, damage := rows.Key(r)
			if account := r.Again().Integer(); damage != nil {
				return fmt.Sprintf("account %d: an answer under an idempotency key: %v", account, damage)
			}
			return ""
		}},
		{brokenTables, func(r *engine.Row) string { return fmt.Sprintf("table %s: %s", r.Text(), r.Text()) }},
		{unlistedResellers, func(r *engine.Row) string {
			return fmt.Sprintf("account %d: a list that it belongs to does not show it", r.Integer())
		}},
		{strayResellers, shown("account")},
	}
	if len(differences) == 0 { // the query names indexes
		var findings []string
		if err := a.Ask(foreignEntries, func(r *engine.Row) {
			findings = append(findings, fmt.Sprintf("table %s: its index %s has entries of other rows", r.Text(), r.Text()))
		}); err != nil {
			return storekit.Unavailable("count entries of indexes", err)
		}
		for _, finding := range findings {
			report(finding)
		}
	}
	ofLines := []question{
		{unlistedLines, func(r *engine.Row) string {
			return fmt.Sprintf("line %d: a list that it belongs to does not show it, or not where it belongs", r.Integer())
		}},
		{strayLines, shown("line")},
		{strayLinesByExpiry, elsewhere},
	}
	if err := a.ask(ctx, questions, report); err != nil {
		return err
	}
	if journalled, err := a.journalled(ctx); err != nil {
		return err
	} else if !journalled { // which ones differ?
		lacking, strays, err := a.listDifferences(ctx)
		if err != nil {
			return err
		}
		for _, l := range lacking {
			report(fmt.Sprintf("entry %d of the journal: a list that it belongs to does not show it", l.seq))
		}
		for _, l := range strays {
			report(fmt.Sprintf("entry %d of the journal: list %d of %d, which it does not belong to, shows it", l.seq, l.Of, l.ID))
		}
	}
	if listed, err := a.listed(ctx); err != nil || listed {
		return err
	}
	return a.ask(ctx, ofLines, report) // which ones differ?
}

// alterations returns the differences of the schema from that of this program.
func (a audit) alterations(ctx context.Context) (differences []string, err error) {
	if err := a.Ready(ctx, brokenTables); err != nil {
		return nil, err
	}
	if differences, err = a.schema.Check(a.Conn); err != nil {
		return nil, storekit.Unavailable("compare the schema", err)
	}
	return differences, nil
}

// ask reports the findings of the questions.
func (a audit) ask(ctx context.Context, questions []question, report func(finding string)) error {
	for _, question := range questions {
		var findings []string // report may read the store
		err := a.Rows(ctx, question.statement, nil, func(r *engine.Row) error {
			if finding := question.find(r); finding != "" {
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

// question is a query that finds damage.
type question struct {
	statement *engine.Statement
	find      func(*engine.Row) (finding string) // "" for no finding
}

// soleMovementOfRow reads a movement and checks that no other one has its numbers.
func soleMovementOfRow(r *engine.Row) (credit.Movement, error) {
	m, err := rows.Movement(r)
	if err == nil && r.Integer() != 0 {
		err = fmt.Errorf("%w: another movement has the same number of the same account", storekit.ErrDamaged)
	}
	return m, err
}

// pageOf returns the parameters of a page of records after an id.
func pageOf(after int64, limit int) engine.Args {
	return engine.Args{engine.Integer("after", after), engine.Integer("limit", limit)}
}

// audited reads rows that start with an id, damaged ones too. No id may be at or before after. Damage may change the
// order of the rows: a page could then begin with rows of the one before, and paging would never end.
func audited[R any](ctx context.Context, a audit, n *engine.Statement, convert func(*engine.Row) (R, error),
	after int64, args engine.Args) (found []ports.Audited[R], err error) {
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

// outOfOrder returns the error of a page that has an id at or before the id that it starts after. It is separate from
// audited, which is compiled for each kind of records.
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

// byID reads the records of these ids one by one, because there is no network between.
func byID[R any](
	ctx context.Context, a audit, one *engine.Statement, convert func(*engine.Row) (R, error), ids []int64,
) (map[int64]ports.Audited[R], error) {
	found := make(map[int64]ports.Audited[R], len(ids))
	for _, id := range ids {
		records, err := audited(ctx, a, one, convert, math.MinInt64, engine.Args{engine.Integer("id", id)})
		if err != nil {
			return nil, err
		}
		if len(records) > 0 {
			found[id] = records[0]
		}
	}
	return found, nil
}

// mostLast bounds the resellers whose last movement so far is remembered, of about 1 KiB each.
const mostLast = 4_096

// seen remembers movements that an audit has read, because the check of a movement needs the previous one of each
// reseller.
type seen struct {
	present map[ports.PostingID]credit.Movement
	last    map[int64]credit.Movement // by reseller
}

func newSeen() *seen {
	return &seen{present: map[ports.PostingID]credit.Movement{}, last: map[int64]credit.Movement{}}
}

// page adds the movements of the next page.
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

// posting returns the movement with this posting, if it was read before.
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

// errUnsound ends a pass at a damaged record.
var errUnsound = errors.New("a record is damaged")

// listed reports whether the lists of lines contain exactly the entries that they should, each once. Lines and lists
// have different orders. It therefore sums both, with a hash under a random seed for each entry.
func (a audit) listed(ctx context.Context) (bool, error) {
	var ids, expiries, idsDue, expiriesDue entrySum
	seed := maphash.MakeSeed()
	err := a.Rows(ctx, placesOfLines, nil, func(r *engine.Row) error {
		id, owner := r.Integer(), r.Integer()
		at := rows.Place{Owner: reseller.Position{ID: owner}}
		r.Check(fields.SetPath(&at.Owner, r.Path()))
		if at.Expiry = r.Integer(); r.Err() != nil {
			return errUnsound
		}
		for scope := range at.Scopes {
			idsDue.add(maphash.Comparable(seed, rows.Entry{Scope: scope, Line: id}))
			expiriesDue.add(maphash.Comparable(seed, rows.Entry{Scope: scope, Expiry: at.Expiry, Line: id}))
		}
		return nil
	})
	for _, of := range []struct {
		sum     *entrySum
		entries *engine.Statement
	}{{&ids, entriesByID}, {&expiries, entriesByExpiry}} {
		if err != nil {
			break
		}
		err = a.Rows(ctx, of.entries, nil, func(r *engine.Row) error {
			of.sum.add(maphash.Comparable(seed, rows.Entry{Scope: r.Integer(), Expiry: r.Integer(), Line: r.Integer()}))
			return r.Err()
		})
	}
	if errors.Is(err, errUnsound) {
		return false, nil
	}
	return ids == idsDue && expiries == expiriesDue, err
}

// entrySum is a sum of entries that does not depend on their order.
type entrySum struct {
	count int64
	sum   uint64
}

func (s *entrySum) add(hash uint64) {
	s.count++
	s.sum += hash
}
