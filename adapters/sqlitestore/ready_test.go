package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func wantNotReady(t *testing.T, s *sqlitestore.Store, because string) {
	t.Helper()
	err := s.Ready(t.Context())
	expect.Error(t, err, ports.ErrUnavailable)
	wantMention(t, err, because)
}

func TestReadyFailsAsLongAsSomeStatementFails(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	execute(t, s, "ALTER TABLE lines RENAME TO elsewhere") // fails a statement and leaves its transaction alone
	expect.Error(t, s.Ready(t.Context()), nil, "nobody has met it")

	err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Lines.Get(ctx, 1)
		return err
	})
	expect.Error(t, err, ports.ErrUnavailable)
	wantMention(t, err, "no such table")
	insert(t, s, master(2)) // others notice nothing
	for range 2 {
		wantNotReady(t, s, "no such table")
	}
	execute(t, s, "ALTER TABLE elsewhere RENAME TO lines")
	expect.Error(t, s.Ready(t.Context()), nil)
}

// TestReadyFailsWhereTheFileIsMalformed damages pages that only some requests read.
func TestReadyFailsWhereTheFileIsMalformed(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(t *testing.T, s *sqlitestore.Store) error{
		"a read": func(t *testing.T, s *sqlitestore.Store) error {
			return s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
				_, err := s.Ledger.Statement(ctx, 2, 0, 10)
				return err
			})
		},
		"a write": func(t *testing.T, s *sqlitestore.Store) error {
			funded, l := master(2), fixture.Ledger{}
			return s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				return tx.Ledger.Append(ctx, l.Fund(admin(), funded, "1"))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := closedStore(t)
			damageRoots(t, path, "movements", "movements_source", "movements_target")
			s := open(t, path)
			expect.Error(t, s.Ready(t.Context()), nil, "nothing has met it")
			err := meet(t, s)
			expect.Error(t, err, ports.ErrUnavailable)
			wantMention(t, err, "malformed")
			for range 2 {
				wantNotReady(t, s, "malformed")
			}
			insert(t, s, master(3)) // others notice nothing
			wantNotReady(t, s, "malformed")
		})
	}
}

func TestOpenSaysThatAFileIsMalformed(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	damageRoots(t, path, "settings")
	_, err := sqlitestore.Open(t.Context(), path)
	wantMention(t, err, "open the store in "+path+": the file is malformed")
	wantMention(t, err, "restore a backup")
}

// damageRoots overwrites the first page of tables and indexes.
func damageRoots(t *testing.T, path string, names ...string) {
	t.Helper()
	s := open(t, path)
	var at []int64
	for _, name := range names {
		root, size := rootOf(t, s, name)
		at = append(at, int64(root-1)*int64(size))
	}
	must(t, s.Close())
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	for _, page := range at {
		_, err := file.WriteAt([]byte("this is no page of a table"), page)
		must(t, err)
	}
	must(t, file.Close())
}

// There is room for what else Ready tries.
func TestReadyTriesAgainWhatFailed(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	execute(t, s, fmt.Sprintf("PRAGMA max_page_count = %d", number(t, s, "PRAGMA page_count")+100))
	expect.Error(t, s.Ready(t.Context()), nil)

	long := fixture.Changed(master(2), func(s *reseller.State) {
		s.Contact.Notes = fixture.Text(strings.Repeat("n", 1<<20))
	})
	expect.Error(t, s.Update(t.Context(), inserts(long)), ports.ErrUnavailable)
	for range 2 {
		wantNotReady(t, s, "insert an account: the store is unavailable: database or disk is full (13)")
	}
	execute(t, s, "PRAGMA max_page_count = 1000000")
	expect.Error(t, s.Ready(t.Context()), nil)
	expect.Error(t, s.View(t.Context(), read(2)), fault.ErrNotFound, "what was tried only is undone")
}

func TestReadyFailsAsLongAsNoTransactionCanBeHad(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	insert(t, s, admin())
	expect.Error(t, s.Ready(t.Context()), nil)

	other, err := sql.Open("sqlite", path)
	must(t, err)
	t.Cleanup(func() { _ = other.Close() })
	holder, err := other.Conn(t.Context())
	must(t, err)
	_, err = holder.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	execute(t, s, "PRAGMA busy_timeout = 0")
	err = s.Update(t.Context(), inserts(master(2)))
	expect.Error(t, err, ports.ErrUnavailable)
	wantMention(t, err, "begin a transaction")
	wantMention(t, err, "database is locked (5)")
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // the new connection waits again
	defer cancel()
	expect.Error(t, s.Ready(short), ports.ErrUnavailable)

	_, err = holder.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	expect.Error(t, s.Ready(t.Context()), nil)
}

// Where it doubted its writes it would notice that the file is full.
func TestReadyDoesNotMindRefusals(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	expect.Error(t, s.Ready(t.Context()), nil)
	expect.DeepEqual(t, number(t, s, "SELECT count(*) FROM settings"), 0, "settings: what it tries it leaves nowhere")
	execute(t, s, "PRAGMA max_page_count = 1") // as small as the file is now

	refused := errors.New("refused")
	twin := fixture.Changed(master(2), func(s *reseller.State) { s.Username = fixture.Name("RESELLER-1") })
	for refusal, work := range map[error]func(context.Context, ports.Tx) error{
		refused:                  func(context.Context, ports.Tx) error { return refused },
		fault.ErrNotFound:        func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Save(ctx, master(9)) },
		profile.ErrUsernameTaken: inserts(twin),
	} {
		expect.Error(t, s.Update(t.Context(), work), refusal)
		expect.Error(t, s.Ready(t.Context()), nil, "%v", refusal)
	}
	err := s.Update(t.Context(), insertsLine(fixture.Trial(master(9), 1))) // of a reseller that is not there
	wantMention(t, err, "constraint")
	expect.Error(t, s.Ready(t.Context()), nil)

	ended, cancel := context.WithCancel(t.Context())
	expect.Error(t, s.Update(ended, func(context.Context, ports.Tx) error {
		cancel()
		return nil
	}), ports.ErrUnavailable)
	expect.Error(t, s.Ready(t.Context()), nil, "a caller that left")
}

func TestNothingIsAcknowledgedInAFileThatIsGone(t *testing.T) {
	t.Parallel()
	for name, suffix := range map[string]string{"the file": "", "its WAL": "-wal"} {
		for how, hide := range map[string]func(path string) error{
			"removed":  os.Remove,
			"replaced": func(path string) error { return os.Rename(path, path+".kept") },
		} {
			t.Run(name+" is "+how, func(t *testing.T) {
				t.Parallel()
				path := newPath(t)
				s := open(t, path)
				insert(t, s, admin())
				must(t, hide(path+suffix))
				if how == "replaced" {
					must(t, os.WriteFile(path+suffix, nil, 0o600))
				}
				for id := int64(2); id < 4; id++ {
					expect.Error(t, s.Update(t.Context(), inserts(master(id))), ports.ErrUnavailable)
				}
				expect.Error(t, s.Ready(t.Context()), ports.ErrUnavailable)
			})
		}
	}
}
