package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// notesOf returns the notes of a line, as it is read by itself and as it is listed.
func notesOf(ctx context.Context, s ports.Snapshot, id int64) (notes string, err error) {
	one, err := s.Lines.Get(ctx, id)
	if err != nil {
		return "", err
	}
	page, err := s.Lines.List(ctx, ports.LineQuery{Limit: 1, After: ports.LineCursor{ID: id - 1}})
	if err != nil {
		return "", err
	}
	if listed := page.Lines[0].Shown().Notes; listed != one.Shown().Notes {
		return "", fmt.Errorf("it is listed with the notes %q and read with %q", listed, one.Shown().Notes)
	}
	return one.Shown().Notes.String(), nil
}

func withNotes(notes string) func(context.Context, ports.Tx) error {
	return func(ctx context.Context, tx ports.Tx) error {
		l, err := tx.Lines.Get(ctx, 7)
		if err != nil {
			return err
		}
		return tx.Lines.Save(ctx, fixture.ChangedLine(l, func(s *line.State) { s.Notes = fixture.Text(notes) }))
	}
}

// TestLinesAreInTheCacheUntilTheyChange has them changed by everybody who can.
func TestLinesAreInTheCacheUntilTheyChange(t *testing.T) {
	t.Parallel()
	path := emptyStore(t)
	s, other := open(t, path), open(t, path)
	insert(t, s, admin())
	put(t, s, fixture.Trial(admin(), 7))
	want := func(s *sqlitestore.Store, notes, about string) {
		t.Helper()
		for range 2 {
			got := seen(t, s, func(ctx context.Context, v ports.Snapshot) (string, error) { return notesOf(ctx, v, 7) })
			expect.DeepEqual(t, got, notes, "%v", about)
		}
	}
	want(s, "", "as it was made")
	must(t, s.Update(t.Context(), withNotes("own")))
	want(s, "own", "after an update")
	must(t, other.Update(t.Context(), withNotes("another's")))
	want(s, "another's", "after that of another store")
	execute(t, s, "CREATE TABLE copied AS SELECT * FROM lines WHERE id = 7")
	must(t, s.Update(t.Context(), withNotes("wrong")))
	want(s, "wrong", "after one more")
	execute(t, s,
		"UPDATE lines SET (notes, updated_at, checksum) = (SELECT notes, updated_at, checksum FROM copied); DROP TABLE copied")
	want(s, "another's", "after a repair from a copy")
	execute(t, s, "UPDATE lines SET notes = 'repaired', checksum = NULL WHERE id = 7")
	want(s, "repaired", "after a repair by hand")
	execute(t, s, "UPDATE lines SET notes = 'repaired again' WHERE id = 7")
	want(s, "repaired again", "after another")
	must(t, s.Update(t.Context(), withNotes("sound")))
	want(s, "sound", "after an update of what was repaired")

	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(withNotes("told")(ctx, tx),
			tryExecute(t, s, "UPDATE lines SET notes = 'not told', checksum = NULL WHERE id = 7"))
	}))
	want(s, "not told", "after an update that changed it behind the cache")

	runs := 0
	must(t, s.View(t.Context(), func(ctx context.Context, before ports.Snapshot) error {
		runs++
		one, err := before.Lines.Get(ctx, 7)
		if err != nil {
			return err
		}
		if runs == 1 {
			must(t, s.Update(t.Context(), withNotes("later")))
			want(s, "later", "in a view that begins after an update")
		}
		got, err := notesOf(ctx, before, 7)
		if err != nil {
			return err
		}
		expect.DeepEqual(t, got, one.Shown().Notes.String(), "the same view")
		return nil
	}))
	expect.DeepEqual(t, runs, 2, "runs of a look at two versions")

	want(s, "later", "after both")
	execute(t, s, "UPDATE lines SET notes = 'damaged' WHERE id = 7")
	for _, s := range []*sqlitestore.Store{s, other} {
		expect.Error(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			_, err := notesOf(ctx, s, 7)
			return err
		}), storekit.ErrDamaged, "damage")
	}
}

// TestTheCacheOutlivesEntries has entries alone appended, with which others are entered in lists.
func TestTheCacheOutlivesEntries(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	put(t, s, fixture.Trial(admin(), 8))
	seen(t, s, func(ctx context.Context, v ports.Snapshot) (string, error) { return notesOf(ctx, v, 8) })
	for range 70 {
		appendAll(t, s, started(2))
		compared, err := s.CompareCache(t.Context())
		must(t, err)
		expect.DeepEqual(t, compared, 2)
	}
}

