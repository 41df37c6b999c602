package storekit

import (
	"testing"

	"resellerd/test/expect"
)

func TestAfterPrefixIsTheNextText(t *testing.T) {
	for prefix, want := range map[string]string{
		"":            "",
		"a":           "b",
		"é":           "ê",
		"\ud7ff":      "\ue000",
		"a\U0010ffff": "b",
		"\U0010ffff":  "",
	} {
		got, bounded := AfterPrefix(prefix)
		expect.Equal(t, got, want, "%q", prefix)
		expect.Equal(t, bounded, want != "", "%q: whether there is one", prefix)
	}
}
