package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/inprocess"
)

// told is a page of entries, in short: the type of each, and the line or else the account that it is about.
func told(a answer) (all []string) {
	for _, e := range a.List() {
		about := e.Fields["line"]
		if about == nil {
			about = e.Fields["account"]
		}
		all = append(all, fmt.Sprint(e.Text("type"), " ", about))
	}
	return all
}

// tells expects such entries, and no others.
func tells(t *testing.T, by caller, path string, want ...string) answer {
	t.Helper()
	a := by.Get(t, path)
	expect.Elements(t, told(a), want, "%s", a.Request)
	return a
}

// walk reads the whole journal as a caller sees it, page by page, and what each page had.
func walk(t *testing.T, by caller, query string) (entries []answer) {
	t.Helper()
	cursor := ""
	for range 1000 {
		a := by.Get(t, "/events?limit=2&"+query+cursor)
		entries = append(entries, a.List()...)
		if a.Fields["has_more"] == false {
			return entries
		}
		cursor = "&cursor=" + a.Next()
	}
	t.Fatal("the journal has no end")
	return nil
}

func seqs(entries []answer) (all []string) {
	for _, e := range entries {
		all = append(all, fmt.Sprint(e.Fields["seq"]))
	}
	return all
}

func TestEventsAreSelected(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "100")
	child := master.Reseller(t, "10")
	outside := admin.Reseller(t, "10")
	l := child.Trial(t)
	child.Activate(t, l, 1).Is(201)
	child.Extend(t, l.ID, 2).Is(200)
	own := master.Trial(t)
	master.Send(t, "DELETE", api.Path("/lines", own.ID), nil).Is(200)
	outside.Trial(t)
	master.Send(t, "POST", api.Path("/users", child.ID, "/credits/reclaim"), fields{"credits": 2}).Is(200)
	movement := master.Get(t, api.Path("/users", child.ID, "/ledger?limit=1")).List()[0].ID()

	name := func(kind string, id int64) string { return fmt.Sprint(kind, " ", id) }
	madeMaster, madeChild := name("reseller.created", master.ID), name("reseller.created", child.ID)
	trial, activated, extended := name("line.trial_created", l.ID), name("line.activated", l.ID),
		name("line.extended", l.ID)
	ownTrial, ownDeleted := name("line.trial_created", own.ID), name("line.deleted", own.ID)
	reclaimed := name("reseller.reclaimed", child.ID)
	const none = 999_999_999
	all, ofChild := []string{madeMaster, madeChild, trial, activated, extended, ownTrial, ownDeleted, reclaimed},
		[]string{madeChild, trial, activated, extended, reclaimed}
	for _, c := range []struct {
		by   caller
		path string
		want []string
	}{
		{master.Caller, "/events", all},
		{child.Caller, "/events", ofChild},
		{admin, api.Query("/events", "tree", master.ID), all},
		{master.Caller, api.Query("/events", "account", child.ID), ofChild},
		// both sides of a movement
		{admin, api.Query("/events", "account", master.ID, "tree", child.ID), []string{madeChild, reclaimed}},
		{master.Caller, api.Query("/events", "line", l.ID), []string{trial, activated, extended}},
		{master.Caller, api.Query("/events", "line", own.ID), []string{ownTrial, ownDeleted}}, // which is gone
		{master.Caller, api.Query("/events", "line", l.ID, "account", master.ID), nil},
		{master.Caller, api.Query("/events", "movement", movement), []string{reclaimed}},
		{child.Caller, api.Query("/events", "movement", movement, "type", "line.*"), nil},
		{child.Caller, api.Query("/events", "movement", movement, "line", l.ID), nil},
		{master.Caller, "/events?type=line.deleted&type=reseller.*&type=line.deleted",
			[]string{madeMaster, madeChild, ownDeleted, reclaimed}},
		{master.Caller, "/events?type=reseller.*&order=desc", []string{reclaimed, madeChild, madeMaster}},
		{admin, "/events?tree=1&type=operator.*", []string{"operator.admin_created 1"}},
		{admin, "/events?type=journal.*", []string{"journal.began <nil>"}},

		// What is out of sight, or nothing, gives an empty page.
		{master.Caller, "/events?type=journal.*", nil},
		{child.Caller, api.Query("/events", "account", master.ID), nil},
		{child.Caller, api.Query("/events", "tree", master.ID), nil},
		{child.Caller, api.Query("/events", "line", own.ID), nil},
		{outside.Caller, api.Query("/events", "movement", movement), nil},
		{admin, "/events?account=0", nil},
		{admin, "/events?tree=0", nil},
		{admin, "/events?line=0", nil},
		{admin, "/events?movement=0", nil},
	} {
		a := tells(t, c.by, c.path, c.want...)
		a.Has(fields{"has_more": false})
		expect.Equal(t, a.Next() == "", strings.Contains(c.path, "desc"), "%s: it has no cursor", a.Request)
	}

	// A line out of sight cannot be told from none, whatever its pages would be.
	hidden := outside.Get(t, api.Query("/events", "line", l.ID, "limit", 1))
	absent := outside.Get(t, api.Query("/events", "line", none, "limit", 1))
	expect.DeepEqual(t, hidden.Fields, absent.Fields, "a line out of sight, and none")
}

