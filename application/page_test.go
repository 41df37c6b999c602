package application

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/domain/journal"
	"resellerd/ports"
)

// atName is the position of a name.
func atName(name string, id int64) Cursor { return Cursor{ports.LineCursor{Name: name, ID: id}} }

func position(milliseconds, id int64) Cursor {
	return Cursor{ports.LineCursor{ExpiresAt: time.UnixMilli(milliseconds).UTC(), ID: id}}
}

func TestACursorOfANameIsReadAsItWasMadeOrNotAtAll(t *testing.T) {
	for _, want := range []Cursor{atName("anna", 1), atName("", 0), atName("a b.", 11), atName("7 é 中", -7), atName("names 1 ana.", 111)} {
		made := LinesByName.cursor(want.at)
		if got, err := LinesByName.Parse(made); err != nil || got != want {
			t.Errorf("%v: got %v, %v", want, got, err)
		}
		for _, other := range []Order{ResellersByID, LinesByID, LinesByExpiry, NewestLines, LatestExpiry, {name: "names"}} {
			if got, err := other.Parse(made); err == nil {
				t.Errorf("%v is read in the order %v: %v", want, other, got)
			}
		}
		for i := range made {
			if got, err := LinesByName.Parse(made[:i]); err == nil {
				// A name may have in it what ends a cursor.
				if again := LinesByName.cursor(got.at); again != made[:i] {
					t.Errorf("%v: cut after %d it is read as %v", want, i, got)
				}
			}
		}
	}
	for name, bad := range map[string]Cursor{"no UTF-8": atName("a\xff", 1), "half a character": atName("\xc3", 1)} {
		if got, err := LinesByName.Parse(LinesByName.cursor(bad.at)); err == nil {
			t.Errorf("%s: it is read as %v", name, got)
		}
	}
	if got, err := LinesByName.Parse((Order{name: "names"}).numbered(1)); err == nil {
		t.Errorf("a name is missing and it is read as %v", got)
	}
}

func TestACursorIsReadAsItWasMadeOrNotAtAll(t *testing.T) {
	for _, order := range []Order{LinesByExpiry, LatestExpiry} {
		for _, want := range []Cursor{position(0, 1), position(1, 11), position(1_796_560_144_489, 111), position(-5, 9_223_372_036_854_775_807)} {
			made := order.cursor(want.at)
			if got, err := order.Parse(made); err != nil || got != want {
				t.Errorf("%v: got %v, %v", want, got, err)
			}
			for _, other := range []Order{
				ResellersByID, LinesByID, NewestEntries, LinesByName, NewestLines, LinesByExpiry, LatestExpiry, {name: "lines", lines: order.lines}, {name: order.name},
			} {
				if got, err := other.Parse(made); err == nil && other != order {
					t.Errorf("%v is read in the order %v: %v", want, other, got)
				}
			}
			for i := range made {
				if got, err := order.Parse(made[:i]); err == nil {
					t.Errorf("%v: cut after %d it is read as %v", want, i, got)
				}
			}
			for c := byte('!'); c <= '~'; c++ {
				if got, err := order.Parse(made + string(c)); err == nil && got != want {
					t.Errorf("%v: with %q behind it is read as %v", want, c, got)
				}
			}
		}
		if got, err := order.Parse((Order{name: order.name}).numbered(1)); err == nil {
			t.Errorf("a number is missing and it is read as %v", got)
		}
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
		{NewestLines, "bmV3ZXN0IDExMS4", Cursor{ports.LineCursor{ID: 111}}},
		{LinesByExpiry, "ZXhwaXJ5IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
		{LatestExpiry, "bGF0ZXN0IDE3OTY1NjAxNDQ0ODkgMTExLg", at},
	} {
		if made := c.order.cursor(at.at); made != c.text {
			t.Errorf("%s: made %s, want %s", c.order.name, made, c.text)
		}
		if got, err := c.order.Parse(c.text); err != nil || got != c.want {
			t.Errorf("%s: %s is read as %v, %v", c.order.name, c.text, got, err)
		}
	}
}

func TestAPlaceIsReadAsItWasMadeOrNotAtAll(t *testing.T) {
	epoch := journal.Epoch("01234567")
	for _, want := range []place{
		{epoch: epoch}, {epoch: epoch, seq: 11}, {epoch: epoch, seq: 11, sweeps: []sweep{{}}}, {epoch: epoch, seq: 1 << 62, sweeps: []sweep{{7, 12}, {0, 11}}},
		{epoch: epoch, sweeps: make([]sweep, mostSweeps)},
	} {
		made := want.String()
		if got, err := parsePlace(made); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %v, %v", want, got, err)
		}
		for i := range made {
			if got, err := parsePlace(made[:i]); err == nil {
				t.Errorf("%v: cut after %d it is read as %v", want, i, got)
			}
		}
	}
	for text, p := range map[string]place{
		"too many sweeps":    {epoch: epoch, sweeps: make([]sweep, mostSweeps+1)},
		"a negative number":  {epoch: epoch, seq: -1},
		"a negative account": {epoch: epoch, sweeps: []sweep{{-1, 0}}},
		"a negative line":    {epoch: epoch, sweeps: []sweep{{0, -1}}},
		"what is no epoch":   {epoch: "epoch"},
	} {
		if got, err := parsePlace(p.String()); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
	if text, want := (place{epoch: epoch, seq: 11, sweeps: []sweep{{7, 12}}}).String(),
		"ZW50aXRsZW1lbnRzIDAxMjM0NTY3IDExIDcgMTIu"; text != want {
		t.Errorf("made %s, want %s, as clients carry it", text, want)
	}
}

func TestSweepsTakeEachOthersPlace(t *testing.T) {
	p := place{sweeps: []sweep{{0, 5}}}.sweeping(7).sweeping(8)
	begun := place{sweeps: []sweep{{0, 5}, {7, 0}, {8, 0}}}
	if !reflect.DeepEqual(p, begun) {
		t.Errorf("got %v, want %v", p, begun)
	}
	if got, want := p.swept(9, false).sweeping(7), (place{sweeps: []sweep{{0, 9}, {8, 0}, {7, 0}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("another of the same tree: got %v, want %v", got, want)
	}
	if got, want := p.swept(9, true), (place{sweeps: []sweep{{7, 0}, {8, 0}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("one is done: got %v, want %v", got, want)
	}
	if !reflect.DeepEqual(p, begun) {
		t.Errorf("what comes after a place has changed it: %v", p)
	}
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
