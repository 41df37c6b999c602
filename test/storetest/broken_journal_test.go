package storetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// sequencer is a journal of its own, in place of the store's.
type sequencer struct {
	mu      sync.Mutex
	head    journal.Head
	entries []journal.Numbered // as views show them, in the order of their numbers
}

// place gives what was appended its place after a head.
type place = func(after journal.Head) journal.Numbered

// number gives the next number.
func (s *sequencer) number(at place) journal.Numbered {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := at(s.head)
	s.head = n.Head
	return n
}

// show has views show an entry.
func (s *sequencer) show(n journal.Numbered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, n)
	slices.SortStableFunc(s.entries, func(a, b journal.Numbered) int { return cmp.Compare(a.Seq, b.Seq) })
}

// all is the journal as views show it.
func (s *sequencer) all() *chronicle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &chronicle{entries: slices.Clone(s.entries)}
}

// await looks again with each tick: checks of broken stores run under a fake clock.
func (s *sequencer) await(ctx context.Context, after int64) error {
	for s.all().head().Seq <= after {
		select {
		case <-time.After(tick):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// sequencing is a store whose journal a sequencer numbers: appended is called for each entry that a work appends, and
// what it returns once the work's update has succeeded.
func sequencing(appended func(s *sequencer, at place) (committed func())) func(full) full {
	return func(sound full) full {
		s := new(sequencer)
		return &wrapped{
			full: sound,
			update: func(ctx context.Context, do work) error {
				var committed []func()
				err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
					committed = nil
					return do(ctx, via(func(op string, on func(ports.Tx) error, values ...any) error {
						c := &call{values: values}
						err := on(tx)
						if err != nil || op != entryAppend && op != epochBegin {
							return err
						}
						e := *valueOf[journal.Entry](c)
						at := func(after journal.Head) journal.Numbered { return after.Append(e) }
						if op == epochBegin {
							epoch := *nthValue[journal.Epoch](c, 1)
							at = func(after journal.Head) journal.Numbered { return after.Begin(epoch, e) }
						}
						committed = append(committed, appended(s, at))
						return nil
					}).tx())
				})
				if err == nil {
					for _, then := range committed {
						then()
					}
				}
				return err
			},
			view: func(ctx context.Context, look look) error {
				now := s.all()
				return viewingWith(sound, func(c *call) error {
					switch c.method {
					case viewHead:
						*valueOf[journal.Head](c) = now.head()
					case eventList:
						q := *valueOf[ports.EventQuery](c)
						selected := now.selected(q)
						page := valueOf[ports.EventPage](c)
						page.Entries = selected[:min(q.Limit, len(selected))]
						if len(selected) > q.Limit {
							page.Next = page.Entries[q.Limit-1].Seq
						}
					case viewNaming:
						*valueOf[map[int64]journal.Numbered](c) = now.naming(*valueOf[[]int64](c))
					default:
						return c.sound()
					}
					return nil
				})(ctx, look)
			},
			awaitEntry: s.await,
		}
	}
}

// viewingWith is a View of a store whose calls are answered by with.
func viewingWith(sound full, with func(c *call) error) func(ctx context.Context, look look) error {
	return meddling(with)(sound).View
}

func brokenSequencers() []broken {
	const kept, follow, processes, order, within = "entries-are-kept-with-their-updates",
		"followers-see-each-entry-once-in-order",
		"processes-follow-each-others-entries", "entries-of-one-aggregate-come-in-the-order-of-its-changes",
		"entries-of-one-update-keep-their-order"
	sequence := func(how string, appended func(s *sequencer, at place) (committed func()), checks ...string) broken {
		sabotage := sequencing(appended)
		return broken{how: how, caught: checks, sabotage: sabotage, beside: func(open full) full { return open }}
	}
	return []broken{
		sequence("numbers entries before the commit", func(s *sequencer, at place) func() {
			n := s.number(at)
			return func() {
				time.Sleep(time.Duration(n.Seq%3) * tick) // some commits take longer
				s.show(n)
			}
		}, kept, follow, processes),
		sequence("leaves the numbers of refused updates out", func(s *sequencer, at place) func() {
			n := s.number(at)
			return func() { s.show(n) }
		}, kept, follow, processes),
		sequence("has two sequencers, which give a number twice", func(s *sequencer, at place) func() {
			return func() {
				s.mu.Lock()
				n := at(s.head)
				s.mu.Unlock()
				time.Sleep(tick)
				s.mu.Lock()
				s.head = n.Head
				s.mu.Unlock()
				s.show(n)
			}
		}, follow, processes, order),
		sequence("numbers entries in another order than that of the commits", func(s *sequencer, at place) func() {
			slow := at(journal.Head{}).Version%2 == 0
			return func() {
				if slow {
					time.Sleep(3 * tick)
				}
				s.show(s.number(at))
			}
		}, order, follow, processes),
		sequence("shows an entry after the next one", func(s *sequencer, at place) func() {
			return func() {
				n := s.number(at)
				if n.Seq%3 == 0 {
					time.Sleep(tick)
				}
				s.show(n)
			}
		}, follow, processes),
		sequence("numbers the entries of an update by their versions", func(s *sequencer, at place) func() {
			version := at(journal.Head{}).Version
			return func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				var later []journal.Numbered
				for len(s.entries) > 1 && version > 0 && s.entries[len(s.entries)-1].Version > version {
					last := len(s.entries) - 1
					later, s.entries = append(later, s.entries[last]), s.entries[:last]
				}
				s.head = journal.Head{}
				if len(s.entries) > 0 {
					s.head = s.entries[len(s.entries)-1].Head
				}
				for _, at := range append([]place{at}, mapped(later, func(n journal.Numbered) place {
					return func(after journal.Head) journal.Numbered { return after.Append(n.Entry) }
				})...) {
					n := at(s.head)
					s.entries, s.head = append(s.entries, n), n.Head
				}
			}
		}, within),
		sequence("forgets what was appended last", func(s *sequencer, at place) func() {
			return func() {
				if n := s.number(at); n.Seq%5 != 0 {
					s.show(n)
				}
			}
		}, kept, follow),
	}
}

