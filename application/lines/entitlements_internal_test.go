package lines

import (
	"slices"
	"testing"

	"resellerd/test/expect"
)

func TestCursorsOfEntitlementsStayAsTheyWere(t *testing.T) {
	of := EntitlementCursor{epoch: "01234567", seq: 11, backfills: []backfill{{7, 12}}}
	expect.Equal(t, of.String(), "ZW50aXRsZW1lbnRzIDAxMjM0NTY3IDExIDcgMTIu")
}

func TestBackfillsReplaceEachOther(t *testing.T) {
	p := EntitlementCursor{backfills: []backfill{{0, 5}}}.withBackfill(7).withBackfill(8)
	begun := EntitlementCursor{backfills: []backfill{{0, 5}, {7, 0}, {8, 0}}}
	expect.DeepEqual(t, p, begun)
	expect.DeepEqual(t, p.advanced(9, false).withBackfill(7),
		EntitlementCursor{backfills: []backfill{{0, 9}, {8, 0}, {7, 0}}},
		"another of the same tree")
	expect.DeepEqual(t, p.advanced(9, true), EntitlementCursor{backfills: []backfill{{7, 0}, {8, 0}}}, "one is done")
	expect.DeepEqual(t, p, begun, "a later page has changed the cursor")
	for root := range int64(maxBackfills) {
		p = p.withBackfill(root)
		if len(p.backfills) > maxBackfills {
			t.Fatalf("there are %d sweeps", len(p.backfills))
		}
	}
	if got := p.withBackfill(100).withBackfill(101); len(got.backfills) > maxBackfills ||
		!slices.Contains(got.backfills, backfill{}) {
		t.Errorf("one too many: got %v", got)
	}
	for _, n := range []int{0, 1, maxBackfills} {
		of := EntitlementCursor{epoch: "01234567", seq: 11, backfills: make([]backfill, n)}
		got, err := ParseEntitlementCursor(of.String())
		expect.Error(t, err, nil, "with %d sweeps", n)
		expect.Equal(t, len(got.backfills), n, "sweeps")
	}
}
