package record

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Tuple is a sort key of texts, numbers, truth values and instants, compared part by part. Its encoding is a text
// without NUL whose bytes sort alike. No encoded tuple is a prefix of another one with as many parts. So every database
// can store and order it.
type Tuple []any

// append writes the parts of a tuple one after the other.
func (t Tuple) append(out []byte) []byte {
	for _, part := range t {
		if at, is := part.(time.Time); is {
			out = appendInt(out, at.UnixMilli())
			continue
		}
		switch v := reflect.ValueOf(part); v.Kind() { //nolint:exhaustive // no other is part of a tuple
		case reflect.String:
			out = appendText(out, v.String())
		case reflect.Int, reflect.Int64:
			out = appendInt(out, v.Int())
		case reflect.Bool:
			out = strconv.AppendInt(out, map[bool]int64{true: 1}[v.Bool()], 10)
		default:
			panic(fmt.Sprintf("a tuple has %T", part))
		}
	}
	return out
}

// appendInt writes a number as 16 hexadecimal digits, where 8000000000000000 is 0.
func appendInt(out []byte, n int64) []byte {
	return fmt.Appendf(out, "%016x", uint64(n)^1<<63) //nolint:gosec // the mapping is one to one
}

func cutInt(in string) (n int64, rest string, ok bool) {
	if len(in) < 16 {
		return 0, in, false
	}
	bits, err := strconv.ParseUint(in[:16], 16, 64)
	return int64(bits ^ 1<<63), in[16:], err == nil //nolint:gosec // likewise
}

// The end of a text sorts before any continuation, and does not occur within one.
const (
	endOfText = "\x01"
	escape    = "\x02"
)

var (
	intoEntry = strings.NewReplacer("\x00", escape+"\x01", "\x01", escape+"\x02", "\x02", escape+"\x03")
	fromEntry = strings.NewReplacer(escape+"\x01", "\x00", escape+"\x02", "\x01", escape+"\x03", "\x02")
)

func appendText(out []byte, text string) []byte {
	if strings.IndexFunc(text, func(r rune) bool { return r <= 2 }) >= 0 {
		text = intoEntry.Replace(text)
	}
	return append(append(out, text...), endOfText...)
}

// cutText reads a text. An escaped end follows an escape and is a different byte.
func cutText(in string) (text, rest string, ok bool) {
	for end := 0; end < len(in); end++ {
		switch in[end : end+1] {
		case escape:
			end++
		case endOfText:
			return fromEntry.Replace(in[:end]), in[end+1:], true
		}
	}
	return "", in, false
}

// bounds returns the first text with this prefix, and the first after all of them.
func bounds(prefix string) (from, to string) {
	last := len(prefix) - 1
	return prefix, prefix[:last] + string(rune(prefix[last]+1)) // an ASCII character, and not the last one
}
