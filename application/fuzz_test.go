package application

import (
	"encoding/base64"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"resellerd/domain/journal"
	"resellerd/ports"
)

func FuzzCursor(f *testing.F) {
	f.Add("")
	for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry,
		NewestEntries} {
		whole := o.cursor(ports.LineCursor{ID: 7, ExpiresAt: time.UnixMilli(1_796_560_144_489), Name: "7 é."})
		for i := range len(whole) + 1 {
			f.Add(whole[:i])
		}
		f.Add(o.cursor(ports.LineCursor{ID: math.MaxInt64, ExpiresAt: time.UnixMilli(-5), Name: "names 1 ana."}))
		f.Add(o.cursor(ports.LineCursor{ID: 1, Name: "a\xff"}))
		f.Add(o.numbered(1))
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(o.name + " -9223372036854775808 07.")))
	}
	f.Fuzz(func(t *testing.T, text string) {
		good := 0
		for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry,
			NewestEntries} {
			c, err := o.Parse(text)
			if err != nil {
				if c != (Cursor{}) || !errors.Is(err, ErrBadCursor) {
					t.Fatalf("%q in the order %s: %+v, error %v", text, o.name, c, err)
				}
				continue
			}
			good++
			if made := o.cursor(c.at); made != text || !utf8.ValidString(c.at.Name) {
				t.Fatalf("%q in the order %s is read as %+v, whose cursor is %q", text, o.name, c, made)
			}
		}
		if good > 1 {
			t.Fatalf("%q is good in %d orders", text, good)
		}
	})
}

func FuzzPlace(f *testing.F) {
	epoch := journal.Epoch("01234567")
	f.Add("")
	f.Add(LinesByID.numbered(7))
	f.Add(eventCursor{epoch: epoch, seq: 7}.String())
	for _, p := range []place{
		{epoch: epoch}, {epoch: epoch, seq: 7}, {epoch: epoch, seq: 7, sweeps: []sweep{{}}},
		{epoch: epoch, seq: 1 << 62, sweeps: []sweep{{7, 9}, {0, 1 << 62}, {8, 0}}},
		{epoch: epoch, sweeps: make([]sweep, mostSweeps)},
		{epoch: epoch, sweeps: make([]sweep, mostSweeps+1)}, {epoch: epoch, seq: -1},
		{epoch: epoch, sweeps: []sweep{{-1, 0}}},
		{epoch: epoch, sweeps: []sweep{{0, -1}}}, {epoch: "epoch"},
	} {
		whole := p.String()
		for i := range len(whole) + 1 {
			f.Add(whole[:i])
		}
	}
	for _, text := range []string{"-1", "07", "7 8", "7 8 -9", "7 +8 9", "7  ", "7 8 9 ", "9223372036854775808"} {
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(entitlementsName + " " + string(epoch) + " " + text + cursorEnd)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePlace(text)
		if err != nil {
			if !reflect.DeepEqual(p, place{}) || !errors.Is(err, ErrBadCursor) {
				t.Fatalf("%q: %+v, error %v", text, p, err)
			}
			return
		}
		if made := p.String(); made != text {
			t.Fatalf("%q is read as %+v, whose cursor is %q", text, p, made)
		}
		negative := func(s sweep) bool { return s.root < 0 || s.after < 0 }
		if len(p.sweeps) > mostSweeps || p.seq < 0 || slices.ContainsFunc(p.sweeps, negative) || len(p.epoch) != len(epoch) {
			t.Fatalf("%q is read as %+v", text, p)
		}
		for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry,
			NewestEntries, eventsOf(p.epoch)} {
			if _, err := o.Parse(text); err == nil {
				t.Fatalf("%q is good in the order %s as well", text, o.name)
			}
		}
	})
}
