package acceptance

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// terminal returns both ends of a new one.
func terminal(t *testing.T) (mine, theirs *os.File) {
	t.Helper()
	mine, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		require.Missing(t, require.Terminal, err)
	}
	t.Cleanup(func() { _ = mine.Close() })
	number, err := unix.IoctlGetInt(int(mine.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(mine.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		require.Missing(t, require.Terminal, err)
	}
	t.Cleanup(func() { _ = theirs.Close() })
	return mine, theirs
}

// shown collects the output on a terminal.
func shown(mine *os.File) *program.Output {
	screen := new(program.Output)
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := mine.Read(buffer)
			_, _ = screen.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	return screen
}

// TestAFirstStartPrintsHowToLogInOnATerminal starts the service on a terminal.
func TestAFirstStartPrintsHowToLogInOnATerminal(t *testing.T) {
	t.Parallel()
	srv := newServer(t, memory, map[string]string{"RESELLERD_BASE_PATH": "/api"})
	mine, theirs := terminal(t)
	p := newProcess(srv.env, "serve")
	p.Cmd.Stdout = theirs
	require.NoError(t, p.Start())
	defer p.Kill()
	screen := shown(mine)
	require.NoError(t, p.Serves(t.Context()))
	url := "http://" + p.ListensOn + "/api"
	waitFor(t, screen, "resellerd listens on "+url)
	waitFor(t, screen, url+"/docs")
	waitFor(t, screen, url+"/openapi.json")
	waitFor(t, screen, "resellerd token "+api.AdminName+" --url "+url)

	if status := p.Terminate(); status != 0 {
		t.Errorf("SIGTERM ended it with status %d", status)
	}
}
