package transfer_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/sqlitestore"
	"resellerd/application/transfer"
	"resellerd/domain/fault"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// servedAndCopiedFrom is a store of which copies are made, and to.
type servedAndCopiedFrom interface {
	servedAndCopied
	ports.Archive
}

// kindsOfStores opens an empty store of each kind that needs nothing.
var kindsOfStores = map[string]func(t *testing.T) servedAndCopiedFrom{
	"memory": func(*testing.T) servedAndCopiedFrom { return memstore.New() },
	"sqlite": func(t *testing.T) servedAndCopiedFrom {
		t.Helper()
		s, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
		require.NoError(t, err)
		return s
	},
}

// TestACopyHasWhoMayActInItsSource, from each kind of stores to each: with what they may spend, that they were revoked,
// by which names they sign in and what they need for that. Nobody is signed in.
func TestACopyHasWhoMayActInItsSource(t *testing.T) {
	now := fixture.Noon
	principals := []principal.Principal{
		{
			ID: 1, Kind: principal.Key, Account: 1, Slot: 1, Name: "tíll", Secret: principal.DigestOf("rsk_1_secret"), Given: []principal.Scope{principal.LinesRead, principal.Manage},
			Networks: []principal.Network{{Address: [16]byte{0, 255, 15: 1}, Bits: 127}, {}}, Expires: now.AddDate(1, 0, 0), Limit: 100_000, Day: now.Truncate(24 * time.Hour),
			Used: now, UsedFrom: "2001:db8::1", Created: now,
		},
		{ID: 2, Kind: principal.Staff, Account: 1, Slot: 1, Name: "María", Folded: "maría", PasswordHash: "$argon2id$2", Role: principal.Cashier, Created: now},
		{ID: 3, Kind: principal.Staff, Account: 1, Slot: 1, Name: "María", Folded: "maría", PasswordHash: "$argon2id$3", Role: principal.Manager, Created: now, Revoked: now},
	}
	claims := []ports.NameClaim{{Folded: "maría", Staff: true, ID: 2}, {Folded: fixture.Admin(1).State().Username.Key(), ID: 1}}
	factors := []secondfactor.Factor{
		{Of: secondfactor.OfStaff(2), Pending: []byte{0, 255}},
		{Of: secondfactor.OfAccount(1), Secret: []byte("sealed"), Step: 1 << 40, Recovery: []secondfactor.Digest{secondfactor.DigestOf("a"), secondfactor.DigestOf("b")}, Since: now, Wrong: 3, WrongBy: now.Add(time.Hour)},
	}
	for from, source := range kindsOfStores {
		source := source(t)
		t.Cleanup(func() { require.NoError(t, source.Close()) })
		_, err := source.ClaimKey(t.Context(), fingerprint)
		require.NoError(t, err)
		_, err = source.NextID(t.Context(), ports.ResellerIDs)
		require.NoError(t, err)
		for range principals {
			_, err := source.NextID(t.Context(), ports.Principals.Sequence())
			require.NoError(t, err)
		}
		require.NoError(t, source.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			errs := []error{
				tx.Resellers.Insert(ctx, fixture.Admin(1)),
				ports.Sessions.In(tx.Records).Insert(ctx, session.Session{ID: session.IDOf("secret"), Reseller: 1, Staff: 2, Created: now, Used: now}),
			}
			for _, p := range principals {
				errs = append(errs, ports.Principals.In(tx.Records).Insert(ctx, p))
			}
			for i := range claims {
				errs = append(errs, ports.NameClaims.In(tx.Records).Insert(ctx, claims[i]), ports.SecondFactors.In(tx.Records).Insert(ctx, factors[i]))
			}
			return errors.Join(errs...)
		}))
		for to, target := range kindsOfStores {
			t.Run(from+" to "+to, func(t *testing.T) {
				copied := target(t)
				defer func() { require.NoError(t, copied.Close()) }()
				if a := copyTo(t.Context(), source, copied, false); a.err != nil || a.Records != 7 || a.Findings != 0 {
					t.Fatalf("copied %+v: %v, %q", a.Result, a.err, a.reported)
				}
				require.NoError(t, copied.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
					for _, want := range principals {
						if p, err := ports.Principals.From(v.Records).Get(ctx, want.ID); err != nil || !reflect.DeepEqual(p, want) {
							t.Errorf("the copy has %+v (%v), want %+v", p, err, want)
						}
					}
					for i := range claims {
						c, err := ports.NameClaims.From(v.Records).Get(ctx, claims[i].Folded)
						f, failed := ports.SecondFactors.From(v.Records).Get(ctx, factors[i].Of)
						if err := errors.Join(err, failed); err != nil || c != claims[i] || !reflect.DeepEqual(f, factors[i]) {
							t.Errorf("the copy has %+v and %+v (%v), want %+v and %+v", c, f, err, claims[i], factors[i])
						}
					}
					staff, err := ports.StaffByName.List(ctx, v.Records, record.Query{Equal: record.Tuple{"maría"}, Limit: 9})
					if err != nil || len(staff.Items) != 1 || staff.Items[0].ID != 2 {
						t.Errorf("the name is that of %+v (%v)", staff.Items, err)
					}
					_, err = ports.Sessions.From(v.Records).Get(ctx, session.IDOf("secret"))
					if !errors.Is(err, fault.ErrNotFound) {
						t.Errorf("a session of the source: %v", err)
					}
					return nil
				}))
				if id, err := copied.NextID(t.Context(), ports.Principals.Sequence()); err != nil || id < 4 {
					t.Errorf("the next principal gets the id %d, %v", id, err)
				}
				err := copied.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
					return ports.Principals.In(tx.Records).Insert(ctx, principal.Principal{ID: 4, Kind: principal.Staff, Account: 1, Slot: 2, Folded: "maría"})
				})
				if !errors.Is(err, profile.ErrUsernameTaken) {
					t.Errorf("another one of the name: %v", err)
				}
			})
		}
		forgetful := changing{memstore.New(), nil, each(func(b *ports.Batch) {
			for i, r := range b.Kinds {
				v, err := r.Kind.Read(r.Payload)
				require.NoError(t, err)
				if f, is := v.(*secondfactor.Factor); is && f.Active() {
					f.Step, f.Recovery = 0, nil
					b.Kinds[i].Stored, err = ports.SecondFactors.Stored(*f)
					require.NoError(t, err)
				}
			}
		})}
		a := copyTo(t.Context(), source, forgetful, false)
		if want := []string{"second_factor account 1: it is not in the copy what it is in the source: Step, Recovery"}; !errors.Is(a.err, transfer.ErrCopyDiffers) || !slices.Equal(a.reported, want) {
			t.Errorf("got error %v and reports %q, want %q", a.err, a.reported, want)
		}
	}
}
