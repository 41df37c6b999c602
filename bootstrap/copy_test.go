package bootstrap

import (
	"bytes"
	"strings"
	"testing"

	"resellerd/adapters/cli"
	"resellerd/test/expect"
)

func TestAllFaultsOfACopyAreReportedAtOnce(t *testing.T) {
	t.Setenv("RESELLERD_STORE", "sqlite:is-not-used.db")
	for _, c := range []struct {
		from, to string
		says     []string
	}{
		{"memory:", "memory:", []string{"--from: memory: ends with the process", "--to: memory: ends with the process",
			"--to: this is the source: name another store"}},
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
}
