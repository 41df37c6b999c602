package panels

import (
	"bytes"
	"context"
	"encoding/hex"
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

	"resellerd/test/expect"
	"resellerd/test/require"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// made creates a database with the statements of files below testdata and others, and returns its path.
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
	require.NoError(t, err)
	for _, s := range statements {
		if strings.HasSuffix(s, ".sql") {
			text, err := os.ReadFile(filepath.Join("testdata", s))
			require.NoError(t, err)
			s = string(text)
		}
		do := sqlitex.ExecuteScript
		if strings.HasPrefix(s, "PRAGMA") { // not within a transaction
			do = sqlitex.ExecuteTransient
		}
		require.NoError(t, do(c, s, nil))
	}
	require.NoError(t, c.Close())
}

// The least that is read of each panel.
const (
	leastMarzban = "CREATE TABLE users (id, username, status, expire); CREATE TABLE proxies (user_id, type, settings);"
	leastXUI     = "CREATE TABLE inbounds (id, protocol, settings);"
)

// readAll returns the customers of a file.
func readAll(t testing.TB, path string) []Customer {
	t.Helper()
	f, err := Read(t.Context(), path, Options{})
	require.NoError(t, err)
	return f.Customers
}

// TestFilesThatCannotBeRead are named with the reason.
func TestFilesThatCannotBeRead(t *testing.T) {
	whole := made(t, leastMarzban,
		"CREATE TABLE more (a); INSERT INTO more WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 9000) SELECT hex(randomblob(20)) FROM n;")
	content, err := os.ReadFile(whole)
	require.NoError(t, err)
	damaged := filepath.Join(t.TempDir(), "damaged")
	require.NoError(t, os.WriteFile(damaged,
		append(bytes.Clone(content[:40_960]), bytes.Repeat([]byte("x"), len(content)-40_960)...), 0o600))
	for file, want := range map[string]string{
		made(t, "CREATE TABLE t (a)"): "t\n", damaged: "damaged", t.TempDir(): "no regular file",
		filepath.Join(t.TempDir(), "nowhere"): "nowhere",
	} {
		if f, err := Read(t.Context(), file, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", file, f, err, want)
		}
	}
	expect.Error(t, begins("nowhere"), fs.ErrNotExist)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = Read(ended, made(t, leastMarzban), Options{})
	expect.Error(t, err, context.Canceled, "interrupted")
}

