package schema

import (
	"slices"
	"testing"
)

// TestTheRecordedDigestIsThatOfTheSchema, by which a file that is as it should be is known at once.
func TestTheRecordedDigestIsThatOfTheSchema(t *testing.T) {
	known, err := Present.Versions()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Present.parts(slices.Max(known))
	if err != nil {
		t.Fatal(err)
	}
	if got := made.digest(); got != Present.digest {
		t.Errorf("the schema has the digest %s, recorded is %s", got, Present.digest)
	}
}
