package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/test/bench/report"
	"resellerd/test/bench/subject"
	"resellerd/test/mongotest"
)

// TestMain is the servers that a run starts, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{serveSpike, serveRows, serveBare, serveProfiled}, os.Args[1]) {
		main()
		return
	}
	os.Exit(m.Run())
}

// measures skips a test that measures the program for real, for a minute of a busy machine, unless it is asked for.
func measures(t *testing.T) {
	t.Helper()
	if os.Getenv("RESELLERD_TEST_BENCH") != "short" {
		t.Skip("measures the program: RESELLERD_TEST_BENCH=short, as make test-all does")
	}
	t.Parallel()
}

// output returns what a command of the program prints, its progress left out.
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

// TestARunMeasuresAllAndAudits makes a run as short as can be. What it measures is of no interest: that every operation
// is answered, the raw store fits the tables of the store, and no credit is lost.
func TestARunMeasuresAllAndAudits(t *testing.T) {
	measures(t)
	written := page(t, "measured")
	got := output(t, "run", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-clients", "2", "-owners", "2", "-depth", "2", "-lines", "20", "-profile", "0", "-page", written)
	for _, o := range subject.Operations {
		expect(t, got, `(?m)^\| (resellerd)? \| `+o.Name+` \| 2 \| [1-9]`)
	}
	expect(t, got,
		`\| spike \| command \| 2 \| [1-9]`, `\|  \| read by key \| 2 \| [1-9]`, `\|  \| an activation's rows \| 2 \| [1-9]`, `\|  \| an extension's rows \| 2 \| [1-9]`, `\|  \| a trial's rows \| 2 \| [1-9]`,
		`\| bare gin handler \| fixed answer \| 2 \| [1-9]`,
		`\| raw store \| an activation's rows \| 1 \| [1-9]`, `\| raw rows \| an activation's rows \| 1 \| [1-9]`, `\| disk \| append 4 KiB and fsync \| 1 \| [1-9]`,
		`2\s+owners\s+at\s+depth\s+2`, `audit\s+in\s+the\s+end:\s+all\s+well`, `\| a start \| ≤ 100 ms \| `,
	)
	if text, err := os.ReadFile(written); err != nil || !strings.Contains(string(text), strings.TrimSpace(got)) {
		t.Errorf("the page has %q, %v", text, err)
	}
}

func TestAProfileTellsTheLayers(t *testing.T) {
	measures(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("profiles are read by the go command")
	}
	got := output(t, "run", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-clients", "2", "-owners", "2", "-lines", "1", "-only", "trial", "-profile", "1s")
	expect(t, got, `\| CPU of a request, µs \| trial \|\n`, `\| SQLite \| [0-9]`, `\| \*\*all\*\* \| [1-9]`)
}

// TestMongoDBIsMeasuredBesideAPlainLoop makes a run as short as can be: every client is answered, and no credit is lost.
func TestMongoDBIsMeasuredBesideAPlainLoop(t *testing.T) {
	measures(t)
	_, err := mongotest.Binary(t.Context())
	mongotest.Need(t, err)
	written := page(t, "mongodb")
	got := output(t, "mongodb", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-lines", "1", "-page", written)
	for _, what := range []string{report.LoneActivation, report.Activations, report.HotActivations} {
		for _, who := range []string{report.Resellerd, report.PlainLoop} {
			expect(t, got, `(?m)^\| `+who+` \| `+what+` \| (1|64) \| [1-9]`)
		}
	}
	expect(t, got, `3\s+members`, `(?s)all\s+well.*and\s+of\s+the\s+hot\s+reseller`, `one hot reseller beside the plain loop \| ≥ 20.0 times \| `)
	if text, err := os.ReadFile(written); err != nil || !strings.Contains(string(text), strings.TrimSpace(got)) {
		t.Errorf("the page has %q, %v", text, err)
	}
}

func TestGrowthFillsStoresThatAnAuditPasses(t *testing.T) {
	measures(t)
	written := page(t, "growth")
	chart := filepath.Join(filepath.Dir(written), "growth.svg")
	got := output(t, "growth", "-dir", t.TempDir(), "-rounds", "1", "-long", "100ms", "-lines", "100,300", "-depths", "1,3", "-ledgers", "10,300", "-owners", "2", "-page", written, "-chart", chart)
	for _, size := range []report.Size{{Lines: 100, Depth: 1}, {Lines: 300, Depth: 3}, {Lines: 1000, Depth: 1, Ledger: 300}} {
		expect(t, got, `\| `+size.String()+` \| (activation|recharge) \| [1-9]`, `\| `+size.String()+` \| [^|]* \| [^|]* \| \**[1-9]`)
	}
	expect(t, got, `!\[.*\]\(growth.svg\)`)
	if text, err := os.ReadFile(chart); err != nil || !strings.Contains(string(text), "<polyline") {
		t.Errorf("the chart is %q, %v", text, err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		nil, {"walk"}, {"run", "-clients", "0"}, {"run", "-clients", "many"}, {"run", "more"}, {"run", "-only", "nothing"}, {"run", "-depth", "9"},
		{"growth", "-lines", "-1"}, {"growth", "more"}, {"mongodb", "-rounds", "0"}, {"mongodb", "more"}, {"mongodb", "-only", "nothing"},
	} {
		if err := command(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
