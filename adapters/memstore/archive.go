package memstore

import (
	"context"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/ports"
)

// ViewRecords implements ports.Archive.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	r := s.committed.Load()
	return look(ctx, archived{audit{r}, exporter{r, &s.ids}})
}

// archived implements ports.Records.
type archived struct {
	audit
	exporter
}

// exporter implements part of ports.Records.
type exporter struct {
	*records
	ids *ids
}

// Origin implements ports.Records.
func (e exporter) Origin(context.Context) (ports.Origin, error) {
	origin := ports.Origin{Next: e.ids.next(), EarlierKeys: e.earlierKeys}
	if e.fingerprint != nil {
		origin.Fingerprint = *e.fingerprint
	}
	return origin, nil
}

// Totals implements ports.Records.
func (e exporter) Totals(ctx context.Context) (credit.Totals, error) { return e.totals(), ctx.Err() }

// Unfinished implements ports.Records.
func (e exporter) Unfinished(context.Context) (bool, error) { return e.copying != nil, nil }

// KeyRecords implements ports.Records.
func (e exporter) KeyRecords(_ context.Context, reseller int64, key string,
	limit int) (page []ports.KeyRecord, err error) {
	for _, k := range e.keys.from(next(keyName(reseller, key))) {
		if len(page) >= limit {
			break
		}
		page = append(page, storekit.CloneKey(k))
	}
	return page, nil
}
