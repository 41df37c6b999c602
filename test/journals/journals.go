// Package journals checks the journal of a store against the promises of its ports: its numbers, its chain, its
// movements against the ledger, its figures. It also shows an entry as the API does, so that tests can compare it with
// a model.
package journals

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// Shown is an entry as the API writes it for a caller that sees all of it.
func Shown(n *journal.Numbered) map[string]any {
	changes, data := map[string]any{}, map[string]any{}
	for _, c := range n.Changes {
		changes[c.Field] = true
		if c.Shown {
			changes[c.Field] = []any{plain(c.Before), plain(c.After)}
		}
	}
	for _, d := range n.Data {
		data[d.Name] = plain(d.Value)
	}
	movement := any(nil)
	if m := n.Movement; m != nil {
		balances := map[string]any{}
		for _, b := range m.Balances {
			balances[strconv.FormatInt(b.Reseller, 10)] = b.Credits.String()
		}
		movement = map[string]any{
			"id": m.ID, "kind": m.Operation.String(), "amount": m.Amount.String(), "from": m.Source.Name(),
			"to": m.Target.Name(), "balances": balances,
		}
	}
	return map[string]any{
		"id": n.ID(), "seq": n.Seq, "type": n.Type.String(), "timestamp": iso(n.At), "account": orNull(n.Account.ID),
		"line": orNull(n.Line),
		"actor": map[string]any{
			"account": orNull(n.Actor.Account), "kind": n.Actor.Kind.String(), "id": orNull(n.Actor.Principal),
			"name": n.Actor.Name, "address": orNull(n.Actor.Address),
		},
		"request_id": orNull(n.Request), "movement": movement, "changes": changes, "reason": orNull(n.Reason),
		"version": orNull(n.Version), "data": data,
	}
}

func orNull[V comparable](v V) any {
	if v == *new(V) {
		return nil
	}
	return v
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func plain(v journal.Value) any {
	if at, is := v.Any().(time.Time); is {
		return iso(at)
	}
	return v.Any()
}

// Sound reads the journal of a store, and returns its entries and an error for each fault. Every entry must already
// have its number.
func Sound(ctx context.Context, store ports.Store) (all []journal.Numbered, err error) {
	wrong := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(format, args...)) }
	var figures map[day]journal.Figures
	var named map[int64]int64 // the number of the entry of a movement
	viewed := store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		all, err, figures, named = nil, nil, map[day]journal.Figures{}, map[int64]int64{}
		head, failed := s.Journal.Head(ctx)
		if failed != nil {
			return failed
		}
		if all, failed = read(ctx, s.Journal); failed != nil {
			return failed
		}
		before, t := journal.Head{}, reports{versions: map[aggregate]int64{}, expiries: map[int64]time.Time{},
			reported: map[string]int64{}}
		for i := range all {
			n := &all[i]
			if says := t.wrong(all, i); says != "" {
				wrong("entry %d, %s, %s", n.Seq, n.Type, says)
			}
			if !n.Follows(before) {
				wrong("entry %d, %s, does not follow entry %d", n.Seq, n.Type, before.Seq)
			}
			before = n.Head
			if n.Movement != nil {
				if other := named[n.Movement.ID]; other != 0 {
					wrong("entries %d and %d name movement %d", other, n.Seq, n.Movement.ID)
				}
				named[n.Movement.ID] = n.Seq
			}
			count(figures, n)
		}
		if head != before {
			wrong("the journal ends with entry %d of epoch %q, and the last one is %d of epoch %q", head.Seq, head.Epoch,
				before.Seq, before.Epoch)
		}
		return errors.Join(err, sameFigures(ctx, s.Journal, all, figures))
	})
	if viewed != nil || len(all) == 0 {
		return all, errors.Join(err, viewed)
	}
	return all, store.Parts().Archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return ofLedger(ctx, r, all, named)
	})
}

// page is how many entries are read at a time: few, so that there are pages to go through.
const page = 100

func read(ctx context.Context, events ports.Events) (all []journal.Numbered, err error) {
	for q := (ports.EventQuery{Limit: page}); ; {
		found, err := events.List(ctx, q)
		if err != nil {
			return nil, err
		}
		if len(found.Damaged) > 0 {
			return nil, fmt.Errorf("entries %d are damaged", found.Damaged)
		}
		if all = append(all, found.Entries...); found.Next == 0 {
			return all, nil
		}
		q.After = found.Next
	}
}

// day is a day of an account.
type day struct {
	account int64
	begins  int64 // Unix milliseconds
}

