package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/test/mutants/planted"
)

// field is a module with bugs planted in it, all of them at once. Its files stay as they are.
type field struct {
	root   string // of the module
	drafts string // folder of the files that are written
	module string
	long   bool // tests run in their long form
	whole  bool // all tests of a package run, and not those alone that reach a bug
}

//go:embed planted/planted.go
var source string

// list describes packages. Of those that depend on them it has the compiler write what they export, too.
func (f *field) list(ctx context.Context, packages []string, flags ...string) (found []listed, err error) {
	out, err := f.command(ctx, append(append([]string{"list", "-json", "-tags", "nomsgpack"}, flags...), packages...)...).
		Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %w\n%s", err, failed.Stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for err == nil {
		var p listed
		if err = decoder.Decode(&p); err == nil {
			found = append(found, p)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return found, err
}

// overlay is where plant describes the files that take the place of the module's.
func (f *field) overlay() string { return filepath.Join(f.drafts, "overlay.json") }

// plant writes the bugs, numbered from 1.
func (f *field) plant(bugs []*bug) error {
	const helper = "test/mutants/planted"
	replace := map[string]string{filepath.Join(f.root, helper, "planted.go"): filepath.Join(f.drafts, "planted.go")}
	err := os.WriteFile(filepath.Join(f.drafts, "planted.go"), []byte(source), 0o600)
	files := map[string][]*bug{}
	for i, b := range bugs {
		b.number = i + 1
		files[b.file] = append(files[b.file], b)
	}
	for file, planted := range files {
		name := filepath.Join(f.root, filepath.FromSlash(file))
		text, wrong := os.ReadFile(name)
		draft := filepath.Join(f.drafts, strconv.Itoa(len(replace))+"-"+filepath.Base(file))
		for _, b := range planted {
			b.draft = filepath.Base(draft)
		}
		// The line stays the same for what the compiler says.
		imported := clause.ReplaceAllString(write(string(text), planted),
			`${0}; import mutant "`+f.module+"/"+helper+`"`)
		err = errors.Join(err, wrong, os.WriteFile(draft, []byte(imported), 0o600))
		replace[name] = draft
	}
	document, wrong := json.Marshal(map[string]any{"Replace": replace})
	return errors.Join(err, wrong, os.WriteFile(f.overlay(), document, 0o600))
}

var clause = regexp.MustCompile(`(?m)^package \w+`)

// write puts the bugs of a file into its text. Their parts may be in each other, and never cross.
func write(text string, bugs []*bug) string {
	slices.SortFunc(bugs, func(a, b *bug) int {
		return cmp.Or(a.from-b.from, b.to-a.to, a.number-b.number)
	})
	type insertion struct {
		at, order int
		text      string
	}
	var all []insertion
	for i, b := range bugs {
		n := strconv.Itoa(b.number)
		all = append(all, insertion{b.from, i + 1, strings.ReplaceAll(b.before, number, n)},
			insertion{b.to, -i - 1, strings.ReplaceAll(b.after, number, n)})
	}
	slices.SortFunc(all, func(a, b insertion) int { return cmp.Or(a.at-b.at, a.order-b.order) })
	var out strings.Builder
	last := 0
	for _, i := range all {
		out.WriteString(text[last:i.at] + i.text)
		last = i.at
	}
	return out.String() + text[last:]
}

// compile plants the bugs and returns those that the compiler accepts.
func (f *field) compile(ctx context.Context, bugs []*bug) ([]*bug, error) {
	var packages []string
	for _, b := range bugs {
		if !slices.Contains(packages, b.pkg) {
			packages = append(packages, b.pkg)
		}
	}
	for {
		if err := f.plant(bugs); err != nil {
			return nil, err
		}
		said, err := f.command(ctx, append([]string{"build", "-overlay", f.overlay(), "-tags", "nomsgpack"},
			packages...)...).CombinedOutput()
		if err == nil {
			return bugs, nil
		}
		refused := map[string]bool{}
		for _, m := range refusal.FindAllStringSubmatch(string(said), -1) {
			refused[filepath.Base(m[1])] = true
		}
		before := len(bugs)
		bugs = slices.DeleteFunc(bugs, func(b *bug) bool { return refused[fmt.Sprintf("%s:%d", b.draft, b.line)] })
		if len(bugs) == before || ctx.Err() != nil {
			return nil, fmt.Errorf("the bugs do not compile: %w\n%s", err, said)
		}
	}
}

var refusal = regexp.MustCompile(`(?m)^(\S+\.go:\d+):\d+: `)

// suite is the compiled tests of a package.
type suite struct {
	pkg, dir, path string
	took           map[string]time.Duration // by each test without a bug
	reach          map[int][]string         // the tests that reach a bug
	skipped        []string                 // tests that fail without a bug
}

// cost is the time of the tests that reach a bug.
func (s *suite) cost(bug int) (sum time.Duration) {
	for _, test := range s.reach[bug] {
		sum += s.took[test]
	}
	return sum
}

// prepare compiles the tests of a package, and runs each without a bug, or all at once as the test "".
func (f *field) prepare(ctx context.Context, p listed) (*suite, error) {
	s := &suite{pkg: p.ImportPath, dir: p.Dir, took: map[string]time.Duration{}, reach: map[int][]string{},
		path: filepath.Join(f.drafts, strings.ReplaceAll(p.ImportPath, "/", "-")+".test")}
	if said, err := f.command(ctx, "test", "-c", "-vet=off", "-overlay", f.overlay(), "-tags", "nomsgpack", "-ldflags=-w",
		"-o", s.path, p.ImportPath).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s does not compile: %w\n%s", p.ImportPath, err, said)
	}
	tests := []string{""}
	if !f.whole {
		tests = named.FindAllString(f.run(ctx, s, 0, "", tests, time.Hour, "-test.list=.").said, -1)
	}
	for _, test := range tests {
		reached := filepath.Join(s.path+".reached", test)
		if err := os.MkdirAll(reached, 0o700); err != nil {
			return nil, err
		}
		began := time.Now()
		r := f.run(ctx, s, 0, reached, []string{test}, time.Hour)
		s.took[test] = time.Since(began)
		if !r.passed {
			r = f.run(ctx, s, 0, reached, []string{test}, time.Hour)
		}
		if !r.passed && r.failed[0] == "" {
			return nil, fmt.Errorf("%s fails without a bug: %s\n%s", p.ImportPath, test, r.said)
		}
		for _, test := range r.failed {
			if !strings.Contains(test, "/") {
				s.skipped = append(s.skipped, test)
			}
		}
		entries, err := os.ReadDir(reached)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if n, err := strconv.Atoi(e.Name()); err == nil && (r.passed || f.whole) {
				s.reach[n] = append(s.reach[n], test)
			}
		}
	}
	return s, nil
}

