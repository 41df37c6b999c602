package httpapi

import (
	"testing"

	"resellerd/test/expect"
)

// TestSlotsOfExports uses all slots of an account, of a tree and of the process.
func TestSlotsOfExports(t *testing.T) {
	e := newExporting()
	var ends []func()
	for range exportsOfAccount {
		leave, err := e.enter(7)
		must(t, err)
		ends = append(ends, leave)
	}
	_, err := e.enter(7)
	expect.Error(t, err, errTooManyExports, "an account with too many exports")
	for _, c := range []struct{ tree, places int64 }{{100, exportsInAll / 2}, {200, exportsInAll / 4},
		{300, exportsInAll / 8}, {400, exportsInAll / 16}, {500, 1}, {600, 0}} {
		for i := range c.places {
			leave, err := e.acquireSlot(c.tree)
			if err != nil {
				t.Fatalf("tree %d has no place %d: %v", c.tree, i+1, err)
			}
			ends = append(ends, leave)
		}
		_, err := e.acquireSlot(c.tree)
		expect.Error(t, err, errTooManyAnswers, "tree %d has a place more than %d", c.tree, c.places)
	}
	for _, end := range ends {
		end()
	}
	if e.all != 0 || len(e.accounts)+len(e.trees) > 0 {
		t.Errorf("in the end %d places are taken, by %v of %v", e.all, e.accounts, e.trees)
	}
}
