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

// operationsConfig has the settings of metrics, profiles and traces.
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
				errors.New("profiles need the administrative listener, which RESELLERD_ADMIN_ADDR turns off"))
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

// tracesURL returns the address of a collector for traces. The error does not show a password in the address.
func tracesURL(endpoint, path string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%q is no address such as http://localhost:4318", cli.RedactedAddress(endpoint))
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	return u.String(), nil
}

// headersOf reads a list of headers in the form of the OpenTelemetry specification: name=value,... with values escaped
// as in a URL. The error shows no value.
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

// newTelemetry returns the service's telemetry. It starts before the observed parts and stops after them, so that it
// sends their last spans.
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
	// adminTime bounds an answer, which is long for a profile, and the time until the next request.
	adminTime = 2 * time.Minute
)

// serveOperators runs the administrative listener. It starts before the service and stops after it, so that operators
// can watch a drain.
func serveOperators(life fx.Lifecycle, c config, ready readiness, shown *telemetry.Telemetry,
	work *background.Figures, log *slog.Logger) {
	shown.Ready(ready)
	shown.Background(work.Now)
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
		// If the port is taken, the start fails. With the default address it does not: two services can start on one machine.
		func(ctx context.Context) error {
			err := s.Listen(ctx)
			if err != nil && o.mayFail {
				log.Warn(
					"there is no administrative listener, since its default address is not free: set RESELLERD_ADMIN_ADDR to another address, or to off", slog.Any("error", err))
				return nil
			}
			if err != nil {
				return fmt.Errorf("RESELLERD_ADMIN_ADDR: %w", err)
			}
			// The service continues if this listener fails.
			s.Serve(httpserver.Operations(shown.Figures(), ready, o.profiles), func(err error) {
				log.Error("the administrative listener ended", slog.Any("error", err))
			})
			log.Info("administrative listener", slog.String("addr", s.Addr().String()), slog.Bool("pprof", o.profiles))
			return nil
		},
		s.Close, // does not wait for metrics and profiles
	))
}
