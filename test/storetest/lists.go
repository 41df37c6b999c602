package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// drawn is how many queries a check draws that combine filters.
const drawn = 250

// one draws one of several values.
func one[V any](random *rand.Rand, of []V) V { return of[random.IntN(len(of))] }

// sometimes is one of several values every other time, and the zero value otherwise.
func sometimes[V any](random *rand.Rand, of []V) V {
	return either(random.IntN(2) == 0, one(random, of))
}

// draws returns the randomness of a check's queries, which are the same every time.
func draws() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

var resellerListChecks = []Check{
	{"account-lists-select", proves{"R7", "R8", "R9", "R10"}, func(w *harness) {
		p := w.population()
		n := len(p.resellers)
		lists := func(q ports.ResellerQuery) { w.listsResellers(p, q) }
		for _, scope := range p.scopes() {
			lists(ports.ResellerQuery{Scope: scope, Limit: 500})
		}
		masters := append(mapped(p.resellers, idOf), unknownID)
		for _, master := range masters {
			lists(ports.ResellerQuery{Master: master, Limit: 500})
		}
		for _, prefix := range prefixes {
			lists(ports.ResellerQuery{Username: prefix, Limit: 500})
		}
		random := draws()
		combined := func() {
			for range drawn {
				lists(ports.ResellerQuery{
					Scope: sometimes(random, p.scopes()), Master: sometimes(random, masters),
					Username: sometimes(random, []string{"a", "anna", "中", "r", "nobody"}),
					After:    sometimes(random, masters), Limit: one(random, []int{1, 3, n - 1, n, n + 1}),
				})
			}
		}
		combined()
		for i := range p.resellers {
			if i%2 == 0 {
				p.resellers[i].Username = fixture.Name(fmt.Sprintf("renamed%d", i))
				w.saves(p.resellers[i])
			}
		}
		combined()
	}},
	{"account-pages-show-each-once", proves{"R12"}, func(w *harness) {
		p := w.population()
		root := restored(p.resellers[0])
		for i, q := range []ports.ResellerQuery{
			{Limit: 3}, {Scope: ports.Scope{Reseller: root.ID(), Tree: true}, Limit: 2}, {Username: "a", Limit: 2},
		} {
			throughout := map[int64]bool{}
			for _, s := range p.resellers {
				throughout[s.ID] = selectsReseller(q, s)
			}
			showsEachOnce(w, q, resellerPage, (*reseller.Reseller).ID, throughout,
				func(pages int, shown []*reseller.Reseller) {
					// A listed one no longer matches, and a new one does.
					if pages == 0 && q.Username != "" && len(shown) > 0 {
						w.update("rename an account", renames(shown[0].ID(), "left"))
					}
					if pages < 5 {
						w.master(root, fmt.Sprintf("added.%d.%d", i, pages), 0)
					}
				})
		}
	}},
}

