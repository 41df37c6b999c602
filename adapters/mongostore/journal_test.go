package mongostore_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
)

// takeover bounds the time without a sequencer, however the previous one failed: 5 s, and the delay of a busy machine.
const takeover = time.Minute

// numbering opens a store that assigns numbers.
func numbering(t *testing.T, uri string) *mongostore.Store {
	t.Helper()
	s := openStore(t, uri, options.Client())
	s.Number()
	return s
}

// journalled begins a journal, with accounts up to this number. All are below the first, with 1,000,000 units.
func journalled(t *testing.T, s *mongostore.Store, last int64) {
	t.Helper()
	accounts := []*reseller.Reseller{account(1, 0)}
	for id := int64(2); id <= last; id++ {
		accounts = append(accounts, account(id, 1_000_000, 1))
	}
	insert(t, s, accounts)
	update(t, s, func(ctx context.Context, tx ports.Tx) error {
		return tx.Journal.Begin(ctx, "", "0000abcd",
			journal.Entry{Type: journal.Began, At: noon, Actor: journal.Actor{Kind: journal.BySystem}})
	})
}

// spend makes a reseller pay a unit, and appends its entry.
func spend(s *mongostore.Store, id, movement int64) error {
	return s.Update(context.Background(), func(ctx context.Context, tx ports.Tx) error {
		a, m, err := pay(ctx, tx, id, movement)
		if err != nil {
			return err
		}
		return tx.Journal.Append(ctx, journal.Entry{
			Type: journal.LineExtended, At: noon, Account: a.State().Position, Line: movement,
			Actor:    journal.Actor{Account: id, Kind: journal.ByToken},
			Movement: journal.MovementOf(m), Version: a.State().Version,
		})
	})
}

// numbered returns the entries that have numbers larger than after.
func numbered(s *mongostore.Store, after int64) (all []journal.Numbered, err error) {
	err = s.View(context.Background(), func(ctx context.Context, v ports.Snapshot) error {
		all = nil
		for next := after; ; {
			page, err := v.Journal.List(ctx, ports.EventQuery{After: next, Limit: 100})
			if err != nil {
				return err
			}
			if all = append(all, page.Entries...); page.Next == 0 {
				return nil
			}
			next = page.Next
		}
	})
	return all, err
}

// await waits until so many entries have numbers.
func await(t *testing.T, s *mongostore.Store, seq int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), takeover)
	defer cancel()
	must(t, s.AwaitEntry(ctx, seq-1), "await entry ", seq)
}

// follow reads a journal entry by entry as it grows, until it has this length. It fails on a late or repeated entry.
func follow(s *mongostore.Store, length int64) (all []journal.Numbered, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), takeover)
	defer cancel()
	var head journal.Head
	for head.Seq < length {
		if err := s.AwaitEntry(ctx, head.Seq); err != nil {
			return nil, fmt.Errorf("after entry %d: %w", head.Seq, err)
		}
		found, err := numbered(s, head.Seq)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("woken for an entry after %d, and there is none", head.Seq)
		}
		for _, n := range found {
			if !n.Follows(head) {
				return nil, fmt.Errorf("entry %d follows entry %d", n.Seq, head.Seq)
			}
			head = n.Head
		}
		all = append(all, found...)
	}
	return all, nil
}

