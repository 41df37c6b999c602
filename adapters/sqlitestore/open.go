package sqlitestore

import (
	"context"
	"fmt"
	"path/filepath"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/sqlitestore/walcheck"
	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// Open opens the store in the file at path and upgrades it to this version. If the file or its folder is missing, Open
// makes it, for the present user only. It refuses a file before it changes anything in it, with schema.ErrForeign,
// schema.ErrNewer, schema.ErrInUse, walcheck.ErrDamaged or walcheck.ErrOfAnother.
func Open(ctx context.Context, path string) (*Store, error) {
	return OpenMigrating(ctx, path, func(int64, int64, func() int64) func(error) { return func(error) {} })
}

// OpenMigrating works like Open, and reports the upgrade of an older file. An upgrade takes as long as it needs; the
// end of ctx undoes it. If migrating is nil, it refuses an older file with schema.ErrOlder.
func OpenMigrating(ctx context.Context, path string, migrating ports.Migrating) (*Store, error) {
	return openStore(ctx, path, schema.Present, migrating)
}

func openStore(ctx context.Context, path string, of schema.Schema, migrating ports.Migrating) (*Store, error) {
	engine.Opening.Lock()
	defer engine.Opening.Unlock()
	s, err := open(ctx, path, of, migrating)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", path, engine.Explained(path, true, err))
	}
	return s, nil
}

func open(ctx context.Context, path string, of schema.Schema, migrating ports.Migrating) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := walcheck.Owns(path); err != nil { // before there is a file to take it over
		return nil, err
	}
	if err := engine.MakeFile(path); err != nil {
		return nil, err
	}
	if err := inspect(path); err != nil {
		return nil, err
	}
	version, err := of.Newest()
	if err != nil {
		return nil, err
	}
	if err := of.UpToDate(ctx, path, migrating); err != nil {
		return nil, err
	}
	c := engine.NewCache()
	s := &Store{
		schema:    of,
		cache:     c,
		resellers: engine.NewTable(c, (MostCached-mostShared)/2, true, sizeOfReseller),
		lines:     engine.NewTable(c, (MostCached-mostShared)/2, false, sizeOfLine),
		shared:    sharedKinds(c),
		lists:     newLists(),
		appended:  new(appended),
		ends:      &ends{turn: make(chan struct{}, 1)},
	}
	s.ids = storekit.NewIDs(leastIDs, mostIDs, s.takeIDs)
	//nolint:contextcheck // what it opens outlives ctx
	s.db, err = engine.Open(path, version, c, walcheck.Check, s.lists, s.appended)
	return s, err
}

// inspect refuses a file whose WAL is damaged or belongs to another file, or whose index of the WAL is gone, before
// anything is changed.
func inspect(path string) error {
	if err := walcheck.Check(path); err != nil {
		return err
	}
	c, err := engine.OpenAlone(path)
	if err != nil {
		return schema.Foreign(err)
	}
	return c.Close()
}
