// Package operate implements the work of operators with a store besides serving it: audits, backups, copies, restores,
// a new service key, reports. Each is a procedure over ports. It proves its result before it publishes it, and may be
// ended at any step and started again.
package operate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"resellerd/application/audit"
	"resellerd/application/transfer"
	"resellerd/ports"
)

// ErrExists refuses to overwrite a file or folder. Nothing was changed.
var ErrExists = ports.ErrExists

var errUnused = errors.New(
	"there is nothing in it: it was never served, or it was copied while a process used it, and its -wal, which " +
		"has the records, was not copied with it: stop the service before you copy both, or use resellerd backup")

// Options configure the reports of a procedure.
type Options struct {
	Copied  func(pages, total int64)
	Audited func(records int64)
	Report  func(finding string)
	// Warn gets facts that an operator should know and that are no reason to fail.
	Warn func(text string)
}

// touching touches a draft at each report. A draft that is not touched for an hour counts as abandoned. So a draft that
// can't be touched is not finished after an hour.
func (o Options) touching(d ports.Draft, now ports.Clock) Options {
	copied, audited := o.Copied, o.Audited
	o.Copied = func(pages, total int64) { _ = d.Touch(now()); copied(pages, total) }
	o.Audited = func(records int64) { _ = d.Touch(now()); audited(records) }
	return o
}

// Store is a store that is opened on demand.
type Store struct {
	Exists  func() error // refuses a path without records
	Archive func(ctx context.Context) (ports.OpenArchive, error)
}

// Audit opens a store for reading only and audits it. It needs no service key: nothing is decrypted.
func Audit(ctx context.Context, s Store, o audit.Options) (verdict audit.Verdict, err error) {
	defer func() { err = foundAltered(err, &verdict, o.Report) }()
	err = s.read(ctx, func(ctx context.Context, r ports.Records) error {
		verdict, err = audit.Records(ctx, r, o)
		return err
	})
	return verdict, err
}

// Repaired is the list of repaired lists.
type Repaired []ports.RepairedList

// read opens a store that has been served, or is being served, and reads it in one snapshot.
func (s Store) read(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return s.open(ctx, func(archive ports.Archive) error {
		return archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
			if err := whole(ctx, r); err != nil {
				return err
			}
			return look(ctx, r)
		})
	})
}

// open opens the archive of a store, which must exist, and closes it.
func (s Store) open(ctx context.Context, do func(archive ports.Archive) error) (err error) {
	if err := s.Exists(); err != nil {
		return err
	}
	archive, err := s.Archive(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	return do(archive)
}

// whole refuses an unfinished copy.
func whole(ctx context.Context, r ports.Records) error {
	unfinished, err := r.Unfinished(ctx)
	if err == nil && unfinished {
		err = Unfinished(ports.ErrUnfinishedCopy)
	}
	return err
}

// Unfinished adds to the refusal of an unfinished copy the operator's next step.
func Unfinished(err error) error {
	if errors.Is(err, ports.ErrUnfinishedCopy) {
		return fmt.Errorf(
			"RESELLERD_STORE: %w: finish it with resellerd copy --from SOURCE --to THIS --restart, which starts over", err)
	}
	return err
}

// foundAltered reports a store whose altered schema makes its records unreadable as a finding, like an audit. It
// returns any other error.
func foundAltered(err error, v *audit.Verdict, report func(finding string)) error {
	altered, is := errors.AsType[*ports.Altered](err)
	if !is {
		return err
	}
	for _, finding := range altered.Findings {
		report(finding)
	}
	v.Findings += int64(len(altered.Findings))
	return nil
}

// Copy is a copy of a store into another one.
type Copy struct {
	From Store
	To   func(ctx context.Context) (ports.CopyTarget, io.Closer, error)
}

// Run opens both ends, the target only if the source exists, and copies. Neither needs its service key: encrypted
// content is copied unchanged.
func (c Copy) Run(ctx context.Context, o transfer.Options) (result transfer.Result, err error) {
	if err := c.From.Exists(); err != nil {
		return result, fmt.Errorf("--from: %w", err)
	}
	source, err := c.From.Archive(ctx)
	if err != nil {
		if err = foundAltered(err, &result.Verdict, o.Report); err != nil {
			err = fmt.Errorf("--from: %w", err)
		}
		return result, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, closing, err := c.To(ctx)
	if err != nil {
		return result, fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, closing.Close()) }()
	return transfer.Run(ctx, source, target, o)
}