// TestAnEntryTells has every field of some entries.
func TestAnEntryTells(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "100")
	l := master.Trial(t)
	expires := master.Get(t, api.Path("/lines", l.ID)).Text("expDate")
	activated := master.Send(t, "PATCH", api.Path("/lines/active", l.ID),
		api.With(l.Activation(1), fields{"username": "new.tv", "notes": "secret"}),
		"X-Request-Id", "request-7").Is(201)
	e := master.Get(t, "/events?type=line.activated").List()[0]
	e.Exactly(fields{
		"id": api.Anything, "seq": e.Fields["seq"], "type": "line.activated", "timestamp": activated.Text("updatedAt"),
		"account": master.ID, "line": l.ID,
		"actor": map[string]any{
			"account": json.Number(fmt.Sprint(master.ID)), "kind": "token", "id": nil, "name": master.Username,
			"address": "127.0.0.1",
		},
		"request_id": "request-7",
		"movement": map[string]any{
			"id": json.Number("2"), "kind": "activation", "amount": "1", "from": fmt.Sprint(master.ID), "to": "consumption",
			"balances": map[string]any{fmt.Sprint(master.ID): "99"},
		},
		"changes": map[string]any{
			"expDate": []any{expires, activated.Text("expDate")}, "username": []any{l.Username, "new.tv"},
			"notes": true, "password": true,
		},
		"reason": nil, "version": 2, "data": map[string]any{"username": "new.tv"},
	})
	browser := master.SignIn(t)
	browser.Send(t, "PUT", api.Path("/users", browser.Create(t, nil).ID, "/block"), nil).Is(200)
	blocked := master.Get(t, "/events?type=reseller.blocked").List()[0].Has(
		fields{"movement": nil, "changes": map[string]any{"blocked": []any{false, true}}})
	by, _ := blocked.Fields["actor"].(map[string]any)
	expect.Equal[any](t, by["kind"], "session", "a browser")
}

// TestPagesOfEvents goes through the journal in both orders, from any place.
func TestPagesOfEvents(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "100")
	other := admin.Reseller(t, "0")
	for range 5 {
		master.Trial(t)
		other.Trial(t)
	}
	all := seqs(walk(t, master.Caller, ""))
	if len(all) != 6 {
		t.Fatalf("the master sees %v", all)
	}
	newest := seqs(walk(t, master.Caller, "order=desc"))
	slices.Reverse(newest)
	expect.Elements(t, newest, all, "from the newest on, and from the oldest on")

	t.Run("at the head", func(t *testing.T) {
		end := master.Get(t, "/events")
		at := "/events?cursor=" + end.Next()
		expect.Equal(t, tells(t, master.Caller, at).Next(), end.Next(), "where nothing happened the cursor")
		other.Trial(t)
		later := tells(t, master.Caller, at)
		expect.Equal(t, later.Next() == end.Next(), false, "the cursor stays at an entry that does not match")
		l := master.Trial(t)
		for _, cursor := range []string{end.Next(), later.Next()} {
			tells(t, master.Caller, "/events?cursor="+cursor, fmt.Sprint("line.trial_created ", l.ID))
		}
	})
	t.Run("in the other order", func(t *testing.T) {
		newest := master.Get(t, "/events?order=desc&limit=1")
		tells(t, master.Caller, "/events?cursor="+newest.Next()) // what is to come
		l := master.Trial(t)
		a := tells(t, master.Caller, "/events?cursor="+newest.Next(), fmt.Sprint("line.trial_created ", l.ID))
		back := master.Get(t, "/events?order=desc&limit=1&cursor="+a.Next()).List()
		expect.Elements(t, seqs(back), seqs(newest.List()), "before %v", a.Fields["data"])
	})
	last := tells(t, master.Caller, "/events?order=desc&limit=500&type=reseller.*",
		fmt.Sprint("reseller.created ", master.ID))
	expect.Equal(t, last.Next(), "", "the cursor of the last page, from the newest on")
}

