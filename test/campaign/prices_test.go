package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/domain/journal"
	"resellerd/test/api"
)

// prices is the workload of two price books that change every few seconds, of the platform and of a master, while
// sellers below activate lines. Each seller states the price that it read last, and pays no other one. Racers change
// the plan of a line while they extend it.
type prices struct {
	*site
	books  []*priceBook
	work   sync.WaitGroup
	ended  atomic.Bool
	sent   chan struct{} // a version of a book is on its way
	from   time.Time
	stated sync.Map     // the credits of each activation that was paid, by the id of its request
	moved  atomic.Int64 // activations that were refused, since the price had changed
	races  atomic.Int64 // that ended
}

const (
	ahead       = 70 * time.Second // of a version: more than the 60 s that it must be, for one that is repeated
	pauseOfBook = 4 * time.Second  // so that fewer versions are ahead than may be
	longSellers = 64
	longRaces   = 1000
	racerCount  = 4
)

// priceBook is a price book, and who changes it.
type priceBook struct {
	*client         // that changes it
	reads   *client // beside it
	path    string
	plans   []int64 // all of them have a row
	mu      sync.Mutex
	notes   map[string]publication
}

// publication is a version that was sent. Its note, which no other version has, names it.
type publication struct {
	price    string
	accepted bool
	versionOfBook
}

type priced struct {
	Plan    int64
	Credits json.Number
}

type versionOfBook struct {
	Version     int64
	EffectiveAt string `json:"effective_at"`
}

func newPrices(s *site) workload {
	s.t.Helper()
	p := &prices{site: s, sent: make(chan struct{}), from: time.Now()}
	s.t.Cleanup(p.close)
	month := api.Fields{"count": 1, "unit": "month"}
	single := s.admin.Send(s.t, "POST", "/plans", api.NewPlan(api.Fields{"period": month})).Is(http.StatusCreated).ID()
	double := s.admin.Send(s.t, "POST", "/plans", api.NewPlan(api.Fields{"period": month, "connections": 2})).Is(
		http.StatusCreated).ID()
	master := s.admin.Master(s.t, "1000000")
	below := master.Master(s.t, "500000")
	for _, path := range []string{"/prices/book", api.Path("/users", master.ID, "/prices")} {
		name := fmt.Sprintf("book-%d", len(p.books))
		b := &priceBook{client: s.client(name), reads: s.client(name + "-reader"), path: path,
			plans: []int64{1, 2, 3, 4, 5, 6, single, double}, notes: map[string]publication{}}
		p.books = append(p.books, b)
		b.put(nil)
	}
	sellers := s.size()
	if long() {
		sellers = max(sellers, longSellers)
	}
	// A grandchild of the master, and an account that pays the prices of the platform.
	shops := []api.Reseller{below.Reseller(s.t, "50000"), s.admin.Reseller(s.t, "50000")}
	for i := range sellers {
		c := s.client(fmt.Sprintf("seller-%d", i))
		p.work.Go(func() { p.sell(c, shops[i%len(shops)], single) })
	}
	for i := range racerCount {
		shop := s.admin.Reseller(s.t, "50000")
		a, b := s.client(fmt.Sprintf("racer-%d", i)), s.client(fmt.Sprintf("other-%d", i))
		p.work.Go(func() {
			for time.Since(p.from) < ahead && !p.ended.Load() {
				a.pause(time.Second) // before its plan has a price
			}
			for range longRaces / racerCount {
				if !p.ended.Load() && s.failures.Load() == 0 {
					p.race(a, b, shop, 2, double)
				}
			}
		})
	}
	return p
}

// run implements workload.
func (p *prices) run() {
	for _, b := range p.books {
		p.work.Go(func() {
			for !p.ended.Load() && p.failures.Load() == 0 {
				b.put(p.sent)
				if !long() {
					b.pause(time.Second / 2)
					continue
				}
				b.pause(2 * pauseOfBook)
			}
		})
	}
}

