package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
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
	execute(t, s, "UPDATE lines SET notes = 'repaired', checksum = NULL WHERE id = 7")
	want(s, "repaired", "after a repair by hand")
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

// TestTheCacheIsBoundedByBytes reads more records than there is room for, as long as they may be. Those that somebody
// asks for again and again stay.
func TestTheCacheIsBoundedByBytes(t *testing.T) { //nolint:paralleltest // it measures the heap
	text := func(n int) profile.Text { return fixture.Text(strings.Repeat("\U0001F4FA", n)) }
	const many, least = 1_000, 256 // more than there is room for, and how many are to stay
	path := emptyStore(t)
	filled := open(t, path)
	insert(t, filled, admin())
	must(t, filled.Update(t.Context(), func(ctx context.Context, tx ports.Tx) (err error) {
		for id := range int64(many) {
			err = errors.Join(err, tx.Lines.Insert(ctx, fixture.Trial(admin(), 1+id, func(s *line.State) {
				s.Country, s.Whatsapp, s.Notes = text(profile.MaxText), text(profile.MaxText), text(profile.MaxNotes)
			})), tx.Resellers.Insert(ctx, fixture.Master(admin(), 2+id, func(s *reseller.State) {
				s.Contact = reseller.Contact{Country: text(64), Whatsapp: text(64), Telegram: text(64), Email: text(64),
					Notes: text(profile.MaxNotes)}
			})))
		}
		return err
	}))
	must(t, filled.Close())
	s := open(t, path)
	before := heap()
	for id := range int64(many) {
		must(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			_, err1 := s.Lines.Get(ctx, 1)
			_, err2 := s.Lines.Get(ctx, 1+id)
			_, err3 := s.Resellers.Get(ctx, 2+id)
			return errors.Join(err1, err2, err3)
		}))
	}
	lines, resellers := s.Cached()
	if len(lines) < least || len(resellers) < least {
		t.Errorf("%d lines and %d accounts are in the cache, want at least %d of each", len(lines), len(resellers), least)
	}
	for id, want := range map[int64]bool{1: true, 2: false, many: true} {
		expect.DeepEqual(t, lines[id] != nil, want, "whether line %v is in the cache", id)
	}
	if held := heap() - before; held > sqlitestore.MostCached {
		t.Errorf("the cache holds %d bytes, want at most %d", held, sqlitestore.MostCached)
	}
	runtime.KeepAlive(s)
}

// TestAViewKeepsNothingOfItsReads makes many reads in one view, as an audit and a copy do: what they read, and how, is
// gone after each.
func TestAViewKeepsNothingOfItsReads(t *testing.T) { //nolint:paralleltest // it measures the heap
	s := holding(t, admin())
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		const reads = 5_000
		before := heap()
		for range reads {
			if _, err := v.Resellers.Get(ctx, 1); err != nil {
				return err
			}
		}
		if grown := heap() - before; grown > 32*reads {
			t.Errorf("%d reads in one view keep %d bytes", reads, grown)
		}
		return nil
	}))
}

// heap returns how many bytes are reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // pools keep what they have over one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
