package sqlitestore_test

import (
	"path/filepath"
	"sync"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/storetest"
)

func TestStorePassesTheSuite(t *testing.T) {
	var paths sync.Map
	open := func(t storetest.T, path string) ports.Store {
		t.Helper()
		s, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		paths.Store(s, path)
		return s
	}
	subject := storetest.Subject{
		Open: func(t storetest.T) ports.Store { return open(t, filepath.Join(t.TempDir(), "store.db")) },
		Reopen: func(t storetest.T, old ports.Store) ports.Store {
			path, _ := paths.Load(old)
			return open(t, path.(string))
		},
	}
	for name, suite := range map[string]func(t *testing.T){
		"store":   func(t *testing.T) { storetest.Run(t, subject) },
		"again":   func(t *testing.T) { storetest.Run(t, storetest.Rerunning(subject)) },
		"archive": func(t *testing.T) { storetest.RunArchive(t, subject) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each check has a store of its own
			suite(t)
		})
	}
}
