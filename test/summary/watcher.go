package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// The lines of go test that name what failed. Those of a test come before that of
// its package, and packages do not mix. A test that is no part of another is not
// indented: what looks like one and is, is a quotation.
var (
	testFailed    = regexp.MustCompile(`^(?:--- FAIL: ((?:Test|Fuzz|Example|Benchmark)[^\s/]*)| +--- FAIL: (\S+/\S+)) \(`)
	testStuck     = regexp.MustCompile(`^\t\t((?:Test|Fuzz|Example)\S*) \(`)
	timedOut      = "panic: test timed out"
	packageFailed = regexp.MustCompile(`^FAIL\t(\S+)(?:\t| (\[.*\]))`)
	packagePassed = regexp.MustCompile(`^(?:ok  |\?   )\t`)
)

// failure is a test that failed.
type failure struct{ test, how string }

// watcher passes on what go test writes and keeps the names of what failed.
type watcher struct {
	out io.Writer

	rest    []byte    // of a line that has no end yet
	stuck   bool      // the tests are those that ran when the time was over
	pending []failure // tests of the package that is not named yet
	failed  []string
	tests   int // among failed; the others are packages without one
}

// Write implements io.Writer.
func (w *watcher) Write(b []byte) (int, error) {
	lines := bytes.SplitAfter(append(w.rest, b...), []byte{'\n'})
	for _, line := range lines[:len(lines)-1] {
		w.line(strings.TrimRight(string(line), "\r\n"))
	}
	w.rest = slices.Clone(lines[len(lines)-1])
	return w.out.Write(b)
}

func (w *watcher) line(text string) {
	if found := testFailed.FindStringSubmatch(text); found != nil {
		w.pending = append(w.pending, failure{test: found[1] + found[2]})
	}
	if strings.HasPrefix(text, timedOut) {
		w.stuck = true
	}
	if found := testStuck.FindStringSubmatch(text); found != nil && w.stuck {
		w.pending = append(w.pending, failure{found[1], " (ran when the time was over)"})
	}
	if found := packageFailed.FindStringSubmatch(text); found != nil {
		w.fail(found[1], found[2])
	}
	if packageFailed.MatchString(text) || packagePassed.MatchString(text) {
		w.pending, w.stuck = nil, false
	}
}

// fail keeps the innermost tests that failed in a package, or the package where
// there are none.
func (w *watcher) fail(pkg, why string) {
	innermost := slices.DeleteFunc(slices.Clone(w.pending), func(outer failure) bool {
		return slices.ContainsFunc(w.pending, func(inner failure) bool { return strings.HasPrefix(inner.test, outer.test+"/") })
	})
	for _, f := range innermost {
		w.failed = append(w.failed, pkg+" "+f.test+f.how)
		w.tests++
	}
	if len(innermost) == 0 {
		if why == "" {
			why = "(none of its tests)"
		}
		w.failed = append(w.failed, pkg+" "+why)
	}
}

// summarize names what failed, in a few lines.
func (w *watcher) summarize() {
	if len(w.rest) > 0 {
		w.line(string(w.rest))
		fmt.Fprintln(w.out)
	}
	if len(w.failed) == 0 {
		return
	}
	fmt.Fprintf(w.out, "\nfailed (tests: %d, packages: %d; what they say stands above):\n", w.tests, len(w.failed)-w.tests)
	for _, name := range w.failed {
		fmt.Fprintln(w.out, "    "+name)
	}
}
