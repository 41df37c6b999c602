package application

import (
	"slices"
	"testing"
	"time"

	"resellerd/ports"
)

func TestACursorIsReadAsItWasMadeOrNotAtAll(t *testing.T) {
	for _, numbers := range [][]int64{{0, 1}, {1, 11}, {1_796_560_144_489, 111}, {-5, 9_223_372_036_854_775_807}} {
		made := LinesByExpiry.cursor(numbers...)
		if got, err := LinesByExpiry.Parse(made); err != nil || !slices.Equal(got.numbers, numbers) {
			t.Errorf("%v: got %v, %v", numbers, got, err)
		}
		if got, err := (Order{"lines", 2}).Parse(made); err == nil {
			t.Errorf("%v is read as a cursor of another list: %v", numbers, got)
		}
		for i := range made {
			if got, err := LinesByExpiry.Parse(made[:i]); err == nil {
				t.Errorf("%v: cut after %d it is read as %v", numbers, i, got)
			}
		}
		for c := byte('!'); c <= '~'; c++ {
			if got, err := LinesByExpiry.Parse(made + string(c)); err == nil && !slices.Equal(got.numbers, numbers) {
				t.Errorf("%v: with %q behind it is read as %v", numbers, c, got)
			}
		}
	}
	if got, err := LinesByExpiry.Parse(LinesByExpiry.cursor(1)); err == nil {
		t.Errorf("a number is missing and it is read as %v", got)
	}
}

// Cursors that clients carry outlive a new version: these were made by the first.
func TestCursorsStayAsTheyWere(t *testing.T) {
	at := ports.LineCursor{ExpiresAt: time.UnixMilli(1_796_560_144_489).UTC(), ID: 111}
	for _, c := range []struct {
		order Order
		text  string
		made  string
		want  Cursor
	}{
		{ResellersByID, "YWNjb3VudHMgNy4", ResellersByID.cursor(7), Cursor{[]int64{7}}},
		{NewestEntries, "ZW50cmllcyA3Lg", NewestEntries.cursor(7), Cursor{[]int64{7}}},
		{LinesByID, "bGluZXMgMTExLg", LinesByID.lineCursor(at), Cursor{[]int64{111}}},
		{LinesByExpiry, "ZXhwaXJ5IDE3OTY1NjAxNDQ0ODkgMTExLg", LinesByExpiry.lineCursor(at), Cursor{[]int64{at.ExpiresAt.UnixMilli(), 111}}},
	} {
		if c.made != c.text {
			t.Errorf("%s: made %s, want %s", c.order.name, c.made, c.text)
		}
		if got, err := c.order.Parse(c.text); err != nil || !slices.Equal(got.numbers, c.want.numbers) {
			t.Errorf("%s: %s is read as %v, %v", c.order.name, c.text, got, err)
		}
	}
	if got := (Cursor{[]int64{at.ExpiresAt.UnixMilli(), 111}}).line(); got != at {
		t.Errorf("a place in the order of expiry: got %v, want %v", got, at)
	}
	if got := (Cursor{}).line(); got != (ports.LineCursor{}) {
		t.Errorf("the beginning is %v", got)
	}
}
