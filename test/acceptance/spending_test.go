package acceptance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/fixture"
)

// spender is a key, or a member of the staff who is signed in, and the path at which its owner finds it.
type spender struct {
	caller
	owner api.Reseller
	id    int64
	at    string
}

// spendersOf returns a key and a member of the staff with these rights. It waits for midnight if that is near: their
// limits would begin anew while they are spent.
func spendersOf(t *testing.T, owner api.Reseller, rights fields) []spender {
	t.Helper()
	if left := 24*time.Hour - time.Since(time.Now().UTC().Truncate(24*time.Hour)); left < time.Minute {
		time.Sleep(left)
	}
	key := owner.MakeKey(t, rights)
	body := api.NewMember(rights)
	member := owner.Send(t, "POST", "/staff", body).Is(201)
	return []spender{
		{owner.Server.As(key.Text("key")), owner, key.ID(), api.Path("/keys", key.ID())},
		{owner.Server.SignIn(t, body["username"].(string), body["password"].(string)), owner, member.ID(),
			api.Path("/staff", member.ID())},
	}
}

// on asks one process or another.
func (s spender) on(all []*server, i int) caller { return s.On(all[i%len(all)].Service) }

// hasSpent expects that its counter, the journal, and its owner's ledger and balance tell of the same.
func (s spender) hasSpent(t *testing.T, spent, left string) {
	t.Helper()
	s.owner.Get(t, s.at).Has(fields{"spent": spent})
	want, told, posted := fixture.Credits(spent).Units(), s.told(t), int64(0)
	for range 100 { // as in told
		if told >= want {
			break
		}
		time.Sleep(50 * time.Millisecond)
		told = s.told(t)
	}
	for _, entry := range s.owner.Get(t, api.Path("/users", s.owner.ID, "/ledger?limit=500")).List() {
		amount, negative := strings.CutPrefix(entry.Text("amount"), "-")
		units := fixture.Credits(amount).Units()
		if negative {
			units = -units
		}
		posted += units
	}
	if told != want {
		t.Errorf("the journal tells of %s credits that %s has spent, want %s", fixture.Units(told), s.at, spent)
	}
	if got := s.owner.Credits(t); got != left || fixture.Units(posted).String() != left {
		t.Errorf("the balance is %s and the ledger adds up to %s, want %s", got, fixture.Units(posted), left)
	}
}

// told returns what it has spent as the journal tells it, in ten-thousandths of a credit.
func (s spender) told(t *testing.T) (spent int64) {
	t.Helper()
	for _, e := range s.owner.Get(t, "/events?order=desc&limit=500").List() {
		actor, _ := e.Fields["actor"].(map[string]any)
		movement, moved := e.Fields["movement"].(map[string]any)
		if moved && fmt.Sprint(actor["id"]) == fmt.Sprint(s.id) && e.Text("type") != "reseller.reclaimed" {
			spent += fixture.Credits(fmt.Sprint(movement["amount"])).Units()
		}
	}
	return spent
}

// TestManySpendAtOnce spends in all ways at once, on all processes: together no more than the limit.
func TestManySpendAtOnce(t *testing.T) {
	onOneAndOnTwo(t, func(t *testing.T, all []*server) {
		const charges, limit = 64, 10
		master := all[0].Admin(t).Master(t, "100")
		below := master.Reseller(t, "0")
		l := master.Official(t)
		left := []string{"89.5", "79.5"}
		for n, by := range spendersOf(t, master,
			fields{"role": "manager", "spend_limit": fields{"credits": limit, "per": "day"}}) {
			ops := make([]operation, charges)
			for i := range ops {
				switch i / 2 % 3 {
				case 0:
					trial := master.Trial(t)
					ops[i] = api.Op("PATCH", api.Path("/lines/active", trial.ID), trial.Activation(1))
				case 1:
					ops[i] = api.Op("PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 1})
				default:
					ops[i] = api.Op("PATCH", api.Path("/users/credits", below.ID), fields{"credits": 1})
				}
			}
			charge := func(i, at int) answer {
				return ops[i].By(t, by.on(all, at), "Idempotency-Key", fmt.Sprintf("charge-%d-%d", n, i))
			}
			first, again := make([]answer, charges), make([]answer, charges)
			api.AtOnce(charges, func(i int) { first[i] = charge(i, i) })
			if got := api.Count(first); got[429] != charges-limit {
				t.Errorf("%d at once ended in %v, want %d that spend", charges, got, limit)
			}
			by.hasSpent(t, "10", left[n])
			api.AtOnce(charges, func(i int) { again[i] = charge(i, i+1) }) // on another one
			for i, a := range first {
				if a.Status != 429 {
					again[i].Same(a)
					continue
				}
				for _, a := range []answer{a, again[i]} {
					a.Refused(429, "spend-limit-reached").Has(fields{"limit": "10", "spent": "10", "required": "1"})
					wait, err := strconv.ParseFloat(a.Header.Get("Retry-After"), 64)
					if until := time.Until(a.Instant("resets_at")).Seconds(); err != nil || wait < until || wait > until+60 {
						t.Errorf("Retry-After is %q, and it resets in %.0f s", a.Header.Get("Retry-After"), until)
					}
				}
			}
			by.Fund(t, below.ID, 1000).Refused(429, "spend-limit-reached") // before the balance
			by.hasSpent(t, "10", left[n])
		}
		// Credits that are taken back count for nothing.
		by := spendersOf(t, master, fields{"role": "manager", "spend_limit": fields{"credits": limit, "per": "day"}})[0]
		master.Fund(t, below.ID, 20).Is(200)
		answers := make([]answer, 16)
		api.AtOnce(len(answers), func(i int) { answers[i] = by.on(all, i).Reclaim(t, below.ID, 1) })
		if got := api.Count(answers); got[200] != len(answers) {
			t.Errorf("16 reclaims at once ended in %v", got)
		}
		by.hasSpent(t, "0", "75.5")
		all[0].Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true})
	})
}

