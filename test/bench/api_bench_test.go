package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/inprocess"
)

// BenchmarkAPI serves requests in this process, over the store in memory: what decoding, encoding, tokens and rules
// cost without a connection and without a disk.
func BenchmarkAPI(b *testing.B) {
	store := memstore.New()
	b.Cleanup(func() { _ = store.Close() })
	ask, login := asking(b, store)
	admin := login("admin")
	ask("POST", "/users", admin, `{"username":"owner","password":"`+api.AdminPassword+
		`","is_master":0,"credits":"100000000","country":"BR"}`)
	owner := login("owner")
	for range 40 {
		ask("POST", "/lines/test", owner, `{}`)
	}
	ask("PATCH", "/lines/active/1", owner, `{"username":"joao.tv","password":"7788","credits":1,"country":"BR"}`)
	for _, r := range []struct{ name, method, path, token, body string }{
		{"recharge", "PATCH", "/users/credits/2", admin, `{"credits":1,"notes":"bank transfer"}`},
		{"update of a line", "PATCH", "/lines/1", owner,
			`{"username":"joao.tv","password":"9900","country":"BR","whatsapp":"+5511912345678"}`},
		{"trial", "POST", "/lines/test", owner, `{"notes":"asked on Saturday"}`},
		{"read of a line", "GET", "/lines/1", owner, ""},
		{"list of 30", "GET", "/lines?limit=30", owner, ""},
	} {
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask(r.method, r.path, r.token, r.body)
			}
		})
	}
}

// asking serves a store, with the clock of the benchmarks, and returns functions that send a request and log in.
func asking(b *testing.B, store ports.Store) (ask func(method, path, token, body string) map[string]any,
	login func(name string) string) {
	b.Helper()
	service, err := inprocess.New(store, inprocess.At(func() time.Time { return epoch }))
	if err == nil {
		err = service.Admin(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	keys := 0
	ask = func(method, path, token, body string) map[string]any {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if keys++; method != http.MethodGet {
			r.Header.Set("Idempotency-Key", fmt.Sprint("bench-", keys))
		}
		w := httptest.NewRecorder()
		service.Handler.ServeHTTP(w, r)
		if w.Code >= 300 {
			b.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		var answer map[string]any
		if token == "" || strings.HasPrefix(path, "/users") && method == http.MethodPost {
			_ = json.Unmarshal(w.Body.Bytes(), &answer)
		}
		return answer
	}
	return ask, func(name string) string {
		return ask("POST", "/auth/static-token", "", `{"username":"`+name+`","password":"`+api.AdminPassword+
			`"}`)["token"].(string)
	}
}
