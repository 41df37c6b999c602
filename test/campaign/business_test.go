package campaign

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/domain/journal"
	"resellerd/test/api"
)

// business is the workload of a platform that goes on: two masters with two resellers each, in which lines are sold,
// changed and removed, credits move, and accounts are blocked. Webhooks and followers are beside it.
type business struct {
	*site
	masters []api.Reseller
	shops   []*shop
	blocks  bool // with the lines of the account
	ended   atomic.Bool
	work    sync.WaitGroup
}

// shop is a reseller below a master. One goroutine does what both do.
type shop struct {
	*client
	business        *business
	master, seller  api.Reseller
	trials, running []api.Line
	more            []act // of the webhooks that it looks after
}

// act is something that a shop does, so often.
type act struct {
	weight int
	do     func(s *shop)
}

// mostPause is between two things that a shop does.
const mostPause = 120 * time.Millisecond

func newBusiness(s *site) *business {
	s.t.Helper()
	b := &business{site: s}
	s.t.Cleanup(b.close)
	b.masters = []api.Reseller{s.admin.Master(s.t, "1000000"), s.admin.Master(s.t, "1000000")}
	for i := range 4 {
		m := b.masters[i/2]
		b.shops = append(b.shops,
			&shop{client: s.client(fmt.Sprintf("shop-%d", i)), business: b, master: m, seller: m.Reseller(s.t, "10")})
	}
	return b
}

// run implements workload.
func (b *business) run() {
	for _, s := range b.shops {
		b.work.Go(func() {
			for !b.ended.Load() && b.failures.Load() == 0 {
				s.act()
				s.pause(mostPause)
			}
		})
	}
}

func (b *business) close() {
	b.ended.Store(true)
	b.work.Wait()
}

func (b *business) ready() {
	time.Sleep(time.Duration(b.random.Int64N(int64(1500 * time.Millisecond))))
}

func (b *business) struck() {}

func (b *business) concluded(sums, []journal.Numbered) {}

var acts = []act{
	{12, (*shop).trial},
	{6, (*shop).activate},
	{6, (*shop).extend},
	{3, func(s *shop) { s.onLine("PATCH", "/details", api.Fields{"metadata": api.Fields{"plan": s.price()}}) }},
	{2, func(s *shop) { s.onLine("PUT", "/suspension", api.Fields{"reason": "requested"}) }},
	{2, func(s *shop) { s.onLine("DELETE", "/suspension", nil) }},
	{2, (*shop).remove},
	{4, func(s *shop) {
		s.settle(s.master.Caller, "PATCH", api.Path("/users/credits", s.seller.ID),
			api.Fields{"credits": 1 + s.random.IntN(9)})
	}},
	{2, func(s *shop) {
		s.settle(s.master.Caller, "POST", api.Path("/users", s.seller.ID, "/credits/reclaim"),
			api.Fields{"credits": 1 + s.random.IntN(4)}, insufficient)
	}},
	{2, func(s *shop) {
		s.settle(s.master.Caller, "PUT", api.Path("/users", s.seller.ID, "/alerts"),
			api.Fields{"balance_low": 1 + s.random.IntN(9)})
	}},
	{1, func(s *shop) { s.block(s.master.Caller, s.seller) }},
	{1, func(s *shop) {
		if s.random.IntN(4) == 0 { // its other reseller goes without as well
			s.block(s.business.admin, s.master)
		}
	}},
}

func (s *shop) act() {
	all := slices.Concat(acts, s.more)
	total := 0
	for _, a := range all {
		total += a.weight
	}
	n := s.random.IntN(total)
	for _, a := range all {
		if n -= a.weight; n < 0 {
			a.do(s)
			return
		}
	}
}

// onLine changes something of an official line.
func (s *shop) onLine(method, what string, body any) {
	if len(s.running) > 0 {
		l := s.running[s.random.IntN(len(s.running))]
		s.settle(s.seller.Caller, method, api.Path("/lines", l.ID, what), body, absent)
	}
}

func (s *shop) trial() {
	if a, done := s.settle(s.seller.Caller, "POST", "/lines/test", nil); done {
		s.trials = append(s.trials, a.Line())
	}
	const most = 30
	s.trials = s.trials[max(0, len(s.trials)-most):]
}

// price is any that buys less than the nights last, or as much.
func (s *shop) price() string { return []string{"0.5", "1"}[s.random.IntN(2)] }

func (s *shop) activate() {
	if len(s.trials) == 0 {
		return
	}
	at := s.random.IntN(len(s.trials))
	l := s.trials[at]
	if _, done := s.settle(s.seller.Caller, "PATCH", api.Path("/lines/active", l.ID), l.Activation(s.price()),
		insufficient, absent); done {
		s.running = append(s.running, l)
		s.trials = slices.Delete(s.trials, at, at+1)
	}
}

func (s *shop) extend() {
	if len(s.running) > 0 {
		s.settle(s.seller.Caller, "PATCH", api.Path("/lines/extend", s.running[s.random.IntN(len(s.running))].ID),
			api.Fields{"credits": s.price()}, insufficient, absent, tooLong)
	}
}

func (s *shop) remove() {
	all := append(slices.Clone(s.running), s.trials...)
	if len(all) == 0 {
		return
	}
	l := all[s.random.IntN(len(all))]
	s.settle(s.seller.Caller, "DELETE", api.Path("/lines", l.ID), nil, absent)
	gone := func(other api.Line) bool { return other.ID == l.ID }
	s.running, s.trials = slices.DeleteFunc(s.running, gone), slices.DeleteFunc(s.trials, gone)
}

// block blocks an account for a while.
func (s *shop) block(by api.Caller, account api.Reseller) {
	var body any
	if s.business.blocks {
		body = api.Fields{"lines": "suspend", "reason": "unpaid"}
	}
	if _, done := s.settle(by, "PUT", api.Path("/users", account.ID, "/block"), body); done {
		s.pause(time.Second)
		s.insist(by, http.MethodDelete, api.Path("/users", account.ID, "/block"), nil)
	}
}

// insist repeats a command until the account that sends it is no longer blocked.
func (s *shop) insist(by api.Caller, method, path string, body any) {
	for done := false; !done && s.failures.Load() == 0 && s.t.Context().Err() == nil; s.pause(mostPause) {
		_, done = s.settle(by, method, path, body)
	}
}
