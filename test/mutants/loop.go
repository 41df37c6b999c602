package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// loop is what a contributor runs again and again: the tests of some packages. It should catch most bugs in the code
// that it runs.
type loop struct {
	packages []string        // as they were given to go test
	tested   map[string]bool // their import paths
	folders  map[string]bool // of the module's packages, below its root: whether the loop runs them
}

// setLoop says which packages are the loop. Of none, no mutant is in the loop.
func (f *field) setLoop(ctx context.Context, packages []string) error {
	f.loop = loop{packages: packages, tested: map[string]bool{}, folders: map[string]bool{}}
	if len(packages) == 0 {
		return nil
	}
	for _, asked := range []struct {
		what []string
		each func(dir, pkg string)
	}{
		{[]string{"./..."}, func(dir, _ string) { f.loop.folders[dir] = false }},
		{append([]string{"-deps", "-test"}, packages...), func(dir, _ string) {
			if _, ours := f.loop.folders[dir]; ours {
				f.loop.folders[dir] = true
			}
		}},
		{packages, func(_, pkg string) { f.loop.tested[pkg] = true }},
	} {
		list := f.command(ctx, "", append([]string{"list", "-tags", tags, "-f", "{{.Dir}}\t{{.ImportPath}}"},
			asked.what...)...)
		found, err := list.Output()
		if err != nil {
			if failed, ok := errors.AsType[*exec.ExitError](err); ok {
				err = fmt.Errorf("%w\n%s", err, indented(string(failed.Stderr)))
			}
			return fmt.Errorf("the packages of the loop: %w", err)
		}
		for text := range strings.Lines(string(found)) {
			dir, pkg, _ := strings.Cut(strings.TrimSpace(text), "\t")
			if dir, err := filepath.Rel(f.root, dir); err == nil {
				asked.each(filepath.ToSlash(dir), pkg)
			}
		}
	}
	return nil
}

// isInLoop reports whether the loop runs all files of a mutant: those of its packages, and what these embed.
func (f *field) isInLoop(m mutant) bool {
	return !slices.ContainsFunc(m.changes, func(c change) bool {
		dir := c.path
		for {
			runs, is := f.loop.folders[dir]
			if is || dir == "." {
				return !runs
			}
			dir = path.Dir(dir)
		}
	})
}

// loopCatches reports whether the loop catches a mutant that some test did: that test may be one of the loop's.
func (f *field) loopCatches(ctx context.Context, m mutant, caught *catch) (bool, error) {
	plain := !slices.ContainsFunc(caught.step, func(arg string) bool {
		return strings.HasPrefix(arg, "-") && arg != "-run" && arg != "-timeout"
	})
	if plain && slices.ContainsFunc(caught.by, func(n testName) bool { return f.loop.tested[n.pkg] }) {
		return true, nil
	}
	overlay, err := f.plant(ctx, m)
	if err != nil {
		return false, err
	}
	o, err := f.test(ctx, overlay, f.loop.packages)
	if causes := o.causes(); err == nil && len(causes) > 0 {
		return true, f.passClean(ctx, causes, f.loop.packages)
	}
	return false, err
}
