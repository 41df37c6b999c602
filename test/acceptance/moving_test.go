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

// panel is a version of a panel, with the schema that it publishes.
type panel struct {
	format string // of the command
	schema string // a file of adapters/cli/panels/testdata
	fill   string // makes its customers of the table n, see fillOf
	whole  bool   // it is moved out again as well
}

// panels are all versions that can be imported.
var panels = map[string]panel{
	"Marzban 0.x": {"marzban", "marzban-0.8.4.sql", `
		INSERT INTO users (id, username, status, expire, note) SELECT i, name, iif(off, 'disabled', 'active'), ends, note FROM n;
		INSERT INTO proxies (user_id, type, settings) SELECT i, 'Trojan', json_object('password', password) FROM n`, true},
	"PasarGuard": {"pasarguard", "pasarguard-5.2.1.sql", `
		INSERT INTO users (id, username, status, expire, note, proxy_settings) SELECT i, name, iif(off, 'disabled', 'active'),
			iif(ends = 0, NULL, datetime(ends, 'unixepoch')), note, json_object('vless', json_object('id', password)) FROM n`,
		false},
	"Marzneshin": {"marzneshin-plain", "marzneshin-0.7.4.sql", `
		INSERT INTO users (id, username, key, enabled, expire_strategy, expire_date, note) SELECT i, name, password, NOT off,
			iif(ends = 0, 'NEVER', 'FIXED_DATE'), datetime(ends, 'unixepoch'), note FROM n`, false},
	"3x-ui 2.8": {"3x-ui", "3x-ui-2.8.5.sql", `
		INSERT INTO inbounds (id, protocol, enable, tag, settings) SELECT i/100 + 1, 'trojan', 1, 'tag-'||i, json_object('clients', json_group_array(json_object('email', name,
			'password', password, 'enable', json(iif(off, 'false', 'true')), 'expiryTime', 1000*ends, 'comment', note))) FROM n GROUP BY i/100;
		INSERT INTO client_traffics (email, enable, up, down, total, expiry_time) SELECT name, NOT off, 0, 0, 0, 1000*ends FROM n`, false},
	"3x-ui 3.6": {"3x-ui", "3x-ui-3.6.0.sql", `
		INSERT INTO inbounds (id, protocol, enable, tag, settings) VALUES (1, 'vless', 1, 'v', '{}');
		INSERT INTO clients (id, email, uuid, expiry_time, enable, comment) SELECT i, name, password, 1000*ends, NOT off, note FROM n;
		INSERT INTO client_inbounds (client_id, inbound_id) SELECT i, 1 FROM n;
		INSERT INTO client_traffics (email, enable, up, down, total, expiry_time) SELECT name, NOT off, 0, 0, 0, 1000*ends FROM n`, true},
	"x-ui 0.3": {"x-ui", "x-ui-0.3.2.sql", `
		INSERT INTO inbounds (id, remark, protocol, enable, expiry_time, port, tag, settings) SELECT i, name, 'vmess', NOT off, 1000*ends, i, 'tag-'||i,
			json_object('clients', json_array(json_object('id', password))) FROM n`, false},
	"S-UI 1.5": {"s-ui", "s-ui-1.5.1.sql", `
		INSERT INTO clients (id, enable, name, config, volume, expiry, up, down, "desc") SELECT i, NOT off, name,
			CAST(json_object('hysteria2', json_object('password', password)) AS BLOB), 0, ends, 0, 0, note FROM n`, false},
}

// database makes the database of a panel with so many customers: of every ten, three expire within a month, one never
// does, one is switched off.
func (p panel) database(t *testing.T, many int, now time.Time) (file string) {
	t.Helper()
	schema, err := os.ReadFile(filepath.Join("..", "..", "adapters", "cli", "panels", "testdata", p.schema))
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "panel.db")
	makeDatabase(t, file, string(schema)+fmt.Sprintf(`
		CREATE TEMP TABLE n AS WITH RECURSIVE numbers(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM numbers WHERE i < %d)
			SELECT i, '%s.'||i AS name, 'pass-'||i AS password, i %% 10 = 9 AS off, '=paid by +55'||char(10)||'"'||i||'", שלום 👩‍👧' AS note,
				CASE WHEN i %% 10 < 3 THEN %[3]d + 86400*(1 + i %% 25) WHEN i %% 10 = 3 THEN 0 ELSE %[3]d + 86400*(60 + i %% 200) END AS ends FROM numbers;`,
		many, strings.TrimSuffix(p.schema, ".sql"), now.Unix())+p.fill)
	return file
}

