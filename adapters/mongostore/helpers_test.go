package mongostore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
	"resellerd/test/storetest"
)

var (
	noon   = fixture.Noon
	atOnce = storetest.AtOnce
)

// must ends the test if a step that it depends on fails.
func must(t *testing.T, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("got error %v; %s", err, fmt.Sprint(about...))
	}
}

// wire records the commands that a store sends.
type wire struct {
	mu   sync.Mutex
	sent []sent
}

type sent struct {
	name    string
	command bson.Raw
}

func (w *wire) monitored() *options.ClientOptions {
	return options.Client().SetMonitor(
		&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.sent = append(w.sent, sent{e.CommandName, append(bson.Raw{}, e.Command...)})
		}})
}

// since returns the commands after the first n.
func (w *wire) since(n int) []sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]sent{}, w.sent[n:]...)
}

func (w *wire) count() int { return len(w.since(0)) }

// testedAs is the name of the stores of this process on the server. Failures on demand apply to this name only, and not
// to the tests of other processes.
var testedAs = "resellerd-mongostore-tests-" + rand.Text()

// openStore opens a store and closes it at the end of the test. Its client notices soon, and not within 10 s, that a
// primary that has failed works again.
func openStore(t *testing.T, uri string, o *options.ClientOptions) *mongostore.Store {
	t.Helper()
	o.SetHeartbeatInterval(500 * time.Millisecond).SetAppName(testedAs)
	s, err := mongostore.OpenWith(t.Context(), uri, o)
	must(t, err, "open")
	s.SetRetryTime(time.Minute) // more than the service has, because the machine may be busy
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newStore(t *testing.T) *mongostore.Store {
	t.Helper()
	return openStore(t, emptied(t), options.Client())
}

func update(t *testing.T, s *mongostore.Store, work func(ctx context.Context, tx ports.Tx) error) {
	t.Helper()
	must(t, s.Update(t.Context(), work), "update")
}

// insert stores accounts, and lines that belong to them.
func insert(t *testing.T, s *mongostore.Store, accounts []*reseller.Reseller, lines ...*line.Line) {
	t.Helper()
	update(t, s, func(ctx context.Context, tx ports.Tx) error {
		var errs []error
		for _, a := range accounts {
			errs = append(errs, tx.Resellers.Insert(ctx, a))
		}
		for _, l := range lines {
			errs = append(errs, tx.Lines.Insert(ctx, l))
		}
		return errors.Join(errs...)
	})
}

// payer returns the accounts of most tests: an administrator and, below it, number 2 with 1,000 units.
func payer() []*reseller.Reseller {
	return []*reseller.Reseller{account(1, 0), account(2, 1_000, 1)}
}

// account makes a reseller below these accounts, or an administrator without any.
func account(id, balance int64, above ...int64) *reseller.Reseller {
	return fixture.Changed(fixture.Admin(id), func(s *reseller.State) {
		s.Username, s.Credits, s.RechargedAt = fixture.Name(fmt.Sprint("account", id)), fixture.Units(balance), noon
		if len(above) > 0 {
			s.Ancestors, s.Role = above, reseller.Master
		}
	})
}

// trial makes a line of owner's that expires within six hours of noon.
func trial(id int64, owner *reseller.Reseller) *line.Line {
	return fixture.Trial(owner, id, func(s *line.State) {
		s.Username, s.ExpiresAt = fixture.Name(fmt.Sprint("line", id)), noon.Add(time.Duration(id%7)*time.Hour)
	})
}

// payment is an update in which account 2 pays one unit.
func payment(t *testing.T, s *mongostore.Store, movement int64) error {
	t.Helper()
	return s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		_, _, err := pay(ctx, tx, 2, movement)
		return err
	})
}

// pay makes a reseller pay one unit.
func pay(ctx context.Context, tx ports.Tx, id, movement int64) (*reseller.Reseller, credit.Movement, error) {
	a, err := tx.Resellers.Get(ctx, id)
	if err != nil {
		return nil, credit.Movement{}, err
	}
	m, err := a.Pay(credit.Extension, fixture.Units(1), 1,
		credit.Provenance{ID: movement, Actor: id, Request: "test", At: noon})
	if err != nil {
		return nil, credit.Movement{}, err
	}
	return a, m, errors.Join(tx.Resellers.Save(ctx, a), tx.Ledger.Append(ctx, m))
}

// balance returns the balance of reseller 2.
func balance(t *testing.T, s *mongostore.Store) int64 {
	t.Helper()
	units, err := balanceOf(t, s)
	must(t, err, "read the balance of account 2")
	return units
}

func balanceOf(t *testing.T, s *mongostore.Store) (units int64, err error) {
	t.Helper()
	err = s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		a, err := v.Resellers.Get(ctx, 2)
		if err == nil {
			units = a.State().Credits.Units()
		}
		return err
	})
	return units, err
}
