package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/bench/report"
	"resellerd/test/bench/subject"
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// TestMain is the server that a run starts, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveBare {
		main()
		return
	}
	status := m.Run()
	program.Clean()
	os.Exit(status)
}

// measures skips a test that really measures the program, for a minute of a busy machine, unless the environment
// requests it.
func measures(t *testing.T) {
	t.Helper()
	if os.Getenv("RESELLERD_TEST_BENCH") != "short" {
		t.Skip("measures the program: RESELLERD_TEST_BENCH=short, as make test-all does")
	}
}

// output returns the output of a command of the program, without its progress.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, progress bytes.Buffer
	if err := command(args, &out, &progress); err != nil {
		t.Fatalf("load %s: %v\n%s", strings.Join(args, " "), err, &progress)
	}
	return out.String()
}

// page returns a page with the part of this name.
func page(t *testing.T, part string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(name, []byte("<!-- "+part+" -->\n<!-- end of "+part+" -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// expect expects that each of these expressions matches.
func expect(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(text) {
			t.Errorf("nothing matches %s in\n%s", p, text)
		}
	}
}

// TestARunMeasuresAllAndAudits makes the shortest possible run. It ignores the figures. It checks that every operation
// is answered, that the raw store fits the tables of the store, and that no credit is lost.
func TestARunMeasuresAllAndAudits(t *testing.T) {
	measures(t)
	written := page(t, "measured")
	got := output(t, "run", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-clients", "2", "-owners", "2",
		"-depth", "2", "-lines", "20", "-page", written)
	for _, o := range subject.Operations {
		expect(t, got, `(?m)^\| (resellerd)? \| `+o.Name+` \| 2 \| [1-9]`)
	}
	expect(t, got,
		`\| bare gin handler \| fixed answer \| 2 \| [1-9]`,
		`\| disk \| append 4 KiB and fsync \| 1 \| [1-9]`,
		`2\s+owners\s+at\s+depth\s+2`, `audit\s+in\s+the\s+end:\s+all\s+well`, `\| a start \| ≤ 100 ms \| `,
	)
	if text, err := os.ReadFile(written); err != nil || !strings.Contains(string(text), strings.TrimSpace(got)) {
		t.Errorf("the page has %q, %v", text, err)
	}
}

func TestMongoDBIsMeasured(t *testing.T) {
	measures(t)
	_, err := mongotest.Binary(t.Context())
	mongotest.Need(t, err)
	got := output(t, "run", "-mongodb", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-clients", "2", "-owners",
		"2", "-lines", "1", "-only", "activation")
	expect(t, got, `(?m)^\| resellerd \| activation \| 2 \| [1-9]`, `audit\s+in\s+the\s+end:\s+all\s+well`)
}

func TestGrowthFillsStoresThatAnAuditPasses(t *testing.T) {
	measures(t)
	written := page(t, "growth")
	got := output(t, "growth", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-lines", "100,300", "-depths",
		"1,3", "-ledgers", "10,300", "-owners", "2", "-page", written)
	for _, size := range []report.Size{{Lines: 100, Depth: 1}, {Lines: 300, Depth: 3},
		{Lines: 1000, Depth: 1, Ledger: 300}} {
		expect(t, got, `\| `+size.String()+` \| (activation|recharge) \| [1-9]`, `\| `+size.String()+
			` \| [^|]* \| [^|]* \| \**[1-9]`)
	}
	if text, err := os.ReadFile(written); err != nil || !strings.Contains(string(text), strings.TrimSpace(got)) {
		t.Errorf("the page has %q, %v", text, err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		nil, {"walk"}, {"run", "-clients", "0"}, {"run", "-clients", "many"}, {"run", "more"}, {"run", "-only", "nothing"},
		{"run", "-depth", "9"},
		{"growth", "-lines", "-1"}, {"growth", "more"},
	} {
		if err := command(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

// TestMeasuredOperations checks that exactly the operations with Measured in their rows are measured.
func TestMeasuredOperations(t *testing.T) {
	for _, row := range api.Table() {
		if asked := slices.Contains(subject.Asked, row.ID); asked != row.Measured {
			t.Errorf("%s is measured: %t, and its row says %t", row.ID, asked, row.Measured)
		}
	}
}
