package bootstrap

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"resellerd/adapters/backupfolder"
	"resellerd/adapters/cli"
	"resellerd/adapters/console"
	"resellerd/adapters/credentials"
	"resellerd/adapters/heap"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/httpserver"
	"resellerd/adapters/logging"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/onetime"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/telemetry"
	"resellerd/adapters/webhooks"
	"resellerd/application"
	"resellerd/application/background"
	"resellerd/application/sandbox"
	"resellerd/domain/profile"
	"resellerd/ports"
)

const (
	startTime = 60 * time.Second
	// stopTime covers the drain and the closing of the store.
	stopTime = httpserver.DrainTime + 10*time.Second

	failedLogins     = 10
	failedLoginsTime = 60 * time.Second
)

// serve runs the service until a signal or a failure ends it.
func serve(c config, stdout io.Writer, log *slog.Logger) error {
	heap.Tune(int64(credentials.Parallel()) * passwordCost().Bytes())
	ending, failed := make(chan os.Signal, 1), make(chan struct{}, 1)
	defer signal.Stop(ending)
	app := fx.New(
		fx.WithLogger(func() fxevent.Logger {
			events := &fxevent.SlogLogger{Logger: log}
			events.UseLogLevel(slog.LevelDebug)
			events.UseErrorLevel(slog.LevelDebug) // the command line prints the error itself
			return events
		}),
		graph(c, stdout, log),
		fx.Replace(
			whenOpen(func() { signal.Notify(ending, cli.EndingSignals()...) }), // also during the rest of the start
			endOfItself(func() {
				select {
				case failed <- struct{}{}:
				default:
				}
			}),
		),
	)
	if err := app.Err(); err != nil {
		return dig.RootCause(err)
	}
	// No deadline: a migration takes as long as it needs. Steps that may hang have their own.
	err := app.Start(context.Background())
	if early, is := errors.AsType[*endedEarly](err); is {
		log.Info("stopped before the store was open", slog.Any("cause", early.err))
		return nil
	}
	if err != nil {
		return err
	}
	byItself := false
	select {
	case <-ending:
	case <-failed:
		byItself = true
	}
	signal.Stop(ending) // a second signal ends the process at once
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := app.Stop(ctx); err != nil {
		return err
	}
	if byItself {
		return errors.New("the service ended by itself; the log has the cause")
	}
	log.Info("stopped")
	return nil
}

// graph declares the parts and their dependencies. Constructors open and start nothing. The start hooks do this, in the
// order of the graph.
func graph(c config, stdout io.Writer, log *slog.Logger) fx.Option {
	return fx.Options(
		fx.Supply(c, log, fx.Annotate(stdout, fx.As(new(io.Writer))), removalInterval(time.Minute), sinceNow(),
			new(background.Figures), whenOpen(func() {}), endOfItself(func() {})),
		fx.Provide(
			servicekey.NewWatch,
			newTelemetry,
			newStore,
			newService,
			newServer,
			newReadiness,
			newHandler,
			newSender,
		),
		fx.Invoke(serveOperators, serveClients, forgetExpired, runBackground),
	)
}

// serveClients takes the port, creates the first records, and then answers requests.
func serveClients(life fx.Lifecycle, c config, s *httpserver.Server, handler http.Handler, service *application.Service,
	end endOfItself, stdout io.Writer, log *slog.Logger) {
	life.Append(fx.StartStopHook(
		func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, startTime)
			defer cancel()
			if err := s.Listen(ctx); err != nil {
				return fmt.Errorf("RESELLERD_ADDR: %w", err)
			}
			if err := firstRecords(ctx, service, c, stdout, log); err != nil {
				return errors.Join(err, s.Close())
			}
			s.Serve(handler, func(err error) {
				log.Error("serving ended", slog.Any("error", err))
				end()
			})
			log.Info("listening", slog.String("addr", s.Addr().String()), slog.String("store", c.scheme),
				slog.String("base_path", c.basePath), slog.Bool("tls", c.certificate != nil))
			greet(stdout, s.Addr(), c)
			return nil
		},
		func(ctx context.Context) error {
			log.Info("stopping")
			return s.Stop(ctx)
		},
	))
}

func forgetExpired(life fx.Lifecycle, service *application.Service, every removalInterval, clock background.Clock,
	log *slog.Logger) {
	life.Append(inBackground(func(ctx context.Context) {
		ticker := time.NewTicker(time.Duration(every))
		defer ticker.Stop()
		background.Forget(ctx, service, ticker.C, clock, log)
	}))
}

