package panels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// made makes a database by the statements of files below testdata and others, and returns its path.
func made(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "panel ?#%.db")
	run(t, path, statements...)
	return path
}

// run runs statements on a database, or those of a file below testdata.
func run(t testing.TB, path string, statements ...string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if strings.HasSuffix(s, ".sql") {
			text, err := os.ReadFile(filepath.Join("testdata", s))
			if err != nil {
				t.Fatal(err)
			}
			s = string(text)
		}
		do := sqlitex.ExecuteScript
		if strings.HasPrefix(s, "PRAGMA") { // not within a transaction
			do = sqlitex.ExecuteTransient
		}
		if err := do(c, s, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func marzban(t testing.TB, path string) []Customer {
	t.Helper()
	all, err := Marzban(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func xui(t testing.TB, path string) []Customer {
	t.Helper()
	all, err := XUI(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func differ(t *testing.T, got, want []Customer) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want, got:\n%s", diff)
	}
}

var (
	spring = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	autumn = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
)

const (
	vless  = `{"id": "11111111-2222-4333-8444-555555555555", "flow": "xtls-rprx-vision"}`
	trojan = `{"password": "tr0jan-pass", "flow": ""}`
	socks  = `{"password": "s0cks-pass", "method": "chacha20-ietf-poly1305"}`
)

// TestMarzban reads users in each state, from the schema that its migrations make. Their proxies come in another order.
func TestMarzban(t *testing.T) {
	path := made(t, "marzban.sql", fmt.Sprintf(`
		INSERT INTO users (id, username, status, expire, note, data_limit, data_limit_reset_strategy, on_hold_expire_duration) VALUES
			(9, 'ana.tv', 'active', %[1]d, 'João — 日本, pays'||char(13)||char(10)||'in cash', 0, 'no_reset', NULL),
			(2, 'forever', 'active', NULL, NULL, NULL, 'no_reset', NULL),
			(3, 'zero', 'active', 0, '', NULL, 'no_reset', NULL),
			(4, 'off', 'disabled', %[1]d, NULL, NULL, 'no_reset', NULL),
			(5, 'used-up', 'limited', %[1]d, NULL, 10737418240, 'month', NULL),
			(6, 'gone', 'expired', %[2]d, NULL, NULL, 'no_reset', NULL),
			(7, 'waits', 'on_hold', NULL, NULL, NULL, 'no_reset', 2592000),
			(8, 'nothing', 'active', %[1]d, NULL, NULL, 'no_reset', NULL),
			(10, 'ΟΔΟΣ', 'active', %[1]d, NULL, NULL, 'no_reset', NULL),
			(11, 'ms', 'active', 1772366400000000, NULL, NULL, 'no_reset', NULL),
			(12, 'before', 'active', -5, NULL, NULL, 'no_reset', NULL),
			(13, 'text', 'active', 'soon', NULL, NULL, 'no_reset', NULL),
			(14, 'held', 'on_hold', NULL, NULL, NULL, 'no_reset', NULL),
			(15, 'long', 'on_hold', NULL, NULL, NULL, 'no_reset', 99999999999),
			(16, 'new', 'sleeping', NULL, NULL, NULL, 'no_reset', NULL),
			(17, 'broken', 'active', %[1]d, NULL, NULL, 'no_reset', NULL),
			(18, NULL, 'active', %[1]d, NULL, NULL, 'no_reset', NULL);
		INSERT INTO proxies (id, user_id, type, settings) VALUES
			(1, 10, 'VMess', '{"id": "99999999-2222-4333-8444-555555555555"}'), (2, 9, 'VLESS', '%[3]s'), (3, 9, 'Shadowsocks', '%[5]s'), (4, 9, 'Trojan', '%[4]s'),
			(5, 2, 'VLESS', '%[3]s'), (6, 3, 'Shadowsocks', '%[5]s'), (7, 17, 'VLESS', 'null'), (8, 404, 'VLESS', '%[3]s');
		`, spring.Unix(), autumn.Unix(), vless, trojan, socks))
	id := "11111111-2222-4333-8444-555555555555"
	differ(t, marzban(t, path), []Customer{
		{At: "user 2", ExternalID: "marzban-2", Username: "forever", Password: id, Metadata: map[string]string{"password_of": "vless", "vless_flow": "xtls-rprx-vision"}},
		{At: "user 3", ExternalID: "marzban-3", Username: "zero", Password: "s0cks-pass", Metadata: map[string]string{"password_of": "shadowsocks", "shadowsocks_method": "chacha20-ietf-poly1305"}},
		{At: "user 4", ExternalID: "marzban-4", Username: "off", Expires: spring, Suspended: true, Metadata: map[string]string{"status": "disabled"}},
		{
			At: "user 5", ExternalID: "marzban-5", Username: "used-up", Expires: spring, Suspended: true,
			Metadata: map[string]string{"status": "limited", "data_limit": "10737418240", "data_limit_reset_strategy": "month"},
		},
		{At: "user 6", ExternalID: "marzban-6", Username: "gone", Expires: autumn},
		{At: "user 7", ExternalID: "marzban-7", Username: "waits", Lasts: 30 * 24 * time.Hour, Metadata: map[string]string{"status": "on_hold"}},
		{At: "user 8", ExternalID: "marzban-8", Username: "nothing", Expires: spring},
		{
			At: "user 9", ExternalID: "marzban-9", Username: "ana.tv", Password: "tr0jan-pass", Expires: spring, Notes: "João — 日本, pays\nin cash",
			Metadata: map[string]string{
				"password_of": "trojan", "vless_id": id, "vless_flow": "xtls-rprx-vision", "shadowsocks_password": "s0cks-pass", "shadowsocks_method": "chacha20-ietf-poly1305",
			},
		},
		{At: "user 10", ExternalID: "marzban-10", Username: "ΟΔΟΣ", Password: "99999999-2222-4333-8444-555555555555", Expires: spring, Metadata: map[string]string{"password_of": "vmess"}},
		{At: "user 11", ExternalID: "marzban-11", Username: "ms", Code: codeExpiry, Detail: "The expiry 1772366400000000 is not between the years 1970 and 9999."},
		{At: "user 12", ExternalID: "marzban-12", Username: "before", Code: codeExpiry, Detail: "The expiry -5 is not between the years 1970 and 9999."},
		{At: "user 13", ExternalID: "marzban-13", Username: "text", Code: codeExpiry, Detail: `The expiry "soon" is no number of seconds.`},
		{
			At: "user 14", ExternalID: "marzban-14", Username: "held", Metadata: map[string]string{"status": "on_hold"},
			Code: codeExpiry, Detail: "It is on hold, and how long it lasts from its first use on is not known.",
		},
		{
			At: "user 15", ExternalID: "marzban-15", Username: "long", Metadata: map[string]string{"status": "on_hold"},
			Code: codeExpiry, Detail: "The time from the first use on, 99999999999, is not between nothing and 100 years.",
		},
		{At: "user 16", ExternalID: "marzban-16", Username: "new", Metadata: map[string]string{"status": "sleeping"}, Code: codeStatus, Detail: `The status "sleeping" is not known.`},
		{At: "user 17", ExternalID: "marzban-17", Username: "broken", Expires: spring, Code: codeSettings, Detail: `The settings of its proxy of the type "vless" are no JSON object.`},
		{At: "user 18", ExternalID: "marzban-18", Expires: spring},
	})
}

// TestXUI reads clients in each state, from the schemas of an earlier and of the present version.
func TestXUI(t *testing.T) {
	for _, schema := range []string{"3x-ui-2.8.5.sql", "3x-ui-3.6.0.sql"} {
		t.Run(schema, func(t *testing.T) {
			path := made(t, schema, fmt.Sprintf(`INSERT INTO inbounds (id, remark, enable, protocol, settings, tag) VALUES
				(7, 'Trojan', 1, 'trojan', '{"clients": [
					{"email": "Ana", "id": "id-11", "password": "tr0jan-pass", "expiryTime": %[1]d, "enable": true, "subId": "s1", "limitIp": 2, "totalGB": 0, "comment": "João", "tgId": 4711, "updated_at": 3}]}', 'c'),
				(1, 'VLESS one', 1, 'vless', '{"decryption": "none", "clients": [
					{"id": "id-1", "email": "ana", "expiryTime": %[1]d, "enable": true, "subId": "s1", "limitIp": 2, "totalGB": 0, "comment": "João", "tgId": "4711", "flow": "xtls"},
					{"id": "id-2", "email": "never", "expiryTime": 0, "enable": true, "tgId": 0},
					{"id": "id-3", "email": "waits", "expiryTime": -2592000000, "enable": true},
					{"id": "id-4", "email": "off", "expiryTime": %[2]d.0, "enable": false},
					{"id": "id-5", "email": "far", "expiryTime": 9000000000000000, "enable": true},
					{"id": "id-6", "email": "odd", "expiryTime": "soon"},
					7,
					{"email": "no-id", "expiryTime": %[1]d}]}', 'a'),
				(3, 'closed', 0, 'vless', '{"clients": [{"id": "id-1", "email": "ana", "expiryTime": %[1]d, "enable": true, "flow": "other", "reverse": {"tag": "r"}},
					{"id": "id-1", "email": "ana-2", "expiryTime": %[1]d, "enable": true}, {"id": "id-9", "email": "never", "expiryTime": 5, "enable": true},
					{"id": "id-10", "email": "alone", "expiryTime": %[1]d, "enable": true}]}', 'b'),
				(8, 'no clients', 1, 'wireguard', '{"peers": []}', 'd'), (9, 'nothing', 1, 'http', '', 'e'), (10, 'broken', 1, 'vmess', '{"clients": {}}', 'f')`, spring.UnixMilli(), autumn.UnixMilli()))
			meta := func(more ...string) map[string]string {
				m := map[string]string{"protocol": "vless", "inbounds": "1"}
				for i := 0; i < len(more); i += 2 {
					m[more[i]] = more[i+1]
				}
				return m
			}
			differ(t, xui(t, path), []Customer{
				{
					At: "inbound 1, client 1", ExternalID: "3x-ui-1-ana", Username: "ana", Password: "id-1", Expires: spring, Notes: "João", Telegram: "4711",
					Metadata: meta("inbounds", "1,3", "flow", "xtls", "sub_id", "s1", "limit_ip", "2", "inbound_3_flow", "other", "reverse", `{"tag":"r"}`),
				},
				{At: "inbound 1, client 2", ExternalID: "3x-ui-1-never", Username: "never", Password: "id-2", Metadata: meta()},
				{At: "inbound 1, client 3", ExternalID: "3x-ui-1-waits", Username: "waits", Password: "id-3", Lasts: 30 * 24 * time.Hour, Metadata: meta()},
				{At: "inbound 1, client 4", ExternalID: "3x-ui-1-off", Username: "off", Password: "id-4", Expires: autumn, Suspended: true, Metadata: meta()},
				{
					At: "inbound 1, client 5", ExternalID: "3x-ui-1-far", Username: "far", Password: "id-5", Metadata: meta(),
					Code: codeExpiry, Detail: "The expiry 9000000000000000 is not between the years 1970 and 9999.",
				},
				{
					At: "inbound 1, client 6", ExternalID: "3x-ui-1-odd", Username: "odd", Password: "id-6", Metadata: meta(),
					Code: codeExpiry, Detail: `The expiry "soon" is no number of milliseconds.`,
				},
				{At: "inbound 1, client 7", ExternalID: "3x-ui-1", Code: codeSettings, Detail: "The client is no JSON object."},
				{At: "inbound 1, client 8", ExternalID: "3x-ui-1-no-id", Username: "no-id", Expires: spring, Metadata: meta()},
				{
					At: "inbound 3, client 1", ExternalID: "3x-ui-3-ana", Username: "ana", Password: "id-1", Expires: spring,
					Metadata: map[string]string{"protocol": "vless"}, As: "inbound 1, client 1",
				},
				{
					At: "inbound 3, client 2", ExternalID: "3x-ui-3-ana-2", Username: "ana-2", Password: "id-1", Expires: spring, Metadata: map[string]string{"protocol": "vless"},
					Code: codeRepeated, Detail: "The client has the id of another name in inbound 1, client 1.",
				},
				{
					At: "inbound 3, client 3", ExternalID: "3x-ui-3-never", Username: "never", Password: "id-9", Expires: time.UnixMilli(5).UTC(), Metadata: map[string]string{"protocol": "vless"},
					Code: codeRepeated, Detail: "The client has another expiry or is enabled otherwise than the one of this name in inbound 1, client 2.",
				},
				{
					At: "inbound 3, client 4", ExternalID: "3x-ui-3-alone", Username: "alone", Password: "id-10", Expires: spring, Suspended: true,
					Metadata: map[string]string{"protocol": "vless", "inbounds": "3"},
				},
				{
					At: "inbound 7, client 1", ExternalID: "3x-ui-7-id-11", Username: "Ana", Password: "tr0jan-pass", Expires: spring, Notes: "João", Telegram: "4711",
					Metadata: map[string]string{"protocol": "trojan", "inbounds": "7", "id": "id-11", "sub_id": "s1", "limit_ip": "2"},
				},
				{At: "inbound 10", ExternalID: "3x-ui-10", Code: codeSettings, Detail: "The settings of the inbound are no JSON object with a list of clients: none of its clients is known."},
			})
		})
	}
}

// The least that is read of each panel.
const (
	leastMarzban = "CREATE TABLE users (id, username, status, expire); CREATE TABLE proxies (user_id, type, settings);"
	leastXUI     = "CREATE TABLE inbounds (id, protocol, settings);"
)

// TestWhatIsNotReadMayBeMissing and what is read is named where it is.
func TestWhatIsNotReadMayBeMissing(t *testing.T) {
	if all := marzban(t, made(t, leastMarzban, `INSERT INTO users VALUES (1, 'ana', 'active', 5); INSERT INTO proxies VALUES (1, 'Trojan', '{"password":"abcd"}')`)); len(all) != 1 || all[0].Password != "abcd" {
		t.Errorf("Marzban: %+v", all)
	}
	if all := xui(t, made(t, leastXUI, `INSERT INTO inbounds VALUES (1, 'vless', '{"clients":[{"email":"ana","id":"abcd"}]}')`)); len(all) != 1 || all[0].Password != "abcd" || all[0].Suspended {
		t.Errorf("3x-ui: %+v", all)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := made(t, leastMarzban, "CREATE TABLE more (a); INSERT INTO more WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 9000) SELECT hex(randomblob(20)) FROM n;")
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(damaged, append(bytes.Clone(content[:40_960]), bytes.Repeat([]byte("x"), len(content)-40_960)...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string
		read  func(context.Context, string) ([]Customer, error)
		wants string
	}{
		{made(t, "CREATE TABLE proxies (user_id, type, settings)"), Marzban, "it has no table users"},
		{made(t, "CREATE TABLE users (id, username, status, expire)"), Marzban, "it has no table proxies"},
		{made(t, "CREATE TABLE users (id, username, note); CREATE TABLE proxies (user_id, type, settings)"), Marzban, "its table users has no column status, expire"},
		{made(t, "CREATE TABLE users (id, username, status, expire); CREATE TABLE proxies (type, settings)"), Marzban, "its table proxies has no column user_id"},
		{made(t, "marzban.sql", "DROP TABLE inbounds"), XUI, "it has no table inbounds"},
		{made(t, "marzban.sql"), XUI, "its table inbounds has no column protocol, settings"},
		{text, Marzban, "no SQLite database"},
		{damaged, Marzban, "damaged"},
		{t.TempDir(), XUI, "no regular file"},
		{filepath.Join(t.TempDir(), "nowhere"), XUI, "nowhere"},
	} {
		if all, err := c.read(t.Context(), c.file); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%s: %v, %v, want %q", c.file, all, err, c.wants)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Marzban(ended, made(t, leastMarzban)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// content returns every file of a folder.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestADatabaseInUse is read with what is committed, and neither it nor what is beside it is touched; nor is a file left
// where the copy was.
func TestADatabaseInUse(t *testing.T) {
	for _, mode := range []string{"wal", "delete"} {
		t.Run(mode, func(t *testing.T) {
			path := made(t, "PRAGMA journal_mode = "+mode, leastMarzban)
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if err := sqlitex.ExecuteScript(c, "INSERT INTO users VALUES (1, 'ana', 'active', 5)", nil); err != nil {
				t.Fatal(err)
			}
			folder := filepath.Dir(path)
			before := content(t, folder)
			if mode == "wal" && len(before) != 3 {
				t.Fatalf("%v are there", slices.Sorted(maps.Keys(before)))
			}
			if runtime.GOOS != "windows" {
				for name := range before {
					_ = os.Chmod(filepath.Join(folder, name), 0o400)
				}
				_ = os.Chmod(folder, 0o500)
				t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
			}
			if all := marzban(t, path); len(all) != 1 || all[0].Username != "ana" {
				t.Errorf("it has %+v", all)
			}
			if after := content(t, folder); !maps.Equal(before, after) {
				t.Errorf("what is there has changed")
			}
			if left := content(t, temporary); len(left) > 0 {
				t.Errorf("%v are left", slices.Sorted(maps.Keys(left)))
			}
		})
	}
}

// TestAJournalIsRolledBack in the copy: what a killed process had not committed is not there.
func TestAJournalIsRolledBack(t *testing.T) {
	path := made(t, leastMarzban, "INSERT INTO users VALUES (1, 'ana', 'active', 5)")
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	killed := t.TempDir()
	err = sqlitex.ExecuteTransient(c, "PRAGMA cache_size = 1", nil)
	err = errors.Join(err, sqlitex.ExecuteTransient(c, "BEGIN", nil))
	for n := range 2000 {
		err = errors.Join(err, sqlitex.ExecuteTransient(c, "INSERT INTO users VALUES (?, 'more', 'active', 5)", &sqlitex.ExecOptions{Args: []any{n + 2}}))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range content(t, filepath.Dir(path)) {
		if err := os.WriteFile(filepath.Join(killed, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(sqlitex.ExecuteTransient(c, "ROLLBACK", nil), c.Close()); err != nil {
		t.Fatal(err)
	}
	if left := content(t, killed); len(left) != 2 {
		t.Fatalf("no journal is there")
	}
	if all := marzban(t, filepath.Join(killed, filepath.Base(path))); len(all) != 1 {
		t.Errorf("it has %d users", len(all))
	}
}

// TestAChangingDatabaseIsRefused once it was tried some times, and read where it changes but once.
func TestAChangingDatabaseIsRefused(t *testing.T) {
	path := made(t, leastMarzban)
	changes, runs := attempts, 0
	changing := func(database) error {
		if runs++; runs <= changes {
			run(t, path, fmt.Sprintf("INSERT INTO users VALUES (%d, hex(randomblob(5000)), 'active', 5)", runs))
		}
		return nil
	}
	if err := read(t.Context(), path, changing); !errors.Is(err, errChanged) || runs != attempts {
		t.Errorf("%v after %d runs", err, runs)
	}
	changes, runs = 1, 0
	if err := read(t.Context(), path, changing); err != nil || runs != 2 {
		t.Errorf("%v after %d runs", err, runs)
	}
}

// TestManyUsers are read whole.
func TestManyUsers(t *testing.T) {
	const many = 10_000
	path := made(t, "marzban.sql", fmt.Sprintf(`INSERT INTO users (id, username, status, expire)
		WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < %d) SELECT i, 'user-'||i, 'active', 1800000000+i FROM n;
		INSERT INTO proxies (user_id, type, settings) SELECT id, 'Trojan', '{"password":"pass-'||id||'"}' FROM users ORDER BY id DESC`, many))
	all := marzban(t, path)
	if len(all) != many {
		t.Fatalf("it has %d", len(all))
	}
	for n, c := range all {
		if want := fmt.Sprint("pass-", n+1); c.Password != want || c.Expires.Unix() != int64(1_800_000_001+n) {
			t.Fatalf("%+v, want %s", c, want)
		}
	}
}

// TestMetadataTakeWhatFits and never what a line refuses.
func TestMetadataTakeWhatFits(t *testing.T) {
	c := Customer{}
	for _, name := range []string{"a", "b"} {
		if !c.keep(name, strings.Repeat("x", 500)) {
			t.Errorf("%s was not kept", name)
		}
	}
	for name, value := range map[string]string{"long": strings.Repeat("x", 501), strings.Repeat("n", 41): "v", "control": "a\x1bb", "invalid": "\xff", "a": "another", "": "v", "none": ""} {
		if c.keep(name, value) {
			t.Errorf("%q was kept", name)
		}
	}
	for n := range 30 {
		c.keep(fmt.Sprint("n", n), strings.Repeat("y", 400))
	}
	if text, err := json.Marshal(c.Metadata); err != nil || len(text) > 4096 || len(c.Metadata) < 9 {
		t.Errorf("%d members, %d bytes, %v", len(c.Metadata), len(text), err)
	}
	for name, want := range map[string]string{"limitIp": "limit_ip", "totalGB": "total_gb", "created_at": "created_at", "a-b é": "a_b__", "ID": "id"} {
		if got := snake(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// FuzzXUISettings reads settings of anyone.
func FuzzXUISettings(f *testing.F) {
	f.Add(`{"clients": [{"id": "a", "email": "ana", "expiryTime": -1, "enable": false, "tgId": 5, "limitIp": 1}, {"email": "ana", "password": "p"}]}`)
	f.Add(`{"clients": [{"email": "ana", "expiryTime": 1e300}, {"email": "", "expiryTime": -9223372036854775808}, null, [], "x"]}`)
	f.Add(`{"clients": null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, settings string) {
		x := newXUIClients()
		for _, id := range []string{"1", "2"} {
			x.inbound(xuiInbound{id: id, protocol: "vless", settings: settings, enabled: true})
		}
		firsts := map[string]bool{}
		for _, c := range x.customers() {
			moved := c.Code == "" && c.As == ""
			switch {
			case c.At == "" || !strings.HasPrefix(c.ExternalID, "3x-ui-"):
				t.Errorf("%+v is nowhere", c)
			case c.As != "" && !firsts[c.As]:
				t.Errorf("%+v repeats nobody", c)
			case moved && !c.Expires.IsZero() && (c.Lasts != 0 || c.Expires.Before(time.Unix(0, 0)) || c.Expires.Year() > 9999):
				t.Errorf("%+v has no date", c)
			case c.Lasts < 0 || c.Lasts > mostLasting:
				t.Errorf("%+v lasts too long", c)
			}
			firsts[c.At] = true
			for name, value := range c.Metadata {
				if name == "password" && value == c.Password {
					t.Errorf("%+v shows its password", c)
				}
			}
		}
	})
}

// FuzzProxySettings reads settings of anyone.
func FuzzProxySettings(f *testing.F) {
	f.Add(vless)
	f.Add(trojan)
	f.Add(`{"a": {"b": [1, 2.50, null, true]}, "c": null}`)
	f.Fuzz(func(t *testing.T, settings string) {
		members, readable := object([]byte(settings))
		if readable != (json.Valid([]byte(settings)) && strings.HasPrefix(strings.TrimLeft(settings, " \t\r\n"), "{")) {
			t.Errorf("%q is an object: %v", settings, readable)
		}
		c := Customer{}
		for _, name := range sorted(members) {
			c.keep(name, members[name])
		}
		if len(c.Metadata) > 20 {
			t.Errorf("%d members", len(c.Metadata))
		}
	})
}
