package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/fault"
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
			expect.Error(t, s.Ready(t.Context()), nil, "no request has read it")
			err := meet(t, s)
			expect.Error(t, err, ports.ErrUnavailable)
			wantMention(t, err, "malformed")
			for range 2 {
				wantNotReady(t, s, "malformed")
			}
			insert(t, s, master(3)) // other requests are not affected
			wantNotReady(t, s, "malformed")
		})
	}
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

// TestReadyTriesAgainWhatFailed leaves room for everything else that Ready tries.
func TestReadyTriesAgainWhatFailed(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	execute(t, s, fmt.Sprintf("PRAGMA max_page_count = %d", number(t, s, "PRAGMA page_count")+100))
	expect.Error(t, s.Ready(t.Context()), nil)
	expect.DeepEqual(t, number(t, s, "SELECT count(*) FROM settings"), 0, "settings: what it tries it leaves nowhere")
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
