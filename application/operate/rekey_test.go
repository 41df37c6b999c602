package operate_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"resellerd/adapters/credentials"
	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/application/internal/usecase"
	"resellerd/application/operate"
	"resellerd/application/rekey"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var errRefused = errors.New("refused")

// moving is a store with a MoveKey of the test.
type moving struct {
	*memstore.Store
	move func(sound ports.Rekeyable, from, to ports.ServiceKey) error
}

func (m moving) Parts() ports.Parts { return ports.Parts{Archive: m, Rekeyable: m} }

func (m moving) MoveKey(_ context.Context, from, to ports.ServiceKey) error {
	return m.move(m.Store, from, to)
}

// first and second are the service keys of a store, before and after.
var first, second = profile.NewSecret("the service key that was first"),
	profile.NewSecret("the service key that was second")

func fingerprintOf(t *testing.T, secret profile.Secret) string {
	t.Helper()
	keyring, err := servicekey.New(secret)
	require.NoError(t, err)
	return keyring.Fingerprint()
}

// replaceKey moves a store of the first key to the second.
func replaceKey(t *testing.T, store ports.Store, settled func() <-chan time.Time) error {
	t.Helper()
	_, err := store.ClaimKey(t.Context(), fingerprintOf(t, first))
	require.NoError(t, err)
	keys := servicekey.NewWatch(slog.New(slog.DiscardHandler))
	require.NoError(t, keys.Claim(t.Context(), store, servicekey.Sources{Current: &second, Previous: &first}))
	service := application.New(usecase.Dependencies{Store: store, Clock: time.Now, Generator: credentials.Generator{},
		Tokens: keys, Vault: keys}, usecase.Policy{})
	require.NoError(t, service.Epochs.Begin(t.Context()))
	_, err = operate.Rekey(t.Context(), store, keys, service, settled, rekey.Options{
		Report: func(finding string) { t.Error(finding) }, Progress: func(rekey.Step, int64) {},
	})
	return err
}

// rekeyed does so without a wait, and returns the record after that.
func rekeyed(t *testing.T,
	move func(sound ports.Rekeyable, from, to ports.ServiceKey) error) (ports.ServiceKey, error) {
	t.Helper()
	kept := memstore.New()
	err := replaceKey(t, moving{kept, move}, func() <-chan time.Time { return time.After(0) })
	recorded, failed := kept.ServiceKey(t.Context())
	require.NoError(t, failed)
	require.NoError(t, kept.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		last, failed := v.Journal.List(ctx, ports.EventQuery{Descending: true, Limit: 1})
		told := last.Entries[0].Type == journal.KeyReplaced
		expect.Equal(t, told, err == nil, "it ends with %v, and the journal with %+v", err, last.Entries[0])
		return failed
	}))
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
		"made by another process": func(sound ports.Rekeyable, from, to ports.ServiceKey) error {
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
		if err != nil || recorded.Fingerprint != fingerprintOf(t, second) || recorded.Earlier == "" {
			t.Errorf("%s: recorded is %+v, %v", situation, recorded, err)
		}
	}
	for _, want := range []error{ports.ErrUnavailable, errRefused} {
		recorded, err := rekeyed(t, func(ports.Rekeyable, ports.ServiceKey, ports.ServiceKey) error { return want })
		expect.Error(t, err, want, "recorded is %+v", recorded)
		expect.Equal(t, recorded.Fingerprint, fingerprintOf(t, first), "where it ends in %v", want)
	}
}
