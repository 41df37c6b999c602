package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	{"updates-take-effect", proves{"U1", "U4", "U5", "V2"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		var got observation
		h := w.hold(inTurn(c.write, func(ctx context.Context, tx ports.Tx) (err error) {
			got, err = c.observeInUpdate(ctx, tx)
			return err
		}))
		w.same(got, c.after().inUpdate(), "what work saw of its own writes")
		w.same(viewBeside(w, c.look), before, "what others saw of an open update")
		h.end(w)
		w.observes(c, c.after())
	}},
	{"failures-store-nothing", proves{"U2", "U10"}, func(w *harness) {
		for i, end := range []work{refuses, func(context.Context, ports.Tx) error { panic("on purpose") }} {
			other := w.another()
			c := other.prepare()
			other.keepsNothing(c, end, either(i == 0, []ports.Reads{{}, {
				Actor: c.saved.ID(), Key: c.replacedKey.Key, Reseller: c.saved.ID(), ResellerName: c.savedWas.State().Username,
				Line: c.savedLine.ID(), LineName: c.savedLineWas.State().Username,
			}, {
				Actor: c.added.ID(), Key: "no such key", Reseller: c.added.ID(), ResellerName: c.saved.State().Username,
				Line: c.addedLine.ID(), LineName: c.savedLine.State().Username,
			}})...)
		}
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
	{"contexts-end-updates", proves{"U9", "S2"}, func(w *harness) {
		c := w.prepare()
		before := w.observe(c)
		h := w.hold(addsTo(c.savedWas.ID()))
		ctx, cancel := context.WithTimeout(w.ctx, grace)
		defer cancel()
		waiting := async(func() error { return w.store.Update(ctx, addsTo(c.savedWas.ID())) })
		err := outcome(w, waiting, "an update whose context ended while another one was open")
		h.end(w)
		if err != nil {
			w.want(err, ports.ErrUnavailable, "an update whose context ended")
		}
		w.saves(c.savedWas.State())
		canceled, cancel := context.WithCancel(w.ctx)
		cancel()
		late, cancel := context.WithDeadline(w.ctx, noon.AddDate(-30, 0, 0))
		defer cancel()
		for _, ctx := range []context.Context{canceled, late} {
			err := w.store.Update(ctx, c.write)
			w.want(err, ports.ErrUnavailable, "update: "+ctx.Err().Error())
			w.want(err, ctx.Err(), "update")
			for doing, err := range w.every(ctx) {
				if err != nil {
					w.want(err, ports.ErrUnavailable, doing+": "+ctx.Err().Error())
				}
			}
		}
		w.observes(c, before)
		inWork, cancel := context.WithCancel(w.ctx)
		defer cancel()
		err = w.store.Update(inWork, inTurn(c.write, func(context.Context, ports.Tx) error { cancel(); return nil }))
		if got := w.observe(c); err == nil || !cmp.Equal(got, before, same) {
			w.same(got, c.after(), "after success, or an unknown outcome that is not that nothing happened")
		}
		if err != nil {
			w.want(err, ports.ErrUnavailable, "an update whose context ended in its work")
		}
	}},
}

// keepsNothing fails unless an update that writes and then ends so leaves nothing behind.
func (w *harness) keepsNothing(c *change, end work, hints ...ports.Reads) {
	before := w.observe(c)
	err := func() (err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v", cause)
			}
		}()
		return w.store.Update(w.ctx, inTurn(c.write, end), hints...)
	}()
	if err == nil {
		w.Errorf("an update whose work failed ended in success")
	}
	w.observes(c, before)
	w.must(w.store.Update(w.ctx, c.write, hints...), "the same writes once more")
	w.observes(c, c.after())
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
	added, savedWas, saved                          *reseller.Reseller // saved is renamed and charged
	addedLine, savedLineWas, savedLine, deletedLine *line.Line
	movement                                        credit.Movement
	entry                                           journal.Entry
	began                                           journal.Numbered // the entry before it
	key, replacedKey                                ports.KeyRecord
}

// prepare stores what the change finds.
func (w *harness) prepare() *change {
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
	c.movement, err = c.savedLine.Activate(c.saved, fixture.Prices()[0],
		line.Details{Username: fixture.Name("Renamed"), Password: line.Sealed("new")}, w.id(ports.PlatformIDs),
		w.provenance(payer.ID()))
	w.must(err, "activate a line")
	is := c.savedLine.State()
	c.entry = journal.Entry{Type: journal.LineActivated, At: noon, Movement: journal.MovementOf(c.movement)}.WithLine(
		new(saved.State()), &is)
	c.began = w.chronicle().entries[0]
	return c
}

func (c *change) write(ctx context.Context, tx ports.Tx) error {
	return inTurn(
		changes(c.saved.ID(), func(s *reseller.State) { *s = c.saved.State() }),
		inserts(c.added),
		insertsLine(c.addedLine),
		changesLine(c.savedLine.ID(), func(s *line.State) { *s = c.savedLine.State() }),
		deletes(c.deletedLine.ID()),
		appends(c.movement),
		appendsEntry(c.entry),
		puts(c.key),
		puts(c.replacedKey),
	)(ctx, tx)
}

// observation is the result of each read of a change. It has no member for a record that does not exist.
type observation map[string]any

