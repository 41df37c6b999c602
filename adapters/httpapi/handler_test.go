package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/test/expect"
)

// deadlines is an answer that records the deadlines of its connection.
type deadlines struct {
	*httptest.ResponseRecorder
	read, write time.Duration
}

func (d *deadlines) SetReadDeadline(at time.Time) error  { d.read = time.Until(at); return nil }
func (d *deadlines) SetWriteDeadline(at time.Time) error { d.write = time.Until(at); return nil }

// TestALongOperationOutlivesTheDeadlinesOfTheServer reads and writes longer than the server's deadlines.
func TestALongOperationOutlivesTheDeadlinesOfTheServer(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	synctest.Test(t, func(t *testing.T) {
		for want, l := range map[time.Duration]limits{proofs.time + requestTimeout: proofs, 0: ordinary} {
			answer := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			c, engine := gin.CreateTestContext(answer)
			engine.GET("/", new(api).handle(l, func(_ context.Context, c *gin.Context) error {
				ok(c, "done")
				return nil
			}))
			c.Request = httptest.NewRequest(http.MethodGet, "/", nil)
			engine.ServeHTTP(answer, c.Request)
			expect.Equal(t, answer.Code, http.StatusOK, "status")
			expect.Equal(t, answer.read, want, "it may read for")
			expect.Equal(t, answer.write, want, "it may write for")
		}
	})
}
