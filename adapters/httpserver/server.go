// Package httpserver implements an HTTP/1.1 and HTTP/2 server on net/http: TLS, limits of connections, time limits, and
// a drain that loses no request. It knows no operation of the API.
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
	// DrainTime is how long running requests may take after Stop begins.
	DrainTime = 20 * time.Second
	// headerTime is the time limit for a request's header.
	headerTime = 5 * time.Second
	// maxStreams bounds the concurrent requests on one HTTP/2 connection.
	maxStreams = 100
)

// ErrStopping is the error of Ready in a server that stops.
var ErrStopping = errors.New("the process is stopping")

// Options are the address and the limits of a server.
type Options struct {
	Addr        string
	Certificate *Certificate   // nil: plain HTTP
	Connections int            // maximum of open ones, others wait
	PerPeer     int            // maximum of one peer, 0: no limit
	Proxies     []netip.Prefix // PerPeer does not apply to them: they connect for many clients
	WriteTime   time.Duration  // for an answer, 0: 30 seconds
	IdleTime    time.Duration  // of a connection between two requests, 0: 60 seconds
	Log         *slog.Logger
}

// Server is a listener. Call Listen, then Serve, then Stop or Close.
type Server struct {
	options  Options
	http     *http.Server
	listener net.Listener
	serving  net.Listener // listener with its limits, nil before Serve
	open     *connections
	draining context.Context         // ends when Stop or Close begins
	drain    context.CancelFunc      // ends draining
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

// Listen binds the port, so that a used port fails the start before anything else is done.
func (s *Server) Listen(ctx context.Context) (err error) {
	s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", s.options.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w: another process uses this address; choose another one, or port 0 for any free port", err)
	}
	if err == nil && s.options.Certificate != nil {
		s.options.Certificate.warn(time.Now())
	}
	return err
}

// Addr returns the address of the listener, nil if there is none.
func (s *Server) Addr() net.Addr {
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Ready returns ErrStopping after Stop or Close has begun.
func (s *Server) Ready() error {
	if s.draining.Err() != nil {
		return ErrStopping
	}
	return nil
}

// Draining returns a context that ends when Stop or Close begins. Requests that wait must then be answered.
func (s *Server) Draining() context.Context { return s.draining }

// Serve begins to answer requests, until Stop or Close. It calls failed if serving ends otherwise.
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

// guarded makes some answers the last ones of their connections, and tracks the unanswered requests of each HTTP/2
// connection.
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

// mostRest is more than the largest body of an operation, and than the largest body that proxies accept.
const mostRest = 2 << 20

// readRest reads the rest of a body after the handler if the client closes the connection after the answer, as nginx
// does by default. Without it the connection is reset while the client still sends, and the client loses the answer:
// nginx answers 502. net/http reads the rest only on connections that continue. A client that waits for 100 Continue
// sends nothing. If the answer itself closes the connection, the server reads no more.
func readRest(w http.ResponseWriter, r *http.Request) {
	if r.Close && w.Header().Get("Connection") == "" && r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, mostRest)
	}
}

// partsWith ends connections while many are open. Above a quarter of the limit, the answer to a request without a
// credential is the last one. That frees about 20 KB per connection, which a client could otherwise hold: it reads one
// byte of a long answer and disconnects later.
func (s *Server) partsWith(r *http.Request) bool {
	stranger := r.Header.Get("Authorization") == "" && r.Header.Get("Cookie") == ""
	return stranger && r.ProtoMajor == 1 && s.open.count.Load() > int64(max(1, s.options.Connections/4))
}

// Stop turns readiness off, accepts no new connections and answers each request whose header it has read. It cuts off
// the requests that still run after DrainTime, so that a client that does not read can't delay the end. It cuts off no
// effect: every effect began in the first ten seconds of the drain, and its own limit of 10 seconds is over.
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

// Close releases the port, and cuts off running requests.
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
