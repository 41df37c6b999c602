package simulate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
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
	return [...]string{"fine", "failed before it did anything", "done, and answered as failed", "run again",
		"run three times"}[v]
}

// call is a call of a port.
type call struct {
	name string // such as View, or Update: Lines.Save
	// effect tells that the call changes something by itself, so that it may be done and answered as failed.
	effect bool
	// work tells that the call runs work, which may be run again.
	work bool
}

// hooks stands beside a store: it is told of each call, and decides its outcome.
type hooks interface {
	// called is asked before a call. It may take its time, and it may panic where the process dies.
	called(ctx context.Context, c call) verdict
	// enter waits for the turn of the one Update that runs at a time, and leave ends it. A false one waited in vain.
	enter(ctx context.Context) bool
	leave()
	// reads is told that the next reads are answered from what is kept at this moment; or that a run of an Update
	// begins, all of whose earlier runs count for nothing.
	reads()
	// wrote is told what the present run has given to the store.
	wrote(record any)
	// later is asked whether a name that is taken is refused only when Update returns.
	later() bool
	// begins is asked whether a session begins with the next update of sessions, which otherwise keeps a use.
	begins() bool
	// enters is told that an update begins that uses up a code, if there is one.
	enters()
	// kept is told that what the last run of a request's Update did is kept, changed what any update has done, in its
	// order, and committed that it is all: each before the caller knows.
	kept()
	changed(all changes)
	committed()
	// dropped is told that expired keys were removed, before the caller knows.
	dropped(now, latest time.Time)
	// waits lets others go on for so long.
	waits(d time.Duration)
	// unanswered is told that the caller gets ports.ErrUnavailable.
	unanswered()
}

// port is a store that fails as its hooks decide, and in no way that the ports exclude.
type port struct {
	ports.Store
	hooks
}

// changes are what an update has done: of sessions, and what it has kept of principals and second factors.
type changes struct {
	sessions []sessionChange
	kept     []any
}

// sessionChange is a session that was inserted, saved or, where there is none, deleted.
type sessionChange struct {
	id    session.ID
	added bool
	now   *session.Session
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
		p.unanswered()
	}
	return err
}

// simple makes a call that runs no work.
func (p *port) simple(ctx context.Context, c call, do func() error) error {
	return p.out(p.tried(ctx, c, do))
}

// tried is simple of which nobody is told that it failed.
func (p *port) tried(ctx context.Context, c call, do func() error) error {
	v := p.called(ctx, c)
	if v == before || ctx.Err() != nil {
		return unavailable(c.name)
	}
	err := do()
	if v == after {
		err = unavailable(c.name)
	}
	return err
}

// keyKnown fails where a vault does not know whether its key is still the present one.
func keyKnown(h hooks) error {
	if h.called(context.Background(), call{name: "Seal"}) == before {
		h.unanswered()
		return unavailable("Seal")
	}
	return nil
}

func (p *port) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	if p.called(ctx, call{name: "View"}) == before {
		return p.out(unavailable("View"))
	}
	return p.out(p.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		p.reads()
		return look(ctx, p.snapshot(s))
	}))
}

func (p *port) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	if len(hints) > 0 && hints[0].Actor == 0 && len(hints[0].Records) > 0 {
		switch hints[0].Records[0].Of {
		case ports.Sessions.Kind:
			if p.begins() {
				return p.aside(ctx, "SignIn", true, work, hints[0])
			}
			return p.aside(ctx, "UseSession", false, work, hints[0])
		case ports.Principals.Kind:
			return p.aside(ctx, "UsePrincipal", false, work, hints[0])
		case ports.SecondFactors.Kind:
			return p.aside(ctx, "TakeCode", true, work, hints[0])
		}
	}
	c := call{name: "Update", effect: true, work: true}
	v := p.called(ctx, c)
	if v == before {
		return p.out(unavailable(c.name))
	}
	err := p.update(ctx, int(max(v, after)-after), work, hints)
	if v == after {
		err = unavailable(c.name)
	}
	if err == nil {
		// Where the process dies now, its client is not told of what is kept.
		p.called(ctx, call{name: "return of Update"})
	}
	return p.out(err)
}

// aside is an Update of who signs in, or which keeps that a session or a principal was used, or removes what is over:
// with no rule of the model but that a code is good once. Who asks goes on where a use can't be kept, unless it waits
// for that.
func (p *port) aside(ctx context.Context, name string, waited bool, work func(ctx context.Context, tx ports.Tx) error,
	hint ports.Reads) error {
	err := p.tried(ctx, call{name: name, effect: true}, func() error {
		if !p.enter(ctx) {
			return unavailable("wait for the turn to update")
		}
		defer p.leave()
		var done changes
		err := p.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			done = changes{}
			tx.Records = changeWriter{tx.Records, &done}
			p.enters()
			return work(ctx, tx)
		}, hint)
		if err == nil {
			p.changed(done)
			p.committed()
		}
		return err
	})
	if err == nil {
		p.called(ctx, call{name: "return of " + name})
	}
	if waited {
		err = p.out(err)
	}
	return err
}

