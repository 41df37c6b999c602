// Command with runs another command with a MongoDB for its tests:
//
//	go run ./test/mongotest/with -- go test ./...
//
// It starts a replica set of one member in a temporary folder, hands its address over in RESELLERD_TEST_MONGODB and,
// when the command ends, stops it, removes the folder and ends with the command's status. An address that is in the
// environment already is left as it is. Where no mongod can be had, it says so in one line and runs the command, which
// skips the tests that need one; with RESELLERD_TEST_MONGODB_REQUIRED=1 it fails.
//
// SIGINT, SIGTERM and SIGHUP reach the command and all that it started; so does the end of with's own parent, as
// SIGTERM, because go run passes no signal on. The command reads nothing from standard input.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"resellerd/test/mongotest"
)

// Statuses other than the command's, as shells have them.
const (
	failed   = 1
	misused  = 2
	notFound = 127
	bySignal = 128 // plus its number
)

// patience bounds the start, a download included.
const patience = 10 * time.Minute

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) (status int) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return complain(misused, errors.New("no command was given; usage: with [--] COMMAND [ARGUMENT]"))
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go watchParent(os.Getppid(), signals)

	if os.Getenv(mongotest.AddressVariable) == "" {
		cluster, err := start(signals)
		switch missing := (*mongotest.MissingError)(nil); {
		case err == nil:
			defer func() {
				if err := cluster.Close(); err != nil {
					status = max(status, complain(failed, err))
				}
			}()
			err = os.Setenv(mongotest.AddressVariable, cluster.URI(""))
		case errors.As(err, &missing) && !mongotest.Required():
			fmt.Fprintln(os.Stderr, "with:", err)
			err = os.Setenv(mongotest.AddressVariable, mongotest.None)
		}
		if err != nil {
			return complain(failed, err)
		}
	}
	return runCommand(args, signals)
}

// start starts the replica set unless a signal comes first.
func start(signals chan os.Signal) (*mongotest.Cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	started := make(chan struct{})
	var cluster *mongotest.Cluster
	var err error
	go func() {
		defer close(started)
		cluster, err = mongotest.StartCluster(ctx, "", 1)
	}()
	select {
	case <-started:
		return cluster, err
	case received := <-signals:
		cancel()
		if <-started; err == nil {
			if err := cluster.Close(); err != nil {
				complain(failed, err)
			}
		}
		return nil, fmt.Errorf("%v before the command was run", received)
	}
}

// runCommand passes signals on until the command ends, and returns its status.
func runCommand(args []string, signals <-chan os.Signal) int {
	command := exec.Command(args[0], args[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	makeGroup(command)
	if err := command.Start(); err != nil {
		return complain(notFound, err)
	}
	ended := make(chan error)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case received := <-signals:
			if err := signalGroup(command.Process, received); err != nil {
				complain(failed, fmt.Errorf("pass %v on: %w", received, err))
			}
		case err := <-ended:
			return statusOf(command, err)
		}
	}
}

func statusOf(command *exec.Cmd, err error) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return complain(failed, err)
	}
	if how, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && how.Signaled() {
		return bySignal + int(how.Signal())
	}
	return command.ProcessState.ExitCode()
}

// watchParent asks for an end when the parent is another process than at first.
func watchParent(first int, signals chan<- os.Signal) {
	for os.Getppid() == first {
		time.Sleep(500 * time.Millisecond)
	}
	signals <- syscall.SIGTERM
}

func complain(status int, err error) int {
	fmt.Fprintln(os.Stderr, "with:", err)
	return status
}
