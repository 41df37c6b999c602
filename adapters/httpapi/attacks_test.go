package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/fixture"
)

// siege is a master with accomplices in its own tree, who are after what is not theirs.
type siege struct {
	*harness
	root                    caller
	above                   api.Reseller // the attacker's own master
	attacker, helper, minor api.Reseller // each below the one before
	others                  []api.Reseller
	lines                   []line           // of the others, official and trials
	own                     []line           // of the attacker and its tree
	seen                    map[int64]answer // records of the others, as they were
	issued                  string
}

func newSiege(t *testing.T, srv *harness) *siege {
	t.Helper()
	s := &siege{harness: srv, root: srv.Admin(t), seen: map[int64]answer{}}
	s.above = s.root.Create(t, fields{"username": api.Unique("outside"), "is_master": 1, "credits": "1000"})
	s.attacker = s.above.Master(t, "100")
	s.helper = s.attacker.Master(t, "20")
	s.minor = s.helper.Reseller(t, "5")
	outsider := func(by caller, master int, credits string) api.Reseller {
		return by.Create(t, fields{"username": api.Unique("outside"), "is_master": master, "credits": credits, "notes": "a secret of outside", "email": "outside@example.com"})
	}
	sibling := outsider(s.above.Caller, 1, "200")
	nephew := outsider(sibling.Caller, 0, "30")
	stranger := outsider(s.root, 1, "300")
	s.others = []api.Reseller{s.above, sibling, nephew, stranger}
	for _, a := range s.others {
		s.lines = append(s.lines, a.Trial(t), a.Trial(t))
		l := s.lines[len(s.lines)-1]
		a.Send(t, "PATCH", api.Path("/lines/active", l.ID), api.With(l.Activation(0.5), fields{"username": api.Unique("outside-line"), "notes": "a secret of outside"})).Is(201)
	}
	s.own = []line{s.attacker.Official(t), s.helper.Official(t), s.minor.Trial(t)}
	for _, a := range s.others {
		s.seen[a.ID] = s.root.Get(t, api.Path("/users", a.ID))
	}
	s.issued = s.root.Get(t, "/ledger/proof").Text("issued")
	return s
}

// gang returns the attacker and its accomplices.
func (s *siege) gang() []api.Reseller { return []api.Reseller{s.attacker, s.helper, s.minor} }

// unharmed expects that nobody outside holds more or less than before, that their records, lines and statements are as
// they were, that nothing was issued, and that the attacker's tree holds what it held, less what it paid for lines.
func (s *siege) unharmed(t *testing.T) {
	t.Helper()
	s.root.Get(t, "/ledger/proof").Has(fields{"balanced": true, "issued": s.issued})
	for _, a := range s.others {
		s.root.Get(t, api.Path("/users", a.ID)).Exactly(s.seen[a.ID].Fields)
		if newest := s.root.Get(t, api.Path("/users", a.ID, "/ledger?limit=1")).List(); len(newest) > 0 {
			newest[0].Has(fields{"balance": s.seen[a.ID].Text("credits")})
		}
	}
	var total, paid int64 // ten-thousandths
	for _, r := range s.root.Get(t, fmt.Sprintf("/users?tree=%d&limit=500", s.attacker.ID)).List() {
		total += fixture.Credits(r.Text("credits")).Units()
		for _, e := range s.root.Get(t, api.Path("/users", r.ID(), "/ledger?limit=500")).List() {
			if e.Text("counterparty") == "consumption" {
				paid += fixture.Credits(strings.TrimPrefix(e.Text("amount"), "-")).Units()
			}
		}
	}
	if total+paid != 100_0000 {
		t.Errorf("the attacker's tree holds %d and has paid %d ten-thousandths of the 100 credits that it was given", total, paid)
	}
	for i, l := range s.lines {
		record := s.root.Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password, "owner": s.others[i/2].ID, "updated": 0, "isTrial": 1 - i%2})
		if i%2 == 0 {
			record.Has(fields{"username": l.Username})
		}
	}
}