// TestFollowersOfSeveralProcesses has writers and followers on two stores while the sequencer fails in different ways.
func TestFollowersOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, first *mongostore.Store, db *mongo.Database) (after func()){
		"it is stopped within its transaction": func(_ *testing.T, first *mongostore.Store, _ *mongo.Database) func() {
			held, release := first.Hold()
			<-held
			time.Sleep(4 * time.Second) // for longer than the lease
			return release
		},
		"other processes assign numbers at the same time": func(t *testing.T, _ *mongostore.Store, db *mongo.Database) func() {
			t.Helper()
			for range 40 { // each assumes that it holds the lease
				_, err := db.Collection("journal_head").UpdateByID(t.Context(), "head", set("until", time.Unix(0, 0)))
				must(t, err)
				time.Sleep(50 * time.Millisecond)
			}
			return func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const writers, rounds, accounts = 8, 40, 4
			const length = 1 + writers*rounds
			uri, db := databaseAt(t, emptied(t))
			first := numbering(t, uri)
			journalled(t, first, 1+accounts)
			await(t, first, 1)
			stores := []*mongostore.Store{numbering(t, uri), numbering(t, uri)}
			var work sync.WaitGroup
			var written atomic.Int64
			begun := make(chan struct{})
			for w := range int64(writers) {
				work.Go(func() {
					for round := range int64(rounds) {
						if err := spend(stores[w%2], 2+(w+round)%accounts, 1+w*rounds+round); err != nil {
							t.Error(err)
							return
						}
						if written.Add(1) == writers*rounds/4 {
							close(begun)
						}
						if round >= rounds/4 {
							time.Sleep(50 * time.Millisecond) // until the failure is over
						}
					}
				})
			}
			journals := make([][]journal.Numbered, 2)
			for i := range journals {
				work.Go(func() {
					var err error
					journals[i], err = follow(stores[i], length)
					expect.Error(t, err, nil)
				})
			}
			<-begun
			release := harm(t, first, db)
			work.Wait()
			release()
			if t.Failed() {
				return
			}
			inOrder(t, journals[0], accounts)
			again, err := numbered(stores[0], 0)
			must(t, err)
			if !reflect.DeepEqual(journals[1], journals[0]) || !reflect.DeepEqual(again, journals[0]) {
				t.Errorf("followers saw %d and %d entries, and in the end there are %d, or others", len(journals[0]),
					len(journals[1]), len(again))
			}
		})
	}
}

// inOrder checks that the entries of each account are in the order of its balances and versions, and that each movement
// appears once.
func inOrder(t *testing.T, all []journal.Numbered, accounts int64) {
	t.Helper()
	left, version, movements := map[int64]int64{}, map[int64]int64{}, map[int64]bool{}
	for _, n := range all[1:] {
		id := n.Account.ID
		units := n.Movement.Balances[0].Credits.Units()
		if before, there := left[id]; there && units != before-1 || n.Version <= version[id] {
			t.Fatalf("entry %d is of version %d of account %d, with %d units left, after one with %d and %d", n.Seq, n.Version,
				id, units, version[id], before)
		}
		left[id], version[id], movements[n.Movement.ID] = units, n.Version, true
	}
	expect.Equal(t, len(left), int(accounts), "accounts with entries")
	expect.Equal(t, len(movements), len(all)-1, "movements that entries name")
}

// TestADamagedEntryDelaysNoOther damages an entry that has no number yet.
func TestADamagedEntryDelaysNoOther(t *testing.T) {
	t.Parallel()
	uri, db := databaseAt(t, emptied(t))
	s := openStore(t, uri, options.Client())
	journalled(t, s, 2)
	for i := range int64(4) {
		must(t, spend(s, 2, 1+i))
	}
	pending := db.Collection("journal_pending")
	_, err := pending.UpdateOne(t.Context(), bson.D{{Key: "movements", Value: int64(2)}}, set("entries.0.payload", "{}"))
	must(t, err)
	s.Number()
	all, err := follow(s, 4)
	must(t, err)
	for i, want := range []int64{0, 1, 3, 4} {
		if m := all[i].Movement; m != nil && m.ID != want {
			t.Errorf("entry %d names movement %d, want %d", i+1, m.ID, want)
		}
	}
	var found []string
	must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found = nil
		return r.Derived(ctx, func(finding string) { found = append(found, finding) })
	}))
	if len(found) != 1 || !strings.Contains(found[0], "can get no number") {
		t.Errorf("an audit finds %q, want the damaged entry", found)
	}
}
