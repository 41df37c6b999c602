package campaign

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/adapters/sheet"
	"resellerd/domain/journal"
	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// The panel whose customers are moved. Each version of each panel is read by the tests of adapters/cli/panels.
const (
	schema = "../../adapters/cli/panels/testdata/marzban-0.8.4.sql"
	fill   = `
		INSERT INTO users (id, username, status, expire, note)
			SELECT i, name, iif(off, 'disabled', 'active'), ends, note FROM n;
		INSERT INTO proxies (user_id, type, settings) SELECT i, 'Trojan', json_object('password', password) FROM n`
)

// moves is the workload of a business that moves in from a panel, while the import and the service are killed; that
// extends the lines which expire soon in one job, which is killed as well; and that moves on to an empty service.
type moves struct {
	*site
	now       time.Time
	format    string // of the file
	file      string
	owner     api.Reseller
	importing *program.Process
	job       int64
	strikes   int
}

func newMoves(s *site) workload {
	m := &moves{site: s, format: "marzban", now: time.Now(), file: filepath.Join(s.t.TempDir(), "panel.db"),
		owner: s.admin.Master(s.t, fmt.Sprint(s.size()))}
	s.processes[0].Set(map[string]string{"RESELLERD_ADDR": s.processes[0].Address}) // also after a restart
	tables, err := os.ReadFile(schema)
	c, openErr := driver.OpenConn(m.file, driver.OpenReadWrite|driver.OpenCreate)
	if err != nil || openErr != nil {
		s.t.Fatal(err, openErr)
	}
	// Of every ten customers three expire within a month, one never does, and one is switched off.
	err = sqlitex.ExecuteScript(c, string(tables)+fmt.Sprintf(`
		CREATE TEMP TABLE n AS WITH RECURSIVE numbers(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM numbers WHERE i < %d)
			SELECT i, 'customer.'||i AS name, 'pass-'||i AS password, i %% 10 = 9 AS off,
				'=paid by +55'||char(10)||'"'||i||'", שלום 👩‍👧' AS note,
				CASE WHEN i %% 10 < 3 THEN %[2]d + 86400*(1 + i %% 25) WHEN i %% 10 = 3 THEN 0
					ELSE %[2]d + 86400*(60 + i %% 200) END AS ends FROM numbers;`,
		s.size(), m.now.Unix())+fill, nil)
	if closed := c.Close(); err != nil || closed != nil {
		s.t.Fatal(err, closed)
	}
	return m
}

func (m *moves) admin() api.Caller { return m.site.admin.On(m.processes[0].at.Load()) }

// run implements workload.
func (m *moves) run() {
	m.importing = m.command(m.site.admin.Token, "import", m.format, m.file, "--owner", m.owner.Username)
}

// ready implements workload: every other failure strikes the import, the others the job.
func (m *moves) ready() {
	if m.strikes++; m.strikes%2 == 0 && m.job == 0 {
		m.moved()
		m.extend()
	}
	time.Sleep(rand.N(time.Duration(m.size()) * time.Millisecond))
}

// struck implements workload: the import is killed as well, and goes on by the same command.
func (m *moves) struck() {
	if m.job == 0 {
		m.importing.Kill()
		m.run()
	}
}

// moved waits for the end of the import, and expects every customer with the name, the password, the date and the state
// that it had. A second import changes nothing.
func (m *moves) moved() {
	m.t.Helper()
	if status := m.importing.Wait(); status != 0 { // the service was killed under it
		m.t.Logf("the import ended with %d:\n%s", status, m.importing.Stderr)
	}
	for range 2 {
		m.run()
		if status := m.importing.Wait(); status != 0 {
			m.t.Fatalf("the import ended with %d:\n%s", status, m.importing.Stderr)
		}
	}
	var want []string
	for i := 1; i <= m.size(); i++ {
		ends := m.now.AddDate(10, 0, -1)
		switch {
		case i%10 < 3:
			ends = m.now.Add(time.Duration(1+i%25) * 24 * time.Hour)
		case i%10 != 3:
			ends = m.now.Add(time.Duration(60+i%200) * 24 * time.Hour)
		}
		want = append(want, fmt.Sprintf("customer.%d pass-%d %t %s", i, i, i%10 == 9, ends.UTC().Format(time.DateOnly)))
	}
	slices.Sort(want)
	var got []string
	for _, row := range m.exported(m.owner) {
		got = append(got, fmt.Sprintf("%s %s %s %.10s", row["username"], row["password"], row["suspended"], row["expDate"]))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		m.t.Errorf("%d lines, the first %q; want %d, %q", len(got), got[:min(3, len(got))], len(want), want[:3])
	}
	m.admin().Get(m.t, "/ledger/proof").Has(api.Fields{"balanced": true, "imported": m.size()})
}

