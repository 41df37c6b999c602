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

// secretDevice is what the browsers of all sessions here call themselves.
const secretDevice = "a browser that no other file tells of"

func sessionOf(name string) session.Session {
	return session.Session{
		ID: session.IDOf(name), Reseller: 2, Password: session.MarkOf(name), Device: secretDevice, Address: "192.0.2.7",
		Created: fixture.Noon, Used: fixture.Noon,
	}
}

// signIn begins a session of the master, and returns it.
func signIn(t *testing.T, s ports.Store, name string) session.Session {
	t.Helper()
	begun := sessionOf(name)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return ports.Sessions.In(tx.Records).Insert(ctx, begun)
	}))
	return begun
}

// wantSignedIn fails unless these are the sessions of the master that can be read.
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
	for damage, found := range map[string]int{
		"UPDATE records SET payload = replace(payload, 'browser', 'Browser')":                           1,
		"UPDATE records SET payload = payload || ' ', checksum = NULL":                                  1,
		"UPDATE records SET payload = '{}', checksum = NULL":                                            1,
		`UPDATE records SET payload = replace(payload, '"account":2', '"account":02'), checksum = NULL`: 1,
		`UPDATE records SET payload = replace(payload, '}', ',"other":1}'), checksum = NULL`:            1,
		"UPDATE records SET checksum = checksum + 1":                                                    1,
		// the record that it misses, and the count
		"DELETE FROM record_index WHERE entry LIKE 'session/end/%'":                  2,
		"INSERT INTO record_index VALUES ('session/end/x', 'y')":                     1,
		"UPDATE record_index SET key = 'other' WHERE entry LIKE 'session/account/%'": 1,
		// neither of its entries leads to it
		"UPDATE records SET key = key || 'x'": 3,
	} {
		path, s := storeOfTwo(t)
		damaged := signIn(t, s, "damaged")
		execute(t, s, damage)
		sound := signIn(t, s, "sound")
		if get := s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			_, err := ports.Sessions.From(v.Records).Get(ctx, damaged.ID)
			return err
		}); get != nil && !errors.Is(get, record.ErrDamaged) && !errors.Is(get, fault.ErrNotFound) {
			t.Errorf("%s: got error %v", damage, get)
		}
		var got int
		must(t, openArchive(t, path).ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			page, err := r.OfKind(ctx, ports.Sessions.Kind, "", 10)
			for _, f := range page {
				if f.Damage != nil {
					got++
				}
			}
			return errors.Join(err, r.Derived(ctx, func(string) { got++ }))
		}), damage)
		expect.DeepEqual(t, got, found, "%v", damage)
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			if err := ports.Sessions.In(tx.Records).Delete(ctx, damaged.ID); err != nil && !errors.Is(err, fault.ErrNotFound) {
				return err
			}
			return nil
		}), "it can be removed")
		must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			_, err := ports.Sessions.From(v.Records).Get(ctx, sound.ID)
			return err
		}), damage)
	}
}