// inBackground runs do from the start on. The stop ends its context and waits for it.
func inBackground(do func(ctx context.Context)) fx.Hook {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	return fx.StartStopHook(
		func() {
			go func() {
				defer close(ended)
				do(ctx)
			}()
		},
		func() {
			cancel()
			<-ended
		},
	)
}

// removalInterval is the interval at which expired idempotency records and ended sessions are removed.
type removalInterval time.Duration

// sinceNow returns a function for the system's clock and for the time since the call of sinceNow.
func sinceNow() background.Clock {
	start := time.Now()
	return func() (shown, passed time.Duration) {
		return time.Duration(time.Now().UnixNano()), time.Since(start)
	}
}

// whenOpen is called when the store is open. Until then a signal ends the opening.
type whenOpen func()

// endOfItself ends the process without a signal. Only the first call counts.
type endOfItself func()

// endedEarly is the result of opening the store that a signal ended.
type endedEarly struct{ err error }

func (e *endedEarly) Error() string { return fmt.Sprintf("ended by a signal: %v", e.err) }

// lateStore is a store that a start hook opens. No part uses it before.
type lateStore struct{ ports.Store }

// newStore returns the store for the other parts.
func newStore(life fx.Lifecycle, c config, keys *servicekey.Watch, shown *telemetry.Telemetry, log *slog.Logger,
	opened whenOpen, end endOfItself) ports.Store {
	store := &lateStore{}
	life.Append(fx.StartStopHook(
		func() (err error) {
			// The first signal ends the opening in order, the second at once.
			ctx, stop := signal.NotifyContext(context.Background(), cli.EndingSignals()...)
			defer stop()
			context.AfterFunc(ctx, stop)
			store.Store, err = c.open(ctx, logging.Migrations(log), keys)
			if err == nil {
				shown.Watch(store.Store)
				store.Store = shown.Store(store.Store)
				opened()
			}
			if ctx.Err() != nil {
				if err == nil {
					err = store.Close()
				}
				return &endedEarly{err}
			}
			if err == nil && c.sandbox == nil { // the user of a sandbox knows that it stores nothing
				if caution := c.opener.Caution(c.address); caution != "" {
					log.Warn(caution)
				}
			}
			return err
		},
		func() error { return store.Close() },
	))
	// It follows the service key from before the first command until after the last.
	life.Append(inBackground(func(ctx context.Context) {
		if err := keys.Follow(ctx); err != nil {
			log.Error("the service key no longer belongs to the store", slog.Any("error", err))
			end()
		}
	}))
	return store
}

func newService(c config, store ports.Store, keys *servicekey.Watch, shown *telemetry.Telemetry,
	log *slog.Logger) *application.Service {
	needs := dependencies(store, keys, c.clock)
	needs.Observer = shown
	kind, _, _ := strings.Cut(c.scheme, "+") // without the way to find a server, as in mongodb+srv
	needs.Process = application.Process{Version: cli.Version(), Store: kind, Started: c.clock()}
	if _, is := c.opener.(FileOpener); is {
		needs.Process.Backups = backupfolder.BackupsOf(c.backupDir, c.address, log)
	}
	return application.New(needs, c.policy)
}

// secrets are the ports that a service key implements.
type secrets interface {
	ports.Tokens
	ports.Vault
}

// dependencies returns the ports of the use cases on this store and with this clock.
func dependencies(store ports.Store, keyring secrets, clock ports.Clock) application.Dependencies {
	return application.Dependencies{
		Store:     store,
		Clock:     clock,
		Generator: credentials.Generator{},
		Hasher:    credentials.NewHasher(passwordCost(), 0),
		Tokens:    keyring,
		Vault:     keyring,
		Codes:     onetime.Codes{Issuer: "resellerd"},
		Limiter:   loginlimit.New(failedLogins, failedLoginsTime, clock),
	}
}

// leastPasswordCost is for the binary of the tests. The linker sets it: -X resellerd/bootstrap.leastPasswordCost=yes.
var leastPasswordCost string

func passwordCost() credentials.Cost {
	if leastPasswordCost == "yes" {
		return credentials.Least
	}
	return credentials.Recommended
}