func brokenJournals() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	const unchanged, kept, follow, named, outlive = "entries-survive-unchanged", "entries-are-kept-with-their-updates",
		"followers-see-each-entry-once-in-order",
		"no-two-entries-name-a-movement", "entries-outlive-what-they-are-about"
	const once, one, archives = "journals-begin-once", "one-of-many-epochs-begins", "archives-show-entries-unchanged"

	add("keeps an entry without its effect", keeping(entryAppend), kept)
	add("keeps an effect without its entry", func(sound full) full {
		appended := 0
		return breaking(entryAppend, func(c *call) error {
			if appended++; appended%4 == 0 {
				return nil
			}
			return c.sound()
		})(sound)
	}, kept, named)
	add("commits entries by themselves", func(sound full) full {
		return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
			var alone []func(ports.Tx) error
			err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				alone = nil
				return do(ctx, via(func(op string, on func(ports.Tx) error, _ ...any) error {
					if op == entryAppend {
						alone = append(alone, on)
						return nil
					}
					return on(tx)
				}).tx())
			})
			if err != nil || alone == nil {
				return err
			}
			return sound.Update(ctx, func(_ context.Context, tx ports.Tx) error { // which may not be reached
				for _, on := range alone {
					err = errors.Join(err, on(tx))
				}
				return err
			})
		}}
	}, kept, named)
	add("cuts the chain", altering(anywhere, func(n *journal.Numbered) {
		if n.Seq == 5 {
			n.Hash[7] ^= 1
		}
	}), unchanged, follow)
	add("lets entries name a movement again", breaking(entryAppend, func(c *call) error {
		if c.sound() != nil {
			e := *valueOf[journal.Entry](c)
			e.Movement = nil
			return c.tx.Journal.Append(c.ctx, e)
		}
		return nil
	}), named)
	add("refuses to name a movement at all", breaking(entryAppend, func(c *call) error {
		if valueOf[journal.Entry](c).Movement != nil {
			return errors.New("no such movement")
		}
		return c.sound()
	}), named)
	add("removes entries with their line", func(sound full) full {
		var gone sync.Map
		return meddling(func(c *call) error {
			err := c.sound()
			switch c.method {
			case lineDelete:
				gone.Store(valueOf[line.Tombstone](c).Line, true)
			case eventList:
				page := valueOf[ports.EventPage](c)
				page.Entries = slices.DeleteFunc(page.Entries, func(n journal.Numbered) bool {
					_, is := gone.Load(n.Line)
					return is
				})
			}
			return err
		})(sound)
	}, outlive)
	for _, from := range []string{eventList, viewNaming} {
		add("gives the entry that it keeps to "+from, sharingEntries(from), unchanged)
	}
	for _, from := range []string{auditedEntries, entriesByMovement} {
		add("gives the entry that it keeps to "+from, sharingEntries(from), archives)
	}
	add("keeps the entry that was appended", sharingEntries(entryAppend), unchanged)

	anyEpoch := breaking(epochBegin, func(c *call) error {
		now, err := c.tx.Journal.Epoch(c.ctx)
		*valueOf[journal.Epoch](c) = now
		return errors.Join(err, c.sound())
	})
	add("begins an epoch after any other", anyEpoch, once, one)
	add("looks at the epoch before the update", func(sound full) full {
		return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
			before, err := snapshotOf(ctx, sound)
			if err != nil {
				return err
			}
			time.Sleep(tick)
			return breaking(epochBegin, func(c *call) error {
				head, err := before.Journal.Head(c.ctx)
				if err != nil || head.Epoch != *valueOf[journal.Epoch](c) {
					return errors.Join(err, ports.ErrEpoch)
				}
				now, err := c.tx.Journal.Epoch(c.ctx)
				return errors.Join(err, c.tx.Journal.Begin(c.ctx, now, *nthValue[journal.Epoch](c, 1), *valueOf[journal.Entry](c)))
			})(sound).Update(ctx, do)
		}}
	}, one)
	add("begins by appending", breaking(entryAppend, func(c *call) error {
		err := c.sound()
		if errors.Is(err, ports.ErrEpoch) {
			err = c.tx.Journal.Begin(c.ctx, "", epochs[0], *valueOf[journal.Entry](c))
		}
		return err
	}), once)
	add("has an error of its own before the journal begins",
		answering(entryAppend, instead(ports.ErrEpoch, errors.New("no head"))), once)
	add("has an error of its own for another epoch",
		answering(epochBegin, instead(ports.ErrEpoch, errors.New("conflict"))), once, one)
	add("keeps the first epoch", func(sound full) full {
		return altering(anywhere, func(n *journal.Numbered) { n.Epoch = epochs[0] })(sound)
	}, once)
	add("gives all entries the epoch in force", func(sound full) full {
		return meddling(func(c *call) error {
			err := c.sound()
			if c.method == eventList {
				head, headErr := current(c.ctx, c.store).Journal.Head(c.ctx)
				err = errors.Join(err, headErr)
				page := valueOf[ports.EventPage](c)
				for i := range page.Entries {
					page.Entries[i].Epoch = head.Epoch
				}
			}
			return err
		})(sound)
	}, once)
	all = append(all, ways{
		"tells no epoch":        answers(func(e *journal.Epoch) { *e = "" }),
		"tells the first epoch": answers(func(e *journal.Epoch) { *e = epochs[0] }),
	}.of(epochRead, once)...)
	all = append(all, ways{
		"tells the head before": answers(func(h *journal.Head) { h.Seq = max(0, h.Seq-1) }),
		"has an error where nothing is": func(c *call) error {
			if err := c.sound(); err != nil || valueOf[journal.Head](c).Seq > 0 {
				return err
			}
			return errors.New("no entry")
		},
	}.of(viewHead, once)...)

	awaiting := func(how string, await func(ctx context.Context, after int64, sound full) error, checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, awaitEntry: func(ctx context.Context, after int64) error {
				return await(ctx, after, sound)
			}}
		}, checks...)
	}
	const next, ends, processes = "waiting-ends-with-the-next-entry", "waiting-for-entries-ends",
		"processes-follow-each-others-entries"
	awaiting("waits for nothing", func(context.Context, int64, full) error { return nil }, next, ends)
	awaiting("waits for one more", func(ctx context.Context, after int64, sound full) error {
		return sound.AwaitEntry(ctx, after+1)
	}, next, follow)
	awaiting("waits for one less", func(ctx context.Context, after int64, sound full) error {
		return sound.AwaitEntry(ctx, after-1)
	}, next)
	awaiting("waits for the next entry, whichever is there", func(ctx context.Context, _ int64, sound full) error {
		head, err := current(ctx, sound).Journal.Head(ctx)
		return errors.Join(err, sound.AwaitEntry(ctx, head.Seq))
	}, next)
	awaiting("waits while a look would do", func(ctx context.Context, after int64, sound full) error {
		if head, err := current(ctx, sound).Journal.Head(ctx); err == nil && head.Seq > after {
			<-ctx.Done()
		}
		return sound.AwaitEntry(ctx, after)
	}, next)
	awaiting("does not look at the context", func(ctx context.Context, after int64, sound full) error {
		return sound.AwaitEntry(context.WithoutCancel(ctx), after)
	}, ends)
	awaiting("has an error of its own where the context ends", func(ctx context.Context, after int64, sound full) error {
		if err := sound.AwaitEntry(ctx, after); err != nil {
			return ports.ErrUnavailable
		}
		return nil
	}, ends)
	awaiting("has an error of its own after its end", func(ctx context.Context, after int64, sound full) error {
		return instead(ports.ErrUnavailable, errors.New("closed"))(sound.AwaitEntry(ctx, after))
	}, ends)
	add("waits on after its end", func(sound full) full {
		closed := make(chan struct{})
		shut := sync.OnceFunc(func() { close(closed) })
		return &wrapped{full: sound, close: func() error { shut(); return sound.Close() },
			awaitEntry: func(ctx context.Context, after int64) error {
				err := sound.AwaitEntry(ctx, after)
				select {
				case <-closed:
					<-ctx.Done()
					return ctx.Err()
				default:
					return err
				}
			}}
	}, ends)
	all = append(all, broken{how: "hears of its own entries only", caught: caughtBy(processes), sabotage: process,
		beside: func(open full) full {
			return &wrapped{full: open, awaitEntry: func(ctx context.Context, _ int64) error { <-ctx.Done(); return ctx.Err() },
				close: func() error { return nil }}
		}})
	return append(all, brokenJournalCopies()...)
}

