package application_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// walk returns the lines of a list page by page, and calls between after each page.
func walk(h *kit.Harness, c lines.List, between func()) (ids []int64) {
	h.T.Helper()
	for ; ; between() {
		page, err := h.Lines.List(h.T.Context(), kit.Call(h.Admin), c)
		require.NoError(h.T, err)
		for _, l := range page.Items {
			ids = append(ids, l.ID())
		}
		if page.Next == nil {
			return ids
		}
		c.After = page.Next
	}
}

// Each page has one line. Each selected line is shown once, in order.
func TestListsByEffect(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, master := h.Create(h.Admin, "master", "0", true)
	shop, below := h.Create(master, "shop", "0", false)
	closed, ofClosed := h.Create(master, "closed", "0", false)
	var ids []int64
	for i, by := range []application.Caller{below, master, below, ofClosed, master} { // each expires before the last one
		ids = append(ids, h.Trial(by).ID())
		h.ChangeLine(ids[i], func(s *line.State) {
			s.ExpiresAt = h.Now.Add(time.Duration(4-i) * time.Millisecond)
			s.Username = fixture.Name([]string{"d", "e", "c", "b", "a"}[i])
			s.Suspended = i == 2
		})
	}
	require.NoError(t, kit.ErrorOf(h.Resellers.Block(t.Context(), kit.Call(h.Admin),
		resellers.Block{ID: closed.ID(), Terms: reseller.Terms{Suspends: true}}, kit.Shown)))
	soon, past := h.Now.Add(4*time.Millisecond), h.Now.Add(-time.Hour)
	for name, c := range map[string]struct {
		list lines.List
		want []int // the last is expired, the one before is of a blocked account, and the one before is suspended
	}{
		"running":                   {lines.List{Effect: new(line.Running)}, []int{1, 0}},
		"suspended":                 {lines.List{Effect: new(line.Suspended)}, []int{2}},
		"of a blocked account":      {lines.List{Effect: new(line.OwnerBlocked)}, []int{3}},
		"expired":                   {lines.List{Effect: new(line.Expired)}, []int{4}},
		"not running":               {lines.List{Running: new(false)}, []int{4, 3, 2}},
		"not running, newest first": {lines.List{Running: new(false), Sort: &application.NewestLines}, []int{4, 3, 2}},
		"not running, latest first": {lines.List{Running: new(false), Sort: &application.LatestExpiry}, []int{2, 3, 4}},
		"running, by name":          {lines.List{Running: new(true), Sort: &application.LinesByName}, []int{0, 1}},
		"running, of an account":    {lines.List{Running: new(true), Owner: new(shop.ID())}, []int{0}},
		"not running, of a tree":    {lines.List{Running: new(false), Tree: new(master.Reseller())}, []int{4, 3, 2}},
		"running, before an expiry": {lines.List{Running: new(true), ExpiresBefore: &soon}, []int{1}},
		"not running, latest first, after an expiry": {lines.List{Running: new(false), Sort: &application.LatestExpiry,
			ExpiresAfter: &past}, []int{2, 3, 4}},
		"before an expiry": {lines.List{ExpiresBefore: &soon}, []int{4, 3, 2, 1}},
		"all, by id":       {lines.List{}, []int{0, 1, 2, 3, 4}},
	} {
		c.list.Limit = 1
		var want []int64
		for _, i := range c.want {
			want = append(want, ids[i])
		}
		expect.Elements(t, walk(h, c.list, func() {}), want, "%s", name)
	}
}

