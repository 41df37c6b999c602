package ports

import (
	"context"
	"time"
)

// Observer is told what use cases do, for those who run the service. It changes nothing, returns at once and is safe
// for concurrent use.
type Observer interface {
	// UseCase is called when a use case begins. It returns the context for all that belongs to it, and what is called
	// when it has ended.
	UseCase(ctx context.Context, name string) (inside context.Context, ended func())
	// Login is told how a login ended, nil where it gave a token or began a session.
	Login(err error)
}

// Observable is a store that reports its own work. A store need not be one.
type Observable interface {
	// Observe has seen told of every commit from now on. Seen returns at once: a commit waits for it.
	Observe(seen func(Commit))
	// Load returns how the store stands at this moment. It asks no server and waits for no update.
	Load() Load
}

// Commit is a transaction in which something was written, and that was committed.
type Commit struct {
	Commands int           // updates that shared it, refused ones included
	Attempts int           // how often it was begun: 1, or more where it met another process or a failure
	Took     time.Duration // from its begin until it was durable, earlier attempts included
}

// Load is how a store stands.
type Load struct {
	Waiting int   // updates that wait for their transaction
	WAL     int64 // bytes of the file in which commits wait to be moved into the database, negative where there is none
}
