package journal_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// fates have for each field of a record how an entry records its change: with its values, under its name in the
// interface; without values; or not at all, with the reason. A new field fails the test until it is listed here, or
// among the texts of its record.
var lineFates = withTexts("Known", reflect.TypeFor[line.Known](), map[string]fate{
	"Username":             {shown: "username"},
	"ExpiresAt":            {shown: "expDate"},
	"Plan":                 {shown: "plan"},
	"Terms.Connections":    {shown: "connections"},
	"Terms.Packages":       {shown: "packages"},
	"Password":             {hidden: "password"},
	"Known.Metadata":       {hidden: "metadata"},
	"Suspension.Suspended": {shown: "suspended"},
	"Suspension.Reason":    {hidden: "suspension_reason"},
	"ID":                   {not: "it never changes, and is the entry's line"},
	"Owner":                {not: "it never changes, and is the entry's account"},
	"Trial":                {not: "the type tells"},
	"PlatformID":           {not: "it is the line's on the platform, from its activation on"},
	"Charge":               {not: "it is the entry's movement"},
	"Origin":               {not: "it never changes: a new line's is in the data"},
	"Edited":               {not: "it is not shown"},
	"Reimport":             {not: "it is the version that the entry has"},
	"MonthDay":             {not: "expDate changes with it"},
	"CreatedAt":            {not: "it never changes"},
	"UpdatedAt":            {not: "it is the entry's instant"},
	"Version":              {not: "it is the entry's version"},
})

var resellerFates = withTexts("Contact", reflect.TypeFor[reseller.Contact](), map[string]fate{
	"Username":             {shown: "username"},
	"Blocked":              {shown: "blocked"},
	"Block.Terms.Suspends": {shown: "lines_suspended"},
	"Block.Terms.Reason":   {hidden: "block_reason"},
	"Block.At":             {not: "it is the instant of the entry of the block"},
	"PasswordHash":         {hidden: "password"},
	"Alert.Below":          {hidden: "balance_low"},
	"Alert.Sent":           {not: "an entry of its own tells"},
	"Position":             {not: "it never changes, and is the entry's account"},
	"Role":                 {not: "it never changes: a new account's is shown"},
	"Language":             {not: "it never changes"},
	"Token":                {not: "it is new with the password, or the type tells"},
	"Credits":              {not: "a movement tells"},
	"Tip":                  {not: "a movement tells"},
	"RechargedAt":          {not: "a movement tells"},
	"Trials":               {not: "they count trials, each of which has an entry"},
	"CreatedAt":            {not: "it never changes"},
	"UpdatedAt":            {not: "it is the entry's instant"},
	"Version":              {not: "it is the entry's version"},
})

type fate struct{ shown, hidden, not string }

// another changes a field, whatever its type.
func another(t *testing.T, v reflect.Value) {
	t.Helper()
	switch at := v.Addr().Interface().(type) {
	case *profile.Text:
		*at = fixture.Text("canary-text")
	case *profile.Username:
		*at = fixture.Name("another")
	case *line.Sealed:
		*at = line.Sealed("canary-sealed")
	case *line.Origin:
		*at = line.Imported
	case *line.Metadata:
		*at = fixture.Metadata("canary", "metadata")
	case *time.Time:
		*at = at.Add(time.Hour)
	case *reseller.Generation:
		copy(at[:], "canary-token")
	case *reseller.Position:
		at.Ancestors = []int64{11}
	case *reseller.Role:
		*at = reseller.Master
	case *[]reseller.TrialSlot:
		*at = []reseller.TrialSlot{{Count: 1}}
	case *credit.Tip:
		at.Seq++
	case *credit.Packages:
		*at = "sport"
	case *credit.Amount:
		*at = fixture.Credits("99")
	case *string:
		*at = "canary-hash"
	case *bool:
		*at = !*at
	case *int64:
		*at++
	default:
		t.Fatalf("how is a %s changed?", v.Type())
	}
}

// changedIn returns the entry of a record with one field changed.
func changedIn[S any](t *testing.T, was S, path string, entry func(was, is *S) journal.Entry) journal.Entry {
	t.Helper()
	is := was
	v := reflect.ValueOf(&is).Elem()
	for name := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(name)
	}
	another(t, v)
	return entry(&was, &is)
}

