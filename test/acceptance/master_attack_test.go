package acceptance

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// siege is a master with accomplices in its own tree, who are after what is not
// theirs.
type siege struct {
	*server
	root                    caller
	above                   account // the attacker's own master
	attacker, helper, minor account // each below the one before
	others                  []account
	lines                   []line           // of the others, official and trials
	own                     []line           // of the attacker and its tree
	seen                    map[int64]answer // records of the others, as they were
	issued                  string
}

func newSiege(t *testing.T, srv *server) *siege {
	t.Helper()
	s := &siege{server: srv, root: srv.admin(t), seen: map[int64]answer{}}
	s.above = s.root.create(t, fields{"username": unique("outside"), "is_master": 1, "credits": "1000"})
	s.attacker = s.above.master(t, "100")
	s.helper = s.attacker.master(t, "20")
	s.minor = s.helper.reseller(t, "5")
	outsider := func(by caller, master int, credits string) account {
		return by.create(t, fields{"username": unique("outside"), "is_master": master, "credits": credits, "notes": "a secret of outside", "email": "outside@example.com"})
	}
	sibling := outsider(s.above.caller, 1, "200")
	nephew := outsider(sibling.caller, 0, "30")
	stranger := outsider(s.root, 1, "300")
	s.others = []account{s.above, sibling, nephew, stranger}
	for _, a := range s.others {
		s.lines = append(s.lines, a.trial(t), a.trial(t))
		l := s.lines[len(s.lines)-1]
		a.send(t, "PATCH", path("/lines/active", l.id), with(l.activation(0.5), fields{"username": unique("outside-line"), "notes": "a secret of outside"})).is(201)
	}
	s.own = []line{s.attacker.official(t), s.helper.official(t), s.minor.trial(t)}
	for _, a := range s.others {
		s.seen[a.id] = s.root.get(t, path("/users", a.id))
	}
	s.issued = s.root.get(t, "/ledger/proof").text("issued")
	return s
}

// gang returns the attacker and its accomplices.
func (s *siege) gang() []account { return []account{s.attacker, s.helper, s.minor} }

// unharmed expects that nobody outside holds more or less than before, that their
// records, lines and statements are as they were, that nothing was issued, and
// that the attacker's tree holds what it held, less what it paid for lines.
func (s *siege) unharmed(t *testing.T) {
	t.Helper()
	s.root.get(t, "/ledger/proof").has(fields{"balanced": true, "issued": s.issued})
	for _, a := range s.others {
		s.root.get(t, path("/users", a.id)).exactly(s.seen[a.id].fields)
		if newest := s.root.get(t, path("/users", a.id, "/ledger?limit=1")).list(); len(newest) > 0 {
			newest[0].has(fields{"balance": s.seen[a.id].text("credits")})
		}
	}
	var total, paid units
	for _, r := range s.root.get(t, fmt.Sprintf("/users?tree=%d&limit=500", s.attacker.id)).list() {
		total += parseUnits(t, r.text("credits"))
		for _, e := range s.root.get(t, path("/users", r.id(), "/ledger?limit=500")).list() {
			if e.text("counterparty") == "consumption" {
				paid -= parseUnits(t, e.text("amount"))
			}
		}
	}
	if total+paid != 100_0000 {
		t.Errorf("the attacker's tree holds %s and has paid %s of the 100 credits that it was given", total, paid)
	}
	for i, l := range s.lines {
		record := s.root.get(t, path("/lines", l.id)).has(fields{"password": l.password, "owner": s.others[i/2].id, "updated": 0, "isTrial": 1 - i%2})
		if i%2 == 0 {
			record.has(fields{"username": l.username})
		}
	}
}

// parseUnits reads credits as answers write them.
func parseUnits(t *testing.T, credits string) units {
	t.Helper()
	digits, negative := strings.CutPrefix(credits, "-")
	whole, part, _ := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(whole+(part + "0000")[:4], 10, 64)
	if err != nil {
		t.Errorf("%q: %v", credits, err)
	}
	if negative {
		n = -n
	}
	return units(n)
}

