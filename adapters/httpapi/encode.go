package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

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

func (e *encoder) encode(record any) {
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
	send(c, "application/json", http.StatusOK, encode(record))
}

func send(c *gin.Context, contentType string, status int, body []byte) {
	c.Header("Cache-Control", "no-store") // answers hold balances, passwords and tokens
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Content-Length", strconv.Itoa(len(body))) // or a long one is sent in chunks
	c.Data(status, contentType, body)
}

// messageRecord answers an effect that leaves nothing to show.
type messageRecord struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// iso writes an instant as 2006-01-02T15:04:05.000Z. It is asked for three times a line, and a layout costs several times
// as much.
func iso(t time.Time) string {
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		return t.Format("2006-01-02T15:04:05.000Z")
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
	return string(text[:])
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
