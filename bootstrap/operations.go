package bootstrap

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.uber.org/fx"
	"golang.org/x/net/netutil"

	"resellerd/adapters/cli"
	"resellerd/adapters/telemetry"
	"resellerd/domain/profile"
)

// operationsConfig is what the settings say of those who run the service.
type operationsConfig struct {
	addr      string // of the administrative listener, "": none
	mayFail   bool   // nobody asked for this address: where it is taken, there is no listener
	profiles  bool
	collector *telemetry.Collector // nil: no traces
}

// defaultAdminAddr is that of the administrative listener where nothing is set.
const defaultAdminAddr = "127.0.0.1:8081"

func checkOperations(f cli.ServeFlags, wrong *cli.Misconfiguration) (c operationsConfig) {
	switch f.AdminAddr {
	case "":
		c.addr, c.mayFail = defaultAdminAddr, true
	case "off":
	default:
		c.addr = f.AdminAddr
		wrong.Add("RESELLERD_ADMIN_ADDR", checkListen(f.AdminAddr))
	}
	switch f.PProf {
	case "0", "":
	case "1":
		c.profiles = true
		if c.addr == "" {
			wrong.Add("RESELLERD_PPROF", errors.New("profiles are shown by the administrative listener, which RESELLERD_ADMIN_ADDR turns off"))
		}
	default:
		wrong.Add("RESELLERD_PPROF", fmt.Errorf("%q is neither 0 nor 1", f.PProf))
	}
	return c
}

// checkCollector returns where traces go, nil for nowhere.
func checkCollector(f cli.ServeFlags, wrong *cli.Misconfiguration) *telemetry.Collector {
	collector := telemetry.Collector{Service: cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), "resellerd")}
	var err error
	collector.Ratio, err = strconv.ParseFloat(cmp.Or(f.TraceRatio, "1"), 64)
	if err == nil && !(collector.Ratio >= 0 && collector.Ratio <= 1) {
		err = fmt.Errorf("%q is no number from 0 to 1", f.TraceRatio)
	}
	wrong.Add("RESELLERD_TRACE_RATIO", err)
	name, endpoint, path := "RESELLERD_OTLP_ENDPOINT", f.OTLPEndpoint, "/v1/traces"
	if endpoint == "" {
		name, path = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "" // which is the whole address
		endpoint = os.Getenv(name)
	}
	if endpoint == "" {
		name, path = "OTEL_EXPORTER_OTLP_ENDPOINT", "/v1/traces"
		endpoint = os.Getenv(name)
	}
	if endpoint == "" {
		return nil
	}
	if collector.URL, err = tracesURL(endpoint, path); err != nil {
		wrong.Add(name, err)
	}
	if collector.Headers, err = headersOf(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS")); err != nil {
		wrong.Add("OTEL_EXPORTER_OTLP_HEADERS", err)
	}
	return &collector
}

// tracesURL is the address of a collector's traces. The error says nothing of a password that the address has.
func tracesURL(endpoint, path string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is no address such as http://localhost:4318", cli.RedactedAddress(endpoint))
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	return u.String(), nil
}

// headersOf reads the list of the OpenTelemetry specification: name=value,... with values escaped as in a URL. The
// error says nothing of a value.
func headersOf(list string) (map[string]profile.Secret, error) {
	headers := map[string]profile.Secret{}
	for entry := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, found := strings.Cut(entry, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil || strings.ContainsAny(value, "\r\n\x00") {
			return nil, errors.New("it is no list such as name=value,name=value")
		}
		headers[name] = profile.NewSecret(value)
	}
	return headers, nil
}

// newTelemetry returns what shows the service to those who run it. It is made before what it shows, and so ends after
// it: the last spans are sent when nothing makes any more.
func newTelemetry(life fx.Lifecycle, c config, log *slog.Logger) *telemetry.Telemetry {
	shown := telemetry.New(c.operations.collector, log)
	life.Append(fx.StopHook(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, lastSpansTime)
		defer cancel()
		return shown.Close(ctx)
	}))
	return shown
}

const (
	// lastSpansTime is how long a collector may take for what is left at the end.
	lastSpansTime = 3 * time.Second
	// adminConnections bounds what an administrative listener that others can reach costs.
	adminConnections = 64
)

// adminServer is the administrative listener and its life. It serves from after the service does until after that has
// ended, so that a drain can be watched.
type adminServer struct {
	config operationsConfig
	http   *http.Server
	log    *slog.Logger

	listener net.Listener  // nil: none
	ended    chan struct{} // nil until it serves
}

func newAdminServer(c config, s *server, shown *telemetry.Telemetry, log *slog.Logger) *adminServer {
	shown.Ready(s.ready)
	return &adminServer{
		config: c.operations,
		http: &http.Server{
			Handler:           adminHandler(c.operations, s.ready, shown.Figures()),
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      2 * time.Minute, // a profile takes as long as it is asked to
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    12 << 10,
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		log: log,
	}
}

// adminHandler shows figures, health and, where they are asked for, profiles.
func adminHandler(c operationsConfig, ready func(context.Context) error, figures http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", figures)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
		defer cancel()
		if ready(ctx) != nil {
			say(w, http.StatusServiceUnavailable, "not ready")
			return
		}
		say(w, http.StatusOK, "ready")
	})
	if c.profiles {
		// Without the command line: an address of a store may stand there, with a password.
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

func say(w http.ResponseWriter, status int, what string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"status": what})
}

// listen takes the port. Where it is taken, that fails the start, unless nobody asked for this address: two services on
// one machine both start.
func (a *adminServer) listen(ctx context.Context) (err error) {
	if a.config.addr == "" {
		return nil
	}
	a.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", a.config.addr)
	if err != nil && a.config.mayFail {
		a.log.Warn("there is no administrative listener, for its default address can't be had: set RESELLERD_ADMIN_ADDR to another, or to off", slog.Any("error", err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("RESELLERD_ADMIN_ADDR: %w", err)
	}
	return nil
}

// close gives up the port of a listener that does not serve yet.
func (a *adminServer) close() error {
	if a.listener == nil {
		return nil
	}
	return a.listener.Close()
}

// serve answers until stop. The service goes on where this ends by itself.
func (a *adminServer) serve() {
	if a.listener == nil {
		return
	}
	a.ended = make(chan struct{})
	go func() {
		defer close(a.ended)
		if err := a.http.Serve(netutil.LimitListener(a.listener, adminConnections)); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("the administrative listener ended", slog.Any("error", err))
		}
	}()
	a.log.Info("administrative listener", slog.String("addr", a.listener.Addr().String()), slog.Bool("pprof", a.config.profiles))
}

// stop ends what is under way: nobody waits for a figure or a profile.
func (a *adminServer) stop() error {
	if a.ended == nil {
		return nil
	}
	err := a.http.Close()
	<-a.ended
	return err
}
