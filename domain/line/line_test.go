package line_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

const runs = 4 * time.Hour

func ownerWith(t testing.TB, credits string) *reseller.Reseller {
	t.Helper()
	a, err := reseller.Restore(reseller.State{
		Position: reseller.Position{ID: 7, Ancestors: []int64{1, 3}},
		Role:     reseller.Standard,
		Contact:  reseller.Contact{Country: fixture.Text("PT")},
		Credits:  fixture.Credits(credits),
	})
	require.NoError(t, err)
	return a
}

func trial(t testing.TB, owner *reseller.Reseller) *line.Line {
	t.Helper()
	l, err := line.NewTrial(owner, line.Trial{
		ID: 70, Username: fixture.Name("generated"), Password: line.Sealed("sealed"), Duration: runs,
		Description: line.Description{Notes: new(fixture.Text("notes"))},
	}, 0, noon)
	require.NoError(t, err)
	return l
}

func details() line.Details {
	whatsapp := fixture.Text("123")
	return line.Details{Username: fixture.Name("chosen"), Password: line.Sealed("resealed"),
		Description: line.Description{Country: new(fixture.Text("BR")), Whatsapp: &whatsapp}}
}

func provenance(at time.Time) credit.Provenance {
	return credit.Provenance{ID: 77, Actor: 1, Request: "request", At: at}
}

func wantLine(t *testing.T, l *line.Line, want line.State) {
	t.Helper()
	if s := l.Shown(); s.Owner.Ancestors != nil || s.Password != nil {
		t.Errorf("it shows the parents of its owner, %v, and its password, %q", s.Owner.Ancestors, s.Password)
	}
	if diff := cmp.Diff(want, l.State(), cmp.Comparer(func(a, b profile.Username) bool { return a == b }),
		cmp.Comparer(func(a, b profile.Text) bool { return a == b })); diff != "" {
		t.Errorf("line, want and got:\n%s", diff)
	}
}

func TestLifeOfALine(t *testing.T) {
	owner := ownerWith(t, "1.5")
	l := trial(t, owner)
	want := line.State{
		ID: 70, Owner: reseller.Position{ID: 7, Ancestors: []int64{1, 3}}, Username: fixture.Name("generated"),
		Password: line.Sealed("sealed"),
		Trial:    true, ExpiresAt: noon.Add(runs),
		Known:     line.Known{Country: fixture.Text("PT"), Notes: fixture.Text("notes")},
		CreatedAt: noon, UpdatedAt: noon, Version: 1,
	}
	wantLine(t, l, want)
	expect.Equal(t, l.ID(), 70, "its id")
	expect.DeepEqual(t, l.Owner(), want.Owner, "its owner")

	activated := noon.Add(time.Hour)
	m, err := l.Activate(owner, fixture.Price("1"), details(), 700, provenance(activated))
	require.NoError(t, err)
	charged(t, m, credit.Activation, "1", credit.Reseller(7), credit.Posting{Reseller: 7, Balance: fixture.Credits("0.5"),
		Tip: owner.State().Tip}, provenance(activated))
	expect.Equal(t, owner.State().Credits.String(), "0.5", "the owner has")
	want.Username, want.Password, want.Country, want.Whatsapp = fixture.Name("chosen"), line.Sealed("resealed"),
		fixture.Text("BR"), fixture.Text("123")
	want.Trial, want.PlatformID, want.Charge, want.UpdatedAt, want.Version = false, 700, 77, activated, 2
	want.ExpiresAt, want.MonthDay = time.Date(2026, 2, 28, 13, 0, 0, 0, time.UTC), 31 // left-over trial time is not added
	want.Plan, want.Terms = 2, credit.Terms{Connections: 1}
	wantLine(t, l, want)

	edited, empty := activated.Add(time.Hour), profile.Text{}
	require.NoError(t, l.Edit(line.Details{Username: fixture.Name("again"), Password: line.Sealed("third"),
		Description: line.Description{Country: new(fixture.Text("AO")), Notes: &empty}}, edited))
	want.Username, want.Password, want.Country, want.Notes = fixture.Name("again"), line.Sealed("third"),
		fixture.Text("AO"), empty
	want.Edited, want.UpdatedAt, want.Version = true, edited, 3
	wantLine(t, l, want)
	require.NoError(t, l.Edit(line.Details{Username: want.Username, Password: want.Password,
		Description: line.Description{Country: &want.Country}}, edited.Add(time.Minute)))
	wantLine(t, l, want) // with its present details

	extended := edited.Add(time.Hour)
	p := provenance(extended)
	p.ID = 78
	from, m, err := l.Extend(owner, fixture.Price("0.5"), p)
	require.NoError(t, err)
	charged(t, m, credit.Extension, "0.5", credit.Reseller(7), credit.Posting{Reseller: 7, Tip: owner.State().Tip}, p)
	if !from.Equal(want.ExpiresAt) {
		t.Errorf("the extension starts at %s, want %s", from, want.ExpiresAt)
	}
	// Its charge stays the movement of the activation.
	want.ExpiresAt, want.MonthDay = time.Date(2026, 3, 15, 13, 0, 0, 0, time.UTC), 0
	want.UpdatedAt, want.Version, want.Plan = extended, 4, 1
	wantLine(t, l, want)
	if got := owner.State(); !got.Credits.IsZero() || got.Tip.Seq != 2 {
		t.Errorf("the owner has %s credits left after %d movements", got.Credits, got.Tip.Seq)
	}
}

