package acceptance

import (
	"encoding/json"
	"reflect"
	"testing"

	"resellerd/test/api"
)

// TestDocumentIsServed compares what the program serves with the file that every exchange is held against.
func TestDocumentIsServed(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		a := sharedServer(t, s).Nobody().Send(t, "GET", "/openapi.json", nil).Is(200)
		var served, file any
		for _, text := range []struct {
			of   []byte
			into *any
		}{{a.Body, &served}, {api.Contract().Text, &file}} {
			if err := json.Unmarshal(text.of, text.into); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(served, file) {
			t.Error("the served document is another than openapi.json")
		}
	})
}
