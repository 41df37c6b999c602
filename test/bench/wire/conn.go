// Package wire implements an HTTP/1.1 client that costs little. Its requests are bytes that are made before the run,
// and of an answer it reads only the status and the body. On a shared machine a client that costs as much as the server
// would halve the measured throughput.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Response is the answer to a request.
type Response struct {
	Status int
	Body   []byte // until the next request
}

// Conn sends requests to one server, one after the other, over one persistent connection. It is not safe for concurrent
// use.
type Conn struct {
	address  string
	patience time.Duration
	conn     net.Conn
	reader   *bufio.Reader
	body     []byte
}

// New returns a connection to the address, host and port. The first request opens it. A request waits for its answer
// for at most patience, give or take a second.
func New(address string, patience time.Duration) *Conn {
	return &Conn{address: address, patience: patience}
}

var errAnswer = errors.New("no answer that this client understands")

// Do sends a request and reads its answer. After an error the outcome of the request is unknown, and the next request
// opens another connection.
func (c *Conn) Do(request []byte) (Response, error) {
	r, closing, err := c.exchange(request)
	if err != nil || closing {
		_ = c.Close()
	}
	return r, err
}

// Close closes the connection.
func (c *Conn) Close() error {
	if c.conn == nil {
		return nil
	}
	err := c.conn.Close()
	c.conn = nil
	return err
}

func (c *Conn) exchange(request []byte) (r Response, closing bool, err error) {
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.address, c.patience); err != nil {
			return r, false, err
		}
		c.reader = bufio.NewReaderSize(c.conn, 16<<10)
	}
	if err := c.conn.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return r, false, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return r, false, err
	}
	return c.answer()
}

func (c *Conn) answer() (r Response, closing bool, err error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return r, false, err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return r, false, fmt.Errorf("%w: %q", errAnswer, line)
	}
	if r.Status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return r, false, fmt.Errorf("%w: %q", errAnswer, line)
	}
	length, chunked := -1, false
	for {
		line, err = c.reader.ReadSlice('\n')
		if err != nil {
			return r, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case equal(name, "content-length"):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return r, false, fmt.Errorf("%w: %q", errAnswer, line)
			}
		case equal(name, "transfer-encoding"):
			chunked = equal(value, "chunked")
		case equal(name, "connection"):
			closing = equal(value, "close")
		}
	}
	c.body = c.body[:0]
	switch {
	case chunked:
		err = c.chunks()
	case length >= 0:
		err = c.take(length)
	case r.Status != 204 && r.Status != 304:
		err = fmt.Errorf("%w: the length of the body is unknown", errAnswer)
	}
	r.Body = c.body
	return r, closing, err
}

// take appends the next n bytes to the body.
func (c *Conn) take(n int) error {
	had := len(c.body)
	if cap(c.body) < had+n {
		c.body = append(make([]byte, 0, 2*(had+n)), c.body...)
	}
	c.body = c.body[:had+n]
	_, err := io.ReadFull(c.reader, c.body[had:])
	return err
}

func (c *Conn) chunks() error {
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		text, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(";"))
		n, err := strconv.ParseUint(string(text), 16, 31)
		if err != nil {
			return fmt.Errorf("%w: a chunk of %q bytes", errAnswer, text)
		}
		if err := c.take(int(n)); err != nil {
			return err
		}
		if _, err := c.reader.ReadSlice('\n'); err != nil { // no server here sends trailers
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// equal compares without regard to case; want is in lower case.
func equal(got []byte, want string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, b := range got {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != want[i] {
			return false
		}
	}
	return true
}
