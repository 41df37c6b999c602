package gather_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/mongostore/gather"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/test/expect"
)

var (
	errConflict = errors.New("another transaction was first")
	errRefused  = errors.New("refused on purpose")
	errTaken    = errors.New("it exists already")
)

// database stores numbers by names. Other transactions may lock names, or forbid some.
type database struct {
	mu        sync.Mutex
	committed map[string]int
	locked    map[string]bool // a write of it conflicts with another transaction
	forbidden map[string]bool // a write of it is refused
	conflicts int             // so many writes conflict with another transaction

	staged [][]change
	reads  [][]string // the keys of each query, and after the word claim those of each claim
}

type change = gather.Change[string, int]

func (d *database) Transact(ctx context.Context, do func(ctx context.Context) error) error {
	for {
		d.mu.Lock()
		d.staged = nil
		d.mu.Unlock()
		err := do(ctx)
		if err == nil {
			err = d.end()
		}
		if err == nil || !errors.Is(err, errConflict) {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

func (d *database) Read(_ context.Context, queries ...gather.Query) error {
	for _, q := range queries {
		q.(func())()
	}
	return nil
}

func (d *database) Conflict(err error) bool { return errors.Is(err, errConflict) }

func (d *database) end() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, changes := range d.staged {
		for _, c := range changes {
			if c.Action == gather.Remove {
				delete(d.committed, c.Key)
			} else {
				d.committed[c.Key] = c.Value
			}
		}
	}
	return nil
}

func (d *database) Query(keys []string, found func(string, gather.Stored[int])) gather.Query {
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.reads = append(d.reads, slices.Sorted(slices.Values(keys)))
		for _, key := range keys {
			if n, there := d.committed[key]; there {
				s := gather.Stored[int]{Value: n, Version: int64(n)}
				if n < 0 {
					s.Damage = fmt.Errorf("%s is damaged", key)
				}
				found(key, s)
			}
		}
	}
}

func (d *database) claim(_ context.Context, keys []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads = append(d.reads, append([]string{"claim"}, keys...))
	if slices.ContainsFunc(keys, func(key string) bool { return d.locked[key] }) {
		return errConflict
	}
	return nil
}

func (d *database) Write(_ context.Context, changes []change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conflicts > 0 {
		d.conflicts--
		return errConflict
	}
	for _, c := range changes {
		_, there := d.committed[c.Key]
		switch {
		case d.locked[c.Key]:
			return errConflict
		case d.forbidden[c.Key], there == (c.Action == gather.Add):
			return &gather.RefusedWrite{Err: fmt.Errorf("write %s: %w", c.Key, errTaken)}
		}
	}
	d.staged = append(d.staged, changes)
	return nil
}

// bench is an engine over one kind of records. The first command blocks, so that later ones wait together.
type bench struct {
	*testing.T
	*database
	engine  *gather.Engine
	kind    *gather.Kind[string, int]
	shared  *gather.Kind[string, int] // over the same records
	release func()
	callers sync.WaitGroup
	waiting int
}

// on runs a test with an engine over these records.
func on(t *testing.T, committed map[string]int, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &database{committed: committed, locked: map[string]bool{}, forbidden: map[string]bool{}}
		b := &bench{T: t, database: d, kind: gather.NewKind(d), shared: gather.NewSharedKind(d, d.claim)}
		b.engine = gather.New(d, func() time.Duration { return 10 * time.Second }, time.Second, b.kind, b.shared)
		held := make(chan struct{})
		b.release = sync.OnceFunc(func() { close(held) })
		b.callers.Go(func() { _ = b.engine.Do(t.Context(), func(*gather.Run) error { <-held; return nil }) })
		synctest.Wait()
		test(b)
		b.run()
		b.engine.Close()
	})
}