// isOutside reports whether a path names a record of those outside.
func (s *siege) isOutside(path string) bool {
	_, id, _, _ := cutID(path)
	if strings.HasPrefix(path, "/users/") {
		return slices.ContainsFunc(s.others, func(a account) bool { return a.name() == id })
	}
	return slices.ContainsFunc(s.lines, func(l line) bool { return strconv.FormatInt(l.id, 10) == id })
}

// tells expects that an answer has nothing in it of those outside.
func (s *siege) tells(t *testing.T, a answer) {
	t.Helper()
	if strings.Contains(string(a.body), "outside") {
		t.Errorf("%s tells of those outside: %s", a.request, a.body)
	}
}

// TestMasterAttacks lets a master try, by design, what would make credits or reach
// those of others.
func TestMasterAttacks(t *testing.T) {
	forEachStore(t, func(t *testing.T, store store) {
		s := newSiege(t, startServer(t, store, nil))
		for _, a := range s.gang() {
			ask := func(method, path string, body any, headers ...string) answer {
				t.Helper()
				got := a.send(t, method, path, body, headers...)
				s.tells(t, got)
				return got
			}
			refused := func(got answer, statuses ...int) {
				t.Helper()
				if !slices.Contains(statuses, got.status) {
					t.Errorf("%s by %s: status %d, want one of %v: %s", got.request, a.username, got.status, statuses, got.body)
				}
			}
			// The records of others, one by one.
			for _, o := range append(slices.Clone(s.others), account{id: 1, username: adminName, password: adminPassword}) {
				for _, op := range []operation{
					{"GET", path("/users", o.id), nil},
					{"GET", path("/users", o.id, "/ledger"), nil},
					{"PATCH", path("/users", o.id), o.update()},
					{"PATCH", path("/users/credits", o.id), fields{"credits": "0.0001"}},
					{"POST", path("/users", o.id, "/credits/reclaim"), fields{"credits": "0.0001"}},
					{"PUT", path("/users", o.id, "/block"), nil},
					{"DELETE", path("/users", o.id, "/block"), nil},
				} {
					got := op.by(t, a.caller).refused(404, "not-found")
					got.asAbsent(op, a.caller)
					s.tells(t, got)
				}
				for _, list := range []string{"/users?tree=%d", "/users?master=%d", "/lines?tree=%d", "/lines?owner=%d", "/lines?status=1&tree=%d", "/lines?status=1&owner=%d", "/lines?expires_after=2001-01-01T00:00:00Z&tree=%d"} {
					for _, id := range ask("GET", fmt.Sprintf(list, o.id), nil).ids() {
						if strings.HasPrefix(list, "/users") && slices.ContainsFunc(s.gang(), func(own account) bool { return own.id == id }) {
							continue // what it may see of itself
						}
						t.Errorf("%s by %s: it finds %d", fmt.Sprintf(list, o.id), a.username, id)
					}
				}
			}
			for _, l := range s.lines {
				for _, op := range []operation{
					{"GET", path("/lines", l.id), nil},
					{"GET", path("/lines/extend-preview", l.id, "?credits=0.5"), nil},
					{"PATCH", path("/lines/extend", l.id), fields{"credits": 0.5}},
					{"PATCH", path("/lines/active", l.id), l.activation(0.5)},
					{"PATCH", path("/lines", l.id), l.edit()},
					{"DELETE", path("/lines", l.id), nil},
				} {
					got := op.by(t, a.caller).refused(404, "not-found")
					got.asAbsent(op, a.caller)
					s.tells(t, got)
				}
			}
			// Lists, by what names start with, in any order, with cursors of the admin's.
			for _, list := range []string{"/users?username=outside", "/lines?username=outside", "/lines?status=1&username=OUTSIDE", "/users?username=admin"} {
				if found := ask("GET", list, nil).ids(); len(found) > 0 {
					t.Errorf("%s by %s: it finds %v", list, a.username, found)
				}
			}
			for _, list := range []string{"/users", "/lines", "/lines?status=1", path("/users", a.id, "/ledger")} {
				ask("GET", list, nil).list()
			}
			for _, list := range []string{"/users?limit=1", "/lines?limit=1", "/lines?status=1&limit=1"} {
				cursor := s.root.get(t, list).next()
				ask("GET", strings.Replace(list, "limit=1", "limit=500", 1)+"&cursor="+cursor, nil).list()
			}
			ask("GET", "/ledger/proof", nil).refused(403, "not-allowed")

			// More than there is, less than nothing, and to itself.
			for _, credits := range []any{"-1", -1, "-0.0001", "0", 0, "1e400", "NaN", "1000000001", "0.00001", true, nil, []int{5}} {
				for _, id := range []int64{a.id, s.minor.id, s.above.id} {
					refused(ask("PATCH", path("/users/credits", id), fields{"credits": credits}), 422)
					refused(ask("POST", path("/users", id, "/credits/reclaim"), fields{"credits": credits}), 422)
				}
				if credits != "0" && credits != 0 {
					refused(ask("POST", "/users", newReseller(fields{"credits": credits})), 422)
				}
			}
			refused(ask("PATCH", path("/users/credits", a.id), fields{"credits": 1}), 403)
			refused(ask("POST", path("/users", a.id, "/credits/reclaim"), fields{"credits": 1}), 403)
			refused(ask("PUT", path("/users", a.id, "/block"), nil), 403)
			refused(ask("DELETE", path("/users", a.id, "/block"), nil), 403)
			refused(ask("POST", "/users", newReseller(fields{"credits": "100.0001"})), 402, 403)
			refused(ask("PATCH", path("/users/credits", s.minor.id), fields{"credits": "100.0001"}), 402, 403)
			refused(ask("POST", path("/users", s.minor.id, "/credits/reclaim"), fields{"credits": "100.0001"}), 402, 403)
		}

		// Fields that no operation takes.
		gift := fields{"id": s.others[1].id, "master": s.others[1].id, "is_admin": 1, "role": "admin", "path": "/1/", "credits": "99", "block_reseller": 0, "status": 1, "token": "x"}
		child := s.attacker.send(t, "POST", "/users", with(gift, newReseller(fields{"credits": "1"}))).is(201).
			has(fields{"master": s.attacker.id, "is_admin": 0, "credits": "1", "token": nil})
		if slices.ContainsFunc(s.others, func(o account) bool { return o.id == child.id() }) {
			t.Errorf("the new account has the id of another: %s", child.body)
		}
		s.attacker.send(t, "PATCH", path("/users", s.attacker.id), with(gift, s.attacker.update())).is(200)
		s.attacker.get(t, "/users/logged").has(fields{"master": s.above.id, "is_admin": 0, "is_master": 1, "id": s.attacker.id})
		s.minor.send(t, "PATCH", path("/users", s.minor.id), with(with(gift, fields{"is_master": 1}), s.minor.update())).is(200)
		s.minor.get(t, "/users/logged").has(fields{"master": s.helper.id, "is_master": 0, "credits": "5"})
		l := s.own[0]
		s.attacker.send(t, "PATCH", path("/lines", l.id), with(l.edit(), fields{"owner": s.others[1].id, "expDate": "2999-01-01T00:00:00.000Z", "isTrial": 1})).is(200)
		s.attacker.get(t, path("/lines", l.id)).has(fields{"owner": s.attacker.id, "isTrial": 0, "status": 1})
		issued := s.attacker.send(t, "POST", "/lines/test", fields{"owner": s.others[1].id, "expDate": "2999-01-01T00:00:00.000Z", "isTrial": 0}).is(201)
		issued.has(fields{"owner": s.attacker.id, "isTrial": 1})
		bought := line{issued.id(), issued.text("username"), issued.text("password")}
		s.attacker.send(t, "PATCH", path("/lines/active", bought.id), with(bought.activation(0.5), fields{"owner": s.others[1].id, "price": 0, "period": "10 years"})).
			is(201).has(fields{"owner": s.attacker.id})

		// Names of others are taken, and that is all that is said of them.
		s.attacker.send(t, "POST", "/users", newReseller(fields{"username": s.others[1].username})).refused(409, "username-taken")
		s.attacker.send(t, "PATCH", path("/users", s.helper.id), with(s.helper.update(), fields{"username": strings.ToUpper(s.others[1].username)})).refused(409, "username-taken")

		// Keys of others replay nothing to anybody else.
		topUp := operation{"PATCH", path("/users/credits", s.attacker.id), fields{"credits": 1}}
		paid := topUp.by(t, s.above.caller, "Idempotency-Key", "of-above").is(200)
		topUp.by(t, s.attacker.caller, "Idempotency-Key", "of-above").refused(403, "not-allowed").replayed(false)
		trial := s.others[1].send(t, "POST", "/lines/test", nil, "Idempotency-Key", "of-another").is(201)
		mine := s.attacker.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "of-another").is(201).replayed(false)
		if mine.id() == trial.id() || mine.text("password") == trial.text("password") {
			t.Errorf("a key of another's replays its answer: %s", mine.body)
		}
		// What the master above gave it is taken back, so that the sums are as before.
		s.above.send(t, "POST", path("/users", s.attacker.id, "/credits/reclaim"), fields{"credits": 1}).is(200)
		paid.has(fields{"id": s.attacker.id})
		s.seen[s.above.id] = s.root.get(t, path("/users", s.above.id)).has(fields{"credits": s.seen[s.above.id].text("credits")})
		s.unharmed(t)

		// Tokens that are made up.
		for _, token := range []string{altered(s.above.token), strings.Replace(s.attacker.token, ".", "..", 1), s.attacker.token + "x", s.attacker.token[1:]} {
			caller{s.server, token}.send(t, "GET", "/users/logged", nil).refused(401, "invalid-token")
		}
		parts, foreign := strings.Split(s.attacker.token, "."), strings.Split(s.above.token, ".")
		caller{s.server, parts[0] + "." + foreign[1] + "." + parts[2]}.send(t, "GET", "/users/logged", nil).refused(401, "invalid-token")
		s.unharmed(t)
		s.audit(t)
	})
}

