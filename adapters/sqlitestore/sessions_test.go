package sqlitestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/fault"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// secretDevice is what the browsers of all sessions here call themselves.
const secretDevice = "a browser that no other file tells of"

// signIn begins a session of the master, and returns it.
func signIn(t *testing.T, s ports.Sessions, name string) session.Session {
	t.Helper()
	begun := session.Session{
		ID: session.IDOf(name), Reseller: 2, Password: session.MarkOf(name), Device: secretDevice, Address: "192.0.2.7",
		Created: fixture.Noon, Used: fixture.Noon,
	}
	must(t, s.BeginSession(t.Context(), begun, session.Most))
	return begun
}

// wantSignedIn fails unless this is the only session of the master.
func wantSignedIn(t *testing.T, s ports.Sessions, want ...session.Session) {
	t.Helper()
	found, err := s.SessionsOf(t.Context(), 2)
	must(t, err)
	wantEqual(t, fmt.Sprint(found), fmt.Sprint(want), "sessions of account 2")
}

// TestSessionsShareATransaction has sessions used, and some ended in vain, while the writer is busy.
func TestSessionsShareATransaction(t *testing.T) {
	t.Parallel()
	const waiting = 20
	s := holding(t, admin(), master(2))
	for i := range waiting {
		signIn(t, s, fmt.Sprint(i))
	}
	h := hold(t, s)
	before := s.Transactions()
	errs := make([]error, waiting)
	var group sync.WaitGroup
	for i := range waiting {
		group.Go(func() {
			id := session.IDOf(fmt.Sprint(i))
			if i%2 == 0 {
				errs[i] = s.UseSession(t.Context(), id, fixture.Noon.Add(time.Hour))
			} else {
				errs[i] = s.EndSession(t.Context(), 1, id)
			}
		})
	}
	await(t, func() bool { return s.Queued() == waiting })
	h.release()
	must(t, <-h.ended)
	group.Wait()
	wantEqual(t, s.Transactions(), before+2, "one for the command that was held, one for all that waited")
	for i, err := range errs {
		wantError(t, err, []error{nil, fault.ErrNotFound}[i%2], "session ", i)
	}
	wantEqual(t, number(t, s, fmt.Sprint("SELECT count(*) FROM sessions WHERE used_at = ", fixture.Noon.Add(time.Hour).UnixMilli())), waiting/2, "used")
}

func TestADamagedSessionIsNeitherAbsentNorUnavailable(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2))
	damaged := signIn(t, s, "damaged")
	execute(t, s, "PRAGMA ignore_check_constraints = on; UPDATE sessions SET password = x'01'; PRAGMA ignore_check_constraints = off")
	sound := signIn(t, s, "sound")
	ctx := t.Context()
	_, got := s.Session(ctx, damaged.ID)
	wantSignedIn(t, s, sound)
	for doing, err := range map[string]error{"get": got, "use": s.UseSession(ctx, damaged.ID, fixture.Noon.Add(time.Hour))} {
		if err == nil || errors.Is(err, fault.ErrNotFound) || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: got error %v, want one of neither kind", doing, err)
		}
		wantMention(t, err, "a mark of 1 bytes", doing)
	}
	found, err := s.Session(ctx, sound.ID)
	must(t, err)
	wantEqual(t, found, sound)
	must(t, s.EndSession(ctx, 2, damaged.ID), "it can be ended")
	wantSignedIn(t, s, sound)
}

