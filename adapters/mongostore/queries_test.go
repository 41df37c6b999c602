package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/adapters/storekit"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestEveryQueryUsesAnIndex runs every query of the store over about a thousand records and requests the plan of each
// one from the server. No query examines a whole collection, sorts its results or examines more than its limit. Only
// the sums over the whole ledger read everything.
func TestEveryQueryUsesAnIndex(t *testing.T) {
	t.Parallel()
	var w wire
	s := openStore(t, emptied(t), w.monitored())
	const lines = 2_300
	root := account(1, 0)
	fill(t, s, root, lines)
	first := w.count()
	runEveryQuery(t, s, lines)
	asked, explained := map[string]bool{}, map[string]bool{}
	for _, c := range w.since(first) {
		question, ok := explainable(c)
		if !ok {
			continue
		}
		text := fmt.Sprint(question)
		if explained[text] {
			continue // lists by the same name send the same query about it, whatever else they select
		}
		explained[text] = true
		plan, err := s.Database().RunCommand(t.Context(),
			bson.D{{Key: "explain", Value: question}, {Key: "verbosity", Value: "executionStats"}}).Raw()
		must(t, err, "explain ", c.name, " ", c.command)
		about := fmt.Sprintf("%s: %s", c.name, c.command)
		if len(about) > 1_500 {
			about = about[:1_500]
		}
		stages := stagesOf(plan)
		collection := c.command.Lookup(c.name).StringValue()
		asked[c.name+" "+collection] = true
		if strings.Contains(string(c.command), "$group") {
			continue // a sum of everything
		}
		if slices.Contains(stages, "COLLSCAN") {
			t.Errorf("the whole of %s is examined by %s\nstages: %v", collection, about, stages)
		}
		byName := strings.Contains(about, `"hint": {"username_key"`)
		few := byName != strings.Contains(about, `"$sort": {"username_key"`) // whose index has another order
		if slices.Contains(stages, "SORT") && !few {
			t.Errorf("the server sorts what it has found by %s\nstages: %v", about, stages)
		}
		// A page of 50 is read from two ranges; where a filter is tried, it examines 1,000 from either, by name 5,000.
		most := int64(2 * 51)
		if text := string(c.command); strings.Contains(text, "$skip") || strings.Count(text, "$limit") > 1 || byName || few ||
			c.name != "aggregate" {
			most = 2 * int64(storekit.ExaminedLines(ports.LineQuery{Order: ports.LinesByName}))
		}
		if n := examined(plan); n > most {
			t.Errorf("%d index entries are examined by %s\nstages: %v", n, about, stages)
		}
	}
	for _, want := range []string{
		"find accounts", "find account_names", "find lines", "find line_names", "find movements", "find idempotency",
		"aggregate accounts", "aggregate lines", "aggregate movements", "update accounts", "update lines",
		"update idempotency",
		"delete lines", "delete line_names", "delete idempotency", "find settings", "find sequences",
		"findAndModify sequences", "findAndModify settings",
		"find records", "find record_index", "update records", "delete records", "delete record_index",
	} {
		expect.Equal(t, asked[want], true, "a query is a %s; there are %v", want, asked)
	}
}

// TestALongListByNameGoesThroughAllNames lists two lines of an owner by name. Between them are more names than a page
// examines.
func TestALongListByNameGoesThroughAllNames(t *testing.T) {
	t.Parallel()
	s := openStore(t, emptied(t), options.Client())
	fill(t, s, account(1, 0), 2) // line1 and line2
	between := make([]any, 0, 5_000)
	for n := range cap(between) {
		between = append(between, bson.D{{Key: "_id", Value: int64(n + 100)}, {Key: "owner", Value: int64(2)},
			{Key: "path", Value: bson.A{int64(1), int64(2)}}, {Key: "username_key", Value: fmt.Sprintf("line1.%04d", n)}})
	}
	_, err := s.Database().Collection("lines").InsertMany(t.Context(), between,
		options.InsertMany().SetBypassDocumentValidation(true))
	must(t, err, "insert lines that a filter leaves out")
	for _, tree := range []bool{false, true} {
		q := ports.LineQuery{Scope: ports.Scope{Reseller: 2, Tree: tree}, Order: ports.LinesByName, Trial: new(true),
			Limit: 5}
		for _, want := range []int64{1, 2} {
			must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
				page, err := v.Lines.List(ctx, q)
				if err == nil && (len(page.Lines) != 1 || page.Lines[0].ID() != want || (page.Next == nil) != (want == 2)) {
					t.Errorf("tree %t: got %v and the cursor %v, want line %d", tree, page.Lines, page.Next, want)
				}
				if page.Next != nil {
					q.After = *page.Next
				}
				return err
			}))
		}
	}
}

