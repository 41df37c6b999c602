package simulate

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// viewed is a store whose reads in a View fail one by one, as the hooks decide. A later read may succeed, and View
// returns what look returns.
type viewed struct {
	ports.Store
	p *port // of the hooks alone
}

func (v viewed) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return v.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		return look(ctx, ports.Snapshot{Resellers: resellersOf{s.Resellers, v.p}, Lines: linesOf{s.Lines, v.p},
			Ledger: ledgerOf{s.Ledger, v.p}, Keys: keysOf{s.Keys, v.p}, Journal: eventsOf{s.Journal, v.p},
			Records: recordsOf{s.Records, v.p}})
	})
}

// reads makes a call that has a result.
func reads[T any](ctx context.Context, p *port, name string, get func() (T, error)) (T, error) {
	return read(ctx, p, name, func(context.Context, any) (T, error) { return get() }, nil)
}

type resellersOf struct {
	ports.ResellerDirectory
	p *port
}

func (r resellersOf) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return read(ctx, r.p, "Resellers.Get", r.ResellerDirectory.Get, id)
}

func (r resellersOf) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return read(ctx, r.p, "Resellers.FindByUsername", r.ResellerDirectory.FindByUsername, name)
}

func (r resellersOf) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return read(ctx, r.p, "Resellers.AnyBlocked", r.ResellerDirectory.AnyBlocked, ids)
}

func (r resellersOf) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return read(ctx, r.p, "Resellers.Blocked", r.ResellerDirectory.Blocked, ids)
}

func (r resellersOf) Suspending(ctx context.Context, ids []int64) ([]int64, error) {
	return read(ctx, r.p, "Resellers.Suspending", r.ResellerDirectory.Suspending, ids)
}

func (r resellersOf) AnySuspending(ctx context.Context) (bool, error) {
	return reads(ctx, r.p, "Resellers.AnySuspending", func() (bool, error) {
		return r.ResellerDirectory.AnySuspending(ctx)
	})
}

func (r resellersOf) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	return read(ctx, r.p, "Resellers.List", r.ResellerDirectory.List, q)
}

type linesOf struct {
	ports.LineDirectory
	p *port
}

func (l linesOf) Get(ctx context.Context, id int64) (*line.Line, error) {
	return read(ctx, l.p, "Lines.Get", l.LineDirectory.Get, id)
}

func (l linesOf) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	return read(ctx, l.p, "Lines.List", l.LineDirectory.List, q)
}

func (l linesOf) Count(ctx context.Context, q ports.LineQuery, examined int) (count int, all bool, err error) {
	count, err = reads(ctx, l.p, "Lines.Count", func() (count int, err error) {
		count, all, err = l.LineDirectory.Count(ctx, q, examined)
		return count, err
	})
	return count, all, err
}

func (l linesOf) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return read(ctx, l.p, "Lines.FindByUsername", l.LineDirectory.FindByUsername, name)
}

func (l linesOf) Usernames(ctx context.Context, ids []int64) (map[int64]profile.Username, error) {
	return read(ctx, l.p, "Lines.Usernames", l.LineDirectory.Usernames, ids)
}

type ledgerOf struct {
	ports.Statements
	p *port
}

func (l ledgerOf) Statement(ctx context.Context, of, before int64, limit int) ([]credit.Movement, error) {
	return reads(ctx, l.p, "Ledger.Statement", func() ([]credit.Movement, error) {
		return l.Statements.Statement(ctx, of, before, limit)
	})
}

type keysOf struct {
	ports.KeyReader
	p *port
}

func (k keysOf) Get(ctx context.Context, of int64, key string) (ports.KeyRecord, error) {
	return reads(ctx, k.p, "Keys.Get", func() (ports.KeyRecord, error) { return k.KeyReader.Get(ctx, of, key) })
}

type eventsOf struct {
	ports.Events
	p *port
}

func (j eventsOf) Head(ctx context.Context) (journal.Head, error) {
	return reads(ctx, j.p, "Journal.Head", func() (journal.Head, error) { return j.Events.Head(ctx) })
}

func (j eventsOf) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	return read(ctx, j.p, "Journal.List", j.Events.List, q)
}

func (j eventsOf) OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	return read(ctx, j.p, "Journal.OfMovements", j.Events.OfMovements, ids)
}

func (j eventsOf) Figures(ctx context.Context, of []int64, from, to time.Time) ([]ports.DayFigures, error) {
	return reads(ctx, j.p, "Journal.Figures", func() ([]ports.DayFigures, error) {
		return j.Events.Figures(ctx, of, from, to)
	})
}

type recordsOf struct {
	record.Lister
	p *port
}

func (r recordsOf) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	return reads(ctx, r.p, "Records.Get", func() (string, error) { return r.Lister.Get(ctx, of, key) })
}

func (r recordsOf) List(ctx context.Context, q record.Range) ([]record.Found, error) {
	return read(ctx, r.p, "Records.List", r.Lister.List, q)
}
