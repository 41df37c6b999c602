package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

var _ ports.OpenArchive = (*Archive)(nil)

// Archive is a ports.OpenArchive on the database of a store.
type Archive struct {
	db    *mongo.Database
	users storekit.Gate
}

// OpenReadOnly opens the store in the database that a connection string names and sends no command that writes: for the
// database's user the role read on it is enough. A database of an older schema is read as it is, with what it lacks
// empty, and one of a later version is refused.
func OpenReadOnly(ctx context.Context, uri string) (a *Archive, err error) {
	err = connected(ctx, uri, options.Client(), func(db *mongo.Database) (keep bool, err error) {
		looking, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		var version int64
		err = retry(looking, func() error {
			version, err = versionOf(looking, db, schemaVersion)
			return err
		})
		if err == nil && version == 0 {
			err = errNoStore
		}
		a = &Archive{db: db}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// ViewRecords implements ports.Archive. The snapshot is taken at the first read.
func (a *Archive) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return viewOf(ctx, a.db, &a.users, func(v *view) error { return look(ctx, v.archived()) })
}

// Close implements ports.OpenArchive.
func (a *Archive) Close() error {
	if !a.users.Shut() {
		return nil
	}
	if err := disconnect(context.Background(), a.db.Client()); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return nil
}
