package cli

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// onWrite is called with each written text.
type onWrite func(text string)

func (w onWrite) Write(b []byte) (int, error) {
	w(string(b))
	return len(b), nil
}

// TestEchoIsOffBeforeThePasswordPrompt reads the state of the terminal when the prompt is written.
func TestEchoIsOffBeforeThePasswordPrompt(t *testing.T) {
	mine, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		require.Missing(t, require.Terminal, err)
	}
	defer func() { _ = mine.Close() }()
	number, err := unix.IoctlGetInt(int(mine.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(mine.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		require.Missing(t, require.Terminal, err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		require.Missing(t, require.Terminal, err)
	}
	defer func() { _ = theirs.Close() }()
	expect.Equal(t, IsTerminal(&visible{out: theirs}), true)
	echoes := func() bool {
		state, err := unix.IoctlGetTermios(int(theirs.Fd()), unix.TCGETS)
		require.NoError(t, err)
		return state.Lflag&unix.ECHO != 0
	}
	for typed, want := range map[string]string{"s3cret wörd\r": "s3cret wörd", "lf\n": "lf", "\x03": "", "\x04": "",
		"half\x03": "", "\r": ""} {
		var written strings.Builder
		s := &session{stdin: theirs, stderr: onWrite(func(text string) {
			if written.WriteString(text); strings.Contains(text, "Password: ") {
				if echoes() {
					t.Error("the echo is on at the prompt")
				}
				_, err := mine.WriteString(typed)
				require.NoError(t, err)
			}
		})}
		got, err := s.secret("Password: ", errNoPassword)
		if got != want || (err == nil) == (want == "") {
			t.Errorf("%q: got %q, %v", typed, got, err)
		}
		expect.Equal(t, echoes(), true, "%q: the echo after the prompt", typed)
		expect.Lacks(t, written.String(), "s3cret")
	}
}
