package line_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
)

// toImport is a line of another system.
func toImport(changes ...func(*line.Import)) line.Import {
	i := line.Import{
		ID: 71, PlatformID: 700, Username: fixture.Name("From.There"), Password: line.Sealed("sealed"), ExpiresAt: noon.Add(48 * time.Hour), Suspended: true,
		Description: line.Description{
			Notes: new(fixture.Text("notes")), Whatsapp: new(fixture.Text("1")), Telegram: new(fixture.Text("2")), Email: new(fixture.Text("3")),
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
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAnImportedLineIsOfficialAndCostsNothing(t *testing.T) {
	owner := ownerWith(t, "1")
	before := owner.State()
	l := imported(t, owner)
	want := line.State{
		ID: 71, Owner: reseller.Position{ID: 7, Ancestors: []int64{1, 3}}, Username: fixture.Name("From.There"), Password: line.Sealed("sealed"),
		ExpiresAt: noon.Add(48 * time.Hour), Country: fixture.Text("PT"), Whatsapp: fixture.Text("1"), Notes: fixture.Text("notes"), PlatformID: 700,
		CreatedAt: noon, UpdatedAt: noon, Telegram: fixture.Text("2"), Email: fixture.Text("3"), ExternalID: fixture.Text("there-1"),
		Metadata: fixture.Metadata("plan", "gold"), Suspension: line.Suspension{Suspended: true}, Origin: line.Imported, Version: 1,
	}
	expect(t, l, want)
	if got := owner.State(); !reflect.DeepEqual(got, before) {
		t.Errorf("the import made its owner %+v, from %+v", got, before)
	}
	if err := l.Activatable(); !errors.Is(err, line.ErrNotTrial) {
		t.Errorf("it may be activated: %v", err)
	}
	if _, _, err := l.Extend(owner, fixture.Price("1"), provenance(noon)); err != nil {
		t.Errorf("it is not extended: %v", err)
	}
	l.Resume(noon)
	if err := l.Edit(details(), noon); err != nil || l.State().Origin != line.Imported || l.State().Charge != 0 {
		t.Errorf("edited and extended it is %+v, error %v", l.State(), err)
	}
	if got, want := l.Tombstone(1, noon), (line.Tombstone{Line: 71, Actor: 1, At: noon}); got != want {
		t.Errorf("deleted it leaves %+v, want %+v", got, want)
	}
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

// TestWhichValuesRepeatALine changes one value after the other.
func TestWhichValuesRepeatALine(t *testing.T) {
	owner := ownerWith(t, "5")
	there := imported(t, owner)
	for situation, differ := range map[string]func(*line.Import){
		"name":        func(i *line.Import) { i.Username = fixture.Name("other") },
		"spelling":    func(i *line.Import) { i.Username = fixture.Name("from.there") },
		"expiry":      func(i *line.Import) { i.ExpiresAt = i.ExpiresAt.Add(time.Millisecond) },
		"suspension":  func(i *line.Import) { i.Suspended = false },
		"notes":       func(i *line.Import) { i.Notes = nil },
		"country":     func(i *line.Import) { i.Country = new(fixture.Text("BR")) },
		"whatsapp":    func(i *line.Import) { i.Whatsapp = new(fixture.Text("other")) },
		"telegram":    func(i *line.Import) { i.Telegram = nil },
		"email":       func(i *line.Import) { i.Email = nil },
		"external id": func(i *line.Import) { i.ExternalID = new(fixture.Text("there-2")) },
		"metadata":    func(i *line.Import) { i.Metadata = new(fixture.Metadata("plan", "silver")) },
	} {
		if there.Repeats(imported(t, owner, differ)) {
			t.Errorf("another %s is taken for the same line", situation)
		}
	}
	same := imported(t, owner, func(i *line.Import) {
		i.ID, i.PlatformID, i.Password, i.ExpiresAt = 72, 701, line.Sealed("sealed anew"), i.ExpiresAt.In(time.FixedZone("there", 3600))
		i.Country = new(fixture.Text("PT"))
	})
	there.Suspend(profile.RestoreText("unpaid"), noon.Add(time.Hour))
	if !there.Repeats(same) {
		t.Error("the same values are taken for another line")
	}
	clamped := imported(t, owner, func(i *line.Import) { i.ExpiresAt = noon.Add(time.Hour) }) // on a 31st
	if _, _, err := clamped.Extend(owner, fixture.Price("1"), provenance(noon)); err != nil {
		t.Fatal(err)
	}
	if !clamped.Repeats(imported(t, owner, func(i *line.Import) { i.ExpiresAt = clamped.ExpiresAt() })) {
		t.Error("an extended line is taken for another than one that is imported with its expiry")
	}
	if issued := trial(t, owner); issued.Repeats(imported(t, owner, func(i *line.Import) {
		i.Username, i.ExpiresAt, i.Suspended, i.Description = issued.State().Username, issued.ExpiresAt(), false, line.Description{Notes: new(fixture.Text("notes"))}
	})) {
		t.Error("a trial is taken for an official line")
	}
}

func TestOriginsAreAClosedSet(t *testing.T) {
	for name, want := range map[string]bool{"": true, "imported": true, "Imported": false, "bought": false} {
		if o, err := line.ParseOrigin(name); (err == nil) != want || want && string(o) != name {
			t.Errorf("%q: got %q, error %v", name, o, err)
		}
	}
}
