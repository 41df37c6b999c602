package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

var resellerListChecks = []Check{
	{
		"account-lists-select-by-scope", proves{"R7"},
		func(w *harness) {
			p := w.population()
			for _, scope := range p.scopes() {
				w.listsResellers(p, ports.ResellerQuery{Scope: scope, Limit: 500})
			}
		},
	},
	{
		"account-lists-select-right-below", proves{"R8"},
		func(w *harness) {
			p := w.population()
			for _, master := range p.resellers {
				w.listsResellers(p, ports.ResellerQuery{Master: master.ID, Limit: 500})
			}
			w.listsResellers(p, ports.ResellerQuery{Master: unknownID, Limit: 500})
		},
	},
	{
		"account-lists-select-by-prefix", proves{"R9"},
		func(w *harness) {
			p := w.population()
			for _, prefix := range prefixes {
				w.listsResellers(p, ports.ResellerQuery{Username: prefix, Limit: 500})
			}
		},
	},
	{
		"account-lists-combine-filters", proves{"R10"},
		func(w *harness) {
			p := w.population()
			for _, scope := range p.someScopes() {
				for _, prefix := range []string{"", "a", "anna", "中", "nobody"} {
					for _, master := range []int64{0, p.resellers[0].ID, p.resellers[2].ID, p.resellers[3].ID, p.resellers[len(p.resellers)-1].ID} {
						w.listsResellers(p, ports.ResellerQuery{Scope: scope, Master: master, Username: prefix, Limit: 4})
					}
				}
			}
		},
	},
	{
		"account-lists-are-cut-into-pages", proves{"R10"},
		func(w *harness) {
			p := w.population()
			n := len(p.resellers)
			for _, limit := range []int{1, 2, 3, n - 1, n, n + 1, 500} {
				for _, after := range []int64{0, 1, p.resellers[0].ID, p.resellers[n/2].ID, p.resellers[n-1].ID, unknownID} {
					for _, prefix := range []string{"", "a"} {
						w.listsResellers(p, ports.ResellerQuery{Username: prefix, After: after, Limit: limit})
						w.listsResellers(p, ports.ResellerQuery{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Username: prefix, After: after, Limit: limit})
					}
				}
			}
		},
	},
	{
		"account-lists-follow-renames", proves{"R9"},
		func(w *harness) {
			p := w.population()
			for i := range p.resellers {
				if i%2 == 0 {
					p.resellers[i].Username = name(fmt.Sprintf("renamed%d", i))
					w.saveReseller(p.resellers[i])
				}
			}
			for _, prefix := range []string{"", "a", "anna", "r", "renamed1"} {
				w.listsResellers(p, ports.ResellerQuery{Username: prefix, Limit: 7})
			}
		},
	},
	{
		"long-account-lists-end", proves{"R11"},
		func(w *harness) {
			root := w.admin("root")
			other := w.master(root, "other", 0)
			p := population{resellers: []reseller.State{root.State(), other.State()}}
			var all []*reseller.Reseller
			for i := range manyRecords {
				above, group := other, "Many"
				if i%2 == 1 {
					above = root
					if i%700 != 699 {
						group = "Lots"
					}
				}
				a, err := below(above, w.id(ports.ResellerIDs), fmt.Sprintf("%s.%04d", group, i))
				w.must(err, "create an account")
				all = append(all, a)
			}
			w.insertResellers(all)
			p.resellers = append(p.resellers, resellerStates(all)...)
			for _, q := range []ports.ResellerQuery{
				{Limit: 500},
				{Username: "many.", Limit: 400},
				{Username: "many.", Master: root.ID(), Limit: 1},
				{Username: "many.", Master: root.ID(), Limit: 50},
				{Username: "lots.", Master: root.ID(), Limit: 500},
				{Username: "lots.", Master: other.ID(), Limit: 10},
				{Username: "many.", Scope: ports.Scope{Reseller: other.ID(), Tree: true}, Limit: 500},
				{Username: "lots.", Scope: ports.Scope{Reseller: other.ID(), Tree: true}, Limit: 10},
				{Username: "many.", Scope: ports.Scope{Reseller: root.ID()}, Limit: 10},
				{Username: "many.1", Master: root.ID(), Limit: 10},
				{Username: "nobody", Limit: 10},
			} {
				w.listsResellers(p, q)
			}
		},
	},
	{
		"account-pages-show-each-once", proves{"R12"},
		func(w *harness) {
			p := w.population()
			for _, q := range []ports.ResellerQuery{
				{Limit: 3},
				{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Limit: 2},
				{Master: p.resellers[0].ID, Limit: 1},
				{Username: "a", Limit: 2},
			} {
				var throughout []int64
				for _, s := range p.resellers {
					if selectsReseller(q, s) {
						throughout = append(throughout, s.ID)
					}
				}
				top := restored(newRoot(p.resellers[0].ID), func(s *reseller.State) { *s = p.resellers[0] })
				seen := map[int64]int{}
				for pages := 0; ; pages++ {
					var page ports.ResellerPage
					w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
						page, err = s.Resellers.List(ctx, q)
						return err
					})
					w.must(checkResellerPage(q, page), "a page of accounts")
					for _, a := range page.Resellers {
						seen[a.ID()]++
					}
					if q.After = page.Next; q.After == 0 {
						break
					}
					w.bounded(pages)
					// One that was shown matches no more, and one is added that does.
					if pages < 2 && q.Username != "" && len(page.Resellers) > 0 {
						left := page.Resellers[0].State()
						left.Username = name(fmt.Sprintf("left.%d", left.ID))
						w.saveReseller(left)
					}
					if pages < 5 {
						p.resellers = append(p.resellers, w.master(top, fmt.Sprintf("added.%d", len(p.resellers)), 0).State())
					}
				}
				for _, id := range throughout {
					if seen[id] != 1 {
						w.Errorf("account %d matches %+v throughout and was shown %d times", id, q, seen[id])
					}
				}
			}
		},
	},
}

