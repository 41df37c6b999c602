package usecase

import (
	"testing"
	"time"

	"resellerd/ports"
	"resellerd/test/expect"
)

// Cursors that clients have outlive a new version: these come from the first.
func TestCursorsStayAsTheyWere(t *testing.T) {
	at := ports.LineCursor{ExpiresAt: time.UnixMilli(1_796_560_144_489).UTC(), ID: 111}
	for _, c := range []struct {
		order Order
		text  string
		want  ports.LineCursor
	}{
		{ResellersByID, "YWNjb3VudHMgMTExLg", ports.LineCursor{ID: 111}},
		{NewestEntries, "ZW50cmllcyAxMTEu", ports.LineCursor{ID: 111}},
		{LinesByID, "bGluZXMgMTExLg", ports.LineCursor{ID: 111}},
		{NewestLines, "bmV3ZXN0IDExMS4", ports.LineCursor{ID: 111}},
		{LinesByExpiry, "ZXhwaXJ5IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
		{LatestExpiry, "bGF0ZXN0IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
	} {
		expect.Equal(t, Cursor{c.order, at}.String(), c.text, "%s: made", c.order.Name)
		if got, err := c.order.Parse(c.text); err != nil || got != (Cursor{c.order, c.want}) {
			t.Errorf("%s: %s is read as %v, %v", c.order.Name, c.text, got, err)
		}
	}
}
