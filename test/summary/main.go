// Command summary runs go test and ends with the names of what failed, which
// otherwise stand far above the end of a long output:
//
//	go run ./test/summary go test ./...
//
// What go test prints passes unchanged, and its status is the status of the command.
// Signals are go test's, which gets them as well: it ends, and then there is a
// summary of what failed until then.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) (status int) {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "summary: no command was given; usage: summary go test [ARGUMENT...]")
		return 2
	}
	seen := &watcher{out: stdout}
	command := exec.Command(args[0], args[1:]...)
	command.Stdout, command.Stderr = seen, stderr
	command.WaitDelay = 10 * time.Second // for what outlives go test and holds its output
	err := command.Run()
	seen.summarize()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return max(1, exit.ExitCode()) // a signal has no code
	}
	fmt.Fprintln(stderr, "summary:", err)
	return 1
}
