package schema

import (
	"testing"

	"resellerd/test/require"
)

// TestTheRecordedDigestIsThatOfTheSchema, by which a file that is as it should be is known at once.
func TestTheRecordedDigestIsThatOfTheSchema(t *testing.T) {
	newest, err := Present.Newest()
	require.NoError(t, err)
	made, err := Present.made(newest)
	require.NoError(t, err)
	if got := made.digest(); got != presentDigest {
		t.Errorf("the schema has the digest %s, recorded is %s", got, presentDigest)
	}
}
