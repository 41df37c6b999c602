package application_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	_ "resellerd/test/rapidflags"
	"resellerd/test/require"
)

// forest is a tree of accounts with lines, some of which are suspended and some of whose owners, or accounts above
// these, are blocked. It stands as it was drawn.
type forest struct {
	*kit.Harness
	accounts []*reseller.Reseller // the admin first
	lines    []line.State
}

// words are texts of lines, and parts of them.
var words = []string{"", "a", "JOÃO", "joão", "joao", "ão e Ana", "ΟΔΟΣ", "δος", "\U0001f511"}

func drawnForest(t *testing.T, rt *rapid.T) forest {
	h := kit.NewOn(t, application.Policy{}, memstore.New())
	f := forest{Harness: h}
	some := func(label string) bool { return rapid.IntRange(0, 3).Draw(rt, label) == 0 }
	require.NoError(t, h.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		f.accounts, f.lines = nil, nil
		admin, err := tx.Resellers.Get(ctx, h.Admin.Reseller())
		f.accounts = append(f.accounts, admin)
		return err
	}))
	for i := range rapid.IntRange(1, 6).Draw(rt, "accounts") {
		above := kit.AnyOf(rt, f.accounts, "above")
		f.accounts = append(f.accounts, fixture.Master(above, int64(100+i), func(s *reseller.State) {
			s.Token = reseller.Generation{byte(i + 1)}
			s.Contact.Notes = profile.RestoreText(rapid.SampledFrom(words).Draw(rt, "notes"))
			s.Contact.Whatsapp = profile.RestoreText(rapid.SampledFrom(words).Draw(rt, "whatsapp"))
			if s.Blocked = some("blocked"); s.Blocked {
				s.Block.Suspends = rapid.Bool().Draw(rt, "suspends")
			}
		}))
	}
	for i := range rapid.IntRange(0, 12).Draw(rt, "lines") {
		f.lines = append(f.lines, fixture.Trial(kit.AnyOf(rt, f.accounts, "owner"), int64(200+i), func(s *line.State) {
			s.ExpiresAt = h.Now.Add(time.Duration(rapid.IntRange(-2, 2).Draw(rt, "expires")) * time.Millisecond)
			s.Username = fixture.Name(fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"a", "B", "é", "line-"}).Draw(rt, "name"),
				i))
			s.Suspended = some("suspended")
			s.Notes = profile.RestoreText(rapid.SampledFrom(words).Draw(rt, "notes"))
			s.Email = profile.RestoreText(rapid.SampledFrom(words).Draw(rt, "e-mail"))
			if rapid.Bool().Draw(rt, "official") {
				s.Trial, s.PlatformID, s.Charge = false, 1, 1
			}
		}).State())
	}
	require.NoError(t, h.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) (err error) {
		for _, a := range f.accounts[1:] {
			err = errors.Join(err, tx.Resellers.Insert(ctx, a))
		}
		for _, s := range f.lines {
			err = errors.Join(err, tx.Lines.Insert(ctx, fixture.Trial(f.accounts[0], s.ID, func(to *line.State) { *to = s })))
		}
		return err
	}))
	return f
}

// effect is what a line amounts to, found the slow way.
func (f forest) effect(s line.State) line.Effect {
	switch {
	case s.Suspended:
		return line.Suspended
	case slices.ContainsFunc(f.accounts, func(a *reseller.Reseller) bool {
		return a.State().Block.Suspends && slices.Contains(s.Owner.Path(), a.ID())
	}):
		return line.OwnerBlocked
	case !s.ExpiresAt.After(f.Now):
		return line.Expired
	}
	return line.Running
}

// asking returns callers who are served: the admin, and all below who are not blocked.
func (f forest) asking() (all []*reseller.Reseller) {
	for _, a := range f.accounts {
		if !slices.ContainsFunc(f.accounts, func(b *reseller.Reseller) bool {
			return b.State().Blocked && slices.Contains(a.Position().Path(), b.ID())
		}) {
			all = append(all, a)
		}
	}
	return all
}

// lineOrders are those that a list of lines can be asked for in.
var lineOrders = []application.Order{application.LinesByID, application.LinesByExpiry, application.LinesByName,
	application.NewestLines, application.LatestExpiry}

