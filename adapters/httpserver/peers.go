package httpserver

import (
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// peerListener closes connections of a peer beyond its limit at once, so that one peer can't use all connections. An
// IPv6 /64 counts as one peer, since one customer has a whole /64.
type peerListener struct {
	net.Listener
	most    int
	trusted []netip.Prefix // proxies, which connect for many clients
	log     *slog.Logger

	mu     sync.Mutex
	open   map[netip.Prefix]int
	warned time.Time
}

// warnInterval is the minimum time between two warnings about a peer with too many connections.
const warnInterval = time.Minute

// limitPeers bounds the connections of each peer address except those of trusted proxies; 0 is no limit.
func limitPeers(l net.Listener, most int, trusted []netip.Prefix, log *slog.Logger) net.Listener {
	if most == 0 {
		return l
	}
	return &peerListener{Listener: l, most: most, trusted: trusted, log: log, open: map[netip.Prefix]int{}}
}

// Accept implements net.Listener.
func (l *peerListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer, counts := l.peerOf(c)
		if !counts {
			return c, nil
		}
		if l.enter(peer) {
			return &peerConn{Conn: c, left: sync.OnceFunc(func() { l.leave(peer) })}, nil
		}
		_ = c.Close() // nothing was written
	}
}

// peerOf returns the peer that a connection counts for, and whether it counts at all.
func (l *peerListener) peerOf(c net.Conn) (netip.Prefix, bool) {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{}, false
	}
	ip := at.Addr().Unmap().WithZone("")
	if slices.ContainsFunc(l.trusted, func(p netip.Prefix) bool {
		return p.Contains(ip) || p.Addr().Is4In6() && p.Contains(netip.AddrFrom16(ip.As16()))
	}) {
		return netip.Prefix{}, false
	}
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	return netip.PrefixFrom(ip, bits).Masked(), true
}

func (l *peerListener) enter(peer netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[peer] < l.most {
		l.open[peer]++
		return true
	}
	if now := time.Now(); now.Sub(l.warned) >= warnInterval {
		l.warned = now
		l.log.Warn(
			"a peer has reached RESELLERD_MAX_CONNECTIONS_PER_ADDRESS: further connections are closed; if it is a proxy, add it to RESELLERD_TRUSTED_PROXIES",
			slog.String("peer", peer.Addr().String()), slog.Int("connections", l.most))
	}
	return false
}

func (l *peerListener) leave(peer netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[peer]--; l.open[peer] == 0 {
		delete(l.open, peer)
	}
}

// peerConn counts as a connection of its peer until it is closed.
type peerConn struct {
	net.Conn
	left func()
}

// Close implements net.Conn.
func (c *peerConn) Close() error {
	defer c.left()
	return c.Conn.Close()
}
