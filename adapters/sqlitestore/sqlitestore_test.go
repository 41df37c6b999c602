package sqlitestore_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/storetest"
)

func TestStorePassesTheSuite(t *testing.T) {
	t.Parallel()
	var compared, followed atomic.Int64
	t.Cleanup(func() {
		if compared.Load() == 0 && followed.Load() > 0 && !t.Failed() {
			t.Error("no cache was compared with its file")
		}
	})
	t.Run("cached", suite(func(s *sqlitestore.Store) ports.Store {
		if s.Followed() { // nowhere but on Linux
			followed.Add(1)
		}
		return &comparing{s, &compared}
	}))
	t.Run("uncached", func(t *testing.T) {
		inFull(t)
		suite(func(s *sqlitestore.Store) ports.Store { return s.Uncached() })(t)
	})
}

func suite(wrap func(*sqlitestore.Store) ports.Store) func(t *testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		subject := storetest.Persistent(emptyStore, func(ctx context.Context, path string) (ports.Store, error) {
			s, err := sqlitestore.Open(ctx, path)
			if err != nil {
				return nil, err
			}
			return wrap(s), nil
		})
		subject.Parallel = true
		storetest.RunAll(t, subject)
	}
}

// comparing is a store that compares its cache with its file when it is closed, because views that the cache answers do
// not show the content of the file.
type comparing struct {
	*sqlitestore.Store

	compared *atomic.Int64
}

func (c *comparing) Close() error {
	n, err := c.CompareCache(context.Background())
	if errors.Is(err, ports.ErrUnavailable) { // closed before
		err = nil
	}
	c.compared.Add(int64(n))
	return errors.Join(err, c.Store.Close())
}