// join adds a waiting command, and checks its end.
func (b *bench) join(work func(r *gather.Run) error, ended func(err error)) {
	b.callers.Go(func() { ended(b.engine.Do(b.Context(), work)) })
	synctest.Wait()
	if b.waiting++; b.engine.Queued() != b.waiting {
		b.Fatalf("%d commands wait, want %d", b.engine.Queued(), b.waiting)
	}
}

// run lets all commands go and waits for them.
func (b *bench) run() {
	b.release()
	b.callers.Wait()
}

func (b *bench) must(err error) {
	b.Helper()
	expect.Error(b, err, nil)
}

func (b *bench) want(err, want error) {
	b.Helper()
	expect.Error(b, err, want)
}

func (b *bench) refused(err error) { b.Helper(); b.want(err, errRefused) }

func (b *bench) taken(err error) { b.Helper(); b.want(err, errTaken) }

func (b *bench) wantKept(want map[string]int) {
	b.Helper()
	b.run()
	if !maps.Equal(b.committed, want) {
		b.Errorf("kept %v, want %v", b.committed, want)
	}
}

// wantTransactions counts the transactions after that of the command that blocked.
func (b *bench) wantTransactions(begun, committed int64) {
	b.Helper()
	b.run()
	if gotBegun, gotCommitted := b.engine.Transactions(); gotBegun-1 != begun || gotCommitted-1 != committed {
		b.Errorf("%d transactions were begun and %d committed, want %d and %d", gotBegun-1, gotCommitted-1, begun, committed)
	}
}

func (b *bench) wantReads(want ...[]string) {
	b.Helper()
	b.run()
	if !slices.EqualFunc(b.reads, want, slices.Equal) {
		b.Errorf("read %v, want %v", b.reads, want)
	}
}

// add adds to a record, or makes it.
func (b *bench) add(key string, n int) func(r *gather.Run) error { return addTo(b.kind, key, n) }

func addTo(kind *gather.Kind[string, int], key string, n int) func(r *gather.Run) error {
	return func(r *gather.Run) error {
		found, err := kind.Get(r, key)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		return kind.Put(r, key, found+n)
	}
}

func TestMissingRecordsAreReadOnceAndWorkRunsAgain(t *testing.T) {
	on(t, map[string]int{"a": 1}, func(b *bench) {
		runs := 0
		for range 3 {
			b.join(func(r *gather.Run) error {
				runs++
				if err := b.add("a", 1)(r); err != nil {
					return err
				}
				return b.add("b", 10)(r)
			}, b.must)
		}
		b.wantKept(map[string]int{"a": 4, "b": 30})
		b.wantReads([]string{"a"}, []string{"b"})
		b.wantTransactions(1, 1)
		expect.Equal(b, runs, 9, "runs of three commands")
	})
}

func TestARefusedCommandLeavesNothing(t *testing.T) {
	on(t, map[string]int{"a": 1, "gone": 1}, func(b *bench) {
		b.join(b.add("a", 1), b.must)
		b.join(func(r *gather.Run) error {
			for _, change := range []error{
				b.add("a", 10)(r), b.add("a", 100)(r), b.kind.Insert(r, "new", 1, errTaken), b.kind.Remove(r, "gone"),
				b.kind.Put(r, "gone", 7),
			} {
				if change != nil {
					return change
				}
			}
			return errRefused
		}, b.refused)
		b.join(func(r *gather.Run) error {
			for key, want := range map[string]int{"a": 2, "new": 0, "gone": 1} {
				if got, err := b.kind.Get(r, key); got != want && !r.Missed() {
					b.Errorf("a neighbour finds %s to be %d, %v, want %d", key, got, err, want)
				}
			}
			return nil
		}, b.must)
		b.wantKept(map[string]int{"a": 2, "gone": 1})
		b.wantTransactions(1, 1)
	})
}