// charged fails unless the movement charges source for line 70, to consumption, and concerns the reseller of the entry
// alone.
func charged(t *testing.T, m credit.Movement, op credit.Operation, credits string, source credit.Party,
	entry credit.Posting, p credit.Provenance) {
	t.Helper()
	want := credit.Movement{
		Provenance: p, Operation: op, Source: source, Target: credit.Consumption,
		Amount: fixture.Credits(credits), Line: 70, Postings: []credit.Posting{entry},
	}
	if diff := cmp.Diff(want, m, cmp.Comparer(func(a, b credit.Party) bool {
		return a == b
	}), cmp.Comparer(func(a, b credit.Operation) bool { return a == b })); diff != "" {
		t.Errorf("movement, want and got:\n%s", diff)
	}
}

// A refusal changes neither the line nor the account that was to pay.
func TestRefusalsChangeNothing(t *testing.T) {
	owner, poor := ownerWith(t, "1"), ownerWith(t, "0.9999")
	stranger, err := reseller.Restore(reseller.State{Position: reseller.Position{ID: 8, Ancestors: []int64{1}},
		Role: reseller.Standard, Credits: credit.MaxMovement()})
	require.NoError(t, err)
	official := trial(t, owner)
	_, err = official.Activate(ownerWith(t, "1"), fixture.Price("1"), details(), 700, provenance(noon))
	require.NoError(t, err)
	later := noon.Add(time.Hour)
	activate := func(payer *reseller.Reseller) func(*line.Line) error {
		return func(l *line.Line) error {
			_, err := l.Activate(payer, fixture.Price("1"), details(), 701, provenance(later))
			return err
		}
	}
	extend := func(payer *reseller.Reseller, credits string, at time.Time) func(*line.Line) error {
		return func(l *line.Line) error {
			from, m, err := l.Extend(payer, fixture.Price(credits), provenance(at))
			if err != nil && (!from.IsZero() || !reflect.DeepEqual(m, credit.Movement{})) {
				t.Errorf("refused with %v: got movement %+v from %s", err, m, from)
			}
			return err
		}
	}
	distant := fixture.ChangedLine(official, func(s *line.State) {
		s.ExpiresAt, s.MonthDay = later.AddDate(10, 0, -14), 0
	})
	for _, c := range []struct {
		situation string
		line      *line.Line
		payer     *reseller.Reseller
		do        func(*line.Line) error
		want      error // nil: any, as no caller distinguishes it
	}{
		{"activate twice", official, owner, activate(owner), line.ErrNotTrial},
		{"activate twice without credits", official, poor, activate(poor), line.ErrNotTrial},
		{"activate twice by another", official, stranger, activate(stranger), line.ErrNotTrial},
		{"activate without credits", trial(t, poor), poor, activate(poor), reseller.ErrCredits},
		{"activate with another's credits", trial(t, owner), stranger, activate(stranger), nil},
		{"extend a trial", trial(t, owner), owner, extend(owner, "1", later), line.ErrIsTrial},
		{"extend an expired trial", trial(t, owner), owner, extend(owner, "1", later.AddDate(1, 0, 0)), line.ErrIsTrial},
		{"extend a trial without credits", trial(t, poor), poor, extend(poor, "1", later), line.ErrIsTrial},
		{"extend without credits", official, poor, extend(poor, "1", later), reseller.ErrCredits},
		{"extend with another's credits", official, stranger, extend(stranger, "1", later), nil},
		{"extend too far", distant, owner, extend(owner, "0.5", later), line.ErrTooLong},
		{"extend too far without credits", distant, poor, extend(poor, "1", later), line.ErrTooLong},
		{"edit a trial", trial(t, owner), owner, func(l *line.Line) error {
			return l.Edit(details(), later)
		}, line.ErrIsTrial},
	} {
		before, balance := c.line.State(), c.payer.State()
		if err := c.do(c.line); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got error %v, want %v", c.situation, err, c.want)
		}
		expect.DeepEqual(t, c.line.State(), before, "%s: the line", c.situation)
		expect.DeepEqual(t, c.payer.State(), balance, "%s: the payer", c.situation)
	}
}

