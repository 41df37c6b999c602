package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/storetest"
)

// must ends the test if a step that it depends on fails.
func must(t *testing.T, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("got error %v; %s", err, fmt.Sprint(about...))
	}
}

func wantMention(t *testing.T, err error, text string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want one that mentions %q; %s", err, text, fmt.Sprint(about...))
	}
}

// inFull skips a slow test, which seldom finds more than the others, unless make test runs it.
func inFull(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make check leaves it to make test")
	}
}

// newPath returns the path of a file for one test, which does not exist yet.
func newPath(t storetest.T) string { return filepath.Join(t.TempDir(), "store.db") }

// empty is the content of a file that Open has made.
var empty = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "sqlitestore-test-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "store.db")
	s, err := sqlitestore.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// emptyStore returns the path of an empty store for one test, a copy of one that was made once: the migrations and
// their writes to the disk take longer than most tests. Tests of Open use newPath.
func emptyStore(t storetest.T) string {
	t.Helper()
	content, err := empty()
	path := newPath(t)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatalf("lay an empty store: %v", err)
	}
	return path
}

// copied copies a file, or those beside it with these suffixes, to a folder of its own.
func copied(t *testing.T, path string, suffixes ...string) (to string) {
	t.Helper()
	to = newPath(t)
	for _, suffix := range suffixes {
		content, err := os.ReadFile(path + suffix)
		must(t, err)
		must(t, os.WriteFile(to+suffix, content, 0o600))
	}
	return to
}

// holding returns a new store with these accounts.
func holding(t *testing.T, accounts ...*reseller.Reseller) *sqlitestore.Store {
	t.Helper()
	s := open(t, emptyStore(t))
	insert(t, s, accounts...)
	return s
}

func open(t *testing.T, path string) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() }) // some tests have closed it
	return s
}

func insert(t *testing.T, s *sqlitestore.Store, accounts ...*reseller.Reseller) {
	t.Helper()
	for _, a := range accounts {
		must(t, s.Update(t.Context(), inserts(a)))
	}
}

// inserts is the work of an update that inserts an account.
func inserts(a *reseller.Reseller) func(context.Context, ports.Tx) error {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) }
}

// putKey stores an answer of an account under a key.
func putKey(t *testing.T, s *sqlitestore.Store, account int64) {
	t.Helper()
	key := ports.KeyRecord{Reseller: account, Key: "k", Request: []byte("r"), Status: 201, Body: []byte("b")}
	key.Expires = fixture.Noon
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, key) }))
}

func read(id int64) func(context.Context, ports.Snapshot) error {
	return func(ctx context.Context, s ports.Snapshot) error {
		_, err := s.Resellers.Get(ctx, id)
		return err
	}
}

func get(t *testing.T, s *sqlitestore.Store, id int64) *reseller.Reseller {
	t.Helper()
	return seen(t, s, func(ctx context.Context, v ports.Snapshot) (*reseller.Reseller, error) {
		return v.Resellers.Get(ctx, id)
	})
}

// seen returns the result of a view.
func seen[V any](t *testing.T, s *sqlitestore.Store, look func(context.Context, ports.Snapshot) (V, error)) (found V) {
	t.Helper()
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) (err error) {
		found, err = look(ctx, v)
		return err
	}))
	return found
}

// execute runs a statement on the connection that writes.
func execute(t *testing.T, s *sqlitestore.Store, statement string) {
	t.Helper()
	must(t, tryExecute(t, s, statement), statement)
}

func tryExecute(t *testing.T, s *sqlitestore.Store, statement string) error {
	t.Helper()
	return s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Exec(statement)
	})
}

// number returns the number that a query on the connection that writes returns.
func number(t *testing.T, s *sqlitestore.Store, query string) (n int) {
	t.Helper()
	must(t, s.OnWriter(func(c sqlitestore.Raw) error { return c.Ask(query, &n) }), query)
	return n
}

// wantSame compares the states of two accounts. An empty list may be nil in one of them.
func wantSame(t *testing.T, got, want *reseller.Reseller) {
	t.Helper()
	expect.DeepEqual(t, fmt.Sprintf("%+v", got.State()), fmt.Sprintf("%+v", want.State()))
}

func admin() *reseller.Reseller { return fixture.Admin(1, full) }

// master returns a reseller below the administrator.
func master(id int64) *reseller.Reseller { return fixture.Master(fixture.Admin(1), id, full) }

// full sets every field of an account, and makes it long enough to fill a file soon.
func full(s *reseller.State) {
	s.Token = reseller.Generation{1, 2, 3}
	s.Contact.Notes = fixture.Text(strings.Repeat("n", 500))
	s.Blocked = true
	s.Trials = []reseller.TrialSlot{{Start: fixture.Noon.Truncate(time.Hour), Count: 3},
		{Start: fixture.Noon.Truncate(time.Minute), Count: 1}}
	s.UpdatedAt = fixture.Noon.Add(time.Minute)
}
