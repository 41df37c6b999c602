package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is the most bytes that a request body may have.
const maxBody = 64 << 10

// readBody returns the whole body, or the error larger if it has more than most bytes. It reads a longer body up to
// this limit: only then does the server close the connection so that the client sees the answer. A client that waits
// for 100 Continue with a longer body is refused at once, because reading would make the server ask for the body.
func readBody(w http.ResponseWriter, r *http.Request, most int64, larger error) ([]byte, error) {
	if r.ContentLength > most && strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return nil, larger
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, larger
	case err != nil:
		return nil, malformed("The body could not be read to its end.")
	}
	return raw, nil
}

// Refusals of the encoding of a body, whatever its media type.
var (
	errEncoding = errMediaType.because(
		"A body must be sent without Content-Encoding: compressed bodies are not supported.")
	errCharset = errMediaType.because("A body must be in UTF-8: Content-Type declares another charset.")
)

// mediaType returns the media type of a body, "" if it is unreadable. It refuses a body that is declared as encoded, or
// as text of another charset than UTF-8.
func mediaType(h http.Header) (string, error) {
	for _, codings := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(codings, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return "", errEncoding
			}
		}
	}
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return "", nil // not an accepted type
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") &&
		!strings.EqualFold(charset, "utf8") {
		return "", errCharset
	}
	return media, nil
}

// knownMedia are the types that clients send by mistake. A refusal quotes only these: other values are text of the
// client.
var knownMedia = []string{
	"application/json", ndjsonMedia, csvMedia, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
	"application/octet-stream",
	"application/xml", "text/xml",
}

// wrongMedia returns the refusal of a media type, with the type of the request.
func wrongMedia(wanted *refusal, h http.Header) error {
	given := h.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(given)
	switch {
	case given == "":
		return wanted.because(wanted.detail + " It has no Content-Type.")
	case slices.Contains(knownMedia, media):
		return wanted.because(wanted.detail + " It is declared as " + media + ".")
	}
	return wanted.because(wanted.detail + " It is declared as another type.")
}

// noBody is the body of an operation without a body: any body is ignored.
type noBody struct{}

func (noBody) command(id int64) int64 { return id }

// decode reads a whole body into body, a pointer to a struct of members. If strict, it reports whether the body has
// other members. The body may be absent if no member is required.
func decode(r *http.Request, raw []byte, body any, strict bool) (others bool, err error) {
	if _, ignored := body.(*noBody); ignored || len(raw) == 0 && !requiresAny(body) {
		return false, nil
	}
	if len(raw) > 0 {
		media, err := mediaType(r.Header)
		if err == nil && media != "application/json" {
			err = wrongMedia(errMediaType, r.Header)
		}
		if err != nil {
			return false, err
		}
	}
	if strict {
		err := readObject(raw, body, json.RejectUnknownMembers(true))
		if others = errors.Is(err, errOthers); !others {
			return false, err
		}
		reflect.ValueOf(body).Elem().SetZero()
	}
	return others, readObject(raw, body)
}

var errOthers = errors.New("the body has other members")

// readObject reads a JSON object strictly: one value and nothing after it, names unique at every depth once unescaped,
// valid UTF-8 and no lone surrogates. Names match exactly, with case; members that body does not have are ignored, or,
// as an option, errOthers.
func readObject(raw []byte, body any, options ...json.Options) error {
	err := json.Unmarshal(raw, body, options...)
	wrong, syntactic := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return errOthers
	case len(bytes.TrimSpace(raw)) == 0:
		return malformed("The body is empty; a JSON object is required.")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformed(fmt.Sprintf("The body has the name %.64q twice in one object.", wrong.JSONPointer.LastToken()))
	case syntactic && jsontext.Value(raw).IsValid(jsontext.AllowInvalidUTF8(true)):
		return malformed(
			fmt.Sprintf("The body has a text at byte %d that is not Unicode: it has invalid UTF-8, or half of a surrogate pair.",
				wrong.ByteOffset+1))
	case syntactic:
		return malformed(notJSON(raw, wrong))
	case err != nil || jsontext.Value(raw).Kind() != jsontext.KindBeginObject: // null would leave the struct as it is
		return malformed(notObject(raw))
	}
	return nil
}

// kinds name the types of JSON in sentences.
var kinds = map[jsontext.Kind]string{
	jsontext.KindNull: "null", jsontext.KindTrue: "true", jsontext.KindFalse: "false",
	jsontext.KindString: "a text in quotes",
	jsontext.KindNumber: "a number", jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "an array",
}

// notObject names the JSON type of a body that is no object.
func notObject(raw []byte) string {
	detail := "The body is not a JSON object in braces but " + kinds[jsontext.Value(raw).Kind()] + "."
	if string(bytes.TrimSpace(raw)) == "[]" {
		detail += " PHP makes [] of an empty array: (object)[] makes {}."
	}
	return detail
}

// notJSON describes the position and the cause of invalid JSON. It quotes nothing of the body, which may contain a
// password.
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

// whyNotJSON returns the reason why rest can't follow before in JSON.
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
		return "a comma is right before the end of an object or an array"
	case first == ',':
		return "a value is missing before this comma"
	case first == '\'':
		return "names and texts need double quotes, not single quotes"
	case strings.ContainsRune("“”„‘’«»", first):
		return `names and texts need plain double quotes (")`
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
		return "a name, or a text, needs double quotes"
	}
	return "a value is a text in double quotes, a number, true, false, null, an object or an array"
}

// nextOf returns the first byte of rest that is not a space.
func nextOf(rest []byte) []byte {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return rest[:min(1, len(rest))]
}
