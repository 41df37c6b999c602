package journals

import (
	"fmt"
	"time"

	"resellerd/domain/journal"
)

// tellings are what entries said so far of lines and resellers, to hold those that tell of them, and change nothing,
// against: such an entry has the version of the change before.
type tellings struct {
	versions map[aggregate]int64
	expiries map[int64]time.Time // of lines
	told     map[string]int64    // number of the entry that told of a line's expiry
}

// aggregate is a line, or else a reseller.
type aggregate struct{ line, reseller int64 }

func aggregateOf(n *journal.Numbered) aggregate {
	if n.Line != 0 {
		return aggregate{line: n.Line}
	}
	return aggregate{reseller: n.Account.ID}
}

// wrong says what is wrong with an entry as one that follows those before it, "" for nothing.
func (t *tellings) wrong(all []journal.Numbered, at int) (says string) {
	n := &all[at]
	if (n.Actor.Kind == journal.ByKey || n.Actor.Kind == journal.ByStaff) != (n.Actor.Principal != 0) {
		return fmt.Sprintf("is done by principal %d, and by a %s", n.Actor.Principal, n.Actor.Kind)
	}
	of := aggregateOf(n)
	before, known := t.versions[of]
	if n.Version != 0 {
		t.versions[of] = n.Version
	}
	for _, c := range n.Changes {
		if expires, is := c.After.Any().(time.Time); is && c.Field == "expDate" {
			t.expiries[n.Line] = expires
		}
	}
	switch n.Type {
	case journal.LineExpiring, journal.LineExpired:
		says = t.wrongExpiry(n)
		if says == "" && known && n.Version != before {
			says = fmt.Sprintf("tells of version %d of line %d, which has version %d", n.Version, n.Line, before)
		}
	case journal.BalanceLow, journal.BalanceRecovered:
		if known && n.Version < before {
			says = fmt.Sprintf("tells of version %d of account %d, which has version %d", n.Version, n.Account.ID, before)
		}
	case journal.WebhookCreated, journal.WebhookUpdated, journal.WebhookRotated, journal.WebhookDisabled,
		journal.WebhookRemoved:
		if n.Version != 0 || n.Movement != nil || n.Datum(journal.Webhook) == nil ||
			(n.Type == journal.WebhookDisabled) != (n.Reason != "") {
			says = "is not of a webhook alone"
		}
	case journal.KeyCreated, journal.KeyUpdated, journal.KeyRevoked, journal.StaffCreated, journal.StaffUpdated,
		journal.StaffRemoved:
		if n.Version != 0 || n.Movement != nil || n.Line != 0 || n.Datum(journal.Principal) == nil {
			says = "is not of a principal alone"
		}
	default:
		switch { // of a reseller only some versions are those of entries: the other side of a movement has none of its own
		case !known || n.Version == 0:
		case n.Line != 0 && n.Version != before+1, n.Version <= before:
			says = fmt.Sprintf("has version %d of what had version %d", n.Version, before)
		}
	}
	return says
}

// wrongExpiry says what is wrong with an entry that tells that a line expires, or has expired: it does so by itself,
// not too early, of the time at which the line expires then, and once.
func (t *tellings) wrongExpiry(n *journal.Numbered) string {
	expires, _ := n.Datum(journal.ExpDate).(time.Time)
	days, _ := n.Datum(journal.Days).(int64)
	is, known := t.expiries[n.Line]
	what := fmt.Sprint(n.Line, expires, days)
	other := t.told[what]
	t.told[what] = n.Seq
	switch {
	case n.Movement != nil || len(n.Changes) > 0 || n.Actor.Kind != journal.BySystem ||
		(n.Type == journal.LineExpiring) != (days > 0):
		return "does not only tell"
	case known && !is.Equal(expires):
		return fmt.Sprintf("tells that line %d expires %s, and it expires %s", n.Line, iso(expires), iso(is))
	case n.At.Before(expires.Add(-time.Duration(days) * 24 * time.Hour)):
		return fmt.Sprintf("tells at %s that line %d expires %s, of %d days", iso(n.At), n.Line, iso(expires), days)
	case other != 0:
		return fmt.Sprintf("tells once more what entry %d tells", other)
	}
	return ""
}
