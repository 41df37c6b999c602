package application

import (
	"context"
	"errors"
	"maps"
	"slices"

	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// rehearsed is what an order would do.
type rehearsed struct {
	bulk.Outcome
	lines []int64 // that it is for
	whole bool    // all of them are decided in the outcome
}

// rehearse decides what an order would do, for the first most lines, by the rules that it will be done by: the same
// commands run over a snapshot whose changes go nowhere but into the balances that the next ones find.
func (s *kernel) rehearse(ctx context.Context, in reading, call Call, c StartBulk,
	most int) (found rehearsed, err error) {
	r := newRehearsal(s, in, call)
	refused := map[string]int{}
	one := func(id int64, l *line.Line) error {
		if found.lines = append(found.lines, id); len(found.lines) > bulk.MaxLines {
			return bulk.ErrTooManyLines
		}
		if len(found.lines) > most {
			return nil
		}
		item, err := s.item(c.Order, id)
		if err != nil {
			return err
		}
		if err := r.try(ctx, item, l); err != nil {
			code, is := refusalOf(err)
			if !is {
				return err
			}
			refused[code]++
			return nil
		}
		found.Succeeded++
		return nil
	}
	if c.IDs == nil {
		err = eachSelected(ctx, in, c.Filter, func(l *line.Line) error { return one(l.ID(), l) })
	} else {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(c.IDs))) {
			if err = one(id, nil); err != nil {
				break
			}
		}
	}
	found.Matched, found.whole, found.Total = len(found.lines), len(found.lines) <= most, r.total
	for _, code := range slices.Sorted(maps.Keys(refused)) {
		found.Refused = append(found.Refused, bulk.Count{Code: code, Times: refused[code]})
	}
	for _, id := range slices.Sorted(maps.Keys(r.left)) {
		found.Left = append(found.Left, bulk.Left{Account: id, Balance: principal.Units(r.left[id].Units())})
	}
	return found, err
}

// rehearsal runs commands over a snapshot. Their transaction is made of the types below: each reads the snapshot, and
// resellers as the commands before have left them. What commands count besides, such as what a key has spent, is
// counted on copies.
type rehearsal struct {
	*kernel   // of its own
	in        reading
	call      Call
	line      *line.Line                   // that is decided, nil: it is read
	resellers map[int64]*reseller.Reseller // that were read, or changed
	saved     []*reseller.Reseller         // by the command that runs
	charged   []credit.Movement            // likewise
	total     bulk.Units
	left      map[int64]credit.Amount // to the accounts that were charged
}

// newRehearsal returns a dry run over a snapshot, on behalf of a caller.
func newRehearsal(s *kernel, in reading, call Call) *rehearsal {
	return &rehearsal{
		kernel: s.uncounted(), in: in, call: call.apart(),
		resellers: map[int64]*reseller.Reseller{}, left: map[int64]credit.Amount{},
	}
}

// errRehearsed says that the commands of items do not do this.
var errRehearsed = errors.New("this is not done to many lines")

// try runs a command. One that is refused leaves nothing.
func (r *rehearsal) try(ctx context.Context, c command[none], l *line.Line) error {
	r.line, r.saved, r.charged = l, nil, nil
	actor, err := rehearsedResellers{r.in.Resellers, r}.Get(ctx, r.in.actor.ID())
	if err != nil {
		return err
	}
	stored := ports.Tx{
		Resellers: rehearsedResellers{r.in.Resellers, r}, Lines: rehearsedLines{r.in.Lines, r}, Ledger: rehearsedLedger{r},
		Journal: rehearsedJournal{}, Records: rehearsedRecords{r.in.Records},
	}
	if _, err = c.decideOver(ctx, r.kernel, stored, r.call, actor, r.in.now); err != nil {
		return err
	}
	for _, saved := range r.saved {
		r.resellers[saved.ID()] = saved
	}
	for _, m := range r.charged {
		r.total += bulk.Units(m.Amount.Units())
		for _, p := range m.Postings {
			r.left[p.Reseller] = p.Balance
		}
	}
	return nil
}

type rehearsedResellers struct {
	ports.ResellerDirectory
	*rehearsal
}

// Get implements the port: it returns a reseller as the commands before have left it.
func (r rehearsedResellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
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
func (r rehearsedResellers) Insert(context.Context, *reseller.Reseller) error { return errRehearsed }

// Save implements the port.
func (r rehearsedResellers) Save(_ context.Context, saved *reseller.Reseller) error {
	r.saved = append(r.saved, saved)
	return nil
}

type rehearsedLines struct {
	ports.LineDirectory
	*rehearsal
}

// Get implements the port.
func (r rehearsedLines) Get(ctx context.Context, id int64) (*line.Line, error) {
	if r.line != nil && r.line.ID() == id {
		return r.line, nil
	}
	return r.LineDirectory.Get(ctx, id)
}

// Insert implements the port.
func (rehearsedLines) Insert(context.Context, *line.Line) error { return errRehearsed }

// Save implements the port.
func (rehearsedLines) Save(context.Context, *line.Line) error { return nil }

// Delete implements the port.
func (rehearsedLines) Delete(context.Context, line.Tombstone) error { return nil }

type rehearsedLedger struct{ *rehearsal }

// Append implements the port.
func (r rehearsedLedger) Append(_ context.Context, m credit.Movement) error {
	r.charged = append(r.charged, m)
	return nil
}

// Get implements the port.
func (rehearsedLedger) Get(context.Context, int64) (credit.Movement, error) {
	return credit.Movement{}, errRehearsed
}

type rehearsedJournal struct{}

// Append implements the port.
func (rehearsedJournal) Append(context.Context, journal.Entry) error { return nil }

// Begin implements the port.
func (rehearsedJournal) Begin(context.Context, journal.Epoch, journal.Epoch, journal.Entry) error {
	return errRehearsed
}

// Epoch implements the port.
func (rehearsedJournal) Epoch(context.Context) (journal.Epoch, error) { return "", errRehearsed }

type rehearsedRecords struct{ record.Reader }

// Insert implements the port.
func (rehearsedRecords) Insert(context.Context, *record.Kind, record.Stored) error { return nil }

// Save implements the port.
func (rehearsedRecords) Save(context.Context, *record.Kind, record.Stored) error { return nil }

// Delete implements the port.
func (rehearsedRecords) Delete(context.Context, *record.Kind, string) error { return nil }
