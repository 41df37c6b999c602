package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/adapters/cli/panels"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// panelOf creates a database with statements.
func panelOf(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "panel.db")
	change(t, path, statements)
	return path
}

func change(t *testing.T, path, statements string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err == nil {
		err = sqlitex.ExecuteScript(c, statements, nil)
	}
	if err == nil {
		err = c.Close()
	}
	require.NoError(t, err)
}

// users returns statements for a database of Marzban with n users. User 1 has no end, user 2 has not begun, user 3 has
// no proxy, and user 4 is disabled. The service refuses the name of the last but one. The last has the name of user 1.
func users(n int) string {
	return fmt.Sprintf(
		`CREATE TABLE users (id, username, status, expire, on_hold_expire_duration); CREATE TABLE proxies (user_id, type, settings);
		INSERT INTO users WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < %d) SELECT i, 'user-'||i, 'active', %d, NULL FROM n;
		UPDATE users SET expire = NULL WHERE id = 1;
		UPDATE users SET status = 'on_hold', expire = NULL, on_hold_expire_duration = 86400 WHERE id = 2;
		UPDATE users SET status = 'disabled' WHERE id = 4;
		INSERT INTO proxies SELECT id, 'Trojan', '{"password":"pass-'||id||'"}' FROM users WHERE id <> 3;
		UPDATE users SET username = 'has a space' WHERE id = %[1]d - 1;
		UPDATE users SET username = 'USER-1' WHERE id = %[1]d;`, n, time.Now().AddDate(0, 2, 0).Unix())
}

// flaky is a service that fails on some batches. A handler may end after the command has continued, so a lock protects
// the state that both use.
type flaky struct {
	next http.Handler
	mu   sync.Mutex
	sent int64
	as   failure
}

// failure answers the batch of a number, or returns false: then the service answers.
type failure func(n int64, w http.ResponseWriter, r *http.Request) (failed bool)

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// a body of one byte checks the token
	checks := r.ContentLength == 1 && r.Header.Get("Content-Type") == ndjson
	if r.URL.Path == "/imports/lines" && !checks && f.batch(w, r) {
		return
	}
	f.next.ServeHTTP(w, r)
}

func (f *flaky) batch(w http.ResponseWriter, r *http.Request) (failed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent++
	return f.as != nil && f.as(f.sent, w, r)
}

// fails sets the failure of later batches.
func (f *flaky) fails(as failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.as = as
}

// batches returns the number of received batches. Effects of earlier failures are then visible.
func (f *flaky) batches() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

// serveImports serves a whole service with an account maria. Commands call it as an administrator.
func serveImports(t *testing.T) (*wholeService, *flaky) {
	t.Helper()
	s := serveWhole(t)
	s.admin.Send(t, "POST", "/users", api.Fields{"username": "Maria", "password": "s3cret-maria", "is_master": 1,
		"credits": "0", "country": "BR"}).Is(201)
	s.admin.Send(t, "POST", "/users", api.Fields{"username": "mariana", "password": "s3cret-maria", "is_master": 1,
		"credits": "0", "country": "BR"}).Is(201)
	f := &flaky{next: s.Handler}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Setenv("RESELLERD_URL", server.URL)
	t.Setenv(tokenVariable, s.admin.Token)
	return s, f
}

// moves runs the command, and expects an exit code and the last printed line.
func moves(t *testing.T, code int, last string, args ...string) (stdout, stderr string) {
	t.Helper()
	got, stdout, stderr := ran(append([]string{"import"}, args...)...)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if got != code || lines[len(lines)-1] != last {
		t.Errorf("%q: code %d, want %d; printed %q, want %q; %q", args, got, code, lines[len(lines)-1], last, stderr)
	}
	if strings.Contains(stdout+stderr, "pass-") || strings.Contains(stdout+stderr, os.Getenv(tokenVariable)) {
		t.Errorf("%q shows a secret: %q, %q", args, stdout, stderr)
	}
	return stdout, stderr
}

// lineOf returns the service's line of an external id.
func lineOf(t *testing.T, s *wholeService, externalID string) api.Answer {
	t.Helper()
	found := s.admin.Get(t, api.Query("/lines", "external_id", externalID)).Is(200).List()
	if len(found) != 1 {
		t.Fatalf("%d lines are %s", len(found), externalID)
	}
	return s.admin.Get(t, api.Path("/lines", found[0].ID())).Is(200)
}

