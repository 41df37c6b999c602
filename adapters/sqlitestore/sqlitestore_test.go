package sqlitestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/storetest"
)

func TestStorePassesTheSuite(t *testing.T) {
	storetest.RunAll(t, storetest.Kept(
		func(t storetest.T) string { return filepath.Join(t.TempDir(), "store.db") },
		func(ctx context.Context, path string) (ports.Store, error) { return sqlitestore.Open(ctx, path) },
	))
}
