package journal

import (
	"cmp"
	"slices"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// WithLine adds the changes of a line to an entry, with its owner and its name. For a new line was is nil, for a
// deleted one is.
func (e Entry) WithLine(was, is *line.State) Entry {
	present := cmp.Or(is, was)
	e.Account, e.Line, e.Version, e.Data = present.Owner, present.ID, present.Version, named(present.Username)
	if was == nil && is.Origin != "" {
		e.Data = append([]Datum{{LineOrigin, Text(string(is.Origin))}}, e.Data...)
	}
	d := difference{both: was != nil && is != nil}
	before, after := cmp.Or(was, new(line.State)), cmp.Or(is, new(line.State))
	name := func(s *line.State) Value { return Text(s.Username.String()) }
	expiry := func(s *line.State) Value { return Instant(s.ExpiresAt) }
	shown(&d, "username", was, is, name)
	shown(&d, "expDate", was, is, expiry)
	if is != nil && before.Plan != is.Plan {
		shown(&d, Plan, was, is, func(s *line.State) Value { return numberOrNone(s.Plan) })
	}
	if is != nil && before.Connections != is.Connections {
		shown(&d, "connections", was, is, func(s *line.State) Value { return numberOrNone(s.Connections) })
	}
	if is != nil && before.Packages != is.Packages {
		shown(&d, "packages", was, is, func(s *line.State) Value { return textOrNone(string(s.Packages)) })
	}
	if before.Suspended != after.Suspended {
		shown(&d, "suspended", was, is, func(s *line.State) Value { return Bool(s.Suspended) })
	}
	d.hidden("suspension_reason", before.Reason != after.Reason)
	d.hidden("password", string(before.Password) != string(after.Password))
	d.hidden("metadata", before.Metadata != after.Metadata)
	if d.both {
		texts := is.Texts()
		for i, m := range was.Texts() {
			d.hidden(m.Name, *m.At != *texts[i].At)
		}
	}
	e.Changes = d.inOrder()
	return e
}

// WithDeletedLine is WithLine of a deleted line, of which was is the last version.
func (e Entry) WithDeletedLine(was *line.State) Entry {
	e = e.WithLine(was, nil)
	e.Version++
	return e
}

// WithReseller adds the changes of a reseller to an entry, with its position and its name. was is nil if the reseller
// is new. The movement of the entry reports changes of the balance.
func (e Entry) WithReseller(was, is *reseller.State) Entry {
	e.Account, e.Version, e.Data = is.Position, is.Version, named(is.Username)
	d := difference{both: was != nil}
	before := cmp.Or(was, new(reseller.State))
	shown(&d, "username", was, is, func(s *reseller.State) Value { return Text(s.Username.String()) })
	if was == nil {
		shown(&d, "role", was, is, func(s *reseller.State) Value { return Text(s.Role.String()) })
	} else {
		shown(&d, "blocked", was, is, func(s *reseller.State) Value { return Bool(s.Blocked) })
		shown(&d, LinesSuspended, was, is, func(s *reseller.State) Value { return Bool(s.Block.Suspends) })
	}
	d.hidden("block_reason", before.Block.Reason != is.Block.Reason)
	d.hidden("password", before.PasswordHash != is.PasswordHash)
	if d.both {
		texts := is.Contact.Texts()
		for i, m := range was.Contact.Texts() {
			d.hidden(m.Name, *m.At != *texts[i].At)
		}
	}
	d.hidden("balance_low", !before.Alert.Below.Equal(is.Alert.Below))
	e.Changes = d.inOrder()
	return e
}

// WithMessages adds to an entry that the messages of a reseller have changed. The messages are no part of the
// reseller's record, and its version stays. So the entry has no version.
func (e Entry) WithMessages(of *reseller.State) Entry {
	e.Account, e.Data, e.Changes = of.Position, named(of.Username), HiddenChanges("messages")
	return e
}

// WithBalance adds to an entry that the balance of a reseller is low, or has recovered.
func (e Entry) WithBalance(is *reseller.State) Entry {
	e.Account, e.Version = is.Position, is.Version
	e.Data = append([]Datum{{AlertBalance, Text(is.Credits.String())}, {AlertBelow, Text(is.Alert.Below.String())}},
		named(is.Username)...)
	return e
}

// WithExpiry adds to an entry that a line expires in so many days, or has expired for 0.
func (e Entry) WithExpiry(is *line.State, days int) Entry {
	e.Type, e.Account, e.Line, e.Version = LineExpired, is.Owner, is.ID, is.Version
	e.Data = append([]Datum{{ExpDate, Instant(is.ExpiresAt)}}, named(is.Username)...)
	if days > 0 {
		e.Type, e.Data = LineExpiring, append([]Datum{{Days, Number(int64(days))}}, e.Data...)
	}
	return e
}

// WithPrice adds the price of a charge to an entry.
func (e Entry) WithPrice(p credit.Price) Entry {
	return e.with(Datum{Plan, Number(p.Plan)}, Datum{Book, Number(p.Book)}, Datum{BookVersion, Number(p.Version)},
		Datum{Price, Text(p.Credits.String())})
}

// WithSwitch adds a change of plan to an entry, with all numbers from which its cost follows.
func (e Entry) WithSwitch(s plan.Switch) Entry {
	return e.WithPrice(s.To).with(Datum{PlanBefore, Number(s.From.Plan)},
		Datum{PriceBefore, Text(s.From.Credits.String())}, Datum{RemainingMS, Number(s.Remaining.Milliseconds())},
		Datum{PeriodMS, Number(s.To.Period.Nominal().Milliseconds())})
}

// WithPlan adds a plan to an entry, with its changed fields.
func (e Entry) WithPlan(id int64, changed ...string) Entry {
	e.Changes = HiddenChanges(changed...)
	return e.with(Datum{Plan, Number(id)})
}

// WithPrices adds a version of a price book to an entry: that of an account, or the platform's for nil.
func (e Entry) WithPrices(of *reseller.State, v plan.Version, removed bool) Entry {
	if of != nil {
		e.Account, e.Data = of.Position, named(of.Username)
	}
	if removed {
		e = e.with(Datum{Removed, Bool(true)})
	}
	return e.with(Datum{BookVersion, Number(v.Number)}, Datum{EffectiveAt, Instant(v.EffectiveAt)},
		Datum{Rows, Text(v.Rows)})
}

// with adds data in the order of their names.
func (e Entry) with(more ...Datum) Entry {
	e.Data = slices.SortedFunc(slices.Values(slices.Concat(e.Data, more)),
		func(a, b Datum) int { return cmp.Compare(a.Name, b.Name) })
	return e
}

// WithJob adds the result of a job to an entry.
func (e Entry) WithJob(id int64, action, status string, matched, succeeded, refused int) Entry {
	e.Data = []Datum{
		{Action, Text(action)}, {Job, Number(id)}, {Matched, Number(int64(matched))}, {Refused, Number(int64(refused))},
		{Status, Text(status)}, {Succeeded, Number(int64(succeeded))},
	}
	return e
}

// HiddenChanges returns changes of these fields, which are in order, without their values.
func HiddenChanges(fields ...string) (changes []Change) {
	for _, field := range fields {
		changes = append(changes, Change{Field: field})
	}
	return changes
}

// named returns the name of a line or a reseller at that time, so that an entry can be read alone.
func named(name profile.Username) []Datum { return []Datum{{Username, Text(name.String())}} }

// numberOrNone is none for a line without a plan.
func numberOrNone(n int64) Value {
	if n == 0 {
		return Value{}
	}
	return Number(n)
}

// textOrNone is none for every package.
func textOrNone(s string) Value {
	if s == "" {
		return Value{}
	}
	return Text(s)
}

// difference collects the changes from one state to another. For a new or a deleted record it collects shown fields
// only: all other fields are new, or gone.
type difference struct {
	both    bool
	changes []Change
}

func shown[S any](d *difference, field string, was, is *S, of func(*S) Value) {
	c := Change{Field: field, Shown: true}
	if was != nil {
		c.Before = of(was)
	}
	if is != nil {
		c.After = of(is)
	}
	if c.Before != c.After {
		d.changes = append(d.changes, c)
	}
}

func (d *difference) hidden(field string, changed bool) {
	if d.both && changed {
		d.changes = append(d.changes, Change{Field: field})
	}
}

func (d *difference) inOrder() []Change {
	slices.SortFunc(d.changes, func(a, b Change) int { return cmp.Compare(a.Field, b.Field) })
	return d.changes
}
