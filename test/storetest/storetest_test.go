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

// servedAlone is a store that can be neither audited nor copied.
type servedAlone struct{ ports.Store }

// subject returns what a check is run against: where it needs no archive, a store
// that is none.
func subject(c Check, sabotage, reopen func(full) full) Subject {
	if slices.ContainsFunc(ArchiveChecks(), func(a Check) bool { return a.Name == c.Name }) {
		return Subject{
			Open:   func(T) ports.Store { return sabotage(memstore.New()) },
			Reopen: func(_ T, old ports.Store) ports.Store { return reopen(old.(full)) },
		}
	}
	return Subject{
		Open:   func(T) ports.Store { return servedAlone{sabotage(memstore.New())} },
		Reopen: func(_ T, old ports.Store) ports.Store { return servedAlone{reopen(old.(servedAlone).Store.(full))} },
	}
}

func allChecks() []Check { return slices.Concat(Checks(), ArchiveChecks()) }

func TestSoundStoresPass(t *testing.T) {
	t.Parallel()
	whole := func(sound full) full { return sound }
	stores := map[string]func(full) full{
		"sound": whole,
		"through wrappers": func(sound full) full {
			return filter{}.over(withVia(sound, func(tx ports.Tx) via {
				return func(_ string, on func(ports.Tx) error) error { return on(tx) }
			}))
		},
		"shows short pages": func(sound full) full {
			return patchedView(sound, func(s *ports.Snapshot) {
				s.Resellers = listing{s.Resellers, filtering(selectsReseller, func(q *ports.ResellerQuery) { q.Username, q.Master = "", 0 })}
				s.Lines = lineListing{s.Lines, filteringLines(selectsLine, func(q *ports.LineQuery) { q.Username, q.Trial, q.ExpiresBefore = "", nil, nil })}
			})
		},
		"shows short pages to auditors": func(sound full) full {
			return patchedRecords(sound, func(r ports.Records) ports.Records {
				return auditing{Records: r, page: func(after int64, limit int) (int64, int) { return after, min(limit, 2) }}
			})
		},
		"makes lists anew": fromMemory(func(_, stored []line.State) []line.State { return stored }),
		"runs every work three times": func(sound full) full {
			again := errors.New("run again")
			var underWay sync.WaitGroup
			return &wrapped{full: sound, close: func() error { underWay.Wait(); return sound.Close() }, update: func(ctx context.Context, do work) error {
				underWay.Add(1)
				defer underWay.Done()
				for range 2 {
					err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
						if err := do(ctx, tx); err != nil {
							return err
						}
						return again
					})
					if !errors.Is(err, again) {
						return err
					}
				}
				return sound.Update(ctx, do)
			}}
		},
		"finds taken names at the commit": func(sound full) full {
			return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
				return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
					var late error
					err := do(ctx, via(func(_ string, on func(ports.Tx) error) error {
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
		durable := slices.ContainsFunc(slices.Concat(durabilityChecks, copyDurabilityChecks), func(d Check) bool { return d.Name == c.Name })
		for how, open := range stores {
			if durable {
				how, open = "process", process
			}
			if found := failures(t, c, subject(c, open, reopened)); found != nil {
				t.Errorf("%s: a store that is sound (%s) fails:\n%s", c.Name, how, strings.Join(found, "\n"))
			}
			if durable {
				break
			}
		}
	}
}

func TestBrokenStoresFail(t *testing.T) {
	t.Parallel()
	checks := map[string]Check{}
	for _, c := range allChecks() {
		checks[c.Name] = c
	}
	for _, b := range brokenStores() {
		for _, name := range b.caught {
			c, known := checks[name]
			if !known {
				t.Fatalf("%s: no check %q", b.how, name)
			}
			reopen := b.reopen
			if reopen == nil {
				reopen = reopened
			}
			found := failures(t, c, subject(c, b.sabotage, reopen))
			if len(found) == 0 {
				t.Errorf("%s: a store passes that %s", name, b.how)
			}
			for _, failure := range found {
				if !strings.Contains(failure, c.Sentence) {
					t.Errorf("%s: the failure does not show the promise %q: %s", name, c.Sentence, failure)
				}
			}
		}
	}
}

func TestEveryCheckIsProven(t *testing.T) {
	unproven := map[string]bool{}
	for _, c := range allChecks() {
		if _, twice := unproven[c.Name]; twice {
			t.Errorf("two checks are named %q", c.Name)
		}
		if c.Sentence == "" {
			t.Errorf("%s: no sentence", c.Name)
		}
		unproven[c.Name] = true
	}
	for _, b := range brokenStores() {
		for _, name := range b.caught {
			delete(unproven, name)
		}
	}
	for name := range unproven {
		t.Errorf("%s: no broken store proves that it can fail", name)
	}
}

func TestExemptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		situation string
		exempt    map[string]string
		want      int
	}{
		{"none", nil, 0},
		{"a check and a reason", map[string]string{"ready": "a reason"}, 0},
		{"no reason", map[string]string{"ready": ""}, 1},
		{"no such check", map[string]string{"raedy": "a reason"}, 1},
	} {
		if got := (Subject{Exempt: c.exempt}).complaints(); len(got) != c.want {
			t.Errorf("%s: got complaints %q, want %d", c.situation, got, c.want)
		}
	}
}

func TestReopenIsNeededOrExempt(t *testing.T) {
	for _, c := range slices.Concat(durabilityChecks, copyDurabilityChecks) {
		found := failures(t, c, Subject{Open: func(T) ports.Store { return memstore.New() }})
		if len(found) != 1 || !strings.Contains(found[0], "exempt it") {
			t.Errorf("%s without Reopen: got %q, want to be told to exempt it", c.Name, found)
		}
	}
}
