package operate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Report sums up the activity and the balances from an instant until before another one.
type Report struct {
	From, To time.Time
	Accounts []AccountReport // with credits or activity, by id
	Kinds    []KindReport    // of movements, each kind
	Total    AccountReport
}

// AccountReport is the report of an account. End = Beginning + Received - Spent - Given - Reclaimed. An admin, which
// holds no credits, receives from issuance the credits that it spends.
type AccountReport struct {
	ID                              int64
	Name                            string // the present name
	Trials, Activations, Extensions int64
	Received                        credit.Sum // credits that reached its balance
	Spent                           credit.Sum // for lines
	Given                           credit.Sum // to accounts below
	Reclaimed                       credit.Sum // taken back from it
	Beginning, End                  credit.Sum // balances
}

// KindReport is the report of a kind of movements.
type KindReport struct {
	Kind    credit.Operation
	Count   int64
	Credits credit.Sum
}

// reported are the kinds of movements, in their order in a report.
var reported = []credit.Operation{credit.Opening, credit.Recharge, credit.Reclaim, credit.Activation, credit.Extension}

// ReadReport reads the whole ledger in one snapshot, while a service may run, and the journal of that time. It needs no
// service key, and has a row for each account in memory. Progress is called with the number of movements read so far.
func ReadReport(ctx context.Context, s Store, from, to time.Time,
	progress func(movements int64)) (report Report, err error) {
	err = s.read(ctx, func(ctx context.Context, r ports.Records) error {
		a := accounting{Report: Report{From: from, To: to}, rows: map[int64]*AccountReport{},
			kinds: map[credit.Operation]KindReport{}}
		if err := all(ctx, "account", r.Resellers, a.account); err != nil {
			return err
		}
		read := int64(0)
		if err := all(ctx, "movement", r.Movements, func(m credit.Movement) bool {
			if read++; read%eventsPage == 0 {
				progress(read)
			}
			a.movement(m)
			return true
		}); err != nil {
			return err
		}
		if err := a.trials(ctx, r); err != nil {
			return err
		}
		report = a.finished()
		return nil
	})
	return report, err
}

// accounting is a report while it is being computed.
type accounting struct {
	Report
	rows  map[int64]*AccountReport
	kinds map[credit.Operation]KindReport
}

func (a *accounting) account(r *reseller.Reseller) bool {
	a.rows[r.ID()] = &AccountReport{ID: r.ID(), Name: r.State().Username.String()}
	return true
}

func (a *accounting) row(id int64) *AccountReport {
	if a.rows[id] == nil { // an audit finds this
		a.rows[id] = &AccountReport{ID: id}
	}
	return a.rows[id]
}

// movement counts a movement before the end.
func (a *accounting) movement(m credit.Movement) {
	if !m.At.Before(a.To) {
		return
	}
	amount, within := m.Amount.Decimal(), !m.At.Before(a.From)
	for _, p := range m.Postings {
		row, change := a.row(p.Reseller), m.Change(p.Reseller)
		if !within {
			row.Beginning = row.Beginning.Add(change)
			continue
		}
		switch {
		case m.Target == credit.Consumption:
			row.Spent = row.Spent.Add(amount)
			if change.IsZero() { // issuance paid for an admin's line
				row.Received = row.Received.Add(amount)
			}
			if m.Operation == credit.Activation {
				row.Activations++
			} else {
				row.Extensions++
			}
		case change.IsPositive():
			row.Received = row.Received.Add(amount)
		case m.Operation == credit.Reclaim:
			row.Reclaimed = row.Reclaimed.Add(amount)
		default:
			row.Given = row.Given.Add(amount)
		}
	}
	if within {
		kind := a.kinds[m.Operation]
		a.kinds[m.Operation] = KindReport{m.Operation, kind.Count + 1, kind.Credits.Add(amount)}
	}
}

// trials counts the trials in the journal, up to the last entry that has a number.
func (a *accounting) trials(ctx context.Context, r ports.Records) error {
	head, err := r.Head(ctx)
	if err != nil || head.Seq == 0 {
		return err
	}
	after, err := beforeInstant(ctx, r, head.Seq, a.From)
	if err != nil {
		return err
	}
	return allAfter(ctx, "entry", after, r.Entries, func(n journal.Numbered) bool {
		if n.Type == journal.TrialCreated && !n.At.Before(a.From) && n.At.Before(a.To) && n.Seq <= head.Seq {
			a.row(n.Account.ID).Trials++
		}
		return n.Seq < head.Seq && n.At.Before(a.To.Add(disorder))
	})
}

// finished returns the report.
func (a *accounting) finished() Report {
	for _, row := range a.rows {
		row.End = row.Beginning.Add(row.Received).Sub(row.Spent).Sub(row.Given).Sub(row.Reclaimed)
		t := &a.Total
		t.Trials, t.Activations, t.Extensions = t.Trials+row.Trials, t.Activations+row.Activations, t.Extensions+
			row.Extensions
		t.Received, t.Spent = t.Received.Add(row.Received), t.Spent.Add(row.Spent)
		t.Given, t.Reclaimed = t.Given.Add(row.Given), t.Reclaimed.Add(row.Reclaimed)
		t.Beginning, t.End = t.Beginning.Add(row.Beginning), t.End.Add(row.End)
	}
	maps.DeleteFunc(a.rows, func(_ int64, row *AccountReport) bool {
		return row.Trials == 0 && row.Received.IsZero() && row.Spent.IsZero() && row.Given.IsZero() &&
			row.Reclaimed.IsZero() && row.Beginning.IsZero()
	})
	for _, id := range slices.Sorted(maps.Keys(a.rows)) {
		a.Accounts = append(a.Accounts, *a.rows[id])
	}
	for _, kind := range reported {
		a.Kinds = append(a.Kinds, KindReport{kind, a.kinds[kind].Count, a.kinds[kind].Credits})
	}
	return a.Report
}

// all passes the records of a kind to each, until it returns false. A damaged record is an error.
func all[T any](ctx context.Context, name string,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error), each func(T) bool) error {
	return allAfter(ctx, name, math.MinInt64, page, each)
}

func allAfter[T any](ctx context.Context, name string, after int64,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error), each func(T) bool) error {
	for {
		found, err := page(ctx, after, eventsPage)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, f := range found {
			if f.Damage == nil && f.ID <= after {
				f.Damage = fmt.Errorf("it comes after %s %d", name, after)
			}
			if f.Damage != nil {
				return fmt.Errorf("%s %d: %w: 'resellerd audit' says more", name, f.ID, f.Damage)
			}
			if after = f.ID; !each(f.Record) {
				return nil
			}
		}
	}
}