// TestALimitIsChangedWhileItIsSpent by its owner: nothing that was spent is forgotten, and no limit is passed.
func TestALimitIsChangedWhileItIsSpent(t *testing.T) {
	onOneAndOnTwo(t, func(t *testing.T, all []*server) {
		master := all[0].Admin(t).Master(t, "100")
		below := master.Reseller(t, "0")
		for n, by := range spendersOf(t, master,
			fields{"role": "manager", "spend_limit": fields{"credits": 3, "per": "day"}}) {
			limits := []int{8, 2, 12, 5, 12}
			answers := make([]answer, 60)
			api.AtOnce(len(answers), func(i int) {
				if i%12 == 6 {
					body := fields{"spend_limit": fields{"credits": limits[i/12], "per": "day"}}
					answers[i] = master.On(all[i/12%len(all)].Service).Send(t, "PATCH", by.at, body).Is(200)
					return
				}
				answers[i] = by.on(all, i).Fund(t, below.ID, 1)
			})
			spent := 0
			for i, a := range answers {
				switch {
				case i%12 == 6:
				case a.Status == 200:
					spent++
				default:
					a.Refused(429, "spend-limit-reached")
					if fixture.Credits(a.Text("spent")).Units()+1_0000 <= fixture.Credits(a.Text("limit")).Units() {
						t.Errorf("it is refused: %s", a.Body)
					}
				}
			}
			if spent > slices.Max(limits) {
				t.Errorf("%d credits are spent", spent)
			}
			by.hasSpent(t, fmt.Sprint(spent), fmt.Sprint(100-20*n-spent))
			master.Send(t, "PATCH", by.at, fields{"spend_limit": fields{"credits": 20, "per": "day"}}).Is(200)
			more := make([]answer, 24)
			api.AtOnce(len(more), func(i int) { more[i] = by.on(all, i).Fund(t, below.ID, 1) })
			if got := api.Count(more); got[200] != 20-spent {
				t.Errorf("24 more at once ended in %v after %d of 20", got, spent)
			}
			by.hasSpent(t, "20", fmt.Sprint(80-20*n))
		}
	})
}

// TestWhoIsRevokedSpendsNothingMore once that is answered, on whatever process: neither what is asked for then, nor, of
// one with a limit, what was under way.
func TestWhoIsRevokedSpendsNothingMore(t *testing.T) {
	onOneAndOnTwo(t, func(t *testing.T, all []*server) {
		master := all[0].Admin(t).Master(t, "1000")
		below := master.Reseller(t, "0")
		for _, rights := range []fields{{"role": "manager"},
			{"role": "manager", "spend_limit": fields{"credits": 500, "per": "day"}}} {
			for _, by := range spendersOf(t, master, rights) {
				var revoked atomic.Bool
				var left string
				var worked, dead atomic.Int64
				api.AtOnce(17, func(i int) {
					if i == 16 {
						for worked.Load() < 16 {
							time.Sleep(time.Millisecond)
						}
						master.On(all[len(all)-1].Service).Send(t, "DELETE", by.at, nil).Is(200)
						revoked.Store(true)
						if left = master.Credits(t); rights["spend_limit"] == nil {
							left = ""
						}
						return
					}
					for n := range 1000 {
						late := revoked.Load()
						a := by.on(all, i+n).Fund(t, below.ID, "0.1")
						if a.Status == 200 {
							if late {
								t.Errorf("it spends once it is revoked: %s", a.Body)
							}
							worked.Add(1)
							continue
						}
						if a.Status != 401 || a.Fields["code"] != "key-revoked" && a.Fields["code"] != "session-ended" {
							t.Errorf("%d %s", a.Status, a.Body)
						}
						dead.Add(1)
						return
					}
				})
				is := master.Credits(t)
				if left != "" && is != left {
					t.Errorf("the balance was %s when it was revoked, and is %s", left, is)
				}
				t.Logf("%s: it worked %d times, and was dead for %d", by.at, worked.Load(), dead.Load())
			}
		}
	})
}
