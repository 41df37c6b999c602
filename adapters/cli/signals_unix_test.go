//go:build unix

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"resellerd/test/require"
)

// asksVariable makes the test process of the test below the process that gets the signals.
const asksVariable = "RESELLERD_TEST_ASKED_TO_END"

// TestASecondSignalEndsTheProcess that takes long to end in order. A second SIGHUP does not: a shell often sends one
// after that of its terminal. A process that outlives its terminal ignores both.
func TestASecondSignalEndsTheProcess(t *testing.T) {
	if os.Getenv(asksVariable) != "" {
		ctx, stop := untilSignal()
		defer stop()
		_, _ = fmt.Fprintln(os.Stdout, "runs until SIGHUP:", slices.Contains(EndingSignals(), os.Signal(syscall.SIGHUP)))
		<-ctx.Done()
		_, _ = fmt.Fprintln(os.Stdout, "asked")
		select {}
	}
	for name, shell := range map[string]string{"in a terminal": `exec "$@"`, "under nohup": `trap "" HUP; exec "$@"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			process := exec.CommandContext(patience, "sh", "-c", shell, "sh", os.Args[0],
				"-test.run=^TestASecondSignalEndsTheProcess$")
			process.Env = append(os.Environ(), asksVariable+"=1")
			stdout, err := process.StdoutPipe()
			require.NoError(t, errors.Join(err, process.Start()))
			said := bufio.NewScanner(stdout)
			says := func(want string) {
				t.Helper()
				if !said.Scan() || said.Text() != want {
					t.Errorf("it says %q, want %q", said.Text(), want)
				}
			}
			says(fmt.Sprint("runs until SIGHUP: ", name == "in a terminal" && !signal.Ignored(syscall.SIGHUP)))
			if name == "under nohup" {
				_ = process.Process.Signal(syscall.SIGHUP) // which the process ignores
			}
			_ = process.Process.Signal(syscall.SIGTERM)
			says("asked")
			_ = process.Process.Signal(syscall.SIGHUP)
			time.Sleep(50 * time.Millisecond) // or the next signal may arrive first
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = process.Wait()
			}()
			for again := true; again; { // on a busy machine it may not have been ready for it
				_ = process.Process.Signal(syscall.SIGINT)
				select {
				case <-ended:
					again = false
				case <-time.After(200 * time.Millisecond):
				}
			}
			if status, is := process.ProcessState.Sys().(syscall.WaitStatus); !is || status.Signal() != syscall.SIGINT {
				t.Errorf("it ended with %v", process.ProcessState)
			}
		})
	}
}
