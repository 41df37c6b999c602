package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var journalChecks = []Check{
	{"entries-survive-unchanged", proves{"S1", "J6", "J8"}, func(w *harness) {
		c := w.chronicle()
		entries := fullEntries(w.moved().all)
		c.append(entries...)
		c.sees()
		for i := range entries { // they are the caller's
			spoil(&entries[i])
		}
		c.sees()
		for _, found := range w.events(ports.EventQuery{Limit: 500}) {
			spoil(&found.Entry)
		}
		for _, found := range w.named(c.movements()) {
			spoil(&found.Entry)
		}
		c.sees()
	}},
	{"entries-are-kept-with-their-updates", proves{"J1", "J2"}, func(w *harness) {
		c := w.chronicle()
		a := w.master(w.admin("root"), "a", 0)
		entry := plainEntry(a)
		both := inTurn(addsTo(a.ID()), appendsEntry(entry))
		for range 5 {
			w.want(w.try(inTurn(both, refuses)), errRefused, "append an entry in vain")
			ctx, cancel := context.WithCancel(w.ctx)
			_ = w.store.Update(ctx, inTurn(both, func(context.Context, ports.Tx) error { cancel(); return nil }))
			// there is one more than entries without the first
			if effects := w.balance(a.ID()); effects == int64(len(c.entries)) {
				c.expect(entry)
			}
			w.update("change an account and append an entry", both)
			c.expect(entry)
			w.update("append no entry", func(context.Context, ports.Tx) error { return nil })
			c.sees()
		}
	}},
	{"followers-see-each-entry-once-in-order", proves{"J2", "J3", "J4", "J6"}, func(w *harness) { w.follow(w) }},
	{"entries-of-one-update-keep-their-order", proves{"J4"}, func(w *harness) {
		c := w.chronicle()
		root := w.admin("root")
		for round := range rounds {
			var together []journal.Entry
			for i := range 3 {
				e := plainEntry(root)
				e.Version, e.At = int64(100-3*round-i), e.At.Add(time.Duration(-i)*time.Millisecond) // against any other order
				together = append(together, e)
			}
			c.append(together...)
		}
		c.sees()
	}},
	{"no-two-entries-name-a-movement", proves{"J1", "J5"}, func(w *harness) {
		c := w.chronicle()
		root := w.admin("root")
		a := w.master(root, "a", 0)
		movements := w.movements(root, a, w.master(a, "b", 0), 1)
		storeAll(w, movements, appends)
		naming := func(i int) journal.Entry {
			e := plainEntry(a)
			e.Movement = journal.MovementOf(movements[i])
			return e
		}
		for i := range 3 {
			both := inTurn(addsTo(a.ID()), appendsEntry(naming(i)))
			errs := AtOnce(workers, func(int) error { return w.try(both) })
			kept := len(slices.DeleteFunc(errs, func(err error) bool { return err != nil }))
			if effects := w.balance(a.ID()); kept != 1 || effects != int64(i)+1 {
				w.Fatalf("%d entries at once name movement %d: %d are kept, and %d changes beside entries so far, want 1 and %d",
					workers, movements[i].ID, kept, effects, i+1)
			}
			c.expect(naming(i))
			if w.try(both) == nil {
				w.Errorf("a second entry names movement %d", movements[i].ID)
			}
			if w.try(inTurn(appendsEntry(naming(3)), appendsEntry(naming(3)))) == nil {
				w.Errorf("two entries of one update name movement %d", movements[3].ID)
			}
		}
		c.append(plainEntry(root))
		c.sees()
	}},
	{"entries-outlive-what-they-are-about", proves{"J7"}, func(w *harness) {
		c := w.chronicle()
		owner := w.master(w.admin("root"), "owner", 0)
		for i := range 3 {
			l := w.trial(owner, "gone"+strconv.Itoa(i))
			w.put(expiring(owner, "key", noon))
			about := plainEntry(owner)
			about.Line = l.ID()
			c.append(about)
			w.update("rename an account", renames(owner.ID(), "renamed"+strconv.Itoa(i)))
			w.update("rename a line", renamesLine(l.ID(), "renamed"+strconv.Itoa(i)))
			w.deleteLine(l.ID())
			w.drops(noon, 10, 1)
			c.sees()
		}
	}},
	{"journals-begin-once", proves{"J9", "J10", "J11", "J12", "J13"}, func(w *harness) {
		c := chronicle{harness: w}
		entry := plainEntry(fixture.Admin(7))
		begins := func(from, to journal.Epoch) work { return beginsEpoch(from, to, entry) }
		c.sees()
		w.want(w.try(appendsEntry(entry)), ports.ErrEpoch, "append to a journal that has not begun")
		w.want(w.try(begins(epochs[0], epochs[1])), ports.ErrEpoch, "begin an epoch after one that is not in force")
		w.want(w.try(inTurn(begins("", epochs[0]), refuses)), errRefused, "begin a journal in vain")
		c.sees()
		for i, epoch := range epochs {
			from := c.head().Epoch
			w.update("begin an epoch", inTurn(begins(from, epoch), func(ctx context.Context, tx ports.Tx) error {
				now, err := tx.Journal.Epoch(ctx)
				if err == nil && now != epoch {
					err = fmt.Errorf("the epoch right after it began is %q", now)
				}
				return err
			}))
			c.expectBegin(epoch, entry)
			c.append(entry, entry)
			c.sees()
			for j, other := range append([]journal.Epoch{""}, epochs...) {
				if j != i+1 {
					w.want(w.try(begins(other, "0fffffff")), ports.ErrEpoch, "begin an epoch after one that is not in force")
				}
			}
			c.append(entry)
			c.sees()
		}
	}},
	{"one-of-many-epochs-begins", proves{"J11"}, func(w *harness) {
		c := chronicle{harness: w}
		entry := plainEntry(fixture.Admin(7))
		for round := range byte(3) {
			from, errs := c.head().Epoch, make([]error, workers)
			epoch := func(i int) journal.Epoch { return journal.EpochOf([4]byte{round, byte(i)}) }
			errs = AtOnce(len(errs), func(i int) error { return w.try(beginsEpoch(from, epoch(i), entry)) })
			w.oneSucceeds(errs, ports.ErrEpoch, "begin an epoch")
			c.expectBegin(epoch(slices.Index(errs, nil)), entry)
			c.append(entry)
			c.sees()
		}
	}},
	{"waiting-ends-with-the-next-entry", proves{"J19"}, func(w *harness) {
		var waits [2]<-chan error
		begin := func(after int64) {
			for i := range waits {
				waits[i] = async(func() error { return w.store.AwaitEntry(w.ctx, after) })
			}
		}
		still := func(when string) {
			for _, wait := range waits {
				if ended, err := soon(wait); ended {
					w.Fatalf("AwaitEntry returned %v %s", err, when)
				}
			}
		}
		ends := func(when string) {
			for _, wait := range waits {
				w.must(outcome(w, wait, "waiting for an entry "+when), "wait for an entry "+when)
			}
		}
		root := w.admin("root")
		begin(0)
		still("before the journal has begun")
		c := w.chronicle()
		ends("until the journal has begun")
		entry := plainEntry(root)
		for range 3 {
			begin(int64(len(c.entries)))
			w.want(w.try(inTurn(appendsEntry(entry), refuses)), errRefused, "append an entry in vain")
			w.update("append no entry", renames(root.ID(), "renamed"))
			still("before the next entry")
			c.append(entry)
			ends("that was appended")
			begin(int64(len(c.entries)) + 1)
			c.append(entry)
			still("one entry too soon")
			c.append(entry)
			ends("after the next one")
			begin(1)
			ends("that is there")
		}
	}},
	{"waiting-for-entries-ends", proves{"J20"}, func(w *harness) {
		const never = 1 << 40
		for _, begun := range []bool{false, true} {
			if begun {
				w.chronicle()
			}
			ctx, cancel := context.WithCancel(w.ctx)
			wait := async(func() error { return w.store.AwaitEntry(ctx, never) })
			if ended, err := soon(wait); ended {
				w.Fatalf("AwaitEntry returned %v while there is no such entry", err)
			}
			cancel()
			w.want(outcome(w, wait, "a wait whose context ended"), context.Canceled, "a wait whose context ended")
			w.want(w.store.AwaitEntry(ctx, never), context.Canceled, "a wait whose context has ended")
			ctx, cancel = context.WithTimeout(w.ctx, grace)
			w.want(w.store.AwaitEntry(ctx, never), context.DeadlineExceeded, "a wait whose time is over")
			cancel()
		}
		wait := async(func() error { return w.store.AwaitEntry(w.ctx, never) })
		_, _ = soon(wait)
		w.close()
		w.want(outcome(w, wait, "a wait in a store that was closed"), ports.ErrUnavailable,
			"a wait in a store that was closed")
		for _, after := range []int64{0, never} {
			w.want(w.store.AwaitEntry(w.ctx, after), ports.ErrUnavailable, "wait after close")
		}
	}},
}

