package operate

import (
	"context"
	"errors"
	"time"

	"resellerd/application"
	"resellerd/application/rekey"
	"resellerd/ports"
)

// ErrKeepsKey reports that a store's service key can't be replaced.
var ErrKeepsKey = errors.New("this store keeps its service key: it has no ports.Rekeyable")

// Rekey replaces a store's service key. First it records the new key, with the still needed data of the old one sealed
// under it. After that the old secret is no longer needed. Once every process seals under the new key, as settled
// decides, it reseals everything. Each step may be ended and repeated.
func Rekey(ctx context.Context, store ports.Store, keys ports.KeyMove, service *application.Service,
	settled func() <-chan time.Time, o rekey.Options) (done rekey.Result, err error) {
	archive := store.Parts().Rekeyable
	if archive == nil {
		return done, ErrKeepsKey
	}
	o.Progress(rekey.MoveKey, 0)
	if err := keys.Move(ctx, o.Leaked); err != nil {
		return done, err
	}
	ctx, end := context.WithCancel(ctx)
	var gone error
	following := make(chan struct{})
	go func() {
		defer close(following)
		defer end()
		gone = keys.Follow(ctx) // another process has replaced it
	}()
	defer func() {
		end()
		if <-following; gone != nil && err != nil {
			err = gone
		}
	}()
	o.Progress(rekey.AwaitOthers, 0)
	select {
	case <-settled():
	case <-ctx.Done():
		return done, context.Cause(ctx)
	}
	done.Fingerprint = keys.Fingerprint()
	for {
		pass, err := service.Rekey.Reseal(ctx, archive, o)
		done.Lines, done.Records, done.Answers = done.Lines+pass.Lines, done.Records+pass.Records, done.Answers+pass.Answers
		done.Findings, done.Untried = pass.Findings, pass.Untried
		if err != nil {
			return done, err
		}
		if pass.Lines+pass.Records+pass.Answers == 0 {
			break
		}
		o.Report = func(string) {} // they were reported already
	}
	if done.Untried > 0 {
		return done, nil // a leaked key may be the only one for these
	}
	// A repetition may append the entry again: twice is better than never.
	if err := service.Epochs.ServiceKeyReplaced(ctx); err != nil {
		return done, err
	}
	return done, keys.Settle(ctx)
}
