package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// BenchmarkReminders tells the owner of each of b.N lines, which all expire within a day, that it expires.
func BenchmarkReminders(b *testing.B) {
	for _, store := range stores {
		b.Run(store.name, func(b *testing.B) {
			s, err := store.open(b)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			})
			remind(b, s)
		})
	}
}

func remind(b *testing.B, s ports.Store) {
	const by, days, atOnce = "bench", 7, 32
	now := epoch
	service := application.New(application.Dependencies{Store: s, Clock: func() time.Time { return now }},
		application.Policy{ExpiringDays: line.Reminders{days}})
	if _, err := service.Leases.Change(b.Context(), func(l lease.Lease) (lease.Lease, bool) {
		return l.Take(by), true
	}); err != nil {
		b.Fatal(err)
	}
	if _, err := service.Reminders.Send(b.Context(), by, days, atOnce); err != nil {
		b.Fatal(err)
	}
	insertLines(b, s, b.N)
	now = now.AddDate(0, 0, 30-days+1)
	b.ResetTimer()
	told := 0
	for more := true; more; {
		did, err := service.Reminders.Send(b.Context(), by, days, atOnce)
		if err != nil {
			b.Fatal(err)
		}
		told += did.Entries
		more = did.More
	}
	b.StopTimer()
	if told != b.N {
		b.Errorf("%d lines were told of, want %d", told, b.N)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// insertLines adds official lines which expire in the course of the 30th day.
func insertLines(b *testing.B, s ports.Store, n int) {
	owner := reseller.Position{ID: 2, Ancestors: []int64{1}}
	err := s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, r := range []reseller.State{
			{Position: reseller.Position{ID: 1}, Role: reseller.Admin, CreatedAt: epoch},
			{Position: owner, Role: reseller.Standard, CreatedAt: epoch},
		} {
			if err := tx.Resellers.Insert(ctx, newReseller(b, r)); err != nil {
				return err
			}
		}
		return tx.Journal.Begin(ctx, "", "0000000a",
			journal.Entry{Type: journal.Began, At: epoch, Actor: journal.Actor{Kind: journal.BySystem}})
	})
	const atOnce = 1000
	for first := 0; first < n && err == nil; first += atOnce {
		err = s.Update(b.Context(), func(ctx context.Context, tx ports.Tx) error {
			for i := first; i < min(n, first+atOnce); i++ {
				name := fmt.Sprint("line", i)
				l, err := line.Restore(line.State{
					ID: int64(i + 1), Owner: owner, Username: profile.RestoreUsername(name, name), Password: line.Sealed("sealed"),
					PlatformID: int64(i + 1), Charge: int64(i + 1),
					ExpiresAt: epoch.AddDate(0, 0, 30).Add(time.Duration(i) * 24 * time.Hour / time.Duration(n)).Truncate(
						time.Millisecond),
					CreatedAt: epoch, UpdatedAt: epoch, Version: 2,
				})
				if err != nil {
					return err
				}
				if err := tx.Lines.Insert(ctx, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		b.Fatal(err)
	}
}