// TestEpochsOfEvents restores the store, so to say, twice.
func TestEpochsOfEvents(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	r := admin.Reseller(t, "5")
	old := map[string]string{}
	for range 2 {
		for range 7 {
			r.Trial(t)
		}
		old[admin.Get(t, "/events?limit=3").Next()] = "asc"
		old[admin.Get(t, "/events").Next()] = "asc"
		old[admin.Get(t, "/events?order=desc&limit=3").Next()] = "desc"
		must(t, srv.service.Epochs.BeginRestored(t.Context()))
		l := r.Trial(t)
		for cursor, order := range old {
			for _, by := range []caller{admin, r.Caller} {
				gone := by.Send(t, "GET", api.Query("/events", "cursor", cursor, "order", order), nil).Refused(410,
					"cursor-unknown")
				restart := "/events?cursor=" + url.QueryEscape(gone.Text("restart"))
				want := []string{"journal.restored <nil>", fmt.Sprint("line.trial_created ", l.ID)}
				if by == r.Caller {
					want = want[1:]
				}
				tells(t, by, restart, want...)
			}
		}
	}
	whole := walk(t, admin, "")
	epochs := map[string]bool{}
	for i, e := range whole {
		expect.Equal[any](t, e.Fields["seq"], json.Number(fmt.Sprint(i+1)), "entry %d has the number", i+1)
		epochs[e.Text("id")[:len("evt_12345678")]] = true
	}
	expect.Equal(t, len(epochs), 3, "the epochs %v", epochs)
}

