package mongostore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// The collections.
const (
	resellersName     = "accounts"
	resellerNamesName = "account_names"
	linesName         = "lines"
	lineNamesName     = "line_names"
	tombstonesName    = "tombstones"
	movementsName     = "movements"
	keysName          = "idempotency"
	sequencesName     = "sequences"
	settingsName      = "settings"
	recordsName       = "records"
	recordIndexName   = "record_index"
	journalName       = "journal"
	pendingName       = "journal_pending"
	figuresName       = "figures"
	journalHeadName   = "journal_head"
)

// The collections of sessions before schema 4, where they became a kind.
const (
	sessionsName      = "sessions"
	sessionCountsName = "session_counts"
)

// Settings.
const (
	fingerprintSetting = "key-fingerprint"
	earlierKeysSetting = "earlier-keys" // what is needed of earlier service keys, if any
	schemaSetting      = "schema"
	copySetting        = "copy"             // while the store is an unfinished copy
	epochSetting       = "journal-epoch"    // the journal's epoch in force, once it has begun
	tombstonesSetting  = "tombstones-since" // instant in Unix milliseconds, if deletions have not always left tombstones
)

// recordCollections hold what users have made.
var recordCollections = []string{resellersName, resellerNamesName, linesName, lineNamesName, tombstonesName, movementsName, keysName, journalName, pendingName, figuresName}

// journalCollections hold the journal and what it adds up to.
var journalCollections = []string{journalName, pendingName, figuresName, journalHeadName}

// kindCollections hold records of kinds, not all of which a copy has.
var kindCollections = []string{recordsName, recordIndexName}

// schemaVersion is what this version of the program writes. A change of the schema only adds to it: collections, fields
// that older records lack, indexes. Existing documents stay as they are. In version 1 a deletion leaves no tombstone,
// before version 5 sessions, since version 3, are collections of their own; before version 6 there is no journal; each
// other one has a field that the lists name.
const schemaVersion int64 = 11

const (
	withoutJournal    = 5
	withoutKinds      = 4
	withoutTombstones = 1
	withExternalIDs   = 4
	withSuspensions   = 8
	withOrigins       = 9
	withNames         = 10
)

type (
	// settingDocument is a fact about the whole store.
	settingDocument struct {
		Name  string `bson:"_id"`
		Value string `bson:"value"`
	}
	// sequenceDocument counts the ids of a sequence that were given.
	sequenceDocument struct {
		Name  string `bson:"_id"`
		Given int64  `bson:"given"`
	}
)

// Indexes by what they are for. An index over path has an entry for each reseller
// from the owner up to the root, so that a whole tree is one range.
var (
	byName = keyPattern("username_key")

	childrenByID     = keyPattern("parent", "_id")
	resellerTreeByID = keyPattern("path", "_id")
	ownedByID        = keyPattern("owner", "_id")
	ownedByExpiry    = keyPattern("owner", "expires_at", "_id")
	lineTreeByID     = keyPattern("path", "_id")
	lineTreeByExpiry = keyPattern("path", "expires_at", "_id")
	allByExpiry      = keyPattern("expires_at", "_id")
	ownedByName      = keyPattern("owner", "username_key", "_id")
	lineTreeByName   = keyPattern("path", "username_key", "_id")

	// The first makes external ids unique, and begins with the shard key that lines may have; the second finds them in
	// a tree.
	ownedByExternalID = keyPattern("owner", externalID)
	byExternalID      = keyPattern(externalID, "_id")

	bySuspended  = keyPattern(suspendedName, "_id")
	bySuspending = keyPattern(suspendsName, "_id")
	byOrigin     = keyPattern(originName, "_id")

	bySource  = keyPattern("source.account", "source.seq")
	byTarget  = keyPattern("target.account", "target.seq")
	keyExpiry = keyPattern("expires")

	eventLists  = keyPattern("lists", "_id")
	byMovement  = keyPattern("movement")
	byMovements = keyPattern("movements")
)

const seqName = "seq"

const externalID = "external_id"

// Few records have these fields, which are absent from all others.
const (
	suspendedName = "suspended"
	suspendsName  = "block_suspends"
	originName    = "origin"
)

