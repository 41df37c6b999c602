package servicekey

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

const (
	firstSecret  = "the service key that was first"
	secondSecret = "the service key that was second"
)

// TestAMissingKeyFileIsNamedWithTheFingerprint starts a store that belongs to a key, without and with another key file.
func TestAMissingKeyFileIsNamedWithTheFingerprint(t *testing.T) {
	store := memstore.New()
	first := profile.NewSecret(firstSecret)
	require.NoError(t, NewWatch(slog.New(slog.DiscardHandler)).Claim(t.Context(), store, Sources{Current: &first}))
	file := filepath.Join(t.TempDir(), "store.db.key")
	sources := Sources{Store: StoreSources{Key: func() (profile.Secret, func(), error) {
		return MadeInFile(file)
	}, KeyFile: file}}
	refused := func(want string) {
		t.Helper()
		err := NewWatch(slog.New(slog.DiscardHandler)).Claim(t.Context(), store, sources)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	refused("no service key was found at " + file + "; this store needs the key with the fingerprint " +
		keyring(t, firstSecret).Fingerprint() + ": ")
	_, err := os.Stat(file)
	expect.Error(t, err, fs.ErrNotExist, "a key was left")
	require.NoError(t, os.WriteFile(file, []byte(secondSecret), 0o600))
	refused("the store belongs to the service key with the fingerprint " + keyring(t, firstSecret).Fingerprint())
}

// TestAProcessFollowsItsStore checks that a process adopts a key that its files contain, and ends if they lack it.
func TestAProcessFollowsItsStore(t *testing.T) {
	kept := memstore.New()
	file := filepath.Join(t.TempDir(), "key")
	write := func(secret string) {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(secret), 0o600))
	}
	write(firstSecret)
	first := profile.NewSecret(firstSecret)
	read := func(file string) (*profile.Secret, error) {
		content, err := os.ReadFile(file)
		secret := profile.NewSecret(string(content))
		return &secret, err
	}
	w := NewWatch(slog.New(slog.DiscardHandler))
	require.NoError(t, w.Claim(t.Context(), kept, Sources{Current: &first, CurrentFile: file, Read: read}))
	sealed, err := w.Seal([]byte("kept"), "line/7")
	require.NoError(t, err)
	refreshes := func(want bool, when string) {
		t.Helper()
		if moved, err := w.Refresh(t.Context()); moved != want || err != nil {
			t.Errorf("%s: moved %v, %v, want %v", when, moved, err, want)
		}
	}
	refreshes(false, "at first")
	next, err := w.keyring.Load().MoveTo(profile.NewSecret(secondSecret), false)
	require.NoError(t, err)
	require.NoError(t, kept.MoveKey(t.Context(), w.keyring.Load().Recorded(), next))
	lacks := func(when string, cause error, want bool) {
		t.Helper()
		_, err := w.Refresh(t.Context())
		if _, lost := errors.AsType[*lostKey](err); lost != want || !errors.Is(err, cause) {
			t.Errorf("%s: got error %v, want %v, and lost: %v", when, err, cause, want)
		}
		expect.Equal(t, w.Fingerprint(), keyring(t, firstSecret).Fingerprint(), "%s: the keyring", when)
	}
	// A file that is being written is read again.
	lacks("the file holds the old key", ErrOtherKey, false)
	require.NoError(t, os.Remove(file))
	lacks("there is no file", fs.ErrNotExist, false)
	lacks("there is still none", fs.ErrNotExist, true)
	write(secondSecret)
	refreshes(true, "the file holds the new key")
	refreshes(false, "once more")
	if plain, err := w.Open(sealed, "line/7"); err != nil || string(plain) != "kept" {
		t.Errorf("what was sealed before is opened as %q, %v", plain, err)
	}
	require.NoError(t, kept.Close())
	if _, err := w.Refresh(t.Context()); !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("a store that is out of reach: got error %v", err)
	} else if _, is := errors.AsType[*lostKey](err); is {
		t.Error("a process whose store is out of reach ends")
	}
}

// answering is a store whose service key a test sets.
type answering struct {
	*memstore.Store
	answer func(context.Context) error
}

func (a answering) Parts() ports.Parts { return ports.Parts{Rekeyable: a} }

func (a answering) ServiceKey(ctx context.Context) (ports.ServiceKey, error) {
	if err := a.answer(ctx); err != nil {
		return ports.ServiceKey{}, err
	}
	return a.Store.ServiceKey(ctx)
}

// TestAProcessThatCanNotReadItsKeySealsNothing covers a store that does not answer, and a process that was stopped.
func TestAProcessThatCanNotReadItsKeySealsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := profile.NewSecret(firstSecret)
		var silent atomic.Bool
		store := answering{memstore.New(), func(ctx context.Context) error {
			if !silent.Load() {
				return nil
			}
			<-ctx.Done() // like a server that is out of reach
			return errors.Join(ports.ErrUnavailable, ctx.Err())
		}}
		defer store.Close()
		w := NewWatch(slog.New(slog.DiscardHandler))
		running := w.clock
		var asleep, setBack time.Duration
		w.clock = func() (shown, passed time.Duration) {
			shown, passed = running()
			return shown - setBack, passed - asleep
		}
		require.NoError(t, w.Claim(t.Context(), store, Sources{Current: &first}))
		kept, err := w.Seal([]byte("kept"), "line/7")
		require.NoError(t, err)
		seals := func(want error, when string) {
			t.Helper()
			_, err := w.Seal([]byte("new"), "line/8")
			expect.Error(t, err, want, "%s: sealing", when)
			_, _, err = w.Renew(kept, "line/7")
			expect.Error(t, err, want, "%s: resealing", when)
			if plain, err := w.Open(kept, "line/7"); err != nil || string(plain) != "kept" {
				t.Errorf("%s: opened as %q, %v", when, plain, err)
			}
		}
		time.Sleep(Margin)
		seals(nil, "at the end of the margin")
		time.Sleep(time.Nanosecond)
		seals(ports.ErrUnavailable, "after it")

		// The margin is longer than a refresh takes, even if one fails.
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Follow(ctx) }()
		time.Sleep(refreshInterval + time.Millisecond)
		seals(nil, "after a refresh")
		time.Sleep(5 * refreshInterval)
		seals(nil, "with refreshes")
		silent.Store(true)
		time.Sleep(Margin - refreshInterval)
		seals(nil, "while the store does not answer")
		time.Sleep(refreshInterval * 3)
		seals(ports.ErrUnavailable, "after the store has not answered for long")
		silent.Store(false)
		time.Sleep(refreshTime + refreshInterval)
		seals(nil, "once it answers")
		end()
		expect.Error(t, <-ended, nil)

		// A refresh expires by either clock: the one that stops with the machine, or the one that can be set.
		for when, clock := range map[string]*time.Duration{"after a stop of the machine": &asleep,
			"once the clock was set back": &setBack} {
			asleep, setBack = 0, 0
			_, err := w.Refresh(t.Context())
			require.NoError(t, err)
			time.Sleep(Margin + time.Second)
			*clock = Margin + time.Second
			seals(ports.ErrUnavailable, when)
		}
	})
}
