package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/ports"
)

// settleTime is how long after a move of the service key something may still be recorded that was sealed under the one
// before: a process seals for keyMargin after its last look, in a request that takes 10 seconds at most, and its commit
// is tried for 10 more where the store is a server, which may be a moment behind.
const settleTime = keyMargin + 10*time.Second + 10*time.Second + 2*time.Second

// settleTimeOfTests is set in the binary that the tests drive, by the linker, whose requests take no 10 seconds:
// -X resellerd/bootstrap.settleTimeOfTests=4s.
var settleTimeOfTests string

var errNoNewKey = errors.New("the store has had this service key from the beginning: give a new one in RESELLERD_SECRET, and this one in RESELLERD_SECRET_PREVIOUS; for a key file beside the database, rename it by adding .previous, and a new one is made")

// Rekey implements cli.Store. First the store records the new key, with what is needed of the old one sealed under it:
// from then on the old secret is needed no more, whatever happens. Then everything is sealed anew. Each step may be
// ended and done again.
func (s store) Rekey(ctx context.Context, o application.RekeyOptions) (application.Rekeyed, error) {
	settle := settleTime
	if shorter, err := time.ParseDuration(settleTimeOfTests); err == nil {
		settle = shorter
	}
	return s.rekey(ctx, o, settle)
}

func (s store) rekey(ctx context.Context, o application.RekeyOptions, settle time.Duration) (done application.Rekeyed, err error) {
	if err := s.opener.exists(s.address); err != nil {
		return done, fmt.Errorf("RESELLERD_STORE: %w", err)
	}
	opened, keys, err := s.open(ctx, s.log)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	rekeyable := opened.Parts().Rekeyable
	if rekeyable == nil {
		return done, errors.New("this store keeps its service key: it has no ports.Rekeyable")
	}
	o.Progress(application.MoveKey, 0)
	if err := keys.moveTo(ctx, rekeyable, func(k *servicekey.Keyring) (ports.ServiceKey, error) {
		return k.MoveTo(keys.given[0], o.Leaked)
	}); err != nil {
		return done, err
	}
	if keys.keyring.Load().Recorded().Earlier == "" {
		return done, errNoNewKey
	}
	ctx, end := context.WithCancelCause(ctx)
	following := make(chan struct{})
	go func() {
		defer close(following)
		if gone := keys.follow(ctx, s.log); gone != nil {
			end(gone) // somebody else has moved it meanwhile
		}
	}()
	defer func() {
		if gone, is := errors.AsType[*lostKey](context.Cause(ctx)); is && err != nil {
			err = gone
		}
		end(nil)
		<-following
	}()
	o.Progress(application.AwaitOthers, 0)
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return done, context.Cause(ctx)
	}
	service := application.New(dependencies(opened, keys, now), application.Policy{})
	done.Fingerprint = keys.keyring.Load().Fingerprint()
	for {
		pass, err := service.SealAnew(ctx, rekeyable, o)
		done.Lines, done.Answers, done.Findings = done.Lines+pass.Lines, done.Answers+pass.Answers, pass.Findings
		done.Untried = pass.Untried
		if err != nil {
			return done, err
		}
		if pass.Lines == 0 && pass.Answers == 0 {
			break
		}
		o.Report = func(string) {} // the same again
	}
	if done.Untried > 0 {
		return done, nil // a leaked key may be the only one for these
	}
	return done, keys.moveTo(ctx, rekeyable, (*servicekey.Keyring).Settled)
}

// moveTo has the store record what next makes of what it has recorded.
func (w *keyWatch) moveTo(ctx context.Context, store ports.Rekeyable, next func(*servicekey.Keyring) (ports.ServiceKey, error)) error {
	for {
		keyring := w.keyring.Load()
		to, err := next(keyring)
		if err != nil || to == keyring.Recorded() {
			return err
		}
		err = store.MoveKey(ctx, keyring.Recorded(), to)
		if err != nil && !errors.Is(err, ports.ErrKeyMoved) && !errors.Is(err, ports.ErrUnavailable) {
			return err
		}
		// Whether it was moved, by this call, by one whose answer was lost or by somebody else, the store says.
		_, looked := w.look(ctx)
		if err := errors.Join(looked, ctx.Err()); err != nil {
			return err
		}
		if errors.Is(err, ports.ErrUnavailable) && w.keyring.Load() == keyring {
			return err
		}
	}
}
