package usecase

import (
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
		expect.Equal(t, c.order.LineCursor(at.At), c.text, "%s: made", c.order.Name)
		if got, err := c.order.Parse(c.text); err != nil || got != c.want {
			t.Errorf("%s: %s is read as %v, %v", c.order.Name, c.text, got, err)
		}
	}
}
