package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"resellerd/test/mongotest"
	"resellerd/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// TestEachOperationIsMeasured makes the shortest runs, with two depths and with two builds. It ignores the figures. A
// refused request and an audit that finds something fail a run.
func TestEachOperationIsMeasured(t *testing.T) {
	if os.Getenv("RESELLERD_TEST_BENCH") != "short" {
		t.Skip("it takes a minute: RESELLERD_TEST_BENCH=short, as in make test-all")
	}
	binary, err := program.Binary()
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string][]string{
		"SQLite":  {"-base", binary, "-depths", "1,3"},
		"MongoDB": {"-mongodb", "-only", "activation"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "MongoDB" {
				_, err := mongotest.Binary(t.Context())
				mongotest.Need(t, err)
			}
			page := filepath.Join(t.TempDir(), "page.md")
			if err := os.WriteFile(page, []byte("<!-- x -->\nold\n<!-- end of x -->\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var progress bytes.Buffer
			if err := command(append(run, "-resellerd", binary, "-dir", t.TempDir(), "-rounds", "2", "-long", "100ms",
				"-clients", "2", "-owners", "2", "-lines", "20", "-page", page, "-part", "x"), io.Discard, &progress); err != nil {
				t.Fatalf("%v\n%s", err, &progress)
			}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range operations {
				if !regexp.MustCompile(`(?m)^\| `+o.name+` \| 2 \| [^|]+ \| [1-9]`).Match(text) &&
					(name == "SQLite" || o.name == "activation") {
					t.Errorf("%s is not measured:\n%s", o.name, text)
				}
			}
			if strings.Contains(string(text), "old") {
				t.Errorf("the page has its old text:\n%s", text)
			}
		})
	}
}

func TestRatioIsTheMedianOfTheRounds(t *testing.T) {
	base := &measurement{rounds: []figures{{100}, {10}, {1000}}}
	m := &measurement{beside: base, rounds: []figures{{50}, {15}, {900}}}
	if value, ratio := m.figure(rate); value != 50 || ratio != 0.9 {
		t.Errorf("got %v and %v, want 50 and 0.9", value, ratio)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for _, args := range []string{
		"walk", "-clients 0", "-clients many", "-only nothing", "-depths 9", "-rounds 0", "fill -x",
	} {
		if err := command(strings.Fields(args), io.Discard, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
