package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/ports"
)

func brokenRekeys() (all []broken) {
	add := func(how string, sabotage func(sound full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	reading := func(how string, read func(key ports.ServiceKey, err error) (ports.ServiceKey, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, serviceKey: func(ctx context.Context) (ports.ServiceKey, error) {
				return read(sound.ServiceKey(ctx))
			}}
		}, checks...)
	}
	moving := func(how string, move func(ctx context.Context, from, to ports.ServiceKey, sound full) error,
		checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, moveKey: func(ctx context.Context, from, to ports.ServiceKey) error {
				return move(ctx, from, to, sound)
			}}
		}, checks...)
	}
	const moved, recorded, one, whole, closed = "service-keys-are-moved", "service-keys-are-moved-from-the-recorded-one",
		"one-of-many-moves-of-a-service-key-takes-effect", "service-keys-are-read-whole", "closed-stores-move-no-service-key"

	reading("tells nothing of earlier service keys", func(key ports.ServiceKey, err error) (ports.ServiceKey, error) {
		key.Earlier = ""
		return key, err
	}, moved)
	moving("forgets what is needed of earlier service keys",
		func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
			to.Earlier = ""
			return sound.MoveKey(ctx, from, to)
		}, moved)
	moving("moves no service key and says nothing", func(context.Context, ports.ServiceKey, ports.ServiceKey, full) error {
		return nil
	}, moved)
	add("claims the first service key for ever", func(sound full) full {
		var first atomic.Pointer[string]
		return &wrapped{full: sound, claimKey: func(ctx context.Context, fingerprint string) (string, error) {
			key, err := sound.ClaimKey(ctx, fingerprint)
			first.CompareAndSwap(nil, &key)
			return *first.Load(), err
		}}
	}, moved)

	whatever := func(ctx context.Context, to ports.ServiceKey, sound full) error {
		from, err := sound.ServiceKey(ctx)
		return errors.Join(err, sound.MoveKey(ctx, from, to))
	}
	moving("moves whatever service key is recorded", func(ctx context.Context, _, to ports.ServiceKey, sound full) error {
		return whatever(ctx, to, sound)
	}, recorded, one)
	moving("compares fingerprints alone", func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
		if is, err := sound.ServiceKey(ctx); err == nil && is.Fingerprint == from.Fingerprint {
			from = is
		}
		return sound.MoveKey(ctx, from, to)
	}, recorded)
	moving("refuses a service key in a way of its own",
		func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
			return instead(ports.ErrKeyMoved, errors.New("moved"))(sound.MoveKey(ctx, from, to))
		}, recorded, one)
	moving("looks for the service key and then moves it",
		func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
			if is, err := sound.ServiceKey(ctx); err != nil || is != from {
				return errors.Join(err, ports.ErrKeyMoved)
			}
			time.Sleep(tick)
			return whatever(ctx, to, sound)
		}, one)
	moving("moves a service key in two steps", func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
		half := ports.ServiceKey{Fingerprint: to.Fingerprint, Earlier: from.Earlier}
		if err := sound.MoveKey(ctx, from, half); err != nil {
			return err
		}
		time.Sleep(tick)
		return sound.MoveKey(ctx, half, to)
	}, whole)
	moving("moves service keys after its end", func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
		return instead(ports.ErrUnavailable, nil)(sound.MoveKey(ctx, from, to))
	}, closed)
	reading("reads service keys after its end", func(key ports.ServiceKey, err error) (ports.ServiceKey, error) {
		return key, instead(ports.ErrUnavailable, nil)(err)
	}, closed)

	moving("moves the service key of an unfinished copy",
		func(ctx context.Context, from, to ports.ServiceKey, sound full) error {
			return instead(ports.ErrUnfinishedCopy, nil)(sound.MoveKey(ctx, from, to))
		}, "unfinished-copies-move-no-service-key")
	for how, earlier := range map[string]string{"takes over no earlier service keys": "",
		"takes over other earlier service keys": "others"} {
		add(how, originating(func(o *ports.Origin) { o.EarlierKeys = earlier }), "unfinished-copies-move-no-service-key")
	}
	add("tells no origin of earlier service keys",
		breaking(recordedOrigin, answers(func(o *ports.Origin) { o.EarlierKeys = "" })), "origins-tell-earlier-service-keys")

	return append(all, broken{how: "forgets with the process that the service key was moved", sabotage: process,
		caught: caughtBy("moved-service-keys-survive-reopening"),
		reopen: func(old full) full {
			again := reopened(old).(*wrapped)
			again.claimKey, again.serviceKey = memstore.New().ClaimKey, func(context.Context) (ports.ServiceKey, error) {
				return firstKey, nil
			}
			return again
		}})
}
