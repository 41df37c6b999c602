package bootstrap

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/cli"
	"resellerd/adapters/sqlitestore"
	"resellerd/application/audit"
	"resellerd/domain/bulk"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// inFile returns the name of a file of its own for a store, and what runs a command on it.
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

// backedUp makes a backup with its key, and returns the one file of it that matches the pattern.
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

// TestAKeyFileThatWasRenamedIsInABackup between its new name and the command that replaces the key.
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

// TestARestoredStoreTellsNobody: its webhooks are disabled, its journal says so, and no process is taken for the one
// that delivers. The store that was backed up goes on.
func TestARestoredStoreTellsNobody(t *testing.T) {
	file, command := inFile(t, "served.db")
	fill(t, file)
	changeWebhooks(t, file)
	made := backedUp(t, command, "*.db")
	restored, restore := inFile(t, "restored.db")
	status, said := restore("restore", made, "--json")
	if status != 0 || !strings.Contains(said, `"webhooks_disabled":1,"jobs_stopped":1,`) {
		t.Fatalf("status %d: %s", status, said)
	}
	enabled, why := webhooksIn(t, restored)
	expect.Equal(t, enabled, 0, "webhooks that are enabled")
	expect.Elements(t, why, []webhook.Reason{webhook.Restored, webhook.Requested}, "their reasons")
	if enabled, why := webhooksIn(t, file); enabled != 1 || !slices.Equal(why, []webhook.Reason{"", webhook.Requested}) {
		t.Errorf("in the store that was backed up %d webhooks are enabled, and the reasons are %q", enabled, why)
	}
	onFile(t, restored, func(s *sqlitestore.Store) {
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			entries, err := r.Entries(ctx, 0, 1000)
			must(t, err)
			last := entries[len(entries)-1].Record
			expect.Equal(t, entries[len(entries)-3].Record.Type, journal.Restored, "before it stands")
			if job := last; job.Type != journal.BulkFinished || job.Datum(journal.Job) == int64(1) ||
				job.Datum(journal.Status) != "stopped" || job.Account.ID != 2 || job.Actor.Kind != journal.BySystem {
				t.Errorf("the journal ends with %+v", job)
			}
			last = entries[len(entries)-2].Record
			if last.Type != journal.WebhookDisabled || last.Reason != string(webhook.Restored) ||
				last.Datum(journal.Webhook) != int64(1) || last.Account.ID != 2 || last.Actor.Kind != journal.BySystem {
				t.Errorf("the journal ends with %+v", last)
			}
			leases, err := r.OfKind(ctx, ports.Leases.Kind, "", 9)
			expect.Equal(t, len(leases), 0, "the store has leases: %v", leases)
			return err
		}))
		if v, err := audit.Run(t.Context(), s, audit.Options{Report: func(finding string) {
			t.Error(finding)
		}}); err != nil || v.Records < 4 {
			t.Errorf("audited: %+v, %v", v, err)
		}
	})
	_, restore = inFile(t, "again.db")
	if status, said = restore("restore", made); status != 0 ||
		!strings.Contains(said, "\n1 webhooks were disabled: ") ||
		!strings.Contains(said, "\n1 jobs for many lines were stopped: ") {
		t.Errorf("status %d: %s", status, said)
	}
}

// changeWebhooks has the second webhook disabled by its owner, a job be under way, and a process hold the lease.
func changeWebhooks(t *testing.T, file string) {
	t.Helper()
	onFile(t, file, func(s *sqlitestore.Store) {
		id, err := s.NextID(t.Context(), ports.BulkJobs.Sequence())
		must(t, err)
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			all := ports.Webhooks.In(tx.Records)
			w, err := all.Get(ctx, 2)
			must(t, err)
			must(t, all.Save(ctx, w.Disable(webhook.Requested)))
			j := bulk.Job{ID: id, By: bulk.Starter{Account: 2}, Order: bulk.Order{Action: bulk.Resume}, Status: bulk.Running}
			must(t, ports.BulkJobs.In(tx.Records).Insert(ctx, j))
			return ports.Leases.In(tx.Records).Insert(ctx, lease.Lease{Name: "background"}.Take("a process"))
		}))
	})
}

// webhooksIn returns how many webhooks in a store are enabled, and why the others, in the order of their ids, are not.
func webhooksIn(t *testing.T, file string) (enabled int, why []webhook.Reason) {
	t.Helper()
	onFile(t, file, func(s *sqlitestore.Store) {
		must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			page, err := ports.WebhooksByID.List(ctx, v.Records, record.Query{Limit: 9})
			enabled, why = 0, nil
			for _, w := range page.Items {
				if why = append(why, w.Disabled); w.Enabled {
					enabled++
				}
			}
			return err
		}))
	})
	return enabled, why
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