// sharingEntries is a store that keeps the very entries that one method takes or gives, and gives them again.
func sharingEntries(method string) func(full) full {
	return func(sound full) full {
		var mu sync.Mutex
		kept := map[int64]journal.Numbered{}
		var appended []journal.Entry
		return altering(func(string) bool { return true }, func(n *journal.Numbered) {
			mu.Lock()
			defer mu.Unlock()
			if known, is := kept[n.Seq]; is {
				n.Entry = known.Entry
			} else if at := int(n.Seq) - 2; at >= 0 && at < len(appended) { // the first has begun the journal
				n.Entry = appended[at]
			}
		})(meddling(func(c *call) error {
			err := c.sound()
			mu.Lock()
			defer mu.Unlock()
			if c.method != method {
				return err
			}
			switch method {
			case entryAppend:
				appended = append(appended, *valueOf[journal.Entry](c))
			case eventList:
				for _, n := range valueOf[ports.EventPage](c).Entries {
					keepFirst(kept, n)
				}
			case viewNaming:
				for _, n := range *valueOf[map[int64]journal.Numbered](c) {
					keepFirst(kept, n)
				}
			case auditedEntries:
				for _, f := range *valueOf[[]ports.Audited[journal.Numbered]](c) {
					keepFirst(kept, f.Record)
				}
			case entriesByMovement:
				for _, f := range *valueOf[map[int64]ports.Audited[journal.Numbered]](c) {
					keepFirst(kept, f.Record)
				}
			}
			return err
		})(sound))
	}
}

