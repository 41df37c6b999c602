package memstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// errEnded refuses a write that would be lost.
var errEnded = errors.New("the update that this transaction belongs to has ended")

// records is all that is kept. A copy of the struct is a snapshot.
type records struct {
	accounts     tree[int64, reseller.State]
	accountNames tree[string, int64] // by the key of the name
	lines        tree[int64, line.State]
	lineNames    tree[string, int64]
	movements    tree[int64, credit.Movement]
	keys         tree[keyID, ports.KeyRecord]
	expiries     tree[expiry, struct{}] // one entry for each record in keys
}

type keyID struct {
	account int64
	key     string
}

func (a keyID) compare(b keyID) int {
	return cmp.Or(cmp.Compare(a.account, b.account), strings.Compare(a.key, b.key))
}

type expiry struct {
	at time.Time
	id keyID
}

func (a expiry) compare(b expiry) int { return cmp.Or(a.at.Compare(b.at), a.id.compare(b.id)) }

func noRecords() *records {
	return &records{
		accounts:     tree[int64, reseller.State]{compare: cmp.Compare[int64]},
		accountNames: tree[string, int64]{compare: strings.Compare},
		lines:        tree[int64, line.State]{compare: cmp.Compare[int64]},
		lineNames:    tree[string, int64]{compare: strings.Compare},
		movements:    tree[int64, credit.Movement]{compare: cmp.Compare[int64]},
		keys:         tree[keyID, ports.KeyRecord]{compare: keyID.compare},
		expiries:     tree[expiry, struct{}]{compare: expiry.compare},
	}
}

func (r *records) putKey(k ports.KeyRecord) {
	id := keyID{k.Account, k.Key}
	if older, found := r.keys.get(id); found {
		r.expiries = r.expiries.without(expiry{older.Expires, id})
	}
	r.keys = r.keys.with(id, clone(k))
	r.expiries = r.expiries.with(expiry{k.Expires, id}, struct{}{})
}

func (r *records) dropKey(e expiry) {
	r.keys = r.keys.without(e.id)
	r.expiries = r.expiries.without(e)
}

// clone keeps what is stored apart from what callers hold.
func clone(k ports.KeyRecord) ports.KeyRecord {
	k.Request, k.Body = bytes.Clone(k.Request), bytes.Clone(k.Body)
	return k
}

// session is the write side of one Update.
type session struct {
	*records
	ended atomic.Bool
}

func (s *session) tx() ports.Tx {
	return ports.Tx{
		Accounts: accounts{accountReader{s.records}, s},
		Lines:    lines{s},
		Ledger:   ledger{s},
		Keys:     keys{keyReader{s.records}, s},
	}
}

func (s *session) open() error {
	if s.ended.Load() {
		return errEnded
	}
	return nil
}

// give makes key the name of id in place of the name that id had, if any.
func give(names tree[string, int64], id int64, had, key string) (tree[string, int64], error) {
	if holder, taken := names.get(key); taken && holder != id {
		return names, profile.ErrUsernameTaken
	}
	return names.without(had).with(key, id), nil
}

type accountReader struct{ *records }

// Get implements ports.AccountReader.
func (r accountReader) Get(_ context.Context, id int64) (*reseller.Account, error) {
	state, found := r.accounts.get(id)
	if !found {
		return nil, fault.ErrNotFound
	}
	return reseller.Restore(state)
}

// FindByUsername implements ports.AccountReader.
func (r accountReader) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Account, error) {
	id, found := r.accountNames.get(name.Key())
	if !found {
		return nil, fault.ErrNotFound
	}
	return r.Get(ctx, id)
}

// AnyBlocked implements ports.AccountReader.
func (r accountReader) AnyBlocked(_ context.Context, ids []int64) (bool, error) {
	for _, id := range ids {
		if state, found := r.accounts.get(id); found && state.Blocked {
			return true, nil
		}
	}
	return false, nil
}

