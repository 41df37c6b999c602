package httpapi

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/fault"
	apitest "resellerd/test/api"
	"resellerd/test/expect"
)

// bodies are the bodies of all operations that have one, as their handlers read them. The clock of a sandbox is in no
// document.
var bodies = func() map[string]reflect.Type {
	all := map[string]reflect.Type{"importLines": reflect.TypeFor[importBody]()} // the operation checks the caller first
	gin.SetMode(gin.ReleaseMode)
	a := &api{Options: Options{Service: new(application.Service), TestClock: struct{ TestClock }{}}}
	for _, o := range a.operations() {
		func() {
			defer func() { _ = recover() }() // there are no use cases to call
			shapes.Clear()
			c, _ := gin.CreateTestContext(httptest.NewRecorder())
			c.Request = httptest.NewRequest(o.method, "/", nil)
			_ = o.handler(c, c)
		}()
		shapes.Range(func(body, _ any) bool {
			if kind, _ := body.(reflect.Type); kind != reflect.TypeFor[noBody]() {
				all[o.id] = kind
			}
			return true
		})
	}
	return all
}()

// TestBodiesMatchTheDocument: each operation has the members of the document, and requires the same ones. Each of their
// validate tags has a code.
func TestBodiesMatchTheDocument(t *testing.T) {
	for _, item := range apitest.Contract().Paths.Map() {
		for _, o := range item.Operations() {
			if o.RequestBody == nil {
				continue
			}
			if bodies[o.OperationID] == nil {
				t.Errorf("%s takes a body that is not among those of all", o.OperationID)
				continue
			}
			var names, required []string
			for _, m := range shapeOf(bodies[o.OperationID]) {
				names = append(names, m.name)
				if m.given {
					required = append(required, m.name)
				}
				for rule := range strings.SplitSeq(m.rest, ",") {
					if rule, _, _ = strings.Cut(rule, "="); rule != "" && rule != "omitempty" && syntaxFaults[rule] == nil {
						t.Errorf("%s: a %s that breaks %q has no code", o.OperationID, m.name, rule)
					}
				}
			}
			content := o.RequestBody.Value.Content
			schema := cmp.Or(content["application/json"], content["application/x-ndjson"]).Schema.Value
			expect.Elements(t, slices.Sorted(slices.Values(names)), slices.Sorted(maps.Keys(schema.Properties)),
				"%s takes", o.OperationID)
			expect.Elements(t, slices.Sorted(slices.Values(required)), slices.Sorted(slices.Values(schema.Required)),
				"%s requires", o.OperationID)
		}
	}
}

// FuzzBodies sends any body to every operation. An operation reads the same members as encoding/json.
func FuzzBodies(f *testing.F) {
	for _, text := range []string{
		"", "{}", "null", "[]", `{"username":"anna","password":"secret12","credits":1,"country":"BR","is_master":0}`,
		`{"credits":1e0}`, `{"":1e700}`, `{"username":"\ud800","credits":[]}`,
		`{"username":null,"email":"a@example.com","notes":"two\nlines","language":"pt-BR","whatsapp":" 1 "}`,
		`{"name":"n","role":"cashier","scopes":["manage"],"allowed_addresses":["192.0.2.0/24","::1"],"expires_at":"2030-01-31T00:00:00Z","spend_limit":{"credits":1,"per":"day"}}`,
		`{"name":"n","scopes":[1],"allowed_addresses":["fe80::1%eth0"],"spend_limit":{"credits":{},"per":null},"code":"1","totp":null}`,
	} {
		f.Add([]byte(text))
	}
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Content-Type", "application/json")
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, kind := range bodies {
			body := reflect.New(kind).Interface()
			_, err := decode(r, raw, body, true)
			if err == nil {
				err = bind(body)
			}
			if err != nil {
				var refused *refusal
				var known *fault.Fault
				if !errors.As(err, &refused) && !errors.As(err, &known) && !errors.As(err, new(*invalidFields)) {
					t.Fatalf("%s of %q: %T %v", kind, raw, err, err)
				}
				continue
			}
			var plain map[string]any
			if len(raw) > 0 {
				if plain, err = plainly(raw); err != nil {
					t.Fatalf("%s takes %q: %v", kind, raw, err)
				}
			}
			fields := reflect.ValueOf(body).Elem()
			for _, of := range shapeOf(fields.Type()) {
				m, name := fields.FieldByIndex(of.index).Addr().Interface().(field).state(), of.name
				value, found := plain[name]
				if (m.kind != 0) != found {
					t.Fatalf("%s of %q: %s is %s", kind, raw, name, m.kind)
				}
				if text, is := value.(string); is && m.literal != text {
					t.Fatalf("%s of %q: %s is %q, want %q", kind, raw, name, m.literal, text)
				}
			}
		}
	})
}