// TestCustomersOfAPanelAreImported unchanged, and a second import changes nothing. A dry run stores nothing.
func TestCustomersOfAPanelAreImported(t *testing.T) {
	s, _ := serveImports(t)
	file := panelOf(t, users(20))
	figures := "20 rows: 18 created, 0 unchanged, 0 repeated, 2 refused (bad-username 1, username-repeated 1); 1 of these have a generated password"
	dry, _ := moves(t, ExitFound, "dry run, nothing was changed: "+figures, "marzban", file, "--owner", "maria",
		"--dry-run")
	expect.Equal(t, len(s.admin.Get(t, "/lines").Is(200).List()), 0, "lines that a dry run has made")
	if left, err := filepath.Glob(file + "?*"); err != nil || len(left) > 0 {
		t.Errorf("a dry run left %q, %v", left, err)
	}
	stdout, _ := moves(t, ExitFound, figures, "marzban", file, "--owner", "maria")
	for _, row := range []string{
		"ROW      EXTERNAL ID  NAME         CODE                WHY",
		"user 3   marzban-3    user-3       password-generated  The panel has no password of this customer that can be moved. The state file has a generated one.",
		"user 19  marzban-19   has a space  bad-username        username: A user name has letters, digits and symbols, and no spaces or control characters (RFC 8265).",
		"user 20  marzban-20   USER-1       username-repeated   This name belongs to user 1. Upper and lower case count as the same.",
	} {
		if !strings.Contains(stdout, row+"\n") || !strings.Contains(dry, row+"\n") {
			t.Errorf("printed %q and %q, want %q", dry, stdout, row)
		}
	}

	text, err := os.ReadFile(file + ".import")
	var state importState
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if info, statErr := os.Stat(file + ".import"); err != nil || statErr != nil || info.Mode().Perm() != 0o600 ||
		len(state.Decided) != 3 {
		t.Errorf("the state file has %s, %v, %v", text, err, statErr)
	}
	for id, want := range map[string]api.Fields{
		"marzban-1": {"username": "user-1", "password": "pass-1", "expDate": state.Decided["marzban-1"].ExpDate,
			"suspended": false, "owner": 2, "isTrial": 0},
		"marzban-2": {"username": "user-2", "expDate": state.Decided["marzban-2"].ExpDate},
		"marzban-3": {"password": state.Decided["marzban-3"].Password},
		"marzban-4": {"suspended": true, "metadata": map[string]any{"status": "disabled", "password_of": "trojan"}},
	} {
		lineOf(t, s, id).Has(want)
	}

	again := "20 rows: 0 created, 18 unchanged, 0 repeated, 2 refused (bad-username 1, username-repeated 1); 1 of these have a generated password"
	moves(t, ExitFound, again, "marzban", file, "--owner", "MARIA")
	if stored, err := os.ReadFile(file + ".import"); err != nil || !bytes.Equal(stored, text) {
		t.Errorf("the state file has %s after the second import, %v", stored, err)
	}
	change(t, file, "UPDATE users SET expire = expire + 1 WHERE id = 7; DELETE FROM users WHERE id > 18")
	stdout, _ = moves(t, ExitFound,
		`{"dry_run":false,"rows":18,"created":0,"updated":0,"unchanged":17,"repeated":0,"refused":{"external-id-differs":1},"left_out":0,"unsent":0,"generated":1}`, "marzban", file, "--owner", "maria", "--json")
	if want := "\n" +
		`{"row":"user 7","external_id":"marzban-7","username":"user-7","code":"external-id-differs","detail":"`; !strings.Contains(stdout, want) {
		t.Errorf("printed %q, want %q", stdout, want)
	}
}

// TestPrefixDistinguishesPanelsOfAKind, whose customers have the same ids.
func TestPrefixDistinguishesPanelsOfAKind(t *testing.T) {
	s, _ := serveImports(t)
	north, south := panelOf(t, users(5)+"DELETE FROM users WHERE id > 2"),
		panelOf(t, users(5)+"DELETE FROM users WHERE id > 2; UPDATE users SET username = 'south-'||id")
	moves(t, 0, "2 rows: 2 created, 0 unchanged, 0 repeated, 0 refused", "marzban", north, "--owner", "maria")
	stdout, _ := moves(t, ExitFound, "2 rows: 0 created, 0 unchanged, 0 repeated, 2 refused (external-id-differs 2)",
		"marzban", south, "--owner", "maria")
	expect.Contains(t, stdout, "If the line comes from another panel, use --prefix for this panel.")
	moves(t, 0, "2 rows: 2 created, 0 unchanged, 0 repeated, 0 refused", "marzban", south, "--owner", "maria", "--prefix",
		"south")
	change(t, north, "UPDATE users SET status = 'disabled' WHERE id = 1")
	moves(t, 0, "2 rows: 0 created, 1 updated, 1 unchanged, 0 repeated, 0 refused", "marzban", north, "--owner",
		"maria", "--update")
	lineOf(t, s, "marzban-1").Has(api.Fields{"suspended": true})
	lineOf(t, s, "south-1").Has(api.Fields{"username": "south-1"})
}

