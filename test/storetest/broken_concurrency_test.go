package storetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// snapshotOf returns what is committed now. It stays good after its View, which
// is memstore's own affair.
func snapshotOf(ctx context.Context, s full) (now ports.Snapshot, err error) {
	err = s.View(ctx, func(_ context.Context, s ports.Snapshot) error { now = s; return nil })
	return now, err
}

// current is snapshotOf where it can't fail, in a store in memory that is open.
func current(ctx context.Context, s full) ports.Snapshot {
	now, err := snapshotOf(ctx, s)
	if err != nil {
		panic(err)
	}
	return now
}

// currentRecords does so for auditors.
func currentRecords(ctx context.Context, s full) (now ports.Records) {
	if err := s.ViewRecords(ctx, func(_ context.Context, r ports.Records) error { now = r; return nil }); err != nil {
		panic(err)
	}
	return now
}

// staleKeys reads idempotency records as they were before the update began, as
// snapshot isolation does where nothing makes the writes conflict.
func staleKeys(sound full) full {
	return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
		before, err := snapshotOf(ctx, sound)
		if err != nil {
			return err
		}
		time.Sleep(tick)
		return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			tx.Keys = staleKeyReader{tx.Keys, before.Keys}
			return do(ctx, tx)
		})
	}}
}

type staleKeyReader struct {
	ports.Keys
	before ports.KeyReader
}

func (k staleKeyReader) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return k.before.Get(ctx, reseller, key)
}

func brokenConcurrency() []broken {
	return []broken{
		{how: "commits every step, beside others", sabotage: autocommit,
			caught: caughtBy("transfers-lose-nothing", "activations-sell-what-there-is", "last-run-counts")},
		{how: "gives the next movement id to all who wait for it", caught: caughtBy("transfers-lose-nothing"), sabotage: func(sound full) full {
			return racyIDs(answering(movementAppend, func(error) error { return nil })(sound))
		}},
		{how: "loses movements beside others", caught: caughtBy("transfers-lose-nothing"), sabotage: func(sound full) full {
			var appended atomic.Int64
			return withVia(sound, func(tx ports.Tx) via {
				return func(op string, on func(ports.Tx) error) error {
					if op == movementAppend && appended.Add(1)%10 == 0 {
						return nil
					}
					return on(tx)
				}
			})
		}},
		{how: "runs work once more after its effect", caught: caughtBy("last-run-counts"), sabotage: func(sound full) full {
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
				if err := sound.Update(ctx, do); err != nil {
					return err
				}
				rollBack := errors.New("roll back")
				_ = sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
					_ = do(ctx, tx)
					return rollBack
				})
				return nil
			}}
		}},
		{how: "keeps the effect of every run", caught: caughtBy("last-run-counts"), sabotage: func(sound full) full {
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
				if err := sound.Update(ctx, do); err != nil {
					return err
				}
				_ = sound.Update(ctx, do)
				return nil
			}}
		}},
		{how: "sees no conflict where nothing was changed", sabotage: staleKeys, caught: caughtBy("save-always-writes", "line-save-always-writes")},
		{how: "lets two updates put one key", sabotage: staleKeys, caught: caughtBy("one-key-has-one-effect")},
		{how: "answers a refusal before what it read is durable", caught: caughtBy("what-was-read-is-durable"), sabotage: func(sound full) full {
			var pending atomic.Pointer[ports.Snapshot]
			return &wrapped{
				full: sound,
				update: func(ctx context.Context, do work) error {
					time.Sleep(tick)
					before, err := snapshotOf(ctx, sound)
					if err != nil {
						return err
					}
					wrote := false
					err = sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
						return do(ctx, via(func(op string, on func(ports.Tx) error) error {
							wrote = wrote || slices.Contains(writes, op)
							return on(tx)
						}).tx())
					})
					if wrote {
						pending.Store(&before)
						time.Sleep(10 * tick) // a slow disk
						pending.Store(nil)
					}
					return err
				},
				view: func(ctx context.Context, look look) error {
					if before := pending.Load(); before != nil {
						return look(ctx, *before)
					}
					return sound.View(ctx, look)
				},
			}
		}},
		{how: "lets many accounts take a name", sabotage: answering(resellerInsert, instead(errTaken, nil)), caught: caughtBy("one-of-many-takes-a-name")},
		{how: "lets many lines take a name", sabotage: answering(lineInsert, instead(errTaken, nil)), caught: caughtBy("one-of-many-takes-a-name")},
	}
}

// racyIDs counts as a read and a write with a gap between them.
func racyIDs(sound full) full {
	var last atomic.Int64
	return &wrapped{full: sound, nextID: func(context.Context, ports.Sequence) (int64, error) {
		id := last.Load() + 1
		time.Sleep(tick)
		last.Store(id)
		return id, nil
	}}
}
