package mongostore

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/ports"
)

// OpenWith opens a store whose client has these options, too.
func OpenWith(ctx context.Context, uri string, o *options.ClientOptions) (*Store, error) {
	return open(ctx, uri, o, released, func(int64, int64, func() int64) func(error) { return func(error) {} })
}

// Step is a step of an upgrade.
type Step = step

// OpenAs opens a store as a later version does, to which these steps lead.
func OpenAs(ctx context.Context, uri string, o *options.ClientOptions, migrating ports.Migrating,
	steps ...Step) (*Store, error) {
	return open(ctx, uri, o, steps, migrating)
}

// SchemaVersion is what this version of the program writes.
var SchemaVersion = released.newest()

// Database is what the store is kept in, to change it behind its back.
func (s *Store) Database() *mongo.Database { return s.db }

// Transactions returns how many transactions the writer has begun, and how many of them it has committed.
func (s *Store) Transactions() (begun, committed int64) {
	return s.engine.Transactions()
}

// SetPatience sets how long the writer tries a transaction again.
func (s *Store) SetPatience(d time.Duration) {
	s.engine.Patience, s.readyTime = func() time.Duration { return d }, d
}

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return s.engine.Queued() }

// Number has a store that OpenWith has opened give numbers, like one of Open.
func (s *Store) Number() { s.sequencer.start() }

// Kill ends what gives numbers like the end of its process: a lease stays as it is.
func (s *Store) Kill() {
	s.sequencer.stop()
	<-s.sequencer.ended
	s.sequencer.stop = nil
}

// Hold holds up what gives numbers until release: before its next step, or before its next commit.
func (s *Store) Hold(commit bool) (held <-chan struct{}, release func()) {
	at := &s.sequencer.before
	if commit {
		at = &s.sequencer.beforeCommit
	}
	reached, released := make(chan struct{}), make(chan struct{})
	var once, over sync.Once
	before := func() {
		once.Do(func() { close(reached) })
		<-released
	}
	at.Store(&before)
	return reached, func() {
		at.Store(nil)
		over.Do(func() { close(released) })
	}
}

// NewWatch returns what notes the answers of servers, and how long requests are retried by them.
func NewWatch() (monitor *event.ServerMonitor, patience func() time.Duration) {
	w := &watch{answers: map[string]answer{}}
	return w.monitor(), w.patience
}
