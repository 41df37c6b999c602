package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"resellerd/ports"
)

// drainTime is how long requests under way may take after a stop is asked for.
const drainTime = 20 * time.Second

var errStopping = errors.New("the process is stopping")

// server is the listener and its life: it is ready from start until stop.
type server struct {
	http   *http.Server
	config config
	store  ports.Store
	log    *slog.Logger

	listener    net.Listener
	serving     net.Listener // the same, with its limits
	open        *connections
	connections atomic.Int64
	draining    atomic.Bool
	abandon     context.CancelCauseFunc // ends the context of every request
	ended       chan struct{}
}

func newServer(c config, store ports.Store, log *slog.Logger) *server {
	requests, abandon := context.WithCancelCause(context.Background())
	s := &server{
		http: &http.Server{
			ReadHeaderTimeout: headerTime,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      30 * time.Second,
			IdleTimeout:       60 * time.Second,
			MaxHeaderBytes:    12 << 10, // the server adds 4 KiB
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
			TLSConfig:         c.tls,

			DisableGeneralOptionsHandler: true, // OPTIONS * is an unknown route like any other
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
			BaseContext:                  func(net.Listener) context.Context { return requests },
		},
		config:  c,
		store:   store,
		log:     log,
		abandon: abandon,
		ended:   make(chan struct{}),
	}
	s.http.ConnState = s.count
	if c.certificate != nil {
		c.certificate.log = log
	}
	return s
}

// count keeps the number of connections.
func (s *server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connections.Add(-1)
	case http.StateActive, http.StateIdle:
	}
}

// partsWithStrangers ends connections while many are open: of a quarter of those that there may be on, the answer to a
// request without a credential is the last one. What it takes to keep a connection, some 20 KB, is then for others: who
// takes a byte of a long answer and hangs up later would hold it until then.
func (s *server) partsWithStrangers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stranger := r.Header.Get("Authorization") == "" && r.Header.Get("Cookie") == ""
		if stranger && r.ProtoMajor == 1 && s.connections.Load() > int64(max(1, s.config.maxConnections/4)) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// ready is what /readyz asks.
func (s *server) ready(ctx context.Context) error {
	if s.draining.Load() {
		return fmt.Errorf("%w: %w", ports.ErrUnavailable, errStopping)
	}
	return s.store.Ready(ctx)
}

// listen takes the port, so that a taken one fails the start before anything else happens.
func (s *server) listen(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.config.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w: another process has it; name another one, or port 0 for any that is free", err)
	}
	if err != nil {
		return fmt.Errorf("RESELLERD_ADDR: %w", err)
	}
	s.listener = listener
	return nil
}

// serve answers requests until stop; failed is called where it ends otherwise.
func (s *server) serve(handler http.Handler, failed func(error)) {
	s.http.Handler = s.partsWithStrangers(handler)
	s.serving, s.open = closeStalled(s.http, netutil.LimitListener(limitPeers(s.listener, s.config.maxPerPeer, s.config.proxies, s.log), s.config.maxConnections))
	go func() {
		defer close(s.ended)
		var err error
		if s.config.tls != nil {
			err = s.http.ServeTLS(s.serving, "", "")
		} else {
			err = s.http.Serve(s.serving)
		}
		if !s.draining.Load() && !errors.Is(err, http.ErrServerClosed) {
			failed(err)
		}
	}()
	s.log.Info("listening",
		slog.String("addr", s.listener.Addr().String()),
		slog.String("store", s.config.scheme),
		slog.String("base_path", s.config.basePath),
		slog.Bool("tls", s.config.tls != nil))
}

// stop turns readiness off, takes no new connections and answers each request of which it has read the header. What is
// left after drainTime is cut off, so that a client that does not read can't hold up the end. An effect is not: it
// began in the first ten seconds of the drain, and its own limit of 10 seconds is over.
func (s *server) stop(ctx context.Context) error {
	s.draining.Store(true)
	s.log.Info("stopping")
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	_ = s.serving.Close() // fails where serving has ended by itself
	<-s.ended
	s.open.drain(ctx)
	err := s.http.Shutdown(ctx)
	if err != nil && errors.Is(err, ctx.Err()) {
		s.log.Warn("connections that did not end in time are closed", slog.Int64("connections", s.connections.Load()))
		s.abandon(errStopping) // also reaches a request that never looks at its connection
		err = s.http.Close()
	}
	return err
}