// eventChecks are of what a journal shows.
var eventChecks = []Check{
	{"event-lists-select", proves{"J14"}, func(w *harness) {
		c := w.history()
		for _, scope := range eventScopes() {
			c.lists(ports.EventQuery{Of: scope, Limit: 7})
		}
		for _, scope := range someEventScopes {
			for _, types := range [][]journal.Type{
				{journal.LineActivated}, {journal.LineUpdated, journal.ResellerCredited}, {journal.Began}, {journal.KeyReplaced},
				journal.Types(),
			} {
				c.lists(ports.EventQuery{Of: scope, Types: types, Limit: 3})
			}
		}
	}},
	{"event-lists-are-cut-into-pages", proves{"J15", "J16"}, func(w *harness) {
		c := w.history()
		n := int64(len(c.entries))
		for _, scope := range someEventScopes {
			for _, limit := range []int{1, 3, int(n) + 1} {
				for _, after := range []int64{0, 1, n / 2, n - 1, n, unknownID} {
					for _, before := range []int64{0, 1, 2, n/2 + 3, n, n + 1, unknownID} {
						c.lists(ports.EventQuery{Of: scope, After: after, Before: before, Limit: limit})
					}
				}
			}
		}
	}},
	{"long-event-lists-end", proves{"J16"}, func(w *harness) {
		c := w.chronicle()
		root := fixture.Admin(1)
		owner, other := below(root, 2, "owner"), below(root, 3, "other")
		var all []journal.Entry
		for i := range manyRecords {
			e := plainEntry(other)
			switch {
			case i%700 == 699:
				e = plainEntry(owner)
			case i%5 == 3:
				e.Type = journal.LineExtended
			}
			all = append(all, e)
		}
		for some := range slices.Chunk(all, batch) {
			c.append(some...)
		}
		rare, never := []journal.Type{journal.LineExtended}, []journal.Type{journal.KeyReplaced}
		for _, q := range []ports.EventQuery{
			{Limit: 500},
			{Types: rare, Limit: 250},
			{Types: never, Limit: 10},
			{Of: ports.EventScope{Account: owner.ID()}, Limit: 1},
			{Of: ports.EventScope{Account: other.ID()}, Types: never, Limit: 20},
			{Of: ports.EventScope{Tree: other.ID()}, Types: rare, After: 7, Limit: 100},
			{Of: ports.EventScope{Tree: other.ID()}, Types: rare, Before: manyRecords - 7, Limit: 100},
		} {
			c.lists(q)
		}
	}},
	{"event-pages-show-each-once", proves{"J16"}, func(w *harness) {
		c := w.history()
		for _, descending := range []bool{false, true} {
			for _, scope := range someEventScopes {
				c.pagesBesideAppends(ports.EventQuery{Of: scope, Descending: descending, Limit: 2})
			}
		}
	}},
	{"entries-are-found-by-their-movements", proves{"J17"}, func(w *harness) {
		c := w.history()
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			return finds(w, "entries that name movements", c.naming(c.movements()), c.movements(), c.unnamed(),
				func(ids []int64) (map[int64]journal.Numbered, error) { return s.Journal.OfMovements(ctx, ids) })
		})
	}},
	{"figures-are-sums", proves{"J18"}, func(w *harness) {
		c := w.chronicle()
		c.figures()
		c.goOn()
		c.figures()
		for _, n := range c.entries {
			if e := n.Entry; e.Type == journal.LineActivated || e.Type == journal.TrialCreated {
				e.Movement = nil
				c.append(e)
			}
		}
		c.figures()
	}},
}