// keyPattern is an index in ascending order.
func keyPattern(fields ...string) bson.D {
	var d bson.D
	for _, f := range fields {
		d = append(d, bson.E{Key: f, Value: int32(1)})
	}
	return d
}

// collection describes the documents and indexes of a collection.
type collection struct {
	name    string
	schema  bson.D
	indexes []index
	// listed describes, instead of schema, the listed fields as a version of this program writes them.
	listed func(version int64) bson.D
}

// index is an index, restricted to documents with a field if one is named.
type index struct {
	keys   bson.D
	of     string
	unique bool  // no two documents have the same
	since  int64 // the first version that makes it, 0: the first
}

// whole is an index of every document.
func whole(keys bson.D) index { return index{keys: keys} }

// postings finds the movements of a reseller by their numbers. It does not make them unique, so that movements can be
// sharded by any key: they are unique since each movement of a reseller writes the reseller's record.
func postings(keys bson.D) index { return index{keys: keys, of: keys[0].Key} }

// model is made for each use: the driver writes into it.
func (i index) model() mongo.IndexModel {
	m := mongo.IndexModel{Keys: i.keys}
	if i.of != "" {
		m.Options = options.Index().SetPartialFilterExpression(present(i.of))
	}
	if i.unique {
		m.Options.SetUnique(true)
	}
	return m
}

// present filters the documents that have a field.
func present(field string) bson.D {
	return bson.D{{Key: field, Value: bson.D{{Key: "$exists", Value: true}}}}
}

var collections = []collection{
	{
		name:    resellersName,
		listed:  versionedSchema(fields.Reseller),
		indexes: []index{whole(byName), whole(childrenByID), whole(resellerTreeByID), {keys: bySuspending, of: suspendsName, since: withSuspensions}},
	},
	{name: resellerNamesName, schema: object(is("_id", text), is("holder", positive))},
	{
		name:   linesName,
		listed: versionedSchema(fields.Line),
		indexes: []index{
			whole(byName), whole(ownedByID), whole(ownedByExpiry), whole(lineTreeByID), whole(lineTreeByExpiry), whole(allByExpiry),
			{keys: ownedByExternalID, of: externalID, unique: true, since: withExternalIDs}, {keys: byExternalID, of: externalID, since: withExternalIDs},
			{keys: bySuspended, of: suspendedName, since: withSuspensions}, {keys: byOrigin, of: originName, since: withOrigins},
			{keys: ownedByName, since: withNames}, {keys: lineTreeByName, since: withNames},
		},
	},
	{name: lineNamesName, schema: object(is("_id", text), is("holder", positive))},
	{name: tombstonesName, listed: schemaOf(fields.Tombstone)},
	{
		name:    movementsName,
		listed:  schemaOf(fields.Movement),
		indexes: []index{postings(bySource), postings(byTarget)},
	},
	{
		name: keysName,
		schema: object(
			is("_id", object(is("account", positive), is("key", text))),
			is("request", binary), is("status", natural), is("body", binary), is("expires", date),
		),
		indexes: []index{whole(keyExpiry)},
	},
	{
		name:   recordsName,
		schema: object(is("_id", object(is("kind", text), is("key", text))), is("payload", text), is("version", positive)),
	},
	{name: recordIndexName, schema: object(is("_id", text), is("key", text))},
	{
		name: journalName,
		schema: object(
			is("_id", positive), is("epoch", text), is("hash", binary),
			is("type", text), is("at", date), is("lists", arrayOf(text)), may("movement", positive), is("payload", text),
		),
		indexes: []index{whole(eventLists), {keys: byMovement, of: "movement", unique: true}},
	},
	{
		name: pendingName,
		schema: object(
			is("_id", binary), is("entries", arrayOf(object(is("type", text), is("at", date), is("payload", text), may("begins", text)))),
			may("movements", arrayOf(positive)),
		),
		indexes: []index{{keys: byMovements, of: "movements", unique: true}},
	},
	{
		name: figuresName,
		schema: object(
			is("_id", object(is("account", positive), is("day", date))),
			is("activations", natural), is("extensions", natural), is("received", sumOfCredits), is("spent", sumOfCredits), is("trials", natural),
		),
	},
	{
		name: journalHeadName,
		schema: object(
			is("_id", text), is("epoch", text), is(seqName, natural), is("hash", binary),
			is("term", natural), is("holder", text), is("until", date), may("session", binary),
		),
	},
	{name: sequencesName, schema: object(is("_id", text), is("given", positive))},
	{name: settingsName, schema: object(is("_id", text), is("value", text))},
}

