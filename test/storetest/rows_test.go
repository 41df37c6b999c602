package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
)

var errOther = errors.New("an error of its own")

func brokenStores() []broken {
	return slices.Concat(brokenUpdates(), brokenLives, brokenRecords(), brokenFields(), brokenNames(), brokenKeys(),
		brokenLists(), brokenLedgers(), brokenArchives(), brokenCopies(), brokenRekeys, brokenKinds(), brokenJournals(),
		brokenProcesses())
}

// Updates, views and lives.

// keeping stores the effect of a method where work fails.
func keeping() answer {
	return remembers(func() answer {
		var kept []func(ports.Tx) error
		return func(c *call) (err error) {
			if c.method != "Store.Update" {
				kept = append(kept, c.on)
				return c.sound()
			}
			kept = nil
			defer func() {
				for _, again := range either(err != nil, kept) {
					_ = c.store.Update(context.WithoutCancel(c.ctx), func(_ context.Context, tx ports.Tx) error { return again(tx) })
				}
			}()
			err = errOther // of a panic
			return errors.Join(c.sound(), c.ctx.Err())
		}
	})
}

// delaying makes some calls when the rest of the work has ended, in their order or the reverse.
func delaying(calls []string, reverse bool) answer {
	return func(c *call) error {
		return c.store.Update(c.ctx, func(ctx context.Context, tx ports.Tx) error {
			var delayed []func(ports.Tx) error
			err := (*c.work)(ctx, meddled{c.store, func(op *call) error {
				if slices.Contains(calls, op.method) {
					delayed = append(delayed, op.on)
					return nil
				}
				return op.sound()
			}}.tx(tx))
			if reverse {
				slices.Reverse(delayed)
			}
			for _, on := range delayed {
				err = errors.Join(err, on(tx))
			}
			return err
		})
	}
}

// autocommit runs each call in a transaction of its own.
func autocommit(c *call) error {
	m := meddled{c.store, func(op *call) error {
		time.Sleep(tick)
		return c.store.Update(op.ctx, func(_ context.Context, tx ports.Tx) error { return op.on(tx) })
	}}
	return (*c.work)(c.ctx, m.tx(ports.Tx{}))
}

// stale reads keys as they were before the update began, as snapshot isolation does where nothing makes the writes
// conflict.
func stale(c *call) error {
	before := current(c.store)
	time.Sleep(tick)
	return meddled{c.store, func(op *call) (err error) {
		if op.method == "Keys.Get" {
			*arg[ports.KeyRecord](op), err = before.Keys.Get(op.ctx, *arg[int64](op), *arg[string](op))
			return err
		}
		return op.sound()
	}}.Update(c.ctx, *c.work)
}

var writes = strings.Fields("Resellers.Insert Resellers.Save Lines.Insert Lines.Save Lines.Delete Ledger.Append " +
	"Keys.Put " +
	"Journal.Append")

func brokenUpdates() (all []broken) {
	for _, write := range writes {
		all = append(all, row("U1", write, "does nothing", nothing).seenBy("updates-take-effect"),
			row("U2", "Store.Update "+write, "is stored on failure", keeping()).seenBy("failures-store-nothing"),
			row("U2", "Store.Update "+write, "is stored on a panic", keeping()).seenBy("failures-store-nothing"))
	}
	update := func(promises, how string, with answer) { all = append(all, row(promises, "Store.Update", how, with)) }
	update("U4", "delays writes until the commit", delaying(writes, false))
	update("U2", "swallows a panic", func(c *call) error {
		defer func() { _ = recover() }()
		return c.sound()
	})
	update("U3", "has words of its own for an error", failing(func(err error) error {
		if err != nil {
			err = errors.New(err.Error())
		}
		return err
	}))
	update("U3", "returns one branch of an error", has(errRefused, errRefused))
	update("U9", "returns the context's own error", func(c *call) error { return cmp.Or(c.ctx.Err(), c.sound()) })
	update("S2", "hides the cause of unavailability", has(ports.ErrUnavailable, ports.ErrUnavailable))
	update("U9", "ignores the context", func(c *call) error { c.ctx = context.WithoutCancel(c.ctx); return c.sound() })
	update("U10", "refuses where a hint names records that do not exist", func(c *call) error {
		for _, hint := range *arg[[]ports.Reads](c) {
			if _, err := current(c.store).Resellers.Get(c.ctx, hint.Actor); hint.Actor != 0 && err != nil {
				return err
			}
		}
		return c.sound()
	})
	update("U2 U5 U7", "commits every step", autocommit)
	update("D9", "reads and writes in two transactions", autocommit)
	update("U6", "stores the effect of every run", func(c *call) error { return cmp.Or(c.sound(), c.sound(), c.sound()) })
	update("R15", "sees no conflict where nothing was changed", stale)
	update("L14", "sees no conflict where nothing was changed", stale)
	update("K4", "sees no conflict where a key was put", stale)
	for _, method := range strings.Fields("Store.View Store.NextID Store.ClaimKey Store.DropExpired Store.Ready") {
		all = append(all, row("U9", method, "returns the context's own error from "+method,
			func(c *call) error { return cmp.Or(c.ctx.Err(), c.sound()) }),
			row("S5 S3", method, "fails in a way of its own after Close", has(errOther, ports.ErrUnavailable)),
			row("S5 S3", method, "serves after Close", swallows(ports.ErrUnavailable)))
	}
	return append(all, row("U8", "Store.Update Store.View", "answers a refusal before what it read is durable",
		remembers(func() answer {
			var pending atomic.Pointer[ports.Snapshot]
			return func(c *call) error {
				if before := pending.Load(); c.method == "Store.View" && before != nil {
					return c.look(c.ctx, *before)
				} else if c.method == "Store.View" {
					return c.sound()
				}
				time.Sleep(tick)
				before, wrote := current(c.store), false
				err := meddled{c.store, func(op *call) error {
					wrote = wrote || slices.Contains(writes, op.method)
					return op.sound()
				}}.Update(c.ctx, *c.work)
				if wrote {
					pending.Store(&before)
					time.Sleep(10 * tick) // a slow disk
					pending.Store(nil)
				}
				return err
			}
		})))
}

