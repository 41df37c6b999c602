// Command mutants plants bugs that it makes up, and names the test that catches each:
//
//	make mutation SEED=S [IN=PACKAGES] [WITH=PACKAGES]
//	make mutants [MUTANT=PART]
//	go run ./test/mutants [-seed S] [-n 400] [-in PACKAGES] [-with PACKAGES] [-own PACKAGE] [-who] [-whole] [-long]
//	go run ./test/mutants -only test/mutants/mutants.txt [-in PACKAGES] [-with PACKAGES] [PART...]
//
// make mutation SEED=S draws functions of the packages of -in, and one bug in each, more where there are fewer
// functions than -n: a comparison is flipped, a condition is always true or always false, a statement is left out, an
// error is ignored, a constant has another value. A seed draws the same bug in a function until that is changed.
// make mutants plants those of mutants.txt, which have to be caught: those whose line has a part.
// With -list the bugs are printed, and not planted.
//
// All are compiled at once, each behind a condition that an environment variable makes true: an overlay (go help build)
// takes the place of the files, which stay as they are. Each test of the packages of -with runs once without a bug, to
// see which bugs it reaches; with -whole, all of a package together. Then each bug is active in turn, for the tests
// that reach it: those of its own package, then those of others, the quickest first, until one fails. With -who all of
// them run, and each package that fails is named. Slow tests, of the package of -own, run for bugs of that alone. Tests
// run in their short form, or with -long in their long one. On Linux also programs that tests start have the bug.
//
// A line has the bug's number, its place, the function, the change and the test. Bugs of equivalents.txt change nothing
// that a user notices, and are not counted. What is printed is also in bin/mutation-SEED.txt. The command ends with
// status 1 where less than 80 of 100 bugs were caught, or not all of a list, and with 2 after an error.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// rooms are the packages where the seed draws bugs.
const rooms = "./domain/... ./application/... ./adapters/sqlitestore/... ./adapters/mongostore/... " +
	"./adapters/memstore/... ./adapters/storekit/... ./adapters/httpapi/... ./adapters/cli/..."

// campaign is one run of the command.
type campaign struct {
	field
	seed     string
	n        int
	in, with []string
	own      string   // package whose tests run for its own bugs alone
	only     string   // file of the bugs in place of those that the seed draws
	names    []string // of which each is in the line of a bug
	parallel int
	who      bool
	out      io.Writer

	mu     sync.Mutex
	bugs   []*bug
	suites []*suite
	caught map[*bug][]string // by which tests
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := campaign{caught: map[*bug][]string{}}
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.seed, "seed", "1", "what draws the bugs")
	flags.IntVar(&c.n, "n", 400, "how many")
	flags.StringVar(&c.only, "only", "", "`file` of the bugs, in place of those that the seed draws")
	list := flags.Bool("list", false, "print the bugs, and plant none")
	in := flags.String("in", "", "`packages` in which bugs are planted (domain, application, stores, httpapi, cli)")
	with := flags.String("with", rooms, "`packages` whose tests run")
	flags.StringVar(&c.own, "own", "", "`package` whose tests, which are slow, run for its own bugs alone, such as adapters/mongostore")
	flags.BoolVar(&c.who, "who", false, "name each package that catches a bug")
	flags.BoolVar(&c.whole, "whole", false, "run all tests of a package together, as where each builds the program")
	flags.BoolVar(&c.long, "long", false, "run tests in their long form")
	flags.IntVar(&c.parallel, "parallel", 2, "how many tests run at once")
	root := flags.String("root", ".", "`folder` of the module")
	equivalents := flags.String("equivalents", "test/mutants/equivalents.txt", "`file` of bugs that do not count")
	output := flags.String("o", "", "`file` of the result (bin/mutation-SEED.txt)")
	if flags.Parse(args) != nil || c.n < 1 || c.parallel < 1 {
		return 2
	}
	if c.only != "" {
		c.seed, *in = "list", cmp.Or(*in, "./domain/... ./application/... ./ports/... ./adapters/... ./bootstrap/...")
	}
	c.in, c.with, c.names = strings.Fields(cmp.Or(*in, rooms)), strings.Fields(*with), flags.Args()
	name := cmp.Or(*output, filepath.Join("bin", "mutation-"+c.seed+".txt"))
	file, err := os.Create(name)
	if err == nil {
		defer file.Close()
		c.out = io.MultiWriter(stdout, file)
		c.drafts, err = temporary("")
		defer os.RemoveAll(c.drafts)
	}
	if err == nil {
		c.root, err = filepath.Abs(*root)
	}
	if err == nil {
		err = c.choose(ctx, *equivalents)
	}
	if err == nil && *list {
		for _, b := range c.bugs {
			fmt.Fprintf(c.out, "%s:%d\t%s\n", b.file, b.line, b.key())
		}
		return 0
	}
	if err == nil {
		err = c.run(ctx)
	}
	wanted := 80 // of 100
	if c.only != "" {
		wanted = 100
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "mutants:", err)
		return 2
	case 100*len(c.caught) < wanted*len(c.bugs):
		return 1
	}
	return 0
}

