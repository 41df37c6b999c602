package telemetry

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTraceparent holds the parser of the SDK against the specification, level 1.
func TestTraceparent(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	of := New(c.of(0), silent()) // so that only what callers want to be traced is
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	traced := func(header string) (logged string, sampled bool) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Traceparent"] = []string{header}
		inside, logged := of.RequestBegins(r)
		return logged, inside != r
	}
	for header, want := range map[string]bool{
		good: true,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00":      false,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03":      true,
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more": true, // a later version may say more
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":      true,
	} {
		if trace, sampled := traced(header); trace != "0af7651916cd43dd8448eb211c80319c" || sampled != want {
			t.Errorf("%s is the trace %q, sampled %t, want %t", header, trace, sampled, want)
		}
	}
	for _, header := range []string{
		"", "00", good + " ", good + "-more", good[:54], strings.ToUpper(good), " " + good,
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
	} {
		if trace, sampled := traced(header); trace != "" || sampled {
			t.Errorf("%q is the trace %q, sampled %t", header, trace, sampled)
		}
	}
}
