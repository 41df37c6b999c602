package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
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

// keyWatch has the process follow its store to another service key.
type keyWatch struct {
	keyring atomic.Pointer[servicekey.Keyring]
	store   ports.Store
	keys    serviceKeys
	given   []profile.Secret
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
	if store, can := w.store.(ports.Rekeyable); can {
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
	store, can := w.store.(ports.Rekeyable)
	if !can {
		return false, nil
	}
	recorded, err := store.ServiceKey(ctx)
	if err != nil || recorded == w.keyring.Load().Recorded() {
		return false, err
	}
	keyring, err := servicekey.Restore(recorded, w.given...)
	if errors.Is(err, servicekey.ErrOtherKey) {
		given, undo, failed := w.keys.again()
		if failed != nil {
			return false, &lostKey{failed}
		}
		given = append(given, w.given...)
		if keyring, err = servicekey.Restore(recorded, given...); err == nil {
			w.given = slices.Clip(given)
		} else {
			undo()
		}
	}
	if err != nil {
		return false, &lostKey{errors.Join(errOtherKey(recorded.Fingerprint, w.keyring.Load().Fingerprint()), err)}
	}
	w.keyring.Store(keyring)
	return true, nil
}

// lostKey says that the process can't go on with this store.
type lostKey struct{ error }

func (e *lostKey) Unwrap() error { return e.error }

// keyLookInterval is how often a process looks whether its store has another service key: for so long it seals under
// the one before.
const keyLookInterval = time.Second

// followKeys keeps the keyring what the store has recorded. A process that lacks its store's service key can't read what
// others write: it is told that it is lost.
func followKeys(w *lateKeys, lost func(error), log *slog.Logger) fx.Hook {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	return fx.StartStopHook(
		func() {
			go func() {
				defer close(ended)
				ticker := time.NewTicker(keyLookInterval)
				defer ticker.Stop()
				for {
					select {
					case <-ctx.Done():
						return
					case <-ticker.C:
					}
					moved, err := w.look(ctx)
					if moved {
						log.Info("the store has another service key now", slog.String("fingerprint", w.keyring.Load().Fingerprint()))
					}
					if gone, is := errors.AsType[*lostKey](err); is {
						lost(gone)
						return
					}
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
func (w *keyWatch) Seal(plain []byte, label string) []byte {
	return w.keyring.Load().Seal(plain, label)
}

// Open implements ports.Vault.
func (w *keyWatch) Open(sealed []byte, label string) ([]byte, error) {
	return w.keyring.Load().Open(sealed, label)
}

// Renew implements ports.Vault.
func (w *keyWatch) Renew(sealed []byte, label string) (renewed []byte, changed bool, err error) {
	return w.keyring.Load().Renew(sealed, label)
}

// Digest implements ports.Vault.
func (w *keyWatch) Digest(content []byte) []byte { return w.keyring.Load().Digest(content) }

// Digested implements ports.Vault.
func (w *keyWatch) Digested(digest, content []byte) (bool, error) {
	return w.keyring.Load().Digested(digest, content)
}
