package schema

import "testing"

// TestTheRecordedDigestIsThatOfTheSchema, by which a file that is as it should be is known at once.
func TestTheRecordedDigestIsThatOfTheSchema(t *testing.T) {
	newest, err := Present.Newest()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Present.made(newest)
	if err != nil {
		t.Fatal(err)
	}
	if got := made.digest(); got != presentDigest {
		t.Errorf("the schema has the digest %s, recorded is %s", got, presentDigest)
	}
}
