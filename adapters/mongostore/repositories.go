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
type session struct {
	*records
	undo   []func() // takes back what it wrote, the last first
	missed bool     // it asked for what was not read yet
	err    error    // why it may not be used any more
}

var errEnded = errors.New("a transaction is used after its end")

// end makes the session refuse whatever comes after its run; drop takes back what
// it wrote.
func (q *session) end(drop bool) {
	if drop {
		for _, undo := range slices.Backward(q.undo) {
			undo()
		}
	}
	q.undo, q.err = nil, unavailable("run an update", errEnded)
}

func (q *session) tx() ports.Tx {
	return ports.Tx{Accounts: accounts{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q}}
}

// get returns a record that is there, or fault.ErrNotFound.
func get[K comparable, V any](q *session, t *table[K, V], k K) (v V, err error) {
	c, err := t.look(q, k)
	if err == nil && !c.present {
		err = fault.ErrNotFound
	}
	return c.value, err
}

// insert adds a record that was not looked up: that it is there already shows at
// the commit, unless this transaction knows by now.
func insert[K comparable, V any](q *session, t *table[K, V], k K, v V, taken error) error {
	if c := t.cells[k]; c.present {
		return taken
	}
	return t.put(q, k, v)
}

// rename gives a name to a record, and frees the one that it had.
func rename(q *session, names *table[string, holder], id int64, from, to profile.Username) error {
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

// accounts implements ports.Accounts.
type accounts struct{ *session }

// Get implements ports.Accounts.
func (a accounts) Get(_ context.Context, id int64) (*reseller.Account, error) {
	s, err := get(a.session, a.accounts, id)
	if err != nil {
		return nil, err
	}
	return reseller.Restore(s)
}

// FindByUsername implements ports.Accounts.
func (a accounts) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Account, error) {
	found, err := get(a.session, a.accountNames, name.Key())
	if err != nil {
		return nil, err
	}
	return a.Get(ctx, found.id)
}

// AnyBlocked implements ports.Accounts.
func (a accounts) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	blocked := false
	var failed error
	for _, id := range ids { // all of them, so that all that is missing is read at once
		c, err := a.accounts.look(a.session, id)
		if err != nil {
			failed = err
		}
		blocked = blocked || c.present && c.value.Blocked
	}
	return blocked && failed == nil, failed
}

// Insert implements ports.Accounts.
func (a accounts) Insert(_ context.Context, account *reseller.Account) error {
	s := account.State()
	if err := insert(a.session, a.accountNames, s.Username.Key(), holder{s.Username.Key(), s.ID}, profile.ErrUsernameTaken); err != nil {
		return err
	}
	return insert(a.session, a.accounts, s.ID, s, fmt.Errorf("insert account %d: it is there already", s.ID))
}

// Save implements ports.Accounts.
func (a accounts) Save(_ context.Context, account *reseller.Account) error {
	s := account.State()
	before, err := get(a.session, a.accounts, s.ID)
	if err != nil {
		return err
	}
	if err := rename(a.session, a.accountNames, s.ID, before.Username, s.Username); err != nil {
		return err
	}
	return a.accounts.put(a.session, s.ID, s)
}

// lines implements ports.Lines.
type lines struct{ *session }

// Get implements ports.Lines.
func (l lines) Get(_ context.Context, id int64) (*line.Line, error) {
	s, err := get(l.session, l.lines, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(s)
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(_ context.Context, name profile.Username) (int64, error) {
	found, err := get(l.session, l.lineNames, name.Key())
	return found.id, err
}

// Insert implements ports.Lines.
func (l lines) Insert(_ context.Context, ln *line.Line) error {
	s := ln.State()
	if err := insert(l.session, l.lineNames, s.Username.Key(), holder{s.Username.Key(), s.ID}, profile.ErrUsernameTaken); err != nil {
		return err
	}
	return insert(l.session, l.lines, s.ID, s, fmt.Errorf("insert line %d: it is there already", s.ID))
}

// Save implements ports.Lines.
func (l lines) Save(_ context.Context, ln *line.Line) error {
	s := ln.State()
	before, err := get(l.session, l.lines, s.ID)
	if err != nil {
		return err
	}
	if err := rename(l.session, l.lineNames, s.ID, before.Username, s.Username); err != nil {
		return err
	}
	return l.lines.put(l.session, s.ID, s)
}

// Delete implements ports.Lines.
func (l lines) Delete(_ context.Context, t line.Tombstone) error {
	before, err := get(l.session, l.lines, t.Line)
	if err != nil {
		return err
	}
	return errors.Join(
		l.lineNames.remove(l.session, before.Username.Key()),
		l.lines.remove(l.session, t.Line),
		insert(l.session, l.tombstones, t.Line, t, fmt.Errorf("delete line %d: it has a tombstone already", t.Line)),
	)
}

// ledger implements ports.Ledger.
type ledger struct{ *session }

// Append implements ports.Ledger.
func (l ledger) Append(_ context.Context, m credit.Movement) error {
	if err := entriesHavePlaces(m); err != nil {
		return err
	}
	m.Entries = slices.Clone(m.Entries)
	return insert(l.session, l.movements, m.ID, m, fmt.Errorf("append movement %d: it is there already", m.ID))
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) {
	m, err := get(l.session, l.movements, id)
	m.Entries = slices.Clone(m.Entries)
	return m, err
}

// keys implements ports.Keys.
type keys struct{ *session }

// Get implements ports.Keys.
func (k keys) Get(_ context.Context, account int64, key string) (ports.KeyRecord, error) {
	r, err := get(k.session, k.keys, keyID{account, key})
	return apart(r), err
}

// Put implements ports.Keys. The record is looked up first: who put one without
// looking would not meet the other one that does the same.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	id := keyID{r.Account, r.Key}
	if _, err := k.keys.look(k.session, id); err != nil {
		return err
	}
	return k.keys.put(k.session, id, apart(r))
}

// apart keeps what is stored apart from what callers hold.
func apart(r ports.KeyRecord) ports.KeyRecord {
	r.Request, r.Body = slices.Clone(r.Request), slices.Clone(r.Body)
	return r
}
