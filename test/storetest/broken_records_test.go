package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// sharing keeps and gives the very aggregates that callers hold.
type sharing[A interface{ ID() int64 }] struct {
	mu   sync.Mutex
	kept map[int64]A
}

// of returns the one that is kept in place of an aggregate. Where there is none, it keeps
// this one if it is told to.
func (s *sharing[A]) of(keep bool, a A, err error) (A, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return a, err
	}
	if kept, known := s.kept[a.ID()]; known {
		return kept, nil
	}
	if keep {
		if s.kept == nil {
			s.kept = map[int64]A{}
		}
		s.kept[a.ID()] = a
	}
	return a, nil
}

// ofAll does so for a page, and keeps what it gives.
func (s *sharing[A]) ofAll(page []A) {
	for i, a := range page {
		page[i], _ = s.of(true, a, nil)
	}
}

// sharedResellers keeps what one operation gives or takes.
type sharedResellers struct {
	ports.Resellers
	*sharing[*reseller.Reseller]
	operation string
}

func (s sharedResellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	a, err := s.Resellers.Get(ctx, id)
	return s.of(s.operation == resellerGet, a, err)
}

func (s sharedResellers) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	a, err := s.Resellers.FindByUsername(ctx, name)
	if s.operation != resellerFind {
		return a, err
	}
	return s.of(true, a, err)
}

func (s sharedResellers) Insert(ctx context.Context, a *reseller.Reseller) error {
	_, err := s.of(s.operation == resellerInsert, a, s.Resellers.Insert(ctx, a))
	return err
}

func (s sharedResellers) Save(ctx context.Context, a *reseller.Reseller) error {
	_, err := s.of(s.operation == resellerSave, a, s.Resellers.Save(ctx, a))
	return err
}

type sharedLines struct {
	ports.Lines
	*sharing[*line.Line]
	operation string
}

func (s sharedLines) Get(ctx context.Context, id int64) (*line.Line, error) {
	l, err := s.Lines.Get(ctx, id)
	return s.of(s.operation == lineGet, l, err)
}

func (s sharedLines) Insert(ctx context.Context, l *line.Line) error {
	_, err := s.of(s.operation == lineInsert, l, s.Lines.Insert(ctx, l))
	return err
}

func (s sharedLines) Save(ctx context.Context, l *line.Line) error {
	_, err := s.of(s.operation == lineSave, l, s.Lines.Save(ctx, l))
	return err
}

// sharedDirectory keeps what is got in a view.
type sharedDirectory struct {
	ports.ResellerDirectory
	*sharing[*reseller.Reseller]
}

func (d sharedDirectory) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	a, err := d.ResellerDirectory.Get(ctx, id)
	return d.of(true, a, err)
}

type sharedLineDirectory struct {
	ports.LineDirectory
	*sharing[*line.Line]
}

func (d sharedLineDirectory) Get(ctx context.Context, id int64) (*line.Line, error) {
	l, err := d.LineDirectory.Get(ctx, id)
	return d.of(true, l, err)
}

// rowless has an error of its own for a line that is not there.
type rowless struct{ ports.LineDirectory }

func (r rowless) Get(ctx context.Context, id int64) (*line.Line, error) {
	l, err := r.LineDirectory.Get(ctx, id)
	return l, instead(fault.ErrNotFound, errors.New("no rows"))(err)
}

// sharedLedger keeps the very movements that were appended.
type sharedLedger struct {
	ports.Ledger
	appended map[int64]credit.Movement
}

func (l sharedLedger) Append(ctx context.Context, m credit.Movement) error {
	err := l.Ledger.Append(ctx, m)
	if err == nil {
		l.appended[m.ID] = m
	}
	return err
}

func (l sharedLedger) Get(ctx context.Context, id int64) (credit.Movement, error) {
	m, err := l.Ledger.Get(ctx, id)
	if kept, known := l.appended[id]; known {
		m = kept
	}
	return m, err
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
	ports.Resellers
	rule func(ctx context.Context, reader ports.ResellerReader, ids []int64) (bool, error)
}

func (b blockedBy) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	return b.rule(ctx, b.Resellers, ids)
}

