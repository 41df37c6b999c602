package application

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Why a copy is refused, or was not finished.
var (
	ErrSourceUnfinished = errors.New("the source is itself a copy that was not finished")
	ErrSourceUnused     = errors.New("the source has recorded no service key: it was never served, and there is nothing to copy")
	ErrCopyDiffers      = errors.New("the copy is not what the source is")
	// ErrLeftUnfinished wraps whatever ended a copy that had begun.
	ErrLeftUnfinished = errors.New("the copy was not finished")
)

// Step is what a copy is doing. The set is closed.
type Step struct{ name string }

// The steps of a copy, in their order.
var (
	ExamineSource = Step{"examining the source"}
	CopyRecords   = Step{"copying records"}
	CopyKeys      = Step{"copying idempotency keys"}
	Compare       = Step{"comparing the copy with the source"}
	ExamineCopy   = Step{"examining the copy"}
)

// String returns what is being done.
func (s Step) String() string { return s.name }

// Transfer is what is asked of a copy.
type Transfer struct {
	Restart bool // start over what an interrupted copy left in the target
	// Report is told of each record that does not fit in the source, and of each
	// that is another in the copy.
	Report func(finding string)
	// Progress is told, again and again, how many records a step has done, and out
	// of how many, 0 where nobody knows.
	Progress func(step Step, done, total int64)
}

// Copied is what was copied.
type Copied struct {
	Verdict            // on the source, and where nothing was found on the copy
	Keys        int64  // idempotency records
	Fingerprint string // of the service key that the copy belongs to
}

// Copy copies all that a store holds into an empty one, as it is in one
// snapshot, in constant memory, and needs no service key for it. It examines the
// source first, as Audit does, and where anything is found ends there, without an
// error: nothing has been written to the target. In the end it reads the copy back,
// compares it with the source record by record and examines it too; only then is
// the target a store. Before that it stays an unfinished copy, which nothing
// serves and another Copy starts over.
func Copy(ctx context.Context, from ports.Archive, target ports.CopyTarget, t Transfer) (Copied, error) {
	var c copying
	var intake ports.Importer
	err := from.ViewRecords(ctx, func(looking context.Context, source ports.Records) error {
		// The context of a View is for its own store only.
		c, intake = copying{Transfer: t, source: side{looking, source}}, nil
		if err := c.readOrigin(); err != nil {
			return err
		}
		// BeginCopy has the last word; this one costs nothing and comes early.
		if err := target.ViewRecords(ctx, c.mayBegin); err != nil {
			return err
		}
		if err := c.examineSource(); err != nil || c.done.Findings > 0 {
			return err
		}
		var err error
		if intake, err = target.BeginCopy(ctx, c.origin, t.Restart); err != nil {
			return err
		}
		if err := c.fill(ctx, intake); err != nil {
			return err
		}
		return target.ViewRecords(ctx, func(looking context.Context, target ports.Records) error {
			return c.prove(side{looking, target})
		})
	})
	// Not before the source has said that all of it was one snapshot.
	if err == nil && intake != nil {
		err = intake.Finish(ctx)
	}
	if err != nil && intake != nil {
		err = fmt.Errorf("%w: %w", ErrLeftUnfinished, err)
	}
	return c.done, err
}

// side is a snapshot with the context that it is read under.
type side struct {
	ctx context.Context //nolint:containedctx // it belongs to the snapshot, and a copy has two
	ports.Records
}

// copying is a copy under way.
type copying struct {
	Transfer
	source side
	origin ports.Origin
	proof  [sha256.Size]byte // of the source's checkpoint
	done   Copied
}

// readOrigin refuses a source that is no store.
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

func (c *copying) examineSource() (err error) {
	c.done.Verdict, c.proof, err = c.examine(c.source, ExamineSource, 0)
	return err
}

// examine audits one side and returns the digest of its checkpoint, which says
// where the chain of every reseller ends.
func (c *copying) examine(of side, step Step, total int64) (v Verdict, proof [sha256.Size]byte, err error) {
	c.Progress(step, 0, total)
	var done int64
	of.Records = watched{of.Records, func(records int) {
		done += int64(records)
		c.Progress(step, done, total)
	}}
	checkpoint := sha256.New()
	v, err = Audit(of.ctx, pinned{of.Records}, nil, checkpoint, c.Report)
	return v, [sha256.Size]byte(checkpoint.Sum(nil)), err
}

