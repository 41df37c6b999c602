package operate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// EventQuery selects entries of the journal. The zero value selects all.
type EventQuery struct {
	Since, Until time.Time // at Since or later, before Until; the zero time: no bound
	Account      AccountName
	Line         int64          // 0: any
	Types        []journal.Type // empty: any
}

// AccountName names an account by its id or its present name. The zero value names no account.
type AccountName struct {
	ID   int64
	Name profile.Username
}

// Event is an entry with the present names of the accounts that it names.
type Event struct {
	journal.Numbered
	Names map[int64]string
}

// eventsPage is how many entries are read at a time, each page in a snapshot of its own. Entries never change, and a
// slow reader holds no snapshot open.
const eventsPage = 500

// disorder is the largest difference between the order of instants and the order of numbers. Concurrent commands, and
// processes whose clocks differ, cause it.
const disorder = 5 * time.Minute

// Events passes the entries that a query selects to each, in their order, up to the last one with a number at the
// beginning. It can read a store that is served, and needs no service key. Report gets each entry that can't be read.
// An account that does not exist is fault.ErrNotFound.
func Events(ctx context.Context, s Store, q EventQuery, report func(finding string), each func(Event) error) error {
	return s.open(ctx, func(archive ports.Archive) error {
		var account, after, last int64
		if err := archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) (err error) {
			if err := whole(ctx, r); err != nil {
				return err
			}
			if account, err = q.Account.find(ctx, r); err != nil {
				return err
			}
			head, err := r.Head(ctx)
			if err != nil {
				return err
			}
			last = head.Seq
			after, err = beforeInstant(ctx, r, last, q.Since)
			return err
		}); err != nil {
			return err
		}
		for after < last {
			var page []ports.Audited[journal.Numbered]
			var names map[int64]string
			if err := archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) (err error) {
				if page, err = r.Entries(ctx, after, eventsPage); err != nil {
					return err
				}
				names, err = namesIn(ctx, r, page)
				return err
			}); err != nil {
				return err
			}
			if len(page) == 0 || page[0].ID <= after {
				return fmt.Errorf("the journal has no entry %d: 'resellerd audit' says more", after+1)
			}
			after = page[len(page)-1].ID
			for _, f := range page {
				switch {
				case f.ID > last, f.Damage == nil && !q.Until.IsZero() && f.Record.At.After(q.Until.Add(disorder)):
					return nil
				case f.Damage != nil:
					report(fmt.Sprintf("entry %d: %v", f.ID, f.Damage))
				case q.selects(&f.Record, account):
					if err := each(Event{f.Record, names}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// selects reports whether an entry passes every filter.
func (q EventQuery) selects(n *journal.Numbered, account int64) bool {
	return !n.At.Before(q.Since) && (q.Until.IsZero() || n.At.Before(q.Until)) &&
		(account == 0 || n.Concerns(account)) && (q.Line == 0 || n.Line == q.Line) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, n.Type))
}

// find returns the id of the account, which must exist, 0 for no account.
func (a AccountName) find(ctx context.Context, r ports.Records) (int64, error) {
	if a.ID != 0 {
		found, err := r.ResellersByID(ctx, []int64{a.ID})
		if _, there := found[a.ID]; err == nil && !there {
			err = fault.ErrNotFound
		}
		return a.ID, err
	}
	if a.Name.String() == "" {
		return 0, nil
	}
	return findByName(ctx, r, a.Name)
}

// findByName reads all accounts: an archive has no other way to find names.
func findByName(ctx context.Context, r ports.Records, name profile.Username) (int64, error) {
	for after := int64(math.MinInt64); ; {
		page, err := r.Resellers(ctx, after, eventsPage)
		if err != nil {
			return 0, err
		}
		if len(page) == 0 || page[0].ID <= after {
			return 0, fault.ErrNotFound
		}
		for _, f := range page {
			if f.Damage == nil && f.Record.State().Username.Key() == name.Key() {
				return f.ID, nil
			}
		}
		after = page[len(page)-1].ID
	}
}

// beforeInstant returns a number before all entries of an instant or later, by a binary search up to the last entry.
func beforeInstant(ctx context.Context, r ports.Records, last int64, instant time.Time) (int64, error) {
	if instant.IsZero() {
		return 0, nil
	}
	var failed error
	after := sort.Search(int(last), func(after int) bool {
		at, err := instantAfter(ctx, r, int64(after))
		if err != nil {
			failed = err
		}
		return failed != nil || at.IsZero() || !at.Before(instant.Add(-disorder))
	})
	return int64(after), failed
}

// instantAfter returns the instant of the first readable entry after a number, the zero time without one.
func instantAfter(ctx context.Context, r ports.Records, after int64) (time.Time, error) {
	for limit := 1; ; limit = eventsPage {
		page, err := r.Entries(ctx, after, limit)
		if err != nil || len(page) == 0 || page[0].ID <= after {
			return time.Time{}, err
		}
		for _, f := range page {
			if f.Damage == nil {
				return f.Record.At, nil
			}
		}
		after = page[len(page)-1].ID
	}
}

// namesIn returns the present names of the accounts that entries name, without those of damaged accounts.
func namesIn(ctx context.Context, r ports.Records, page []ports.Audited[journal.Numbered]) (map[int64]string, error) {
	var ids []int64
	for _, f := range page {
		ids = append(ids, f.Record.Account.ID, f.Record.Actor.Account)
		if m := f.Record.Movement; m != nil {
			for _, side := range [...]credit.Party{m.Source, m.Target} {
				ids = append(ids, side.ResellerID())
			}
		}
	}
	slices.Sort(ids)
	found, err := r.ResellersByID(ctx, slices.Compact(ids))
	names := map[int64]string{}
	for id, f := range found {
		if f.Damage == nil {
			names[id] = f.Record.State().Username.String()
		}
	}
	return names, err
}
