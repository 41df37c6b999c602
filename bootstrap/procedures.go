package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"resellerd/adapters/backupfolder"
	"resellerd/adapters/cli"
	"resellerd/adapters/logging"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/operate"
	"resellerd/application/rekey"
	"resellerd/domain/profile"
	"resellerd/domain/webhook"
	"resellerd/ports"
)

// store implements cli.Store with the settings of the store.
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

// on opens the store, which must exist, with its service key. It upgrades nothing, since a service may use the store.
func (s store) on(ctx context.Context,
	do func(opened ports.Store, keys *servicekey.Watch, service *application.Service) error) error {
	if err := s.exists(); err != nil {
		return err
	}
	keys := servicekey.NewWatch(s.log)
	opened, err := s.open(ctx, nil, keys)
	if err != nil {
		return err
	}
	service := application.New(dependencies(opened, keys, now), application.Policy{})
	err = service.Epochs.Begin(ctx)
	if err == nil {
		err = do(opened, keys, service)
	}
	return errors.Join(err, opened.Close())
}

// UseCases implements cli.Store.
func (s store) UseCases(ctx context.Context, do func(*application.Service) error) error {
	return s.on(ctx, func(_ ports.Store, _ *servicekey.Watch, service *application.Service) error { return do(service) })
}

// Audit implements cli.Store.
func (s store) Audit(ctx context.Context, o audit.Options) (audit.Verdict, error) {
	return operate.Audit(ctx, s.toRead(), o)
}

// Repair implements cli.Store. It upgrades no store.
func (s store) Repair(ctx context.Context) (repaired operate.Repaired, err error) {
	if err := s.exists(); err != nil {
		return nil, err
	}
	opened, err := s.opener.Open(ctx, s.address, nil)
	if err != nil {
		return nil, err
	}
	if lists := opened.Parts().ListRepair; lists != nil {
		repaired, err = lists.RepairLists(ctx)
	}
	return repaired, errors.Join(err, opened.Close())
}

// Events implements cli.Store.
func (s store) Events(ctx context.Context, q operate.EventQuery, report func(finding string),
	each func(operate.Event) error) error {
	return operate.Events(ctx, s.toRead(), q, report, each)
}

// Report implements cli.Store.
func (s store) Report(ctx context.Context, from, to time.Time, progress func(movements int64)) (operate.Report, error) {
	return operate.ReadReport(ctx, s.toRead(), from, to, progress)
}

// settleTime is how long after a change of the service key the store may still get content under the previous service
// key. A process uses the previous key for servicekey.Margin after its last check. A request takes at most 10 seconds.
// On a server its commit is retried for 10 more, and a server may be a moment behind.
const settleTime = servicekey.Margin + 10*time.Second + 10*time.Second + 2*time.Second

// settleTimeOfTests is for the binary of the tests, whose requests are shorter. The linker sets it:
// -X resellerd/bootstrap.settleTimeOfTests=4s.
var settleTimeOfTests string

// Rekey implements cli.Store.
func (s store) Rekey(ctx context.Context, o rekey.Options) (done rekey.Result, err error) {
	settle := settleTime
	if shorter, err := time.ParseDuration(settleTimeOfTests); err == nil {
		settle = shorter
	}
	err = s.on(ctx, func(opened ports.Store, keys *servicekey.Watch, service *application.Service) (err error) {
		done, err = operate.Rekey(ctx, opened, keys, service, func() <-chan time.Time { return time.After(settle) }, o)
		return err
	})
	return done, err
}

// exists refuses an address without records, as far as the store knows.
func (c storeConfig) exists() error {
	if err := c.opener.Exists(c.address); err != nil {
		return fmt.Errorf("RESELLERD_STORE: %w", err)
	}
	return nil
}

// toRead returns the store for reading only.
func (c storeConfig) toRead() operate.Store {
	return operate.Store{Exists: c.exists, Archive: func(ctx context.Context) (ports.OpenArchive, error) {
		return openArchive(ctx, c.opener, c.address)
	}}
}

// copying implements cli.Transfer.
type copying struct {
	operate.Copy
	from, to endOfCopy
}

// endOfCopy is one end of a copy, checked.
type endOfCopy struct {
	address string
	opener  Opener
}

// Transfer implements cli.Program.
func (p program) Transfer(f cli.CopyFlags, stderr io.Writer, wrong *cli.Misconfiguration) cli.Transfer {
	end := func(flag, value string) endOfCopy {
		scheme, address, _ := strings.Cut(value, ":")
		opener, err := p.stores.named(value)
		switch {
		case err != nil:
		case scheme == "memory":
			err = errors.New("memory: ends with the process that made it, so that there is nothing to copy from or to")
		default:
			err = opener.Check(address)
		}
		wrong.Add(flag, err)
		return endOfCopy{address, opener}
	}
	c := copying{from: end("--from", f.From), to: end("--to", f.To)}
	if f.From == f.To {
		wrong.Add("--to", errors.New("this is the source: name another store"))
	}
	migrating := logging.Migrations(slog.New(slog.NewTextHandler(stderr, nil)))
	c.Copy = operate.Copy{
		From: operate.Store{
			Exists: func() error { return c.from.opener.Exists(c.from.address) },
			Archive: func(ctx context.Context) (ports.OpenArchive, error) {
				return openArchive(ctx, c.from.opener, c.from.address)
			},
		},
		To: func(ctx context.Context) (ports.CopyTarget, io.Closer, error) {
			return openCopyTarget(ctx, c.to.opener, c.to.address, migrating)
		},
	}
	return c
}

