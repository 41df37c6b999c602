// Package dryrun runs commands over a snapshot. Their writes stay in memory and are dropped.
package dryrun

import (
	"context"
	"errors"

	"resellerd/application/internal/usecase"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Run runs commands over a snapshot. Their transaction is made of the types below: each reads the snapshot, and
// resellers as the commands before have left them. What commands count besides, such as what a key has spent, is
// counted on copies.
type Run struct {
	k         *usecase.Kernel // of its own
	in        usecase.View
	call      usecase.Call
	line      *line.Line                   // that is decided, nil: it is read
	resellers map[int64]*reseller.Reseller // that were read, or changed
	saved     []*reseller.Reseller         // by the command that runs
	charged   []credit.Movement            // likewise
	Total     bulk.Units
	Left      map[int64]credit.Amount // to the accounts that were charged
}

// New returns a dry run over a snapshot, on behalf of a caller.
func New(s *usecase.Kernel, in usecase.View, call usecase.Call) *Run {
	return &Run{
		k: s.Uncounted(), in: in, call: call.Copy(),
		resellers: map[int64]*reseller.Reseller{}, Left: map[int64]credit.Amount{},
	}
}

// errUnsupported says that the commands of items do not do this.
var errUnsupported = errors.New("this is not done to many lines")

// Try runs a command. One that is refused leaves nothing.
func (r *Run) Try(ctx context.Context, c usecase.Command[usecase.None], l *line.Line) error {
	r.line, r.saved, r.charged = l, nil, nil
	actor, err := resellers{r.in.Resellers, r}.Get(ctx, r.in.Actor.ID())
	if err != nil {
		return err
	}
	stored := ports.Tx{
		Resellers: resellers{r.in.Resellers, r}, Lines: lines{r.in.Lines, r}, Ledger: ledger{r},
		Journal: entries{}, Records: records{r.in.Records},
	}
	if _, err = c.DecideOver(ctx, r.k, stored, r.call, actor, r.in.Now); err != nil {
		return err
	}
	for _, saved := range r.saved {
		r.resellers[saved.ID()] = saved
	}
	for _, m := range r.charged {
		r.Total += bulk.Units(m.Amount.Units())
		for _, p := range m.Postings {
			r.Left[p.Reseller] = p.Balance
		}
	}
	return nil
}

type resellers struct {
	ports.ResellerDirectory
	*Run
}

// Get implements the port: it returns a reseller as the commands before have left it.
func (r resellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	if known := r.resellers[id]; known != nil {
		return reseller.Restore(known.State())
	}
	found, err := r.ResellerDirectory.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	r.resellers[id] = found // which is asked for with every line
	return reseller.Restore(found.State())
}

// Insert implements the port.
func (r resellers) Insert(context.Context, *reseller.Reseller) error { return errUnsupported }

// Save implements the port.
func (r resellers) Save(_ context.Context, saved *reseller.Reseller) error {
	r.saved = append(r.saved, saved)
	return nil
}

type lines struct {
	ports.LineDirectory
	*Run
}

// Get implements the port.
func (r lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	if r.line != nil && r.line.ID() == id {
		return r.line, nil
	}
	return r.LineDirectory.Get(ctx, id)
}

// Insert implements the port.
func (lines) Insert(context.Context, *line.Line) error { return errUnsupported }

// Save implements the port.
func (lines) Save(context.Context, *line.Line) error { return nil }

// Delete implements the port.
func (lines) Delete(context.Context, line.Tombstone) error { return nil }

type ledger struct{ *Run }

// Append implements the port.
func (r ledger) Append(_ context.Context, m credit.Movement) error {
	r.charged = append(r.charged, m)
	return nil
}

// Get implements the port.
func (ledger) Get(context.Context, int64) (credit.Movement, error) {
	return credit.Movement{}, errUnsupported
}

type entries struct{}

// Append implements the port.
func (entries) Append(context.Context, journal.Entry) error { return nil }

// Begin implements the port.
func (entries) Begin(context.Context, journal.Epoch, journal.Epoch, journal.Entry) error {
	return errUnsupported
}

// Epoch implements the port.
func (entries) Epoch(context.Context) (journal.Epoch, error) { return "", errUnsupported }

type records struct{ record.Reader }

// Insert implements the port.
func (records) Insert(context.Context, *record.Kind, record.Stored) error { return nil }

// Save implements the port.
func (records) Save(context.Context, *record.Kind, record.Stored) error { return nil }

// Delete implements the port.
func (records) Delete(context.Context, *record.Kind, string) error { return nil }
