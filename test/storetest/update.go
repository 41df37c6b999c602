package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var updateChecks = []Check{
	{"update-takes-effect", proves{"U1"}, func(w *harness) {
		c := w.prepare()
		w.update("write to every repository", c.write)
		w.observes(c, c.after())
		w.views(c, c.after())
	}},
	{"error-keeps-nothing", proves{"U2"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		err := w.try(func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(c.write(ctx, tx), errRefused)
		})
		w.want(err, errRefused, "an update whose work refused")
		w.observes(c, before)
		w.views(c, before)
		w.update("the same writes once more", c.write)
		w.observes(c, c.after())
	}},
	{"panic-keeps-nothing", proves{"U2"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		err := func() (err error) {
			defer func() {
				if cause := recover(); cause != nil {
					err = fmt.Errorf("panic: %v", cause)
				}
			}()
			return w.try(func(ctx context.Context, tx ports.Tx) error {
				if err := c.write(ctx, tx); err != nil {
					return err
				}
				panic("on purpose")
			})
		}()
		if err == nil {
			w.Errorf("an update whose work panicked ended in success")
		}
		w.observes(c, before)
		w.update("the same writes once more", c.write)
		w.observes(c, c.after())
	}},
	{"error-comes-back", proves{"U3"}, func(w *harness) {
		short := &reseller.InsufficientCredits{Balance: fixture.Units(1), Required: fixture.Units(2)}
		err := w.try(func(context.Context, ports.Tx) error {
			return fmt.Errorf("activate line 7: %w", errors.Join(errRefused, short))
		})
		w.want(err, errRefused, "an update whose work refused")
		w.want(err, reseller.ErrCredits, "an update whose work refused")
		var got *reseller.InsufficientCredits
		if !errors.As(err, &got) || got != short {
			w.Errorf("errors.As found %v in %v, want %v", got, err, short)
		}
		if errors.Is(err, ports.ErrUnavailable) {
			w.Errorf("a refusal came back as ErrUnavailable: %v", err)
		}
	}},
	{"hints-change-nothing", proves{"U10"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		hints := []ports.Reads{
			{},
			{
				Actor: c.saved.ID(), Key: c.replacedKey.Key, Reseller: c.saved.ID(), ResellerName: c.savedWas.State().Username,
				Line: c.savedLine.ID(), LineName: c.savedLineWas.State().Username,
			},
			{
				Actor: c.added.ID(), Key: "no such key", Reseller: c.added.ID(), ResellerName: c.saved.State().Username,
				Line: c.addedLine.ID(), LineName: c.savedLine.State().Username,
			},
		}
		err := w.store.Update(w.ctx, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(c.write(ctx, tx), errRefused)
		}, hints...)
		w.want(err, errRefused, "an update whose work refused")
		w.observes(c, before)
		w.must(w.store.Update(w.ctx, c.write, hints...), "write to every repository")
		w.observes(c, c.after())
	}},
	{"work-sees-its-own-writes", proves{"U4"}, func(w *harness) {
		c := w.prepare()
		var got observation
		w.update("write and read", func(ctx context.Context, tx ports.Tx) (err error) {
			if err = c.write(ctx, tx); err != nil {
				return err
			}
			got, err = c.observe(ctx, tx)
			return err
		})
		w.same(got, c.after().inUpdate(), "what work saw of its own writes")
	}},
	{"nobody-sees-uncommitted-writes", proves{"U5"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		h := w.hold(c.write)
		seen := async(func() (o viewed) { o.err = w.store.View(w.ctx, c.look(&o.observation)); return o })
		o := outcome(w, seen, "a view beside an open update")
		w.must(o.err, "view")
		w.same(o.observation, before, "what others saw of an open update")
		h.release()
		w.must(outcome(w, h.ended, "the update"), "the update")
		w.views(c, c.after())
	}},
	{"ended-context-does-nothing", proves{"U9"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		canceled, cancel := context.WithCancel(w.ctx)
		cancel()
		late, cancel := context.WithDeadline(w.ctx, noon.AddDate(-30, 0, 0))
		defer cancel()
		for _, ctx := range []context.Context{canceled, late} {
			w.want(w.store.Update(ctx, c.write), ports.ErrUnavailable, "update: "+ctx.Err().Error())
			for doing, err := range w.every(ctx) {
				if err != nil {
					w.want(err, ports.ErrUnavailable, doing+": "+ctx.Err().Error())
				}
			}
		}
		w.observes(c, before)
	}},
	{"unavailable-names-its-cause", proves{"S2"}, func(w *harness) {
		ctx, cancel := context.WithCancel(w.ctx)
		cancel()
		err := w.store.Update(ctx, func(context.Context, ports.Tx) error { return nil })
		w.want(err, ports.ErrUnavailable, "update")
		w.want(err, context.Canceled, "update")
	}},
	{"waiting-ends-with-context", proves{"U9"}, func(w *harness) {
		root := w.admin("root")
		a := w.master(root, "a", 0)
		h := w.hold(addsTo(a.ID()))
		ctx, cancel := context.WithTimeout(w.ctx, grace)
		defer cancel()
		waiting := async(func() error { return w.store.Update(ctx, addsTo(a.ID())) })
		err := outcome(w, waiting, "an update whose context ended while another one was open")
		h.release()
		w.must(outcome(w, h.ended, "the update"), "the update")
		if err != nil {
			w.want(err, ports.ErrUnavailable, "an update whose context ended")
		}
	}},
	{"context-ends-in-work", proves{"U9"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		ctx, cancel := context.WithCancel(w.ctx)
		defer cancel()
		err := w.store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			if err := c.write(ctx, tx); err != nil {
				return err
			}
			cancel()
			return nil
		})
		switch got := w.observe(c); {
		case err == nil:
			w.same(got, c.after(), "after success")
		case !errors.Is(err, ports.ErrUnavailable):
			w.Errorf("got error %v, want none or ErrUnavailable", err)
		case !cmp.Equal(got, before, same):
			w.same(got, c.after(), "after an unknown outcome that is not that nothing happened")
		}
	}},
}