func keepFirst(kept map[int64]journal.Numbered, n journal.Numbered) {
	if _, is := kept[n.Seq]; !is {
		kept[n.Seq] = n
	}
}

func brokenJournalCopies() (all []broken) {
	const goOn, refuse, survive = "copied-journals-go-on", "copies-refuse-what-does-not-follow",
		"journals-survive-reopening"
	all = append(all, ways{
		"numbers entries again from where it is": func(c *call) error {
			b := valueOf[ports.Batch](c)
			head, err := current(c.ctx, c.store).Journal.Head(c.ctx)
			var again []journal.Numbered
			for _, n := range b.Entries {
				n = head.Begin(n.Epoch, n.Entry)
				again, head = append(again, n), n.Head
			}
			b.Entries = again
			return errors.Join(err, c.sound())
		},
		"drops what does not follow": func(c *call) error {
			b := valueOf[ports.Batch](c)
			head, err := current(c.ctx, c.store).Journal.Head(c.ctx)
			b.Entries = slices.DeleteFunc(slices.Clone(b.Entries), func(n journal.Numbered) bool {
				if !n.Follows(head) {
					return true
				}
				head = n.Head
				return false
			})
			return errors.Join(err, c.sound())
		},
	}.of(copyBatch, refuse)...)
	all = append(all, ways{
		"gives copied entries an epoch of its own": func(c *call) error {
			b := valueOf[ports.Batch](c)
			head, err := current(c.ctx, c.store).Journal.Head(c.ctx)
			var again []journal.Numbered
			for _, n := range b.Entries {
				n = head.Begin("0000c0de", n.Entry)
				again, head = append(again, n), n.Head
			}
			b.Entries = again
			return errors.Join(err, c.sound())
		},
		"copies no entries": func(c *call) error { valueOf[ports.Batch](c).Entries = nil; return c.sound() },
	}.of(copyBatch, goOn)...)
	all = append(all, broken{how: "counts no copied entries in figures", caught: caughtBy(goOn),
		sabotage: func(sound full) full {
			var copied sync.Map
			return meddling(func(c *call) error {
				err := c.sound()
				switch c.method {
				case copyBatch:
					copied.Store(true, true)
				case viewFigures:
					if _, is := copied.Load(true); is {
						*valueOf[[]ports.DayFigures](c) = nil
					}
				}
				return err
			})(sound)
		}})
	for how, again := range map[string]func(full) full{
		"forgets the last entry": breaking(eventList, answers(func(page *ports.EventPage) {
			page.Entries = page.Entries[:max(0, len(page.Entries)-1)]
		})),
		"forgets the head":    breaking(viewHead, answers(func(h *journal.Head) { *h = journal.Head{} })),
		"forgets the epoch":   breaking(epochRead, answers(func(e *journal.Epoch) { *e = "" })),
		"forgets the figures": breaking(viewFigures, answers(func(all *[]ports.DayFigures) { *all = nil })),
		"forgets who is concerned": breaking(eventList, asks(func(q *ports.EventQuery) {
			if q.Of.Account != 0 {
				q.Of = ports.EventScope{Account: unknownID}
			}
		})),
		"begins the chain anew": altering(anywhere, func(n *journal.Numbered) {
			if n.Seq > 60 {
				n.Hash = journal.Hash{}
			}
		}),
	} {
		all = append(all, broken{how: how + " with the process", caught: caughtBy(survive), sabotage: process,
			reopen: func(old full) full { return again(reopened(old)) }})
	}
	return all
}

