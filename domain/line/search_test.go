package line_test

import (
	"reflect"
	"testing"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// A search looks at what people know a line by, and at nothing else, least of all at its password.
func TestWhatASearchLooksAt(t *testing.T) {
	search, err := profile.ParseSearch("E")
	require.NoError(t, err)
	var found []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[line.State]()) {
		var s line.State
		if field.IsExported() && !field.Anonymous {
			fill(t, reflect.ValueOf(&s).Elem().FieldByIndex(field.Index))
		}
		if s.Mentions(search) {
			found = append(found, field.Name)
		}
	}
	expect.DeepEqual(t, found, []string{"Username", "Whatsapp", "Notes", "Telegram", "Email", "ExternalID"},
		"a search finds")
}

// A contact may be a telephone number, in which signs between digits do not count; an e-mail address is none.
func TestNumbersThatASearchLooksAt(t *testing.T) {
	search, err := profile.ParseSearch("(11) 9888")
	require.NoError(t, err)
	number, err := profile.ParseText("+55 11 98888-7777")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		line line.State
		in   bool
	}{
		"whatsapp": {line.State{Whatsapp: number}, true}, "telegram": {line.State{Telegram: number}, true},
		"email": {line.State{Email: number}, false},
	} {
		expect.Equal(t, c.line.Mentions(search), c.in, "a number is found in %s", name)
	}
}
