package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/fx"

	"resellerd/adapters/cli"
	"resellerd/adapters/servicekey"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// serviceKeys is where a process has its service key from, and the one that it may be moved from or to.
type serviceKeys struct {
	current, previous         *profile.Secret // nil: not set, and the store may have its own way to get one
	currentFile, previousFile string          // that they were read from, "" where it was none
	beside                    func() (profile.Secret, func(), error)
	previousBeside            func() (*profile.Secret, error)
}

// previousKeyBeside reads the service key that a store had before from the file next to the present one's, nil where
// there is none.
func previousKeyBeside(path string) (*profile.Secret, error) {
	secret, err := servicekey.LoadOrCreate(besideDatabase(path)+".previous", false)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &secret, nil
}

// all returns every service key that is given, the present one first. A key that was made for a store that turns out
// to have another one is taken back by undo.
func (s serviceKeys) all() (all []profile.Secret, undo func(), err error) {
	undo = func() {}
	if s.current != nil {
		all = append(all, *s.current)
	} else {
		secret, remove, err := s.beside()
		if err != nil {
			return nil, undo, err
		}
		all, undo = append(all, secret), remove
	}
	previous := s.previous
	if previous == nil && s.current == nil && s.previousBeside != nil {
		if previous, err = s.previousBeside(); err != nil {
			return nil, undo, err
		}
	}
	if previous != nil {
		all = append(all, *previous)
	}
	return all, undo, nil
}

// again is all, with what is in the files by now.
func (s serviceKeys) again() (all []profile.Secret, undo func(), err error) {
	var errs [2]error
	if s.currentFile != "" {
		s.current, errs[0] = cli.SecretFile(s.currentFile)
	}
	if s.previousFile != "" {
		s.previous, errs[1] = cli.SecretFile(s.previousFile)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, func() {}, err
	}
	return s.all()
}

// How a process keeps up with the service key of its store. What it seals under another one has to be found by whoever
// replaces the key, and is lost once the one before is given up.
const (
	// keyLookInterval is how often a process looks which key its store has, and so for how long it seals under the one
	// before at most, where nothing fails. keyLookTime bounds a look.
	keyLookInterval = time.Second
	keyLookTime     = 2 * time.Second
	// keyLooks is how often the files are read for a key that the store has and the process lacks: they may be being
	// written.
	keyLooks = 3
	// keyMargin is how long a process relies on a look. One that could not look since then, because its store did not
	// answer or because it was stopped itself, seals nothing until it has looked again.
	keyMargin = 5 * time.Second
)

// keyWatch has the process follow its store to another service key.
type keyWatch struct {
	keyring atomic.Pointer[servicekey.Keyring]
	store   ports.Store
	keys    serviceKeys
	clock   clock
	seen    atomic.Pointer[reading] // when the last look that succeeded began, nil where the store's key never moves

	looking sync.Mutex
	given   []profile.Secret
	lacking int // looks since the store has had a key that the process lacks
}

// reading is what a clock has returned.
type reading struct{ shown, passed time.Duration }

func (w *keyWatch) now() *reading {
	shown, passed := w.clock()
	return &reading{shown, passed}
}

// errOtherKey says that the store has a service key that this process was not given.
func errOtherKey(recorded, own string) error {
	return fmt.Errorf("the store belongs to the service key with the fingerprint %s and this process has %s: give it the right key in RESELLERD_SECRET, RESELLERD_SECRET_FILE or the key file beside the database, or as the previous one, RESELLERD_SECRET_PREVIOUS, where it is to be replaced", recorded, own)
}

// claim has the store belong to the present key, where it has none, and takes what it has recorded.
func (w *keyWatch) claim(ctx context.Context) error {
	given, undo, err := w.keys.all()
	if err != nil {
		return err
	}
	own, err := servicekey.New(given[0])
	if err != nil {
		return err
	}
	recorded, err := w.store.ClaimKey(ctx, own.Fingerprint())
	if err != nil {
		if errors.Is(err, ports.ErrUnfinishedCopy) {
			undo()
		}
		return unfinished(err)
	}
	key := ports.ServiceKey{Fingerprint: recorded}
	if store := w.store.Parts().Rekeyable; store != nil {
		w.seen.Store(w.now())
		if key, err = store.ServiceKey(ctx); err != nil {
			return err
		}
	}
	keyring, err := servicekey.Restore(key, given...)
	if errors.Is(err, servicekey.ErrOtherKey) {
		undo()
		err = errOtherKey(key.Fingerprint, own.Fingerprint())
	}
	if err != nil {
		return err
	}
	w.given = given
	w.keyring.Store(keyring)
	return nil
}

