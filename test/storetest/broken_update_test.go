package storetest

import (
	"context"
	"errors"
	"fmt"
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
				err := do(ctx, via(func(op string, on func(ports.Tx) error) error {
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

func brokenUpdates() (all []broken) {
	for _, operation := range writes {
		all = append(all,
			broken{how: "forgets to " + operation, caught: caughtBy("update-takes-effect"), sabotage: func(sound full) full {
				return withVia(sound, func(tx ports.Tx) via {
					return func(op string, on func(ports.Tx) error) error {
						if op == operation {
							return nil
						}
						return on(tx)
					}
				})
			}},
			broken{how: "keeps on failure: " + operation, caught: caughtBy("error-keeps-nothing", "panic-keeps-nothing", "context-ends-in-work"), sabotage: keeping(operation)},
			broken{how: "delays until the commit: " + operation, caught: caughtBy("work-sees-its-own-writes"), sabotage: func(sound full) full {
				return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
					return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
						var delayed []func(ports.Tx) error
						err := do(ctx, via(func(op string, on func(ports.Tx) error) error {
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
			}},
		)
	}
	update := func(how string, with func(sound full) func(ctx context.Context, do work) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return &wrapped{full: sound, update: with(sound)}
		}})
	}
	update("swallows a panic", func(sound full) func(ctx context.Context, do work) error {
		return func(ctx context.Context, do work) error {
			defer func() { _ = recover() }()
			return sound.Update(ctx, do)
		}
	}, "panic-keeps-nothing")
	update("stays locked after a panic", func(sound full) func(ctx context.Context, do work) error {
		lock := make(chan struct{}, 1)
		return func(ctx context.Context, do work) error {
			select {
			case lock <- struct{}{}:
			case <-ctx.Done():
				return ports.ErrUnavailable
			}
			err := sound.Update(ctx, do)
			<-lock
			return err
		}
	}, "panic-keeps-nothing")
	failing := func(how string, change func(ctx context.Context, err error) error, checks ...string) {
		update(how, func(sound full) func(ctx context.Context, do work) error {
			return func(ctx context.Context, do work) error {
				err := sound.Update(ctx, do)
				if err != nil {
					err = change(ctx, err)
				}
				return err
			}
		}, checks...)
	}
	failing("words errors anew", func(_ context.Context, err error) error { return errors.New("update: " + err.Error()) },
		"error-keeps-nothing", "error-comes-back")
	failing("keeps one branch of an error", func(_ context.Context, err error) error {
		if errors.Is(err, errRefused) {
			return errRefused
		}
		return err
	}, "error-comes-back")
	failing("calls every failure unavailable", func(_ context.Context, err error) error { return fmt.Errorf("%w: %w", ports.ErrUnavailable, err) },
		"error-comes-back")
	failing("hides refusals", func(context.Context, error) error { return nil }, "error-keeps-nothing", "error-comes-back")
	failing("returns the context's own error", func(ctx context.Context, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}, "ended-context-does-nothing", "unavailable-names-its-cause")
	failing("hides the cause of unavailability", func(_ context.Context, err error) error {
		if errors.Is(err, ports.ErrUnavailable) {
			return ports.ErrUnavailable
		}
		return err
	}, "unavailable-names-its-cause")
	update("ignores the context", func(sound full) func(ctx context.Context, do work) error {
		return func(ctx context.Context, do work) error { return sound.Update(context.WithoutCancel(ctx), do) }
	}, "ended-context-does-nothing", "waiting-ends-with-context")
	update("waits for its turn whatever the context", func(sound full) func(ctx context.Context, do work) error {
		return func(ctx context.Context, do work) error {
			if ctx.Err() != nil {
				return fmt.Errorf("%w: %w", ports.ErrUnavailable, ctx.Err())
			}
			return sound.Update(context.WithoutCancel(ctx), do)
		}
	}, "waiting-ends-with-context")
	update("ends with the context's own error while it waits", func(sound full) func(ctx context.Context, do work) error {
		return func(ctx context.Context, do work) error {
			err := sound.Update(ctx, do)
			if errors.Is(err, context.DeadlineExceeded) {
				return context.DeadlineExceeded
			}
			return err
		}
	}, "waiting-ends-with-context")
	update("reports the end of the context after the effect, as the context's own error", func(sound full) func(ctx context.Context, do work) error {
		return func(ctx context.Context, do work) error { return errors.Join(sound.Update(ctx, do), ctx.Err()) }
	}, "context-ends-in-work")
	update("rolls back and reports success where the context ends", func(sound full) func(ctx context.Context, do work) error {
		return func(ctx context.Context, do work) error {
			err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error { return errors.Join(do(ctx, tx), ctx.Err()) })
			if errors.Is(err, context.Canceled) && !errors.Is(err, ports.ErrUnavailable) {
				return nil
			}
			return err
		}
	}, "context-ends-in-work")
	all = append(all, broken{how: "refuses where a hint names what is not there", caught: caughtBy("hints-change-nothing"),
		sabotage: func(sound full) full { return misled{sound} }})
	all = append(all, broken{how: "commits every step", sabotage: autocommit,
		caught: caughtBy("error-keeps-nothing", "nobody-sees-uncommitted-writes")})
	for method, sabotage := range map[string]func(*wrapped){
		"view": func(w *wrapped) { w.view = func(ctx context.Context, _ look) error { return ctx.Err() } },
		"next id": func(w *wrapped) {
			w.nextID = func(ctx context.Context, _ ports.Sequence) (int64, error) { return 0, ctx.Err() }
		},
		"claim key": func(w *wrapped) {
			w.claimKey = func(ctx context.Context, _ string) (string, error) { return "", ctx.Err() }
		},
		"drop expired": func(w *wrapped) {
			w.dropExpired = func(ctx context.Context, _, _ time.Time, _ int) (int, error) { return 0, ctx.Err() }
		},
		"ready": func(w *wrapped) { w.ready = func(ctx context.Context) error { return ctx.Err() } },
	} {
		all = append(all, broken{how: "returns the context's own error from " + method, caught: caughtBy("ended-context-does-nothing"),
			sabotage: func(sound full) full {
				w, ended := &wrapped{full: sound}, &wrapped{full: sound}
				sabotage(ended)
				w.view = func(ctx context.Context, look look) error { return during(ctx, sound, ended).View(ctx, look) }
				w.nextID = func(ctx context.Context, of ports.Sequence) (int64, error) {
					return during(ctx, sound, ended).NextID(ctx, of)
				}
				w.claimKey = func(ctx context.Context, f string) (string, error) { return during(ctx, sound, ended).ClaimKey(ctx, f) }
				w.dropExpired = func(ctx context.Context, now, latest time.Time, limit int) (int, error) {
					return during(ctx, sound, ended).DropExpired(ctx, now, latest, limit)
				}
				w.ready = func(ctx context.Context) error { return during(ctx, sound, ended).Ready(ctx) }
				return w
			}})
	}
	return all
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

// during returns the store to use while ctx lasts, or after its end.
func during(ctx context.Context, lasts, ended full) full {
	if ctx.Err() != nil {
		return ended
	}
	return lasts
}
