package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// session is one run of work on the records of a transaction.
type transaction struct {
	*records
	undo   []func() // takes back what it wrote, the last first
	missed bool     // it asked for what was not read yet
	err    error    // why it may not be used any more
}

var errEnded = errors.New("a transaction is used after its end")

// end makes the session refuse whatever comes after its run; drop takes back what
// it wrote.
func (q *transaction) end(drop bool) {
	if drop {
		for _, undo := range slices.Backward(q.undo) {
			undo()
		}
	}
	q.undo, q.err = nil, unavailable("run an update", errEnded)
}

func (q *transaction) tx() ports.Tx {
	return ports.Tx{Resellers: resellers{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q}}
}

// get returns a record that is there, or fault.ErrNotFound.
func get[K comparable, V any](q *transaction, t *identityMap[K, V], k K) (v V, err error) {
	c, err := t.look(q, k)
	if err == nil && !c.present {
		err = fault.ErrNotFound
	}
	return c.value, err
}

// insert adds a record that was not looked up: that it is there already shows at
// the commit, unless this transaction knows by now.
func insert[K comparable, V any](q *transaction, t *identityMap[K, V], k K, v V, taken error) error {
	if c := t.cells[k]; c.present {
		return taken
	}
	return t.put(q, k, v)
}

// rename gives a name to a record, and frees the one that it had.
func rename(q *transaction, names *identityMap[string, holder], id int64, from, to profile.Username) error {
	if from.Key() == to.Key() {
		return nil
	}
	found, err := names.look(q, to.Key())
	switch {
	case err != nil:
		return err
	case found.present && found.value.id != id:
		return profile.ErrUsernameTaken
	}
	return errors.Join(names.remove(q, from.Key()), names.put(q, to.Key(), holder{to.Key(), id}))
}

// resellers implements ports.Resellers.
type resellers struct{ *transaction }

// Get implements ports.Resellers.
func (a resellers) Get(_ context.Context, id int64) (*reseller.Reseller, error) {
	s, err := get(a.transaction, a.resellers, id)
	if err != nil {
		return nil, err
	}
	return reseller.Restore(s)
}

// FindByUsername implements ports.Resellers.
func (a resellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	found, err := get(a.transaction, a.resellerNames, name.Key())
	if err != nil {
		return nil, err
	}
	return a.Get(ctx, found.id)
}

// AnyBlocked implements ports.Resellers.
func (a resellers) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	blocked := false
	var failed error
	for _, id := range ids { // all of them, so that all that is missing is read at once
		c, err := a.resellers.look(a.transaction, id)
		if err != nil {
			failed = err
		}
		blocked = blocked || c.present && c.value.Blocked
	}
	return blocked && failed == nil, failed
}

// Insert implements ports.Resellers.
func (a resellers) Insert(_ context.Context, r *reseller.Reseller) error {
	s := r.State()
	if err := insert(a.transaction, a.resellerNames, s.Username.Key(), holder{s.Username.Key(), s.ID}, profile.ErrUsernameTaken); err != nil {
		return err
	}
	return insert(a.transaction, a.resellers, s.ID, s, fmt.Errorf("insert account %d: it is there already", s.ID))
}

// Save implements ports.Resellers.
func (a resellers) Save(_ context.Context, r *reseller.Reseller) error {
	s := r.State()
	before, err := get(a.transaction, a.resellers, s.ID)
	if err != nil {
		return err
	}
	if err := rename(a.transaction, a.resellerNames, s.ID, before.Username, s.Username); err != nil {
		return err
	}
	return a.resellers.put(a.transaction, s.ID, s)
}

// lines implements ports.Lines.
type lines struct{ *transaction }

// Get implements ports.Lines.
func (l lines) Get(_ context.Context, id int64) (*line.Line, error) {
	s, err := get(l.transaction, l.lines, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(s)
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(_ context.Context, name profile.Username) (int64, error) {
	found, err := get(l.transaction, l.lineNames, name.Key())
	return found.id, err
}

// Insert implements ports.Lines.
func (l lines) Insert(_ context.Context, ln *line.Line) error {
	s := ln.State()
	if err := insert(l.transaction, l.lineNames, s.Username.Key(), holder{s.Username.Key(), s.ID}, profile.ErrUsernameTaken); err != nil {
		return err
	}
	return insert(l.transaction, l.lines, s.ID, s, fmt.Errorf("insert line %d: it is there already", s.ID))
}

// Save implements ports.Lines.
func (l lines) Save(_ context.Context, ln *line.Line) error {
	s := ln.State()
	before, err := get(l.transaction, l.lines, s.ID)
	if err != nil {
		return err
	}
	if err := rename(l.transaction, l.lineNames, s.ID, before.Username, s.Username); err != nil {
		return err
	}
	return l.lines.put(l.transaction, s.ID, s)
}

// Delete implements ports.Lines.
func (l lines) Delete(_ context.Context, t line.Tombstone) error {
	before, err := get(l.transaction, l.lines, t.Line)
	if err != nil {
		return err
	}
	return errors.Join(
		l.lineNames.remove(l.transaction, before.Username.Key()),
		l.lines.remove(l.transaction, t.Line),
		insert(l.transaction, l.tombstones, t.Line, t, fmt.Errorf("delete line %d: it has a tombstone already", t.Line)),
	)
}

// ledger implements ports.Ledger.
type ledger struct{ *transaction }

// Append implements ports.Ledger.
func (l ledger) Append(_ context.Context, m credit.Movement) error {
	if err := entriesHavePlaces(m); err != nil {
		return err
	}
	m.Postings = slices.Clone(m.Postings)
	return insert(l.transaction, l.movements, m.ID, m, fmt.Errorf("append movement %d: it is there already", m.ID))
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) {
	m, err := get(l.transaction, l.movements, id)
	m.Postings = slices.Clone(m.Postings)
	return m, err
}

// keys implements ports.Keys.
type keys struct{ *transaction }

// Get implements ports.Keys.
func (k keys) Get(_ context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	r, err := get(k.transaction, k.keys, keyID{reseller, key})
	return apart(r), err
}

// Put implements ports.Keys. The record is looked up first: who put one without
// looking would not meet the other one that does the same.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	id := keyID{r.Reseller, r.Key}
	if _, err := k.keys.look(k.transaction, id); err != nil {
		return err
	}
	return k.keys.put(k.transaction, id, apart(r))
}

// apart keeps what is stored apart from what callers hold.
func apart(r ports.KeyRecord) ports.KeyRecord {
	r.Request, r.Body = slices.Clone(r.Request), slices.Clone(r.Body)
	return r
}
