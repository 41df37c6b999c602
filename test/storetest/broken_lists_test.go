package storetest

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

type (
	lister[Q, P any] func(ctx context.Context, q Q) (P, error)
	// relisting makes a page in another way than the sound one.
	relisting[Q, P any] func(ctx context.Context, q Q, sound lister[Q, P]) (P, error)

	resellerLister    = lister[ports.ResellerQuery, ports.ResellerPage]
	lineLister        = lister[ports.LineQuery, ports.LinePage]
	resellerRelisting = relisting[ports.ResellerQuery, ports.ResellerPage]
	lineRelisting     = relisting[ports.LineQuery, ports.LinePage]
)

// otherwise asks another query than it was asked, and changes the page that is found;
// nil changes nothing.
func otherwise[Q, P any](ask func(q *Q), answer func(q Q, page *P)) relisting[Q, P] {
	return func(ctx context.Context, q Q, sound lister[Q, P]) (P, error) {
		asked := q
		if ask != nil {
			ask(&asked)
		}
		page, err := sound(ctx, asked)
		if answer != nil {
			answer(q, &page)
		}
		return page, err
	}
}

// listing is a directory whose lists are made in another way.
type listing struct {
	ports.ResellerDirectory
	list resellerRelisting
}

func (l listing) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	return l.list(ctx, q, l.ResellerDirectory.List)
}

type lineListing struct {
	ports.LineDirectory
	list lineRelisting
}

func (l lineListing) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	return l.list(ctx, q, l.LineDirectory.List)
}

// filtering leaves out of the sound page of a wider query what a rule does not
// select: such pages are short.
func filtering(rule func(q ports.ResellerQuery, s reseller.State) bool, widen func(q *ports.ResellerQuery)) resellerRelisting {
	return otherwise(widen, func(q ports.ResellerQuery, page *ports.ResellerPage) {
		page.Resellers = slices.DeleteFunc(page.Resellers, func(a *reseller.Reseller) bool { return !rule(q, a.State()) })
	})
}

func filteringLines(rule func(q ports.LineQuery, s line.State) bool, widen func(q *ports.LineQuery)) lineRelisting {
	return otherwise(widen, func(q ports.LineQuery, page *ports.LinePage) {
		page.Lines = slices.DeleteFunc(page.Lines, func(l *line.Line) bool { return !rule(q, l.State()) })
	})
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
	"compares prefixes in any case":      func(prefix, key, _ string) bool { return strings.HasPrefix(key, strings.ToLower(prefix)) },
	"takes a prefix for a LIKE pattern":  matching(strings.NewReplacer("%", ".*", "_", ".")),
	"takes a prefix for a GLOB pattern":  matching(strings.NewReplacer(`\*`, ".*", `\?`, ".", `\[`, "[", `\]`, "]")),
	"drops accents":                      folding(strings.NewReplacer("é", "e", "ÿ", "y", "ā", "a", "ç", "c")),
	"takes ß for ss":                     folding(strings.NewReplacer("ß", "ss")),
	"compares the first bytes only":      func(prefix, key, _ string) bool { return strings.HasPrefix(key, prefix[:min(len(prefix), 200)]) },
	"compares 16 bits of a character":    folding(strings.NewReplacer("𐐩", "𐐨")),
	"stops where the last letter grows": func(prefix, key, _ string) bool {
		return strings.HasPrefix(key, prefix) && !strings.HasPrefix(key, "ÿ")
	},
	"ends the range of a prefix too late": func(prefix, key, _ string) bool { return key >= prefix && key <= grown(prefix) },
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

// rereadingLines and the others read what is committed now, each time.
type rereadingLines struct {
	ports.LineDirectory
	store full
}

func (r rereadingLines) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	return current(ctx, r.store).Lines.List(ctx, q)
}

func (r rereading) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	return current(ctx, r.store).Resellers.List(ctx, q)
}

func (r rereading) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	return current(ctx, r.store).Resellers.Blocked(ctx, ids)
}

// telling tells of resellers that are inserted.
type telling struct {
	ports.Resellers
	tell func(*reseller.Reseller)
}

