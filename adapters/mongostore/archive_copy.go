package mongostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// copyTime bounds each step of a copy. A test may set another bound.
const copyTime = time.Minute

// BeginCopy implements ports.CopyTarget. It sets the mark of an unfinished copy and the fingerprint in one transaction.
// A claim of the key writes the fingerprint too, so the two always conflict.
func (s *Store) BeginCopy(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
	i := &importer{store: s, run: rand.Text(), keyless: origin.Fingerprint == ""}
	err := s.inTransaction(ctx, "begin a copy", func(ctx context.Context) error {
		unfinished, err := unfinishedCopy(ctx, s.db)
		if err != nil {
			return err
		}
		if !unfinished {
			if err := s.refuseRecords(ctx); err != nil {
				return err
			}
		} else if !restart {
			return ports.ErrUnfinishedCopy
		}
		settings := s.db.Collection(settingsName)
		if _, err := settings.DeleteMany(ctx, byIDs([]string{earlierKeysSetting, epochSetting})); err != nil {
			return err
		}
		written := map[string]string{copySetting: i.mark(), fingerprintSetting: origin.Fingerprint}
		if origin.EarlierKeys != "" {
			written[earlierKeysSetting] = origin.EarlierKeys
		}
		for name, value := range written {
			if err := put(ctx, settings, name, settingDocument{name, value}); err != nil {
				return err
			}
		}
		if err := s.sequencer.withhold(ctx); err != nil {
			return err
		}
		sequences := s.db.Collection(sequencesName)
		for of, next := range origin.Next {
			if next <= 1 {
				if _, err := sequences.DeleteOne(ctx, byID(of.String())); err != nil {
					return err
				}
			} else if err := put(ctx, sequences, of.String(), sequenceDocument{of.String(), next - 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.records.journal.begun.Store(false)
	s.growth.seen.Store(0)
	s.ids.Forget() // the ids that an unfinished copy has reserved
	for _, name := range slices.Concat(recordCollections, kindCollections) {
		for left := true; left; {
			if left, err = i.removeSome(ctx, name); err != nil {
				return nil, err
			}
		}
	}
	return i, nil
}

// removeSome removes a batch of the records of an earlier run, as a step of this run. It never removes records of a
// later run. It reports whether more may be left.
func (i *importer) removeSome(ctx context.Context, collection string) (left bool, err error) {
	const most = 1_000
	records := i.store.db.Collection(collection)
	err = i.step(ctx, "remove an unfinished copy", func(ctx context.Context, _ *mongo.Collection) error {
		cursor, err := records.Find(ctx, bson.D{},
			options.Find().SetProjection(onlyID).SetLimit(most).SetBatchSize(batchSize))
		if err != nil {
			return err
		}
		ids := make([]bson.RawValue, 0, most)
		err = visit(ctx, cursor, func(raw bson.Raw) error {
			ids = append(ids, slices.Clone(raw).Lookup("_id"))
			return nil
		})
		left = len(ids) == most
		if err != nil || len(ids) == 0 {
			return err
		}
		_, err = records.DeleteMany(ctx, byIDs(ids))
		return err
	})
	return left, err
}

// refuseRecords returns ports.ErrNotEmpty if the store was ever used.
func (s *Store) refuseRecords(ctx context.Context) error {
	type sign struct {
		collection string
		filter     bson.D
	}
	signs := []sign{{settingsName, byID(fingerprintSetting)}, {sequencesName, bson.D{}}}
	for _, name := range recordCollections {
		signs = append(signs, sign{name, bson.D{}})
	}
	for _, of := range ports.Kinds() {
		if of.Copied() {
			signs = append(signs, sign{recordsName, byID(ofKind(of, ""))})
		}
	}
	for _, sign := range signs {
		switch used, err := exists(ctx, s.db.Collection(sign.collection), sign.filter); {
		case err != nil:
			return err
		case used:
			return ports.ErrNotEmpty
		}
	}
	return nil
}

// unfinishedCopy reports whether the store is an unfinished copy.
func unfinishedCopy(ctx context.Context, db *mongo.Database) (bool, error) {
	return exists(ctx, db.Collection(settingsName), byID(copySetting))
}

// refuseUnfinishedCopy returns ports.ErrUnfinishedCopy if the store is an unfinished copy.
func (s *Store) refuseUnfinishedCopy(ctx context.Context) error {
	unfinished, err := unfinishedCopy(ctx, s.db)
	if err == nil && unfinished {
		err = ports.ErrUnfinishedCopy
	}
	return err
}

// put adds or replaces a document.
func put(ctx context.Context, c *mongo.Collection, id string, document any) error {
	_, err := c.ReplaceOne(ctx, byID(id), document, options.Replace().SetUpsert(true))
	return err
}

// inTransaction runs do in a transaction of its own, independent of the writer. It returns refusals unchanged.
func (s *Store) inTransaction(ctx context.Context, doing string, do func(ctx context.Context) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	ctx, cancel := context.WithTimeout(ctx, s.copyTime)
	defer cancel()
	err := s.transactions.Transact(ctx, func(ctx context.Context) error {
		if err := s.transactions.Read(ctx); err != nil {
			return err
		}
		return do(ctx)
	})
	if _, refusal := errors.AsType[*fault.Fault](err); err == nil || refusal {
		return err
	}
	return storekit.Unavailable(doing, err)
}

// importer implements ports.Importer.
type importer struct {
	store   *Store
	run     string // random, of this BeginCopy
	steps   int
	keyless bool
}

// mark returns the mark of an unfinished copy. Each step of the copy changes it, so that it conflicts with a BeginCopy
// that restarts the copy.
func (i *importer) mark() string { return fmt.Sprintf("%s/%d", i.run, i.steps) }

// step runs do as the next step of the copy.
func (i *importer) step(ctx context.Context, doing string,
	do func(ctx context.Context, settings *mongo.Collection) error) error {
	before := i.mark()
	i.steps++
	return i.store.inTransaction(ctx, doing, func(ctx context.Context) error {
		settings := i.store.db.Collection(settingsName)
		result, err := settings.ReplaceOne(ctx, with(byID(copySetting), "value", before),
			settingDocument{copySetting, i.mark()})
		switch {
		case err != nil:
			return err
		case result.MatchedCount == 0:
			return ports.ErrCopyEnded
		}
		return do(ctx, settings)
	})
}

// Copy implements ports.Importer.
func (i *importer) Copy(ctx context.Context, batch ports.Batch) error {
	var resellers, resellerNames, lines, lineNames, tombstones, movements, keys, records, entries []any
	for _, r := range batch.Resellers {
		s := r.State()
		resellers = append(resellers, resellerCodec.write(s, 1))
		resellerNames = append(resellerNames, nameCodec.write(holder{s.Username.Key(), s.ID}, 1))
	}
	for _, l := range batch.Lines {
		s := l.State()
		lines = append(lines, lineCodec.write(s, 1))
		lineNames = append(lineNames, nameCodec.write(holder{s.Username.Key(), s.ID}, 1))
	}
	for _, t := range batch.Tombstones {
		tombstones = append(tombstones, tombstoneCodec.write(t, 1))
	}
	for _, m := range batch.Movements {
		if _, _, err := storekit.Sides(m); err != nil {
			return err
		}
		movements = append(movements, movementCodec.write(m, 1))
	}
	for _, k := range batch.Keys {
		keys = append(keys, keyCodec.write(k, 1))
	}
	for _, k := range batch.Kinds {
		records = append(records, recordCodec.write(recordOf(k.Kind, k.Stored), 1))
		for _, e := range k.Entries {
			entries = append(entries, entryCodec.write(entry{e, k.Key}, 1))
		}
	}
	return i.step(ctx, "copy records", func(ctx context.Context, _ *mongo.Collection) error {
		if err := i.store.copyEntries(ctx, batch.Entries); err != nil {
			return err
		}
		for name, documents := range map[string][]any{
			resellersName: resellers, resellerNamesName: resellerNames, linesName: lines, lineNamesName: lineNames,
			tombstonesName: tombstones, movementsName: movements, keysName: keys, recordsName: records, recordIndexName: entries,
		} {
			if len(documents) == 0 {
				continue
			}
			if _, err := i.store.db.Collection(name).InsertMany(ctx, documents); err != nil {
				return err
			}
		}
		return nil
	})
}

// Finish implements ports.Importer.
func (i *importer) Finish(ctx context.Context) error {
	return i.step(ctx, "finish a copy", func(ctx context.Context, settings *mongo.Collection) error {
		over := []string{copySetting}
		if i.keyless {
			over = append(over, fingerprintSetting)
		}
		if _, err := settings.DeleteMany(ctx, byIDs(over)); err != nil {
			return err
		}
		return i.store.sequencer.free(ctx)
	})
}
