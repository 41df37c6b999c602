// Package storetest implements the conformance suites of a store. The first suite checks ports.Store: a store needs no
// more to be served. The second suite checks ports.Archive, ports.CopyTarget and ports.Rekeyable. Audits, copies and a
// change of the service key need these. Without them a store can't be audited or copied and can't get another service
// key, and the commands report that. RunAll runs both suites, and the first one once more on Rerunning:
//
//	func TestStore(t *testing.T) { storetest.RunAll(t, storetest.Persistent(newAddress, open)) }
//
// A store that passes a suite fulfils every promise of the interface. A store declares capabilities that it lacks on
// purpose in Lacks, and promises that it can't fulfil in Exempt, by number. Each has a reason, which the test shows.
//
// The suites depend on nothing but the ports. A store may run a work several times, report a taken name at the insert
// or at the commit, and let updates wait for views.
//
// Two things have no check. Only a clock could prove that the cost of DropExpired, of a list and of a statement does
// not grow with the number of records. No port can damage records, so nothing checks how an audit reports damaged
// records, or lists and names that refer to the wrong record.
//
// The package's own tests prove the suites: for each check there is a store broken in that one way, which fails it, and
// each promise of the ports has a check.
package storetest

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"resellerd/ports"
)

// T is the part of *testing.T that a check needs. A recorder implements it, too, to see a check fail.
type T interface {
	Helper()
	Name() string
	Context() context.Context
	TempDir() string
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Capability is an optional ability of a store. The set is closed.
type Capability struct{ name string }

// The capabilities.
var (
	// Durability is that records outlive the process. A store that lacks it needs no Reopen and no Beside.
	Durability = Capability{"durability"}
	// Sharing is that two processes can have the store open, as the service and `admin create` do.
	// A store that lacks it refuses the second process: Beside returns an error.
	Sharing = Capability{"sharing"}
	// Copies is that the store can become a copy: that it has a ports.CopyTarget,
	// and not a ports.Archive alone.
	Copies = Capability{"copies"}
	// Rekeys is that the store can get another service key: that it has a
	// ports.Rekeyable.
	Rekeys = Capability{"rekeys"}
)

// String returns the name of the capability.
func (c Capability) String() string { return c.name }

// Subject is the store under test.
type Subject struct {
	// Open returns a store without any records, apart from every other one. The
	// suite closes it.
	Open func(t T) ports.Store

	// Reopen opens the records of old, which the suite has closed, as a new
	// process would.
	Reopen func(t T, old ports.Store) ports.Store

	// Beside opens the records of a store that is open as a second process does, from their address: `admin create`
	// and `backup` run beside the service. It returns the error of a store that refuses a second process.
	Beside func(t T, store ports.Store) (ports.Store, error)

	// Lacks has the capabilities that the store lacks on purpose, each with the reason.
	Lacks map[Capability]string

	// Parallel has several checks run at a time, each on a store of its own.
	Parallel bool

	// Exempt names the promises that the store can't fulfil, by number, each with
	// the reason. The checks that prove them are not run.
	Exempt map[string]string

	reruns bool // Rerunning made it
}

// Persistent returns the subject of stores with records at an address, such as a path. fresh returns a new address.
// open opens the records at an address, which other stores may have open at the same time.
func Persistent(fresh func(t T) string, open func(ctx context.Context, address string) (ports.Store, error)) Subject {
	var addresses sync.Map // of stores
	at := func(t T, address string) (ports.Store, error) {
		store, err := open(t.Context(), address)
		if err == nil {
			addresses.Store(store, address)
		}
		return store, err
	}
	again := func(t T, store ports.Store) (ports.Store, error) {
		address, _ := addresses.Load(store)
		return at(t, address.(string))
	}
	must := func(t T) func(store ports.Store, err error) ports.Store {
		return func(store ports.Store, err error) ports.Store {
			t.Helper()
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			return store
		}
	}
	return Subject{
		Open:   func(t T) ports.Store { return must(t)(at(t, fresh(t))) },
		Reopen: func(t T, old ports.Store) ports.Store { return must(t)(again(t, old)) },
		Beside: again,
	}
}

// Check proves promises of the ports.
type Check struct {
	Name     string // kebab-case, unique
	Promises proves

	prove func(w *harness)
}

// proves are the numbers of promises.
type proves = []string

// Run proves the promises on an empty store of the subject's.
func (c Check) Run(t T, s Subject) {
	t.Helper()
	c.prove(open(promised{t, "breaks " + strings.Join(c.Promises, ", ") + " of package ports"}, s))
}

// promised is a T whose failures say which promise is broken.
type promised struct {
	T
	breaks string
}

// Errorf implements T.
func (p promised) Errorf(format string, args ...any) {
	p.Helper()
	p.T.Errorf("%s\n%s", fmt.Sprintf(format, args...), p.breaks)
}

// Fatalf implements T.
func (p promised) Fatalf(format string, args ...any) {
	p.Helper()
	p.T.Fatalf("%s\n%s", fmt.Sprintf(format, args...), p.breaks)
}

// Checks returns every check of a ports.Store.
func Checks() []Check {
	return slices.Concat(
		updateChecks, concurrencyChecks, viewChecks, snapshotChecks, lifeChecks, idChecks, serviceKeyChecks, recordChecks,
		nameChecks, keyChecks, resellerListChecks, lineListChecks, longListChecks, ledgerChecks, durabilityChecks,
		fieldDurabilityChecks, kindChecks, journalChecks, eventChecks, sharingChecks, secondProcessChecks,
	)
}

// ArchiveChecks returns every check of a ports.Archive, a ports.CopyTarget and a
// ports.Rekeyable.
func ArchiveChecks() (checks []Check) {
	for _, c := range slices.Concat(archiveChecks, archiveDurabilityChecks, copyChecks, copyDurabilityChecks, rekeyChecks,
		rekeyCopyChecks, rekeyDurabilityChecks, journalCopyChecks) {
		prove := c.prove
		c.prove = func(w *harness) {
			w.audited = true
			prove(w)
		}
		checks = append(checks, c)
	}
	return checks
}

// needs returns the capabilities that the check needs.
func (c Check) needs() (all []Capability) {
	if c.in(slices.Concat(copyChecks, copyDurabilityChecks, rekeyCopyChecks, journalCopyChecks)) {
		all = append(all, Copies)
	}
	if c.in(slices.Concat(rekeyChecks, rekeyCopyChecks, rekeyDurabilityChecks)) {
		all = append(all, Rekeys)
	}
	if c.in(slices.Concat(sharingChecks, secondProcessChecks, durabilityChecks, fieldDurabilityChecks,
		archiveDurabilityChecks, copyDurabilityChecks, rekeyDurabilityChecks)) {
		all = append(all, Durability)
	}
	if c.in(sharingChecks) {
		all = append(all, Sharing)
	}
	return all
}

func (c Check) in(checks []Check) bool {
	return slices.ContainsFunc(checks, func(other Check) bool { return other.Name == c.Name })
}

// Run runs every check of a store on a fresh one, each as a subtest of its name.
func Run(t *testing.T, s Subject) {
	t.Helper()
	run(t, s, Checks())
}

// RunArchive runs every check of the ports for audits, copies and rekeys.
func RunArchive(t *testing.T, s Subject) {
	t.Helper()
	run(t, s, ArchiveChecks())
}

// RunAll runs all checks, those of a store on Rerunning, too.
func RunAll(t *testing.T, s Subject) {
	t.Helper()
	for name, suite := range map[string]func(t *testing.T){
		"store":   func(t *testing.T) { Run(t, s) },
		"again":   func(t *testing.T) { Run(t, Rerunning(s)) },
		"archive": func(t *testing.T) { RunArchive(t, s) },
	} {
		t.Run(name, func(t *testing.T) {
			sideBySide(t) // each check has a store of its own
			suite(t)
		})
	}
}

func run(t *testing.T, s Subject, checks []Check) {
	t.Helper()
	for _, complaint := range s.complaints() {
		t.Error(complaint)
	}
	for _, c := range checks {
		if s.reruns && c.readsMuch() {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if why := s.skips(c); why != "" {
				t.Skip(why)
			}
			if s.Parallel {
				sideBySide(t)
			}
			c.Run(t, s)
		})
	}
}