// Empty implements ports.AccountDirectory.
func (r accountReader) Empty(context.Context) (bool, error) { return r.accounts.root == nil, nil }

type accounts struct {
	accountReader
	session *session
}

// Insert implements ports.Accounts.
func (a accounts) Insert(_ context.Context, added *reseller.Account) error {
	state := added.State()
	if _, found := a.accounts.get(state.ID); found {
		return fmt.Errorf("insert account %d: it is there already", state.ID)
	}
	return a.put(state, state.Username.Key())
}

// Save implements ports.Accounts.
func (a accounts) Save(_ context.Context, changed *reseller.Account) error {
	state := changed.State()
	old, found := a.accounts.get(state.ID)
	if !found {
		return fault.ErrNotFound
	}
	return a.put(state, old.Username.Key())
}

func (a accounts) put(state reseller.State, had string) error {
	if err := a.session.open(); err != nil {
		return err
	}
	names, err := give(a.accountNames, state.ID, had, state.Username.Key())
	if err != nil {
		return err
	}
	a.accountNames, a.accounts = names, a.accounts.with(state.ID, state)
	return nil
}

type lines struct{ *session }

// Get implements ports.Lines.
func (l lines) Get(_ context.Context, id int64) (*line.Line, error) {
	state, found := l.lines.get(id)
	if !found {
		return nil, fault.ErrNotFound
	}
	return line.Restore(state)
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(_ context.Context, name profile.Username) (int64, error) {
	id, found := l.lineNames.get(name.Key())
	if !found {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// Insert implements ports.Lines.
func (l lines) Insert(_ context.Context, added *line.Line) error {
	state := added.State()
	if _, found := l.lines.get(state.ID); found {
		return fmt.Errorf("insert line %d: it is there already", state.ID)
	}
	return l.put(state, state.Username.Key())
}

// Save implements ports.Lines.
func (l lines) Save(_ context.Context, changed *line.Line) error {
	state := changed.State()
	old, found := l.lines.get(state.ID)
	if !found {
		return fault.ErrNotFound
	}
	return l.put(state, old.Username.Key())
}

func (l lines) put(state line.State, had string) error {
	if err := l.open(); err != nil {
		return err
	}
	names, err := give(l.lineNames, state.ID, had, state.Username.Key())
	if err != nil {
		return err
	}
	l.lineNames, l.lines = names, l.lines.with(state.ID, state)
	return nil
}

// Delete implements ports.Lines.
func (l lines) Delete(_ context.Context, gone *line.Line) error {
	if err := l.open(); err != nil {
		return err
	}
	old, found := l.lines.get(gone.ID())
	if !found {
		return fault.ErrNotFound
	}
	l.lines, l.lineNames = l.lines.without(old.ID), l.lineNames.without(old.Username.Key())
	return nil
}

type ledger struct{ *session }

// Append implements ports.Ledger.
func (l ledger) Append(_ context.Context, m credit.Movement) error {
	if err := l.open(); err != nil {
		return err
	}
	if _, found := l.movements.get(m.ID); found {
		return fmt.Errorf("append movement %d: it is there already", m.ID)
	}
	l.movements = l.movements.with(m.ID, m)
	return nil
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) {
	m, found := l.movements.get(id)
	if !found {
		return credit.Movement{}, fault.ErrNotFound
	}
	return m, nil
}

type keyReader struct{ *records }

// Get implements ports.KeyReader.
func (r keyReader) Get(_ context.Context, account int64, key string) (ports.KeyRecord, error) {
	k, found := r.keys.get(keyID{account, key})
	if !found {
		return ports.KeyRecord{}, fault.ErrNotFound
	}
	return clone(k), nil
}

type keys struct {
	keyReader
	session *session
}

// Put implements ports.Keys.
func (k keys) Put(_ context.Context, r ports.KeyRecord) error {
	if err := k.session.open(); err != nil {
		return err
	}
	k.putKey(r)
	return nil
}
