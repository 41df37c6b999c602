package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// archived implements ports.Records.
type archived struct {
	audit
	exporter
	statements
}

// exporter implements part of ports.Records.
type exporter struct{ *view }

// Origin implements ports.Records.
func (e exporter) Origin(ctx context.Context) (ports.Origin, error) {
	key, err := e.serviceKey(ctx)
	origin := ports.Origin{Next: map[ports.Sequence]int64{}, Fingerprint: key.Fingerprint, EarlierKeys: key.Earlier}
	if err != nil {
		return origin, err
	}
	for _, of := range ports.Sequences() {
		found, err := e.find(ctx, sequencesName, byID(of.String()), options.Find())
		if err != nil {
			return origin, err
		}
		origin.Next[of] = 1
		for _, raw := range found {
			origin.Next[of] += number(raw, "given")
		}
	}
	return origin, nil
}

// Unfinished implements ports.Records.
func (e exporter) Unfinished(ctx context.Context) (bool, error) {
	found, err := e.find(ctx, settingsName, byID(copySetting), options.Find())
	return len(found) > 0, err
}

// KeyRecords implements ports.Records.
func (e exporter) KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]ports.KeyRecord, error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	found, err := e.find(ctx, keysName, byID(beyond(keyID{reseller, key})),
		options.Find().SetSort(onlyID).SetLimit(int64(limit)))
	if err != nil {
		return nil, err
	}
	records, damaged, err := many(found, keyCodec, plain)
	if len(damaged) > 0 {
		err = fmt.Errorf("%w: the answer of an account under a key", storekit.ErrDamaged)
	}
	return records, err
}

var _ ports.OpenArchive = (*Archive)(nil)

// Archive is a ports.OpenArchive on the database of a store.
type Archive struct{ *database }

// OpenReadOnly opens the store in the database that a connection string names. It sends no command that writes: the
// role read is enough for the database's user. It refuses a database with another schema.
func OpenReadOnly(ctx context.Context, uri string) (a *Archive, err error) {
	err = connected(ctx, uri, options.Client(), func(db *database) (keep bool, err error) {
		looking, cancel := context.WithTimeout(ctx, retryTime)
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
