package wire

import (
	"bytes"
	"net/http"
	"strconv"
)

// Request is an HTTP request to send; an empty field is left out.
type Request struct {
	Method, Path string
	Token        string // of the bearer
	Key          []byte // Idempotency-Key
	Body         []byte // JSON
}

// Append appends the bytes of the request to a buffer that can be used again.
func (r Request) Append(to []byte) []byte {
	to = append(to, r.Method...)
	to = append(to, ' ')
	to = append(to, r.Path...)
	to = append(to, " HTTP/1.1\r\nHost: bench\r\n"...)
	if r.Token != "" {
		to = append(to, "Authorization: Bearer "...)
		to = append(to, r.Token...)
		to = append(to, "\r\n"...)
	}
	if len(r.Key) > 0 {
		to = append(to, "Idempotency-Key: "...)
		to = append(to, r.Key...)
		to = append(to, "\r\n"...)
	}
	if len(r.Body) > 0 {
		to = append(to, "Content-Type: application/json\r\n"...)
	}
	if len(r.Body) > 0 || r.Method != http.MethodGet {
		to = append(to, "Content-Length: "...)
		to = strconv.AppendInt(to, int64(len(r.Body)), 10)
		to = append(to, "\r\n"...)
	}
	to = append(to, "\r\n"...)
	return append(to, r.Body...)
}

// Field returns the raw value of a member of a JSON object, a string without its quotes and with its escapes, nil where
// none exists. It takes the first member of that name at any depth: enough for the answers that a benchmark knows, and
// a fraction of the cost of decoding.
func Field(object []byte, name string) []byte {
	_, rest, found := bytes.Cut(object, []byte(`"`+name+`":`))
	if !found {
		return nil
	}
	rest = bytes.TrimLeft(rest, " ")
	if len(rest) > 0 && rest[0] == '"' {
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return rest[1:i]
			}
		}
		return nil
	}
	end := bytes.IndexAny(rest, ",}]")
	if end < 0 {
		return nil
	}
	return bytes.TrimSpace(rest[:end])
}
