package principal_test

import (
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/principal"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var noon = time.Date(2024, 5, 17, 12, 0, 0, 0, time.UTC)

func amount(t testing.TB, units int64) credit.Amount {
	a, err := credit.FromUnits(units)
	require.NoError(t, err)
	return a
}

// The clock of one process is behind that of another.
func TestTwoClocksAtMidnight(t *testing.T) {
	midnight := noon.Add(12 * time.Hour)
	p, err := principal.Principal{Limit: 10}.Spend(amount(t, 9), midnight)
	require.NoError(t, err)
	p, err = p.Spend(amount(t, 1), midnight.Add(-time.Second))
	require.NoError(t, err)
	for _, at := range []time.Time{midnight.Add(-time.Second), midnight} {
		_, err = p.Spend(amount(t, 1), at)
		expect.Error(t, err, principal.ErrSpendLimit, "at %s, with all of a day spent", at)
	}
	// A clock that was wrong by days decides nothing.
	wrong, err := principal.Principal{Limit: 10}.Spend(amount(t, 10), noon.Add(48*time.Hour))
	require.NoError(t, err)
	if spent, resets := wrong.SpentOnDay(noon); spent != 0 || !resets.Equal(noon.Add(12*time.Hour)) {
		t.Errorf("%d are spent until %s", spent, resets)
	}
}

// A block of the account stops every principal with another scope.
func TestServesCustomers(t *testing.T) {
	alone := []principal.Scope{principal.EntitlementsRead}
	for situation, c := range map[string]struct {
		of   principal.Principal
		want bool
	}{
		"a key": {principal.Principal{Kind: principal.Key, GivenScopes: alone}, true},
		"a key that may do more": {principal.Principal{Kind: principal.Key,
			GivenScopes: append(alone, principal.LinesRead)}, false},
		"a key that may do something else": {principal.Principal{Kind: principal.Key,
			GivenScopes: []principal.Scope{principal.LinesRead}}, false},
		"a key that may do nothing": {principal.Principal{Kind: principal.Key}, false},
		"a member of the staff":     {principal.Principal{Kind: principal.Staff, GivenScopes: alone}, false},
	} {
		expect.Equal(t, c.of.ServesCustomers(), c.want, "%s", situation)
	}
	for _, role := range []principal.Role{principal.ReadOnly, principal.Support, principal.Cashier, principal.Manager} {
		key := principal.Principal{Kind: principal.Key, Role: role}
		expect.Equal(t, key.ServesCustomers(), false, "a key of the role %v serves customers", role)
	}
}