var lineListChecks = []Check{
	{"line-lists-select", proves{"L3", "L4", "L5", "L6", "L7", "L24", "L27"}, func(w *harness) {
		p, random := w.population(), draws()
		n := len(p.lines)
		middle, gone := p.lines[n/2], p.lines[n/3]
		p.deleteLines(w, func(i int) bool { return i == n/3 })
		lists := func(q ports.LineQuery) {
			q.Limit = cmp.Or(q.Limit, 500)
			w.listsLines(p, q)
		}
		externalIDs := []string{"crm", "crm-4", "CRM", "cr", "nobody's"}
		for _, scope := range p.scopes() {
			lists(ports.LineQuery{Scope: scope})
			lists(ports.LineQuery{Scope: scope, ExternalID: one(random, externalIDs)})
		}
		for _, is := range eitherWay {
			lists(ports.LineQuery{Trial: is})
			lists(ports.LineQuery{Suspended: is})
		}
		for _, from := range bounds() {
			for _, before := range bounds() {
				lists(ports.LineQuery{ExpiresAfter: from, ExpiresBefore: before})
			}
		}
		for _, prefix := range prefixes {
			lists(ports.LineQuery{Username: prefix})
		}
		cursors := []ports.LineCursor{
			positionOf(middle), positionOf(gone),
			{ExpiresAt: middle.ExpiresAt.Add(time.Millisecond), Name: "anna", ID: 0},
			{Name: "anna", ID: unknownID},
			{ExpiresAt: fixture.Time("9999-12-31T23:59:59.999Z"), Name: "\U0010ffff", ID: unknownID},
		}
		combined := func() {
			for range drawn {
				lists(ports.LineQuery{
					Scope: sometimes(random, p.scopes()), Trial: one(random, eitherWay), Suspended: one(random, eitherWay),
					ExpiresAfter: sometimes(random, bounds()[:4]), ExpiresBefore: sometimes(random, bounds()[2:]),
					Username:   sometimes(random, []string{"a", "anna", "re", "nobody"}),
					ExternalID: either(random.IntN(6) == 0, one(random, externalIDs)),
					After:      sometimes(random, cursors), Limit: one(random, []int{1, 2, 3, n - 2, n - 1}),
				})
			}
		}
		combined()
		w.changesLines(&p)
		combined()
	}},
	{"lines-are-counted-and-named", proves{"L25", "L26"}, func(w *harness) {
		p, random := w.population(), draws()
		n := len(p.lines)
		ids, want := mapped(p.lines, idOfLine), map[int64]profile.Username{}
		p.deleteLines(w, func(i int) bool { return i%7 == 3 })
		for i, s := range p.lines {
			if want[s.ID] = s.Username; i%7 == 5 {
				want[s.ID] = fixture.Name(fmt.Sprintf("renamed%d", i))
				w.update("rename a line", renamesLine(s.ID, want[s.ID].String()))
			}
		}
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			return finds(w, "names of lines", want, []int64{0, -1, unknownID, ids[3]},
				func(ids []int64) (map[int64]profile.Username, error) { return s.Lines.Usernames(ctx, ids) })
		})
		for _, scope := range p.scopes() {
			w.counts(p, ports.LineQuery{Scope: scope}, n)
		}
		for range 4 * drawn {
			w.counts(p, ports.LineQuery{
				Scope: sometimes(random, p.scopes()), Trial: one(random, eitherWay), Suspended: one(random, eitherWay),
				ExpiresAfter: one(random, bounds()), ExpiresBefore: one(random, bounds()),
			}, one(random, []int{1, 2, 5, len(p.lines) - 1, len(p.lines), n}))
		}
	}},
	{"line-pages-show-each-once", proves{"L9"}, func(w *harness) {
		p := w.population()
		for _, q := range []ports.LineQuery{
			{Limit: 3},
			{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Limit: 2},
			{Trial: ptr(true), ExpiresAfter: ptr(noon), Limit: 2},
		} {
			for _, q.Order = range ports.LineOrders() {
				w.pagesBesideChanges(&p, q)
			}
		}
	}},
}

// changesLines changes and deletes lines, in all that lists order and select by.
func (w *harness) changesLines(p *population) {
	for i := range p.lines {
		s := &p.lines[i]
		switch i % 5 {
		case 0: // to the end of the order, to its start, and back
			for _, expires := range []time.Time{fixture.Time("2036-06-01T00:00:00Z"), fixture.Time("2001-06-01T00:00:00Z")} {
				moved := *s
				moved.ExpiresAt = expires
				w.savesLine(moved)
			}
			s.ExpiresAt = s.ExpiresAt.Add(time.Hour)
		case 1:
			s.Username = fixture.Name(fmt.Sprintf("renamed%d", i))
		case 2:
			if s.Origin == "" { // otherwise it stays official
				s.Trial, s.PlatformID, s.Charge = !s.Trial, 1-min(s.PlatformID, 1), 1-min(s.Charge, 1)
			}
		case 4:
			s.Suspension = line.Suspension{Suspended: !s.Suspended}
		}
		w.savesLine(*s)
	}
	p.deleteLines(w, func(i int) bool { return i%5 == 3 })
}

