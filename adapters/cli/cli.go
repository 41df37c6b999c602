// Package cli implements the command line: commands, flags, prompts, output and exit codes. A Program does the work of
// the commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/operate"
	"resellerd/application/rekey"
	"resellerd/application/transfer"
	"resellerd/domain/profile"
)

// Exit codes of the command line, besides 0.
const (
	ExitFailed = 1
	ExitUsage  = 2 // the command line or the configuration is wrong
	// findings of an audit, in the source of a copy or in a backup; an import refused a row; rekey can't open a record
	ExitFound  = 3
	ExitExists = 4 // restore: the target exists and is unchanged
)

// Program does the work of the commands.
type Program interface {
	// Serve runs the service until a signal or a failure ends it. The log begins with the cautions.
	Serve(f ServeFlags, cautions []string, stdout, stderr io.Writer) error
	// Sandbox runs the service on a store in memory, with a clock that its clients set.
	Sandbox(f SandboxFlags, cautions []string, stdout, stderr io.Writer) error
	// Check returns the faults of the service's settings.
	Check(f ServeFlags) error
	// Store returns the store that the flags name, checked and not yet opened. It adds the faults of the flags to
	// wrong. withKey reads the service key as well, which only commands that decrypt content need.
	Store(f StoreFlags, withKey bool, stderr io.Writer, wrong *Misconfiguration) Store
	// Transfer returns the copy that the flags request, checked and not yet begun. It adds the faults of the flags to
	// wrong.
	Transfer(f CopyFlags, stderr io.Writer, wrong *Misconfiguration) Transfer
	// Backup returns the backups that the flags request, checked and not yet begun, and their interval, 0 for one
	// backup. It adds the faults of the flags to wrong.
	Backup(f BackupFlags, stderr io.Writer, wrong *Misconfiguration) (work Backup, every time.Duration)
	// Restore returns the restore that the flags request, checked and not yet begun. It adds the faults of the flags to
	// wrong.
	Restore(f RestoreFlags, wrong *Misconfiguration) Restore
	// Password returns a new password, for a reseller created without one.
	Password() profile.Secret
	// OpenAPI returns the document of the HTTP interface of a service with this base path.
	OpenAPI(basePath string) ([]byte, error)
}

// Store is a store as commands use it. A service may run on it at the same time.
type Store interface {
	// UseCases opens the store, which must exist, and passes the use cases on it to do.
	UseCases(ctx context.Context, do func(*application.Service) error) error
	// Audit opens the store, which must exist, for reading only, and audits it.
	Audit(ctx context.Context, o audit.Options) (audit.Verdict, error)
	// Repair opens the store, which must exist, and repairs its lists.
	Repair(ctx context.Context) (operate.Repaired, error)
	// Events opens the store, which must exist, for reading only, and passes the entries of its journal that q selects
	// to each, in their order. It passes to report each entry that it can't read. An unknown account is
	// fault.ErrNotFound.
	Events(ctx context.Context, q operate.EventQuery, report func(finding string), each func(operate.Event) error) error
	// Report opens the store, which must exist, for reading only, and sums its movements and trials of a time.
	Report(ctx context.Context, from, to time.Time, progress func(movements int64)) (operate.Report, error)
	// Rekey opens the store, which must exist, and seals everything in it under the configured service key, in place of
	// the previous service key.
	Rekey(ctx context.Context, o rekey.Options) (rekey.Result, error)
}

// Transfer is a copy of a store into another one.
type Transfer interface {
	// Run opens both ends and copies.
	Run(ctx context.Context, o transfer.Options) (transfer.Result, error)
	// KeyFiles returns the path at which the target looks for its service key, and the service key file of the source;
	// "" if there is none.
	KeyFiles() (ofTarget, ofSource string)
}

type commandLine struct {
	Serve        serveCommand         `cmd:"" help:"Run the service."`
	Sandbox      sandboxCommand       `cmd:"" help:"Run the service in memory, with sample accounts and lines and a clock that you can set forward."`
	Admin        adminCommands        `cmd:"" help:"Create, list and block administrators, set passwords and remove a lost second factor, directly in the store; the service may run."`
	Key          keyCommands          `cmd:"" help:"Create, list and revoke API keys of an account of a running service."`
	Entitlements entitlementsCommands `cmd:"" help:"Follow which customers a running service authorizes."`
	Import       importCommand        `cmd:"" help:"Import customers from another panel, or from a spreadsheet, into a running service."`
	Token        tokenCommand         `cmd:"" help:"Log in to a running service and print the token."`
	Audit        auditCommand         `cmd:"" aliases:"verify" help:"Audit every record of the store, and print each finding."`
	Events       eventsCommand        `cmd:"" help:"Print the events of the journal in order; the service may run."`
	Report       reportCommand        `cmd:"" help:"Print the totals of a month for each account; the service may run."`
	Copy         copyCommand          `cmd:"" help:"Copy all records of a store into a new one, and compare both."`
	Backup       backupCommand        `cmd:"" help:"Back up the embedded store into one file while it is served, and audit the file."`
	Restore      restoreCommand       `cmd:"" help:"Create an embedded store from a backup, and audit it. The command overwrites nothing."`
	Rekey        rekeyCommand         `cmd:"" help:"Encrypt everything in the store with a new service key; the service may run. The previous service key is in RESELLERD_SECRET_PREVIOUS, or in the key file whose name ends in .previous."`
	Health       healthCommand        `cmd:"" help:"Check whether a running service is ready."`
	OpenAPI      openAPICommand       `cmd:"" name:"openapi" help:"Print the OpenAPI document of the HTTP interface."`
	Config       configCommand        `cmd:"" help:"Print all settings and their sources, without secrets, and check them."`
	Completion   completionCommand    `cmd:"" help:"Print the completion script of a shell."`
	Version      versionCommand       `cmd:"" help:"Print the version."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version and exit."`
	Strict      string           `env:"RESELLERD_STRICT" default:"0" placeholder:"0|1" set:"empty=0" help:"1 makes an unknown variable that begins with RESELLERD_ an error; 0 makes it a warning."`
}

