package sqlitestore_test

import (
	"context"
	"errors"
	"testing"

	"resellerd/ports"
	"resellerd/test/fixture"
	"resellerd/test/storetest"
)

var errRefused = errors.New("refused on purpose")

// refusing is a context that has ended from a question on. A view asks once, and then before each statement.
type refusing struct {
	context.Context
	left int // questions until that one, less than 0 after it
}

// Err implements context.Context.
func (r *refusing) Err() error {
	if r.left--; r.left >= 0 {
		return nil
	}
	return errRefused
}

// TestARefusedStatementFailsItsRead refuses the first statement of a read, then the second one, and so on until the
// read has no further statement.
func TestARefusedStatementFailsItsRead(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2)).Uncached()
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Lines.Insert(ctx, fixture.Trial(master(2), 1))
	}))
	appendAll(t, s, crediting(2, 1))
	for _, read := range storetest.Reads(s) {
		for n := 1; ; n++ {
			ctx := &refusing{t.Context(), n}
			err := read.Do(ctx)
			if ctx.left >= 0 {
				must(t, err, read.Name)
				break
			}
			if !errors.Is(err, errRefused) || !errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("%s, whose statement %d is refused: got error %v", read.Name, n, err)
			}
		}
	}
}