// counts fails unless lines are counted as they are listed, up to so many that are examined.
func (w *harness) counts(p population, q ports.LineQuery, examined int) {
	there, want := 0, 0
	for _, s := range p.lines {
		either := q
		either.Trial, either.Suspended = nil, nil
		if selectsLine(either, s) {
			there++
		}
		if selectsLine(q, s) {
			want++
		}
	}
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		count, all, err := s.Lines.Count(ctx, q, examined)
		least, most := max(0, want-max(0, there-examined)), min(want, examined)
		wrong := all && (count != want || count > examined) || !all && there <= examined
		if err == nil && (wrong || count < least || count > most) {
			w.Errorf("%s, of %d examined: counted %d, and that is all: %t; there are %d, and %d match", describe(q), examined,
				count, all, there, want)
		}
		return err
	})
}

// pagesBesideChanges goes through the pages of a query while the line that each
// page ends with is deleted, and lines are added everywhere.
func (w *harness) pagesBesideChanges(p *population, q ports.LineQuery) {
	owner, throughout := restored(p.resellers[0]), map[int64]bool{}
	for _, s := range p.lines {
		throughout[s.ID] = selectsLine(q, s)
	}
	showsEachOnce(w, q, linePage, (*line.Line).ID, throughout,
		func(pages int, shown []*line.Line) {
			if pages >= 3 {
				return
			}
			if len(shown) > 0 {
				gone := shown[len(shown)-1].ID()
				w.deleteLine(gone)
				p.lines = slices.DeleteFunc(p.lines, func(s line.State) bool { return s.ID == gone })
			}
			for _, expires := range instants {
				id := w.id(ports.LineIDs)
				added := fixture.ChangedLine(newTrial(owner, id, fmt.Sprintf("added.%d", id)), func(s *line.State) {
					s.ExpiresAt = expires
				})
				w.update("insert a line", insertsLine(added))
				p.lines = append(p.lines, added.State())
			}
		})
}

// longListChecks check lists with more records than a store examines for one page.
var longListChecks = []Check{{"long-lists-end", proves{"R11", "L8", "J16"}, func(w *harness) {
	c := w.chronicle()
	root := w.admin("root")
	few, other := w.master(root, "few", 0), w.master(root, "other", 0)
	var accounts []*reseller.Reseller
	var all []*line.Line
	var entries []journal.Entry
	for i := range manyRecords {
		above, owner, group := other, other, "Many" // one in five below root, wherever a short page ends
		if i%2 == 1 {
			above = root
			if i%10 != 9 {
				group = "Lots"
			}
		}
		if i%700 == 699 {
			owner = few
		}
		accounts = append(accounts, w.below(above, fmt.Sprintf("%s.%04d", group, i)))
		all = append(all, fixture.ChangedLine(newTrial(owner, w.id(ports.LineIDs), fmt.Sprintf("Many.%04d", i)),
			func(s *line.State) {
				s.ExpiresAt = noon.Add(time.Duration(i*7%5) * time.Millisecond)
				if i/5%5 == 3 {
					s.Trial, s.PlatformID, s.Charge = false, 1, 1
				}
				s.Suspended = i%9 > 4
			}))
		entries = append(entries, plainEntry(owner))
		if i%5 == 3 {
			entries[i].Type = journal.LineExtended
		}
	}
	storeAll(w, accounts, inserts)
	storeAll(w, all, insertsLine)
	for some := range slices.Chunk(entries, batch) {
		c.append(some...)
	}
	p := population{mapped(append([]*reseller.Reseller{root, few, other}, accounts...), (*reseller.Reseller).State),
		mapped(all, (*line.Line).State)}
	tree, own := ports.Scope{Reseller: other.ID(), Tree: true}, ports.Scope{Reseller: few.ID()}
	for _, q := range []ports.ResellerQuery{
		{Limit: 500},
		{Username: "many.", Limit: 400},
		{Username: "lots.", Master: root.ID(), Limit: 500},
		{Username: "lots.", Scope: tree, Limit: 10},
		{Username: "nobody", Limit: 10},
	} {
		w.listsResellers(p, q)
	}
	sold, suspended := ptr(false), ptr(true)
	for _, q := range []ports.LineQuery{
		{Limit: 500},
		{Scope: tree, Username: "many.", Limit: 400},
		{Scope: own, Username: "many.", Limit: 1},
		{Scope: tree, ExpiresAfter: ptr(noon.Add(4 * time.Millisecond)), Limit: 300},
		{Username: "many.1", ExpiresBefore: ptr(noon.Add(time.Millisecond)), Limit: 10},
		{Scope: tree, Trial: sold, Username: "many.", ExpiresBefore: ptr(noon), Limit: 10},
		{Username: "nobody", Limit: 10},
		{Scope: own, Suspended: suspended, Limit: 1},
		{Suspended: suspended, Trial: sold, Username: "many.", Limit: 40},
	} {
		w.listsLines(p, q)
	}
	rare, never := []journal.Type{journal.LineExtended}, []journal.Type{journal.KeyReplaced}
	for _, q := range []ports.EventQuery{
		{Limit: 500},
		{Types: rare, Limit: 250},
		{Types: never, Limit: 10},
		{Of: ports.EventScope{Account: few.ID()}, Limit: 1},
		{Of: ports.EventScope{Tree: other.ID()}, Types: rare, After: 7, Before: manyRecords - 7, Limit: 100},
	} {
		c.lists(q)
	}
	for i := range 5 {
		w.listsResellers(p, ports.ResellerQuery{Username: "many.", Master: root.ID(), After: accounts[2*i].ID(), Limit: 250})
		w.listsLines(p, ports.LineQuery{Scope: tree, Trial: sold, After: positionOf(p.lines[5*i]), Limit: 250})
	}
}}}