// journalDurabilityChecks are of what must outlive the process.
var journalDurabilityChecks = []Check{
	{"journals-survive-reopening", proves{"J7", "J10", "J12", "J18"}, func(w *harness) {
		c := w.history()
		for _, epoch := range epochs[1:] {
			w.reopen()
			c.sees()
			c.figures()
			for _, scope := range someEventScopes {
				c.lists(ports.EventQuery{Of: scope, Limit: 7})
			}
			c.append(plainEntry(fixture.Admin(7)))
			from := c.head().Epoch
			w.update("begin an epoch", beginsEpoch(from, epoch, plainEntry(fixture.Admin(7))))
			c.expectBegin(epoch, plainEntry(fixture.Admin(7)))
		}
		w.reopen()
		c.sees()
	}},
}

// journalSharingChecks are of a store that two processes have open.
var journalSharingChecks = []Check{
	{"processes-follow-each-others-entries", proves{"J2", "J3", "J4", "J6", "J19"},
		func(w *harness) { w.follow(w, w.beside()) }},
}

// journalCopyChecks are of copies.
var journalCopyChecks = []Check{
	{"copies-refuse-what-does-not-follow", proves{"C15"}, func(w *harness) {
		from := w.another().history()
		n := len(from.entries)
		one := from.entries[n/2]
		one.Reason += "?"
		renumbered := from.entries[n/2-1].Append(from.entries[n/2+1].Entry)
		renumbered.Seq++
		for how, entries := range map[string][]journal.Numbered{
			"with one left out":   slices.Delete(slices.Clone(from.entries), n/2, n/2+1),
			"without the first":   from.entries[1:],
			"with one twice":      slices.Insert(slices.Clone(from.entries), n/2, from.entries[n/2]),
			"with one changed":    slices.Replace(slices.Clone(from.entries), n/2, n/2+1, one),
			"with one renumbered": append(slices.Clone(from.entries[:n/2]), renumbered),
		} {
			for _, size := range []int{n + 1, 3} {
				importer, copied := w.begin(unused("key"), true), true
				for some := range slices.Chunk(entries, size) {
					copied = copied && importer.Copy(w.ctx, ports.Batch{Entries: some}) == nil
				}
				if copied {
					w.Errorf("a journal %s was copied, in batches of %d", how, size)
				}
			}
		}
	}},
}

