package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"resellerd/test/bench/wire"
)

// asked is what a server saw of a request.
type asked struct{ method, path, token, key, kind, body string }

func TestRequestsArriveAndAnswersComeBack(t *testing.T) {
	var got asked
	long := strings.Repeat("0123456789", 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = asked{r.Method, r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), string(body)}
		switch r.URL.Path {
		case "/long":
			_, _ = io.WriteString(w, long)
		case "/flushed":
			_, _ = io.WriteString(w, "one,")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, "two")
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/closed":
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusTeapot)
		default:
			_, _ = io.WriteString(w, "short")
		}
	}))
	defer server.Close()
	c := wire.New(server.Listener.Addr().String(), time.Minute)
	defer c.Close()
	for _, e := range []struct {
		name    string
		request wire.Request
		seen    asked
		status  int
		body    string
	}{
		{"a read", wire.Request{Method: "GET", Path: "/lines?limit=3", Token: "t"}, asked{"GET", "/lines?limit=3", "Bearer t", "", "", ""}, 200, "short"},
		{
			"a command",
			wire.Request{Method: "PATCH", Path: "/lines/1", Token: "t", Key: []byte("k-1"), Body: []byte(`{"a":1}`)},
			asked{"PATCH", "/lines/1", "Bearer t", "k-1", "application/json", `{"a":1}`}, 200, "short",
		},
		{"a command without a body", wire.Request{Method: "DELETE", Path: "/"}, asked{method: "DELETE", path: "/"}, 200, "short"},
		{"a long answer in chunks", wire.Request{Method: "GET", Path: "/long"}, asked{method: "GET", path: "/long"}, 200, long},
		{"an answer in two writes", wire.Request{Method: "GET", Path: "/flushed"}, asked{method: "GET", path: "/flushed"}, 200, "one,two"},
		{"no body", wire.Request{Method: "GET", Path: "/nothing"}, asked{method: "GET", path: "/nothing"}, 204, ""},
		{"the last of its connection", wire.Request{Method: "GET", Path: "/closed"}, asked{method: "GET", path: "/closed"}, 418, ""},
		{"the first of another", wire.Request{Method: "GET", Path: "/"}, asked{method: "GET", path: "/"}, 200, "short"},
	} {
		r, err := c.Do(e.request.Append(nil))
		if err != nil || r.Status != e.status || string(r.Body) != e.body || got != e.seen {
			t.Errorf("%s: the server saw %q; the answer is %d with %d bytes, %v", e.name, got, r.Status, len(r.Body), err)
		}
	}
}

func TestAServerThatIsGoneIsAnError(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	c := wire.New(server.Listener.Addr().String(), time.Minute)
	request := wire.Request{Method: "GET", Path: "/"}.Append(nil)
	if r, err := c.Do(request); err != nil || r.Status != 404 {
		t.Fatalf("%d, %v", r.Status, err)
	}
	server.CloseClientConnections()
	server.Close()
	for range 2 { // the connection that is closed, and one that cannot be opened
		if _, err := c.Do(request); err == nil {
			t.Error("a server that is gone has answered")
		}
	}
}

func TestField(t *testing.T) {
	object := []byte(`{"id": 12,"username":"a\"b","none":null,"last":[3]}`)
	for name, want := range map[string]string{"id": "12", "username": `a\"b`, "none": "null", "absent": ""} {
		if got := string(wire.Field(object, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, cut := range []string{`{"a":`, `{"a":"b`, `{"a":1`} {
		if got := wire.Field([]byte(cut), "a"); got != nil {
			t.Errorf("%s has %q", cut, got)
		}
	}
}
