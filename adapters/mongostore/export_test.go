package mongostore

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/ports"
)

// OpenWith opens a store whose client also has these options.
func OpenWith(ctx context.Context, uri string, o *options.ClientOptions) (*Store, error) {
	return open(ctx, uri, o, released, func(int64, int64, func() int64) func(error) { return func(error) {} })
}

// Step is a step of an upgrade.
type Step = step

// OpenAs opens a store as a later version with these steps.
func OpenAs(ctx context.Context, uri string, o *options.ClientOptions, migrating ports.Migrating,
	steps ...Step) (*Store, error) {
	return open(ctx, uri, o, steps, migrating)
}

// SchemaVersion is what this version of the program writes.
var SchemaVersion = released.newest()

// Database returns the database of the store, so that a test can change it directly.
func (s *Store) Database() *mongo.Database { return s.db }

// Transactions returns how many transactions the writer has begun, and how many of them it has committed.
func (s *Store) Transactions() (begun, committed int64) {
	return s.engine.Transactions()
}

// SetRetryTime sets how long the writer tries a transaction again.
func (s *Store) SetRetryTime(d time.Duration) {
	s.engine.RetryTime, s.readyTime = func() time.Duration { return d }, d
}

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return s.engine.Queued() }

// Number makes a store of OpenWith assign numbers, like a store of Open.
func (s *Store) Number() { s.sequencer.start() }

// Hold blocks the sequencer before its next commit, until release.
func (s *Store) Hold() (held <-chan struct{}, release func()) {
	reached, released := make(chan struct{}), make(chan struct{})
	var once sync.Once
	before := func() {
		once.Do(func() { close(reached) })
		<-released
	}
	s.sequencer.beforeCommit.Store(&before)
	return reached, func() {
		s.sequencer.beforeCommit.Store(nil)
		close(released)
	}
}
