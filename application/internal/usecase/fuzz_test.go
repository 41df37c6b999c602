package usecase

import (
	"encoding/base64"
	"errors"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"resellerd/ports"
)

func FuzzCursor(f *testing.F) {
	f.Add("")
	for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry,
		NewestEntries} {
		made := func(at ports.LineCursor) string { return Cursor{o, at}.String() }
		whole := made(ports.LineCursor{ID: 7, ExpiresAt: time.UnixMilli(1_796_560_144_489), Name: "7 é."})
		for i := range len(whole) + 1 {
			f.Add(whole[:i])
		}
		f.Add(made(ports.LineCursor{ID: math.MaxInt64, ExpiresAt: time.UnixMilli(-5), Name: "names 1 ana."}))
		f.Add(made(ports.LineCursor{ID: 1, Name: "a\xff"}))
		f.Add(o.NumberCursor(1).String())
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(o.Name + " -9223372036854775808 07.")))
	}
	f.Fuzz(func(t *testing.T, text string) {
		good := 0
		for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry,
			NewestEntries} {
			c, err := o.Parse(text)
			if err != nil {
				if c != (Cursor{}) || !errors.Is(err, ErrBadCursor) {
					t.Fatalf("%q in the order %s: %+v, error %v", text, o.Name, c, err)
				}
				continue
			}
			good++
			if made := c.String(); made != text || !utf8.ValidString(c.At.Name) {
				t.Fatalf("%q in the order %s is read as %+v, whose cursor is %q", text, o.Name, c, made)
			}
		}
		if good > 1 {
			t.Fatalf("%q is valid in %d orders", text, good)
		}
	})
}
