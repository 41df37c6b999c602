package sqlitestore

import (
	"context"
	"fmt"

	"resellerd/ports"
)

// idsAtOnce is how many ids are taken from the file at a time. What is left of
// them when the process ends is never given.
const idsAtOnce = 50

// idBlock holds the ids of a sequence that this process has taken and not given
// yet.
type idBlock struct {
	turn      chan struct{} // holds a value while somebody looks at the block
	next, end int64         // end is the first id that is not ours
}

func newIDBlocks() map[ports.Sequence]*idBlock {
	blocks := make(map[ports.Sequence]*idBlock)
	for _, of := range ports.Sequences() {
		blocks[of] = &idBlock{turn: make(chan struct{}, 1)}
	}
	return blocks
}

// forget gives up what is left of the block.
func (b *idBlock) forget() {
	b.turn <- struct{}{}
	b.next, b.end = 0, 0
	<-b.turn
}

// NextID implements ports.Store.
func (s *Store) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	b, known := s.ids[of]
	if !known {
		return 0, fmt.Errorf("no sequence %q", of)
	}
	if err := s.users.enter(); err != nil {
		return 0, err
	}
	defer s.users.leave()
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return 0, unavailable("wait for an id", ctx.Err())
	}
	if b.next == b.end {
		var end int64
		err := s.writer.do(ctx, func(q *transaction) error {
			return q.row(ctx, takeIDs, []any{of.String(), idsAtOnce}, plain(&end))
		})
		if err != nil {
			return 0, err
		}
		b.next, b.end = end-idsAtOnce, end
	}
	id := b.next
	b.next++
	return id, nil
}
