package bootstrap

import (
	"bytes"
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

	"resellerd/adapters/cli"
	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/profile"
	"resellerd/ports"
)

const (
	firstSecret  = "the service key that was first"
	secondSecret = "the service key that was second"
)

func fingerprintOf(t *testing.T, secret string) string {
	t.Helper()
	keyring, err := servicekey.New(profile.NewSecret(secret))
	if err != nil {
		t.Fatal(err)
	}
	return keyring.Fingerprint()
}

// servedAlone is a store that has no parts.
type servedAlone struct{ ports.Store }

func (servedAlone) Parts() ports.Parts { return ports.Parts{} }

func TestAStoreThatCanNotBeRekeyedIsServed(t *testing.T) {
	mine := keeping{memstore.New()}
	stores := ofATeam(func(context.Context, ports.Migrating) (ports.Store, error) { return servedAlone{mine}, nil })
	if status, _, stderr := run(t, stores, "admin", "create", "operator"); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
	if status, _, stderr := run(t, stores, "rekey"); status != cli.ExitFailed || !strings.Contains(stderr, "this store keeps its service key") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// moving is a store with a MoveKey of a test's.
type moving struct {
	keeping
	move func(sound ports.Rekeyable, from, to ports.ServiceKey) error
}

func (m moving) Parts() ports.Parts { return ports.Parts{Archive: m, Rekeyable: m} }

func (m moving) MoveKey(_ context.Context, from, to ports.ServiceKey) error {
	return m.move(m.keeping, from, to)
}

// rekeyed runs the command's work on a store of the first secret, without a wait, and returns what is recorded then.
func rekeyed(t *testing.T, move func(sound ports.Rekeyable, from, to ports.ServiceKey) error) (ports.ServiceKey, error) {
	t.Helper()
	kept := keeping{memstore.New()}
	if _, err := kept.ClaimKey(t.Context(), fingerprintOf(t, firstSecret)); err != nil {
		t.Fatal(err)
	}
	first, second := profile.NewSecret(firstSecret), profile.NewSecret(secondSecret)
	s := store{storeConfig{
		opener: Opener{Open: func(context.Context, string, ports.Migrating) (ports.Store, error) { return moving{kept, move}, nil }},
		keys:   serviceKeys{current: &second, previous: &first},
	}, slog.New(slog.DiscardHandler)}
	_, err := s.rekey(t.Context(), application.RekeyOptions{
		Report: func(finding string) { t.Error(finding) }, Progress: func(application.RekeyStep, int64) {},
	}, 0)
	recorded, failed := kept.ServiceKey(t.Context())
	if failed != nil {
		t.Fatal(failed)
	}
	return recorded, err
}

func TestAMoveOfTheKeyIsFoundOut(t *testing.T) {
	ctx := t.Context()
	tries := 0
	for situation, move := range map[string]func(sound ports.Rekeyable, from, to ports.ServiceKey) error{
		"made": func(sound ports.Rekeyable, from, to ports.ServiceKey) error { return sound.MoveKey(ctx, from, to) },
		"made, and the answer was lost": func(sound ports.Rekeyable, from, to ports.ServiceKey) error {
			return errors.Join(sound.MoveKey(ctx, from, to), ports.ErrUnavailable)
		},
		"made by somebody else": func(sound ports.Rekeyable, from, to ports.ServiceKey) error {
			return errors.Join(sound.MoveKey(ctx, from, to), ports.ErrKeyMoved)
		},
		"not made at first": func(sound ports.Rekeyable, from, to ports.ServiceKey) error {
			if tries++; tries == 1 {
				return ports.ErrKeyMoved
			}
			return sound.MoveKey(ctx, from, to)
		},
	} {
		recorded, err := rekeyed(t, move)
		if err != nil || recorded.Fingerprint != fingerprintOf(t, secondSecret) || recorded.Earlier == "" {
			t.Errorf("%s: recorded is %+v, %v", situation, recorded, err)
		}
	}
	for _, want := range []error{ports.ErrUnavailable, errEnough} {
		recorded, err := rekeyed(t, func(ports.Rekeyable, ports.ServiceKey, ports.ServiceKey) error { return want })
		if !errors.Is(err, want) || recorded.Fingerprint != fingerprintOf(t, firstSecret) {
			t.Errorf("where it ends in %v: recorded is %+v, %v", want, recorded, err)
		}
	}
}

// TestAProcessFollowsItsStore to a key that is in its files by then, and to none that is nowhere.
func TestAProcessFollowsItsStore(t *testing.T) {
	kept := memstore.New()
	file := filepath.Join(t.TempDir(), "key")
	write := func(secret string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(firstSecret)
	first := profile.NewSecret(firstSecret)
	w := &keyWatch{store: kept, keys: serviceKeys{current: &first, currentFile: file}, clock: timeSince(time.Now())}
	if err := w.claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealed, err := w.Seal([]byte("kept"), "line/7")
	if err != nil {
		t.Fatal(err)
	}
	looks := func(want bool, when string) {
		t.Helper()
		if moved, err := w.look(t.Context()); moved != want || err != nil {
			t.Errorf("%s: moved %v, %v, want %v", when, moved, err, want)
		}
	}
	looks(false, "at first")
	next, err := w.keyring.Load().MoveTo(profile.NewSecret(secondSecret), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.MoveKey(t.Context(), w.keyring.Load().Recorded(), next); err != nil {
		t.Fatal(err)
	}
	lacks := func(when string, cause error, want bool) {
		t.Helper()
		_, err := w.look(t.Context())
		if _, lost := errors.AsType[*lostKey](err); lost != want || !errors.Is(err, cause) {
			t.Errorf("%s: got error %v, want %v, and lost: %v", when, err, cause, want)
		}
		if w.keyring.Load().Fingerprint() != fingerprintOf(t, firstSecret) {
			t.Errorf("%s: the keyring is another one", when)
		}
	}
	// A file that is being written is read again.
	lacks("the file holds the old key", servicekey.ErrOtherKey, false)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	lacks("there is no file", fs.ErrNotExist, false)
	lacks("there is still none", fs.ErrNotExist, true)
	write(secondSecret)
	looks(true, "the file holds the new key")
	looks(false, "once more")
	if plain, err := w.Open(sealed, "line/7"); err != nil || string(plain) != "kept" {
		t.Errorf("what was sealed before is opened as %q, %v", plain, err)
	}
	if renewed, changed, err := w.Renew(sealed, "line/7"); err != nil || !changed || string(renewed[:5]) == string(sealed[:5]) {
		t.Errorf("it is sealed anew: %v, %v", changed, err)
	}
	if w.lacking != 0 {
		t.Errorf("%d looks are still counted", w.lacking)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.look(t.Context()); !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("a store that is out of reach: got error %v", err)
	} else if _, is := errors.AsType[*lostKey](err); is {
		t.Error("a process whose store is out of reach ends")
	}
}

// answering is a store that answers which service key it has as a test does.
type answering struct {
	keeping
	answer func(context.Context) error
}

func (a answering) Parts() ports.Parts { return ports.Parts{Rekeyable: a} }

func (a answering) ServiceKey(ctx context.Context) (ports.ServiceKey, error) {
	if err := a.answer(ctx); err != nil {
		return ports.ServiceKey{}, err
	}
	return a.keeping.ServiceKey(ctx)
}

// TestAProcessThatCanNotLookSealsNothing has a store give no answer, and one of its processes be stopped.
func TestAProcessThatCanNotLookSealsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := profile.NewSecret(firstSecret)
		var silent atomic.Bool
		store := answering{keeping{memstore.New()}, func(ctx context.Context) error {
			if !silent.Load() {
				return nil
			}
			<-ctx.Done() // as a server that is out of reach
			return errors.Join(ports.ErrUnavailable, ctx.Err())
		}}
		defer store.Store.Close()
		running := timeSince(time.Now())
		var asleep, setBack time.Duration
		w := &keyWatch{store: store, keys: serviceKeys{current: &first}, clock: func() (shown, passed time.Duration) {
			shown, passed = running()
			return shown - setBack, passed - asleep
		}}
		if err := w.claim(t.Context()); err != nil {
			t.Fatal(err)
		}
		kept, err := w.Seal([]byte("kept"), "line/7")
		if err != nil {
			t.Fatal(err)
		}
		seals := func(want error, when string) {
			t.Helper()
			if _, err := w.Seal([]byte("new"), "line/8"); !errors.Is(err, want) {
				t.Errorf("%s: sealing fails with %v, want %v", when, err, want)
			}
			if _, _, err := w.Renew(kept, "line/7"); !errors.Is(err, want) {
				t.Errorf("%s: sealing anew fails with %v, want %v", when, err, want)
			}
			if plain, err := w.Open(kept, "line/7"); err != nil || string(plain) != "kept" {
				t.Errorf("%s: opened as %q, %v", when, plain, err)
			}
		}
		time.Sleep(keyMargin)
		seals(nil, "at the end of the margin")
		time.Sleep(time.Nanosecond)
		seals(ports.ErrUnavailable, "after it")

		// The margin is longer than it takes to look, also where one look fails.
		var log bytes.Buffer
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.follow(ctx, slog.New(slog.NewTextHandler(&log, nil))) }()
		time.Sleep(keyLookInterval + time.Millisecond)
		seals(nil, "once it looks")
		for range 50 {
			time.Sleep(keyLookInterval / 10)
			seals(nil, "while it looks")
		}
		silent.Store(true)
		time.Sleep(keyMargin - keyLookInterval)
		seals(nil, "while the store gives no answer")
		time.Sleep(keyLookInterval * 3)
		seals(ports.ErrUnavailable, "where the store gives no answer for long")
		silent.Store(false)
		time.Sleep(keyLookTime + keyLookInterval)
		seals(nil, "once it answers")
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for _, text := range []string{"it can't be seen which service key", "it is seen again"} {
			if strings.Count(log.String(), text) != 1 {
				t.Errorf("the log does not say %q once: %s", text, &log)
			}
		}

		// A look counts for as long as either clock says: the one that stands still with the machine, or the one that is set.
		for when, clock := range map[string]*time.Duration{"after a stop of the machine": &asleep, "once the clock was set back": &setBack} {
			asleep, setBack = 0, 0
			if _, err := w.look(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(keyMargin + time.Second)
			*clock = keyMargin + time.Second
			seals(ports.ErrUnavailable, when)
		}
	})
}

