package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/adapters/servicekey"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
)

// verdict is what becomes of a call of a port.
type verdict int

const (
	fine   verdict = iota
	before         // nothing is done, and the answer is ports.ErrUnavailable
	after          // it is done, and the answer is ports.ErrUnavailable all the same
	again          // of an Update: its work is run and thrown away, and run again
	twice          // the same, one time more
)

// String names the verdict in a story.
func (v verdict) String() string {
	return [...]string{"fine", "failed before it did anything", "done, and answered as failed", "run again", "run three times"}[v]
}

// call is a call of a port.
type call struct {
	name string // such as View, or Update: Lines.Save
	// effect tells that the call changes something by itself, so that it may be done and answered as failed.
	effect bool
	// work tells that the call runs work, which may be run again.
	work bool
}

// hooks stands beside a store: it is told of each call, and decides what becomes of it.
type hooks interface {
	// called is asked before a call. It may take its time, and it may panic where the process dies.
	called(ctx context.Context, c call) verdict
	// enter waits for the turn of the one Update that runs at a time, and leave ends it. A false one waited in vain.
	enter(ctx context.Context) bool
	leave()
	// reads is told that what is asked from now on is answered from what is kept at this moment; run that of an Update
	// which begins, all of whose earlier runs count for nothing.
	reads()
	// wrote is told what the present run has given to the store.
	wrote(record any)
	// later is asked whether a name that is taken is refused only when Update returns.
	later() bool
	// kept is told that what the last run did is kept, before the caller knows.
	kept()
	// dropped is told that expired keys were removed, before the caller knows.
	dropped(now, latest time.Time)
	// unanswered is told that the caller gets ports.ErrUnavailable.
	unanswered()
}

// port is a store that fails as its hooks decide, and in no way that the ports exclude.
type port struct {
	ports.Store
	hooks   hooks
	witness witness
}

// Parts implements ports.Store. Sessions fail likewise.
func (p *port) Parts() ports.Parts {
	return ports.Parts{Sessions: &sessionPort{p.Store.Parts().Sessions, p, p.witness}}
}

var _ ports.Store = (*port)(nil)

var (
	errInjected   = errors.New("a fault that was planned")
	errThrownAway = errors.New("this run counts for nothing")
)

func unavailable(doing string) error {
	return fmt.Errorf("%s: %w: %w", doing, ports.ErrUnavailable, errInjected)
}

// out passes an error on and tells of one that leaves the caller without an answer.
func (p *port) out(err error) error {
	if errors.Is(err, ports.ErrUnavailable) {
		p.hooks.unanswered()
	}
	return err
}

// simple makes a call that runs no work.
func (p *port) simple(ctx context.Context, c call, do func() error) error {
	return p.out(p.tried(ctx, c, do))
}

// tried is simple of which nobody is told that it failed.
func (p *port) tried(ctx context.Context, c call, do func() error) error {
	v := p.hooks.called(ctx, c)
	if v == before || ctx.Err() != nil {
		return unavailable(c.name)
	}
	err := do()
	if v == after {
		err = unavailable(c.name)
	}
	return err
}

// vault is a ports.Vault that does not know, now and then, whether its key is still the present one.
type vault struct {
	*servicekey.Keyring
	hooks hooks
}

// Seal implements ports.Vault.
func (v vault) Seal(plain []byte, label string) ([]byte, error) {
	if err := v.known(); err != nil {
		return nil, err
	}
	return v.Keyring.Seal(plain, label)
}

// known fails where the present key is not known.
func (v vault) known() error {
	if v.hooks.called(context.Background(), call{name: "Seal"}) == before {
		v.hooks.unanswered()
		return unavailable("Seal")
	}
	return nil
}

// View implements ports.Store.
func (p *port) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	if p.hooks.called(ctx, call{name: "View"}) == before {
		return p.out(unavailable("View"))
	}
	return p.out(p.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		p.hooks.reads()
		return look(ctx, p.snapshot(s))
	}))
}

// Update implements ports.Store.
func (p *port) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, hints ...ports.Reads) error {
	c := call{name: "Update", effect: true, work: true}
	v := p.hooks.called(ctx, c)
	if v == before {
		return p.out(unavailable(c.name))
	}
	err := p.update(ctx, int(max(v, after)-after), work, hints)
	if v == after {
		err = unavailable(c.name)
	}
	if err == nil {
		// Where the process dies now, its client is not told of what is kept.
		p.hooks.called(ctx, call{name: "return of Update"})
	}
	return p.out(err)
}

