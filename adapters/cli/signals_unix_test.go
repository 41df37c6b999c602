//go:build unix

package cli

import (
	"bufio"
	"context"
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

// asksVariable has the test below be the process that is asked to end.
const asksVariable = "RESELLERD_TEST_ASKED_TO_END"

// TestASecondSignalEndsTheProcess that takes long to end in order, but no second hang-up: that of a shell often follows
// the one of its terminal. A process that outlives its terminal takes no notice of either.
func TestASecondSignalEndsTheProcess(t *testing.T) {
	if os.Getenv(asksVariable) != "" {
		ctx, stop := untilAsked()
		defer stop()
		_, _ = fmt.Fprintln(os.Stdout, "runs")
		<-ctx.Done()
		_, _ = fmt.Fprintln(os.Stdout, "asked")
		select {}
	}
	for _, c := range []struct {
		name    string
		command []string
		sent    []syscall.Signal // the first that is heard, and what follows it; the last one ends it
	}{
		{"SIGINT", nil, []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
		{"SIGTERM", nil, []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		{"SIGHUP", nil, []syscall.Signal{syscall.SIGHUP, syscall.SIGHUP, syscall.SIGHUP, syscall.SIGTERM}},
		{"nohup", []string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"},
			[]syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("this test itself runs under nohup, and its processes ignore SIGHUP as well")
			}
			args := slices.Concat(c.command, []string{os.Args[0], "-test.run=^TestASecondSignalEndsTheProcess$"})
			patience, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			process := exec.CommandContext(patience, args[0], args[1:]...)
			process.Env = append(os.Environ(), asksVariable+"=1")
			stdout, err := process.StdoutPipe()
			if err == nil {
				err = process.Start()
			}
			require.NoError(t, err)
			said := bufio.NewScanner(stdout)
			says := func(want string) {
				t.Helper()
				if !said.Scan() || said.Text() != want {
					t.Errorf("it says %q, want %q", said.Text(), want)
				}
			}
			says("runs")
			if c.command != nil {
				_ = process.Process.Signal(syscall.SIGHUP) // which it does not hear
			}
			for i, sent := range c.sent {
				_ = process.Process.Signal(sent)
				if i == 0 {
					says("asked")
				}
				time.Sleep(50 * time.Millisecond) // or two of a kind may be taken for one
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = process.Wait()
			}()
			last := c.sent[len(c.sent)-1]
			for again := true; again; { // on a busy machine it may not have been ready for the last one
				select {
				case <-ended:
					again = false
				case <-time.After(200 * time.Millisecond):
					_ = process.Process.Signal(last)
				}
			}
			if status, is := process.ProcessState.Sys().(syscall.WaitStatus); !is || status.Signal() != last {
				t.Errorf("it ended with %v", process.ProcessState)
			}
		})
	}
}