var lineListChecks = []Check{
	{
		"line-lists-select-by-scope", proves{"L3"},
		func(w *harness) {
			p := w.population()
			for _, scope := range p.scopes() {
				w.listsLines(p, ports.LineQuery{Scope: scope, Limit: 500})
			}
		},
	},
	{
		"line-lists-select-trials", proves{"L4"},
		func(w *harness) {
			p := w.population()
			for _, trial := range []*bool{nil, ptr(true), ptr(false)} {
				w.listsLines(p, ports.LineQuery{Trial: trial, Limit: 500})
			}
		},
	},
	{
		"line-lists-select-windows", proves{"L5"},
		func(w *harness) {
			p := w.population()
			for _, from := range bounds() {
				for _, before := range bounds() {
					w.listsLines(p, ports.LineQuery{ExpiresAfter: from, ExpiresBefore: before, Limit: 500})
				}
			}
		},
	},
	{
		"line-lists-select-by-prefix", proves{"L6"},
		func(w *harness) {
			p := w.population()
			for _, prefix := range prefixes {
				w.listsLines(p, ports.LineQuery{Username: prefix, Limit: 500})
			}
		},
	},
	{
		"line-lists-combine-filters", proves{"L7"},
		func(w *harness) {
			p := w.population()
			at := bounds()
			for _, scope := range p.someScopes() {
				for _, trial := range []*bool{nil, ptr(true), ptr(false)} {
					for _, prefix := range []string{"", "a", "anna", "nobody"} {
						for _, window := range [][2]*time.Time{{nil, nil}, {at[2], nil}, {nil, at[3]}, {at[2], at[4]}} {
							w.listsLines(p, ports.LineQuery{Scope: scope, Trial: trial, ExpiresAfter: window[0], ExpiresBefore: window[1], Username: prefix, Limit: 4})
						}
					}
				}
			}
		},
	},
	{
		"line-lists-are-cut-into-pages", proves{"L7"},
		func(w *harness) {
			p := w.population()
			n := len(p.lines)
			middle, gone := p.lines[n/2], p.lines[n/3]
			w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, gone.ID) })
			p.lines = slices.Delete(p.lines, n/3, n/3+1)
			for _, limit := range []int{1, 2, 3, n - 2, n - 1, n, 500} {
				for _, after := range []ports.LineCursor{
					{},
					{ExpiresAt: middle.ExpiresAt, ID: middle.ID},
					{ExpiresAt: gone.ExpiresAt, ID: gone.ID},
					{ExpiresAt: middle.ExpiresAt.Add(time.Millisecond)},
					{ExpiresAt: at("9999-12-31T23:59:59.999Z"), ID: unknownID},
				} {
					for _, prefix := range []string{"", "a"} {
						q := ports.LineQuery{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Username: prefix, After: after, Limit: limit}
						w.listsLines(p, q)
						q.Scope = ports.Scope{}
						w.listsLines(p, q)
						q.ExpiresAfter, q.ExpiresBefore = ptr(noon), ptr(noon.Add(2*time.Millisecond))
						w.listsLines(p, q)
					}
				}
			}
		},
	},
	{
		"line-lists-follow-changes", proves{"L7"},
		func(w *harness) {
			p := w.population()
			for i := range p.lines {
				s := &p.lines[i]
				switch i % 5 {
				case 0: // to the end of the order, to its start, and back
					for _, expires := range []time.Time{at("2036-06-01T00:00:00Z"), at("2001-06-01T00:00:00Z"), s.ExpiresAt.Add(time.Hour)} {
						s.ExpiresAt = expires
						w.saveLine(*s)
					}
				case 1:
					s.Username = name(fmt.Sprintf("renamed%d", i))
					w.saveLine(*s)
				case 2:
					s.Trial, s.PlatformID, s.Charge = !s.Trial, 1-min(s.PlatformID, 1), 1-min(s.Charge, 1)
					w.saveLine(*s)
				case 3:
					w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, s.ID) })
				}
			}
			for i := len(p.lines) - 1; i >= 0; i-- {
				if i%5 == 3 {
					p.lines = slices.Delete(p.lines, i, i+1)
				}
			}
			for _, scope := range []ports.Scope{{}, {Reseller: p.resellers[0].ID, Tree: true}, {Reseller: p.resellers[0].ID}} {
				for _, prefix := range []string{"", "a", "re"} {
					for _, trial := range []*bool{nil, ptr(true), ptr(false)} {
						w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Trial: trial, Limit: 5})
						w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Trial: trial, ExpiresAfter: ptr(noon.Add(time.Hour)), Limit: 5})
						w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Trial: trial, ExpiresBefore: ptr(noon), Limit: 5})
					}
				}
			}
		},
	},
	{
		"long-line-lists-end", proves{"L8"},
		func(w *harness) {
			root := w.admin("root")
			owner, other := w.master(root, "owner", 0), w.master(root, "other", 0)
			var all []*line.Line
			for i := range manyRecords {
				own := other
				if i%700 == 699 {
					own = owner
				}
				all = append(all, restoredLine(newTrial(own, w.id(ports.LineIDs), fmt.Sprintf("Many.%04d", i)), func(s *line.State) {
					s.ExpiresAt = noon.Add(time.Duration(i*7%5) * time.Millisecond)
					if i%900 == 899 {
						s.Trial, s.PlatformID, s.Charge = false, 1, 1
					}
				}))
			}
			w.insertLines(all)
			p := population{lines: lineStates(all)}
			tree := ports.Scope{Reseller: root.ID(), Tree: true}
			for _, q := range []ports.LineQuery{
				{Limit: 500},
				{Scope: tree, Username: "many.", Limit: 400},
				{Scope: tree, Trial: ptr(false), Limit: 50},
				{Trial: ptr(false), Limit: 1},
				{Scope: ports.Scope{Reseller: owner.ID()}, Username: "many.", Limit: 1},
				{Scope: tree, ExpiresAfter: ptr(noon.Add(4 * time.Millisecond)), Limit: 300},
				{Scope: tree, Username: "many.1", ExpiresBefore: ptr(noon.Add(time.Millisecond)), Limit: 10},
				{Scope: ports.Scope{Reseller: other.ID()}, Trial: ptr(false), Limit: 10},
				{Scope: tree, Trial: ptr(false), Username: "many.", ExpiresBefore: ptr(noon), Limit: 10},
				{Username: "nobody", Limit: 10},
			} {
				w.listsLines(p, q)
			}
		},
	},
	{
		"line-pages-show-each-once", proves{"L9"},
		func(w *harness) {
			p := w.population()
			owner := restored(newRoot(p.resellers[0].ID), func(s *reseller.State) { *s = p.resellers[0] })
			for _, q := range []ports.LineQuery{
				{Limit: 3},
				{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Limit: 2},
				{Username: "a", Limit: 2},
				{Trial: ptr(true), ExpiresAfter: ptr(noon), Limit: 2},
			} {
				for _, q.ByExpiry = range []bool{false, true} {
					w.pagesBesideChanges(&p, owner, q)
				}
			}
		},
	},
}

