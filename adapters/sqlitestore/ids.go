package sqlitestore

import (
	"context"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
)

// Ids are taken from the file in small blocks, because the rest of one is lost when the process ends, and in larger
// ones only while they are used up quickly: all callers wait for the command that takes a block.
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
		return q.Row(ctx, takeIDs, engine.Args{engine.Text("name", of.String()), engine.Integer("count", n)}, func(r *engine.Row) { end = r.Integer() })
	})
	return end - n, err
}
