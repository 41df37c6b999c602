package panels

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"resellerd/test/require"

	"github.com/google/go-cmp/cmp"
)

// said writes a customer as one line.
func said(c Customer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %q", c.At, c.ExternalID, c.Username)
	for _, part := range []struct{ name, value string }{{"password", c.Password}, {"notes", c.Notes},
		{"telegram", c.Telegram}, {"again", c.As}, {c.Code, c.Detail}} {
		if part.value != "" {
			fmt.Fprintf(&b, "; %s %q", part.name, part.value)
		}
	}
	for name, at := range map[string]time.Time{"ends": c.Expires, "ends by": c.Until} {
		if !at.IsZero() {
			fmt.Fprintf(&b, "; %s %s", name, at.Format(time.RFC3339Nano))
		}
	}
	if c.Lasts != 0 {
		fmt.Fprintf(&b, "; lasts %v", c.Lasts)
	}
	if c.Suspended {
		b.WriteString("; suspended")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Metadata)) {
		fmt.Fprintf(&b, "; %s=%s", name, c.Metadata[name])
	}
	return b.String()
}

// shown are the members of metadata, of which none is a secret.
var shown = []string{
	"status", "password_of", "flow", "method", "security", "data_limit", "data_limit_reset_strategy", "limit_ip",
	"ip_limit", "total_gb", "reset",
	"inbounds", "user", "group", "remark", "public_key", "allowed_ips",
}

// readLines reads a file, and returns the panel, and each customer as a line.
func readLines(t *testing.T, path string, o Options) (string, []string) {
	t.Helper()
	f, err := Read(t.Context(), path, o)
	require.NoError(t, err)
	var lines []string
	for _, c := range f.Customers {
		lines = append(lines, said(c))
		for name, value := range c.Metadata {
			if !slices.Contains(shown, name) || value == c.Password {
				t.Errorf("%s shows %s: %s", c.At, name, value)
			}
		}
	}
	return f.Panel, lines
}

func expectLines(t *testing.T, got []string, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), got); diff != "" {
		t.Errorf("want, got:\n%s\n%s", diff, strings.Join(got, "\n"))
	}
}

const (
	spring = 1803902400 // 2027-03-01T12:00:00Z
	autumn = 1788220800 // 2026-09-01T00:00:00Z
	uuid   = "11111111-2222-4333-8444-555555555555"
)

