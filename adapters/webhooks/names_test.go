package webhooks_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"resellerd/adapters/webhooks"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
)

// names is a hostile name server. It returns the addresses of each name, in the order in which they are tried.
type names func() []netip.Addr

// resolver returns a resolver that calls names without a network.
func (n names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			n.answer(t, server)
		}()
		return client, nil
	}}
}

// answer answers one question on a connection.
func (n names) answer(t *testing.T, conn net.Conn) {
	t.Helper()
	question := make([]byte, 2)
	if _, err := io.ReadFull(conn, question); err != nil {
		return
	}
	question = make([]byte, binary.BigEndian.Uint16(question))
	if _, err := io.ReadFull(conn, question); err != nil {
		return
	}
	var asked dnsmessage.Message
	if err := asked.Unpack(question); err != nil {
		t.Errorf("the question: %v", err)
		return
	}
	of := asked.Questions[0]
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: asked.ID, Response: true, RecursionAvailable: true},
		Questions: asked.Questions}
	for _, a := range n() {
		header := dnsmessage.ResourceHeader{Name: of.Name, Type: of.Type, Class: of.Class}
		switch {
		case a.Is4() && of.Type == dnsmessage.TypeA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && of.Type == dnsmessage.TypeAAAA:
			reply.Answers = append(reply.Answers,
				dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	packed, err := reply.AppendPack(make([]byte, 2))
	if err != nil {
		t.Errorf("the answer: %v", err)
		return
	}
	binary.BigEndian.PutUint16(packed, uint16(len(packed)-2))
	_, _ = conn.Write(packed)
}

// leadTo sets the addresses of every name.
func leadTo(addresses ...string) names {
	var all []netip.Addr
	for _, a := range addresses {
		all = append(all, netip.MustParseAddr(a))
	}
	return func() []netip.Addr { return all }
}

// refused are addresses that are not public, one of each kind.
var refused = []string{
	"127.0.0.1", "0.0.0.0", "10.0.0.1", "100.64.0.1", "169.254.169.254", "172.16.0.1", "192.168.0.1", "224.0.0.1",
	"255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
	"2002:7f00:1::1", "fd00:ec2::254", "fe80::1", "ff02::1",
}

// TestAddressesThatAreNotPublicAreRefused in every spelling, and as the address of a name.
func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	t.Parallel()
	open := []netip.Prefix{netip.MustParsePrefix("10.99.0.0/16"), netip.MustParsePrefix("fd99::/16")}
	s := sender(t, webhooks.Options{Allow: open})
	for _, address := range refused {
		answer := s.Send(t.Context(), message("https://"+net.JoinHostPort(address, "443"), 1))
		expect.Equal(t, answer.Failure, webhook.AddressRefused, "%s: %+v", address, answer)
		named := sender(t, webhooks.Options{Resolver: leadTo(address).resolver(t), Allow: open})
		answer = named.Send(t.Context(), message("https://receiver.example/", 1))
		expect.Equal(t, answer.Failure, webhook.AddressRefused, "a name that leads to %s: %+v", address, answer)
	}
}

// TestInvalidURLsAreRefusedWithoutAConnection checks ports, schemes and malformed URLs.
func TestInvalidURLsAreRefusedWithoutAConnection(t *testing.T) {
	t.Parallel()
	s := sender(t, webhooks.Options{Resolver: leadTo("1.1.1.1", "2606:4700:4700::1111").resolver(t)})
	for _, url := range []string{
		"https://1.1.1.1:8443/", "http://1.1.1.1/", "http://1.1.1.1:443/", "https://[2606:4700:4700::1111]:8443/",
		"https://receiver.example:8443/", "http://receiver.example/", "https://[fe80::1%25lo]/",
		"unix:///run/docker.sock", "file:///etc/passwd", "https:///x", "1.1.1.1", "", "https://[/",
	} {
		expect.Equal(t, s.Send(t.Context(), message(url, 1)).Failure, webhook.AddressRefused, "%q", url)
	}
}

// TestOpenedNetworks are reached at any port and without TLS, in both forms of an IPv4 address.
func TestOpenedNetworks(t *testing.T) {
	t.Parallel()
	receiver := answering(t, "HTTP/1.1 204 No Content\r\n\r\n")
	_, port, _ := net.SplitHostPort(receiver.address)
	for _, c := range []struct {
		allow, host string
		want        webhook.Failure
	}{
		{"127.0.0.1/32", "127.0.0.1", ""},
		{"::ffff:127.0.0.0/104", "127.0.0.1", ""},
		{"127.0.0.2/32", "127.0.0.1", webhook.AddressRefused},
	} {
		s := sender(t, webhooks.Options{Allow: []netip.Prefix{netip.MustParsePrefix(c.allow)}})
		expect.Equal(t, s.Send(t.Context(), message("http://"+c.host+":"+port, 1)).Failure, c.want, "%s with %s open",
			c.host, c.allow)
	}
}

// TestTheAddressOfANameIsCheckedForEachConnection since it may change (DNS rebinding).
func TestTheAddressOfANameIsCheckedForEachConnection(t *testing.T) {
	t.Parallel()
	receiver := answering(t, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	_, port, _ := net.SplitHostPort(receiver.address)
	var at atomic.Pointer[netip.Addr]
	n := names(func() []netip.Addr { return []netip.Addr{*at.Load()} })
	s := sender(t, webhooks.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Resolver: n.resolver(t)})
	for i, c := range []struct {
		leads string
		want  webhook.Failure
	}{{"127.0.0.1", ""}, {"127.0.0.2", webhook.AddressRefused}, {"169.254.169.254", webhook.AddressRefused},
		{"127.0.0.1", ""}} {
		at.Store(new(netip.MustParseAddr(c.leads)))
		expect.Equal(t, s.Send(t.Context(), message("http://receiver.example:"+port, 1)).Failure, c.want, "%d, to %s",
			i, c.leads)
	}
	expect.Equal(t, receiver.connections.Load(), 2)
}

// TestNoProxy is used, even if the environment names one.
func TestNoProxy(t *testing.T) {
	proxy := answering(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	receiver := answering(t, "HTTP/1.1 204 No Content\r\n\r\n")
	t.Setenv("HTTP_PROXY", "http://"+proxy.address)
	_, port, _ := net.SplitHostPort(receiver.address)
	s := sender(t, webhooks.Options{Resolver: leadTo("127.0.0.1").resolver(t)})
	answer := s.Send(t.Context(), message("http://receiver.example:"+port, 1))
	expect.Equal(t, answer.Status, http.StatusNoContent, "%+v", answer)
	expect.Equal(t, proxy.connections.Load(), 0, "connections to the proxy")
}

// briefly is the time limit of an attempt that times out.
const briefly = 100 * time.Millisecond