var snapshotChecks = []Check{
	{"lists-are-of-one-snapshot", proves{"V1"}, func(w *harness) {
		c := w.prepare()
		payer := []int64{c.savedWas.ID()}
		look := func(ctx context.Context, s ports.Snapshot) (o observation, err error) {
			o, err = c.look(ctx, s)
			return o, errors.Join(err,
				o.note("totals")(s.Ledger.Totals(ctx)),
				o.note("blocked")(s.Resellers.Blocked(ctx, payer)),
				o.note("suspending")(s.Resellers.Suspending(ctx, payer)),
				o.note("any suspends")(s.Resellers.AnySuspending(ctx)))
		}
		do := inTurn(c.write, changes(payer[0], func(s *reseller.State) { s.Blocked, s.Block.Suspends = true, true }))
		before := seen(w, look)
		h := w.hold(do)
		looked := viewBeside(w, func(ctx context.Context, s ports.Snapshot) (o [2]observation, err error) {
			if o[0], err = look(ctx, s); err != nil {
				return o, err
			}
			// A store whose updates wait for views is right as well.
			h.release()
			time.Sleep(grace)
			o[1], err = look(ctx, s)
			return o, err
		})
		h.end(w)
		w.same(looked[1], looked[0], "the same lists once more in one view")
		w.numbered(c, true)
		after := seen(w, look)
		w.same(after["lists"], c.after()["lists"], "lists in a later view")
		if gocmp.Equal(after, before, same) {
			w.Errorf("a later view shows nothing of an update")
		}
	}},
}

// manyRecords is more than a store examines for one page.
const manyRecords = 2_800

// population has the records that lists select from, in the order of ids.
type population struct {
	resellers []reseller.State
	lines     []line.State
}

// listedNames has names that start others, and every character with a meaning in a pattern language.
var listedNames = []string{
	"anna", "Anna.Bell", "ANNA_B", "annaXb", "anna%b", "anna*b", "anna[b", "anna?b", "anna\\b", "anna-b", "ann",
	"Straße", "Strasse", "straße.2", "É", "éa", "ea", "Éa.b", "ÿ", "ÿa", "āa", "z", "z~", "~", "~a",
	"𐐀", "𐐀a", "中", "中文", "中国", "0", "00", "a", "ça", "c", "b", "%", "%%", "_", "[a-z]", "*",
	strings.Repeat("𐐁", profile.MaxUsername), strings.Repeat("𐐁", profile.MaxUsername-1) + "a",
}