// TestMarzban0 has users in each state, with proxies in another order.
func TestMarzban0(t *testing.T) {
	path := made(t, "marzban-0.8.4.sql", fmt.Sprintf(`
		INSERT INTO users (id, username, status, expire, note, data_limit, data_limit_reset_strategy, used_traffic, on_hold_expire_duration) VALUES
			(9, 'ana.tv', 'active', %[1]d, 'João — 日本, pays'||char(13)||char(10)||'in cash', 0, 'no_reset', 5, NULL),
			(2, 'forever', 'active', NULL, NULL, NULL, 'no_reset', 0, NULL),
			(3, 'hysteria', 'active', 0, '', NULL, 'no_reset', 0, NULL),
			(4, 'off', 'disabled', %[1]d, NULL, NULL, 'no_reset', 0, NULL),
			(5, 'limited', 'limited', %[1]d, NULL, 10737418240, 'month', 0, NULL),
			(6, 'gone', 'expired', %[2]d, NULL, NULL, 'no_reset', 0, NULL),
			(7, 'waits', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, 2592000),
			(8, 'used-up', 'active', %[1]d, NULL, 500, 'no_reset', 500, NULL),
			(10, 'ΟΔΟΣ', 'active', %[1]d, NULL, NULL, 'no_reset', 0, NULL),
			(11, 'ms', 'active', %[1]d000, NULL, NULL, 'no_reset', 0, NULL),
			(12, 'days', 'active', 30, NULL, NULL, 'no_reset', 0, NULL),
			(13, 'text', 'active', 'soon', NULL, NULL, 'no_reset', 0, NULL),
			(14, 'held', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, NULL),
			(15, 'long', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, 2592000000),
			(16, 'new', 'sleeping', NULL, NULL, NULL, 'no_reset', 0, NULL),
			(17, 'broken', 'active', %[1]d, NULL, NULL, 'no_reset', 0, NULL),
			(18, NULL, 'active', -5, NULL, NULL, 'no_reset', 0, NULL);
		INSERT INTO proxies (id, user_id, type, settings) VALUES
			(1, 10, 'VMess', '{"id": "99999999-2222-4333-8444-555555555555"}'), (2, 9, 'VLESS', '{"id": "%[3]s", "flow": "xtls-rprx-vision"}'),
			(3, 9, 'Shadowsocks', '{"password": "s0cks-pass", "method": "chacha20-ietf-poly1305"}'), (4, 9, 'Trojan', '{"password": "tr0jan-pass", "flow": ""}'),
			(5, 2, 'VLESS', '{"id": "%[3]s", "flow": "xtls-rprx-vision"}'), (6, 3, 'HYSTERIA2', '{"password": "hy2-pass"}'), (7, 17, 'VLESS', 'null'), (8, 404, 'VLESS', '{}'),
			(9, 4, 'Trojan', '{"password": ""}'), (10, 4, 'Shadowsocks', '{"password": "s0cks-4", "method": "aes-128-gcm"}')`,
		spring, autumn, uuid))
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
Marzban 0.x
user 2: marzban-2 "forever"; password "11111111-2222-4333-8444-555555555555"; flow=xtls-rprx-vision; password_of=vless
user 3: marzban-3 "hysteria"; password "hy2-pass"; password_of=hysteria2
user 4: marzban-4 "off"; password "s0cks-4"; ends 2027-03-01T12:00:00Z; suspended; method=aes-128-gcm; password_of=shadowsocks; status=disabled
user 5: marzban-5 "limited"; ends 2027-03-01T12:00:00Z; suspended; data_limit=10737418240; data_limit_reset_strategy=month; status=limited
user 6: marzban-6 "gone"; ends 2026-09-01T00:00:00Z
user 7: marzban-7 "waits"; lasts 720h0m0s; status=on_hold
user 8: marzban-8 "used-up"; ends 2027-03-01T12:00:00Z; suspended; data_limit=500; data_limit_reset_strategy=no_reset; status=limited
user 9: marzban-9 "ana.tv"; password "tr0jan-pass"; notes "João — 日本, pays\nin cash"; ends 2027-03-01T12:00:00Z; password_of=trojan
user 10: marzban-10 "ΟΔΟΣ"; password "99999999-2222-4333-8444-555555555555"; ends 2027-03-01T12:00:00Z; password_of=vmess
user 11: marzban-11 "ms"; expiry-out-of-range "The expiry, \"1803902400000\", is no number of seconds between the years 2000 and 9999, which the panel writes. As a number of milliseconds it is 2027-03-01."
user 12: marzban-12 "days"; expiry-out-of-range "The expiry, \"30\", is no number of seconds between the years 2000 and 9999, which the panel writes."
user 13: marzban-13 "text"; expiry-out-of-range "The expiry, \"soon\", is no number of seconds between the years 2000 and 9999, which the panel writes."
user 14: marzban-14 "held"; expiry-out-of-range "The time from the first use on, \"0\", is no number of seconds between 1s and 10 years, which the panel writes."; status=on_hold
user 15: marzban-15 "long"; expiry-out-of-range "The time from the first use on, \"2592000000\", is no number of seconds between 1s and 10 years, which the panel writes. As a number of milliseconds it is 30 days."; status=on_hold
user 16: marzban-16 "new"; status-unknown "The status \"sleeping\" is not known."; status=sleeping
user 17: marzban-17 "broken"; settings-unreadable "The settings of a proxy of this user are no JSON object."; ends 2027-03-01T12:00:00Z
user 18: marzban-18 ""; expiry-out-of-range "The expiry, \"-5\", is no number of seconds between the years 2000 and 9999, which the panel writes."
`)
	_, lines = readLines(t, path, Options{Prefix: "south", Protocol: "vless"})
	expectLines(t, lines[7:8], `
user 9: south-9 "ana.tv"; password "11111111-2222-4333-8444-555555555555"; notes "João — 日本, pays\nin cash"; ends 2027-03-01T12:00:00Z; flow=xtls-rprx-vision; password_of=vless
`)
}

// TestMarzban1 has users whose groups decide which of their protocols they use.
func TestMarzban1(t *testing.T) {
	settings := func(n int) string {
		return fmt.Sprintf(
			`{"vmess": {"id": "vm-%[1]d"}, "vless": {"id": "vl-%[1]d", "flow": "xtls"}, "trojan": {"password": "tr-%[1]d"}, "shadowsocks": {"password": "ss-%[1]d", "method": "aes"}, "hysteria": {"auth": "hy-%[1]d"}, "wireguard": {"private_key": "wg-%[1]d"}}`, n)
	}
	path := made(t, "pasarguard-5.2.1.sql", fmt.Sprintf(`
		INSERT INTO core_configs (id, created_at, name, config) VALUES (1, '2026-01-01', 'core', '{"inbounds": [{"tag": "v", "protocol": "vless"}, {"tag": "s", "protocol": "shadowsocks"}, {"tag": "h", "protocol": "hysteria"}, 7]}'), (2, '2026-01-01', 'none', '[]');
		INSERT INTO inbounds VALUES (1, 'v'), (2, 's'), (3, 'h');
		INSERT INTO groups VALUES (1, 'vless', 0), (2, 'both', 0), (3, 'closed', 1), (4, 'hysteria', 0);
		INSERT INTO inbounds_groups_association VALUES (1, 1), (1, 2), (2, 2), (2, 3), (3, 4);
		INSERT INTO users (id, created_at, username, status, expire, note, data_limit, data_limit_reset_strategy, used_traffic, on_hold_expire_duration, proxy_settings) VALUES
			(1, '2026-01-01', 'vless', 'active', '2027-01-31 18:00:00.123456', 'João', NULL, 'no_reset', 0, NULL, '%[1]s'),
			(2, '2026-01-01', 'both', 'disabled', '2027-01-31 18:00:00', NULL, NULL, 'no_reset', 0, NULL, '%[2]s'),
			(3, '2026-01-01', 'closed', 'limited', NULL, NULL, 10, 'day', 10, NULL, '%[3]s'),
			(4, '2026-01-01', 'hysteria', 'expired', '2026-09-01T00:00:00+03:00', NULL, NULL, 'no_reset', 0, NULL, '%[4]s'),
			(5, '2026-01-01', 'waits', 'on_hold', NULL, NULL, NULL, 'no_reset', 0, 86400, '{"vless": {"id": "vl-5"}}'),
			(6, '2026-01-01', 'used-up', 'active', NULL, NULL, 10, 'no_reset', 11, NULL, '{}'),
			(7, '2026-01-01', 'seconds', 'active', 1803902400, NULL, NULL, 'no_reset', 0, NULL, '{}'),
			(8, '2026-01-01', 'soon', 'active', 'soon', NULL, NULL, 'no_reset', 0, NULL, '{"wireguard": {"private_key": "wg-8"}}'),
			(9, '2026-01-01', 'broken', 'active', NULL, NULL, NULL, 'no_reset', 0, NULL, '[]'),
			(10, '2026-01-01', 'odd', 'asleep', NULL, NULL, NULL, 'no_reset', 0, NULL, '{"trojan": 5, "a\".b": {"password": "x"}}');
		INSERT INTO users_groups_association VALUES (1, 1), (2, 1), (2, 2), (3, 1), (3, 3), (4, 4)`, settings(1), settings(2),
		settings(3), settings(4)))
	// an update may leave it behind
	run(t, path, "CREATE TABLE proxies (id INTEGER, user_id INTEGER, type TEXT, settings TEXT)")
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
Marzban 1.0 or PasarGuard
user 1: marzban-1 "vless"; password "vl-1"; notes "João"; ends 2027-01-31T18:00:00.123Z; flow=xtls; password_of=vless
user 2: marzban-2 "both"; password "ss-2"; ends 2027-01-31T18:00:00Z; suspended; method=aes; password_of=shadowsocks; status=disabled
user 3: marzban-3 "closed"; password "vl-3"; suspended; data_limit=10; data_limit_reset_strategy=day; flow=xtls; password_of=vless; status=limited
user 4: marzban-4 "hysteria"; password "hy-4"; ends 2026-08-31T21:00:00Z; password_of=hysteria
user 5: marzban-5 "waits"; password "vl-5"; lasts 24h0m0s; password_of=vless; status=on_hold
user 6: marzban-6 "used-up"; suspended; data_limit=10; data_limit_reset_strategy=no_reset; status=limited
user 7: marzban-7 "seconds"; expiry-out-of-range "The expiry, \"1803902400\", is no date from the year 2000 on such as 2027-01-31 18:00:00, which the panel writes. As a number of seconds it is 2027-03-01."
user 8: marzban-8 "soon"; expiry-out-of-range "The expiry, \"soon\", is no date from the year 2000 on such as 2027-01-31 18:00:00, which the panel writes."
user 9: marzban-9 "broken"; settings-unreadable "The proxy settings of this user are no JSON object."
user 10: marzban-10 "odd"; status-unknown "The status \"asleep\" is not known."; status=asleep
`)
}

