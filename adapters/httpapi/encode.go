package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/profile"
)

// encode never fails: the records have only fields that JSON can hold.
func encode(record any) []byte {
	e := newEncoder()
	defer e.free()
	e.encode(record)
	e.text.WriteByte('\n')
	return bytes.Clone(e.text.Bytes())
}

// encoder writes records one after the other. Its buffer is used again.
type encoder struct {
	text bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.text)
	e.json.SetEscapeHTML(false)
	return e
}}

func newEncoder() *encoder {
	e, _ := encoders.Get().(*encoder)
	return e
}

// longestKept is how large a buffer may be to be kept.
const longestKept = 64 << 10

// free gives the encoder back. What its buffer holds is no longer the caller's.
func (e *encoder) free() {
	if e.text.Cap() <= longestKept {
		e.text.Reset()
		encoders.Put(e)
	}
}

// appender is a record that writes itself, as encoding/json would write it by its tags: those that lists are made of.
type appender interface{ appendJSON(b []byte) []byte }

func (e *encoder) encode(record any) {
	if r, fast := record.(appender); fast {
		e.text.Write(r.appendJSON(e.text.AvailableBuffer()))
		return
	}
	if err := e.json.Encode(record); err != nil {
		panic(err)
	}
	e.text.Truncate(e.text.Len() - 1) // the line feed at the end
}

// answer makes what a use case records and returns.
func answer(status int, record any) application.Receipt {
	return application.Receipt{Code: status, Content: encode(record)}
}

// ok sends what a read found.
func ok(c *gin.Context, record any) {
	send(c, jsonContent, http.StatusOK, encode(record))
}

// Values of headers, the same with every answer. Nobody changes them: who adds to a header gets another slice.
var (
	jsonContent    = []string{"application/json"}
	problemContent = []string{"application/problem+json"}
	noStore        = []string{"no-store"} // answers hold balances, passwords and tokens
	noSniff        = []string{"nosniff"}
)

// send writes an answer. Its body is never used again: on HTTP/2 it may still be read after a stream was reset.
func send(c *gin.Context, contentType []string, status int, body []byte) {
	header := c.Writer.Header() // its names are written as net/textproto has them
	header["Content-Type"] = contentType
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	header["Content-Length"] = []string{strconv.Itoa(len(body))} // or a long one is sent in chunks
	c.Writer.WriteHeader(status)
	if _, err := c.Writer.Write(body); err != nil {
		c.Abort() // the client has gone
	}
}

// messageRecord answers an effect that leaves nothing to show.
type messageRecord struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// iso writes an instant as 2006-01-02T15:04:05.000Z.
func iso(t time.Time) string { return string(appendISO(nil, t)) }

// appendISO appends what iso returns. It is asked for three times a line, and a layout costs several times as much.
func appendISO(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, "2006-01-02T15:04:05.000Z")
	}
	text := [...]byte{0: '0', 4: '-', 7: '-', 10: 'T', 13: ':', 16: ':', 19: '.', 23: 'Z'}
	digits := func(from, to, value int) {
		for ; to > from; value /= 10 {
			to--
			text[to] = byte('0' + value%10)
		}
	}
	digits(0, 4, year)
	digits(5, 7, int(month))
	digits(8, 10, day)
	digits(11, 13, hour)
	digits(14, 16, minute)
	digits(17, 19, second)
	digits(20, 23, t.Nanosecond()/1e6)
	return append(b, text[:]...)
}

// instant is a time as iso writes it.
type instant time.Time

// MarshalJSON implements json.Marshaler.
func (i instant) MarshalJSON() ([]byte, error) { return i.append(nil), nil }

func (i instant) append(b []byte) []byte {
	return append(appendISO(append(b, '"'), time.Time(i)), '"')
}

// nullable is a text that is null where it is empty.
type nullable string

// MarshalJSON implements json.Marshaler.
func (n nullable) MarshalJSON() ([]byte, error) { return n.append(nil), nil }

func (n nullable) append(b []byte) []byte {
	if n == "" {
		return append(b, "null"...)
	}
	return appendText(b, string(n))
}

// nullableID is an id that is null where it is 0.
type nullableID int64

// MarshalJSON implements json.Marshaler.
func (n nullableID) MarshalJSON() ([]byte, error) { return n.append(nil), nil }

func (n nullableID) append(b []byte) []byte {
	if n == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// appendText appends a JSON string, escaped as encoding/json does where it is not asked to escape HTML.
func appendText(b []byte, text string) []byte {
	for _, c := range text {
		// An invalid byte reads as RuneError; U+2028 and U+2029 would end a line of JavaScript.
		if c < ' ' || c == '"' || c == '\\' || c == '\u2028' || c == '\u2029' || c == utf8.RuneError {
			return appendEscaped(b, text)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

func appendEscaped(b []byte, text string) []byte {
	e := newEncoder()
	defer e.free()
	e.encode(text)
	return append(b, e.text.Bytes()...)
}

// appendNumber appends a member that is a number, behind what comes before it: a comma, its name and a colon.
func appendNumber(b []byte, before string, n int64) []byte {
	return strconv.AppendInt(append(b, before...), n, 10)
}

// appendMember appends a member that is a text, behind what comes before it.
func appendMember(b []byte, before, text string) []byte {
	return appendText(append(b, before...), text)
}

// orNull is nil for an unset text.
func orNull(t profile.Text) *string {
	if s := t.String(); s != "" {
		return &s
	}
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
