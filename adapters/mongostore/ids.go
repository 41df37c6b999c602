package mongostore

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/ports"
)

// Ids are taken from the database a block at a time. What is left of a block when
// the process ends is never given, so blocks are small, and larger only while ids
// are used up within a second.
const (
	leastIDs  = 20
	mostIDs   = 20_000
	blockTime = time.Second
)

// idBlock holds the ids of a sequence that this process has taken and not given
// yet.
type idBlock struct {
	turn      chan struct{} // holds a value while somebody looks at the block
	next, end int64         // end is the first id that is not ours
	size      int64
	taken     time.Time
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
		if err := s.takeIDs(ctx, of, b); err != nil {
			return 0, err
		}
	}
	id := b.next
	b.next++
	return id, nil
}

// takeIDs fills an empty block.
func (s *Store) takeIDs(ctx context.Context, of ports.Sequence, b *idBlock) error {
	size := int64(leastIDs)
	if time.Since(b.taken) < blockTime {
		size = min(2*b.size, mostIDs)
	}
	var sequence sequenceDocument
	err := s.direct(ctx, "take ids", func(ctx context.Context) error {
		return s.db.Collection(sequencesName).FindOneAndUpdate(ctx, bson.D{{Key: "_id", Value: of.String()}},
			bson.D{{Key: "$inc", Value: bson.D{{Key: "given", Value: size}}}},
			options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Decode(&sequence)
	})
	if err != nil {
		return err
	}
	b.next, b.end, b.size, b.taken = sequence.Given-size+1, sequence.Given+1, size, time.Now()
	return nil
}
