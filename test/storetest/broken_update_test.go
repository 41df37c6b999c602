package storetest

import (
	"context"
	"errors"
	"fmt"

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
			broken{how: "forgets to " + operation, caught: caughtBy("update-takes-effect"), sabotage: forgetting(operation)},
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
	update := func(how string, with func(ctx context.Context, do work, sound full) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error { return with(ctx, do, sound) }}
		}})
	}
	update("swallows a panic", func(ctx context.Context, do work, sound full) error {
		defer func() { _ = recover() }()
		return sound.Update(ctx, do)
	}, "panic-keeps-nothing")
	all = append(all, broken{how: "stays locked after a panic", caught: caughtBy("panic-keeps-nothing"), sabotage: func(sound full) full {
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
	}})
	failing := func(how string, change func(ctx context.Context, err error) error, checks ...string) {
		update(how, func(ctx context.Context, do work, sound full) error {
			err := sound.Update(ctx, do)
			if err != nil {
				err = change(ctx, err)
			}
			return err
		}, checks...)
	}
	failing("words errors anew", func(_ context.Context, err error) error { return errors.New("update: " + err.Error()) },
		"error-keeps-nothing", "error-comes-back")
	failing("keeps one branch of an error", func(_ context.Context, err error) error { return instead(errRefused, errRefused)(err) },
		"error-comes-back")
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
		return instead(ports.ErrUnavailable, ports.ErrUnavailable)(err)
	},
		"unavailable-names-its-cause")
	update("ignores the context", func(ctx context.Context, do work, sound full) error {
		return sound.Update(context.WithoutCancel(ctx), do)
	}, "ended-context-does-nothing", "waiting-ends-with-context")
	update("waits for its turn whatever the context", func(ctx context.Context, do work, sound full) error {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ports.ErrUnavailable, ctx.Err())
		}
		return sound.Update(context.WithoutCancel(ctx), do)
	}, "waiting-ends-with-context")
	update("ends with the context's own error while it waits", func(ctx context.Context, do work, sound full) error {
		return instead(context.DeadlineExceeded, context.DeadlineExceeded)(sound.Update(ctx, do))
	}, "waiting-ends-with-context")
	update("reports the end of the context after the effect, as the context's own error", func(ctx context.Context, do work, sound full) error {
		return errors.Join(sound.Update(ctx, do), ctx.Err())
	}, "context-ends-in-work")
	update("rolls back and reports success where the context ends", func(ctx context.Context, do work, sound full) error {
		err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error { return errors.Join(do(ctx, tx), ctx.Err()) })
		if errors.Is(err, context.Canceled) && !errors.Is(err, ports.ErrUnavailable) {
			return nil
		}
		return err
	}, "context-ends-in-work")
	all = append(all, broken{how: "refuses where a hint names what is not there", caught: caughtBy("hints-change-nothing"),
		sabotage: func(sound full) full { return misled{sound} }})
	all = append(all, broken{how: "commits every step", sabotage: autocommit,
		caught: caughtBy("error-keeps-nothing", "nobody-sees-uncommitted-writes")})
	for _, method := range methods {
		all = append(all, broken{how: "returns the context's own error from " + method, caught: caughtBy("ended-context-does-nothing"), sabotage: func(sound full) full {
			return &wrapped{full: sound, answer: func(ctx context.Context, called string) (answered bool, err error) {
				return called == method && ctx.Err() != nil, ctx.Err()
			}}
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