// directory answers the questions of a view with rules of its own.
type directory struct {
	ports.ResellerDirectory
	blocked    func(ctx context.Context, ids []int64) ([]int64, error)
	anyBlocked func(ids []int64) (bool, error)
	empty      func() (bool, error)
}

func (d directory) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	if d.anyBlocked != nil {
		return d.anyBlocked(ids)
	}
	return d.ResellerDirectory.AnyBlocked(ctx, ids)
}

func (d directory) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	if d.blocked != nil {
		return d.blocked(ctx, ids)
	}
	return d.ResellerDirectory.Blocked(ctx, ids)
}

func (d directory) Empty(ctx context.Context) (bool, error) {
	if d.empty != nil {
		return d.empty()
	}
	return d.ResellerDirectory.Empty(ctx)
}

func brokenRecords() (all []broken) {
	own := caughtBy("changes-stay-with-the-caller")
	for _, operation := range []string{resellerGet, resellerFind, resellerInsert, resellerSave, lineGet, lineInsert, lineSave} {
		all = append(all, broken{how: "shares the record with who asked to " + operation, caught: own, sabotage: func(sound full) full {
			resellers, lines := &sharing[*reseller.Reseller]{}, &sharing[*line.Line]{}
			return patchedTx(sound, func(tx *ports.Tx) {
				tx.Resellers = sharedResellers{tx.Resellers, resellers, operation}
				tx.Lines = sharedLines{tx.Lines, lines, operation}
			})
		}})
	}
	views := func(how string, patch func(s *ports.Snapshot, accounts *sharing[*reseller.Reseller], lines *sharing[*line.Line])) {
		all = append(all, broken{how: how, caught: own, sabotage: func(sound full) full {
			accounts, lines := &sharing[*reseller.Reseller]{}, &sharing[*line.Line]{}
			return patchedView(sound, func(s *ports.Snapshot) { patch(s, accounts, lines) })
		}})
	}
	views("keeps the account that was viewed", func(s *ports.Snapshot, accounts *sharing[*reseller.Reseller], _ *sharing[*line.Line]) {
		s.Resellers = sharedDirectory{s.Resellers, accounts}
	})
	views("keeps the line that was viewed", func(s *ports.Snapshot, _ *sharing[*reseller.Reseller], lines *sharing[*line.Line]) {
		s.Lines = sharedLineDirectory{s.Lines, lines}
	})
	views("keeps the account that was listed", func(s *ports.Snapshot, accounts *sharing[*reseller.Reseller], _ *sharing[*line.Line]) {
		s.Resellers = listing{s.Resellers, otherwise(nil, func(_ ports.ResellerQuery, page *ports.ResellerPage) { accounts.ofAll(page.Resellers) })}
	})
	views("keeps the line that was listed", func(s *ports.Snapshot, _ *sharing[*reseller.Reseller], lines *sharing[*line.Line]) {
		s.Lines = lineListing{s.Lines, otherwise(nil, func(_ ports.LineQuery, page *ports.LinePage) { lines.ofAll(page.Lines) })}
	})
	all = append(all, broken{how: "keeps the movement that was appended", caught: caughtBy("movements-are-never-changed"), sabotage: func(sound full) full {
		appended := map[int64]credit.Movement{}
		return patchedTx(sound, func(tx *ports.Tx) { tx.Ledger = sharedLedger{tx.Ledger, appended} })
	}})
	neverChanged := map[bool]string{false: "movements-are-never-changed", true: "archives-show-movements-never-changed"} // by whether auditors see it
	for how, filterOf := range map[string]func(keep func(credit.Movement) credit.Movement) filter{
		"got":     func(keep func(credit.Movement) credit.Movement) filter { return filter{movement: keep} },
		"stated":  func(keep func(credit.Movement) credit.Movement) filter { return filter{stated: keep} },
		"audited": func(keep func(credit.Movement) credit.Movement) filter { return filter{audited: keep} },
		"named":   func(keep func(credit.Movement) credit.Movement) filter { return filter{named: keep} },
	} {
		all = append(all, broken{how: "keeps the movement that was " + how, caught: caughtBy(neverChanged[how == "audited" || how == "named"]), sabotage: func(sound full) full {
			kept := map[int64]credit.Movement{}
			return filterOf(func(m credit.Movement) credit.Movement {
				if _, known := kept[m.ID]; !known {
					kept[m.ID] = m
				}
				return kept[m.ID]
			}).over(sound)
		}})
	}

	const tombs = "deleted-lines-leave-tombstones"
	for how, change := range map[string]func(t *line.Tombstone){
		"forgets what was paid for a line that was deleted": func(t *line.Tombstone) { t.Charge = 0 },
		"forgets who deleted a line":                        func(t *line.Tombstone) { t.Actor = 0 },
		"forgets when a line was deleted":                   func(t *line.Tombstone) { t.At = time.Time{} },
		"notes the second in which a line was deleted":      func(t *line.Tombstone) { t.At = t.At.Truncate(time.Second) },
	} {
		all = append(all, broken{how: how, caught: caughtBy(tombs), sabotage: filter{tombstone: func(t line.Tombstone) line.Tombstone {
			change(&t)
			return t
		}}.over})
	}
	for _, operation := range []string{
		resellerGet, resellerFind, resellerSave, lineGet, lineFind, lineSave, lineDelete, movementGet, keyGet,
	} {
		all = append(all, broken{how: "has an error of its own to " + operation, caught: caughtBy("absent-is-not-found"),
			sabotage: answering(operation, instead(fault.ErrNotFound, errors.New("no such document")))})
	}
	all = append(all,
		broken{how: "has an error of its own to get a line in a view", caught: caughtBy("absent-is-not-found"), sabotage: by(patchedView, func(v *ports.Snapshot) { v.Lines = rowless{v.Lines} })},
		broken{how: "deletes lines that are not there", caught: caughtBy("absent-is-not-found"), sabotage: answering(lineDelete, absent)},
		broken{how: "forgets saves of lines that are not there", caught: caughtBy("absent-is-not-found"), sabotage: answering(lineSave, absent)},
		broken{how: "changes a movement", caught: caughtBy("movements-are-never-changed"), sabotage: func(sound full) full {
			newer := map[int64]credit.Movement{}
			return patchedTx(sound, func(tx *ports.Tx) { tx.Ledger = overwriting{tx.Ledger, newer} })
		}},
		broken{how: "deletes movements with the line", caught: caughtBy("movements-outlive-lines"), sabotage: func(sound full) full {
			deleted := map[int64]bool{}
			return patchedTx(sound, func(tx *ports.Tx) {
				tx.Ledger = cascading{tx.Ledger, deleted}
				tx.Lines = onDelete{tx.Lines, func(t line.Tombstone) { deleted[t.Line] = true }}
			})
		}},
		broken{how: "leaves no tombstone", caught: caughtBy(tombs, "audits-find-tombstones-by-their-line"), sabotage: by(patchedRecords, func(r ports.Records) ports.Records { return burying{r, nil} })},
		broken{how: "leaves the tombstone of a deletion that was refused", caught: caughtBy(tombs), sabotage: func(sound full) full {
			var mu sync.Mutex
			kept := map[int64]ports.Audited[line.Tombstone]{}
			w := patchedTx(sound, func(tx *ports.Tx) {
				tx.Lines = onDelete{tx.Lines, func(t line.Tombstone) {
					mu.Lock()
					defer mu.Unlock()
					kept[t.Line] = ports.Audited[line.Tombstone]{ID: t.Line, Record: t}
				}}
			})
			w.viewRecords = patchedRecords(sound, func(r ports.Records) ports.Records {
				mu.Lock()
				defer mu.Unlock()
				return burying{r, maps.Clone(kept)}
			}).viewRecords
			return w
		}},
		broken{how: "only pretends to delete a line", caught: caughtBy("movements-outlive-lines", "deleted-lines-free-their-names"), sabotage: forgetting(lineDelete)},
	)

	blocked := func(how string, rule func(ctx context.Context, r ports.ResellerReader, ids []int64) (bool, error)) {
		all = append(all, broken{how: how, caught: caughtBy("own-blocks-only"), sabotage: by(patchedTx, func(tx *ports.Tx) { tx.Resellers = blockedBy{tx.Resellers, rule} })})
	}
	blocked("takes an empty list for all accounts", func(ctx context.Context, r ports.ResellerReader, ids []int64) (bool, error) {
		if len(ids) == 0 {
			return true, nil
		}
		return r.AnyBlocked(ctx, ids)
	})
	blocked("looks at the first account only", func(ctx context.Context, r ports.ResellerReader, ids []int64) (bool, error) {
		return r.AnyBlocked(ctx, ids[:min(len(ids), 1)])
	})
	blocked("looks at the accounts above, too", func(ctx context.Context, r ports.ResellerReader, ids []int64) (bool, error) {
		for _, id := range ids {
			a, err := r.Get(ctx, id)
			if err != nil {
				return false, absent(err)
			}
			if blocked, err := r.AnyBlocked(ctx, a.Position().Path()); blocked || err != nil {
				return blocked, err
			}
		}
		return false, nil
	})
	blocked("finds nothing blocked", func(context.Context, ports.ResellerReader, []int64) (bool, error) { return false, nil })

	view := func(how, check string, change func(d *directory)) {
		all = append(all, broken{how: how, caught: caughtBy(check), sabotage: by(patchedView, func(v *ports.Snapshot) {
			d := directory{ResellerDirectory: v.Resellers}
			change(&d)
			v.Resellers = d
		})})
	}
	view("finds nothing blocked in a view", "own-blocks-only", func(d *directory) { d.anyBlocked = func([]int64) (bool, error) { return false, nil } })
	blocks := func(how string, rule func(ctx context.Context, ids []int64, sound ports.ResellerDirectory) ([]int64, error)) {
		view(how, "own-blocks-are-listed", func(d *directory) {
			sound := d.ResellerDirectory
			d.blocked = func(ctx context.Context, ids []int64) ([]int64, error) { return rule(ctx, ids, sound) }
		})
	}
	blocks("lists no blocks", func(context.Context, []int64, ports.ResellerDirectory) ([]int64, error) { return nil, nil })
	blocks("lists all as blocked", func(_ context.Context, ids []int64, _ ports.ResellerDirectory) ([]int64, error) { return ids, nil })
	blocks("lists one block", func(ctx context.Context, ids []int64, sound ports.ResellerDirectory) ([]int64, error) {
		blocked, err := sound.Blocked(ctx, ids)
		return blocked[:min(len(blocked), 1)], err
	})
	blocks("lists the blocks of a thousand", func(ctx context.Context, ids []int64, sound ports.ResellerDirectory) ([]int64, error) {
		return sound.Blocked(ctx, ids[:min(len(ids), 1_000)])
	})
	blocks("lists who is blocked by those above", func(ctx context.Context, ids []int64, sound ports.ResellerDirectory) (blocked []int64, err error) {
		for _, id := range ids {
			a, err := sound.Get(ctx, id)
			if absent(err) != nil {
				return nil, err
			}
			if err == nil {
				if is, err := sound.AnyBlocked(ctx, a.Position().Path()); err != nil || is {
					blocked = append(blocked, id)
				}
			}
		}
		return blocked, nil
	})
	view("is never empty", "empty-without-accounts", func(d *directory) { d.empty = func() (bool, error) { return false, nil } })
	view("is always empty", "empty-without-accounts", func(d *directory) { d.empty = func() (bool, error) { return true, nil } })
	return all
}

// burying shows these tombstones.
type burying struct {
	ports.Records
	tombstones map[int64]ports.Audited[line.Tombstone]
}

func (b burying) Tombstones(_ context.Context, after int64, limit int) (page []ports.Audited[line.Tombstone], err error) {
	for _, id := range slices.Sorted(maps.Keys(b.tombstones)) {
		if id > after && len(page) < limit {
			page = append(page, b.tombstones[id])
		}
	}
	return page, nil
}

func (b burying) TombstonesByLine(_ context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	found := map[int64]ports.Audited[line.Tombstone]{}
	for _, id := range lines {
		if f, there := b.tombstones[id]; there {
			found[id] = f
		}
	}
	return found, nil
}