// selecting leaves out of the sound page of all entries what a rule does not select.
func selecting(rule func(q ports.EventQuery, n *journal.Numbered) bool) func(c *call) error {
	return func(c *call) error {
		q := valueOf[ports.EventQuery](c)
		asked := *q
		q.Of, q.Types = ports.EventScope{}, nil
		err := c.sound()
		page := valueOf[ports.EventPage](c)
		page.Entries = slices.DeleteFunc(page.Entries, func(n journal.Numbered) bool { return !rule(asked, &n) })
		return err
	}
}

func brokenEventLists() (all []broken) {
	const scopes, types, pages, long, once = "event-lists-select-by-scope", "event-lists-select-types",
		"event-lists-are-cut-into-pages",
		"long-event-lists-end", "event-pages-show-each-once"
	list := func(w ways, checks ...string) { all = append(all, w.of(eventList, checks...)...) }
	side := func(n *journal.Numbered, id int64) bool {
		return n.Movement != nil && (n.Movement.Source.ResellerID() == id || n.Movement.Target.ResellerID() == id)
	}
	list(ways{
		"ignores the account": asks(func(q *ports.EventQuery) { q.Of.Account = 0 }),
		"ignores the tree":    asks(func(q *ports.EventQuery) { q.Of.Tree = 0 }),
		"ignores the line":    asks(func(q *ports.EventQuery) { q.Of.Line = 0 }),
		"takes an account for its tree": asks(func(q *ports.EventQuery) {
			if q.Of.Account > 1 {
				q.Of = ports.EventScope{Tree: q.Of.Account}
			}
		}),
		"takes a line for an account": asks(func(q *ports.EventQuery) {
			if q.Of.Line != 0 {
				q.Of = ports.EventScope{Account: q.Of.Line}
			}
		}),
		"looks at no movements": selecting(func(q ports.EventQuery, n *journal.Numbered) bool {
			return selectsEntry(q, n) && (q.Of.Account == 0 || n.Account.ID == q.Of.Account)
		}),
		"looks at movements only": selecting(func(q ports.EventQuery, n *journal.Numbered) bool {
			return selectsEntry(q, n) && (q.Of.Account == 0 || side(n, q.Of.Account))
		}),
		"leaves the root out of its tree": selecting(func(q ports.EventQuery, n *journal.Numbered) bool {
			return selectsEntry(q, n) && (q.Of.Tree == 0 || n.Account.Under(q.Of.Tree))
		}),
		"leaves what goes out of a tree": selecting(func(q ports.EventQuery, n *journal.Numbered) bool {
			return selectsEntry(q, n) && (q.Of.Tree == 0 || n.Account.ID == q.Of.Tree || n.Account.Parent() == q.Of.Tree)
		}),
		"leaves out what concerns nobody": selecting(func(q ports.EventQuery, n *journal.Numbered) bool {
			return selectsEntry(q, n) && n.Account.ID != 0
		}),
	}, scopes)
	list(ways{
		"ignores types": asks(func(q *ports.EventQuery) { q.Types = nil }),
		"looks at one type": asks(func(q *ports.EventQuery) {
			q.Types = q.Types[:min(1, len(q.Types))]
		}),
		"ignores types where there is a scope": asks(func(q *ports.EventQuery) {
			if q.Of != (ports.EventScope{}) {
				q.Types = nil
			}
		}),
		"ignores the scope where there are types": asks(func(q *ports.EventQuery) {
			if len(q.Types) > 0 {
				q.Of = ports.EventScope{}
			}
		}),
	}, types)
	list(ways{
		"ignores after":               asks(func(q *ports.EventQuery) { q.After = 0 }),
		"ignores before":              asks(func(q *ports.EventQuery) { q.Before = 0 }),
		"begins with after itself":    asks(func(q *ports.EventQuery) { q.After = max(0, q.After-1) }),
		"shows before itself":         asks(func(q *ports.EventQuery) { q.Before += min(q.Before, 1) }),
		"knows one direction":         asks(func(q *ports.EventQuery) { q.Descending = false }),
		"shows one too many":          asks(func(q *ports.EventQuery) { q.Limit++ }),
		"ignores after with before":   asks(func(q *ports.EventQuery) { q.After *= 1 - min(1, q.Before) }),
		"shows the first page alone":  answers(func(page *ports.EventPage) { page.Next = 0 }),
		"skips one between the pages": answers(func(page *ports.EventPage) { page.Next += min(1, page.Next) }),
	}, pages)
	list(ways{
		"never ends": func(c *call) error {
			err := c.sound()
			if page := valueOf[ports.EventPage](c); page.Next == 0 && len(page.Entries) > 0 {
				page.Next = page.Entries[len(page.Entries)-1].Seq
			} else if page.Next == 0 {
				page.Next = 1
			}
			return err
		},
		"takes a short page for the last one": func(c *call) error {
			err := c.sound()
			if page := valueOf[ports.EventPage](c); len(page.Entries) < valueOf[ports.EventQuery](c).Limit {
				page.Next = 0
			}
			return err
		},
	}, long)
	list(ways{
		"counts pages from the newest": func(c *call) error {
			q := valueOf[ports.EventQuery](c)
			if q.Descending && q.Before != 0 {
				head, err := current(c.ctx, c.store).Journal.Head(c.ctx)
				if err != nil {
					return err
				}
				q.Before = max(1, q.Before+(head.Seq-60))
			}
			return c.sound()
		},
		"shows the last of a page again": asks(func(q *ports.EventQuery) { q.After = max(0, q.After-1) }),
	}, once)
	return append(all, misreadingIDs(viewNaming, "entries-are-found-by-their-movements")...)
}