// epochs are some.
var epochs = []journal.Epoch{"00c0ffee", "fe000001", "0000000a"}

// patience is how long a store may take to number an entry and tell of it.
const patience = time.Minute

// appendsEntry appends an entry.
func appendsEntry(e journal.Entry) work {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Journal.Append(ctx, e) }
}

func beginsEpoch(from, to journal.Epoch, e journal.Entry) work {
	e.Type = journal.Restored
	if from == "" {
		e.Type = journal.Began
	}
	return func(ctx context.Context, tx ports.Tx) error { return tx.Journal.Begin(ctx, from, to, e) }
}

// versioned gives a reseller the next version, and appends an entry of it.
func versioned(id int64) work {
	return func(ctx context.Context, tx ports.Tx) error {
		r, err := tx.Resellers.Get(ctx, id)
		if err != nil {
			return err
		}
		r = fixture.Changed(r, func(s *reseller.State) { s.Version++ })
		entry := plainEntry(r)
		entry.Version = r.State().Version
		return errors.Join(tx.Resellers.Save(ctx, r), tx.Journal.Append(ctx, entry))
	}
}

// inVersionOrder fails unless the entries that versioned has appended come in the order of the versions of each
// reseller.
func (w *harness) inVersionOrder(all []journal.Numbered) {
	last := map[int64]int64{}
	for _, n := range all {
		if n.Version == 0 {
			continue
		}
		if before, is := last[n.Account.ID]; is && n.Version != before+1 {
			w.Fatalf("entry %d is of version %d of account %d, and the one before it of %d", n.Seq, n.Version,
				n.Account.ID, before)
		}
		last[n.Account.ID] = n.Version
	}
}

// chronicle is a journal as it is to be, of a check that appends the entries of one update after those of another.
type chronicle struct {
	*harness
	entries []journal.Numbered
}

