package application

import (
	"slices"
	"testing"
	"time"

	"resellerd/ports"
	"resellerd/test/expect"
)

func position(milliseconds, id int64) Cursor {
	return Cursor{ports.LineCursor{ExpiresAt: time.UnixMilli(milliseconds).UTC(), ID: id}}
}

// Cursors that clients carry outlive a new version: these were made by the first.
func TestCursorsStayAsTheyWere(t *testing.T) {
	at := position(1_796_560_144_489, 111)
	for _, c := range []struct {
		order Order
		text  string
		want  Cursor
	}{
		{ResellersByID, "YWNjb3VudHMgMTExLg", Cursor{ports.LineCursor{ID: 111}}},
		{NewestEntries, "ZW50cmllcyAxMTEu", Cursor{ports.LineCursor{ID: 111}}},
		{LinesByID, "bGluZXMgMTExLg", Cursor{ports.LineCursor{ID: 111}}},
		{NewestLines, "bmV3ZXN0IDExMS4", Cursor{ports.LineCursor{ID: 111}}},
		{LinesByExpiry, "ZXhwaXJ5IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
		{LatestExpiry, "bGF0ZXN0IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
	} {
		expect.Equal(t, c.order.cursor(at.at), c.text, "%s: made", c.order.name)
		if got, err := c.order.Parse(c.text); err != nil || got != c.want {
			t.Errorf("%s: %s is read as %v, %v", c.order.name, c.text, got, err)
		}
	}
}

func TestCursorsOfEntitlementsStayAsTheyWere(t *testing.T) {
	of := place{epoch: "01234567", seq: 11, sweeps: []sweep{{7, 12}}}
	expect.Equal(t, of.String(), "ZW50aXRsZW1lbnRzIDAxMjM0NTY3IDExIDcgMTIu")
}

func TestSweepsTakeEachOthersPlace(t *testing.T) {
	p := place{sweeps: []sweep{{0, 5}}}.sweeping(7).sweeping(8)
	begun := place{sweeps: []sweep{{0, 5}, {7, 0}, {8, 0}}}
	expect.DeepEqual(t, p, begun)
	expect.DeepEqual(t, p.swept(9, false).sweeping(7), place{sweeps: []sweep{{0, 9}, {8, 0}, {7, 0}}},
		"another of the same tree")
	expect.DeepEqual(t, p.swept(9, true), place{sweeps: []sweep{{7, 0}, {8, 0}}}, "one is done")
	expect.DeepEqual(t, p, begun, "what comes after a place has changed it")
	for root := range int64(mostSweeps) {
		p = p.sweeping(root)
		if len(p.sweeps) > mostSweeps {
			t.Fatalf("there are %d sweeps", len(p.sweeps))
		}
	}
	if got := p.sweeping(100).sweeping(101); len(got.sweeps) > mostSweeps || !slices.Contains(got.sweeps, sweep{}) {
		t.Errorf("one too many: got %v", got)
	}
}