// isOutside reports whether a path names a record of those outside.
func (s *siege) isOutside(path string) bool {
	_, id, _, _ := api.CutID(path)
	if strings.HasPrefix(path, "/users/") {
		return slices.ContainsFunc(s.others, func(a api.Reseller) bool { return a.Name() == id })
	}
	return slices.ContainsFunc(s.lines, func(l line) bool { return strconv.FormatInt(l.ID, 10) == id })
}

// tells expects that an answer has nothing in it of those outside.
func (s *siege) tells(t *testing.T, a answer) {
	t.Helper()
	if strings.Contains(string(a.Body), "outside") {
		t.Errorf("%s tells of those outside: %s", a.Request, a.Body)
	}
}

// TestMasterAttacks lets a master try, by design, what would make credits or reach those of others.
func TestMasterAttacks(t *testing.T) {
	t.Parallel()
	s := newSiege(t, serve(t))
	for _, a := range s.gang() {
		ask := func(method, path string, body any, headers ...string) answer {
			t.Helper()
			got := a.Send(t, method, path, body, headers...)
			s.tells(t, got)
			return got
		}
		refused := func(got answer, statuses ...int) {
			t.Helper()
			if !slices.Contains(statuses, got.Status) {
				t.Errorf("%s by %s: status %d, want one of %v: %s", got.Request, a.Username, got.Status, statuses, got.Body)
			}
		}
		// The records of others, one by one.
		for _, o := range append(slices.Clone(s.others), api.Reseller{ID: 1, Username: api.AdminName, Password: api.AdminPassword}) {
			for _, op := range []operation{
				api.Op("GET", api.Path("/users", o.ID), nil),
				api.Op("GET", api.Path("/users", o.ID, "/ledger"), nil),
				api.Op("PATCH", api.Path("/users", o.ID), o.Update()),
				api.Op("PATCH", api.Path("/users", o.ID, "/contact"), fields{"notes": "mine"}),
				api.Op("PATCH", api.Path("/users/credits", o.ID), fields{"credits": "0.0001"}),
				api.Op("POST", api.Path("/users", o.ID, "/credits/reclaim"), fields{"credits": "0.0001"}),
				api.Op("PUT", api.Path("/users", o.ID, "/block"), nil),
				api.Op("DELETE", api.Path("/users", o.ID, "/block"), nil),
			} {
				got := op.By(t, a.Caller).Refused(404, "not-found")
				got.AsAbsent(op, a.Caller)
				s.tells(t, got)
			}
			for _, list := range []string{"/users?tree=%d", "/users?master=%d", "/lines?tree=%d", "/lines?owner=%d", "/lines?status=1&tree=%d", "/lines?status=1&owner=%d", "/lines?expires_after=2001-01-01T00:00:00Z&tree=%d"} {
				for _, id := range ask("GET", fmt.Sprintf(list, o.ID), nil).IDs() {
					if strings.HasPrefix(list, "/users") && slices.ContainsFunc(s.gang(), func(own api.Reseller) bool { return own.ID == id }) {
						continue // what it may see of itself
					}
					t.Errorf("%s by %s: it finds %d", fmt.Sprintf(list, o.ID), a.Username, id)
				}
			}
		}
		for _, l := range s.lines {
			for _, op := range []operation{
				api.Op("GET", api.Path("/lines", l.ID), nil),
				api.Op("GET", api.Path("/lines/extend-preview", l.ID, "?credits=0.5"), nil),
				api.Op("PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 0.5}),
				api.Op("PATCH", api.Path("/lines/active", l.ID), l.Activation(0.5)),
				api.Op("PATCH", api.Path("/lines", l.ID), l.Edit()),
				api.Op("DELETE", api.Path("/lines", l.ID), nil),
			} {
				got := op.By(t, a.Caller).Refused(404, "not-found")
				got.AsAbsent(op, a.Caller)
				s.tells(t, got)
			}
		}
		// Lists, by what names start with, in any order, with cursors of the admin's.
		for _, list := range []string{"/users?username=outside", "/lines?username=outside", "/lines?status=1&username=OUTSIDE", "/users?username=admin"} {
			if found := ask("GET", list, nil).IDs(); len(found) > 0 {
				t.Errorf("%s by %s: it finds %v", list, a.Username, found)
			}
		}
		for _, list := range []string{"/users", "/lines", "/lines?status=1", api.Path("/users", a.ID, "/ledger")} {
			ask("GET", list, nil).List()
		}
		for _, list := range []string{"/users?limit=1", "/lines?limit=1", "/lines?status=1&limit=1"} {
			cursor := s.root.Get(t, list).Next()
			ask("GET", strings.Replace(list, "limit=1", "limit=500", 1)+"&cursor="+cursor, nil).List()
		}
		ask("GET", "/ledger/proof", nil).Refused(403, "not-allowed")

		// More than there is, less than nothing, and to itself.
		for _, credits := range []any{"-1", -1, "-0.0001", "0", 0, "1e400", "NaN", "1000000001", "0.00001", true, nil, []int{5}} {
			for _, id := range []int64{a.ID, s.minor.ID, s.above.ID} {
				refused(ask("PATCH", api.Path("/users/credits", id), fields{"credits": credits}), 422)
				refused(ask("POST", api.Path("/users", id, "/credits/reclaim"), fields{"credits": credits}), 422)
			}
			if credits != "0" && credits != 0 {
				refused(ask("POST", "/users", api.NewReseller(fields{"credits": credits})), 422)
			}
		}
		refused(ask("PATCH", api.Path("/users/credits", a.ID), fields{"credits": 1}), 403)
		refused(ask("POST", api.Path("/users", a.ID, "/credits/reclaim"), fields{"credits": 1}), 403)
		refused(ask("PUT", api.Path("/users", a.ID, "/block"), nil), 403)
		refused(ask("DELETE", api.Path("/users", a.ID, "/block"), nil), 403)
		refused(ask("POST", "/users", api.NewReseller(fields{"credits": "100.0001"})), 402, 403)
		refused(ask("PATCH", api.Path("/users/credits", s.minor.ID), fields{"credits": "100.0001"}), 402, 403)
		refused(ask("POST", api.Path("/users", s.minor.ID, "/credits/reclaim"), fields{"credits": "100.0001"}), 402, 403)
	}

	// Fields that no operation takes.
	gift := fields{"id": s.others[1].ID, "master": s.others[1].ID, "is_admin": 1, "role": "admin", "path": "/1/", "credits": "99", "block_reseller": 0, "status": 1, "token": "x"}
	child := s.attacker.Send(t, "POST", "/users", api.With(gift, api.NewReseller(fields{"credits": "1"}))).Is(201).
		Has(fields{"master": s.attacker.ID, "is_admin": 0, "credits": "1", "token": nil})
	if slices.ContainsFunc(s.others, func(o api.Reseller) bool { return o.ID == child.ID() }) {
		t.Errorf("the new account has the id of another: %s", child.Body)
	}
	s.attacker.Send(t, "PATCH", api.Path("/users", s.attacker.ID), api.With(gift, s.attacker.Update())).Is(200)
	s.attacker.Get(t, "/users/logged").Has(fields{"master": s.above.ID, "is_admin": 0, "is_master": 1, "id": s.attacker.ID})
	s.attacker.Send(t, "PATCH", api.Path("/users", s.attacker.ID, "/contact"), api.With(gift, fields{"username": "x", "password": "taken over"})).Is(200).
		Has(fields{"id": s.attacker.ID, "username": s.attacker.Username, "master": s.above.ID, "is_admin": 0})
	s.Login(t, s.attacker.Username, s.attacker.Password)
	s.minor.Send(t, "PATCH", api.Path("/users", s.minor.ID), api.With(api.With(gift, fields{"is_master": 1}), s.minor.Update())).Is(200)
	s.minor.Get(t, "/users/logged").Has(fields{"master": s.helper.ID, "is_master": 0, "credits": "5"})
	l := s.own[0]
	s.attacker.Send(t, "PATCH", api.Path("/lines", l.ID), api.With(l.Edit(), fields{"owner": s.others[1].ID, "expDate": "2999-01-01T00:00:00.000Z", "isTrial": 1})).Is(200)
	s.attacker.Get(t, api.Path("/lines", l.ID)).Has(fields{"owner": s.attacker.ID, "isTrial": 0, "status": 1})
	issued := s.attacker.Send(t, "POST", "/lines/test", fields{"owner": s.others[1].ID, "expDate": "2999-01-01T00:00:00.000Z", "isTrial": 0}).Is(201)
	issued.Has(fields{"owner": s.attacker.ID, "isTrial": 1})
	bought := issued.Line()
	s.attacker.Send(t, "PATCH", api.Path("/lines/active", bought.ID), api.With(bought.Activation(0.5), fields{"owner": s.others[1].ID, "price": 0, "period": "10 years"})).
		Is(201).Has(fields{"owner": s.attacker.ID})

	// Names of others are taken, and that is all that is said of them.
	s.attacker.Send(t, "POST", "/users", api.NewReseller(fields{"username": s.others[1].Username})).Refused(409, "username-taken")
	s.attacker.Send(t, "PATCH", api.Path("/users", s.helper.ID), api.With(s.helper.Update(), fields{"username": strings.ToUpper(s.others[1].Username)})).Refused(409, "username-taken")

	// Keys of others replay nothing to anybody else.
	topUp := api.Op("PATCH", api.Path("/users/credits", s.attacker.ID), fields{"credits": 1})
	paid := topUp.By(t, s.above.Caller, "Idempotency-Key", "of-above").Is(200)
	topUp.By(t, s.attacker.Caller, "Idempotency-Key", "of-above").Refused(403, "not-allowed").Replayed(false)
	trial := s.others[1].Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "of-another").Is(201)
	mine := s.attacker.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "of-another").Is(201).Replayed(false)
	if mine.ID() == trial.ID() || mine.Text("password") == trial.Text("password") {
		t.Errorf("a key of another's replays its answer: %s", mine.Body)
	}
	// What the master above gave it is taken back, so that the sums are as before.
	s.above.Reclaim(t, s.attacker.ID, 1).Is(200)
	paid.Has(fields{"id": s.attacker.ID})
	s.seen[s.above.ID] = s.root.Get(t, api.Path("/users", s.above.ID)).Has(fields{"credits": s.seen[s.above.ID].Text("credits")})
	s.unharmed(t)

	// Tokens that are made up.
	for _, token := range []string{api.Altered(s.above.Token), strings.Replace(s.attacker.Token, ".", "..", 1), s.attacker.Token + "x", s.attacker.Token[1:]} {
		s.As(token).Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	}
	parts, foreign := strings.Split(s.attacker.Token, "."), strings.Split(s.above.Token, ".")
	s.As(parts[0]+"."+foreign[1]+"."+parts[2]).Send(t, "GET", "/users/logged", nil).Refused(401, "invalid-token")
	s.unharmed(t)
	s.audit(t)
}

