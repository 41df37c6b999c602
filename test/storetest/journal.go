package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var journalChecks = []Check{
	{"entries-survive-unchanged", proves{"S1", "J4", "J6", "J7", "J8"}, func(w *harness) {
		c, m := w.chronicle(), w.moved()
		entries := fullEntries(m.all)
		slices.Reverse(entries) // against the order of all that they have
		c.append(entries...)
		about := plainEntry(fixture.Admin(7))
		about.Line = m.line
		c.append(about)
		w.deleteLine(m.line)
		c.sees()
		for i := range entries { // they are the caller's
			spoil(&entries[i])
		}
		for _, found := range w.events(ports.EventQuery{Limit: 500}) {
			spoil(&found.Entry)
		}
		for _, found := range w.named(c.movements()) {
			spoil(&found.Entry)
		}
		c.sees()
	}},
	{"entries-are-stored-with-their-updates", proves{"J1", "J2"}, func(w *harness) {
		c := w.chronicle()
		a := w.master(w.admin("root"), "a", 0)
		entry := plainEntry(a)
		both := inTurn(addsTo(a.ID()), appendsEntry(entry))
		for range 5 {
			w.want(w.try(inTurn(both, refuses)), errRefused, "append an entry in an update that fails")
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
	{"no-two-entries-name-a-movement", proves{"J1", "J5"}, func(w *harness) {
		c, m := w.chronicle(), w.moved()
		naming := func(i int) journal.Entry {
			return journal.Entry{Type: journal.ResellerUpdated, At: noon, Movement: journal.MovementOf(m.all[i])}
		}
		for i := range 3 {
			before, both := w.balance(m.payer), inTurn(addsTo(m.payer), appendsEntry(naming(i)))
			errs := AtOnce(workers, func(int) error { return w.try(both) })
			kept := len(slices.DeleteFunc(errs, func(err error) bool { return err != nil }))
			if effects := w.balance(m.payer) - before; kept != 1 || effects != 1 {
				w.Fatalf("of %d entries at once with one movement %d are stored, and %d changes with them", workers, kept,
					effects)
			}
			c.expect(naming(i))
			if w.try(both) == nil || w.try(inTurn(appendsEntry(naming(3)), appendsEntry(naming(3)))) == nil {
				w.Errorf("a second entry names a movement")
			}
		}
		c.sees()
	}},
	{"journals-begin-once", proves{"J9", "J10", "J11", "J12", "J13"}, func(w *harness) {
		c := chronicle{harness: w}
		entry := plainEntry(fixture.Admin(7))
		begins := func(from, to journal.Epoch) work { return beginsEpoch(from, to, entry) }
		c.sees()
		w.want(w.try(appendsEntry(entry)), ports.ErrEpoch, "append to a journal that has not begun")
		w.want(w.try(begins(epochs[0], epochs[1])), ports.ErrEpoch, "begin an epoch after one that is not in force")
		w.want(w.try(inTurn(begins("", epochs[0]), refuses)), errRefused, "begin a journal in an update that fails")
		c.sees()
		for round := range byte(3) {
			from := c.head().Epoch
			epoch := func(i int) journal.Epoch { return journal.EpochOf([4]byte{round, byte(i)}) }
			errs := AtOnce(workers, func(i int) error {
				return w.try(inTurn(begins(from, epoch(i)), func(ctx context.Context, tx ports.Tx) error {
					now, err := tx.Journal.Epoch(ctx)
					return cmp.Or(err, either(now != epoch(i), fmt.Errorf("the epoch right after it began is %q", now)))
				}))
			})
			w.oneSucceeds(errs, ports.ErrEpoch, "begin an epoch")
			c.expectBegin(epoch(max(0, slices.Index(errs, nil))), entry)
			w.want(w.try(begins(from, "0fffffff")), ports.ErrEpoch, "begin an epoch after one that is not in force")
			c.append(entry, entry)
			c.sees()
		}
	}},
	{"waiting-ends-with-the-next-entry", proves{"J19", "J20"}, func(w *harness) {
		const never = 1 << 40
		await := func(ctx context.Context, after int64) <-chan error {
			return async(func() error { return w.store.AwaitEntry(ctx, after) })
		}
		still := func(wait <-chan error, when string) {
			if ended, err := soon(wait); ended {
				w.Fatalf("AwaitEntry returned %v %s", err, when)
			}
		}
		ends := func(wait <-chan error, want error, when string) {
			w.want(outcome(w, wait, "a wait "+when), want, "a wait "+when)
		}
		canceled := func() {
			ctx, cancel := context.WithCancel(w.ctx)
			wait := await(ctx, never)
			_, _ = soon(wait)
			cancel()
			ends(wait, context.Canceled, "whose context ended")
			ctx, cancel = context.WithTimeout(w.ctx, grace)
			defer cancel()
			ends(await(ctx, never), context.DeadlineExceeded, "whose time is over")
		}
		root := w.admin("root")
		canceled()
		begun := await(w.ctx, 0)
		still(begun, "before the journal has begun")
		c := w.chronicle()
		ends(begun, nil, "until the journal has begun")
		canceled()
		entry := plainEntry(root)
		for n := int64(1); n < 7; n += 2 {
			next, second := await(w.ctx, n), await(w.ctx, n+1)
			w.want(w.try(inTurn(appendsEntry(entry), refuses)), errRefused, "append an entry in an update that fails")
			w.update("append no entry", renames(root.ID(), "renamed"))
			still(next, "before the next entry")
			c.append(entry)
			ends(next, nil, "for the next entry")
			still(second, "one entry too soon")
			c.append(entry)
			ends(second, nil, "for the one after the next")
			ends(await(w.ctx, 1), nil, "for an entry that exists")
		}
		wait := await(w.ctx, never)
		_, _ = soon(wait)
		w.close()
		ends(wait, ports.ErrUnavailable, "in a store that was closed")
		ends(await(w.ctx, 0), ports.ErrUnavailable, "after close")
	}},
}

// eventChecks check the lists of a journal.
var eventChecks = []Check{
	{"event-lists-select", proves{"J14", "J15", "J16"}, func(w *harness) {
		c, random := w.history(), draws()
		n := int64(len(c.entries))
		c.lists(ports.EventQuery{Of: ports.EventScope{Line: unknownID}, Limit: 7})
		for _, p := range listedPositions {
			c.lists(ports.EventQuery{Of: ports.EventScope{Account: p.ID}, Limit: 7})
			c.lists(ports.EventQuery{Of: ports.EventScope{Line: p.ID}, Limit: 7})
			if p.Parent() != 0 { // no tree is an admin's
				c.lists(ports.EventQuery{Of: ports.EventScope{Tree: p.ID}, Limit: 7})
			}
		}
		for range 4 * drawn {
			c.lists(ports.EventQuery{
				Of: one(random, someEventScopes),
				Types: sometimes(random, [][]journal.Type{
					{journal.LineActivated}, {journal.LineUpdated, journal.ResellerCredited}, {journal.Began}, {journal.KeyReplaced},
					journal.Types(),
				}),
				After:  sometimes(random, []int64{1, n / 2, n - 1, n, unknownID}),
				Before: sometimes(random, []int64{1, 2, n/2 + 3, n, n + 1, unknownID}),
				Limit:  one(random, []int{1, 3, int(n) + 1}),
			})
		}
		for _, descending := range []bool{false, true} {
			for _, scope := range someEventScopes {
				c.pagesBesideAppends(ports.EventQuery{Of: scope, Descending: descending, Limit: 2})
			}
		}
	}},
	{"entries-are-found-and-summed", proves{"J17", "J18"}, func(w *harness) {
		c := w.chronicle()
		c.figures()
		c.goOn()
		c.figures()
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			return finds(w, "entries that name movements", c.naming(), []int64{0, -1, unknownID},
				func(ids []int64) (map[int64]journal.Numbered, error) { return s.Journal.OfMovements(ctx, ids) })
		})
		for _, n := range c.entries {
			if e := n.Entry; e.Type == journal.LineActivated || e.Type == journal.TrialCreated {
				e.Movement = nil
				c.append(e)
			}
		}
		c.figures()
	}},
}

// journalCopyChecks check copies of journals.
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
			importer, copied := w.begin(unused("key"), true), true
			for some := range slices.Chunk(entries, 3) {
				copied = copied && importer.Copy(w.ctx, ports.Batch{Entries: some}) == nil
			}
			if copied {
				w.Errorf("a journal %s was copied", how)
			}
		}
	}},
}