var named = regexp.MustCompile(`(?m)^(Test|Fuzz|Example)\w*$`)

// result is the result of a run of tests.
type result struct {
	passed, late bool
	failed       []string // tests, "" where their process ended without naming one
	said         string
}

// run runs tests while a bug is active, 0 for none. They end with the first that fails, unless all tests of a package
// run without a bug: checks of a suite then run side by side, and take less time.
func (f *field) run(ctx context.Context, s *suite, bug int, hits string, tests []string, limit time.Duration,
	args ...string) result {
	temporary, err := temporary(f.drafts)
	if err != nil {
		return result{failed: []string{""}, said: err.Error()}
	}
	defer os.RemoveAll(temporary)
	// A bug may ask for memory without end.
	args = append([]string{"-c", `ulimit -v 16000000; exec "$@"`, "sh", s.path, "-test.paniconexit0", "-test.parallel=8",
		"-test.timeout=" + limit.String(), "-test.failfast=" + strconv.FormatBool(bug > 0 || !f.whole),
		"-test.short=" + strconv.FormatBool(!f.long), "-test.skip=" + exactly(s.skipped),
		"-test.run=" + exactly(tests)}, args...)
	within, cancel := context.WithTimeout(ctx, limit+20*time.Second)
	defer cancel()
	c := exec.CommandContext(within, "sh", args...)
	c.Dir, c.WaitDelay = s.dir, 5*time.Second
	c.Env = append(c.Environ(), planted.Active+"="+strconv.Itoa(bug), planted.Reached+"="+hits, "TMPDIR="+temporary,
		strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+` "-overlay=`+f.overlay()+`"`))
	said, err := c.CombinedOutput()
	r := result{passed: err == nil, said: string(said)}
	r.late = within.Err() != nil || strings.Contains(r.said, "panic: test timed out after ")
	for _, m := range failing.FindAllStringSubmatch(r.said, -1) {
		r.failed = append(r.failed, m[1])
	}
	if !r.passed && len(r.failed) == 0 {
		r.failed = []string{""}
	}
	return r
}

// temporary makes a folder in which another user may look: some tests become one.
func temporary(in string) (path string, err error) {
	if path, err = os.MkdirTemp(in, "resellerd-mutants-"); err == nil {
		err = os.Chmod(path, 0o755)
	}
	return path, err
}

var failing = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+) `)

// exactly returns a pattern for tests, or for one below another; "" alone is for all of them.
func exactly(tests []string) string {
	if len(tests) == 1 && tests[0] == "" {
		return "."
	}
	all := slices.Clone(tests)
	for i := range all {
		all[i] = regexp.QuoteMeta(all[i])
	}
	return "^(" + strings.ReplaceAll(strings.Join(all, "|"), "/", ")$/^(") + ")$"
}

// catches returns the test with which a suite catches a bug. It has to fail twice, for what a busy machine lets fail is
// no catch; a test that draws what it does may need some more runs.
func (f *field) catches(ctx context.Context, s *suite, bug int) (test string, caught bool) {
	tests, limit := s.reach[bug], 20*time.Second+2*s.cost(bug)
	r := f.run(ctx, s, bug, "", tests, limit)
	if r.passed {
		return "", false
	}
	if r.late {
		return "in time", f.run(ctx, s, 0, "", tests, limit).passed
	}
	if r.failed[0] != "" {
		tests = r.failed[len(r.failed)-1:] // a subtest has its line after its parent
	}
	for range 4 {
		if !f.run(ctx, s, bug, "", tests, limit).passed {
			return cmp.Or(r.failed[len(r.failed)-1], "by its end"), true
		}
	}
	return "", false
}

func (f *field) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = f.root
	return c
}