// counting assigns ids in a way of its own.
func counting(next func(calls int64) int64) answer {
	return remembers(func() answer {
		var calls atomic.Int64
		return func(c *call) error { *arg[int64](c) = next(calls.Add(1)); return nil }
	})
}

var brokenLives = []broken{
	row("V1", "ResellerDirectory.Get", "reads what is newest in a view", newest),
	row("V2 A2", "Store.Update Store.View Archive.ViewRecords", "makes views wait for updates", remembers(func() answer {
		lock := make(chan struct{}, 1)
		return func(c *call) error {
			lock <- struct{}{}
			defer func() { <-lock }()
			return c.sound()
		}
	})),
	row("V3", "Store.View", "hides the error of look", failing(func(error) error { return nil })),
	row("V3", "Store.View", "has an error of its own", has(errOther, errRefused)),
	row("S3", "Store.Ready", "is never ready", func(*call) error { return ports.ErrUnavailable }),
	row("S4", "Store.Close", "closes at once", func(c *call) error { go func() { _ = c.sound() }(); return nil }),
	row("S6", "Store.Close", "fails to close again", remembers(func() answer {
		var closed atomic.Bool
		return func(c *call) error {
			return errors.Join(c.sound(), either(closed.Swap(true), error(ports.ErrUnavailable)))
		}
	})),
	row("S7", "Store.Parts", "has no parts after its end", func(c *call) error {
		*arg[ports.Parts](c) = either(c.store.Ready(c.ctx) == nil, *arg[ports.Parts](c))
		return nil
	}),
	row("I1 I3", "Store.NextID", "assigns a block of ids again", counting(func(calls int64) int64 {
		return (calls-1)%64 + 1
	})),
	row("I2", "Store.NextID", "counts without a lock", remembers(func() answer {
		var last atomic.Int64
		return func(c *call) error {
			*arg[int64](c) = last.Load() + 1
			time.Sleep(tick)
			last.Store(*arg[int64](c))
			return nil
		}
	})),
	row("I4", "Store.NextID", "forgets ids with the process", counting(itself[int64])).only(reopened),
	row("F1", "Store.ClaimKey", "takes the last service key", claiming(0)),
	row("F1", "Store.ClaimKey", "looks for a service key and then records its own", claiming(tick)),
	row("F2", "Store.ClaimKey", "forgets the service key with the process", claiming(0)).only(reopened),
}

// claiming records the last service key that is claimed, or the first and looks for it before.
func claiming(pause time.Duration) answer {
	return remembers(func() answer {
		var recorded atomic.Pointer[string]
		return func(c *call) error {
			fingerprint := *arg[string](c)
			if first := recorded.Load(); first != nil && pause > 0 {
				fingerprint = *first
			} else {
				time.Sleep(pause)
				recorded.Store(&fingerprint)
			}
			*nthArg[string](c, 1) = fingerprint
			return nil
		}
	})
}

// brokenProcesses are stores that forget with the process, or that two processes do not share.
func brokenProcesses() (all []broken) {
	other := remembers(func() answer { // has each process begin with nothing
		empty := memstore.New()
		return func(c *call) error { return c.elsewhere(empty) }
	})
	const processes = "S8 U7 R13 L12 K4 D3 D4 D6 D8 D9 D11"
	all = []broken{
		row("I2", "Store.NextID", "counts ids in each process", other).only(besides),
		row("F1", "Store.ClaimKey", "has a service key in each process", other).only(besides),
		row("J19", "Store.AwaitEntry", "reports entries of its own process only",
			func(c *call) error { <-c.ctx.Done(); return c.ctx.Err() }).only(besides),
		row("J2", "Events.", "shows the journal of its own process only", nothing).only(besides),
		row("E1", "Store.DropExpired", "forgets expiries with the process",
			other).only(reopened).seenBy("every-field-survives-reopening"),
	}
	for _, check := range []string{"a-second-process-shares-the-records-or-is-refused",
		"transfers-in-two-processes-lose-nothing",
		"one-of-many-in-two-processes-takes-a-name", "one-key-in-two-processes-has-one-effect",
		"processes-have-the-same-records"} {
		all = append(all, row(processes, "Store.Update Store.View", "has each process begin with nothing: "+check,
			other).only(besides).seenBy(check))
	}
	for _, check := range []string{"updates-at-once-survive-reopening", "every-field-survives-reopening",
		"records-of-kinds-survive-reopening"} {
		all = append(all, row("U1 D5 J7", "Store.Update Store.View", "forgets records with the process: "+check,
			other).only(reopened).seenBy(check))
	}
	return all
}

// elsewhere calls the method of another store.
func (c *call) elsewhere(store full) error {
	switch c.method {
	case "Store.Update":
		return store.Update(c.ctx, *c.work)
	case "Store.View":
		return store.View(c.ctx, c.look)
	case "Store.NextID":
		id, err := store.NextID(c.ctx, *arg[ports.Sequence](c))
		*arg[int64](c) = id
		return err
	case "Store.ClaimKey":
		recorded, err := store.ClaimKey(c.ctx, *arg[string](c))
		*nthArg[string](c, 1) = recorded
		return err
	case "Store.DropExpired":
		dropped, err := store.DropExpired(c.ctx, *arg[time.Time](c), *nthArg[time.Time](c, 1), *arg[int](c))
		*nthArg[int](c, 1) = dropped
		return err
	}
	panic("no other store for " + c.method)
}

// Records.

// sharing stores the very records that a caller passes or gets, and shows them to others.
func sharing[V any]() answer {
	return remembers(func() answer {
		var known sync.Map // by their printed form
		return func(c *call) error {
			v := arg[V](c)
			err := c.sound()
			had, _ := known.LoadOrStore(fmt.Sprint(*v), *v)
			*v = had.(V)
			return err
		}
	})
}

