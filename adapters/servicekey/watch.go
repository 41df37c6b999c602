package servicekey

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// How a process follows the service key of its store. What it seals under an earlier one has to be found by the rekey,
// and is lost once that key is dropped.
const (
	// lookInterval is how often a process reads which key its store has, and so for how long at most it seals under the
	// previous one, if nothing fails. lookTime bounds a read.
	lookInterval = time.Second
	lookTime     = 2 * time.Second
	// looks is how often the files are read for a key that the process lacks: they may be incomplete.
	looks = 3
	// Margin is how long a process relies on a look. One that could not look since, because its store did not answer or
	// because it was stopped itself, seals nothing until it has looked again.
	Margin = 5 * time.Second
)

// Watch makes a process follow its store to another service key. It implements ports.Tokens and ports.Vault once Claim
// has returned.
type Watch struct {
	keyring atomic.Pointer[Keyring]
	log     *slog.Logger
	clock   func() (shown, passed time.Duration)
	store   ports.Rekeyable // nil if the store's key can't move
	sources Sources
	seen    atomic.Pointer[reading] // when the last successful look began, nil if the store's key can't move

	looking sync.Mutex
	given   []profile.Secret
	lacking int // looks since the store has a key that the process lacks
}

var (
	_ ports.Tokens = (*Watch)(nil)
	_ ports.Vault  = (*Watch)(nil)
)

// NewWatch returns a Watch that logs to log.
func NewWatch(log *slog.Logger) *Watch {
	start := time.Now()
	return &Watch{log: log, clock: func() (shown, passed time.Duration) {
		return time.Duration(time.Now().UnixNano()), time.Since(start)
	}}
}

// reading is a reading of a clock.
type reading struct{ shown, passed time.Duration }

func (w *Watch) now() *reading {
	shown, passed := w.clock()
	return &reading{shown, passed}
}

// errOtherKey says that the store has a service key that this process was not given.
func errOtherKey(recorded, present string) error {
	return fmt.Errorf(
		"the store belongs to the service key with the fingerprint %s and this process has %s: give it the right key in RESELLERD_SECRET, RESELLERD_SECRET_FILE or the key file beside the database, or as the previous one, RESELLERD_SECRET_PREVIOUS, where it is to be replaced", recorded, present)
}

// errNoKey says that there is no key at all, in the file that the store would have it in.
func errNoKey(file, recorded string) error {
	return fmt.Errorf(
		"no service key was found at %s; this store needs the key with the fingerprint %s: put it there, with mode 0600 and readable for the user who runs the service, or set RESELLERD_SECRET_FILE or RESELLERD_SECRET", file, recorded)
}

// Claim claims the store for the present key, if it has none, and reads what it has recorded.
func (w *Watch) Claim(ctx context.Context, store ports.Store, sources Sources) error {
	given, undo, err := sources.Keys(true)
	if err != nil {
		return err
	}
	present, err := New(given[0])
	if err != nil {
		return err
	}
	key := ports.ServiceKey{}
	if key.Fingerprint, err = store.ClaimKey(ctx, present.Fingerprint()); err != nil {
		if errors.Is(err, ports.ErrUnfinishedCopy) {
			undo()
		}
		return err
	}
	if w.store = store.Parts().Rekeyable; w.store != nil {
		w.seen.Store(w.now())
		if key, err = w.store.ServiceKey(ctx); err != nil {
			return err
		}
	}
	keyring, err := Restore(key, given...)
	if errors.Is(err, ErrOtherKey) {
		undo()
		err = errOtherKey(key.Fingerprint, present.Fingerprint())
		if file := sources.Store.KeyFile; sources.Current == nil && file != "" {
			if found, _ := InFile(file); found == nil { // one was made, and is gone again
				err = errNoKey(file, key.Fingerprint)
			}
		}
	}
	if err != nil {
		return err
	}
	w.sources, w.given = sources, given
	w.keyring.Store(keyring)
	return nil
}

// Fingerprint returns that of the service key that the store had at the last look.
func (w *Watch) Fingerprint() string { return w.keyring.Load().Fingerprint() }

