package acceptance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/bootstrap"
	"resellerd/domain/session"
	"resellerd/ports"
)

const signedInFirstAdmin = 1

// onSessions calls do with the sessions that are kept for a server, which may run.
func (s *server) onSessions(t *testing.T, do func(kept ports.Sessions)) {
	t.Helper()
	scheme, address, _ := strings.Cut(s.env["RESELLERD_STORE"], ":")
	opened, err := bootstrap.DefaultStores()[scheme].Open(t.Context(), address, func(_, _ int64, _ func() int64) func(error) { return func(error) {} })
	if err != nil {
		t.Fatal(err)
	}
	do(opened.Parts().Sessions)
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
}

// signsIn has the first admin signed in.
func (s *server) signsIn(t *testing.T) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	begun := session.Session{
		ID: session.IDOf(t.Name()), Reseller: signedInFirstAdmin, Password: session.MarkOf("a hash"), Device: "a browser", Address: "192.0.2.7", Created: now, Used: now,
	}
	s.onSessions(t, func(kept ports.Sessions) {
		if err := kept.BeginSession(t.Context(), begun, session.Most); err != nil {
			t.Fatal(err)
		}
	})
}

// hasSessions fails unless the first admin has so many sessions.
func (s *server) hasSessions(t *testing.T, want int, where string) {
	t.Helper()
	s.onSessions(t, func(kept ports.Sessions) {
		found, err := kept.SessionsOf(t.Context(), signedInFirstAdmin)
		if err != nil {
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
	srv.restore(t, made.File, nil).hasSessions(t, 0, "in what was made of a backup")
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
	byHand := serverOn(sqlite, filepath.Dir(other), changed(srv.env, map[string]string{"RESELLERD_STORE": "sqlite:" + other}))
	byHand.hasSessions(t, 1, "in a copy of the file")
	srv.restore(t, other, nil).hasSessions(t, 0, "in what was made of a copy of the file")
}

// TestDamagedSessionsKeepNobodyFromAnAudit audits stores whose sessions others have changed, and then removed.
func TestDamagedSessionsKeepNobodyFromAnAudit(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		srv.Admin(t).Reseller(t, "5").Official(t)
		srv.stop(t)
		srv.signsIn(t)
		damage := []func(){
			func() { openSQLiteAnd(t, srv.dir, "UPDATE sessions SET account = -7, device = '', expires_at = 0") },
			func() {
				openSQLiteAnd(t, srv.dir, "DROP TABLE sessions; CREATE TABLE sessions (other TEXT); INSERT INTO sessions VALUES ('x')")
			},
			func() { openSQLiteAnd(t, srv.dir, "DROP TABLE sessions") },
		}
		if s.name == mongodb.name {
			changes := []func(ctx context.Context, sessions *mongo.Collection) error{
				func(ctx context.Context, sessions *mongo.Collection) error {
					_, err := sessions.UpdateMany(ctx, bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "account", Value: int64(7)}}}, {Key: "$unset", Value: bson.D{{Key: "expires_at", Value: ""}}}},
						options.UpdateMany().SetBypassDocumentValidation(true))
					return err
				},
				func(ctx context.Context, sessions *mongo.Collection) error { return sessions.Drop(ctx) },
			}
			damage = nil
			for _, change := range changes {
				damage = append(damage, func() {
					onMongoDB(t, srv.dir, func(ctx context.Context, db *mongo.Database) error { return change(ctx, db.Collection("sessions")) })
				})
			}
		}
		for _, does := range damage {
			does()
			srv.audit(t).well()
		}
	})
}
