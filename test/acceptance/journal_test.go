package acceptance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
)

// TestEventsAreToldBesideTheService has an operator ask the store what the API tells an admin.
func TestEventsAreToldBesideTheService(t *testing.T) {
	for _, kind := range stores {
		if !kind.durable {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			if kind.available != nil {
				kind.available(t)
			}
			// The beginning, the admin, an account, its credits, a trial that is activated and deleted, a block, credits.
			const entries = 9
			srv := startServer(t, kind, nil)
			admin := srv.Admin(t)
			maria := admin.Master(t, "10")
			funded := admin.Send(t, "PATCH", api.Path("/users/credits", maria.ID), fields{"credits": 50}).Is(200)
			sold := maria.Official(t)
			maria.Send(t, "DELETE", api.Path("/lines", sold.ID), nil).Is(200)
			admin.Send(t, "PUT", api.Path("/users", maria.ID, "/block"), nil).Is(200)
			// a movement at the end, to wait for
			admin.Send(t, "PATCH", api.Path("/users/credits", maria.ID), fields{"credits": 1}).Is(200)
			events := func(args ...string) string {
				status, stdout, stderr := srv.command(t, append([]string{"events"}, args...)...)
				if status != 0 {
					t.Fatalf("%q ended with status %d: %s", args, status, stderr)
				}
				return stdout
			}
			told(t, admin, 4)
			shown := admin.Get(t, "/events?limit=500").List()
			lines := slices.Collect(strings.Lines(events("--format", "ndjson")))
			if len(lines) != len(shown) || len(lines) != entries {
				t.Fatalf("the command tells %d entries, and the service %d: %q", len(lines), len(shown), lines)
			}
			for i, line := range lines {
				decoder := json.NewDecoder(strings.NewReader(line))
				decoder.UseNumber()
				var object api.Fields
				if err := decoder.Decode(&object); err != nil || !reflect.DeepEqual(object, shown[i].Fields) {
					t.Errorf("the command tells %s, and the service %v, %v", line, shown[i].Fields, err)
				}
			}
			request := funded.Header.Get("X-Request-Id")
			by := fmt.Sprintf("admin (1) by token from 127.0.0.1 added credits to %s (%d): 50 credits from issuance to ",
				maria.Username, maria.ID)
			if got := events("--account", maria.Username, "--type", "reseller.credited", "--since",
				"1h"); strings.Count(got, "\n") != 2 ||
				!strings.Contains(got, by) ||
				!strings.Contains(got, "then had 60 (request "+strconv.Quote(request)+"; reseller.credited; evt_") {
				t.Errorf("who added 50 credits to maria? %s", got)
			}
			for i, what := range []string{"made the trial line", "activated line", "deleted line"} {
				if got := strings.Split(events("--line", fmt.Sprint(sold.ID)), "\n"); len(got) != 4 ||
					!strings.Contains(got[i], what) {
					t.Errorf("what happened to the line? %q", got)
				}
			}
			if got := events("--account", fmt.Sprint(maria.ID), "--type", "reseller.blocked"); !strings.Contains(got,
				" admin (1) by token from 127.0.0.1 blocked ") {
				t.Errorf("who blocked maria? %s", got)
			}
		})
	}
}

// TestARestoredStoreBeginsAnotherEpoch has who followed the store before start over.
func TestARestoredStoreBeginsAnotherEpoch(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	admin := srv.Admin(t)
	admin.Reseller(t, "5")
	b := srv.backup(t, filepath.Join(t.TempDir(), "backups"), "--with-key")
	admin.Reseller(t, "5") // whose number the restored store gives again
	cursor := admin.Get(t, "/events").Next()

	restored := newServer(t, sqlite, nil)
	status, stdout, stderr := restored.command(t, "restore", b.File, "--json")
	var made struct{ Epoch string }
	if err := json.Unmarshal([]byte(stdout), &made); err != nil || status != 0 || len(made.Epoch) != 8 {
		t.Fatalf("the restore ended with status %d and printed\n%s%s", status, stdout, stderr)
	}
	restored.start(t)
	admin = restored.Admin(t)
	gone := admin.Send(t, "GET", api.Query("/events", "cursor", cursor), nil).Refused(410, "cursor-unknown")
	first := admin.Get(t, api.Query("/events", "cursor", gone.Text("restart"), "limit", 1)).List()[0]
	if first.Has(fields{"type": "journal.restored"}); !strings.HasPrefix(first.Text("id"), "evt_"+made.Epoch+"_") {
		t.Errorf("the epoch %s begins with %v", made.Epoch, first.Fields)
	}
	restored.stop(t)
	restored.audit(t).well()
}

// told waits until the journal tells of so many movements, and of all that came before: on a replica set entries get
// their numbers a moment after their commits.
func told(t *testing.T, admin caller, movements int) {
	t.Helper()
	for range 100 {
		named := 0
		for _, e := range admin.Get(t, "/events?limit=500").List() {
			if e.Fields["movement"] != nil {
				named++
			}
		}
		if named >= movements {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the journal does not tell of %d movements", movements)
}