// changeWriter notes what is written.
type changeWriter struct {
	record.Writer
	*changes
}

func (w changeWriter) note(of *record.Kind, r record.Stored, added bool, err error) error {
	if v, bad := of.Read(r.Payload); err == nil && bad == nil {
		switch v := v.(type) {
		case *session.Session:
			w.sessions = append(w.sessions, sessionChange{v.ID, added, v})
		case *principal.Principal, *secondfactor.Factor:
			w.kept = append(w.kept, v)
		}
	}
	return err
}

func (w changeWriter) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	return w.note(of, r, true, w.Writer.Insert(ctx, of, r))
}

func (w changeWriter) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	return w.note(of, r, false, w.Writer.Save(ctx, of, r))
}

func (w changeWriter) Delete(ctx context.Context, of *record.Kind, key string) error {
	err := w.Writer.Delete(ctx, of, key)
	if err == nil && of == ports.SecondFactors.Kind { // whatever was kept of it before
		w.kept = slices.DeleteFunc(w.kept, func(kept any) bool {
			_, is := kept.(*secondfactor.Factor)
			return is
		})
	}
	if err == nil && of == ports.Sessions.Kind {
		w.sessions = append(w.sessions, sessionChange{id: session.ID(strings.TrimSuffix(key, "\x01"))})
	}
	return err
}

// update runs work, after so many runs that are thrown away.
func (p *port) update(ctx context.Context, wasted int, work func(ctx context.Context, tx ports.Tx) error,
	hints []ports.Reads) error {
	if !p.enter(ctx) {
		return unavailable("wait for the turn to update")
	}
	defer p.leave()
	for range wasted {
		err := p.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			p.reads()
			_ = work(ctx, p.tx(tx, new(error))) // whatever it says
			return errThrownAway
		}, hints...)
		if !errors.Is(err, errThrownAway) {
			return err
		}
	}
	var done changes
	err := p.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		p.reads()
		done = changes{}
		tx.Records = changeWriter{tx.Records, &done}
		var taken error
		if err := work(ctx, p.tx(tx, &taken)); err != nil {
			return err
		}
		return taken
	}, hints...)
	if err == nil {
		p.kept()
		p.changed(done)
		p.committed()
	}
	return err
}

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

func (p *port) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	err = p.simple(ctx, call{name: "DropExpired", effect: true}, func() error {
		if !p.enter(ctx) {
			return unavailable("wait for the turn to update")
		}
		defer p.leave()
		if dropped, err = p.Store.DropExpired(ctx, now, latest, limit); err == nil {
			p.dropped(now, latest)
		}
		return err
	})
	return dropped, err
}

// awaits is how often it is looked for an entry: whoever waited for the store would hold up all others.
const awaits = 100 * time.Millisecond