// parted are the parts of a record whose fields have fates of their own.
var parted = []reflect.Type{
	reflect.TypeFor[reseller.Contact](), reflect.TypeFor[reseller.Alert](), reflect.TypeFor[reseller.Block](),
	reflect.TypeFor[reseller.Terms](), reflect.TypeFor[credit.Terms](), reflect.TypeFor[line.Suspension](),
	reflect.TypeFor[line.Known](),
}

// pathsOf returns the fields of a record, and the fields of its parts one by one.
func pathsOf(of reflect.Type) (paths []string) {
	for i := range of.NumField() {
		f := of.Field(i)
		if !slices.Contains(parted, f.Type) {
			paths = append(paths, f.Name)
			continue
		}
		for _, below := range pathsOf(f.Type) {
			paths = append(paths, f.Name+"."+below)
		}
	}
	return paths
}

var words = regexp.MustCompile("([a-z])([A-Z])")

// withTexts adds the fates of the texts of a part of a record, under the names of the fields: an entry records only
// that each changed.
func withTexts(part string, of reflect.Type, fates map[string]fate) map[string]fate {
	for _, f := range reflect.VisibleFields(of) {
		if f.Type == reflect.TypeFor[profile.Text]() {
			fates[part+"."+f.Name] = fate{hidden: strings.ToLower(words.ReplaceAllString(f.Name, "${1}_$2"))}
		}
	}
	return fates
}

func tells[S any](t *testing.T, was S, fates map[string]fate, entry func(was, is *S) journal.Entry) {
	t.Helper()
	if got, want := slices.Sorted(slices.Values(pathsOf(reflect.TypeFor[S]()))),
		slices.Sorted(maps.Keys(fates)); !slices.Equal(got, want) {
		t.Fatalf("a %T has the fields %q, and fates are of %q", was, got, want)
	}
	for path, f := range fates {
		e := changedIn(t, was, path, entry)
		var want []journal.Change
		switch {
		case f.shown != "":
			want = []journal.Change{{Field: f.shown, Shown: true}}
		case f.hidden != "":
			want = []journal.Change{{Field: f.hidden}}
		}
		got := slices.Clone(e.Changes)
		for i, c := range got {
			if c.Shown == (c.Before == c.After) {
				t.Errorf("%s: shown: %t, from %v to %v", path, c.Shown, c.Before.Any(), c.After.Any())
			}
			got[i].Before, got[i].After = journal.Value{}, journal.Value{}
		}
		expect.Elements(t, got, want, "a change of %s is recorded as", path)
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, "canary") {
			t.Errorf("a change of %s has the entry tell %s", path, text)
		}
	}
}

func TestEachFieldIsShownHiddenOrNotJournalled(t *testing.T) {
	owner := fixture.Reseller(fixture.Admin(1), 7)
	tells(t, fixture.Trial(owner, 70).State(), lineFates,
		func(was, is *line.State) journal.Entry { return journal.Entry{}.WithLine(was, is) })
	tells(t, owner.State(), resellerFates,
		func(was, is *reseller.State) journal.Entry { return journal.Entry{}.WithReseller(was, is) })
}

