package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tags are those that the Makefile builds and tests the program with.
const tags = "nomsgpack"

// field is a module to plant bugs in, which stays as it is.
type field struct {
	root    string   // of the module
	drafts  string   // folder of the overlays
	build   []string // packages that have to compile
	timeout time.Duration
	loop    loop

	mu    sync.Mutex
	clean map[string]error // what tests said without a bug, by their arguments
}

func newField(root string, build []string, timeout time.Duration) (*field, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	drafts, err := os.MkdirTemp("", "resellerd-mutants-")
	return &field{root: root, drafts: drafts, build: build, timeout: timeout, clean: map[string]error{}}, err
}

func (f *field) clear() { _ = os.RemoveAll(f.drafts) }

// catch is how a mutant was caught.
type catch struct {
	by   []testName
	step []string // in which they failed
	said string
}

// String names the first tests that failed.
func (c *catch) String() string {
	const most = 3
	var names []string
	for _, n := range c.by[:min(most, len(c.by))] {
		names = append(names, n.String())
	}
	if more := len(c.by) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// try plants a mutant and runs its steps until one catches it; nil is none.
func (f *field) try(ctx context.Context, m mutant) (*catch, error) {
	overlay, err := f.plant(ctx, m)
	if err != nil {
		return nil, err
	}
	// What is exported is compiled, and not linked.
	if said, err := f.command(ctx, overlay, append([]string{"list", "-export", "-tags", tags}, f.build...)...).
		CombinedOutput(); err != nil {
		return nil, fmt.Errorf("it does not compile: %w\n%s", err, indented(string(said)))
	}
	for _, step := range m.steps {
		o, err := f.test(ctx, overlay, append([]string{"-count=1"}, step...))
		if err != nil {
			return nil, err
		}
		if causes := o.causes(); len(causes) > 0 {
			return &catch{causes, step, o.output[causes[0]]}, f.passClean(ctx, causes, step)
		}
	}
	return nil, nil
}

// plant writes the mutant's files and returns the overlay that puts them in the
// place of the module's.
func (f *field) plant(ctx context.Context, m mutant) (overlay string, err error) {
	texts, err := m.planted(f.root)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(f.drafts, "")
	if err != nil {
		return "", err
	}
	var replaced struct{ Replace map[string]string }
	replaced.Replace = map[string]string{}
	for file, text := range texts {
		if source, is := strings.CutPrefix(file, console+"/files/"); is {
			if err := f.bundle(ctx, source, text, dir, replaced.Replace); err != nil {
				return "", err
			}
			continue
		}
		draft := filepath.Join(dir, strconv.Itoa(len(replaced.Replace))+"-"+filepath.Base(file))
		replaced.Replace[filepath.Join(f.root, filepath.FromSlash(file))] = draft
		if err := os.WriteFile(draft, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	document, err := json.Marshal(replaced)
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, document, 0o600)
}

// console has its sources in files, and what is served of them in served.
const console = "adapters/console"

// bundle makes what the console serves where one of its sources has another text, and adds that to the overlay.
func (f *field) bundle(ctx context.Context, source, text, dir string, replaced map[string]string) error {
	files, served := filepath.Join(dir, "files"), filepath.Join(dir, "served")
	err := os.CopyFS(files, os.DirFS(filepath.Join(f.root, console, "files")))
	if err == nil {
		err = os.WriteFile(filepath.Join(files, filepath.FromSlash(source)), []byte(text), 0o600)
	}
	if err != nil {
		return err
	}
	if said, err := f.command(ctx, "", "run", "-tags", tags, "./test/bundle", files, served).CombinedOutput(); err != nil {
		return fmt.Errorf("the console is not bundled: %w\n%s", err, indented(string(said)))
	}
	return filepath.WalkDir(served, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			replaced[filepath.Join(f.root, console, strings.TrimPrefix(path, dir))] = path
		}
		return err
	})
}