// misreadingIDs are wrong in whatever way a view is asked for a few by their ids.
func misreadingIDs(method, check string) (all []broken) {
	for how, m := range misreadings() {
		switch how {
		case "forgets the record", "forgets the id", "finds damage", "has an error for many names", "takes a thousand names":
			continue // of what an audit shows
		}
		all = append(all, ways{how: m.call}.of(method, check)...)
	}
	return all
}

func brokenFigures() (all []broken) {
	const sums, audit = "figures-are-sums", "audits-show-all-figures"
	figures := func(w ways) { all = append(all, w.of(viewFigures, sums)...) }
	from := func(c *call) *time.Time { return nthValue[time.Time](c, 0) }
	to := func(c *call) *time.Time { return nthValue[time.Time](c, 1) }
	figures(ways{
		"begins a day late":     func(c *call) error { *from(c) = from(c).Add(24 * time.Hour); return c.sound() },
		"begins a day early":    func(c *call) error { *from(c) = from(c).Add(-24 * time.Hour); return c.sound() },
		"ends a day late":       func(c *call) error { *to(c) = to(c).Add(24 * time.Hour); return c.sound() },
		"leaves half a day out": func(c *call) error { *from(c) = from(c).Add(12 * time.Hour); return c.sound() },
		"looks at one account":  asks(func(accounts *[]int64) { *accounts = (*accounts)[:min(1, len(*accounts))] }),
		"takes no accounts for any": asks(func(accounts *[]int64) {
			if len(*accounts) == 0 {
				*accounts = []int64{1, 2, 3}
			}
		}),
		"shows days without any": func(c *call) error {
			err := c.sound()
			all := valueOf[[]ports.DayFigures](c)
			*all = append(*all, ports.DayFigures{Account: unknownID, Day: journal.DayOf(noon)})
			return err
		},
		"sums credits as floats": answers(func(all *[]ports.DayFigures) {
			for i := range *all {
				units, _ := (*all)[i].Spent.Shift(4).Float64()
				(*all)[i].Spent = decimal.NewFromFloat(float64(float32(units))).Shift(-4)
			}
		}),
	})
	all = append(all, ways{
		"begins each page with the first": func(c *call) error {
			*valueOf[int64](c), *valueOf[time.Time](c) = 0, time.Time{}
			return c.sound()
		},
		"shows one too many":          asks(func(limit *int) { *limit++ }),
		"shows the next account only": asks(func(day *time.Time) { *day = day.AddDate(100, 0, 0) }),
		"begins each account from the day": figuresInOrder(func(f, after ports.DayFigures) bool {
			return f.Account >= after.Account && f.Day.After(after.Day)
		}),
		"goes on with the day itself": figuresInOrder(func(f, after ports.DayFigures) bool {
			return compareFigures(f, after) >= 0
		}),
		"shows full pages only": func(c *call) error {
			err := c.sound()
			if page := valueOf[[]ports.DayFigures](c); len(*page) < *valueOf[int](c) {
				*page = nil
			}
			return err
		},
	}.of(auditedFigures, audit)...)
	return all
}