func TestARefusedWriteFailsOnlyItsCommand(t *testing.T) {
	on(t, map[string]int{"a": 1, "there": 1}, func(b *bench) {
		b.forbidden["forbidden"] = true
		b.join(b.add("a", 1), b.must)
		b.join(b.add("forbidden", 1), b.taken)
		b.join(func(r *gather.Run) error { return b.kind.Insert(r, "there", 2, errRefused) }, b.taken) // never read
		b.join(func(r *gather.Run) error { return b.kind.Remove(r, "nowhere") }, b.taken)
		b.join(b.add("a", 1), b.must)
		b.wantKept(map[string]int{"a": 3, "there": 1})
		b.wantTransactions(6, 2)
	})
}

func TestAConflictingTransactionRunsAgain(t *testing.T) {
	on(t, map[string]int{"a": 1, "b": 1}, func(b *bench) {
		b.conflicts = 3
		b.join(b.add("a", 1), b.must)
		b.join(b.add("b", 1), b.must)
		b.wantKept(map[string]int{"a": 2, "b": 2})
		b.wantTransactions(4, 1)
		b.wantReads([]string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"}, []string{"a", "b"})
	})
}

// TestAConflictingTransactionClaimsItsRecordsFirst has an attempt that conflicts with another transaction when it
// writes. The claim of the next attempt conflicts too.
func TestAConflictingTransactionClaimsItsRecordsFirst(t *testing.T) {
	on(t, map[string]int{"a": 1, "b": 1, "read": 1}, func(b *bench) {
		b.locked["b"] = true
		for _, key := range []string{"b", "a", "new"} {
			b.join(func(r *gather.Run) error {
				b.shared.Want(r, "read", "a", "b", "new")
				return addTo(b.shared, key, 1)(r)
			}, b.must)
		}
		b.join(func(r *gather.Run) error {
			_, err := b.kind.Get(r, "read")
			return err
		}, b.must)
		go func() {
			time.Sleep(15 * time.Millisecond)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.locked["b"] = false
		}()
		b.wantKept(map[string]int{"a": 2, "b": 2, "new": 1, "read": 1})
		b.wantTransactions(3, 1)
		first, all := []string{"read"}, []string{"a", "b", "new", "read"}
		claim := []string{"claim", "a", "b"}
		b.wantReads(first, all, claim, claim, first, all)
		expect.Elements(b, keys(b.staged[0]), []string{"a", "b", "new"}, "the order of shared records")
	})
}

func keys(changes []change) (all []string) {
	for _, c := range changes {
		all = append(all, c.Key)
	}
	return all
}

func TestRecords(t *testing.T) {
	on(t, map[string]int{"a": 1, "damaged": -1}, func(b *bench) {
		var late *gather.Run
		b.join(func(r *gather.Run) error {
			b.kind.Want(r, "a", "none", "damaged")
			if r.Missed() {
				return nil
			}
			late = r
			if _, err := b.kind.Get(r, "damaged"); err == nil || err.Error() != "damaged is damaged" {
				b.Errorf("got error %v for a damaged record", err)
			}
			b.want(b.kind.Insert(r, "a", 2, errTaken), errTaken)
			if err := b.kind.Remove(r, "none"); err == nil {
				b.Error("what is known not to be there was removed")
			}
			b.must(b.kind.Insert(r, "brief", 1, errTaken))
			b.must(b.kind.Remove(r, "brief"))
			_, err := b.kind.Get(r, "brief")
			b.want(err, fault.ErrNotFound)
			b.must(b.kind.Remove(r, "a"))
			b.must(b.kind.Insert(r, "a", 3, errTaken))
			return nil
		}, b.must)
		b.wantKept(map[string]int{"a": 3, "damaged": -1})
		for doing, err := range map[string]error{
			"put": b.kind.Put(late, "a", 9), "insert": b.kind.Insert(late, "x", 9, errTaken),
			"remove": b.kind.Remove(late, "none"),
			"get":    func() error { _, err := b.kind.Get(late, "a"); return err }(),
		} {
			expect.Error(b, err, ports.ErrUnavailable, "%s after the end of the run", doing)
		}
	})
}
