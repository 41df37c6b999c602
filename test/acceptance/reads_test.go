package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadAccounts(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		admin := srv.admin(t)
		full := newReseller(fields{
			"username": unique("Read"), "is_master": 1, "credits": "12.50", "whatsapp": "+55", "telegram": "@read", "language": "pt-BR",
			"country": "Brasil", "email": "read@example.com", "notes": "two\nlines",
		})
		created := admin.send(t, "POST", "/users", full).is(201)
		want := with(created.fields, fields{"recharge": created.text("createdAt")})
		delete(want, "password")
		at := path("/users", created.id())
		admin.get(t, at).exactly(want)
		r := account{caller{srv, srv.login(t, created.text("username"), "a reseller's password")}, created.id(), created.text("username"), "a reseller's password"}
		r.get(t, at).exactly(want)
		r.get(t, "/users/logged").exactly(want)
		if got := r.get(t, "/users").list(); len(got) != 1 {
			t.Errorf("it sees %d accounts, want itself", len(got))
		} else {
			got[0].exactly(want)
		}

		funded := admin.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": "0.0001"}).is(200)
		want = with(want, fields{"credits": "12.5001", "recharge": funded.text("recharge"), "updatedAt": funded.text("recharge")})
		r.get(t, at).exactly(want)
		r.send(t, "PATCH", at, with(r.update(), fields{"telegram": nil, "email": nil, "notes": nil, "country": "PT"})).is(200)
		want = with(want, fields{"telegram": nil, "email": nil, "notes": nil, "country": "PT", "whatsapp": "+55", "updatedAt": iso})
		r.get(t, at).exactly(want)

		unset := r.reseller(t, "0")
		unset.get(t, "/users/logged").exactly(fields{
			"id": unset.id, "username": unset.username, "is_master": 0, "credits": "0", "country": "BR", "whatsapp": nil, "telegram": nil,
			"master": r.id, "recharge": iso, "status": 1, "is_admin": 0, "language": "en", "createdAt": iso, "updatedAt": iso, "token": nil,
			"notes": nil, "trash": 0, "active_tree": 1, "block_reseller": 0, "email": nil,
		})
		self := admin.get(t, "/users/logged").exactly(fields{
			"id": 1, "username": adminName, "is_master": 1, "credits": "0", "country": "ZZ", "whatsapp": nil, "telegram": nil,
			"master": 0, "recharge": iso, "status": 1, "is_admin": 1, "language": "en", "createdAt": iso, "updatedAt": iso, "token": nil,
			"notes": nil, "trash": 0, "active_tree": 1, "block_reseller": 0, "email": nil,
		})
		admin.get(t, "/users/1").exactly(with(self.fields, fields{"updatedAt": iso})) // it is shared, and others change it
	})
}

func TestReadLines(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		master := sharedServer(t, s).admin(t).master(t, "10")
		r := master.reseller(t, "10")
		trial := r.send(t, "POST", "/lines/test", fields{"notes": "kept"}).is(201)
		l := line{trial.id(), trial.text("username"), trial.text("password")}
		at := path("/lines", l.id)
		read := func(want fields) {
			t.Helper()
			for _, by := range []caller{r.caller, master.caller} {
				by.get(t, at).exactly(want)
				listed := by.get(t, fmt.Sprintf("/lines?owner=%d", r.id)).list()
				if len(listed) != 1 {
					t.Errorf("%d lines, want 1", len(listed))
					continue
				}
				shown := maps.Clone(want)
				delete(shown, "password")
				listed[0].exactly(shown)
			}
		}
		want := maps.Clone(trial.fields)
		delete(want, "code")
		read(want)
		activated := r.send(t, "PATCH", path("/lines/active", l.id), with(l.activation(1), fields{"password": "chosen", "whatsapp": "+55"})).is(201)
		read(activated.fields)
		master.send(t, "PATCH", at, with(l.edit(), fields{"password": "edited", "notes": nil, "country": "PT"})).is(200)
		read(with(activated.fields, fields{"password": "edited", "notes": nil, "country": "PT", "whatsapp": "+55", "updated": 1, "updatedAt": iso}))
		extended := r.send(t, "PATCH", path("/lines/extend", l.id), fields{"credits": 2}).is(200)
		read(extended.fields)
		r.send(t, "DELETE", at, nil).is(200)
		r.send(t, "GET", at, nil).refused(404, "not-found")
		if got := r.get(t, "/lines").ids(); len(got) > 0 {
			t.Errorf("after the deletion the lines %v are listed", got)
		}
	})
}

