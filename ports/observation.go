package ports

import (
	"context"
	"time"
)

// Observer receives the activity of use cases, for operators. It changes nothing, returns at once and is safe for
// concurrent use.
type Observer interface {
	// UseCase is called when a use case begins. It returns the context of its work, and a function to call when it has
	// ended.
	UseCase(ctx context.Context, name string) (inside context.Context, ended func())
	// Login is called when a login has ended; err is nil if it returned a token or began a session.
	Login(err error)
}

// Observable is a store that reports its own work. A store need not be one.
type Observable interface {
	// Observe makes the store call seen for every commit from now on. Seen returns at once: a commit waits for it.
	Observe(seen func(Commit))
	// Load returns the store's present load. It calls no server and waits for no update.
	Load() Load
}

// Commit is a committed transaction with at least one write.
type Commit struct {
	Commands int           // updates that shared it, refused ones included
	Attempts int           // 1, or more after a conflict with another process or a failure
	Took     time.Duration // from its beginning until it was durable, earlier attempts included
}

// Load is the load of a store at one moment.
type Load struct {
	Waiting int   // updates that wait for their transaction
	WAL     int64 // bytes of the write-ahead log, negative without one
	// Unnumbered is the age, to some seconds, of the oldest entry of the journal that has no number yet. It is 0 if all
	// have one, as always in a store that numbers in the commit.
	Unnumbered time.Duration
}

// Background has the figures of one process's background work since its start, and of the remaining work.
type Background struct {
	Attempts  map[string]int64 // attempts to deliver to webhooks, by outcome, each outcome included
	Reminders int64            // sent reminders
	// RemindersBehind is the age of the oldest reminder that is due.
	RemindersBehind time.Duration
	Webhooks        *WebhookLoad // nil: another process does this work
}

// WebhookLoad is the load of the dispatcher of webhooks, at one moment.
type WebhookLoad struct {
	// Behind is the longest time for which an entry waits for its first attempt. Entries that wait because their own
	// receiver does not answer are left out: they delay no others.
	Behind   time.Duration
	Waiting  int            // entries that wait for a retry
	Enabled  int            // webhooks
	Disabled map[string]int // webhooks, by reason, each reason included
}