// session is one run of the command line.
type session struct {
	Program
	stdin          io.Reader
	stdout, stderr io.Writer
	line           *kong.Context
	strict         string // value of RESELLERD_STRICT
}

// Run runs the command line and returns the exit code: 0, or one of the constants of this package.
func Run(args []string, stdout, stderr io.Writer, program Program) int {
	return run(args, os.Stdin, stdout, stderr, program)
}

func run(args []string, stdin io.Reader, out, errs io.Writer, program Program) int {
	stdout, stderr := &visible{out: out}, &visible{out: errs}
	defer stdout.end()
	defer stderr.end()
	var line commandLine
	parser := grammar(&line, stdout, stderr)
	if len(args) > 0 && args[0] == completing {
		printCompletions(stdout, parser)
		return 0
	}
	command, err := parser.Parse(args)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\nresellerd --help lists the commands and flags\n", err)
		return ExitUsage
	}
	err = command.Run(&session{program, stdin, stdout, stderr, command, line.Strict})
	var wrong *Misconfiguration
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFound):
		return ExitFound
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\n", err)
		return ExitUsage
	}
	_, _ = fmt.Fprintf(stderr, "resellerd: %s\n", err)
	if errors.Is(err, operate.ErrExists) {
		return ExitExists
	}
	return ExitFailed
}

// grammar returns the parser of the command line.
func grammar(line *commandLine, stdout, stderr io.Writer) *kong.Kong {
	parser, err := kong.New(line,
		kong.Name("resellerd"),
		kong.Description("The reseller and client management service. Settings come from flags or from the environment."),
		kong.Writers(stdout, stderr),
		kong.Vars{"version": version().Version},
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, WrapUpperBound: 100}),
	)
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	addHelp(parser.Model.Node, "")
	return parser
}

// EndingSignals returns the signals that ask the process to end in order. SIGHUP is one of them, unless the process was
// started to outlive its terminal (nohup). After a second SIGINT or SIGTERM the process may end at once. A second
// SIGHUP does nothing: the terminal sends one, and the shell often another.
func EndingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hangUps, syscall.SIGHUP)
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// hangUps receives each SIGHUP, so that it never ends the process by itself. Nothing reads it.
var hangUps = make(chan os.Signal, 1)

// untilSignal returns a context that ends with the first ending signal. A second signal ends the process at once.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(context.Background(), EndingSignals()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// perform does a command's work, if all of its settings are right. The context ends with the first ending signal.
func perform[W any](s *session, prepare func(wrong *Misconfiguration) W,
	do func(ctx context.Context, work W) error) error {
	wrong := s.settings()
	work := prepare(&wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	return do(ctx, work)
}

// say writes a message to standard error.
func (s *session) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.stderr, "resellerd: "+format+"\n", args...)
}

// onStore performs a command on a store, with its service key.
func (s *session) onStore(f StoreFlags, do func(ctx context.Context, store Store) error) error {
	return perform(s, func(wrong *Misconfiguration) Store { return s.Store(f, true, s.stderr, wrong) }, do)
}

// interrupted says in an error that ctx ended.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	return err
}

type serveCommand struct{ ServeFlags }

// Run runs the command.
func (c serveCommand) Run(s *session) error {
	wrong, cautions := s.environment()
	if wrong.Err() != nil {
		return wrong.and(s.Check(c.ServeFlags))
	}
	return s.Serve(c.ServeFlags, cautions, s.stdout, s.stderr)
}

type sandboxCommand struct{ SandboxFlags }

// Run runs the command.
func (c sandboxCommand) Run(s *session) error {
	wrong, cautions := s.environment()
	if err := wrong.Err(); err != nil {
		return err
	}
	return s.Sandbox(c.SandboxFlags, cautions, s.stdout, s.stderr)
}

type openAPICommand struct {
	BasePath string `env:"RESELLERD_BASE_PATH" placeholder:"/PATH" help:"Prefix of every route but /healthz and /readyz."`
}

// Run runs the command.
func (c openAPICommand) Run(s *session) error {
	wrong := s.settings()
	if err := wrong.Err(); err != nil {
		return err
	}
	document, err := s.OpenAPI(c.BasePath)
	if err != nil {
		return err
	}
	_, err = plain(s.stdout).Write(document) // the bytes that are served
	return err
}
