package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var resellerListChecks = []Check{
	{"account-lists-select", proves{"R7", "R8", "R9", "R10"}, func(w *harness) {
		p := w.population()
		n := len(p.resellers)
		lists := func(q ports.ResellerQuery) { w.listsResellers(p, q) }
		for _, scope := range p.scopes() {
			lists(ports.ResellerQuery{Scope: scope, Limit: 500})
		}
		for _, master := range p.resellers {
			lists(ports.ResellerQuery{Master: master.ID, Limit: 500})
		}
		lists(ports.ResellerQuery{Master: unknownID, Limit: 500})
		for _, prefix := range prefixes {
			lists(ports.ResellerQuery{Username: prefix, Limit: 500})
		}
		for _, scope := range p.someScopes() {
			for _, prefix := range []string{"", "a", "anna", "中", "nobody"} {
				for _, master := range []int64{0, p.resellers[0].ID, p.resellers[2].ID, p.resellers[3].ID, p.resellers[n-1].ID} {
					lists(ports.ResellerQuery{Scope: scope, Master: master, Username: prefix, Limit: 4})
				}
			}
		}
	}},
	{"account-lists-are-cut-into-pages", proves{"R10"}, func(w *harness) {
		p := w.population()
		n := len(p.resellers)
		for _, limit := range []int{1, 3, n - 1, n, n + 1} {
			for _, after := range []int64{0, 1, p.resellers[0].ID, p.resellers[n/2].ID, p.resellers[n-1].ID, unknownID} {
				for _, prefix := range []string{"", "a"} {
					for _, scope := range []ports.Scope{{}, {Reseller: p.resellers[0].ID, Tree: true}} {
						w.listsResellers(p, ports.ResellerQuery{Scope: scope, Username: prefix, After: after, Limit: limit})
					}
				}
			}
		}
	}},
	{"account-lists-follow-renames", proves{"R9"}, func(w *harness) {
		p := w.population()
		for i := range p.resellers {
			if i%2 == 0 {
				p.resellers[i].Username = fixture.Name(fmt.Sprintf("renamed%d", i))
				w.saves(p.resellers[i])
			}
		}
		for _, prefix := range []string{"", "a", "anna", "r", "renamed1"} {
			w.listsResellers(p, ports.ResellerQuery{Username: prefix, Limit: 7})
		}
	}},
	{"long-account-lists-end", proves{"R11"}, func(w *harness) {
		root := w.admin("root")
		other := w.master(root, "other", 0)
		var all []*reseller.Reseller
		for i := range manyRecords {
			above, group := other, "Many"
			if i%2 == 1 {
				above = root
				if i%10 != 9 {
					group = "Lots"
				}
			}
			all = append(all, w.below(above, fmt.Sprintf("%s.%04d", group, i)))
		}
		storeAll(w, all, inserts)
		p := population{resellers: mapped(append([]*reseller.Reseller{root, other}, all...), (*reseller.Reseller).State)}
		tree := func(of *reseller.Reseller) ports.Scope { return ports.Scope{Reseller: of.ID(), Tree: true} }
		for _, q := range []ports.ResellerQuery{
			{Limit: 500},
			{Username: "many.", Limit: 400},
			{Username: "many.", Master: root.ID(), Limit: 30},
			{Username: "lots.", Master: root.ID(), Limit: 500},
			{Username: "lots.", Master: other.ID(), Limit: 10},
			{Username: "many.", Scope: tree(other), Limit: 500},
			{Username: "lots.", Scope: tree(other), Limit: 10},
			{Username: "many.", Scope: ports.Scope{Reseller: root.ID()}, Limit: 10},
			{Username: "many.1", Master: root.ID(), Limit: 10},
			{Username: "nobody", Limit: 10},
		} {
			w.listsResellers(p, q)
		}
		// One in five is selected: wherever a short page ends, one of these is followed by one that is.
		for i := range 5 {
			w.listsResellers(p, ports.ResellerQuery{Username: "many.", Master: root.ID(), After: all[2*i].ID(), Limit: 250})
		}
	}},
	{"account-pages-show-each-once", proves{"R12"}, func(w *harness) {
		p := w.population()
		for _, q := range []ports.ResellerQuery{
			{Limit: 3},
			{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Limit: 2},
			{Master: p.resellers[0].ID, Limit: 1},
			{Username: "a", Limit: 2},
		} {
			throughout := map[int64]bool{}
			for _, s := range p.resellers {
				throughout[s.ID] = selectsReseller(q, s)
			}
			showsEachOnce(w, q, resellerPage, (*reseller.Reseller).ID, throughout,
				func(pages int, shown []*reseller.Reseller, _ ports.ResellerQuery) {
					// One that was shown matches no more, and one is added that does.
					if pages < 2 && q.Username != "" && len(shown) > 0 {
						left := shown[0].State()
						left.Username = fixture.Name(fmt.Sprintf("left.%d", left.ID))
						w.saves(left)
					}
					if pages < 5 {
						added := w.master(restored(p.resellers[0]), fmt.Sprintf("added.%d", len(p.resellers)), 0)
						p.resellers = append(p.resellers, added.State())
					}
				})
		}
	}},
}

