package reseller_test

import (
	"slices"
	"testing"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// A search looks at what people know a reseller by, and at nothing else. A contact may be a telephone number, in which
// signs between digits do not count; an e-mail address is none.
func TestWhatASearchOfResellersLooksAt(t *testing.T) {
	text := fixture.Text("+55 11 João")
	number := fixture.Text("+55 (11) 98888-7777")
	for field, c := range map[string]struct {
		of    func(profile.Text) reseller.State
		finds []string
	}{
		"name": {func(v profile.Text) reseller.State {
			return reseller.State{Username: profile.RestoreUsername(v.String(), "")}
		}, []string{"JOAO"}},
		"notes": {func(v profile.Text) reseller.State {
			return reseller.State{Contact: reseller.Contact{Notes: v}}
		}, []string{"JOAO"}},
		"e-mail": {func(v profile.Text) reseller.State {
			return reseller.State{Contact: reseller.Contact{Email: v}}
		}, []string{"JOAO"}},
		"whatsapp": {func(v profile.Text) reseller.State { return reseller.State{Contact: reseller.Contact{Whatsapp: v}} },
			[]string{"1198888", "JOAO"}},
		"telegram": {func(v profile.Text) reseller.State { return reseller.State{Contact: reseller.Contact{Telegram: v}} },
			[]string{"1198888", "JOAO"}},
		"country": {func(v profile.Text) reseller.State {
			return reseller.State{Contact: reseller.Contact{Country: v}}
		}, nil},
		"language": {func(v profile.Text) reseller.State { return reseller.State{Language: v} }, nil},
		"reason": {func(v profile.Text) reseller.State {
			return reseller.State{Block: reseller.Block{Terms: reseller.Terms{Reason: v}}}
		}, nil},
		"password": {func(v profile.Text) reseller.State { return reseller.State{PasswordHash: v.String()} }, nil},
	} {
		var found []string
		for part, value := range map[string]profile.Text{"JOAO": text, "1198888": number} {
			s := c.of(value)
			if s.Mentions(profile.RestoreSearch(part)) {
				found = append(found, part)
			}
		}
		slices.Sort(found)
		expect.Elements(t, found, c.finds, "%s", field)
	}
}