func brokenRecords() (all []broken) {
	add := adds(&all)
	const shares = "shares its records with the caller"
	add("R1", "Resellers.Insert Resellers.Get", shares, sharing[*reseller.Reseller]())
	add("L1", "Lines.Insert Lines.Get", shares, sharing[*line.Line]())
	add("M2", "Ledger.Append Ledger.Get", shares, sharing[credit.Movement]())
	add("K1", "Keys.Put Keys.Get", shares, sharing[ports.KeyRecord]())
	add("J8", "Events.List", shares, remembers(func() answer {
		var known sync.Map // by length
		return answering(func(p *ports.EventPage) {
			had, _ := known.LoadOrStore(len(p.Entries), *p)
			*p = had.(ports.EventPage)
		})
	}))
	add("A6", "Records.Movements", shares, sharing[[]ports.Audited[credit.Movement]]())
	add("C10", "Records.KeyRecords", shares, sharing[[]ports.KeyRecord]())
	for promises, methods := range map[string]string{
		"R2": "Resellers.Get ResellerDirectory.Get", "R3": "Resellers.FindByUsername ResellerDirectory.FindByUsername",
		"R18": "Resellers.Save", "L2": "Lines.Get LineDirectory.Get", "L11": "Lines.FindByUsername", "L17": "Lines.Save",
		"L19": "Lines.Delete", "L28": "LineDirectory.FindByUsername", "L29": "LineDirectory.FindByExternalID",
		"M3": "Ledger.Get", "K2": "Keys.Get KeyReader.Get", "D3": "Writer.Get Lister.Get", "D8": "Writer.Save",
		"D11": "Writer.Delete",
	} {
		for _, method := range strings.Fields(methods) {
			all = append(all, row(promises, method, "has an error of its own for a missing record: "+method,
				has(errOther, fault.ErrNotFound)))
		}
	}
	thousand := asking(func(ids *[]int64) { *ids = (*ids)[:min(len(*ids), 1_000)] })
	everyone := func(c *call) error { *nthArg[[]int64](c, 1) = *arg[[]int64](c); return nil }
	return append(all, []broken{
		row("M1", "Ledger.Get", "loses movements", missing),
		row("L18", "Lines.Delete", "only pretends to delete a line", nothing),
		row("L19", "Lines.Delete", "deletes lines that are not there", failing(absent)),
		row("R4", "Resellers.AnyBlocked", "takes an empty list for all", func(c *call) error {
			err := c.sound()
			*arg[bool](c) = *arg[bool](c) || len(*arg[[]int64](c)) == 0
			return err
		}),
		row("R6", "ResellerDirectory.Blocked", "looks at a thousand", thousand),
		row("R19", "ResellerDirectory.Suspending", "finds all", everyone),
		row("R20", "ResellerDirectory.AnySuspending", "says yes", says(true)),
		row("R5", "ResellerDirectory.Empty", "says yes", says(true)),
		row("L29", "LineDirectory.FindByExternalID", "compares ids without case", asking(func(id *profile.Text) {
			*id = profile.RestoreText(strings.ToLower(id.String()))
		})),
	}...)
}

// Fields.

// leaf is a field of a state, reached through embedded and plain structs.
type leaf struct {
	path  string
	index []int
}

// leaves lists the fields that a store has to store one by one: values of the domain, which have no exported fields,
// count as one.
func leaves(of reflect.Type) (all []leaf) {
	for _, f := range reflect.VisibleFields(of) {
		if len(f.Index) > 1 || !f.IsExported() {
			continue
		}
		below := []leaf(nil)
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]() {
			below = leaves(f.Type)
		}
		if below == nil {
			all = append(all, leaf{f.Name, f.Index})
		}
		for _, l := range below {
			all = append(all, leaf{f.Name + "." + l.path, append(slices.Clone(f.Index), l.index...)})
		}
	}
	return all
}

// lose sets the field of a value to that of another, which is zero.
func lose[V any](v *V, l leaf, other V) {
	reflect.ValueOf(v).Elem().FieldByIndex(l.index).Set(reflect.ValueOf(other).FieldByIndex(l.index))
}

// loses are stores that lose one field of each record of a type, of every field that there is, when it is read.
func loses[V any](check string) (all []broken) {
	for _, l := range leaves(reflect.TypeFor[V]()) {
		all = append(all, row("", "", "loses "+reflect.TypeFor[V]().String()+"."+l.path,
			altering(func(v *V) { lose(v, l, *new(V)) })).seenBy(check))
	}
	return all
}

// losesWithin does the same for lists within records.
func losesWithin[V, E any](check string, list func(v *V) *[]E) (all []broken) {
	for _, l := range leaves(reflect.TypeFor[E]()) {
		all = append(all, row("", "", "loses "+reflect.TypeFor[E]().String()+"."+l.path, altering(func(v *V) {
			if of := list(v); of != nil {
				*of = mapped(*of, func(e E) E { lose(&e, l, *new(E)); return e })
			}
		})).seenBy(check))
	}
	return all
}

func movementOf(n *journal.Numbered) *journal.Movement {
	if n.Movement != nil {
		m := *n.Movement
		n.Movement = &m
	}
	return n.Movement
}

