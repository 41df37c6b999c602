package sqlitestore_test

import (
	"context"
	"fmt"
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

// TestLinesAreRememberedUntilTheyChange has them changed by everybody who can.
func TestLinesAreRememberedUntilTheyChange(t *testing.T) {
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

	must(t, s.View(t.Context(), func(ctx context.Context, before ports.Snapshot) error {
		must(t, s.Update(t.Context(), withNotes("later")))
		want(s, "later", "in a view that begins after an update")
		got, err := notesOf(ctx, before, 7)
		wantEqual(t, got, "sound", "in one that began before")
		return err
	}))

	want(s, "later", "after both")
	execute(t, s, "UPDATE lines SET notes = 'damaged' WHERE id = 7")
	want(s, "later", "what is remembered does not show damage")
	wantError(t, other.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		_, err := notesOf(ctx, s, 7)
		return err
	}), storekit.ErrDamaged, "what was not read before does")
}

func TestLinesThatNobodyAsksForAreForgotten(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	const id, many = 1, 3 * sqlitestore.MostRemembered
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
	if n := s.Remembered(); n <= sqlitestore.MostRemembered || n > 2*sqlitestore.MostRemembered {
		t.Errorf("%d lines are remembered of %d", n, many)
	}
	execute(t, s, "UPDATE lines SET notes = 'damaged'")
	for id, want := range map[int64]error{id: nil, id + 1: storekit.ErrDamaged, many: nil} {
		wantError(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			_, err := s.Lines.Get(ctx, id)
			return err
		}), want, "line ", id)
	}
}