// TestMarzneshin has users whose secrets are made of their keys.
func TestMarzneshin(t *testing.T) {
	path := made(t, "marzneshin-0.7.4.sql", `
		INSERT INTO services VALUES (1, 'vless'), (2, 'mixed'), (3, 'wireguard');
		INSERT INTO inbounds VALUES (1, 'VLESS', 'v', '{}', NULL), (2, 'Trojan', 't', '{}', NULL), (3, 'WireGuard', 'w', '{}', NULL);
		INSERT INTO inbounds_services VALUES (1, 1), (1, 2), (2, 2), (3, 3);
		INSERT INTO users (id, username, key, enabled, removed, data_limit, used_traffic, expire_strategy, expire_date, usage_duration, note, ip_limit) VALUES
			(1, 'ana', '', 1, 0, NULL, 0, 'FIXED_DATE', '2027-01-31 18:00:00.000000', NULL, 'João', 2),
			(2, 'bia', 'a', 1, 0, 10, 5, 'NEVER', NULL, NULL, NULL, -1),
			(3, 'caio', '0123456789abcdef0123456789abcdef', 0, 0, NULL, 0, 'NEVER', NULL, NULL, NULL, -1),
			(4, 'davi', 'k4', 1, 0, 10, 10, 'NEVER', NULL, NULL, NULL, -1),
			(5, 'eva', 'k5', 1, 1, NULL, 0, 'NEVER', NULL, NULL, NULL, -1),
			(6, 'fred', 'k6', 1, 0, NULL, 0, 'START_ON_FIRST_USE', NULL, 864000, NULL, -1),
			(7, 'gabi', NULL, 1, 0, NULL, 0, 'FIXED_DATE', NULL, NULL, NULL, -1),
			(8, 'hugo', 'k8', 1, 0, NULL, 0, 'START_ON_FIRST_USE', NULL, NULL, NULL, -1),
			(9, 'iris', 'k9', 1, 0, NULL, 0, 'SOMETIMES', NULL, NULL, NULL, -1),
			(10, 'jana', 'k10', 1, 0, NULL, 0, 'NEVER', NULL, NULL, NULL, -1);
		INSERT INTO users_services VALUES (1, 1), (2, 2), (3, 1), (10, 3)`)
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
Marzneshin
user 1: marzneshin-1 "ana"; password "99aa06d3-0147-98d8-6001-c324468d497f"; notes "João"; ends 2027-01-31T18:00:00Z; ip_limit=2; password_of=vless
user 2: marzneshin-2 "bia"; password "a96faf705af16834e6c632b61e964e1f"; data_limit=10; data_limit_reset_strategy=no_reset; password_of=trojan
user 3: marzneshin-3 "caio"; password "cc9c4d55-12a0-5c72-fe5f-6378a7825dff"; suspended; password_of=vless; status=disabled
user 4: marzneshin-4 "davi"; password "e1980fa8cd1d0337e936435ecb7306db"; suspended; data_limit=10; data_limit_reset_strategy=no_reset; status=limited
user 5: marzneshin-5 "eva"; password "8bfb5b96fc4c5d568c7d06a0192cb4ea"; left-out "The panel has deleted this user."
user 6: marzneshin-6 "fred"; password "f6b0e830dcfcf4f1b6b61d4fcabdc580"; lasts 240h0m0s; status=on_hold
user 7: marzneshin-7 "gabi"; expiry-out-of-range "The expiry, \"\", is no date from the year 2000 on such as 2027-01-31 18:00:00, which the panel writes."
user 8: marzneshin-8 "hugo"; password "3a54bc811ab8d2f8daec299e5b8d2b21"; expiry-out-of-range "The time from the first use on, \"0\", is no number of seconds between 1s and 10 years, which the panel writes."; status=on_hold
user 9: marzneshin-9 "iris"; password "cccbde5fce4fe9bd579cc64632dfb187"; status-unknown "The expire strategy \"SOMETIMES\" is not known."
user 10: marzneshin-10 "jana"
`)
	_, lines = readLines(t, path, Options{PlainKeys: true, Protocol: "vless"})
	expectLines(t, lines[1:3], `
user 2: marzneshin-2 "bia"; password "a----"; data_limit=10; data_limit_reset_strategy=no_reset; password_of=vless
user 3: marzneshin-3 "caio"; password "01234567-89ab-cdef-0123-456789abcdef"; suspended; password_of=vless; status=disabled
`)
}

// TestXUI3 has clients whose copies in the settings of inbounds are old.
func TestXUI3(t *testing.T) {
	path := made(t, "3x-ui-3.6.0.sql", fmt.Sprintf(`
		INSERT INTO inbounds (id, remark, enable, protocol, settings, tag, expiry_time, total, up, down) VALUES
			(1, 'VLESS', 1, 'vless', '{"clients": [{"id": "old", "email": "ana", "expiryTime": 5, "enable": false, "subId": "s1"}, {"id": "x", "email": "stale"}, 7, {"email": null}]}', 'a', 0, 0, 1, 1),
			(2, 'Trojan', 1, 'trojan', 'broken', 'b', %[1]d000, 0, 1, 1), (3, 'closed', 0, 'hysteria', '', 'c', 0, 0, 1, 1),
			(4, 'WireGuard', 1, 'wireguard', '{}', 'd', 0, 0, 1, 1), (5, 'full', 1, 'mtproto', '{}', 'e', 0, 10, 5, 5);
		INSERT INTO clients (id, email, sub_id, uuid, password, auth, secret, wg_private_key, wg_public_key, expiry_time, enable, total_gb, comment, tg_id, limit_ip, flow) VALUES
			(1, 'ana', 's1', 'uu-1', 'pw-1', 'au-1', '', '', '', %[1]d000, 1, 0, 'renewed', 4711, 2, 'xtls'),
			(2, 'ana-2', 's1', 'uu-2', 'pw-2', '', '', '', '', %[1]d000, 1, 0, '', 0, 0, ''),
			(3, 'ana-3', 's1', 'uu-3', 'pw-3', '', '', '', '', %[2]d000, 1, 0, '', 0, 0, ''),
			(4, 'both', 's4', 'uu-4', 'pw-4', '', '', '', '', 0, 1, 0, '', 0, 0, ''),
			(5, 'inbound-ends', 's5', 'uu-5', 'pw-5', '', '', '', '', -2592000000, 1, 0, '', 0, 0, ''),
			(6, 'used-up', '', 'uu-6', '', '', '', '', '', 0, 1, 100, '', 0, 0, ''),
			(7, 'closed', '', 'uu-7', '', 'au-7', '', '', '', 0, 1, 0, '', 0, 0, ''),
			(8, 'wireguard', '', '', '', '', '', 'private', 'public', 0, 1, 0, '', 0, 0, ''),
			(9, 'full', '', '', '', '', 'secret-9', '', '', 0, 1, 0, '', 0, 0, ''),
			(10, 'nowhere', '', 'uu-10', '', '', '', '', '', 0, 1, 0, '', 0, 0, ''),
			(11, 'seconds', '', 'uu-11', '', '', '', '', '', %[1]d, 1, 0, '', 0, 0, ''),
			(12, 'began', '', 'uu-12', '', '', '', '', '', -2592000000, 0, 0, '', 0, 0, ''),
			(13, 'off-by-traffic', '', 'uu-13', '', '', '', '', '', 0, 1, 0, '', 0, 0, ''),
			(14, 'days', '', 'uu-14', '', '', '', '', '', -2592000, 1, 0, '', 0, 0, '');
		INSERT INTO client_inbounds (client_id, inbound_id) VALUES (1, 1), (2, 2), (3, 1), (4, 1), (4, 2), (5, 2), (6, 1), (7, 3), (8, 4), (9, 5), (11, 1), (12, 1), (13, 1), (14, 1);
		INSERT INTO client_traffics (inbound_id, enable, email, up, down, expiry_time, total) VALUES (1, 1, 'ana', 5, 5, %[1]d000, 0), (1, 1, 'used-up', 50, 50, 0, 100),
			(1, 1, 'began', 5, 5, %[1]d000, 0), (1, 0, 'off-by-traffic', 5, 5, 0, 0), (1, 0, 'orphan', 5, 5, 0, 0)`,
		spring, autumn))
	run(t, path, fmt.Sprintf("UPDATE clients SET expiry_time = %d000 WHERE id = 2", spring))
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
3x-ui 3.1 or later
client 1: 3x-ui-ana "ana"; password "pw-2"; notes "renewed"; telegram "4711"; ends 2027-03-01T12:00:00Z; inbounds=1,2; limit_ip=2; password_of=trojan
client 2: 3x-ui-ana-2 "ana-2"; password "pw-2"; again "client 1"; ends 2027-03-01T12:00:00Z; inbounds=2; password_of=trojan
client 3: 3x-ui-ana-3 "ana-3"; password "uu-3"; client-repeated "The client has another expiry than client 1, whose name or subscription it has."; ends 2026-09-01T00:00:00Z; inbounds=1; password_of=vless
client 4: 3x-ui-both "both"; password "pw-4"; inbounds=1,2; password_of=trojan
client 5: 3x-ui-inbound-ends "inbound-ends"; password "pw-5"; ends by 2027-03-01T12:00:00Z; lasts 720h0m0s; inbounds=2; password_of=trojan
client 6: 3x-ui-used-up "used-up"; password "uu-6"; suspended; inbounds=1; password_of=vless; status=limited; total_gb=100
client 7: 3x-ui-closed "closed"; password "au-7"; suspended; inbounds=3; password_of=hysteria; status=disabled
client 8: 3x-ui-wireguard "wireguard"; inbounds=4; public_key=public
client 9: 3x-ui-full "full"; password "secret-9"; suspended; inbounds=5; password_of=mtproto; status=disabled
client 10: 3x-ui-nowhere "nowhere"; password "uu-10"; suspended; status=disabled
client 11: 3x-ui-seconds "seconds"; password "uu-11"; expiry-out-of-range "The expiry, \"1803902400\", is no number of milliseconds between the years 2000 and 9999, which the panel writes. As a number of seconds it is 2027-03-01."; inbounds=1; password_of=vless
client 12: 3x-ui-began "began"; password "uu-12"; ends 2027-03-01T12:00:00Z; suspended; inbounds=1; password_of=vless; status=disabled
client 13: 3x-ui-off-by-traffic "off-by-traffic"; password "uu-13"; suspended; inbounds=1; password_of=vless; status=disabled
client 14: 3x-ui-days "days"; password "uu-14"; expiry-out-of-range "The time from the first use on, \"2592000\", is no number of milliseconds between 24h0m0s and 10 years, which the panel writes. As a number of seconds it is 30 days."; inbounds=1; password_of=vless
inbound 1, client 2: 3x-ui-stale "stale"; left-out "The panel does not serve this client: its table clients does not have it."
inbound 1, client 4: 3x-ui- ""; left-out "The panel does not serve this client: its table clients does not have it."
`)
}