// soon is how many lines expire soon.
func (m *moves) soon() int { return m.size() / 10 * 3 }

func (m *moves) extend() {
	m.t.Helper()
	owner := m.owner.On(m.processes[0].at.Load())
	order := api.Fields{"action": "extend", "params": api.Fields{"credits": 1}, "select": api.Fields{"filter": api.Fields{
		"expires_before": m.now.AddDate(0, 0, 40).UTC().Format(time.RFC3339), "status": 1}}}
	dry := owner.Send(m.t, "POST", "/bulk", api.With(order, api.Fields{"dry_run": true})).Is(200).Has(
		api.Fields{"would_succeed": m.soon(), "total": fmt.Sprint(m.soon())})
	m.job = owner.Send(m.t, "POST", "/bulk",
		api.With(order, api.Fields{"expect": api.Fields{"count": m.soon(), "total": dry.Fields["total"]}})).Is(202).ID()
}

// end implements workload.
func (m *moves) end() {
	m.t.Helper()
	if m.job == 0 {
		m.moved()
		m.extend()
	}
	owner := m.owner.On(m.processes[0].at.Load())
	path := api.Path("/bulk", m.job)
	m.until("the job", func() bool { return owner.Get(m.t, path).Fields["status"] == "done" })
	owner.Get(m.t, path).Has(api.Fields{"succeeded": m.soon(), "refused": 0, "charged": fmt.Sprint(m.soon())})
	if got, want := owner.Credits(m.t), fmt.Sprint(m.size()-m.soon()); got != want {
		m.t.Errorf("the owner has %s, want %s", got, want)
	}
	other := &moves{site: newSite(m.t, m.row, m.seed), format: "csv",
		file: filepath.Join(m.t.TempDir(), "lines.csv")}
	other.owner = other.admin().Master(m.t, "0")
	require.NoError(m.t, os.WriteFile(other.file, owner.Get(m.t, "/exports/lines?format=csv").Is(200).Body, 0o600))
	if other.run(); other.importing.Wait() != 0 {
		m.t.Fatalf("the import ended with:\n%s", other.importing.Stderr)
	}
	was, is := m.exported(m.owner), other.exported(other.owner)
	if len(was) != m.size() || len(is) != len(was) {
		m.t.Fatalf("%d lines were exported, and %d are in the other service", len(was), len(is))
	}
	for i := range was {
		for column, cell := range was[i] {
			if column != "id" && column != "owner" && column != "createdAt" && is[i][column] != cell {
				m.fail("%s of %s was %q, and is %q in the other service", column, was[i]["username"], cell, is[i][column])
			}
		}
	}
	other.conclude()
}

// exported returns the rows of the export of an account's lines by their columns, in the order of their names.
func (m *moves) exported(owner api.Reseller) (rows []map[string]string) {
	m.t.Helper()
	r, err := sheet.Open(bytes.NewReader(
		owner.On(m.processes[0].at.Load()).Get(m.t, "/exports/lines?format=csv").Is(200).Body), sheet.Columns{})
	require.NoError(m.t, err)
	for {
		cells, err := r.Read()
		if cells == nil {
			slices.SortFunc(rows, func(a, b map[string]string) int { return strings.Compare(a["username"], b["username"]) })
			return rows
		}
		require.NoError(m.t, err)
		row := map[string]string{}
		for i, column := range r.Header() {
			row[column] = cells[i]
		}
		rows = append(rows, row)
	}
}

// concluded implements workload.
func (m *moves) concluded(sums, []journal.Numbered) {}