// pagesBesideChanges goes through the pages of a query while the line that each
// page ends with is deleted, another one ahead is, and lines are added everywhere.
func (w *harness) pagesBesideChanges(p *population, owner *reseller.Reseller, q ports.LineQuery) {
	w.Helper()
	throughout := map[int64]bool{}
	var ahead []line.State
	for _, s := range p.lines {
		if selectsLine(q, s) {
			throughout[s.ID] = true
			ahead = append(ahead, s)
		}
	}
	slices.SortFunc(ahead, func(a, b line.State) int { return compareCursors(cursorOf(q, a), cursorOf(q, b)) })
	remove := func(id int64) {
		w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, id) })
		p.lines = slices.DeleteFunc(p.lines, func(s line.State) bool { return s.ID == id })
	}
	seen := map[int64]int{}
	for pages := 0; ; pages++ {
		var page ports.LinePage
		w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
			page, err = s.Lines.List(ctx, q)
			return err
		})
		w.must(checkLinePage(q, page), "a page of lines")
		for _, l := range page.Lines {
			seen[l.ID()]++
		}
		if page.Next == nil {
			break
		}
		q.After = *page.Next
		w.bounded(pages)
		if pages >= 3 {
			continue
		}
		if n := len(page.Lines); n > 0 {
			remove(page.Lines[n-1].ID())
		}
		// The next one goes before it was seen.
		next := slices.IndexFunc(ahead, func(s line.State) bool { return compareCursors(cursorOf(q, s), q.After) > 0 })
		if next >= 0 {
			delete(throughout, ahead[next].ID)
			remove(ahead[next].ID)
			ahead = slices.Delete(ahead, next, next+1)
		}
		for _, expires := range instants {
			id := w.id(ports.LineIDs)
			added := restoredLine(newTrial(owner, id, fmt.Sprintf("added.%d", id)), func(s *line.State) { s.ExpiresAt = expires })
			w.insertLines([]*line.Line{added})
			p.lines = append(p.lines, added.State())
		}
	}
	for id := range throughout {
		if seen[id] != 1 {
			w.Errorf("line %d matches %s throughout and was shown %d times", id, describe(q), seen[id])
		}
	}
}

