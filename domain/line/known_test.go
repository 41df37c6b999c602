package line_test

import (
	"reflect"
	"testing"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// record is a line or a reseller.
type record struct {
	texts  []profile.Member[profile.Text] // its table
	beside int                            // texts that are in no table: reasons, and the language, which never changes
	search func(profile.Search) bool
	size   func(func(string) int) int
	others []func() // set a text that is in no table and that searches ignore
	of     reflect.Type
}

func records() map[string]record {
	l, r := new(line.State), new(reseller.State)
	lineTexts, resellerTexts := l.Texts(), r.Contact.Texts()
	return map[string]record{
		"line": {lineTexts[:], 1, l.MatchesSearch, l.SizeOfTexts, []func(){
			func() { l.Reason = fixture.Text("text") }, func() { l.Password = line.Sealed("text") },
			func() { l.Metadata = fixture.Metadata("t", "x") }, // with a sign after each
		}, reflect.TypeFor[line.State]()},
		"reseller": {resellerTexts[:], 2, r.MatchesSearch, r.SizeOfTexts, []func(){
			func() { r.Language = fixture.Text("text") }, func() { r.Block.Reason = fixture.Text("text") },
			func() { r.PasswordHash = "text" },
		}, reflect.TypeFor[reseller.State]()},
	}
}

// textsIn counts the texts of a type.
func textsIn(of reflect.Type) (n int) {
	if of == reflect.TypeFor[profile.Text]() {
		return 1
	}
	if of.Kind() == reflect.Struct {
		for i := range of.NumField() {
			n += textsIn(of.Field(i).Type)
		}
	}
	return n
}

// Search, journal, export, import, jobs and stores follow the table of a record's texts. A search covers the texts that
// people know, and nothing else, least of all the password.
func TestEachTextCountsAndIsSearched(t *testing.T) {
	search, err := profile.ParseSearch("TEX")
	require.NoError(t, err)
	length := func(text string) int { return len(text) }
	for kind, r := range records() {
		expect.Equal(t, len(r.texts)+r.beside, textsIn(r.of), "texts of a %s", kind)
		for _, m := range r.texts {
			was := r.size(length)
			*m.At = profile.RestoreText("text")
			expect.Equal(t, r.size(length)-was, 4, "%s of a %s adds", m.Name, kind)
			expect.Equal(t, r.search(search), m.Name != "country", "a search finds %s of a %s", m.Name, kind)
			*m.At = profile.Text{}
		}
		for i, set := range r.others {
			was := r.size(length)
			set()
			expect.Equal(t, r.size(length)-was, 4, "another text of a %s, number %d, adds", kind, i)
			expect.Equal(t, r.search(search), false, "a search finds it")
		}
	}
	l, named := line.State{Username: fixture.Name("textual")}, reseller.State{Username: fixture.Name("textual")}
	expect.Equal(t, l.MatchesSearch(search) && named.MatchesSearch(search), true, "a search finds names")
	expect.Equal(t, l.SizeOfTexts(length), len("textual")*2, "a name and its key take")
}