// aheadInTests is for a second binary of the tests, so that the clocks of both differ. The linker sets it:
// -X resellerd/bootstrap.aheadInTests=37s.
var aheadInTests string

var ahead, _ = time.ParseDuration(aheadInTests) // 0 if unset

// now is the service's clock: UTC, to the millisecond, which every store can store.
func now() time.Time { return time.Now().Add(ahead).UTC().Truncate(time.Millisecond) }

func newServer(c config, log *slog.Logger) *httpserver.Server {
	return httpserver.New(httpserver.Options{
		Addr: c.addr, Certificate: c.certificate, Connections: c.maxConnections, PerPeer: c.maxPerPeer,
		Proxies: c.proxies, Log: log,
	})
}

// readiness is the check of /readyz.
type readiness func(ctx context.Context) error

func newReadiness(s *httpserver.Server, store ports.Store) readiness {
	return func(ctx context.Context) error {
		if err := s.Ready(); err != nil {
			return fmt.Errorf("%w: %w", ports.ErrUnavailable, err)
		}
		return store.Ready(ctx)
	}
}

func newHandler(c config, s *httpserver.Server, ready readiness, service *application.Service,
	shown *telemetry.Telemetry, log *slog.Logger) (http.Handler, error) {
	options := httpapi.Options{
		Service:        service,
		Ready:          ready,
		Log:            log,
		BasePath:       c.basePath,
		TrustedProxies: c.proxies,
		Draining:       s.Draining(),
		Observer:       shown,
		Console:        console.Of(c.brand),

		RequestsPerMinute: c.requests,
	}
	if c.sandbox != nil {
		options.TestClock = c.sandbox
	}
	return httpapi.New(options)
}

// newSender returns the sender of webhooks. It is closed after all parts that use it.
func newSender(life fx.Lifecycle, c config) *webhooks.Sender {
	sender := webhooks.New(webhooks.Options{Allow: c.webhooks})
	life.Append(fx.StopHook(sender.Close))
	return sender
}

func runBackground(life fx.Lifecycle, service *application.Service, sender *webhooks.Sender,
	figures *background.Figures, clock background.Clock, log *slog.Logger) {
	work := background.Options{Service: service, Figures: figures}
	work.Process, work.After, work.Log = rand.Text(), time.After, log
	work.Sender, work.Encode, work.Spread = sender, httpapi.EncodeEvent, mathrand.Float64
	work.Passed = func() time.Duration {
		_, passed := clock()
		return passed
	}
	life.Append(inBackground(func(ctx context.Context) { background.Run(ctx, work) }))
}

// firstRecords creates the records that a service needs at its start.
func firstRecords(ctx context.Context, service *application.Service, c config, stdout io.Writer,
	log *slog.Logger) error {
	if err := firstAdmin(ctx, service, c, stdout, log); err != nil || c.sandbox == nil {
		return err
	}
	present := func() error {
		_, err := c.sandbox.Forward(func(time.Time) time.Time { return now() })
		return err
	}
	if err := sandbox.Fill(ctx, service, c.admin.String(), present, time.Sleep); err != nil {
		return fmt.Errorf("fill the sandbox: %w", err)
	}
	return nil
}

// firstAdmin creates the first administrator in an empty store. A generated password goes to standard output, once, and
// never to the log.
func firstAdmin(ctx context.Context, service *application.Service, c config, stdout io.Writer, log *slog.Logger) error {
	if err := service.Epochs.Begin(ctx); err != nil {
		return fmt.Errorf("begin the journal: %w", err)
	}
	empty, err := service.Admins.Empty(ctx)
	if err != nil {
		return err
	}
	if !empty {
		if c.adminGiven {
			log.Warn(
				"the store has accounts: RESELLERD_ADMIN_USERNAME and RESELLERD_ADMIN_PASSWORD are ignored; use 'resellerd admin' for administrators")
		}
		return nil
	}
	password := credentials.Generator{}.Password()
	if c.adminPassword != nil {
		password = *c.adminPassword
	}
	err = service.Admins.Create(ctx, c.admin, password)
	if errors.Is(err, profile.ErrUsernameTaken) {
		return nil // another process was first
	}
	if err != nil {
		return fmt.Errorf("create the first administrator: %w", err)
	}
	log.Info("first administrator created", slog.String("username", c.admin.String()))
	if c.adminPassword == nil {
		err = cli.ShowFirstAdmin(stdout, c.admin, password)
	}
	return err
}
