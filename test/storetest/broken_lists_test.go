package storetest

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// filtering leaves out of the sound page of a wider query what a rule does not
// select: such pages are short.
func filtering(rule func(q ports.ResellerQuery, s reseller.State) bool,
	widen func(q *ports.ResellerQuery)) func(c *call) error {
	return func(c *call) error {
		q := valueOf[ports.ResellerQuery](c)
		asked := *q
		widen(q)
		err := c.sound()
		page := valueOf[ports.ResellerPage](c)
		page.Resellers = slices.DeleteFunc(page.Resellers, func(r *reseller.Reseller) bool { return !rule(asked, r.State()) })
		return err
	}
}

func filteringLines(rule func(q ports.LineQuery, s line.State) bool,
	widen func(q *ports.LineQuery)) func(c *call) error {
	return func(c *call) error {
		q := valueOf[ports.LineQuery](c)
		asked := *q
		widen(q)
		err := c.sound()
		page := valueOf[ports.LinePage](c)
		page.Lines = slices.DeleteFunc(page.Lines, func(l *line.Line) bool { return !rule(asked, l.State()) })
		return err
	}
}

// wrongPrefixes are what careless stores take a prefix of a name for: whether a
// name, as compared and as shown, is selected.
var wrongPrefixes = map[string]func(prefix, key, shown string) bool{
	"ignores the prefix of a name":      func(string, string, string) bool { return true },
	"finds a prefix anywhere in a name": func(prefix, key, _ string) bool { return strings.Contains(key, prefix) },
	"finds whole names only":            func(prefix, key, _ string) bool { return prefix == "" || key == prefix },
	"never finds the whole name": func(prefix, key, _ string) bool {
		return strings.HasPrefix(key, prefix) && (prefix == "" || key != prefix)
	},
	"compares prefixes with shown names": func(prefix, _, shown string) bool { return strings.HasPrefix(shown, prefix) },
	"compares prefixes in any case": func(prefix, key, _ string) bool {
		return strings.HasPrefix(key, strings.ToLower(prefix))
	},
	"takes a prefix for a LIKE pattern": matching(strings.NewReplacer("%", ".*", "_", ".")),
	"takes a prefix for a GLOB pattern": matching(strings.NewReplacer(`\*`, ".*", `\?`, ".", `\[`, "[", `\]`, "]")),
	"drops accents":                     folding(strings.NewReplacer("é", "e", "ÿ", "y", "ā", "a", "ç", "c")),
	"takes ß for ss":                    folding(strings.NewReplacer("ß", "ss")),
	"compares the first bytes only": func(prefix, key, _ string) bool {
		return strings.HasPrefix(key, prefix[:min(len(prefix), 200)])
	},
	"compares 16 bits of a character": folding(strings.NewReplacer("𐐩", "𐐨")),
	"stops where the last letter grows": func(prefix, key, _ string) bool {
		return strings.HasPrefix(key, prefix) && !strings.HasPrefix(key, "ÿ")
	},
	"ends the range of a prefix too late": func(prefix, key, _ string) bool {
		return key >= prefix && key <= grown(prefix)
	},
}

// grown returns a prefix with its last byte one larger.
func grown(prefix string) string {
	if prefix == "" {
		return "\xff"
	}
	return prefix[:len(prefix)-1] + string([]byte{prefix[len(prefix)-1] + 1})
}

// matching compares by a pattern that wildcards are made of, after quoting.
func matching(wildcards *strings.Replacer) func(prefix, key, shown string) bool {
	return func(prefix, key, _ string) bool {
		pattern, err := regexp.Compile("^" + wildcards.Replace(regexp.QuoteMeta(prefix)))
		return err == nil && pattern.MatchString(key)
	}
}

func folding(fold *strings.Replacer) func(prefix, key, shown string) bool {
	return func(prefix, key, _ string) bool { return strings.HasPrefix(fold.Replace(key), fold.Replace(prefix)) }
}