// chronicle begins the journal.
func (w *harness) chronicle() *chronicle {
	c := &chronicle{harness: w}
	began := journal.Entry{Type: journal.Began, At: noon, Actor: journal.Actor{Kind: journal.BySystem}}
	w.update("begin the journal", beginsEpoch("", epochs[0], began))
	c.expectBegin(epochs[0], began)
	return c
}

func (c *chronicle) head() journal.Head {
	if len(c.entries) == 0 {
		return journal.Head{}
	}
	return c.entries[len(c.entries)-1].Head
}

// append appends entries in one update, and waits until they have their numbers.
func (c *chronicle) append(entries ...journal.Entry) {
	c.update("append entries", inTurn(mapped(entries, appendsEntry)...))
	c.expect(entries...)
}

// expect adds entries that were appended, and waits until they have their numbers.
func (c *chronicle) expect(entries ...journal.Entry) {
	for _, e := range entries {
		c.entries = append(c.entries, c.head().Append(copied(e)))
	}
	c.awaits(int64(len(c.entries)))
}

// expectBegin is expect of the first entry of an epoch.
func (c *chronicle) expectBegin(epoch journal.Epoch, e journal.Entry) {
	e.Type = journal.Restored
	if len(c.entries) == 0 {
		e.Type = journal.Began
	}
	c.entries = append(c.entries, c.head().Begin(epoch, copied(e)))
	c.awaits(int64(len(c.entries)))
}

// awaits waits for the entry of a number.
func (w *harness) awaits(seq int64) {
	w.must(w.awaitEntry(seq-1), fmt.Sprintf("wait for entry %d", seq))
}

func (w *harness) awaitEntry(after int64) error {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	return w.store.AwaitEntry(ctx, after)
}

// movements returns the ids of those that entries name.
func (c *chronicle) movements() (ids []int64) {
	for _, n := range c.entries {
		if n.Movement != nil {
			ids = append(ids, n.Movement.ID)
		}
	}
	return ids
}

// unnamed returns ids of movements that no entry names, right before those of some that are.
func (c *chronicle) unnamed() []int64 {
	all := []int64{0, -1, unknownID}
	for _, id := range c.movements() {
		if !slices.Contains(c.movements(), id-1) {
			all = append(all, id-1)
		}
	}
	return all
}

// sees fails unless the journal is as it is to be, in every way that there is to read it.
func (c *chronicle) sees() {
	c.same(c.events(ports.EventQuery{Limit: 500}), c.entries, "the journal")
	c.same(seen(c.harness, func(ctx context.Context, s ports.Snapshot) (journal.Head, error) {
		return s.Journal.Head(ctx)
	}), c.head(), "its head")
	epoch, _ := seenInUpdate(c.harness, func(ctx context.Context, tx ports.Tx) (journal.Epoch, error) {
		return tx.Journal.Epoch(ctx)
	})
	c.same(epoch, c.head().Epoch, "its epoch")
	c.same(c.named(c.movements()), c.naming(c.movements()), "entries that name movements")
}

// naming returns the entries that name movements.
func (c *chronicle) naming(movements []int64) map[int64]journal.Numbered {
	found := map[int64]journal.Numbered{}
	for _, n := range c.entries {
		if n.Movement != nil && slices.Contains(movements, n.Movement.ID) {
			found[n.Movement.ID] = n
		}
	}
	return found
}

// archived fails unless an archive shows the journal as it is to be.
func (c *chronicle) archived() {
	want := map[int64]ports.Audited[any]{}
	for _, n := range c.entries {
		if n.Movement != nil {
			want[n.Movement.ID] = ports.Audited[any]{ID: n.Seq, Record: n}
		}
	}
	c.records(func(ctx context.Context, r ports.Records) error {
		all, err := auditedAll(ctx, r.Entries)
		c.same(all, c.entries, "the journal in an archive")
		head, headErr := r.Head(ctx)
		c.same(head, c.head(), "its head in an archive")
		named, namedErr := states(ctx, r.EntriesByMovement)(c.movements())
		c.same(named, want, "entries by their movements in an archive")
		return errors.Join(err, headErr, namedErr)
	})
}

