package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.uber.org/fx"

	"resellerd/adapters/cli"
	"resellerd/adapters/httpserver"
	"resellerd/adapters/telemetry"
	"resellerd/application/background"
	"resellerd/domain/profile"
)

// operationsConfig is the settings for operators.
type operationsConfig struct {
	addr      string // of the administrative listener, "": none
	mayFail   bool   // the address is the default: if it is taken, there is no listener
	profiles  bool
	collector *telemetry.Collector // nil: no traces
}

// defaultAdminAddr is the default address of the administrative listener.
const defaultAdminAddr = "127.0.0.1:8081"

func checkOperations(f cli.ServeFlags, wrong *cli.Misconfiguration) (c operationsConfig) {
	switch f.AdminAddr {
	case "":
		c.addr, c.mayFail = defaultAdminAddr, true
	case "off":
	default:
		c.addr = f.AdminAddr
		wrong.Add("RESELLERD_ADMIN_ADDR", cli.CheckListen(f.AdminAddr))
	}
	switch f.PProf {
	case "0", "":
	case "1":
		c.profiles = true
		if c.addr == "" {
			wrong.Add("RESELLERD_PPROF",
				errors.New("profiles are shown by the administrative listener, which RESELLERD_ADMIN_ADDR turns off"))
		}
	default:
		wrong.Add("RESELLERD_PPROF", fmt.Errorf("%q is neither 0 nor 1", f.PProf))
	}
	return c
}

// checkCollector returns the collector of traces, nil for none.
func checkCollector(f cli.ServeFlags, wrong *cli.Misconfiguration) *telemetry.Collector {
	collector := telemetry.Collector{Service: cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), "resellerd")}
	var err error
	collector.Ratio, err = strconv.ParseFloat(cmp.Or(f.TraceRatio, "1"), 64)
	if err != nil || !(collector.Ratio >= 0 && collector.Ratio <= 1) {
		err = fmt.Errorf("%q is not a number from 0 to 1", f.TraceRatio)
	}
	wrong.Add("RESELLERD_TRACE_RATIO", err)
	name, endpoint, path := "RESELLERD_OTLP_ENDPOINT", f.OTLPEndpoint, "/v1/traces"
	if endpoint == "" {
		name, path = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "" // the whole address
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

// tracesURL is the address of a collector's traces. The error does not show a password in the address.
func tracesURL(endpoint, path string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is no address such as http://localhost:4318", cli.RedactedAddress(endpoint))
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	return u.String(), nil
}

// headersOf reads the list of the OpenTelemetry specification: name=value,... with values escaped as in a URL. The
// error shows no value.
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

// newTelemetry returns the service's telemetry. It is made before what it observes, and so ends after it: the last
// spans are sent when no more are made.
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
	// lastSpansTime is how long a collector may take for the last spans.
	lastSpansTime = 3 * time.Second
	// adminConnections bounds the cost of a reachable administrative listener.
	adminConnections = 64
	// adminTime is how long an answer may take, since a profile takes as long as requested, and until the next request.
	adminTime = 2 * time.Minute
)

// serveOperators runs the administrative listener. It starts before the service and ends after it, so that a drain can
// be watched.
func serveOperators(life fx.Lifecycle, c config, ready readiness, shown *telemetry.Telemetry,
	beside *background.Figures, log *slog.Logger) {
	shown.Ready(ready)
	shown.Background(beside.Now)
	if c.certificate != nil {
		shown.Certificate(c.certificate.NotAfter)
	}
	o := c.operations
	if o.addr == "" {
		return
	}
	s := httpserver.New(httpserver.Options{Addr: o.addr, Connections: adminConnections, WriteTime: adminTime,
		IdleTime: adminTime, Log: log})
	life.Append(fx.StartStopHook(
		// If the port is taken, the start fails, unless the address is the default: two services on one machine both start.
		func(ctx context.Context) error {
			err := s.Listen(ctx)
			if err != nil && o.mayFail {
				log.Warn(
					"there is no administrative listener, for its default address can't be had: set RESELLERD_ADMIN_ADDR to another, or to off", slog.Any("error", err))
				return nil
			}
			if err != nil {
				return fmt.Errorf("RESELLERD_ADMIN_ADDR: %w", err)
			}
			// The service goes on if this ends by itself.
			s.Serve(httpserver.Operations(shown.Figures(), ready, o.profiles), func(err error) {
				log.Error("the administrative listener ended", slog.Any("error", err))
			})
			log.Info("administrative listener", slog.String("addr", s.Addr().String()), slog.Bool("pprof", o.profiles))
			return nil
		},
		s.Close, // cuts off what is under way: figures and profiles are not waited for
	))
}