// sideBySide lets checks run at once, unless go test shall end at the first that fails (-failfast): it starts no other
// then, and ends none that has begun.
func sideBySide(t *testing.T) {
	t.Helper()
	if f := flag.Lookup("test.failfast"); f == nil || f.Value.String() != "true" {
		t.Parallel()
	}
}

// readsMuch reports whether a check reads in many ways what one update wrote. Whether a run was undone is seen by the
// other checks.
func (c Check) readsMuch() bool {
	return c.in(slices.Concat(resellerListChecks, lineListChecks, longListChecks, ledgerChecks, eventChecks)) &&
		!strings.Contains(c.Name, "follow")
}

// skips returns why the subject skips a check, "" where it does not.
func (s Subject) skips(c Check) string {
	for _, needed := range c.needs() {
		if reason, lacks := s.Lacks[needed]; lacks {
			return fmt.Sprintf("this store lacks %s: %s", needed, reason)
		}
	}
	for _, number := range c.Promises {
		if reason, is := s.Exempt[number]; is {
			return fmt.Sprintf("this store does not promise %s: %s", number, reason)
		}
	}
	return ""
}

// complaints returns the faults of the subject's declarations.
func (s Subject) complaints() (complaints []string) {
	complain := func(is bool, format string, args ...any) {
		if is {
			complaints = append(complaints, fmt.Sprintf(format, args...))
		}
	}
	for number, reason := range s.Exempt {
		complain(!slices.ContainsFunc(slices.Concat(Checks(), ArchiveChecks()), func(c Check) bool {
			return slices.Contains(c.Promises, number)
		}), "exempt from %q, which is no promise", number)
		complain(reason == "", "exempt from %s without a reason", number)
	}
	for lacked, reason := range s.Lacks {
		complain(reason == "", "lacks %s without a reason", lacked)
	}
	_, lacks := s.Lacks[Durability]
	complain(s.Reopen == nil && !lacks, "no Reopen: a store whose records end with the process lacks Durability")
	complain(s.Beside == nil && !lacks, "no Beside: a second process opens the store beside the service, as "+
		"`admin create` and `backup` do; a store that refuses it lacks Sharing, and Beside returns its error")
	return complaints
}
