// Package transfer moves a store to another one: it copies everything into an empty store, and proves that the copy
// equals the source.
package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"resellerd/application/audit"
	"resellerd/domain/credit"
	"resellerd/ports"
)

// The reasons for which a copy is refused, or was not finished.
var (
	ErrSourceUnfinished = errors.New("the source is itself a copy that was not finished")
	ErrSourceUnused     = errors.New(
		"the source has recorded no service key: it was never served, and there is nothing to copy")
	ErrCopyDiffers = errors.New("the copy differs from the source")
	// ErrLeftUnfinished wraps the cause that ended a copy that had begun.
	ErrLeftUnfinished = errors.New("the copy was not finished")

	ErrNotEmpty       = ports.ErrNotEmpty       // the target has records
	ErrUnfinishedCopy = ports.ErrUnfinishedCopy // the target is an interrupted copy
	ErrCopyEnded      = ports.ErrCopyEnded      // another process finished it or started it over
)

// Step is a step of a copy. The set is closed.
type Step struct{ name string }

// The steps of a copy, in their order.
var (
	AuditSource = Step{"auditing the source"}
	CopyRecords = Step{"copying records"}
	CopyKeys    = Step{"copying idempotency keys"}
	Compare     = Step{"comparing the copy with the source"}
	AuditCopy   = Step{"auditing the copy"}
)

// String returns a description of the step.
func (s Step) String() string { return s.name }

// Options configure a copy and its reports.
type Options struct {
	Restart bool // replace an interrupted copy in the target
	// Report gets each record that does not fit in the source, and each one that differs in the copy.
	Report func(finding string)
	// Progress is called repeatedly with the number of records that a step has done, and the total, 0 if unknown.
	Progress func(step Step, done, total int64)
}

// Result is the result of a copy.
type Result struct {
	audit.Verdict        // of the source and, without findings, of the copy
	Keys          int64  // idempotency records
	Fingerprint   string // of the copy's service key
}

// Run copies one snapshot of a store into an empty one, in constant memory and without a service key. It audits the
// source first. With findings it ends there, without an error: nothing has been written to the target. At the end it
// reads the copy back, compares it with the source record by record and audits it too. Only then is the target a store.
// Before that it is an unfinished copy, which no process serves and another Run starts over.
func Run(ctx context.Context, from ports.Archive, target ports.CopyTarget, o Options) (Result, error) {
	var c copying
	var importer ports.Importer
	err := from.ViewRecords(ctx, func(looking context.Context, source ports.Records) error {
		// The context of a snapshot is for its own store only.
		c, importer = copying{Options: o, source: side{looking, source}}, nil
		if err := c.readOrigin(); err != nil {
			return err
		}
		// BeginCopy decides; this check is cheap and comes early.
		if err := target.ViewRecords(ctx, c.mayBegin); err != nil {
			return err
		}
		if err := c.auditSource(); err != nil || c.done.Findings > 0 {
			return err
		}
		var err error
		if importer, err = target.BeginCopy(ctx, c.origin, o.Restart); err != nil {
			return err
		}
		if err := c.fill(ctx, importer); err != nil {
			return err
		}
		return target.ViewRecords(ctx, func(looking context.Context, target ports.Records) error {
			return c.check(side{looking, target})
		})
	})
	// The source has to confirm first that all of it was one snapshot.
	if err == nil && importer != nil {
		err = importer.Finish(ctx)
	}
	if err != nil && importer != nil {
		err = fmt.Errorf("%w: %w", ErrLeftUnfinished, err)
	}
	return c.done, err
}

// side is a snapshot with its context.
type side struct {
	ctx context.Context //nolint:containedctx // it belongs to the snapshot, and a copy has two
	ports.Records
}

// copying is a copy under way.
type copying struct {
	Options
	source side
	origin ports.Origin
	digest [sha256.Size]byte // of the source's checkpoint
	done   Result
}

// readOrigin refuses a source that is not a store.
func (c *copying) readOrigin() error {
	unfinished, err := c.source.Unfinished(c.source.ctx)
	if err != nil {
		return err
	}
	if unfinished {
		return ErrSourceUnfinished
	}
	if c.origin, err = c.source.Origin(c.source.ctx); err != nil {
		return err
	}
	if c.origin.Fingerprint == "" {
		return ErrSourceUnused
	}
	c.done.Fingerprint = c.origin.Fingerprint
	return nil
}