var snapshotChecks = []Check{
	{
		"lists-are-of-one-snapshot", proves{"V1"},
		func(w *harness) {
			c := w.prepare()
			payer := c.savedWas.ID()
			type all struct {
				Observation observation
				Totals      credit.Totals
				Blocked     []int64
			}
			look := func(ctx context.Context, s ports.Snapshot) (a all, err error) {
				if err = c.look(&a.Observation)(ctx, s); err != nil {
					return a, err
				}
				if a.Totals, err = s.Ledger.Totals(ctx); err != nil {
					return a, err
				}
				a.Blocked, err = s.Resellers.Blocked(ctx, []int64{payer})
				return a, err
			}
			block := func(ctx context.Context, tx ports.Tx) error {
				if err := c.write(ctx, tx); err != nil {
					return err
				}
				got, err := tx.Resellers.Get(ctx, payer)
				if err != nil {
					return err
				}
				return tx.Resellers.Save(ctx, restored(got, func(s *reseller.State) { s.Blocked = true }))
			}
			looked, written := make(chan struct{}), make(chan error, 1)
			go func() {
				<-looked
				written <- w.try(block)
			}()
			meanwhile := sync.OnceFunc(func() { close(looked) })
			w.Cleanup(meanwhile)
			var before, beside, after all
			var ended bool
			var wrote error
			w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
				if before, err = look(ctx, s); err != nil {
					return err
				}
				// A store whose updates wait for views is right as well.
				meanwhile()
				ended, wrote = soon(written)
				beside, err = look(ctx, s)
				return err
			})
			if !ended {
				wrote = outcome(w, written, "an update beside a view")
			}
			w.must(wrote, "an update beside a view")
			w.same(beside, before, "the same lists once more in one view")
			w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
				after, err = look(ctx, s)
				return err
			})
			w.same(after.Observation.Listed, c.after().Listed, "lists in a later view")
			if gocmp.Equal(after, before, same) {
				w.Errorf("a later view shows nothing of an update")
			}
		},
	},
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
	"", "a", "an", "ann", "anna", "anna_", "anna_b", "anna%", "anna*", "anna[", "anna?", "anna\\", "anna.", "anna-", "anna.bell", "anna.bella",
	"ANNA", "Anna", "A", "straß", "strass", "stras", "s", "é", "É", "éa", "e", "ç", "c", "ÿ", "z", "z~", "~", "𐐨", "𐐀", strings.Repeat("𐐩", profile.MaxUsername),
	"中", "中文", "文", "0", "00", "nna", "%", "%%", "_", "[", "[a-z]", "*", "?", "nobody",
}