func brokenFields() (all []broken) {
	const accounts, lines, movements, keys, tombstones, entries = "accounts-survive-unchanged", "lines-survive-unchanged",
		"movements-survive-unchanged", "key-records-survive-unchanged", "deleted-lines-leave-tombstones",
		"entries-survive-unchanged"
	all = slices.Concat(
		loses[reseller.State](accounts), losesWithin(accounts,
			func(s *reseller.State) *[]reseller.TrialSlot { return &s.Trials }),
		loses[line.State](lines), loses[credit.Movement](movements),
		losesWithin(movements, func(m *credit.Movement) *[]credit.Posting { return &m.Postings }),
		loses[ports.KeyRecord](keys), loses[line.Tombstone](tombstones), loses[journal.Numbered](entries),
		loses[journal.Head](entries), losesWithin(entries, func(n *journal.Numbered) *[]journal.Change { return &n.Changes }),
		losesWithin(entries, func(n *journal.Numbered) *[]journal.Datum { return &n.Data }),
		loses[ports.DayFigures]("entries-are-found-and-summed"), loses[credit.Totals]("totals-are-sums"),
		loses[credit.Totals]("archives-show-sums"), loses[ports.ServiceKey]("service-keys-are-moved"),
		loses[ports.Origin]("copies-survive-reopening"),
	)
	for _, l := range leaves(reflect.TypeFor[journal.Movement]()) {
		all = append(all, row("", "", "loses the movement's "+l.path, altering(func(n *journal.Numbered) {
			if m := movementOf(n); m != nil {
				lose(m, l, journal.Movement{})
			}
		})).seenBy(entries))
	}
	all = append(all, losesWithin(entries, func(n *journal.Numbered) *[]journal.Balance {
		if m := movementOf(n); m != nil {
			return &m.Balances
		}
		return nil
	})...)
	all = append(all, []broken{
		row("S1", "", "stores whole seconds", altering(func(s *reseller.State) {
			s.CreatedAt = s.CreatedAt.Truncate(time.Second)
		})).seenBy(accounts),
		row("S1", "", "cuts deep paths", altering(func(s *reseller.State) {
			s.Ancestors = s.Ancestors[:min(len(s.Ancestors), reseller.MaxDepth-1)]
		})).seenBy(accounts),
		row("S1", "", "stores passwords as text", altering(func(s *line.State) {
			s.Password = []byte(strings.ToValidUTF8(string(s.Password), "?"))
		})).seenBy(lines),
		row("S1", "", "stores 32 bits of a number", altering(func(s *line.State) {
			s.PlatformID = int64(uint32(s.PlatformID))
		})).seenBy(lines),
	}...)
	for _, with := range []answer{altering(func(s *reseller.State) { s.Language = fixture.Text("") }),
		altering(func(s *line.State) { s.Notes = fixture.Text("") }), altering(func(m *credit.Movement) { m.Notes = "" }),
		altering(func(n *journal.Numbered) { n.Reason = "" }), altering(func(h *journal.Head) { h.Seq++ }),
		altering(func(t *line.Tombstone) { t.Actor = 0 })} {
		all = append(all, row("A5 A8 A20", "Records.", "shows auditors records without a field", with))
	}
	return all
}

// Names and keys.

// everTaken takes a name, or an external id, for taken that another record has ever had.
func everTaken(taken error, of func(v any) (text string, id int64)) answer {
	return remembers(func() answer {
		owners := map[string]int64{}
		return func(c *call) error {
			text, id := of(stateOf(reflect.ValueOf(c.args[0]).Elem().Interface()))
			if owner, is := owners[text]; text != "" && is && owner != id {
				return taken
			}
			owners[text] = id
			return c.sound()
		}
	})
}

func nameIn(v any) (name string, id int64) {
	switch s := v.(type) {
	case reseller.State:
		return s.Username.Key(), s.ID
	case line.State:
		return s.Username.Key(), s.ID
	}
	return "", 0
}

func brokenNames() (all []broken) {
	externalID := func(v any) (string, int64) { s := v.(line.State); return s.ExternalID.String(), s.ID }
	all = []broken{
		row("R17", "Resellers.Insert Resellers.Save", "never frees a name", everTaken(errTaken, nameIn)),
		row("L16 L18", "Lines.Insert Lines.Save", "never frees a name", everTaken(errTaken, nameIn)),
		row("L22 L23", "Lines.Insert Lines.Save", "never frees an external id", everTaken(line.ErrExternalIDTaken,
			externalID)),
		row("L10", "Resellers.Insert Lines.Insert", "has one list of names", everTaken(errTaken, nameIn)),
		row("L20", "Lines.Insert", "has one list of external ids for all owners", everTaken(line.ErrExternalIDTaken,
			externalID)),
		row("L21", "Lines.Insert", "takes an external id twice", swallows(line.ErrExternalIDTaken)),
		row("L22", "Lines.Save", "takes an external id twice", swallows(line.ErrExternalIDTaken)),
	}
	for promise, at := range map[string]string{"R13": "Resellers.Insert", "R16": "Resellers.Save", "L12": "Lines.Insert",
		"L15": "Lines.Save"} {
		all = append(all, row(promise, at, "takes a name twice", swallows(errTaken)),
			row(promise, at, "has an error of its own for a name", has(errOther, errTaken)))
	}
	return all
}

func brokenKeys() (all []broken) {
	for how, change := range map[string]func(r *ports.KeyRecord){
		"compares keys without case": func(r *ports.KeyRecord) { r.Key = strings.ToLower(r.Key) },
		"trims keys":                 func(r *ports.KeyRecord) { r.Key = strings.TrimSpace(r.Key) },
		"shares keys among accounts": func(r *ports.KeyRecord) { r.Reseller = 1 },
	} {
		all = append(all, row("K3", "Keys.Put", how, asking(change)))
	}
	type drop func(now, latest *time.Time, limit *int)
	for how, change := range map[string]drop{
		"keeps what expires now":        func(now, _ *time.Time, _ *int) { *now = now.Add(-1) },
		"drops what is about to expire": func(now, _ *time.Time, _ *int) { *now = now.Add(time.Millisecond) },
		"ignores the limit":             func(_, _ *time.Time, limit *int) { *limit = 1_000 },
		"drops whatever there is":       func(now, _ *time.Time, _ *int) { *now = now.AddDate(1, 0, 0) },
		"keeps what expires too late":   func(_, latest *time.Time, _ *int) { *latest = never },
		"brings back to just before it": func(_, latest *time.Time, _ *int) { *latest = latest.Add(-time.Millisecond) },
	} {
		all = append(all, row(map[bool]string{true: "E2", false: "E1"}[strings.Contains(how, "back") || strings.Contains(how,
			"late")], "Store.DropExpired", how, func(c *call) error {
			change(arg[time.Time](c), nthArg[time.Time](c, 1), arg[int](c))
			return c.sound()
		}))
	}
	return append(all, row("K3", "Keys.Put", "stores only the first record of a key", func(c *call) error {
		r := arg[ports.KeyRecord](c)
		if _, err := c.tx.Keys.Get(c.ctx, r.Reseller, r.Key); err == nil {
			return nil
		}
		return c.sound()
	}))
}

// Lists.

