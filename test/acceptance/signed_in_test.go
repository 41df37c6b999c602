package acceptance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resellerd/bootstrap"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

const signedInFirstAdmin = 1

// onSessions calls do with the sessions that are kept for a server, which may run.
func (s *server) onSessions(t *testing.T, do func(kept ports.Store)) {
	t.Helper()
	scheme, address, _ := strings.Cut(s.env["RESELLERD_STORE"], ":")
	opened, err := bootstrap.DefaultStores()[scheme].Open(t.Context(), address,
		func(_, _ int64, _ func() int64) func(error) { return func(error) {} })
	if err != nil {
		t.Fatal(err)
	}
	do(opened)
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
}

// signsIn has the first admin signed in.
func (s *server) signsIn(t *testing.T) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	begun := session.Session{
		ID: session.IDOf(t.Name()), Reseller: signedInFirstAdmin, Password: session.MarkOf("a hash"), Device: "a browser",
		Address: "192.0.2.7", Created: now, Used: now,
	}
	s.onSessions(t, func(kept ports.Store) {
		if err := kept.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return ports.Sessions.In(tx.Records).Insert(ctx, begun)
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// hasSessions fails unless the first admin has so many sessions.
func (s *server) hasSessions(t *testing.T, want int, where string) {
	t.Helper()
	s.onSessions(t, func(kept ports.Store) {
		var found []session.Session
		if err := kept.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			page, err := ports.SessionsByHolder.List(ctx, s.Records, record.Query{Equal: record.Tuple{int64(signedInFirstAdmin)},
				Limit: 100})
			found = page.Items
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if len(found) != want {
			t.Errorf("%s the admin has %d sessions, want %d: %+v", where, len(found), want, found)
		}
	})
}

func TestSessionsAreNotCopied(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		source.Admin(t).Reseller(t, "5").Official(t)
		source.stop(t)
		source.signsIn(t)
		source.copyTo(t, target).well()
		source.hasSessions(t, 1, "in the source of a copy")
		target.hasSessions(t, 0, "in a copy")
		source.audit(t).well()
	})
}

// TestSessionsAreNotRestored makes stores of a backup, and of a copy of the file that was made by other means.
func TestSessionsAreNotRestored(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	srv.Admin(t).Reseller(t, "5").Official(t)
	srv.signsIn(t)
	made := srv.backup(t, filepath.Join(t.TempDir(), "backups"), "--with-key")
	srv.restore(t, made.File).hasSessions(t, 0, "in what was made of a backup")
	srv.hasSessions(t, 1, "in a store that was backed up")
	srv.stop(t)

	other := filepath.Join(t.TempDir(), "by-hand.db")
	for _, suffix := range []string{"", ".key"} {
		content, err := os.ReadFile(database(srv.dir) + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(other+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	byHand := serverOn(sqlite, filepath.Dir(other),
		changed(srv.env, map[string]string{"RESELLERD_STORE": "sqlite:" + other}))
	byHand.hasSessions(t, 1, "in a copy of the file")
	srv.restore(t, other).hasSessions(t, 0, "in what was made of a copy of the file")
}