var prefixes = []string{
	"", "a", "an", "ann", "anna", "anna_", "anna_b", "anna%", "anna*", "anna[", "anna?", "anna\\", "anna.", "anna-",
	"anna.bell", "anna.bella",
	"ANNA", "Anna", "A", "straß", "strass", "stras", "s", "é", "É", "éa", "e", "ç", "c", "ÿ", "z", "z~", "~", "𐐨", "𐐀",
	strings.Repeat("𐐩", profile.MaxUsername),
	"中", "中文", "文", "0", "00", "nna", "%", "%%", "_", "[", "[a-z]", "*", "?", "nobody",
}

// instants are when listed lines expire: each several of them, the orders of ids
// and of expiry differ, and neighbours are a millisecond apart.
var instants = []time.Time{
	noon.Add(time.Millisecond), fixture.Time("2036-02-29T23:59:59.999Z"), noon, fixture.Time("1969-12-31T23:59:59.999Z"),
	noon.Add(-time.Millisecond),
}

// eitherWay are the values of a query's filter by trials, or by suspended lines: nil for none.
var eitherWay = []*bool{nil, ptr(true), ptr(false)}

// bounds are ends of windows, nil for none.
func bounds() []*time.Time {
	return []*time.Time{
		nil, ptr(noon.Add(-time.Millisecond)), ptr(noon), ptr(noon.Add(time.Millisecond)),
		ptr(noon.Add(2 * time.Millisecond)),
		ptr(fixture.Time("1969-12-31T23:59:59.999Z")), ptr(fixture.Time("2036-02-29T23:59:59.999Z")),
	}
}

func ptr[V any](v V) *V { return &v }

// population stores two trees, one of them as deep as a tree may be, and lines of
// everybody.
func (w *harness) population() population {
	var resellers []*reseller.Reseller
	for i, listed := range listedNames {
		id := w.id(ports.ResellerIDs)
		if i < 2 {
			resellers = append(resellers, fixture.Admin(id, func(s *reseller.State) { s.Username = fixture.Name(listed) }))
			continue
		}
		above := i % (1 + reseller.MaxDepth) // everywhere, so that the digits of some ids start those of others
		switch {
		case i == 2:
			above = 0
		case i < 2+reseller.MaxDepth: // a chain below the first root
			above = i - 1
		}
		resellers = append(resellers, below(resellers[above], id, listed))
	}
	var lines []*line.Line
	owners := map[int64]bool{}
	for i, listed := range listedNames {
		owner := resellers[i*3%len(resellers)]
		lines = append(lines, fixture.ChangedLine(newTrial(owner, w.id(ports.LineIDs), listed), func(s *line.State) {
			s.ExpiresAt = instants[i%len(instants)]
			if !owners[owner.ID()] {
				s.ExternalID = fixture.Text("crm")
			} else if i%2 == 0 {
				s.ExternalID = fixture.Text(fmt.Sprintf("crm-%d", i))
			}
			owners[owner.ID()] = true
			s.Suspended = i%4 == 1
			if i%3 == 0 {
				s.Trial, s.PlatformID, s.Charge = false, int64(i)+1, int64(i)+1
			}
			if i%6 == 3 {
				s.Charge, s.Origin = 0, line.Imported
			}
		}))
	}
	storeAll(w, resellers, inserts)
	storeAll(w, lines, insertsLine)
	return population{mapped(resellers, (*reseller.Reseller).State), mapped(lines, (*line.Line).State)}
}

// deleteLines deletes the lines at some positions.
func (p *population) deleteLines(w *harness, gone func(i int) bool) {
	var left []line.State
	for i, s := range p.lines {
		if gone(i) {
			w.deleteLine(s.ID)
		} else {
			left = append(left, s)
		}
	}
	p.lines = left
}

// scopes returns every scope of the population, and one of an unknown reseller.
func (p population) scopes() []ports.Scope {
	scopes := []ports.Scope{{}, {Tree: true}, {Reseller: unknownID}, {Reseller: unknownID, Tree: true}}
	for _, s := range p.resellers {
		scopes = append(scopes, ports.Scope{Reseller: s.ID}, ports.Scope{Reseller: s.ID, Tree: true})
	}
	return scopes
}

