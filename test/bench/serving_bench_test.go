package bench

import (
	"fmt"
	"testing"

	"resellerd/test/api"
)

// BenchmarkServing reads pages of lines and of entitlements, which also open each password, and blocks the owner of
// 50,000 lines.
func BenchmarkServing(b *testing.B) {
	const lines, page = 50_000, 500
	for _, store := range stores {
		b.Run(store.name, func(b *testing.B) {
			s, err := store.open(b)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			})
			ask, login := asking(b, s)
			admin := login("admin")
			ask("POST", "/users", admin, `{"username":"owner","password":"`+api.AdminPassword+
				`","is_master":0,"credits":"100000000","country":"BR"}`)
			owner := login("owner")
			for range lines {
				ask("POST", "/lines/test", owner, `{"notes":"asked on Saturday"}`)
			}
			for _, path := range []string{"/lines?limit=%d", "/lines?status=1&limit=%d", "/entitlements?limit=%d"} {
				b.Run(fmt.Sprintf("GET "+path, page), func(b *testing.B) {
					for b.Loop() {
						ask("GET", fmt.Sprintf(path, page), owner, "")
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/page, "ns/line")
				})
			}
			b.Run("block and unblock", func(b *testing.B) {
				for b.Loop() {
					ask("PUT", "/users/2/block", admin, `{"lines":"suspend","reason":"unpaid"}`)
					ask("DELETE", "/users/2/block", admin, "")
				}
			})
		})
	}
}
