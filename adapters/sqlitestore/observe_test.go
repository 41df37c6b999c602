package sqlitestore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
)

// TestCommitsAreTold has updates that write, that only read and that are refused. Those of the first alone are commits.
func TestCommitsAreTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.db")
	s, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var mu sync.Mutex
	var told []ports.Commit
	s.Observe(func(c ports.Commit) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, c)
	})
	refusal := errors.New("refused")
	update := func(key string, outcome error) {
		t.Helper()
		err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			if key == "" {
				_, err := tx.Resellers.AnyBlocked(ctx, []int64{1})
				return errors.Join(err, outcome)
			}
			return errors.Join(tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: key, Request: []byte("x"), Status: 200, Body: []byte("x"), Expires: time.UnixMilli(1)}), outcome)
		})
		if !errors.Is(err, outcome) {
			t.Fatal(err)
		}
	}
	update("one", nil)
	update("", nil)
	update("", refusal)
	update("two", refusal)
	update("three", nil)
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 2 {
		t.Fatalf("told of %+v, want 2 commits", told)
	}
	for _, c := range told {
		if c.Commands != 1 || c.Attempts != 1 || c.Took <= 0 || c.Took > time.Minute {
			t.Errorf("told of %+v", c)
		}
	}
	wal, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Load(); got != (ports.Load{WAL: wal.Size()}) || wal.Size() == 0 {
		t.Errorf("the store stands as %+v, its WAL has %d bytes", got, wal.Size())
	}
}

// TestAttemptsAreTold has one of two commands that share a transaction refused after it has written, so that both run
// again, and what was wanted of the other one the second time.
func TestAttemptsAreTold(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]struct {
		outcome error // of the command that was kept at first
		want    []ports.Commit
	}{
		"it is kept again": {nil, []ports.Commit{{Commands: 2, Attempts: 2}}},
		"nothing is kept":  {errors.New("refused by then"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := holding(t, admin())
			told := make(chan ports.Commit, 9)
			s.Observe(func(c ports.Commit) { told <- c })
			h := hold(t, s)
			var runs int
			refused := errors.New("refused")
			var group sync.WaitGroup
			for i, work := range []func() error{
				func() error {
					if runs++; runs == 1 {
						return nil
					}
					return again.outcome
				},
				func() error { return refused },
			} {
				group.Go(func() {
					_ = s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
						return errors.Join(tx.Resellers.Insert(ctx, master(int64(10+i))), work())
					})
				})
				await(t, func() bool { return s.Queued() == i+1 }) // the order is kept
			}
			h.release()
			must(t, <-h.ended)
			group.Wait()
			wantEqual(t, runs, 2)
			must(t, s.Close()) // whoever is told of a commit is so before its callers
			close(told)
			var got []ports.Commit
			for c := range told {
				c.Took = 0
				got = append(got, c)
			}
			wantEqual(t, got, again.want)
		})
	}
}