// figuresInOrder pages through all figures in a way of its own.
func figuresInOrder(shows func(f, after ports.DayFigures) bool) func(c *call) error {
	return func(c *call) error {
		after, limit := ports.DayFigures{Account: *valueOf[int64](c), Day: *valueOf[time.Time](c)}, *valueOf[int](c)
		all, err := figuresAfter(c.ctx, currentRecords(c.ctx, c.store), ports.DayFigures{}, 500)
		all = slices.DeleteFunc(all, func(f ports.DayFigures) bool { return !shows(f, after) })
		*valueOf[[]ports.DayFigures](c) = all[:min(limit, len(all))]
		return err
	}
}

func brokenCounts() (all []broken) {
	all = append(all, misreadingIDs(lineUsernames, "names-of-lines-are-found-by-their-ids")...)
	all = append(all, ways{"tells the name that a line had first": func(c *call) error {
		err := c.sound()
		for id, name := range *valueOf[map[int64]profile.Username](c) {
			if strings.HasPrefix(name.Key(), "renamed") {
				(*valueOf[map[int64]profile.Username](c))[id] = profile.RestoreUsername("first", "first")
			}
		}
		return err
	}}.of(lineUsernames, "names-of-lines-are-found-by-their-ids")...)
	count := func(w ways) { all = append(all, w.of(lineCount, "lines-are-counted")...) }
	counted := func(c *call) *int { return nthValue[int](c, 1) }
	count(ways{
		"ignores the scope":        asks(func(q *ports.LineQuery) { q.Scope = ports.Scope{} }),
		"takes a tree for one":     asks(func(q *ports.LineQuery) { q.Scope.Tree = false }),
		"ignores trials":           asks(func(q *ports.LineQuery) { q.Trial = nil }),
		"ignores suspensions":      asks(func(q *ports.LineQuery) { q.Suspended = nil }),
		"ignores the window":       asks(func(q *ports.LineQuery) { q.ExpiresAfter, q.ExpiresBefore = nil, nil }),
		"examines one too many":    asks(func(examined *int) { *examined++ }),
		"examines without an end":  asks(func(examined *int) { *examined = 1 << 20 }),
		"says that there are more": answers(func(is *bool) { *is = false }),
		"says that this is all":    answers(func(is *bool) { *is = true }),
		"counts what it examines": func(c *call) error {
			err := c.sound()
			if !*valueOf[bool](c) {
				*counted(c) = *valueOf[int](c)
			}
			return err
		},
		"counts one too few": func(c *call) error { err := c.sound(); *counted(c) = max(0, *counted(c)-1); return err },
		"has an error where there are none": func(c *call) error {
			err := c.sound()
			if *counted(c) == 0 {
				err = errors.Join(err, errors.New("no rows"))
			}
			return err
		},
	})
	return all
}
