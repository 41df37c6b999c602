package journals

import (
	"fmt"
	"time"

	"resellerd/domain/journal"
)

// reports has the versions and expiries that earlier entries reported of lines and resellers. It checks entries that
// report something without a change: such an entry has the version of the change before.
type reports struct {
	versions map[aggregate]int64
	expiries map[int64]time.Time // of lines
	reported map[string]int64    // number of the entry that reported a line's expiry
}

// aggregate is a line, or else a reseller.
type aggregate struct{ line, reseller int64 }

func aggregateOf(n *journal.Numbered) aggregate {
	if n.Line != 0 {
		return aggregate{line: n.Line}
	}
	return aggregate{reseller: n.Account.ID}
}

// wrong returns the fault of an entry that follows those before it, "" for none.
func (t *reports) wrong(all []journal.Numbered, at int) (says string) {
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
			says = fmt.Sprintf("reports version %d of line %d, which has version %d", n.Version, n.Line, before)
		}
	case journal.BalanceLow, journal.BalanceRecovered:
		if known && n.Version < before {
			says = fmt.Sprintf("reports version %d of account %d, which has version %d", n.Version, n.Account.ID, before)
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
		switch { // some versions of a reseller have no entry: the other side of a movement gets none
		case !known || n.Version == 0:
		case n.Line != 0 && n.Version != before+1, n.Version <= before:
			says = fmt.Sprintf("has version %d after version %d", n.Version, before)
		}
	}
	return says
}

// wrongExpiry returns the fault of an entry that reports that a line expires, or has expired, "" for none. The entry
// changes nothing, is not too early, has the line's expiry at that time, and is the only one of its kind.
func (t *reports) wrongExpiry(n *journal.Numbered) string {
	expires, _ := n.Datum(journal.ExpDate).(time.Time)
	days, _ := n.Datum(journal.Days).(int64)
	is, known := t.expiries[n.Line]
	what := fmt.Sprint(n.Line, expires, days)
	other := t.reported[what]
	t.reported[what] = n.Seq
	switch {
	case n.Movement != nil || len(n.Changes) > 0 || n.Actor.Kind != journal.BySystem ||
		(n.Type == journal.LineExpiring) != (days > 0):
		return "does not only report"
	case known && !is.Equal(expires):
		return fmt.Sprintf("reports that line %d expires %s, and it expires %s", n.Line, iso(expires), iso(is))
	case n.At.Before(expires.Add(-time.Duration(days) * 24 * time.Hour)):
		return fmt.Sprintf("reports at %s that line %d expires %s, for %d days", iso(n.At), n.Line, iso(expires), days)
	case other != 0:
		return fmt.Sprintf("repeats entry %d", other)
	}
	return ""
}
