package bootstrap

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/adapters/cli"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestEverythingThatIsWrongWithACopyIsReportedAtOnce(t *testing.T) {
	t.Setenv("RESELLERD_STORE", "sqlite:is-not-used.db")
	for _, c := range []struct {
		from, to string
		says     []string
	}{
		{"cassandra:x", "sqlite:", []string{`--from: "cassandra:x" names no store; known are `,
			"--to: sqlite: needs a path"}},
		{"memory:", "memory:", []string{"--from: memory: ends with the process", "--to: memory: ends with the process",
			"--to: this is the store that is to be copied"}},
		{"sqlite:a.db", "sqlite:a.db", []string{"--to: this is the store that is to be copied"}},
		{"nothing", "cassandra://user:password@host/db",
			[]string{`--from: "nothing" names no store`, `--to: "cassandra://[redacted]@host/db" names no store`}},
		{"nothing", "mongo://host/db?proxyPassword=password",
			[]string{`--from: "nothing" names no store`, `--to: "mongo://host/db?proxyPassword=[redacted]" names no store`}},
	} {
		var stdout, stderr bytes.Buffer
		status := Run([]string{"copy", "--from", c.from, "--to", c.to}, &stdout, &stderr, DefaultStores())
		if status != cli.ExitUsage || stdout.Len() > 0 || strings.Contains(stderr.String(), "password") {
			t.Errorf("from %s to %s: status %d, printed %q and %q", c.from, c.to, status, &stdout, &stderr)
		}
		for _, text := range c.says {
			expect.Contains(t, stderr.String(), text, "from %s to %s", c.from, c.to)
		}
		faults := strings.Count(stderr.String(), "\n  ")
		expect.Equal(t, faults, len(c.says), "from %s to %s: faults in %q", c.from, c.to, &stderr)
	}
	var stdout, stderr bytes.Buffer
	if status := Run([]string{"copy"}, &stdout, &stderr, DefaultStores()); status != cli.ExitUsage ||
		!strings.Contains(stderr.String(), "--from") {
		t.Errorf("without addresses: status %d, %q", status, &stderr)
	}
	t.Setenv("RESELLERD_COPY_FROM", "from-the-environment:")
	t.Setenv("RESELLERD_COPY_TO", "to-the-environment:")
	stderr.Reset()
	if status := Run([]string{"copy"}, &stdout, &stderr, DefaultStores()); status != cli.ExitUsage ||
		!strings.Contains(stderr.String(), `--from: "from-the-environment:"`) ||
		!strings.Contains(stderr.String(), `--to: "to-the-environment:"`) {
		t.Errorf("with addresses in the environment: status %d, %q", status, &stderr)
	}
}

func TestACopyNeedsASource(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "typo.db"), filepath.Join(dir, "copy.db")
	var stdout, stderr bytes.Buffer
	status := Run([]string{"copy", "--from", "sqlite:" + from, "--to", "sqlite:" + to}, &stdout, &stderr, DefaultStores())
	if status != cli.ExitFailed || !strings.Contains(stderr.String(), "--from: ") ||
		!strings.Contains(stderr.String(), "typo.db") {
		t.Errorf("status %d, %q", status, &stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("a copy of nothing left %v, %v", left, err)
	}
}

func TestTheFilesOfTheServiceKeysOfACopy(t *testing.T) {
	dir := t.TempDir()
	opener := DefaultStores()["sqlite"]
	from := endOfCopy{filepath.Join(dir, "from.db"), opener}
	to := endOfCopy{filepath.Join(dir, "to.db"), opener}
	_, _, err := opener.Keys(from.address).Key()
	require.NoError(t, err)
	elsewhere := endOfCopy{"user:password@host", mongodb{}}
	for _, c := range []struct {
		from, to           endOfCopy
		ofTarget, ofSource string
	}{
		{from, to, to.address + ".key", from.address + ".key"},
		{to, from, from.address + ".key", ""},
		{elsewhere, elsewhere, "", ""},
	} {
		ofTarget, ofSource := copying{from: c.from, to: c.to}.KeyFiles()
		expect.Equal(t, ofTarget, c.ofTarget)
		expect.Equal(t, ofSource, c.ofSource)
	}
}
