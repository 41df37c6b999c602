package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// OpenWith opens a store whose client has these options, too.
func OpenWith(ctx context.Context, uri string, o *options.ClientOptions) (*Store, error) {
	return open(ctx, uri, o)
}

// Database is what the store is kept in, to change it behind its back.
func (s *Store) Database() *mongo.Database { return s.db }

// Transactions returns how many transactions the writer has begun, and how many
// of them it has committed.
func (s *Store) Transactions() (begun, committed int64) {
	return s.writer.begun.Load(), s.writer.committed.Load()
}

// SetPatience sets how long the writer tries a transaction again.
func (s *Store) SetPatience(d time.Duration) { s.writer.patience = d }

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return len(s.writer.queue) }