func TestEntriesOfNewAndGoneRecords(t *testing.T) {
	owner := fixture.Reseller(fixture.Admin(1), 7, func(s *reseller.State) {
		s.PasswordHash, s.Contact.Notes = "canary-hash", fixture.Text("canary-notes")
	})
	l := fixture.Trial(owner, 70, func(s *line.State) {
		s.Password, s.Notes, s.Metadata, s.Version = line.Sealed("canary-sealed"), fixture.Text("canary-notes"),
			fixture.Metadata("canary", "x"), 4
	})
	is, of := l.State(), owner.State()
	name, expiry := journal.Text("line-70"), journal.Instant(is.ExpiresAt)
	begun := journal.Entry{Type: journal.TrialCreated, Request: "request", Movement: &journal.Movement{ID: 1}}
	about := func(account reseller.Position, line, version int64, name string, changes ...journal.Change) journal.Entry {
		e := begun
		e.Account, e.Line, e.Version, e.Changes = account, line, version, changes
		e.Data = []journal.Datum{{Name: journal.Username, Value: journal.Text(name)}}
		return e
	}
	for how, c := range map[string]struct{ got, want journal.Entry }{
		"a new line": {begun.WithLine(nil, &is), about(of.Position, 70, 4, "line-70",
			journal.Change{Field: "expDate", Shown: true, After: expiry},
			journal.Change{Field: "username", Shown: true, After: name})},
		"a line that is gone": {begun.WithDeletedLine(&is), about(of.Position, 70, 5, "line-70",
			journal.Change{Field: "expDate", Shown: true, Before: expiry},
			journal.Change{Field: "username", Shown: true, Before: name})},
		"a new account": {begun.WithReseller(nil, &of), about(of.Position, 0, 1, "reseller-7",
			journal.Change{Field: "role", Shown: true, After: journal.Text("reseller")},
			journal.Change{Field: "username", Shown: true, After: journal.Text("reseller-7")})},
		"a line as it was":     {begun.WithLine(&is, &is), about(of.Position, 70, 4, "line-70")},
		"an account as it was": {begun.WithReseller(&of, &of), about(of.Position, 0, 1, "reseller-7")},
	} {
		expect.DeepEqual(t, c.got, c.want, "%s", how)
		if text := fmt.Sprintf("%+v", c.got); strings.Contains(text, "canary") {
			t.Errorf("%s has the entry tell %s", how, text)
		}
	}
}

// An entry that reports a state, and no change, has the version of the state.
func TestEntriesThatReportAState(t *testing.T) {
	owner := fixture.Reseller(fixture.Admin(1), 7, fixture.Holding("2.5"), func(s *reseller.State) {
		s.PasswordHash, s.Contact.Notes, s.Alert, s.Version = "canary-hash", fixture.Text("canary-notes"),
			reseller.Alert{Below: fixture.Credits("10"), Sent: true}, 6
	})
	l := fixture.Trial(owner, 70, func(s *line.State) {
		s.Password, s.Notes, s.Version = line.Sealed("canary-sealed"), fixture.Text("canary-notes"), 4
	})
	is, of := l.State(), owner.State()
	datum := func(name string, v journal.Value) journal.Datum { return journal.Datum{Name: name, Value: v} }
	expiry, begun := datum("expDate", journal.Instant(is.ExpiresAt)),
		journal.Entry{At: fixture.Noon, Actor: journal.Actor{Kind: journal.BySystem}}
	with := func(of journal.Type, account reseller.Position, line, version int64, data ...journal.Datum) journal.Entry {
		e := begun
		e.Type, e.Account, e.Line, e.Version, e.Data = of, account, line, version, data
		return e
	}
	low := begun
	low.Type = journal.BalanceLow
	for how, c := range map[string]struct{ got, want journal.Entry }{
		"a line expires": {begun.WithExpiry(&is, 7),
			with(journal.LineExpiring, of.Position, 70, 4, datum("days", journal.Number(7)), expiry,
				datum("username", journal.Text("line-70")))},
		"a line has expired": {begun.WithExpiry(&is, 0),
			with(journal.LineExpired, of.Position, 70, 4, expiry, datum("username", journal.Text("line-70")))},
		"a balance is low": {low.WithBalance(&of), with(journal.BalanceLow, of.Position, 0, 6,
			datum("balance", journal.Text("2.5")), datum("balance_low", journal.Text("10")),
			datum("username", journal.Text("reseller-7")))},
	} {
		expect.DeepEqual(t, c.got, c.want, "%s", how)
		if text := fmt.Sprintf("%+v", c.got); strings.Contains(text, "canary") {
			t.Errorf("%s has the entry tell %s", how, text)
		}
	}
	e := begun.WithExpiry(&is, 7)
	expect.Equal(t, e.Datum(journal.Days), any(int64(7)), "the days are")
	if got := e.Datum(journal.AlertBalance); got != nil {
		t.Errorf("what it has not is %v", got)
	}
}