// TestTheCacheIsBoundedByBytes reads more records than there is room for, as they mostly are and as long as they may
// be. Those that somebody asks for again and again stay.
func TestTheCacheIsBoundedByBytes(t *testing.T) { //nolint:paralleltest // it measures the heap
	text := func(n int) profile.Text { return fixture.Text(strings.Repeat("\U0001F4FA", n)) }
	for _, c := range []struct {
		name              string
		lines, resellers  int64 // more than there is room for
		someLines, someOf int   // that are to stay
		line              fixture.Change[line.State]
		reseller          fixture.Change[reseller.State]
	}{
		{"usual", 12_000, 7_000, 4_096, 2_048,
			func(s *line.State) { s.Notes = text(10) }, func(s *reseller.State) { s.Contact.Notes = text(40) }},
		{"longest", 1_000, 1_000, 256, 256,
			func(s *line.State) {
				s.Country, s.Whatsapp, s.Notes = text(profile.MaxText), text(profile.MaxText), text(profile.MaxNotes)
			},
			func(s *reseller.State) {
				s.Contact = reseller.Contact{Country: text(64), Whatsapp: text(64), Telegram: text(64), Email: text(64),
					Notes: text(profile.MaxNotes)}
			}},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // it measures the heap
			path := emptyStore(t)
			filled := open(t, path)
			insert(t, filled, admin())
			must(t, filled.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				for id := range c.lines {
					if err := tx.Lines.Insert(ctx, fixture.Trial(admin(), 1+id, c.line)); err != nil {
						return err
					}
				}
				for id := range c.resellers {
					if err := tx.Resellers.Insert(ctx, fixture.Master(admin(), 2+id, c.reseller)); err != nil {
						return err
					}
				}
				return nil
			}))
			must(t, filled.Close())
			s := open(t, path)
			before := heap()
			for id := range max(c.lines, c.resellers) {
				must(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
					for _, id := range []int64{1, min(1+id, c.lines)} {
						if _, err := s.Lines.Get(ctx, id); err != nil {
							return err
						}
					}
					_, err := s.Resellers.Get(ctx, min(2+id, c.resellers))
					return err
				}))
			}
			lines, resellers := s.Cached()
			if len(lines) < c.someLines || len(resellers) < c.someOf {
				t.Errorf("%d lines and %d accounts are in the cache, want at least %d and %d", len(lines), len(resellers),
					c.someLines, c.someOf)
			}
			for id, want := range map[int64]bool{1: true, 2: false, c.lines: true} {
				expect.DeepEqual(t, lines[id] != nil, want, "whether line %v is in the cache", id)
			}
			if held := heap() - before; held > sqlitestore.MostCached {
				t.Errorf("the cache holds %d bytes, want at most %d", held, sqlitestore.MostCached)
			}
			runtime.KeepAlive(s)
		})
	}
}

// TestViewsSeeWholeCommits has two stores on one file, as two processes have, write the same
// text to two lines, which views read from the cache and from the file. A view shows both of
// one commit, and none earlier than what was acknowledged before it began.
func TestViewsSeeWholeCommits(t *testing.T) {
	t.Parallel()
	const updates = 60
	path := emptyStore(t)
	stores := []*sqlitestore.Store{open(t, path), open(t, path)}
	insert(t, stores[0], admin())
	for _, id := range []int64{7, 8} {
		put(t, stores[0], fixture.Trial(admin(), id, func(s *line.State) { s.Notes = fixture.Text("0") }))
	}
	number := func(ctx context.Context, lines ports.LineReader, id int64) (n int, l *line.Line, err error) {
		if l, err = lines.Get(ctx, id); err == nil {
			n, err = strconv.Atoi(l.Shown().Notes.String())
		}
		return n, l, err
	}
	var acknowledged, ended atomic.Int64
	var group sync.WaitGroup
	do := func(what func() error) { group.Go(func() { expect.Error(t, what(), nil) }) }
	for _, s := range stores {
		do(func() error {
			defer ended.Add(1)
			for range updates {
				var written int
				err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
					for _, id := range []int64{7, 8} {
						n, l, err := number(ctx, tx.Lines, id)
						if err != nil {
							return err
						}
						written = n + 1
						if err := tx.Lines.Save(ctx, fixture.ChangedLine(l, func(s *line.State) {
							s.Notes = fixture.Text(strconv.Itoa(written))
						})); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
				for last := acknowledged.Load(); last < int64(written) && !acknowledged.CompareAndSwap(last, int64(written)); {
					last = acknowledged.Load()
				}
			}
			return nil
		})
		for _, listed := range []bool{false, true} {
			do(func() error {
				for ended.Load() < int64(len(stores)) {
					least := acknowledged.Load()
					err := s.View(t.Context(), func(ctx context.Context, look ports.Snapshot) error {
						first, _, err := number(ctx, look.Lines, 7)
						if err != nil {
							return err
						}
						if listed {
							if _, err := look.Resellers.Empty(ctx); err != nil { // which the cache can't tell
								return err
							}
						}
						second, _, err := number(ctx, look.Lines, 8)
						if err == nil && (first != second || int64(first) < least) {
							err = fmt.Errorf("a view shows %d and %d after the acknowledgement of %d", first, second, least)
						}
						return err
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	group.Wait()
	for _, s := range stores {
		notes := seen(t, s, func(ctx context.Context, v ports.Snapshot) (string, error) { return notesOf(ctx, v, 7) })
		expect.DeepEqual(t, notes, strconv.Itoa(2*updates), "after all updates")
	}
}
