package mongostore_test

import (
	"os"
	"sync"
	"testing"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/mongotest"
	"resellerd/test/storetest"
)

func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }

func TestStorePassesTheSuite(t *testing.T) {
	mongotest.Available(t)
	var addresses sync.Map
	open := func(t storetest.T, uri string) ports.Store {
		t.Helper()
		s, err := mongostore.Open(t.Context(), uri)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		addresses.Store(s, uri)
		return s
	}
	subject := storetest.Subject{
		Open: func(t storetest.T) ports.Store { return open(t, mongotest.URI(t)) },
		Reopen: func(t storetest.T, old ports.Store) ports.Store {
			uri, _ := addresses.Load(old)
			return open(t, uri.(string))
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
