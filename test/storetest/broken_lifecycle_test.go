package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/domain/line"
	"resellerd/ports"
)

func brokenViews() []broken {
	return []broken{
		{how: "reads what is newest in a view", caught: caughtBy("view-is-a-snapshot"),
			sabotage: breaking(viewReseller, func(c *call) error { return c.newest() })},
		{how: "makes views wait for updates", caught: caughtBy("view-waits-for-no-update", "nobody-sees-uncommitted-writes"),
			sabotage: func(sound full) full {
				lock := make(chan struct{}, 1)
				locked := func(do func() error) error {
					lock <- struct{}{}
					defer func() { <-lock }()
					return do()
				}
				return &wrapped{
					full:   sound,
					update: func(ctx context.Context, do work) error { return locked(func() error { return sound.Update(ctx, do) }) },
					view: func(ctx context.Context, look look) error {
						return locked(func() error { return sound.View(ctx, look) })
					},
				}
			}},
		{how: "views what was there at first", caught: caughtBy("update-takes-effect"), sabotage: func(sound full) full {
			var first ports.Snapshot
			return &wrapped{full: sound, view: func(ctx context.Context, look look) (err error) {
				if first.Keys == nil {
					if first, err = snapshotOf(ctx, memstore.New()); err != nil {
						return err
					}
				}
				return look(ctx, first)
			}}
		}},
		{how: "hides the error of look", caught: caughtBy("view-returns-the-error-of-look"), sabotage: func(sound full) full {
			return &wrapped{full: sound, view: func(ctx context.Context, look look) error {
				_ = sound.View(ctx, look)
				return nil
			}}
		}},
		{how: "has words of its own for the error of look", caught: caughtBy("view-returns-the-error-of-look"),
			sabotage: func(sound full) full {
				return &wrapped{full: sound, view: func(ctx context.Context, look look) error {
					if err := sound.View(ctx, look); err != nil {
						return errors.New("view: " + err.Error())
					}
					return nil
				}}
			}},
	}
}

func brokenLives() (all []broken) {
	all = []broken{
		{how: "is never ready", caught: caughtBy("ready"), sabotage: func(sound full) full {
			return &wrapped{full: sound, ready: func(context.Context) error { return ports.ErrUnavailable }}
		}},
		{how: "is ready after its end", caught: caughtBy("ready"), sabotage: func(sound full) full {
			return &wrapped{full: sound, ready: func(context.Context) error { return nil }}
		}},
		{how: "closes at once", caught: caughtBy("close-waits-for-updates"), sabotage: func(sound full) full {
			return &wrapped{full: sound, close: func() error { go func() { _ = sound.Close() }(); return nil }}
		}},
		{how: "fails to close again", caught: caughtBy("closed-stays-closed"), sabotage: func(sound full) full {
			var closed atomic.Bool
			return &wrapped{full: sound, close: func() error {
				if closed.Swap(true) {
					return ports.ErrUnavailable
				}
				return sound.Close()
			}}
		}},
		{how: "has no parts after its end", caught: caughtBy("parts-stay"), sabotage: func(sound full) full {
			var closed atomic.Bool
			return &wrapped{
				full:  sound,
				close: func() error { closed.Store(true); return sound.Close() },
				parts: func() (all ports.Parts) {
					if !closed.Load() {
						all = sound.Parts()
					}
					return all
				},
			}
		}},
		{how: "aborts updates when it closes", caught: caughtBy("close-waits-for-updates"), sabotage: func(sound full) full {
			var closing atomic.Bool
			return &wrapped{
				full: sound,
				update: func(ctx context.Context, do work) error {
					return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
						err := do(ctx, tx)
						if closing.Load() {
							return ports.ErrUnavailable
						}
						return err
					})
				},
				close: func() error { closing.Store(true); return sound.Close() },
			}
		}},
	}
	closed := errors.New("closed")
	after := func(how string, err error) {
		for _, method := range methods {
			if method == "ready" {
				continue // has a check of its own
			}
			all = append(all, broken{how: how + ": " + method, caught: caughtBy("closed-is-unavailable"),
				sabotage: func(sound full) full {
					var over atomic.Bool
					return &wrapped{
						full:  sound,
						close: func() error { over.Store(true); return sound.Close() },
						answer: func(_ context.Context, called string) (answered bool, with error) {
							return called == method && over.Load(), err
						},
					}
				}})
		}
	}
	after("serves after its end", nil)
	after("fails in a way of its own after its end", closed)

	claiming := func(how string, with func() func(fingerprint string) string, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			claim := with()
			return &wrapped{full: sound, claimKey: func(_ context.Context, f string) (string, error) { return claim(f), nil }}
		}})
	}
	claiming("takes the last service key", func() func(string) string {
		return func(fingerprint string) string { return fingerprint }
	}, "first-service-key-stays", "one-of-many-service-keys-stays")
	claiming("looks for a service key and then keeps its own", func() func(string) string {
		var recorded atomic.Pointer[string]
		return func(fingerprint string) string {
			if first := recorded.Load(); first != nil {
				return *first
			}
			time.Sleep(tick)
			recorded.Store(&fingerprint)
			return fingerprint
		}
	}, "one-of-many-service-keys-stays", "two-processes-record-one-service-key")
	return all
}

