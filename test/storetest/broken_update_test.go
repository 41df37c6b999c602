package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// keeping is a store that keeps the writes of one operation where work fails.
func keeping(operation string) func(full) full {
	return func(sound full) full {
		return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
			var kept []func(ports.Tx) error
			succeeded := false
			defer func() {
				if succeeded {
					return
				}
				_ = sound.Update(context.WithoutCancel(ctx), func(_ context.Context, tx ports.Tx) error {
					for _, again := range kept {
						if err := again(tx); err != nil {
							return err
						}
					}
					return nil
				})
			}()
			err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				kept = nil
				err := do(ctx, via(func(op string, on func(ports.Tx) error, _ ...any) error {
					if op == operation {
						kept = append(kept, on)
					}
					return on(tx)
				}).tx())
				if err == nil && ctx.Err() != nil {
					return fmt.Errorf("%w: %w", ports.ErrUnavailable, ctx.Err())
				}
				return err
			})
			succeeded = err == nil
			return err
		}}
	}
}

// delaying is a store that does one operation when all others of the work are done.
func delaying(operation string) func(full) full {
	return func(sound full) full {
		return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
			return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				var delayed []func(ports.Tx) error
				err := do(ctx, via(func(op string, on func(ports.Tx) error, _ ...any) error {
					if op == operation {
						delayed = append(delayed, on)
						return nil
					}
					return on(tx)
				}).tx())
				for _, on := range delayed {
					err = errors.Join(err, on(tx))
				}
				return err
			})
		}}
	}
}

func brokenUpdates() (all []broken) {
	for _, operation := range writes {
		all = append(all,
			broken{how: "forgets to " + operation, caught: caughtBy("update-takes-effect"), sabotage: forgetting(operation)},
			broken{how: "keeps on failure: " + operation,
				caught:   caughtBy("error-keeps-nothing", "panic-keeps-nothing", "context-ends-in-work"),
				sabotage: keeping(operation)},
		)
		if operation != entryAppend { // which no work sees
			all = append(all, broken{how: "delays until the commit: " + operation, caught: caughtBy("work-sees-its-own-writes"),
				sabotage: delaying(operation)})
		}
	}
	update := func(how string, with func(ctx context.Context, do work, sound full) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error { return with(ctx, do, sound) }}
		}})
	}
	update("swallows a panic", func(ctx context.Context, do work, sound full) error {
		defer func() { _ = recover() }()
		return sound.Update(ctx, do)
	}, "panic-keeps-nothing")
	failing := func(how string, change func(ctx context.Context, err error) error, checks ...string) {
		update(how, func(ctx context.Context, do work, sound full) error {
			err := sound.Update(ctx, do)
			if err != nil {
				err = change(ctx, err)
			}
			return err
		}, checks...)
	}
	failing("has words of its own for an error", func(_ context.Context, err error) error {
		return errors.New("update: " + err.Error())
	},
		"error-keeps-nothing", "error-comes-back")
	failing("keeps one branch of an error", func(_ context.Context, err error) error {
		return instead(errRefused, errRefused)(err)
	},
		"error-comes-back")
	failing("returns the context's own error", func(ctx context.Context, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}, "ended-context-does-nothing", "unavailable-names-its-cause")
	failing("hides the cause of unavailability", func(_ context.Context, err error) error {
		return instead(ports.ErrUnavailable, ports.ErrUnavailable)(err)
	}, "unavailable-names-its-cause")
	update("ignores the context", func(ctx context.Context, do work, sound full) error {
		return sound.Update(context.WithoutCancel(ctx), do)
	}, "ended-context-does-nothing", "waiting-ends-with-context")
	update("ends with the context's own error while it waits", func(ctx context.Context, do work, sound full) error {
		return instead(context.DeadlineExceeded, context.DeadlineExceeded)(sound.Update(ctx, do))
	}, "waiting-ends-with-context")
	update("reports the end of the context after the effect, as the context's own error",
		func(ctx context.Context, do work, sound full) error {
			return errors.Join(sound.Update(ctx, do), ctx.Err())
		}, "context-ends-in-work")
	update("rolls back and reports success where the context ends", func(ctx context.Context, do work, sound full) error {
		err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error { return errors.Join(do(ctx, tx), ctx.Err()) })
		if errors.Is(err, context.Canceled) && !errors.Is(err, ports.ErrUnavailable) {
			return nil
		}
		return err
	}, "context-ends-in-work")
	for _, method := range methods {
		all = append(all, broken{how: "returns the context's own error from " + method,
			caught: caughtBy("ended-context-does-nothing"), sabotage: func(sound full) full {
				return &wrapped{full: sound, answer: func(ctx context.Context, called string) (answered bool, err error) {
					return called == method && ctx.Err() != nil, ctx.Err()
				}}
			}})
	}
	return append(all,
		broken{how: "stays locked after a panic", caught: caughtBy("panic-keeps-nothing"), sabotage: func(sound full) full {
			lock := make(chan struct{}, 1)
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
				select {
				case lock <- struct{}{}:
				case <-ctx.Done():
					return ports.ErrUnavailable
				}
				err := sound.Update(ctx, do)
				<-lock
				return err
			}}
		}},
		broken{how: "refuses where a hint names what is not there", caught: caughtBy("hints-change-nothing"),
			sabotage: func(sound full) full { return misled{sound} }},
		broken{how: "commits every step", sabotage: autocommit,
			caught: caughtBy("error-keeps-nothing", "nobody-sees-uncommitted-writes")},
	)
}

