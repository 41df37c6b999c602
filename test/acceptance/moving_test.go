package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/adapters/sheet"
	"resellerd/test/api"
)

// movedVariable is how many customers each panel has; without it 300.
const movedVariable = "RESELLERD_TEST_MOVED"

// panels have so many customers: of every ten, three expire within a month, one never does, one is switched off.
var panels = map[string]func(many int) string{
	"marzban": func(many int) string {
		return fmt.Sprintf(`CREATE TABLE users (id, username, status, expire, note); CREATE TABLE proxies (user_id, type, settings);
			INSERT INTO users WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < %d)
			SELECT i, 'user-'||i, CASE WHEN i %% 10 = 9 THEN 'disabled' ELSE 'active' END, `+expiryOf("%[2]d")+`, '=paid by +55'||char(10)||'"'||i||'", שלום 👩‍👧' FROM n;
			INSERT INTO proxies SELECT id, 'Trojan', '{"password":"pass-'||id||'"}' FROM users`, many, time.Now().Unix())
	},
	"3x-ui": func(many int) string {
		return fmt.Sprintf(`CREATE TABLE inbounds (id, protocol, settings, enable, remark); INSERT INTO inbounds
			WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < %d)
			SELECT 1, 'trojan', json_object('clients', json_group_array(json_object('email', 'user-'||i, 'password', 'pass-'||i,
				'enable', json(CASE WHEN i %% 10 = 9 THEN 'false' ELSE 'true' END), 'expiryTime', 1000*(`+expiryOf("%[2]d")+`), 'comment', '''+55 '||i))), 1, 'all' FROM n`, many, time.Now().Unix())
	},
}

// expiryOf is when customer i expires, in seconds.
func expiryOf(now string) string {
	return `CASE WHEN i %% 10 < 3 THEN ` + now + ` + 86400*(1 + i %% 25) WHEN i %% 10 = 3 THEN 0 ELSE ` + now + ` + 86400*(60 + i %% 200) END`
}

// TestABusinessMovesInAndOut from a panel: its customers are moved in, those who expire soon are extended in one job
// while the service is killed, all is exported and moved into an empty service, and both export the same.
func TestABusinessMovesInAndOut(t *testing.T) {
	many := numberOf(t, movedVariable, 300)
	for panel, script := range panels {
		t.Run(panel, func(t *testing.T) {
			forEachDurableStore(t, func(t *testing.T, s store) {
				file := filepath.Join(t.TempDir(), "panel.db")
				makeDatabase(t, file, script(many))
				srv := startServer(t, s, nil)
				srv.env["RESELLERD_ADDR"] = srv.Address // also of the processes after it
				owner := srv.Admin(t).Master(t, fmt.Sprint(many))
				moveIn(t, srv, panel, file, owner.Username)
				srv.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true, "imported": many})

				soon := many / 10 * 3
				order := fields{
					"action": "extend", "params": fields{"credits": 1},
					"select": fields{"filter": fields{"expires_before": time.Now().AddDate(0, 0, 40).UTC().Format(time.RFC3339), "status": 1}},
				}
				dry := owner.Send(t, "POST", "/bulk", api.With(order, fields{"dry_run": true})).Is(200)
				dry.Has(fields{"would_succeed": soon, "total": fmt.Sprint(soon)})
				job := owner.Send(t, "POST", "/bulk", api.With(order, fields{"expect": fields{"count": soon, "total": dry.Fields["total"]}})).Is(202).ID()
				for range 3 {
					time.Sleep(time.Duration(soon) * time.Millisecond / 4)
					srv.Kill()
					api.Client.CloseIdleConnections()
					srv.start(t)
				}
				comes(t, func() bool { return owner.Get(t, api.Path("/bulk", job)).Fields["status"] == "done" })
				owner.Get(t, api.Path("/bulk", job)).Has(fields{"succeeded": soon, "refused": 0, "charged": fmt.Sprint(soon)})
				if got, want := owner.Credits(t), fmt.Sprint(many-soon); got != want {
					t.Errorf("the owner has %s, want %s", got, want)
				}

				exported := owner.Get(t, "/exports/lines?format=csv").Is(200).Body
				table := filepath.Join(t.TempDir(), "lines.csv")
				if err := os.WriteFile(table, exported, 0o600); err != nil {
					t.Fatal(err)
				}
				other := startServer(t, s, nil)
				heir := other.Admin(t).Master(t, "0")
				moveIn(t, other, "csv", table, heir.Username)
				again := heir.Get(t, "/exports/lines?format=csv").Is(200).Body
				was, is := withoutIDs(t, exported), withoutIDs(t, again)
				if len(was) != many || !slices.Equal(was, is) {
					t.Errorf("%d lines were exported, then %d others", len(was), len(is))
				}
				for _, each := range []*server{srv, other} {
					each.stop(t)
					each.audit(t).well()
				}
			})
		})
	}
}

func makeDatabase(t *testing.T, file, script string) {
	t.Helper()
	c, err := driver.OpenConn(file, driver.OpenReadWrite|driver.OpenCreate)
	if err == nil {
		err = sqlitex.ExecuteScript(c, script, nil)
	}
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// moveIn imports a file for an account, by the program.
func moveIn(t *testing.T, srv *server, from, file, owner string) {
	t.Helper()
	p, err := launch(map[string]string{"RESELLERD_TOKEN": srv.Admin(t).Token}, "import", from, file, "--owner", owner, "--url", "http://"+srv.Address)
	if err != nil {
		t.Fatal(err)
	}
	if status := p.Wait(); status != 0 {
		t.Fatalf("the import ended with %d:\n%s", status, p.Stderr)
	}
}

// withoutIDs returns the rows of an export in order, without what another service gives a line.
func withoutIDs(t *testing.T, text []byte) (rows []string) {
	t.Helper()
	r, err := sheet.Open(bytes.NewReader(text), sheet.Columns{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		cells, err := r.Read()
		if cells == nil {
			slices.Sort(rows)
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range r.Header() {
			if name == "id" || name == "owner" || name == "createdAt" {
				cells[i] = ""
			}
		}
		rows = append(rows, strings.Join(cells, "\x00"))
	}
}
