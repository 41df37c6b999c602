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

// encode never fails: all fields of records can be represented in JSON.
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

// answer returns the receipt that a use case records and returns.
func answer(status int, record any) application.Receipt {
	return application.Receipt{Code: status, Content: encode(record)}
}

// recordShown renders the result of a change as a record.
func recordShown[R, T any](status int, record func(R) T) application.Render[R] {
	return func(made R) application.Receipt { return answer(status, record(made)) }
}

// messageShown renders a change without a record as a message.
func messageShown[R any](status int, message string) application.Render[R] {
	return func(R) application.Receipt { return answer(status, messageRecord{status, message}) }
}

// ok sends the record of a read.
func ok(c *gin.Context, record any) {
	send(c, jsonContent, http.StatusOK, encode(record))
}

// Values of headers, the same in every answer. They never change: adding to a header makes another slice.
var (
	jsonContent    = []string{"application/json"}
	problemContent = []string{"application/problem+json"}
	noStore        = []string{"no-store"} // answers have balances, passwords and tokens
	noSniff        = []string{"nosniff"}
)

// send writes an answer. Its body must not be reused: on HTTP/2 the server may still read it after a stream was reset.
func send(c *gin.Context, contentType []string, status int, body []byte) {
	header := c.Writer.Header() // its names are in the form of net/textproto
	header["Content-Type"] = contentType
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	header["Content-Length"] = []string{strconv.Itoa(len(body))} // otherwise net/http sends a long one in chunks
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

// listOf returns a function that makes the record of such a list.
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
