// Package bench measures the domain, the stores and the API; it proves nothing. Run it on the production disk: an
// update costs about as much as a flush to that disk.
package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/adapters/mongostore"
	"resellerd/adapters/sqlitestore"
	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/mongotest"
)

// stores are the stores that are measured, each opened without any records.
var stores = []struct {
	name string
	open func(b *testing.B) (ports.Store, error)
}{
	{"sqlite", func(b *testing.B) (ports.Store, error) {
		return sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "store.db"))
	}},
	{"mongodb", func(b *testing.B) (ports.Store, error) {
		return mongostore.Open(b.Context(), mongotest.URI(b))
	}},
}

var epoch = time.Date(2024, 5, 17, 9, 30, 12, 345e6, time.UTC)

// BenchmarkUpdate adds credits: an id, then an update that gets and saves an
// reseller and appends a movement. With one caller it is a lone command; callers
// on distinct resellers share commits where the store gathers them, and callers on
// one reseller show what contention costs.
func BenchmarkUpdate(b *testing.B) {
	for _, store := range stores {
		for _, load := range []struct {
			name               string
			callers, resellers int
		}{
			{"1-caller", 1, 1},
			{"64-callers-distinct-accounts", 64, 64},
			{"64-callers-one-account", 64, 1},
		} {
			b.Run(store.name+"/"+load.name, func(b *testing.B) {
				s, err := store.open(b)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() {
					if err := s.Close(); err != nil {
						b.Error(err)
					}
				})
				addCredits(b, s, load.callers, load.resellers)
			})
		}
	}
}

func addCredits(b *testing.B, s ports.Store, callers, resellers int) {
	const firstReseller = 2
	now := time.Date(2024, 5, 17, 9, 30, 12, 345e6, time.UTC)
	admin := newReseller(b, reseller.State{Position: reseller.Position{ID: 1}, Role: reseller.Admin, CreatedAt: now})
	err := s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Resellers.Insert(ctx, admin); err != nil {
			return err
		}
		for i := range resellers {
			place := reseller.Position{ID: int64(firstReseller + i), Ancestors: []int64{1}}
			if err := tx.Resellers.Insert(ctx,
				newReseller(b, reseller.State{Position: place, Role: reseller.Standard, CreatedAt: now})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	amount, err := credit.Parse("0.5")
	if err != nil {
		b.Fatal(err)
	}

	add := func(id int64) error {
		movement, err := s.NextID(b.Context(), ports.MovementIDs)
		if err != nil {
			return err
		}
		v := credit.Provenance{ID: movement, Actor: 1, Request: "bench", At: now}
		return s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error {
			target, err := tx.Resellers.Get(ctx, id)
			if err != nil {
				return err
			}
			m, err := admin.Fund(target, amount, v)
			if err != nil {
				return err
			}
			if err := tx.Resellers.Save(ctx, target); err != nil {
				return err
			}
			return tx.Ledger.Append(ctx, m)
		})
	}

	// One goroutine per caller, whatever GOMAXPROCS is.
	var left atomic.Int64
	left.Store(int64(b.N))
	ended := make(chan error, callers)
	b.ResetTimer()
	for caller := range callers {
		go func() {
			for left.Add(-1) >= 0 {
				if err := add(int64(firstReseller + caller%resellers)); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	for range callers {
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

func newReseller(b *testing.B, s reseller.State) *reseller.Reseller {
	name := fmt.Sprint("account", s.ID)
	s.Username = profile.RestoreUsername(name, name)
	s.PasswordHash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"
	s.RechargedAt, s.UpdatedAt = s.CreatedAt, s.CreatedAt
	a, err := reseller.Restore(s)
	if err != nil {
		b.Fatal(err)
	}
	return a
}
