package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// crowd is commands that wait together: until release, another one keeps the writer.
type crowd struct {
	t       *testing.T
	s       *mongostore.Store
	release func()
	ended   sync.WaitGroup
	waiting int
}

func newCrowd(t *testing.T, s *mongostore.Store) *crowd {
	t.Helper()
	s.SetPatience(time.Hour) // the transaction of the first lasts until all others wait
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

// joinPayment has account 2 pay, to which nothing may happen.
func (c *crowd) joinPayment(movement int64) {
	c.t.Helper()
	c.join(func() {
		expect.Error(c.t, payment(c.t, c.s, 2, movement), nil, "a neighbour")
	})
}

// run lets all of them go, waits for them, and returns how many transactions were
// begun and committed after that of the first command.
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
				_, err := pay(ctx, tx, 2, i+1)
				return err
			}), nil)
		})
	}
	sentBefore := w.count()
	begun, committed := c.run()
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

// TestNeighboursOfAFailingCommandAreLeftAlone has the database refuse what one command
// wrote. Packages gather and storekit test commands that refuse, panic or do not return.
func TestNeighboursOfAFailingCommandAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		work func(ctx context.Context, tx ports.Tx) error // after it has paid
		want string                                       // in its error
		mean error
	}{
		{"a name that is taken", func(ctx context.Context, tx ports.Tx) error {
			return tx.Lines.Insert(ctx, renamed(trial(900, account(2, 0, 1)), "taken"))
		}, "", profile.ErrUsernameTaken},
		{"a validator", func(ctx context.Context, tx ports.Tx) error {
			return tx.Lines.Insert(ctx, renamed(trial(900, account(2, 0, 1)), "forbidden"))
		}, "Document failed validation", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			forbid(t, s, "forbidden")
			accounts := payer()
			insert(t, s, accounts, renamed(trial(1, accounts[1]), "taken"))
			crowd := newCrowd(t, s)
			crowd.joinPayment(1)
			var failed error
			crowd.join(func() {
				failed = s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
					if _, err := pay(ctx, tx, 2, 2); err != nil {
						return err
					}
					return c.work(ctx, tx)
				})
			})
			crowd.joinPayment(3)
			crowd.run()
			switch {
			case c.mean != nil:
				expect.Error(t, failed, c.mean)
			case failed == nil || !contains(failed, c.want) || errors.Is(failed, ports.ErrUnavailable) ||
				errors.Is(failed, profile.ErrUsernameTaken):
				t.Errorf("got error %v, want one that says %q", failed, c.want)
			}
			expect.Equal(t, balance(t, s), 998, "units that are left after two payments beside one that failed")
		})
	}
}

// forbid makes the database refuse lines of this name.
func forbid(t *testing.T, s *mongostore.Store, name string) {
	t.Helper()
	must(t, s.Database().RunCommand(t.Context(), bson.D{
		{Key: "collMod", Value: "lines"},
		{Key: "validator", Value: bson.D{{Key: "username_key", Value: bson.D{{Key: "$ne", Value: name}}}}},
	}).Err(), "set a validator")
}

func renamed(l *line.Line, name string) *line.Line {
	return fixture.ChangedLine(l, func(s *line.State) { s.Username = fixture.Name(name) })
}

func TestANameThatAnotherProcessHasJustTakenIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		read bool // the transaction has its snapshot before
	}{{"before the transaction's first read", false}, {"after it", true}} {
		t.Run(c.name, func(t *testing.T) {
			uri := emptied(t)
			here, there := openStore(t, uri, options.Client()), openStore(t, uri, options.Client())
			accounts := payer()
			owner := accounts[1]
			insert(t, here, accounts)
			crowd := newCrowd(t, here)
			crowd.join(func() {
				var once sync.Once
				err := here.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
					if c.read {
						if _, err := tx.Resellers.Get(ctx, 2); err != nil {
							return err
						}
					}
					once.Do(func() {
						expect.Error(t, there.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
							return tx.Lines.Insert(ctx, renamed(trial(1, owner), "wanted"))
						}), nil, "the other process")
					})
					return tx.Lines.Insert(ctx, renamed(trial(2, owner), "wanted"))
				})
				expect.Error(t, err, profile.ErrUsernameTaken)
			})
			crowd.joinPayment(1)
			crowd.run()
			expect.Equal(t, balance(t, there), 999, "units of 1,000 that are left after one payment")
		})
	}
}