// Parts of $jsonSchema.
var (
	text     = bson.D{{Key: "bsonType", Value: "string"}}
	truth    = bson.D{{Key: "bsonType", Value: "bool"}}
	date     = bson.D{{Key: "bsonType", Value: "date"}}
	binary   = bson.D{{Key: "bsonType", Value: "binData"}}
	natural  = bson.D{{Key: "bsonType", Value: "long"}, {Key: "minimum", Value: int64(0)}}
	positive = bson.D{{Key: "bsonType", Value: "long"}, {Key: "minimum", Value: int64(1)}}
	// sumOfCredits has no bound above: it is of any number of amounts.
	sumOfCredits = bson.D{{Key: "bsonType", Value: "decimal"}, {Key: "minimum", Value: creditsOf(credit.Amount{})}}
	side         = object(
		may("system", oneOf("issuance", "consumption")),
		may("account", positive), may("seq", positive), may("balance", amount(0, credit.MaxBalance())), may("link", binary),
	)
)

// versionedSchema describes documents with the listed fields and a version.
func versionedSchema[R any](list fields.List[R]) func(version int64) bson.D {
	return schemaOf(list, is(versionName, positive))
}

// schemaOf describes documents with the listed fields, and then more, as each version of this program does.
func schemaOf[R any](list fields.List[R], more ...property) func(version int64) bson.D {
	return func(int64) bson.D {
		var properties, nested []property
		for i := range list.Fields {
			f := &list.Fields[i]
			within, name := path(i, f)
			described := []property{{name, schemaOfField(f), !f.Nullable && !f.Optional}}
			if _, named := f.At(new(R)).(*profile.Username); named {
				described = append(described, is(name+nameKey, text))
			}
			if within == "" {
				properties = append(properties, described...)
				continue
			}
			nested = append(nested, described...)
			if last := i == len(list.Fields)-1; last || !strings.HasPrefix(list.Fields[i+1].Name, within+".") {
				properties, nested = append(properties, is(within, object(nested...))), nil
			}
		}
		return object(append(properties, more...)...)
	}
}

// schemaOfField describes a field's member of a document.
func schemaOfField[R any](f *fields.Field[R]) bson.D {
	at := f.At(new(R))
	switch at.(type) {
	case *int64:
		return bson.D{{Key: "bsonType", Value: "long"}, {Key: "minimum", Value: f.Least}}
	case *bool:
		return truth
	case *time.Time:
		return date
	case *credit.Amount:
		return amount(f.Least, f.Most)
	case *reseller.Role:
		return oneOf(reseller.Admin.String(), reseller.Master.String(), reseller.Standard.String())
	case *line.Origin:
		return oneOf(string(line.Imported))
	case *profile.Username:
		return text
	case *reseller.Position:
		return arrayOf(positive)
	case *[]reseller.TrialSlot:
		return arrayOf(object(is("start", date), is("count", natural)))
	case *storekit.Side:
		return side
	case *line.Metadata:
		return bson.D{{Key: "bsonType", Value: "object"}, {Key: "additionalProperties", Value: text}}
	}
	if _, is := fields.TextAt(at); is {
		return text
	}
	return binary
}

// amount is a decimal between these, in ten-thousandths and in credits: the server
// itself refuses an overdraft, a double and a missing balance.
func amount(leastUnits int64, most credit.Amount) bson.D {
	least, err := credit.FromUnits(leastUnits)
	if err != nil {
		panic(err) // all callers pass 0 or 1
	}
	return bson.D{{Key: "bsonType", Value: "decimal"}, {Key: "minimum", Value: creditsOf(least)}, {Key: "maximum", Value: creditsOf(most)}}
}

func oneOf(words ...string) bson.D { return bson.D{{Key: "enum", Value: words}} }

func arrayOf(items bson.D) bson.D {
	return bson.D{{Key: "bsonType", Value: "array"}, {Key: "items", Value: items}}
}