// filtering leaves out of the sound page of a wider query what a rule does not
// select: such pages are short.
func filtering(rule func(q ports.ResellerQuery, s reseller.State) bool, widen func(q *ports.ResellerQuery)) answer {
	return func(c *call) error {
		q := arg[ports.ResellerQuery](c)
		asked := *q
		widen(q)
		err := c.sound()
		page := arg[ports.ResellerPage](c)
		page.Resellers = slices.DeleteFunc(page.Resellers, func(r *reseller.Reseller) bool { return !rule(asked, r.State()) })
		return err
	}
}

func filteringLines(rule func(q ports.LineQuery, s line.State) bool, widen func(q *ports.LineQuery)) answer {
	return func(c *call) error {
		q := arg[ports.LineQuery](c)
		asked := *q
		widen(q)
		err := c.sound()
		page := arg[ports.LinePage](c)
		page.Lines = slices.DeleteFunc(page.Lines, func(l *line.Line) bool { return !rule(asked, l.State()) })
		return err
	}
}

// ignoring are stores that ignore a field of a query, of every field that it has.
func ignoring[Q any](at string, promises map[string]string) (all []broken) {
	for _, l := range leaves(reflect.TypeFor[Q]()) {
		if promise, is := promises[l.path]; is {
			all = append(all, row(promise, at, "ignores "+l.path+" of "+at, asking(func(q *Q) { lose(q, l, *new(Q)) })))
		}
	}
	return all
}

func backwards(shown reflect.Value) {
	swap := reflect.Swapper(shown.Interface())
	for i := range shown.Len() / 2 {
		swap(i, shown.Len()-1-i)
	}
}

func brokenLists() (all []broken) {
	const accounts, lists = "ResellerDirectory.List", "LineDirectory.List"
	all = slices.Concat(
		ignoring[ports.ResellerQuery](accounts, map[string]string{"Scope.Reseller": "R7", "Scope.Tree": "R7", "Master": "R8",
			"Username": "R9", "After": "R10"}),
		ignoring[ports.LineQuery](lists, map[string]string{"Scope.Reseller": "L3", "Scope.Tree": "L3", "Trial": "L4",
			"ExpiresAfter": "L5", "ExpiresBefore": "L5", "Username": "L6", "Suspended": "L27", "ExternalID": "L24",
			"After.ExpiresAt": "L7", "After.Name": "L7", "After.ID": "L7"}),
		ignoring[ports.LineQuery]("LineDirectory.Count", map[string]string{"Scope.Reseller": "L25", "Scope.Tree": "L25",
			"Trial": "L25", "Suspended": "L25", "ExpiresAfter": "L25", "ExpiresBefore": "L25"}),
		ignoring[ports.EventQuery]("Events.List", map[string]string{"Of.Account": "J14", "Of.Tree": "J14", "Of.Line": "J14",
			"Types": "J14", "Descending": "J14", "After": "J15", "Before": "J15"}),
	)
	add := adds(&all)
	later := func(at **time.Time) {
		if *at != nil {
			*at = ptr((*at).Add(time.Millisecond))
		}
	}
	add("L5", lists, "begins a window late", asking(func(q *ports.LineQuery) { later(&q.ExpiresAfter) }))
	add("L5", lists, "ends a window late", asking(func(q *ports.LineQuery) { later(&q.ExpiresBefore) }))
	for _, order := range ports.LineOrders() {
		in := func(change func(q *ports.LineQuery)) answer {
			return asking(func(q *ports.LineQuery) {
				if q.Order == order {
					change(q)
				}
			})
		}
		name := " in order " + strconv.Itoa(int(order))
		add("L7", lists, "lists in another order"+name, in(func(q *ports.LineQuery) { q.Order = (q.Order + 1) % 5 }))
		add("L7", lists, "shows a cursor's line again"+name, in(func(q *ports.LineQuery) {
			q.After.ID += either[int64](q.After.ID > 0, either[int64](q.Order.Backwards(), 2)-1)
		}))
	}
	for promises, at := range map[string]string{"R10 R11 R12": accounts, "L7 L8 L9": lists, "J15 J16": "Events.List"} {
		page := func(c *call) (limit, shown, next reflect.Value) {
			q, p := reflect.ValueOf(c.args[0]).Elem(), reflect.ValueOf(c.args[1]).Elem()
			return q.FieldByName("Limit"), p.Field(0), p.FieldByName("Next")
		}
		add(promises, at, "shows one too many", func(c *call) error {
			limit, _, _ := page(c)
			limit.SetInt(limit.Int() + 1)
			return c.sound()
		})
		for how, change := range map[string]func(limit, shown, next reflect.Value){
			"ends with the first page": func(_, _, next reflect.Value) { next.SetZero() },
			"ends with a short page": func(limit, shown, next reflect.Value) {
				if shown.Len() < int(limit.Int()) {
					next.SetZero()
				}
			},
			"shows pages backwards": func(_, shown, _ reflect.Value) { backwards(shown) },
			"leaves the last of a page out": func(_, shown, _ reflect.Value) {
				shown.Set(shown.Slice(0, max(0, shown.Len()-1)))
			},
		} {
			add(promises, at, how, func(c *call) error { err := c.sound(); change(page(c)); return err })
		}
	}
	add("R11", accounts, "never ends", answering(func(p *ports.ResellerPage) { p.Next = cmp.Or(p.Next, math.MaxInt64) }))
	add("L8", lists, "never ends", answering(func(p *ports.LinePage) { p.Next = cmp.Or(p.Next, &ports.LineCursor{}) }))
	examined := func(change func(count *int, all *bool, examined int)) answer {
		return func(c *call) error {
			err := c.sound()
			change(nthArg[int](c, 1), arg[bool](c), *arg[int](c))
			return err
		}
	}
	add("L25", "LineDirectory.Count", "examines one too many", asking(func(examined *int) { *examined++ }))
	add("L25", "LineDirectory.Count", "says that there are more", says(false))
	add("L25", "LineDirectory.Count", "says that this is all", says(true))
	add("L25", "LineDirectory.Count", "counts one too few", examined(func(n *int, _ *bool, _ int) { *n = max(0, *n-1) }))
	add("L26", "LineDirectory.Usernames", "shows other names", answering(func(names *map[int64]profile.Username) {
		for id := range *names {
			(*names)[id] = fixture.Name("other")
		}
	}))
	for _, method := range strings.Fields("ResellerDirectory.List ResellerDirectory.Blocked " +
		"ResellerDirectory.Suspending ResellerDirectory.AnySuspending LineDirectory.List LineDirectory.FindByUsername " +
		"Statements.Statement Statements.Totals " +
		"Events.List KeyReader.Get LineDirectory.Get") {
		add("V1", method, "reads what is newest: "+method, newest)
	}
	return all
}