// TestMasterTriesAnything sends random operations with random ids, amounts and filters as the attacker and its
// accomplices: whatever the sequence, nothing of others is seen or spent, and no credit is made.
func TestMasterTriesAnything(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	s := newSiege(t, serve(t))
	gang := s.gang()
	lines := slices.Concat(s.lines, s.own)
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	amount := func() any {
		return []any{0.5, 1, 2, 10, "0.0001", "3.3333", 50, 99, 1000, "1000000000", -1, "-5", 0, "0.00001"}[random.IntN(14)]
	}
	accountID := func() int64 {
		if random.IntN(2) == 0 {
			return s.others[random.IntN(len(s.others))].ID
		}
		return gang[random.IntN(len(gang))].ID
	}
	counts := map[string]int{}
	for step := range 200 {
		by := gang[random.IntN(len(gang))]
		id, l := accountID(), lines[random.IntN(len(lines))]
		var op operation
		switch random.IntN(14) {
		case 0:
			op = api.Op("POST", "/users", api.NewReseller(fields{"is_master": random.IntN(2), "credits": amount(), "master": accountID(), "id": accountID()}))
		case 1, 2:
			op = api.Op("PATCH", api.Path("/users/credits", id), fields{"credits": amount()})
		case 3, 4:
			op = api.Op("POST", api.Path("/users", id, "/credits/reclaim"), fields{"credits": amount()})
		case 5:
			op = api.Op(pick("PUT", "DELETE"), api.Path("/users", id, "/block"), nil)
		case 6:
			op = api.Op("POST", "/lines/test", fields{"owner": accountID()})
		case 7:
			op = api.Op("PATCH", api.Path("/lines/active", l.ID), api.With(l.Activation(amount()), fields{"owner": accountID()}))
		case 8:
			op = api.Op("PATCH", api.Path("/lines/extend", l.ID), fields{"credits": amount(), "owner": accountID()})
		case 9:
			op = api.Op(pick("PATCH", "DELETE"), api.Path("/lines", l.ID), l.Edit())
		case 10:
			op = api.Op("GET", api.Query(pick("/users", "/lines"), pick("tree", "owner", "master", "x"), accountID(), pick("status", "isTrial", "y"), random.IntN(2)), nil)
		case 11:
			op = api.Op("GET", pick(api.Path("/users", id), api.Path("/users", id, "/ledger"), api.Path("/lines", l.ID), api.Path("/lines/extend-preview", l.ID, "?credits=1")), nil)
		case 12:
			op = api.Op("GET", api.Query(pick("/users", "/lines"), "username", pick("o", "out", "outside", "OUTSIDE-", "a")), nil)
		case 13:
			op = api.Op("GET", pick("/ledger/proof", "/prices", "/users/logged", "/users", "/lines", "/lines?status=1"), nil)
		}
		headers := []string{}
		if random.IntN(3) == 0 {
			headers = []string{"Idempotency-Key", fmt.Sprintf("key-%d", random.IntN(40))}
		}
		a := op.By(t, by.Caller, headers...)
		counts[op.Method]++
		s.tells(t, a)
		if a.Status >= 500 {
			t.Errorf("step %d: %s: %s", step, a.Request, a.Body)
		}
		if a.Status < 300 && s.isOutside(op.Path) {
			t.Errorf("step %d: %s as %s: status %d: %s", step, a.Request, by.Username, a.Status, a.Body)
		}
		switch {
		case a.Status == 201 && op.Path == "/users" && a.Header.Get("Idempotency-Replayed") == "":
			if !slices.ContainsFunc(gang, func(own api.Reseller) bool { return api.Equal(a.Fields["master"], own.ID) }) {
				t.Errorf("step %d: an account outside the tree: %s", step, a.Body)
			}
			if len(gang) < 12 {
				made := api.Reseller{ID: a.ID(), Username: a.Text("username"), Password: a.Text("password")}
				// Its master may be blocked by now, and then it can't log in.
				if login, err := s.Nobody().Try(t, "POST", "/auth/static-token", fields{"username": made.Username, "password": made.Password}); err == nil && login.Status == http.StatusOK {
					made.Caller = s.As(login.Text("token"))
					gang = append(gang, made)
				}
			}
		case a.Status == 201 && op.Path == "/lines/test":
			lines = append(lines, a.Line())
		}
		if step%20 == 19 {
			s.unharmed(t)
		}
		if step%10 == 9 { // a way out for those who blocked one another
			for _, blocked := range s.root.Get(t, fmt.Sprintf("/users?tree=%d&limit=500", s.attacker.ID)).List() {
				if api.Equal(blocked.Fields["block_reseller"], 1) && random.IntN(2) == 0 {
					s.root.Unblock(t, blocked.ID()).Is(200)
				}
			}
		}
	}
	if counts["POST"] == 0 || counts["PATCH"] == 0 || counts["GET"] == 0 {
		t.Errorf("the operations tried are %v", counts)
	}
	s.unharmed(t)
	s.audit(t)
}
