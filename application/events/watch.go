package events

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/ports"
)

const (
	// feedPage is how many entries the reader of a feed reads at a time. feedPause is how long it waits after it has
	// read all: it reads the store at most some 40 times a second.
	feedPage  = 500
	feedPause = 25 * time.Millisecond
	// feedLook is how often the reader checks that the journal still continues at the reader's position.
	feedLook = 5 * time.Second
	// feedRetry is how long the reader waits after a failure of the store.
	feedRetry = time.Second
)

// feed wakes the requests that wait for entries. While any waits, one reader follows the journal for all of them. It
// examines each entry once and wakes the requests that the entry concerns, so the cost of an entry does not grow with
// the number of requests.
type feed struct {
	store ports.Store
	alone bool // Dependencies.NoReader

	mu       sync.Mutex
	watches  map[int64]map[*Watch]usecase.None // by account, see Watch.keys
	stop     context.CancelFunc                // ends the reader, nil if none runs
	examined int64                             // number of the last entry that the reader examined
	epoch    journal.Epoch                     // in force at that time
}

func newFeed(d usecase.Dependencies) *feed {
	return &feed{store: d.Store, alone: d.NoReader, watches: map[int64]map[*Watch]usecase.None{}}
}

// Watch is a request that waits for entries of the journal.
type Watch struct {
	feed    *feed
	command List
	account int64 // of the caller
	all     bool  // the caller sees everything
	head    int64 // number of the last entry when the watch began
	woken   chan usecase.None
}

// Watch begins to wait for entries after a page of the same query. The caller closes the watch.
func (s Service) Watch(call usecase.Call, c List, page Page) *Watch {
	w := &Watch{feed: s.feed, command: c, account: call.Caller.Reseller(), all: page.all, head: page.Head,
		woken: make(chan usecase.None, 1)}
	w.feed.join(w, page.epoch)
	return w
}

// Wait returns nil once there may be an entry for the next page, or one that may have ended the credential of the
// caller. Otherwise it returns the error of ctx. Only the next page shows whether there is one. Head is the head of the
// last page.
func (w *Watch) Wait(ctx context.Context, head int64) error {
	if w.feed.alone {
		return w.feed.store.AwaitEntry(ctx, head)
	}
	select {
	case <-w.woken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the watch.
func (w *Watch) Close() { w.feed.leave(w) }

// everything represents all accounts among the keys of watches.
const everything = 0

// keys returns the accounts by which the watch is found: each entry that wakes it concerns one of them or an account
// below it.
func (w *Watch) keys() []int64 {
	of := w.account
	switch {
	case w.command.Account != nil:
		of = *w.command.Account
	case w.command.Tree != nil:
		of = *w.command.Tree
	case w.all:
		of = everything
	}
	return slices.Compact([]int64{w.account, of})
}

// wakes reports whether the watch waits for an entry, or the entry is about the account itself: such an entry may have
// ended the caller's credential.
func (w *Watch) wakes(n *journal.Numbered) bool {
	if n.Seq <= w.head {
		return false
	}
	if n.Account.ID == w.account && n.Line == 0 && n.Movement == nil {
		return true
	}
	return w.command.selects(n) && (w.all || w.sees(n))
}

// sees reports whether the caller, who does not see everything, sees an entry, and the accounts that its filters name.
func (w *Watch) sees(n *journal.Numbered) bool {
	if n.Account.ID == 0 || !n.Concerns(w.account) && !n.Account.Under(w.account) {
		return false
	}
	path := n.Account.Path()
	above := func(id *int64) bool {
		return id != nil && slices.Contains(path, *id) && slices.Index(path, *id) < slices.Index(path, w.account)
	}
	return !above(w.command.Account) && !above(w.command.Tree)
}

func (w *Watch) wake() {
	select {
	case w.woken <- usecase.None{}:
	default: // a wake is pending already
	}
}

// join adds a watch, and starts the reader for the first one.
func (f *feed) join(w *Watch, epoch journal.Epoch) {
	if f.alone {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range w.keys() {
		if f.watches[key] == nil {
			f.watches[key] = map[*Watch]usecase.None{}
		}
		f.watches[key][w] = usecase.None{}
	}
	if f.stop == nil {
		var ctx context.Context
		ctx, f.stop = context.WithCancel(context.Background())
		f.examined, f.epoch = w.head, epoch
		go f.follow(ctx)
		return
	}
	if f.examined > w.head || f.epoch != epoch { // entries after its page may have been examined before it joined
		w.wake()
	}
}

// leave removes a watch, and ends the reader after the last one.
func (f *feed) leave(w *Watch) {
	if f.alone {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range w.keys() {
		delete(f.watches[key], w)
		if len(f.watches[key]) == 0 {
			delete(f.watches, key)
		}
	}
	if len(f.watches) == 0 && f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// follow reads the journal until ctx ends.
func (f *feed) follow(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := f.read(ctx)
		switch {
		case err != nil:
			sleep(ctx, feedRetry)
		case !more:
			sleep(ctx, feedPause)
		}
	}
}

// read waits for entries, and examines a page of them.
func (f *feed) read(ctx context.Context) (more bool, err error) {
	f.mu.Lock()
	after := f.examined
	f.mu.Unlock()
	grown, cancel := context.WithTimeout(ctx, feedLook)
	defer cancel()
	if err := f.store.AwaitEntry(grown, after); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return false, err
	}
	var head journal.Head
	var page ports.EventPage
	err = f.store.View(ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
		if head, err = s.Journal.Head(ctx); err == nil && head.Seq > after {
			page, err = s.Journal.List(ctx, ports.EventQuery{After: after, Limit: feedPage})
		}
		return err
	})
	if err == nil {
		f.examine(ctx, after, head, page)
	}
	return page.Next != 0, err
}

// examine wakes the watches that the entries of a page concern. It wakes all of them if an entry is damaged, since the
// entry may concern any, or if the journal does not continue at the reader's position.
func (f *feed) examine(ctx context.Context, after int64, head journal.Head, page ports.EventPage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil { // another reader may have started
		return
	}
	all := len(page.Damaged) > 0 || head.Seq < after || head.Epoch != f.epoch
	f.epoch, f.examined = head.Epoch, head.Seq
	if page.Next != 0 {
		f.examined = page.Next
	}
	if all {
		for _, watches := range f.watches {
			for w := range watches {
				w.wake()
			}
		}
		return
	}
	for i := range page.Entries {
		f.wake(&page.Entries[i])
	}
}

// wake wakes the watches that an entry concerns.
func (f *feed) wake(n *journal.Numbered) {
	keys := append(n.Account.Path(), everything)
	if m := n.Movement; m != nil {
		keys = append(keys, m.Source.ResellerID(), m.Target.ResellerID())
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		for w := range f.watches[key] {
			if w.wakes(n) {
				w.wake()
			}
		}
	}
}

// sleep returns after a time, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	over, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-over.Done()
}
