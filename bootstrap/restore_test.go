package bootstrap

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/adapters/cli"
	"resellerd/adapters/sqlitestore"
	"resellerd/application/audit"
	"resellerd/domain/bulk"
	"resellerd/domain/lease"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// inFile returns the path of a new store, and a function that runs a command on it.
func inFile(t *testing.T, name string) (file string, command func(args ...string) (status int, said string)) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	return file, func(args ...string) (int, string) {
		t.Helper()
		t.Setenv("RESELLERD_STORE", "sqlite:"+file)
		var out bytes.Buffer
		status := Run(args, &out, &out, DefaultStores())
		return status, out.String()
	}
}

// backedUp makes a backup with its service key, and returns its only file that matches the pattern.
func backedUp(t *testing.T, command func(args ...string) (int, string), pattern string) string {
	t.Helper()
	folder := t.TempDir()
	status, said := command("backup", "--dir", folder, "--with-key")
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if status != 0 || err != nil || len(found) != 1 {
		t.Fatalf("status %d: %s; the backup has %v, %v", status, said, found, err)
	}
	return found[0]
}

// TestAKeyFileThatWasRenamedIsInABackup that is made after the rename and before rekey.
func TestAKeyFileThatWasRenamedIsInABackup(t *testing.T) {
	file, command := inFile(t, "served.db")
	onFile(t, file, func(*sqlitestore.Store) {})
	if status, said := command("admin", "create", "operator"); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	key, err := os.ReadFile(file + ".key")
	must(t, err)
	must(t, os.Rename(file+".key", file+".key.previous"))
	if content, err := os.ReadFile(backedUp(t, command, "*.key")); err != nil || !bytes.Equal(content, key) {
		t.Errorf("the backup has another key: %v", err)
	}
	_, err = os.Stat(file + ".key")
	expect.Error(t, err, os.ErrNotExist, "the key of a backup")
	must(t, os.Remove(file+".key.previous"))
	if status, said := command("backup", "--dir", t.TempDir(), "--with-key"); status != cli.ExitFailed ||
		!strings.Contains(said, file+".key") {
		t.Errorf("without any key: status %d: %s", status, said)
	}
}

// TestARestoredStoreSendsNothing: its webhooks are disabled and its jobs stopped, with entries in its journal. It has
// no leases. The store that was backed up is unchanged.
func TestARestoredStoreSendsNothing(t *testing.T) {
	file, command := inFile(t, "served.db")
	fill(t, file)
	onFile(t, file, func(s *sqlitestore.Store) {
		id, err := s.NextID(t.Context(), ports.BulkJobs.Sequence())
		must(t, err)
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			all := ports.Webhooks.In(tx.Records)
			w, err := all.Get(ctx, 2)
			must(t, err)
			must(t, all.Save(ctx, w.Disable(webhook.Requested)))
			j := bulk.Job{ID: id, By: bulk.Starter{Account: 2}, Change: bulk.Change{Action: bulk.Resume}, Status: bulk.Running}
			must(t, ports.BulkJobs.In(tx.Records).Insert(ctx, j))
			return ports.Leases.In(tx.Records).Insert(ctx, lease.Lease{Name: "background"}.Take("a process"))
		}))
	})
	made := backedUp(t, command, "*.db")
	restored, restore := inFile(t, "restored.db")
	status, said := restore("restore", made, "--json")
	if status != 0 || !strings.Contains(said, `"webhooks_disabled":1,"jobs_stopped":1,`) {
		t.Fatalf("status %d: %s", status, said)
	}
	for store, want := range map[string][]webhook.Reason{restored: {webhook.Restored, webhook.Requested},
		file: {"", webhook.Requested}} {
		onFile(t, store, func(s *sqlitestore.Store) {
			must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
				page, err := ports.WebhooksByID.List(ctx, v.Records, record.Query{Limit: 9})
				var why []webhook.Reason
				for _, w := range page.Items {
					why = append(why, w.Disabled)
					expect.Equal(t, w.Enabled, w.Disabled == "", "%s: the webhook %d is enabled", store, w.ID)
				}
				expect.Elements(t, why, want, "%s: why webhooks are disabled", store)
				return err
			}))
		})
	}
	onFile(t, restored, func(s *sqlitestore.Store) {
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			entries, err := r.Entries(ctx, 0, 1000)
			must(t, err)
			var last []string
			for _, e := range entries[len(entries)-3:] {
				last = append(last, fmt.Sprintf("%s of %d by %s: %s", e.Record.Type, e.Record.Account.ID, e.Record.Actor.Kind,
					e.Record.Reason))
			}
			expect.Elements(t, last, []string{"journal.restored of 0 by system: ", "webhook.disabled of 2 by system: restored",
				"bulk.finished of 2 by system: "}, "the end of the journal")
			leases, err := r.OfKind(ctx, ports.Leases.Kind, "", 9)
			expect.Equal(t, len(leases), 0, "the store has leases: %v", leases)
			return err
		}))
		v, err := audit.Run(t.Context(), s, audit.Options{Report: func(finding string) { t.Error(finding) }})
		expect.Error(t, err, nil, "audited: %+v", v)
	})
}

// onFile opens a store in a file, and closes it.
func onFile(t *testing.T, file string, do func(s *sqlitestore.Store)) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), file)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	do(s)
}

func must(t *testing.T, err error) {
	t.Helper()
	require.NoError(t, err)
}