// TestNobodySeesThoseAbove reads everything that an account may, and looks for what it may not.
func TestNobodySeesThoseAbove(t *testing.T) {
	t.Parallel()
	srv := serveWith(t, httpapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	admin := srv.Admin(t)
	const address, request = "198.51.100.77", "the-request-above"
	master := admin.Create(t, fields{"username": "the-master-above", "is_master": 1, "credits": "7654.3"})
	r := master.Reseller(t, "20")
	l := r.Trial(t)
	// which is low
	r.Send(t, "PUT", api.Path("/users", r.ID, "/alerts"), fields{"balance_low": "20.5"}, "X-Request-Id",
		"its-own-request").Is(200)
	from := func(op operation) {
		op.By(t, master.Caller, "X-Forwarded-For", address, "X-Request-Id", request)
	}
	from(api.Op("PATCH", api.Path("/users/credits", r.ID), fields{"credits": 5}))
	from(api.Op("POST", api.Path("/users", r.ID, "/credits/reclaim"), fields{"credits": 1}))
	from(api.Op("PATCH", api.Path("/lines/active", l.ID), l.Activation(1)))
	from(api.Op("PATCH", api.Path("/users", r.ID), r.Update()))
	balance := master.Get(t, "/users/logged").Text("credits")
	seen := r.Get(t, "/events")
	if len(seen.List()) != 9 || strings.Count(string(seen.Body), "its-own-request") != 2 ||
		!strings.Contains(string(seen.Body), "balance.recovered") {
		t.Fatalf("it sees %s", seen.Body)
	}
	statement, export := api.Path("/users", r.ID, "/ledger"), "/exports/ledger"
	for _, body := range []string{
		string(seen.Body), string(r.Get(t, "/events?order=desc").Body), string(r.Get(t, statement).Body),
		string(r.Send(t, "GET", export, nil).Is(200).Body),
	} {
		for _, hidden := range []string{master.Username, address, request, balance, "7634.3", "7629.3",
			`"` + fmt.Sprint(master.ID) + `":`} {
			expect.Lacks(t, body, hidden)
		}
	}
	for _, by := range []caller{master.Caller, admin} {
		for _, shown := range []string{master.Username, address, balance} {
			a := by.Get(t, api.Query("/events", "tree", master.ID))
			expect.Contains(t, string(a.Body), shown, "the caller that may see it")
		}
		for _, path := range []string{api.Query("/events", "tree", master.ID), statement, export + "?format=ndjson&account=" +
			fmt.Sprint(r.ID)} {
			if a := by.Send(t, "GET", path, nil); a.Status == 200 && !strings.Contains(string(a.Body), request) {
				t.Errorf("%s does not show %s: %s", a.Request, request, a.Body)
			}
		}
	}
}

// page is an answer that waited for entries.
type page struct {
	Data       []struct{ Type string }
	NextCursor string `json:"next_cursor"`
	HasMore    bool   `json:"has_more"`
}

// awaits asks for entries, and expects the status, how many there are and how long it took.
func (w *whole) awaits(ctx context.Context, query string, status, entries int, took time.Duration) (found page) {
	w.t.Helper()
	began := time.Now()
	a := w.ask(ctx, "GET /events?"+query)
	expect.Equal(w.t, time.Since(began), took, "%s took", query)
	expect.Equal(w.t, a.Code, status, "%s: status", query)
	expect.Error(w.t, json.Unmarshal(a.Body.Bytes(), &found), nil)
	expect.Equal(w.t, len(found.Data), entries, "%s: entries of %s", query, a.Body)
	return found
}

func TestWaitingForEvents(t *testing.T) {
	waits := func(name string, test func(t *testing.T, w *whole, head string)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWhole(t)
				test(t, w, "cursor="+w.awaits(t.Context(), "wait=9", 200, 3, 0).NextCursor+"&") // there are some
			})
		})
	}
	trial := func(w *whole, after time.Duration) {
		time.AfterFunc(after, func() { w.ask(context.Background(), "POST /lines/test") })
	}
	waits("until the time is over", func(t *testing.T, w *whole, head string) {
		for wait, want := range map[string]time.Duration{"0": 0, "1": time.Second, "9": 9 * time.Second} {
			found := w.awaits(t.Context(), head+"wait="+wait, 200, 0, want)
			expect.Equal(t, found.HasMore, false, "there is more")
			expect.Equal(t, "cursor="+found.NextCursor+"&", head, "where nothing happened the cursor")
		}
		w.logged(200, false)
	})
	waits("until something happens, and a moment for more", func(t *testing.T, w *whole, head string) {
		trial(w, time.Second)
		trial(w, time.Second+50*time.Millisecond)
		trial(w, time.Second+200*time.Millisecond)
		w.awaits(t.Context(), head+"wait=5", 200, 2, time.Second+75*time.Millisecond)
	})
	waits("for what matches", func(t *testing.T, w *whole, head string) {
		trial(w, time.Second)
		time.AfterFunc(3*time.Second, func() { w.ask(context.Background(), "DELETE /lines/1") })
		w.awaits(t.Context(), head+"type=line.deleted&wait=9", 200, 1, 3*time.Second+75*time.Millisecond)
		// What was passed meanwhile does not come again.
		trial(w, time.Second)
		found := w.awaits(t.Context(), head+"type=line.extended&wait=2", 200, 0, 2*time.Second)
		w.awaits(t.Context(), "cursor="+found.NextCursor, 200, 0, 0)
	})
	waits("until its client goes", func(t *testing.T, w *whole, head string) {
		ctx, hangUp := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, hangUp)
		w.awaits(ctx, head+"wait=9", 503, 0, 2*time.Second) // which nobody reads
		w.logged(499, false)
	})
	waits("until the credential is dead", func(t *testing.T, w *whole, head string) {
		time.AfterFunc(time.Second, func() { w.ask(context.Background(), "DELETE /auth/static-token") })
		w.awaits(t.Context(), head+"wait=9", 401, 0, time.Second+75*time.Millisecond)
	})
	waits("within the time of a request", func(t *testing.T, w *whole, head string) {
		reads := 0
		w.store.first = func(ctx context.Context) error {
			if reads++; reads == 1 { // a slow store
				time.Sleep(5 * time.Second)
			}
			return ctx.Err()
		}
		w.awaits(t.Context(), head+"wait=9", 200, 0, 9*time.Second)
	})
	waits("holding no place of others", func(t *testing.T, w *whole, head string) {
		var followers sync.WaitGroup
		for range 16 {
			followers.Go(func() {
				a := w.ask(t.Context(), "GET /events?"+head+"limit=500&wait=9")
				expect.Equal(t, strings.Count(a.Body.String(), `"id":"evt_`), 1, "entries of %s", a.Body)
			})
		}
		synctest.Wait()
		w.awaits(t.Context(), head+"wait=9", http.StatusTooManyRequests, 0, 0)
		w.awaits(t.Context(), head+"limit=500", 200, 0, 0) // it does not wait
		expect.Equal(t, w.ask(t.Context(), "GET /lines?limit=500").Code, 200, "a list: status")
		trial(w, 0)
		followers.Wait()
		w.awaits(t.Context(), head+"type=line.deleted&wait=1", 200, 0, time.Second) // the others have gone
	})
}