// TestXUI2 has clients in the settings of inbounds.
func TestXUI2(t *testing.T) {
	path := made(t, "3x-ui-2.8.5.sql",
		fmt.Sprintf(`INSERT INTO inbounds (id, remark, enable, protocol, settings, tag, expiry_time, total, up, down) VALUES
		(7, 'Trojan', 1, 'trojan', '{"clients": [
			{"email": "Ana", "id": "id-11", "password": "tr0jan-pass", "expiryTime": %[1]d000, "enable": true, "subId": "s1", "limitIp": 2, "totalGB": 0, "comment": "João", "tgId": 4711, "updated_at": 3}]}', 'c', 0, 0, 0, 0),
		(1, 'VLESS one', 1, 'vless', '{"decryption": "none", "clients": [
			{"id": "id-1", "email": "ana", "expiryTime": %[1]d000, "enable": true, "subId": "s1", "limitIp": 2, "totalGB": 0, "comment": "João", "tgId": "4711", "flow": "xtls"},
			{"id": "id-2", "email": "never", "expiryTime": 0, "enable": true, "tgId": 0},
			{"id": "id-3", "email": "waits", "expiryTime": -2592000000, "enable": true},
			{"id": "id-4", "email": "off", "expiryTime": %[2]d000.0, "enable": false},
			{"id": "id-5", "email": "far", "expiryTime": 9000000000000000000, "enable": true},
			{"id": "id-6", "email": "odd", "expiryTime": "soon"},
			7,
			{"email": "no-id", "expiryTime": %[1]d000, "totalGB": 100},
			{"id": "id-8", "email": "seconds", "expiryTime": %[1]d},
			{"id": "id-9", "email": "used-up", "expiryTime": 0},
			{"id": "id-10", "email": "began", "expiryTime": -86400000}]}', 'a', 0, 0, 0, 0),
		(3, 'closed', 0, 'vless', '{"clients": [{"id": "id-1", "email": "ana", "expiryTime": %[1]d000, "enable": true, "flow": "other"},
			{"id": "id-1", "email": "ana-2", "expiryTime": %[2]d000, "subId": "s1"}, {"id": "id-9", "email": "never", "expiryTime": %[1]d000, "enable": true},
			{"id": "id-10", "email": "alone", "expiryTime": %[1]d000, "enable": true}]}', 'b', %[2]d000, 0, 0, 0),
		(8, 'WG', 1, 'wireguard', '{"secretKey": "server-private", "peers": [{"privateKey": "private-8", "publicKey": "public-8", "allowedIPs": ["10.0.0.2/32"]}]}', 'd', 0, 0, 0, 0),
		(9, 'nothing', 1, 'tunnel', '', 'e', 0, 0, 0, 0), (10, 'broken', 1, 'vmess', '{"clients": {}}', 'f', 0, 0, 0, 0), (11, 'forward', 1, 'dokodemo-door', '{"address": "1.2.3.4", "port": 53}', 'g', 0, 0, 0, 0);
		INSERT INTO client_traffics (inbound_id, enable, email, up, down, expiry_time, total) VALUES (1, 0, 'used-up', 900, 900, 0, 1024), (1, 1, 'no-id', 60, 40, 0, 100), (1, 1, 'began', 1, 1, %[1]d000, 0)`, spring, autumn))
	_, lines := readLines(t, path, Options{Protocol: "vless"})
	expectLines(t, lines[:1], `
inbound 1, client 1: 3x-ui-ana "ana"; password "id-1"; notes "João"; telegram "4711"; ends 2027-03-01T12:00:00Z; flow=xtls; inbounds=1,7; limit_ip=2; password_of=vless
`)
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
3x-ui before 3.1
inbound 1, client 1: 3x-ui-ana "ana"; password "tr0jan-pass"; notes "João"; telegram "4711"; ends 2027-03-01T12:00:00Z; inbounds=1,7; limit_ip=2; password_of=trojan
inbound 1, client 2: 3x-ui-never "never"; password "id-2"; inbounds=1; password_of=vless
inbound 1, client 3: 3x-ui-waits "waits"; password "id-3"; lasts 720h0m0s; inbounds=1; password_of=vless
inbound 1, client 4: 3x-ui-off "off"; password "id-4"; ends 2026-09-01T00:00:00Z; suspended; inbounds=1; password_of=vless; status=disabled
inbound 1, client 5: 3x-ui-far "far"; password "id-5"; expiry-out-of-range "The expiry, \"9000000000000000000\", is no number of milliseconds between the years 2000 and 9999, which the panel writes."; inbounds=1; password_of=vless
inbound 1, client 6: 3x-ui-odd "odd"; password "id-6"; expiry-out-of-range "The expiry, \"soon\", is no number of milliseconds between the years 2000 and 9999, which the panel writes."; inbounds=1; password_of=vless
inbound 1, client 7: 3x-ui-inbound-1-7 "VLESS one"; settings-unreadable "The client is no JSON object."; inbounds=1
inbound 1, client 8: 3x-ui-no-id "no-id"; ends 2027-03-01T12:00:00Z; suspended; inbounds=1; status=limited; total_gb=100
inbound 1, client 9: 3x-ui-seconds "seconds"; password "id-8"; expiry-out-of-range "The expiry, \"1803902400\", is no number of milliseconds between the years 2000 and 9999, which the panel writes. As a number of seconds it is 2027-03-01."; inbounds=1; password_of=vless
inbound 1, client 10: 3x-ui-used-up "used-up"; password "id-9"; suspended; inbounds=1; password_of=vless; status=limited
inbound 1, client 11: 3x-ui-began "began"; password "id-10"; ends 2027-03-01T12:00:00Z; inbounds=1; password_of=vless
inbound 3, client 1: 3x-ui-ana "ana"; password "id-1"; client-repeated "The client has another expiry than inbound 1, client 1, whose name or subscription it has."; ends 2026-09-01T00:00:00Z; suspended; flow=other; inbounds=3; password_of=vless; status=disabled
inbound 3, client 2: 3x-ui-ana-2 "ana-2"; password "id-1"; client-repeated "The client has another expiry than inbound 1, client 1, whose name or subscription it has."; ends 2026-09-01T00:00:00Z; suspended; inbounds=3; password_of=vless; status=disabled
inbound 3, client 3: 3x-ui-never "never"; password "id-9"; client-repeated "The client has another expiry than inbound 1, client 2, whose name or subscription it has."; ends 2026-09-01T00:00:00Z; suspended; inbounds=3; password_of=vless; status=disabled
inbound 3, client 4: 3x-ui-alone "alone"; password "id-10"; ends 2026-09-01T00:00:00Z; suspended; inbounds=3; password_of=vless; status=disabled
inbound 7, client 1: 3x-ui-Ana "Ana"; password "tr0jan-pass"; notes "João"; telegram "4711"; again "inbound 1, client 1"; ends 2027-03-01T12:00:00Z; inbounds=7; limit_ip=2; password_of=trojan
inbound 8, peer 1: 3x-ui-inbound-8 "WG"; allowed_ips=["10.0.0.2/32"]; inbounds=8; public_key=public-8
inbound 10: 3x-ui-inbound-10 "broken"; settings-unreadable "The settings of the inbound are no JSON object with a list of clients: none of them is known."; inbounds=10
inbound 11: 3x-ui-inbound-11 "forward"; left-out "The inbound, of the protocol \"dokodemo-door\", has no client and no password."; inbounds=11
`)
}

// TestXUI has one customer for each inbound, whose name is the remark.
func TestXUI(t *testing.T) {
	path := made(t, "x-ui-0.3.2.sql",
		fmt.Sprintf(
			`INSERT INTO inbounds (id, remark, enable, protocol, settings, port, tag, expiry_time, total, up, down) VALUES
		(1, 'Joao', 1, 'vmess', '{"clients": [{"id": "id-1", "alterId": 0}], "disableInsecureEncryption": false}', 1001, 'a', %[1]d000, 0, 5, 5),
		(2, 'Pedro', 1, 'shadowsocks', '{"method": "aes-256-gcm", "password": "ss-pass", "network": "tcp,udp"}', 1002, 'b', 0, 0, 0, 0),
		(3, 'Rita', 1, 'socks', '{"auth": "password", "accounts": [{"user": "rita.s", "pass": "socks-pass"}]}', 1003, 'c', %[1]d000, 0, 0, 0),
		(4, 'Wil', 1, 'wireguard', '{"peers": [{"publicKey": "abc", "allowedIPs": ["10.0.0.2/32"]}]}', 1004, 'd', %[1]d000, 0, 0, 0),
		(5, 'Office', 0, 'http', '{"accounts": [{"user": "one", "pass": "pass-1"}, {"user": "two", "pass": "pass-2"}]}', 1005, 'e', %[1]d000, 0, 0, 0),
		(6, 'Tina', 1, 'trojan', '{"clients": [{"password": "tr0jan", "flow": "xtls-rprx-direct"}]}', 1006, 'f', %[1]d000, 10, 6, 4),
		(7, 'Vera', 1, 'vless', '{"clients": [{"id": "id-7"}], "decryption": "none"}', 1007, 'g', %[1]d, 0, 0, 0),
		(8, 'Forward', 1, 'dokodemo-door', '{"address": "1.2.3.4", "port": 53, "network": "tcp,udp"}', 1008, 'h', 0, 0, 0, 0),
		(9, '', 1, 'vmess', '{"clients": [{"id": "id-9"}]}', 1009, 'i', 0, 0, 0, 0),
		(10, 'Empty', 1, 'vmess', '{"clients": []}', 1010, 'j', 0, 0, 0, 0),
		(11, 'Broken', 1, 'vmess', '{"clients": [', 1011, 'k', 0, 0, 0, 0)`, spring))
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
x-ui
inbound 1, client 1: x-ui-inbound-1 "Joao"; password "id-1"; ends 2027-03-01T12:00:00Z; inbounds=1; password_of=vmess
inbound 3, account 1: x-ui-inbound-3 "Rita"; password "socks-pass"; ends 2027-03-01T12:00:00Z; inbounds=3; password_of=socks; user=rita.s
inbound 4, peer 1: x-ui-inbound-4 "Wil"; ends 2027-03-01T12:00:00Z; allowed_ips=["10.0.0.2/32"]; inbounds=4; public_key=abc
inbound 5, account 1: x-ui-inbound-5-one "one"; password "pass-1"; ends 2027-03-01T12:00:00Z; suspended; inbounds=5; password_of=http; status=disabled; user=one
inbound 5, account 2: x-ui-inbound-5-two "two"; password "pass-2"; ends 2027-03-01T12:00:00Z; suspended; inbounds=5; password_of=http; status=disabled; user=two
inbound 6, client 1: x-ui-inbound-6 "Tina"; password "tr0jan"; ends 2027-03-01T12:00:00Z; suspended; flow=xtls-rprx-direct; inbounds=6; password_of=trojan; status=disabled
inbound 7, client 1: x-ui-inbound-7 "Vera"; password "id-7"; expiry-out-of-range "The expiry of its inbound, \"1803902400\", is no number of milliseconds between the years 2000 and 9999, which the panel writes. As a number of seconds it is 2027-03-01."; inbounds=7; password_of=vless
inbound 9, client 1: x-ui-inbound-9 ""; password "id-9"; inbounds=9; password_of=vmess
inbound 2: x-ui-inbound-2 "Pedro"; password "ss-pass"; inbounds=2; method=aes-256-gcm; password_of=shadowsocks
inbound 8: x-ui-inbound-8 "Forward"; left-out "The inbound, of the protocol \"dokodemo-door\", has no client and no password."; inbounds=8
inbound 11: x-ui-inbound-11 "Broken"; settings-unreadable "The settings of the inbound are no JSON object with a list of clients: none of them is known."; inbounds=11
`)
}