// fill stores an admin with a master, and lines and a movement of the master.
func fill(t *testing.T, s *mongostore.Store, root *reseller.Reseller, lines int64) {
	t.Helper()
	owner := account(2, 1_000_000, root.ID())
	insert(t, s, []*reseller.Reseller{root, owner})
	for some := range slices.Chunk(numbers(1, lines), 100) {
		update(t, s, func(ctx context.Context, tx ports.Tx) error {
			for _, id := range some {
				if err := tx.Lines.Insert(ctx, trial(id, owner)); err != nil {
					return err
				}
				if err := tx.Resellers.Insert(ctx, account(id+2, 0, root.ID(), owner.ID())); err != nil {
					return err
				}
				if _, _, err := pay(ctx, tx, owner.ID(), id); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func numbers(from, to int64) (all []int64) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

func runEveryQuery(t *testing.T, s *mongostore.Store, lines int64) {
	t.Helper()
	_, err := s.NextID(t.Context(), ports.LineIDs)
	must(t, err)
	_, err = s.ClaimKey(t.Context(), "fingerprint")
	must(t, err)
	must(t, s.Ready(t.Context()))
	key := ports.KeyRecord{Reseller: 2, Key: "key", Request: []byte("r"), Status: 200, Body: []byte("b"), Expires: noon}
	update(t, s, func(ctx context.Context, tx ports.Tx) error {
		gone, err1 := tx.Lines.Get(ctx, 7)
		kept, err2 := tx.Lines.Get(ctx, 8)
		_, err6 := tx.Lines.FindByUsername(ctx, fixture.Name("line8"))
		a, err3 := tx.Resellers.FindByUsername(ctx, fixture.Name("account9"))
		_, err4 := tx.Ledger.Get(ctx, 7)
		_, err5 := tx.Resellers.AnyBlocked(ctx, []int64{1, 2, 3})
		if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
			return err
		}
		a = fixture.Changed(a, func(s *reseller.State) { s.Username = fixture.Name("renamed") })
		return errors.Join(tx.Lines.Delete(ctx, gone.Tombstone(1, noon)), tx.Lines.Save(ctx, kept),
			tx.Resellers.Save(ctx, a), tx.Keys.Put(ctx, key))
	})
	update(t, s, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Keys.Get(ctx, 2, "key")
		return errors.Join(err, tx.Keys.Put(ctx, key))
	})
	var errs []error
	check := func(_ any, err error) { errs = append(errs, err) }
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		check(v.Resellers.Get(ctx, 3))
		check(v.Resellers.FindByUsername(ctx, fixture.Name("account3")))
		check(v.Resellers.AnyBlocked(ctx, []int64{1, 2, 3}))
		check(v.Resellers.Empty(ctx))
		check(v.Lines.Get(ctx, 3))
		check(v.Keys.Get(ctx, 2, "key"))
		check(v.Ledger.Totals(ctx))
		check(v.Ledger.Statement(ctx, 2, 0, 50))
		check(v.Ledger.Statement(ctx, 2, lines/2, 50))
		random := rand.New(rand.NewPCG(1, 2))
		for range 500 {
			scope := oneOf(random, ports.Scope{}, ports.Scope{Reseller: 2, Tree: true}, ports.Scope{Reseller: 2})
			check(v.Resellers.List(ctx, ports.ResellerQuery{Scope: scope, Master: oneOf(random, int64(0), 2),
				Username: oneOf(random, "", "account", "account77"), After: oneOf(random, 0, lines/2), Limit: 50}))
			q := ports.LineQuery{Scope: scope, ExpiresAfter: oneOf(random, nil, &noon),
				ExpiresBefore: oneOf(random, nil, new(noon.Add(3*time.Hour))), Trial: new(false), Suspended: new(false)}
			_, _, err := v.Lines.Count(ctx, q, 50) // that selects no line
			check(nil, err)
			q.Username, q.Order = oneOf(random, "", "line", "line77"), oneOf(random, ports.LineOrders()...)
			q.Trial, q.Suspended, q.Limit = oneOf(random, nil, new(true)), nil, 50
			q.After = oneOf(random, ports.LineCursor{}, ports.LineCursor{ID: lines / 2, ExpiresAt: noon.Add(2 * time.Hour),
				Name: "line77"})
			check(v.Lines.List(ctx, q))
		}
		return errors.Join(errs...)
	}), "view")
	must(t, s.ViewRecords(t.Context(), func(ctx context.Context, v ports.Records) error {
		check(v.Resellers(ctx, lines/2, 500))
		check(v.Lines(ctx, lines/2, 500))
		check(v.Movements(ctx, lines/2, 500))
		some := numbers(lines/2, lines/2+600)
		check(v.ResellersByID(ctx, some))
		check(v.LinesByID(ctx, some))
		check(v.MovementsByID(ctx, some))
		check(v.MovementsByPosting(ctx, []ports.PostingID{{Reseller: 2, Seq: 7}, {Reseller: 7, Seq: 1}}))
		check(v.Origin(ctx))
		check(v.Unfinished(ctx))
		check(v.KeyRecords(ctx, 1, "", 500))
		check(v.OfKind(ctx, ports.Sessions.Kind, "8", 5))
		return errors.Join(errs...)
	}), "view records")
	_, err = s.DropExpired(t.Context(), noon, noon.Add(time.Hour), 100)
	must(t, err)
	for i := range 25 {
		signIn(t, s, fmt.Sprint("session ", i))
	}
	look := record.Query{From: noon.AddDate(0, 0, -1), To: noon.AddDate(0, 0, 1), Limit: 10}
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		page, err := ports.SessionsByEnd.List(ctx, v.Records, look)
		look.Descending, look.After = true, page.Next
		_, again := ports.SessionsByEnd.List(ctx, v.Records, look)
		return errors.Join(err, again)
	}))
	used := sessionOf("session 1")
	used.Used = noon.Add(time.Hour)
	update(t, s, func(ctx context.Context, tx ports.Tx) error {
		sessions := ports.Sessions.In(tx.Records)
		return errors.Join(sessions.Save(ctx, used), sessions.Delete(ctx, sessionOf("session 2").ID))
	})
}