func (t telling) Insert(ctx context.Context, a *reseller.Reseller) error {
	t.tell(a)
	return t.Resellers.Insert(ctx, a)
}

// memory is what a store remembers beside its records of lines that were
// inserted, or as they were at first, whatever became of the update.
type memory struct {
	mu    sync.Mutex
	lines map[int64]line.State
}

func (m *memory) add(s line.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.lines[s.ID]; !known {
		m.lines[s.ID] = s
	}
}

func (m *memory) all() (states []line.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.lines {
		states = append(states, s)
	}
	return states
}

// remembering tells a memory of inserted lines.
type remembering struct {
	ports.Lines
	*memory
}

func (r remembering) Insert(ctx context.Context, l *line.Line) error {
	err := r.Lines.Insert(ctx, l)
	if err == nil {
		r.add(l.State())
	}
	return err
}

// fromMemory is a store whose lists of lines are made of what it remembers, with
// mix to bring in what is stored.
func fromMemory(mix func(remembered, stored []line.State) []line.State) func(full) full {
	return func(sound full) full {
		m := &memory{lines: map[int64]line.State{}}
		update := patchedTx(sound, func(tx *ports.Tx) { tx.Lines = remembering{tx.Lines, m} })
		return patchedView(update, func(s *ports.Snapshot) {
			s.Lines = lineListing{s.Lines, func(ctx context.Context, q ports.LineQuery, sound lineLister) (page ports.LinePage, err error) {
				all, err := sound(ctx, ports.LineQuery{Limit: 100_000})
				if err != nil {
					return page, err
				}
				states := slices.DeleteFunc(mix(m.all(), mapped(all.Lines, (*line.Line).State)), func(s line.State) bool {
					return !selectsLine(q, s) || compareCursors(cursorOf(q, s), inOrder(q, q.After)) <= 0
				})
				slices.SortFunc(states, func(a, b line.State) int { return compareCursors(cursorOf(q, a), cursorOf(q, b)) })
				if len(states) > q.Limit {
					states = states[:q.Limit]
					next := cursorOf(q, states[q.Limit-1])
					page.Next = &next
				}
				page.Lines = mapped(states, restoredLine)
				return page, nil
			}}
		})
	}
}

// stale returns the stored lines with what change takes over from how they were
// inserted.
func stale(change func(inserted, stored line.State) line.State) func(remembered, stored []line.State) []line.State {
	return func(remembered, stored []line.State) (mixed []line.State) {
		for _, s := range stored {
			i := slices.IndexFunc(remembered, func(r line.State) bool { return r.ID == s.ID })
			mixed = append(mixed, change(remembered[i], s))
		}
		return mixed
	}
}

