package mongostore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// crowd makes commands wait together: another command blocks the writer until release.
type crowd struct {
	t       *testing.T
	s       *mongostore.Store
	release func()
	ended   sync.WaitGroup
	waiting int
}

func newCrowd(t *testing.T, s *mongostore.Store) *crowd {
	t.Helper()
	s.SetRetryTime(time.Hour) // the transaction of the first lasts until all others wait
	entered, released := make(chan struct{}), make(chan struct{})
	enter := sync.OnceFunc(func() { close(entered) })
	c := &crowd{t: t, s: s, release: sync.OnceFunc(func() { close(released) })}
	t.Cleanup(c.release)
	c.ended.Go(func() {
		expect.Error(t, s.Update(context.Background(), func(context.Context, ports.Tx) error {
			enter()
			<-released
			return nil
		}), nil, "the first command")
	})
	<-entered
	return c
}

// join runs do in a goroutine, and returns once its command waits.
func (c *crowd) join(do func()) {
	c.t.Helper()
	c.ended.Go(do)
	c.waiting++
	for deadline := time.Now().Add(time.Minute); c.s.Queued() < c.waiting; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatal("a command does not join the queue")
		}
	}
}

// joinPayment makes account 2 pay; the payment must succeed.
func (c *crowd) joinPayment(movement int64) {
	c.t.Helper()
	c.join(func() {
		expect.Error(c.t, payment(c.t, c.s, movement), nil, "a neighbour")
	})
}

// run lets all commands run and waits for them. It returns how many transactions began and were committed after the
// transaction of the first command.
func (c *crowd) run() (begun, committed int64) {
	begunBefore, committedBefore := c.s.Transactions()
	c.release()
	c.ended.Wait()
	begun, committed = c.s.Transactions()
	return begun - begunBefore, committed - committedBefore - 1
}

func TestCommandsThatWaitTogetherCommitTogether(t *testing.T) {
	t.Parallel()
	var w wire
	s := openStore(t, emptied(t), w.monitored())
	insert(t, s, payer())
	const commands = 100
	c := newCrowd(t, s)
	for i := range int64(commands) {
		c.join(func() {
			expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				if _, err := tx.Resellers.AnyBlocked(ctx, []int64{1}); err != nil {
					return err
				}
				_, _, err := pay(ctx, tx, 2, i+1)
				return err
			}), nil)
		})
	}
	sentBefore := w.count()
	var shared [][2]int
	s.Observe(func(c ports.Commit) { shared = append(shared, [2]int{c.Commands, c.Attempts}) })
	begun, committed := c.run()
	expect.Elements(t, shared, [][2]int{{commands, 1}}, "commands and attempts of each commit that was observed")
	expect.Equal(t, begun, 1, "%d commands on one account: transactions that were begun", commands)
	expect.Equal(t, committed, 1, "%d commands on one account: transactions that were committed", commands)
	// Two reads, one of each reseller; a write for the reseller and one for all movements; the commit.
	if sent := w.since(sentBefore); len(sent) != 5 {
		t.Errorf("%d commands on one account took %d round trips, want 5", commands, len(sent))
		for _, c := range sent {
			t.Log(c.name)
		}
	}
	expect.Equal(t, balance(t, s), 1_000-commands, "units of 1,000 that are left after %d payments of one", commands)
}

func renamed(l *line.Line, name string) *line.Line {
	return fixture.ChangedLine(l, func(s *line.State) { s.Username = fixture.Name(name) })
}

// TestANameThatAnotherProcessHasJustTakenIsRefused takes the name after the snapshot of the transaction.
func TestANameThatAnotherProcessHasJustTakenIsRefused(t *testing.T) {
	t.Parallel()
	uri := emptied(t)
	here, there := openStore(t, uri, options.Client()), openStore(t, uri, options.Client())
	accounts := payer()
	insert(t, here, accounts)
	takes := func(id int64) func(context.Context, ports.Tx) error {
		return func(ctx context.Context, tx ports.Tx) error {
			return tx.Lines.Insert(ctx, renamed(trial(id, accounts[1]), "wanted"))
		}
	}
	crowd := newCrowd(t, here)
	crowd.join(func() {
		var once sync.Once
		expect.Error(t, here.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Resellers.Get(ctx, 2); err != nil {
				return err
			}
			once.Do(func() { expect.Error(t, there.Update(t.Context(), takes(1)), nil, "the other process") })
			return takes(2)(ctx, tx)
		}), profile.ErrUsernameTaken)
	})
	crowd.joinPayment(1)
	crowd.run()
	expect.Equal(t, balance(t, there), 999, "units of 1,000 that are left after one payment")
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

// TestCommandsReadMoreThanADocumentHolds: the server returns the reads of a transaction as one document, of at most 16
// MB.
func TestCommandsReadMoreThanADocumentHolds(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var puts [3]func(ctx context.Context, tx ports.Tx) error
	for i := range puts {
		r := ports.KeyRecord{Reseller: 2, Key: fmt.Sprint(i), Request: []byte("r"), Body: make([]byte, 6<<20), Expires: noon}
		puts[i] = func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, r) }
		update(t, s, puts[i])
	}
	c := newCrowd(t, s)
	for _, put := range puts {
		c.join(func() {
			expect.Error(t, s.Update(t.Context(), put), nil)
		})
	}
	c.run()
}