// TestADamagedNameConcernsItsOwnerAlone deletes a line whose name is not recorded,
// without a look at the name and after one: an attempt that is repeated has looked.
func TestADamagedNameConcernsItsOwnerAlone(t *testing.T) {
	t.Parallel()
	for name, looks := range map[string]bool{"not looked up": false, "looked up": true} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			accounts := payer()
			insert(t, s, accounts, trial(7, accounts[1]))
			_, err := s.Database().Collection("line_names").DeleteMany(t.Context(), bson.D{})
			must(t, err)
			c := newCrowd(t, s)
			c.join(func() {
				if err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
					l, err := tx.Lines.Get(ctx, 7)
					if err != nil {
						return err
					}
					if looks {
						if _, err := tx.Lines.FindByUsername(ctx, l.State().Username); !errors.Is(err, fault.ErrNotFound) {
							return err
						}
					}
					return tx.Lines.Delete(ctx, l.Tombstone(1, noon))
				}); err == nil || errors.Is(err, ports.ErrUnavailable) {
					t.Errorf("got error %v for a line without its name, want one that names the damage", err)
				}
			})
			c.joinPayment(1)
			c.run()
		})
	}
}

// TestWhoMetAnotherClaimsWhatItWrites has another process keep account 2 until the payments of accounts 2 and 3 were
// tried again.
func TestWhoMetAnotherClaimsWhatItWrites(t *testing.T) {
	t.Parallel()
	var w wire
	s := openStore(t, emptied(t), w.monitored())
	insert(t, s, append(payer(), account(3, 1_000, 1)))
	session, err := s.Database().Client().StartSession()
	must(t, err)
	must(t, session.StartTransaction())
	_, err = s.Database().Collection("accounts").UpdateByID(mongo.NewSessionContext(t.Context(), session), int64(2),
		bson.D{{Key: "$inc", Value: bson.D{{Key: "version", Value: int64(1)}}}})
	must(t, err)
	c := newCrowd(t, s)
	c.joinPayment(1)
	c.join(func() { expect.Error(t, payment(t, s, 3, 2), nil) })
	before := w.count()
	c.release()
	claim := firstClaim(t, &w, before)
	must(t, session.AbortTransaction(t.Context()))
	c.ended.Wait()
	var ids []int64
	must(t, claim.Lookup("updates", "0", "q", "_id", "$in").Unmarshal(&ids), claim)
	expect.Equal(t, claim.Lookup("update").StringValue(), "accounts", "the collection of what is claimed")
	expect.Elements(t, ids, []int64{2, 3}, "claimed")
	expect.Equal(t, balance(t, s), 999, "units of 1,000 that are left after one payment")
}

// firstClaim waits for a transaction that begins with a write, after the first commands.
func firstClaim(t *testing.T, w *wire, commands int) bson.Raw {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, sent := range w.since(commands) {
			if begins, _ := sent.command.Lookup("startTransaction").BooleanOK(); begins && sent.name == "update" {
				return sent.command
			}
		}
	}
	t.Fatal("no transaction begins with a claim")
	return nil
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

// TestAHintHasALoneCommandRunOnce activates lines of account 3 on behalf of account 2, and saves one of its own.
func TestAHintHasALoneCommandRunOnce(t *testing.T) {
	t.Parallel()
	var w wire
	s := openStore(t, emptied(t), w.monitored())
	owner := account(3, 1_000, 1, 2)
	insert(t, s, append(payer(), owner), trial(1, owner), trial(2, owner))
	want := func(runs, reads int, actor, id int64, pays bool, hints ...ports.Reads) {
		t.Helper()
		key, name, before, ran := fmt.Sprint("key ", id), fixture.Name(fmt.Sprint("name-", id)), w.count(), 0
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			ran++
			actor, err := tx.Resellers.Get(ctx, actor)
			if err != nil {
				return err
			}
			if _, err := tx.Resellers.AnyBlocked(ctx, actor.Position().Ancestors); err != nil {
				return err
			}
			l, err := tx.Lines.Get(ctx, id)
			if err != nil {
				return err
			}
			if !pays {
				return tx.Lines.Save(ctx, l)
			}
			if _, err := tx.Keys.Get(ctx, 2, key); !errors.Is(err, fault.ErrNotFound) {
				return err
			}
			if _, err := tx.Lines.FindByUsername(ctx, name); !errors.Is(err, fault.ErrNotFound) {
				return err
			}
			if _, err := pay(ctx, tx, 3, id); err != nil {
				return err
			}
			return errors.Join(tx.Lines.Save(ctx, fixture.ChangedLine(l, func(s *line.State) { s.Username = name })),
				tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 2, Key: key, Expires: noon}))
		}, hints...))
		expect.Equal(t, ran, runs, "runs of the update of line %d by account %d", id, actor)
		expect.Equal(t, w.reads(before), reads, "reads of the update of line %d by account %d", id, actor)
	}
	want(7, 6, 2, 1, true)
	want(1, 2, 2, 2, true, ports.Reads{Actor: 2, Key: "key 2", Line: 2, LineName: fixture.Name("name-2")})
	// Once the actor's ancestors are known; the holder of the name is of no interest where the line keeps it.
	own := ports.Reads{Actor: 3, Line: 1, LineName: fixture.Name("name-1")}
	want(1, 2, 3, 1, false, own)
	want(1, 1, 3, 1, false, own)
}

// TestCommandsReadMoreThanADocumentHolds: the server sends what a transaction reads at once as one document, of 16 MB
// at most.
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