var (
	wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`)
	keyForm     = regexp.MustCompile(`^([!#-\[\]-~]{1,255}|"[!#-\[\]-~]{1,255}")$`)
)

// FuzzValues reads any text as each value of a query, and as an Idempotency-Key.
func FuzzValues(f *testing.F) {
	for _, text := range []string{
		"", "0", "1", "01", "500", "501", "-1", "9223372036854775807", "9223372036854775808",
		"2026-01-31T00:00:00.123456789+23:59", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59",
		`"quoted"`, `""`, `"open`, `a"b`, strings.Repeat("k", 255), strings.Repeat("k", 256), "é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := wholeNumber.MatchString(text)
		if id, err := parseID(text); (err == nil) != whole && len(text) < 19 || err == nil && id < 0 {
			t.Fatalf("the id %q: %d, %v", text, id, err)
		}
		if n, err := limitUpTo(maxLimit)(text); (err == nil) != (whole && len(text) < 4 && text != "0" && n >= 1 &&
			n <= maxLimit) {
			t.Fatalf("the limit %q: %d, %v", text, n, err)
		}
		if set, err := parseFlag(text); (err == nil) != (text == "0" || text == "1") || set != (text == "1") {
			t.Fatalf("the flag %q: %t, %v", text, set, err)
		}
		if at, err := parseTime(text); err == nil {
			again, err := parseTime(at.Format(time.RFC3339Nano))
			if y := at.Year(); y >= 0 && y <= 9999 && (err != nil || !again.Equal(at)) {
				t.Fatalf("the time %q is %s, which is read as %s, %v", text, at, again, err)
			}
			if at.Location() != time.UTC || at.Nanosecond()%int(time.Millisecond) != 0 {
				t.Fatalf("the time %q is %s", text, at)
			}
		}
		key, err := idempotencyKey([]string{text})
		if (err == nil) != keyForm.MatchString(text) || err == nil && key != strings.Trim(text, `"`) ||
			err != nil && key != "" {
			t.Fatalf("the key %q is read as %q, %v", text, key, err)
		}
		if _, err := idempotencyKey([]string{text, text}); err == nil {
			t.Fatalf("the key %q is taken twice", text)
		}
	})
}

// FuzzForwarded has proxies, and clients that pretend to be proxies, send any addresses.
func FuzzForwarded(f *testing.F) {
	for _, c := range [][2]string{
		{"192.0.2.1:1234", "198.51.100.1"}, {"10.0.0.1:1234", "198.51.100.1, 10.0.0.2"},
		{"[2001:db8:ffff::1%eth0]:1", "[2001:db8::1]:80"}, {"10.0.0.1:1", "unknown"},
		{"10.0.0.1:1", ",,"}, {"[::ffff:10.0.0.1]:5", "::ffff:198.51.100.1"}, {"", ""}, {"10.0.0.1:1", "_hidden, [::1"},
		{"10.0.0.1:1", "10.0.0.2,10.0.0.3"},
	} {
		f.Add(c[0], c[1])
	}
	a := &api{
		Options: Options{
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}}}
	const other = "203.0.113.9"
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		ask := func(fields ...string) string {
			return a.address(&http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": fields}})
		}
		got := ask(forwarded)
		if got != "" {
			ip, err := netip.ParseAddr(got)
			if err != nil || ip.String() != got || ip.Zone() != "" || ip.Is4In6() {
				t.Fatalf("from %q by %q: %q", peer, forwarded, got)
			}
			if c := client(got); client(c) != c && !strings.Contains(c, "/") {
				t.Fatalf("%q counts as %q", got, c)
			}
		}
		direct := ask()
		at, known := parseAddress(peer)
		if known != (direct != "") || known && direct != at.String() {
			t.Fatalf("from %q: %q", peer, direct)
		}
		believed := known && !a.trusts(at) && got != direct
		expect.Equal(t, believed, false, "the untrusted sender %q is believed: %q is %q", peer, forwarded, got)
		// The last proxy's address counts, whatever precedes it, in one field or in two.
		want := direct
		if known && a.trusts(at) {
			want = other
		}
		expect.Equal(t, ask(forwarded+","+other), want, "from %q by %q and %s", peer, forwarded, other)
		expect.Equal(t, ask(forwarded, other), want, "from %q by %q and, in another field, %s", peer, forwarded, other)
	})
}

// FuzzCookies has a browser send any cookies: only one secret of the right length counts.
func FuzzCookies(f *testing.F) {
	a := &api{cookies: cookieNames{"__Host-resellerd-00000000", "resellerd-00000000"}}
	good := strings.Repeat("s", secretLength)
	spaces := regexp.MustCompile(`[ \t\r\n]+=`) // which net/http takes behind a name
	for _, text := range []string{
		"", "resellerd-00000000=" + good, "resellerd-00000000 =" + good, "resellerd-00000000=\"" + good + "\"",
		"a=b; resellerd-00000000=" + good, "resellerd-00000000=" + good + "; resellerd-00000000=" + good,
		"resellerd-00000000=", "resellerd-00000000", "resellerd-00000000=" + good + "x", "RESELLERD-00000000=" + good, ";;=;",
		"resellerd-00000000=" + good[1:] + "\x00",
	} {
		f.Add(text, false)
		f.Add(strings.ReplaceAll(text, "resellerd", "__Host-resellerd"), true)
	}
	f.Fuzz(func(t *testing.T, text string, elsewhere bool) {
		r := &http.Request{Host: "localhost:8080", Header: http.Header{"Cookie": {text}}}
		name := a.cookies.plain
		if elsewhere {
			r.Host, name = "example.com", a.cookies.secure
		}
		secret, given := a.secretOf(r)
		if secret != "" &&
			(len(secret) != secretLength || !given ||
				!strings.Contains(spaces.ReplaceAllString(text, "="), spaces.ReplaceAllString(name+"="+secret, "="))) {
			t.Fatalf("%q: %q, given %t", text, secret, given)
		}
		expect.Equal(t, given && !strings.Contains(text, name), false, "%q has a cookie of ours", text)
		named := 0
		for _, c := range r.Cookies() {
			if c.Name == name {
				named++
			}
		}
		if given != (named > 0) || named > 1 && secret != "" {
			t.Fatalf("%q: %d of ours, %q, given %t", text, named, secret, given)
		}
		r.Header["Cookie"] = []string{text, name + "=" + good}
		again, _ := a.secretOf(r)
		expect.Equal(t, again == "" || again == good, true, "%q before a valid one: %q is empty or the valid one", text, again)
	})
}
