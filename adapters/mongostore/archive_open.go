package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/ports"
)

var _ ports.OpenArchive = (*Archive)(nil)

// Archive is a ports.OpenArchive on the database of a store.
type Archive struct{ *database }

// OpenReadOnly opens the store in the database that a connection string names and sends no command that writes: for the
// database's user the role read on it is enough. A database of another schema is refused.
func OpenReadOnly(ctx context.Context, uri string) (a *Archive, err error) {
	err = connected(ctx, uri, options.Client(), func(db *database) (keep bool, err error) {
		looking, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		var version, from int64
		err = retry(looking, func() error {
			version, from, err = versions(looking, db.db.Collection(settingsName), released.newest())
			return err
		})
		switch {
		case err != nil:
		case version == 0:
			err = errNoStore
		case from != 0:
			err = ErrOlder
		}
		a = &Archive{db}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Close implements ports.OpenArchive.
func (a *Archive) Close() error { return a.close(func() {}) }