// Ledgers.

func brokenLedgers() (all []broken) {
	add := adds(&all)
	const statement = "Statements.Statement"
	before := func(change func(before *int64)) answer {
		return func(c *call) error { change(nthArg[int64](c, 1)); return c.sound() }
	}
	add("M4", statement, "ignores before", before(func(n *int64) { *n = 0 }))
	add("M4", statement, "begins with before itself", before(func(n *int64) { *n += min(*n, 1) }))
	add("M4", statement, "shows one too many", asking(func(limit *int) { *limit++ }))
	add("M4", statement, "shows the oldest first", answering(func(all *[]credit.Movement) { slices.Reverse(*all) }))
	add("M5", statement, "shows the first account's movements", asking(func(reseller *int64) { *reseller = 1 }))
	for how, change := range map[string]func(t *credit.Totals){
		"sums in 64 bits": func(t *credit.Totals) {
			t.Balances = decimal.New(t.Balances.Shift(credit.Scale).BigInt().Int64(), -credit.Scale)
		},
		"takes the newest movement for the last": func(t *credit.Totals) { t.Last = min(t.Last, t.Last-t.Movements+1) },
	} {
		add("M6", "Statements.Totals", how, answering(change))
	}
	add("M7", "Statements.Totals", "counts one more", answering(func(t *credit.Totals) { t.Imported++ }))
	return all
}

// Archives and copies.

// misnamed queries other names, for keys of any type.
func misnamed(change func(keys reflect.Value) reflect.Value) answer {
	return func(c *call) error {
		keys := reflect.ValueOf(c.args[0]).Elem()
		keys.Set(change(keys))
		return c.sound()
	}
}

func brokenArchives() (all []broken) {
	add := adds(&all)
	const byID = "ResellersByID LinesByID TombstonesByLine MovementsByID MovementsByPosting"
	for _, name := range strings.Fields("Resellers Lines Tombstones Movements Entries KeyRecords Totals Figures " + byID) {
		add("A1", "Records."+name, "reads what is newest", newest)
	}
	for promises, methods := range map[string]string{"A9 A10": "Records." + strings.ReplaceAll(byID, " ", " Records."),
		"L26": "LineDirectory.Usernames", "J17": "Events.OfMovements"} {
		for _, at := range strings.Fields(methods) {
			add(promises, at, "leaves out the last name", misnamed(func(keys reflect.Value) reflect.Value {
				return keys.Slice(0, max(0, keys.Len()-1))
			}))
			add(promises, at, "has an error for many names", func(c *call) error {
				return errors.Join(c.sound(), either(reflect.ValueOf(c.args[0]).Elem().Len() > 50, errOther))
			})
		}
	}
	for promises, methods := range map[string]string{"A7": "Resellers Lines Tombstones Movements", "A17": "KeyRecords",
		"A18": "OfKind", "A19": "Entries", "A21": "Figures"} {
		for _, name := range strings.Fields(methods) {
			page := func(c *call) reflect.Value { return reflect.ValueOf(c.args[len(c.args)-1]).Elem() }
			add(promises, "Records."+name, "shows one too many", asking(func(limit *int) { *limit++ }))
			add(promises, "Records."+name, "shows full pages only", func(c *call) error {
				err := c.sound()
				if p := page(c); p.Len() < *arg[int](c) {
					p.SetZero()
				}
				return err
			})
			add(promises, "Records."+name, "begins each page with the first", func(c *call) error {
				for _, value := range c.args[:len(c.args)-2] { // but the limit and the page
					reflect.ValueOf(value).Elem().SetZero()
				}
				return c.sound()
			})
		}
	}
	view := func(promises, how string, with answer) { add(promises, "Archive.ViewRecords", how, with) }
	view("A3", "has an error of its own", has(errOther, errRefused))
	view("A4", "has an error of its own after its end", has(errOther, ports.ErrUnavailable))
	add("A1", "Store.Update", "shows auditors what is not committed", autocommit)
	add("A8", "Records.Tombstones", "shows none", nothing)
	add("A11", "Records.Derived", "can't", func(*call) error { return errOther })
	add("A11", "Records.Derived", "finds what is right",
		func(c *call) error { (*arg[func(string)](c))("it"); return c.sound() })
	add("A12", "Records.Totals", "counts no movements", answering(func(t *credit.Totals) { t.Movements = 0 }))
	add("A13", "Records.Origin", "shows no service key", answering(func(o *ports.Origin) { o.Fingerprint = "" }))
	add("A13", "Records.Origin", "shows no earlier service keys", answering(func(o *ports.Origin) { o.EarlierKeys = "" }))
	add("A14", "Records.Origin", "shows the last id for the next", answering(func(o *ports.Origin) {
		for of := range o.Next {
			o.Next[of]--
		}
	}))
	add("A16", "Records.Unfinished", "says no", says(false))
	return all
}

func unfinishedNow(s full) bool {
	is, err := currentRecords(s).Unfinished(context.Background())
	return err == nil && is
}