// TestACopyHasNoSessions copies stores in which somebody is signed in. Nothing is left of it, not even in pages that are
// not used any more.
func TestACopyHasNoSessions(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T) (path string){
		"in use": func(t *testing.T) string {
			path, s := storeOfTwo(t)
			for i := range session.Most {
				signIn(t, s, fmt.Sprint(i))
			}
			return path
		},
		"closed": func(t *testing.T) string {
			path, s := storeOfTwo(t)
			signIn(t, s, "closed")
			must(t, s.Close())
			return path
		},
		"of many accounts": func(t *testing.T) string {
			path, s := storeOfTwo(t)
			execute(t, s, "INSERT INTO sessions WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "+
				"SELECT 'session ' || i, i, zeroblob(32), '"+secretDevice+"', '192.0.2.7', 0, 0, 0, NULL FROM n")
			must(t, s.Close())
			return path
		},
	} {
		path := lay(t)
		copied := copyOf(t, openArchive(t, path))
		content, err := os.ReadFile(copied)
		must(t, err, name)
		if bytes.Contains(content, []byte(secretDevice)) {
			t.Errorf("%s: the copy tells of a session", name)
		}
		if left, err := os.ReadDir(filepath.Dir(copied)); err != nil || len(left) != 1 {
			t.Errorf("%s: beside the copy is %v, %v", name, left, err)
		}
		wantEqual(t, resellersIn(t, openArchive(t, copied)), 2, name)
		s := open(t, copied)
		wantEqual(t, number(t, s, "SELECT count(*) FROM sessions"), 0, name)
		wantSignedIn(t, s, signIn(t, s, "new"))
		var sound string
		must(t, s.OnWriter(func(c sqlitestore.Raw) error { return c.Ask("PRAGMA integrity_check", &sound) }))
		wantEqual(t, sound, "ok", name)
		must(t, s.Close())
	}
}

// TestNobodyIsSignedOutByABackup copies a store and looks at the store itself.
func TestNobodyIsSignedOutByABackup(t *testing.T) {
	t.Parallel()
	path, s := storeOfTwo(t)
	signedIn := signIn(t, s, "stays")
	copyOf(t, openArchive(t, path))
	wantSignedIn(t, s, signedIn)
}

// TestAnArchiveLooksAtNoSessions reads and copies files whose table of sessions others have changed.
func TestAnArchiveLooksAtNoSessions(t *testing.T) {
	t.Parallel()
	for damage, copyable := range map[string]bool{
		"DROP TABLE sessions": true,
		"DROP TABLE sessions; CREATE TABLE sessions (other TEXT); INSERT INTO sessions VALUES ('of use')": true,
		"DROP INDEX sessions_account":                         true,
		"ALTER TABLE sessions RENAME COLUMN account TO other": true,
		"garbage": false, // it can't be told what stands there
	} {
		path, s := storeOfTwo(t)
		signIn(t, s, "signed in")
		root, size := rootOf(t, s, "sessions")
		if damage != "garbage" {
			execute(t, s, damage)
		}
		must(t, s.Close())
		if damage == "garbage" {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			must(t, err)
			_, err = file.WriteAt([]byte(strings.Repeat("?", size)), int64(root-1)*int64(size))
			must(t, errors.Join(err, file.Close()))
		}
		a := openArchive(t, path)
		wantEqual(t, resellersIn(t, a), 2, damage)
		wantEqual(t, derived(t, a), nil, damage)
		must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			_, err := r.Totals(ctx)
			return err
		}), damage)
		to := emptyFile(t)
		if err := a.CopyTo(t.Context(), to, func(int64, int64) {}); (err == nil) != copyable {
			t.Errorf("%s: copied with error %v", damage, err)
		} else if !copyable {
			wantMention(t, err, "remove the sessions from the copy", damage)
			continue
		}
		wantEqual(t, resellersIn(t, openArchive(t, to)), 2, damage)
	}
}

// TestAnOlderSchemaGetsSessions copies a file of the schema that had none as it is, and opens it.
func TestAnOlderSchemaGetsSessions(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	layOlder(t, path, 4)
	copied := copyOf(t, openArchive(t, path))
	for _, path := range []string{path, copied} {
		s := open(t, path)
		wantSignedIn(t, s)
		wantSignedIn(t, s, signIn(t, s, "new"))
	}
}
