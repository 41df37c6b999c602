package logging

import (
	"log/slog"
	"time"

	"resellerd/ports"
)

// goesOn is the interval of the messages about a running migration.
const goesOn = 10 * time.Second

// Migrations logs a store's migrations, and the progress of each.
func Migrations(log *slog.Logger) ports.Migrating {
	return func(from, to int64, written func() int64) (ended func(error)) {
		began := time.Now()
		log := log.With(slog.Int64("from", from), slog.Int64("to", to))
		// the attribute that the log of requests has
		took := func() *slog.Logger { return log.With(slog.Int64("took_ms", time.Since(began).Milliseconds())) }
		log.Info("the store is being upgraded, and can't be used until that is done")
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			again := time.NewTicker(goesOn)
			defer again.Stop()
			for {
				select {
				case <-again.C:
				case <-stop:
					return
				}
				log := took()
				if written != nil {
					log = log.With(slog.Int64("written", written()))
				}
				log.Info("the store is still being upgraded")
			}
		}()
		return func(err error) {
			close(stop)
			<-stopped
			if log := took(); err != nil {
				log.Error("the store was not upgraded: the next start continues", slog.Any("error", err))
			} else {
				log.Info("the store was upgraded")
			}
		}
	}
}
