package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"resellerd/bootstrap"
)

// serveWithProfile is resellerd with a second listener, which gives CPU profiles: the binary that is shipped has none.
// Its address goes to a file.
func serveWithProfile(address string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(address, []byte(l.Addr().String()), 0o600); err != nil {
		return err
	}
	go func() {
		err := http.Serve(l, http.HandlerFunc(pprof.Profile))
		slog.Error("no profiles any more", slog.Any("error", err))
	}()
	if status := bootstrap.Run([]string{"serve"}, os.Stdout, os.Stderr, bootstrap.DefaultStores()); status != 0 {
		return fmt.Errorf("status %d", status)
	}
	return nil
}

// profile has the server take a CPU profile of the next so many whole seconds, and writes it to a file.
func profile(address, file string, long time.Duration) (err error) {
	r, err := http.Get(fmt.Sprintf("http://%s/?seconds=%d", address, int(long.Seconds())))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("no profile: %s", r.Status)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, r.Body)
	return err
}