// sorted puts lines, which are in the order of their ids, in that of a list.
func sorted(c lines.List, lines []line.State) {
	byExpiry := c.Running != nil || c.Effect != nil || c.ExpiresAfter != nil || c.ExpiresBefore != nil
	if c.Sort != nil {
		byExpiry = *c.Sort == application.LinesByExpiry
	}
	switch {
	case byExpiry:
		slices.SortStableFunc(lines, func(a, b line.State) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	case c.Sort != nil && *c.Sort == application.LinesByName:
		slices.SortFunc(lines, func(a, b line.State) int { return cmp.Compare(a.Username.Key(), b.Username.Key()) })
	case c.Sort != nil && *c.Sort == application.NewestLines:
		slices.Reverse(lines)
	case c.Sort != nil && *c.Sort == application.LatestExpiry:
		slices.SortFunc(lines, func(a, b line.State) int {
			return cmp.Or(b.ExpiresAt.Compare(a.ExpiresAt), cmp.Compare(b.ID, a.ID))
		})
	}
}

// drawnQuery is a list of lines by what they amount to, and by other filters beside it.
func (f forest) drawnQuery(rt *rapid.T) lines.List {
	either := func(label string) *bool {
		return rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(rt, label)
	}
	instant := func(label string) *time.Time {
		if rapid.IntRange(0, 2).Draw(rt, label) > 0 {
			return nil
		}
		return new(f.Now.Add(time.Duration(rapid.IntRange(-2, 3).Draw(rt, label)) * time.Millisecond))
	}
	account := func(label string) *int64 {
		if rapid.IntRange(0, 2).Draw(rt, label) > 0 {
			return nil
		}
		return new(kit.AnyOf(rt, f.accounts, label).ID())
	}
	c := lines.List{
		Running: either("running"), Suspended: either("only suspended"), Trial: either("trials"),
		ExpiresAfter: instant("from"), ExpiresBefore: instant("before"),
		Owner: account("of"), Tree: account("in the tree of"), Limit: rapid.IntRange(1, 4).Draw(rt, "limit"),
	}
	if i := rapid.IntRange(0, 2*len(lineOrders)).Draw(rt, "order"); i < len(lineOrders) {
		c.Sort = &lineOrders[i]
	}
	if rapid.Bool().Draw(rt, "searches") {
		search, err := profile.ParseSearch(rapid.SampledFrom(words).Draw(rt, "part"))
		require.NoError(rt, err)
		c.Search = search
	}
	if i := rapid.IntRange(0, len(line.Effects())).Draw(rt, "effect"); i > 0 {
		c.Effect = &line.Effects()[i-1]
	}
	return c
}

// selects reports whether a list of a caller's shows a line.
func (f forest) selects(by *reseller.Reseller, c lines.List, s line.State) bool {
	effect, path := f.effect(s), s.Owner.Path()
	seen := func(id *int64) bool {
		return id == nil || slices.ContainsFunc(f.accounts, func(a *reseller.Reseller) bool {
			return a.ID() == *id && by.Sees(a.Position()) == nil
		})
	}
	return by.Sees(s.Owner) == nil && seen(c.Owner) && seen(c.Tree) &&
		(c.Running == nil || *c.Running == (effect == line.Running)) &&
		(c.Effect == nil || *c.Effect == effect) &&
		(c.Suspended == nil || *c.Suspended == s.Suspended) &&
		(c.Trial == nil || *c.Trial == s.Trial) &&
		(c.ExpiresAfter == nil || !s.ExpiresAt.Before(*c.ExpiresAfter)) &&
		(c.ExpiresBefore == nil || s.ExpiresAt.Before(*c.ExpiresBefore)) &&
		(c.Owner == nil || s.Owner.ID == *c.Owner) &&
		(c.Tree == nil || slices.Contains(path, *c.Tree)) &&
		c.Search.In(s.Username.String(), s.Notes.String(), s.Email.String())
}

// TestListsByWhatLinesAmountTo walks through lists page by page, some pages cut where a caller cuts them: each line
// that is selected is shown once, in order, as what it is.
func TestListsByWhatLinesAmountTo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawnForest(t, rt)
		by := kit.AnyOf(rt, f.asking(), "caller")
		asks := kit.Call(f.CallerOf(f.Keyring.Issue(ports.Token{Reseller: by.ID(), Generation: by.Token()})))
		for range 8 {
			c := f.drawnQuery(rt)
			var want []line.State
			for _, s := range f.lines {
				if f.selects(by, c, s) {
					want = append(want, s)
				}
			}
			sorted(c, want)
			var got []line.State
			for pages := 0; ; pages++ {
				page, err := f.Lines.List(t.Context(), asks, c)
				if err != nil || len(page.Items) > c.Limit || len(page.Damaged) > 0 || pages > 3*len(f.lines)+3 {
					rt.Fatalf("page %d has %d lines, limit %d, damaged %v, error %v", pages, len(page.Items), c.Limit,
						page.Damaged, err)
				}
				shown := page.Items
				if len(shown) > 1 && rapid.Bool().Draw(rt, "cut") {
					shown = shown[:len(shown)-1]
					page.Next = new(page.After(shown[len(shown)-1]))
				}
				for _, l := range shown {
					expect.Equal(rt, l.Effect(), f.effect(l.State()), "line %d is shown as", l.ID())
					got = append(got, l.State())
				}
				if page.Next == nil {
					break
				}
				c.After = page.Next
			}
			if !slices.EqualFunc(got, want, func(a, b line.State) bool { return a.ID == b.ID }) {
				ids := func(all []line.State) (text string) {
					for _, s := range all {
						text += fmt.Sprintf(" %d (%s, at %s)", s.ID, f.effect(s), s.ExpiresAt.Sub(f.Now))
					}
					return cmp.Or(text, " none")
				}
				rt.Fatalf("caller %d: got%s, want%s", by.ID(), ids(got), ids(want))
			}
		}
	})
}

