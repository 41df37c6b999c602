package principal_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/principal"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var noon = time.Date(2024, 5, 17, 12, 0, 0, 0, time.UTC)

// drawn is any principal that could be stored.
func drawn() *rapid.Generator[principal.Principal] {
	return rapid.Custom(func(t *rapid.T) principal.Principal {
		p := principal.Principal{ID: 1, Kind: principal.Key, Account: 7}
		if rapid.Bool().Draw(t, "role") {
			p.Role = rapid.SampledFrom([]principal.Role{principal.ReadOnly, principal.Support, principal.Cashier,
				principal.Manager}).Draw(t, "of")
		} else {
			p.Given = principal.InOrder(rapid.SliceOf(rapid.SampledFrom(principal.Scopes())).Draw(t, "scopes"))
		}
		if rapid.Bool().Draw(t, "expires") {
			p.Expires = noon.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "hours")) * time.Hour)
		}
		if rapid.Bool().Draw(t, "limited") {
			p.Limit = principal.Units(rapid.Int64Range(1, 50).Draw(t, "limit"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "networks") {
			n := principal.Network{Bits: rapid.IntRange(0, 16).Draw(t, "bits")}
			n.Address[0], n.Address[1] = rapid.Byte().Draw(t, "first"), rapid.Byte().Draw(t, "second")
			p.Networks = append(p.Networks, n)
		}
		return p
	})
}

func amount(t rapid.TB, units int64) credit.Amount {
	a, err := credit.FromUnits(units)
	require.NoError(t, err)
	return a
}

// TestNobodyGivesWhatItHasNot compares MayGive with what the two may do, at any instant, from any address, at any cost.
func TestNobodyGivesWhatItHasNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		giver, other := drawn().Draw(t, "giver"), drawn().Draw(t, "other")
		may := giver.MayGive(other)
		if may != nil && !errors.Is(may, principal.ErrBeyond) {
			t.Fatal(may)
		}
		if may != nil {
			return
		}
		for _, s := range principal.Scopes() {
			if other.Has(s) && !giver.Has(s) {
				t.Fatalf("it gives %s and has it not", s)
			}
		}
		at := noon.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "at")) * time.Hour)
		if other.CheckActive(at) == nil && giver.CheckActive(at) != nil {
			t.Fatal("what it gives outlives it")
		}
		from := principal.Network{Bits: 128}
		from.Address[0], from.Address[1] = rapid.Byte().Draw(t, "first"), rapid.Byte().Draw(t, "second")
		if other.From(from) == nil && giver.From(from) != nil {
			t.Fatal("what it gives is good from where it is not")
		}
		cost := amount(t, rapid.Int64Range(1, 60).Draw(t, "cost"))
		_, spends := other.Spend(cost, noon)
		if _, own := giver.Spend(cost, noon); spends == nil && own != nil {
			t.Fatal("what it gives spends more at once than it may")
		}
	})
}

func TestADayHasItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := principal.Principal{Limit: 10}
		now, spent := noon, map[time.Time]int64{}
		for range rapid.IntRange(1, 30).Draw(t, "charges") {
			now = now.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "hours")) * time.Hour)
			cost := rapid.Int64Range(1, 6).Draw(t, "cost")
			today := now.Truncate(24 * time.Hour)
			after, err := p.Spend(amount(t, cost), now)
			fits := spent[today]+cost <= 10
			expect.Equal(t, err == nil, fits, "%d of 10 are spent, %d more: %v", spent[today], cost, err)
			var reached *principal.SpendLimitReached
			if !fits &&
				(!errors.As(err, &reached) || reached.Spent.Units() != spent[today] ||
					!reached.Resets.Equal(today.Add(24*time.Hour))) {
				t.Fatalf("got %v", err)
			}
			if fits {
				p, spent[today] = after, spent[today]+cost
			}
		}
	})
}

// TestTwoClocksAtMidnight has the clock of one process be behind that of another.
func TestTwoClocksAtMidnight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		behind := time.Duration(rapid.IntRange(1, 3600).Draw(t, "seconds")) * time.Second
		p := principal.Principal{Limit: 10}
		ahead, spent := noon.Add(12*time.Hour), int64(0)
		for range rapid.IntRange(1, 40).Draw(t, "charges") {
			now := ahead
			if rapid.Bool().Draw(t, "by the one behind") {
				now = now.Add(-behind)
			}
			after, err := p.Spend(amount(t, 1), now)
			if err == nil {
				p, spent = after, spent+1
			}
		}
		if spent > 20 { // of two days
			t.Fatalf("%d are spent around midnight", spent)
		}
	})
	// One that was wrong by days decides nothing.
	wrong, err := principal.Principal{Limit: 10}.Spend(amount(t, 10), noon.Add(48*time.Hour))
	require.NoError(t, err)
	if spent, resets := wrong.SpentBy(noon); spent != 0 || !resets.Equal(noon.Add(12*time.Hour)) {
		t.Errorf("%d are spent until %s", spent, resets)
	}
}

// Whatever else a principal may do, its account's block stops it.
func TestWhoServesCustomers(t *testing.T) {
	alone := []principal.Scope{principal.EntitlementsRead}
	for situation, c := range map[string]struct {
		of   principal.Principal
		want bool
	}{
		"a key": {principal.Principal{Kind: principal.Key, Given: alone}, true},
		"a key that may do more": {principal.Principal{Kind: principal.Key,
			Given: append(alone, principal.LinesRead)}, false},
		"a key that may do something else": {principal.Principal{Kind: principal.Key,
			Given: []principal.Scope{principal.LinesRead}}, false},
		"a key that may do nothing": {principal.Principal{Kind: principal.Key}, false},
		"a member of the staff":     {principal.Principal{Kind: principal.Staff, Given: alone}, false},
	} {
		expect.Equal(t, c.of.ServesCustomers(), c.want, "%s", situation)
	}
	for _, role := range []principal.Role{principal.ReadOnly, principal.Support, principal.Cashier, principal.Manager} {
		key := principal.Principal{Kind: principal.Key, Role: role}
		expect.Equal(t, key.ServesCustomers(), false, "a key of the role %v serves customers", role)
	}
}
