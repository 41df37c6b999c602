package principal_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/principal"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// network reads a range of addresses; IPv4 is mapped into IPv6.
func network(t *testing.T, text string) principal.Network {
	t.Helper()
	p, err := netip.ParsePrefix(text)
	require.NoError(t, err)
	n := principal.Network{Address: p.Addr().As16(), Bits: p.Bits()}
	if p.Addr().Is4() {
		n.Bits += 96
	}
	return n
}

func networks(t *testing.T, texts ...string) (all []principal.Network) {
	t.Helper()
	for _, text := range texts {
		all = append(all, network(t, text))
	}
	return all
}

func TestNetworkContains(t *testing.T) {
	for _, c := range []struct {
		all, other string
		has        bool
	}{
		{"::/0", "::/0", true},
		{"::/0", "0.0.0.0/0", false}, // IPv4 is a part of nothing but IPv4, as among trusted proxies
		{"::/80", "0.0.0.0/0", false},
		{"::/80", "::ffff:0:0/95", true},
		{"0.0.0.0/0", "::/0", false},
		{"0.0.0.0/0", "::ffff:1.2.3.4/128", true},
		{"0.0.0.0/0", "::fffe:1.2.3.4/128", false},
		{"::ffff:10.0.0.0/104", "10.255.255.255/32", true},
		{"10.0.0.0/8", "::ffff:10.0.0.0/103", false},
		{"192.0.2.7/32", "192.0.2.6/32", false},
		{"192.0.2.6/31", "192.0.2.7/32", true},
		{"192.0.2.6/31", "192.0.2.8/32", false},
		{"192.0.2.0/25", "192.0.2.128/32", false},
		{"192.0.2.0/25", "192.0.2.0/24", false},
		{"192.0.2.9/25", "192.0.2.0/25", true}, // bits after the prefix do not count
		{"2001:db8::/32", "2001:db8:ffff::1/128", true},
		{"2001:db8::/32", "2001:db9::/128", false},
		{"2001:db8::/33", "2001:db8:8000::/48", false},
		{"2001:db8::1/128", "2001:db8::/128", false},
	} {
		expect.Equal(t, network(t, c.all).Contains(network(t, c.other)), c.has, "%s has %s", c.all, c.other)
	}
}

func TestAddressListOfAKey(t *testing.T) {
	some := principal.Principal{Networks: networks(t, "192.0.2.0/24", "2001:db8::7/128")}
	for address, want := range map[string]error{
		"192.0.2.0/32": nil, "192.0.2.255/32": nil, "2001:db8::7/128": nil,
		"192.0.3.0/32": principal.ErrAddress, "192.0.1.255/32": principal.ErrAddress, "2001:db8::8/128": principal.ErrAddress,
		"::192.0.2.1/128": principal.ErrAddress,
	} {
		expect.Error(t, some.CheckAddress(network(t, address)), want, "from %s", address)
		got := (principal.Principal{}).CheckAddress(network(t, address))
		expect.Error(t, got, nil, "one without an address list, from %s", address)
	}
	expect.Error(t, some.CheckAddress(principal.Network{}), principal.ErrAddress, "from an address that is none")
}

func TestPrincipalEndsByExpiryOrRevocation(t *testing.T) {
	for situation, c := range map[string]struct {
		p    principal.Principal
		want error
	}{
		"for ever":                 {principal.Principal{}, nil},
		"up to a moment later":     {principal.Principal{Expires: noon.Add(time.Millisecond)}, nil},
		"up to now":                {principal.Principal{Expires: noon}, principal.ErrExpired},
		"up to a moment ago":       {principal.Principal{Expires: noon.Add(-time.Millisecond)}, principal.ErrExpired},
		"revoked":                  {principal.Principal{Revoked: noon}, principal.ErrRevoked},
		"revoked by a clock ahead": {principal.Principal{Revoked: noon.Add(time.Hour)}, principal.ErrRevoked},
		"revoked and expired":      {principal.Principal{Revoked: noon, Expires: noon}, principal.ErrRevoked},
	} {
		expect.Error(t, c.p.CheckActive(noon), c.want, "%s", situation)
	}
	once := principal.Principal{ID: 1}.Revoke(noon)
	if again := once.Revoke(noon.Add(time.Hour)); !again.Revoked.Equal(noon) ||
		!errors.Is(again.CheckActive(noon), principal.ErrRevoked) {
		t.Errorf("revoked twice: %+v", again)
	}
}

