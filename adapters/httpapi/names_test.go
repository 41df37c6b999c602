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
