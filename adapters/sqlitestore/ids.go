package sqlitestore

import (
	"context"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
)

// Ids are reserved in the file in small blocks, because the rest of a block is lost when the process is killed. The
// blocks grow only while ids are used up quickly: all callers wait for the command that reserves a block.
const (
	leastIDs = 50
	mostIDs  = 1_000
)

// NextID implements ports.Store.
func (s *Store) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	if err := s.db.Enter(ctx); err != nil {
		return 0, err
	}
	defer s.db.Leave()
	return s.ids.Next(ctx, of)
}

func (s *Store) takeIDs(ctx context.Context, of ports.Sequence, n int64) (first int64, err error) {
	var end int64
	err = s.db.Do(ctx, func(q *engine.Tx) error {
		return q.Row(ctx, takeIDs, engine.Args{engine.Text("name", of.String()), engine.Integer("count", n)},
			func(r *engine.Row) { end = r.Integer() })
	})
	return end - n, err
}

// returnIDs returns the reserved ids that were not assigned, unless another process has reserved later ones. If that
// fails, they leave a gap, as after a crash.
func (s *Store) returnIDs() {
	left := s.ids.Left()
	if len(left) == 0 {
		return
	}
	ctx := context.Background() // the writer completes its work
	_ = s.db.Do(ctx, func(q *engine.Tx) error {
		for _, rest := range left {
			args := engine.Args{engine.Text("name", rest.Of.String()), engine.Integer("next", rest.Next),
				engine.Integer("end", rest.End)}
			if _, err := q.Exec(ctx, returnIDs, args); err != nil {
				return err
			}
		}
		return nil
	})
}
