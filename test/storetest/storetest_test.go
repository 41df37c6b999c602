package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"resellerd/adapters/memstore"
	"resellerd/domain/line"
	"resellerd/ports"
)

// recorder is a T that records failures.
type recorder struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()                  {}
func (r *recorder) Name() string             { return r.t.Name() }
func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) TempDir() string          { return r.t.TempDir() }
func (r *recorder) Logf(string, ...any)      {}

func (r *recorder) Cleanup(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, do)
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures runs a check under a fake clock and returns what it found.
func failures(t *testing.T, c Check, s Subject) (found []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		r := &recorder{t: t, ctx: ctx}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() {
				cancel()
				for _, do := range slices.Backward(r.cleanups) {
					do()
				}
			}()
			c.Run(r, s)
		}()
		<-ended
		found = r.failures
	})
	return found
}

// partly is a store of which only some parts are shown.
type partly struct {
	ports.Store
	shown func(ports.Parts) ports.Parts
}

func (p partly) Parts() ports.Parts { return p.shown(p.Store.Parts()) }

// servedAlone returns the parts of a store that can be served and nothing else.
func servedAlone(ports.Parts) ports.Parts { return ports.Parts{} }

// subject returns what a check is run against: a store that can do what the check needs,
// and no more.
func subject(c Check, sabotage, reopen, beside func(full) full) Subject {
	shown := servedAlone
	if isArchive(c) || slices.Contains(c.needs(), Copies) || slices.Contains(c.Promises, "S7") {
		shown = func(all ports.Parts) ports.Parts { return all }
	}
	show := func(s full) ports.Store { return partly{s, shown} }
	whole := func(s ports.Store) full { return s.(partly).Store.(full) }
	return Subject{
		Open:   func(T) ports.Store { return show(sabotage(memstore.New())) },
		Reopen: func(_ T, old ports.Store) ports.Store { return show(reopen(whole(old))) },
		Beside: func(_ T, store ports.Store) (ports.Store, error) { return show(beside(whole(store))), nil },
	}
}

func isArchive(c Check) bool {
	return slices.ContainsFunc(ArchiveChecks(), func(a Check) bool { return a.Name == c.Name })
}

func allChecks() []Check { return slices.Concat(Checks(), ArchiveChecks()) }

func TestSoundStoresPass(t *testing.T) {
	t.Parallel()
	const auditors = "shows short pages to auditors"
	whole := func(sound full) full { return sound }
	stores := map[string]func(full) full{
		"sound":            whole,
		"through wrappers": meddling(func(c *call) error { return c.sound() }),
		"shows short pages": meddling(func(c *call) error {
			switch c.method {
			case resellerList:
				return filtering(selectsReseller, func(q *ports.ResellerQuery) { q.Username, q.Master = "", 0 })(c)
			case lineList:
				return filteringLines(selectsLine, func(q *ports.LineQuery) {
					q.Username, q.Trial, q.ExpiresBefore = "", nil, nil
				})(c)
			}
			return c.sound()
		}),
		auditors: meddling(func(c *call) error {
			if forAuditors(c.method) && len(c.values) == 3 { // pages of records
				*valueOf[int](c) = min(*valueOf[int](c), 2)
			}
			return c.sound()
		}),
		"makes lists again": remembered(func(_ map[int64]line.State, stored []line.State) []line.State { return stored }),
		"runs every work three times": func(sound full) full {
			again := Rerun(Rerun(sound))
			return &wrapped{full: sound, update: unhinted(again), view: again.View, close: again.Close}
		},
		"finds taken names at the commit": func(sound full) full {
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
				return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
					var late error
					err := do(ctx, via(func(_ string, on func(ports.Tx) error, _ ...any) error {
						err := on(tx)
						if errors.Is(err, errTaken) {
							late, err = err, nil
						}
						return err
					}).tx())
					return errors.Join(err, late)
				})
			}}
		},
	}
	for _, c := range allChecks() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if needed := c.needs(); slices.Contains(needed, Durability) && !slices.Contains(needed, Sharing) {
				passes(t, c, "in processes", process)
				return
			}
			for how, open := range stores {
				if how != auditors || isArchive(c) {
					passes(t, c, how, open)
				}
			}
		})
	}
}

func passes(t *testing.T, c Check, how string, open func(full) full) {
	t.Helper()
	if found := failures(t, c, subject(c, open, reopened, process)); found != nil {
		t.Errorf("a store that is sound (%s) fails:\n%s", how, strings.Join(found, "\n"))
	}
}