// update runs work, after so many runs that are thrown away.
func (p *port) update(ctx context.Context, wasted int, work func(ctx context.Context, tx ports.Tx) error, hints []ports.Reads) error {
	if !p.hooks.enter(ctx) {
		return unavailable("wait for the turn to update")
	}
	defer p.hooks.leave()
	for range wasted {
		err := p.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			p.hooks.reads()
			_ = work(ctx, p.tx(tx, new(error))) // whatever it says
			return errThrownAway
		}, hints...)
		if !errors.Is(err, errThrownAway) {
			return err
		}
	}
	err := p.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		p.hooks.reads()
		var taken error
		if err := work(ctx, p.tx(tx, &taken)); err != nil {
			return err
		}
		return taken
	}, hints...)
	if err == nil {
		p.hooks.kept()
	}
	return err
}

// NextID implements ports.Store.
func (p *port) NextID(ctx context.Context, of ports.Sequence) (id int64, err error) {
	err = p.simple(ctx, call{name: "NextID " + of.String(), effect: true}, func() error {
		id, err = p.Store.NextID(ctx, of)
		return err
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// DropExpired implements ports.Store.
func (p *port) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	err = p.simple(ctx, call{name: "DropExpired", effect: true}, func() error {
		if !p.hooks.enter(ctx) {
			return unavailable("wait for the turn to update")
		}
		defer p.hooks.leave()
		if dropped, err = p.Store.DropExpired(ctx, now, latest, limit); err == nil {
			p.hooks.dropped(now, latest)
		}
		return err
	})
	return dropped, err
}

// Ready implements ports.Store.
func (p *port) Ready(ctx context.Context) error {
	return p.simple(ctx, call{name: "Ready"}, func() error { return p.Store.Ready(ctx) })
}

// inside makes a call of what a View or an Update gives.
func inside[T any](ctx context.Context, p *port, name string, do func() (T, error)) (found T, err error) {
	err = p.simple(ctx, call{name: name}, func() error {
		found, err = do()
		return err
	})
	return found, err
}

// write is inside of a call that keeps a record.
func write(ctx context.Context, p *port, name string, record any, do func() error) error {
	return p.simple(ctx, call{name: name}, func() error {
		err := do()
		if err == nil {
			p.hooks.wrote(record)
		}
		return err
	})
}

// named is write of a record with a name, whose refusal may come later: taken has it then.
func named(ctx context.Context, p *port, name string, record any, taken *error, do func() error) error {
	return write(ctx, p, name, record, func() error {
		err := do()
		if errors.Is(err, profile.ErrUsernameTaken) && p.hooks.later() {
			*taken, err = err, nil
		}
		return err
	})
}

// tx gives what an Update gives. A name that is taken may be said in taken, and not at once.
func (p *port) tx(tx ports.Tx, taken *error) ports.Tx {
	return ports.Tx{
		Resellers: resellers{tx.Resellers, resellerReader{tx.Resellers, p}, taken},
		Lines:     lines{tx.Lines, p, taken},
		Ledger:    ledger{tx.Ledger, p},
		Keys:      keys{tx.Keys, keyReader{tx.Keys, p}},
		Sessions:  sessionKeeper{tx.Sessions, sessionReader{tx.Sessions, p}},
	}
}

func (p *port) snapshot(s ports.Snapshot) ports.Snapshot {
	return ports.Snapshot{
		Resellers: resellerDirectory{s.Resellers, resellerReader{s.Resellers, p}},
		Lines:     lineDirectory{s.Lines, p},
		Ledger:    statements{s.Ledger, p},
		Keys:      keyReader{s.Keys, p},
		Sessions:  sessionReader{s.Sessions, p},
	}
}

type resellerReader struct {
	ports.ResellerReader
	p *port
}

// Get implements ports.ResellerReader.
func (r resellerReader) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return inside(ctx, r.p, "Resellers.Get", func() (*reseller.Reseller, error) { return r.ResellerReader.Get(ctx, id) })
}

// FindByUsername implements ports.ResellerReader.
func (r resellerReader) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return inside(ctx, r.p, "Resellers.FindByUsername", func() (*reseller.Reseller, error) { return r.ResellerReader.FindByUsername(ctx, name) })
}

// AnyBlocked implements ports.ResellerReader.
func (r resellerReader) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return inside(ctx, r.p, "Resellers.AnyBlocked", func() (bool, error) { return r.ResellerReader.AnyBlocked(ctx, ids) })
}

type resellerDirectory struct {
	all ports.ResellerDirectory
	resellerReader
}

// Empty implements ports.ResellerDirectory.
func (r resellerDirectory) Empty(ctx context.Context) (bool, error) {
	return inside(ctx, r.p, "Resellers.Empty", func() (bool, error) { return r.all.Empty(ctx) })
}

// Blocked implements ports.ResellerDirectory.
func (r resellerDirectory) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return inside(ctx, r.p, "Resellers.Blocked", func() ([]int64, error) { return r.all.Blocked(ctx, ids) })
}

