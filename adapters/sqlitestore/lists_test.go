package sqlitestore

import (
	"testing"

	"resellerd/adapters/sqlitestore/engine"
)

func TestTheRangeOfAPrefixEndsRightAfterIt(t *testing.T) {
	for prefix, want := range map[string]string{
		"":                      "",
		"a":                     "b",
		"az":                    "a{",
		"é":                     "ê",
		"z\x7f":                 "z\u0080",
		"\ud7ff":                "\ue000",
		"\uffff":                "\U00010000",
		"a\U0010ffff":           "b",
		"a\U0010ffff\U0010ffff": "b",
		"\U0010ffff":            "",
	} {
		_, got := namesWith(prefix)
		due := engine.Text("names_to", want)
		if want == "" {
			due = engine.Blob("names_to", nil) // after every text
		}
		if !got.Equal(due) {
			t.Errorf("%q: got the end %+v, want %+v", prefix, got, due)
		}
	}
}
