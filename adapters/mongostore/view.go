package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// View implements ports.Store. The first read takes the snapshot.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.look(ctx, func(v *view) error {
		return look(ctx, ports.Snapshot{
			Resellers: resellerDirectory{v},
			Lines:     lineDirectory{v},
			Ledger:    statements{v},
			Keys:      keyReader{v},
			Journal:   events{v},
			Records:   recordReader{v},
		})
	})
}

// database is an open database.
type database struct {
	db    *mongo.Database
	seen  *watch
	users storekit.Gate
}

// ViewRecords implements ports.Archive. The first read takes the snapshot.
func (d *database) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return d.look(ctx, func(v *view) error { return look(ctx, archived{audit{v}, exporter{v}, statements{v}}) })
}

func (d *database) look(ctx context.Context, look func(*view) error) error {
	if err := d.users.Enter(ctx); err != nil {
		return err
	}
	defer d.users.Leave()
	if err := ctx.Err(); err != nil {
		return storekit.Unavailable("begin a view", err)
	}
	session, err := d.db.Client().StartSession(options.Session().SetSnapshot(true))
	if err != nil {
		return storekit.Unavailable("begin a view", err)
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	v := &view{db: d.db, seen: d.seen, session: session}
	defer func() { v.ended = true }()
	err = look(v)
	if v.failed != nil {
		return v.failed
	}
	return err
}

// close waits until all calls in progress have ended, runs end, and disconnects.
func (d *database) close(end func()) error {
	if !d.users.Shut() {
		return nil
	}
	end()
	if err := disconnect(context.Background(), d.db.Client()); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return nil
}

var errEnded = errors.New("a snapshot is used after its end")

// view reads one snapshot.
type view struct {
	db      *mongo.Database
	seen    *watch
	session *mongo.Session
	failed  error // the first read that failed
	walked  pendingEnd
	ended   bool
}

// read runs a query and returns all results, so the query must be bounded. It is retried while it may succeed: the
// snapshot does not change.
func (v *view) read(ctx context.Context, collection string,
	query func(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error)) (found []bson.Raw, err error) {
	err = v.within(ctx, collection, func(ctx context.Context, c *mongo.Collection) error {
		ctx, cancel := context.WithTimeout(ctx, v.seen.retryTime())
		defer cancel()
		return retry(ctx, func() error {
			return inStep(ctx, func(ctx context.Context) error {
				cursor, err := query(ctx, c)
				if err == nil {
					found, err = all(ctx, cursor)
				}
				return err
			})
		})
	})
	return found, err
}

// within runs do within the snapshot. After a failure every call fails.
func (v *view) within(ctx context.Context, collection string,
	do func(ctx context.Context, c *mongo.Collection) error) error {
	switch {
	case v.failed != nil:
		return v.failed
	case v.ended:
		return storekit.Unavailable("read", errEnded)
	}
	if err := do(mongo.NewSessionContext(ctx, v.session), v.db.Collection(collection)); err != nil {
		v.failed = v.seen.unavailable("read "+collection, errors.Join(ctx.Err(), err))
	}
	return v.failed
}

// batchSize makes a page come in one round trip, so that no cursor stays open.
const batchSize = 10_000

func (v *view) find(ctx context.Context, collection string, filter bson.D,
	o *options.FindOptionsBuilder) ([]bson.Raw, error) {
	return v.read(ctx, collection, func(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error) {
		return c.Find(ctx, filter, o.SetBatchSize(batchSize))
	})
}

func (v *view) aggregate(ctx context.Context, collection string, index bson.D, stages ...bson.D) ([]bson.Raw, error) {
	return v.read(ctx, collection, func(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error) {
		return c.Aggregate(ctx, stages, options.Aggregate().SetHint(index).SetBatchSize(batchSize))
	})
}

var onlyID = bson.D{{Key: "_id", Value: 1}}

// one reads the record with an _id, or returns fault.ErrNotFound.
func one[V any](ctx context.Context, v *view, collection string, s codec[V], id any) (record V, err error) {
	found, err := v.find(ctx, collection, byID(id), options.Find())
	switch {
	case err != nil:
		return record, err
	case len(found) == 0:
		return record, fault.ErrNotFound
	}
	record, _, err = s.read(found[0])
	if err != nil {
		err = fmt.Errorf("%s %v: %w", collection, id, err)
	}
	return record, err
}

// many decodes records. It returns the ids of damaged ones separately.
func many[V, R any](found []bson.Raw, s codec[V],
	restore func(V) (R, error)) (records []R, damaged []int64, err error) {
	records = make([]R, 0, len(found))
	for _, raw := range found {
		v, _, err := s.read(raw)
		var record R
		if err == nil {
			record, err = restore(v)
		}
		switch {
		case errors.Is(err, storekit.ErrDamaged):
			damaged = append(damaged, number(raw, "_id"))
		case err != nil:
			return nil, nil, fmt.Errorf("record %s: %w", raw.Lookup("_id"), err)
		default:
			records = append(records, record)
		}
	}
	return records, damaged, nil
}