// remembered is a store whose lists of lines are made of what mix makes of the lines that were ever inserted, as they
// were then and whatever became of the update, and of those that are stored.
func remembered(mix func(inserted map[int64]line.State, stored []line.State) []line.State) func(full) full {
	return func(sound full) full {
		var mu sync.Mutex
		inserted := map[int64]line.State{}
		return meddling(func(c *call) error {
			switch c.method {
			case lineInsert:
				err := c.sound()
				mu.Lock()
				defer mu.Unlock()
				if s := (*valueOf[*line.Line](c)).State(); err == nil && inserted[s.ID].ID == 0 {
					inserted[s.ID] = s
				}
				return err
			case lineList:
				q := *valueOf[ports.LineQuery](c)
				*valueOf[ports.LineQuery](c) = ports.LineQuery{Limit: 100_000}
				err := c.sound()
				mu.Lock()
				defer mu.Unlock()
				page := valueOf[ports.LinePage](c)
				states := slices.DeleteFunc(mix(inserted, mapped(page.Lines, (*line.Line).State)), func(s line.State) bool {
					return !selectsLine(q, s) || compareCursors(q, cursorOf(q, s), inOrder(q, q.After)) <= 0
				})
				slices.SortFunc(states, func(a, b line.State) int { return compareCursors(q, cursorOf(q, a), cursorOf(q, b)) })
				*page = ports.LinePage{}
				if len(states) > q.Limit {
					states = states[:q.Limit]
					page.Next = ptr(cursorOf(q, states[q.Limit-1]))
				}
				page.Lines = mapped(states, restoredLine)
				return err
			}
			return c.sound()
		})(sound)
	}
}

// stale lists the stored lines with what change takes over from how they were inserted.
func stale(change func(inserted line.State, stored *line.State)) func(inserted map[int64]line.State,
	stored []line.State) []line.State {
	return func(inserted map[int64]line.State, stored []line.State) []line.State {
		for i := range stored {
			change(inserted[stored[i].ID], &stored[i])
		}
		return stored
	}
}

// gone lists besides what is stored what is not, or not any more, where lists says so.
func gone(lists func(s line.State) bool) func(inserted map[int64]line.State, stored []line.State) []line.State {
	return func(inserted map[int64]line.State, stored []line.State) []line.State {
		for _, s := range inserted {
			if lists(s) && !slices.ContainsFunc(stored, func(other line.State) bool { return other.ID == s.ID }) {
				stored = append(stored, s)
			}
		}
		return stored
	}
}

