package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// units is an exact number of ten-thousandths of a credit.
type units int64

// String returns the credits in canonical form.
func (u units) String() string {
	sign := ""
	if u < 0 {
		sign, u = "-", -u
	}
	whole, part := u/10_000, strings.TrimRight(fmt.Sprintf("%04d", u%10_000), "0")
	if part == "" {
		return sign + strconv.FormatInt(int64(whole), 10)
	}
	return fmt.Sprintf("%s%d.%s", sign, whole, part)
}

// name is an account as a counterparty.
func (a account) name() string { return strconv.FormatInt(a.id, 10) }

// TestStatementOfEveryKind moves credits in every way there is and compares each
// entry of each statement, field by field, with what was asked and answered.
func TestStatementOfEveryKind(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.admin(t)
		want := map[int64][]fields{} // by account, the oldest first
		requests := 0
		// request does something under a request id of its own, and returns what
		// every entry that it leaves says.
		request := func(by caller, actor int64, op operation, kind string, at string) (answer, fields) {
			t.Helper()
			requests++
			id := fmt.Sprintf("request-%d", requests)
			a := op.by(t, by, "X-Request-Id", id)
			if a.status >= 300 {
				t.Fatalf("%s: %s", a.request, a.body)
			}
			common := fields{"kind": kind, "actor": actor, "request_id": id, "notes": nil, "line": nil, "at": iso}
			if at != "" {
				common["at"] = a.text(at)
			}
			return a, common
		}
		enter := func(account int64, common fields, amount, balance, counterparty string) {
			seq := len(want[account]) + 1
			want[account] = append(want[account], with(common, fields{"seq": seq, "amount": amount, "balance": balance, "counterparty": counterparty}))
		}
		create := func(by caller, actor int64, changes fields) (account, fields) {
			t.Helper()
			body := newReseller(changes)
			a, common := request(by, actor, operation{"POST", "/users", body}, "opening", "createdAt")
			made := account{id: a.id(), username: body["username"].(string), password: body["password"].(string)}
			made.caller = caller{srv, srv.login(t, made.username, made.password)}
			return made, common
		}

		master, common := create(admin, 1, fields{"is_master": 1, "credits": "100"})
		enter(master.id, common, "100", "100", "issuance")
		seller, common := create(master.caller, master.id, fields{"credits": "10"})
		enter(master.id, common, "-10", "90", seller.name())
		enter(seller.id, common, "10", "10", master.name())
		idle, _ := create(master.caller, master.id, nil) // no credits, no movement

		recharge := func(by caller, actor int64, credits string, notes any) fields {
			t.Helper()
			_, common := request(by, actor, operation{"PATCH", path("/users/credits", seller.id), fields{"credits": credits, "notes": notes}}, "recharge", "recharge")
			common["notes"] = notes
			return common
		}
		enter(seller.id, recharge(admin, 1, "5", "two\nlines, \"quoted\" <b>&é😀"), "5", "15", "issuance")
		common = recharge(master.caller, master.id, "2.5", nil)
		enter(master.id, common, "-2.5", "87.5", seller.name())
		enter(seller.id, common, "2.5", "17.5", master.name())

		trial := seller.trial(t)
		_, common = request(seller.caller, seller.id, operation{"PATCH", path("/lines/active", trial.id), with(trial.activation(1), fields{"notes": "of the line"})}, "activation", "updatedAt")
		common["line"] = trial.id
		enter(seller.id, common, "-1", "16.5", "consumption")
		_, common = request(master.caller, master.id, operation{"PATCH", path("/lines/extend", trial.id), fields{"credits": 0.5}}, "extension", "updatedAt")
		common["line"] = trial.id
		enter(seller.id, common, "-0.5", "16", "consumption")

		reclaim := func(by caller, actor int64, credits string, notes any) fields {
			t.Helper()
			_, common := request(by, actor, operation{"POST", path("/users", seller.id, "/credits/reclaim"), fields{"credits": credits, "notes": notes}}, "reclaim", "")
			common["notes"] = notes
			return common
		}
		common = reclaim(master.caller, master.id, "6", "too much")
		enter(seller.id, common, "-6", "10", master.name())
		enter(master.id, common, "6", "93.5", seller.name())
		enter(seller.id, reclaim(admin, 1, "3.0001", nil), "-3.0001", "6.9999", "issuance")

		own := admin.trial(t)
		_, common = request(admin, 1, operation{"PATCH", path("/lines/active", own.id), own.activation(10)}, "activation", "updatedAt")
		common["line"] = own.id
		enter(1, common, "-10", "0", "consumption")
		_, common = request(admin, 1, operation{"PATCH", path("/lines/extend", own.id), fields{"credits": 2}}, "extension", "updatedAt")
		common["line"] = own.id
		enter(1, common, "-2", "0", "consumption")

		// What is refused leaves nothing, nor does what moves nothing.
		master.send(t, "PATCH", path("/users/credits", seller.id), fields{"credits": 1000}).refused(402, "insufficient-credits")
		master.send(t, "POST", path("/users", seller.id, "/credits/reclaim"), fields{"credits": 1000}).refused(402, "insufficient-credits")
		seller.get(t, path("/lines/extend-preview", trial.id, "?credits=1"))
		seller.send(t, "PATCH", path("/lines", trial.id), trial.edit()).is(200)
		admin.send(t, "PUT", path("/users", seller.id, "/block"), nil).is(200)
		admin.send(t, "DELETE", path("/users", seller.id, "/block"), nil).is(200)

		ids := map[string]string{} // of movements, by the request that asked for them
		check := func() {
			t.Helper()
			for _, id := range []int64{1, master.id, seller.id, idle.id} {
				page := admin.get(t, path("/users", id, "/ledger"))
				entries := page.list()
				if len(entries) != len(want[id]) || page.next() != "" {
					t.Fatalf("account %d: %d entries, want %d and no more: %s", id, len(entries), len(want[id]), page.body)
				}
				slices.Reverse(entries)
				for i, e := range entries {
					e.exactly(with(want[id][i], fields{"id": e.fields["id"]}))
					movement, request := fmt.Sprint(e.id()), e.text("request_id")
					if known := ids[request]; known != "" && known != movement {
						t.Errorf("%s is movement %s to one account and %s to another", request, known, movement)
					}
					ids[request] = movement
				}
			}
		}
		check()
		movements := len(ids)
		if got := len(slices.Compact(slices.Sorted(maps.Values(ids)))); got != movements {
			t.Errorf("%d movements have %d ids", movements, got)
		}
		// The ledger outlives lines.
		seller.send(t, "DELETE", path("/lines", trial.id), nil).is(200)
		check()
		admin.get(t, "/ledger/proof").exactly(fields{
			"issued": "113.9999", "balances": "100.4999", "consumed": "13.5", "balanced": true, "movements": movements, "at": iso,
		})
		if s.durable {
			srv.restart(t)
			check()
		}
		srv.audit(t)
	})
}

