package storekit

import (
	"context"
	"fmt"
	"time"

	"resellerd/ports"
)

// blockTime is how long a block of ids should last.
const blockTime = time.Second

// IDs assigns the ids of all sequences from blocks, which a store reserves durably. The rest of a block is lost when
// the process ends, unless the store returns it: see Left.
type IDs struct {
	least, most int64
	take        func(ctx context.Context, of ports.Sequence, n int64) (first int64, err error)
	blocks      map[ports.Sequence]*block
}

type block struct {
	turn      chan struct{} // holds a value while the block is in use
	next, end int64         // end is the first id that is not in the block
	size      int64
	taken     time.Time
}

// NewIDs returns IDs with blocks of size least. A block that is used up within a second is followed by a larger one, up
// to most. take durably reserves the next n ids of a sequence and returns the first.
func NewIDs(least, most int64,
	take func(ctx context.Context, of ports.Sequence, n int64) (first int64, err error)) *IDs {
	ids := &IDs{least: least, most: most, take: take, blocks: map[ports.Sequence]*block{}}
	for _, of := range ports.Sequences() {
		ids.blocks[of] = &block{turn: make(chan struct{}, 1)}
	}
	return ids
}

// Next returns a new id: see NextID of ports.Store.
func (i *IDs) Next(ctx context.Context, of ports.Sequence) (int64, error) {
	b, known := i.blocks[of]
	if !known {
		return 0, fmt.Errorf("no sequence %q", of)
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return 0, Unavailable("wait for an id", ctx.Err())
	}
	if b.next == b.end {
		size := i.least
		if time.Since(b.taken) < blockTime {
			size = min(2*b.size, i.most)
		}
		first, err := i.take(ctx, of, size)
		if err != nil {
			return 0, err
		}
		b.next, b.end, b.size, b.taken = first, first+size, size, time.Now()
	}
	id := b.next
	b.next++
	return id, nil
}

// Rest is the unused part of a block: the ids from Next up to, and without, End.
type Rest struct {
	Of        ports.Sequence
	Next, End int64
}

// Left returns the rests of all blocks, so that a store can return them when it closes. It is the last call.
func (i *IDs) Left() (left []Rest) {
	for of, b := range i.blocks {
		if b.next < b.end {
			left = append(left, Rest{of, b.next, b.end})
		}
	}
	return left
}

// Forget drops the rests of all blocks, for example after a copy has set the sequences.
func (i *IDs) Forget() {
	for _, b := range i.blocks {
		b.turn <- struct{}{}
		b.next, b.end = 0, 0
		<-b.turn
	}
}
