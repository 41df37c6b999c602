// Package bootstrap is the composition root: it reads the configuration, chooses
// the adapters, wires them, and starts and ends what runs.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"resellerd/adapters/cli"
	"resellerd/adapters/credentials"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/logging"
	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/domain/profile"
)

// Run runs the command line and returns its exit code, which cli lists.
func Run(args []string, stdout, stderr io.Writer, stores Stores) int {
	return cli.Run(args, stdout, stderr, program{stores})
}

// program implements cli.Program on these stores.
type program struct{ stores Stores }

// Password implements cli.Program.
func (program) Password() profile.Secret { return credentials.Generator{}.Password() }

// OpenAPI implements cli.Program.
func (program) OpenAPI(basePath string) ([]byte, error) {
	basePath, err := parseBasePath(basePath)
	var wrong cli.Misconfiguration
	wrong.Add("RESELLERD_BASE_PATH", err)
	return httpapi.Document(basePath), wrong.Err()
}

// Check implements cli.Program.
func (p program) Check(f cli.ServeFlags) error {
	_, err := check(f, p.stores)
	return err
}

// Serve implements cli.Program.
func (p program) Serve(f cli.ServeFlags, cautions []string, stdout, stderr io.Writer) error {
	c, err := check(f, p.stores)
	if err != nil {
		return err
	}
	return serveLogged(c, cautions, stdout, stderr)
}

// serveLogged serves, and writes lines of the log together.
func serveLogged(c config, cautions []string, stdout, stderr io.Writer) error {
	log, flush := logging.Gathering(stderr, c.logging)
	defer flush()
	for _, caution := range cautions {
		log.Warn(caution)
	}
	return serve(c, stdout, log)
}

// store implements cli.Store on what its settings name.
type store struct {
	storeConfig
	log *slog.Logger
}

// Store implements cli.Program.
func (p program) Store(f cli.StoreFlags, withKey bool, stderr io.Writer, wrong *cli.Misconfiguration) cli.Store {
	c := parse(f, p.stores, wrong)
	if withKey {
		c.keys = readKeys(f, c, wrong)
	}
	return store{c, logging.New(stderr, c.logging)}
}

// UseCases implements cli.Store.
func (s store) UseCases(ctx context.Context, do func(*application.Service) error) (err error) {
	if err := s.opener.exists(s.address); err != nil {
		return fmt.Errorf("RESELLERD_STORE: %w", err)
	}
	opened, keyring, err := s.open(ctx, s.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return do(application.New(dependencies(opened, keyring, now), application.Policy{}))
}

// Audit implements cli.Store. It needs no service key: a backup is audited apart from it, and nothing is decrypted.
func (s store) Audit(ctx context.Context, o audit.Options) (verdict audit.Verdict, err error) {
	if err := s.opener.exists(s.address); err != nil {
		return verdict, fmt.Errorf("RESELLERD_STORE: %w", err)
	}
	defer func() { err = foundAltered(err, &verdict, o.Report) }()
	archive, err := s.opener.archive(ctx, s.address, logging.Migrations(s.log))
	if err != nil {
		return verdict, err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	if err := refuseUnfinished(ctx, archive); err != nil {
		return verdict, err
	}
	return audit.Run(ctx, archive, o)
}
