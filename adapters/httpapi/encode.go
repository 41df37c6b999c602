package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/application"
)

// encode never fails: records have only fields that JSON can represent.
func encode(record any) []byte {
	var text []byte
	if r, fast := record.(appender); fast {
		text = r.appendJSON(make([]byte, 0, 1<<10))
	} else {
		text = marshal(record)
	}
	return append(text, '\n')
}

// marshal escapes U+2028 and U+2029, which would end a line of JavaScript.
func marshal(record any) []byte {
	text, err := json.Marshal(record, jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return text
}

// answer makes the receipt that a use case records and returns.
func answer(status int, record any) application.Receipt {
	return application.Receipt{Code: status, Content: encode(record)}
}

// recordShown makes the answer of a change: a record of what it made.
func recordShown[R, T any](status int, record func(R) T) application.Render[R] {
	return func(made R) application.Receipt { return answer(status, record(made)) }
}

// messageShown makes the answer of a change that has no record to show.
func messageShown[R any](status int, message string) application.Render[R] {
	return func(R) application.Receipt { return answer(status, messageRecord{status, message}) }
}

// ok sends what a read found.
func ok(c *gin.Context, record any) {
	send(c, jsonContent, http.StatusOK, encode(record))
}

// Values of headers, the same with every answer. They are never changed: adding to a header makes another slice.
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
	header["Content-Length"] = []string{strconv.Itoa(len(body))} // else a long one is sent in chunks
	c.Writer.WriteHeader(status)
	if _, err := c.Writer.Write(body); err != nil {
		c.Abort() // the client has gone
	}
}

// wholeList is a list that is never longer than a page.
type wholeList[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// listOf makes the record of such a list.
func listOf[I, T any](record func(I) T) func([]I) wholeList[T] {
	return func(all []I) (list wholeList[T]) {
		for _, item := range all {
			list.Data = append(list.Data, record(item))
		}
		return list
	}
}

// messageRecord answers an effect without a record to show.
type messageRecord struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// nullable is nil for a text that is empty.
func nullable[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	return new(string(text))
}

// isoOrNull is nil for no time.
func isoOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(iso(t))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
