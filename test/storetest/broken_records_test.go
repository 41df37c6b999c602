package storetest

import (
	"context"
	"errors"
	"sync"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// sharing keeps and gives the very aggregates that callers hold.
type sharing struct {
	mu       sync.Mutex
	accounts map[int64]*reseller.Account
	lines    map[int64]*line.Line
}

type sharedAccounts struct {
	ports.Accounts
	shared                 *sharing
	onInsert, onSave, find bool
}

func (s sharedAccounts) keep(a *reseller.Account, err error) (*reseller.Account, error) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if err == nil {
		s.shared.accounts[a.ID()] = a
	}
	return a, err
}

func (s sharedAccounts) Get(ctx context.Context, id int64) (*reseller.Account, error) {
	s.shared.mu.Lock()
	a, kept := s.shared.accounts[id]
	s.shared.mu.Unlock()
	if kept {
		return a, nil
	}
	a, err := s.Accounts.Get(ctx, id)
	if s.onInsert || s.onSave || s.find {
		return a, err
	}
	return s.keep(a, err)
}

func (s sharedAccounts) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Account, error) {
	a, err := s.Accounts.FindByUsername(ctx, name)
	if s.find {
		return s.keep(a, err)
	}
	return a, err
}

func (s sharedAccounts) Insert(ctx context.Context, a *reseller.Account) error {
	err := s.Accounts.Insert(ctx, a)
	if s.onInsert {
		_, err = s.keep(a, err)
	}
	return err
}

func (s sharedAccounts) Save(ctx context.Context, a *reseller.Account) error {
	err := s.Accounts.Save(ctx, a)
	if s.onSave {
		_, err = s.keep(a, err)
	}
	return err
}

type sharedLines struct {
	ports.Lines
	shared           *sharing
	onInsert, onSave bool
}

func (s sharedLines) keep(l *line.Line, err error) (*line.Line, error) {
	if err == nil {
		s.shared.lines[l.ID()] = l
	}
	return l, err
}

func (s sharedLines) Get(ctx context.Context, id int64) (*line.Line, error) {
	if l, kept := s.shared.lines[id]; kept {
		return l, nil
	}
	l, err := s.Lines.Get(ctx, id)
	if s.onInsert || s.onSave {
		return l, err
	}
	return s.keep(l, err)
}

func (s sharedLines) Insert(ctx context.Context, l *line.Line) error {
	err := s.Lines.Insert(ctx, l)
	if s.onInsert {
		_, err = s.keep(l, err)
	}
	return err
}

func (s sharedLines) Save(ctx context.Context, l *line.Line) error {
	err := s.Lines.Save(ctx, l)
	if s.onSave {
		_, err = s.keep(l, err)
	}
	return err
}

type sharedDirectory struct {
	ports.AccountDirectory
	shared *sharing
}

func (d sharedDirectory) Get(ctx context.Context, id int64) (*reseller.Account, error) {
	if a, kept := d.shared.accounts[id]; kept {
		return a, nil
	}
	a, err := d.AccountDirectory.Get(ctx, id)
	if err == nil {
		d.shared.accounts[id] = a
	}
	return a, err
}

// overwriting lets a movement take the place of an older one.
type overwriting struct {
	ports.Ledger
	newer map[int64]credit.Movement
}

func (o overwriting) Append(ctx context.Context, m credit.Movement) error {
	if _, err := o.Ledger.Get(ctx, m.ID); err == nil {
		o.newer[m.ID] = m
		return nil
	}
	return o.Ledger.Append(ctx, m)
}

func (o overwriting) Get(ctx context.Context, id int64) (credit.Movement, error) {
	if m, found := o.newer[id]; found {
		return m, nil
	}
	return o.Ledger.Get(ctx, id)
}

// cascading deletes a line's movements with it.
type cascading struct {
	ports.Ledger
	deleted map[int64]bool
}

func (c cascading) Get(ctx context.Context, id int64) (credit.Movement, error) {
	m, err := c.Ledger.Get(ctx, id)
	if c.deleted[m.Line] {
		return credit.Movement{}, fault.ErrNotFound
	}
	return m, err
}

// blockedBy answers AnyBlocked with a rule of its own.
type blockedBy struct {
	ports.Accounts
	rule func(ctx context.Context, reader ports.AccountReader, ids []int64) (bool, error)
}

func (b blockedBy) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return b.rule(ctx, b.Accounts, ids)
}

// directory answers the questions of a view with rules of its own.
type directory struct {
	ports.AccountDirectory
	anyBlocked func(ids []int64) (bool, error)
	empty      func() (bool, error)
}

func (d directory) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	if d.anyBlocked != nil {
		return d.anyBlocked(ids)
	}
	return d.AccountDirectory.AnyBlocked(ctx, ids)
}

func (d directory) Empty(ctx context.Context) (bool, error) {
	if d.empty != nil {
		return d.empty()
	}
	return d.AccountDirectory.Empty(ctx)
}

