package line_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// toImport is a line of another system.
func toImport(changes ...func(*line.Import)) line.Import {
	i := line.Import{
		ID: 71, PlatformID: 700, Username: fixture.Name("From.There"), Password: line.Sealed("sealed"),
		ExpiresAt: noon.Add(48 * time.Hour), Suspended: true,
		Description: line.Description{
			Notes: new(fixture.Text("notes")), Whatsapp: new(fixture.Text("1")), Telegram: new(fixture.Text("2")),
			Email:      new(fixture.Text("3")),
			ExternalID: new(fixture.Text("there-1")), Metadata: new(fixture.Metadata("plan", "gold")),
		},
	}
	for _, change := range changes {
		change(&i)
	}
	return i
}

func imported(t testing.TB, owner *reseller.Reseller, changes ...func(*line.Import)) *line.Line {
	t.Helper()
	l, err := line.NewImported(owner, toImport(changes...), noon)
	require.NoError(t, err)
	return l
}

func TestAnImportedLineIsOfficialAndCostsNothing(t *testing.T) {
	owner := ownerWith(t, "1")
	before := owner.State()
	l := imported(t, owner)
	want := line.State{
		ID: 71, Owner: reseller.Position{ID: 7, Ancestors: []int64{1, 3}}, Username: fixture.Name("From.There"),
		Password:  line.Sealed("sealed"),
		ExpiresAt: noon.Add(48 * time.Hour), PlatformID: 700, CreatedAt: noon, UpdatedAt: noon,
		Known: line.Known{ExternalID: fixture.Text("there-1"), Notes: fixture.Text("notes"), Country: fixture.Text("PT"),
			Whatsapp: fixture.Text("1"), Telegram: fixture.Text("2"), Email: fixture.Text("3"),
			Metadata: fixture.Metadata("plan", "gold")},
		Suspension: line.Suspension{Suspended: true},
		Origin:     line.Imported, Version: 1,
	}
	wantLine(t, l, want)
	expect.DeepEqual(t, owner.State(), before, "the import made its owner")
	expect.Error(t, l.Activatable(), line.ErrNotTrial, "it may be activated")
	_, _, err := l.Extend(owner, fixture.Price("1"), provenance(noon))
	expect.Error(t, err, nil)
	l.Resume(noon)
	if err := l.Edit(details(), noon); err != nil || l.State().Origin != line.Imported || l.State().Charge != 0 {
		t.Errorf("edited and extended it is %+v, error %v", l.State(), err)
	}
	expect.Equal(t, l.Tombstone(1, noon), line.Tombstone{Line: 71, Actor: 1, At: noon}, "deleted it leaves")
}

func TestWhatIsNotImported(t *testing.T) {
	owner := ownerWith(t, "0")
	latest, _ := credit.Years(10).After(noon, 0)
	for situation, c := range map[string]struct {
		change func(*line.Import)
		want   error
	}{
		"a trial":                  {func(i *line.Import) { i.Trial = true }, line.ErrIsTrial},
		"ten years and a moment":   {func(i *line.Import) { i.ExpiresAt = latest.Add(time.Millisecond) }, line.ErrTooLong},
		"ten years":                {func(i *line.Import) { i.ExpiresAt = latest }, nil},
		"one that expired":         {func(i *line.Import) { i.ExpiresAt = noon.AddDate(-20, 0, 0) }, nil},
		"a country of its own":     {func(i *line.Import) { i.Country = new(fixture.Text("BR")) }, nil},
		"nothing that is optional": {func(i *line.Import) { i.Suspended, i.Description = false, line.Description{} }, nil},
	} {
		l, err := line.NewImported(owner, toImport(c.change), noon)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || (l == nil) != (c.want != nil) {
			t.Errorf("%s: got %v, error %v, want %v", situation, l, err, c.want)
		}
		if l != nil && !l.ExpiresAt().Equal(toImport(c.change).ExpiresAt) {
			t.Errorf("%s: it expires at %s", situation, l.ExpiresAt())
		}
	}
}