// TestADrainEndsWaits has the process be about to stop.
func TestADrainEndsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draining, drain := context.WithCancel(t.Context())
		w := newWhole(t, func(p *inprocess.Parts) { p.HTTP.Draining = draining })
		found := w.awaits(t.Context(), "", 200, 3, 0)
		time.AfterFunc(time.Second, drain)
		for _, want := range []time.Duration{time.Second, 0} {
			empty := w.awaits(t.Context(), "wait=9&cursor="+found.NextCursor, 200, 0, want)
			expect.Equal(t, empty.NextCursor, found.NextCursor, "the cursor")
		}
	})
}

// TestNoSecretIsInTheJournal gives every operation texts that no entry may have.
func TestNoSecretIsInTheJournal(t *testing.T) {
	t.Parallel()
	const canary = "canary-5e1f"
	admin := serve(t).Admin(t)
	contact := fields{"country": canary, "whatsapp": canary, "telegram": canary, "email": canary + "@example.com",
		"notes": canary}
	r := admin.Create(t, api.With(contact, fields{"is_master": 1, "credits": "50", "password": canary}))
	admin.Send(t, "PATCH", api.Path("/users/credits", r.ID), fields{"credits": 1, "notes": canary}).Is(200)
	r.Password = canary + "-2"
	admin.Send(t, "PATCH", api.Path("/users", r.ID),
		api.With(r.Update(), api.With(contact, fields{"notes": canary + "-2"}))).Is(200)
	r.Token = r.Server.Login(t, r.Username, r.Password)
	r.Send(t, "PATCH", api.Path("/users", r.ID, "/contact"), fields{"telegram": canary + "-3"}).Is(200)
	details := fields{"external_id": canary, "metadata": fields{"a": canary}, "notes": canary}
	l := r.Send(t, "POST", "/lines/test", details).Is(201).Line()
	r.Send(t, "PATCH", api.Path("/lines/active", l.ID),
		api.With(l.Activation(1), api.With(details, fields{"password": canary, "country": canary}))).Is(201)
	r.Send(t, "PATCH", api.Path("/lines", l.ID),
		api.With(l.Edit(), fields{"password": canary + "-2", "notes": canary + "-2"})).Is(200)
	r.Send(t, "PATCH", api.Path("/lines", l.ID, "/details"),
		fields{"email": canary + "@example.org", "metadata": fields{"b": canary}}).Is(200)
	browser := r.SignIn(t)
	r.Send(t, "PATCH", "/auth/password", fields{"password": r.Password, "new_password": canary + "-3"}).Is(200)
	r.Token = r.Server.Login(t, r.Username, canary+"-3")
	r.Send(t, "DELETE", "/auth/static-token", nil, "Idempotency-Key", canary).Is(200)
	admin.Send(t, "DELETE", api.Path("/lines", l.ID), nil).Is(200)
	_, cookie, _ := strings.Cut(browser.Cookie, "=")
	journal := string(admin.Get(t, "/events?limit=500").Body)
	for _, secret := range []string{canary, r.Token, cookie, l.Password, "argon2"} {
		expect.Equal(t, secret == "" || strings.Contains(journal, secret), false, "%q is in %s", secret, journal)
	}
}
