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
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// verdict is the outcome of a call of a port.
type verdict int

const (
	fine   verdict = iota
	before         // nothing is done, and the answer is ports.ErrUnavailable
	after          // it is done, and the answer is still ports.ErrUnavailable
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
	// effect: the call changes something by itself, so that it may be done and answered as failed.
	effect bool
	// work: the call runs work, which may run again.
	work bool
}

// hooks receives each call of a store, and decides its outcome.
type hooks interface {
	// called runs before a call. It may take its time, and it may panic where the process dies.
	called(ctx context.Context, c call) verdict
	// enter waits for the turn of the one Update that runs at a time, and leave ends it. It returns false where the
	// turn did not come in time.
	enter(ctx context.Context) bool
	leave()
	// reads runs before reads: they are answered from the records of this moment. It also runs when a run of an Update
	// begins, which discards all earlier runs.
	reads()
	// wrote gets each record that the present run has given to the store.
	wrote(record any)
	// later reports whether a taken name is refused only when Update returns.
	later() bool
	// begins reports whether the next update of sessions begins one. It otherwise stores a use.
	begins() bool
	// kept runs when the last run of a request's Update is stored. stored gets the changes of any update, in their
	// order. Both run before the caller gets the result.
	kept()
	stored(all changes)
	// dropped runs when expired keys were removed, before the caller gets the result.
	dropped(now, latest time.Time)
	// unanswered runs when the caller gets ports.ErrUnavailable.
	unanswered()
}

// port is a store that fails as its hooks decide, and in no way that the ports exclude.
type port struct {
	ports.Store
	hooks
}

// changes are the sessions that an update has changed, and the principals that it has stored.
type changes struct {
	sessions   []sessionChange
	principals []*principal.Principal
}

// sessionChange is a session that was inserted, saved or, if there is none, deleted.
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

// out passes an error on and reports one that leaves the caller without an answer.
func (p *port) out(err error) error {
	if errors.Is(err, ports.ErrUnavailable) {
		p.unanswered()
	}
	return err
}

// simple makes a call that runs no work.
func (p *port) simple(ctx context.Context, c call, do func() error) error {
	v := p.called(ctx, c)
	if v == before || ctx.Err() != nil {
		return p.out(unavailable(c.name))
	}
	err := do()
	if v == after {
		err = unavailable(c.name)
	}
	return p.out(err)
}

// keyKnown fails where a vault does not know whether its key is still the present one.
func keyKnown(h hooks) error {
	if h.called(context.Background(), call{name: "Seal"}) == before {
		h.unanswered()
		return unavailable("Seal")
	}
	return nil
}

// View is one call: its reads do not fail one by one.
func (p *port) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return p.simple(ctx, call{name: "View", effect: true}, func() error {
		return p.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
			p.reads()
			s.Ledger = statements{s.Ledger, p}
			return look(ctx, s)
		})
	})
}

// Update runs work. No rule of the model decides three kinds of it: a sign-in, recording the use of a session or a
// principal, and removing expired records. The caller waits for a sign-in, and continues where a use is not stored.
func (p *port) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	c, waited := call{name: "Update", effect: true, work: true}, true
	if len(hints) > 0 && hints[0].Actor == 0 && len(hints[0].Records) > 0 {
		switch hints[0].Records[0].Of {
		case ports.Sessions.Kind:
			if c, waited = (call{name: "UseSession", effect: true}), p.begins(); waited {
				c.name = "SignIn"
			}
		case ports.Principals.Kind:
			c, waited = call{name: "UsePrincipal", effect: true}, false
		case ports.SecondFactors.Kind:
			c = call{name: "TakeCode", effect: true}
		}
	}
	v := p.called(ctx, c)
	err := unavailable(c.name)
	if v != before && ctx.Err() == nil {
		err = p.update(ctx, !c.work, int(max(v, after)-after), work, hints)
	}
	if v == after {
		err = unavailable(c.name)
	}
	if err == nil {
		// Where the process dies now, its client does not learn what was stored.
		p.called(ctx, call{name: "return of " + c.name})
	}
	if waited {
		err = p.out(err)
	}
	return err
}

