// Package reports implements summaries of lines, credits and days of accounts.
package reports

import (
	"context"
	"slices"
	"strconv"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Service sums up the activity of accounts.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of reports.
func New(k *usecase.Kernel) Service { return Service{k} }

// The limits of a summary.
const (
	MostDays       = 366
	summedAccounts = 1_000 // of a tree
	countedLines   = 5_000 // examined by each count
	accountsAtOnce = 100   // whose days are in memory
)

// The windows in which a summary counts official lines.
const (
	expiringWithin = 7 * 24 * time.Hour
	expiredWithin  = 14 * 24 * time.Hour
)

// Summary selects the balances and the recent activity of an account or a tree.
type Summary struct {
	Account *int64 // nil: the caller's own
	Tree    *int64 // an account and all below it; with Account, that account of the tree
	Days    int    // of UTC, today included: 1 to MostDays
}

// SummaryResult has the balances and the activity of an account or a tree.
type SummaryResult struct {
	At      time.Time
	Balance credit.Sum
	Lines   LineCounts
	Days    []Day   // the earliest first, also days without activity
	Damaged []int64 // ids of accounts that can't be read, and are left out
}

// LineCounts are counts of lines without a suspension of their own. Lines below a block that suspends them count by
// their expiry, because no index has them. Capped states that some counts are too low: a count reached its limit, or
// the tree has more accounts than are summed.
type LineCounts struct {
	Running  int // official lines that run
	Trials   int // that run
	Expiring int // official lines that run, for 7 days at most
	Expired  int // official lines that ended in the last 14 days
	Capped   bool
}

// Day is the activity of a day of UTC.
type Day struct {
	Begins time.Time
	journal.Figures
}

// Summary returns the balances and the activity of an account, or of a tree, in bounded time. It sums at most 1,000
// accounts, those with the smallest ids, and each of its counts examines at most 5,000 lines. The refusal is
// fault.ErrNotFound.
func (s Service) Summary(ctx context.Context, call usecase.Call, c Summary) (SummaryResult, error) {
	return usecase.Query(ctx, s.k, call, "sum up", func(ctx context.Context, in usecase.View) (SummaryResult, error) {
		account, tree, err := c.scope(ctx, in)
		if err != nil {
			return SummaryResult{}, err
		}
		sum := SummaryResult{At: in.Now, Balance: account.State().Credits.Decimal()}
		ids := []int64{account.ID()}
		if tree {
			if ids, err = sum.tree(ctx, in, account.ID()); err != nil {
				return SummaryResult{}, err
			}
		}
		if err := sum.count(ctx, in, ports.Scope{Reseller: account.ID(), Tree: tree}); err != nil {
			return SummaryResult{}, err
		}
		return sum, sum.days(ctx, in, ids, c.Days)
	})
}

// scope returns the selected account, and whether all accounts below it count as well.
func (c Summary) scope(ctx context.Context, in usecase.View) (of *reseller.Reseller, tree bool, err error) {
	of = in.Actor
	if c.Tree != nil {
		if of, err = usecase.VisibleReseller(ctx, in.Resellers, in.Actor, *c.Tree); err != nil {
			return nil, false, err
		}
	}
	if c.Account == nil {
		return of, c.Tree != nil, nil
	}
	account, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, *c.Account)
	if err == nil && c.Tree != nil && account.ID() != of.ID() && !account.Position().Under(of.ID()) {
		err = fault.ErrNotFound
	}
	return account, false, err
}

// tree sums the balances of a tree, and returns its accounts.
func (sum *SummaryResult) tree(ctx context.Context, in usecase.View, top int64) (ids []int64, err error) {
	sum.Balance = credit.Sum{}
	for q := (ports.ResellerQuery{Scope: ports.Scope{Reseller: top, Tree: true}, Limit: summedAccounts}); ; {
		page, err := in.Resellers.List(ctx, q)
		if err != nil {
			return nil, err
		}
		sum.Damaged = append(sum.Damaged, page.Damaged...)
		for _, r := range page.Resellers {
			ids = append(ids, r.ID())
			sum.Balance = sum.Balance.Add(r.State().Credits.Decimal())
		}
		q.After, q.Limit = page.Next, summedAccounts-len(ids)
		if q.After == 0 || q.Limit == 0 {
			sum.Lines.Capped = q.After != 0
			return ids, nil
		}
	}
}

// count counts lines. A line runs until its expiry, the exact instant excluded.
func (sum *SummaryResult) count(ctx context.Context, in usecase.View, of ports.Scope) error {
	running := in.Now.Add(time.Millisecond)
	soon, past := running.Add(expiringWithin), in.Now.Add(-expiredWithin)
	for _, c := range []struct {
		into          *int
		trials        bool
		after, before *time.Time
	}{
		{&sum.Lines.Running, false, &running, nil},
		{&sum.Lines.Trials, true, &running, nil},
		{&sum.Lines.Expiring, false, &running, &soon},
		{&sum.Lines.Expired, false, &past, &running},
	} {
		count, all, err := in.Lines.Count(ctx, ports.LineQuery{
			Scope: of, Trial: &c.trials, Suspended: new(false), ExpiresAfter: c.after, ExpiresBefore: c.before,
			Order: ports.LinesByExpiry, Limit: 1,
		}, countedLines)
		if err != nil {
			return err
		}
		*c.into = count
		sum.Lines.Capped = sum.Lines.Capped || !all
	}
	return nil
}

// days sums the activity of accounts, day by day.
func (sum *SummaryResult) days(ctx context.Context, in usecase.View, accounts []int64, days int) error {
	end := journal.DayOf(in.Now).AddDate(0, 0, 1)
	begin := end.AddDate(0, 0, -days)
	of := map[time.Time]journal.Figures{}
	for some := range slices.Chunk(accounts, accountsAtOnce) {
		found, err := in.Journal.Figures(ctx, some, begin, end)
		if err != nil {
			return err
		}
		for _, f := range found {
			of[f.Day] = of[f.Day].Plus(f.Figures)
		}
	}
	for day := begin; day.Before(end); day = day.AddDate(0, 0, 1) {
		sum.Days = append(sum.Days, Day{day, of[day]})
	}
	return nil
}

// About describes the service to an admin.
type About struct {
	usecase.Process
	LastBackup time.Time // the zero value: no backup is known
}

// About returns the known facts about the serving process, and about its store's backups. The refusal is
// reseller.ErrNotAllowed.
func (s Service) About(ctx context.Context, call usecase.Call) (About, error) {
	first, err := usecase.Query(ctx, s.k, call, "read about",
		func(ctx context.Context, in usecase.View) (first time.Time, err error) {
			if err := in.Actor.MayAudit(); err != nil {
				return first, err
			}
			page, err := in.Resellers.List(ctx, ports.ResellerQuery{Limit: 1})
			if len(page.Resellers) > 0 {
				first = page.Resellers[0].State().CreatedAt
			}
			return first, err
		})
	if err != nil {
		return About{}, err
	}
	about := About{Process: s.k.Dependencies.Process}
	if about.Backups != nil {
		about.LastBackup = about.Backups.Latest(ctx, Born(first))
	}
	return about, nil
}

// Born writes when the first account of a store was created. It never changes, and distinguishes backups of the store
// from others.
func Born(first time.Time) string { return strconv.FormatInt(first.UnixMilli(), 10) }
