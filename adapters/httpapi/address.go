package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address returns the client's address: the peer's address or, if the peer is a trusted proxy, the one in
// X-Forwarded-For. Each proxy appends its own peer. So the client's address is the last one that is not a trusted
// proxy, or the first if all are. The addresses before it may be forged.
//
// If one of the entries examined is not an address, the peer's own address counts.
func (a *api) address(r *http.Request) string {
	if pair, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && pair.Addr().Is4() && !a.trusts(pair.Addr()) {
		return r.RemoteAddr[:strings.IndexByte(r.RemoteAddr, ':')] // most requests: an IPv4 address has one spelling
	}
	peer, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return ""
	}
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	at := peer
	for _, entry := range slices.Backward(entries) {
		if !a.trusts(at) {
			break
		}
		if at, ok = parseAddress(entry); !ok {
			return peer.String()
		}
	}
	return at.String()
}

func (a *api) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(a.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// parseAddress reads an address as proxies write them: with a port or without, an IPv6 address in brackets or not, with
// a zone, which is ignored, or without. An IPv4 address mapped into IPv6 becomes the IPv4 address.
func parseAddress(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	ip, err := netip.ParseAddr(text)
	if err != nil {
		var pair netip.AddrPort
		pair, err = netip.ParseAddrPort(text)
		ip = pair.Addr()
	}
	if inside, bracketed := strings.CutPrefix(text, "["); err != nil && bracketed {
		if inside, bracketed = strings.CutSuffix(inside, "]"); bracketed && strings.Contains(inside, ":") {
			ip, err = netip.ParseAddr(inside)
		}
	}
	return ip.Unmap().WithZone(""), err == nil
}

// unmapped returns prefixes of IPv4 addresses mapped into IPv6 as prefixes of those addresses.
func unmapped(prefixes []netip.Prefix) []netip.Prefix {
	prefixes = slices.Clone(prefixes)
	for i, p := range prefixes {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			prefixes[i] = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
	}
	return prefixes
}

// client returns the key under which failed logins are counted: the address, or the /64 of an IPv6 address, since one
// customer has a whole /64. An IPv4 address mapped into IPv6 counts as the IPv4 address.
func client(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}