// TestAnExportedTableIsImported for another owner.
func TestAnExportedTableIsImported(t *testing.T) {
	s, _ := serveImports(t)
	file := filepath.Join(t.TempDir(), "lines.csv")
	write := func(text string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for name := range api.Contract().Components.Schemas["ImportedRow"].Value.Properties {
		expect.Equal(t, slices.Contains(importColumns.Known, name), true, "the command sends the column %s", name)
	}
	end := stamp(time.Now().AddDate(0, 1, 0))
	write("\ufeff" + `id;owner;username;password;isTrial;suspended;expDate;external_id;metadata;notes;whatsapp
7;4711;ana;pass-1;0;true;` + end + `;a-1;"{""plan"":""gold""}";"two` + "\n" + `lines";'+55 11
8;4711;bia;pass-2;1;false;` + end + `;a-2;;;
9;4711;ANA;pass-3;0;false;` + end + `;a-3;;;
10;4711;caio;pass-4;0;false;` + end + `;a-1;;;
11;4711;davi;pass-5;0;false;tomorrow;a-5;;;
`)
	stdout, _ := moves(t, ExitFound,
		"5 rows: 1 created, 0 unchanged, 0 repeated, 4 refused (bad-time 1, external-id-repeated 1, line-is-trial 1, username-repeated 1)", "csv", file, "--owner", "maria")
	expect.Contains(t, stdout, "row 4  a-3          ANA   username-repeated     This name belongs to row 2")
	lineOf(t, s, "a-1").Has(api.Fields{
		"username": "ana", "password": "pass-1", "owner": 2, "expDate": end, "suspended": true, "notes": "two\nlines",
		"whatsapp": "+55 11", "metadata": map[string]any{"plan": "gold"},
	})
	write("sep=;\nUser Name;Password;EXP DATE;Suspended;Code;\nfred;'0042;" + end +
		";VERDADEIRO;#N/A;\n;;;;;\ngabi;5,5E+12;" + end + "\nhugo;42;" + end + ";;;\nivo;00042;" + end + "\n")
	stdout, _ = moves(t, ExitFound, "4 rows: 2 created, 0 unchanged, 0 repeated, 2 refused (altered-by-spreadsheet 2)",
		"csv", file, "--owner", "maria")
	for _, want := range []string{
		"row 4  gabi         gabi  altered-by-spreadsheet  password: A spreadsheet program wrote 5,5E+12",
		"row 5  hugo         hugo  altered-by-spreadsheet  password: Other cells"} {
		expect.Contains(t, stdout, want)
	}
	lineOf(t, s, "fred").Has(api.Fields{"username": "fred", "password": "0042", "suspended": true})

	write("username,expDate\nana,x\n")
	_, stderr := moves(t, ExitFailed, "", "csv", file, "--owner", "maria")
	expect.Contains(t, stderr, `row 1 has no column password. It has "username", "expDate".`)
}

// importingTo returns the sender of rows to the service of the environment.
func importingTo(t *testing.T, stdout io.Writer) importing {
	t.Helper()
	var wrong Misconfiguration
	i := importing{
		session: &session{Program: fake{}, stdout: stdout, stderr: new(bytes.Buffer)}, firstWait: time.Millisecond,
		patience: time.Minute, work: time.Millisecond,
		service: accountOverHTTP{RemoteFlags{URL: os.Getenv("RESELLERD_URL"), Timeout: "10s"}.open(true, &wrong),
			os.Getenv(tokenVariable)},
	}
	require.NoError(t, wrong.Err())
	return i
}

// importOf returns the sender of importingTo, the rows of a panel, and the messages.
func importOf(t *testing.T, file string) (importing, *importTable, *bytes.Buffer) {
	t.Helper()
	i := importingTo(t, io.Discard)
	table, err := importCommand{Format: "marzban", File: file}.read(t.Context(), i, 2)
	require.NoError(t, err)
	return i, table, i.stderr.(*bytes.Buffer)
}

// lost is an answer that never arrives.
type lost struct{ http.ResponseWriter }

func (l *lost) Unwrap() http.ResponseWriter    { return l.ResponseWriter }
func (l *lost) WriteHeader(int)                {}
func (l *lost) Write(text []byte) (int, error) { return len(text), nil }

// TestAnImportRetriesTemporaryFailures and counts the created lines, also after a lost answer.
func TestAnImportRetriesTemporaryFailures(t *testing.T) {
	s, f := serveImports(t)
	there := 0 // lines in the service after the lost answer
	f.fails(func(n int64, w http.ResponseWriter, r *http.Request) bool {
		switch n {
		case 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case 3: // the answer is lost
			f.next.ServeHTTP(&lost{ResponseWriter: w}, r)
			there = len(s.admin.Get(t, "/lines").Is(200).List())
			panic(http.ErrAbortHandler)
		}
		return n < 4
	})
	i, table, said := importOf(t, panelOf(t, users(20)+"DELETE FROM users WHERE id > 18"))
	began := time.Now()
	report, err := i.send(t.Context(), table)
	if err != nil || report.Created != 18 || report.Unsent != 0 || f.batches() != 4 || there != 18 {
		t.Errorf("%+v, %v after %d batches; %d lines existed before", report, err, f.batches(), there)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("it waited %s", took)
	}
	if says := said.String(); strings.Count(says, "\n") != 3 ||
		!strings.Contains(says,
			"answers 503 Service Unavailable: is it the service, with its base path?: it is tried again until it succeeds, for 1m0s\n") ||
		!strings.HasSuffix(says, "resellerd: the service answers again\n") {
		t.Errorf("it says %q", says)
	}

	f.fails(func(int64, http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
	i.patience = 10 * time.Millisecond
	if report, err := i.send(t.Context(), table); err == nil || report.Unsent != 18 ||
		!strings.Contains(err.Error(), "18 of 18 rows were not sent") {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestASignalEndsAnImportAfterTheCurrentBatch checks that no further batch is sent.
func TestASignalEndsAnImportAfterTheCurrentBatch(t *testing.T) {
	_, f := serveImports(t)
	i, table, _ := importOf(t, panelOf(t, users(1_205)))
	ctx, end := context.WithCancel(t.Context())
	f.fails(func(n int64, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 1 {
			end()
		}
		return false
	})
	report, err := i.send(ctx, table)
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted: ") || report.Created != 500 || report.Unsent != 704 ||
		f.batches() != 1 {
		t.Errorf("%+v, %v after %d batches", report, err, f.batches())
	}
	f.fails(func(int64, http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
	if report, err := i.send(ctx, table); err == nil || report.Created != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestBatchesAreBounded by bytes and by rows. A larger row is refused.
func TestBatchesAreBounded(t *testing.T) {
	_, f := serveImports(t)
	file, end := filepath.Join(t.TempDir(), "lines.csv"), stamp(time.Now().AddDate(0, 1, 0))
	table := "external_id,username,password,expDate,notes\n"
	for n := range 300 {
		table += fmt.Sprintf("id-%d,name-%[1]d,pass-%[1]d,%s,%s\n", n, end, strings.Repeat("\U0001F642", 2_000))
	}
	table += "id-x,large,pass-x," + end + "," + strings.Repeat("x", mostBytes) + "\n"
	require.NoError(t, os.WriteFile(file, []byte(table), 0o600))
	moves(t, ExitFound, "301 rows: 300 created, 0 unchanged, 0 repeated, 1 refused (row-too-large 1)", "csv", file,
		"--owner", "maria")
	expect.Equal(t, f.batches(), 3, "batches")
}

// TestAnImportChecksTokenOwnerAndFilesFirst before it sends rows.
func TestAnImportChecksTokenOwnerAndFilesFirst(t *testing.T) {
	s, f := serveImports(t)
	file := panelOf(t, users(6))
	_, missing := os.Stat("nowhere")
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"marzban " + file + " --owner mari", ExitFailed, "--owner: the account of this token sees no account named mari"},
		{"marzban nowhere --owner maria", ExitFailed, "nowhere"},
		{"csv nowhere --owner maria", ExitFailed, missing.Error()},
		{"marzban " + file + " --owner maria --state " + filepath.Join(file, "below"), ExitFailed,
			"name another file with --state"},
	} {
		code, stdout, stderr := ran(append([]string{"import"}, strings.Split(c.args, " ")...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: code %d, printed %q, %q, want %q", c.args, code, stdout, stderr, c.says)
		}
	}
	if f.batches() > 0 {
		t.Errorf("%d batches were sent", f.batches())
	}
	master := s.admin.Master(t, "0")
	t.Setenv(tokenVariable, master.Token)
	if code, stdout, stderr := ran("import", "marzban", "nowhere", "--owner", "maria"); code != ExitFailed ||
		stdout != "" || !strings.Contains(stderr, "only an administrator may import, and this token may not: ") {
		t.Errorf("by a master, of a missing file: code %d, %q, %q", code, stdout, stderr)
	}
	for _, answer := range []string{"{}", `{"created":4,"unchanged":0,"refused":[{"row":6,"code":"x"}]}`} {
		another := serveAnswers(t, false, map[string]string{"/users/logged": `{"id":2,"username":"maria"}`,
			"/imports/lines": answer})
		t.Setenv("RESELLERD_URL", another.URL)
		if code, _, stderr := ran("import", "marzban", file, "--owner", "maria", "--state",
			filepath.Join(t.TempDir(), "state")); code != ExitFailed || !strings.Contains(stderr, "not about these rows") {
			t.Errorf("%s: code %d, %q", answer, code, stderr)
		}
	}
}

// TestTheStateFileKeepsDecisions of one import. Another duration in the panel replaces a decision.
func TestTheStateFileKeepsDecisions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	settled := func(owner int64, url string, storing bool, all ...panels.Customer) error {
		s := importState{file: file, URL: url, Owner: owner}
		return s.settle(all, storing, now, func() string { return "generated-" + now.Format("02") })
	}
	all := func(lasts time.Duration) []panels.Customer {
		return []panels.Customer{{ExternalID: "a", Lasts: lasts, Password: "p"}, {ExternalID: "b"},
			{ExternalID: "c", Expires: now, Password: "p"}, {ExternalID: "d", Code: "x"}, {ExternalID: "e", As: "a"}}
	}
	wantDecided := func(lasts time.Duration, storing bool, a time.Time) {
		t.Helper()
		got := all(lasts)
		require.NoError(t, settled(2, "u", storing, got...))
		b := time.Date(2036, 11, 25, 12, 0, 0, 0, time.UTC)
		if !got[0].Expires.Equal(a) || !got[1].Expires.Equal(b) || got[1].Password != "generated-26" ||
			!got[2].Expires.Equal(now) || !got[3].Expires.IsZero() || !got[4].Expires.IsZero() {
			t.Errorf("decided %+v", got)
		}
	}
	first := now.Add(time.Hour)
	wantDecided(time.Hour, true, first)
	now = now.AddDate(0, 0, 3)
	wantDecided(time.Hour, false, first)
	wantDecided(time.Hour, true, first)
	wantDecided(2*time.Hour, true, now.Add(2*time.Hour))

	for _, c := range []error{settled(3, "u", true, all(time.Hour)...), settled(2, "v", false, all(time.Hour)...)} {
		if c == nil || !strings.Contains(c.Error(), "belongs to the account 2 of the service at u") {
			t.Errorf("of another import: %v", c)
		}
	}
	held, err := lockFile(file + ".lock")
	require.NoError(t, err)
	if err := settled(2, "u", true, all(time.Hour)...); err == nil || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("twice: %v", err)
	}
	require.NoError(t, held.Close())
	inbound := []panels.Customer{{ExternalID: "f", Lasts: time.Hour, Until: now.Add(time.Minute), Password: "p"},
		{ExternalID: "g", Lasts: time.Hour, Until: now.Add(2 * time.Hour), Password: "p"}}
	if err := (&importState{file: file + ".inbound"}).settle(inbound, false, now, nil); err != nil ||
		!inbound[0].Expires.Equal(now.Add(time.Minute)) || !inbound[1].Expires.Equal(now.Add(time.Hour)) {
		t.Errorf("of an inbound that ends: %+v, %v", inbound, err)
	}
	expect.Error(t, settled(9, "w", true, all(time.Hour)[2:]...), nil, "with nothing to decide")
	require.NoError(t, os.WriteFile(file, []byte(`{"url":"u","owner":2}`), 0o600))
	expect.Contains(t, fmt.Sprint(settled(2, "u", true, all(time.Hour)...)), "is not a state file of this command")
}