func TestBrokenStoresFail(t *testing.T) {
	t.Parallel()
	stores := map[string][]broken{} // by the checks that catch them
	for _, b := range brokenStores() {
		for _, name := range b.caught {
			stores[name] = append(stores[name], b)
		}
	}
	for _, c := range allChecks() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			for _, b := range stores[c.Name] {
				reopen, beside := b.reopen, b.beside
				if reopen == nil {
					reopen = reopened
				}
				if beside == nil {
					beside = process
				}
				found := failures(t, c, subject(c, b.sabotage, reopen, beside))
				if len(found) == 0 {
					t.Errorf("a store passes that %s", b.how)
				}
				for _, failure := range found {
					if !strings.Contains(failure, strings.Join(c.Promises, ", ")) {
						t.Errorf("the failure does not show the promises %s: %s", c.Promises, failure)
					}
				}
			}
		})
	}
}

func TestEveryCheckIsProven(t *testing.T) {
	unproven := map[string]bool{}
	for _, c := range allChecks() {
		if _, twice := unproven[c.Name]; twice {
			t.Errorf("two checks are named %q", c.Name)
		}
		unproven[c.Name] = true
	}
	for _, b := range brokenStores() {
		for _, name := range b.caught {
			if _, known := unproven[name]; !known {
				t.Errorf("%s: no check %q", b.how, name)
			}
			unproven[name] = false
		}
	}
	for name, is := range unproven {
		if is {
			t.Errorf("%s: no broken store proves that it can fail", name)
		}
	}
}

func TestDeclarationsAreChecked(t *testing.T) {
	whole := func(T, ports.Store) ports.Store { return nil }
	beside := func(T, ports.Store) (ports.Store, error) { return nil, nil }
	for situation, c := range map[string]struct {
		subject Subject
		want    int
	}{
		"nothing":                {Subject{Reopen: whole, Beside: beside}, 0},
		"a promise and a reason": {Subject{Reopen: whole, Beside: beside, Exempt: map[string]string{"S3": "a reason"}}, 0},
		"no reason":              {Subject{Reopen: whole, Beside: beside, Exempt: map[string]string{"S3": ""}}, 1},
		"no such promise":        {Subject{Reopen: whole, Beside: beside, Exempt: map[string]string{"S999": "a reason"}}, 1},
		"no process outlived":    {Subject{Lacks: map[Capability]string{Durability: "a reason"}}, 0},
		"lacks without a reason": {Subject{Lacks: map[Capability]string{Durability: ""}}, 1},
		"no Reopen":              {Subject{Beside: beside}, 1},
		"no Beside":              {Subject{Reopen: whole}, 1},
		"no Beside, no sharing":  {Subject{Reopen: whole, Lacks: map[Capability]string{Sharing: "a reason"}}, 1},
	} {
		if got := c.subject.complaints(); len(got) != c.want {
			t.Errorf("%s: got complaints %q, want %d", situation, got, c.want)
		}
	}
}

func TestWhatIsDeclaredIsSkippedAndSaid(t *testing.T) {
	s := Subject{Lacks: map[Capability]string{Durability: "in memory", Copies: "not yet", Rekeys: "never"},
		Exempt: map[string]string{"R9": "no names"}}
	alone := Subject{Lacks: map[Capability]string{Sharing: "a lock"}}
	for _, c := range allChecks() {
		want := ""
		switch {
		case slices.Contains(c.needs(), Copies):
			want = "lacks copies: not yet"
		case slices.Contains(c.needs(), Rekeys):
			want = "lacks rekeys: never"
		case slices.Contains(c.needs(), Durability):
			want = "lacks durability: in memory"
		case slices.Contains(c.Promises, "R9"):
			want = "does not promise R9: no names"
		}
		if got := s.skips(c); (got == "") != (want == "") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: skipped for %q, want %q", c.Name, got, want)
		}
		if got := alone.skips(c); (got == "this store lacks sharing: a lock") != slices.Contains(c.needs(), Sharing) {
			t.Errorf("%s of a store that refuses a second process: skipped for %q", c.Name, got)
		}
	}
}

func TestLargeReadsAreChecks(t *testing.T) {
	for _, name := range largeReads {
		if !slices.ContainsFunc(Checks(), func(c Check) bool { return c.Name == name }) {
			t.Errorf("%s is no check", name)
		}
	}
}