// fill copies every record.
func (c *copying) fill(ctx context.Context, intake ports.Importer) error {
	var records, keys int64
	put := func(step Step, done *int64, total int64) func(int, ports.Batch) error {
		return func(count int, batch ports.Batch) error {
			if err := intake.Copy(ctx, batch); err != nil {
				return err
			}
			*done += int64(count)
			c.Progress(step, *done, total)
			return nil
		}
	}
	putRecords := put(CopyRecords, &records, c.records())
	err := copiedResellers.carry(c.source, putRecords)
	if err == nil {
		err = copiedLines.carry(c.source, putRecords)
	}
	if err == nil {
		err = copiedTombstones.carry(c.source, putRecords)
	}
	if err == nil {
		err = copiedMovements.carry(c.source, putRecords)
	}
	if err == nil {
		err = copiedKeys.carry(c.source, put(CopyKeys, &keys, 0))
	}
	c.done.Keys = keys
	return err
}

// records is how many records of the source an audit examines.
func (c *copying) records() int64 {
	return c.done.Resellers + c.done.Lines + c.done.Tombstones + c.done.Movements
}

// prove compares the copy with the source, and then examines it like the source.
func (c *copying) prove(target side) error {
	if err := c.compare(target); err != nil {
		return err
	}
	v, proof, err := c.examine(target, ExamineCopy, c.records())
	if err != nil {
		return err
	}
	source := c.done.Verdict
	if v.Findings > 0 || v.Resellers != source.Resellers || v.Lines != source.Lines || v.Tombstones != source.Tombstones || v.Movements != source.Movements || !sameTotals(v.Totals, source.Totals) {
		return fmt.Errorf("%w: the one has %d findings in %d accounts, %d lines and %d movements, with %s credits issued, %s consumed and %s held, "+
			"and the other %d accounts, %d lines and %d movements, with %s, %s and %s", ErrCopyDiffers,
			v.Findings, v.Resellers, v.Lines, v.Movements, v.Issued, v.Consumed, v.Balances,
			source.Resellers, source.Lines, source.Movements, source.Issued, source.Consumed, source.Balances)
	}
	if proof != c.proof {
		return fmt.Errorf("%w: their checkpoints differ", ErrCopyDiffers)
	}
	return nil
}

func sameTotals(a, b credit.Totals) bool {
	return a.Issued.Equal(b.Issued) && a.Consumed.Equal(b.Consumed) && a.Balances.Equal(b.Balances) && a.Movements == b.Movements
}

// pinned is an archive of which one snapshot is all that can be seen.
type pinned struct{ stored ports.Records }

// ViewRecords implements ports.Archive.
func (p pinned) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return look(ctx, p.stored)
}

// Close implements ports.Archive.
func (pinned) Close() error { return nil }

// watched tells of every record that an audit pages through.
type watched struct {
	ports.Records
	see func(records int)
}

// Resellers implements ports.Records.
func (w watched) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return seen(ctx, w, w.Records.Resellers, after, limit)
}

// Lines implements ports.Records.
func (w watched) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return seen(ctx, w, w.Records.Lines, after, limit)
}

// Tombstones implements ports.Records.
func (w watched) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return seen(ctx, w, w.Records.Tombstones, after, limit)
}

// Movements implements ports.Records.
func (w watched) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return seen(ctx, w, w.Records.Movements, after, limit)
}

func seen[T any](ctx context.Context, w watched, page pageOf[T], after int64, limit int) ([]ports.Audited[T], error) {
	found, err := page(ctx, after, limit)
	w.see(len(found))
	return found, err
}

// pageOf is how ports.Records reads a kind of records.
type pageOf[T any] = func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error)

// kindOf is what a copy knows of a kind of records.
type kindOf[R any] struct {
	name    func(R) string
	order   func(a, b R) int
	content func(R) (any, error) // what must be the same in the copy; an error where the record is damaged
	pages   func(side) pages[R]
	batch   func([]R) ports.Batch
}

// pages returns the next page each time, an empty one at the end.
type pages[R any] func() ([]R, error)

func pagesByID[T any](ctx context.Context, page pageOf[T]) pages[ports.Audited[T]] {
	after := int64(math.MinInt64)
	return func() ([]ports.Audited[T], error) {
		found, err := page(ctx, after, ports.CopyBatch)
		if len(found) > 0 {
			after = found[len(found)-1].ID
		}
		return found, err
	}
}

// carry hands all records of the kind in the source to put, batch by batch.
func (k kindOf[R]) carry(source side, put func(count int, batch ports.Batch) error) error {
	next := k.pages(source)
	for {
		page, err := next()
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			if _, err := k.content(r); err != nil {
				return fmt.Errorf("%s: %w", k.name(r), err)
			}
		}
		if err := put(len(page), k.batch(page)); err != nil {
			return err
		}
	}
}
