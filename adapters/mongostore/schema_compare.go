package mongostore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
)

// alteration is a difference from the schema that this program makes.
type alteration struct {
	of   collection
	said string
	// restorable is what Open restores: an index that only serves searches, or a validator that every document fits.
	restorable bool
	validator  bool
}

// alterations compares collections, validators and indexes with what a version of this program makes. Other
// collections, and indexes that are neither unique nor remove documents, are the operator's.
func alterations(ctx context.Context, db *mongo.Database, version int64, found map[string]bson.Raw) (all []alteration, err error) {
	for _, c := range collections {
		validator, err := c.validator(version)
		if err != nil {
			return nil, err
		}
		held, there := found[c.name]
		switch {
		case !there && version < c.since():
			continue
		case !there:
			all = append(all, alteration{of: c, said: fmt.Sprintf("the collection %s is missing", c.name)})
			continue
		case len(held) == 0:
			all = append(all, alteration{of: c, said: fmt.Sprintf("the validator of %s is missing, or not in force", c.name), validator: true})
		case !bytes.Equal(held, validator):
			all = append(all, alteration{of: c, said: fmt.Sprintf("the validator of %s is another", c.name), validator: true})
		}
		ofIndexes, err := c.indexAlterations(ctx, db, version)
		if err != nil {
			return nil, err
		}
		all = append(all, ofIndexes...)
	}
	return all, nil
}

// since is the first version that makes the collection.
func (c collection) since() int64 {
	switch {
	case slices.Contains(journalCollections, c.name):
		return withoutJournal + 1
	case slices.Contains(kindCollections, c.name):
		return withoutKinds + 1
	case c.name == tombstonesName:
		return withoutTombstones + 1
	}
	return 1
}

// storedIndex is an index as the server reports it. Its name and version, which do not matter, are left out.
type storedIndex struct {
	Name                    string
	Key                     bson.D
	Unique, Sparse, Hidden  bool
	PrepareUnique           bool
	ExpireAfterSeconds      any
	PartialFilterExpression bson.D
	Collation               bson.D
}

func (c collection) indexAlterations(ctx context.Context, db *mongo.Database, version int64) (all []alteration, err error) {
	cursor, err := db.Collection(c.name).Indexes().List(ctx)
	if err != nil {
		return nil, err
	}
	var found []storedIndex
	if err := cursor.All(ctx, &found); err != nil {
		return nil, err
	}
	for _, i := range c.indexes {
		if i.since > version {
			continue
		}
		var filter bson.D
		if i.of != "" {
			filter = present(i.of)
		}
		same := func(f storedIndex) bool { return sameKeys(f.Key, i.keys) }
		plain := func(f storedIndex) bool {
			return same(f) && f.harmless(i.unique) && !f.Sparse && !f.Hidden && len(f.Collation) == 0 && fmt.Sprint(f.PartialFilterExpression) == fmt.Sprint(filter)
		}
		if slices.ContainsFunc(found, plain) {
			continue
		}
		a := alteration{of: c, said: fmt.Sprintf("the index %s of %s is missing", namesOf(i.keys), c.name), restorable: true}
		if slices.ContainsFunc(found, same) {
			a.said, a.restorable = fmt.Sprintf("the index %s of %s is another: drop it, and the next start makes it again", namesOf(i.keys), c.name), false
		}
		all = append(all, a)
	}
	for _, f := range found {
		if !f.harmless(false) && !slices.ContainsFunc(c.indexes, func(i index) bool { return sameKeys(f.Key, i.keys) }) {
			all = append(all, alteration{of: c, said: fmt.Sprintf("the index %s of %s, which makes something unique or removes documents, is none of this program's", f.Name, c.name)})
		}
	}
	return all, nil
}

// harmless reports whether an index neither removes nor refuses documents, unless it has to be unique.
func (f storedIndex) harmless(unique bool) bool {
	return f.Unique == unique && !f.PrepareUnique && f.ExpireAfterSeconds == nil
}

// sameKeys compares the fields of two indexes and their directions, of any type of number.
func sameKeys(a, b bson.D) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func namesOf(keys bson.D) string {
	names := make([]string, 0, len(keys))
	for _, k := range keys {
		names = append(names, k.Key)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// refuseAltered returns a *ports.Altered for an alteration that Open can't undo: documents may violate a missing
// validator.
func refuseAltered(ctx context.Context, db *mongo.Database, version int64, found map[string]bson.Raw) error {
	all, err := alterations(ctx, db, version, found)
	if err != nil {
		return err
	}
	var refused []string
	for _, a := range all {
		if a.validator {
			stray, err := a.of.misfit(ctx, db)
			if err != nil {
				return err
			}
			if stray == "" {
				continue
			}
			a.said += ", and the document " + stray + " does not fit that of this program"
		}
		if !a.restorable {
			refused = append(refused, a.said)
		}
	}
	return storekit.Altered(refused, "keep a dump of the database; then restore a backup, or put it right while no process uses it, and run `resellerd audit`")
}

// misfit returns the id of a document that the validator would refuse, "" if there is none.
func (c collection) misfit(ctx context.Context, db *mongo.Database) (id string, err error) {
	found, err := db.Collection(c.name).FindOne(ctx, bson.D{{Key: "$nor", Value: bson.A{bson.D{{Key: "$jsonSchema", Value: c.schemaOf(schemaVersion)}}}}},
		options.FindOne().SetProjection(onlyID)).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for documents of %s that do not fit its validator: %w", c.name, err)
	}
	return found.Lookup("_id").String(), nil
}

// altered implements part of Derived.
func (v *view) altered(ctx context.Context) (differences []string, err error) {
	found, err := validators(ctx, v.db)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(ctx, v.db.Collection(settingsName), schemaVersion)
	if err != nil {
		return nil, err
	}
	all, err := alterations(ctx, v.db, version, found)
	for _, a := range all {
		differences = append(differences, a.said)
	}
	return differences, err
}
