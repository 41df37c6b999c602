package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// TestALongOperationOutlivesTheDeadlinesOfTheServer has two operations take longer than the server reads and writes.
// The one that may take minutes is answered, and what its client still sends is read, so that the connection goes on.
func TestALongOperationOutlivesTheDeadlinesOfTheServer(t *testing.T) {
	const deadline = 250 * time.Millisecond // within which a busy machine begins with a request
	gin.SetMode(gin.ReleaseMode)
	engine, a := gin.New(), &api{}
	for path, l := range map[string]limits{"/long": proofs, "/ordinary": ordinary} {
		engine.GET(path, a.handle(l, func(_ context.Context, c *gin.Context) error {
			time.Sleep(4 * deadline)
			ok(c, "done")
			return nil
		}))
	}
	server := httptest.NewUnstartedServer(engine)
	server.Config.ReadTimeout, server.Config.WriteTimeout = deadline, deadline
	server.Start()
	defer server.Close()
	ask := func(path string) (*http.Response, error) {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		must(t, err)
		defer c.Close()
		_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
		time.Sleep(2 * deadline)
		_, _ = io.WriteString(c, "late")
		return http.ReadResponse(bufio.NewReader(c), nil)
	}
	if answer, err := ask("/long"); err != nil || answer.StatusCode != http.StatusOK || answer.Close {
		t.Errorf("a long operation: %+v, %v", answer, err)
	}
	if answer, err := ask("/ordinary"); err == nil {
		t.Errorf("the deadlines of the server are none: %+v", answer)
	}
}