// TestMasterRaces lets the attacker's tree spend the same credits on all sides at
// once.
func TestMasterRaces(t *testing.T) {
	forEachStore(t, func(t *testing.T, store store) {
		s := newSiege(t, startServer(t, store, nil))
		trials := make([]line, 12)
		for i := range trials {
			trials[i] = s.minor.trial(t)
		}
		for round := range 3 {
			atOnce(72, func(i int) {
				var a answer
				switch i % 6 {
				case 0: // down
					a = s.attacker.send(t, "PATCH", path("/users/credits", s.helper.id), fields{"credits": 40})
				case 1: // and back
					a = s.attacker.send(t, "POST", path("/users", s.helper.id, "/credits/reclaim"), fields{"credits": 40})
				case 2: // further down
					a = s.helper.send(t, "PATCH", path("/users/credits", s.minor.id), fields{"credits": 40})
				case 3: // and back at once, past the helper
					a = s.attacker.send(t, "POST", path("/users", s.minor.id, "/credits/reclaim"), fields{"credits": 40})
				case 4: // while it is spent
					l := trials[i/6]
					if round == 0 {
						a = s.minor.send(t, "PATCH", path("/lines/active", l.id), l.activation(10))
					} else {
						a = s.minor.send(t, "PATCH", path("/lines/extend", l.id), fields{"credits": 1})
					}
				case 5: // under one key
					a = s.attacker.send(t, "PATCH", path("/users/credits", s.minor.id), fields{"credits": 3}, "Idempotency-Key", fmt.Sprintf("race-%d", round))
				}
				if a.status >= 300 && a.status != 402 && a.status != 409 {
					t.Errorf("%s: status %d: %s", a.request, a.status, a.body)
				}
			})
			s.unharmed(t)
		}
		s.audit(t)
	})
}