// Look takes over what the store has recorded by now. If it has a service key that this process was not given, the
// files are read again.
func (w *Watch) Look(ctx context.Context) (moved bool, err error) {
	if w.store == nil {
		return false, nil
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	began := w.now()
	recorded, err := w.store.ServiceKey(ctx)
	if err != nil {
		return false, err
	}
	if recorded != w.keyring.Load().Recorded() {
		keyring, err := w.restore(recorded)
		if err != nil {
			err = errors.Join(errOtherKey(recorded.Fingerprint, w.Fingerprint()), err)
			if w.lacking++; w.lacking >= looks {
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

// restore makes a keyring from what the store has recorded, with the given keys, or those in the files by now.
func (w *Watch) restore(recorded ports.ServiceKey) (*Keyring, error) {
	keyring, err := Restore(recorded, w.given...)
	if !errors.Is(err, ErrOtherKey) {
		return keyring, err
	}
	given, undo, err := w.sources.again()
	if err != nil {
		return nil, err
	}
	given = append(given, w.given...)
	if keyring, err = Restore(recorded, given...); err != nil {
		undo()
		return nil, err
	}
	w.given = slices.Clip(given)
	return keyring, nil
}

// current returns the keyring to seal with, or an error if the store may have another key by now.
func (w *Watch) current() (*Keyring, error) {
	keyring := w.keyring.Load() // before its age is checked
	seen := w.seen.Load()
	if seen == nil {
		return keyring, nil
	}
	// One clock that goes on while the machine is suspended, and one that is never set.
	now := w.now()
	if age := max(now.shown-seen.shown, now.passed-seen.passed); age > Margin {
		return nil, fmt.Errorf("%w: it is not known since %s whether it still has this service key", ports.ErrUnavailable,
			age.Round(time.Millisecond))
	}
	return keyring, nil
}

// lostKey is an error after which the process can't go on with this store.
type lostKey struct{ error }

func (e *lostKey) Unwrap() error { return e.error }

// Follow keeps the keyring in step with the store until ctx ends. An error says that the store has a key that this
// process lacks, so that it can't read what others write.
func (w *Watch) Follow(ctx context.Context) error {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		looking, cancel := context.WithTimeout(ctx, lookTime)
		moved, err := w.Look(looking)
		cancel()
		if gone, is := errors.AsType[*lostKey](err); is {
			return gone
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case moved:
			w.log.Info("the store has another service key now", slog.String("fingerprint", w.Fingerprint()))
		case err != nil && !failing:
			w.log.Warn("it can't be seen which service key the store has: while that lasts, nothing is sealed under it",
				slog.Any("error", err))
		case err == nil && failing:
			w.log.Info("it is seen again which service key the store has")
		}
		failing = err != nil
	}
}

// errNoNewKey says that there is no key to move to.
var errNoNewKey = errors.New(
	"the store has had this service key from the beginning: give a new one in RESELLERD_SECRET, and this one in RESELLERD_SECRET_PREVIOUS; for a key file beside the database, rename it by adding .previous, and a new one is made")

// Move records the present key in the store in place of the previous one, with what is needed of that sealed under it:
// from then on the old secret is not needed. Tokens stay unless the previous key has leaked.
func (w *Watch) Move(ctx context.Context, leaked bool) error {
	err := w.moveTo(ctx, func(k *Keyring) (ports.ServiceKey, error) { return k.MoveTo(w.given[0], leaked) })
	if err == nil && w.keyring.Load().Recorded().Earlier == "" {
		err = errNoNewKey
	}
	return err
}

// Settle ends a Move, once nothing is sealed under an earlier key any more.
func (w *Watch) Settle(ctx context.Context) error { return w.moveTo(ctx, (*Keyring).Settled) }

// moveTo records in the store what next makes of its recorded key.
func (w *Watch) moveTo(ctx context.Context, next func(*Keyring) (ports.ServiceKey, error)) error {
	for {
		keyring := w.keyring.Load()
		to, err := next(keyring)
		if err != nil || to == keyring.Recorded() {
			return err
		}
		err = w.store.MoveKey(ctx, keyring.Recorded(), to)
		if err != nil && !errors.Is(err, ports.ErrKeyMoved) && !errors.Is(err, ports.ErrUnavailable) {
			return err
		}
		// Whether it was moved, by this call, by one whose answer was lost or by another process, is read from the
		// store.
		_, looked := w.Look(ctx)
		if err := errors.Join(looked, ctx.Err()); err != nil {
			return err
		}
		if errors.Is(err, ports.ErrUnavailable) && w.keyring.Load() == keyring {
			return err
		}
	}
}

// Issue implements ports.Tokens.
func (w *Watch) Issue(t ports.Token) profile.Secret { return w.keyring.Load().Issue(t) }

// Verify implements ports.Tokens.
func (w *Watch) Verify(token string) (ports.Token, error) { return w.keyring.Load().Verify(token) }

// Seal implements ports.Vault.
func (w *Watch) Seal(plain []byte, label string) ([]byte, error) {
	keyring, err := w.current()
	if err != nil {
		return nil, err
	}
	return keyring.Seal(plain, label)
}

// Open implements ports.Vault.
func (w *Watch) Open(sealed []byte, label string) ([]byte, error) {
	return w.keyring.Load().Open(sealed, label)
}

// Renew implements ports.Vault.
func (w *Watch) Renew(sealed []byte, label string) (renewed []byte, changed bool, err error) {
	keyring, err := w.current()
	if err != nil {
		return nil, false, err
	}
	return keyring.Renew(sealed, label)
}

// Digest implements ports.Vault.
func (w *Watch) Digest(content []byte) []byte { return w.keyring.Load().Digest(content) }

// Digested implements ports.Vault.
func (w *Watch) Digested(digest, content []byte) (bool, error) {
	return w.keyring.Load().Digested(digest, content)
}