func TestPrices(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		prices := []any{}
		for _, p := range []struct{ credits, period string }{
			{"0.5", "15 days"}, {"1", "1 month"}, {"2", "2 months"}, {"3", "3 months"}, {"5", "180 days"}, {"10", "360 days"},
		} {
			prices = append(prices, map[string]any{"credits": json.Number(p.credits), "period": p.period})
		}
		sharedServer(t, s).admin(t).reseller(t, "0").get(t, "/prices").exactly(fields{"prices": prices})
	})
}

// TestHeadOfReads asks for each read without its body.
func TestHeadOfReads(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		v.admin.send(t, "PATCH", path("/users/credits", v.seller.id), fields{"credits": 1}).is(200)
		paths := []string{"/users", "/users/logged", "/lines", "/prices", "/ledger/proof"}
		for _, op := range v.reads() {
			paths = append(paths, op.path)
		}
		for _, path := range paths {
			got, head := v.admin.get(t, path), v.admin.send(t, "HEAD", path, nil).is(200)
			for _, name := range []string{"Content-Type", "Cache-Control"} {
				if got.header.Get(name) != head.header.Get(name) {
					t.Errorf("HEAD %s: %s is %q, to GET %q", path, name, head.header.Get(name), got.header.Get(name))
				}
			}
			if got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("GET %s: Cache-Control is %q", path, got.header.Get("Cache-Control"))
			}
		}
		v.admin.send(t, "HEAD", "/users/999999999", nil).is(404)
		v.admin.server.nobody().send(t, "HEAD", "/users", nil).is(401)
	})
}

// query appends parameters to a path, in pairs of name and value.
func query(path string, pairs ...any) string {
	q := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		q.Set(pair[0].(string), fmt.Sprint(pair[1]))
	}
	return path + "?" + q.Encode()
}

// selects expects that a list has exactly these ids, in this order, on one page.
func (c caller) selects(t *testing.T, path string, want ...int64) {
	t.Helper()
	a := c.get(t, path)
	if got := a.ids(); !slices.Equal(got, want) {
		t.Errorf("%s: ids %v, want %v", a.request, got, want)
	}
	if next := a.next(); next != "" {
		t.Errorf("%s: there is another page: %q", a.request, next)
	}
}

func TestFiltersOfAccounts(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		admin := sharedServer(t, s).admin(t)
		stem := unique("Ündine") // of names that nobody else has
		named := func(by caller, name string) account {
			return by.create(t, fields{"username": name, "is_master": 1, "credits": "0"})
		}
		top := named(admin, stem)
		a, b := named(top.caller, stem+".a"), named(top.caller, stem+".B")
		a1, a2 := named(a.caller, stem+".a.1"), named(a.caller, unique("other"))
		a11 := named(a1.caller, stem+".a.1.1")
		outside := admin.reseller(t, "0")
		leaf := b.create(t, fields{"username": unique("leaf")})
		const none = 999_999_999
		for _, c := range []struct {
			by   caller
			path string
			want []int64
		}{
			{top.caller, "/users", []int64{top.id, a.id, b.id, a1.id, a2.id, a11.id, leaf.id}},
			{a.caller, "/users", []int64{a.id, a1.id, a2.id, a11.id}},
			{leaf.caller, "/users", []int64{leaf.id}},
			{admin, query("/users", "tree", top.id), []int64{top.id, a.id, b.id, a1.id, a2.id, a11.id, leaf.id}},
			{top.caller, query("/users", "tree", a.id), []int64{a.id, a1.id, a2.id, a11.id}},
			{top.caller, query("/users", "tree", leaf.id), []int64{leaf.id}},
			{admin, query("/users", "master", top.id), []int64{a.id, b.id}},
			{top.caller, query("/users", "master", a.id), []int64{a1.id, a2.id}},
			{top.caller, query("/users", "master", a.id, "username", stem), []int64{a1.id}},
			{top.caller, query("/users", "master", leaf.id), nil},
			{top.caller, query("/users", "master", a.id, "tree", b.id), nil},
			{top.caller, query("/users", "master", a.id, "tree", a.id), []int64{a1.id, a2.id}},
			{top.caller, query("/users", "master", a.id, "tree", a1.id), []int64{a1.id}},
			{admin, query("/users", "username", stem), []int64{top.id, a.id, b.id, a1.id, a11.id}},
			{admin, query("/users", "username", strings.ToLower(stem)+".A"), []int64{a.id, a1.id, a11.id}},
			{admin, query("/users", "username", strings.ToUpper(stem)+".b"), []int64{b.id}},
			{admin, query("/users", "username", stem+".a.1.1"), []int64{a11.id}},
			{admin, query("/users", "username", stem+".a.1.1x"), nil},
			{a.caller, query("/users", "username", stem), []int64{a.id, a1.id, a11.id}},
			{b.caller, query("/users", "username", stem+".a"), nil},
			{top.caller, query("/users", "username", ""), []int64{top.id, a.id, b.id, a1.id, a2.id, a11.id, leaf.id}},

			// What is out of sight, or nothing, gives an empty page.
			{a.caller, query("/users", "tree", top.id), nil},
			{a.caller, query("/users", "tree", b.id), nil},
			{a.caller, query("/users", "tree", outside.id), nil},
			{a.caller, query("/users", "tree", 1), nil},
			{a.caller, query("/users", "tree", none), nil},
			{admin, query("/users", "tree", none), nil},
			{admin, query("/users", "tree", 0), nil},
			{a.caller, query("/users", "master", top.id), nil}, // it is below top itself, and does not see top
			{a.caller, query("/users", "master", 1), nil},
			{a.caller, query("/users", "master", none), nil},
			{admin, query("/users", "master", 0), nil},
			{leaf.caller, query("/users", "tree", b.id), nil},
			{leaf.caller, query("/users", "username", stem), nil},

			{top.caller, query("/users", "unknown", "x", "owner", "x", "Limit", 0, "tree", a1.id), []int64{a1.id, a11.id}}, // ignored
		} {
			c.by.selects(t, c.path, c.want...)
		}
		if first := admin.get(t, query("/users", "limit", 1)).ids(); !slices.Equal(first, []int64{1}) {
			t.Errorf("the first of all accounts is %v, want the admin", first)
		}
	})
}