// changeWriter notes the written records.
type changeWriter struct {
	record.Writer
	*changes
}

func (w changeWriter) note(of *record.Kind, r record.Stored, added bool, err error) error {
	if v, bad := of.Read(r.Payload); err == nil && bad == nil {
		switch v := v.(type) {
		case *session.Session:
			w.sessions = append(w.sessions, sessionChange{v.ID, added, v})
		case *principal.Principal:
			w.principals = append(w.principals, v)
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
	if err == nil && of == ports.Sessions.Kind {
		w.sessions = append(w.sessions, sessionChange{id: session.ID(strings.TrimSuffix(key, "\x01"))})
	}
	return err
}

// update runs work, after so many runs that are thrown away.
func (p *port) update(ctx context.Context, plain bool, wasted int, work func(ctx context.Context, tx ports.Tx) error,
	hints []ports.Reads) error {
	if !p.enter(ctx) {
		return unavailable("wait for the turn to update")
	}
	defer p.leave()
	for {
		var done changes
		err := p.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			done = changes{}
			tx.Records = changeWriter{tx.Records, &done}
			if plain {
				return work(ctx, tx)
			}
			p.reads()
			var taken error
			err := work(ctx, p.tx(tx, &taken))
			switch {
			case wasted > 0:
				return errThrownAway // whatever it says
			case err == nil:
				err = taken
			}
			return err
		}, hints...)
		if errors.Is(err, errThrownAway) {
			wasted--
			continue
		}
		if err == nil {
			if !plain {
				p.kept()
			}
			p.stored(done)
		}
		return err
	}
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

func (p *port) Ready(ctx context.Context) error {
	return p.simple(ctx, call{name: "Ready"}, func() error { return p.Store.Ready(ctx) })
}

// read makes a call that a View or an Update offers.
func read[Q, T any](ctx context.Context, p *port, name string, get func(context.Context, Q) (T, error),
	q Q) (found T, err error) {
	err = p.simple(ctx, call{name: name}, func() error {
		found, err = get(ctx, q)
		return err
	})
	return found, err
}

// write is read for a call that stores a record.
func write[T any](ctx context.Context, p *port, name string, keep func(context.Context, T) error, record T) error {
	return p.simple(ctx, call{name: name}, func() error {
		err := keep(ctx, record)
		if err == nil {
			p.wrote(record)
		}
		return err
	})
}

// onlyOnce are the refusals of a value that another record has.
var onlyOnce = []error{profile.ErrUsernameTaken, line.ErrExternalIDTaken, webhook.ErrSlotTaken, principal.ErrSlotTaken,
	record.ErrExists}

// updating is an Update that runs. It may report only at its end that another record has a name, an external id, a key
// or a slot: taken has this refusal then.
type updating struct {
	*port
	taken *error
}

// named is write of a record that is the only one with something.
func named[T any](ctx context.Context, u updating, name string, keep func(context.Context, T) error, record T) error {
	return write(ctx, u.port, name, func(ctx context.Context, record T) error {
		err := keep(ctx, record)
		refused := slices.ContainsFunc(onlyOnce, func(refusal error) bool { return errors.Is(err, refusal) })
		if refused && u.later() {
			*u.taken, err = err, nil
		}
		return err
	}, record)
}

// tx returns the transaction of an Update.
func (p *port) tx(tx ports.Tx, taken *error) ports.Tx {
	u := updating{p, taken}
	return ports.Tx{
		Resellers: resellers{tx.Resellers, u}, Lines: lines{tx.Lines, u}, Ledger: ledger{tx.Ledger, u},
		Keys: keys{tx.Keys, u}, Journal: appender{tx.Journal, u}, Records: records{tx.Records, u},
	}
}

type resellers struct {
	ports.Resellers
	u updating
}

func (r resellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	return read(ctx, r.u.port, "Resellers.Get", r.Resellers.Get, id)
}

func (r resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	return read(ctx, r.u.port, "Resellers.FindByUsername", r.Resellers.FindByUsername, name)
}

func (r resellers) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return read(ctx, r.u.port, "Resellers.AnyBlocked", r.Resellers.AnyBlocked, ids)
}

