// Package httpserver is the listener of a service: TLS, limits of connections, time limits, and a drain that loses no
// request. It knows no operation.
package httpserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
)

const (
	// DrainTime is how long requests under way may take after a stop is asked for.
	DrainTime = 20 * time.Second
	// headerTime is how long a request's header may take.
	headerTime = 5 * time.Second
	// maxStreams bounds the requests under way on one HTTP/2 connection.
	maxStreams = 100
)

// ErrStopping is the error of Ready in a server that stops.
var ErrStopping = errors.New("the process is stopping")

// Options say where a server listens and what it bounds.
type Options struct {
	Addr        string
	Certificate *Certificate   // nil: plain HTTP
	Connections int            // most open ones, others wait
	PerPeer     int            // most of one peer, 0: no limit
	Proxies     []netip.Prefix // PerPeer does not apply to them: they connect for many
	WriteTime   time.Duration  // for an answer, 0: 30 seconds
	IdleTime    time.Duration  // of a connection between two requests, 0: 60 seconds
	Log         *slog.Logger
}

// Server is a listener and its life: Listen, Serve, and Stop or Close.
type Server struct {
	options  Options
	http     *http.Server
	listener net.Listener
	serving  net.Listener // the same, with its limits, nil until it serves
	open     *connections
	draining context.Context         // ends once a stop is asked for
	drain    context.CancelFunc      // ends it
	abandon  context.CancelCauseFunc // ends the context of every request
	ended    chan struct{}
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	requests, abandon := context.WithCancelCause(context.Background())
	draining, drain := context.WithCancel(context.Background())
	open := &connections{open: map[*connection]struct{}{}}
	s := &Server{
		http: &http.Server{
			ReadHeaderTimeout: headerTime,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      cmp.Or(o.WriteTime, 30*time.Second),
			IdleTimeout:       cmp.Or(o.IdleTime, 60*time.Second),
			MaxHeaderBytes:    12 << 10, // the server adds 4 KiB
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},

			DisableGeneralOptionsHandler: true, // OPTIONS * is an unknown route like any other
			ErrorLog:                     slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
			BaseContext:                  func(net.Listener) context.Context { return requests },
			ConnState:                    open.changed,
			ConnContext: func(ctx context.Context, c net.Conn) context.Context {
				return context.WithValue(ctx, connectionKey{}, connectionOf(c))
			},
		},
		options:  o,
		open:     open,
		draining: draining,
		drain:    drain,
		abandon:  abandon,
		ended:    make(chan struct{}),
	}
	if o.Certificate != nil {
		o.Certificate.log = o.Log
		s.http.TLSConfig = &tls.Config{GetCertificate: o.Certificate.get, MinVersion: tls.VersionTLS12, CipherSuites: suites}
	}
	return s
}

// Listen takes the port, so that a taken one fails a start before anything else is done.
func (s *Server) Listen(ctx context.Context) (err error) {
	s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", s.options.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w: another process has it; name another one, or port 0 for any that is free", err)
	}
	if err == nil && s.options.Certificate != nil {
		s.options.Certificate.warn(time.Now())
	}
	return err
}

// Addr returns where the server listens, nil if it does not.
func (s *Server) Addr() net.Addr {
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Ready returns ErrStopping once a stop is asked for.
func (s *Server) Ready() error {
	if s.draining.Err() != nil {
		return ErrStopping
	}
	return nil
}

// Draining returns a context that ends once a stop is asked for, for requests that wait for something: they are to be
// answered then.
func (s *Server) Draining() context.Context { return s.draining }

// Serve begins to answer requests, until Stop or Close; failed is called if it ends otherwise.
func (s *Server) Serve(handler http.Handler, failed func(error)) {
	s.http.Handler = s.guarded(handler)
	limited := limitPeers(s.listener, s.options.PerPeer, s.options.Proxies, s.options.Log)
	s.serving = watchedListener{netutil.LimitListener(limited, s.options.Connections)}
	serve := s.http.Serve
	if s.http.TLSConfig != nil {
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	go func() {
		defer close(s.ended)
		if err := serve(s.serving); s.draining.Err() == nil && !errors.Is(err, http.ErrServerClosed) {
			failed(err)
		}
	}()
}

// guarded makes some answers the last ones of their connections, and tracks what each HTTP/2 connection waits for.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Err() != nil || s.partsWith(r) {
			w.Header()["Connection"] = []string{"close"} // in HTTP/2 it is a GOAWAY
		}
		// On HTTP/1 an answer waits in a write to the connection. On HTTP/2 it may wait for the client's window, which
		// the connection does not see.
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		if c == nil || r.ProtoMajor < 2 {
			next.ServeHTTP(w, r)
			readRest(w, r)
			return
		}
		a := &streamAnswer{ResponseWriter: w, connection: c}
		c.change(func() { c.multiplex, c.unanswered = true, c.unanswered+1 })
		defer a.end()
		next.ServeHTTP(a, r)
	})
}

// mostRest is more than the largest body that an operation takes, and what proxies let through.
const mostRest = 2 << 20

// readRest reads what a handler has left of a body if the client closes the connection after the answer, as nginx does
// by default. Without it the connection is reset while the client still sends, and the client loses the answer: nginx
// answers
// 502. net/http does so only on connections that go on. A client that waits for 100 Continue sends nothing, and an
// answer that closes the connection itself is for clients from which no more is read.
func readRest(w http.ResponseWriter, r *http.Request) {
	if r.Close && w.Header().Get("Connection") == "" && r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, mostRest)
	}
}

// partsWith ends connections while many are open: from a quarter of the limit on, the answer to a request without a
// credential is the last one. That frees some 20 KB per connection, which a client that takes one byte of a long answer
// and hangs up later would hold.
func (s *Server) partsWith(r *http.Request) bool {
	stranger := r.Header.Get("Authorization") == "" && r.Header.Get("Cookie") == ""
	return stranger && r.ProtoMajor == 1 && s.open.count.Load() > int64(max(1, s.options.Connections/4))
}

// Stop turns readiness off, takes no new connections and answers each request whose header it has read. What is left
// after DrainTime is cut off, so that a client that does not read can't delay the end. No effect is cut off: it began
// in the first ten seconds of the drain, and its own limit of 10 seconds is over.
func (s *Server) Stop(ctx context.Context) error {
	s.drain()
	ctx, cancel := context.WithTimeout(ctx, DrainTime)
	defer cancel()
	_ = s.serving.Close() // fails if serving has ended by itself
	<-s.ended
	s.open.drain(ctx)
	err := s.http.Shutdown(ctx)
	if err != nil && errors.Is(err, ctx.Err()) {
		s.options.Log.Warn("connections that did not end in time are closed", slog.Int64("connections", s.open.count.Load()))
		s.abandon(ErrStopping) // also reaches a request that does not use its connection
		err = s.http.Close()
	}
	return err
}

// Close releases the port, and cuts off what is under way.
func (s *Server) Close() error {
	s.drain()
	switch {
	case s.serving != nil:
		err := s.http.Close()
		<-s.ended
		return err
	case s.listener != nil:
		return s.listener.Close()
	}
	return nil
}
