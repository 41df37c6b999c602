package line_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// aggregates are lines, who owns them, the resellers above, and one that is blocked and has issued a trial tomorrow.
type aggregates struct {
	admin, master, owner, blocked *reseller.Reseller
	trial, official, suspended    *line.Line
}

// verb does something to aggregates at an instant.
type verb struct {
	do        func(a aggregates, at time.Time) error
	uncounted bool // it changes what has no date either
}

func newAggregates() aggregates {
	var ledger fixture.Ledger
	a := aggregates{admin: fixture.Admin(1)}
	a.master = fixture.Master(a.admin, 2)
	ledger.Fund(a.admin, a.master, "100")
	a.owner = fixture.Reseller(a.master, 3)
	ledger.Fund(a.master, a.owner, "50")
	a.blocked = fixture.Reseller(a.master, 4, func(s *reseller.State) {
		s.Blocked, s.Trials = true, []reseller.TrialSlot{{Start: fixture.Noon.Add(24 * time.Hour), Count: 1}}
	})
	a.trial, a.official = fixture.Trial(a.owner, 1), fixture.Trial(a.owner, 2)
	ledger.Activate(a.official, a.owner, "1")
	a.suspended = fixture.Trial(a.owner, 3, func(s *line.State) { s.Suspended = true })
	return a
}

func moved(_ credit.Movement, err error) error { return err }

// verbs are the methods that change an aggregate, each told to change something, and told again what is so already.
var verbs = map[string]verb{
	"Reseller.Create": {do: func(a aggregates, at time.Time) error {
		_, _, err := a.master.Create(reseller.NewReseller{ID: 9, Credits: fixture.Credits("1")}, provenance(at))
		return err
	}},
	"Reseller.Update": {do: func(a aggregates, at time.Time) error {
		return a.owner.Update(a.owner,
			reseller.Update{Username: fixture.Name("other"),
				ContactChange: reseller.ContactChange{Country: new(fixture.Text("AO"))}}, at)
	}},
	"Reseller.ChangeContact": {do: func(a aggregates, at time.Time) error {
		return a.owner.ChangeContact(a.master, reseller.ContactChange{Notes: new(fixture.Text("notes"))}, at)
	}},
	"Reseller.SetAlert": {do: func(a aggregates, at time.Time) error {
		return a.owner.SetAlert(a.master, fixture.Credits("60"), at)
	}},
	"Reseller.SetPassword": {do: func(a aggregates, at time.Time) error {
		a.owner.SetPassword("hash", reseller.Generation{byte(at.Nanosecond())}, at)
		return nil
	}},
	"Reseller.RevokeToken": {do: func(a aggregates, at time.Time) error {
		a.owner.RevokeToken(reseller.Generation{9}, at)
		return nil
	}},
	"Reseller.Block": {do: func(a aggregates, at time.Time) error {
		return a.master.Block(a.owner, reseller.Terms{}, at)
	}},
	"Reseller.Unblock": {do: func(a aggregates, at time.Time) error {
		return a.master.Unblock(a.blocked, at)
	}},
	"Reseller.SetUnblocked": {do: func(a aggregates, at time.Time) error { a.blocked.SetUnblocked(at); return nil }},
	"Reseller.SetBlocked": {do: func(a aggregates, at time.Time) error {
		a.admin.SetBlocked(reseller.Terms{}, at)
		return nil
	}},
	"Reseller.Fund": {do: func(a aggregates, at time.Time) error {
		return moved(a.master.Fund(a.owner, fixture.Credits("2"), provenance(at)))
	}},
	"Reseller.Reclaim": {do: func(a aggregates, at time.Time) error {
		return moved(a.admin.Reclaim(a.owner, fixture.Credits("2"), provenance(at)))
	}},
	"Reseller.Pay": {do: func(a aggregates, at time.Time) error {
		return moved(a.admin.Pay(credit.Extension, fixture.Credits("2"), 2, provenance(at)))
	}},
	"Reseller.CountTrial": {do: func(a aggregates, at time.Time) error { return a.owner.CountTrial(5, at) },
		uncounted: true},
	"Reseller.BringTrialsBack": {do: func(a aggregates, at time.Time) error {
		a.blocked.BringTrialsBack(at)
		return nil
	}, uncounted: true},
	"Line.Activate": {do: func(a aggregates, at time.Time) error {
		return moved(a.trial.Activate(a.owner, fixture.Price("1"), details(), 7, provenance(at)))
	}},
	"Line.Extend": {do: func(a aggregates, at time.Time) error {
		_, m, err := a.official.Extend(a.owner, fixture.Price("1"), provenance(at))
		return moved(m, err)
	}},
	"Line.Edit": {do: func(a aggregates, at time.Time) error { return a.official.Edit(details(), at) }},
	"Line.Describe": {do: func(a aggregates, at time.Time) error {
		a.trial.Describe(line.Description{Notes: new(fixture.Text("n"))}, at)
		return nil
	}},
	"Line.TakeOver": {do: func(a aggregates, at time.Time) error {
		a.official.TakeOver(fixture.Imported(a.owner, 4), line.Sealed("anew"), at)
		return nil
	}},
	"Line.Suspend": {do: func(a aggregates, at time.Time) error {
		a.trial.Suspend(fixture.Text("asked"), at)
		return nil
	}},
	"Line.Resume": {do: func(a aggregates, at time.Time) error { a.suspended.Resume(at); return nil }},
	"Line.SealAnew": {do: func(a aggregates, _ time.Time) error { a.official.SealAnew(line.Sealed("anew")); return nil },
		uncounted: true},
}