// walk returns the lines of a list page by page, and has something happen between them.
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

// From the latest expiry on it is the same: what expires before its turn has come is shown, and nothing is twice.
func TestAListFromTheLatestExpiryGoesOnWithTime(t *testing.T) {
	// which has expired, and what follows
	for meanwhile, more := range map[int][]int{0: {1, 0}, 1: {1, 0}, 2: {2, 1, 0}, 3: {2, 1, 0}} {
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
		got := walk(h, c, func() { h.Now = made[meanwhile].ExpiresAt() })
		expect.Elements(t, got, want, "once line %d has expired", made[meanwhile].ID())
	}
}

// manyRecords is a store with lines 1, 2, 3 ... that it makes when they are read, so many at once and in
// all as it tells.
type manyRecords struct {
	ports.Store

	records int64
	notes   func(id int64) string
	atOnce  int // of a read, with those that were found before
	read    int
	found   int
}

func (s *manyRecords) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return s.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		s.read, s.found = 0, 0
		snapshot.Lines = madeLines{snapshot.Lines, s}
		return look(ctx, snapshot)
	})
}

// list makes the records after an id, and returns the id to go on after, 0 at the end.
func (s *manyRecords) list(after int64, limit int, record func(id int64, notes profile.Text) error) (next int64,
	err error) {
	last := min(after+int64(limit), s.records)
	s.read += int(last - after)
	s.atOnce = max(s.atOnce, s.found+int(last-after))
	for id := after + 1; id <= last; id++ {
		notes := s.notes(id)
		if strings.HasSuffix(notes, "Needle") {
			s.found++
		}
		err = errors.Join(err, record(id, profile.RestoreText(notes)))
	}
	if last == s.records {
		return 0, err
	}
	return last, err
}

type madeLines struct {
	ports.LineDirectory

	store *manyRecords
}

func (l madeLines) List(_ context.Context, q ports.LineQuery) (page ports.LinePage, err error) {
	next, err := l.store.list(q.After.ID, q.Limit, func(id int64, notes profile.Text) error {
		made, err := line.Restore(line.State{ID: id, Owner: reseller.Position{ID: 1}, Trial: true, ExpiresAt: fixture.Noon,
			Known: line.Known{Notes: notes}})
		page.Lines = append(page.Lines, made)
		return err
	})
	if next != 0 {
		page.Next = &ports.LineCursor{ID: next}
	}
	return page, err
}

// However many records there are, a page of a search reads so many of them, and goes on from there.
func TestAPageOfASearchIsBounded(t *testing.T) {
	store := &manyRecords{Store: memstore.New(), records: 6_000}
	h := kit.NewOn(t, application.Policy{}, store)
	needle, err := profile.ParseSearch("needle")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text  string
		which func(id int64) bool
		limit int
		pages int
	}{
		"the last":               {"", func(id int64) bool { return id == store.records }, 500, 2},
		"the last of each page":  {"", func(id int64) bool { return id%5_000 == 0 }, 1, 2},
		"the first of each page": {"", func(id int64) bool { return id%5_000 == 1 }, 1, 3},
		"every tenth":            {"", func(id int64) bool { return id%10 == 0 }, 500, 6},
		"long notes":             {strings.Repeat("é", 2_000), func(id int64) bool { return id == store.records }, 500, 3},
	} {
		store.notes = func(id int64) string {
			if c.which(id) {
				return c.text + " Needle"
			}
			return c.text
		}
		var want []int64
		for id := int64(1); id <= store.records; id++ {
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
