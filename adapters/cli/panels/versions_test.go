package panels

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"resellerd/test/expect"
	"resellerd/test/require"

	"github.com/google/go-cmp/cmp"
)

// said writes a customer as one line.
func said(c Customer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %q", c.At, c.ExternalID, c.Username)
	for _, part := range []struct{ name, value string }{{"password", c.Password}, {"notes", c.Notes},
		{"telegram", c.Telegram}, {"again", c.As}, {c.Code, c.Detail}} {
		if part.value != "" {
			fmt.Fprintf(&b, "; %s %q", part.name, part.value)
		}
	}
	for name, at := range map[string]time.Time{"ends": c.Expires, "ends by": c.Until} {
		if !at.IsZero() {
			fmt.Fprintf(&b, "; %s %s", name, at.Format(time.RFC3339Nano))
		}
	}
	if c.Lasts != 0 {
		fmt.Fprintf(&b, "; lasts %v", c.Lasts)
	}
	if c.Suspended {
		b.WriteString("; suspended")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Metadata)) {
		fmt.Fprintf(&b, "; %s=%s", name, c.Metadata[name])
	}
	return b.String()
}

// shown are the members of metadata, of which none is a secret.
var shown = []string{
	"status", "password_of", "flow", "method", "security", "data_limit", "data_limit_reset_strategy", "limit_ip",
	"ip_limit", "total_gb", "reset",
	"inbounds", "user", "group", "remark", "public_key", "allowed_ips",
}

// readLines reads a file, and returns the panel, and each customer as a line.
func readLines(t *testing.T, path string, o Options) (string, []string) {
	t.Helper()
	f, err := Read(t.Context(), path, o)
	require.NoError(t, err)
	var lines []string
	for _, c := range f.Customers {
		lines = append(lines, said(c))
		for name, value := range c.Metadata {
			if !slices.Contains(shown, name) || value == c.Password {
				t.Errorf("%s shows %s: %s", c.At, name, value)
			}
		}
	}
	return f.Panel, lines
}

// customersOf makes the database of a file in testdata, with the schema that its first line names, if any.
func customersOf(t *testing.T, file string) (path string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	path = made(t)
	if schema, has := strings.CutPrefix(strings.SplitN(string(text), "\n", 2)[0], "-- of "); has {
		run(t, path, schema)
	}
	run(t, path, filepath.Base(file))
	return path
}

// TestEachPanelIsMapped reads customers in each state from each version of a panel, which statements in testdata
// create. It expects the lines in the file beside them: the panel and its customers, or an error. Views, virtual tables
// and computed columns with the names of tables or columns are not read.
func TestEachPanelIsMapped(t *testing.T) {
	files, err := filepath.Glob("testdata/*.customers.sql")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".customers.sql"), func(t *testing.T) {
			path := customersOf(t, file)
			text, err := os.ReadFile(strings.TrimSuffix(file, ".sql") + ".txt")
			require.NoError(t, err)
			want := strings.Split(strings.TrimSpace(string(text)), "\n")
			if want[0] == "refused" {
				_, err := Read(t.Context(), path, Options{})
				for _, line := range want[1:] {
					wantRefused(t, err, path, line)
				}
				return
			}
			panel, got := readLines(t, path, Options{})
			got = append([]string{panel}, got...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want, got:\n%s\n%s", diff, strings.Join(got, "\n"))
			}
		})
	}
}

func TestOptionsOfAnImport(t *testing.T) {
	for _, c := range []struct {
		customers string
		options   Options
		want      string
	}{
		{"marzban-0", Options{Prefix: "south", Protocol: "vless"},
			`user 9: south-9 "ana.tv"; password "11111111-2222-4333-8444-555555555555"; `},
		{"marzneshin", Options{PlainKeys: true, Protocol: "vless"},
			`user 2: marzneshin-2 "bia"; password "a----"; `},
		{"3x-ui-2", Options{Protocol: "vless"}, `inbound 1, client 1: 3x-ui-ana "ana"; password "id-1"; `},
	} {
		_, lines := readLines(t, customersOf(t, "testdata/"+c.customers+".customers.sql"), c.options)
		expect.Contains(t, "\n"+strings.Join(lines, "\n"), "\n"+c.want, "%s with %+v", c.customers, c.options)
	}
}

// TestCustomersAreCounted by another statement than the one that returns them, so that no customer is lost silently.
func TestCustomersAreCounted(t *testing.T) {
	path := made(t, leastMarzban, "INSERT INTO users VALUES (1, 'ana', 'active', NULL)")
	statements = fstest.MapFS{
		"marzban-0.sql":       {Data: []byte("SELECT id FROM users WHERE id > 1")},
		"marzban-0.count.sql": {Data: []byte("SELECT count(*) FROM users")},
	}
	t.Cleanup(func() { statements = embedded })
	if _, err := Read(t.Context(), path, Options{}); err == nil ||
		!strings.Contains(err.Error(), "it has 1 customers, and 0 could be read") {
		t.Errorf("a statement that forgets one: %v", err)
	}
}
