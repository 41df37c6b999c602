// Command with runs another command with a MongoDB for its tests:
//
//	go run ./test/mongotest/with -- go test ./...
//
// It starts a replica set of one member in a temporary folder, hands its address over in RESELLERD_TEST_MONGODB and,
// when the command ends, stops it, removes the folder and ends with the command's status. An address in the
// environment stays unchanged. Without a mongod it reports that in one line and runs the command, which
// skips the tests that need one; with RESELLERD_TEST_MONGODB_REQUIRED=1 it fails.
//
// A signal of the terminal reaches the command, too: with waits for its end.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"resellerd/test/mongotest"
)

// patience bounds the start, a download included.
const patience = 10 * time.Minute

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "with:", err)
		status = max(status, 1)
	}
	os.Exit(status)
}

func run(args []string) (status int, err error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 0, errors.New("the command is missing; usage: with [--] COMMAND [ARGUMENT]")
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if os.Getenv(mongotest.AddressVariable) == "" {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		cluster, err := mongotest.StartCluster(ctx, "", 1)
		switch missing := (*mongotest.MissingError)(nil); {
		case err == nil:
			defer func() { err = errors.Join(err, cluster.Close()) }()
			err = os.Setenv(mongotest.AddressVariable, cluster.URI(""))
		case errors.As(err, &missing) && !mongotest.Required():
			fmt.Fprintln(os.Stderr, "with:", err)
			err = os.Setenv(mongotest.AddressVariable, mongotest.None)
		}
		if err != nil {
			return 0, err
		}
	}
	command := exec.Command(args[0], args[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); command.ProcessState == nil {
		return 0, err
	}
	return command.ProcessState.ExitCode(), nil
}
