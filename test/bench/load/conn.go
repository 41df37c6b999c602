package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync/atomic"
	"time"
)

const patience = 30 * time.Second // for one answer

var (
	keys      atomic.Int64 // idempotency keys that were sent
	errAnswer = errors.New("this client does not understand the answer")
)

// conn is an HTTP/1.1 client that costs little: it reads only the status and the body of an answer. On a shared machine
// a client that costs as much as the server would halve the rate. The first request opens its only connection.
type conn struct {
	address string
	socket  net.Conn
	reader  *bufio.Reader
	request []byte
	body    bytes.Buffer // of the last answer
}

// do sends a request that must succeed, a command with an idempotency key of its own, and returns the body of the
// answer, which is valid until the next request.
func (c *conn) do(method, path, token, body string) ([]byte, error) {
	r := c.request[:0]
	r = append(r, method+" "+path+" HTTP/1.1\r\nHost: bench\r\n"...)
	if token != "" {
		r = append(r, "Authorization: Bearer "+token+"\r\n"...)
	}
	if method != http.MethodGet {
		r = append(r, "Idempotency-Key: bench-"...)
		r = strconv.AppendInt(r, keys.Add(1), 10)
		r = append(r, "\r\nContent-Type: application/json\r\nContent-Length: "...)
		r = strconv.AppendInt(r, int64(len(body)), 10)
		r = append(r, "\r\n"...)
	}
	c.request = append(append(r, "\r\n"...), body...)
	status, err := c.exchange()
	if err == nil && status >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, status, &c.body)
	}
	return c.body.Bytes(), err
}

func (c *conn) exchange() (status int, err error) {
	if c.socket == nil {
		if c.socket, err = net.DialTimeout("tcp", c.address, patience); err != nil {
			return 0, err
		}
		c.reader = bufio.NewReaderSize(c.socket, 16<<10)
	}
	if err := c.socket.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	if _, err := c.socket.Write(c.request); err != nil {
		return 0, err
	}
	first, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if _, text, found := bytes.Cut(first, []byte(" ")); found && len(text) >= 3 {
		status, err = strconv.Atoi(string(text[:3]))
	}
	if err != nil || status == 0 {
		return 0, fmt.Errorf("%w: %q", errAnswer, first)
	}
	length, chunked := int64(0), false
	for {
		field, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		name, value, found := bytes.Cut(bytes.TrimSpace(field), []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case !found:
			return status, c.readBody(length, chunked)
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return 0, fmt.Errorf("%w: %q", errAnswer, field)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
}

func (c *conn) readBody(length int64, chunked bool) error {
	c.body.Reset()
	if !chunked {
		_, err := io.CopyN(&c.body, c.reader, length)
		return err
	}
	if _, err := c.body.ReadFrom(httputil.NewChunkedReader(c.reader)); err != nil {
		return err
	}
	_, err := c.reader.ReadSlice('\n') // after the last chunk
	return err
}

func (c *conn) close() {
	if c.socket != nil {
		_ = c.socket.Close()
	}
}