// mayBegin refuses a target that BeginCopy would refuse.
func (c *copying) mayBegin(ctx context.Context, target ports.Records) error {
	unfinished, err := target.Unfinished(ctx)
	switch {
	case err != nil:
		return err
	case unfinished && !c.Restart:
		return ports.ErrUnfinishedCopy
	case unfinished:
		return nil
	}
	some, err := target.Resellers(ctx, math.MinInt64, 1)
	if err == nil && len(some) > 0 {
		err = ports.ErrNotEmpty
	}
	return err
}

func (c *copying) auditSource() (err error) {
	c.done.Verdict, c.digest, err = c.audit(c.source, AuditSource, 0)
	return err
}

// audit audits one side and returns the digest of its checkpoint, which has the end of the chain of every reseller.
func (c *copying) audit(of side, step Step, total int64) (v audit.Verdict, digest [sha256.Size]byte, err error) {
	c.Progress(step, 0, total)
	checkpoint := sha256.New()
	v, err = audit.Records(of.ctx, of.Records, audit.Options{WriteCheckpoint: checkpoint, AsCopied: true, Report: c.Report,
		Progress: func(read int64) { c.Progress(step, read, total) }})
	return v, [sha256.Size]byte(checkpoint.Sum(nil)), err
}

// fill copies every record.
func (c *copying) fill(ctx context.Context, importer ports.Importer) error {
	var records, keys int64
	put := func(step Step, done *int64, total int64) func(int, ports.Batch) error {
		return func(count int, batch ports.Batch) error {
			if err := importer.Copy(ctx, batch); err != nil {
				return err
			}
			*done += int64(count)
			c.Progress(step, *done, total)
			return nil
		}
	}
	putRecords := put(CopyRecords, &records, c.records())
	carries := []func() error{
		func() error { return resellers.carry(c.source, putRecords) },
		func() error { return lines.carry(c.source, putRecords) },
		func() error { return tombstones.carry(c.source, putRecords) },
		func() error { return movements.carry(c.source, putRecords) },
	}
	for _, k := range copiedKinds() {
		carries = append(carries, func() error { return k.carry(c.source, putRecords) })
	}
	carries = append(carries,
		func() error { return entries.carry(c.source, putRecords) },
		func() error { return idempotencyKeys.carry(c.source, put(CopyKeys, &keys, 0)) })
	for _, carry := range carries {
		if err := carry(); err != nil {
			return err
		}
	}
	c.done.Keys = keys
	return nil
}

// records returns how many copied records an audit of the source reads.
func (c *copying) records() int64 {
	return c.done.Resellers + c.done.Lines + c.done.Tombstones + c.done.Movements + c.done.Records + c.done.Entries
}

// check compares the copy with the source, and then audits it like the source.
func (c *copying) check(target side) error {
	if err := c.compare(target); err != nil {
		return err
	}
	v, digest, err := c.audit(target, AuditCopy, c.records())
	if err != nil {
		return err
	}
	source := c.done.Verdict
	if v.Findings > 0 || v.Resellers != source.Resellers || v.Lines != source.Lines || v.Tombstones != source.Tombstones ||
		v.Movements != source.Movements || v.Records != source.Records || v.Entries != source.Entries ||
		!sameTotals(v.Totals, source.Totals) {
		return fmt.Errorf(
			"%w: the one has %d findings in %d accounts, %d lines, %d movements and %d entries, with %s credits issued, %s consumed and %s held, "+
				"and the other %d accounts, %d lines, %d movements and %d entries, with %s, %s and %s", ErrCopyDiffers,
			v.Findings, v.Resellers, v.Lines, v.Movements, v.Entries, v.Issued, v.Consumed, v.Balances,
			source.Resellers, source.Lines, source.Movements, source.Entries, source.Issued, source.Consumed, source.Balances)
	}
	if digest != c.digest {
		return fmt.Errorf("%w: their checkpoints differ", ErrCopyDiffers)
	}
	return nil
}

func sameTotals(a, b credit.Totals) bool {
	return a.Issued.Equal(b.Issued) && a.Consumed.Equal(b.Consumed) && a.Balances.Equal(b.Balances) &&
		a.Movements == b.Movements && a.Imported == b.Imported
}
