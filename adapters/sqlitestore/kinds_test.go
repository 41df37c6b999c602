package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"resellerd/domain/fault"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// secretDevice is the name of the browser of all sessions here.
const secretDevice = "a browser that no other file names"

func sessionOf(name string) session.Session {
	return session.Session{
		ID: session.IDOf(name), Reseller: 2, Password: session.MarkOf(name), Device: secretDevice, Address: "192.0.2.7",
		Created: fixture.Noon, Used: fixture.Noon,
	}
}

// signIn begins a session of the reseller, and returns it.
func signIn(t *testing.T, s ports.Store, name string) session.Session {
	t.Helper()
	begun := sessionOf(name)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return ports.Sessions.In(tx.Records).Insert(ctx, begun)
	}))
	return begun
}

// wantSignedIn fails unless these are the readable sessions of the reseller.
func wantSignedIn(t *testing.T, s ports.Store, want ...session.Session) {
	t.Helper()
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		page, err := ports.SessionsByHolder.List(ctx, v.Records, record.Query{Equal: record.Tuple{int64(2)}, Limit: 100})
		expect.DeepEqual(t, fmt.Sprint(page.Items), fmt.Sprint(want), "sessions of account 2")
		return err
	}))
}

func TestADamagedRecordOfAKindIsNeitherAbsentNorUnavailable(t *testing.T) {
	t.Parallel()
	for damage, want := range map[string]int{
		"UPDATE records SET payload = replace(payload, 'browser', 'Browser')":                           1,
		`UPDATE records SET payload = replace(payload, '"account":2', '"account":02'), checksum = NULL`: 1,
		// the record that it misses, and the count
		"DELETE FROM record_index WHERE entry LIKE 'session/end/%'": 2,
		// neither of its entries refers to it
		"UPDATE records SET key = key || 'x'": 3,
	} {
		s := holding(t, admin(), master(2))
		damaged := signIn(t, s, "damaged")
		execute(t, s, damage)
		sound := signIn(t, s, "sound")
		get := func(of session.Session) error {
			return s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
				_, err := ports.Sessions.From(v.Records).Get(ctx, of.ID)
				return err
			})
		}
		if err := get(damaged); err != nil && !errors.Is(err, record.ErrDamaged) && !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: got error %v", damage, err)
		}
		found := 0
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			page, err := r.OfKind(ctx, ports.Sessions.Kind, "", 10)
			for _, f := range page {
				if f.Damage != nil {
					found++
				}
			}
			return errors.Join(err, r.Derived(ctx, func(string) { found++ }))
		}), damage)
		expect.DeepEqual(t, found, want, "%v", damage)
		removed := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return ports.Sessions.In(tx.Records).Delete(ctx, damaged.ID)
		})
		if removed != nil && !errors.Is(removed, fault.ErrNotFound) {
			t.Errorf("%s: it can't be removed: %v", damage, removed)
		}
		must(t, get(sound), damage)
	}
}
