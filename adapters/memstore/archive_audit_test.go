package memstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"resellerd/ports"
	"resellerd/test/fixture"
)

// TestDerivedFindsWhatLeadsElsewhere takes away, and adds, one thing at a time that
// leads to records.
func TestDerivedFindsWhatLeadsElsewhere(t *testing.T) {
	store, now, admin := New(), fixture.Noon, fixture.Admin(1)
	var ledger fixture.Ledger
	paid := ledger.Activate(fixture.Trial(admin, 8), admin, "0.5")
	err := store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Resellers.Insert(ctx, admin), tx.Lines.Insert(ctx, fixture.Trial(admin, 7)), tx.Ledger.Append(ctx, paid),
			tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: "key", Expires: now}))
	})
	if err != nil {
		t.Fatal(err)
	}
	key := keyID{1, "key"}
	tree := lineEntry{list: lineList{scope: ports.Scope{Reseller: 1, Tree: true}}, at: ports.LineCursor{ID: 7}}
	stray := tree
	stray.at.ID = 9
	for _, c := range []struct {
		how  string
		do   func(r *records)
		want []string // how the findings begin
	}{
		{"nothing", func(*records) {}, nil},
		{"an account's name taken away", func(r *records) { r.resellerNames = r.resellerNames.without("reseller-1") }, []string{"account 1: ", "memory: "}},
		{"an account's name that leads elsewhere", func(r *records) { r.resellerNames = r.resellerNames.with("reseller-1", 2) }, []string{"account 1: "}},
		{"a name of no account", func(r *records) { r.resellerNames = r.resellerNames.with("ghost", 1) }, []string{"memory: "}},
		{"a list without an account", func(r *records) { r.resellerLists = r.resellerLists.without(resellerEntry{resellerList{}, 1}) }, []string{"account 1: ", "memory: "}},
		{"a list with another account", func(r *records) { r.resellerLists = r.resellerLists.with(resellerEntry{resellerList{}, 2}, struct{}{}) }, []string{"memory: "}},
		{"a line's name taken away", func(r *records) { r.lineNames = r.lineNames.without("line-7") }, []string{"line 7: ", "memory: "}},
		{"a name of no line", func(r *records) { r.lineNames = r.lineNames.with("ghost", 7) }, []string{"memory: "}},
		{"a list without a line", func(r *records) { r.lineLists = r.lineLists.without(tree) }, []string{"line 7: ", "memory: "}},
		{"a list with another line", func(r *records) { r.lineLists = r.lineLists.with(stray, struct{}{}) }, []string{"memory: "}},
		{"a number taken away", func(r *records) { r.postings = r.postings.without(postingID{1, 1}) }, []string{"movement 1: ", "memory: "}},
		{"a number of no movement", func(r *records) { r.postings = r.postings.with(postingID{1, 2}, 1) }, []string{"memory: "}},
		{"an expiry taken away", func(r *records) { r.expiries = r.expiries.without(expiry{now, key}) }, []string{`idempotency key "key" of account 1: `, "memory: "}},
		{"an expiry of no key", func(r *records) { r.expiries = r.expiries.with(expiry{now.Add(1), key}, struct{}{}) }, []string{"memory: "}},
	} {
		changed := *store.committed.Load()
		c.do(&changed)
		var found []string
		if err := (audit{&changed}).Derived(t.Context(), func(finding string) { found = append(found, finding) }); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(found, c.want, strings.HasPrefix) {
			t.Errorf("%s: found %q, want %q", c.how, found, c.want)
		}
	}
}
