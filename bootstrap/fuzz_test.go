package bootstrap

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/cli"
	"resellerd/test/expect"
)

// FuzzSettings gives the service any settings: they are refused, each under its name, or are what the text says.
func FuzzSettings(f *testing.F) {
	f.Add("127.0.0.1:8080", "/api/v1", "4h", "0", "10.0.0.0/8, ::1", "4096", "1")
	f.Add(":0", "", "90s", "1000000", "", "1", "0.5")
	f.Add("localhost:http", "/a/", "1us", "-1", "10.0.0.1/33", "0", "NaN")
	f.Add("[::1%lo]:1", "//", "9000h", "+1", "::ffff:10.0.0.0/104,x", "1e3", "-0")
	f.Add("host", "/a/../b", "1h1h", "0x1", ", ,", " 1", "Inf")
	f.Fuzz(func(t *testing.T, addr, base, trial, perDay, proxies, connections, ratio string) {
		if _, port, err := net.SplitHostPort(addr); err == nil &&
			strings.IndexFunc(port, func(r rune) bool { return r < '0' || r > '9' }) >= 0 {
			return // a name, which the machine may ask others for
		}
		flags := cli.ServeFlags{
			StoreFlags: cli.StoreFlags{Store: "memory:", LogLevel: "info", LogFormat: "json"},
			Addr:       addr, AdminAddr: "off", BasePath: base, TrialDuration: trial, TrialsPerDay: perDay,
			FreeChangesPerDay: "0", TrustedProxies: proxies, TraceRatio: ratio,
			MaxConnections: connections, MaxConnectionsPerAddress: "0", RequestsPerMinute: "0",
		}
		c, err := check(flags, DefaultStores())
		_, again := check(flags, DefaultStores())
		if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("%v, and again %v", err, again)
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if strings.HasPrefix(line, "RESELLERD_SECRET") {
					t.Fatalf("the service key was set well, and is refused: %v", err)
				}
			}
			return
		}
		if c.basePath != "" &&
			(c.basePath != strings.TrimSuffix(base, "/") || c.basePath[0] != '/' || strings.Contains(c.basePath, "..") &&
				strings.Contains(c.basePath, "/../")) {
			t.Errorf("the base path %q is %q", base, c.basePath)
		}
		if d, err := time.ParseDuration(trial); err != nil || d != c.policy.TrialDuration || d < time.Millisecond ||
			d > 366*24*time.Hour {
			t.Errorf("the trial %q is %s", trial, c.policy.TrialDuration)
		}
		for text, n := range map[string]int{perDay: c.policy.TrialsPerDay, connections: c.maxConnections} {
			if said, err := strconv.ParseInt(text, 10, 64); err != nil || int(said) != n || n < 0 || n > 1_000_000 {
				t.Errorf("%q is %d", text, n)
			}
		}
		for _, p := range c.proxies {
			if !p.IsValid() || !p.Contains(p.Addr()) {
				t.Errorf("%q trusts %s", proxies, p)
			}
			_, err := netip.ParsePrefix(p.String())
			expect.Error(t, err, nil, "%q trusts %s", proxies, p)
		}
	})
}