func TestFiltersOfLines(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		admin := sharedServer(t, s).admin(t)
		top := admin.master(t, "1000")
		a := top.master(t, "100")
		b := top.reseller(t, "100")
		leaf := a.reseller(t, "10")
		outside := admin.reseller(t, "10")
		stem := unique("Längst")
		// expiry is when each line ends.
		expiry := map[int64]string{}
		grant := func(owner account, credits any, name string) int64 {
			t.Helper()
			l := owner.trial(t)
			var record answer
			if credits == nil {
				record = owner.get(t, path("/lines", l.id))
			} else {
				record = owner.send(t, "PATCH", path("/lines/active", l.id), with(l.activation(credits), fields{"username": name})).is(201)
			}
			expiry[l.id] = record.text("expDate")
			return l.id
		}
		later := grant(top, 10, stem+".1")
		soon := grant(top, 1, stem+".2")
		trialOfA := grant(a, nil, "")
		ofA := grant(a, 3, stem+".A")
		ofB := grant(b, 5, unique("other"))
		ofLeaf := grant(leaf, 0.5, stem+".a.leaf")
		trialOfLeaf := grant(leaf, nil, "")
		elsewhere := grant(outside, 1, stem+".x")
		const none = 999_999_999
		day := func(at string, shift time.Duration) string {
			instant, err := time.Parse(isoMillis, at)
			if err != nil {
				t.Fatal(err)
			}
			return instant.Add(shift).Format(isoMillis)
		}
		for _, c := range []struct {
			by   caller
			path string
			want []int64
		}{
			{top.caller, "/lines", []int64{later, soon, trialOfA, ofA, ofB, ofLeaf, trialOfLeaf}},
			{a.caller, "/lines", []int64{trialOfA, ofA, ofLeaf, trialOfLeaf}},
			{leaf.caller, "/lines", []int64{ofLeaf, trialOfLeaf}},
			{admin, query("/lines", "tree", top.id), []int64{later, soon, trialOfA, ofA, ofB, ofLeaf, trialOfLeaf}},
			{admin, query("/lines", "tree", a.id), []int64{trialOfA, ofA, ofLeaf, trialOfLeaf}},
			{admin, query("/lines", "owner", a.id), []int64{trialOfA, ofA}},
			{top.caller, query("/lines", "owner", top.id), []int64{later, soon}},
			{top.caller, query("/lines", "owner", leaf.id, "tree", a.id), []int64{ofLeaf, trialOfLeaf}},
			{top.caller, query("/lines", "owner", leaf.id, "tree", b.id), nil},
			{top.caller, query("/lines", "isTrial", 1), []int64{trialOfA, trialOfLeaf}},
			{top.caller, query("/lines", "isTrial", 0), []int64{later, soon, ofA, ofB, ofLeaf}},
			{top.caller, query("/lines", "isTrial", 0, "owner", a.id), []int64{ofA}},
			{admin, query("/lines", "username", stem), []int64{later, soon, ofA, ofLeaf, elsewhere}},
			{top.caller, query("/lines", "username", strings.ToUpper(stem)), []int64{later, soon, ofA, ofLeaf}},
			{top.caller, query("/lines", "username", stem+".a"), []int64{ofA, ofLeaf}},
			{top.caller, query("/lines", "username", stem+".a", "owner", leaf.id), []int64{ofLeaf}},
			{b.caller, query("/lines", "username", stem), nil},

			// By expiry where a status or a window is asked.
			{top.caller, query("/lines", "status", 1), []int64{trialOfA, trialOfLeaf, ofLeaf, soon, ofA, ofB, later}},
			{top.caller, query("/lines", "status", 0), nil},
			{top.caller, query("/lines", "status", 1, "isTrial", 0), []int64{ofLeaf, soon, ofA, ofB, later}},
			{a.caller, query("/lines", "status", 1), []int64{trialOfA, trialOfLeaf, ofLeaf, ofA}},
			{top.caller, query("/lines", "status", 1, "username", stem), []int64{ofLeaf, soon, ofA, later}},
			{top.caller, query("/lines", "expires_after", expiry[soon]), []int64{soon, ofA, ofB, later}}, // at that instant or later
			{top.caller, query("/lines", "expires_before", expiry[soon]), []int64{trialOfA, trialOfLeaf, ofLeaf}},
			{top.caller, query("/lines", "expires_after", expiry[ofLeaf], "expires_before", expiry[ofA]), []int64{ofLeaf, soon}},
			{top.caller, query("/lines", "expires_after", day(expiry[ofLeaf], time.Millisecond), "expires_before", day(expiry[ofA], time.Millisecond)), []int64{soon, ofA}},
			{top.caller, query("/lines", "expires_after", expiry[ofA], "expires_before", expiry[soon]), nil},
			{top.caller, query("/lines", "expires_after", "2001-01-01T00:00:00+05:30", "isTrial", 1), []int64{trialOfA, trialOfLeaf}},
			{top.caller, query("/lines", "expires_after", "9999-12-31T23:59:59.999999999Z"), nil},
			{top.caller, query("/lines", "expires_before", "0001-01-01T00:00:00Z"), nil},
			{top.caller, query("/lines", "expires_before", expiry[ofA], "status", 1, "isTrial", 0, "owner", top.id), []int64{soon}},

			// What is out of sight, or nothing, gives an empty page.
			{a.caller, query("/lines", "owner", top.id), nil},
			{a.caller, query("/lines", "owner", b.id), nil},
			{a.caller, query("/lines", "tree", top.id), nil},
			{a.caller, query("/lines", "tree", outside.id), nil},
			{a.caller, query("/lines", "owner", outside.id, "status", 1), nil},
			{a.caller, query("/lines", "owner", 1), nil},
			{a.caller, query("/lines", "tree", 1), nil},
			{leaf.caller, query("/lines", "owner", a.id), nil},
			{admin, query("/lines", "owner", none), nil},
			{admin, query("/lines", "tree", none), nil},
			{admin, query("/lines", "owner", 0), nil},
			{admin, query("/lines", "tree", 0), nil},

			{leaf.caller, query("/lines", "unknown", "x", "master", "x", "istrial", "x", "Status", 5), []int64{ofLeaf, trialOfLeaf}}, // ignored
		} {
			c.by.selects(t, c.path, c.want...)
		}
	})
}