func brokenRecords() (all []broken) {
	own := caughtBy("changes-stay-with-the-caller")
	shares := func(how string, accounts sharedAccounts, lines sharedLines) {
		all = append(all, broken{how: how, caught: own, sabotage: func(sound ports.Store) ports.Store {
			s := &sharing{accounts: map[int64]*reseller.Account{}, lines: map[int64]*line.Line{}}
			return patchedTx(sound, func(tx *ports.Tx) {
				if accounts != (sharedAccounts{}) || lines == (sharedLines{}) {
					accounts.Accounts, accounts.shared = tx.Accounts, s
					tx.Accounts = accounts
				}
				if lines != (sharedLines{}) || accounts == (sharedAccounts{}) {
					lines.Lines, lines.shared = tx.Lines, s
					tx.Lines = lines
				}
			})
		}})
	}
	shares("keeps the account that was inserted", sharedAccounts{onInsert: true}, sharedLines{})
	shares("keeps the account that was saved", sharedAccounts{onSave: true}, sharedLines{})
	shares("keeps the account that was found", sharedAccounts{find: true}, sharedLines{})
	shares("keeps the line that was inserted", sharedAccounts{}, sharedLines{onInsert: true})
	shares("keeps the line that was saved", sharedAccounts{}, sharedLines{onSave: true})
	shares("keeps what was got", sharedAccounts{}, sharedLines{})
	all = append(all, broken{how: "keeps the account that was viewed", caught: own, sabotage: func(sound ports.Store) ports.Store {
		s := &sharing{accounts: map[int64]*reseller.Account{}}
		return patchedView(sound, func(v *ports.Snapshot) { v.Accounts = sharedDirectory{v.Accounts, s} })
	}})

	for _, operation := range []string{
		accountGet, accountFind, accountSave, lineGet, lineFind, lineSave, lineDelete, movementGet, keyGet,
	} {
		all = append(all, broken{how: "has an error of its own to " + operation, caught: caughtBy("absent-is-not-found"),
			sabotage: answering(operation, func(err error) error {
				if errors.Is(err, fault.ErrNotFound) {
					return errors.New("no such document")
				}
				return err
			})})
	}
	all = append(all,
		broken{how: "deletes lines that are not there", caught: caughtBy("absent-is-not-found"), sabotage: answering(lineDelete, absent)},
		broken{how: "forgets saves of lines that are not there", caught: caughtBy("absent-is-not-found"), sabotage: answering(lineSave, absent)},
		broken{how: "changes a movement", caught: caughtBy("movements-are-never-changed"), sabotage: func(sound ports.Store) ports.Store {
			newer := map[int64]credit.Movement{}
			return patchedTx(sound, func(tx *ports.Tx) { tx.Ledger = overwriting{tx.Ledger, newer} })
		}},
		broken{how: "deletes movements with the line", caught: caughtBy("movements-outlive-lines"), sabotage: func(sound ports.Store) ports.Store {
			deleted := map[int64]bool{}
			return patchedTx(sound, func(tx *ports.Tx) {
				tx.Ledger = cascading{tx.Ledger, deleted}
				tx.Lines = onDelete{tx.Lines, func(l *line.Line) { deleted[l.ID()] = true }}
			})
		}},
		broken{how: "only pretends to delete a line", caught: caughtBy("movements-outlive-lines", "deleted-lines-free-their-names"), sabotage: func(sound ports.Store) ports.Store {
			return withVia(sound, func(tx ports.Tx) via {
				return func(op string, on func(ports.Tx) error) error {
					if op == lineDelete {
						return nil
					}
					return on(tx)
				}
			})
		}},
	)

	blocked := func(how string, rule func(ctx context.Context, r ports.AccountReader, ids []int64) (bool, error)) {
		all = append(all, broken{how: how, caught: caughtBy("own-blocks-only"), sabotage: func(sound ports.Store) ports.Store {
			return patchedTx(sound, func(tx *ports.Tx) { tx.Accounts = blockedBy{tx.Accounts, rule} })
		}})
	}
	blocked("takes an empty list for all accounts", func(ctx context.Context, r ports.AccountReader, ids []int64) (bool, error) {
		if len(ids) == 0 {
			return true, nil
		}
		return r.AnyBlocked(ctx, ids)
	})
	blocked("looks at the first account only", func(ctx context.Context, r ports.AccountReader, ids []int64) (bool, error) {
		return r.AnyBlocked(ctx, ids[:min(len(ids), 1)])
	})
	blocked("looks at the accounts above, too", func(ctx context.Context, r ports.AccountReader, ids []int64) (bool, error) {
		for _, id := range ids {
			a, err := r.Get(ctx, id)
			if err != nil {
				return false, absent(err)
			}
			if blocked, err := r.AnyBlocked(ctx, a.Place().Path()); blocked || err != nil {
				return blocked, err
			}
		}
		return false, nil
	})
	blocked("finds nothing blocked", func(context.Context, ports.AccountReader, []int64) (bool, error) { return false, nil })

	view := func(how, check string, change func(d *directory)) {
		all = append(all, broken{how: how, caught: caughtBy(check), sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(v *ports.Snapshot) {
				d := directory{AccountDirectory: v.Accounts}
				change(&d)
				v.Accounts = d
			})
		}})
	}
	view("finds nothing blocked in a view", "own-blocks-only", func(d *directory) { d.anyBlocked = func([]int64) (bool, error) { return false, nil } })
	view("is never empty", "empty-without-accounts", func(d *directory) { d.empty = func() (bool, error) { return false, nil } })
	view("is always empty", "empty-without-accounts", func(d *directory) { d.empty = func() (bool, error) { return true, nil } })
	return all
}
