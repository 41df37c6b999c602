package mongostore

import (
	"cmp"
	"context"
	"crypto/rand"
	bigendian "encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore/gather"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// journaling is the state of a process that appends to the journal.
type journaling struct {
	entries *gather.Kind[int64, pendingEntry]
	named   *gather.Kind[int64, int64] // the movements that numbered entries name
	epochs  *gather.Kind[string, settingDocument]
	count   atomic.Int64 // of the entries that this process has appended
	begun   atomic.Bool  // a commit has confirmed that the journal has an epoch
}

func newJournaling(db *mongo.Database) *journaling {
	settings := collectionOf[string, settingDocument]{Collection: db.Collection(settingsName), codec: settingCodec}
	var process [8]byte
	_, _ = rand.Read(process[:]) // it never fails
	return &journaling{
		entries: gather.NewKind[int64](entryWriter{
			collectionOf[int64, pendingEntry]{Collection: db.Collection(pendingName)}, bigendian.BigEndian.Uint64(process[:]),
		}),
		named:  gather.NewKind[int64](namingReader{collectionOf[int64, int64]{Collection: db.Collection(journalName)}}),
		epochs: gather.NewKind[string](settings),
	}
}

var settingCodec = asWritten[settingDocument]()

// entries implements ports.Journal. It adds an entry without a number: numbers that each transaction assigns would make
// all transactions of all processes wait for each other. See sequencer.
type entries struct {
	transaction

	wrote *journaled
}

// journaled is the part of one run of work that concerns the journal. It is valid once the run is committed.
type journaled struct {
	begun    atomic.Bool // the journal has begun
	appended atomic.Bool // there is an entry
}

// Append implements ports.Journal.
func (j entries) Append(ctx context.Context, e journal.Entry) error {
	if !j.journal.begun.Load() {
		switch epoch, err := j.Epoch(ctx); {
		case err != nil:
			return err
		case epoch == "":
			return ports.ErrEpoch
		}
	}
	return j.add(e, "")
}

// Begin implements ports.Journal. Two concurrent calls both write the epoch, so one of them runs again and finds it.
func (j entries) Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error {
	switch epoch, err := j.Epoch(ctx); {
	case err != nil:
		return err
	case epoch != from:
		return ports.ErrEpoch
	}
	if err := j.journal.epochs.Put(j.run, epochSetting, settingDocument{epochSetting, string(to)}); err != nil {
		return err
	}
	j.wrote.begun.Store(true)
	return j.add(e, to)
}

// Epoch implements ports.Journal.
func (j entries) Epoch(context.Context) (journal.Epoch, error) {
	found, err := j.journal.epochs.Get(j.run, epochSetting)
	if errors.Is(err, fault.ErrNotFound) {
		return "", nil
	}
	if err == nil {
		j.wrote.begun.Store(true)
	}
	return journal.Epoch(found.Value), err
}

// add adds an entry. The work of one transaction runs sequentially, so the counter orders its entries. No entry can
// name a movement that this transaction adds; for any other movement the numbered entries are read.
func (j entries) add(e journal.Entry, begins journal.Epoch) error {
	if m := movementOf(&e); m != 0 {
		if !j.movements.Added(j.run, m) {
			j.journal.named.Want(j.run, m)
		}
		if err := j.journal.named.Insert(j.run, m, 0, errNamed); err != nil {
			return err
		}
	}
	payload, err := storekit.EncodeEntry(&e)
	if err != nil {
		return err
	}
	j.wrote.appended.Store(true)
	added := pendingEntry{Entry: storekit.CloneEntry(journal.Numbered{Entry: e}).Entry, payload: payload, begins: begins}
	return j.journal.entries.Put(j.run, j.journal.count.Add(1), added)
}

var errNamed = errors.New("append to the journal: an entry names its movement already")

// namingReader implements gather.Collection for the movements that entries name. It reads the movements of numbered
// entries. It writes nothing, because the entries of the transaction contain their movements.
type namingReader struct{ collectionOf[int64, int64] }

// Write implements gather.Collection.
func (namingReader) Write(context.Context, []gather.Change[int64, int64]) error { return nil }

// Query implements gather.Collection.
func (c namingReader) Query(movements []int64, found func(int64, gather.Stored[int64])) gather.Query {
	return query{c.Name(), bson.A{stage("$match", naming(movements)), stage("$project", byMovement)},
		func(raw bson.Raw) error {
			found(number(raw, "movement"), gather.Stored[int64]{Value: number(raw, "_id")})
			return nil
		}}
}

// entryWriter implements gather.Collection for entries, which are never changed or removed.
type entryWriter struct {
	collectionOf[int64, pendingEntry]

	process uint64 // random
}

// Query implements gather.Collection: the entries of an earlier attempt do not exist.
func (w entryWriter) Query([]int64, func(int64, gather.Stored[pendingEntry])) gather.Query {
	return nil
}

// Write implements gather.Collection. It stores the entries of a transaction in one document.
func (w entryWriter) Write(ctx context.Context, changes []gather.Change[int64, pendingEntry]) error {
	read := readTime(mongo.SessionFromContext(ctx))
	slices.SortFunc(changes, func(a, b gather.Change[int64, pendingEntry]) int { return cmp.Compare(a.Key, b.Key) })
	added := pendingEntries{position: positionOf(read, w.process, uint64(changes[0].Key))} //nolint:gosec // from 1 on
	for _, c := range changes {
		added.all = append(added.all, c.Value)
	}
	_, err := w.InsertOne(ctx, pendingCodec.write(added, 1))
	if err == nil {
		return nil
	}
	err = fmt.Errorf("write %s: %w", w.Name(), err)
	if refused, is := errors.AsType[mongo.WriteException](err); is && len(refused.WriteErrors) > 0 && !retryable(err) {
		return &gather.RefusedWrite{Err: err}
	}
	return err
}

// readTime returns an instant of the cluster's clock between the reads of the transaction and its commit. An update
// that has read the result of another one therefore has a later instant: the order of the positions of pending entries
// satisfies J4. Operation times may be a moment behind the data: they are used only until a new replica set signs its
// clock. The transaction has already read the version of the schema.
func readTime(session *mongo.Session) uint64 {
	read := *session.OperationTime()
	if t, i, said := session.ClusterTime().Lookup("$clusterTime", "clusterTime").TimestampOK(); said {
		read = bson.Timestamp{T: t, I: i}
	}
	return uint64(read.T)<<32 | uint64(read.I)
}

// events implements ports.Events. It reads only entries with numbers.
type events struct{ *view }

// Head implements ports.Events.
func (e events) Head(ctx context.Context) (journal.Head, error) { return e.head(ctx) }

func (v *view) head(ctx context.Context) (journal.Head, error) {
	found, err := v.find(ctx, journalHeadName, byID(headName), options.Find())
	if err != nil {
		return journal.Head{}, err
	}
	return headIn(found)
}

// List implements ports.Events.
func (e events) List(ctx context.Context, q ports.EventQuery) (page ports.EventPage, err error) {
	found, last, err := e.list(ctx, eventSearch(q))
	if err != nil {
		return page, err
	}
	if last != nil {
		page.Next = number(last, "_id")
	}
	page.Entries, page.Damaged, err = many(found, journalCodec, numberedOf)
	return page, err
}

func eventSearch(q ports.EventQuery) search {
	s := search{collection: journalName, index: onlyID, order: onlyID, limit: q.Limit,
		examined: storekit.Examined(q.Limit)}
	if q.Descending {
		s.order = bson.D{{Key: "_id", Value: int32(-1)}}
	}
	numbers := beyond(q.After)
	if q.Before != 0 {
		numbers = with(numbers, "$lt", q.Before)
	}
	for _, list := range storekit.ListsOf(q.Of) {
		s.index = eventLists
		s.ranges = append(s.ranges, bson.D{{Key: "lists", Value: listName(list)}, {Key: "_id", Value: numbers}})
	}
	if len(s.ranges) == 0 {
		s.ranges = []bson.D{byID(numbers)}
	}
	if len(q.Types) > 0 {
		names := make([]string, len(q.Types))
		for i, t := range q.Types {
			names[i] = t.String()
		}
		s.filters = bson.D{{Key: "type", Value: bson.D{{Key: "$in", Value: names}}}}
	}
	return s
}

// OfMovements implements ports.Events.
func (e events) OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	named := map[int64]journal.Numbered{}
	for asked := range slices.Chunk(ids, askedAtOnce) {
		found, err := e.find(ctx, journalName, naming(asked), options.Find())
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			n, _, err := journalCodec.read(raw)
			if err != nil {
				return nil, err
			}
			named[n.Movement.ID] = n.Numbered
		}
	}
	return named, nil
}

// naming filters the entries that name these movements.
func naming(movements []int64) bson.D {
	return bson.D{{Key: "movement", Value: bson.D{{Key: "$in", Value: movements}}}}
}

// Figures implements ports.Events.
func (e events) Figures(ctx context.Context, accounts []int64, from, to time.Time) (all []ports.DayFigures, err error) {
	accounts = slices.Compact(slices.Sorted(slices.Values(accounts)))
	for asked := range slices.Chunk(accounts, askedAtOnce) {
		ranges := make(bson.A, len(asked))
		for i, account := range asked {
			ranges[i] = byID(bson.D{{Key: "$gte", Value: figuresID{account, journal.DayOf(from)}},
				{Key: "$lt", Value: figuresID{account, journal.DayOf(to)}}})
		}
		found, err := e.find(ctx, figuresName, bson.D{{Key: "$or", Value: ranges}}, options.Find())
		if err != nil {
			return nil, err
		}
		if all, err = appendFigures(all, found); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func appendFigures(all []ports.DayFigures, found []bson.Raw) ([]ports.DayFigures, error) {
	for _, raw := range found {
		f, _, err := figuresCodec.read(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