// walk goes through a list page by page and returns the ids of all pages in their
// order. Between two pages it calls meanwhile.
func (c caller) walk(t *testing.T, path string, limit int, meanwhile func()) (ids []int64) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	cursor := ""
	for pages := 0; ; pages++ {
		a := c.get(t, fmt.Sprintf("%s%slimit=%d%s", path, separator, limit, cursor))
		found := a.ids()
		if len(found) > limit {
			t.Errorf("%s: %d records", a.request, len(found))
		}
		ids = append(ids, found...)
		if a.next() == "" {
			return ids
		}
		if pages > 1000 {
			t.Fatalf("%s: the list has no end", path)
		}
		cursor = "&cursor=" + url.QueryEscape(a.next())
		meanwhile()
	}
}

// TestLinksLeadThroughAList follows the links of lists of long records under a
// prefix: every record is shown once, in the order of the list, and no page is
// longer than 1 MiB.
func TestLinksLeadThroughAList(t *testing.T) {
	const most, count = 1 << 20, 130
	notes := strings.Repeat("\U0001F4FA", 2000)
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_BASE_PATH": "/api/v1"})
		in := func(path string) string { return "/api/v1" + path }
		login := func(name, password string) caller {
			return caller{srv, srv.nobody().send(t, "POST", in("/auth/static-token"), fields{"username": name, "password": password}).is(200).text("token")}
		}
		admin := login(adminName, adminPassword)
		body := newReseller(fields{"credits": "500", "is_master": 1})
		id := admin.send(t, "POST", in("/users"), body).is(201).id()
		owner := login(body["username"].(string), body["password"].(string))
		var lines, seqs []int64
		for i := range int64(count) {
			lines = append(lines, owner.send(t, "POST", in("/lines/test"), fields{"notes": notes}).is(201).id())
			admin.send(t, "PATCH", in(path("/users/credits", id)), fields{"credits": 1, "notes": notes}).is(200)
			seqs = append(seqs, count+1-i)
		}
		seqs = append(seqs, 1) // the initial credits
		for range 3 {
			owner.send(t, "POST", in("/users"), newReseller(fields{"notes": notes})).is(201)
		}
		accounts := admin.get(t, in("/users")).ids()

		follow := func(c caller, target, field string) (found []int64, pages int) {
			for target != "" {
				a := c.get(t, target)
				if len(a.body) > most {
					t.Errorf("%s: %d bytes, want at most %d", a.request, len(a.body), most)
				}
				for _, r := range a.list() {
					number, err := r.fields[field].(json.Number).Int64()
					if err != nil {
						t.Errorf("%s: %v", r.request, err)
					}
					found = append(found, number)
				}
				link, _ := strings.CutSuffix(a.header.Get("Link"), `>; rel="next"`)
				target = strings.TrimPrefix(link, "<")
				if pages++; pages > count {
					t.Fatalf("%s: the list has no end", a.request)
				}
			}
			return found, pages
		}
		for _, list := range []struct {
			by     caller
			target string
			field  string
			want   []int64
			pages  int
		}{
			{owner, "/lines?limit=500", "id", lines, 2},
			{owner, "/lines?limit=50&x=%3E&status=1", "id", lines, 3},
			{admin, query("/lines", "limit", 100, "owner", id, "isTrial", 1), "id", lines, 2},
			{admin, path("/users", id, "/ledger?limit=500"), "seq", seqs, 2},
			{owner, path("/users", id, "/ledger"), "seq", seqs, 3},
			{admin, "/users?limit=2", "id", accounts, 3},
		} {
			if got, pages := follow(list.by, in(list.target), list.field); !slices.Equal(got, list.want) || pages != list.pages {
				t.Errorf("%s: %d records on %d pages, want %d on %d: %v", list.target, len(got), pages, len(list.want), list.pages, got)
			}
		}
	})
}

