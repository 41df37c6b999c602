package line_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// record is a line or a reseller.
type record struct {
	texts   []profile.Member[profile.Text] // its table
	search  func(profile.Search) bool
	size    func(func(string) int) int
	outside map[string]string // texts that are in no table, and why
	fields  []textField
}

// textField is a text that a state has, whatever its type, with a value and the size of that.
type textField struct {
	name   string
	at     reflect.Value
	filled any
	size   int
}

func records(t *testing.T) map[string]record {
	t.Helper()
	l, r := new(line.State), new(reseller.State)
	lineTexts, resellerTexts := l.Texts(), r.Contact.Texts()
	return map[string]record{
		"line": {lineTexts[:], l.Mentions, l.SizeOfTexts, map[string]string{
			"Reason": "it goes with the suspension",
		}, textsOf(t, reflect.ValueOf(l).Elem(), "")},
		"reseller": {resellerTexts[:], r.Mentions, r.SizeOfTexts, map[string]string{
			"Language": "it never changes",
			"Reason":   "it goes with the block",
		}, textsOf(t, reflect.ValueOf(r).Elem(), "")},
	}
}

// textsOf returns the texts of a state.
func textsOf(t *testing.T, of reflect.Value, name string) (all []textField) {
	t.Helper()
	filled, size := any(nil), 0
	switch of.Interface().(type) {
	case profile.Text:
		filled, size = profile.RestoreText("text"), 4
	case profile.Username:
		filled, size = profile.RestoreUsername("Name", "key"), 7
	case line.Sealed:
		filled, size = line.Sealed("sealed"), 6
	case line.Metadata:
		metadata, err := line.ParseMetadata(map[string]string{"name": "value"})
		require.NoError(t, err)
		filled, size = metadata, len("name.value.")
	case string:
		filled, size = "plane", 5
	case time.Time, reseller.Generation, reseller.Role, []reseller.TrialSlot, []int64:
		return nil
	}
	if filled != nil {
		return []textField{{name, of, filled, size}}
	}
	switch of.Kind() { //nolint:exhaustive // what is no text takes no more than its place in the state
	case reflect.Struct:
		for i := range of.NumField() {
			if f := of.Type().Field(i); f.IsExported() {
				all = append(all, textsOf(t, of.Field(i), f.Name)...)
			}
		}
	case reflect.Slice, reflect.Map, reflect.Pointer:
		t.Fatalf("what does a %s take?", of.Type())
	}
	return all
}

// TestEachTextIsInTheTable has the table of a record name each of its texts, as the field is called. What follows the
// table (search, journal, export, import, jobs and stores) knows no other.
func TestEachTextIsInTheTable(t *testing.T) {
	for kind, r := range records(t) {
		for _, f := range r.fields {
			if at, is := f.at.Addr().Interface().(*profile.Text); is {
				row := slices.IndexFunc(r.texts, func(m profile.Member[profile.Text]) bool { return m.At == at })
				if row < 0 {
					expect.Equal(t, r.outside[f.name] != "", true, "%s of a %s is in no table with a reason", f.name, kind)
					continue
				}
				expect.Equal(t, strings.ReplaceAll(r.texts[row].Name, "_", ""), strings.ToLower(f.name),
					"the name of %s of a %s", f.name, kind)
			}
		}
	}
}

// TestEachTextOfARecordCounts: who bounds memory, and what is kept for nothing, counts texts by SizeOfTexts.
func TestEachTextOfARecordCounts(t *testing.T) {
	length := func(text string) int { return len(text) }
	for kind, r := range records(t) {
		for _, f := range r.fields {
			was := r.size(length)
			f.at.Set(reflect.ValueOf(f.filled))
			expect.Equal(t, r.size(length)-was, f.size, "%s of a %s adds", f.name, kind)
		}
	}
}

// A search looks at what people know a record by, and at nothing else, least of all at its password.
func TestWhatASearchLooksAt(t *testing.T) {
	unsearched := map[string]string{
		"Country": "many records have the same", "Language": "many accounts have the same",
		"Reason": "it is known of what it suspends or blocks", "Metadata": "they are for other systems",
		"Password": "it is a secret", "PasswordHash": "it is a secret",
	}
	search, err := profile.ParseSearch("E")
	require.NoError(t, err)
	for kind, r := range records(t) {
		for _, f := range r.fields {
			f.at.Set(reflect.ValueOf(f.filled))
			expect.Equal(t, r.search(search), unsearched[f.name] == "", "a search finds %s of a %s", f.name, kind)
			f.at.SetZero()
		}
	}
}

// A contact may be a telephone number, in which signs between digits do not count; an e-mail address is none.
func TestNumbersThatASearchLooksAt(t *testing.T) {
	search, err := profile.ParseSearch("(11) 9888")
	require.NoError(t, err)
	for kind, r := range records(t) {
		for _, m := range r.texts {
			*m.At = profile.RestoreText("+55 11 98888-7777")
			expect.Equal(t, r.search(search), m.Name == "whatsapp" || m.Name == "telegram", "a number is found in %s of a %s",
				m.Name, kind)
			*m.At = profile.Text{}
		}
	}
}
