package sqlitestore

import (
	"context"

	"resellerd/ports"
)

// idsAtOnce is how many ids are taken from the file at a time.
const idsAtOnce = 50

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