// TestPagesAreStable goes through lists while lines and accounts are added and
// deleted around the cursor: what is there throughout is shown exactly once, in
// order.
func TestPagesAreStable(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		admin := sharedServer(t, s).admin(t)
		top := admin.master(t, "100")
		below := top.reseller(t, "50")
		var kept []int64
		var passing [4][]int64 // for each walk, lines that go away meanwhile
		for i := range 72 {
			owner := []account{top, below}[i%2]
			l := owner.trial(t)
			switch {
			case i%3 == 0:
				passing[i/3%4] = append(passing[i/3%4], l.id)
				continue
			case i%5 == 0:
				owner.send(t, "PATCH", path("/lines/active", l.id), l.activation(0.5)).is(201)
			}
			kept = append(kept, l.id)
		}
		for walk, c := range []struct {
			by    caller
			path  string
			limit int
		}{
			{top.caller, "/lines", 7},
			{admin, query("/lines", "tree", top.id), 1},
			{top.caller, query("/lines", "status", 1), 7},
			{top.caller, query("/lines", "expires_before", "2200-01-01T00:00:00Z"), 6},
		} {
			going, added := passing[walk], 0
			got := c.by.walk(t, c.path, c.limit, func() {
				if len(going) > 0 { // from both ends
					top.send(t, "DELETE", path("/lines", going[0]), nil).is(200)
					if going = going[1:]; len(going) > 0 {
						top.send(t, "DELETE", path("/lines", going[len(going)-1]), nil).is(200)
						going = going[:len(going)-1]
					}
				}
				if added++; added < 6 { // the list ends once no more are added
					below.trial(t)
				}
			})
			if len(going) > 0 || added < 6 {
				t.Errorf("%s: it went by without the changes that it is to stand", c.path)
			}
			if sorted := slices.Compact(slices.Sorted(slices.Values(got))); len(sorted) != len(got) {
				t.Errorf("%s: lines are shown twice: %v", c.path, got)
			}
			shown := slices.DeleteFunc(slices.Clone(got), func(id int64) bool { return !slices.Contains(kept, id) })
			if len(shown) != len(kept) {
				t.Errorf("%s: of %d lines that are there throughout %d are shown", c.path, len(kept), len(shown))
			}
			if byID := !strings.Contains(c.path, "status") && !strings.Contains(c.path, "expires"); byID && !slices.IsSorted(got) {
				t.Errorf("%s: not in the order of ids: %v", c.path, got)
			}
		}

		// In one go and page by page a list is the same.
		for _, path := range []string{"/lines", "/lines?status=1", "/lines?isTrial=1", "/lines?isTrial=0&status=1", "/users", "/users?tree=" + fmt.Sprint(top.id)} {
			whole := top.get(t, path+map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]+"limit=500")
			if whole.next() != "" || len(whole.ids()) == 0 {
				t.Errorf("%s: not one page with something in it: %s", path, whole.body)
			}
			for _, limit := range []int{1, 3, len(whole.ids())} {
				if got := top.walk(t, path, limit, func() {}); !slices.Equal(got, whole.ids()) {
					t.Errorf("%s by %d: %v, in one go %v", path, limit, got, whole.ids())
				}
			}
			if path == "/lines?status=1" {
				ends := ""
				for _, r := range whole.list() {
					if at := r.text("expDate"); at < ends {
						t.Errorf("%s: a line that ends %s comes after one that ends %s", path, at, ends)
					} else {
						ends = at
					}
				}
			}
		}

		var accounts []int64
		for range 12 {
			accounts = append(accounts, top.send(t, "POST", "/users", newReseller(nil)).is(201).id())
		}
		got := top.walk(t, fmt.Sprintf("/users?master=%d", top.id), 5, func() { top.reseller(t, "0") })
		if !slices.IsSorted(got) || len(got) < 13 || !slices.Equal(got[:13], append([]int64{below.id}, accounts...)) {
			t.Errorf("accounts while more are made: %v, want first %d and %v", got, below.id, accounts)
		}
	})
}

