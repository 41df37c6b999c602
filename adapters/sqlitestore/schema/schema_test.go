package schema

import (
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"
)

// TestTheRecordedDigestIsThatOfTheSchema: by the digest an unchanged file is recognized at once.
func TestTheRecordedDigestIsThatOfTheSchema(t *testing.T) {
	newest, err := Present.Newest()
	require.NoError(t, err)
	made, err := Present.made(newest)
	require.NoError(t, err)
	expect.Equal(t, made.digest(), presentDigest, "the digest of the schema")
}