// choose sets the bugs that are planted.
func (c *campaign) choose(ctx context.Context, equivalents string) error {
	packages, err := c.list(ctx, c.in, "-export", "-deps")
	if err != nil {
		return err
	}
	c.module, _, _ = strings.Cut(packages[len(packages)-1].ImportPath, "/")
	if c.bugs, err = draw(c.root, c.seed, packages); err != nil {
		return err
	}
	if c.only != "" {
		listed, err := readList(c.only)
		c.bugs = slices.DeleteFunc(c.bugs, func(b *bug) bool {
			in := listed[b.key()]
			delete(listed, b.key())
			return !in || slices.ContainsFunc(c.names, func(n string) bool { return !strings.Contains(b.key(), n) })
		})
		if len(listed) > 0 {
			return fmt.Errorf("%s: no function has\n%s", c.only, strings.Join(slices.Sorted(maps.Keys(listed)), "\n"))
		}
		return err
	}
	same, err := readList(equivalents)
	c.bugs = c.bugs[:min(c.n, len(c.bugs))]
	c.bugs = slices.DeleteFunc(c.bugs, func(b *bug) bool { return same[b.key()] })
	return err
}

// run plants the bugs and tries each.
func (c *campaign) run(ctx context.Context) (err error) {
	began, drawn := time.Now(), len(c.bugs)
	if c.bugs, err = c.compile(ctx, c.bugs); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%d bugs, without %d that do not compile\n", len(c.bugs), drawn-len(c.bugs))
	if err := c.prepareAll(ctx); err != nil {
		return err
	}
	c.each(ctx, len(c.bugs), func(i int) { c.try(ctx, c.bugs[i]) })
	c.sum(time.Since(began))
	return ctx.Err()
}

// readList reads the keys of bugs. Lines that begin with a space say why they are there.
func readList(name string) (map[string]bool, error) {
	text, err := os.ReadFile(name)
	keys := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != ' ' && line[0] != '#' {
			keys[line] = true
		}
	}
	return keys, err
}

// each does what is to be done n times, some at once.
func (c *campaign) each(ctx context.Context, n int, do func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, c.parallel)
	for i := range n {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			do(i)
		})
	}
	all.Wait()
}

func (c *campaign) prepareAll(ctx context.Context) error {
	tested, err := c.list(ctx, c.with)
	if err != nil {
		return err
	}
	tested = slices.DeleteFunc(tested, func(p listed) bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 })
	c.each(ctx, len(tested), func(i int) {
		b, wrong := c.prepare(ctx, tested[i])
		c.mu.Lock()
		defer c.mu.Unlock()
		if wrong != nil {
			fmt.Fprintln(c.out, "left out:", wrong)
			return
		}
		for _, test := range b.skipped {
			fmt.Fprintf(c.out, "%s %s fails without a bug, and is not run\n", b.pkg, test)
		}
		c.suites = append(c.suites, b)
	})
	return ctx.Err()
}

// try runs the tests that reach a bug, and prints which of them caught it.
func (c *campaign) try(ctx context.Context, b *bug) {
	suites := slices.DeleteFunc(slices.Clone(c.suites), func(s *suite) bool {
		return s.reach[b.number] == nil || s.pkg == c.module+"/"+c.own && !strings.HasPrefix(b.file, c.own)
	})
	slices.SortFunc(suites, func(x, y *suite) int {
		switch {
		case x.pkg == b.pkg:
			return -1
		case y.pkg == b.pkg:
			return 1
		}
		return cmp.Compare(x.cost(b.number), y.cost(b.number))
	})
	var by []string
	for _, t := range suites {
		if test, caught := c.catches(ctx, t, b.number); caught {
			by = append(by, strings.TrimPrefix(t.pkg, c.module+"/")+" "+test)
			if !c.who {
				break
			}
		}
	}
	verdict := "caught by " + strings.Join(by, ", ")
	switch {
	case len(suites) == 0:
		verdict = "SURVIVED: no test reaches it"
	case by == nil:
		verdict = "SURVIVED"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if by != nil {
		c.caught[b] = by
	}
	fmt.Fprintf(c.out, "%d\t%s:%d\t%s\t%s\n", b.number, b.file, b.line, b.key(), verdict)
}

// sum prints how many were caught, by room and by kind.
func (c *campaign) sum(took time.Duration) {
	caught, all := map[string]int{}, map[string]int{}
	for _, b := range c.bugs {
		room, _, _ := strings.Cut(b.file, "/")
		if room == "adapters" {
			room = strings.Join(strings.SplitN(b.file, "/", 3)[:2], "/")
		}
		for _, part := range []string{room, b.kind} {
			all[part]++
			if c.caught[b] != nil {
				caught[part]++
			}
		}
	}
	for _, part := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(c.out, "%s: %d of %d\n", part, caught[part], all[part])
	}
	fmt.Fprintf(c.out, "%d of %d caught in %s\n", len(c.caught), len(c.bugs), took.Round(time.Second))
}
