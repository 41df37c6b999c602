package mongostore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/mongotest"
)

// failing makes the server fail commands of the client with this name, until the
// test ends.
func failing(t *testing.T, s *mongostore.Store, client string, mode any, data bson.D) {
	t.Helper()
	admin := s.Database().Client().Database("admin")
	set := func(ctx context.Context, mode any, data bson.D) error {
		return admin.RunCommand(ctx, bson.D{{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: mode}, {Key: "data", Value: data}}).Err()
	}
	if err := set(t.Context(), mode, append(data, bson.E{Key: "appName", Value: client})); err != nil {
		t.Skipf("the server makes nothing fail on demand: start it with --setParameter enableTestCommands=1 (%v)", err)
	}
	t.Cleanup(func() {
		if err := set(context.Background(), "off", bson.D{}); err != nil {
			t.Error(err)
		}
	})
}

func times(n int) bson.D { return bson.D{{Key: "times", Value: n}} }

// TestWhatFailsOnceHappensOnce makes one command of a transaction fail in each way
// in which servers and networks do.
func TestWhatFailsOnceHappensOnce(t *testing.T) {
	commands := func(names ...string) bson.E { return bson.E{Key: "failCommands", Value: names} }
	labels := func(names ...string) bson.E { return bson.E{Key: "errorLabels", Value: names} }
	code := func(n int) bson.E { return bson.E{Key: "errorCode", Value: n} }
	for _, c := range []struct {
		name string
		data bson.D
	}{
		{"a read meets another transaction", bson.D{commands("find"), code(112), labels("TransientTransactionError")}},
		{"a write meets another transaction", bson.D{commands("update"), code(112), labels("TransientTransactionError")}},
		{"the primary steps down before the write", bson.D{commands("update"), code(10107)}},
		{"the connection ends in a read", bson.D{commands("find"), {Key: "closeConnection", Value: true}}},
		{"the connection ends in a write", bson.D{commands("insert"), {Key: "closeConnection", Value: true}}},
		{"the connection ends in the commit", bson.D{commands("commitTransaction"), {Key: "closeConnection", Value: true}}},
		{"the transaction is gone at the commit", bson.D{commands("commitTransaction"), code(251), labels("TransientTransactionError")}},
		{"the commit is made and not confirmed", bson.D{commands("commitTransaction"), {Key: "writeConcernError", Value: bson.D{{Key: "code", Value: 91}, {Key: "errmsg", Value: "shutdown"}}}}},
		{"the commit takes too long", bson.D{commands("commitTransaction"), code(50)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			update(t, s, func(ctx context.Context, tx ports.Tx) error {
				return errors.Join(tx.Accounts.Insert(ctx, account(1, 0)), tx.Accounts.Insert(ctx, account(2, 1_000, 1)))
			})
			failing(t, s, mongostore.AppName, times(1), c.data)
			var left int64
			update(t, s, func(ctx context.Context, tx ports.Tx) (err error) {
				left, err = pay(ctx, tx, 2, 1)
				return err
			})
			if kept := balance(t, s); left != 999 || kept != 999 {
				t.Errorf("after one payment of one unit the work has seen %d and %d are kept, want 999", left, kept)
			}
		})
	}
}

// TestAnUnknownOutcomeIsUnavailable never gets an answer to a commit, made or not.
func TestAnUnknownOutcomeIsUnavailable(t *testing.T) {
	for _, c := range []struct {
		name string
		data bson.D
		kept int64
	}{
		{"it was made", bson.D{{Key: "writeConcernError", Value: bson.D{{Key: "code", Value: 64}, {Key: "errmsg", Value: "waiting for replication timed out"}}}}, 999},
		{"it was not", bson.D{{Key: "closeConnection", Value: true}}, 1_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			uri := mongotest.URI(t)
			s := openStore(t, uri, options.Client())
			s.SetPatience(300 * time.Millisecond)
			update(t, s, func(ctx context.Context, tx ports.Tx) error {
				return errors.Join(tx.Accounts.Insert(ctx, account(1, 0)), tx.Accounts.Insert(ctx, account(2, 1_000, 1)))
			})
			failing(t, s, mongostore.AppName, "alwaysOn", append(c.data, bson.E{Key: "failCommands", Value: []string{"commitTransaction"}}))
			err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				_, err := pay(ctx, tx, 2, 1)
				return err
			})
			wantError(t, err, ports.ErrUnavailable, "an update whose commit is not answered")
			err = s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				if _, err := tx.Accounts.Get(ctx, 2); err != nil {
					return err
				}
				return errRefused
			})
			wantError(t, err, ports.ErrUnavailable, "a refusal whose commit is not answered")
			if errors.Is(err, errRefused) {
				t.Errorf("a refusal came back that rests on what may not be durable: %v", err)
			}
			other := openStore(t, uri, options.Client())
			if kept := balance(t, other); kept != c.kept {
				t.Errorf("%d units are kept, want %d", kept, c.kept)
			}
		})
	}
}

var errRefused = errors.New("refused on purpose")