// misled is a store that takes hints for orders.
type misled struct{ full }

func (m misled) Update(ctx context.Context, do work, hints ...ports.Reads) error {
	return m.full.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		for _, hint := range hints {
			if _, err := tx.Resellers.Get(ctx, hint.Actor); hint.Actor != 0 && err != nil {
				return err
			}
		}
		return do(ctx, tx)
	}, hints...)
}

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
		return breaking(keyGet, func(c *call) (err error) {
			*valueOf[ports.KeyRecord](c), err = before.Keys.Get(c.ctx, *valueOf[int64](c), *valueOf[string](c))
			return err
		})(sound).Update(ctx, do)
	}}
}

func brokenConcurrency() []broken {
	return []broken{
		{how: "commits every step, beside others", sabotage: autocommit,
			caught: caughtBy("transfers-lose-nothing", "transfers-in-two-processes-lose-nothing",
				"activations-sell-what-there-is", "last-run-counts")},
		{how: "loses movements beside others", caught: caughtBy("transfers-lose-nothing"), sabotage: func(sound full) full {
			var appended atomic.Int64
			return breaking(movementAppend, func(c *call) error {
				if appended.Add(1)%10 == 0 {
					return nil
				}
				return c.sound()
			})(sound)
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
		{how: "sees no conflict where nothing was changed", sabotage: staleKeys,
			caught: caughtBy("save-always-writes", "line-save-always-writes", "one-key-has-one-effect",
				"one-key-in-two-processes-has-one-effect")},
		{how: "answers a refusal before what it read is durable", caught: caughtBy("what-was-read-is-durable"),
			sabotage: func(sound full) full {
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
						err = meddling(func(c *call) error {
							wrote = wrote || slices.Contains(writes, c.method)
							return c.sound()
						})(sound).Update(ctx, do)
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
		{how: "lets many accounts take a name", sabotage: answering(resellerInsert, instead(errTaken, nil)),
			caught: caughtBy("one-of-many-takes-a-name", "one-of-many-in-two-processes-takes-a-name")},
		{how: "lets many lines take a name", sabotage: answering(lineInsert, instead(errTaken, nil)),
			caught: caughtBy("one-of-many-takes-a-name", "one-of-many-in-two-processes-takes-a-name")},
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
