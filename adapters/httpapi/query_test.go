package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/domain/journal"
	"resellerd/test/expect"
)

func TestAParameterThatCannotBeReadIsNamedOnce(t *testing.T) {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodGet, "/lines", nil)
	c.Request.URL.RawQuery = "limit=5&owner=%zz&owner=%&owner=1;x"
	q := queryOf(c)
	value(q, "owner", parseID)
	expect.Equal(t, q.limit(), 5, "limit")
	var invalid *invalidFields
	if err := q.err(); !errors.As(err, &invalid) || len(invalid.violations) != 1 ||
		invalid.violations[0].Parameter != "owner" {
		t.Errorf("got %v, %+v", err, invalid)
	}
}

func TestAnInstantIsCutToMilliseconds(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-31T00:00:00.9999999Z":   "2026-01-31T00:00:00.999Z",
		"2026-01-31T00:00:00.0004+02:00": "2026-01-30T22:00:00Z",
		"1969-12-31T23:59:59.9995Z":      "1969-12-31T23:59:59.999Z",
	} {
		got, err := parseTime(text)
		must(t, err)
		expect.Equal(t, got.Format(time.RFC3339Nano), want, "%s is read as", text)
	}
}

// TestATimeWithAPlusThatIsNotEscaped is refused with the reason, and any other with an example.
func TestATimeWithAPlusThatIsNotEscaped(t *testing.T) {
	for text, escape := range map[string]bool{"2026-01-31T00:00:00 02:00": true, "2026-01-31 00:00:00": false,
		"2026-01-31": false, "": false} {
		_, err := parseTime(text)
		got := fmt.Sprint(err)
		expect.Equal(t, strings.Contains(got, "%2B"), escape, "%q: %s says how to write a plus", text, got)
		expect.Contains(t, got, "2026-01-31T00:00:00Z", "%q: the example", text)
	}
}

// TestAValueThatIsRepeatedCountsOnce: each entry of a page is compared with all types.
func TestAValueThatIsRepeatedCountsOnce(t *testing.T) {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodGet, "/events?type=key.created"+strings.Repeat("&type=key.*", 1000), nil)
	expect.Elements(t, values(queryOf(c), "type", parseEventTypes), []journal.Type{journal.KeyCreated,
		journal.KeyUpdated, journal.KeyRevoked}, "the types")
}
