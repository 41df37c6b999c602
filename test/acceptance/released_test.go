package acceptance

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// released holds, in a folder for each schema that was released, what a program of
// that schema wrote, on each storage, and what it answered: see its README.
const released = "testdata/released"

// releasedProgram names the environment variable that holds the path of the program
// whose fixtures TestWriteReleasedFixtures writes, and after a colon the schema.
const releasedProgram = "RESELLERD_TEST_RELEASED_PROGRAM"

// facts are what is there to be found in a fixture.
type facts struct {
	Secret   string // made for this alone
	Admin    string // token
	Accounts map[string]releasedAccount
	Lines    map[string]releasedLine
	Sent     []releasedRequest // each under its key, by the master
	Reads    map[string]json.RawMessage
}

type (
	releasedAccount struct {
		ID                        int64
		Username, Password, Token string
	}
	releasedLine struct {
		ID                 int64
		Username, Password string
	}
	releasedRequest struct {
		Method, Path, Body, Key string
		Status                  int
		Answer                  string
	}
)

// ofTheClock are what a read says of the time it is made at, and of no record.
var ofTheClock = regexp.MustCompile(`"status":[01]|,"at":"[^"]*"}\s*$`)

// steady returns an answer without what the clock decides; of a refusal its code.
func steady(t *testing.T, a answer) json.RawMessage {
	t.Helper()
	if a.Status >= 400 {
		return json.RawMessage(fmt.Sprintf("%q", a.Text("code")))
	}
	return json.RawMessage(ofTheClock.ReplaceAllStringFunc(string(a.Body), func(found string) string {
		if strings.HasPrefix(found, ",") {
			return "}"
		}
		return `"status":null`
	}))
}