// TestStatementPages goes through a statement page by page, from the newest entry
// on, while more are added: nothing is shown twice and nothing is left out.
func TestStatementPages(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		admin := srv.admin(t)
		r := admin.reseller(t, "1")
		const entries = 57
		for range entries - 1 {
			admin.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		}
		ledger := path("/users", r.id, "/ledger")
		seqs := func(a answer) (got []int) {
			t.Helper()
			for _, e := range a.list() {
				seq, _ := strconv.Atoi(e.fields["seq"].(json.Number).String())
				got = append(got, seq)
				e.has(fields{"balance": fmt.Sprint(seq), "amount": "1"})
			}
			return got
		}
		down := func(from, to int) (want []int) {
			for seq := from; seq >= to; seq-- {
				want = append(want, seq)
			}
			return want
		}
		expect := func(a answer, from, to int) string {
			t.Helper()
			if got := seqs(a); !slices.Equal(got, down(from, to)) {
				t.Errorf("%s: numbers %v, want %d down to %d", a.request, got, from, to)
			}
			return a.next()
		}
		next := expect(r.get(t, ledger), entries, entries-49) // 50 where nothing is asked
		admin.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		if end := expect(r.get(t, ledger+"?cursor="+next), entries-50, 1); end != "" {
			t.Errorf("there is a page after the first entry: %q", end)
		}
		if end := expect(r.get(t, ledger+"?limit=500"), entries+1, 1); end != "" {
			t.Errorf("there is a page after everything: %q", end)
		}
		if end := expect(r.get(t, fmt.Sprintf("%s?limit=%d", ledger, entries+1)), entries+1, 1); end != "" {
			t.Errorf("there is a page after exactly everything: %q", end)
		}
		cursor, at := "", entries+1
		for at > 0 {
			to := max(at-7+1, 1)
			cursor = "&cursor=" + expect(r.get(t, ledger+"?limit=7"+cursor), at, to)
			at = to - 1
			admin.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(200)
		}
		if cursor != "&cursor=" {
			t.Errorf("there is a page after the last: %q", cursor)
		}
	})
}

