package acceptance

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"resellerd/test/api"
)

// toldOf applies pages of entitlements until there is nothing more by now, and returns the cursor to go on with.
func toldOf(t *testing.T, by caller, into map[string]fields, cursor string, limit int) string {
	t.Helper()
	for {
		query := fmt.Sprintf("/entitlements?limit=%d", limit)
		if cursor != "" {
			query += "&cursor=" + cursor
		}
		page := by.Get(t, query)
		for _, e := range page.List() {
			line := fmt.Sprint(e.Fields["line"].(json.Number))
			if into[line] = e.Fields; e.Fields["deleted"] == true {
				delete(into, line)
			}
		}
		if cursor = page.Next(); page.Fields["has_more"] == false {
			return cursor
		}
	}
}

// follows asks for what a consumer lacks until it has what one has that begins now: on a replica set an entry gets its
// number a moment after its commit.
func follows(t *testing.T, by caller, told map[string]fields, cursor *string, what string) {
	t.Helper()
	anew := map[string]fields{}
	toldOf(t, by, anew, "", 500)
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		*cursor = toldOf(t, by, told, *cursor, 2)
		if string(api.Encode(t, told)) == string(api.Encode(t, anew)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s it was told\n%v, and one that begins then\n%v", what, told, anew)
		}
	}
}

// TestWhatServesCustomersFollows asks one process for what is done through the other: lines that change, and blocks of
// all kinds.
func TestWhatServesCustomersFollows(t *testing.T) {
	onOneAndOnTwo(t, func(t *testing.T, all []*server) {
		one, two := all[0], all[len(all)-1]
		master := one.Admin(t).Master(t, "100")
		shop := master.Reseller(t, "20")
		key := master.Scoped(t, "entitlements:read").On(two.Service)
		told, cursor := map[string]fields{}, ""
		lines := []line{shop.Trial(t), shop.Official(t), master.Trial(t)}
		path := api.Path("/lines", lines[1].ID, "/suspension")
		radius := func(status int) {
			t.Helper()
			if a := key.Send(t, "GET", "/radius/users/"+lines[1].Username, nil); a.Status != status {
				t.Errorf("%s: status %d, want %d", a.Request, a.Status, status)
			}
		}
		follows(t, key, told, &cursor, "the beginning")
		for range 3 {
			// The very next request for a customer knows, whatever the journal has.
			radius(200)
			shop.Send(t, "PUT", path, fields{"reason": "asked for it"}).Is(200)
			radius(403)
			follows(t, key, told, &cursor, "a suspension")
			shop.Send(t, "DELETE", path, nil).Is(200)
			radius(200)
			one.Admin(t).Send(t, "PUT", api.Path("/users", master.ID, "/block"), fields{"lines": "suspend"}).Is(200)
			radius(403)
			follows(t, key, told, &cursor, "a block of the key's own account")
			for id, e := range told {
				if e["enabled"] != false {
					t.Errorf("below a block line %s is %v", id, e)
				}
			}
			one.Admin(t).Unblock(t, master.ID).Is(200)
			radius(200)
			shop.Trial(t)
			shop.Extend(t, lines[1].ID, 0.5).Is(200)
			shop.DeleteLine(t, shop.Trial(t).ID).Is(200)
			follows(t, key, told, &cursor, "the end of the block")
		}
		if len(told) != len(lines)+3 {
			t.Errorf("%d lines are served, want %d", len(told), len(lines)+3)
		}
	})
}

// TestBlockAndUnblockAreTheIdentity has nothing below a block be different after it.
func TestBlockAndUnblockAreTheIdentity(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.Admin(t).Master(t, "100")
		shop := master.Reseller(t, "20")
		for range 3 {
			shop.Trial(t)
			master.Official(t)
		}
		suspended := shop.Official(t)
		shop.Send(t, "PUT", api.Path("/lines", suspended.ID, "/suspension"), fields{"reason": "asked for it"}).Is(200)
		master.Block(t, shop.ID).Is(200)
		path := fmt.Sprintf("?tree=%d&limit=500", master.ID)
		state := func() string {
			return string(srv.Admin(t).Get(t, "/lines"+path).Body) +
				string(srv.Admin(t).Get(t, "/users"+path+"&username="+shop.Username).Body)
		}
		before := state()
		for _, lines := range []string{"suspend", "run"} {
			srv.Admin(t).Send(t, "PUT", api.Path("/users", master.ID, "/block"), fields{"lines": lines, "reason": "unpaid"}).Is(
				200)
			if (state() == before) != (lines == "run") {
				t.Errorf("a block with lines %s changes them: %t", lines, lines == "run")
			}
		}
		srv.Admin(t).Unblock(t, master.ID).Is(200)
		if after := state(); after != before {
			t.Errorf("after the block there is\n%s\nand before there was\n%s", after, before)
		}
		srv.audit(t)
	})
}