// instants are when listed lines expire: each several of them, the orders of ids
// and of expiry differ, and neighbours are a millisecond apart.
var instants = []time.Time{
	noon.Add(time.Millisecond), at("2036-02-29T23:59:59.999Z"), noon, at("1969-12-31T23:59:59.999Z"), noon.Add(-time.Millisecond),
}

// bounds are ends of windows, nil for none.
func bounds() []*time.Time {
	return []*time.Time{
		nil, ptr(noon.Add(-time.Millisecond)), ptr(noon), ptr(noon.Add(time.Millisecond)), ptr(noon.Add(2 * time.Millisecond)),
		ptr(at("1969-12-31T23:59:59.999Z")), ptr(at("2036-02-29T23:59:59.999Z")),
	}
}

func ptr[V any](v V) *V { return &v }

// population stores two trees, one of them as deep as a tree may be, and lines of
// everybody.
func (w *harness) population() population {
	w.Helper()
	var resellers []*reseller.Reseller
	var lines []*line.Line
	for i, listed := range listedNames {
		id := w.id(ports.ResellerIDs)
		if i < 2 {
			resellers = append(resellers, restored(newRoot(id), func(s *reseller.State) { s.Username = name(listed) }))
			continue
		}
		var above *reseller.Reseller
		switch {
		case i == 2:
			above = resellers[0]
		case i < 2+reseller.MaxDepth: // a chain below the first root
			above = resellers[i-1]
		default: // and everywhere, so that the digits of some ids start those of others
			above = resellers[i%(1+reseller.MaxDepth)]
		}
		a, err := below(above, id, listed)
		w.must(err, "create an account")
		resellers = append(resellers, a)
	}
	for i, listed := range listedNames {
		owner := resellers[i*3%len(resellers)]
		lines = append(lines, restoredLine(newTrial(owner, w.id(ports.LineIDs), listed), func(s *line.State) {
			s.ExpiresAt = instants[i%len(instants)]
			if i%3 == 0 {
				s.Trial, s.PlatformID, s.Charge = false, int64(i)+1, int64(i)+1
			}
		}))
	}
	w.insertResellers(resellers)
	w.insertLines(lines)
	return population{resellerStates(resellers), lineStates(lines)}
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
	root, middle, leaf := p.resellers[0].ID, p.resellers[3].ID, p.resellers[len(p.resellers)-1].ID
	return []ports.Scope{{}, {Reseller: root}, {Reseller: root, Tree: true}, {Reseller: middle}, {Reseller: middle, Tree: true}, {Reseller: leaf}, {Reseller: leaf, Tree: true}}
}