func brokenIDs() (all []broken) {
	ids := func(how string, next func(calls int64) int64) {
		all = append(all, broken{how: how, caught: caughtBy("ids-increase"), sabotage: func(sound full) full {
			var calls atomic.Int64
			return &wrapped{full: sound, nextID: func(context.Context, ports.Sequence) (int64, error) {
				return next(calls.Add(1)), nil
			}}
		}})
	}
	ids("starts ids at 0", func(calls int64) int64 { return calls - 1 })
	ids("gives every id twice", func(calls int64) int64 { return calls/2 + 1 })
	ids("gives a block of ids backwards", func(calls int64) int64 { return calls/10*10 + 10 - calls%10 })
	ids("gives a block of ids again", func(calls int64) int64 { return (calls-1)%64 + 1 })
	return append(all,
		broken{how: "counts without a lock", sabotage: racyIDs, caught: caughtBy("ids-are-unique-among-concurrent-callers")},
		broken{how: "gives the highest id that is free", caught: caughtBy("ids-are-not-given-again-after-deletion"),
			sabotage: func(sound full) full {
				var freed atomic.Int64
				w := breaking(lineDelete, func(c *call) error {
					freed.Store(valueOf[line.Tombstone](c).Line)
					return c.sound()
				})(sound).(*wrapped)
				w.nextID = func(ctx context.Context, of ports.Sequence) (int64, error) {
					if id := freed.Swap(0); of == ports.LineIDs && id != 0 {
						return id, nil
					}
					return sound.NextID(ctx, of)
				}
				return w
			}},
	)
}

// process is a store as one process has it open: closing it ends the process and
// leaves the records.
func process(records full) full {
	return &wrapped{full: records, close: func() error { return nil }}
}

// reopened is a sound Reopen of a process.
func reopened(old full) full { return process(old.(*wrapped).full) }

func brokenDurability() []broken {
	lost := func(change func(again *wrapped, empty full)) func(full) full {
		return func(old full) full {
			again := reopened(old).(*wrapped)
			change(again, memstore.New())
			return again
		}
	}
	return []broken{
		{how: "forgets its records with the process", sabotage: process,
			caught: caughtBy("updates-at-once-survive-reopening", "every-field-survives-reopening"),
			reopen: lost(func(again *wrapped, empty full) { again.update, again.view = unhinted(empty), empty.View })},
		{how: "counts ids in the process only", sabotage: process,
			caught: caughtBy("ids-are-not-given-again-after-reopening"),
			reopen: lost(func(again *wrapped, empty full) { again.nextID = empty.NextID })},
		{how: "forgets the service key with the process", sabotage: process,
			caught: caughtBy("service-key-survives-reopening"),
			reopen: lost(func(again *wrapped, empty full) { again.claimKey = empty.ClaimKey })},
		{how: "forgets expiries with the process", sabotage: process, caught: caughtBy("every-field-survives-reopening"),
			reopen: lost(func(again *wrapped, empty full) { again.dropExpired = empty.DropExpired })},
	}
}
