package sqlitestore_test

import (
	"context"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/storetest"
)

func TestStorePassesTheSuite(t *testing.T) {
	t.Parallel()
	subject := storetest.Kept(emptyStore,
		func(ctx context.Context, path string) (ports.Store, error) { return sqlitestore.Open(ctx, path) },
	)
	subject.Parallel = true
	storetest.RunAll(t, subject)
}
