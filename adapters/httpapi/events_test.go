package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/inprocess"
)

// types returns the types of the events of a page.
func types(a answer) (all []string) {
	for _, e := range a.List() {
		all = append(all, e.Text("type"))
	}
	return all
}

// TestEventsAreSelected by each parameter. An account that the caller does not see, or that does not exist, gives an
// empty page.
func TestEventsAreSelected(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "100")
	child, outside := master.Reseller(t, "10"), admin.Reseller(t, "10")
	l := child.Official(t)
	own := master.Trial(t)
	master.DeleteLine(t, own.ID).Is(200)
	master.Reclaim(t, child.ID, 2).Is(200)
	movement := master.Get(t, api.Path("/users", child.ID, "/ledger?limit=1")).List()[0].ID()
	ofChild := []string{"reseller.created", "line.trial_created", "line.activated", "reseller.reclaimed"}
	all := slices.Concat([]string{"reseller.created"}, ofChild[:3], []string{"line.trial_created", "line.deleted"},
		ofChild[3:])
	for _, c := range []struct {
		by   caller
		path string
		want []string
	}{
		{master.Caller, "/events", all},
		{child.Caller, "/events", ofChild},
		{admin, api.Query("/events", "tree", master.ID), all},
		{admin, api.Query("/events", "account", master.ID, "tree", child.ID), []string{ofChild[0], ofChild[3]}},
		{master.Caller, api.Query("/events", "line", l.ID), ofChild[1:3]},
		{master.Caller, api.Query("/events", "movement", movement), ofChild[3:]},
		{master.Caller, "/events?type=line.deleted&type=reseller.*&order=desc",
			[]string{"reseller.reclaimed", "line.deleted", "reseller.created", "reseller.created"}},
		{admin, "/events?type=journal.*", []string{"journal.began"}},
		{child.Caller, api.Query("/events", "account", master.ID), nil},
		{child.Caller, api.Query("/events", "line", own.ID), nil},
		{outside.Caller, api.Query("/events", "movement", movement), nil},
	} {
		a := c.by.Get(t, c.path).Has(fields{"has_more": false})
		expect.Elements(t, types(a), c.want, "%s", a.Request)
		expect.Equal(t, a.Next() == "", strings.Contains(c.path, "desc"), "%s: it has no cursor", a.Request)
	}
	hidden := outside.Get(t, api.Query("/events", "line", l.ID, "limit", 1))
	absent := outside.Get(t, api.Query("/events", "line", 999_999_999, "limit", 1))
	expect.DeepEqual(t, hidden.Fields, absent.Fields, "a line out of sight, and none")
}

// TestAccountsDoNotSeeAccountsAbove reads everything that an account may read, and searches it for data of accounts
// above.
func TestAccountsDoNotSeeAccountsAbove(t *testing.T) {
	t.Parallel()
	admin := serveWith(t, loopback).Admin(t)
	const address, request = "198.51.100.77", "the-request-above"
	master := admin.Create(t, fields{"username": "the-master-above", "is_master": json.RawMessage("1.0"),
		"credits": "7654.3"})
	r := master.Reseller(t, "20")
	l := r.Trial(t)
	above := append(from(address), "X-Request-Id", request)
	master.Fund(t, r.ID, 5, above...).Is(200)
	master.Reclaim(t, r.ID, 1, above...).Is(200)
	master.Activate(t, l, 1, above...).Is(201)
	master.Send(t, "PATCH", api.Path("/users", r.ID), r.Update(), above...).Is(200)
	balance := master.Credits(t)
	paths := []string{"/events?order=desc", api.Path("/users", r.ID, "/ledger"),
		api.Query("/exports/ledger", "format", "ndjson", "account", r.ID)}
	for _, path := range paths {
		seen := string(r.Send(t, "GET", path, nil).Is(200).Body)
		for _, hidden := range []string{master.Username, address, request, balance, `"` + fmt.Sprint(master.ID) + `":`} {
			expect.Lacks(t, seen, hidden, "%s", path)
		}
	}
	for _, by := range []caller{master.Caller, admin} {
		seen := string(by.Get(t, api.Query("/events", "tree", master.ID)).Body)
		for _, shown := range []string{master.Username, address, balance, request} {
			expect.Contains(t, seen, shown, "the caller that may see it")
		}
	}
	expect.Contains(t, string(master.Send(t, "GET", paths[2], nil).Body), request, "the export of a statement")
}

