package httpserver

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"resellerd/test/expect"
)

// from is a connection of a peer.
type from struct {
	net.Conn
	peer net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.peer }

func TestConnectionsOfAPeerAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		inside := newPipes()
		defer inside.Close()
		trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:9::/48")}
		l := limitPeers(inside, 2, trusted, slog.New(slog.NewTextHandler(&log, nil)))
		accepted := make(chan net.Conn, 1)
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				accepted <- c
			}
		}()
		// dial returns the server's side of a connection, nil if it was closed at once.
		dial := func(peer string) net.Conn {
			here, there := net.Pipe()
			inside.conns <- from{there, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(peer))}
			synctest.Wait()
			select {
			case c := <-accepted:
				return c
			default:
				_, err := here.Read(make([]byte, 1))
				expect.Equal(t, err != nil, true, "%s is refused, and closed", peer)
				return nil
			}
		}
		first := dial("192.0.2.1:1")
		for _, c := range []struct {
			peer string
			in   bool
		}{
			{"192.0.2.1:2", true}, {"192.0.2.1:3", false}, {"[::ffff:192.0.2.1]:4", false}, {"192.0.2.2:1", true},
			{"[2001:db8:1:2::1]:1", true}, {"[2001:db8:1:2:3::1]:1", true}, {"[2001:db8:1:2::1]:2", false},
			{"[2001:db8:1:3::1]:1", true}, {"10.1.2.3:1", true}, {"10.1.2.3:2", true}, {"10.1.2.3:3", true},
			{"[2001:db8:9::1]:1", true}, {"[2001:db8:9::1]:2", true}, {"[2001:db8:9::1]:3", true},
		} {
			expect.Equal(t, dial(c.peer) != nil, c.in, "%s is served", c.peer)
		}
		_, _ = first.Close(), first.Close() // the second one gives nothing back
		expect.Equal(t, dial("192.0.2.1:5") != nil, true, "a new one replaces a closed connection")
		expect.Equal(t, dial("192.0.2.1:6") != nil, false, "another one also replaces it")
		expect.Equal(t, strings.Count(log.String(), "RESELLERD_MAX_CONNECTIONS_PER_ADDRESS"), 1, "in the log %s", &log)
	})
}
