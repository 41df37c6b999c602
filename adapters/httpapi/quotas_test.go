package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
)

func TestRequestsOfAnAccountAreLimited(t *testing.T) {
	h := serveWith(t, httpapi.Options{RequestsPerMinute: 4})
	seller := h.Admin(t).Reseller(t, "5")
	key := []string{"Idempotency-Key", "k"}
	ask := func(i int) answer {
		if i == 0 {
			return seller.Send(t, "POST", "/lines/test", nil, key...)
		}
		return seller.Send(t, "GET", []string{"/users/logged", "/lines", "/lines/9"}[i-1], nil)
	}
	for i := range 4 { // what they end in makes no difference
		a := ask(i)
		if got := a.Header.Get("RateLimit-Policy"); got != `"account";q=4;w=60` {
			t.Errorf("%s: RateLimit-Policy %s", a.Request, got)
		}
		if got := a.Header.Get("RateLimit"); !regexp.MustCompile(fmt.Sprintf(`^"account";r=%d;t=(60|59|58)$`, 3-i)).MatchString(got) {
			t.Errorf("%s, %d. request: RateLimit %s", a.Request, i+1, got)
		}
	}
	a := seller.Send(t, "POST", "/lines/test", nil, key...).Refused(http.StatusTooManyRequests, "too-many-requests")
	wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if err != nil || wait < 1 || a.Header.Get("RateLimit") != fmt.Sprintf(`"account";r=0;t=%d`, wait) {
		t.Errorf("Retry-After %q, RateLimit %s", a.Header.Get("Retry-After"), a.Header.Get("RateLimit"))
	}
	h.Admin(t).Get(t, "/prices") // others notice nothing, nor does a login
	if got := h.Login(t, seller.Username, seller.Password); got != seller.Token {
		t.Error("another token")
	}
	if a := h.Nobody().Send(t, "GET", "/prices", nil).Refused(http.StatusUnauthorized, "missing-token"); a.Header.Get("RateLimit") != "" {
		t.Error("nobody has a quota")
	}
}

func TestThereIsNoLimitByDefault(t *testing.T) {
	h := serve(t)
	for range 100 {
		if a := h.Admin(t).Get(t, "/prices"); a.Header.Get("RateLimit")+a.Header.Get("RateLimit-Policy") != "" {
			t.Fatalf("RateLimit %s", a.Header.Get("RateLimit"))
		}
	}
}

func TestBytesOfAClientAddressAreLimited(t *testing.T) {
	for situation, send := range map[string]func(h *harness, from string) int{
		"a body": func(h *harness, from string) int {
			return h.Nobody().Send(t, "POST", "/auth/static-token", strings.Repeat(" ", 60_000), "X-Forwarded-For", from).Status
		},
		"a body of unknown length": func(h *harness, from string) int {
			r, err := http.NewRequest(http.MethodPost, "http://"+h.Address+"/auth/static-token", io.MultiReader(bytes.NewReader(make([]byte, 60_000))))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Forwarded-For", from)
			response, err := api.Client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			return response.StatusCode
		},
		"header fields": func(h *harness, from string) (last int) {
			for range 5 {
				last = h.Nobody().Send(t, "GET", "/openapi.json", nil, "X-Forwarded-For", from, "X-Filler", strings.Repeat("x", 12_000)).Status
			}
			return last
		},
	} {
		h := serveWith(t, httpapi.Options{BytesPerSecond: 5000, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		for i, want := range []bool{true, false, false} {
			if got := send(h, "192.0.2.1") != http.StatusTooManyRequests; got != want {
				t.Errorf("%s, %d. time: let in %v, want %v", situation, i+1, got, want)
			}
		}
		a := h.Nobody().Send(t, "GET", "/openapi.json", nil, "X-Forwarded-For", "192.0.2.1").Refused(http.StatusTooManyRequests, "too-many-bytes")
		if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 4 {
			t.Errorf("%s: Retry-After %q, want 1 to 4 seconds", situation, a.Header.Get("Retry-After"))
		}
		if got := send(h, "192.0.2.2"); got == http.StatusTooManyRequests {
			t.Errorf("%s: another address is refused", situation)
		}
		h.Nobody().Send(t, "GET", "/healthz", nil, "X-Forwarded-For", "192.0.2.1").Is(http.StatusOK)
	}
}