// errRefused is the error of a work that ends in a refusal.
var errRefused = errors.New("refused on purpose")

// refuses is a work that does nothing but refuse.
func refuses(context.Context, ports.Tx) error { return errRefused }

// every calls every method that takes a context, but Update.
func (w *harness) every(ctx context.Context) map[string]error {
	_, id := w.store.NextID(ctx, ports.ResellerIDs)
	_, claim := w.store.ClaimKey(ctx, "fingerprint")
	_, drop := w.store.DropExpired(ctx, noon, never, 1)
	return map[string]error{
		"view":         w.store.View(ctx, func(context.Context, ports.Snapshot) error { return nil }),
		"next id":      id,
		"claim key":    claim,
		"drop expired": drop,
		"ready":        w.store.Ready(ctx),
	}
}

// change writes to every repository, in every way there is.
type change struct {
	added                *reseller.Reseller
	saved                *reseller.Reseller // renamed and charged
	savedWas             *reseller.Reseller
	addedLine            *line.Line
	savedLine            *line.Line
	savedLineWas         *line.Line
	deletedLine          *line.Line
	movement             credit.Movement
	entry                journal.Entry
	began                journal.Numbered // the entry before it
	key, replacedKey     ports.KeyRecord
	names, lineNamesSeen []profile.Username
}

// prepare stores what the change finds.
func (w *harness) prepare() *change {
	w.Helper()
	root := w.admin("root")
	payer := w.master(root, "payer", 1_000_000)
	saved, deleted := w.trial(payer, "saved"), w.trial(payer, "deleted")
	c := &change{
		added:        w.below(payer, "Added"),
		savedWas:     payer,
		addedLine:    newTrial(payer, w.id(ports.LineIDs), "Added"),
		savedLineWas: saved,
		deletedLine:  deleted,
		key:          keyRecord(payer.ID(), "new key"),
		replacedKey:  keyRecord(payer.ID(), "old key"),
	}
	older := c.replacedKey
	older.Status, older.Body = 409, []byte("older")
	w.put(older)

	c.saved = fixture.Changed(payer, func(s *reseller.State) { s.Username = fixture.Name("Renamed") })
	c.savedLine = fixture.ChangedLine(saved)
	var err error
	c.movement, err = c.savedLine.Activate(c.saved, credit.Prices()[0],
		line.Details{Username: fixture.Name("Renamed"), Password: line.Sealed("new")}, w.id(ports.PlatformIDs),
		w.provenance(payer.ID()))
	w.must(err, "activate a line")
	is := c.savedLine.State()
	c.entry = journal.Entry{Type: journal.LineActivated, At: noon, Movement: journal.MovementOf(c.movement)}.OfLine(
		new(saved.State()), &is)
	c.began = w.chronicle().entries[0]
	c.names = []profile.Username{fixture.Name("added"), fixture.Name("renamed"), fixture.Name("payer")}
	c.lineNamesSeen = []profile.Username{fixture.Name("added"), fixture.Name("renamed"), fixture.Name("saved"),
		fixture.Name("deleted")}
	return c
}