// readers are the methods that change nothing.
var readers = map[reflect.Type][]string{
	reflect.TypeFor[*reseller.Reseller](): {
		"Admit", "Alert", "AlertChange", "CouldMake", "Country", "ID", "InSight", "MayAudit", "MayCreate", "MayImport",
		"MayVouchFor", "PasswordHash", "Position", "Sees", "Sight", "State", "Suspends", "Token",
	},
	reflect.TypeFor[*line.Line](): {"Activatable", "Differs", "Editable", "Effect", "ExpiresAt", "ID", "Kept", "Owner",
		"Running", "Shown", "State", "Tombstone"},
}

func TestEveryMethodIsAVerbOrReads(t *testing.T) {
	for of, reads := range readers {
		for i := range of.NumMethod() {
			name := of.Method(i).Name
			if _, is := verbs[of.Elem().Name()+"."+name]; is == slices.Contains(reads, name) {
				t.Errorf("%s.%s is to be a verb or to read", of.Elem().Name(), name)
			}
		}
	}
}

// Each verb is told twice. It counts what it changes, by one and with the date, and nothing else.
func TestVersionsCountDatedChanges(t *testing.T) {
	for name, v := range verbs {
		a, changes := newAggregates(), 0
		for i := range 2 {
			at := fixture.Noon.Add(time.Duration(i+1) * time.Hour)
			before := revisionsOf(a)
			if err := v.do(a, at); err != nil && i == 0 {
				t.Fatalf("%s: %v", name, err)
			}
			for i, is := range revisionsOf(a) {
				was, counted := before[i], int64(0)
				if !reflect.DeepEqual(was.state, is.state) {
					changes++
					if !v.uncounted {
						counted = 1
					}
				}
				expect.Equal(t, is.version-was.version, counted, "%s: versions to %+v", name, is.state)
				expect.Equal(t, is.updated.Equal(at), counted > 0, "%s: the date %s is new", name, is.updated)
			}
		}
		if changes == 0 {
			t.Errorf("%s changed nothing", name)
		}
	}
}

type revision struct {
	state   any
	version int64
	updated time.Time
}

func revisionsOf(a aggregates) (all []revision) {
	for _, r := range []*reseller.Reseller{a.admin, a.master, a.owner, a.blocked} {
		s := r.State()
		all = append(all, revision{s, s.Version, s.UpdatedAt})
	}
	for _, l := range []*line.Line{a.trial, a.official, a.suspended} {
		s := l.State()
		all = append(all, revision{s, s.Version, s.UpdatedAt})
	}
	return all
}