// note returns a function that adds the result of a read, unless it is an error.
func (o observation) note(what string) func(v any, err error) error {
	return func(v any, err error) error {
		if err == nil {
			o[what] = stateOf(v)
		}
		return absent(err)
	}
}

// stateOf returns the state of an aggregate, and every other value unchanged.
func stateOf(v any) any {
	switch v := v.(type) {
	case *reseller.Reseller:
		return v.State()
	case *line.Line:
		return v.State()
	}
	return v
}

// inUpdate returns the part that an Update can see.
func (o observation) inUpdate() observation {
	o = maps.Clone(o)
	delete(o, "lists")
	return o
}

// after returns the observation once the change took effect.
func (c *change) after() observation {
	added, saved, addedLine, savedLine := c.added.State(), c.saved.State(), c.addedLine.State(), c.savedLine.State()
	return observation{
		name("account", added.ID): added, name("account", saved.ID): saved,
		name("account", "added"): added, name("account", "renamed"): saved,
		name("line", addedLine.ID): addedLine, name("line", savedLine.ID): savedLine,
		name("line", "added"): addedLine.ID, name("line", "renamed"): savedLine.ID,
		name("key", c.key.Key): c.key, name("key", c.replacedKey.Key): c.replacedKey,
		"movement": c.movement,
		// of the payer's tree: its accounts, its lines by id and by expiry, and the statement; and the whole journal
		"lists": []any{[]int64{saved.ID, added.ID}, []int64{savedLine.ID, addedLine.ID}, []int64{addedLine.ID, savedLine.ID},
			[]int64{c.movement.ID}, []journal.Numbered{c.began, c.began.Append(c.entry)}},
	}
}

func name(of string, by any) string { return fmt.Sprint(of, " ", by) }

// namedLines finds lines by their names.
type namedLines interface {
	ports.LineReader
	FindByUsername(ctx context.Context, name profile.Username) (int64, error)
}

// observe reads what both an Update and a View show.
func (c *change) observe(ctx context.Context, resellers ports.ResellerReader, lines namedLines,
	keys ports.KeyReader) (o observation, err error) {
	o = observation{}
	for _, id := range []int64{c.added.ID(), c.saved.ID()} {
		err = errors.Join(err, o.note(name("account", id))(resellers.Get(ctx, id)))
	}
	for _, id := range []int64{c.addedLine.ID(), c.savedLine.ID(), c.deletedLine.ID()} {
		err = errors.Join(err, o.note(name("line", id))(lines.Get(ctx, id)))
	}
	for _, n := range []string{"added", "renamed", "payer", "saved", "deleted"} {
		err = errors.Join(err, o.note(name("account", n))(resellers.FindByUsername(ctx, fixture.Name(n))),
			o.note(name("line", n))(lines.FindByUsername(ctx, fixture.Name(n))))
	}
	for _, key := range []string{c.key.Key, c.replacedKey.Key} {
		err = errors.Join(err, o.note(name("key", key))(keys.Get(ctx, c.key.Reseller, key)))
	}
	return o, err
}

func (c *change) observeInUpdate(ctx context.Context, tx ports.Tx) (observation, error) {
	o, err := c.observe(ctx, tx.Resellers, tx.Lines, tx.Keys)
	return o, errors.Join(err, o.note("movement")(tx.Ledger.Get(ctx, c.movement.ID)))
}

func (c *change) look(ctx context.Context, s ports.Snapshot) (observation, error) {
	o, err := c.observe(ctx, s.Resellers, s.Lines, s.Keys)
	payer := ports.Scope{Reseller: c.saved.ID(), Tree: true}
	resellers, resellersErr := listed(ctx, s, ports.ResellerQuery{Scope: payer, Limit: 10}, resellerPage)
	lines, linesErr := listed(ctx, s, ports.LineQuery{Scope: payer, Limit: 10}, linePage)
	byExpiry, expiryErr := listed(ctx, s, ports.LineQuery{Scope: payer, Order: ports.LinesByExpiry, Limit: 10}, linePage)
	movements, movementsErr := s.Ledger.Statement(ctx, payer.Reseller, 0, 10)
	events, eventsErr := listed(ctx, s, ports.EventQuery{Limit: 10}, eventPage)
	for _, m := range movements {
		o["movement"] = m
	}
	o["lists"] = []any{mapped(resellers, (*reseller.Reseller).ID), mapped(lines, (*line.Line).ID),
		mapped(byExpiry, (*line.Line).ID), movementIDs(movements), events}
	return o, errors.Join(err, resellersErr, linesErr, expiryErr, movementsErr, eventsErr)
}

// observe looks in an update and in a view, which show the same, and returns what the view shows.
func (w *harness) observe(c *change) observation {
	inUpdate, _ := seenInUpdate(w, c.observeInUpdate)
	_, numbered := inUpdate[name("key", c.key.Key)]
	w.numbered(c, numbered)
	o := seen(w, c.look)
	w.same(inUpdate, o.inUpdate(), "in an update beside a view")
	return o
}

// numbered waits until the entry of a change has its number, if it has taken effect.
func (w *harness) numbered(c *change, effect bool) {
	if effect {
		w.awaits(c.began.Seq + 1)
	}
}

func (w *harness) observes(c *change, want observation) {
	w.same(w.observe(c), want, "in a later update and view")
}

// mostDifferences bounds how many differences of a check are described, which takes
// long: more say nothing new.
const mostDifferences = 2

func (w *harness) same(got, want any, where string) bool {
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
