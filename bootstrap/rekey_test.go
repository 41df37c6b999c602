package bootstrap

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func TestAStoreThatCanNotBeRekeyedIsServed(t *testing.T) {
	mine := keeping{memstore.New()}
	stores := ofATeam(func(context.Context, ports.Migrating) (ports.Store, error) { return struct{ ports.Store }{mine}, nil })
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
	w := &keyWatch{store: kept, keys: serviceKeys{current: &first, currentFile: file}}
	if err := w.claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealed := w.Seal([]byte("kept"), "line/7")
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
	lost := func(when string, cause error) {
		t.Helper()
		_, err := w.look(t.Context())
		if gone, is := errors.AsType[*lostKey](err); !is || !errors.Is(gone, cause) {
			t.Errorf("%s: got error %v, want %v", when, err, cause)
		}
		if w.keyring.Load().Fingerprint() != fingerprintOf(t, firstSecret) {
			t.Errorf("%s: the keyring is another one", when)
		}
	}
	lost("the file holds the old key", servicekey.ErrOtherKey)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	lost("there is no file", fs.ErrNotExist)
	write(secondSecret)
	looks(true, "the file holds the new key")
	looks(false, "once more")
	if plain, err := w.Open(sealed, "line/7"); err != nil || string(plain) != "kept" {
		t.Errorf("what was sealed before is opened as %q, %v", plain, err)
	}
	if renewed, changed, err := w.Renew(sealed, "line/7"); err != nil || !changed || string(renewed[:5]) == string(sealed[:5]) {
		t.Errorf("it is sealed anew: %v, %v", changed, err)
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