// batch is how many records a check inserts in one update.
const batch = 400

func (w *harness) insertResellers(all []*reseller.Reseller) {
	w.Helper()
	for some := range slices.Chunk(all, batch) {
		w.update("insert accounts", func(ctx context.Context, tx ports.Tx) error {
			for _, a := range some {
				if err := tx.Resellers.Insert(ctx, a); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func (w *harness) insertLines(all []*line.Line) {
	w.Helper()
	for some := range slices.Chunk(all, batch) {
		w.update("insert lines", func(ctx context.Context, tx ports.Tx) error {
			for _, l := range some {
				if err := tx.Lines.Insert(ctx, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func within(scope ports.Scope, p reseller.Position) bool {
	return scope.Reseller == 0 || p.ID == scope.Reseller || scope.Tree && p.Under(scope.Reseller)
}

// selectsReseller reports whether a query selects the reseller, wherever its page
// begins.
func selectsReseller(q ports.ResellerQuery, s reseller.State) bool {
	return within(q.Scope, s.Position) && (q.Master == 0 || s.Parent() == q.Master) && strings.HasPrefix(s.Username.Key(), q.Username)
}

func selectsLine(q ports.LineQuery, s line.State) bool {
	return within(q.Scope, s.Owner) &&
		(q.Trial == nil || *q.Trial == s.Trial) &&
		(q.ExpiresAfter == nil || !s.ExpiresAt.Before(*q.ExpiresAfter)) &&
		(q.ExpiresBefore == nil || s.ExpiresAt.Before(*q.ExpiresBefore)) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

// cursorOf returns the line's position in the order of a query.
func cursorOf(q ports.LineQuery, s line.State) ports.LineCursor {
	return inOrder(q, ports.LineCursor{ExpiresAt: s.ExpiresAt, ID: s.ID})
}

// inOrder returns what counts of a cursor in the order of a query.
func inOrder(q ports.LineQuery, c ports.LineCursor) ports.LineCursor {
	if !q.ByExpiry {
		c.ExpiresAt = time.Time{}
	}
	return c
}

func compareCursors(a, b ports.LineCursor) int {
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.ID, b.ID))
}

// mostPages turns pages without an end into a failure.
const mostPages = 3 * manyRecords

func (w *harness) bounded(pages int) {
	w.Helper()
	if pages > mostPages {
		w.Fatalf("after %d pages there is still a next one", pages)
	}
}

func checkResellerPage(q ports.ResellerQuery, page ports.ResellerPage) error {
	ids, last := resellerIDs(page.Resellers), q.After
	if len(ids) > q.Limit {
		return fmt.Errorf("a page of %d with limit %d: %v", len(ids), q.Limit, ids)
	}
	for _, id := range ids {
		if id <= last {
			return fmt.Errorf("account %d is shown after %d: %v", id, last, ids)
		}
		last = id
	}
	if page.Next != 0 && (page.Next < last || page.Next == q.After) {
		return fmt.Errorf("the page after %d, %v, is followed by the one after %d", q.After, ids, page.Next)
	}
	return nil
}

func checkLinePage(q ports.LineQuery, page ports.LinePage) error {
	last := inOrder(q, q.After)
	if len(page.Lines) > q.Limit {
		return fmt.Errorf("a page of %d with limit %d: %v", len(page.Lines), q.Limit, lineIDs(page.Lines))
	}
	for _, l := range page.Lines {
		c := cursorOf(q, l.State())
		if compareCursors(c, last) <= 0 {
			return fmt.Errorf("line %d, expiring at %s, is shown after %d, %s: %v", c.ID, c.ExpiresAt, last.ID, last.ExpiresAt, lineIDs(page.Lines))
		}
		last = c
	}
	if page.Next != nil {
		next := inOrder(q, *page.Next)
		if compareCursors(next, last) < 0 || next == inOrder(q, q.After) {
			return fmt.Errorf("the page after %+v, %v, is followed by the one after %+v", q.After, lineIDs(page.Lines), *page.Next)
		}
	}
	return nil
}

// listResellers goes through all pages of a query.
func listResellers(ctx context.Context, d ports.ResellerDirectory, q ports.ResellerQuery) (all []*reseller.Reseller, err error) {
	for range mostPages {
		page, err := d.List(ctx, q)
		if err == nil {
			err = checkResellerPage(q, page)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, page.Resellers...)
		if q.After = page.Next; q.After == 0 {
			return all, nil
		}
	}
	return nil, fmt.Errorf("after %d pages there is still a next one", mostPages)
}

// listLines goes through all pages of a query.
func listLines(ctx context.Context, d ports.LineDirectory, q ports.LineQuery) (all []*line.Line, err error) {
	for range mostPages {
		page, err := d.List(ctx, q)
		if err == nil {
			err = checkLinePage(q, page)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, page.Lines...)
		if page.Next == nil {
			return all, nil
		}
		q.After = *page.Next
	}
	return nil, fmt.Errorf("after %d pages there is still a next one", mostPages)
}

// listsResellers fails unless the pages of a query hold what it selects of the
// population.
func (w *harness) listsResellers(p population, q ports.ResellerQuery) {
	w.Helper()
	var want []int64
	for _, s := range p.resellers {
		if selectsReseller(q, s) && s.ID > q.After {
			want = append(want, s.ID)
		}
	}
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		got, err := listResellers(ctx, s.Resellers, q)
		if err != nil {
			return fmt.Errorf("%+v: %w", q, err)
		}
		if ids := resellerIDs(got); !slices.Equal(ids, want) {
			w.Errorf("%+v: got accounts %v, want %v", q, ids, want)
		}
		return nil
	})
}

// listsLines does for lines what listsResellers does, in both orders.
func (w *harness) listsLines(p population, q ports.LineQuery) {
	w.Helper()
	for _, q.ByExpiry = range []bool{false, true} {
		var selected []ports.LineCursor
		for _, s := range p.lines {
			if c := cursorOf(q, s); selectsLine(q, s) && compareCursors(c, inOrder(q, q.After)) > 0 {
				selected = append(selected, c)
			}
		}
		slices.SortFunc(selected, compareCursors)
		var want []int64
		for _, c := range selected {
			want = append(want, c.ID)
		}
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			got, err := listLines(ctx, s.Lines, q)
			if err != nil {
				return fmt.Errorf("%s: %w", describe(q), err)
			}
			if ids := lineIDs(got); !slices.Equal(ids, want) {
				w.Errorf("%s: got lines %v, want %v", describe(q), ids, want)
			}
			return nil
		})
	}
}

// describe prints a query with what its pointers point to.
func describe(q ports.LineQuery) string {
	text := fmt.Sprintf("lines of %+v, prefix %q, after %+v, limit %d, by expiry %t", q.Scope, q.Username, q.After, q.Limit, q.ByExpiry)
	if q.Trial != nil {
		text += fmt.Sprintf(", trial %t", *q.Trial)
	}
	if q.ExpiresAfter != nil {
		text += fmt.Sprintf(", from %s", q.ExpiresAfter)
	}
	if q.ExpiresBefore != nil {
		text += fmt.Sprintf(", before %s", q.ExpiresBefore)
	}
	return text
}

func resellerStates(all []*reseller.Reseller) (states []reseller.State) {
	for _, a := range all {
		states = append(states, a.State())
	}
	return states
}

func lineStates(all []*line.Line) (states []line.State) {
	for _, l := range all {
		states = append(states, l.State())
	}
	return states
}

func resellerIDs(all []*reseller.Reseller) (ids []int64) {
	for _, a := range all {
		ids = append(ids, a.ID())
	}
	return ids
}

func lineIDs(all []*line.Line) (ids []int64) {
	for _, l := range all {
		ids = append(ids, l.ID())
	}
	return ids
}

func movementIDs(all []credit.Movement) (ids []int64) {
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	return ids
}

func (w *harness) saveLine(s line.State) {
	w.Helper()
	w.update("save a line", func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Lines.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		return tx.Lines.Save(ctx, restoredLine(got, func(to *line.State) { *to = s }))
	})
}
