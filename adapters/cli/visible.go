package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"resellerd/domain/profile"
)

// visible writes the output of commands. Texts of users in the output can't control a terminal or change the direction
// of text. It writes each format character and each control character, except line feed and tab, as a JSON escape, so
// that JSON stays valid. An invalid byte becomes U+FFFD. Writes may run at once.
type visible struct {
	out io.Writer

	mutex sync.Mutex
	begun []byte // first bytes of a character that the last Write ended in
}

// Write implements io.Writer.
func (v *visible) Write(text []byte) (int, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	rest := slices.Concat(v.begun, text)
	shown := make([]byte, 0, len(rest))
	for utf8.FullRune(rest) {
		r, size := utf8.DecodeRune(rest)
		shown, rest = appendVisible(shown, r), rest[size:]
	}
	v.begun = rest
	if _, err := v.out.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// end writes U+FFFD for a character that never ended.
func (v *visible) end() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if len(v.begun) > 0 {
		_, _ = v.out.Write(utf8.AppendRune(nil, utf8.RuneError))
	}
}

func appendVisible(text []byte, r rune) []byte {
	if (!unicode.IsControl(r) || r == '\n' || r == '\t') && !profile.IsFormat(r) {
		return utf8.AppendRune(text, r)
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		text = fmt.Appendf(text, `\u%04x`, unit)
	}
	return text
}

// plain returns the writer within visible, for the progress bar, the prompt and the operator's own commands.
func plain(out io.Writer) io.Writer {
	if v, is := out.(*visible); is {
		return v.out
	}
	return out
}

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(of any) bool {
	if v, is := of.(*visible); is {
		of = v.out
	}
	file, is := of.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// quotedIfOdd returns a text of a user for a cell or a message: quoted, if it has line ends, tabs, adjacent spaces or
// invisible characters.
func quotedIfOdd(text string) string {
	odd := func(r rune) bool {
		return r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || profile.IsFormat(r))
	}
	if strings.ContainsFunc(text, odd) || strings.Contains(text, "  ") {
		return strconv.Quote(text)
	}
	return text
}