func brokenLists() (all []broken) {
	resellers := func(how string, list resellerRelisting, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: by(patchedView, func(s *ports.Snapshot) { s.Resellers = listing{s.Resellers, list} })})
	}
	lines := func(how string, list lineRelisting, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: by(patchedView, func(s *ports.Snapshot) { s.Lines = lineListing{s.Lines, list} })})
	}
	asking := func(how string, change func(q *ports.ResellerQuery), checks ...string) {
		resellers(how, otherwise[ports.ResellerQuery, ports.ResellerPage](change, nil), checks...)
	}
	askingLines := func(how string, change func(q *ports.LineQuery), checks ...string) {
		lines(how, otherwise[ports.LineQuery, ports.LinePage](change, nil), checks...)
	}
	answer := func(how string, change func(q ports.ResellerQuery, page *ports.ResellerPage), checks ...string) {
		resellers(how, otherwise(nil, change), checks...)
	}
	answerLines := func(how string, change func(q ports.LineQuery, page *ports.LinePage), checks ...string) {
		lines(how, otherwise(nil, change), checks...)
	}

	const (
		resellerScopes, resellerFilters, resellerPages, longResellers = "account-lists-select-by-scope", "account-lists-combine-filters", "account-lists-are-cut-into-pages", "long-account-lists-end"
		lineScopes, lineFilters, linePages, longLines                 = "line-lists-select-by-scope", "line-lists-combine-filters", "line-lists-are-cut-into-pages", "long-line-lists-end"
		windows                                                       = "line-lists-select-windows"
	)
	asking("lists all accounts whatever the scope", func(q *ports.ResellerQuery) { q.Scope = ports.Scope{} }, resellerScopes, resellerFilters)
	asking("takes a tree of accounts for its root", func(q *ports.ResellerQuery) { q.Scope.Tree = false }, resellerScopes, resellerFilters)
	asking("takes an account for its tree", func(q *ports.ResellerQuery) { q.Scope.Tree = true }, resellerScopes, resellerFilters)
	resellers("leaves the root out of its tree of accounts", filtering(func(q ports.ResellerQuery, s reseller.State) bool {
		return !q.Scope.Tree || s.ID != q.Scope.Reseller
	}, nil), resellerScopes)
	resellers("takes accounts for a tree by the digits of ids", filtering(func(q ports.ResellerQuery, s reseller.State) bool {
		return !q.Scope.Tree || q.Scope.Reseller == 0 || strings.Contains("/"+digits(s.Path()), "/"+digits([]int64{q.Scope.Reseller}))
	}, func(q *ports.ResellerQuery) {
		if q.Scope.Tree {
			q.Scope = ports.Scope{}
		}
	}), resellerScopes)
	resellers("keeps six levels of a tree of accounts", filtering(func(q ports.ResellerQuery, s reseller.State) bool {
		return !q.Scope.Tree || len(s.Ancestors)-slices.Index(s.Path(), q.Scope.Reseller) < 7
	}, nil), resellerScopes)
	asking("finds nothing in the whole tree of nobody", func(q *ports.ResellerQuery) {
		if q.Scope == (ports.Scope{Tree: true}) {
			q.Scope.Reseller = unknownID
		}
	}, resellerScopes)
	asking("ignores the master", func(q *ports.ResellerQuery) { q.Master = 0 }, "account-lists-select-right-below", resellerFilters)
	asking("takes the master for a tree", func(q *ports.ResellerQuery) {
		if q.Master != 0 {
			q.Scope, q.Master = ports.Scope{Reseller: q.Master, Tree: true}, 0
		}
	}, "account-lists-select-right-below", resellerFilters)
	asking("looks at the master and not at the scope", func(q *ports.ResellerQuery) {
		if q.Master != 0 {
			q.Scope = ports.Scope{}
		}
	}, resellerFilters)
	asking("looks at the name and not at the scope", func(q *ports.ResellerQuery) {
		if q.Username != "" {
			q.Scope = ports.Scope{}
		}
	}, resellerFilters, longResellers)
	asking("looks at the name and not at the master", func(q *ports.ResellerQuery) {
		if q.Username != "" {
			q.Master = 0
		}
	}, resellerFilters, longResellers)
	asking("lists one account too many", func(q *ports.ResellerQuery) { q.Limit++ }, resellerPages)
	asking("starts each page of accounts with the last one's end", func(q *ports.ResellerQuery) { q.After = max(q.After-1, 0) }, resellerPages)
	asking("starts every page of accounts at the beginning", func(q *ports.ResellerQuery) { q.After = 0 }, resellerPages)
	asking("begins names anew on every page of accounts", func(q *ports.ResellerQuery) {
		if q.Username != "" {
			q.After = 0
		}
	}, resellerPages)
	answer("lists accounts backwards", func(_ ports.ResellerQuery, page *ports.ResellerPage) { slices.Reverse(page.Resellers) }, resellerPages)
	answer("lists accounts by name", func(_ ports.ResellerQuery, page *ports.ResellerPage) {
		slices.SortFunc(page.Resellers, func(a, b *reseller.Reseller) int {
			return strings.Compare(a.State().Username.Key(), b.State().Username.Key())
		})
	}, resellerPages)
	answer("ends accounts with the first page", func(_ ports.ResellerQuery, page *ports.ResellerPage) { page.Next = 0 }, resellerPages, longResellers)
	answer("ends accounts with a short page", func(q ports.ResellerQuery, page *ports.ResellerPage) {
		if len(page.Resellers) < q.Limit {
			page.Next = 0
		}
	}, longResellers)
	answer("skips an account between pages", func(_ ports.ResellerQuery, page *ports.ResellerPage) {
		if page.Next != 0 {
			page.Next++
		}
	}, resellerPages, longResellers)
	answer("never ends accounts", func(_ ports.ResellerQuery, page *ports.ResellerPage) {
		if page.Next == 0 {
			page.Next = math.MaxInt64
		}
	}, resellerPages)
	resellers("shows the newest accounts first", func(ctx context.Context, q ports.ResellerQuery, sound resellerLister) (page ports.ResellerPage, err error) {
		whole := q
		whole.After, whole.Limit = 0, 100_000
		if page, err = sound(ctx, whole); err != nil {
			return page, err
		}
		slices.Reverse(page.Resellers)
		page.Resellers = slices.DeleteFunc(page.Resellers, func(a *reseller.Reseller) bool { return q.After != 0 && a.ID() >= q.After })
		if len(page.Resellers) > q.Limit {
			page.Resellers = page.Resellers[:q.Limit]
			page.Next = page.Resellers[q.Limit-1].ID()
		}
		return page, nil
	}, resellerPages, "account-pages-show-each-once")
	all = append(all, broken{how: "pages accounts by their count", caught: caughtBy("account-pages-show-each-once"), sabotage: func(sound full) full {
		var mu sync.Mutex
		shown := map[ports.ResellerQuery]int{}
		return patchedView(sound, func(s *ports.Snapshot) {
			s.Resellers = listing{s.Resellers, func(ctx context.Context, q ports.ResellerQuery, sound resellerLister) (ports.ResellerPage, error) {
				mu.Lock()
				defer mu.Unlock()
				from := shown[q]
				whole := q
				whole.After, whole.Limit = 0, 100_000
				page, err := sound(ctx, whole)
				page.Resellers = page.Resellers[min(from, len(page.Resellers)):]
				if len(page.Resellers) > q.Limit {
					page.Resellers = page.Resellers[:q.Limit]
					page.Next = page.Resellers[q.Limit-1].ID()
					q.After = page.Next
					shown[q] = from + q.Limit
				}
				return page, err
			}}
		})
	}})

	for how, selects := range wrongPrefixes {
		resellers(how+" of an account", filtering(func(q ports.ResellerQuery, s reseller.State) bool {
			return selects(q.Username, s.Username.Key(), s.Username.String())
		}, func(q *ports.ResellerQuery) { q.Username = "" }), "account-lists-select-by-prefix")
		lines(how+" of a line", filteringLines(func(q ports.LineQuery, s line.State) bool {
			return selects(q.Username, s.Username.Key(), s.Username.String())
		}, func(q *ports.LineQuery) { q.Username = "" }), "line-lists-select-by-prefix")
	}

	askingLines("lists all lines whatever the scope", func(q *ports.LineQuery) { q.Scope = ports.Scope{} }, lineScopes, lineFilters)
	askingLines("takes a tree of lines for its root's own", func(q *ports.LineQuery) { q.Scope.Tree = false }, lineScopes, lineFilters)
	askingLines("takes an owner for its tree", func(q *ports.LineQuery) { q.Scope.Tree = true }, lineScopes, lineFilters)
	lines("leaves the root's own lines out of its tree", filteringLines(func(q ports.LineQuery, s line.State) bool {
		return !q.Scope.Tree || s.Owner.ID != q.Scope.Reseller
	}, nil), lineScopes)
	lines("takes lines for a tree by the digits of ids", filteringLines(func(q ports.LineQuery, s line.State) bool {
		return !q.Scope.Tree || q.Scope.Reseller == 0 || strings.Contains("/"+digits(s.Owner.Path()), "/"+digits([]int64{q.Scope.Reseller}))
	}, func(q *ports.LineQuery) {
		if q.Scope.Tree {
			q.Scope = ports.Scope{}
		}
	}), lineScopes)
	lines("keeps six levels of a tree of lines", filteringLines(func(q ports.LineQuery, s line.State) bool {
		return !q.Scope.Tree || len(s.Owner.Ancestors)-slices.Index(s.Owner.Path(), q.Scope.Reseller) < 7
	}, nil), lineScopes)
	askingLines("finds nothing in the whole tree of nobody", func(q *ports.LineQuery) {
		if q.Scope == (ports.Scope{Tree: true}) {
			q.Scope.Reseller = unknownID
		}
	}, lineScopes)
	askingLines("lists lines by id always", func(q *ports.LineQuery) { q.ByExpiry = false }, linePages, windows)
	askingLines("lists lines by expiry always", func(q *ports.LineQuery) { q.ByExpiry = true }, linePages, windows)
	askingLines("lists trials and official lines alike", func(q *ports.LineQuery) { q.Trial = nil }, "line-lists-select-trials", lineFilters)
	askingLines("takes official lines for trials", func(q *ports.LineQuery) {
		if q.Trial != nil {
			q.Trial = ptr(!*q.Trial)
		}
	}, "line-lists-select-trials", lineFilters)
	askingLines("lists official lines where both are asked for", func(q *ports.LineQuery) {
		if q.Trial == nil {
			q.Trial = ptr(false)
		}
	}, "line-lists-select-trials")
	askingLines("ignores where a window begins", func(q *ports.LineQuery) { q.ExpiresAfter = nil }, windows, lineFilters)
	askingLines("ignores where a window ends", func(q *ports.LineQuery) { q.ExpiresBefore = nil }, windows, lineFilters)
	shift := func(how string, by time.Duration, in func(q *ports.LineQuery) **time.Time) {
		askingLines(how, func(q *ports.LineQuery) {
			if bound := in(q); *bound != nil {
				*bound = ptr((*bound).Add(by))
			}
		}, windows)
		askingLines(how+", in the order of ids", func(q *ports.LineQuery) {
			if bound := in(q); *bound != nil && !q.ByExpiry {
				*bound = ptr((*bound).Add(by))
			}
		}, windows)
	}
	begin := func(q *ports.LineQuery) **time.Time { return &q.ExpiresAfter }
	end := func(q *ports.LineQuery) **time.Time { return &q.ExpiresBefore }
	shift("leaves the beginning out of a window", time.Millisecond, begin)
	shift("begins a window a millisecond early", -time.Millisecond, begin)
	shift("takes the end into a window", time.Millisecond, end)
	shift("ends a window a millisecond early", -time.Millisecond, end)
	askingLines("begins windows with whole seconds", func(q *ports.LineQuery) {
		if q.ExpiresAfter != nil {
			q.ExpiresAfter = ptr(q.ExpiresAfter.Truncate(time.Second))
		}
	}, windows)
	askingLines("knows no windows in the order of ids", func(q *ports.LineQuery) {
		if !q.ByExpiry {
			q.ExpiresAfter, q.ExpiresBefore = nil, nil
		}
	}, windows)
	askingLines("knows no windows with names", func(q *ports.LineQuery) {
		if q.Username != "" {
			q.ExpiresAfter, q.ExpiresBefore = nil, nil
		}
	}, lineFilters, longLines)
	askingLines("begins a window where it begins on every page", func(q *ports.LineQuery) {
		if q.ByExpiry && q.ExpiresAfter != nil {
			q.After = ports.LineCursor{}
		}
	}, linePages)
	askingLines("begins names anew on every page of lines", func(q *ports.LineQuery) {
		if q.Username != "" {
			q.After = ports.LineCursor{}
		}
	}, linePages)
	askingLines("looks at the name and not at the scope of lines", func(q *ports.LineQuery) {
		if q.Username != "" {
			q.Scope = ports.Scope{}
		}
	}, lineFilters, longLines)
	askingLines("looks at the name and not at trials", func(q *ports.LineQuery) {
		if q.Username != "" {
			q.Trial = nil
		}
	}, lineFilters)
	askingLines("lists one line too many", func(q *ports.LineQuery) { q.Limit++ }, linePages)
	askingLines("starts every page of lines at the beginning", func(q *ports.LineQuery) { q.After = ports.LineCursor{} }, linePages)
	askingLines("forgets the id of a cursor", func(q *ports.LineQuery) {
		if q.ByExpiry {
			q.After.ID = 0
		}
	}, linePages)
	askingLines("goes on after all lines of an instant", func(q *ports.LineQuery) {
		if q.ByExpiry && q.After.ID != 0 {
			q.After.ID = math.MaxInt64
		}
	}, linePages, longLines)
	lines("compares the parts of a cursor each for itself", filteringLines(func(q ports.LineQuery, s line.State) bool {
		return !q.ByExpiry || s.ID > q.After.ID && !s.ExpiresAt.Before(q.After.ExpiresAt)
	}, nil), linePages)
	answerLines("lists lines backwards", func(_ ports.LineQuery, page *ports.LinePage) { slices.Reverse(page.Lines) }, linePages)
	// What a short page ends with is not in it: the one after it is where the next page may begin one too late.
	resellers("leaves out the account after a short page", func(ctx context.Context, q ports.ResellerQuery, sound resellerLister) (ports.ResellerPage, error) {
		page, err := sound(ctx, q)
		if err != nil || page.Next == 0 || len(page.Resellers) == q.Limit {
			return page, err
		}
		after, err := sound(ctx, ports.ResellerQuery{Scope: q.Scope, Master: q.Master, After: page.Next, Limit: 1})
		for _, a := range after.Resellers {
			page.Next = a.ID()
		}
		return page, err
	}, longResellers)
	lines("leaves out the line after a short page", func(ctx context.Context, q ports.LineQuery, sound lineLister) (ports.LinePage, error) {
		page, err := sound(ctx, q)
		if err != nil || page.Next == nil || len(page.Lines) == q.Limit {
			return page, err
		}
		after, err := sound(ctx, ports.LineQuery{Scope: q.Scope, ByExpiry: q.ByExpiry, After: *page.Next, Limit: 1})
		for _, l := range after.Lines {
			page.Next = ptr(cursorOf(q, l.State()))
		}
		return page, err
	}, longLines)
	answerLines("ends lines with the first page", func(_ ports.LineQuery, page *ports.LinePage) { page.Next = nil }, linePages, longLines)
	answerLines("ends lines with a short page", func(q ports.LineQuery, page *ports.LinePage) {
		if len(page.Lines) < q.Limit {
			page.Next = nil
		}
	}, longLines)
	answerLines("skips a line between pages", func(_ ports.LineQuery, page *ports.LinePage) {
		if page.Next != nil {
			page.Next.ID++
		}
	}, linePages, longLines)
	answerLines("never ends lines", func(q ports.LineQuery, page *ports.LinePage) {
		if page.Next == nil {
			page.Next = &q.After
		}
	}, linePages)
	lines("pages lines by their count", func(ctx context.Context, q ports.LineQuery, sound lineLister) (page ports.LinePage, err error) {
		if q.ByExpiry {
			return sound(ctx, q)
		}
		whole := q
		whole.After, whole.Limit = ports.LineCursor{}, 100_000
		if page, err = sound(ctx, whole); err != nil {
			return page, err
		}
		from := 0
		if q.After.ID != 0 { // beside the id, where nobody looks
			from = q.After.ExpiresAt.Nanosecond()
		}
		page.Lines = page.Lines[min(from, len(page.Lines)):]
		if len(page.Lines) > q.Limit {
			page.Lines = page.Lines[:q.Limit]
			page.Next = &ports.LineCursor{ID: page.Lines[q.Limit-1].ID(), ExpiresAt: time.Unix(0, int64(from+q.Limit))}
		}
		return page, nil
	}, "line-pages-show-each-once")
	lines("looks for the line that a cursor names", func(ctx context.Context, q ports.LineQuery, sound lineLister) (page ports.LinePage, err error) {
		if q.After.ID != 0 {
			whole, err := sound(ctx, ports.LineQuery{Limit: 100_000})
			if err != nil || !slices.Contains(mapped(whole.Lines, (*line.Line).ID), q.After.ID) {
				return page, err
			}
		}
		return sound(ctx, q)
	}, "line-pages-show-each-once", linePages)
	all = append(all,
		broken{how: "lists lines that were deleted", caught: caughtBy("line-lists-follow-changes", "update-takes-effect"),
			sabotage: fromMemory(func(remembered, stored []line.State) []line.State {
				for _, r := range remembered {
					if !slices.ContainsFunc(stored, func(s line.State) bool { return s.ID == r.ID }) {
						stored = append(stored, r)
					}
				}
				return stored
			})},
		broken{how: "lists lines before they are committed", caught: caughtBy("nobody-sees-uncommitted-writes", "error-keeps-nothing"),
			sabotage: fromMemory(func(remembered, stored []line.State) []line.State {
				for _, r := range remembered {
					if name := r.Username.String(); name == "Added" && !slices.ContainsFunc(stored, func(s line.State) bool { return s.ID == r.ID }) {
						stored = append(stored, r)
					}
				}
				return stored
			})},
		broken{how: "leaves lines where they expired at first", caught: caughtBy("line-lists-follow-changes", "update-takes-effect"),
			sabotage: fromMemory(stale(func(inserted, stored line.State) line.State { stored.ExpiresAt = inserted.ExpiresAt; return stored }))},
		broken{how: "finds lines by their first names", caught: caughtBy("line-lists-follow-changes"),
			sabotage: fromMemory(stale(func(inserted, stored line.State) line.State { stored.Username = inserted.Username; return stored }))},
		broken{how: "takes activated lines for trials", caught: caughtBy("line-lists-follow-changes"),
			sabotage: fromMemory(stale(func(inserted, stored line.State) line.State {
				stored.Trial, stored.PlatformID, stored.Charge = inserted.Trial, inserted.PlatformID, inserted.Charge
				return stored
			}))},
		broken{how: "finds accounts by their first names", caught: caughtBy("account-lists-follow-renames"), sabotage: func(sound full) full {
			var first sync.Map // of ids to keys
			update := patchedTx(sound, func(tx *ports.Tx) {
				tx.Resellers = telling{tx.Resellers, func(a *reseller.Reseller) { first.Store(a.ID(), a.State().Username.Key()) }}
			})
			return patchedView(update, func(s *ports.Snapshot) {
				s.Resellers = listing{s.Resellers, filtering(func(q ports.ResellerQuery, s reseller.State) bool {
					key, _ := first.Load(s.ID)
					return strings.HasPrefix(key.(string), q.Username)
				}, func(q *ports.ResellerQuery) { q.Username = "" })}
			})
		}},
	)

	newest := func(how string, patch func(s *ports.Snapshot, sound full)) {
		all = append(all, broken{how: "reads what is newest in a view: " + how, caught: caughtBy("lists-are-of-one-snapshot"), sabotage: func(sound full) full {
			return patchedView(sound, func(s *ports.Snapshot) { patch(s, sound) })
		}})
	}
	newest("accounts", func(s *ports.Snapshot, sound full) { s.Resellers = rereading{s.Resellers, sound} })
	newest("lines", func(s *ports.Snapshot, sound full) { s.Lines = rereadingLines{s.Lines, sound} })
	newest("statements", func(s *ports.Snapshot, sound full) {
		s.Ledger = stating{s.Ledger, func(ctx context.Context, reseller, before int64, limit int, _ ports.Statements) ([]credit.Movement, error) {
			return current(ctx, sound).Ledger.Statement(ctx, reseller, before, limit)
		}, nil}
	})
	newest("totals", func(s *ports.Snapshot, sound full) {
		s.Ledger = stating{s.Ledger, nil, func(ctx context.Context, _ ports.Statements) (credit.Totals, error) {
			return current(ctx, sound).Ledger.Totals(ctx)
		}}
	})
	return all
}

// digits writes ids as a path in which the end of an id is not marked.
func digits(ids []int64) string {
	return strings.Join(mapped(ids, func(id int64) string { return strconv.FormatInt(id, 10) }), "/")
}
