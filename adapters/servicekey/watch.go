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

// Limits for the time in which a process may use an earlier service key of its store. The rekey must find all content
// that the process seals under it. Content that it misses is lost when that key is dropped.
const (
	// refreshInterval is how often a process reads the service key of its store. If nothing fails, it seals under the
	// previous key for at most this time. refreshTime bounds a read.
	refreshInterval = time.Second
	refreshTime     = 2 * time.Second
	// readTries is how often the files are read for a key that the process lacks: they may be incomplete.
	readTries = 3
	// Margin is how long a process relies on a refresh. A refresh may fail because the store does not answer or because
	// the process was stopped. After Margin the process seals nothing until a refresh succeeds.
	Margin = 5 * time.Second
)

// Watch makes a process follow its store to another service key. It implements ports.Tokens and ports.Vault after Claim
// has returned.
type Watch struct {
	keyring atomic.Pointer[Keyring]
	log     *slog.Logger
	clock   func() (shown, passed time.Duration)
	store   ports.Rekeyable // nil if the store's key can't move
	sources Sources
	seen    atomic.Pointer[reading] // when the last successful refresh began, nil if the store's key can't move

	refreshing sync.Mutex
	given      []profile.Secret
	lacking    int // failed refreshes since the store has a key that the process lacks
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

// errOtherKey reports that the store has a service key that this process lacks.
func errOtherKey(recorded, present string) error {
	return fmt.Errorf(
		"the store belongs to the service key with the fingerprint %s and this process has %s: set the right key in RESELLERD_SECRET, RESELLERD_SECRET_FILE or the key file beside the database; during a replacement, also set the previous one in RESELLERD_SECRET_PREVIOUS", recorded, present)
}

// errNoKey reports that there is no service key at all. It names the file in which the store would have one.
func errNoKey(file, recorded string) error {
	return fmt.Errorf(
		"no service key was found at %s; this store needs the key with the fingerprint %s: put it there, with mode 0600 and readable for the user who runs the service, or set RESELLERD_SECRET_FILE or RESELLERD_SECRET", file, recorded)
}

// Claim records the present key in the store, if the store has no key, and reads the recorded one.
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
			if found, _ := InFile(file); found == nil { // one was made and removed again
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

// Fingerprint returns the fingerprint of the service key that the store had at the last refresh.
func (w *Watch) Fingerprint() string { return w.keyring.Load().Fingerprint() }

// Refresh adopts the service key that the store has recorded. If this process lacks that key, Refresh reads the files
// again.
func (w *Watch) Refresh(ctx context.Context) (moved bool, err error) {
	if w.store == nil {
		return false, nil
	}
	w.refreshing.Lock()
	defer w.refreshing.Unlock()
	began := w.now()
	recorded, err := w.store.ServiceKey(ctx)
	if err != nil {
		return false, err
	}
	if recorded != w.keyring.Load().Recorded() {
		keyring, err := w.restore(recorded)
		if err != nil {
			err = errors.Join(errOtherKey(recorded.Fingerprint, w.Fingerprint()), err)
			if w.lacking++; w.lacking >= readTries {
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

// restore makes a keyring for the recorded service key with the known keys, or with the present content of the files.
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

// current returns the keyring to seal with. It returns an error if the store may have another key.
func (w *Watch) current() (*Keyring, error) {
	keyring := w.keyring.Load() // before its age is checked
	seen := w.seen.Load()
	if seen == nil {
		return keyring, nil
	}
	// One clock continues while the machine is suspended, the other one is never set.
	now := w.now()
	if age := max(now.shown-seen.shown, now.passed-seen.passed); age > Margin {
		return nil, fmt.Errorf("%w: for %s it is unknown whether the store still has this service key", ports.ErrUnavailable,
			age.Round(time.Millisecond))
	}
	return keyring, nil
}

// lostKey is an error after which the process can't continue with this store.
type lostKey struct{ error }

func (e *lostKey) Unwrap() error { return e.error }

// Follow updates the keyring from the store until ctx ends. Its error reports that the store has a key that this
// process lacks, so that the process can't read the content of others.
func (w *Watch) Follow(ctx context.Context) error {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		refreshing, cancel := context.WithTimeout(ctx, refreshTime)
		moved, err := w.Refresh(refreshing)
		cancel()
		if gone, is := errors.AsType[*lostKey](err); is {
			return gone
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case moved:
			w.log.Info("the store was moved to another service key", slog.String("fingerprint", w.Fingerprint()))
		case err != nil && !failing:
			w.log.Warn("can't read which service key the store has: until that works, the service encrypts nothing",
				slog.Any("error", err))
		case err == nil && failing:
			w.log.Info("the service key of the store can be read again")
		}
		failing = err != nil
	}
}

// errNoNewKey reports that there is no key to move to.
var errNoNewKey = errors.New(
	"the store has had this service key from the beginning: give a new one in RESELLERD_SECRET, and this one in RESELLERD_SECRET_PREVIOUS; for a key file beside the database, rename it by adding .previous, and a new one is made")

// Move records the present key in the store instead of the previous one. It also records the required parts of the
// previous one, so that the old secret is no longer needed. Tokens do not change unless the previous key has leaked.
func (w *Watch) Move(ctx context.Context, leaked bool) error {
	err := w.moveTo(ctx, func(k *Keyring) (ports.ServiceKey, error) { return k.MoveTo(w.given[0], leaked) })
	if err == nil && w.keyring.Load().Recorded().Earlier == "" {
		err = errNoNewKey
	}
	return err
}

// Settle ends a Move. Call it once no content is sealed under an earlier key.
func (w *Watch) Settle(ctx context.Context) error { return w.moveTo(ctx, (*Keyring).Settled) }

// moveTo records in the store the key that next returns.
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
		// The store shows whether it was moved: by this call, by a call whose answer was lost, or by another process.
		_, refreshed := w.Refresh(ctx)
		if err := errors.Join(refreshed, ctx.Err()); err != nil {
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
