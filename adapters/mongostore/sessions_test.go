package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/session"
	"resellerd/ports"
)

// signIn begins a session of account 2, which is as old as its name is long.
func signIn(t *testing.T, s ports.Sessions, name string) session.Session {
	t.Helper()
	began := noon.Add(-time.Duration(len(name)) * time.Minute)
	begun := session.Session{
		ID: session.IDOf(name), Reseller: 2, Password: session.MarkOf(name), Device: name, Address: "192.0.2.7", Created: began, Used: began,
	}
	must(t, s.BeginSession(t.Context(), begun, session.Most))
	return begun
}

// wantSignedIn fails unless these are the sessions of account 2, the newest first.
func wantSignedIn(t *testing.T, s ports.Sessions, want ...session.Session) {
	t.Helper()
	found, err := s.SessionsOf(t.Context(), 2)
	must(t, err)
	if len(found) != len(want) || len(want) > 0 && !reflect.DeepEqual(found, want) {
		t.Errorf("sessions of account 2: got %v, want %v", found, want)
	}
}

func TestADamagedSessionIsNeitherAbsentNorUnavailable(t *testing.T) {
	t.Parallel()
	uri, db := databaseAt(t, emptied(t))
	s := openStore(t, uri, options.Client())
	sound := signIn(t, s, "sound")
	for what, change := range map[string]bson.D{
		"a short mark":       set("password", []byte{1}),
		"another field":      set("bonus", 1),
		"no device":          {{Key: "$unset", Value: bson.D{{Key: "device", Value: ""}}}},
		"another end of its": set("expires_at", noon.AddDate(1, 0, 0)),
	} {
		damaged := signIn(t, s, what)
		_, err := db.Collection("sessions").UpdateByID(t.Context(), string(damaged.ID), change, options.UpdateOne().SetBypassDocumentValidation(true))
		must(t, err)
		_, got := s.Session(t.Context(), damaged.ID)
		wantSignedIn(t, s, sound)
		for doing, err := range map[string]error{"get": got, "use": s.UseSession(t.Context(), damaged.ID, noon.Add(time.Hour))} {
			wantError(t, err, storekit.ErrDamaged, what, ": ", doing)
			if errors.Is(err, fault.ErrNotFound) || errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("%s: %s: got error %v, want one of neither kind", what, doing, err)
			}
		}
		must(t, s.EndSession(t.Context(), 2, damaged.ID), "it can be ended")
		wantSignedIn(t, s, sound)
	}
}

// TestAnOlderDatabaseGetsSessions reads a database of the schema that had none as it is, and opens it.
func TestAnOlderDatabaseGetsSessions(t *testing.T) {
	t.Parallel()
	uri, db := database(t)
	s := openStore(t, uri, options.Client())
	insert(t, s, payer())
	must(t, s.Close())
	must(t, mongostore.AsOf(t.Context(), db, 2))
	for _, name := range []string{"sessions", "session_counts"} {
		must(t, db.Collection(name).Drop(t.Context()))
	}
	_, err := db.Collection("settings").UpdateByID(t.Context(), "schema", set("value", "2"))
	must(t, err)

	a, err := mongostore.OpenReadOnly(t.Context(), uri)
	must(t, err)
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found, err := r.Resellers(ctx, 0, 10)
		if len(found) != 2 {
			t.Errorf("as it is: got %d accounts, want 2", len(found))
		}
		return errors.Join(err, r.Derived(ctx, func(finding string) { t.Errorf("as it is: %s", finding) }))
	}))
	must(t, a.Close())

	var told []string
	s, err = mongostore.OpenAs(t.Context(), uri, options.Client(), mongostore.SchemaVersion, func(from, to int64, _ func() int64) func(error) {
		told = append(told, fmt.Sprint(from, " to ", to))
		return func(error) {}
	})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	if want := []string{fmt.Sprint("2 to ", mongostore.SchemaVersion)}; !reflect.DeepEqual(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
	wantSignedIn(t, s)
	wantSignedIn(t, s, signIn(t, s, "new"))
}
