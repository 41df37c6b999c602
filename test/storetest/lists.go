package storetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	"resellerd/test/fixture"
)

// resellerListCheck is a check of lists of accounts by queries.
func resellerListCheck(name, promise string, queries func(p population, ask func(q ports.ResellerQuery))) Check {
	return Check{name, proves{promise}, func(w *harness) {
		p := w.population()
		queries(p, func(q ports.ResellerQuery) { w.listsResellers(p, q) })
	}}
}

// lineListCheck does for lines what resellerListCheck does for accounts.
func lineListCheck(name, promise string, queries func(p population, ask func(q ports.LineQuery))) Check {
	return Check{name, proves{promise}, func(w *harness) {
		p := w.population()
		queries(p, func(q ports.LineQuery) { w.listsLines(p, q) })
	}}
}

var resellerListChecks = []Check{
	resellerListCheck("account-lists-select-by-scope", "R7", func(p population, ask func(q ports.ResellerQuery)) {
		for _, scope := range p.scopes() {
			ask(ports.ResellerQuery{Scope: scope, Limit: 500})
		}
	}),
	resellerListCheck("account-lists-select-right-below", "R8", func(p population, ask func(q ports.ResellerQuery)) {
		for _, master := range p.resellers {
			ask(ports.ResellerQuery{Master: master.ID, Limit: 500})
		}
		ask(ports.ResellerQuery{Master: unknownID, Limit: 500})
	}),
	resellerListCheck("account-lists-select-by-prefix", "R9", func(_ population, ask func(q ports.ResellerQuery)) {
		for _, prefix := range prefixes {
			ask(ports.ResellerQuery{Username: prefix, Limit: 500})
		}
	}),
	resellerListCheck("account-lists-combine-filters", "R10", func(p population, ask func(q ports.ResellerQuery)) {
		for _, scope := range p.someScopes() {
			for _, prefix := range []string{"", "a", "anna", "中", "nobody"} {
				for _, master := range []int64{0, p.resellers[0].ID, p.resellers[2].ID, p.resellers[3].ID,
					p.resellers[len(p.resellers)-1].ID} {
					ask(ports.ResellerQuery{Scope: scope, Master: master, Username: prefix, Limit: 4})
				}
			}
		}
	}),
	resellerListCheck("account-lists-are-cut-into-pages", "R10", func(p population, ask func(q ports.ResellerQuery)) {
		n := len(p.resellers)
		for _, limit := range []int{1, 2, 3, n - 1, n, n + 1, 500} {
			for _, after := range []int64{0, 1, p.resellers[0].ID, p.resellers[n/2].ID, p.resellers[n-1].ID, unknownID} {
				for _, prefix := range []string{"", "a"} {
					for _, scope := range []ports.Scope{{}, {Reseller: p.resellers[0].ID, Tree: true}} {
						ask(ports.ResellerQuery{Scope: scope, Username: prefix, After: after, Limit: limit})
					}
				}
			}
		}
	}),
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
		p := population{resellers: []reseller.State{root.State(), other.State()}}
		var all []*reseller.Reseller
		for i := range manyRecords {
			above, group := other, "Many"
			if i%2 == 1 {
				above = root
				if i%10 != 9 {
					group = "Lots"
				}
			}
			a := w.below(above, fmt.Sprintf("%s.%04d", group, i))
			all = append(all, a)
		}
		storeAll(w, all, inserts)
		p.resellers = append(p.resellers, mapped(all, (*reseller.Reseller).State)...)
		for _, q := range []ports.ResellerQuery{
			{Limit: 500},
			{Username: "many.", Limit: 400},
			{Username: "many.", Master: root.ID(), Limit: 30},
			{Username: "many.", Master: root.ID(), Limit: 250},
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
			var throughout []int64
			for _, s := range p.resellers {
				if selectsReseller(q, s) {
					throughout = append(throughout, s.ID)
				}
			}
			top := restored(p.resellers[0])
			shown := map[int64]int{}
			for pages := 0; ; pages++ {
				page := seen(w, func(ctx context.Context, s ports.Snapshot) (ports.ResellerPage, error) {
					return s.Resellers.List(ctx, q)
				})
				w.must(checkResellerPage(q, page), "a page of accounts")
				for _, a := range page.Resellers {
					shown[a.ID()]++
				}
				if q.After = page.Next; q.After == 0 {
					break
				}
				w.bounded(pages)
				// One that was shown matches no more, and one is added that does.
				if pages < 2 && q.Username != "" && len(page.Resellers) > 0 {
					left := page.Resellers[0].State()
					left.Username = fixture.Name(fmt.Sprintf("left.%d", left.ID))
					w.saves(left)
				}
				if pages < 5 {
					p.resellers = append(p.resellers, w.master(top, fmt.Sprintf("added.%d", len(p.resellers)), 0).State())
				}
			}
			for _, id := range throughout {
				if shown[id] != 1 {
					w.Errorf("account %d matches %+v throughout and was shown %d times", id, q, shown[id])
				}
			}
		}
	}},
}