// TestWriteReleasedFixtures is no test: it writes what the others read.
func TestWriteReleasedFixtures(t *testing.T) {
	program, schema, found := strings.Cut(os.Getenv(releasedProgram), ":")
	if !found {
		t.Skip("it writes fixtures where " + releasedProgram + " names a program and its schema")
	}
	binary = program
	for _, s := range []store{sqlite, mongodb} {
		if s.available != nil {
			s.available(t)
		}
		f := facts{Secret: "a service key for fixtures alone, of no store in use", Accounts: map[string]releasedAccount{}, Lines: map[string]releasedLine{}, Reads: map[string]json.RawMessage{}}
		h := newHistory(t, startServer(t, s, map[string]string{"RESELLERD_SECRET": f.Secret}))
		unusual := h.master.Create(t, fields{
			"username": "Ünïcode.日本", "password": "pass wörd \"'\\ 🔑", "credits": "0.5", "is_master": 1, "country": "ZZ", "language": "pt-BR",
			"whatsapp": "+55 (11) 91234-5678", "telegram": "@émoji_😀", "email": "someone+tag@example.com", "notes": "עברית\nline two \u200d👩‍👩‍👧 <b>&amp;</b> '); DROP TABLE accounts;--",
		})
		own := unusual.Official(t) // all that it had
		unusual.Send(t, "PATCH", api.Path("/lines", own.ID), api.With(own.Edit(), fields{"username": "Zoë.tv", "password": "ключ 7788", "notes": "½ crédito — 🎬"})).Is(200)
		own.Username, own.Password = "Zoë.tv", "ключ 7788"
		gone := h.seller.Official(t) // paid for, extended, and no more there
		h.seller.Extend(t, gone.ID, 0.5).Is(200)
		h.seller.DeleteLine(t, gone.ID).Is(200)
		h.Admin(t).Send(t, "POST", api.Path("/users", h.master.ID, "/credits/reclaim"), fields{"credits": "1.5", "notes": "back to issuance"}).Is(200)

		accounts := map[string]api.Reseller{"master": h.master, "child": h.child, "seller": h.seller, "blocked": h.blocked, "unusual": unusual}
		by := map[string]caller{"admin": h.Admin(t)}
		f.Admin = h.Admin(t).Token
		reads := []string{"/users/logged", "/users?limit=500", "/lines?limit=500", "/ledger/proof", "/prices"}
		for name, a := range accounts {
			by[name] = a.Caller
			f.Accounts[name] = releasedAccount{a.ID, a.Username, a.Password, a.Token}
			reads = append(reads, api.Path("/users", a.ID), api.Path("/users", a.ID, "/ledger?limit=500"), fmt.Sprintf("/lines?limit=500&tree=%d", a.ID))
		}
		for name, l := range map[string]line{"trial": h.trial, "official": h.line, "unusual": own, "gone": gone} {
			f.Lines[name] = releasedLine(l)
			reads = append(reads, api.Path("/lines", l.ID))
		}
		for name, c := range by {
			for _, path := range reads {
				f.Reads[name+" "+path] = steady(t, c.Send(t, "GET", path, nil))
			}
		}
		for i, op := range h.sent {
			body := ""
			if op.Body != nil {
				body = string(api.Encode(t, op.Body))
			}
			f.Sent = append(f.Sent, releasedRequest{op.Method, op.Path, body, fmt.Sprintf("key-%d", i), h.answers[i].Status, string(h.answers[i].Body)})
		}
		h.stop(t)
		h.audit(t).well()
		if t.Failed() {
			t.FailNow()
		}

		dir := filepath.Join(released, schema)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(f, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		writePacked(t, filepath.Join(dir, s.name+"-facts.json.gz"), text)
		if s.name == sqlite.name {
			whole, err := os.ReadFile(database(h.dir))
			if err != nil {
				t.Fatal(err)
			}
			writePacked(t, filepath.Join(dir, "sqlite.db.gz"), whole)
		} else {
			writePacked(t, filepath.Join(dir, "mongodb.json.gz"), dumped(t, h.dir))
		}
	}
}

func writePacked(t *testing.T, path string, content []byte) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
		err = errors.Join(err, w.Close(), os.WriteFile(path, packed.Bytes(), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readPacked(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// dumpedCollection is one of a database, a line of a dump, as extended JSON that keeps every type.
type dumpedCollection struct {
	Name      string
	Options   bson.D
	Indexes   []bson.D
	Documents []bson.D
}

func dumped(t *testing.T, dir string) (dump []byte) {
	t.Helper()
	onMongoDB(t, dir, func(ctx context.Context, db *mongo.Database) error {
		found, err := db.ListCollectionSpecifications(ctx, bson.D{})
		slices.SortFunc(found, func(a, b mongo.CollectionSpecification) int { return strings.Compare(a.Name, b.Name) })
		for _, c := range found {
			d := dumpedCollection{Name: c.Name, Indexes: []bson.D{}, Documents: []bson.D{}}
			err = errors.Join(err, bson.Unmarshal(c.Options, &d.Options))
			indexes, listing := db.Collection(c.Name).Indexes().List(ctx)
			if listing == nil {
				listing = indexes.All(ctx, &d.Indexes)
			}
			documents, reading := db.Collection(c.Name).Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
			if reading == nil {
				reading = documents.All(ctx, &d.Documents)
			}
			line, encoding := bson.MarshalExtJSON(d, true, false)
			err = errors.Join(err, listing, reading, encoding)
			dump = append(append(dump, line...), '\n')
		}
		return err
	})
	return dump
}

// releasedDatabase is the dump of a fixture.
func releasedDatabase(t *testing.T, schema string) (all []dumpedCollection) {
	t.Helper()
	dump := readPacked(t, filepath.Join(released, schema, "mongodb.json.gz"))
	for line := range bytes.Lines(dump) {
		var d dumpedCollection
		if err := bson.UnmarshalExtJSON(line, true, &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// asReleased has a database keep what it has in the collections, validators and indexes of a fixture, and in no others.
func asReleased(t *testing.T, schema string) tampering {
	t.Helper()
	then := releasedDatabase(t, schema)
	return func(ctx context.Context, db *mongo.Database) error {
		names, err := db.ListCollectionNames(ctx, bson.D{})
		if err != nil {
			return err
		}
		for _, name := range names {
			if !slices.ContainsFunc(then, func(d dumpedCollection) bool { return d.Name == name }) {
				if err := db.Collection(name).Drop(ctx); err != nil {
					return err
				}
			}
		}
		for _, d := range then {
			for _, c := range []bson.D{
				append(bson.D{{Key: "collMod", Value: d.Name}}, d.Options...), {{Key: "dropIndexes", Value: d.Name}, {Key: "index", Value: "*"}},
				{{Key: "createIndexes", Value: d.Name}, {Key: "indexes", Value: d.Indexes}},
			} {
				if err := db.RunCommand(ctx, c).Err(); err != nil {
					return fmt.Errorf("%s: %s: %w", d.Name, c[0].Key, err)
				}
			}
		}
		return nil
	}
}

func restoreMongoDB(t *testing.T, dir string, dump []dumpedCollection) {
	t.Helper()
	onMongoDB(t, dir, func(ctx context.Context, db *mongo.Database) error {
		for _, d := range dump {
			commands := []bson.D{append(bson.D{{Key: "create", Value: d.Name}}, d.Options...)}
			if len(d.Indexes) > 1 {
				commands = append(commands, bson.D{{Key: "createIndexes", Value: d.Name}, {Key: "indexes", Value: d.Indexes}})
			}
			if len(d.Documents) > 0 {
				commands = append(commands, bson.D{{Key: "insert", Value: d.Name}, {Key: "documents", Value: d.Documents}})
			}
			for _, c := range commands {
				if err := db.RunCommand(ctx, c).Err(); err != nil {
					return fmt.Errorf("%s: %s: %w", d.Name, c[0].Key, err)
				}
			}
		}
		return nil
	})
}

// released puts a fixture where a server in the folder finds it.
func (s *server) released(t *testing.T, schema string) {
	t.Helper()
	if s.store.name == sqlite.name {
		if err := os.WriteFile(database(s.dir), readPacked(t, filepath.Join(released, schema, "sqlite.db.gz")), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	restoreMongoDB(t, s.dir, releasedDatabase(t, schema))
}

// refreshKeys has the recorded keys end a day from now: their week may be over.
func (s *server) refreshKeys(t *testing.T) {
	t.Helper()
	ends := time.Now().Add(24 * time.Hour)
	if s.store.name == mongodb.name {
		onMongoDB(t, s.dir, func(ctx context.Context, db *mongo.Database) error {
			_, err := db.Collection("idempotency").UpdateMany(ctx, bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "expires", Value: ends}}}})
			return err
		})
		return
	}
	sqliteRecords{s.dir}.run(t, fmt.Sprintf("UPDATE idempotency SET expires = %d", ends.UnixMilli()))
}

// holds reports whether all that was answered then is in what is answered now, which may have more fields.
func holds(now, then any) bool {
	switch then := then.(type) {
	case map[string]any:
		found, is := now.(map[string]any)
		for name, value := range then {
			hidden := name == "request_id" && found[name] == nil // that of an account above
			is = is && (hidden || holds(found[name], value))
		}
		return is
	case []any:
		found, is := now.([]any)
		if is = is && len(found) == len(then); is {
			for i, value := range then {
				is = is && holds(found[i], value)
			}
		}
		return is
	}
	return reflect.DeepEqual(now, then)
}

func parsed(t *testing.T, text json.RawMessage) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// TestWhatWasReleasedIsServed opens what earlier programs wrote with the present one.
func TestWhatWasReleasedIsServed(t *testing.T) {
	schemas, err := os.ReadDir(released)
	if err != nil {
		t.Fatal(err)
	}
	forEachDurableStore(t, func(t *testing.T, s store) {
		for _, entry := range schemas {
			if entry.IsDir() {
				t.Run("schema "+entry.Name(), func(t *testing.T) { testWhatWasReleasedIsServed(t, s, entry.Name()) })
			}
		}
	})
}

func testWhatWasReleasedIsServed(t *testing.T, s store, schema string) {
	var f facts
	if err := json.Unmarshal(readPacked(t, filepath.Join(released, schema, s.name+"-facts.json.gz")), &f); err != nil {
		t.Fatal(err)
	}
	srv := newServer(t, s, map[string]string{"RESELLERD_SECRET": f.Secret})
	srv.released(t, schema)
	stored := s.left(srv.dir)
	before := stored.bytes(t)
	srv.audit(t).well() // as it is
	target := newServer(t, s, map[string]string{"RESELLERD_SECRET": f.Secret})
	srv.copyTo(t, target).well()
	if !reflect.DeepEqual(stored.bytes(t), before) {
		t.Error("to examine and to copy it has changed it")
	}
	for _, srv := range []*server{srv, target} { // what was copied is as good
		srv.refreshKeys(t)
		srv.start(t)
		serveReleased(t, srv, f)
		srv.stopAndAudit(t)
	}
}

func serveReleased(t *testing.T, srv *server, f facts) {
	by := map[string]caller{"admin": srv.As(f.Admin)}
	accounts := map[string]api.Reseller{}
	if token := srv.Login(t, api.AdminName, api.AdminPassword); token != f.Admin {
		t.Error("the admin gets another token")
	}
	for name, a := range f.Accounts {
		by[name] = srv.As(a.Token)
		accounts[name] = api.Reseller{Caller: by[name], ID: a.ID, Username: a.Username, Password: a.Password}
		login := srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": strings.ToUpper(a.Username), "password": a.Password})
		if name == "blocked" {
			login.Refused(403, "account-blocked")
		} else if login.Is(200).Text("token") != a.Token {
			t.Errorf("%s gets another token", name)
		}
	}
	for read, then := range f.Reads {
		who, path, _ := strings.Cut(read, " ")
		now := steady(t, by[who].Send(t, "GET", path, nil))
		if !holds(parsed(t, now), parsed(t, then)) {
			t.Errorf("%s is answered\n%s\nand was answered\n%s", read, now, then)
		}
	}
	for _, sent := range f.Sent {
		var body any
		if sent.Body != "" {
			body = sent.Body
		}
		again := by["master"].Send(t, sent.Method, sent.Path, body, "Idempotency-Key", sent.Key).Is(sent.Status).Replayed(true)
		if string(again.Body) != sent.Answer {
			t.Errorf("%s under %s is answered %s and was answered %s", again.Request, sent.Key, again.Body, sent.Answer)
		}
	}
	by["master"].Send(t, "POST", "/lines/test", fields{"notes": "another"}, "Idempotency-Key", f.Sent[0].Key).Refused(422, "idempotency-key-reused")

	// It goes on from there.
	trial, official, unusual := line(f.Lines["trial"]), line(f.Lines["official"]), line(f.Lines["unusual"])
	master, seller := accounts["master"], accounts["seller"]
	master.Fund(t, seller.ID, "3.5").Is(200)
	seller.Activate(t, trial, 1).Is(201)
	seller.Extend(t, official.ID, 0.5).Is(200)
	seller.Send(t, "PATCH", api.Path("/lines", official.ID), official.Edit()).Is(200)
	by["unusual"].Extend(t, unusual.ID, 0.5).Refused(402, "insufficient-credits")
	by["unusual"].DeleteLine(t, unusual.ID).Is(200)
	by["unusual"].DeleteLine(t, f.Lines["gone"].ID).Is(404)
	master.Send(t, "POST", "/users", api.NewReseller(fields{"username": strings.ToUpper(seller.Username)})).Refused(409, "username-taken")
	made := master.Create(t, fields{"username": api.Unique("present"), "credits": "2"}) // a name that no fixture has
	made.Official(t)
	known := []int64{}
	for _, a := range f.Accounts {
		known = append(known, a.ID)
	}
	if made.ID <= slices.Max(known) {
		t.Errorf("a new account has the id %d, which was given before", made.ID)
	}
	master.Unblock(t, accounts["blocked"].ID).Is(200)
	by["blocked"].Get(t, "/users/logged")
	by["admin"].Get(t, "/ledger/proof").Has(fields{"balanced": true})
}