// List implements ports.ResellerDirectory.
func (r resellerDirectory) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	return inside(ctx, r.p, "Resellers.List", func() (ports.ResellerPage, error) { return r.all.List(ctx, q) })
}

type resellers struct {
	all ports.Resellers
	resellerReader
	taken *error
}

// Insert implements ports.Resellers.
func (r resellers) Insert(ctx context.Context, a *reseller.Reseller) error {
	return named(ctx, r.p, "Resellers.Insert", a, r.taken, func() error { return r.all.Insert(ctx, a) })
}

// Save implements ports.Resellers.
func (r resellers) Save(ctx context.Context, a *reseller.Reseller) error {
	return named(ctx, r.p, "Resellers.Save", a, r.taken, func() error { return r.all.Save(ctx, a) })
}

type lineDirectory struct {
	ports.LineDirectory
	p *port
}

// Get implements ports.LineReader.
func (l lineDirectory) Get(ctx context.Context, id int64) (*line.Line, error) {
	return inside(ctx, l.p, "Lines.Get", func() (*line.Line, error) { return l.LineDirectory.Get(ctx, id) })
}

// List implements ports.LineDirectory.
func (l lineDirectory) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	return inside(ctx, l.p, "Lines.List", func() (ports.LinePage, error) { return l.LineDirectory.List(ctx, q) })
}

type lines struct {
	ports.Lines
	p     *port
	taken *error
}

// Get implements ports.LineReader.
func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return inside(ctx, l.p, "Lines.Get", func() (*line.Line, error) { return l.Lines.Get(ctx, id) })
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return inside(ctx, l.p, "Lines.FindByUsername", func() (int64, error) { return l.Lines.FindByUsername(ctx, name) })
}

// Insert implements ports.Lines.
func (l lines) Insert(ctx context.Context, a *line.Line) error {
	return named(ctx, l.p, "Lines.Insert", a, l.taken, func() error { return l.Lines.Insert(ctx, a) })
}

// Save implements ports.Lines.
func (l lines) Save(ctx context.Context, a *line.Line) error {
	return named(ctx, l.p, "Lines.Save", a, l.taken, func() error { return l.Lines.Save(ctx, a) })
}

// Delete implements ports.Lines.
func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	return write(ctx, l.p, "Lines.Delete", t, func() error { return l.Lines.Delete(ctx, t) })
}

type ledger struct {
	ports.Ledger
	p *port
}

// Append implements ports.Ledger.
func (l ledger) Append(ctx context.Context, m credit.Movement) error {
	return write(ctx, l.p, "Ledger.Append", m, func() error { return l.Ledger.Append(ctx, m) })
}

// Get implements ports.Ledger.
func (l ledger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	return inside(ctx, l.p, "Ledger.Get", func() (credit.Movement, error) { return l.Ledger.Get(ctx, id) })
}

type statements struct {
	ports.Statements
	p *port
}

// Statement implements ports.Statements.
func (s statements) Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	return inside(ctx, s.p, "Ledger.Statement", func() ([]credit.Movement, error) { return s.Statements.Statement(ctx, reseller, before, limit) })
}

// Totals implements ports.Statements.
func (s statements) Totals(ctx context.Context) (credit.Totals, error) {
	return inside(ctx, s.p, "Ledger.Totals", func() (credit.Totals, error) { return s.Statements.Totals(ctx) })
}

type keyReader struct {
	ports.KeyReader
	p *port
}

// Get implements ports.KeyReader.
func (k keyReader) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return inside(ctx, k.p, "Keys.Get", func() (ports.KeyRecord, error) { return k.KeyReader.Get(ctx, reseller, key) })
}

type keys struct {
	all ports.Keys
	keyReader
}

// Put implements ports.Keys.
func (k keys) Put(ctx context.Context, r ports.KeyRecord) error {
	return write(ctx, k.p, "Keys.Put", r, func() error { return k.all.Put(ctx, r) })
}

type sessionReader struct {
	ports.SessionReader
	p *port
}

// Session implements ports.SessionReader.
func (s sessionReader) Session(ctx context.Context, id session.ID) (session.Session, error) {
	return inside(ctx, s.p, "Sessions.Session", func() (session.Session, error) { return s.SessionReader.Session(ctx, id) })
}

type sessionKeeper struct {
	all ports.SessionKeeper
	sessionReader
}

// SaveSession implements ports.SessionKeeper.
func (s sessionKeeper) SaveSession(ctx context.Context, changed session.Session) error {
	return write(ctx, s.p, "Sessions.SaveSession", changed, func() error { return s.all.SaveSession(ctx, changed) })
}
