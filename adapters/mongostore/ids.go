package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/ports"
)

// Blocks of ids are small, because the rest of a block is lost when the process ends. They grow only while ids are used
// up quickly.
const (
	leastIDs = 20
	mostIDs  = 20_000
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
	var sequence sequenceDocument
	err = s.direct(ctx, "take ids", func(ctx context.Context) error {
		return s.db.Collection(sequencesName).FindOneAndUpdate(ctx, byID(of.String()),
			bson.D{{Key: "$inc", Value: bson.D{{Key: "given", Value: n}}}},
			options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Decode(&sequence)
	})
	return sequence.Given - n + 1, err
}