// TestOtherFilesAreRecognised and the error names the next step.
func TestOtherFilesAreRecognised(t *testing.T) {
	for _, c := range []struct{ content, wants string }{
		{"", "it is empty"},
		{"PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE a(b);",
			"a dump of SQL: load it with sqlite3 panel.db <FILE"},
		{"\ufeff\r\n-- made by hand\nINSERT INTO a VALUES (1);", "a dump of SQL"},
		{"-- MySQL dump 10.13\n--\nCREATE TABLE `users` (`id` int);", "a dump of MySQL or MariaDB"},
		{"/*!40101 SET NAMES utf8 */;\nCREATE TABLE `users` (`id` int);", "a dump of MySQL or MariaDB"},
		{"--\n-- PostgreSQL database dump\n--\n", "a dump of PostgreSQL"},
		{"PGDMP\x01\x0e", "a dump of PostgreSQL"},
		{"\x1f\x8b\x08\x00", "an archive (gzip, such as .tar.gz): unpack it"},
		{"x-ui.db" + strings.Repeat("\x00", 250) + "ustar\x0000", "an archive (tar)"},
		{"\x37\x7f\x06\x82", "the WAL of a database"},
		{"id,name\n1,ana\n", "import the file of the database"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
		if _, err := Read(t.Context(), path, Options{}); !errors.Is(err, errNotDatabase) ||
			!strings.Contains(err.Error(), c.wants) {
			t.Errorf("%q: %v, want %q", c.content, err, c.wants)
		}
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
	require.NoError(t, err)
	return all
}

// TestReadingADatabaseInUseChangesNoFile and returns all committed customers. It removes its temporary copy.
func TestReadingADatabaseInUseChangesNoFile(t *testing.T) {
	for _, mode := range []string{"wal", "delete"} {
		t.Run(mode, func(t *testing.T) {
			path := made(t, "PRAGMA journal_mode = "+mode, leastMarzban)
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
			require.NoError(t, err)
			defer func() { _ = c.Close() }()
			require.NoError(t, sqlitex.ExecuteScript(c, "INSERT INTO users VALUES (1, 'ana', 'active', NULL)", nil))
			folder := filepath.Dir(path)
			before := content(t, folder)
			if mode == "wal" && len(before) != 3 {
				t.Fatalf("the folder has %v", slices.Sorted(maps.Keys(before)))
			}
			if runtime.GOOS != "windows" {
				for name := range before {
					_ = os.Chmod(filepath.Join(folder, name), 0o400)
				}
				_ = os.Chmod(folder, 0o500)
				t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
			}
			if all := readAll(t, path); len(all) != 1 || all[0].Username != "ana" {
				t.Errorf("it has %+v", all)
			}
			if after := content(t, folder); !maps.Equal(before, after) {
				t.Errorf("the files have changed")
			}
			expect.Elements(t, slices.Sorted(maps.Keys(content(t, temporary))), nil, "left")
		})
	}
}

// TestAJournalIsRolledBack in the copy, which then has no uncommitted changes of a killed process.
func TestAJournalIsRolledBack(t *testing.T) {
	path := made(t, leastMarzban, "INSERT INTO users VALUES (1, 'ana', 'active', NULL)")
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	require.NoError(t, err)
	killed := t.TempDir()
	err = sqlitex.ExecuteTransient(c, "PRAGMA cache_size = 1", nil)
	err = errors.Join(err, sqlitex.ExecuteTransient(c, "BEGIN", nil))
	for n := range 2000 {
		err = errors.Join(err, sqlitex.ExecuteTransient(c, "INSERT INTO users VALUES (?, 'more', 'active', NULL)",
			&sqlitex.ExecOptions{Args: []any{n + 2}}))
	}
	require.NoError(t, err)
	for name, text := range content(t, filepath.Dir(path)) {
		require.NoError(t, os.WriteFile(filepath.Join(killed, name), []byte(text), 0o600))
	}
	require.NoError(t, errors.Join(sqlitex.ExecuteTransient(c, "ROLLBACK", nil), c.Close()))
	expect.Equal(t, len(content(t, killed)), 2, "a database and its journal")
	expect.Equal(t, len(readAll(t, filepath.Join(killed, filepath.Base(path)))), 1, "its users")
}

// TestAChangingDatabaseIsRefused after some attempts. A database that changes once is read.
func TestAChangingDatabaseIsRefused(t *testing.T) {
	path := made(t, leastMarzban)
	changes, runs := attempts, 0
	changing := func(database) error {
		if runs++; runs <= changes {
			run(t, path, fmt.Sprintf("INSERT INTO users VALUES (%d, hex(randomblob(5000)), 'active', NULL)", runs))
		}
		return nil
	}
	expect.Error(t, read(t.Context(), path, changing), errChanged, "a database that changes")
	expect.Equal(t, runs, attempts, "runs")
	changes, runs = 1, 0
	expect.Error(t, read(t.Context(), path, changing), nil, "a database that has changed")
	expect.Equal(t, runs, 2, "runs")
}

// FuzzSettingsFile reads arbitrary settings as those of each panel.
func FuzzSettingsFile(f *testing.F) {
	f.Add(`{"clients": [{"id": "a", "email": "ana", "expiryTime": -1, "enable": false, "tgId": 5, "limitIp": 1}, {"email": "ana", "password": "p"}]}`)
	f.Add(`{"clients": [{"email": "ana", "expiryTime": 1e300}, {"email": "", "expiryTime": -9223372036854775808}, null, [], "x"]}`)
	f.Add(`{"clients": null}`)
	f.Add(`{"accounts": [{"user": "a", "pass": "b"}, 5], "peers": {}}`)
	f.Add(`[]`)
	f.Add(`{"trojan": {"password": "a"}, "vless": {"id": 5, "uuid": []}, "hysteria": {"auth": null, "auth_str": true}}`)
	f.Add("{\"password\": \"\\u0000\xff\"}")
	f.Fuzz(func(t *testing.T, settings string) {
		for _, statements := range []string{
			leastXUI + "INSERT INTO inbounds VALUES (1, 'vless', $), (2, 'trojan', $)",
			leastMarzban + "INSERT INTO users VALUES (1, 'ana', 'active', 0); INSERT INTO proxies VALUES (1, 'Trojan', $)",
			"CREATE TABLE users (id, username, status, expire, proxy_settings); INSERT INTO users VALUES (1, 'ana', 'active', NULL, $); CREATE TABLE core_configs (config); INSERT INTO core_configs VALUES ($)",
			"CREATE TABLE clients (id, name, volume, expiry, config, enable, inbounds); INSERT INTO clients VALUES (1, 'ana', 0, 0, $, 1, $)",
			leastXUI +
				"CREATE TABLE clients (id, email, sub_id, uuid, password, expiry_time, enable); CREATE TABLE client_inbounds (client_id, inbound_id); INSERT INTO inbounds VALUES (1, 'vless', $)",
		} {
			path := filepath.Join(t.TempDir(), "panel.db")
			run(t, path, strings.ReplaceAll(statements, "$", "CAST(x'"+hex.EncodeToString([]byte(settings))+"' AS TEXT)"))
			f, err := Read(t.Context(), path, Options{})
			if err != nil {
				if strings.Contains(err.Error(), "1 MiB") {
					return
				}
				t.Fatal(err)
			}
			firsts := map[string]bool{}
			for _, c := range f.Customers {
				switch {
				case c.At == "":
					t.Errorf("%+v is nowhere", c)
				case c.As != "" && !firsts[c.As]:
					t.Errorf("%+v repeats no customer", c)
				case !c.Expires.IsZero() && (c.Lasts != 0 || c.Expires.Before(earliest) || !c.Expires.Before(latest)):
					t.Errorf("%+v has no date", c)
				case c.Lasts < 0 || c.Lasts > mostLasting:
					t.Errorf("%+v lasts too long", c)
				}
				firsts[c.At] = true
			}
		}
	})
}