// put sends a version, in which each price differs from those of all other versions.
func (b *priceBook) put(sent chan<- struct{}) {
	n := b.ids.Add(1)
	note := fmt.Sprintf("version-%d", n)
	price := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%04d", 1+n/10000, n%10000), "0"), ".")
	rows := []api.Fields{}
	for _, plan := range b.plans {
		rows = append(rows, api.Fields{"plan": plan, "credits": json.Number(price)})
	}
	rows[0]["credits"], rows[1]["credits"], rows[len(rows)-1]["credits"] = 0.5, 1, 2 // of the racers
	b.mu.Lock()
	b.notes[note] = publication{price: price}
	b.mu.Unlock()
	if sent != nil {
		select {
		case sent <- struct{}{}:
		default:
		}
	}
	at := b.clock(time.Now()).Add(ahead).UTC().Format(api.ISOMillis)
	a, done := b.settle(b.admin, "PUT", b.path, api.Fields{"effective_at": at, "rows": rows, "note": note},
		"effective-too-soon", "too-many-versions")
	if !done {
		return
	}
	is := publication{price: price, accepted: true}
	b.decode(a.Body, &is.versionOfBook)
	b.mu.Lock()
	b.notes[note] = is
	b.mu.Unlock()
}

// sell activates trials by a plan. It states the price that it read, and goes on while that may change.
func (p *prices) sell(c *client, shop api.Reseller, plan int64) {
	for !p.ended.Load() && p.failures.Load() == 0 {
		a, _ := c.settle(shop.Caller, "GET", "/prices", nil)
		var sold struct{ Prices []priced }
		p.decode(a.Body, &sold)
		at := slices.IndexFunc(sold.Prices, func(o priced) bool { return o.Plan == plan })
		c.pause(time.Second)
		made, done := c.settle(shop.Caller, "POST", "/lines/test", nil)
		if at < 0 || !done {
			continue // before the first version of the platform is in force
		}
		price := sold.Prices[at].Credits.String()
		body := api.With(made.Line().Activation(json.Number(price)), api.Fields{"plan": plan})
		a, done = c.settle(shop.Caller, "PATCH", api.Path("/lines/active", made.ID()), body, "price-changed")
		switch actual, _ := a.Fields["actual"].(json.Number); {
		case done:
			p.stated.Store(c.key(), price)
		case actual.String() == price:
			c.fail("the price changed from %s to the same: %s", price, a.Body)
		default:
			p.moved.Add(1)
		}
	}
}

// race extends a line by its plan while it takes another one at the price of that moment. In each order the second one
// is refused: the change costs more after the extension, and after the change the line has other terms.
func (p *prices) race(a, b *client, shop api.Reseller, plan, other int64) {
	made, _ := a.settle(shop.Caller, "POST", "/lines/test", nil)
	body := made.Line().Activation(1)
	if _, done := a.settle(shop.Caller, "PATCH", api.Path("/lines/active", made.ID()),
		api.With(body, api.Fields{"plan": plan})); !done {
		return
	}
	path := api.Path("/lines", made.ID(), "/plan")
	would, _ := a.settle(shop.Caller, "PATCH", path+"?dry_run=true", api.Fields{"plan": other})
	cost, was := would.Fields["credits"], p.balance(a, shop)
	var extended, changed bool
	var both sync.WaitGroup
	both.Go(func() {
		_, extended = a.settle(shop.Caller, "PATCH", api.Path("/lines/extend", made.ID()),
			api.Fields{"plan": plan, "credits": 1}, "plan-differs")
	})
	both.Go(func() {
		_, changed = b.settle(shop.Caller, "PATCH", path, api.Fields{"plan": other, "expected_credits": cost},
			"price-changed")
	})
	both.Wait()
	p.races.Add(1)
	price, _ := parseUnits(fmt.Sprint(cost))
	if extended {
		price, _ = parseUnits("1")
	}
	if paid := was - p.balance(a, shop); extended == changed || paid != price {
		a.fail("line %d: extended: %t, changed: %t; the shop paid %d, want %d", made.ID(), extended, changed, paid, price)
	}
}

