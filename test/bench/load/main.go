// Command load measures resellerd over HTTP. For comparison it measures simpler programs on the same machine:
//
//	go run ./test/bench/load run [flags]
//	go run ./test/bench/load growth [flags]
//
// It also makes large stores for other experiments:
//
//	go run ./test/bench/load fill [flags]
//
// The README of this folder explains the figures. serve-bare is a server that run starts.
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
		return errors.New("name a command: run, growth or fill")
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
