package record_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

type pair struct {
	Number int64
	Text   string
	At     time.Time
	Good   bool
}

var pairs = record.Declare(record.Declaration[int64, pair]{
	Name: "pair",
	Key:  func(p *pair) int64 { return p.Number },
	Fields: func(f *record.Fields, p *pair) {
		record.Int(f, "number", &p.Number)
		record.Text(f, "text", &p.Text)
		record.Time(f, "at", &p.At)
		record.Bool(f, "good", &p.Good, record.Optional)
	},
})

var _ = pairs.Index("all", func(p *pair) record.Tuple { return record.Tuple{p.Text, p.Good, p.At, p.Number} })

func entryOf(t testing.TB, p pair) string {
	t.Helper()
	s, err := pairs.Stored(p)
	if err != nil {
		t.Skip(err) // a text that is none
	}
	return s.Entries[0]
}

// FuzzOrder compares the order of entries with that of the tuples that they are made of.
func FuzzOrder(f *testing.F) {
	f.Add("a", "a\x00", int64(-1), int64(1), int64(0), int64(0), true, false)
	f.Add("\x01", "\x02", int64(-1<<63), int64(1<<63-1), int64(5), int64(-5), false, false)
	f.Add("", "\x01\x02", int64(7), int64(7), int64(-1), int64(1), true, true)
	f.Add("a", "a", int64(-1), int64(1), int64(0), int64(0), true, true)
	f.Add("a", "a", int64(0), int64(0), int64(-5), int64(5), false, false)
	f.Add("a", "a", int64(0), int64(0), int64(0), int64(0), false, true)
	f.Fuzz(func(t *testing.T, textA, textB string, a, b, atA, atB int64, goodA, goodB bool) {
		at := func(ms int64) time.Time { return time.UnixMilli(ms % (1 << 48)).UTC() }
		one, other := pair{a, textA, at(atA), goodA}, pair{b, textB, at(atB), goodB}
		want := strings.Compare(one.Text, other.Text)
		for _, next := range []int{boolOrder(one.Good, other.Good), one.At.Compare(other.At), intOrder(one.Number, other.Number)} {
			if want == 0 {
				want = next
			}
		}
		if got := strings.Compare(entryOf(t, one), entryOf(t, other)); got != want {
			t.Errorf("%+v and %+v: got the order %d, want %d", one, other, got, want)
		}
		for _, p := range []pair{one, other} {
			s, err := pairs.Stored(p)
			if err != nil {
				t.Skip(err)
			}
			again, err := pairs.Examine(s.Payload)
			if err != nil || again.Key != s.Key || !slices.Equal(again.Entries, s.Entries) {
				t.Errorf("%q is read as %+v: %v", s.Payload, again, err)
			}
		}
	})
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func intOrder(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// FuzzExamine reads texts that may be none of a session's.
func FuzzExamine(f *testing.F) {
	s, err := ports.Sessions.Stored(session.Session{ID: "id", Device: "\"\\\n\x00é", Created: time.UnixMilli(1).UTC(), Used: time.UnixMilli(-1).UTC()})
	if err != nil {
		f.Fatal(err)
	}
	newer := strings.Replace(strings.TrimSuffix(s.Payload, "}"), "{", `{"fields":99,`, 1) + `,"new":1}`
	for _, text := range []string{"", "{", "{}", newer, strings.Replace(newer, "99", "3", 1), s.Payload, s.Payload + " ", strings.Replace(s.Payload, ",", ", ", 1), strings.ToUpper(s.Payload), s.Payload[:20]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := ports.Sessions.Examine(text)
		if err != nil {
			if !errors.Is(err, record.ErrDamaged) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		v, err := ports.Sessions.Read(text)
		if errors.Is(err, record.ErrNewer) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := ports.Sessions.Write(v)
		if err != nil || again.Payload != text || again.Key != found.Key {
			t.Errorf("%q is written again as %q: %v", text, again.Payload, err)
		}
	})
}

// TestAnAbsentFieldChangesNothing compares what is written without an optional field with what was written before it.
func TestAnAbsentFieldChangesNothing(t *testing.T) {
	s, err := pairs.Stored(pair{Number: 1, Text: "a", At: time.UnixMilli(2).UTC()})
	if want := `{"number":1,"text":"a","at":2}`; err != nil || s.Payload != want {
		t.Errorf("got %s, %v, want %s", s.Payload, err, want)
	}
	for _, other := range []string{`{"number":1,"text":"a","at":2,"good":false}`, `{"text":"a","number":1,"at":2}`, `{"number":1,"text":"a"}`, `{"number":1,"text":"a","at":2,"other":1}`, `{"number":01,"text":"a","at":2}`, `{"number":1,"text":"\u0061","at":2}`} {
		if _, err := pairs.Examine(other); !errors.Is(err, record.ErrDamaged) {
			t.Errorf("%s: got error %v, want that it is damaged", other, err)
		}
	}
}

// TestADamagedRecordIsNotTakenForNewer changes what a newer version has written, and what this one has, as a disk might.
func TestADamagedRecordIsNotTakenForNewer(t *testing.T) {
	const known = `{"fields":4,"number":1,"text":"a","at":2,"good":true}`
	if _, err := pairs.Read(known); err != nil {
		t.Errorf("%s: %v", known, err)
	}
	const sound = `{"fields":6,"number":1,"text":"a","at":2,"good":true,"new":[{"x":"}"}]}`
	if _, err := pairs.Examine(sound); err != nil {
		t.Errorf("%s: %v", sound, err)
	}
	if _, err := pairs.Read(sound); !errors.Is(err, record.ErrNewer) {
		t.Errorf("%s: got error %v, want that a newer version wrote it", sound, err)
	}
	for _, damaged := range []string{
		strings.Replace(sound, "6", "4", 1), strings.Replace(sound, "6", "06", 1), strings.Replace(sound, "6", "-6", 1), strings.Replace(known, "4", "5", 1), strings.Replace(known, "4", "3", 1),
		strings.Replace(known, `"fields":4,`, "", 1), strings.Replace(sound, `"fields":6,`, "", 1), strings.Replace(sound, `"new"`, `"new`, 1), sound + "}", strings.Replace(sound, `"text"`, `"tent"`, 1),
		strings.Replace(sound, `true`, `trUe`, 1), strings.Replace(sound, `:2,`, `:2 ,`, 1), strings.Replace(known, `good`, `goad`, 1), sound[:len(sound)-1],
	} {
		if _, err := pairs.Examine(damaged); !errors.Is(err, record.ErrDamaged) {
			t.Errorf("%s: got error %v, want that it is damaged", damaged, err)
		}
	}
}
