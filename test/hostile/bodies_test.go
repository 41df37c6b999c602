package hostile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/test/api"
)

// shape is a request that no honest client sends, and the statuses that it may have.
type shape struct {
	name     string
	send     func(c net.Conn) error
	statuses []int
}

func text(request string) func(net.Conn) error {
	return func(c net.Conn) error {
		_, err := io.WriteString(c, request)
		return err
	}
}

// shapes are sent with a token, on a connection each.
func shapes(token string) []shape {
	head := func(method, path, more string) string {
		return method + " " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n" + more
	}
	const json = "Content-Type: application/json\r\n"
	body := func(content string, more ...string) func(net.Conn) error {
		return text(head("POST", "/lines/test", json+strings.Join(more, "")+
			fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content)))
	}
	activation := func(credits string) func(net.Conn) error {
		content := `{"username":"x","password":"x123","country":"BR","credits":` + credits + `}`
		return text(
			head("PATCH", "/lines/active/1", fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", json, len(content), content)))
	}
	// endless sends a beginning, and then the rest again and again until the other side has had enough.
	endless := func(begin, again string) func(net.Conn) error {
		return func(c net.Conn) error {
			if _, err := io.WriteString(c, begin); err != nil {
				return err
			}
			for range 256 << 20 / len(again) {
				if _, err := io.WriteString(c, again); err != nil {
					return nil //nolint:nilerr // it is what should come
				}
			}
			return errTaken
		}
	}
	bomb := func() string {
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		zeros := make([]byte, 1<<20)
		for range 40 {
			_, _ = w.Write(zeros)
		}
		_ = w.Close()
		return packed.String()
	}()
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 32<<10, strings.Repeat(" ", 32<<10))
	var keys strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&keys, `"k%d":0,`, i)
	}
	deep := func(open, inner, shut string, levels int) string {
		return `{"notes":"x","deep":` + strings.Repeat(open, levels) + inner + strings.Repeat(shut, levels) + `}`
	}
	return []shape{
		{"chunks without end", endless(head("POST", "/lines/test", json+"Transfer-Encoding: chunked\r\n\r\n"), chunk),
			[]int{413}},
		{"a chunk's extension without end", endless(head("POST", "/lines/test", json+"Transfer-Encoding: chunked\r\n\r\n1;"),
			"x=y;"), []int{400}},
		{"trailers without end",
			endless(head("POST", "/lines/test", json+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"),
				"X-Trailer: yyyyyyyyyyyyyyyyyyyyyy\r\n"), []int{400, 413}},
		{"a compressed body of 40 MB", body(bomb, "Content-Encoding: gzip\r\n"), []int{400, 415}},
		{"deep lists", body(deep("[", "", "]", 30_000)), []int{201, 400}},
		{"a thousand fields and more", body("{" + keys.String() + `"last":0}`), []int{201, 413}},
		{"a number of 60,000 digits", activation(strings.Repeat("9", 60_000)), []int{422}},
		{"headers without end", endless(head("GET", "/prices", ""), "X-Header: xxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n"),
			[]int{431}},
		{"no HTTP at all", text("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), []int{400}},
	}
}

var errTaken = errors.New("all was taken")

// ask sends the request and returns the status of its answer.
func (s shape) ask(address string) (status int, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	sent := make(chan error, 1)
	go func() { sent <- s.send(c) }()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body) // it may be cut off while the client still sends
	// The server does not read an endless request to its end. A client that sends another large one may be cut off in
	// it.
	if err := <-sent; errors.Is(err, errTaken) {
		return response.StatusCode, err
	}
	return response.StatusCode, nil
}

// TestShapes sends each shape, and expects one of its statuses. The program logs no error, uses little memory, and
// still serves others.
func TestShapes(t *testing.T) {
	t.Parallel()
	a := attack(t, nil)
	all := shapes(a.attacker)
	var mu sync.Mutex
	answered := map[int]int{}
	api.AtOnce(len(all), func(i int) {
		status, err := all[i].ask(a.Address)
		mu.Lock()
		defer mu.Unlock()
		if answered[status]++; err != nil || !slices.Contains(all[i].statuses, status) {
			t.Errorf("%s: status %d, want one of %v: %v", all[i].name, status, all[i].statuses, err)
		}
	})
	a.As(a.neighbor).Get(t, "/users/logged")
	now, most, known := a.Memory()
	if known && most > mostMemory/2 {
		t.Errorf("the program took %d MB", most>>20)
	}
	if bytes.Contains(a.Log(), []byte(`"level":"ERROR"`)) {
		t.Errorf("the program logs errors:\n%s", a.Log())
	}
	t.Logf("%d requests, answers by status: %v; resident memory %d MB, at most %d MB", len(all), answered,
		now>>20, most>>20)
	if err := a.Stop(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	a.Verified(t)
}
