package mongostore_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/storetest"
)

// refusable is a call whose commands the server refuses one by one.
type refusable struct {
	name   string
	do     func(ctx context.Context) error
	atomic bool // a call that fails changes nothing
}

// refuser is a network on which the server refuses one command.
type refuser struct {
	left    atomic.Int32 // commands until the refused one; 0: none
	refused atomic.Value // the name of the last refused one
}

// DialContext implements options.ContextDialer.
func (r *refuser) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return refusing{conn, r}, err
}

type refusing struct {
	net.Conn
	of *refuser
}

// Write implements net.Conn. It changes the name of the command to refuse, so that the server does not know it.
func (c refusing) Write(message []byte) (int, error) {
	const start = 26 // of the name; the first message of a connection has another form
	name, _, _ := strings.Cut(string(message[start:]), "\x00")
	others := []string{"$cmd", "hello", "commitTransaction", "abortTransaction", "endSessions"}
	if !slices.Contains(others, name) && c.of.left.Add(-1) == 0 {
		c.of.refused.Store(name)
		message = bytes.Clone(message)
		message[start] = '?'
	}
	return c.Conn.Write(message)
}

// TestARefusedCommandFailsItsCall makes the server refuse the first command of a call, then the second one alone, and
// so on until the call has no further command. Each of these calls fails with that cause, even if its other commands
// succeed. No commit is refused: other tests fail commits.
func TestARefusedCommandFailsItsCall(t *testing.T) {
	t.Parallel()
	uri := emptied(t)
	filled, db := repairable(t, uri, options.Client())
	must(t, filled.Close())
	_, err := db.Collection("figures").DeleteMany(t.Context(), bson.D{})
	must(t, err)
	var network refuser
	s := openStore(t, uri, options.Client().SetDialer(&network))
	target := openStore(t, emptied(t), options.Client().SetDialer(&network))
	must(t, spend(s, 2, 2)) // its entry gets no number
	var calls []refusable
	for _, r := range storetest.Reads(s) {
		calls = append(calls, refusable{r.Name, r.Do, false})
	}
	calls = append(calls, refusable{"Open", func(ctx context.Context) error {
		opened, err := mongostore.OpenWith(ctx, uri, options.Client().SetDialer(&network))
		if err != nil {
			return errors.Join(ports.ErrUnavailable, err)
		}
		return opened.Close()
	}, false})
	for _, c := range append(calls, changes(s, target)...) {
		before := ""
		for n := int32(1); ; n++ {
			if c.atomic && n == 1 {
				before = contents(t, db)
			} else if c.atomic {
				expect.Equal(t, contents(t, db), before, "%s, whose command %v is refused", c.name, network.refused.Load())
			}
			network.left.Store(n)
			err := c.do(t.Context())
			if network.left.Swap(0) > 0 {
				must(t, err, c.name)
				break
			}
			if !errors.Is(err, ports.ErrUnavailable) || !contains(err, "no such command") {
				t.Errorf("%s, whose command %d, %v, is refused: got error %v", c.name, n, network.refused.Load(), err)
			}
		}
	}
}

// changes returns the other calls: of this store, and a copy into the target.
func changes(s, target *mongostore.Store) []refusable {
	late := noon.Add(time.Hour)
	first, second := ports.ServiceKey{Fingerprint: "f"}, ports.ServiceKey{Fingerprint: "g", Earlier: "e"}
	key := ports.KeyRecord{Reseller: 2, Key: "k", Request: []byte("r"), Body: []byte("b"), Expires: late.Add(time.Hour)}
	only := func(_ any, err error) error { return err }
	return []refusable{
		{"Update", func(context.Context) error { return spend(s, 2, 3) }, true},
		{"Update", func(ctx context.Context) error {
			return s.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				return errors.Join(tx.Resellers.Insert(ctx, account(3, 0, 1)), tx.Lines.Insert(ctx, trial(2, account(3, 0, 1))),
					tx.Keys.Put(ctx, key), ports.Sessions.In(tx.Records).Save(ctx, sessionOf("a")))
			})
		}, true},
		{"ClaimKey", func(ctx context.Context) error { return only(s.ClaimKey(ctx, "f")) }, true},
		{"MoveKey", func(ctx context.Context) error { return s.MoveKey(ctx, first, second) }, true},
		{"MoveKey", func(ctx context.Context) error { return s.MoveKey(ctx, second, first) }, true},
		{"NextID", func(ctx context.Context) error { return only(s.NextID(ctx, ports.LineIDs)) }, true},
		{"DropExpired", func(ctx context.Context) error { return only(s.DropExpired(ctx, noon, late, 10)) }, false},
		{"DropExpired", func(ctx context.Context) error { return only(s.DropExpired(ctx, late, late, 10)) }, true},
		{"Ready", s.Ready, false},
		{"RepairLists", func(ctx context.Context) error { return only(s.RepairLists(ctx)) }, false},
		{"a copy", func(ctx context.Context) error {
			importer, err1 := target.BeginCopy(ctx, ports.Origin{Fingerprint: "f", EarlierKeys: "e",
				Next: map[ports.Sequence]int64{ports.LineIDs: 2, ports.ResellerIDs: 1}}, true)
			entries, err2 := numbered(s, 0)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			batch := ports.Batch{Resellers: payer(), Keys: []ports.KeyRecord{key}, Entries: entries}
			return cmp.Or(importer.Copy(ctx, batch), importer.Finish(ctx))
		}, false},
	}
}