// TestEachPanelMovesIn whole: every customer has a line with the name, the password, the date and the state that it
// had, and a second import changes nothing.
func TestEachPanelMovesIn(t *testing.T) {
	many := numberOf(t, movedVariable, 300)
	forStores(t, func(s store) bool { return s.name == "sqlite" }, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		srv.env["RESELLERD_ADDR"] = srv.Address
		now := time.Now()
		for name, p := range panels {
			file, owner := p.database(t, many, now), srv.Admin(t).Master(t, "0")
			moveIn(t, srv, p.format, file, owner.Username)
			moveIn(t, srv, p.format, file, owner.Username)
			got := rowsOf(t, owner.Get(t, "/exports/lines?format=csv").Is(200).Body, "username", "password", "expDate",
				"suspended")
			var want []string
			for i := 1; i <= many; i++ {
				ends := now.AddDate(10, 0, -1)
				switch {
				case i%10 < 3:
					ends = now.Add(time.Duration(1+i%25) * 24 * time.Hour)
				case i%10 != 3:
					ends = now.Add(time.Duration(60+i%200) * 24 * time.Hour)
				}
				want = append(want, strings.Join([]string{
					fmt.Sprintf("%s.%d", strings.TrimSuffix(p.schema, ".sql"), i), fmt.Sprint("pass-", i),
					ends.UTC().Format(time.DateOnly), fmt.Sprint(i%10 == 9),
				}, "\x00"))
			}
			slices.Sort(want)
			for n, row := range got {
				cells := strings.Split(row, "\x00")
				cells[2], _, _ = strings.Cut(cells[2], "T")
				got[n] = strings.Join(cells, "\x00")
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d lines, the first %q; want %d, %q", name, len(got), got[:min(3, len(got))], many, want[:3])
			}
		}
		srv.stop(t)
		srv.audit(t).well()
	})
}

// TestABusinessMovesInAndOut from a panel: its customers are moved in, those who expire soon are extended in one job
// while the service is killed, all is exported and moved into an empty service, and both export the same.
func TestABusinessMovesInAndOut(t *testing.T) {
	many := numberOf(t, movedVariable, 300)
	for name, p := range panels {
		if !p.whole {
			continue
		}
		t.Run(name, func(t *testing.T) {
			forEachDurableStore(t, func(t *testing.T, s store) {
				file := p.database(t, many, time.Now())
				srv := startServer(t, s, nil)
				srv.env["RESELLERD_ADDR"] = srv.Address // also of the processes after it
				owner := srv.Admin(t).Master(t, fmt.Sprint(many))
				moveIn(t, srv, p.format, file, owner.Username)
				srv.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true, "imported": many})

				soon := many / 10 * 3
				order := fields{
					"action": "extend", "params": fields{"credits": 1},
					"select": fields{
						"filter": fields{"expires_before": time.Now().AddDate(0, 0, 40).UTC().Format(time.RFC3339), "status": 1}},
				}
				dry := owner.Send(t, "POST", "/bulk", api.With(order, fields{"dry_run": true})).Is(200)
				dry.Has(fields{"would_succeed": soon, "total": fmt.Sprint(soon)})
				job := owner.Send(t, "POST", "/bulk",
					api.With(order, fields{"expect": fields{"count": soon, "total": dry.Fields["total"]}})).Is(202).ID()
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
	p, err := launch(map[string]string{"RESELLERD_TOKEN": srv.Admin(t).Token}, "import", from, file, "--owner", owner,
		"--url", "http://"+srv.Address)
	if err != nil {
		t.Fatal(err)
	}
	if status := p.Wait(); status != 0 {
		t.Fatalf("the import ended with %d:\n%s", status, p.Stderr)
	}
}

// withoutIDs returns the rows of an export in order, without what another service gives a line.
func withoutIDs(t *testing.T, text []byte) []string {
	t.Helper()
	r, err := sheet.Open(bytes.NewReader(text), sheet.Columns{})
	if err != nil {
		t.Fatal(err)
	}
	return rowsOf(t, text, slices.DeleteFunc(slices.Clone(r.Header()), func(column string) bool {
		return column == "id" || column == "owner" || column == "createdAt"
	})...)
}

// rowsOf returns some columns of the rows of an export, in order.
func rowsOf(t *testing.T, text []byte, columns ...string) (rows []string) {
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
		var row []string
		for _, column := range columns {
			row = append(row, cells[slices.Index(r.Header(), column)])
		}
		rows = append(rows, strings.Join(row, "\x00"))
	}
}