func brokenLists() (all []broken) {
	type (
		queries = map[string]func(q *ports.ResellerQuery)
		lines   = map[string]func(q *ports.LineQuery)
	)
	asking := func(queries queries, checks ...string) {
		for how, change := range queries {
			all = append(all, ways{how: asks(change)}.of(resellerList, checks...)...)
		}
	}
	askingLines := func(queries lines, checks ...string) {
		for how, change := range queries {
			all = append(all, ways{how: asks(change)}.of(lineList, checks...)...)
		}
	}
	resellers := func(w ways, checks ...string) { all = append(all, w.of(resellerList, checks...)...) }
	ofLines := func(w ways, checks ...string) { all = append(all, w.of(lineList, checks...)...) }

	const (
		resellerScopes, resellerFilters, resellerPages, longResellers = "account-lists-select-by-scope",
			"account-lists-combine-filters", "account-lists-are-cut-into-pages", "long-account-lists-end"
		lineScopes, lineFilters, linePages, longLines = "line-lists-select-by-scope",
			"line-lists-combine-filters", "line-lists-are-cut-into-pages", "long-line-lists-end"
		windows = "line-lists-select-windows"
	)

	// Scopes and filters.
	scopes := map[string]func(s *ports.Scope){
		"ignores the scope":         func(s *ports.Scope) { *s = ports.Scope{} },
		"takes a tree for its root": func(s *ports.Scope) { s.Tree = false },
		"takes one for its tree":    func(s *ports.Scope) { s.Tree = true },
	}
	for how, change := range scopes {
		asking(queries{how: func(q *ports.ResellerQuery) { change(&q.Scope) }}, resellerScopes, resellerFilters)
		askingLines(lines{how: func(q *ports.LineQuery) { change(&q.Scope) }}, lineScopes, lineFilters)
	}
	for how, shows := range map[string]func(scope ports.Scope, path []int64) bool{
		"leaves the root out of its tree": func(scope ports.Scope, path []int64) bool {
			return path[len(path)-1] != scope.Reseller
		},
		"compares the digits of ids": func(scope ports.Scope, path []int64) bool {
			return scope.Reseller == 0 || strings.Contains("/"+digits(path), "/"+digits([]int64{scope.Reseller}))
		},
		"keeps six levels of a tree": func(scope ports.Scope, path []int64) bool {
			return len(path)-1-slices.Index(path, scope.Reseller) < 7
		},
		"finds nothing in the tree of none": func(scope ports.Scope, _ []int64) bool { return scope.Reseller != 0 },
	} {
		widen := func(s *ports.Scope) {
			if s.Tree && how == "compares the digits of ids" {
				*s = ports.Scope{}
			}
		}
		resellers(ways{how: filtering(func(q ports.ResellerQuery, s reseller.State) bool {
			return !q.Scope.Tree || shows(q.Scope, s.Path())
		},
			func(q *ports.ResellerQuery) { widen(&q.Scope) })}, resellerScopes)
		ofLines(ways{how: filteringLines(func(q ports.LineQuery, s line.State) bool {
			return !q.Scope.Tree || shows(q.Scope, s.Owner.Path())
		},
			func(q *ports.LineQuery) { widen(&q.Scope) })}, lineScopes)
	}
	asking(queries{
		"ignores the master": func(q *ports.ResellerQuery) { q.Master = 0 },
		"takes the master for a tree": func(q *ports.ResellerQuery) {
			if q.Master != 0 {
				q.Scope, q.Master = ports.Scope{Reseller: q.Master, Tree: true}, 0
			}
		},
	}, "account-lists-select-right-below", resellerFilters)
	asking(queries{"looks at the master and not at the scope": func(q *ports.ResellerQuery) {
		if q.Master != 0 {
			q.Scope = ports.Scope{}
		}
	}}, resellerFilters)
	named := func(q *ports.ResellerQuery, change func()) {
		if q.Username != "" {
			change()
		}
	}
	asking(queries{
		"looks at the name and not at the scope": func(q *ports.ResellerQuery) {
			named(q, func() { q.Scope = ports.Scope{} })
		},
		"looks at the name and not at the master": func(q *ports.ResellerQuery) { named(q, func() { q.Master = 0 }) },
	}, resellerFilters, longResellers)
	asking(queries{"begins names again on every page": func(q *ports.ResellerQuery) { named(q, func() { q.After = 0 }) }},
		resellerPages)
	for how, selects := range wrongPrefixes {
		rule := func(prefix string, name profile.Username) bool { return selects(prefix, name.Key(), name.String()) }
		resellers(ways{how: filtering(func(q ports.ResellerQuery, s reseller.State) bool {
			return rule(q.Username, s.Username)
		},
			func(q *ports.ResellerQuery) { q.Username = "" })}, "account-lists-select-by-prefix")
		ofLines(ways{how: filteringLines(func(q ports.LineQuery, s line.State) bool { return rule(q.Username, s.Username) },
			func(q *ports.LineQuery) { q.Username = "" })}, "line-lists-select-by-prefix")
	}
	askingLines(lines{
		"lists trials and official lines alike": func(q *ports.LineQuery) { q.Trial = nil },
		"takes official lines for trials": func(q *ports.LineQuery) {
			if q.Trial != nil {
				q.Trial = ptr(!*q.Trial)
			}
		},
	}, "line-lists-select-trials", lineFilters)
	askingLines(lines{"lists official lines where both are asked for": func(q *ports.LineQuery) {
		if q.Trial == nil {
			q.Trial = ptr(false)
		}
	}}, "line-lists-select-trials")
	namedLine := func(q *ports.LineQuery, change func()) {
		if q.Username != "" {
			change()
		}
	}
	askingLines(lines{
		"knows no windows with names": func(q *ports.LineQuery) {
			namedLine(q, func() { q.ExpiresAfter, q.ExpiresBefore = nil, nil })
		},
		"looks at the name and not at the scope": func(q *ports.LineQuery) {
			namedLine(q, func() { q.Scope = ports.Scope{} })
		},
	}, lineFilters, longLines)
	askingLines(lines{"looks at the name and not at trials": func(q *ports.LineQuery) {
		namedLine(q, func() { q.Trial = nil })
	}}, lineFilters)
	askingLines(lines{"begins names again on every page": func(q *ports.LineQuery) {
		namedLine(q, func() { q.After = ports.LineCursor{} })
	}}, linePages)

	// External ids.
	ofLines(ways{
		"takes an external id for the start of one": filteringLines(func(q ports.LineQuery, s line.State) bool {
			return strings.HasPrefix(s.ExternalID.String(), q.ExternalID)
		},
			func(q *ports.LineQuery) { q.ExternalID = "" }),
	}, "line-lists-select-by-external-id")
	askingLines(lines{
		"knows no external ids": func(q *ports.LineQuery) { q.ExternalID = "" },
		"lists by external id whatever the scope": func(q *ports.LineQuery) {
			if q.ExternalID != "" {
				q.Scope = ports.Scope{}
			}
		},
	}, "line-lists-select-by-external-id")

	// Suspended lines.
	const suspendedLines = "line-lists-select-suspended"
	askingLines(lines{
		"lists suspended lines and others alike": func(q *ports.LineQuery) { q.Suspended = nil },
		"takes suspended lines for others": func(q *ports.LineQuery) {
			if q.Suspended != nil {
				q.Suspended = ptr(!*q.Suspended)
			}
		},
		"lists suspended lines only where they are asked for": func(q *ports.LineQuery) {
			if q.Suspended == nil {
				q.Suspended = ptr(false)
			}
		},
		"lists suspended lines whatever the scope": func(q *ports.LineQuery) {
			if q.Suspended != nil && *q.Suspended {
				q.Scope = ports.Scope{}
			}
		},
		"looks at suspended lines and not at names": func(q *ports.LineQuery) {
			if q.Suspended != nil && *q.Suspended {
				q.Username = ""
			}
		},
		"looks at suspended lines and not at trials": func(q *ports.LineQuery) {
			if q.Suspended != nil {
				q.Trial = nil
			}
		},
		"looks at suspended lines and not at external ids": func(q *ports.LineQuery) {
			if q.Suspended != nil {
				q.ExternalID = ""
			}
		},
		"knows no windows with suspended lines": func(q *ports.LineQuery) {
			if q.Suspended != nil {
				q.ExpiresAfter, q.ExpiresBefore = nil, nil
			}
		},
		"begins suspended lines again on every page": func(q *ports.LineQuery) {
			if q.Suspended != nil {
				q.After = ports.LineCursor{}
			}
		},
	}, suspendedLines)

	// Windows of expiry.
	askingLines(lines{
		"ignores where a window begins": func(q *ports.LineQuery) { q.ExpiresAfter = nil },
		"ignores where a window ends":   func(q *ports.LineQuery) { q.ExpiresBefore = nil },
	}, windows, lineFilters)
	for how, bound := range map[string]func(q *ports.LineQuery) **time.Time{
		"begins a window": func(q *ports.LineQuery) **time.Time { return &q.ExpiresAfter },
		"ends a window":   func(q *ports.LineQuery) **time.Time { return &q.ExpiresBefore },
	} {
		for shifted, by := range map[string]time.Duration{" a millisecond late": time.Millisecond,
			" a millisecond early": -time.Millisecond} {
			for _, inOrderOfIDs := range []bool{false, true} {
				askingLines(
					lines{how + shifted + map[bool]string{true: ", in the order of ids"}[inOrderOfIDs]: func(q *ports.LineQuery) {
						if at := bound(q); *at != nil && (!inOrderOfIDs || !q.Order.ByExpiry()) {
							*at = ptr((*at).Add(by))
						}
					}}, windows)
			}
		}
	}
	askingLines(lines{
		"begins windows with whole seconds": func(q *ports.LineQuery) {
			if q.ExpiresAfter != nil {
				q.ExpiresAfter = ptr(q.ExpiresAfter.Truncate(time.Second))
			}
		},
		"knows no windows in the order of ids": func(q *ports.LineQuery) {
			if !q.Order.ByExpiry() {
				q.ExpiresAfter, q.ExpiresBefore = nil, nil
			}
		},
	}, windows)
	askingLines(lines{
		"lists by id always":     func(q *ports.LineQuery) { q.Order = ports.LinesByID },
		"lists by expiry always": func(q *ports.LineQuery) { q.Order = ports.LinesByExpiry },
	}, windows, linePages)
	ordered := func(order ports.LineOrder) func(change func(q *ports.LineQuery)) func(q *ports.LineQuery) {
		return func(change func(q *ports.LineQuery)) func(q *ports.LineQuery) {
			return func(q *ports.LineQuery) {
				if q.Order == order {
					change(q)
				}
			}
		}
	}
	newest := ordered(ports.NewestLines)
	askingLines(lines{
		"lists the newest last":                    newest(func(q *ports.LineQuery) { q.Order = ports.LinesByID }),
		"begins with the newest on every page":     newest(func(q *ports.LineQuery) { q.After = ports.LineCursor{} }),
		"shows what a cursor names again":          newest(func(q *ports.LineQuery) { q.After.ID += min(q.After.ID, 1) }),
		"leaves out the one before what was shown": newest(func(q *ports.LineQuery) { q.After.ID -= min(q.After.ID, 1) }),
	}, linePages)
	askingLines(lines{"knows no filters from the newest on": newest(func(q *ports.LineQuery) {
		q.Username, q.Trial = "", nil
	})}, lineFilters)
	askingLines(lines{"knows no windows from the newest on": newest(func(q *ports.LineQuery) {
		q.ExpiresAfter, q.ExpiresBefore = nil, nil
	})}, windows, lineFilters)

	latest := ordered(ports.LatestExpiry)
	askingLines(lines{
		"lists the latest expiry last": latest(func(q *ports.LineQuery) { q.Order = ports.LinesByExpiry }),
		"lists the newest for the latest expiry": latest(func(q *ports.LineQuery) {
			q.Order, q.After.ExpiresAt = ports.NewestLines, time.Time{}
		}),
		"begins with the latest expiry on every page": latest(func(q *ports.LineQuery) { q.After = ports.LineCursor{} }),
		"begins where a window ends on every page": latest(func(q *ports.LineQuery) {
			if q.ExpiresBefore != nil {
				q.After = ports.LineCursor{}
			}
		}),
		"shows what a latest cursor names again": latest(func(q *ports.LineQuery) {
			q.After.ID += min(q.After.ID, 1)
		}),
		"shows all that expire with a latest cursor again": latest(func(q *ports.LineQuery) {
			q.After.ID = min(q.After.ID, 1) * math.MaxInt64
		}),
		"leaves out all that expire with a latest cursor": latest(func(q *ports.LineQuery) { q.After.ID = 0 }),
	}, linePages)
	askingLines(lines{"knows no filters from the latest expiry on": latest(func(q *ports.LineQuery) {
		q.Username, q.Trial = "", nil
	})}, lineFilters)
	askingLines(lines{"knows no windows from the latest expiry on": latest(func(q *ports.LineQuery) {
		q.ExpiresAfter, q.ExpiresBefore = nil, nil
	})}, windows, lineFilters)
	ofLines(ways{"lists the lowest id of an instant first": func(c *call) error {
		err := c.sound()
		if valueOf[ports.LineQuery](c).Order == ports.LatestExpiry {
			slices.SortFunc(valueOf[ports.LinePage](c).Lines, func(a, b *line.Line) int {
				return cmp.Or(b.ExpiresAt().Compare(a.ExpiresAt()), cmp.Compare(a.ID(), b.ID()))
			})
		}
		return err
	}}, windows, linePages)

	byName := ordered(ports.LinesByName)
	askingLines(lines{
		"lists by id in place of by name": byName(func(q *ports.LineQuery) {
			q.Order, q.After.Name = ports.LinesByID, ""
		}),
		"begins with the first name every time": byName(func(q *ports.LineQuery) { q.After = ports.LineCursor{} }),
		"begins with the prefix every time": byName(func(q *ports.LineQuery) {
			if q.Username != "" {
				q.After = ports.LineCursor{}
			}
		}),
		"shows the name of a cursor again": byName(func(q *ports.LineQuery) { q.After.ID = 0 }),
		"goes on after all names that begin with a cursor's": byName(func(q *ports.LineQuery) {
			q.After.Name += strings.Repeat("\U0010ffff", min(len(q.After.Name), 1))
		}),
	}, linePages)
	askingLines(lines{"knows no filters by name": byName(func(q *ports.LineQuery) { q.Username, q.Trial = "", nil })},
		lineFilters)
	askingLines(lines{"knows no windows by name": byName(func(q *ports.LineQuery) {
		q.ExpiresAfter, q.ExpiresBefore = nil, nil
	})}, windows, lineFilters)
	ofLines(ways{"orders names as they are shown": func(c *call) error {
		err := c.sound()
		if valueOf[ports.LineQuery](c).Order == ports.LinesByName {
			slices.SortFunc(valueOf[ports.LinePage](c).Lines, func(a, b *line.Line) int {
				return strings.Compare(a.State().Username.String(), b.State().Username.String())
			})
		}
		return err
	}}, linePages)

	// Order and pages.
	asking(queries{
		"lists one too many":                         func(q *ports.ResellerQuery) { q.Limit++ },
		"starts each page with the last one's end":   func(q *ports.ResellerQuery) { q.After = max(q.After-1, 0) },
		"starts every page of accounts at the start": func(q *ports.ResellerQuery) { q.After = 0 },
	}, resellerPages)
	askingLines(lines{
		"lists one too many":                      func(q *ports.LineQuery) { q.Limit++ },
		"starts every page of lines at the start": func(q *ports.LineQuery) { q.After = ports.LineCursor{} },
		"begins a window where it begins on every page": func(q *ports.LineQuery) {
			if q.Order == ports.LinesByExpiry && q.ExpiresAfter != nil {
				q.After = ports.LineCursor{}
			}
		},
		"forgets the id of a cursor": func(q *ports.LineQuery) {
			if q.Order == ports.LinesByExpiry {
				q.After.ID = 0
			}
		},
	}, linePages)
	askingLines(lines{"goes on after all lines of an instant": func(q *ports.LineQuery) {
		if q.Order == ports.LinesByExpiry && q.After.ID != 0 {
			q.After.ID = math.MaxInt64
		}
	}}, linePages, longLines)
	resellers(ways{
		"lists backwards": answers(func(page *ports.ResellerPage) { slices.Reverse(page.Resellers) }),
		"lists by name": answers(func(page *ports.ResellerPage) {
			slices.SortFunc(page.Resellers, func(a, b *reseller.Reseller) int {
				return strings.Compare(a.State().Username.Key(), b.State().Username.Key())
			})
		}),
		"never ends": answers(func(page *ports.ResellerPage) {
			if page.Next == 0 {
				page.Next = math.MaxInt64
			}
		}),
	}, resellerPages)
	ofLines(ways{
		"lists backwards": answers(func(page *ports.LinePage) { slices.Reverse(page.Lines) }),
		"never ends": func(c *call) error {
			err := c.sound()
			if page := valueOf[ports.LinePage](c); page.Next == nil {
				page.Next = &valueOf[ports.LineQuery](c).After
			}
			return err
		},
		"compares the parts of a cursor each for itself": filteringLines(func(q ports.LineQuery, s line.State) bool {
			return q.Order != ports.LinesByExpiry || s.ID > q.After.ID && !s.ExpiresAt.Before(q.After.ExpiresAt)
		}, func(*ports.LineQuery) {}),
	}, linePages)
	resellers(ways{
		"ends with the first page": answers(func(page *ports.ResellerPage) { page.Next = 0 }),
		"skips one between pages": answers(func(page *ports.ResellerPage) {
			if page.Next != 0 {
				page.Next++
			}
		}),
	}, resellerPages, longResellers)
	ofLines(ways{
		"ends with the first page": answers(func(page *ports.LinePage) { page.Next = nil }),
		"skips one between pages": answers(func(page *ports.LinePage) {
			if page.Next != nil {
				page.Next.ID++
			}
		}),
	}, linePages, longLines)
	// What a short page ends with is not in it: the one after it is where the next page may begin one too late.
	resellers(ways{
		"ends with a short page": func(c *call) error {
			err := c.sound()
			if page := valueOf[ports.ResellerPage](c); len(page.Resellers) < valueOf[ports.ResellerQuery](c).Limit {
				page.Next = 0
			}
			return err
		},
		"leaves out the one after a short page": func(c *call) error {
			err := c.sound()
			q, page := *valueOf[ports.ResellerQuery](c), *valueOf[ports.ResellerPage](c)
			if err != nil || page.Next == 0 || len(page.Resellers) == q.Limit {
				return err
			}
			*valueOf[ports.ResellerQuery](c) = ports.ResellerQuery{Scope: q.Scope, Master: q.Master, After: page.Next, Limit: 1}
			err = c.sound()
			for _, r := range valueOf[ports.ResellerPage](c).Resellers {
				page.Next = r.ID()
			}
			*valueOf[ports.ResellerPage](c) = page
			return err
		},
	}, longResellers)
	ofLines(ways{
		"ends with a short page": func(c *call) error {
			err := c.sound()
			if page := valueOf[ports.LinePage](c); len(page.Lines) < valueOf[ports.LineQuery](c).Limit {
				page.Next = nil
			}
			return err
		},
		"leaves out the one after a short page": func(c *call) error {
			err := c.sound()
			q, page := *valueOf[ports.LineQuery](c), *valueOf[ports.LinePage](c)
			if err != nil || page.Next == nil || len(page.Lines) == q.Limit {
				return err
			}
			*valueOf[ports.LineQuery](c) = ports.LineQuery{Scope: q.Scope, Order: q.Order, After: *page.Next, Limit: 1}
			err = c.sound()
			for _, l := range valueOf[ports.LinePage](c).Lines {
				page.Next = ptr(cursorOf(q, l.State()))
			}
			*valueOf[ports.LinePage](c) = page
			return err
		},
	}, longLines)
	resellers(ways{"shows the newest first": func(c *call) error {
		q := *valueOf[ports.ResellerQuery](c)
		valueOf[ports.ResellerQuery](c).After, valueOf[ports.ResellerQuery](c).Limit = 0, 100_000
		err := c.sound()
		page := valueOf[ports.ResellerPage](c)
		slices.Reverse(page.Resellers)
		page.Resellers = slices.DeleteFunc(page.Resellers, func(r *reseller.Reseller) bool {
			return q.After != 0 && r.ID() >= q.After
		})
		if len(page.Resellers) > q.Limit {
			page.Resellers = page.Resellers[:q.Limit]
			page.Next = page.Resellers[q.Limit-1].ID()
		}
		return err
	}}, resellerPages, "account-pages-show-each-once")
	ofLines(ways{
		"counts what it has shown": func(c *call) error {
			q := *valueOf[ports.LineQuery](c)
			if q.Order.ByExpiry() {
				return c.sound()
			}
			valueOf[ports.LineQuery](c).After, valueOf[ports.LineQuery](c).Limit = ports.LineCursor{}, 100_000
			err := c.sound()
			from := 0
			if q.After.ID != 0 { // beside the id, where nobody looks
				from = q.After.ExpiresAt.Nanosecond()
			}
			page := valueOf[ports.LinePage](c)
			page.Lines = page.Lines[min(from, len(page.Lines)):]
			if len(page.Lines) > q.Limit {
				page.Lines = page.Lines[:q.Limit]
				page.Next = &ports.LineCursor{ID: page.Lines[q.Limit-1].ID(), ExpiresAt: time.Unix(0, int64(from+q.Limit))}
			}
			return err
		},
		"looks for the line that a cursor names": func(c *call) error {
			q := *valueOf[ports.LineQuery](c)
			*valueOf[ports.LineQuery](c) = ports.LineQuery{Limit: 100_000}
			err := c.sound()
			found := slices.Contains(mapped(valueOf[ports.LinePage](c).Lines, (*line.Line).ID), q.After.ID)
			*valueOf[ports.LineQuery](c), *valueOf[ports.LinePage](c) = q, ports.LinePage{}
			if err != nil || q.After.ID != 0 && !found {
				return err
			}
			return c.sound()
		},
	}, "line-pages-show-each-once")

	// What is listed follows what is stored.
	const follow = "line-lists-follow-changes"
	all = append(all,
		broken{how: "lists lines that were deleted", caught: caughtBy(follow, "update-takes-effect"),
			sabotage: remembered(gone(func(line.State) bool { return true }))},
		broken{how: "lists lines before they are committed",
			caught:   caughtBy("nobody-sees-uncommitted-writes", "error-keeps-nothing"),
			sabotage: remembered(gone(func(s line.State) bool { return s.Username.String() == "Added" }))},
		broken{how: "leaves lines where they expired at first", caught: caughtBy(follow, "update-takes-effect"),
			sabotage: remembered(stale(func(inserted line.State, stored *line.State) {
				stored.ExpiresAt = inserted.ExpiresAt
			}))},
		broken{how: "finds lines by their first names", caught: caughtBy(follow),
			sabotage: remembered(stale(func(inserted line.State, stored *line.State) { stored.Username = inserted.Username }))},
		broken{how: "leaves lines where their first names stood", caught: caughtBy(follow), sabotage: func(sound full) full {
			var first sync.Map // of ids to keys
			return meddling(func(c *call) error {
				switch c.method {
				case lineInsert:
					s := (*valueOf[*line.Line](c)).State()
					first.Store(s.ID, s.Username.Key())
				case lineList:
					q := *valueOf[ports.LineQuery](c)
					if q.Order != ports.LinesByName {
						break
					}
					at := func(l *line.Line) ports.LineCursor {
						key, _ := first.Load(l.ID())
						return ports.LineCursor{Name: key.(string), ID: l.ID()}
					}
					all := valueOf[ports.LineQuery](c)
					all.Order, all.After, all.Limit = ports.LinesByID, ports.LineCursor{}, 100_000
					err := c.sound()
					page := valueOf[ports.LinePage](c)
					page.Lines = slices.DeleteFunc(page.Lines, func(l *line.Line) bool {
						return compareCursors(q, at(l), q.After) <= 0
					})
					slices.SortFunc(page.Lines, func(a, b *line.Line) int { return compareCursors(q, at(a), at(b)) })
					if len(page.Lines) > q.Limit {
						page.Lines = page.Lines[:q.Limit]
						page.Next = ptr(at(page.Lines[q.Limit-1]))
					}
					return err
				}
				return c.sound()
			})(sound)
		}},
		broken{how: "takes activated lines for trials", caught: caughtBy(follow),
			sabotage: remembered(stale(func(inserted line.State, stored *line.State) {
				stored.Trial, stored.PlatformID, stored.Charge = inserted.Trial, inserted.PlatformID, inserted.Charge
			}))},
		broken{how: "leaves lines suspended as they were at first", caught: caughtBy(follow),
			sabotage: remembered(stale(func(inserted line.State, stored *line.State) {
				stored.Suspension = inserted.Suspension
			}))},
		broken{how: "finds accounts by their first names", caught: caughtBy("account-lists-follow-renames"),
			sabotage: func(sound full) full {
				var first sync.Map // of ids to keys
				return meddling(func(c *call) error {
					switch c.method {
					case resellerInsert:
						r := *valueOf[*reseller.Reseller](c)
						first.Store(r.ID(), r.State().Username.Key())
					case resellerList:
						return filtering(func(q ports.ResellerQuery, s reseller.State) bool {
							key, _ := first.Load(s.ID)
							return strings.HasPrefix(key.(string), q.Username)
						}, func(q *ports.ResellerQuery) { q.Username = "" })(c)
					}
					return c.sound()
				})(sound)
			}})
	for _, method := range []string{resellerList, viewBlocked, viewSuspending, viewAnySuspending, lineList, viewLineByName,
		viewStatement, viewTotals} {
		all = append(all, ways{"reads what is newest": func(c *call) error { return c.newest() }}.of(method,
			"lists-are-of-one-snapshot")...)
	}
	return all
}

// digits writes ids as a path in which the end of an id is not marked.
func digits(ids []int64) string {
	return strings.Join(mapped(ids, func(id int64) string { return strconv.FormatInt(id, 10) }), "/")
}
