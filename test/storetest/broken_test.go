package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// broken is a sound store broken in one way. A check of one of the promises must see it.
// Checks run under a fake clock, in which a sleep lets every other goroutine run
// until it waits too: races that a real store would lose now and then are lost
// here every time.
type broken struct {
	promises string // that it breaks, with spaces between
	at       string // the methods that it answers, with spaces between: all of an interface with a dot at the end, "": all
	how      string
	with     answer
	when     when
	check    string // that must see it, "": one of the promises
}

// when is when a store is broken.
type when int

const (
	always   when = iota
	reopened      // in the next process
	besides       // in the second process
)

// tick is how long broken stores wait where others may come between.
const tick = time.Millisecond

// breaks returns a store broken so.
func (b broken) breaks(sound full) full {
	at := strings.Fields(b.at)
	return meddled{sound, func(c *call) error {
		if len(at) == 0 || slices.ContainsFunc(at, func(at string) bool {
			return at == c.method || strings.HasSuffix(at, ".") && strings.HasPrefix(c.method, at)
		}) {
			return b.with(c)
		}
		return c.sound()
	}}
}

// process is a store as one process has it open: closing it ends the process and leaves the records.
type process struct{ full }

func (process) Close() error { return nil }

// partly is a store that shows only some of its parts.
type partly struct {
	ports.Store
	shown bool
}

func (p partly) Parts() (all ports.Parts) {
	if p.shown {
		all = p.Store.Parts()
	}
	return all
}

// subject returns the subject of a check: a store with the capabilities that the check needs, and no more.
func (b broken) subject(c Check) Subject {
	archive := slices.ContainsFunc(ArchiveChecks(), func(a Check) bool { return a.Name == c.Name })
	show := func(s full, is ...when) ports.Store {
		if slices.Contains(is, b.when) {
			s = b.breaks(s)
		}
		return partly{s, archive || slices.Contains(c.Promises, "S7")}
	}
	whole := func(s ports.Store) full {
		s = s.(partly).Store
		if broken, is := s.(meddled); is {
			s = broken.full
		}
		return s.(full)
	}
	return Subject{
		Open: func(T) ports.Store {
			if slices.Contains(c.needs(), Durability) {
				return show(process{memstore.New()}, always)
			}
			return show(memstore.New(), always)
		},
		Reopen: func(_ T, old ports.Store) ports.Store { return show(whole(old), always, reopened) },
		Beside: func(_ T, s ports.Store) (ports.Store, error) { return show(whole(s), always, besides), nil },
	}
}

func allChecks() []Check { return slices.Concat(Checks(), ArchiveChecks()) }

func TestBrokenStoresFail(t *testing.T) {
	var mu sync.Mutex
	var ran int
	seen, failed := map[string]bool{}, map[string]bool{} // promises and checks
	t.Run("broken", func(t *testing.T) {
		for _, b := range brokenStores() {
			t.Run(b.how, func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				ran++
				mu.Unlock()
				var passed []string
				caught := false
				for _, c := range allChecks() {
					proves := func(promise string) bool { return slices.Contains(c.Promises, promise) }
					if b.check == "" && !slices.ContainsFunc(strings.Fields(b.promises),
						proves) || b.check != "" && b.check != c.Name {
						continue
					}
					found := failures(t, c, b.subject(c))
					if len(found) == 0 {
						passed = append(passed, c.Name)
						continue
					}
					if !strings.Contains(found[0], strings.Join(c.Promises, ", ")) {
						t.Errorf("the failure does not show the promises %s: %s", c.Promises, found[0])
					}
					mu.Lock()
					caught, failed[c.Name] = true, true
					for _, promise := range c.Promises {
						seen[promise] = seen[promise] || b.check != "" || slices.Contains(strings.Fields(b.promises), promise)
					}
					mu.Unlock()
				}
				if !caught {
					t.Errorf("a store passes that breaks %s: %s %s: %q", b.promises, b.at, b.how, passed)
				}
			})
		}
	})
	if ran < len(brokenStores()) {
		return // a part, that -run names
	}
	for _, c := range allChecks() {
		if !failed[c.Name] {
			t.Errorf("%s: no broken store proves that it can fail", c.Name)
		}
	}
	promises, _ := promisesOf(t)
	for number := range promises {
		if !seen[number] {
			t.Errorf("no store breaks %s %s", number, promises[number])
		}
	}
}

// TestSoundStoresPass runs the suites on stores that use every freedom that memstore does not: short pages, names that
// are refused at the commit, work that runs several times.
func TestSoundStoresPass(t *testing.T) {
	t.Parallel()
	sound := broken{how: "sound", with: func(c *call) error {
		switch {
		case c.method == "ResellerDirectory.List":
			return filtering(selectsReseller, func(q *ports.ResellerQuery) { q.Username, q.Master = "", 0 })(c)
		case c.method == "LineDirectory.List":
			return filteringLines(selectsLine, func(q *ports.LineQuery) {
				q.Username, q.Trial, q.ExpiresBefore = "", nil, nil
			})(c)
		case c.method == "Store.Update":
			return c.store.Update(c.ctx, func(ctx context.Context, tx ports.Tx) error {
				var late error
				err := (*c.work)(ctx, meddled{c.store, func(op *call) error {
					err := op.sound()
					if errors.Is(err, errTaken) {
						late, err = err, nil
					}
					return err
				}}.tx(tx))
				return errors.Join(err, late)
			})
		case strings.HasPrefix(c.method, "Records.") && strings.HasPrefix(fmt.Sprintf("%T", c.args[len(c.args)-1]), "*[]"):
			*arg[int](c) = min(*arg[int](c), 2)
		}
		return c.sound()
	}}
	for _, c := range allChecks() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if found := failures(t, c, Rerunning(sound.subject(c))); found != nil {
				t.Errorf("a store that is sound fails:\n%s", strings.Join(found, "\n"))
			}
		})
	}
}

