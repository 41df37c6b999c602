package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
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

// shown collects what is shown on a terminal.
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

// TestATerminalIsToldHowToLogIn starts the service on one, and logs in on another, where the password is typed.
func TestATerminalIsToldHowToLogIn(t *testing.T) {
	t.Parallel()
	srv := newServer(t, memory, map[string]string{"RESELLERD_BASE_PATH": "/api"})
	mine, theirs := terminal(t)
	p := newProcess(srv.env, "serve")
	p.Cmd.Stdout = theirs
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	screen := shown(mine)
	if err := p.Serves(t.Context()); err != nil {
		t.Fatal(err)
	}
	url := "http://" + p.ListensOn + "/api"
	waitFor(t, screen, "resellerd listens on "+url)
	waitFor(t, screen, url+"/docs")
	waitFor(t, screen, url+"/openapi.json")
	waitFor(t, screen, "resellerd token "+api.AdminName+" --url "+url)

	typing, asked := terminal(t)
	login := exec.CommandContext(t.Context(), binary, "token", "--url", url)
	login.Stdin, login.Stderr = asked, asked
	prompt := shown(typing)
	token, printed := new(program.Output), make(chan error, 1)
	login.Stdout = token
	if err := login.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { printed <- login.Wait() }()
	waitFor(t, prompt, "Password of admin: ")
	if _, err := typing.WriteString(api.AdminPassword + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-printed; err != nil {
		t.Errorf("%v: %s", err, prompt)
	}
	if strings.Contains(prompt.String(), api.AdminPassword) {
		t.Errorf("the password is shown: %q", prompt)
	}
	running := &api.Service{Address: p.ListensOn, BasePath: "/api"}
	running.As(strings.TrimSpace(token.String())).Get(t, "/api/users/logged").Has(fields{"username": api.AdminName})
	if status := p.Terminate(); status != 0 {
		t.Errorf("SIGTERM ended it with status %d", status)
	}
}