// epochs are some.
var epochs = []journal.Epoch{"00c0ffee", "fe000001", "0000000a"}

// patience is how long a store may take to number an entry and report it.
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

// versioned increments the version of a reseller, and appends an entry of it.
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

// chronicle is the expected journal of a check that appends the entries of one update after those of another.
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
	c.entries = append(c.entries, c.head().AppendInNewEpoch(epoch, copied(e)))
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
func (c *chronicle) movements() []int64 { return slices.Sorted(maps.Keys(c.naming())) }

// sees fails unless the journal is as expected, in every way to read it.
func (c *chronicle) sees() {
	c.same(c.events(ports.EventQuery{Limit: 500}), c.entries, "the journal")
	c.same(seen(c.harness, func(ctx context.Context, s ports.Snapshot) (journal.Head, error) {
		return s.Journal.Head(ctx)
	}), c.head(), "its head")
	epoch, _ := seenInUpdate(c.harness, func(ctx context.Context, tx ports.Tx) (journal.Epoch, error) {
		return tx.Journal.Epoch(ctx)
	})
	c.same(epoch, c.head().Epoch, "its epoch")
	c.same(c.named(c.movements()), c.naming(), "entries that name movements")
}

// naming returns the entries that name movements.
func (c *chronicle) naming() map[int64]journal.Numbered {
	found := map[int64]journal.Numbered{}
	for _, n := range c.entries {
		if n.Movement != nil {
			found[n.Movement.ID] = n
		}
	}
	return found
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
		for _, from := range []time.Time{{}, day, day.Add(24*time.Hour - time.Millisecond), day.Add(24 * time.Hour)} {
			for _, to := range []time.Time{day, day.Add(24*time.Hour - time.Millisecond), day.AddDate(1, 0, 0)} {
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

// follow has workers append to the journal through updates of these processes. Some updates conflict and some are
// refused. Followers in each process read the journal up to its end. It fails unless all of them see the same.
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
		all, last := p.events(ports.EventQuery{Limit: 500}), map[int64]int64{}
		for i := range followed {
			w.same(followed[i], all, "what a follower saw")
		}
		for _, n := range all[1:] { // versioned has appended them
			if before, is := last[n.Account.ID]; is && n.Version != before+1 {
				w.Fatalf("entry %d is of version %d, and the one before it of %d", n.Seq, n.Version, before)
			}
			last[n.Account.ID] = n.Version
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
		err := w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) error {
			var err, failed error
			next, err = listed(ctx, s, ports.EventQuery{After: at.Seq, Limit: 5}, eventPage)
			head, failed = s.Journal.Head(ctx)
			return errors.Join(err, failed)
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

// lists fails unless the pages of a query have the entries that it selects, in both orders.
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
	showsEachOnce(c.harness, q, eventPage, seqOf, throughout, func(pages int, _ []journal.Numbered) {
		if pages < 3 {
			again := c.entries[len(c.entries)/(pages+1)-1].Entry
			again.Movement = nil
			c.append(again)
		}
	})
}