type property struct {
	name     string
	schema   bson.D
	required bool
}

func is(name string, schema bson.D) property  { return property{name, schema, true} }
func may(name string, schema bson.D) property { return property{name, schema, false} }

// object has these properties and no others.
func object(properties ...property) bson.D {
	var described bson.D
	required := []string{}
	for _, p := range properties {
		described = append(described, bson.E{Key: p.name, Value: p.schema})
		if p.required {
			required = append(required, p.name)
		}
	}
	d := bson.D{{Key: "bsonType", Value: "object"}, {Key: "additionalProperties", Value: false}, {Key: "properties", Value: described}}
	if len(required) > 0 { // the server takes no empty list
		d = append(d, bson.E{Key: "required", Value: required})
	}
	return d
}

// ErrNewer refuses a database of a later version.
var ErrNewer = errors.New("the database was made by a newer version of this program: run that version")

// ErrForeign refuses a database of another program.
var ErrForeign = errors.New("the database holds collections of another program: name a database of its own in the address")

// prepare makes the missing collections, validators and indexes, and refuses a database with alterations that it can't
// restore. Several processes may do so at once, at each start.
//
// For an older schema that takes as long as building the indexes, which ctx does not bound and unbounded may end. The
// new version is set last, so that the next start after an interruption goes on.
func prepare(ctx, unbounded context.Context, db *mongo.Database, newest int64, migrating ports.Migrating) error {
	version, err := versionOf(ctx, db.Collection(settingsName), newest) // first: what another process makes meanwhile only adds to it
	if err != nil {
		return err
	}
	found, err := validators(ctx, db)
	if err == nil && version > 0 {
		err = refuseAltered(unbounded, db, version, found)
	}
	switch {
	case err != nil:
		return err
	case version == 0:
		if err := refuseOthers(found); err != nil {
			return err
		}
	case version < newest:
		ended := migrating(version, newest, nil)
		err := makeAll(unbounded, db, found, version, newest)
		ended(err)
		return err
	}
	return makeAll(ctx, db, found, 0, newest)
}

func makeAll(ctx context.Context, db *mongo.Database, found map[string]bson.Raw, from, to int64) error {
	if from == withoutTombstones {
		if err := sinceNow(ctx, db, to); err != nil {
			return err
		}
	}
	for i := range collections { // the settings first: they mark the database as ours
		if err := collections[len(collections)-1-i].prepare(ctx, db, found); err != nil {
			return err
		}
	}
	if from > 0 && from <= withoutKinds {
		if err := carrySessions(ctx, db); err != nil {
			return fmt.Errorf("carry sessions over: %w", err)
		}
	}
	return setVersion(ctx, db, from, to)
}

// versionOf returns that of the schema, 0 if there is none yet, or ErrNewer.
func versionOf(ctx context.Context, settings *mongo.Collection, newest int64) (int64, error) {
	var version settingDocument
	err := settings.FindOne(ctx, byID(schemaSetting)).Decode(&version)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseInt(version.Value, 10, 64)
	if err != nil || number < 1 || number > newest {
		return 0, fmt.Errorf("%w (schema %s, this version knows %d)", ErrNewer, version.Value, newest)
	}
	return number, nil
}

// setVersion replaces that of the schema, unless another process was first.
func setVersion(ctx context.Context, db *mongo.Database, from, to int64) error {
	which, operator := byID(schemaSetting), "$setOnInsert"
	if from > 0 {
		which, operator = with(which, "value", strconv.FormatInt(from, 10)), "$set"
	}
	_, err := db.Collection(settingsName).UpdateOne(ctx, which,
		bson.D{{Key: operator, Value: bson.D{{Key: "value", Value: strconv.FormatInt(to, 10)}}}}, options.UpdateOne().SetUpsert(from == 0))
	if mongo.IsDuplicateKeyError(err) {
		return nil
	}
	return err
}