func brokenCopies() (all []broken) {
	add := adds(&all)
	const begin, batch, finish = "CopyTarget.BeginCopy", "Importer.Copy", "Importer.Finish"
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ports.Batch]()) {
		add("C9", batch, "leaves out the last of "+f.Name, asking(func(b *ports.Batch) {
			if of := reflect.ValueOf(b).Elem().FieldByIndex(f.Index); of.Len() > 0 {
				of.Set(of.Slice(0, of.Len()-1))
			}
		}))
	}
	add("C11", "Resellers.Insert", "assigns names of copied accounts again", swallows(errTaken))
	add("C12 F7", begin, "forgets the service key", asking(func(o *ports.Origin) { o.Fingerprint = "" }))
	add("C12", begin, "belongs to a service key of its own", asking(func(o *ports.Origin) { o.Fingerprint = "own" }))
	add("C13 C5", begin, "starts ids of a copy from the first", asking(func(o *ports.Origin) { o.Next = firstIDs() }))
	add("C2", begin, "takes over other earlier service keys", asking(func(o *ports.Origin) { o.EarlierKeys = "others" }))
	add("C1", "Store.ClaimKey", "has the service key of an unfinished copy claimed", swallows(ports.ErrUnfinishedCopy))
	over := asking(func(restart *bool) { *restart = true })
	add("C6", begin, "looks for an unfinished copy and then begins", func(c *call) error {
		if !*arg[bool](c) && unfinishedNow(c.store) {
			return ports.ErrUnfinishedCopy
		}
		time.Sleep(tick)
		return over(c)
	})
	add("C4 C6", begin, "always starts over", over)
	add("C5", begin, "never starts over", asking(func(restart *bool) { *restart = false }))
	add("C3", begin, "takes any store for an unfinished copy", has(ports.ErrUnfinishedCopy, ports.ErrNotEmpty))
	add("C7", begin, "has an error of its own after its end", has(errOther, ports.ErrUnavailable))
	for _, at := range []string{batch, finish} {
		add("C8", at, "says nothing of an importer that has ended", swallows(ports.ErrCopyEnded))
		add("C7", at, "has an error of its own after its end", has(errOther, ports.ErrUnavailable))
	}
	add("C14", begin, "leaves records of kinds that are not copied", func(c *call) error {
		err := c.sound()
		if err == nil {
			err = (*arg[ports.Importer](c)).Copy(c.ctx, ports.Batch{Kinds: []ports.KindRecord{{Kind: Scratches.Kind,
				Stored: filledAs(Scratches.Kind, 1)}}})
		}
		return err
	})
	add("C15", batch, "takes what it refuses", failing(func(error) error { return nil }))
	for how, with := range map[string]broken{
		"forgets that a copy is there":      row("", begin, "", swallows(ports.ErrUnfinishedCopy)),
		"forgets that a copy is unfinished": row("", "Records.Unfinished", "", says(false)),
		"forgets the origin": row("", "Records.Origin", "",
			answering(func(o *ports.Origin) { o.Next = firstIDs() })),
		"forgets that a copy was finished": row("", "Records.Unfinished", "",
			says(true)).seenBy("copies-survive-reopening"),
	} {
		with.promises, with.how, with.when = "C2 C11", how+" with the process", reopened
		all = append(all, with)
	}
	return all
}

// moving moves the service key in a way of its own.
func moving(move func(c *call, is ports.ServiceKey, from, to *ports.ServiceKey) error) answer {
	return func(c *call) error {
		is, err := c.store.ServiceKey(c.ctx)
		return cmp.Or(err, move(c, is, arg[ports.ServiceKey](c), nthArg[ports.ServiceKey](c, 1)))
	}
}

var brokenRekeys = []broken{
	row("F4", "Rekeyable.MoveKey", "moves no service key", nothing),
	row("F6", "Rekeyable.MoveKey", "moves whatever service key is recorded",
		moving(func(c *call, is ports.ServiceKey, from, _ *ports.ServiceKey) error { *from = is; return c.sound() })),
	row("F6", "Rekeyable.MoveKey", "looks for the service key and then moves it",
		moving(func(c *call, is ports.ServiceKey, from, to *ports.ServiceKey) error {
			if is != *from {
				return ports.ErrKeyMoved
			}
			time.Sleep(tick)
			now, err := c.store.ServiceKey(c.ctx)
			return cmp.Or(err, c.store.MoveKey(c.ctx, now, *to))
		})).seenBy("one-of-many-moves-of-a-service-key-takes-effect"),
	row("F3", "Rekeyable.MoveKey", "moves a service key in two steps",
		moving(func(c *call, _ ports.ServiceKey, from, to *ports.ServiceKey) error {
			half := ports.ServiceKey{Fingerprint: to.Fingerprint, Earlier: from.Earlier}
			err := c.store.MoveKey(c.ctx, *from, half)
			time.Sleep(tick)
			return cmp.Or(err, c.store.MoveKey(c.ctx, half, *to))
		})).seenBy("service-keys-are-read-whole"),
	row("F8", "Rekeyable.MoveKey", "moves service keys after its end", swallows(ports.ErrUnavailable)),
	row("F8", "Rekeyable.ServiceKey", "reads service keys after its end", swallows(ports.ErrUnavailable)),
	row("F7", "Rekeyable.MoveKey", "moves the key of an unfinished copy", swallows(ports.ErrUnfinishedCopy)),
	row("F5", "Rekeyable.ServiceKey", "forgets moves with the process", says(firstKey)).only(reopened),
}

// Kinds.

