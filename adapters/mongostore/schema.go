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

// Settings.
const (
	fingerprintSetting = "key-fingerprint"
	earlierKeysSetting = "earlier-keys" // the required parts of earlier service keys, if any
	schemaSetting      = "schema"
	upgradeSetting     = "schema-upgrade" // the schema whose step is next, while an upgrade is not finished
	copySetting        = "copy"           // while the store is an unfinished copy
	epochSetting       = "journal-epoch"  // the journal's epoch in force, once it has begun
)

// recordCollections contain the records of resellers and of the journal.
var recordCollections = []string{resellersName, resellerNamesName, linesName, lineNamesName, tombstonesName,
	movementsName, keysName, journalName, pendingName, figuresName}

// kindCollections contain records of kinds. A copy does not have all of them.
var kindCollections = []string{recordsName, recordIndexName}

// firstSchema is the schema without any step. Until the first release is tagged, a change edits that schema in place.
const firstSchema int64 = 1

// step changes data from the previous schema to the next one, in a transaction. It runs again while it reports more.
// The collections, validators and indexes are already those of the newest schema.
type step func(ctx context.Context, db *mongo.Database) (more bool, err error)

// steps upgrade an older schema: the first goes from firstSchema to the next one.
type steps []step

// released are the steps of this program.
var released steps

// newest returns the version of the schema after all steps.
func (s steps) newest() int64 { return firstSchema + int64(len(s)) }

type (
	// settingDocument is a setting of the whole store.
	settingDocument struct {
		Name  string `bson:"_id"`
		Value string `bson:"value"`
	}
	// sequenceDocument counts the assigned ids of a sequence.
	sequenceDocument struct {
		Name  string `bson:"_id"`
		Given int64  `bson:"given"`
	}
)

// Indexes by purpose. An index over path has an entry for each reseller from the owner up to the root, so that a whole
// tree is one range.
var (
	byName = keyPattern("username_key")

	childrenByID     = keyPattern("parent", "_id")
	resellerTreeByID = keyPattern("path", "_id")
	ownedByID        = keyPattern("owner", "_id")
	ownedByExpiry    = keyPattern("owner", "expires_at", "_id")
	lineTreeByID     = keyPattern("path", "_id")
	lineTreeByExpiry = keyPattern("path", "expires_at", "_id")
	allByExpiry      = keyPattern("expires_at", "_id")

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

// Few records have these fields.
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
}

// index is an index, restricted to documents with a field if one is named.
type index struct {
	keys   bson.D
	of     string
	unique bool // no two documents have the same value
}

// whole is an index of every document.
func whole(keys bson.D) index { return index{keys: keys} }

// postings finds the movements of a reseller by their numbers. The index is not unique, so that movements can be
// sharded by any key. The numbers are unique because each movement of a reseller writes the reseller's record.
func postings(keys bson.D) index { return index{keys: keys, of: keys[0].Key} }

