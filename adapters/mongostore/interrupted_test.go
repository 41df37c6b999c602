package mongostore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/test/expect"
	"resellerd/test/mongotest"
)

// everyNth is 1 for the long form, which covers every command.
var everyNth = flag.Int("interrupt.every", 0,
	"interrupt what changes a whole database at every nth of its commands; 0: at a few")

// These tests cut off a process that changes a whole database: the server refuses its nth command, and each one after
// it. They are not parallel either: see failing.

// cutOff runs work for each n from 0 on, cut off after n commands, until work succeeds nevertheless. check examines the
// database after each interruption, and runs work again.
func cutOff(t *testing.T, work func(t *testing.T, uri string) error, check func(t *testing.T, uri string, failed error),
	made func(t *testing.T) string) {
	t.Helper()
	stride := *everyNth
	if stride == 0 {
		stride = 40
	}
	tried := 0
	for after := 0; ; after += stride {
		uri := made(t)
		client, err := mongo.Connect(options.Client().ApplyURI(uri))
		must(t, err)
		noMore := fail(t, client, bson.D{{Key: "skip", Value: after}}, bson.D{
			{Key: "errorCode", Value: 13}, // it is not allowed: no retry
			{Key: "failCommands", Value: []string{
				"find", "getMore", "aggregate", "insert", "update", "delete", "findAndModify", "commitTransaction", "create",
				"createIndexes", "collMod", "listCollections", "drop",
			}},
		})
		failed := work(t, uri)
		noMore()
		must(t, client.Disconnect(context.Background()))
		tried++
		check(t, uri, failed)
		if t.Failed() {
			t.Fatalf("cut off after %d commands: %v", after, failed)
		}
		if failed == nil {
			t.Logf("%d commands at most, cut off %d times", after, tried)
			return
		}
	}
}

func opened(t *testing.T, uri string, use func(s *mongostore.Store) error) error {
	t.Helper()
	s, err := mongostore.OpenWith(t.Context(), uri, options.Client().SetAppName(testedAs))
	if err != nil {
		return err
	}
	s.SetRetryTime(time.Minute) // see openStore
	return errors.Join(use(s), s.Close())
}

func nothing(*mongostore.Store) error { return nil }

// schemaOf returns the schema of a database: its collections with their options, their indexes, and its version.
func schemaOf(t *testing.T, db *mongo.Database) string {
	t.Helper()
	specifications, err := db.ListCollectionSpecifications(t.Context(), bson.D{})
	must(t, err)
	var all []string
	for _, c := range specifications {
		indexes, err := db.Collection(c.Name).Indexes().ListSpecifications(t.Context())
		must(t, err)
		for _, index := range indexes {
			all = append(all, fmt.Sprint(c.Name, " ", index.Name, " ", index.KeysDocument))
		}
		// The server shows the options in force after they were set once.
		all = append(all, c.Name+" "+
			strings.Replace(c.Options.String(), `,"validationLevel": "strict","validationAction": "error"`, "", 1))
	}
	var version bson.Raw
	must(t, db.Collection("settings").FindOne(t.Context(), bson.D{{Key: "_id", Value: "schema"}}).Decode(&version))
	slices.Sort(all)
	return strings.Join(append(all, version.String()), "\n")
}

// TestAnOpenIsCutOff makes a database, or upgrades an older one. The next Open completes it.
func TestAnOpenIsCutOff(t *testing.T) {
	mongotest.Available(t)
	uri, sound := database(t)
	must(t, opened(t, uri, nothing))
	want := schemaOf(t, sound)
	check := func(t *testing.T, uri string, _ error) {
		t.Helper()
		must(t, opened(t, uri, nothing), "open it again")
		_, db := databaseAt(t, uri)
		expect.DeepEqual(t, schemaOf(t, db), want)
		must(t, db.Drop(t.Context()))
	}
	open := func(t *testing.T, uri string) error {
		t.Helper()
		return opened(t, uri, nothing)
	}
	t.Run("new", func(t *testing.T) {
		cutOff(t, open, check, func(t *testing.T) string {
			t.Helper()
			uri, _ := database(t)
			return uri
		})
	})
	t.Run("older", func(t *testing.T) {
		upgraded := func(ctx context.Context, uri string) error {
			s, err := mongostore.OpenAs(ctx, uri, options.Client().SetAppName(testedAs), quietly, later...)
			if err != nil {
				return err
			}
			return s.Close()
		}
		open := func(t *testing.T, uri string) error {
			t.Helper()
			// A process that is cut off waits for the outcome of a commit for so long.
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			return upgraded(ctx, uri)
		}
		cutOff(t, open, func(t *testing.T, uri string, _ error) {
			t.Helper()
			must(t, upgraded(t.Context(), uri), "open it again")
			wantUpgraded(t, uri)
		}, older)
	})
}