func TestReclaim(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.admin(t)
		master := admin.master(t, "100")
		child := master.master(t, "30")
		leaf := child.reseller(t, "0")
		funded := child.send(t, "PATCH", path("/users/credits", leaf.id), fields{"credits": 12.5}).is(200)
		at := path("/users", leaf.id, "/credits/reclaim")
		answered := func(a answer, left string) {
			t.Helper()
			a.is(200).exactly(fields{"id": leaf.id, "username": leaf.username, "credits": json.Number(left), "recharge": funded.text("recharge"), "message": anything})
		}
		answered(child.send(t, "POST", at, fields{"credits": "2.50", "notes": "a note"}), "10")
		answered(master.send(t, "POST", at, fields{"credits": json.RawMessage("1e0")}), "9")       // to the master's own balance, past the child's
		answered(admin.send(t, "POST", at, fields{"credits": 3, "notes": nil, "unknown": 1}), "6") // to issuance
		master.send(t, "POST", path("/users", child.id, "/credits/reclaim"), fields{"credits": 20}).is(200).has(fields{"credits": 0})
		for _, c := range []struct {
			account
			credits string
		}{{master, "91"}, {child, "0"}, {leaf, "6"}} {
			if got := c.account.credits(t); got != c.credits {
				t.Errorf("%s holds %s, want %s", c.username, got, c.credits)
			}
		}
		leaf.get(t, "/users/logged").has(fields{"recharge": funded.text("recharge"), "updatedAt": iso})
		for _, by := range []caller{child.caller, master.caller, admin} {
			by.send(t, "POST", at, fields{"credits": "6.0001"}).refused(402, "insufficient-credits").
				has(fields{"balance": "6", "required": "6.0001", "shortfall": "0.0001"})
		}
		answers := make([]answer, 24) // 6 credits, asked for 4 times over
		atOnce(len(answers), func(i int) {
			answers[i] = []caller{child.caller, master.caller, admin}[i%3].send(t, "POST", at, fields{"credits": 1})
		})
		if got := count(answers); got[200] != 6 || got[402] != 18 {
			t.Errorf("24 reclaims of 1 credit at once from 6 ended in %v, want 6 of 200 and 18 of 402", got)
		}
		if got := leaf.credits(t); got != "0" {
			t.Errorf("after all was taken back %s is left", got)
		}

		// The one that takes back may hold as much as anybody.
		filled := admin.master(t, "1")
		source := filled.reseller(t, "0.0002")
		filled.send(t, "PATCH", path("/users/credits", source.id), fields{"credits": "0.0001"}).is(200)
		atOnce(99, func(int) {
			admin.send(t, "PATCH", path("/users/credits", filled.id), fields{"credits": 1_000_000_000}).is(200)
		})
		admin.send(t, "PATCH", path("/users/credits", filled.id), fields{"credits": "999999999.0002"}).is(200).has(fields{"credits": json.Number("99999999999.9999")})
		at = path("/users", source.id, "/credits/reclaim")
		filled.send(t, "POST", at, fields{"credits": "0.0002"}).refused(409, "balance-limit")
		filled.send(t, "POST", at, fields{"credits": "0.0001"}).is(200)
		filled.send(t, "POST", at, fields{"credits": "0.0001"}).refused(409, "balance-limit")
		admin.send(t, "POST", at, fields{"credits": "0.0002"}).is(200).has(fields{"credits": 0})
		srv.audit(t)
	})
}