var lineListChecks = []Check{
	{"line-lists-select", proves{"L3", "L4", "L5", "L6", "L7"}, func(w *harness) {
		p, at := w.population(), bounds()
		lists := func(q ports.LineQuery) {
			q.Limit = cmp.Or(q.Limit, 500)
			w.listsLines(p, q)
		}
		for _, scope := range p.scopes() {
			lists(ports.LineQuery{Scope: scope})
		}
		for _, trial := range eitherWay {
			lists(ports.LineQuery{Trial: trial})
		}
		for _, from := range at {
			for _, before := range at {
				lists(ports.LineQuery{ExpiresAfter: from, ExpiresBefore: before})
			}
		}
		for _, prefix := range prefixes {
			lists(ports.LineQuery{Username: prefix})
		}
		for _, scope := range p.someScopes() {
			for _, trial := range eitherWay {
				for _, prefix := range []string{"", "a", "anna", "nobody"} {
					for _, window := range p.windows() {
						lists(ports.LineQuery{Scope: scope, Trial: trial, ExpiresAfter: window[0], ExpiresBefore: window[1],
							Username: prefix, Limit: 4})
					}
				}
			}
		}
	}},
	{"line-lists-select-by-external-id", proves{"L24"}, func(w *harness) {
		p := w.population()
		for _, id := range []string{"crm", "crm-4", "CRM", "cr", "nobody's"} {
			for _, scope := range p.scopes() {
				w.listsLines(p, ports.LineQuery{Scope: scope, ExternalID: id, Limit: 500})
			}
			p.combined(func(q ports.LineQuery) {
				q.ExternalID = id
				w.listsLines(p, q)
				q.Username, q.ExpiresBefore = "a", ptr(noon)
				w.listsLines(p, q)
			})
		}
	}},
	{"line-lists-select-suspended", proves{"L27"}, func(w *harness) {
		p := w.population()
		for _, suspended := range eitherWay {
			for _, scope := range p.scopes() {
				w.listsLines(p, ports.LineQuery{Scope: scope, Suspended: suspended, Limit: 500})
			}
			p.combined(func(q ports.LineQuery) {
				for _, other := range []ports.LineQuery{{}, {Username: "a"}, {ExternalID: "crm"}, {ExternalID: "nobody's"},
					{ExpiresAfter: ptr(noon), ExpiresBefore: ptr(noon.Add(time.Hour))}} {
					other.Suspended, other.Trial, other.After, other.Limit = suspended, q.Trial, q.After, q.Limit
					w.listsLines(p, other)
				}
			})
		}
	}},
	{"names-of-lines-are-found-by-their-ids", proves{"L26"}, func(w *harness) {
		p := w.population()
		ids, want := mapped(p.lines, func(s line.State) int64 { return s.ID }), map[int64]profile.Username{}
		for i, s := range p.lines {
			if i%7 == 3 {
				w.deleteLine(s.ID)
				continue
			}
			if want[s.ID] = s.Username; i%7 == 5 {
				want[s.ID] = fixture.Name(fmt.Sprintf("renamed%d", i))
				w.update("rename a line", renamesLine(s.ID, want[s.ID].String()))
			}
		}
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			return finds(w, "names of lines", want, ids, []int64{0, -1, unknownID, ids[3]},
				func(ids []int64) (map[int64]profile.Username, error) { return s.Lines.Usernames(ctx, ids) })
		})
	}},
	{"lines-are-counted", proves{"L25"}, func(w *harness) {
		p := w.population()
		n := len(p.lines)
		p.deleteLines(w, func(i int) bool { return i == n/3 })
		for _, trial := range eitherWay {
			for _, suspended := range eitherWay {
				for _, scope := range p.scopes() {
					w.counts(p, ports.LineQuery{Scope: scope, Trial: trial, Suspended: suspended}, n)
				}
				for _, scope := range p.someScopes() {
					for _, window := range append(p.windows(), [2]*time.Time{bounds()[4], bounds()[2]}) {
						for _, examined := range []int{1, 2, 5, n - 2, n - 1, n} {
							w.counts(p, ports.LineQuery{Scope: scope, Trial: trial, Suspended: suspended, ExpiresAfter: window[0],
								ExpiresBefore: window[1]}, examined)
						}
					}
				}
			}
		}
	}},
	{"line-lists-are-cut-into-pages", proves{"L7"}, func(w *harness) {
		p := w.population()
		n := len(p.lines)
		middle, gone := p.lines[n/2], p.lines[n/3]
		p.deleteLines(w, func(i int) bool { return i == n/3 })
		for _, limit := range []int{1, 2, 3, n - 2, n - 1, n} {
			for _, after := range []ports.LineCursor{
				{},
				positionOf(middle),
				positionOf(gone),
				{ExpiresAt: middle.ExpiresAt.Add(time.Millisecond), Name: "anna", ID: 0},
				{Name: "anna", ID: unknownID},
				{ExpiresAt: fixture.Time("9999-12-31T23:59:59.999Z"), Name: "\U0010ffff", ID: unknownID},
			} {
				for _, prefix := range []string{"", "a"} {
					q := ports.LineQuery{Username: prefix, After: after, Limit: limit}
					w.listsLines(p, q)
					q.ExpiresAfter, q.ExpiresBefore = ptr(noon), ptr(noon.Add(2*time.Millisecond))
					w.listsLines(p, q)
					q = ports.LineQuery{Username: prefix, After: after, Limit: limit}
					q.Scope = ports.Scope{Reseller: p.resellers[0].ID, Tree: true}
					w.listsLines(p, q)
				}
			}
		}
	}},
	{"line-lists-follow-changes", proves{"L7"}, func(w *harness) {
		p := w.population()
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
		for _, scope := range []ports.Scope{{}, {Reseller: p.resellers[0].ID, Tree: true}, {Reseller: p.resellers[0].ID}} {
			for _, prefix := range []string{"", "a", "re"} {
				for _, is := range eitherWay {
					for _, q := range []ports.LineQuery{{Trial: is}, {Suspended: is},
						{Trial: is, ExpiresAfter: ptr(noon.Add(time.Hour))}, {Trial: is, ExpiresBefore: ptr(noon)}} {
						q.Scope, q.Username, q.Limit = scope, prefix, 5
						w.listsLines(p, q)
					}
				}
			}
		}
	}},
	{"long-line-lists-end", proves{"L8"}, func(w *harness) {
		root := w.admin("root")
		owner, other := w.master(root, "owner", 0), w.master(root, "other", 0)
		var all []*line.Line
		for i := range manyRecords {
			own := other
			if i%700 == 699 {
				own = owner
			}
			all = append(all, fixture.ChangedLine(newTrial(own, w.id(ports.LineIDs), fmt.Sprintf("Many.%04d", i)),
				func(s *line.State) {
					s.ExpiresAt = noon.Add(time.Duration(i*7%5) * time.Millisecond)
					if i/5%5 == 3 {
						s.Trial, s.PlatformID, s.Charge = false, 1, 1
					}
					s.Suspended = i%9 > 4
				}))
		}
		storeAll(w, all, insertsLine)
		p := population{lines: mapped(all, (*line.Line).State)}
		tree, sold, suspended := ports.Scope{Reseller: root.ID(), Tree: true}, ptr(false), ptr(true)
		own, others := ports.Scope{Reseller: owner.ID()}, ports.Scope{Reseller: other.ID()}
		for _, q := range []ports.LineQuery{
			{Limit: 500},
			{Scope: tree, Username: "many.", Limit: 400},
			{Scope: tree, Trial: sold, Limit: 250},
			{Trial: sold, Limit: 60},
			{Scope: own, Username: "many.", Limit: 1},
			{Scope: tree, ExpiresAfter: ptr(noon.Add(4 * time.Millisecond)), Limit: 300},
			{Scope: tree, Username: "many.1", ExpiresBefore: ptr(noon.Add(time.Millisecond)), Limit: 10},
			{Scope: others, Trial: sold, Limit: 100},
			{Scope: tree, Trial: sold, Username: "many.", ExpiresBefore: ptr(noon), Limit: 10},
			{Username: "nobody", Limit: 10},
			{Suspended: suspended, Limit: 300},
			{Scope: own, Suspended: suspended, Limit: 1},
			{Scope: others, Suspended: suspended, Trial: sold, Username: "many.", Limit: 40},
		} {
			w.listsLines(p, q)
		}
		// One in five is selected, in each order: as with accounts.
		for i := range 5 {
			w.listsLines(p, ports.LineQuery{Scope: tree, Trial: sold, After: positionOf(p.lines[5*i]), Limit: 250})
		}
	}},
	{"line-pages-show-each-once", proves{"L9"}, func(w *harness) {
		p := w.population()
		for _, q := range []ports.LineQuery{
			{Limit: 3},
			{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Limit: 2},
			{Username: "a", Limit: 2},
			{Trial: ptr(true), ExpiresAfter: ptr(noon), Limit: 2},
		} {
			for _, q.Order = range ports.LineOrders() {
				w.pagesBesideChanges(&p, q)
			}
		}
	}},
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
// page ends with is deleted, another one ahead is, and lines are added everywhere.
func (w *harness) pagesBesideChanges(p *population, q ports.LineQuery) {
	owner, throughout := restored(p.resellers[0]), map[int64]bool{}
	ahead := slices.DeleteFunc(slices.Clone(p.lines), func(s line.State) bool { return !selectsLine(q, s) })
	for _, s := range ahead {
		throughout[s.ID] = true
	}
	slices.SortFunc(ahead, func(a, b line.State) int { return compareCursors(q, cursorOf(q, a), cursorOf(q, b)) })
	remove := func(id int64) {
		w.deleteLine(id)
		p.lines = slices.DeleteFunc(p.lines, func(s line.State) bool { return s.ID == id })
	}
	showsEachOnce(w, q, linePage, (*line.Line).ID, throughout,
		func(pages int, shown []*line.Line, next ports.LineQuery) {
			if pages >= 3 {
				return
			}
			if len(shown) > 0 {
				remove(shown[len(shown)-1].ID())
			}
			// The next one goes before it was seen.
			gone := slices.IndexFunc(ahead, func(s line.State) bool {
				return compareCursors(q, cursorOf(q, s), next.After) > 0
			})
			if gone >= 0 {
				delete(throughout, ahead[gone].ID)
				remove(ahead[gone].ID)
				ahead = slices.Delete(ahead, gone, gone+1)
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
		first, before, beside := w.lookBeside(do, look)
		w.same(beside, before, "the same lists once more in one view")
		w.numbered(c, true)
		after := seen(w, look)
		w.same(after["lists"], c.after()["lists"], "lists in a later view")
		if gocmp.Equal(after, first, same) {
			w.Errorf("a later view shows nothing of an update")
		}
	}},
}

// lookBeside looks twice in one view, and has an update begin in between. A store whose updates wait for views is right
// as well. It returns what was seen in the first run of the view, and what was seen first and then in the last one.
func (w *harness) lookBeside(do work, look func(ctx context.Context, s ports.Snapshot) (observation, error)) (
	first, before, beside observation) {
	looked, written := make(chan struct{}), make(chan error, 1)
	go func() {
		<-looked
		written <- w.try(do)
	}()
	meanwhile := sync.OnceFunc(func() {
		first = before
		close(looked)
	})
	w.Cleanup(meanwhile)
	var ended bool
	var wrote error
	w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
		if before, err = look(ctx, s); err != nil {
			return err
		}
		meanwhile()
		if !ended {
			ended, wrote = soon(written)
		}
		beside, err = look(ctx, s)
		return err
	})
	if !ended {
		wrote = outcome(w, written, "an update beside a view")
	}
	w.must(wrote, "an update beside a view")
	return first, before, beside
}

