package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"resellerd/domain/journal"
	"resellerd/test/expect"
)

// TestAValueThatIsRepeatedCountsOnce, because each event of a page is compared with all types.
func TestAValueThatIsRepeatedCountsOnce(t *testing.T) {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodGet, "/events?type=key.created"+strings.Repeat("&type=key.*", 1000), nil)
	expect.Elements(t, values(queryOf(c), "type", parseEventTypes), []journal.Type{journal.KeyCreated,
		journal.KeyUpdated, journal.KeyRevoked}, "the types")
}

func TestTimeWithAPlusSignThatIsASpace(t *testing.T) {
	for text, want := range map[string]error{"2026-01-31T00:00:00+01:00": nil, "2026-01-31T00:00:00 01:00": errNotPlus,
		"2026-01-31 00:00:00+01:00": errNotTime} {
		_, err := parseTime(text)
		expect.Equal(t, err, want, text)
	}
}
