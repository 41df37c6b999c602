// Package storetest is the conformance suite of ports.Store. A store that passes
// it keeps every promise that the port makes; what it cannot keep it declares,
// with a reason, where it calls the suite:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Subject{
//			Open:   func(t storetest.T) ports.Store { return open(t, t.TempDir()) },
//			Reopen: func(t storetest.T, old ports.Store) ports.Store { ... },
//			Exempt: map[string]string{"check-name": "why this store can't"},
//		})
//	}
//
// The suite depends on nothing but the port: a store may run a work several times,
// report a taken name at the insert or at the commit, and let updates wait for
// views. What only a clock could prove, that the cost of DropExpired, of a list and
// of a statement does not grow with what is kept, has no check, nor has what an
// audit says of damaged records, or of lists and names that lead elsewhere, as no port
// does damage. The package's own tests
// prove the suite: for each check there is a store broken in that one way, which
// fails it.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"resellerd/ports"
)

// T is what a check needs of *testing.T, so that a check can also be run against
// a recorder, to see it fail.
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

// Subject is the store under test.
type Subject struct {
	// Open returns a store without any records, apart from every other one. The
	// suite closes it.
	Open func(t T) ports.Store

	// Reopen opens the records of old, which the suite has closed, as a new
	// process would. A store that keeps nothing leaves it nil and exempts the
	// checks that need it.
	Reopen func(t T, old ports.Store) ports.Store

	// Exempt names the checks that the store can't pass, each with the reason.
	Exempt map[string]string
}

// Check proves one promise of the port.
type Check struct {
	Name     string // kebab-case, unique
	Sentence string // of the port that the check proves

	prove func(w *harness)
}

// Run proves the promise on an empty store of the subject's.
func (c Check) Run(t T, s Subject) {
	t.Helper()
	c.prove(open(promised{t, c.Sentence}, s))
}

// promised is a T whose failures say which promise is broken.
type promised struct {
	T
	sentence string
}

// Errorf implements T.
func (p promised) Errorf(format string, args ...any) {
	p.Helper()
	p.T.Errorf("%s\npromised: %s", fmt.Sprintf(format, args...), p.sentence)
}

// Fatalf implements T.
func (p promised) Fatalf(format string, args ...any) {
	p.Helper()
	p.T.Fatalf("%s\npromised: %s", fmt.Sprintf(format, args...), p.sentence)
}

// Checks returns every check of a ports.Store.
func Checks() []Check {
	return slices.Concat(
		updateChecks, concurrencyChecks, viewChecks, snapshotChecks, lifeChecks, idChecks,
		serviceKeyChecks, recordChecks, nameChecks, keyChecks,
		resellerListChecks, lineListChecks, ledgerChecks, durabilityChecks,
	)
}

// ArchiveChecks returns every check of a ports.Archive and a ports.CopyTarget.
func ArchiveChecks() (checks []Check) {
	for _, c := range slices.Concat(archiveChecks, auditChecks, copyChecks, copyDurabilityChecks) {
		prove := c.prove
		c.prove = func(w *harness) {
			w.audited = true
			prove(w)
		}
		checks = append(checks, c)
	}
	return checks
}

// Run runs every check of a store on a fresh one, each as a subtest of its name.
func Run(t *testing.T, s Subject) {
	t.Helper()
	run(t, s, Checks())
}

// RunArchive runs every check of what auditors and copies need. A store passes its
// first day without: it can be served, and can't be audited or copied.
func RunArchive(t *testing.T, s Subject) {
	t.Helper()
	run(t, s, ArchiveChecks())
}

func run(t *testing.T, s Subject, checks []Check) {
	t.Helper()
	for _, complaint := range s.complaints() {
		t.Error(complaint)
	}
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			if reason := s.Exempt[c.Name]; reason != "" {
				t.Skipf("exempt: %s\nnot promised by this store: %s", reason, c.Sentence)
			}
			c.Run(t, s)
		})
	}
}

// complaints returns what is wrong with the exemptions.
func (s Subject) complaints() (complaints []string) {
	for name, reason := range s.Exempt {
		if !slices.ContainsFunc(slices.Concat(Checks(), ArchiveChecks()), func(c Check) bool { return c.Name == name }) {
			complaints = append(complaints, fmt.Sprintf("exempt from %q, which is no check", name))
		}
		if reason == "" {
			complaints = append(complaints, fmt.Sprintf("exempt from %q without a reason", name))
		}
	}
	return complaints
}