// TestARekeyEndsWhereAnotherOneMovesTheKeyOn while it waits.
func TestARekeyEndsWhereAnotherOneMovesTheKeyOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := keeping{memstore.New()}
		defer kept.Store.Close()
		if _, err := kept.ClaimKey(t.Context(), fingerprintOf(t, firstSecret)); err != nil {
			t.Fatal(err)
		}
		first, second := profile.NewSecret(firstSecret), profile.NewSecret(secondSecret)
		s := store{storeConfig{
			opener: Opener{Open: func(context.Context, string, ports.Migrating) (ports.Store, error) { return kept, nil }},
			keys:   serviceKeys{current: &second, previous: &first},
		}, slog.New(slog.DiscardHandler)}
		ended := make(chan error, 1)
		go func() {
			_, err := s.rekey(t.Context(), application.RekeyOptions{Report: func(finding string) { t.Error(finding) }, Progress: func(application.RekeyStep, int64) {}}, settleTime)
			ended <- err
		}()
		time.Sleep(keyMargin)
		recorded, err := kept.ServiceKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		keyring, err := servicekey.Restore(recorded, second)
		if err != nil {
			t.Fatal(err)
		}
		third, err := keyring.MoveTo(profile.NewSecret("the service key that was third"), true)
		if err != nil {
			t.Fatal(err)
		}
		if err := kept.MoveKey(t.Context(), recorded, third); err != nil {
			t.Fatal(err)
		}
		err = <-ended
		if _, lost := errors.AsType[*lostKey](err); !lost {
			t.Errorf("it ends with %v", err)
		}
	})
}