func (p *port) AwaitEntry(ctx context.Context, after int64) error {
	return p.simple(ctx, call{name: "AwaitEntry"}, func() error {
		for {
			var head journal.Head
			if err := p.Store.View(context.WithoutCancel(ctx), func(ctx context.Context, s ports.Snapshot) (err error) {
				head, err = s.Journal.Head(ctx)
				return err
			}); err != nil || head.Seq > after {
				return err
			}
			p.waits(awaits)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
}

func (p *port) Ready(ctx context.Context) error {
	return p.simple(ctx, call{name: "Ready"}, func() error { return p.Store.Ready(ctx) })
}

// inside makes a call that a View or an Update offers.
func inside[T any](ctx context.Context, p *port, name string,
	get func(context.Context) (T, error)) (found T, err error) {
	err = p.simple(ctx, call{name: name}, func() error {
		found, err = get(ctx)
		return err
	})
	return found, err
}

func read[Q, T any](ctx context.Context, p *port, name string, get func(context.Context, Q) (T, error),
	q Q) (T, error) {
	return inside(ctx, p, name, func(ctx context.Context) (T, error) { return get(ctx, q) })
}

// write is read of a call that keeps a record.
func write[T any](ctx context.Context, p *port, name string, keep func(context.Context, T) error, record T) error {
	return p.simple(ctx, call{name: name}, func() error {
		err := keep(ctx, record)
		if err == nil {
			p.wrote(record)
		}
		return err
	})
}

// onlyOnce are the refusals of what another record has.
var onlyOnce = []error{profile.ErrUsernameTaken, line.ErrExternalIDTaken, webhook.ErrSlotTaken, principal.ErrSlotTaken,
	record.ErrExists}

// named is write of a record that is the only one with a name, an external id, a key or a place, of which a refusal may
// come later: taken has it then.
func named[T any](ctx context.Context, p *port, name string, taken *error, keep func(context.Context, T) error,
	record T) error {
	return write(ctx, p, name, func(ctx context.Context, record T) error {
		err := keep(ctx, record)
		refused := slices.ContainsFunc(onlyOnce, func(refusal error) bool { return errors.Is(err, refusal) })
		if refused && p.later() {
			*taken, err = err, nil
		}
		return err
	}, record)
}

// tx returns what an Update offers. A name that is taken may be said in taken, and not at once.
func (p *port) tx(tx ports.Tx, taken *error) ports.Tx {
	return ports.Tx{
		Resellers: resellers{tx.Resellers, resellerReader{tx.Resellers, p}, taken},
		Lines:     lines{tx.Lines, p, taken},
		Ledger:    ledger{tx.Ledger, p},
		Keys:      keys{tx.Keys, keyReader{tx.Keys, p}},
		Journal:   appender{tx.Journal, p},
		Records:   recordWriter{tx.Records, p, taken},
	}
}

func (p *port) snapshot(s ports.Snapshot) ports.Snapshot {
	return ports.Snapshot{
		Resellers: resellerDirectory{s.Resellers, resellerReader{s.Resellers, p}},
		Lines:     lineDirectory{s.Lines, p},
		Ledger:    statements{s.Ledger, p},
		Keys:      keyReader{s.Keys, p},
		Journal:   events{s.Journal, p},
		Records:   recordReader{s.Records, p},
	}
}

type resellerReader struct {
	ports.ResellerReader
	p *port
}

func (r resellerReader) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return read(ctx, r.p, "Resellers.Get", r.ResellerReader.Get, id)
}

func (r resellerReader) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return read(ctx, r.p, "Resellers.FindByUsername", r.ResellerReader.FindByUsername, name)
}

func (r resellerReader) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return read(ctx, r.p, "Resellers.AnyBlocked", r.ResellerReader.AnyBlocked, ids)
}

type resellerDirectory struct {
	all ports.ResellerDirectory
	resellerReader
}

func (r resellerDirectory) Empty(ctx context.Context) (bool, error) {
	return inside(ctx, r.p, "Resellers.Empty", r.all.Empty)
}

func (r resellerDirectory) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return read(ctx, r.p, "Resellers.Blocked", r.all.Blocked, ids)
}

func (r resellerDirectory) Suspending(ctx context.Context, ids []int64) ([]int64, error) {
	return read(ctx, r.p, "Resellers.Suspending", r.all.Suspending, ids)
}

func (r resellerDirectory) AnySuspending(ctx context.Context) (bool, error) {
	return inside(ctx, r.p, "Resellers.AnySuspending", r.all.AnySuspending)
}

func (r resellerDirectory) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	return read(ctx, r.p, "Resellers.List", r.all.List, q)
}

type resellers struct {
	all ports.Resellers
	resellerReader
	taken *error
}

func (r resellers) Insert(ctx context.Context, a *reseller.Reseller) error {
	return named(ctx, r.p, "Resellers.Insert", r.taken, r.all.Insert, a)
}

func (r resellers) Save(ctx context.Context, a *reseller.Reseller) error {
	return named(ctx, r.p, "Resellers.Save", r.taken, r.all.Save, a)
}

type lineDirectory struct {
	ports.LineDirectory
	p *port
}

func (l lineDirectory) Get(ctx context.Context, id int64) (*line.Line, error) {
	return read(ctx, l.p, "Lines.Get", l.LineDirectory.Get, id)
}

func (l lineDirectory) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	return read(ctx, l.p, "Lines.List", l.LineDirectory.List, q)
}

func (l lineDirectory) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return read(ctx, l.p, "Lines.FindByUsername", l.LineDirectory.FindByUsername, name)
}

func (l lineDirectory) Usernames(ctx context.Context, ids []int64) (map[int64]profile.Username, error) {
	return read(ctx, l.p, "Lines.Usernames", l.LineDirectory.Usernames, ids)
}

func (l lineDirectory) Count(ctx context.Context, q ports.LineQuery, examined int) (count int, all bool, err error) {
	err = l.p.simple(ctx, call{name: "Lines.Count"}, func() error {
		count, all, err = l.LineDirectory.Count(ctx, q, examined)
		return err
	})
	return count, all, err
}

type lines struct {
	ports.Lines
	p     *port
	taken *error
}

func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return read(ctx, l.p, "Lines.Get", l.Lines.Get, id)
}