func oneOf[V any](random *rand.Rand, all ...V) V { return all[random.IntN(len(all))] }

// explainable returns the command as a question to the server, for commands that search.
func explainable(c sent) (bson.D, bool) {
	if !slices.Contains([]string{"find", "aggregate", "update", "delete", "findAndModify"}, c.name) {
		return nil, false
	}
	var question bson.D
	elements, _ := c.command.Elements()
	for _, e := range elements {
		switch key := e.Key(); key {
		case "lsid", "txnNumber", "startTransaction", "autocommit", "$db", "$clusterTime", "readConcern", "writeConcern",
			"maxTimeMS", "ordered":
		case "updates", "deletes": // one at a time can be explained
			all, _ := e.Value().Array().Values()
			question = append(question, bson.E{Key: key, Value: bson.A{all[0]}})
		default:
			question = append(question, bson.E{Key: key, Value: e.Value()})
		}
	}
	return question, true
}

// stagesOf returns the stages of the chosen plans in an explanation.
func stagesOf(v bson.Raw) (stages []string) {
	walk(v, func(key string, value bson.RawValue) bool {
		if key == "stage" {
			stages = append(stages, value.StringValue())
		}
		if scans, _ := value.AsInt64OK(); key == "collectionScans" && scans > 0 { // of a $lookup
			stages = append(stages, "COLLSCAN")
		}
		return key != "rejectedPlans" && key != "allPlansExecution"
	})
	return stages
}

func examined(v bson.Raw) (most int64) {
	walk(v, func(key string, value bson.RawValue) bool {
		if key == "totalKeysExamined" || key == "totalDocsExamined" {
			n, _ := value.AsInt64OK()
			most = max(most, n)
		}
		return true
	})
	return most
}

// walk visits the elements of a document. It continues into an element if visit returns true.
func walk(v bson.Raw, visit func(key string, value bson.RawValue) bool) {
	elements, _ := v.Elements()
	for _, e := range elements {
		if !visit(e.Key(), e.Value()) {
			continue
		}
		if inner, ok := e.Value().DocumentOK(); ok {
			walk(inner, visit)
		} else if inner, ok := e.Value().ArrayOK(); ok {
			walk(bson.Raw(inner), visit)
		}
	}
}
