package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"resellerd/adapters/servicekey"
	"resellerd/application/audit"
	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/inprocess"
	"resellerd/test/journals"
)

// A short history is that of one group: its clients ask fewestSteps to mostSteps
// times each, so that an order of all of it is found, or shown not to be there, at
// once. Many short ones find more than a long one does: each starts from nothing, with few
// credits and no lines.
const (
	fewestSteps = 7
	mostSteps   = 20
)

// batch has groups make a short history each, at the same time, and judges them.
// Calm is told when nothing may be hurt from now on, and when it may again; nil is
// nobody.
func (c *campaign) batch(ctx context.Context, seed uint64, groups int, calm func(bool)) {
	c.t.Helper()
	if calm == nil {
		calm = func(bool) {}
	}
	calm(true)
	made := make([]*group, groups)
	for i := range made {
		made[i] = c.newGroup(ctx)
	}
	calm(false)
	enough := make(chan struct{})
	var using, reading sync.WaitGroup
	c.following(ctx, seed, enough, &reading)
	for i, g := range made {
		for client := range clientsPerGroup {
			random := rand.New(rand.NewPCG(seed, uint64((len(c.groups)+i)*clientsPerGroup+client)))
			using.Go(func() {
				for range fewestSteps + random.IntN(mostSteps-fewestSteps+1) {
					if !c.step(ctx, g, client, random) {
						return
					}
				}
			})
		}
	}
	using.Wait()
	close(enough)
	reading.Wait()
	if ctx.Err() != nil {
		c.t.Fatal("interrupted")
	}
	calm(true)
	for i, g := range made {
		c.conclude(ctx, len(c.groups)+i, g)
	}
	c.checkJournal(ctx, made)
	c.groups = append(c.groups, made...)
}

// inside is a campaign on services of this process, without sockets, each over a
// store of its own or over one that they share.
func inside(t testing.TB, seed uint64, stores ...ports.Store) *campaign {
	t.Helper()
	c := newCampaign(t, io.Discard, ofCluster, seed)
	keyring, err := servicekey.New(profile.NewSecret(serviceKey))
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
	for i, store := range stores {
		cases, err := inprocess.New(store, inprocess.At(clock), inprocess.Sealed(keyring))
		if err == nil && i == 0 {
			err = cases.Admin(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		transport := &direct{handler: cases.Handler}
		t.Cleanup(transport.served.Wait)
		c.services = append(c.services,
			&service{name: string(rune('A' + i)), address: "inside", client: &http.Client{Transport: transport}})
	}
	c.admin = c.login(t.Context(), "admin", adminPassword)
	return c
}

// direct hands requests to a handler. As with a socket, a client that gives up goes
// away, and the handler goes on with what it does.
type direct struct {
	handler http.Handler
	served  sync.WaitGroup
}

// RoundTrip implements http.RoundTripper.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	// a handler does not know how patient its client is
	there, gone := context.WithCancel(context.WithoutCancel(r.Context()))
	answered := make(chan *http.Response, 1)
	d.served.Go(func() {
		defer gone()
		w := api.NewRecorder()
		asked := r.Clone(there)
		asked.Header = http.Header{} // as a server reads it, whatever case it was written in
		for name, values := range r.Header {
			for _, v := range values {
				asked.Header.Add(name, v)
			}
		}
		asked.RemoteAddr, asked.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
		d.handler.ServeHTTP(w, asked)
		answered <- w.Result()
	})
	select {
	case a := <-answered:
		return a, nil
	case <-r.Context().Done():
		gone()
		return nil, r.Context().Err()
	}
}

// examine audits what a store has recorded, and compares it with what was
// acknowledged.
func (c *campaign) examine(ctx context.Context, store ports.Store) {
	c.t.Helper()
	archive := store.Parts().Archive
	if _, err := journals.Sound(ctx, store); err != nil {
		c.fail("the journal: %v", err)
	}
	var want sums
	for _, g := range c.groups {
		_, total := g.acknowledged()
		want = want.plus(total)
		c.checkStatements(ctx, g) // again: nothing may have been added since
	}
	verdict, err := audit.Run(ctx, archive,
		audit.Options{Report: func(finding string) { c.fail("the audit: %s", finding) }})
	if err != nil {
		c.t.Fatal(err)
	}
	found, err := sumsOf(verdict.Totals)
	if err != nil {
		c.t.Fatal(err)
	}
	if found != want || !verdict.Balanced() {
		c.fail("the audit finds %s; acknowledged was %s", found, want)
	}
}

func sumsOf(t credit.Totals) (s sums, err error) {
	s.movements = t.Movements
	for _, field := range []struct {
		to   *units
		from fmt.Stringer
	}{{&s.issued, t.Issued}, {&s.consumed, t.Consumed}, {&s.held, t.Balances}} {
		var failed error
		*field.to, failed = parseUnits(field.from.String())
		err = errors.Join(err, failed)
	}
	return s, err
}
