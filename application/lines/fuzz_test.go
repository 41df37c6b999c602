package lines

import (
	"encoding/base64"
	"errors"
	"reflect"
	"slices"
	"testing"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
)

func FuzzPlace(f *testing.F) {
	epoch := journal.Epoch("01234567")
	f.Add("")
	f.Add(usecase.LinesByID.NumberCursor(7).String())
	f.Add(usecase.EventCursor{Epoch: epoch, Seq: 7}.String())
	for _, p := range []EntitlementCursor{
		{epoch: epoch}, {epoch: epoch, seq: 7}, {epoch: epoch, seq: 7, backfills: []backfill{{}}},
		{epoch: epoch, seq: 1 << 62, backfills: []backfill{{7, 9}, {0, 1 << 62}, {8, 0}}},
		{epoch: epoch, backfills: make([]backfill, maxBackfills)},
		{epoch: epoch, backfills: make([]backfill, maxBackfills+1)}, {epoch: epoch, seq: -1},
		{epoch: epoch, backfills: []backfill{{-1, 0}}},
		{epoch: epoch, backfills: []backfill{{0, -1}}}, {epoch: "epoch"},
	} {
		whole := p.String()
		for i := range len(whole) + 1 {
			f.Add(whole[:i])
		}
	}
	for _, text := range []string{"-1", "07", "7 8", "7 8 -9", "7 +8 9", "7  ", "7 8 9 ", "9223372036854775808"} {
		f.Add(base64.RawURLEncoding.EncodeToString([]byte(entitlementsName + " " + string(epoch) + " " + text +
			usecase.CursorEnd)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseEntitlementCursor(text)
		if err != nil {
			if !reflect.DeepEqual(p, EntitlementCursor{}) || !errors.Is(err, usecase.ErrBadCursor) {
				t.Fatalf("%q: %+v, error %v", text, p, err)
			}
			return
		}
		if made := p.String(); made != text {
			t.Fatalf("%q is read as %+v, whose cursor is %q", text, p, made)
		}
		negative := func(s backfill) bool { return s.root < 0 || s.after < 0 }
		if len(p.backfills) > maxBackfills || p.seq < 0 || slices.ContainsFunc(p.backfills, negative) ||
			len(p.epoch) != len(epoch) {
			t.Fatalf("%q is read as %+v", text, p)
		}
		for _, o := range []usecase.Order{usecase.ResellersByID, usecase.LinesByID, usecase.LinesByExpiry,
			usecase.LinesByName, usecase.NewestLines, usecase.LatestExpiry,
			usecase.NewestEntries, usecase.EventOrder(p.epoch)} {
			if _, err := o.Parse(text); err == nil {
				t.Fatalf("%q is valid in the order %s as well", text, o.Name)
			}
		}
	})
}
