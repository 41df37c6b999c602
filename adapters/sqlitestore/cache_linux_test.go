package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/given"
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
		return tx.Lines.Save(ctx, given.ChangedLine(l, func(s *line.State) { s.Notes = given.Text(notes) }))
	}
}

// TestLinesAreInTheCacheUntilTheyChange has them changed by everybody who can.
func TestLinesAreInTheCacheUntilTheyChange(t *testing.T) {
	t.Parallel()
	path := emptyStore(t)
	s, other := open(t, path), open(t, path)
	insert(t, s, admin())
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Lines.Insert(ctx, given.Trial(admin(), 7))
	}))
	want := func(s *sqlitestore.Store, notes, about string) {
		t.Helper()
		for range 2 {
			must(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
				got, err := notesOf(ctx, s, 7)
				wantEqual(t, got, notes, about)
				return err
			}), about)
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
	execute(t, s, "UPDATE lines SET (notes, updated_at, checksum) = (SELECT notes, updated_at, checksum FROM copied); DROP TABLE copied")
	want(s, "another's", "after a repair from a copy")
	execute(t, s, "UPDATE lines SET notes = 'repaired', checksum = NULL WHERE id = 7")
	want(s, "repaired", "after a repair by hand")
	execute(t, s, "UPDATE lines SET notes = 'repaired again' WHERE id = 7")
	want(s, "repaired again", "after another")
	must(t, s.Update(t.Context(), withNotes("sound")))
	want(s, "sound", "after an update of what was repaired")

	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(withNotes("told")(ctx, tx), tryExecute(t, s, "UPDATE lines SET notes = 'not told', checksum = NULL WHERE id = 7"))
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
		wantEqual(t, got, one.Shown().Notes.String(), "the same view")
		return nil
	}))
	wantEqual(t, runs, 2, "runs of a look at two versions")

	want(s, "later", "after both")
	execute(t, s, "UPDATE lines SET notes = 'damaged' WHERE id = 7")
	for _, s := range []*sqlitestore.Store{s, other} {
		wantError(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			_, err := notesOf(ctx, s, 7)
			return err
		}), storekit.ErrDamaged, "damage")
	}
}

func TestLinesThatNobodyAsksForAreForgotten(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	const id, many = 1, 3 * sqlitestore.MostCachedLines
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for i := range int64(many) {
			if err := tx.Lines.Insert(ctx, given.Trial(admin(), id+i)); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		for i := range int64(many) {
			if _, err := s.Lines.Get(ctx, id+i); err != nil {
				return err
			}
			if _, err := s.Lines.Get(ctx, id); err != nil { // which somebody asks for
				return err
			}
		}
		return nil
	}))
	cached := s.CachedLines()
	if n := len(cached); n <= sqlitestore.MostCachedLines || n > 2*sqlitestore.MostCachedLines {
		t.Errorf("%d lines are in the cache of %d", n, many)
	}
	for id, want := range map[int64]bool{id: true, id + 1: false, many: true} {
		wantEqual(t, cached[id] != nil, want, "whether line ", id, " is in the cache")
	}
}

// TestViewsSeeWholeCommits has two stores on one file, as two processes have, write the same
// text to two lines, which views read from the cache and from the file. A view shows both of
// one commit, and none earlier than what was acknowledged before it began.
func TestViewsSeeWholeCommits(t *testing.T) {
	t.Parallel()
	const updates = 300
	path := emptyStore(t)
	stores := []*sqlitestore.Store{open(t, path), open(t, path)}
	insert(t, stores[0], admin())
	must(t, stores[0].Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, id := range []int64{7, 8} {
			l := given.ChangedLine(given.Trial(admin(), id), func(s *line.State) { s.Notes = given.Text("0") })
			if err := tx.Lines.Insert(ctx, l); err != nil {
				return err
			}
		}
		return nil
	}))
	number := func(ctx context.Context, lines ports.LineReader, id int64) (n int, l *line.Line, err error) {
		if l, err = lines.Get(ctx, id); err == nil {
			n, err = strconv.Atoi(l.Shown().Notes.String())
		}
		return n, l, err
	}
	var acknowledged, ended atomic.Int64
	var group sync.WaitGroup
	do := func(what func() error) { group.Go(func() { wantNone(t, what()) }) }
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
						if err := tx.Lines.Save(ctx, given.ChangedLine(l, func(s *line.State) { s.Notes = given.Text(strconv.Itoa(written)) })); err != nil {
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
		must(t, s.View(t.Context(), func(ctx context.Context, look ports.Snapshot) error {
			n, _, err := number(ctx, look.Lines, 7)
			wantEqual(t, n, 2*updates, "after all updates")
			return err
		}))
	}
}

// TestTheCacheFollowsOnlyItsOwnCommits has another process commit between a commit and the
// look at what it made.
func TestTheCacheFollowsOnlyItsOwnCommits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		written  bool
		versions uint32
		want     bool
	}{
		{true, 1, true},
		{true, 2, false},  // another's after it
		{false, 0, true},  // none at all
		{false, 1, false}, // it, or another's after one that wrote nothing
	} {
		wantEqual(t, sqlitestore.InCacheAfter(c.written, c.versions), c.want, fmt.Sprintf("%+v", c))
	}
}
