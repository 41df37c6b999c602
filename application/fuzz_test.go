package application

import (
	"encoding/base64"
	"errors"
	"reflect"
	"testing"
	"time"

	"resellerd/domain/journal"
	"resellerd/ports"
)

func FuzzCursor(f *testing.F) {
	f.Add("")
	for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry, NewestEntries} {
		f.Add(o.cursor(ports.LineCursor{ID: 7, ExpiresAt: time.UnixMilli(1_796_560_144_489), Name: "7 é."}))
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(o.name + " -9223372036854775808 07.")))
	}
	f.Fuzz(func(t *testing.T, text string) {
		good := 0
		for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry, NewestEntries} {
			c, err := o.Parse(text)
			if err != nil {
				if c != (Cursor{}) || !errors.Is(err, ErrBadCursor) {
					t.Fatalf("%q in the order %s: %+v, error %v", text, o.name, c, err)
				}
				continue
			}
			good++
			if made := o.cursor(c.at); made != text {
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
	f.Add(eventCursor{epoch, 7}.String())
	for _, p := range []place{
		{epoch: epoch}, {epoch: epoch, seq: 7}, {epoch: epoch, seq: 7, sweeps: []sweep{{}}},
		{epoch: epoch, seq: 1 << 62, sweeps: []sweep{{7, 9}, {0, 1 << 62}, {8, 0}}}, {epoch: epoch, sweeps: make([]sweep, mostSweeps)},
		{epoch: epoch, sweeps: make([]sweep, mostSweeps+1)},
	} {
		f.Add(p.String())
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
		if len(p.sweeps) > mostSweeps || p.seq < 0 {
			t.Fatalf("%q is read as %+v", text, p)
		}
		for _, o := range []Order{ResellersByID, LinesByID, LinesByExpiry, LinesByName, NewestLines, LatestExpiry, NewestEntries, eventsOf(p.epoch)} {
			if _, err := o.Parse(text); err == nil {
				t.Fatalf("%q is good in the order %s as well", text, o.name)
			}
		}
	})
}
