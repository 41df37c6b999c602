package webhooks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"code.dny.dev/ssrf"

	"resellerd/domain/webhook"
)

// mostAddresses is the most addresses of a name that are tried for one connection.
const mostAddresses = 8

// failure is an error with a known reason.
type failure struct {
	reason webhook.Failure
	cause  error
}

// Error implements error.
func (f *failure) Error() string { return string(f.reason) + ": " + f.cause.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

// failureOf returns the reason of a failed attempt with the context ctx. answered: the receiver has sent a byte.
func failureOf(ctx context.Context, err error, answered bool) webhook.Failure {
	known, is := errors.AsType[*failure](err)
	timeout, may := errors.AsType[net.Error](err)
	_, broke := errors.AsType[*net.OpError](err)
	switch {
	case ctx.Err() != nil, may && timeout.Timeout():
		return webhook.TimedOut
	case is:
		return known.reason
	case !answered, broke:
		return webhook.ConnectionFailed
	default:
		return webhook.AnswerInvalid
	}
}

// causeOf returns the cause of a failed handshake.
func causeOf(err error) webhook.Cause {
	if _, is := errors.AsType[x509.UnknownAuthorityError](err); is {
		return webhook.UnknownAuthority
	}
	if _, is := errors.AsType[x509.HostnameError](err); is {
		return webhook.WrongName
	}
	if invalid, is := errors.AsType[x509.CertificateInvalidError](err); is && invalid.Reason == x509.Expired {
		return webhook.CertificateExpired
	}
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return webhook.CertificateInvalid
	}
	if _, is := errors.AsType[tls.RecordHeaderError](err); is {
		return webhook.NotTLS
	}
	remote, is := errors.AsType[*net.OpError](err)
	switch {
	case is && remote.Op == "remote error" && remote.Err.Error() == oldVersion.Error(),
		strings.Contains(err.Error(), oldServer):
		return webhook.TLSVersion
	case is && remote.Op == "remote error":
		return webhook.HandshakeRefused
	case is, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return webhook.HandshakeCut
	}
	return ""
}

// oldVersion is the alert of a receiver that speaks older versions of TLS alone. The package crypto/tls returns an
// alert of a private type with the same text, and an error without a type if the receiver chooses such a version.
const (
	oldVersion = tls.AlertError(70)
	oldServer  = "server selected unsupported protocol version"
)

type dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialer connects to public addresses by TLS at port 443, and to networks that the operator opened, at any port and
// also without TLS. It checks the address of each connection when it connects. A look-up before would not protect: the
// owner of a name can return another address the next time (DNS rebinding).
type dialer struct {
	allow    []netip.Prefix
	public   *ssrf.Guardian
	resolver *net.Resolver
	tls      *tls.Config
}

func newDialer(o Options) *dialer {
	d := &dialer{
		public:   ssrf.New(ssrf.WithPorts(443)),
		resolver: o.Resolver,
		tls:      &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots, NextProtos: []string{"http/1.1"}},
	}
	for _, p := range o.Allow {
		d.allow = append(d.allow, unmapped(p))
	}
	return d
}

// unmapped returns an IPv4 prefix that is written as IPv6 (RFC 4291, 2.5.5.2) in the form of IPv4.
func unmapped(p netip.Prefix) netip.Prefix {
	const mapped = 96 // bits before the address
	if p.Addr().Is4In6() && p.Bits() >= mapped {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped).Masked()
	}
	return p.Masked()
}

func (d *dialer) plain(ctx context.Context, network, address string) (net.Conn, error) {
	return d.dial(ctx, network, address, false)
}

func (d *dialer) secure(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, address, true)
	if err != nil {
		return nil, err
	}
	config := d.tls.Clone()
	if config.ServerName, _, err = net.SplitHostPort(address); err == nil {
		encrypted := tls.Client(conn, config)
		if err = encrypted.HandshakeContext(ctx); err == nil {
			return encrypted, nil
		}
	}
	_ = conn.Close()
	return nil, &failure{webhook.TLSFailed, err}
}

func (d *dialer) dial(ctx context.Context, network, address string, encrypted bool) (net.Conn, error) {
	var tried atomic.Int32
	by := net.Dialer{
		Resolver: d.resolver,
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			if tried.Add(1) > mostAddresses {
				return &failure{webhook.ConnectionFailed, errors.New("none of the name's first addresses can be reached")}
			}
			if err := d.check(network, address, encrypted); err != nil {
				return &failure{webhook.AddressRefused, err}
			}
			return nil
		},
	}
	conn, err := by.DialContext(ctx, network, address)
	if err == nil {
		return conn, nil
	}
	if _, known := errors.AsType[*failure](err); known {
		return nil, err
	}
	_, unknown := errors.AsType[*net.DNSError](err)
	_, none := errors.AsType[*net.AddrError](err)
	if unknown || none {
		return nil, &failure{webhook.NoSuchHost, err}
	}
	return nil, &failure{webhook.ConnectionFailed, err}
}

var errPlain = errors.New("messages to this address must be encrypted")

// check refuses an address to which the dialer may not connect.
func (d *dialer) check(network, address string, encrypted bool) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	if slices.ContainsFunc(d.allow, func(p netip.Prefix) bool { return p.Contains(at.Addr()) }) {
		return nil
	}
	if !encrypted {
		return errPlain
	}
	return d.public.Safe(network, at.String(), nil)
}