// model makes a new model for each use, because the driver writes to it.
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
		schema:  schemaOf(fields.Reseller, is(versionName, positive)),
		indexes: []index{whole(byName), whole(childrenByID), whole(resellerTreeByID), {keys: bySuspending, of: suspendsName}},
	},
	{name: resellerNamesName, schema: object(is("_id", text), is("holder", positive))},
	{
		name:   linesName,
		schema: schemaOf(fields.Line, is(versionName, positive)),
		indexes: []index{
			whole(byName), whole(ownedByID), whole(ownedByExpiry), whole(lineTreeByID), whole(lineTreeByExpiry),
			whole(allByExpiry),
			{keys: ownedByExternalID, of: externalID, unique: true}, {keys: byExternalID, of: externalID},
			{keys: bySuspended, of: suspendedName}, {keys: byOrigin, of: originName},
		},
	},
	{name: lineNamesName, schema: object(is("_id", text), is("holder", positive))},
	{name: tombstonesName, schema: schemaOf(fields.Tombstone)},
	{
		name:    movementsName,
		schema:  schemaOf(fields.Movement),
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
			is("_id", binary),
			is("entries", arrayOf(object(is("type", text), is("at", date), is("payload", text), may("begins", text)))),
			may("movements", arrayOf(positive)),
		),
		indexes: []index{{keys: byMovements, of: "movements", unique: true}},
	},
	{
		name: figuresName,
		schema: object(
			is("_id", object(is("account", positive), is("day", date))),
			is("activations", natural), is("extensions", natural), is("received", sumOfCredits), is("spent", sumOfCredits),
			is("trials", natural),
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
	// sumOfCredits has no upper bound, because it may sum any number of amounts.
	sumOfCredits = bson.D{{Key: "bsonType", Value: "decimal"}, {Key: "minimum", Value: creditsOf(credit.Amount{})}}
	side         = object(
		may("system", oneOf("issuance", "consumption")),
		may("account", positive), may("seq", positive), may("balance", amount(0, credit.MaxBalance())), may("link", binary),
	)
)

// schemaOf describes documents with the listed fields, and then more.
func schemaOf[R any](list fields.List[R], more ...property) bson.D {
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

// amount is a decimal between these bounds, the least in ten-thousandths and the most in credits. The server itself
// then refuses an overdraft, a double and a missing balance.
func amount(leastUnits int64, most credit.Amount) bson.D {
	least, err := credit.FromUnits(leastUnits)
	if err != nil {
		panic(err) // all callers pass 0 or 1
	}
	return bson.D{{Key: "bsonType", Value: "decimal"}, {Key: "minimum", Value: creditsOf(least)},
		{Key: "maximum", Value: creditsOf(most)}}
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

// object has exactly these properties.
func object(properties ...property) bson.D {
	var described bson.D
	required := []string{}
	for _, p := range properties {
		described = append(described, bson.E{Key: p.name, Value: p.schema})
		if p.required {
			required = append(required, p.name)
		}
	}
	d := bson.D{{Key: "bsonType", Value: "object"}, {Key: "additionalProperties", Value: false},
		{Key: "properties", Value: described}}
	if len(required) > 0 { // the server takes no empty list
		d = append(d, bson.E{Key: "required", Value: required})
	}
	return d
}

// ErrNewer refuses a database of a later version.
var ErrNewer = errors.New("the database was made by a newer version of this program: run that version")

// ErrForeign refuses a database of another program.
var ErrForeign = errors.New(
	"the database holds collections of another program: name a database of its own in the address")

// ErrOlder refuses a database that needs an upgrade, which only serve makes.
var ErrOlder = errors.New(
	"the database has the schema of an older version, or its upgrade was interrupted: start the service, which upgrades it")

// prepare makes the missing collections, validators and indexes. It refuses a database with alterations that it can't
// restore. Several processes may do this at once, at each start.
//
// For an older schema this takes as long as the indexes and the steps. ctx does not limit that time. The end of
// unbounded interrupts it, and the next start continues.
func prepare(ctx, unbounded context.Context, db *mongo.Database, s steps, migrating ports.Migrating) error {
	settings := db.Collection(settingsName)
	version, from, err := versions(ctx, settings, s.newest()) // first, because another process can only add later
	if err != nil {
		return err
	}
	found, err := validators(ctx, db)
	switch {
	case err != nil:
		return err
	case from != 0 && migrating == nil:
		return ErrOlder
	case from != 0:
		ended := migrating(from, s.newest(), nil)
		err := s.upgrade(unbounded, db, found)
		ended(err)
		return err
	case version == 0:
		err = refuseOthers(found)
	default:
		err = refuseAltered(unbounded, db, found)
	}
	if err == nil {
		err = makeAll(ctx, db, found)
	}
	if err != nil || version != 0 {
		return err
	}
	_, err = settings.UpdateOne(ctx, byID(schemaSetting),
		bson.D{{Key: "$setOnInsert", Value: bson.D{{Key: "value", Value: strconv.FormatInt(s.newest(), 10)}}}},
		options.UpdateOne().SetUpsert(true))
	if mongo.IsDuplicateKeyError(err) {
		return nil // another process was first
	}
	return err
}

func makeAll(ctx context.Context, db *mongo.Database, found map[string]bson.Raw) error {
	for i := range collections { // the settings first: they mark the database as ours
		if err := collections[len(collections)-1-i].prepare(ctx, db, found); err != nil {
			return err
		}
	}
	return nil
}

// upgrade first sets the version of the schema and begins a lease term of the journal, so that older programs can no
// longer write. Their transactions that have read the older version fail, because each collection is modified after
// that. Then upgrade runs the steps.
func (s steps) upgrade(ctx context.Context, db *mongo.Database, found map[string]bson.Raw) error {
	settings, transactions := db.Collection(settingsName),
		&transactions{client: db.Client(), explain: func(err error) error { return err }}
	transact := func(do func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, prepareTime)
		defer cancel()
		return transactions.Transact(ctx, do)
	}
	set := func(ctx context.Context, name string, value int64) error {
		return put(ctx, settings, name, settingDocument{name, strconv.FormatInt(value, 10)})
	}
	if err := transact(func(ctx context.Context) error {
		version, from, err := versions(ctx, settings, s.newest())
		if err != nil || version == s.newest() { // another process was first
			return err
		}
		if _, err := db.Collection(journalHeadName).UpdateOne(ctx, byID(headName),
			bson.D{{Key: "$inc", Value: bson.D{{Key: "term", Value: int64(1)}}}}); err != nil {
			return err
		}
		return cmp.Or(set(ctx, schemaSetting, s.newest()), set(ctx, upgradeSetting, from))
	}); err != nil {
		return err
	}
	for name := range found {
		found[name] = nil // each is modified, even if its validator does not change
	}
	if err := makeAll(ctx, db, found); err != nil {
		return err
	}
	for finished := false; !finished; {
		if err := transact(func(ctx context.Context) error {
			_, from, err := versions(ctx, settings, s.newest())
			if finished = from == 0; err != nil || finished {
				return err
			}
			more, err := s[from-firstSchema](ctx, db)
			switch {
			case err != nil || more:
				return err
			case from+1 == s.newest():
				_, err = settings.DeleteOne(ctx, byID(upgradeSetting))
				return err
			}
			return set(ctx, upgradeSetting, from+1)
		}); err != nil {
			return fmt.Errorf("upgrade the database to schema %d: %w", s.newest(), err)
		}
	}
	return nil
}

// versions returns two versions: that of the schema, 0 if there is none yet, or ErrNewer; and the one whose step is
// next, 0 if the schema is up to date.
func versions(ctx context.Context, settings *mongo.Collection, newest int64) (version, from int64, err error) {
	cursor, err := settings.Find(ctx, byIDs([]string{schemaSetting, upgradeSetting}))
	if err != nil {
		return 0, 0, err
	}
	err = visit(ctx, cursor, func(raw bson.Raw) error {
		number, err := versionIn(raw, newest)
		if name, _ := raw.Lookup("_id").StringValueOK(); name == schemaSetting {
			version = number
		} else {
			from = number
		}
		return err
	})
	if from == 0 && version < newest {
		from = version
	}
	return version, from, err
}

// versionIn returns the version in a setting, or ErrNewer.
func versionIn(setting bson.Raw, newest int64) (int64, error) {
	value, _ := setting.Lookup("value").StringValueOK()
	version, err := strconv.ParseInt(value, 10, 64)
	if err != nil || version < firstSchema || version > newest {
		return 0, fmt.Errorf("%w (schema %s, this version knows %d)", ErrNewer, value, newest)
	}
	return version, nil
}

// refuseOthers returns ErrForeign for collections that this program has not made.
func refuseOthers(found map[string]bson.Raw) error {
	others := maps.Clone(found)
	for _, c := range collections {
		validator, err := c.validator()
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

func (c collection) validator() (bson.Raw, error) {
	return bson.Marshal(bson.D{{Key: "$jsonSchema", Value: c.schema}})
}

// validators returns the validator of each existing collection, an empty one if it is not enforced.
func validators(ctx context.Context, db *mongo.Database) (map[string]bson.Raw, error) {
	cursor, err := db.ListCollections(ctx,
		bson.D{{Key: "name", Value: bson.D{{Key: "$not", Value: bson.Regex{Pattern: `^system\.`}}}}})
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
	validator, err := c.validator()
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
			{Key: "collMod", Value: c.name}, {Key: "validator", Value: validator}, {Key: "validationLevel", Value: "strict"},
			{Key: "validationAction", Value: "error"},
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
	if _, err := db.Collection(c.name).Indexes().CreateMany(ctx, models,
		options.CreateIndexes().SetCommitQuorumMajority()); err != nil {
		return fmt.Errorf("make the indexes of %s: %w", c.name, err)
	}
	return nil
}

// backgroundOperation is the server's code for a collection that can't be modified while an index of it is built.
const backgroundOperation = 12587

// modify changes a collection once no index of it is being built. Another process that starts at the same time may
// build one.
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