// TestLimits asks for as many records as there are and more.
func TestLimits(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).admin(t).reseller(t, "0")
		const all = 52
		atOnce(all, func(int) { r.trial(t) })
		for limit, want := range map[string]int{"": 50, "?limit=1": 1, "?limit=50": 50, "?limit=51": 51, "?limit=52": all, "?limit=53": all, "?limit=500": all} {
			a := r.get(t, "/lines"+limit)
			if got := len(a.ids()); got != want || (a.next() == "") != (want == all) {
				t.Errorf("%s: %d lines and the cursor %q, want %d of %d lines", a.request, got, a.next(), want, all)
			}
		}
	})
}

// TestCursorsAreOpaque sends cursors that no answer gave for the query.
func TestCursorsAreOpaque(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		master := sharedServer(t, s).admin(t).master(t, "10")
		r := master.reseller(t, "5")
		for range 3 {
			r.official(t)
		}
		statement := path("/users", master.id, "/ledger")
		master.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		cursors := map[string]string{}
		lists := []string{"/users", "/lines", "/lines?status=1", statement}
		for _, list := range lists {
			separator := "?"
			if strings.Contains(list, "?") {
				separator = "&"
			}
			cursors[list] = master.get(t, list+separator+"limit=1").next()
			if cursors[list] == "" {
				t.Fatalf("%s: no cursor", list)
			}
			if cursors[list] != url.QueryEscape(cursors[list]) {
				t.Errorf("%s: the cursor %q needs escaping", list, cursors[list])
			}
			ask := func(cursor string) answer {
				return master.send(t, "GET", list+separator+"cursor="+url.QueryEscape(cursor), nil)
			}
			bad := func(cursor string) {
				t.Helper()
				ask(cursor).invalid("validation-failed", map[string]string{"?cursor": "bad-cursor"})
			}
			for _, cursor := range []string{
				"", "x", "0", "1", "-1", "null", "next", "%", "é", "a b", "AAAA", strings.Repeat("A", 4000), "' OR 1=1 --", "\x00",
				cursors[list] + "x", cursors[list] + "=", " " + cursors[list], cursors[list][1:], strings.ToUpper(cursors[list]) + "A",
			} {
				bad(cursor)
			}
			for other, cursor := range cursors {
				if other != list {
					bad(cursor)
				}
			}
			// Whatever is made of a cursor, it is either refused or a place in the list.
			for i := range cursors[list] {
				for _, c := range "A9z_-" {
					altered := []byte(cursors[list])
					altered[i] = byte(c)
					if a := ask(string(altered)); a.status == 200 {
						a.list()
					} else {
						a.invalid("validation-failed", map[string]string{"?cursor": "bad-cursor"})
					}
				}
			}
		}
		// A cursor gives nobody more to see than it has anyway.
		for _, list := range []string{"/users", "/lines"} {
			first := sharedServer(t, s).admin(t).get(t, list+"?limit=1").next()
			seen := master.get(t, list).ids()
			for _, id := range master.get(t, list+"?cursor="+first).ids() {
				if !slices.Contains(seen, id) {
					t.Errorf("%s: with the admin's cursor a master sees %d", list, id)
				}
			}
		}
	})
}