// manyRecords is more than a store examines for one page.
const manyRecords = 2_800

// population is what lists select from, in the order of ids.
type population struct {
	resellers []reseller.State
	lines     []line.State
}

// Names of which some are the start of others, and that hold whatever a pattern
// language takes for more than it is.
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

// eitherWay are what a query can ask of trials, or of suspended lines: nil for nothing.
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

// deleteLines deletes the lines at some places.
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

// scopes returns every scope that there is, and one of nobody.
func (p population) scopes() []ports.Scope {
	scopes := []ports.Scope{{}, {Tree: true}, {Reseller: unknownID}, {Reseller: unknownID, Tree: true}}
	for _, s := range p.resellers {
		scopes = append(scopes, ports.Scope{Reseller: s.ID}, ports.Scope{Reseller: s.ID, Tree: true})
	}
	return scopes
}

// someScopes returns scopes that are worth to be combined: a root's, one in the
// middle and a leaf's.
func (p population) someScopes() []ports.Scope {
	scopes := []ports.Scope{{}}
	for _, i := range []int{0, 3, len(p.resellers) - 1} {
		id := p.resellers[i].ID
		scopes = append(scopes, ports.Scope{Reseller: id}, ports.Scope{Reseller: id, Tree: true})
	}
	return scopes
}