// sinceNow records that deletions leave tombstones from now on, if there were movements before. An interrupted start
// leaves the version as it was, and the next one records the instant again; if another process has finished meanwhile,
// that one has recorded it.
func sinceNow(ctx context.Context, db *mongo.Database, newest int64) error {
	moved, err := exists(ctx, db.Collection(movementsName), bson.D{})
	if err != nil || !moved {
		return err
	}
	if version, err := versionOf(ctx, db.Collection(settingsName), newest); err != nil || version != withoutTombstones {
		return err
	}
	return put(ctx, db.Collection(settingsName), tombstonesSetting, settingDocument{tombstonesSetting, strconv.FormatInt(time.Now().UnixMilli(), 10)})
}

// refuseOthers returns ErrForeign for collections that an interrupted first start has not made.
func refuseOthers(found map[string]bson.Raw) error {
	others := maps.Clone(found)
	for _, c := range collections {
		validator, err := c.validator(schemaVersion)
		if err != nil {
			return err
		}
		if bytes.Equal(found[c.name], validator) {
			delete(others, c.name)
		}
	}
	if len(others) > 0 {
		return ErrForeign
	}
	return nil
}

// validator returns the validator of a version of this program.
func (c collection) validator(version int64) (bson.Raw, error) {
	return bson.Marshal(bson.D{{Key: "$jsonSchema", Value: c.schemaOf(version)}})
}

func (c collection) schemaOf(version int64) bson.D {
	if c.listed != nil {
		return c.listed(version)
	}
	return c.schema
}

// validators returns the validator of each existing collection, an empty one if it is not enforced.
func validators(ctx context.Context, db *mongo.Database) (map[string]bson.Raw, error) {
	cursor, err := db.ListCollections(ctx, bson.D{{Key: "name", Value: bson.D{{Key: "$not", Value: bson.Regex{Pattern: `^system\.`}}}}})
	if err != nil {
		return nil, err
	}
	found := map[string]bson.Raw{}
	var all []struct {
		Name    string
		Options struct {
			Validator                         bson.Raw
			ValidationLevel, ValidationAction string
		}
	}
	if err := cursor.All(ctx, &all); err != nil {
		return nil, err
	}
	for _, c := range all {
		found[c.Name] = bson.Raw{}
		if cmp.Or(c.Options.ValidationLevel, "strict") == "strict" && cmp.Or(c.Options.ValidationAction, "error") == "error" {
			found[c.Name] = append(found[c.Name], c.Options.Validator...)
		}
	}
	return found, nil
}

func (c collection) prepare(ctx context.Context, db *mongo.Database, found map[string]bson.Raw) error {
	validator, err := c.validator(schemaVersion)
	if err != nil {
		return err
	}
	present, there := found[c.name]
	if !there {
		err := db.CreateCollection(ctx, c.name, options.CreateCollection().SetValidator(validator))
		if server, ok := errors.AsType[mongo.ServerError](err); ok && server.HasErrorCode(namespaceExists) {
			err = nil // another process was first
		}
		if err != nil {
			return fmt.Errorf("make the collection %s: %w", c.name, err)
		}
	} else if !bytes.Equal(present, validator) {
		if err := modify(ctx, db, bson.D{
			{Key: "collMod", Value: c.name}, {Key: "validator", Value: validator}, {Key: "validationLevel", Value: "strict"}, {Key: "validationAction", Value: "error"},
		}); err != nil {
			return fmt.Errorf("set the validator of %s: %w", c.name, err)
		}
	}
	if len(c.indexes) == 0 {
		return nil
	}
	models := make([]mongo.IndexModel, len(c.indexes))
	for i, index := range c.indexes {
		models[i] = index.model()
	}
	// A majority is enough: by default a member that is down would delay the start.
	if _, err := db.Collection(c.name).Indexes().CreateMany(ctx, models, options.CreateIndexes().SetCommitQuorumMajority()); err != nil {
		return fmt.Errorf("make the indexes of %s: %w", c.name, err)
	}
	return nil
}

// backgroundOperation is the server's code for a collection that can't be modified while an index of it is built.
const backgroundOperation = 12587

// modify changes a collection, once no index of it is built: another process that starts at the same time may do so.
func modify(ctx context.Context, db *mongo.Database, command bson.D) error {
	for {
		err := db.RunCommand(ctx, command).Err()
		if server, ok := errors.AsType[mongo.ServerError](err); !ok || !server.HasErrorCode(backgroundOperation) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