// passClean returns an error unless the tests that caught a mutant pass without
// it. Their results are kept: the same few tests catch many.
func (f *field) passClean(ctx context.Context, causes []testName, step []string) error {
	runs := map[string][]string{} // tests by package
	for _, n := range causes {
		if n.test == "" {
			return f.passOnce(ctx, step)
		}
		if top := regexp.QuoteMeta(n.top().test); !slices.Contains(runs[n.pkg], top) {
			runs[n.pkg] = append(runs[n.pkg], top)
		}
	}
	var failed []error
	for pkg, tests := range runs {
		again := []string{"-run", "^(" + strings.Join(tests, "|") + ")$", pkg}
		if at := slices.Index(step, "-C"); at >= 0 { // only there is the package known
			again = append(again, step[at:at+2]...)
		}
		failed = append(failed, f.passOnce(ctx, again))
	}
	return errors.Join(failed...)
}

func (f *field) passOnce(ctx context.Context, args []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.Join(args, " ")
	err, known := f.clean[key]
	if known {
		return err
	}
	o, err := f.test(ctx, "", args)
	if causes := o.causes(); err == nil && len(causes) > 0 {
		err = fmt.Errorf("%s fails without the bug as well:\n%s", causes[0], indented(o.output[causes[0]]))
	}
	f.clean[key] = err
	return err
}

// test runs go test. That tests fail is no error of its own.
func (f *field) test(ctx context.Context, overlay string, args []string) (outcome, error) {
	fixed := []string{"test", "-json", "-tags", tags, "-vet=off", "-failfast", "-timeout", f.timeout.String()}
	if at := slices.Index(args, "-C"); at >= 0 { // a module of its own; the go command wants its folder first
		fixed = slices.Insert(fixed, 1, args[at:at+2]...)
		args = slices.Delete(slices.Clone(args), at, at+2)
	}
	run := f.command(ctx, overlay, append(fixed, args...)...)
	if fixed[1] == "-C" { // it is handed the program
		program, remove, err := f.program(ctx, overlay)
		if err != nil {
			return outcome{}, err
		}
		defer remove()
		run.Env = append(run.Env, "RESELLERD_TEST_PROGRAM="+program)
	}
	var events, said bytes.Buffer
	run.Stdout, run.Stderr = &events, &said
	failed := run.Run()
	o, err := read(&events)
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case err != nil:
		return o, fmt.Errorf("go test %s: %w", strings.Join(args, " "), err)
	case len(o.builds) > 0:
		return o, fmt.Errorf("%s does not compile:\n%s", o.builds[0], indented(o.output[testName{pkg: o.builds[0]}]))
	case failed != nil && len(o.causes()) == 0:
		return o, fmt.Errorf("go test %s: %w\n%s", strings.Join(args, " "), failed, indented(said.String()))
	case failed == nil && o.depth < named(args):
		return o, fmt.Errorf("go test %s: the list is stale: there are no such tests", strings.Join(args, " "))
	}
	return o, nil
}

// named is how deep the tests are that the arguments of go test name.
func named(args []string) int {
	if at := slices.Index(args, "-run"); at >= 0 && at+1 < len(args) {
		return depth(args[at+1])
	}
	return 1
}

// program builds the program, with the bug of an overlay.
func (f *field) program(ctx context.Context, overlay string) (path string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "resellerd-mutant-")
	if err != nil {
		return "", nil, err
	}
	path, remove = filepath.Join(folder, "resellerd"), func() { _ = os.RemoveAll(folder) }
	if out, err := f.command(ctx, overlay, "build", "-tags", tags, "-o", path, "./bootstrap/resellerd").
		CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, remove, nil
}

// command prepares a run of the go command. What it runs, and what that builds, has
// the overlay in its environment; "" is none.
func (f *field) command(ctx context.Context, overlay string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = f.root
	c.WaitDelay = 10 * time.Second // for what a killed go test leaves behind to let go of the output
	c.Env = c.Environ()
	if overlay != "" {
		c.Env = append(c.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+` "-overlay=`+overlay+`"`))
	}
	return c
}
