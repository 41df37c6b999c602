package httpapi

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestNoRecordHasAMemberThatIsRefused by the operations beyond the contract: clients send whole records back.
func TestNoRecordHasAMemberThatIsRefused(t *testing.T) {
	var document any
	if err := json.Unmarshal(Document(""), &document); err != nil {
		t.Fatal(err)
	}
	letters := map[string]map[string]bool{} // spellings, by letters
	var collect func(at any)
	collect = func(at any) {
		switch at := at.(type) {
		case map[string]any:
			properties, _ := at["properties"].(map[string]any)
			for name := range properties {
				of := lettersOf(name)
				if letters[of] == nil {
					letters[of] = map[string]bool{}
				}
				letters[of][name] = true
			}
			for _, below := range at {
				collect(below)
			}
		case []any:
			for _, below := range at {
				collect(below)
			}
		}
	}
	collect(document)
	if !letters["externalid"]["external_id"] {
		t.Fatal("the document has no properties")
	}
	checked := 0
	for operation, body := range bodies {
		if ofContract(reflect.New(reflect.TypeOf(body)).Interface()) {
			continue
		}
		for _, m := range shapeOf(reflect.TypeOf(body)) {
			checked++
			if spellings := letters[lettersOf(m.name)]; len(spellings) > 1 {
				t.Errorf("%s takes %s, and records have %v", operation, m.name, spellings)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d members were checked", checked)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"users", "user", 1}, {"lines", "liens", 2}, {"kitten", "sitting", 3}, {"abc", "abc", 0}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
