// Command load measures resellerd over HTTP, beside what the same machine gives to programs that have less to do:
//
//	go run ./test/bench/load run [flags]
//	go run ./test/bench/load growth [flags]
//
// and makes large stores for who tries something else on them:
//
//	go run ./test/bench/load fill [flags]
//
// The README beside it says what is measured and how to read it. serve-bare is a server that run starts.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"resellerd/test/bench/rival"
	"resellerd/test/program"
)

const misused = 2

func main() {
	err := command(os.Args[1:], os.Stdout, os.Stderr)
	program.Clean()
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(misused)
		}
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// command runs what the arguments say. Tables go to out, what is under way to progress.
func command(args []string, out, progress io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to do: run, growth or fill")
	}
	switch rest := args[1:]; args[0] {
	case "run":
		return run(rest, out, progress)
	case "growth":
		return growth(rest, out, progress)
	case "fill":
		return fill(rest, out)
	case serveBare:
		return rival.ServeBare()
	default:
		return fmt.Errorf("there is no command %q", args[0])
	}
}

const serveBare = "serve-bare"