func TestImpossibleLinesAreNotRestored(t *testing.T) {
	owner := ownerWith(t, "1")
	l := trial(t, owner)
	asTrial := l.State()
	_, err := l.Activate(owner, fixture.Price("1"), details(), 700, provenance(noon))
	require.NoError(t, err)
	asOfficial := l.State()
	for situation, spoil := range map[string]func(*line.State){
		"no id":                           func(s *line.State) { s.ID = 0 },
		"negative id":                     func(s *line.State) { s.ID = -1 },
		"no owner":                        func(s *line.State) { s.Owner.ID = 0 },
		"no expiry":                       func(s *line.State) { s.ExpiresAt = time.Time{} },
		"the other way":                   func(s *line.State) { s.Trial = !s.Trial },
		"the platform's id the other way": func(s *line.State) { s.PlatformID = 700 - s.PlatformID },
		"the charge the other way":        func(s *line.State) { s.Charge = 77 - s.Charge },
		"a reason for no suspension":      func(s *line.State) { s.Reason = fixture.Text("unpaid") },
		"a day that its month has":        func(s *line.State) { s.MonthDay = 28 },
		"a day that no month has":         func(s *line.State) { s.MonthDay = 32 },
		"a negative day":                  func(s *line.State) { s.MonthDay = -1 },
		"a day before its month's last": func(s *line.State) {
			s.MonthDay, s.ExpiresAt = 31, s.ExpiresAt.AddDate(0, 0, -1)
		},
	} {
		for _, s := range []line.State{asTrial, asOfficial} {
			spoil(&s)
			if l, err := line.Restore(s); err == nil || l != nil {
				t.Errorf("%s, trial %v: got %v, error %v", situation, s.Trial, l, err)
			}
		}
	}
	for situation, spoil := range map[string]func(*line.State){
		"an imported trial":                   func(s *line.State) { s.Trial, s.PlatformID, s.Charge = true, 0, 0 },
		"an imported line that was paid for":  func(s *line.State) { s.Charge = 77 },
		"an imported line without an id":      func(s *line.State) { s.PlatformID = 0 },
		"an official line without a payment":  func(s *line.State) { s.Origin = "" },
		"a line of another origin, unpaid":    func(s *line.State) { s.Origin = "found" },
		"an imported trial with a platform's": func(s *line.State) { s.Trial = true },
	} {
		s := imported(t, owner).State()
		spoil(&s)
		if l, err := line.Restore(s); err == nil || l != nil {
			t.Errorf("%s: got %v, error %v", situation, l, err)
		}
	}
	extended := asTrial
	extended.ExpiresAt, extended.MonthDay = asOfficial.ExpiresAt, asOfficial.MonthDay
	if l, err := line.Restore(extended); err == nil || l != nil {
		t.Errorf("a trial whose months count by day %d: got %v, error %v", extended.MonthDay, l, err)
	}
	for _, s := range []line.State{asTrial, asOfficial, imported(t, owner).State()} {
		restored, err := line.Restore(s)
		require.NoError(t, err)
		wantLine(t, restored, s)
	}
}

func TestStatesAreCopies(t *testing.T) {
	in := trial(t, ownerWith(t, "1")).State()
	l, err := line.Restore(in)
	require.NoError(t, err)
	want, out := trial(t, ownerWith(t, "1")).State(), l.State()
	for _, s := range []line.State{in, out} {
		s.Owner.Ancestors[0], s.Password[0] = 99, 'X'
	}
	l.Owner().Ancestors[0] = 99
	wantLine(t, l, want)
}