func (c *change) write(ctx context.Context, tx ports.Tx) error {
	if _, err := tx.Resellers.Get(ctx, c.saved.ID()); err != nil {
		return err
	}
	for _, id := range []int64{c.savedLine.ID(), c.deletedLine.ID()} {
		if _, err := tx.Lines.Get(ctx, id); err != nil {
			return err
		}
	}
	return inTurn(
		func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Save(ctx, c.saved) },
		inserts(c.added),
		insertsLine(c.addedLine),
		func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Save(ctx, c.savedLine) },
		func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Delete(ctx, tombstoneOf(c.deletedLine)) },
		appends(c.movement),
		appendsEntry(c.entry),
		puts(c.key),
		puts(c.replacedKey),
	)(ctx, tx)
}

// observation is what can be seen of a change: nil and 0 where there is nothing.
type observation struct {
	Added, Saved                      *reseller.State
	Names                             []int64 // holder of each of the names
	AddedLine, SavedLine, DeletedLine *line.State
	LineNames                         []int64
	Movement                          *credit.Movement
	Key, ReplacedKey                  *ports.KeyRecord
	Listed                            listed // in a view only
}

// listed is what lists show of a change, as ids: of the payer's tree, its lines
// and its movements. The journal is shown whole.
type listed struct {
	Resellers, Lines, ByExpiry, Statement []int64
	Journal                               []journal.Numbered
}

type viewed struct {
	observation
	err error
}

// inUpdate returns the part that an Update can see.
func (o observation) inUpdate() observation { o.Listed = listed{}; return o }

// after returns what is seen once the change took effect.
func (c *change) after() observation {
	added, saved, addedLine, savedLine := c.added.State(), c.saved.State(), c.addedLine.State(), c.savedLine.State()
	return observation{
		Added: &added, Saved: &saved, Names: []int64{added.ID, saved.ID, 0},
		AddedLine: &addedLine, SavedLine: &savedLine, LineNames: []int64{addedLine.ID, savedLine.ID, 0, 0},
		Movement: &c.movement,
		Key:      &c.key, ReplacedKey: &c.replacedKey,
		Listed: listed{
			Resellers: []int64{saved.ID, added.ID},
			Lines:     []int64{savedLine.ID, addedLine.ID},
			ByExpiry:  []int64{addedLine.ID, savedLine.ID},
			Statement: []int64{c.movement.ID},
			Journal:   []journal.Numbered{c.began, c.began.Append(c.entry)},
		},
	}
}

func (c *change) observe(ctx context.Context, tx ports.Tx) (observation, error) {
	o, err := c.observeShared(ctx, tx.Resellers, tx.Lines, tx.Keys)
	if err != nil {
		return o, err
	}
	o.Movement, err = there(itself[credit.Movement])(tx.Ledger.Get(ctx, c.movement.ID))
	return o, err
}

// namedLines finds lines by their names.
type namedLines interface {
	ports.LineReader
	FindByUsername(ctx context.Context, name profile.Username) (int64, error)
}

func (c *change) observeShared(ctx context.Context, resellers ports.ResellerReader, lines namedLines,
	keys ports.KeyReader) (o observation, err error) {
	stateOf, stateOfLine := there((*reseller.Reseller).State), there((*line.Line).State)
	for id, into := range map[int64]**line.State{
		c.addedLine.ID(): &o.AddedLine, c.savedLine.ID(): &o.SavedLine, c.deletedLine.ID(): &o.DeletedLine,
	} {
		if *into, err = stateOfLine(lines.Get(ctx, id)); err != nil {
			return o, err
		}
	}
	for id, into := range map[int64]**reseller.State{c.added.ID(): &o.Added, c.saved.ID(): &o.Saved} {
		if *into, err = stateOf(resellers.Get(ctx, id)); err != nil {
			return o, err
		}
	}
	for _, n := range c.names {
		holder, err := resellers.FindByUsername(ctx, n)
		if absent(err) != nil {
			return o, err
		}
		id := int64(0)
		if err == nil {
			id = holder.ID()
		}
		o.Names = append(o.Names, id)
	}
	for _, n := range c.lineNamesSeen {
		id, err := lines.FindByUsername(ctx, n)
		if absent(err) != nil {
			return o, err
		}
		if err != nil { // whatever came with it
			id = 0
		}
		o.LineNames = append(o.LineNames, id)
	}
	for key, into := range map[string]**ports.KeyRecord{c.key.Key: &o.Key, c.replacedKey.Key: &o.ReplacedKey} {
		if *into, err = there(itself[ports.KeyRecord])(keys.Get(ctx, c.key.Reseller, key)); err != nil {
			return o, err
		}
	}
	return o, nil
}

