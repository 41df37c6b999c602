package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// notesOf returns the notes of a line, which must be the same in a read of the line and in a list.
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

// TestLinesAreInTheCacheUntilTheyChange changes lines in every possible way.
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
		return errors.Join(withNotes("cached")(ctx, tx),
			tryExecute(t, s, "UPDATE lines SET notes = 'not cached', checksum = NULL WHERE id = 7"))
	}))
	want(s, "not cached", "after an update that changed it behind the cache")

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