// count adds up what accounts did.
func count(figures map[day]journal.Figures, n *journal.Numbered) {
	begins := n.At.UTC()
	begins = time.Date(begins.Year(), begins.Month(), begins.Day(), 0, 0, 0, 0, time.UTC)
	add := func(account int64, f journal.Figures) {
		of := day{account, begins.UnixMilli()}
		figures[of] = figures[of].Plus(f)
	}
	switch n.Type {
	case journal.TrialCreated:
		add(n.Account.ID, journal.Figures{Trials: 1})
	case journal.LineActivated:
		add(n.Account.ID, journal.Figures{Activations: 1, Spent: n.Movement.Amount.Decimal()})
	case journal.LineExtended, journal.PlanChanged:
		add(n.Account.ID, journal.Figures{Extensions: 1, Spent: n.Movement.Amount.Decimal()})
	}
	if n.Movement != nil && n.Movement.Target.ResellerID() != 0 {
		add(n.Movement.Target.ResellerID(), journal.Figures{Received: n.Movement.Amount.Decimal()})
	}
}

// sameFigures compares the figures that a store has with those that its entries come to.
func sameFigures(ctx context.Context, events ports.Events, all []journal.Numbered,
	want map[day]journal.Figures) (err error) {
	if len(all) == 0 {
		return nil
	}
	first, last := all[0].At, all[0].At
	accounts := []int64{}
	for _, n := range all {
		if n.At.Before(first) {
			first = n.At
		}
		if n.At.After(last) {
			last = n.At
		}
		if n.Account.ID != 0 {
			accounts = append(accounts, n.Account.ID)
		}
	}
	for of := range want {
		accounts = append(accounts, of.account)
	}
	found, err := events.Figures(ctx, accounts, first, last.Add(24*time.Hour))
	if err != nil {
		return err
	}
	got := map[day]journal.Figures{}
	for _, f := range found {
		of := day{f.Account, f.Day.UnixMilli()}
		if _, twice := got[of]; twice {
			err = errors.Join(err, fmt.Errorf("the figures of account %d on %s are there twice", f.Account, f.Day))
		}
		got[of] = f.Figures
	}
	for of, f := range want {
		if !same(got[of], f) {
			err = errors.Join(err, fmt.Errorf("figures of account %d on %s: %+v, and its entries come to %+v", of.account,
				time.UnixMilli(of.begins).UTC(), got[of], f))
		}
	}
	if len(got) != len(want) {
		err = errors.Join(err, fmt.Errorf("there are figures of %d days of accounts, and the entries come to %d",
			len(got), len(want)))
	}
	return err
}

func same(a, b journal.Figures) bool {
	return a.Trials == b.Trials && a.Activations == b.Activations && a.Extensions == b.Extensions &&
		a.Spent.Equal(b.Spent) && a.Received.Equal(b.Received)
}

// ofLedger has each movement be named by one entry, as the ledger has it.
func ofLedger(ctx context.Context, r ports.Records, all []journal.Numbered, named map[int64]int64) (err error) {
	left := len(named)
	for after := int64(0); ; {
		movements, failed := r.Movements(ctx, after, page)
		if failed != nil {
			return failed
		}
		if len(movements) == 0 {
			break
		}
		for _, m := range movements {
			after = m.ID
			left--
			switch seq := named[m.ID]; {
			case m.Damage != nil:
				err = errors.Join(err, fmt.Errorf("movement %d: %w", m.ID, m.Damage))
			case seq == 0:
				err = errors.Join(err, fmt.Errorf("movement %d is named by no entry", m.ID))
			case !all[seq-1].Movement.Matches(m.Record):
				err = errors.Join(err, fmt.Errorf("entry %d names movement %d as %+v, which is %+v", seq, m.ID,
					all[seq-1].Movement, m.Record))
			case !fits(all[seq-1].Type, m.Record.Operation):
				err = errors.Join(err, fmt.Errorf("entry %d is %s, and names movement %d, which is a %s", seq, all[seq-1].Type,
					m.ID, m.Record.Operation))
			}
		}
	}
	if left != 0 {
		err = errors.Join(err, fmt.Errorf("entries name %d movements more than there are", left))
	}
	return err
}

// fits reports whether an entry of a type may name a movement of a kind.
func fits(t journal.Type, of credit.Operation) bool {
	return map[credit.Operation]journal.Type{
		credit.Opening: journal.ResellerCreated, credit.Recharge: journal.ResellerCredited,
		credit.Reclaim:    journal.ResellerReclaimed,
		credit.Activation: journal.LineActivated, credit.Extension: journal.LineExtended,
		credit.PlanChange: journal.PlanChanged,
	}[of] == t
}