// there returns what reads a part of a record, nil where there is none.
func there[R, V any](part func(R) V) func(r R, err error) (*V, error) {
	return func(r R, err error) (*V, error) {
		if err != nil {
			return nil, absent(err)
		}
		v := part(r)
		return &v, nil
	}
}

func (c *change) look(o *observation) func(ctx context.Context, s ports.Snapshot) error {
	return func(ctx context.Context, s ports.Snapshot) (err error) {
		if *o, err = c.observeShared(ctx, s.Resellers, s.Lines, s.Keys); err != nil {
			return err
		}
		movements, err := s.Ledger.Statement(ctx, c.saved.ID(), 0, 1)
		if err != nil {
			return err
		}
		for _, m := range movements {
			o.Movement = &m
		}
		return o.Listed.read(ctx, s, c.saved.ID())
	}
}

func (l *listed) read(ctx context.Context, s ports.Snapshot, payer int64) error {
	resellers, err := listResellers(ctx, s.Resellers,
		ports.ResellerQuery{Scope: ports.Scope{Reseller: payer, Tree: true}, Limit: 10})
	if err != nil {
		return err
	}
	lines, err := listLines(ctx, s.Lines, ports.LineQuery{Scope: ports.Scope{Reseller: payer}, Limit: 10})
	if err != nil {
		return err
	}
	byExpiry, err := listLines(ctx, s.Lines, ports.LineQuery{Scope: ports.Scope{Reseller: payer, Tree: true},
		Order: ports.LinesByExpiry, Limit: 10})
	if err != nil {
		return err
	}
	movements, err := s.Ledger.Statement(ctx, payer, 0, 10)
	if err != nil {
		return err
	}
	l.Resellers, l.Lines, l.ByExpiry, l.Statement = mapped(resellers, (*reseller.Reseller).ID),
		mapped(lines, (*line.Line).ID), mapped(byExpiry, (*line.Line).ID), movementIDs(movements)
	l.Journal, err = listEvents(ctx, s.Journal, ports.EventQuery{Limit: 10})
	return err
}

// observe looks in an update and in a view of its own.
func (w *harness) observe(c *change) (o observation) {
	w.Helper()
	w.update("look at every repository", func(ctx context.Context, tx ports.Tx) (err error) {
		o, err = c.observe(ctx, tx)
		return err
	})
	w.numbered(c, o)
	w.view(func(ctx context.Context, s ports.Snapshot) error { return o.Listed.read(ctx, s, c.saved.ID()) })
	return o
}

// numbered waits until the entry of a change that has taken effect has its number.
func (w *harness) numbered(c *change, o observation) {
	w.Helper()
	if o.Key != nil {
		w.awaits(c.began.Seq + 1)
	}
}

func (w *harness) observes(c *change, want observation) {
	w.Helper()
	w.same(w.observe(c), want, "in a later update")
}

func (w *harness) views(c *change, want observation) {
	w.Helper()
	w.numbered(c, want)
	var got observation
	w.view(c.look(&got))
	w.same(got, want, "in a later view")
}

// mostDifferences bounds how many differences of a check are described, which takes
// long: more say nothing new.
const mostDifferences = 2

func (w *harness) same(got, want any, where string) bool {
	w.Helper()
	// Nearly all that is compared is equal in every bit, which is found far faster.
	equal := reflect.DeepEqual(want, got) || cmp.Equal(want, got, same)
	switch {
	case equal:
	case w.differences < mostDifferences:
		w.differences++
		w.Errorf("%s (-want +got):\n%s", where, cmp.Diff(want, got, same))
	default:
		w.Errorf("%s differs, too", where)
	}
	return equal
}