// TestSUI has clients whose inbounds decide which of their protocols they use, in columns of bytes.
func TestSUI(t *testing.T) {
	path := made(t, "s-ui-1.5.1.sql", fmt.Sprintf(`
		INSERT INTO inbounds (id, type, tag, options) VALUES (1, 'vless', 'v', CAST('{}' AS BLOB)), (2, 'shadowsocks', 's', CAST('{"method": "2022-blake3-aes-128-gcm"}' AS BLOB)), (3, 'hysteria', 'h', CAST('{}' AS BLOB)), (4, 'mixed', 'm', NULL);
		CREATE TEMP TABLE full AS SELECT '{"mixed": {"username": "x", "password": "mi"}, "socks": {"username": "x", "password": "so"}, "http": {"username": "x", "password": "ht"}, "shadowsocks": {"name": "x", "password": "ss32"}, "shadowsocks16": {"name": "x", "password": "ss16"}, "vmess": {"name": "x", "uuid": "vm", "alterId": 0}, "vless": {"name": "x", "uuid": "vl", "flow": "xtls-rprx-vision"}, "trojan": {"name": "x", "password": "tr"}, "hysteria": {"name": "x", "auth_str": "hy"}, "tuic": {"name": "x", "uuid": "tu", "password": "tp"}}' AS config;
		INSERT INTO clients (id, enable, name, config, inbounds, volume, expiry, down, up, "desc", "group", delay_start, auto_reset, reset_days)
			SELECT c.id, c.enable, c.name, CAST(full.config AS BLOB), CAST(c.inbounds AS BLOB), c.volume, c.expiry, c.down, c.up, c.about, c.team, c.delay, c.auto, c.days FROM full, (
				SELECT 1 AS id, 1 AS enable, 'vless' AS name, '[1]' AS inbounds, 0 AS volume, %[1]d AS expiry, 0 AS down, 0 AS up, 'João' AS about, 'family' AS team, 0 AS delay, 0 AS auto, 0 AS days
				UNION ALL SELECT 2, 1, 'ss', '[1, 2]', 0, 0, 0, 0, '', '', 0, 0, 0
				UNION ALL SELECT 3, 1, 'hysteria', '[3]', 100, %[1]d, 60, 40, '', '', 0, 0, 0
				UNION ALL SELECT 4, 0, 'off', '[4]', 0, %[2]d, 0, 0, '', '', 0, 0, 0
				UNION ALL SELECT 5, 1, 'nowhere', '[]', 0, 0, 0, 0, '', '', 0, 0, 0
				UNION ALL SELECT 6, 1, 'waits', '[1]', 0, 0, 0, 0, '', '', 1, 0, 30
				UNION ALL SELECT 7, 1, 'resets', '[1]', 0, %[1]d, 0, 0, '', '', 1, 1, 30
				UNION ALL SELECT 8, 1, 'ms', '[1]', 0, %[1]d000, 0, 0, '', '', 0, 0, 0
				UNION ALL SELECT 9, 1, 'odd-inbounds', '7', 0, 0, 0, 0, '', '', 0, 0, 0) c;
		INSERT INTO clients (id, enable, name, config, inbounds, volume, expiry, down, up) VALUES (10, 1, 'broken', CAST('{"vless"' AS BLOB), NULL, 0, 0, 0, 0), (11, 1, 'empty', NULL, NULL, 0, 0, 0, 0)`, spring, autumn))
	panel, lines := readLines(t, path, Options{})
	expectLines(t, append([]string{panel}, lines...), `
S-UI
client 1: s-ui-1 "vless"; password "vl"; notes "João"; ends 2027-03-01T12:00:00Z; flow=xtls-rprx-vision; group=family; password_of=vless
client 2: s-ui-2 "ss"; password "ss16"; password_of=shadowsocks16
client 3: s-ui-3 "hysteria"; password "hy"; ends 2027-03-01T12:00:00Z; suspended; data_limit=100; password_of=hysteria; status=limited
client 4: s-ui-4 "off"; password "so"; ends 2026-09-01T00:00:00Z; suspended; password_of=socks; status=disabled
client 5: s-ui-5 "nowhere"; password "tr"; password_of=trojan
client 6: s-ui-6 "waits"; password "vl"; lasts 720h0m0s; flow=xtls-rprx-vision; password_of=vless; status=on_hold
client 7: s-ui-7 "resets"; password "vl"; ends 2027-03-01T12:00:00Z; flow=xtls-rprx-vision; password_of=vless
client 8: s-ui-8 "ms"; password "vl"; expiry-out-of-range "The expiry, \"1803902400000\", is no number of seconds between the years 2000 and 9999, which the panel writes. As a number of milliseconds it is 2027-03-01."; flow=xtls-rprx-vision; password_of=vless
client 9: s-ui-9 "odd-inbounds"; password "tr"; password_of=trojan
client 10: s-ui-10 "broken"; settings-unreadable "The configuration of this client is no JSON object."
client 11: s-ui-11 "empty"
`)
}

// TestCustomersAreCounted apart from the statement that yields them, so that none is lost without a word.
func TestCustomersAreCounted(t *testing.T) {
	path := made(t, leastMarzban, "INSERT INTO users VALUES (1, 'ana', 'active', NULL)")
	statements = fstest.MapFS{
		"marzban-0.sql":       {Data: []byte("SELECT id FROM users WHERE id > 1")},
		"marzban-0.count.sql": {Data: []byte("SELECT count(*) FROM users")},
	}
	t.Cleanup(func() { statements = embedded })
	if _, err := Read(t.Context(), path, Options{}); err == nil ||
		!strings.Contains(err.Error(), "it has 1 customers, and 0 could be read") {
		t.Errorf("a statement that forgets one: %v", err)
	}
}