// KeyFiles implements cli.Transfer.
func (c copying) KeyFiles() (ofTarget, ofSource string) {
	ofTarget, ofSource = c.to.opener.Keys(c.to.address).KeyFile, c.from.opener.Keys(c.from.address).KeyFile
	if _, err := os.Stat(ofSource); err != nil {
		ofSource = ""
	}
	return ofTarget, ofSource
}

// files returns the functions on stores in one file, for backup and restore.
func (c storeConfig) files() operate.Files {
	files := operate.Files{
		OpenFile: func(ctx context.Context, file string) (ports.OpenArchive, error) {
			return openArchive(ctx, c.opener, file)
		},
		Now: time.Now,
		Fingerprint: func(key profile.Secret) (string, error) {
			keyring, err := servicekey.New(key)
			if err != nil {
				return "", err
			}
			return keyring.Fingerprint(), nil
		},
	}
	if opener, is := c.opener.(FileOpener); is {
		files.Copy = opener.Backup
	}
	return files
}

// oneFile refuses a store that is not in one file, and names the alternative to a backup.
func (c storeConfig) oneFile(otherwise string) error {
	_, is := c.opener.(FileOpener)
	switch {
	case is, c.opener == nil:
		return nil
	case c.scheme == "memory":
		return errors.New("memory: ends with the process that made it")
	}
	return fmt.Errorf("%s: the store is not one file: use its own tools. It %s", c.scheme, otherwise)
}

// given returns the service keys from settings or from the store's own files, the present one first. It creates none.
func (c storeConfig) given() ([]profile.Secret, error) {
	keys, _, err := c.keys.Keys(false)
	return keys, err
}

// leastEvery is the shortest time between two backups of one process.
const leastEvery = time.Second

// Backup implements cli.Program.
func (p program) Backup(f cli.BackupFlags, _ io.Writer, wrong *cli.Misconfiguration) (cli.Backup, time.Duration) {
	c := parse(f.StoreFlags, p.stores, wrong)
	b := operate.Backup{Files: c.files(), Store: c.toRead(), File: c.address}
	b.Folder = func(made string) (ports.BackupFolder, error) {
		id, err := backupfolder.ID(c.address, made)
		if err != nil {
			return nil, err
		}
		return backupfolder.Open(f.Dir, id)
	}
	wrong.Add("RESELLERD_STORE",
		c.oneFile(
			`can be copied into a file while it is served: RESELLERD_COPY_FROM="$RESELLERD_STORE" resellerd copy --to sqlite:backup.db`))
	if f.WithKey {
		c.keys = readKeys(f.StoreFlags, c, wrong)
		b.Keys = c.given
	}
	var every time.Duration
	var err error
	if f.Every != "" {
		if every, err = time.ParseDuration(f.Every); err == nil && every < leastEvery {
			err = fmt.Errorf("%s is less than %s", f.Every, leastEvery)
		}
		wrong.Add("--every", err)
	}
	b.Keep, err = number(f.Keep, 0, 1_000_000)
	wrong.Add("--keep", err)
	return b, every
}

// Restore implements cli.Program.
func (p program) Restore(f cli.RestoreFlags, wrong *cli.Misconfiguration) cli.Restore {
	c := parse(f.StoreFlags, p.stores, wrong)
	wrong.Add("RESELLERD_STORE",
		c.oneFile(
			"can be filled from a file that backup made: RESELLERD_COPY_TO=\"$RESELLERD_STORE\" resellerd copy --from sqlite:"+
				f.File))
	r := operate.Restore{
		Files: c.files(), From: f.File, To: c.address, Target: backupfolder.TargetAt(c.address), ReadKey: servicekey.InFile,
	}
	if _, is := c.opener.(FileOpener); is {
		c.keys = readKeys(f.StoreFlags, c, wrong)
		r.KeyFiles = [2]string{c.keys.Store.KeyFile, c.opener.Keys(f.File).KeyFile}
	}
	r.Serve = c.starts
	if c.keys.Current != nil {
		r.Keys = c.given
	}
	return r
}

// starts opens the store in a file with its service key, as the service does. It upgrades the store, begins another
// epoch of its journal, disables its webhooks, stops its bulk jobs, and closes it.
func (c storeConfig) starts(
	ctx context.Context, file string, key profile.Secret,
) (begun operate.RestoredState, err error) {
	c.address, c.keys = file, servicekey.Sources{Current: &key}
	log := slog.New(slog.DiscardHandler)
	keys := servicekey.NewWatch(log)
	opened, err := c.open(ctx, logging.Migrations(log), keys)
	if err != nil {
		return begun, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if err := opened.Ready(ctx); err != nil {
		return begun, err
	}
	service := application.New(dependencies(opened, keys, now), application.Policy{})
	if err := service.Epochs.Begin(ctx); err != nil {
		return begun, err
	}
	if err := service.Epochs.BeginRestored(ctx); err != nil {
		return begun, err
	}
	if begun.Webhooks, err = service.Webhooks.DisableAll(ctx, webhook.Restored); err != nil {
		return begun, err
	}
	if begun.Jobs, err = service.Jobs.StopAll(ctx); err != nil {
		return begun, err
	}
	begun.Epoch, err = service.Epochs.Current(ctx)
	return begun, err
}
