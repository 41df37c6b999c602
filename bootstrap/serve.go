package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"resellerd/adapters/cli"
	"resellerd/adapters/credentials"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/profile"
	"resellerd/ports"
)

const (
	startTime = 60 * time.Second
	// stopTime covers the drain and the closing of the store.
	stopTime = drainTime + 10*time.Second

	failedLogins     = 10
	failedLoginsTime = 60 * time.Second
)

// serve runs the service until a signal or a failure ends it.
func serve(c config, stdout io.Writer, log *slog.Logger) error {
	app := fx.New(
		fx.WithLogger(func() fxevent.Logger {
			events := &fxevent.SlogLogger{Logger: log}
			events.UseLogLevel(slog.LevelDebug)
			events.UseErrorLevel(slog.LevelDebug) // what it wraps is printed, once, by Run
			return events
		}),
		graph(c, stdout, log),
	)
	if err := app.Err(); err != nil {
		if early, is := errors.AsType[*endedEarly](err); is {
			log.Info("stopped before the store was open", slog.Any("cause", early.err))
			return nil
		}
		return dig.RootCause(err)
	}
	stop := app.Wait() // before the start: a signal that comes during it counts
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := app.Start(ctx); err != nil {
		return err
	}
	ended := <-stop
	ctx, cancel = context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := app.Stop(ctx); err != nil {
		return err
	}
	if ended.ExitCode != 0 {
		return errors.New("the service ended by itself; the log has the cause")
	}
	log.Info("stopped")
	return nil
}

// graph says which parts there are and what each is made of.
func graph(c config, stdout io.Writer, log *slog.Logger) fx.Option {
	return fx.Options(
		fx.Supply(c, log, removalInterval(time.Minute), timeSince(time.Now())),
		fx.Provide(
			openStore,
			newService,
			newServer,
			newHandler,
		),
		fx.Invoke(func(life fx.Lifecycle, end fx.Shutdowner, s *server, handler http.Handler, service *application.Service, every removalInterval, clock clock) {
			life.Append(fx.StartStopHook(
				func(ctx context.Context) error {
					if err := s.listen(ctx); err != nil {
						return err
					}
					if err := firstAdmin(ctx, service, c, stdout, log); err != nil {
						return errors.Join(err, s.listener.Close())
					}
					s.serve(handler, func(err error) {
						log.Error("serving ended", slog.Any("error", err))
						_ = end.Shutdown(fx.ExitCode(1)) // fails only where the end has begun
					})
					return nil
				},
				s.stop,
			))
			life.Append(forgetKeys(service, every, clock, log))
		}),
	)
}

// endedEarly says that the process was asked to end while it opened its store, and
// what became of that.
type endedEarly struct{ err error }

func (e *endedEarly) Error() string { return fmt.Sprintf("asked to end: %v", e.err) }

func openStore(life fx.Lifecycle, c config, log *slog.Logger) (ports.Store, *servicekey.Keyring, error) {
	// No deadline: what may hang has its own, and to bring older records up to date
	// takes as long as it needs. But whoever asks the process to end is heard.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	store, keyring, err := c.open(ctx, log)
	if ctx.Err() != nil {
		if err == nil {
			err = store.Close()
		}
		return nil, nil, &endedEarly{err}
	}
	if err != nil {
		return nil, nil, err
	}
	if c.opener.Caution != nil {
		if caution := c.opener.Caution(c.address); caution != "" {
			log.Warn(caution)
		}
	}
	life.Append(fx.StopHook(store.Close))
	return store, keyring, nil
}

func newService(c config, store ports.Store, keyring *servicekey.Keyring) *application.Service {
	return application.New(dependencies(store, keyring), c.policy)
}

func dependencies(store ports.Store, keyring *servicekey.Keyring) application.Dependencies {
	return application.Dependencies{
		Store:     store,
		Clock:     now,
		Generator: credentials.Generator{},
		Hasher:    credentials.NewHasher(passwordCost(), 0),
		Tokens:    keyring,
		Vault:     keyring,
		Limiter:   loginlimit.New(failedLogins, failedLoginsTime, now),
	}
}

// leastPasswordCost is set in the binary that the tests drive, by the linker:
// -X resellerd/bootstrap.leastPasswordCost=yes.
var leastPasswordCost string

func passwordCost() credentials.Cost {
	if leastPasswordCost == "yes" {
		return credentials.Least
	}
	return credentials.Recommended
}

// now is the service's clock: UTC, to the millisecond that every store keeps.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func newHandler(c config, s *server, service *application.Service, log *slog.Logger) (http.Handler, error) {
	return httpapi.New(httpapi.Options{
		Service:        service,
		Ready:          s.ready,
		Log:            log,
		BasePath:       c.basePath,
		TrustedProxies: c.proxies,
	})
}

// firstAdmin makes the first admin in an empty store. A generated password goes
// to standard output, once, and never to the log.
func firstAdmin(ctx context.Context, service *application.Service, c config, stdout io.Writer, log *slog.Logger) error {
	empty, err := service.Empty(ctx)
	if err != nil {
		return err
	}
	if !empty {
		if c.adminGiven {
			log.Warn("the store has accounts: RESELLERD_ADMIN_USERNAME and RESELLERD_ADMIN_PASSWORD are ignored; 'resellerd admin' makes or mends an admin")
		}
		return nil
	}
	password := credentials.Generator{}.Password()
	if c.adminPassword != nil {
		password = *c.adminPassword
	}
	err = service.CreateAdmin(ctx, c.admin, password)
	if errors.Is(err, profile.ErrUsernameTaken) {
		return nil // another process was first
	}
	if err != nil {
		return fmt.Errorf("make the first admin: %w", err)
	}
	log.Info("first admin made", slog.String("username", c.admin.String()))
	if c.adminPassword == nil {
		err = cli.ShowFirstAdmin(stdout, c.admin, password)
	}
	return err
}
