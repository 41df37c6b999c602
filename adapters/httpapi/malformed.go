package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// kinds name the types of JSON in sentences.
var kinds = map[jsontext.Kind]string{
	jsontext.KindNull: "null", jsontext.KindTrue: "true", jsontext.KindFalse: "false",
	jsontext.KindString: "a text in quotes",
	jsontext.KindNumber: "a number", jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "an array",
}

// notObject says which JSON a body is in place of an object.
func notObject(raw []byte) string {
	detail := "The body is not a JSON object in braces but " + kinds[jsontext.Value(raw).Kind()] + "."
	if string(bytes.TrimSpace(raw)) == "[]" {
		detail += " PHP makes [] of an empty array: (object)[] makes {}."
	}
	return detail
}

// notJSON says where a body is no JSON, and why. It quotes nothing of the body, which may hold a password.
func notJSON(raw []byte, wrong *jsontext.SyntacticError) string {
	at := min(int(wrong.ByteOffset), len(raw))
	switch {
	case bytes.HasPrefix(raw, []byte("\x1f\x8b")):
		return "The body is compressed by gzip; compressed bodies are not supported."
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")),
		bytes.IndexByte(raw[:min(2, len(raw))], 0) >= 0:
		return "The body is UTF-16; UTF-8 is required."
	case bytes.HasPrefix(raw, []byte("\ufeff")):
		return "The body begins with a byte order mark (bytes EF BB BF), which JSON does not have: send UTF-8 without it."
	case at == 0 && !bytes.ContainsAny(raw[:1], "{[") && bytes.IndexByte(raw, '=') > 0:
		return "The body is a form, such as a=1&b=2; a JSON object is required."
	}
	before := bytes.TrimRight(raw[:at], " \t\r\n")
	if bytes.HasSuffix(before, []byte(",")) && at < len(raw) && bytes.IndexByte([]byte("}]"), raw[at]) >= 0 {
		at, before = len(before)-1, before[:len(before)-1]
	}
	place := fmt.Sprintf("at byte %d", at+1)
	if lines := bytes.Count(raw[:at], []byte("\n")); lines > 0 {
		place += fmt.Sprintf(", in line %d", lines+1)
	}
	return fmt.Sprintf("The body is not JSON %s: %s.", place, whyNotJSON(before, raw[at:], wrong))
}

// whyNotJSON says why JSON can't go on with rest after before.
func whyNotJSON(before, rest []byte, err error) string {
	first, _ := utf8.DecodeRune(rest)
	last, _ := utf8.DecodeLastRune(before)
	expects := func(what string) bool { return strings.Contains(err.Error(), "expecting "+what) }
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	switch {
	case len(rest) == 0 || errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends before the object does"
	case strings.Contains(err.Error(), "depth"):
		return "it is nested too deeply"
	case first == ',' && bytes.ContainsAny(nextOf(rest[1:]), "}]"):
		return "a comma stands before the end of an object or an array"
	case first == ',':
		return "a value is missing before this comma"
	case first == '\'':
		return "names and texts stand in double quotes, not in single quotes"
	case strings.ContainsRune("“”„‘’«»", first):
		return `names and texts stand in plain double quotes (")`
	case first == '/' || first == '#':
		return "JSON has no comments"
	case first < ' ' && strings.Contains(err.Error(), "string"):
		return `a line break, a tab or another control character in a text is written as an escape, such as \n`
	case first == '\\':
		return `a backslash in a text is written as \\`
	case digit(first) && last == ',' && len(before) > 1 && digit(rune(before[len(before)-2])):
		return "the decimal separator of a number is a point, not a comma"
	case jsontext.Value(before).IsValid():
		return "something follows the object"
	case digit(first) && last == '0':
		return "a number has no leading zero"
	case expects("','"):
		return "a comma is missing before this"
	case expects("':'"):
		return "a colon is missing before this"
	case last == '{' || last == ',' && !digit(first):
		return "a name, or a text, stands in double quotes"
	}
	return "a value is a text in double quotes, a number, true, false, null, an object or an array"
}

// nextOf returns the first byte of rest that is no space.
func nextOf(rest []byte) []byte {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return rest[:min(1, len(rest))]
}