// sums returns the figures of all entries, in the order of accounts and days.
func (c *chronicle) sums() (all []ports.DayFigures) {
	type key struct {
		account int64
		day     time.Time
	}
	sums := map[key]journal.Figures{}
	for _, n := range c.entries {
		n.Figures(func(account int64, f journal.Figures) {
			of := key{account, journal.DayOf(n.At)}
			sums[of] = sums[of].Plus(f)
		})
	}
	for of, f := range sums {
		all = append(all, ports.DayFigures{Account: of.account, Day: of.day, Figures: f})
	}
	slices.SortFunc(all, compareFigures)
	return all
}

// figures fails unless all figures, and parts of them, are the sums of the entries.
func (c *chronicle) figures() {
	all := c.sums()
	accounts := []int64{unknownID}
	for _, f := range all {
		accounts = append(accounts, f.Account) // of several days: more than once
	}
	day := journal.DayOf(noon)
	for _, asked := range [][]int64{nil, {unknownID}, accounts[:min(2, len(accounts))], accounts} {
		for _, from := range []time.Time{{}, day.Add(-24 * time.Hour), day, day.Add(24*time.Hour - time.Millisecond),
			day.Add(24 * time.Hour), day.AddDate(1, 0, 0)} {
			for _, to := range []time.Time{day, day.Add(24*time.Hour - time.Millisecond), day.Add(24 * time.Hour),
				day.AddDate(1, 0, 0)} {
				var want []ports.DayFigures
				for _, f := range all {
					if slices.Contains(asked, f.Account) && !f.Day.Before(journal.DayOf(from)) && f.Day.Before(journal.DayOf(to)) {
						want = append(want, f)
					}
				}
				got := seen(c.harness, func(ctx context.Context, s ports.Snapshot) ([]ports.DayFigures, error) {
					return s.Journal.Figures(ctx, asked, from, to)
				})
				slices.SortFunc(got, compareFigures)
				c.same(got, want, fmt.Sprintf("figures of %d from %s to %s", asked, from, to))
			}
		}
	}
}

func compareFigures(a, b ports.DayFigures) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), a.Day.Compare(b.Day))
}

// follow has workers append to the journal by updates of these processes, of which some conflict and some are refused,
// while followers in each read it up to its end. It fails unless all of them see the same.
func (w *harness) follow(processes ...*harness) {
	const followers, total = 3, 1 + workers*rounds
	w.chronicle()
	root := w.admin("root")
	var accounts []int64
	for i := range workers / 2 {
		accounts = append(accounts, w.master(root, "account"+strconv.Itoa(i), 0).ID())
	}
	var followed [followers][]journal.Numbered
	following := async(func() []error {
		return AtOnce(followers, func(i int) (err error) {
			followed[i], err = processes[i%len(processes)].followTo(total)
			return err
		})
	})
	together(func(p *harness, i int) error {
		do := versioned(accounts[i%len(accounts)])
		if i%3 == 0 {
			if err := p.try(inTurn(do, refuses)); !errors.Is(err, errRefused) {
				return fmt.Errorf("an update whose work refused: %w", err)
			}
		}
		return p.try(do)
	}, processes...)
	w.must(errors.Join(outcome(w, following, "followers")...), "follow the journal")
	for _, p := range processes {
		all := p.journal()
		if len(all) != total {
			w.Fatalf("%d entries were appended, and the journal has %d", total, len(all))
		}
		p.inVersionOrder(all)
		for i := range followed {
			w.same(followed[i], all, "what a follower saw")
		}
	}
}

