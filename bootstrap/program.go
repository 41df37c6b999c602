// Package bootstrap implements the composition root: it reads the configuration, chooses the adapters, connects them,
// and starts and stops the service and the commands.
package bootstrap

import (
	"io"
	standard "log"
	"log/slog"

	"resellerd/adapters/cli"
	"resellerd/adapters/credentials"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/logging"
	"resellerd/domain/profile"
)

// Run runs the command line and returns its exit code, one of those of package cli.
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

// serveLogged serves, and writes the log in batches.
func serveLogged(c config, cautions []string, stdout, stderr io.Writer) error {
	log, flush := logging.Gathering(stderr, c.logging)
	defer flush()
	// The messages of the standard library, such as about a receiver of webhooks that sends bytes without a request.
	defer standard.SetOutput(standard.Writer())
	standard.SetOutput(slog.NewLogLogger(log.Handler(), slog.LevelDebug).Writer())
	for _, caution := range cautions {
		log.Warn(caution)
	}
	return serve(c, stdout, log)
}