func TestBadQueries(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		v := newVillage(t, sharedServer(t, s))
		statement := path("/users", v.master.id, "/ledger")
		preview := path("/lines/extend-preview", v.line.id)
		numbers := []string{"", "0", "-1", "501", "1.0", "1e1", "0x1", "ten", " 1", "1 ", "99999999999999999999", "１"}
		ids := []string{"", "-1", "+1", "01", "1.0", "x", " 1", "1 ", "99999999999999999999", "9223372036854775808", "٣", "null", "1,2", "1;2"}
		flags := []string{"", "2", "-1", "true", "01", "1.0", "yes", "null"}
		times := []string{
			"", "now", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-02-30T00:00:00Z", "2026-01-31T24:00:00Z",
			"2026-01-31T09:30Z", "1769851800", "2026-01-31T09:30:00+0530", "20260131T093000Z",
		}
		names := map[string]string{strings.Repeat("é", 65): "too-long", strings.Repeat("x", 4000): "too-long", "a b": "bad-username", "a\x00": "bad-username", "a\u200b": "bad-username"}
		for _, c := range []struct {
			path, name, code string
			values           []string
		}{
			{"/users", "limit", "bad-value", numbers},
			{"/lines", "limit", "bad-value", numbers},
			{statement, "limit", "bad-value", numbers},
			{"/users", "master", "bad-value", ids},
			{"/users", "tree", "bad-value", ids},
			{"/lines", "owner", "bad-value", ids},
			{"/lines", "tree", "bad-value", ids},
			{"/lines", "status", "bad-value", flags},
			{"/lines", "isTrial", "bad-value", flags},
			{"/lines", "expires_after", "bad-time", times},
			{"/lines", "expires_before", "bad-time", times},
		} {
			for _, value := range c.values {
				v.admin.send(t, "GET", query(c.path, c.name, value), nil).invalid("validation-failed", map[string]string{"?" + c.name: c.code})
			}
		}
		for value, code := range names {
			for _, list := range []string{"/users", "/lines"} {
				v.admin.send(t, "GET", query(list, "username", value), nil).invalid("validation-failed", map[string]string{"?username": code})
			}
		}
		// Every number that a body refuses, a query does too.
		v.admin.send(t, "GET", preview, nil).invalid("validation-failed", map[string]string{"?credits": "required"})
		v.admin.send(t, "GET", preview+"?Credits=1", nil).invalid("validation-failed", map[string]string{"?credits": "required"})
		for _, bad := range badNumbers() {
			if text, ok := bad.value.(string); ok && len(text) < 100 {
				v.admin.send(t, "GET", query(preview, "credits", text), nil).invalid("validation-failed", map[string]string{"?credits": bad.code})
			}
		}
		for _, text := range []string{"4", "0", "-1", "0.50001", "1e999999999"} {
			a := v.admin.send(t, "GET", query(preview, "credits", text), nil).invalid("unknown-price", map[string]string{"?credits": "unknown-price"})
			if prices, _ := a.fields["prices"].([]any); len(prices) != 6 {
				t.Errorf("%s: %d prices, want 6", a.request, len(prices))
			}
		}

		// All of them are named at once.
		v.admin.send(t, "GET", query("/lines", "owner", "x", "tree", "y", "status", 2, "isTrial", 2, "expires_after", "x", "expires_before", "x",
			"username", "a b", "limit", 0, "cursor", "x"), nil).invalid("validation-failed", map[string]string{
			"?owner": "bad-value", "?tree": "bad-value", "?status": "bad-value", "?isTrial": "bad-value", "?expires_after": "bad-time",
			"?expires_before": "bad-time", "?username": "bad-username", "?limit": "bad-value", "?cursor": "bad-cursor",
		})
		v.admin.send(t, "GET", query("/users", "master", "x", "tree", "", "username", "\n", "limit", "x", "cursor", ""), nil).
			invalid("validation-failed", map[string]string{
				"?master": "bad-value", "?tree": "bad-value", "?username": "bad-username", "?limit": "bad-value", "?cursor": "bad-cursor",
			})
		v.admin.send(t, "GET", query(statement, "limit", 501, "cursor", "x"), nil).
			invalid("validation-failed", map[string]string{"?limit": "bad-value", "?cursor": "bad-cursor"})

		// A value is never dropped without a word, for the answer would be another.
		for _, raw := range []string{"status=%zz", "owner=%", "owner=1;x", "tree=5&limit=%f"} {
			v.admin.send(t, "GET", "/lines?"+raw, nil).refused(422, "validation-failed")
		}

		// The token goes before the id, the id before the query, the query before
		// everything that the records say.
		srv := v.admin.server
		srv.nobody().send(t, "GET", "/lines?limit=0", nil).refused(401, "missing-token")
		v.admin.send(t, "GET", "/users/x/ledger?limit=0", nil).refused(404, "not-found")
		v.admin.send(t, "GET", "/users/999999999/ledger?limit=0", nil).refused(422, "validation-failed")
		stranger := v.admin.master(t, "0")
		stranger.send(t, "GET", statement+"?limit=0", nil).refused(422, "validation-failed")
		stranger.send(t, "GET", preview+"?credits=4", nil).refused(422, "unknown-price")
		stranger.send(t, "GET", preview+"?credits=1", nil).refused(404, "not-found")
		v.unchanged(t)
	})
}