var lineListChecks = []Check{
	lineListCheck("line-lists-select-by-scope", "L3", func(p population, ask func(q ports.LineQuery)) {
		for _, scope := range p.scopes() {
			ask(ports.LineQuery{Scope: scope, Limit: 500})
		}
	}),
	lineListCheck("line-lists-select-trials", "L4", func(_ population, ask func(q ports.LineQuery)) {
		for _, trial := range trialFilters {
			ask(ports.LineQuery{Trial: trial, Limit: 500})
		}
	}),
	lineListCheck("line-lists-select-windows", "L5", func(_ population, ask func(q ports.LineQuery)) {
		for _, from := range bounds() {
			for _, before := range bounds() {
				ask(ports.LineQuery{ExpiresAfter: from, ExpiresBefore: before, Limit: 500})
			}
		}
	}),
	lineListCheck("line-lists-select-by-prefix", "L6", func(_ population, ask func(q ports.LineQuery)) {
		for _, prefix := range prefixes {
			ask(ports.LineQuery{Username: prefix, Limit: 500})
		}
	}),
	lineListCheck("line-lists-select-by-external-id", "L24", func(p population, ask func(q ports.LineQuery)) {
		for _, id := range []string{"crm", "crm-4", "CRM", "cr", "nobody's"} {
			for _, scope := range p.scopes() {
				ask(ports.LineQuery{Scope: scope, ExternalID: id, Limit: 500})
			}
			for _, after := range []ports.LineCursor{{}, positionOf(p.lines[9])} {
				for _, trial := range trialFilters {
					ask(ports.LineQuery{ExternalID: id, Trial: trial, After: after, Limit: 2})
					ask(ports.LineQuery{ExternalID: id, Username: "a", Trial: trial, ExpiresBefore: ptr(noon), After: after, Limit: 2})
				}
			}
		}
	}),
	lineListCheck("line-lists-select-suspended", "L27", func(p population, ask func(q ports.LineQuery)) {
		for _, suspended := range suspendedFilters {
			for _, scope := range p.scopes() {
				ask(ports.LineQuery{Scope: scope, Suspended: suspended, Limit: 500})
			}
			for _, after := range []ports.LineCursor{{}, positionOf(p.lines[9])} {
				for _, trial := range trialFilters {
					ask(ports.LineQuery{Suspended: suspended, Trial: trial, After: after, Limit: 2})
					ask(ports.LineQuery{Suspended: suspended, Trial: trial, Username: "a", After: after, Limit: 2})
					ask(ports.LineQuery{Suspended: suspended, Trial: trial, ExternalID: "crm", After: after, Limit: 2})
					ask(ports.LineQuery{Suspended: suspended, Trial: trial, ExternalID: "nobody's", After: after, Limit: 2})
					ask(ports.LineQuery{Suspended: suspended, Trial: trial, ExpiresAfter: ptr(noon),
						ExpiresBefore: ptr(noon.Add(time.Hour)), After: after, Limit: 2})
				}
			}
		}
	}),
	lineListCheck("line-lists-combine-filters", "L7", func(p population, ask func(q ports.LineQuery)) {
		at := bounds()
		for _, scope := range p.someScopes() {
			for _, trial := range trialFilters {
				for _, prefix := range []string{"", "a", "anna", "nobody"} {
					for _, window := range [][2]*time.Time{{nil, nil}, {at[2], nil}, {nil, at[3]}, {at[2], at[4]}} {
						ask(ports.LineQuery{Scope: scope, Trial: trial, ExpiresAfter: window[0], ExpiresBefore: window[1],
							Username: prefix, Limit: 4})
					}
				}
			}
		}
	}),
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
		backwards := slices.Clone(ids)
		slices.Reverse(backwards)
		for how, asked := range map[string][]int64{
			"none": nil, "one": ids[:1], "all": ids, "all backwards": backwards, "all, twice": slices.Concat(ids, backwards),
			"what is not there":      {0, -1, unknownID, ids[3]},
			"all, after what is not": append([]int64{0, -1, unknownID}, ids...),
		} {
			selected := maps.Clone(want)
			maps.DeleteFunc(selected, func(id int64, _ profile.Username) bool { return !slices.Contains(asked, id) })
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				got, err := s.Lines.Usernames(ctx, asked)
				w.same(got, selected, "names of lines: "+how)
				return err
			})
		}
	}},
	{"lines-are-counted", proves{"L25"}, func(w *harness) {
		p := w.population()
		n := len(p.lines)
		w.deleteLine(p.lines[n/3].ID)
		p.lines = slices.Delete(p.lines, n/3, n/3+1)
		at := bounds()
		for _, scope := range p.scopes() {
			for _, trial := range trialFilters {
				for _, suspended := range suspendedFilters {
					w.counts(p, ports.LineQuery{Scope: scope, Trial: trial, Suspended: suspended}, n)
				}
			}
		}
		for _, scope := range p.someScopes() {
			for _, trial := range trialFilters {
				for _, window := range [][2]*time.Time{{nil, nil}, {at[2], nil}, {nil, at[3]}, {at[2], at[4]}, {at[4], at[2]}} {
					for _, examined := range []int{1, 2, 5, n - 2, n - 1, n} {
						for _, suspended := range suspendedFilters {
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
		w.deleteLine(gone.ID)
		p.lines = slices.Delete(p.lines, n/3, n/3+1)
		for _, limit := range []int{1, 2, 3, n - 2, n - 1, n, 500} {
			for _, after := range []ports.LineCursor{
				{},
				positionOf(middle),
				positionOf(gone),
				{ExpiresAt: middle.ExpiresAt.Add(time.Millisecond), Name: "anna", ID: 0},
				{Name: "anna", ID: unknownID},
				{ExpiresAt: fixture.Time("9999-12-31T23:59:59.999Z"), Name: "\U0010ffff", ID: unknownID},
			} {
				for _, prefix := range []string{"", "a"} {
					q := ports.LineQuery{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Username: prefix, After: after,
						Limit: limit}
					w.listsLines(p, q)
					q.Scope = ports.Scope{}
					w.listsLines(p, q)
					q.ExpiresAfter, q.ExpiresBefore = ptr(noon), ptr(noon.Add(2*time.Millisecond))
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
				for _, expires := range []time.Time{fixture.Time("2036-06-01T00:00:00Z"), fixture.Time("2001-06-01T00:00:00Z"),
					s.ExpiresAt.Add(time.Hour)} {
					s.ExpiresAt = expires
					w.savesLine(*s)
				}
			case 1:
				s.Username = fixture.Name(fmt.Sprintf("renamed%d", i))
				w.savesLine(*s)
			case 2:
				if s.Origin == "" { // otherwise it stays official
					s.Trial, s.PlatformID, s.Charge = !s.Trial, 1-min(s.PlatformID, 1), 1-min(s.Charge, 1)
				}
				w.savesLine(*s)
			case 3:
				w.deleteLine(s.ID)
			case 4:
				s.Suspension = line.Suspension{Suspended: !s.Suspended}
				w.savesLine(*s)
			}
		}
		for i := len(p.lines) - 1; i >= 0; i-- {
			if i%5 == 3 {
				p.lines = slices.Delete(p.lines, i, i+1)
			}
		}
		for _, scope := range []ports.Scope{{}, {Reseller: p.resellers[0].ID, Tree: true}, {Reseller: p.resellers[0].ID}} {
			for _, prefix := range []string{"", "a", "re"} {
				for _, trial := range trialFilters {
					w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Trial: trial, Limit: 5})
					w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Trial: trial,
						ExpiresAfter: ptr(noon.Add(time.Hour)), Limit: 5})
					w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Trial: trial, ExpiresBefore: ptr(noon), Limit: 5})
				}
				for _, suspended := range suspendedFilters {
					w.listsLines(p, ports.LineQuery{Scope: scope, Username: prefix, Suspended: suspended, Limit: 5})
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
		tree := ports.Scope{Reseller: root.ID(), Tree: true}
		for _, q := range []ports.LineQuery{
			{Limit: 500},
			{Scope: tree, Username: "many.", Limit: 400},
			{Scope: tree, Trial: ptr(false), Limit: 250},
			{Trial: ptr(false), Limit: 60},
			{Scope: ports.Scope{Reseller: owner.ID()}, Username: "many.", Limit: 1},
			{Scope: tree, ExpiresAfter: ptr(noon.Add(4 * time.Millisecond)), Limit: 300},
			{Scope: tree, Username: "many.1", ExpiresBefore: ptr(noon.Add(time.Millisecond)), Limit: 10},
			{Scope: ports.Scope{Reseller: other.ID()}, Trial: ptr(false), Limit: 100},
			{Scope: tree, Trial: ptr(false), Username: "many.", ExpiresBefore: ptr(noon), Limit: 10},
			{Username: "nobody", Limit: 10},
			{Suspended: ptr(true), Limit: 300},
			{Scope: tree, Suspended: ptr(false), Limit: 250},
			{Scope: ports.Scope{Reseller: owner.ID()}, Suspended: ptr(true), Limit: 1},
			{Scope: ports.Scope{Reseller: other.ID()}, Suspended: ptr(true), Trial: ptr(false), Username: "many.", Limit: 40},
		} {
			w.listsLines(p, q)
		}
		// One in five is selected, in each order: as with accounts.
		for i := range 5 {
			after := p.lines[5*i]
			w.listsLines(p, ports.LineQuery{Scope: tree, Trial: ptr(false), After: positionOf(after), Limit: 250})
		}
	}},
	{"line-pages-show-each-once", proves{"L9"}, func(w *harness) {
		p := w.population()
		owner := restored(p.resellers[0])
		for _, q := range []ports.LineQuery{
			{Limit: 3},
			{Scope: ports.Scope{Reseller: p.resellers[0].ID, Tree: true}, Limit: 2},
			{Username: "a", Limit: 2},
			{Trial: ptr(true), ExpiresAfter: ptr(noon), Limit: 2},
		} {
			for _, q.Order = range ports.LineOrders() {
				w.pagesBesideChanges(&p, owner, q)
			}
		}
	}},
}

// counts fails unless lines are counted as they are listed, up to so many that are examined.
func (w *harness) counts(p population, q ports.LineQuery, examined int) {
	w.Helper()
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
		switch least, most := max(0, want-max(0, there-examined)), min(want, examined); {
		case err != nil:
		case all && (count != want || count > examined) || !all && there <= examined:
			return fmt.Errorf("%s, of %d examined: counted %d, and that is all: %t; there are %d, and %d match", describe(q),
				examined, count, all, there, want)
		case count < least || count > most:
			return fmt.Errorf("%s, of %d examined: counted %d, want from %d to %d: there are %d, and %d match", describe(q),
				examined, count, least, most, there, want)
		}
		return err
	})
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
	slices.SortFunc(ahead, func(a, b line.State) int { return compareCursors(q, cursorOf(q, a), cursorOf(q, b)) })
	remove := func(id int64) {
		w.deleteLine(id)
		p.lines = slices.DeleteFunc(p.lines, func(s line.State) bool { return s.ID == id })
	}
	shown := map[int64]int{}
	for pages := 0; ; pages++ {
		page := seen(w, func(ctx context.Context, s ports.Snapshot) (ports.LinePage, error) { return s.Lines.List(ctx, q) })
		w.must(checkLinePage(q, page), "a page of lines")
		for _, l := range page.Lines {
			shown[l.ID()]++
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
		next := slices.IndexFunc(ahead, func(s line.State) bool { return compareCursors(q, cursorOf(q, s), q.After) > 0 })
		if next >= 0 {
			delete(throughout, ahead[next].ID)
			remove(ahead[next].ID)
			ahead = slices.Delete(ahead, next, next+1)
		}
		for _, expires := range instants {
			id := w.id(ports.LineIDs)
			added := fixture.ChangedLine(newTrial(owner, id, fmt.Sprintf("added.%d", id)), func(s *line.State) {
				s.ExpiresAt = expires
			})
			w.update("insert a line", insertsLine(added))
			p.lines = append(p.lines, added.State())
		}
	}
	for id := range throughout {
		if shown[id] != 1 {
			w.Errorf("line %d matches %s throughout and was shown %d times", id, describe(q), shown[id])
		}
	}
}

var snapshotChecks = []Check{
	{"lists-are-of-one-snapshot", proves{"V1"}, func(w *harness) {
		c := w.prepare()
		payer := c.savedWas.ID()
		type all struct {
			Observation observation
			Totals      credit.Totals
			Blocked     []int64
			Suspending  []int64
			Suspends    bool
		}
		look := func(ctx context.Context, s ports.Snapshot) (a all, err error) {
			if err = c.look(&a.Observation)(ctx, s); err != nil {
				return a, err
			}
			if a.Totals, err = s.Ledger.Totals(ctx); err != nil {
				return a, err
			}
			if a.Blocked, err = s.Resellers.Blocked(ctx, []int64{payer}); err != nil {
				return a, err
			}
			if a.Suspending, err = s.Resellers.Suspending(ctx, []int64{payer}); err != nil {
				return a, err
			}
			a.Suspends, err = s.Resellers.AnySuspending(ctx)
			return a, err
		}
		block := inTurn(c.write, changes(payer, func(s *reseller.State) { s.Blocked, s.Block.Suspends = true, true }))
		looked, written := make(chan struct{}), make(chan error, 1)
		go func() {
			<-looked
			written <- w.try(block)
		}()
		var atFirst, before, beside all // atFirst in the first of several runs
		meanwhile := sync.OnceFunc(func() {
			atFirst = before
			close(looked)
		})
		w.Cleanup(meanwhile)
		var ended bool
		var wrote error
		w.view(func(ctx context.Context, s ports.Snapshot) (err error) {
			if before, err = look(ctx, s); err != nil {
				return err
			}
			// A store whose updates wait for views is right as well.
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
		w.same(beside, before, "the same lists once more in one view")
		w.numbered(c, c.after())
		after := seen(w, look)
		w.same(after.Observation.Listed, c.after().Listed, "lists in a later view")
		if gocmp.Equal(after, atFirst, same) {
			w.Errorf("a later view shows nothing of an update")
		}
	}},
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

// trialFilters are what a query can ask of trials, nil for nothing.
var trialFilters = []*bool{nil, ptr(true), ptr(false)}

// suspendedFilters are what a query can ask of suspended lines, nil for nothing.
var suspendedFilters = []*bool{nil, ptr(true), ptr(false)}

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
	w.Helper()
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
			if i%4 == 1 {
				s.Suspended = true
			}
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
	return []ports.Scope{{}, {Reseller: root}, {Reseller: root, Tree: true}, {Reseller: middle},
		{Reseller: middle, Tree: true}, {Reseller: leaf}, {Reseller: leaf, Tree: true}}
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
	if zero := (ports.LineCursor{}); (q.Order == ports.NewestLines || q.Order == ports.LatestExpiry) &&
		a != zero && b != zero {
		a, b = b, a
	}
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
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
	ids, last := mapped(page.Resellers, (*reseller.Reseller).ID), q.After
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
		return fmt.Errorf("a page of %d with limit %d: %v", len(page.Lines), q.Limit, mapped(page.Lines, (*line.Line).ID))
	}
	for _, l := range page.Lines {
		c := cursorOf(q, l.State())
		if compareCursors(q, c, last) <= 0 {
			return fmt.Errorf("line %+v is shown after %+v: %v", c, last, mapped(page.Lines, (*line.Line).ID))
		}
		last = c
	}
	if page.Next != nil {
		next := inOrder(q, *page.Next)
		if compareCursors(q, next, last) < 0 || next == inOrder(q, q.After) {
			return fmt.Errorf("the page after %+v, %v, is followed by the one after %+v", q.After,
				mapped(page.Lines, (*line.Line).ID), *page.Next)
		}
	}
	return nil
}

// listResellers goes through all pages of a query.
func listResellers(ctx context.Context, d ports.ResellerDirectory,
	q ports.ResellerQuery) (all []*reseller.Reseller, err error) {
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
		w.sameIDs(mapped(got, (*reseller.Reseller).ID), want, fmt.Sprintf("accounts of %+v", q))
		return nil
	})
}