// look takes over what the store has recorded by now. Where it has another service key that this process was not given,
// the files are read again.
func (w *keyWatch) look(ctx context.Context) (moved bool, err error) {
	store := w.store.Parts().Rekeyable
	if store == nil {
		return false, nil
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	began := w.now()
	recorded, err := store.ServiceKey(ctx)
	if err != nil {
		return false, err
	}
	if recorded != w.keyring.Load().Recorded() {
		keyring, err := w.restore(recorded)
		if err != nil {
			err = errors.Join(errOtherKey(recorded.Fingerprint, w.keyring.Load().Fingerprint()), err)
			if w.lacking++; w.lacking >= keyLooks {
				err = &lostKey{err}
			}
			return false, err
		}
		w.keyring.Store(keyring)
		moved = true
	}
	w.lacking = 0
	w.seen.Store(began)
	return moved, nil
}

// restore makes a keyring of what the store has recorded, with the keys that were given, or those in the files by now.
func (w *keyWatch) restore(recorded ports.ServiceKey) (*servicekey.Keyring, error) {
	keyring, err := servicekey.Restore(recorded, w.given...)
	if !errors.Is(err, servicekey.ErrOtherKey) {
		return keyring, err
	}
	given, undo, err := w.keys.again()
	if err != nil {
		return nil, err
	}
	given = append(given, w.given...)
	if keyring, err = servicekey.Restore(recorded, given...); err != nil {
		undo()
		return nil, err
	}
	w.given = slices.Clip(given)
	return keyring, nil
}

// current returns the keyring to seal with, or refuses to seal where the store may have another key by now.
func (w *keyWatch) current() (*servicekey.Keyring, error) {
	keyring := w.keyring.Load() // before it is asked how old it may be
	seen := w.seen.Load()
	if seen == nil {
		return keyring, nil
	}
	// A clock that goes on while the machine is stopped, and one that nobody sets.
	now := w.now()
	if age := max(now.shown-seen.shown, now.passed-seen.passed); age > keyMargin {
		return nil, fmt.Errorf("%w: it is not known since %s whether it still has this service key", ports.ErrUnavailable, age.Round(time.Millisecond))
	}
	return keyring, nil
}

// lostKey says that the process can't go on with this store.
type lostKey struct{ error }

func (e *lostKey) Unwrap() error { return e.error }

// follow keeps the keyring what the store has recorded until ctx ends. The error is a lostKey: a process that lacks its
// store's service key can't read what others write.
func (w *keyWatch) follow(ctx context.Context, log *slog.Logger) error {
	ticker := time.NewTicker(keyLookInterval)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		looking, cancel := context.WithTimeout(ctx, keyLookTime)
		moved, err := w.look(looking)
		cancel()
		if gone, is := errors.AsType[*lostKey](err); is {
			return gone
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case moved:
			log.Info("the store has another service key now", slog.String("fingerprint", w.keyring.Load().Fingerprint()))
		case err != nil && !failing:
			log.Warn("it can't be seen which service key the store has: while that lasts, nothing is sealed under it", slog.Any("error", err))
		case err == nil && failing:
			log.Info("it is seen again which service key the store has")
		}
		failing = err != nil
	}
}

// followKeys has a process follow its store's service key while it serves.
func followKeys(w *lateKeys, lost func(error), log *slog.Logger) fx.Hook {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	return fx.StartStopHook(
		func() {
			go func() {
				defer close(ended)
				if err := w.follow(ctx, log); err != nil {
					lost(err)
				}
			}()
		},
		func() {
			cancel()
			<-ended
		},
	)
}

// Issue implements ports.Tokens.
func (w *keyWatch) Issue(t ports.Token) profile.Secret { return w.keyring.Load().Issue(t) }

// Verify implements ports.Tokens.
func (w *keyWatch) Verify(token string) (ports.Token, error) { return w.keyring.Load().Verify(token) }

// Seal implements ports.Vault.
func (w *keyWatch) Seal(plain []byte, label string) ([]byte, error) {
	keyring, err := w.current()
	if err != nil {
		return nil, err
	}
	return keyring.Seal(plain, label)
}

// Open implements ports.Vault.
func (w *keyWatch) Open(sealed []byte, label string) ([]byte, error) {
	return w.keyring.Load().Open(sealed, label)
}

// Renew implements ports.Vault.
func (w *keyWatch) Renew(sealed []byte, label string) (renewed []byte, changed bool, err error) {
	keyring, err := w.current()
	if err != nil {
		return nil, false, err
	}
	return keyring.Renew(sealed, label)
}

// Digest implements ports.Vault.
func (w *keyWatch) Digest(content []byte) []byte { return w.keyring.Load().Digest(content) }

// Digested implements ports.Vault.
func (w *keyWatch) Digested(digest, content []byte) (bool, error) {
	return w.keyring.Load().Digested(digest, content)
}