func within(scope ports.Scope, p reseller.Position) bool {
	return scope.Reseller == 0 || p.ID == scope.Reseller || scope.Tree && p.Under(scope.Reseller)
}

// selectsReseller reports whether a query selects the reseller, wherever its page
// begins.
func selectsReseller(q ports.ResellerQuery, s reseller.State) bool {
	return within(q.Scope, s.Position) && (q.Master == 0 || s.Parent() == q.Master) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

func selectsLine(q ports.LineQuery, s line.State) bool {
	return (q.ExternalID == "" || q.ExternalID == s.ExternalID.String()) && within(q.Scope, s.Owner) &&
		(q.Trial == nil || *q.Trial == s.Trial) &&
		(q.Suspended == nil || *q.Suspended == s.Suspended) &&
		(q.ExpiresAfter == nil || !s.ExpiresAt.Before(*q.ExpiresAfter)) &&
		(q.ExpiresBefore == nil || s.ExpiresAt.Before(*q.ExpiresBefore)) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

// cursorOf returns the line's position in the order of a query.
func cursorOf(q ports.LineQuery, s line.State) ports.LineCursor {
	return inOrder(q, positionOf(s))
}

// positionOf returns a line's position in each order.
func positionOf(s line.State) ports.LineCursor {
	return ports.LineCursor{ExpiresAt: s.ExpiresAt, Name: s.Username.Key(), ID: s.ID}
}

// inOrder returns the part of a cursor that the order of a query uses.
func inOrder(q ports.LineQuery, c ports.LineCursor) ports.LineCursor {
	if !q.Order.ByExpiry() {
		c.ExpiresAt = time.Time{}
	}
	if q.Order != ports.LinesByName {
		c.Name = ""
	}
	return c
}

// compareCursors compares positions in the order of a query. The zero value is before all others.
func compareCursors(q ports.LineQuery, a, b ports.LineCursor) int {
	if zero := (ports.LineCursor{}); q.Order.Backwards() && a != zero && b != zero {
		a, b = b, a
	}
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// mostPages turns pages without an end into a failure.
const mostPages = 3 * manyRecords

// walk goes through all pages of a query: page returns what one shows, and the query of the next one.
func walk[Q, R any](q Q, page func(q Q) (shown []R, next *Q, err error)) (all []R, err error) {
	for range mostPages {
		shown, next, err := page(q)
		if err != nil {
			return nil, fmt.Errorf("%+v: %w", q, err)
		}
		if all = append(all, shown...); next == nil {
			return all, nil
		}
		q = *next
	}
	return nil, fmt.Errorf("after %d pages there is still a next one", mostPages)
}

// showsEachOnce goes through the pages of a query, and does something between each two. It fails unless what matched
// throughout was shown once.
func showsEachOnce[Q, R any](
	w *harness, q Q, page func(ctx context.Context, s ports.Snapshot, q Q) (shown []R, next *Q, err error),
	id func(R) int64, throughout map[int64]bool, between func(pages int, shown []R),
) {
	counts, pages := map[int64]int{}, 0
	_, err := walk(q, func(q Q) (shown []R, next *Q, err error) {
		err = w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) (err error) {
			shown, next, err = page(ctx, s, q)
			return err
		})
		for _, r := range shown {
			counts[id(r)]++
		}
		if next != nil {
			between(pages, shown)
			pages++
		}
		return shown, next, err
	})
	w.must(err, "go through the pages")
	for id, matches := range throughout {
		if matches && counts[id] != 1 {
			w.Errorf("%d matches %+v throughout and was shown %d times", id, q, counts[id])
		}
	}
}

// checkPage returns an error unless what a page shows comes in order, after where the page begins, and the next one
// begins where it ends or later.
func checkPage[P any](limit int, after P, shown []P, next *P, compare func(a, b P) int) error {
	if len(shown) > limit {
		return fmt.Errorf("a page of %d with limit %d: %+v", len(shown), limit, shown)
	}
	last := after
	for _, at := range shown {
		if compare(at, last) <= 0 {
			return fmt.Errorf("%+v is shown after %+v: %+v", at, last, shown)
		}
		last = at
	}
	if next != nil && (compare(*next, last) < 0 || compare(*next, after) == 0) {
		return fmt.Errorf("the page after %+v, %+v, is followed by the one after %+v", after, shown, *next)
	}
	return nil
}

// resellerPage reads a page and returns the query of the next one, nil at the end.
func resellerPage(ctx context.Context, s ports.Snapshot,
	q ports.ResellerQuery) (shown []*reseller.Reseller, next *ports.ResellerQuery, err error) {
	page, err := s.Resellers.List(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	after := q.After
	if page.Next != 0 {
		q.After, next = page.Next, &q
	}
	return page.Resellers, next, checkPage(q.Limit, after, mapped(page.Resellers, (*reseller.Reseller).ID),
		either(page.Next != 0, &page.Next), cmp.Compare[int64])
}

// linePage does for lines what resellerPage does.
func linePage(ctx context.Context, s ports.Snapshot,
	q ports.LineQuery) (shown []*line.Line, next *ports.LineQuery, err error) {
	page, err := s.Lines.List(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	after, following := inOrder(q, q.After), (*ports.LineCursor)(nil)
	if page.Next != nil {
		q.After, next, following = *page.Next, &q, ptr(inOrder(q, *page.Next))
	}
	return page.Lines, next, checkPage(q.Limit, after,
		mapped(page.Lines, func(l *line.Line) ports.LineCursor { return cursorOf(q, l.State()) }), following,
		func(a, b ports.LineCursor) int { return compareCursors(q, a, b) })
}

// either returns a value, or its zero value.
func either[V any](is bool, v V) (none V) {
	if is {
		return v
	}
	return none
}

// listed goes through all pages of a query in one view.
func listed[Q, R any](ctx context.Context, s ports.Snapshot, q Q,
	page func(ctx context.Context, s ports.Snapshot, q Q) ([]R, *Q, error)) ([]R, error) {
	return walk(q, func(q Q) ([]R, *Q, error) { return page(ctx, s, q) })
}

// listsResellers fails unless the pages of a query have the records that it selects from the population.
func (w *harness) listsResellers(p population, q ports.ResellerQuery) {
	var want []int64
	for _, s := range p.resellers {
		if selectsReseller(q, s) && s.ID > q.After {
			want = append(want, s.ID)
		}
	}
	got := seen(w, func(ctx context.Context, s ports.Snapshot) ([]*reseller.Reseller, error) {
		return listed(ctx, s, q, resellerPage)
	})
	w.sameIDs(mapped(got, (*reseller.Reseller).ID), want, fmt.Sprintf("accounts of %+v", q))
}

// listsLines does for lines what listsResellers does, in each order.
func (w *harness) listsLines(p population, q ports.LineQuery) {
	for _, q.Order = range ports.LineOrders() {
		var selected []ports.LineCursor
		for _, s := range p.lines {
			if c := cursorOf(q, s); selectsLine(q, s) && compareCursors(q, c, inOrder(q, q.After)) > 0 {
				selected = append(selected, c)
			}
		}
		slices.SortFunc(selected, func(a, b ports.LineCursor) int { return compareCursors(q, a, b) })
		got := seen(w, func(ctx context.Context, s ports.Snapshot) ([]*line.Line, error) {
			return listed(ctx, s, q, linePage)
		})
		w.sameIDs(mapped(got, (*line.Line).ID), mapped(selected, func(c ports.LineCursor) int64 { return c.ID }), describe(q))
	}
}

// sameIDs shows a few ids from the first that differ on.
func (w *harness) sameIDs(got, want []int64, where string) {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	if i < max(len(got), len(want)) {
		few := func(ids []int64) []int64 { return ids[i:min(i+5, len(ids))] }
		w.Errorf("%s: got %d, want %d; after %d that are equal got %v, want %v", where, len(got), len(want), i,
			few(got), few(want))
	}
}

// describe prints a query with the values behind its pointers.
func describe(q ports.LineQuery) string {
	text, _ := json.Marshal(q)
	return "lines of " + string(text)
}