// TestStatusIsDerived waits for the end of a trial: from then on every read says
// so, and no job had to run.
func TestStatusIsDerived(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_TRIAL_DURATION": "1s"})
		r := srv.admin(t).reseller(t, "10")
		official := r.official(t)
		trial := r.send(t, "POST", "/lines/test", nil).is(201)
		l := line{trial.id(), trial.text("username"), trial.text("password")}
		if runs := trial.instant("expDate").Sub(trial.instant("createdAt")); runs != time.Second {
			t.Errorf("the trial runs %s, want 1s", runs)
		}
		trial.has(fields{"status": 1})
		var record answer
		for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			before := r.trial(t) // the server's clock, as it was right before
			made := r.get(t, path("/lines", before.id)).instant("createdAt")
			record = r.get(t, path("/lines", l.id))
			if !made.Before(trial.instant("expDate")) {
				record.has(fields{"status": 0})
			}
			if equal(record.fields["status"], 0) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the trial does not end: %s", record.body)
			}
		}
		// Nothing but the status is another, and all reads agree.
		want := with(trial.fields, fields{"status": 0})
		delete(want, "code")
		record.exactly(want)
		r.selects(t, query("/lines", "status", 1, "isTrial", 0), official.id)
		if expired := r.get(t, query("/lines", "status", 0)); !slices.Contains(expired.ids(), l.id) || slices.Contains(expired.ids(), official.id) {
			t.Errorf("the expired lines are %v, want %d among them and not %d", expired.ids(), l.id, official.id)
		} else {
			for _, r := range expired.list() {
				r.has(fields{"status": 0})
			}
		}
		if running := r.get(t, query("/lines", "status", 1)).ids(); slices.Contains(running, l.id) {
			t.Errorf("the running lines are %v, want %d not among them", running, l.id)
		}
		r.send(t, "PATCH", path("/lines/active", l.id), l.activation(1)).is(201).has(fields{"status": 1})
		r.get(t, path("/lines", l.id)).has(fields{"status": 1})
	})
}
