package application

import (
	"encoding/base64"
	"errors"
	"testing"
	"time"
)

func FuzzCursor(f *testing.F) {
	f.Add("")
	for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, NewestEntries} {
		f.Add(o.cursor(7, time.UnixMilli(1_796_560_144_489)))
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(o.name + " -9223372036854775808 07.")))
	}
	f.Fuzz(func(t *testing.T, text string) {
		good := 0
		for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, NewestEntries} {
			c, err := o.Parse(text)
			if err != nil {
				if c != (Cursor{}) || !errors.Is(err, ErrBadCursor) {
					t.Fatalf("%q in the order %s: %+v, error %v", text, o.name, c, err)
				}
				continue
			}
			good++
			if made := o.cursor(c.at.ID, c.at.ExpiresAt); made != text {
				t.Fatalf("%q in the order %s is read as %+v, whose cursor is %q", text, o.name, c, made)
			}
		}
		if good > 1 {
			t.Fatalf("%q is good in %d orders", text, good)
		}
	})
}
