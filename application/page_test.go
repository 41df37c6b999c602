package application

import (
	"testing"
	"time"

	"resellerd/ports"
)

func position(milliseconds, id int64) Cursor {
	return Cursor{ports.LineCursor{ExpiresAt: time.UnixMilli(milliseconds).UTC(), ID: id}}
}

func TestACursorIsReadAsItWasMadeOrNotAtAll(t *testing.T) {
	for _, want := range []Cursor{position(0, 1), position(1, 11), position(1_796_560_144_489, 111), position(-5, 9_223_372_036_854_775_807)} {
		made := LinesByExpiry.cursor(want.at.ID, want.at.ExpiresAt)
		if got, err := LinesByExpiry.Parse(made); err != nil || got != want {
			t.Errorf("%v: got %v, %v", want, got, err)
		}
		for _, other := range []Order{ResellersByID, LinesByID, NewestEntries, {name: "lines", byExpiry: true}, {name: "expiry"}} {
			if got, err := other.Parse(made); err == nil {
				t.Errorf("%v is read in the order %v: %v", want, other, got)
			}
		}
		for i := range made {
			if got, err := LinesByExpiry.Parse(made[:i]); err == nil {
				t.Errorf("%v: cut after %d it is read as %v", want, i, got)
			}
		}
		for c := byte('!'); c <= '~'; c++ {
			if got, err := LinesByExpiry.Parse(made + string(c)); err == nil && got != want {
				t.Errorf("%v: with %q behind it is read as %v", want, c, got)
			}
		}
	}
	if got, err := LinesByExpiry.Parse((Order{name: "expiry"}).cursor(1, time.Time{})); err == nil {
		t.Errorf("a number is missing and it is read as %v", got)
	}
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
		{LinesByExpiry, "ZXhwaXJ5IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
	} {
		if made := c.order.cursor(at.at.ID, at.at.ExpiresAt); made != c.text {
			t.Errorf("%s: made %s, want %s", c.order.name, made, c.text)
		}
		if got, err := c.order.Parse(c.text); err != nil || got != c.want {
			t.Errorf("%s: %s is read as %v, %v", c.order.name, c.text, got, err)
		}
	}
}
