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
