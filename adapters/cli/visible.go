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

// visible writes what commands print: texts of others in it command no terminal and change no direction. Each control
// character but the line feed and the tab, and each format character, is written as JSON escapes it, so that JSON stays
// what it is; a byte that is no UTF-8 becomes U+FFFD. Its Writes may run at once.
type visible struct {
	out io.Writer

	mutex sync.Mutex
	begun []byte // of a character, by the last Write
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

// end writes what Write has begun.
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

// plain returns a writer without visible around it: for what draws on a terminal itself, and for commands of the user.
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

// quotedIfOdd returns a text of others for a place of its own, such as a cell: quoted, if it has another line, another
// column or something else that is not seen in it.
func quotedIfOdd(text string) string {
	odd := func(r rune) bool {
		return r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r) || profile.IsFormat(r))
	}
	if strings.ContainsFunc(text, odd) || strings.Contains(text, "  ") {
		return strconv.Quote(text)
	}
	return text
}