// The test changes one value after the other.
func TestDifferingMembers(t *testing.T) {
	owner := ownerWith(t, "5")
	there := imported(t, owner)
	for member, differ := range map[string]func(*line.Import){
		"username":  func(i *line.Import) { i.Username = fixture.Name("other") },
		"expDate":   func(i *line.Import) { i.ExpiresAt = i.ExpiresAt.Add(time.Millisecond) },
		"suspended": func(i *line.Import) { i.Suspended = false },
		"metadata":  func(i *line.Import) { i.Metadata = new(fixture.Metadata("plan", "silver")) },
	} {
		expect.Elements(t, there.DifferingMembers(imported(t, owner, differ)), []string{member}, "with another %s", member)
	}
	for i, m := range new(line.Known).Texts() {
		differ := func(of *line.Import) { *of.Texts()[i].At = new(fixture.Text("other")) }
		expect.Elements(t, there.DifferingMembers(imported(t, owner, differ)), []string{m.Name}, "with another %s", m.Name)
	}
	same := imported(t, owner, func(i *line.Import) {
		i.ID, i.PlatformID, i.Password, i.ExpiresAt = 72, 701, line.Sealed("sealed again"),
			i.ExpiresAt.In(time.FixedZone("there", 3600))
		i.Country = new(fixture.Text("PT"))
	})
	there.Suspend(profile.RestoreText("unpaid"), noon.Add(time.Hour))
	if got := there.DifferingMembers(same); got != nil {
		t.Errorf("%q of the same values differ", got)
	}
	clamped := imported(t, owner, func(i *line.Import) { i.ExpiresAt = noon.Add(time.Hour) }) // on a 31st
	_, _, err := clamped.Extend(owner, fixture.Price("1"), provenance(noon))
	require.NoError(t, err)
	again := imported(t, owner, func(i *line.Import) { i.ExpiresAt = clamped.ExpiresAt() })
	if got := clamped.DifferingMembers(again); got != nil {
		t.Errorf("%q of an extended line and one that is imported with its expiry differ", got)
	}
	if issued := trial(t, owner); len(issued.DifferingMembers(imported(t, owner, func(i *line.Import) {
		i.Username, i.ExpiresAt, i.Suspended, i.Description = issued.State().Username, issued.ExpiresAt(), false,
			line.Description{Notes: new(fixture.Text("notes"))}
	}))) == 0 {
		t.Error("a trial is taken for an official line")
	}
}

// A line takes over values while no other command has changed it, and never an earlier expiry.
func TestAnImportedLineTakesOverOtherValues(t *testing.T) {
	owner := ownerWith(t, "5")
	later := func(by time.Duration) *line.Line {
		return imported(t, owner, func(i *line.Import) {
			i.ID, i.PlatformID, i.Username, i.ExpiresAt, i.Suspended, i.Notes = 0, 0, fixture.Name("other"),
				i.ExpiresAt.Add(by), false, nil
		})
	}
	other := later(2 * time.Hour)
	l := imported(t, owner)
	for again, other := range []*line.Line{later(time.Hour), other} {
		expect.Equal(t, l.ReasonToKeep(other), "", "import %d over it", again)
		was := l.State()
		l.TakeOver(other, line.Sealed("sealed again"), noon.Add(time.Hour))
		want := other.State()
		want.ID, want.PlatformID, want.CreatedAt, want.Password = was.ID, was.PlatformID, was.CreatedAt,
			line.Sealed("sealed again")
		want.UpdatedAt, want.Version, want.Reimport = noon.Add(time.Hour), was.Version+1, was.Version+1
		wantLine(t, l, want)
		if got := l.DifferingMembers(other); got != nil {
			t.Errorf("%q differ still", got)
		}
	}
	for change, c := range map[string]struct {
		of   func(l *line.Line) (*line.Line, error)
		want string
	}{
		"an edit": {func(l *line.Line) (*line.Line, error) { return l, l.Edit(details(), noon) }, "changed here"},
		"a suspension": {func(l *line.Line) (*line.Line, error) {
			l.Suspend(profile.Text{}, noon)
			return l, nil
		}, "changed here"},
		"an extension": {func(l *line.Line) (*line.Line, error) {
			_, _, err := l.Extend(owner, fixture.Price("1"), provenance(noon))
			return l, err
		}, "changed here"},
		"a description": {func(l *line.Line) (*line.Line, error) {
			l.Describe(line.Description{Notes: new(fixture.Text("x"))}, noon)
			return l, nil
		}, "changed here"},
		"a later expiry": {func(*line.Line) (*line.Line, error) {
			return imported(t, owner, func(i *line.Import) { i.ExpiresAt = other.ExpiresAt().Add(time.Millisecond) }), nil
		}, "takes no time away"},
		"a purchase": {func(*line.Line) (*line.Line, error) {
			l := trial(t, owner)
			_, err := l.Activate(owner, fixture.Price("1"), details(), 700, provenance(noon))
			return l, err
		}, "not imported"},
	} {
		there := imported(t, owner)
		there.TakeOver(other, line.Sealed("sealed"), noon)
		changed, err := c.of(there)
		require.NoError(t, err)
		if why := changed.ReasonToKeep(other); !strings.Contains(why, c.want) {
			t.Errorf("after %s: %q, want %q", change, why, c.want)
		}
	}
}