func brokenKinds() (all []broken) {
	add := adds(&all)
	entries := func(lost string) answer {
		return asking(func(r *record.Stored) {
			r.Entries = slices.DeleteFunc(slices.Clone(r.Entries), func(e string) bool { return strings.HasPrefix(e, lost) })
		})
	}
	for _, index := range strings.Fields("webhook/account/ principal/account/ principal/name/") {
		all = append(all, row("D6 D10", "Writer.Insert", "leaves the index out: "+index,
			entries(index)).seenBy("unique-entries-are-one-records"))
	}
	payload := asking(func(r *record.Stored) { r.Payload = r.Payload[:max(strings.LastIndex(r.Payload, `,"`), 0)] + "}" })
	add("D1", "Writer.Insert", "leaves a field out", payload)
	add("D7", "Writer.Save", "leaves a field out", payload)
	add("D13", "Writer.Insert", "leaves all indexes out", entries(""))
	add("D2", "Writer.Delete", "deletes the record of every kind", func(c *call) (err error) {
		for _, of := range ports.Kinds() {
			err = errors.Join(err, absent(c.tx.Records.Delete(c.ctx, of, *arg[string](c))))
		}
		return err
	})
	add("D3", "Lister.Get", "finds records that do not exist", failing(absent))
	add("D8", "Writer.Save", "saves records that do not exist", swallows(fault.ErrNotFound))
	add("D11", "Writer.Delete", "deletes records that do not exist", swallows(fault.ErrNotFound))
	add("D6", "Writer.Insert", "inserts a record that exists", swallows(record.ErrExists))
	add("D7 D10", "Writer.Save", "saves nothing", nothing)
	add("D4", "Store.Update", "writes records at once", autocommit)
	add("D5", "Writer.Delete", "deletes nothing", nothing)
	add("D14", "Lister.Get", "takes what a newer version wrote for damaged", func(c *call) error {
		return cmp.Or(c.sound(), either(strings.Contains(*nthArg[string](c, 1), `"newest"`), record.ErrDamaged))
	})
	add("D12", "Lister.List", "lists a record too many", asking(func(r *record.Range) { r.Limit++ }))
	add("D12", "Lister.List", "lists in one direction", asking(func(r *record.Range) { r.Descending = false }))
	add("D13", "Lister.List", "lists the end of a range", asking(func(r *record.Range) { r.To += "\U0010ffff" }))
	return all
}

// Journals.

func brokenJournals() (all []broken) {
	add := adds(&all)
	hides := func(hidden func(reads int64, n journal.Numbered) bool) answer {
		return remembers(func() answer {
			var reads atomic.Int64
			return func(c *call) error {
				err, read, page := c.sound(), reads.Add(1), arg[ports.EventPage](c)
				page.Entries = slices.DeleteFunc(page.Entries, func(n journal.Numbered) bool { return hidden(read, n) })
				return err
			}
		})
	}
	add("J2", "Events.List", "lacks entries", hides(func(_ int64, n journal.Numbered) bool { return n.Seq%5 == 4 }))
	add("J3", "Events.List", "shows an entry after the next one", hides(func(reads int64, n journal.Numbered) bool {
		return reads%3 > 0 && n.Seq%3 == 0
	}))
	all = append(all,
		row("J4", "Store.Update", "turns the entries of an update round", delaying([]string{"Journal.Append"}, true)).
			seenBy("entries-survive-unchanged"))
	add("J4", "Store.Update", "numbers entries in another order than that of the commits", func(c *call) error {
		var appended []journal.Entry
		err := meddled{c.store, func(op *call) error {
			if op.method == "Journal.Append" {
				appended = append(appended, *arg[journal.Entry](op))
				return nil
			}
			return op.sound()
		}}.Update(c.ctx, *c.work)
		for _, e := range either(err == nil, appended) {
			time.Sleep(time.Duration(1-e.Version%2) * tick)
			err = errors.Join(err, c.store.Update(c.ctx, appendsEntry(e)))
		}
		return err
	})
	add("J1", "Store.Update Journal.Append", "stores an entry without its effect", keeping())
	add("J5", "Journal.Append", "takes what it refuses", failing(func(error) error { return nil }))
	add("J6", "Events.", "cuts the chain", altering(func(n *journal.Numbered) { n.Hash[7] ^= either[byte](n.Seq == 5, 1) }))
	add("J11", "Journal.Begin", "begins an epoch after any other", func(c *call) (err error) {
		*arg[journal.Epoch](c), err = c.tx.Journal.Epoch(c.ctx)
		return errors.Join(err, c.sound())
	})
	add("J9", "Journal.Append", "has an error of its own before the journal begins", has(errOther, ports.ErrEpoch))
	add("J11", "Journal.Begin", "has an error of its own for another epoch", has(errOther, ports.ErrEpoch))
	add("J10", "Events.", "keeps the first epoch", altering(func(n *journal.Numbered) { n.Epoch = epochs[0] }))
	add("J12", "Journal.Epoch", "knows no epoch", says(journal.Epoch("")))
	add("J13", "Events.Head", "shows the head before", answering(func(h *journal.Head) { h.Seq = max(0, h.Seq-1) }))
	add("J17", "Events.OfMovements", "finds none", answering(func(all *map[int64]journal.Numbered) { clear(*all) }))

	const wait = "Store.AwaitEntry"
	add("J19", wait, "waits for nothing", nothing)
	add("J19", wait, "waits for one more", asking(func(after *int64) { *after++ }))
	add("J19", wait, "waits for one less", asking(func(after *int64) { *after-- }))
	add("J20", wait, "does not look at the context",
		func(c *call) error { c.ctx = context.WithoutCancel(c.ctx); return c.sound() })
	add("J20", wait, "has an error of its own where the context ends", has(ports.ErrUnavailable, context.Canceled))
	add("J20", wait, "has an error of its own after its end", has(errOther, ports.ErrUnavailable))

	const figures = "Events.Figures"
	days := func(from, to time.Duration) answer {
		return func(c *call) error {
			*arg[time.Time](c), *nthArg[time.Time](c, 1) = arg[time.Time](c).Add(from), nthArg[time.Time](c, 1).Add(to)
			return c.sound()
		}
	}
	add("J18", figures, "begins a day late", days(24*time.Hour, 0))
	add("J18", figures, "looks at one account", asking(func(accounts *[]int64) {
		*accounts = (*accounts)[:min(1, len(*accounts))]
	}))
	for how, with := range map[string]broken{
		"forgets the last entry": row("", "Events.List", "",
			answering(func(p *ports.EventPage) { p.Entries = p.Entries[:max(0, len(p.Entries)-1)] })),
		"forgets the head":    row("", "Events.Head", "", says(journal.Head{})),
		"forgets the epoch":   row("", "Journal.Epoch", "", says(journal.Epoch(""))),
		"forgets the figures": row("", figures, "", says([]ports.DayFigures(nil))),
	} {
		with.promises, with.how, with.when, with.check = "J7", how+" with the process", reopened, "every-field-survives-reopening"
		all = append(all, with)
	}
	return all
}