func TestAKeyOpensByItsSecretAlone(t *testing.T) {
	const secret = "rsk_1_secret"
	key := principal.Principal{Kind: principal.Key, Secret: principal.DigestOf(secret)}
	for given, want := range map[string]bool{secret: true, secret + " ": false, "": false, "rsk_1_Secret": false,
		"rsk_01_secret": false} {
		expect.Equal(t, key.MatchesDigest(principal.DigestOf(given)), want, "%q opens: want", given)
	}
	person := principal.Principal{Kind: principal.Staff}
	if person.MatchesDigest(principal.Digest{}) || person.MatchesDigest(principal.DigestOf("")) {
		t.Error("a member of the staff opens by a key")
	}
	// What printf rsk_1_secret | sha256sum prints: it is stored.
	digest := fmt.Sprintf("%x", principal.DigestOf(secret))
	expect.Equal(t, digest, "d44f43150f0a1e8def344ee684562b2990a34429d1b16376ba72e43880bd4816", "the digest")
}

// An equal right may be granted. A larger one, or one without an end, may not.
func TestGrantsAreLimitedToOwnRights(t *testing.T) {
	has := principal.Principal{
		GivenScopes: []principal.Scope{principal.LinesRead, principal.LinesSpend}, Expires: noon, Limit: 100,
		Networks: networks(t, "10.0.0.0/8", "2001:db8::/32"),
	}
	give := func(change func(p *principal.Principal)) principal.Principal {
		p := has
		change(&p)
		return p
	}
	for what, c := range map[string]struct {
		other principal.Principal
		may   bool
	}{
		"as much":       {has, true},
		"nothing to do": {give(func(p *principal.Principal) { p.GivenScopes = nil }), true},
		"one of the scopes": {give(func(p *principal.Principal) { p.GivenScopes = []principal.Scope{principal.LinesSpend} }),
			true},
		"another scope": {give(func(p *principal.Principal) {
			p.GivenScopes = []principal.Scope{principal.LinesRead, principal.Manage}
		}), false},
		"a role that has more": {
			give(func(p *principal.Principal) { p.Role, p.GivenScopes = principal.ReadOnly, nil }), false,
		},
		"an expiry before":    {give(func(p *principal.Principal) { p.Expires = noon.Add(-1) }), true},
		"an expiry after":     {give(func(p *principal.Principal) { p.Expires = noon.Add(1) }), false},
		"no expiry":           {give(func(p *principal.Principal) { p.Expires = time.Time{} }), false},
		"a limit below":       {give(func(p *principal.Principal) { p.Limit = 99 }), true},
		"a limit above":       {give(func(p *principal.Principal) { p.Limit = 101 }), false},
		"no limit":            {give(func(p *principal.Principal) { p.Limit = 0 }), false},
		"a part of a network": {give(func(p *principal.Principal) { p.Networks = networks(t, "10.7.0.0/16") }), true},
		"another network": {give(func(p *principal.Principal) { p.Networks = networks(t, "10.0.0.0/8", "11.0.0.0/32") }),
			false},
		"a wider network": {give(func(p *principal.Principal) { p.Networks = networks(t, "10.0.0.0/7") }), false},
		"every network":   {give(func(p *principal.Principal) { p.Networks = nil }), false},
	} {
		if err := has.MayGrant(c.other); c.may != (err == nil) || err != nil && !errors.Is(err, principal.ErrBeyond) {
			t.Errorf("%s: %v", what, err)
		}
	}
	everything := principal.Principal{Role: principal.Manager}
	expect.Error(t, everything.MayGrant(has), nil, "what one without bounds gives")
}

func TestRoles(t *testing.T) {
	all := principal.Scopes()
	var before []principal.Scope
	for _, r := range []principal.Role{principal.ReadOnly, principal.Support, principal.Cashier, principal.Manager} {
		if parsed, err := principal.ParseRole(string(r)); err != nil || parsed != r {
			t.Errorf("%s is read as %q, %v", r, parsed, err)
		}
		// A role replaces scopes.
		p := principal.Principal{Role: r, GivenScopes: []principal.Scope{principal.Manage}}
		has := p.Scopes()
		for _, s := range all {
			expect.Equal(t, p.Has(s), slices.Contains(has, s), "%s: %s is in one and not in the other", r, s)
			if slices.Contains(before, s) && !p.Has(s) {
				t.Errorf("%s has not %s, which the role before has", r, s)
			}
		}
		expect.Equal(t, p.Has(principal.Manage), false, "%s decides who else may", r)
		expect.Equal(t, p.Has(principal.PricesWrite), false, "%s changes prices", r)
		if !slices.Equal(principal.SortScopes(has), has) || len(has) <= len(before) {
			t.Errorf("%s has %v", r, has)
		}
		has[0] = "changed" // by the caller
		before = r.Scopes()
		expect.Equal(t, before[0], principal.LinesRead, "%s has %v", r, before)
	}
	expect.Equal(t, len(before), len(all)-2, "a manager has")
	expect.Equal(t, principal.Principal{Role: principal.ReadOnly}.Has(principal.LinesPasswords), false, "a reader")
	for _, unknown := range []string{"", "owner", "Manager", "manager "} {
		if _, err := principal.ParseRole(unknown); err == nil {
			t.Errorf("%q is a role", unknown)
		}
	}
}