// balance returns that of a shop.
func (p *prices) balance(c *client, shop api.Reseller) units {
	a, _ := c.settle(shop.Caller, "GET", api.Path("/users", shop.ID), nil)
	var account struct{ Credits units }
	p.decode(a.Body, &account)
	return account.Credits
}

// ready implements workload: the failure strikes while a version is on its way.
func (p *prices) ready() {
	<-p.sent
	time.Sleep(rand.N(10 * time.Millisecond))
}

// struck implements workload: each version is there as a whole.
func (p *prices) struck() {
	for _, b := range p.books {
		b.versions()
	}
}

// versions returns the versions of a book by their notes. Each has all of its rows.
func (b *priceBook) versions() map[string]versionOfBook {
	found := map[string]versionOfBook{}
	for path := b.path + "/history?limit=50"; path != ""; {
		a, _ := b.reads.settle(b.admin, "GET", path, nil)
		for _, r := range a.List() {
			note, _ := r.Fields["note"].(string)
			if note == "" {
				continue // the prices of a new store
			}
			var is struct {
				versionOfBook
				Rows []struct{ Credits json.Number }
			}
			text, err := json.Marshal(r.Fields)
			if err != nil {
				b.t.Fatal(err)
			}
			b.decode(text, &is)
			b.mu.Lock()
			sent := b.notes[note]
			b.mu.Unlock()
			if len(is.Rows) != len(b.plans) || is.Rows[2].Credits.String() != sent.price || found[note] != (versionOfBook{}) {
				b.fail("version %d is %s, and the request was %+v", is.Version, text, sent)
			}
			found[note] = is.versionOfBook
		}
		if path = a.Next(); path != "" {
			path = b.path + "/history?limit=50&cursor=" + path
		}
	}
	return found
}

// end implements workload. In the long form it waits until prices have changed often.
func (p *prices) end() {
	if long() {
		time.Sleep(time.Until(p.from.Add(ahead + 10*pauseOfBook)))
		p.until("the races", func() bool { return p.races.Load() >= longRaces || p.failures.Load() > 0 })
	}
	p.close()
	versions, journal := 0, newFeed(p.admin)
	for _, b := range p.books {
		found := b.versions()
		versions += len(found)
		accepted := map[string]versionOfBook{}
		for note, is := range b.notes {
			if is.accepted {
				accepted[note] = is.versionOfBook
			}
		}
		if !maps.Equal(found, accepted) {
			b.t.Errorf("%s has the versions %v, and %v were accepted", b.path, found, accepted)
		}
		b.t.Logf("%s: %d versions", b.path, len(found))
	}
	p.until("the entry of each version", func() bool { // a killed process may have had to number them
		journal.read(p.site, p.at(p.random))
		return len(slices.DeleteFunc(slices.Clone(journal.entries), func(e entry) bool {
			return e.Type != "prices.changed"
		})) >= versions
	})
	p.t.Logf("%d activations were refused, since their price had changed; %d races", p.moved.Load(), p.races.Load())
	if long() && p.moved.Load() == 0 {
		p.t.Error("no price changed in an activation")
	}
}

func (p *prices) close() {
	p.ended.Store(true)
	p.work.Wait()
}

// concluded implements workload: each paid what it stated. The audit has compared it with the book in force.
func (p *prices) concluded(_ sums, entries []journal.Numbered) {
	charged := 0
	for _, e := range entries {
		price, is := p.stated.Load(e.Request)
		if !is {
			continue
		}
		charged++
		if e.Type != journal.LineActivated || e.Movement.Amount.String() != price {
			p.fail("%s paid %s, and had stated %s", e.Request, e.Movement.Amount, price)
		}
	}
	paid := 0
	p.stated.Range(func(any, any) bool { paid++; return true })
	if p.t.Logf("%d activations paid what they stated", charged); charged != paid || long() && paid == 0 {
		p.t.Errorf("%d activations were paid, and the journal has %d", paid, charged)
	}
}