func (l lines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return read(ctx, l.p, "Lines.FindByUsername", l.Lines.FindByUsername, name)
}

func (l lines) Insert(ctx context.Context, a *line.Line) error {
	return named(ctx, l.p, "Lines.Insert", l.taken, l.Lines.Insert, a)
}

func (l lines) Save(ctx context.Context, a *line.Line) error {
	return named(ctx, l.p, "Lines.Save", l.taken, l.Lines.Save, a)
}

func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	return write(ctx, l.p, "Lines.Delete", l.Lines.Delete, t)
}

type ledger struct {
	ports.Ledger
	p *port
}

func (l ledger) Append(ctx context.Context, m credit.Movement) error {
	return write(ctx, l.p, "Ledger.Append", l.Ledger.Append, m)
}

func (l ledger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	return read(ctx, l.p, "Ledger.Get", l.Ledger.Get, id)
}

type statements struct {
	ports.Statements
	p *port
}

func (s statements) Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	return inside(ctx, s.p, "Ledger.Statement", func(ctx context.Context) ([]credit.Movement, error) {
		return s.Statements.Statement(ctx, reseller, before, limit)
	})
}

func (s statements) Totals(ctx context.Context) (credit.Totals, error) {
	return inside(ctx, s.p, "Ledger.Totals", s.Statements.Totals)
}

type appender struct {
	ports.Journal
	p *port
}

func (j appender) Append(ctx context.Context, e journal.Entry) error {
	return j.p.simple(ctx, call{name: "Journal.Append"}, func() error { return j.Journal.Append(ctx, e) })
}

func (j appender) Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error {
	begin := func(ctx context.Context, to journal.Epoch) error { return j.Journal.Begin(ctx, from, to, e) }
	return write(ctx, j.p, "Journal.Begin", begin, to)
}

func (j appender) Epoch(ctx context.Context) (journal.Epoch, error) {
	return inside(ctx, j.p, "Journal.Epoch", j.Journal.Epoch)
}

type events struct {
	ports.Events
	p *port
}

func (e events) Head(ctx context.Context) (journal.Head, error) {
	return inside(ctx, e.p, "Journal.Head", e.Events.Head)
}

func (e events) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	return read(ctx, e.p, "Journal.List", e.Events.List, q)
}

func (e events) OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	return read(ctx, e.p, "Journal.OfMovements", e.Events.OfMovements, ids)
}

func (e events) Figures(ctx context.Context, accounts []int64, from, to time.Time) ([]ports.DayFigures, error) {
	return inside(ctx, e.p, "Journal.Figures", func(ctx context.Context) ([]ports.DayFigures, error) {
		return e.Events.Figures(ctx, accounts, from, to)
	})
}

type keyReader struct {
	ports.KeyReader
	p *port
}

func (k keyReader) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return inside(ctx, k.p, "Keys.Get", func(ctx context.Context) (ports.KeyRecord, error) {
		return k.KeyReader.Get(ctx, reseller, key)
	})
}

type keys struct {
	all ports.Keys
	keyReader
}

func (k keys) Put(ctx context.Context, r ports.KeyRecord) error {
	return write(ctx, k.p, "Keys.Put", k.all.Put, r)
}

type recordReader struct {
	record.Lister
	p *port
}

func (r recordReader) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	return inside(ctx, r.p, "Records.Get", func(ctx context.Context) (string, error) { return r.Lister.Get(ctx, of, key) })
}

func (r recordReader) List(ctx context.Context, q record.Range) ([]record.Found, error) {
	return read(ctx, r.p, "Records.List", r.Lister.List, q)
}

type recordWriter struct {
	record.Writer
	p     *port
	taken *error
}

func (w recordWriter) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	return inside(ctx, w.p, "Records.Get", func(ctx context.Context) (string, error) { return w.Writer.Get(ctx, of, key) })
}

func (w recordWriter) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	insert := func(ctx context.Context, _ any) error { return w.Writer.Insert(ctx, of, r) }
	return named(ctx, w.p, "Records.Insert", w.taken, insert, valueOf(of, r))
}

func (w recordWriter) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	save := func(ctx context.Context, _ any) error { return w.Writer.Save(ctx, of, r) }
	return write(ctx, w.p, "Records.Save", save, valueOf(of, r))
}

// valueOf is a pointer to what a record is, nil where it is none.
func valueOf(of *record.Kind, r record.Stored) any {
	v, err := of.Read(r.Payload)
	if err != nil {
		return nil
	}
	return v
}

func (w recordWriter) Delete(ctx context.Context, of *record.Kind, key string) error {
	return w.p.simple(ctx, call{name: "Records.Delete"}, func() error { return w.Writer.Delete(ctx, of, key) })
}