// Spending up to the limit is accepted, a unit more is not, and at midnight UTC the day begins again, in any time zone
// of the clock.
func TestADayOfALimit(t *testing.T) {
	p := principal.Principal{Limit: 100}
	p, err := p.Spend(amount(t, 40), noon)
	if err != nil || p.Spent != 40 || !p.Day.Equal(noon.Truncate(24*time.Hour)) {
		t.Fatalf("got %+v, %v", p, err)
	}
	if same, err := p.Spend(amount(t, 61), noon); !errors.Is(err, principal.ErrSpendLimit) || same.Spent != 40 {
		t.Errorf("a unit too much: %+v, %v", same, err)
	}
	var later *fault.Later
	var reached *principal.SpendLimitReached
	if _, err := p.Spend(amount(t, 61), noon); !errors.As(err, &later) || later.Wait != 12*time.Hour ||
		!errors.As(err, &reached) || reached.Limit.Units() != 100 || reached.Spent.Units() != 40 ||
		reached.Required.Units() != 61 ||
		!reached.Resets.Equal(noon.Truncate(24*time.Hour).Add(24*time.Hour)) {
		t.Errorf("it says %+v", reached)
	}
	if p, err = p.Spend(amount(t, 60), noon); err != nil || p.Spent != 100 {
		t.Errorf("all of it: %+v, %v", p, err)
	}
	midnight := noon.Truncate(24 * time.Hour).Add(24 * time.Hour)
	east := time.FixedZone("east", 14*3600)
	for _, c := range []struct {
		at    time.Time
		spent principal.Units
	}{
		{midnight.Add(-time.Millisecond), 100}, {midnight.Add(-time.Millisecond).In(east), 100}, {midnight, 0},
		{midnight.In(east), 0}, {noon.AddDate(0, 0, -2), 0},
	} {
		if spent, resets := p.SpentOnDay(c.at); spent != c.spent || !resets.After(c.at) || resets.Sub(c.at) > 24*time.Hour {
			t.Errorf("at %s it has spent %d, until %s", c.at, spent, resets)
		}
	}
	next, err := p.Spend(amount(t, 100), midnight)
	if err != nil || next.Spent != 100 || !next.Day.Equal(midnight) {
		t.Errorf("the next day: %+v, %v", next, err)
	}
	if less := (principal.Principal{Limit: 10, Spent: 100, Day: p.Day}); true { // the limit was lowered later
		_, err := less.Spend(amount(t, 1), noon)
		expect.Error(t, err, principal.ErrSpendLimit, "beyond a limit that was made less")
	}
	free := principal.Principal{}
	if is, err := free.Spend(amount(t, 1<<40), noon); err != nil || is.Spent != 0 {
		t.Errorf("without a limit: %+v, %v", is, err)
	}
}

func TestLastUseIsStoredEveryMinute(t *testing.T) {
	was := principal.Principal{Used: noon, UsedFrom: "192.0.2.1"}
	for after, keep := range map[time.Duration]bool{
		// also after a fast clock
		-time.Hour: true, -time.Minute: true, -time.Minute + 1: false, 0: false, time.Minute - 1: false, time.Minute: true,
		time.Hour: true,
	} {
		used, kept := was.Use("192.0.2.2", noon.Add(after))
		if kept != keep || kept && (used.UsedFrom != "192.0.2.2" || !used.Used.Equal(noon.Add(after))) || !kept &&
			(used.UsedFrom != was.UsedFrom || !used.Used.Equal(noon)) {
			t.Errorf("used %s later: %+v, %t", after, used, kept)
		}
	}
	if _, kept := (principal.Principal{}).Use("", noon); !kept {
		t.Error("the first use is not recorded")
	}
}