func (r resellers) Insert(ctx context.Context, a *reseller.Reseller) error {
	return named(ctx, r.u, "Resellers.Insert", r.Resellers.Insert, a)
}

func (r resellers) Save(ctx context.Context, a *reseller.Reseller) error {
	return named(ctx, r.u, "Resellers.Save", r.Resellers.Save, a)
}

type lines struct {
	ports.Lines
	u updating
}

func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return read(ctx, l.u.port, "Lines.Get", l.Lines.Get, id)
}

func (l lines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return read(ctx, l.u.port, "Lines.FindByUsername", l.Lines.FindByUsername, name)
}

func (l lines) Insert(ctx context.Context, a *line.Line) error {
	return named(ctx, l.u, "Lines.Insert", l.Lines.Insert, a)
}

func (l lines) Save(ctx context.Context, a *line.Line) error {
	return named(ctx, l.u, "Lines.Save", l.Lines.Save, a)
}

func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	return write(ctx, l.u.port, "Lines.Delete", l.Lines.Delete, t)
}

type ledger struct {
	ports.Ledger
	u updating
}

func (l ledger) Append(ctx context.Context, m credit.Movement) error {
	return write(ctx, l.u.port, "Ledger.Append", l.Ledger.Append, m)
}

type statements struct {
	ports.Statements
	p *port
}

func (s statements) Totals(ctx context.Context) (credit.Totals, error) {
	get := func(ctx context.Context, _ any) (credit.Totals, error) { return s.Statements.Totals(ctx) }
	return read(ctx, s.p, "Ledger.Totals", get, nil)
}

type appender struct {
	ports.Journal
	u updating
}

func (j appender) Append(ctx context.Context, e journal.Entry) error {
	return write(ctx, j.u.port, "Journal.Append", j.Journal.Append, e)
}

func (j appender) Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error {
	begin := func(ctx context.Context, to journal.Epoch) error { return j.Journal.Begin(ctx, from, to, e) }
	return write(ctx, j.u.port, "Journal.Begin", begin, to)
}

type keys struct {
	ports.Keys
	u updating
}

func (k keys) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	get := func(ctx context.Context, key string) (ports.KeyRecord, error) { return k.Keys.Get(ctx, reseller, key) }
	return read(ctx, k.u.port, "Keys.Get", get, key)
}

func (k keys) Put(ctx context.Context, r ports.KeyRecord) error {
	return write(ctx, k.u.port, "Keys.Put", k.Keys.Put, r)
}

type records struct {
	record.Writer
	u updating
}

func (w records) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	get := func(ctx context.Context, key string) (string, error) { return w.Writer.Get(ctx, of, key) }
	return read(ctx, w.u.port, "Records.Get", get, key)
}

func (w records) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	insert := func(ctx context.Context, _ any) error { return w.Writer.Insert(ctx, of, r) }
	return named(ctx, w.u, "Records.Insert", insert, valueOf(of, r))
}

func (w records) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	save := func(ctx context.Context, _ any) error { return w.Writer.Save(ctx, of, r) }
	return write(ctx, w.u.port, "Records.Save", save, valueOf(of, r))
}

// valueOf is a pointer to the value of a record, nil where it is none.
func valueOf(of *record.Kind, r record.Stored) any {
	v, err := of.Read(r.Payload)
	if err != nil {
		return nil
	}
	return v
}

func (w records) Delete(ctx context.Context, of *record.Kind, key string) error {
	return w.u.simple(ctx, call{name: "Records.Delete"}, func() error { return w.Writer.Delete(ctx, of, key) })
}
