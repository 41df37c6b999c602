package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/application/transfer"
	"resellerd/ports"
)

func TestEverythingThatIsWrongWithACopyIsReportedAtOnce(t *testing.T) {
	t.Setenv("RESELLERD_STORE", "sqlite:is-not-used.db")
	for _, c := range []struct {
		from, to string
		says     []string
	}{
		{"cassandra:x", "sqlite:", []string{`--from: "cassandra:x" names no store; known are `, "--to: sqlite: needs a path"}},
		{"memory:", "memory:", []string{"--from: memory: ends with the process", "--to: memory: ends with the process", "--to: this is the store that is to be copied"}},
		{"sqlite:a.db", "sqlite:a.db", []string{"--to: this is the store that is to be copied"}},
		{"nothing", "cassandra://user:password@host/db", []string{`--from: "nothing" names no store`, `--to: "cassandra://[redacted]@host/db" names no store`}},
	} {
		var stdout, stderr bytes.Buffer
		status := Run([]string{"copy", "--from", c.from, "--to", c.to}, &stdout, &stderr, DefaultStores())
		if status != exitUsage || stdout.Len() > 0 || strings.Contains(stderr.String(), "password") {
			t.Errorf("from %s to %s: status %d, printed %q and %q", c.from, c.to, status, &stdout, &stderr)
		}
		for _, text := range c.says {
			if !strings.Contains(stderr.String(), text) {
				t.Errorf("from %s to %s: %q does not say %q", c.from, c.to, &stderr, text)
			}
		}
		if got := strings.Count(stderr.String(), "\n  "); got != len(c.says) {
			t.Errorf("from %s to %s: %d faults, want %d: %q", c.from, c.to, got, len(c.says), &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := Run([]string{"copy"}, &stdout, &stderr, DefaultStores()); status != exitUsage || !strings.Contains(stderr.String(), "--from") {
		t.Errorf("without addresses: status %d, %q", status, &stderr)
	}
	t.Setenv("RESELLERD_COPY_FROM", "from-the-environment:")
	t.Setenv("RESELLERD_COPY_TO", "to-the-environment:")
	stderr.Reset()
	if status := Run([]string{"copy"}, &stdout, &stderr, DefaultStores()); status != exitUsage ||
		!strings.Contains(stderr.String(), `--from: "from-the-environment:"`) || !strings.Contains(stderr.String(), `--to: "to-the-environment:"`) {
		t.Errorf("with addresses in the environment: status %d, %q", status, &stderr)
	}
}

func TestACopyNeedsASource(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "typo.db"), filepath.Join(dir, "copy.db")
	var stdout, stderr bytes.Buffer
	status := Run([]string{"copy", "--from", "sqlite:" + from, "--to", "sqlite:" + to}, &stdout, &stderr, DefaultStores())
	if status != exitFailed || !strings.Contains(stderr.String(), "--from: ") || !strings.Contains(stderr.String(), "typo.db") {
		t.Errorf("status %d, %q", status, &stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("a copy of nothing left %v, %v", left, err)
	}
}

func TestAnOperatorIsToldWhatToDoNext(t *testing.T) {
	for _, c := range []struct {
		err  error
		says []string
	}{
		{fmt.Errorf("%w: %w", transfer.ErrLeftUnfinished, ports.ErrUnavailable), []string{"the copy was not finished", "unavailable", "--restart"}},
		{fmt.Errorf("begin a copy: %w", ports.ErrNotEmpty), []string{"--to: ", "not empty", "name a new one"}},
		{ports.ErrUnfinishedCopy, []string{"--to: ", "--restart"}},
		{transfer.ErrSourceUnfinished, []string{"--from: "}},
		{transfer.ErrSourceUnused, []string{"--from: ", "never served"}},
	} {
		said := whatNext(c.err)
		if !errors.Is(said, c.err) {
			t.Errorf("%v became %v", c.err, said)
		}
		for _, text := range c.says {
			if !strings.Contains(said.Error(), text) {
				t.Errorf("%q does not say %q", said, text)
			}
		}
	}
	for _, err := range []error{fmt.Errorf("%w: %w", transfer.ErrLeftUnfinished, ports.ErrCopyEnded), context.Canceled} {
		if said := whatNext(err).Error(); strings.Contains(said, "--restart") {
			t.Errorf("%v: to start over is no remedy: %q", err, said)
		}
	}
}

func TestTheMeterShowsEachStep(t *testing.T) {
	steps := func(m *meter) {
		m.show(transfer.AuditSource, 0, 0)
		m.show(transfer.AuditSource, 500, 0)
		m.show(transfer.AuditSource, 620, 0)
		m.show(transfer.CopyRecords, 500, 620)
		m.show(transfer.CopyRecords, 620, 620)
		m.show(transfer.CopyKeys, 7, 0)
		m.show(transfer.Compare, 0, 627)
		m.show(transfer.Compare, 500, 627)
		m.end() // interrupted
		m.end()
	}
	var plain bytes.Buffer
	steps(&meter{out: &plain})
	want := "resellerd: auditing the source\nresellerd: copying records\nresellerd: copying idempotency keys\nresellerd: comparing the copy with the source\n"
	if plain.String() != want {
		t.Errorf("in a file: got %q, want %q", &plain, want)
	}

	var drawn bytes.Buffer
	steps(&meter{out: &drawn, terminal: true})
	lines := strings.Split(strings.TrimSuffix(drawn.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("on a terminal: got %d lines, want one for each step: %q", len(lines), lines)
	}
	for i, texts := range [][]string{{"auditing the source", "620"}, {"copying records", "100%", "620/620"}, {"copying idempotency keys", "7"}, {"comparing", "/627"}} {
		for _, text := range texts {
			if !strings.Contains(lines[i], text) {
				t.Errorf("line %d does not show %q: %q", i, text, lines[i])
			}
		}
	}
}

func TestTheServiceKeyOfACopyIsNamedAndNotShown(t *testing.T) {
	dir := t.TempDir()
	opener := DefaultStores()["sqlite"]
	from := endOfCopy{"--from", filepath.Join(dir, "from.db"), opener}
	to := endOfCopy{"--to", filepath.Join(dir, "to.db"), opener}
	secret, _, err := keyBeside(from.address)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := endOfCopy{"--to", "user:password@host", Opener{}}
	for _, c := range []struct {
		from, to endOfCopy
		want     string
	}{
		{from, to, "serve it with the service key of the source, fingerprint 1234: in RESELLERD_SECRET or RESELLERD_SECRET_FILE, or in the file " + to.address + ".key; the source has it in " + from.address + ".key"},
		{to, from, "serve it with the service key of the source, fingerprint 1234: in RESELLERD_SECRET or RESELLERD_SECRET_FILE, or in the file " + from.address + ".key"},
		{elsewhere, elsewhere, "serve it with the service key of the source, fingerprint 1234: in RESELLERD_SECRET or RESELLERD_SECRET_FILE"},
	} {
		if got := keyOfCopy(c.from, c.to, "1234"); got != c.want || strings.Contains(got, secret.Reveal()) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