// The order from the latest expiry shows each line once, also one that expires before its turn.
func TestAListFromTheLatestExpiryGoesOnWithTime(t *testing.T) {
	// which has expired, and what follows
	for expired, more := range map[int][]int{0: {1, 0}, 1: {1, 0}, 2: {2, 1, 0}, 3: {2, 1, 0}} {
		h := kit.New(t, application.Policy{})
		var made []lines.Line
		for range 4 { // they expire an hour after each other
			made = append(made, h.Trial(h.Admin))
			h.Now = h.Now.Add(time.Hour)
		}
		for _, i := range []int{1, 3} {
			require.NoError(t, kit.ErrorOf(h.Lines.Suspend(t.Context(), kit.Call(h.Admin),
				lines.Suspend{ID: made[i].ID()}, kit.Shown)))
		}
		want := []int64{made[3].ID()}
		for _, i := range more {
			want = append(want, made[i].ID())
		}
		h.Now = made[0].ExpiresAt()
		c := lines.List{Running: new(false), Sort: &application.LatestExpiry, Limit: 1}
		got := walk(h, c, func() { h.Now = made[expired].ExpiresAt() })
		expect.Elements(t, got, want, "once line %d has expired", made[expired].ID())
	}
}

// manyLines is a store with lines 1, 2, 3 ... that it creates when they are read.
type manyLines struct {
	ports.Store

	lines  int64
	notes  func(id int64) string
	atOnce int // of a read, with those found before
	read   int
	found  int
}

func (s *manyLines) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return s.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		s.read, s.found = 0, 0
		snapshot.Lines = madeLines{snapshot.Lines, s}
		return look(ctx, snapshot)
	})
}

type madeLines struct {
	ports.LineDirectory

	of *manyLines
}

func (l madeLines) List(_ context.Context, q ports.LineQuery) (page ports.LinePage, err error) {
	last := min(q.After.ID+int64(q.Limit), l.of.lines)
	l.of.read += int(last - q.After.ID)
	l.of.atOnce = max(l.of.atOnce, l.of.found+int(last-q.After.ID))
	for id := q.After.ID + 1; id <= last; id++ {
		notes := l.of.notes(id)
		if strings.HasSuffix(notes, "Needle") {
			l.of.found++
		}
		page.Lines = append(page.Lines, fixture.Trial(fixture.Admin(1), id, func(s *line.State) {
			s.Notes = profile.RestoreText(notes)
		}))
	}
	if last < l.of.lines {
		page.Next = &ports.LineCursor{ID: last}
	}
	return page, nil
}

// A page of a search reads a limited number of records, and the next page continues there.
func TestAPageOfASearchIsBounded(t *testing.T) {
	h := kit.New(t, application.Policy{})
	store := &manyLines{Store: h.Dependencies.Store, lines: 6_000}
	h.Service = h.On(store, application.Policy{})
	needle, err := profile.ParseSearch("needle")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text  string
		which func(id int64) bool
		limit int
		pages int
	}{
		"the last of each page": {"", func(id int64) bool { return id%5_000 == 0 }, 1, 2},
		"every tenth":           {"", func(id int64) bool { return id%10 == 0 }, 500, 6},
		"long notes":            {strings.Repeat("é", 2_000), func(id int64) bool { return id == store.lines }, 500, 3},
	} {
		store.notes = func(id int64) string {
			if c.which(id) {
				return c.text + " Needle"
			}
			return c.text
		}
		var want []int64
		for id := int64(1); id <= store.lines; id++ {
			if c.which(id) {
				want = append(want, id)
			}
		}
		var got []int64
		list := lines.List{Search: needle, Limit: c.limit}
		pages := 0
		for more := true; more && pages <= c.pages; pages++ {
			page, err := h.Lines.List(t.Context(), kit.Call(h.Admin), list)
			require.NoError(t, err)
			if store.read > 5_000 || store.read*len(c.text) > 8<<20+application.MostHeld*len(c.text) ||
				store.atOnce > application.MostHeld {
				t.Fatalf("%s: page %d has read %d records and held %d at once", name, pages, store.read, store.atOnce)
			}
			for _, l := range page.Items {
				got = append(got, l.ID())
			}
			list.After, more = page.Next, page.Next != nil
		}
		if !slices.Equal(got, want) || pages != c.pages {
			t.Errorf("%s: %d records on %d pages, want %d on %d", name, len(got), pages, len(want), c.pages)
		}
	}
}