// windows are worth to be combined.
func (population) windows() [][2]*time.Time {
	at := bounds()
	return [][2]*time.Time{{nil, nil}, {at[2], nil}, {nil, at[3]}, {at[2], at[4]}}
}

// combined lists trials and others, from the beginning and from the middle.
func (p population) combined(list func(q ports.LineQuery)) {
	for _, after := range []ports.LineCursor{{}, positionOf(p.lines[9])} {
		for _, trial := range eitherWay {
			list(ports.LineQuery{Trial: trial, After: after, Limit: 2})
		}
	}
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

// positionOf returns where a line stands in each order.
func positionOf(s line.State) ports.LineCursor {
	return ports.LineCursor{ExpiresAt: s.ExpiresAt, Name: s.Username.Key(), ID: s.ID}
}

// inOrder returns what counts of a cursor in the order of a query.
func inOrder(q ports.LineQuery, c ports.LineCursor) ports.LineCursor {
	if !q.Order.ByExpiry() {
		c.ExpiresAt = time.Time{}
	}
	if q.Order != ports.LinesByName {
		c.Name = ""
	}
	return c
}

// compareCursors compares positions in the order of a query, of which the zero value is before all others.
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
	id func(R) int64, throughout map[int64]bool, between func(pages int, shown []R, next Q),
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
			between(pages, shown, *next)
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

// listsResellers fails unless the pages of a query hold what it selects of the
// population.
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

// describe prints a query with what its pointers point to.
func describe(q ports.LineQuery) string {
	text := fmt.Sprintf("lines of %+v, prefix %q, external id %q, after %+v, limit %d, order %d", q.Scope, q.Username,
		q.ExternalID, q.After, q.Limit, q.Order)
	for name, is := range map[string]*bool{"trial": q.Trial, "suspended": q.Suspended} {
		if is != nil {
			text += fmt.Sprintf(", %s %t", name, *is)
		}
	}
	for name, at := range map[string]*time.Time{"from": q.ExpiresAfter, "before": q.ExpiresBefore} {
		if at != nil {
			text += fmt.Sprintf(", %s %s", name, at)
		}
	}
	return text
}