// recorder is a T that records failures.
type recorder struct {
	*testing.T

	ctx      context.Context
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) Context() context.Context { return r.ctx }
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
		r := &recorder{T: t, ctx: ctx}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() {
				if cause := recover(); cause != nil {
					promised{r, fmt.Sprint(cause)}.Errorf("a panic; breaks %s", strings.Join(c.Promises, ", "))
				}
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

// current returns a snapshot of the present records. It stays valid after its View: memstore alone allows that.
func current(s full) (now ports.Snapshot) {
	_ = s.View(context.Background(), func(_ context.Context, s ports.Snapshot) error { now = s; return nil })
	return now
}

// currentRecords does so for auditors.
func currentRecords(s full) (now ports.Records) {
	_ = s.ViewRecords(context.Background(), func(_ context.Context, r ports.Records) error { now = r; return nil })
	return now
}

func nothing(*call) error  { return nil }
func newest(c *call) error { return c.newest() }

// asking replaces an argument.
func asking[V any](change func(v *V)) answer {
	return func(c *call) error {
		change(arg[V](c))
		return c.sound()
	}
}

// answering replaces a result.
func answering[V any](change func(v *V)) answer {
	return func(c *call) error {
		err := c.sound()
		if err == nil {
			change(arg[V](c))
		}
		return err
	}
}

// says has a result of its own.
func says[V any](v V) answer { return answering(func(result *V) { *result = v }) }

// failing replaces the error with the result of change.
func failing(change func(error) error) answer {
	return func(c *call) error { return change(c.sound()) }
}

// instead replaces an error with another, and returns every other error unchanged.
func instead(of, other error) func(err error) error {
	return func(err error) error {
		if errors.Is(err, of) {
			return other
		}
		return err
	}
}

// swallows replaces one error with none, or another, and is otherwise sound.
func swallows(of error) answer         { return failing(instead(of, nil)) }
func has(other error, of error) answer { return failing(instead(of, other)) }
func missing(*call) error              { return fault.ErrNotFound }

// remembers is an answer that has a state for each store.
func remembers(state func() answer) answer {
	var all sync.Map // of stores
	return func(c *call) error {
		with, _ := all.LoadOrStore(c.store, sync.OnceValue(state))
		return with.(func() answer)()(c)
	}
}

// altering shows each record of a type with a change.
func altering[V any](change func(v *V)) answer {
	changed := func(record any) any {
		if v, is := record.(V); is {
			change(&v)
			return v
		}
		return record
	}
	return func(c *call) error {
		err := c.sound()
		_, name, _ := strings.Cut(c.method, ".")
		if slices.Contains([]string{"Insert", "Save", "Delete", "Append", "Put", "Begin", "Copy", "BeginCopy"}, name) {
			return err
		}
		for _, value := range c.args {
			other, damage := altered(reflect.ValueOf(value).Elem(), changed)
			if damage != nil {
				return damage
			}
			reflect.ValueOf(value).Elem().Set(other)
		}
		return err
	}
}

// altered returns a value with each record in it changed, or an error where that is not one that can be.
func altered(v reflect.Value, change func(record any) any) (reflect.Value, error) {
	switch record := v.Interface().(type) {
	case *reseller.Reseller:
		if record == nil {
			return v, nil
		}
		other, err := reseller.Restore(change(record.State()).(reseller.State))
		return reflect.ValueOf(other), err
	case *line.Line:
		if record == nil {
			return v, nil
		}
		other, err := line.Restore(change(record.State()).(line.State))
		return reflect.ValueOf(other), err
	case credit.Movement, credit.Totals, ports.KeyRecord, line.Tombstone, ports.Origin, ports.ServiceKey, journal.Numbered,
		journal.Head, ports.DayFigures:
		return reflect.ValueOf(change(record)), nil
	}
	other := reflect.New(v.Type()).Elem()
	other.Set(v)
	switch v.Kind() { //nolint:exhaustive // the other kinds have no elements
	case reflect.Slice:
		other.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			element, err := altered(v.Index(i), change)
			if err != nil {
				return v, err
			}
			other.Index(i).Set(element)
		}
	case reflect.Map:
		other.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			element, err := altered(v.MapIndex(key), change)
			if err != nil {
				return v, err
			}
			other.SetMapIndex(key, element)
		}
	case reflect.Struct: // a page, or a record as an audit finds it
		for _, name := range []string{"Resellers", "Lines", "Entries", "Record"} {
			if field := other.FieldByName(name); field.IsValid() && v.Type().PkgPath() == reflect.TypeFor[ports.Tx]().PkgPath() {
				element, err := altered(field, change)
				if damage := other.FieldByName("Damage"); err != nil && damage.IsValid() {
					damage.Set(reflect.ValueOf(err))
					element, err = reflect.Zero(field.Type()), nil
				}
				if err != nil {
					return v, err
				}
				field.Set(element)
			}
		}
	}
	return other, nil
}

// row is a store that breaks promises so.
func row(promises, at, how string, with answer) broken {
	return broken{promises: promises, at: at, how: how, with: with}
}

func (b broken) only(is when) broken        { b.when = is; return b }
func (b broken) seenBy(check string) broken { b.check = check; return b }

// adds returns a function that adds a row.
func adds(all *[]broken) func(promises, at, how string, with answer) {
	return func(promises, at, how string, with answer) { *all = append(*all, row(promises, at, how+": "+at, with)) }
}