// TestProofIsWhatWasDone drives random operations on a tree and compares the proof
// after each of them, and the records at the end, with its own sums.
func TestProofIsWhatWasDone(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		defer func() {
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		}()
		srv := startServer(t, s, nil)
		admin := srv.admin(t)
		var issued, consumed units
		movements := 0
		var held []units
		var accounts []account
		above := []int{} // index of the master, -1 for the admin
		sum := func() (all units) {
			for _, u := range held {
				all += u
			}
			return all
		}
		check := func() {
			t.Helper()
			admin.get(t, "/ledger/proof").exactly(fields{
				"issued": issued.String(), "balances": sum().String(), "consumed": consumed.String(), "balanced": true, "movements": movements, "at": iso,
			})
		}
		check()
		add := func(master int, credits units) {
			t.Helper()
			by := admin
			if master >= 0 {
				by = accounts[master].caller
			}
			accounts = append(accounts, by.create(t, fields{"is_master": 1, "credits": credits.String()}))
			above, held = append(above, master), append(held, credits)
			if credits > 0 {
				movements++
			}
			if master >= 0 {
				held[master] -= credits
			} else {
				issued += credits
			}
		}
		add(-1, 1_000_0000)
		add(0, 100_5000)
		add(1, 20_0001)
		add(-1, 0)
		type official struct {
			line
			owner int
		}
		var lines []official
		// giver returns who gives to i, or takes back from it: -1 for the admin.
		giver := func(i int) (caller, int) {
			if above[i] < 0 || random.IntN(2) == 0 {
				return admin, -1
			}
			return accounts[above[i]].caller, above[i]
		}
		for range 60 {
			i := random.IntN(len(accounts))
			amount := units(1 + random.Int64N(40_0000))
			switch random.IntN(6) {
			case 0:
				by, from := giver(i)
				a := by.send(t, "PATCH", path("/users/credits", accounts[i].id), fields{"credits": amount.String()})
				if from >= 0 && held[from] < amount {
					a.refused(402, "insufficient-credits").has(fields{"balance": held[from].String(), "required": amount.String()})
					break
				}
				a.is(200)
				movements++
				held[i] += amount
				if from >= 0 {
					held[from] -= amount
				} else {
					issued += amount
				}
			case 1:
				by, to := giver(i)
				a := by.send(t, "POST", path("/users", accounts[i].id, "/credits/reclaim"), fields{"credits": amount.String()})
				if held[i] < amount {
					a.refused(402, "insufficient-credits").has(fields{"balance": held[i].String(), "required": amount.String()})
					break
				}
				a.is(200)
				movements++
				held[i] -= amount
				if to >= 0 {
					held[to] += amount
				} else {
					issued -= amount
				}
			case 2:
				l := accounts[i].trial(t)
				a := admin.send(t, "PATCH", path("/lines/active", l.id), l.activation("0.5"))
				if held[i] < 5000 {
					a.refused(402, "insufficient-credits").has(fields{"balance": held[i].String()})
					break
				}
				a.is(201)
				movements++
				held[i] -= 5000
				consumed += 5000
				lines = append(lines, official{l, i})
			case 3:
				if len(lines) == 0 {
					break
				}
				l := lines[random.IntN(len(lines))]
				a := accounts[l.owner].send(t, "PATCH", path("/lines/extend", l.id), fields{"credits": 1})
				if held[l.owner] < 1_0000 {
					a.refused(402, "insufficient-credits").has(fields{"balance": held[l.owner].String()})
					break
				}
				if a.fields["code"] == "period-too-long" {
					break
				}
				a.is(200)
				movements++
				held[l.owner] -= 1_0000
				consumed += 1_0000
			case 4: // the admin pays by issuing
				l := admin.official(t)
				movements++
				issued += 5000
				consumed += 5000
				admin.send(t, "DELETE", path("/lines", l.id), nil).is(200)
			case 5:
				if len(lines) > 0 {
					at := random.IntN(len(lines))
					admin.send(t, "DELETE", path("/lines", lines[at].id), nil).is(200)
					lines = slices.Delete(lines, at, at+1)
				}
			}
			check()
		}
		for i, a := range accounts {
			a.get(t, "/users/logged").has(fields{"credits": held[i].String()})
			for _, newest := range a.get(t, path("/users", a.id, "/ledger?limit=1")).list() {
				newest.has(fields{"balance": held[i].String()})
			}
		}
		srv.audit(t)
	})
}

// TestProofUnderLoad proves the ledger while credits move: each proof is of one
// instant.
func TestProofUnderLoad(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		master := srv.admin(t).master(t, "100")
		leaf := master.reseller(t, "0")
		var trials []line
		for range 12 {
			trials = append(trials, leaf.trial(t))
		}
		atOnce(72, func(i int) {
			switch i % 6 {
			case 0:
				master.send(t, "PATCH", path("/users/credits", leaf.id), fields{"credits": 2}).is(200)
			case 1:
				master.send(t, "POST", path("/users", leaf.id, "/credits/reclaim"), fields{"credits": 1})
			case 2:
				srv.admin(t).send(t, "POST", path("/users", master.id, "/credits/reclaim"), fields{"credits": 1}).is(200)
			case 3:
				l := trials[i/6]
				leaf.send(t, "PATCH", path("/lines/active", l.id), l.activation(0.5))
			default:
				srv.admin(t).get(t, "/ledger/proof").has(fields{"balanced": true})
			}
		})
		srv.audit(t)
	})
}
