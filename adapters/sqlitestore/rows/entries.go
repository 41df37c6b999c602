package rows

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// EntryColumns are the columns of an entry of the journal.
const EntryColumns = `seq, epoch, hash, type, at, entry`

// OfNumbered returns the row of an entry.
func OfNumbered(n *journal.Numbered) (row [6]engine.Arg, err error) {
	text, err := storekit.EncodeEntry(&n.Entry)
	return [...]engine.Arg{
		engine.Integer("seq", n.Seq), engine.Text("epoch", string(n.Epoch)), engine.Blob("hash", n.Hash[:]),
		engine.Text("type", n.Type.String()), engine.Instant("at", n.At), engine.Text("entry", text),
	}, err
}

// Numbered returns the entry of a row. If the row contains another valid entry, the hash shows it, which an audit
// checks.
func Numbered(r *engine.Row) (n journal.Numbered, err error) {
	readPlace(r, &n.Head)
	n.Type = engine.Parsed(r, r.Text(), journal.ParseType)
	n.At = r.Instant()
	text := r.Text()
	if err = r.Err(); err == nil {
		err = storekit.DecodeEntry(&n.Entry, text)
	}
	if err != nil {
		return journal.Numbered{}, err
	}
	return n, nil
}

// readPlace reads the number, the epoch and the hash of an entry.
func readPlace(r *engine.Row, h *journal.Head) {
	h.Seq = r.Integer()
	epoch, sound := journal.ParseEpoch(r.Text())
	if h.Epoch = epoch; !sound {
		r.Check(engine.ErrNotWritten)
	}
	if hash := r.Blob(); len(hash) == len(h.Hash) {
		copy(h.Hash[:], hash)
	} else {
		r.Check(engine.ErrNotWritten)
	}
}

// Ends returns the last entry of the journal, and the last one in lists and figures. If the second is after the first,
// the end of the journal was removed: the journal then ends at the second.
func Ends(ctx context.Context, q *engine.Tx) (head, listed journal.Head, err error) {
	err = q.Rows(ctx, getEnds, nil, func(r *engine.Row) error {
		at := &head
		if r.Integer() == 1 {
			at = &listed
		}
		readPlace(r, at)
		return r.Err()
	})
	if err != nil {
		return journal.Head{}, journal.Head{}, err
	}
	if listed.Seq > head.Seq {
		head = listed
	}
	return head, listed, nil
}

// Head returns the end of the journal.
func Head(ctx context.Context, q *engine.Tx) (journal.Head, error) {
	head, _, err := Ends(ctx, q)
	return head, err
}

// Naming is the list that contains the entry of a movement, by the movement's id.
const Naming storekit.EventListOf = 4

// EventLists returns the lists that contain an entry.
func EventLists(e *journal.Entry) []storekit.EventList {
	lists := storekit.EventLists(e)
	if e.Movement != nil {
		lists = append(lists, storekit.EventList{Of: Naming, ID: e.Movement.ID})
	}
	return lists
}

// Tail calls each with the entries that are in no list yet, except damaged ones, whose lists are unknown.
func Tail(ctx context.Context, q *engine.Tx, listed int64, each func(n *journal.Numbered)) error {
	return q.Rows(ctx, getTail, engine.Args{engine.Integer("after", listed)}, func(r *engine.Row) error {
		n, err := Numbered(r)
		if err == nil {
			each(&n)
		} else if errors.Is(err, storekit.ErrDamaged) {
			err = nil
		}
		return err
	})
}

// FiguresColumns are the columns of the figures of an account on a day.
const FiguresColumns = `account, day, trials, activations, extensions, spent_high, spent_low, received_high, received_low`

// DayOf returns the number of a day.
func DayOf(at time.Time) int64 { return journal.DayOf(at).Unix() / secondsOfDay }

const secondsOfDay = 24 * 60 * 60

// OfFigures returns the row of the figures of an account on a day, or of an addition to them.
func OfFigures(f *Counted) [9]engine.Arg {
	spentHigh, spentLow := parts(f.Spent)
	receivedHigh, receivedLow := parts(f.Received)
	return [...]engine.Arg{
		engine.Integer("account", f.Account), engine.Integer("day", f.Day),
		engine.Integer("trials", f.Trials), engine.Integer("activations", f.Activations),
		engine.Integer("extensions", f.Extensions),
		engine.Integer("spent_high", spentHigh), engine.Integer("spent_low", spentLow),
		engine.Integer("received_high", receivedHigh), engine.Integer("received_low", receivedLow),
	}
}

// Counted has the figures of an account on a day, from entries.
type Counted struct {
	Account, Day int64
	journal.Figures
}

// Compare orders figures by account and day.
func (c Counted) Compare(other Counted) int {
	return cmp.Or(cmp.Compare(c.Account, other.Account), cmp.Compare(c.Day, other.Day))
}

// AppendCounted appends the contribution of an entry to figures.
func AppendCounted(all []Counted, n *journal.Numbered) []Counted {
	n.Figures(func(account int64, f journal.Figures) { all = append(all, Counted{account, DayOf(n.At), f}) })
	return all
}

// Sums yields the sums of figures of the same account and day, which it sorts.
func Sums(of []Counted) iter.Seq[Counted] {
	slices.SortFunc(of, Counted.Compare)
	return func(yield func(Counted) bool) {
		for rest := of; len(rest) > 0; {
			sum := rest[0]
			for rest = rest[1:]; len(rest) > 0 && rest[0].Compare(sum) == 0; rest = rest[1:] {
				sum.Figures = sum.Plus(rest[0].Figures)
			}
			if !yield(sum) {
				return
			}
		}
	}
}

// Figures returns the figures of a row.
func Figures(r *engine.Row) (f Counted, err error) {
	f.Account, f.Day = r.Integer(), r.Integer()
	f.Trials, f.Activations, f.Extensions = r.Integer(), r.Integer(), r.Integer()
	f.Spent, f.Received = joined(r.Integer(), r.Integer()), joined(r.Integer(), r.Integer())
	return f, r.Err()
}

// DayFigures returns the figures in the type of the port.
func (c Counted) DayFigures() ports.DayFigures {
	return ports.DayFigures{Account: c.Account, Day: time.Unix(c.Day*secondsOfDay, 0).UTC(), Figures: c.Figures}
}

// Carry is the divisor that splits a sum of credits, in its smallest unit.
const (
	Carry      = "1000000000000000"
	partDigits = int32(len(Carry) - 1)
)

func parts(credits decimal.Decimal) (high, low int64) {
	quotient, rest := credits.Shift(credit.Scale).QuoRem(decimal.New(1, partDigits), 0)
	return quotient.IntPart(), rest.IntPart()
}

func joined(high, low int64) decimal.Decimal {
	return decimal.New(high, partDigits).Add(decimal.New(low, 0)).Shift(-credit.Scale)
}
