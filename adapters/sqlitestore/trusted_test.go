package sqlitestore_test

import (
	"testing"

	"resellerd/adapters/sqlitestore"
)

// TestConnectionsTrustNoSchema asks a connection that writes, and one that reads.
func TestConnectionsTrustNoSchema(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	check := func(c sqlitestore.Raw) error {
		var trusted int
		must(t, c.Ask("PRAGMA trusted_schema", &trusted))
		wantEqual(t, trusted, 0, "trusted_schema")
		return nil
	}
	must(t, s.OnWriter(check))
	must(t, s.OnReader(check))
}