// TestMasterTriesAnything sends random operations with random ids, amounts and
// filters as the attacker and its accomplices: whatever the sequence, nothing of
// others is seen or spent, and no credit is made.
func TestMasterTriesAnything(t *testing.T) {
	forEachStore(t, func(t *testing.T, store store) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		defer func() {
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		}()
		s := newSiege(t, startServer(t, store, nil))
		gang := s.gang()
		lines := slices.Concat(s.lines, s.own)
		pick := func(list ...string) string { return list[random.IntN(len(list))] }
		amount := func() any {
			return []any{0.5, 1, 2, 10, "0.0001", "3.3333", 50, 99, 1000, "1000000000", -1, "-5", 0, "0.00001"}[random.IntN(14)]
		}
		accountID := func() int64 {
			if random.IntN(2) == 0 {
				return s.others[random.IntN(len(s.others))].id
			}
			return gang[random.IntN(len(gang))].id
		}
		counts := map[string]int{}
		for step := range 200 {
			by := gang[random.IntN(len(gang))]
			id, l := accountID(), lines[random.IntN(len(lines))]
			var op operation
			switch random.IntN(14) {
			case 0:
				op = operation{"POST", "/users", newReseller(fields{"is_master": random.IntN(2), "credits": amount(), "master": accountID(), "id": accountID()})}
			case 1, 2:
				op = operation{"PATCH", path("/users/credits", id), fields{"credits": amount()}}
			case 3, 4:
				op = operation{"POST", path("/users", id, "/credits/reclaim"), fields{"credits": amount()}}
			case 5:
				op = operation{pick("PUT", "DELETE"), path("/users", id, "/block"), nil}
			case 6:
				op = operation{"POST", "/lines/test", fields{"owner": accountID()}}
			case 7:
				op = operation{"PATCH", path("/lines/active", l.id), with(l.activation(amount()), fields{"owner": accountID()})}
			case 8:
				op = operation{"PATCH", path("/lines/extend", l.id), fields{"credits": amount(), "owner": accountID()}}
			case 9:
				op = operation{pick("PATCH", "DELETE"), path("/lines", l.id), l.edit()}
			case 10:
				op = operation{"GET", query(pick("/users", "/lines"), pick("tree", "owner", "master", "x"), accountID(), pick("status", "isTrial", "y"), random.IntN(2)), nil}
			case 11:
				op = operation{"GET", pick(path("/users", id), path("/users", id, "/ledger"), path("/lines", l.id), path("/lines/extend-preview", l.id, "?credits=1")), nil}
			case 12:
				op = operation{"GET", query(pick("/users", "/lines"), "username", pick("o", "out", "outside", "OUTSIDE-", "a")), nil}
			case 13:
				op = operation{"GET", pick("/ledger/proof", "/prices", "/users/logged", "/users", "/lines", "/lines?status=1"), nil}
			}
			headers := []string{}
			if random.IntN(3) == 0 {
				headers = []string{"Idempotency-Key", fmt.Sprintf("key-%d", random.IntN(40))}
			}
			a := op.by(t, by.caller, headers...)
			counts[op.method]++
			s.tells(t, a)
			if a.status >= 500 {
				t.Errorf("step %d: %s: %s", step, a.request, a.body)
			}
			if a.status < 300 && s.isOutside(op.path) {
				t.Errorf("step %d: %s as %s: status %d: %s", step, a.request, by.username, a.status, a.body)
			}
			switch {
			case a.status == 201 && op.path == "/users" && a.header.Get("Idempotency-Replayed") == "":
				if !slices.ContainsFunc(gang, func(own account) bool { return equal(a.fields["master"], own.id) }) {
					t.Errorf("step %d: an account outside the tree: %s", step, a.body)
				}
				if len(gang) < 12 {
					made := account{id: a.id(), username: a.text("username"), password: a.text("password")}
					// Its master may be blocked by now, and then it can't log in.
					if login, err := s.nobody().try(t, "POST", "/auth/static-token", fields{"username": made.username, "password": made.password}); err == nil && login.status == http.StatusOK {
						made.caller = caller{s.server, login.text("token")}
						gang = append(gang, made)
					}
				}
			case a.status == 201 && op.path == "/lines/test":
				lines = append(lines, line{a.id(), a.text("username"), a.text("password")})
			}
			if step%20 == 19 {
				s.unharmed(t)
			}
			if step%10 == 9 { // a way out for those who blocked one another
				for _, blocked := range s.root.get(t, fmt.Sprintf("/users?tree=%d&limit=500", s.attacker.id)).list() {
					if equal(blocked.fields["block_reseller"], 1) && random.IntN(2) == 0 {
						s.root.send(t, "DELETE", path("/users", blocked.id(), "/block"), nil).is(200)
					}
				}
			}
		}
		if counts["POST"] == 0 || counts["PATCH"] == 0 || counts["GET"] == 0 {
			t.Errorf("the operations tried are %v", counts)
		}
		s.unharmed(t)
		s.audit(t)
	})
}
