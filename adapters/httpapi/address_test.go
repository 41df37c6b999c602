package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"resellerd/application"
	"resellerd/test/expect"
)

func TestMappedPrefixesAreThoseOfIPv4(t *testing.T) {
	for mapped, want := range map[string]string{"::ffff:0:0/96": "0.0.0.0/0", "::ffff:0:0/95": "::ffff:0.0.0.0/95"} {
		expect.Equal(t, unmapped([]netip.Prefix{netip.MustParsePrefix(mapped)})[0].String(), want, "%s", mapped)
	}
}

// TestTheAddressOfTheClient reads the address from the log, which has it for every request.
func TestTheAddressOfTheClient(t *testing.T) {
	var log bytes.Buffer
	handler, err := New(Options{
		Service: new(application.Service),
		Log:     slog.New(slog.NewJSONHandler(&log, nil)),
		TrustedProxies: []netip.Prefix{
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48"),
			netip.MustParsePrefix("::ffff:172.16.0.0/108"),
			netip.MustParsePrefix("fe80::/10"),
		},
	})
	must(t, err)
	for _, c := range []struct {
		name      string
		peer      string
		forwarded []string // header fields
		want      string
	}{
		{"no proxy, a header of its own making", "192.0.2.1:1234", []string{"198.51.100.1"}, "192.0.2.1"},
		{"an address", "10.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a proxy with a zone", "[fe80::1%eth0]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a proxy named by a mapped prefix", "172.16.5.6:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a proxy with a mapped address", "[::ffff:10.0.0.1]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"an address and a port", "10.0.0.1:1234", []string{"198.51.100.1:5678"}, "198.51.100.1"},
		{"an IPv6 address with a zone and a port", "10.0.0.1:1234", []string{"[fe90::1%eth0]:5678"}, "fe90::1"},
		{"what the client made up", "10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"another proxy behind it", "10.0.0.1:1234", []string{"203.0.113.9, 198.51.100.1, 10.0.0.2:80,10.0.0.3"},
			"198.51.100.1"},
		{"several fields", "10.0.0.1:1234", []string{"203.0.113.9", "198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		{"nonsense at the end", "10.0.0.1:1234", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
	} {
		log.Reset()
		request := httptest.NewRequest(http.MethodGet, "/nowhere", nil)
		request.RemoteAddr = c.peer
		request.Header["X-Forwarded-For"] = c.forwarded
		for _, other := range []string{"X-Real-Ip", "Forwarded", "X-Client-Ip", "Cf-Connecting-Ip", "True-Client-Ip",
			"X-Appengine-Remote-Addr"} {
			request.Header.Set(other, "203.0.113.1") // no proxy of the service sets these
		}
		handler.ServeHTTP(httptest.NewRecorder(), request)
		var record struct{ Client string }
		must(t, json.Unmarshal(log.Bytes(), &record))
		expect.Equal(t, record.Client, c.want, "%s: the client", c.name)
	}
}