// followTo reads the journal as it grows, up to the entry of a number.
func (w *harness) followTo(last int64) (all []journal.Numbered, err error) {
	var at journal.Head
	for at.Seq < last {
		if err := w.awaitEntry(at.Seq); err != nil {
			return nil, fmt.Errorf("wait for the entry after %d: %w", at.Seq, err)
		}
		var next []journal.Numbered
		var head journal.Head
		err := w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
			if next, err = listed(ctx, s, ports.EventQuery{After: at.Seq, Limit: 5}, eventPage); err != nil {
				return err
			}
			head, err = s.Journal.Head(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(next) == 0 {
			return nil, fmt.Errorf("a wait for the entry after %d has ended, and there is none", at.Seq)
		}
		if at, err = follows(at, next); err != nil {
			return nil, err
		}
		if at != head {
			return nil, fmt.Errorf("the last entry is %d, and the head %d", at.Seq, head.Seq)
		}
		all = append(all, next...)
	}
	return all, nil
}

// follows returns the head after entries, or an error if they do not follow each other from a head on.
func follows(at journal.Head, entries []journal.Numbered) (journal.Head, error) {
	for _, n := range entries {
		if !n.Follows(at) {
			return at, fmt.Errorf("entry %d of epoch %q does not follow entry %d of %q", n.Seq, n.Epoch, at.Seq, at.Epoch)
		}
		at = n.Head
	}
	return at, nil
}

// journal returns all entries, which follow each other.
func (w *harness) journal() []journal.Numbered {
	all := w.events(ports.EventQuery{Limit: 500})
	_, err := follows(journal.Head{}, all)
	w.must(err, "read the journal")
	return all
}

// events returns the entries of a query.
func (w *harness) events(q ports.EventQuery) []journal.Numbered {
	return seen(w, func(ctx context.Context, s ports.Snapshot) ([]journal.Numbered, error) {
		return listed(ctx, s, q, eventPage)
	})
}

// named returns the entries that name movements.
func (w *harness) named(movements []int64) map[int64]journal.Numbered {
	return seen(w, func(ctx context.Context, s ports.Snapshot) (map[int64]journal.Numbered, error) {
		return s.Journal.OfMovements(ctx, movements)
	})
}

// eventPage does for entries what resellerPage does for accounts.
func eventPage(ctx context.Context, s ports.Snapshot,
	q ports.EventQuery) (shown []journal.Numbered, next *ports.EventQuery, err error) {
	page, err := s.Journal.List(ctx, q)
	if err != nil || len(page.Damaged) > 0 {
		return nil, nil, cmp.Or(err, fmt.Errorf("entries %v are damaged", page.Damaged))
	}
	compare, after := cmp.Compare[int64], q.After
	if q.Descending {
		compare, after = func(a, b int64) int { return cmp.Compare(b, a) }, cmp.Or(q.Before, unknownID<<1)
	}
	if following := q; page.Next != 0 {
		if next = &following; q.Descending {
			following.Before = page.Next
		} else {
			following.After = page.Next
		}
	}
	return page.Entries, next, checkPage(q.Limit, after, mapped(page.Entries, seqOf),
		either(page.Next != 0, &page.Next), compare)
}

// lists fails unless the pages of a query hold the entries that it selects, in both orders.
func (c *chronicle) lists(q ports.EventQuery) {
	for _, q.Descending = range []bool{false, true} {
		c.sameIDs(mapped(c.events(q), seqOf), mapped(c.selected(q), seqOf), fmt.Sprintf("entries of %+v", q))
	}
}

// selected returns the entries that a query selects.
func (c *chronicle) selected(q ports.EventQuery) (all []journal.Numbered) {
	for _, n := range c.entries {
		if selectsEntry(q, &n) && n.Seq > q.After && (q.Before == 0 || n.Seq < q.Before) {
			all = append(all, n)
		}
	}
	if q.Descending {
		slices.Reverse(all)
	}
	return all
}

// selectsEntry reports whether a query selects an entry, wherever its page begins.
func selectsEntry(q ports.EventQuery, n *journal.Numbered) bool {
	of := q.Of
	return (of.Account == 0 || n.Concerns(of.Account)) &&
		(of.Tree == 0 || n.Concerns(of.Tree) || n.Account.Under(of.Tree)) &&
		(of.Line == 0 || n.Line == of.Line) && (len(q.Types) == 0 || slices.Contains(q.Types, n.Type))
}

// pagesBesideAppends goes through the pages of a query while entries are appended.
func (c *chronicle) pagesBesideAppends(q ports.EventQuery) {
	throughout := map[int64]bool{}
	for _, n := range c.selected(q) {
		throughout[n.Seq] = true
	}
	showsEachOnce(c.harness, q, eventPage, seqOf, throughout, func(pages int, _ []journal.Numbered, _ ports.EventQuery) {
		if pages < 3 {
			again := c.entries[len(c.entries)/(pages+1)-1].Entry
			again.Movement = nil
			c.append(again)
		}
	})
}
