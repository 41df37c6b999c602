package line_test

import (
	"reflect"
	"testing"

	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// A search looks at what people know a line by, and at nothing else, least of all at its password.
func TestWhatASearchLooksAt(t *testing.T) {
	search, err := profile.ParseSearch("E")
	if err != nil {
		t.Fatal(err)
	}
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
	if want := []string{"Username", "Whatsapp", "Notes", "Telegram", "Email", "ExternalID"}; !reflect.DeepEqual(found, want) {
		t.Errorf("a search finds %v, want %v", found, want)
	}
}
