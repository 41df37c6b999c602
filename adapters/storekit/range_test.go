package storekit

import (
	"testing"

	"resellerd/test/expect"
)

func TestAfterPrefixIsRightBehindIt(t *testing.T) {
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
		got, bounded := AfterPrefix(prefix)
		expect.Equal(t, got, want, "%q", prefix)
		expect.Equal(t, bounded, want != "", "%q: whether there is one", prefix)
	}
}
