// Command mutants plants bugs in the program, one after the other, and names the
// test that catches each:
//
//	go run ./test/mutants [-list FILE] [-build PACKAGES] [-loop PACKAGES] [-parallel N] [-timeout TIME] [-v] [NAME...]
//
// The bugs are those of a list: see parse. A name chooses the mutants that have it
// as a part of theirs. No file of the source is touched: a mutant is an overlay
// (go help build), which reaches whatever the tests build, embedded files included.
//
// A mutant is caught when a test fails with it that passes without it, in the first
// of its steps where one does. One that does not compile, a text that does not stand
// in its file exactly once, tests that there are none of and tests that fail without
// the bug are errors of the list. The command ends with status 0 where every mutant
// was caught, with 1 where one survived, and with 2 where the list has an error.
//
// Of the mutants in code that the packages of -loop run, a contributor's loop, nine of
// ten have to be caught by their tests, too; those that are not are told apart, and the
// status is 1 where they are more.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() { os.Exit(command(os.Args[1:], os.Stdout, os.Stderr)) }

const (
	survivors = 1
	misused   = 2
)

func command(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("list", "test/mutants/mutants.txt", "`file` of the mutants")
	build := flags.String("build", "./...", "`packages` that have to compile with a mutant, besides those of its tests")
	loop := flags.String("loop", "",
		"`packages` whose tests should catch nine of ten of the mutants in code that they run")
	root := flags.String("root", ".", "`folder` of the module")
	parallel := flags.Int("parallel", 1, "how many mutants are tried at once")
	timeout := flags.Duration("timeout", 10*time.Minute, "how long the tests of one package may take")
	verbose := flags.Bool("v", false, "print what a test that caught a mutant said")
	if err := flags.Parse(args); err != nil {
		return misused
	}
	list, err := os.ReadFile(*file)
	if err != nil {
		return complain(stderr, err)
	}
	mutants, err := parse(string(list))
	if err != nil {
		return complain(stderr, fmt.Errorf("%s: %w", *file, err))
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool {
		return flags.NArg() > 0 && !slices.ContainsFunc(flags.Args(), func(part string) bool {
			return strings.Contains(m.name, part)
		})
	})
	if len(mutants) == 0 {
		return complain(stderr, errors.New("no mutant has such a name"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	field, err := newField(*root, strings.Fields(*build), *timeout)
	if err != nil {
		return complain(stderr, err)
	}
	defer field.clear()
	if err := field.setLoop(ctx, strings.Fields(*loop)); err != nil {
		return complain(stderr, err)
	}
	return try(ctx, field, mutants, max(1, *parallel), *verbose, stdout)
}

func complain(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "mutants:", err)
	return misused
}

// try plants the mutants, prints what became of each and returns the status.
func try(ctx context.Context, field *field, mutants []mutant, parallel int, verbose bool, out io.Writer) int {
	width := len(slices.MaxFunc(mutants, func(a, b mutant) int { return cmp.Compare(len(a.name), len(b.name)) }).name)
	count := map[string]int{}
	inLoop, byLoop := 0, 0
	var mu sync.Mutex
	var all sync.WaitGroup
	free := make(chan struct{}, parallel)
	for _, m := range mutants {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			began := time.Now()
			caught, err := field.try(ctx, m)
			took := time.Since(began)
			looped, in := false, field.isInLoop(m)
			if err == nil && caught != nil && in {
				looped, err = field.loopCatches(ctx, m, caught)
			}
			mu.Lock()
			defer mu.Unlock()
			word, says := verdict(m, caught, err)
			if word == caughtWord {
				says += " in " + took.Round(100*time.Millisecond).String()
				if in {
					inLoop++
					if looped {
						byLoop++
					} else {
						says += ", and not by the loop"
					}
				}
			}
			count[word]++
			fmt.Fprintf(out, "%-10s %-*s  %s\n", word, width, m.name, says)
			if verbose && caught != nil {
				fmt.Fprintln(out, indented(caught.said))
			}
		})
	}
	all.Wait()
	fmt.Fprintf(out, "%d caught, %d survived", count[caughtWord], count[survivedWord])
	if count[errorWord] > 0 {
		fmt.Fprintf(out, ", %d %s", count[errorWord], errorWord)
	}
	if inLoop > 0 {
		fmt.Fprintf(out, "; of %d in code of the loop, %d by its tests", inLoop, byLoop)
	}
	fmt.Fprintln(out)
	switch {
	case ctx.Err() != nil || count[errorWord] > 0:
		return misused
	case count[survivedWord] > 0 || 10*byLoop < 9*inLoop:
		return survivors
	}
	return 0
}

// What becomes of a mutant.
const (
	caughtWord   = "caught"
	survivedWord = "SURVIVED"
	errorWord    = "ERROR"
)

func verdict(m mutant, by *catch, err error) (word, says string) {
	switch {
	case err != nil:
		return errorWord, err.Error()
	case by != nil:
		return caughtWord, fmt.Sprintf("by %s", by)
	}
	return survivedWord, m.why
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
