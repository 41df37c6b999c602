package sqlitestore

import (
	"context"

	"resellerd/ports"
)

// Ids are taken from the file in small blocks, because what is left of one when the
// process ends is never given, and in larger ones only while they are used up quickly: all
// who need an id wait for the command that takes a block.
const (
	leastIDs = 50
	mostIDs  = 1_000
)

// NextID implements ports.Store.
func (s *Store) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	if err := s.users.Enter(ctx); err != nil {
		return 0, err
	}
	defer s.users.Leave()
	return s.ids.Next(ctx, of)
}

func (s *Store) takeIDs(ctx context.Context, of ports.Sequence, n int64) (first int64, err error) {
	var end int64
	err = s.writer.queue.Do(ctx, func(q *transaction) error {
		return q.row(ctx, takeIDs, args{{"name", text(of.String())}, {"count", integer(n)}}, func(r *row) { end = r.integer() })
	})
	return end - n, err
}
