package line_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestMetadata(t *testing.T) {
	many := func(n int, value string) map[string]string {
		members := map[string]string{}
		for i := range n {
			members[fmt.Sprintf("m%d", i)] = value
		}
		return members
	}
	full := many(8, strings.Repeat("x", profile.MaxValue-2)+`\"`)
	used, _ := json.Marshal(full)
	full["rest"] = strings.Repeat("x", line.MaxMetadataBytes-len(used)-len(`,"rest":""`))
	over := maps.Clone(full)
	over["rest"] += "x"
	for situation, c := range map[string]struct {
		members map[string]string
		want    error
	}{
		"none":              {nil, nil},
		"the most members":  {many(line.MaxMetadata, "v"), nil},
		"a member too many": {many(line.MaxMetadata+1, "v"), line.ErrMetadataSize},
		"the longest name":  {map[string]string{strings.Repeat("n", line.MaxMetadataName): "v"}, nil},
		"a longer name": {map[string]string{strings.Repeat("n", line.MaxMetadataName+1): "v"},
			line.ErrMetadataName},
		"no name":                    {map[string]string{"": "v"}, line.ErrMetadataName},
		"a capital letter":           {map[string]string{"aBc": "v"}, line.ErrMetadataName},
		"the longest value":          {map[string]string{"a": strings.Repeat("𐐀", profile.MaxValue)}, nil},
		"a longer value":             {map[string]string{"a": strings.Repeat("x", profile.MaxValue+1)}, profile.ErrTooLong},
		"a control character":        {map[string]string{"a": "b\x00c"}, profile.ErrControlCharacter},
		"the most bytes":             {full, nil},
		"a byte too many":            {over, line.ErrMetadataSize},
		"few characters, many bytes": {many(9, strings.Repeat("\"", 300)), line.ErrMetadataSize},
	} {
		m, err := line.ParseMetadata(c.members)
		expect.Error(t, err, c.want, "%s", situation)
		if got := maps.Collect(m.All()); err == nil && !maps.Equal(got, c.members) {
			t.Errorf("%s: got %v, want %v", situation, got, c.members)
		}
		expect.Equal(t, m.IsZero(), err != nil || len(c.members) == 0, "%s: got %v", situation, m)
		var names []string
		for name := range m.All() {
			names = append(names, name)
		}
		expect.Equal(t, slices.IsSorted(names), true, "%s: the names %v are in order", situation, names)
		again, err := line.RestoreMetadata(maps.Collect(m.All()))
		expect.Equal(t, err == nil && again.Equal(m), true, "%s: got %v, restored %v", situation, m, again)
	}
}

// The test sets, leaves and clears each text of a line, of a trial and of an official line.
func TestDescribe(t *testing.T) {
	some, _ := line.ParseMetadata(map[string]string{"plan": "gold"})
	empty := profile.Text{}
	for i, l := range []*line.Line{trial(t, ownerWith(t, "1")), official(t, ownerWith(t, "1"), noon)} {
		want := l.State()
		later := noon.Add(time.Duration(i+1) * time.Hour)
		l.Describe(line.Description{
			Notes: new(fixture.Text("n")), Country: new(fixture.Text("AO")), Whatsapp: new(fixture.Text("w")),
			Telegram: new(fixture.Text("t")),
			Email:    new(fixture.Text("e@x.pt")), ExternalID: new(fixture.Text("crm-7")), Metadata: &some,
		}, later)
		want.Notes, want.Country, want.Whatsapp, want.Telegram = fixture.Text("n"), fixture.Text("AO"), fixture.Text("w"),
			fixture.Text("t")
		want.Email, want.ExternalID, want.Metadata, want.UpdatedAt = fixture.Text("e@x.pt"),
			fixture.Text("crm-7"), some, later
		want.Version++
		wantLine(t, l, want)
		l.Describe(line.Description{ExternalID: new(fixture.Text("crm-7")), Metadata: &some}, later.Add(time.Minute))
		wantLine(t, l, want) // with its present details
		l.Describe(line.Description{Email: &empty, ExternalID: &empty, Metadata: new(line.Metadata)}, later.Add(time.Hour))
		want.Email, want.ExternalID, want.Metadata, want.UpdatedAt = empty, empty, line.Metadata{}, later.Add(time.Hour)
		want.Version++
		wantLine(t, l, want)
	}
}
