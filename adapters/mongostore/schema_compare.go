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

// alteration is a difference from the schema of this program.
type alteration struct {
	of   collection
	said string
	// restorable alterations are restored by Open: an index that only serves searches, or a validator that every
	// document satisfies.
	restorable bool
	validator  bool
}

// alterations compares collections, validators and indexes with those of this program. Other collections belong to the
// operator, and so do indexes that are neither unique nor remove documents.
func alterations(ctx context.Context, db *mongo.Database, found map[string]bson.Raw) (all []alteration, err error) {
	for _, c := range collections {
		validator, err := c.validator()
		if err != nil {
			return nil, err
		}
		held, there := found[c.name]
		switch {
		case !there:
			all = append(all, alteration{of: c, said: fmt.Sprintf("the collection %s is missing", c.name)})
			continue
		case len(held) == 0:
			all = append(all, alteration{of: c, said: fmt.Sprintf("the validator of %s is missing, or not in force", c.name),
				validator: true})
		case !bytes.Equal(held, validator):
			all = append(all, alteration{of: c, said: fmt.Sprintf("the validator of %s differs", c.name), validator: true})
		}
		ofIndexes, err := c.indexAlterations(ctx, db)
		if err != nil {
			return nil, err
		}
		all = append(all, ofIndexes...)
	}
	return all, nil
}

// definition is the effect of an index: the documents that it finds, and its conditions on documents.
type definition struct {
	Key                     bson.D
	Unique, Sparse, Hidden  bool
	PrepareUnique           bool
	ExpireAfterSeconds      any
	PartialFilterExpression bson.D
	Collation               bson.D
}

// digest is the same for two indexes with the same effect.
func (d definition) digest() string { return fmt.Sprint(d) }

func (c collection) indexAlterations(ctx context.Context, db *mongo.Database) (all []alteration, err error) {
	cursor, err := db.Collection(c.name).Indexes().List(ctx)
	if err != nil {
		return nil, err
	}
	var found []struct {
		Name string
		Does definition `bson:",inline"`
	}
	if err := cursor.All(ctx, &found); err != nil {
		return nil, err
	}
	digests, keys := map[string]bool{}, map[string]bool{}
	for _, f := range found {
		digests[f.Does.digest()], keys[fmt.Sprint(f.Does.Key)] = true, true
	}
	for _, i := range c.indexes {
		wanted := definition{Key: i.keys, Unique: i.unique}
		if i.of != "" {
			wanted.PartialFilterExpression = present(i.of)
		}
		switch {
		case digests[wanted.digest()]:
		case keys[fmt.Sprint(i.keys)]:
			all = append(all,
				alteration{of: c,
					said: fmt.Sprintf("the index %s of %s differs: drop it, and the next start makes it again",
						namesOf(i.keys), c.name)})
		default:
			all = append(all, alteration{of: c, said: fmt.Sprintf("the index %s of %s is missing", namesOf(i.keys), c.name),
				restorable: true})
		}
	}
	for _, f := range found {
		ours := slices.ContainsFunc(c.indexes, func(i index) bool { return fmt.Sprint(f.Does.Key) == fmt.Sprint(i.keys) })
		if !ours && (f.Does.Unique || f.Does.PrepareUnique || f.Does.ExpireAfterSeconds != nil) {
			all = append(all,
				alteration{of: c,
					said: fmt.Sprintf(
						"the index %s of %s, which is unique or removes documents, does not belong to this program",
						f.Name, c.name)})
		}
	}
	return all, nil
}

func namesOf(keys bson.D) string {
	names := make([]string, 0, len(keys))
	for _, k := range keys {
		names = append(names, k.Key)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// refuseAltered returns a *ports.Altered for an alteration that Open can't undo: documents may violate a missing
// validator.
func refuseAltered(ctx context.Context, db *mongo.Database, found map[string]bson.Raw) error {
	all, err := alterations(ctx, db, found)
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
	return storekit.Altered(refused,
		"keep a dump of the database; then restore a backup, or correct it while no process uses it, and run `resellerd audit`")
}

// misfit returns the id of a document that the validator would refuse, "" if there is no such document.
func (c collection) misfit(ctx context.Context, db *mongo.Database) (id string, err error) {
	found, err := db.Collection(c.name).FindOne(ctx,
		bson.D{{Key: "$nor", Value: bson.A{bson.D{{Key: "$jsonSchema", Value: c.schema}}}}},
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
	all, err := alterations(ctx, v.db, found)
	for _, a := range all {
		differences = append(differences, a.said)
	}
	return differences, err
}
