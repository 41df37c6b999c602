//go:build !plain

package sqlitestore_test

import (
	"testing"

	"resellerd/adapters/sqlitestore"
)

// TestConnectionsDefendTheSchema from statements, and from what somebody has put into it.
func TestConnectionsDefendTheSchema(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	check := func(c sqlitestore.Raw) error {
		var trusted int
		must(t, c.Ask("PRAGMA trusted_schema", &trusted))
		wantEqual(t, trusted, 0, "trusted_schema")
		var writable int
		must(t, c.Exec("PRAGMA writable_schema = ON"))
		must(t, c.Ask("PRAGMA writable_schema", &writable))
		wantEqual(t, writable, 0, "a defensive connection lets nobody write to the schema")
		return nil
	}
	must(t, s.OnWriter(check))
	must(t, s.OnReader(check))
}