// listsLines does for lines what listsResellers does, in each order.
func (w *harness) listsLines(p population, q ports.LineQuery) {
	w.Helper()
	for _, q.Order = range ports.LineOrders() {
		var selected []ports.LineCursor
		for _, s := range p.lines {
			if c := cursorOf(q, s); selectsLine(q, s) && compareCursors(q, c, inOrder(q, q.After)) > 0 {
				selected = append(selected, c)
			}
		}
		slices.SortFunc(selected, func(a, b ports.LineCursor) int { return compareCursors(q, a, b) })
		var want []int64
		for _, c := range selected {
			want = append(want, c.ID)
		}
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			got, err := listLines(ctx, s.Lines, q)
			if err != nil {
				return fmt.Errorf("%s: %w", describe(q), err)
			}
			w.sameIDs(mapped(got, (*line.Line).ID), want, describe(q))
			return nil
		})
	}
}

// sameIDs shows a few ids from the first that differ on.
func (w *harness) sameIDs(got, want []int64, where string) {
	w.Helper()
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
	if q.Trial != nil {
		text += fmt.Sprintf(", trial %t", *q.Trial)
	}
	if q.Suspended != nil {
		text += fmt.Sprintf(", suspended %t", *q.Suspended)
	}
	if q.ExpiresAfter != nil {
		text += fmt.Sprintf(", from %s", q.ExpiresAfter)
	}
	if q.ExpiresBefore != nil {
		text += fmt.Sprintf(", before %s", q.ExpiresBefore)
	}
	return text
}