func TestTheLowestSlotIsFree(t *testing.T) {
	var all []principal.Principal
	for slot := 1; slot <= principal.MaxPrincipals; slot++ {
		if got, err := principal.FreeSlot(all); err != nil || got != slot {
			t.Fatalf("of %d the slot %d is free, %v", len(all), got, err)
		}
		all = append(all, principal.Principal{Slot: slot})
	}
	_, err := principal.FreeSlot(all)
	expect.Error(t, err, principal.ErrTooMany, "of all")
	slices.Reverse(all)
	if got, err := principal.FreeSlot(slices.Delete(all, 40, 41)); err != nil || got != 60 {
		t.Errorf("of all but one the slot %d is free, %v", got, err)
	}
}

func TestWhatAChangeChanges(t *testing.T) {
	was := principal.Principal{ID: 7, Kind: principal.Key, Name: "till",
		GivenScopes: []principal.Scope{principal.LinesRead, principal.Manage}, Networks: networks(t, "10.0.0.0/8"),
		Expires: noon, Limit: 100, Spent: 40, Used: noon}
	named := func(change func(c *principal.Change)) principal.Change {
		var c principal.Change
		change(&c)
		return c
	}
	for what, c := range map[string]struct {
		change principal.Change
		fields []string
		is     func(p *principal.Principal)
	}{
		"nothing": {principal.Change{}, nil, func(*principal.Principal) {}},
		"the name": {named(func(c *principal.Change) { c.Name = new("kiosk") }), []string{"name"},
			func(p *principal.Principal) { p.Name = "kiosk" }},
		"to itself": {principal.Change{Name: new("till"), Scopes: []principal.Scope{principal.Manage, principal.LinesRead},
			Networks: new(networks(t, "10.0.0.0/8")), Expires: new(noon.In(time.FixedZone("west", -3600))),
			Limit: new(principal.Units(100))}, nil, func(*principal.Principal) {}},
		"a role": {principal.Change{Role: new(principal.Support)}, []string{"role", "scopes"},
			func(p *principal.Principal) { p.Role, p.GivenScopes = principal.Support, nil }},
		"scopes": {principal.Change{Scopes: []principal.Scope{principal.Manage, principal.Manage}}, []string{"scopes"},
			func(p *principal.Principal) { p.GivenScopes = []principal.Scope{principal.Manage} }},
		"no scopes": {principal.Change{Scopes: []principal.Scope{}}, []string{"scopes"}, func(p *principal.Principal) {
			p.GivenScopes = nil
		}},
		"all": {
			principal.Change{Name: new("x"), Role: new(principal.ReadOnly), Networks: new(networks(t, "::/0")),
				Expires: new(noon.Add(1)), Limit: new(principal.Units(1))},
			[]string{"allowed_addresses", "expires_at", "name", "role", "scopes", "spend_limit"},
			func(p *principal.Principal) {
				p.Name, p.Role, p.GivenScopes, p.Networks, p.Expires, p.Limit = "x", principal.ReadOnly, nil, networks(t, "::/0"),
					noon.Add(1), 1
			},
		},
	} {
		want := was
		c.is(&want)
		is, fields := was.Changed(c.change)
		expect.Elements(t, fields, c.fields, "%s: the fields", what)
		if got := fmt.Sprintf("%+v", is); len(fields) > 0 && got != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: it is\n%s\nwant\n%+v", what, got, want)
		}
	}
	roled := principal.Principal{Role: principal.Cashier}
	is, fields := roled.Changed(principal.Change{Scopes: []principal.Scope{principal.LinesRead}})
	expect.Equal(t, is.Role, "", "scopes instead of a role")
	expect.Elements(t, fields, []string{"role", "scopes"}, "scopes instead of a role")
	if is, fields := roled.Changed(principal.Change{Role: new(principal.Cashier)}); is.Role != principal.Cashier ||
		fields != nil {
		t.Errorf("the same role: %+v, %q", is, fields)
	}
}

func TestAnExpiryIsInTheFutureWhenItIsSet(t *testing.T) {
	now, never := noon, time.Time{}
	for _, c := range []struct {
		name           string
		before, expiry time.Time
		past           bool
	}{
		{"none", never, never, false},
		{"a millisecond later", never, now.Add(time.Millisecond), false},
		{"now", never, now, true},
		{"earlier", now.Add(time.Hour), now.Add(-time.Hour), true},
		{"as it was, and has ended", now.Add(-time.Hour), now.Add(-time.Hour), false},
		{"removed", now.Add(-time.Hour), never, false},
	} {
		err := principal.CheckExpiry(c.before, c.expiry, now)
		expect.Equal(t, errors.Is(err, principal.ErrPastExpiry), c.past, "%s: %v", c.name, err)
	}
}