// awaits requests events, and expects the status, their number and the time of the answer. It returns the cursor.
func (w *whole) awaits(ctx context.Context, query string, status, entries int, took time.Duration) (cursor string) {
	w.t.Helper()
	began := time.Now()
	a := w.ask(ctx, "GET /events?"+query)
	expect.Equal(w.t, time.Since(began), took, "%s took", query)
	expect.Equal(w.t, a.Code, status, "%s: status", query)
	var found struct {
		Data []any
		Next string `json:"next_cursor"`
	}
	expect.Error(w.t, json.Unmarshal(a.Body.Bytes(), &found), nil)
	expect.Equal(w.t, len(found.Data), entries, "%s: entries of %s", query, a.Body)
	return "cursor=" + found.Next + "&"
}

func TestWaitingForEvents(t *testing.T) {
	const moment = 75 * time.Millisecond // for more
	trial := func(w *whole, after time.Duration) {
		time.AfterFunc(after, func() { w.ask(context.Background(), "POST /lines/test") })
	}
	for name, test := range map[string]func(t *testing.T, w *whole, head string){
		"until the time is over": func(t *testing.T, w *whole, head string) {
			expect.Equal(t, w.awaits(t.Context(), head+"wait=9", 200, 0, 9*time.Second), head, "the cursor")
			w.logged(200, false)
		},
		"until something happens, and a moment for more": func(t *testing.T, w *whole, head string) {
			trial(w, time.Second)
			trial(w, time.Second+50*time.Millisecond)
			trial(w, time.Second+200*time.Millisecond)
			w.awaits(t.Context(), head+"wait=5", 200, 2, time.Second+moment)
		},
		"for what matches": func(t *testing.T, w *whole, head string) {
			trial(w, time.Second)
			time.AfterFunc(3*time.Second, func() { w.ask(context.Background(), "DELETE /lines/1") })
			next := w.awaits(t.Context(), head+"type=line.deleted&wait=9", 200, 1, 3*time.Second+moment)
			w.awaits(t.Context(), next, 200, 0, 0) // passed events do not come again
		},
		"until its client goes": func(t *testing.T, w *whole, head string) {
			ctx, hangUp := context.WithCancel(t.Context())
			time.AfterFunc(2*time.Second, hangUp)
			w.awaits(ctx, head+"wait=9", 503, 0, 2*time.Second) // no client reads the answer
			w.logged(499, false)
		},
		"until the credential is dead": func(t *testing.T, w *whole, head string) {
			time.AfterFunc(time.Second, func() { w.ask(context.Background(), "DELETE /auth/static-token") })
			w.awaits(t.Context(), head+"wait=9", 401, 0, time.Second+moment)
		},
		"without a place in the queue of requests": func(t *testing.T, w *whole, head string) {
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
			trial(w, 0)
			followers.Wait()
			w.awaits(t.Context(), head+"type=line.deleted&wait=1", 200, 0, time.Second) // the others have gone
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWhole(t)
				test(t, w, w.awaits(t.Context(), "wait=9", 200, 3, 0)) // there are some
			})
		})
	}
	t.Run("until the process is about to stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			draining, drain := context.WithCancel(t.Context())
			w := newWhole(t, func(p *inprocess.Parts) { p.HTTP.Draining = draining })
			head := w.awaits(t.Context(), "", 200, 3, 0)
			time.AfterFunc(time.Second, drain)
			for _, want := range []time.Duration{time.Second, 0} {
				expect.Equal(t, w.awaits(t.Context(), head+"wait=9", 200, 0, want), head, "the cursor")
			}
		})
	})
}
