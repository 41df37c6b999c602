package ports

import (
	"context"
	"time"
)

// Observer is notified of what use cases do, for operators. It changes nothing, returns at once and is safe for
// concurrent use.
type Observer interface {
	// UseCase is called when a use case begins. It returns the context of its work, and a function to call when it has
	// ended.
	UseCase(ctx context.Context, name string) (inside context.Context, ended func())
	// Login is called when a login has ended; err is nil if it gave a token or began a session.
	Login(err error)
}

// Observable is a store that reports its own work. A store need not be one.
type Observable interface {
	// Observe has seen called for every commit from now on. Seen returns at once: a commit waits for it.
	Observe(seen func(Commit))
	// Load returns the store's present load. It calls no server and waits for no update.
	Load() Load
}

// Commit is a transaction in which something was written, and that was committed.
type Commit struct {
	Commands int           // updates that shared it, refused ones included
	Attempts int           // how often it was begun: 1, or more after a conflict with another process or a failure
	Took     time.Duration // from its begin until it was durable, earlier attempts included
}

// Load is the load of a store at one moment.
type Load struct {
	Waiting int   // updates that wait for their transaction
	WAL     int64 // bytes of the write-ahead log, negative if there is none
	// Unnumbered is the age, to some seconds, of the oldest entry of the journal that has no number yet; 0 if all have,
	// as always in a store that numbers in the commit.
	Unnumbered time.Duration
}

// Background is what one process did beside requests since it began, and what is left for it to do.
type Background struct {
	Attempts  map[string]int64 // to deliver to webhooks, by their outcome: of each one that there is
	Reminders int64            // that were sent
	// RemindersBehind is for how long the line that is due first has been waiting to be told of.
	RemindersBehind time.Duration
	Webhooks        *WebhookLoad // nil: another process sends reminders and delivers to webhooks
}

// WebhookLoad is the load of what delivers to webhooks, at one moment.
type WebhookLoad struct {
	// Behind is for how long the entry that was not begun with for the longest time has been waiting. What waits because
	// its own receiver does not answer is left out: it delays no other.
	Behind   time.Duration
	Waiting  int            // entries that are to be sent again
	Enabled  int            // webhooks
	Disabled map[string]int // webhooks, by each reason that there is
}
