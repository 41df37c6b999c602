package sqlitestore

import "testing"

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
		got := namesWith(prefix)
		if want == "" {
			if got[1].kind != isBlob {
				t.Errorf("%q: got the end %q, want none", prefix, got[1].text)
			}
			continue
		}
		if got[1].kind != isText || got[1].text != want {
			t.Errorf("%q: got the end %q, want %q", prefix, got[1].text, want)
		}
	}
}
