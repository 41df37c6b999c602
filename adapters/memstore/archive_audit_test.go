package memstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// TestDerivedFindsWhatLeadsElsewhere takes each entry of the index away, has each lead elsewhere, and adds one of each.
func TestDerivedFindsWhatLeadsElsewhere(t *testing.T) {
	store, admin := New(), fixture.Admin(1)
	var ledger fixture.Ledger
	paid := ledger.Activate(fixture.Trial(admin, 8), admin, "0.5")
	named := fixture.Trial(admin, 7)
	err := store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Resellers.Insert(ctx, admin), tx.Lines.Insert(ctx, named), tx.Ledger.Append(ctx, paid),
			tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: "key", Expires: fixture.Noon}),
			ports.Sessions.In(tx.Records).Insert(ctx, session.Session{ID: "session", Reseller: 1, Created: fixture.Noon,
				Used: fixture.Noon}))
	})
	require.NoError(t, err)
	derived := func(change func(tree[string, holder]) tree[string, holder]) (found []string) {
		changed := *store.committed.Load()
		changed.index = change(changed.index)
		require.NoError(t, (audit{&changed}).Derived(t.Context(), func(finding string) { found = append(found, finding) }))
		return found
	}
	want := func(found []string, about string, want ...string) {
		t.Helper()
		if !slices.EqualFunc(found, want, strings.HasPrefix) {
			t.Errorf("%s: found %q, want %q", about, found, want)
		}
	}
	want(derived(func(all tree[string, holder]) tree[string, holder] { return all }), "as it is")
	seen := map[string]bool{}
	for key, h := range store.committed.Load().index.all() {
		about := ""
		for begins, names := range map[string]string{
			resellerNames: "account 1: ", resellerLists: "account 1: ", lineNames: "line 7: ", lineLists: "line 7: ",
			numbers: "movement 1: ", expiries: `idempotency key "key" of account 1: `, "session/": "session session: ",
		} {
			if strings.HasPrefix(key, begins) {
				about, seen[begins] = names, true
			}
		}
		want(derived(func(all tree[string, holder]) tree[string, holder] { return all.without(key) }), key+" is gone",
			about, "memory: ")
		want(derived(func(all tree[string, holder]) tree[string, holder] { return all.with(key, holder{h.id + 1, h.key}) }),
			key+" leads elsewhere", about)
		want(derived(func(all tree[string, holder]) tree[string, holder] { return all.with(key+"~", h) }),
			"another one than "+key, "memory: ")
	}
	expect.Equal(t, len(seen), 7, "entries of %v", seen)
}
