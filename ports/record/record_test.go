package record_test

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/require"
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
		t.Skip(err) // not a valid text
	}
	return s.Entries[0]
}

// FuzzOrder compares the order of entries with that of their tuples.
func FuzzOrder(f *testing.F) {
	f.Add("a", "a\x00", int64(-1), int64(1), int64(0), int64(0), true, false)
	f.Add("\x01", "\x02", int64(-1<<63), int64(1<<63-1), int64(5), int64(-5), false, false)
	f.Add("", "\x01\x02", int64(7), int64(7), int64(-1), int64(1), true, true)
	f.Add("a", "a", int64(0), int64(0), int64(-5), int64(5), false, false)
	f.Add("a", "a", int64(0), int64(0), int64(0), int64(0), false, true)
	f.Fuzz(func(t *testing.T, textA, textB string, a, b, atA, atB int64, goodA, goodB bool) {
		at := func(ms int64) time.Time { return time.UnixMilli(ms % (1 << 48)).UTC() }
		one, other := pair{a, textA, at(atA), goodA}, pair{b, textB, at(atB), goodB}
		want := cmp.Or(strings.Compare(one.Text, other.Text),
			strings.Compare(fmt.Sprint(one.Good), fmt.Sprint(other.Good)), one.At.Compare(other.At),
			cmp.Compare(one.Number, other.Number))
		expect.Equal(t, strings.Compare(entryOf(t, one), entryOf(t, other)), want,
			"%+v and %+v: got the order", one, other)
	})
}

type mood string

type album struct {
	Number int64
	Pairs  []pair
	Moods  []mood
}

var albums = record.Declare(record.Declaration[int64, album]{
	Name: "album",
	Key:  func(a *album) int64 { return a.Number },
	Fields: func(f *record.Fields, a *album) {
		record.Int(f, "number", &a.Number)
		record.Objects(f, "pairs", &a.Pairs, func(f *record.Fields, p *pair) {
			record.Int(f, "number", &p.Number)
			record.Text(f, "text", &p.Text)
			record.Time(f, "at", &p.At)
			record.Bool(f, "good", &p.Good)
		})
		record.Texts(f, "moods", &a.Moods)
	},
})

// The test reads lists of objects as they are written.
func TestObjectsAreWrittenOneWay(t *testing.T) {
	at := time.UnixMilli(-2).UTC()
	for want, a := range map[string]album{
		`{"number":7,"pairs":[],"moods":[]}`: {Number: 7},
		`{"number":7,"pairs":[{"number":0,"text":"","at":-62135596800000,"good":false}],"moods":["",""]}`:                                               {7, []pair{{}}, []mood{"", ""}},
		`{"number":7,"pairs":[{"number":-1,"text":"]},{\"","at":-2,"good":true},{"number":2,"text":"\u0000","at":-2,"good":false}],"moods":["bright"]}`: {7, []pair{{-1, `]},{"`, at, true}, {2, "\x00", at, false}}, []mood{"bright"}},
	} {
		s, err := albums.Stored(a)
		expect.Error(t, err, nil, "%+v", a)
		expect.Equal(t, s.Payload, want, "%+v is written as", a)
		if got, err := albums.Read(want); err != nil || !reflect.DeepEqual(got, &a) {
			t.Errorf("%s is read as %+v, want %+v (%v)", want, got, a, err)
		}
	}
	if _, err := albums.Stored(album{Pairs: []pair{{}, {Text: "\xff"}}}); err == nil ||
		!strings.Contains(err.Error(), "text") {
		t.Errorf("a text that is none: got error %v", err)
	}
}

// The test changes, removes and doubles each byte of a record with objects. A record that is still read is written the
// same way: only a digit, a sign or a letter of a value may differ.
func TestADamagedObjectIsFound(t *testing.T) {
	sound, isValue := "", []bool(nil)
	const values = `{"number":<7>,"pairs":[{"number":<-1>,"text":"<ab>","at":<12>,"good":true},{"number":<2>,"text":"","at":<3>,"good":false}],"moods":["<bright>","<dim>"]}`
	for i, part := range strings.FieldsFunc(values, func(r rune) bool { return r == '<' || r == '>' }) {
		sound, isValue = sound+part, append(isValue, slices.Repeat([]bool{i%2 == 1}, len(part))...)
	}
	examine := func(damaged string, mayBeAnother bool) {
		t.Helper()
		found, err := albums.Examine(damaged)
		if err != nil {
			expect.Error(t, err, record.ErrDamaged, "%s", damaged)
			return
		}
		v, err := albums.Read(damaged)
		require.NoError(t, err)
		if again, err := albums.Write(v); err != nil || again.Payload != damaged || found.Key != again.Key || !mayBeAnother {
			t.Errorf("%s is read, and written as %s (%v)", damaged, again.Payload, err)
		}
	}
	_, err := albums.Examine(sound)
	require.NoError(t, err)
	for i := range sound {
		before, after := sound[:i], sound[i+1:]
		examine(before, false)
		examine(before+after, isValue[i])
		examine(before+sound[i:i+1]+sound[i:], isValue[i])
		for c := range 256 {
			if byte(c) != sound[i] {
				examine(before+string([]byte{byte(c)})+after, isValue[i])
			}
		}
	}
	for _, damaged := range []string{
		strings.Replace(sound, "},{", "}, {", 1), strings.Replace(sound, `}]`, `},]`, 1),
		strings.Replace(sound, `"number":-1,"text":"ab"`, `"text":"ab","number":-1`, 1),
		strings.Replace(sound, `"at":12,`, "", 1), strings.Replace(sound, `"good":true`, `"good":true,"new":1`, 1),
		strings.Replace(sound, `"moods":["bright","dim"]`, `"moods":null`, 1), strings.Replace(sound, "-1", "-01", 1),
	} {
		examine(damaged, false)
	}
}

// FuzzExamine reads texts that may not be records of a kind.
func FuzzExamine(f *testing.F) {
	of := ports.WebhookProgress
	s, err := of.Stored(webhook.Progress{
		Webhook: 7, Cursor: 9,
		Waiting: []webhook.Waiting{{Seq: 8, Attempts: 2, Began: time.UnixMilli(1).UTC(), Due: time.UnixMilli(-1).UTC()},
			{Seq: 9}},
		Attempts: []webhook.Attempt{{Event: "evt_]}\"\\\n\x00é", Number: 1, Status: 500, Took: 3, Failure: webhook.NotAccepted}},
	})
	require.NoError(f, err)
	newer := strings.Replace(strings.TrimSuffix(s.Payload, "}"), "{", `{"fields":99,`, 1) + `,"new":1}`
	for _, text := range []string{"", "{", "{}", newer, strings.Replace(newer, "99", "3", 1), s.Payload, s.Payload + " ",
		strings.Replace(s.Payload, ",", ", ", 1), strings.ToUpper(s.Payload), s.Payload[:20]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := of.Examine(text)
		if err != nil {
			expect.Error(t, err, record.ErrDamaged, "%q", text)
			return
		}
		v, err := of.Read(text)
		if errors.Is(err, record.ErrNewer) {
			return
		}
		require.NoError(t, err)
		again, err := of.Write(v)
		if err != nil || again.Payload != text || again.Key != found.Key {
			t.Errorf("%q is written again as %q: %v", text, again.Payload, err)
		}
	})
}

// The test changes a record of a newer version, and one of this version, as a disk might.
func TestADamagedRecordIsNotTakenForNewer(t *testing.T) {
	s, err := pairs.Stored(pair{Number: 1, Text: "a", At: time.UnixMilli(2).UTC()})
	expect.Error(t, err, nil)
	expect.Equal(t, s.Payload, `{"number":1,"text":"a","at":2}`, "without the optional field it is as before")
	const known = `{"fields":4,"number":1,"text":"a","at":2,"good":true}`
	_, err = pairs.Read(known)
	expect.Error(t, err, nil, "%s", known)
	const sound = `{"fields":6,"number":1,"text":"a","at":2,"good":true,"new":[{"x":"}"}]}`
	_, err = pairs.Examine(sound)
	expect.Error(t, err, nil, "%s", sound)
	_, err = pairs.Read(sound)
	expect.Error(t, err, record.ErrNewer, "%s", sound)
	for _, damaged := range []string{
		strings.Replace(sound, "6", "4", 1), strings.Replace(sound, "6", "06", 1), strings.Replace(sound, "6", "-6", 1),
		strings.Replace(known, "4", "5", 1), strings.Replace(known, "4", "3", 1),
		strings.Replace(known, `"fields":4,`, "", 1), strings.Replace(sound, `"fields":6,`, "", 1),
		strings.Replace(sound, `"new"`, `"new`, 1), sound + "}", strings.Replace(sound, `"text"`, `"tent"`, 1),
		strings.Replace(sound, `true`, `trUe`, 1), strings.Replace(sound, `:2,`, `:2 ,`, 1),
		strings.Replace(known, `good`, `goad`, 1), sound[:len(sound)-1], `{"number":1,"text":"a"}`,
		`{"number":1,"text":"a","at":2,"good":false}`, `{"text":"a","number":1,"at":2}`,
	} {
		_, err := pairs.Examine(damaged)
		expect.Error(t, err, record.ErrDamaged, "%s", damaged)
	}
}

// The kind has two secrets, one of which a record may lack.
func TestEachSecretIsResealedUnderItsLabel(t *testing.T) {
	for _, c := range []struct {
		was, want webhook.Webhook
		labels    []string
	}{
		{webhook.Webhook{ID: 7, Secret: []byte("a"), Previous: []byte("b")},
			webhook.Webhook{ID: 7, Secret: []byte("renewed a"), Previous: []byte("renewed b")},
			[]string{"webhook.secret/[7]", "webhook.previous/[7]"}},
		{webhook.Webhook{ID: 9, Secret: []byte("new")}, webhook.Webhook{ID: 9, Secret: []byte("new")},
			[]string{"webhook.secret/[9]"}},
	} {
		was, err := ports.Webhooks.Stored(c.was)
		require.NoError(t, err)
		want, err := ports.Webhooks.Stored(c.want)
		require.NoError(t, err)
		var labels []string
		got, changed, err := ports.Webhooks.Reseal(was.Payload, func(sealed []byte, label string) ([]byte, bool, error) {
			if labels = append(labels, label); string(sealed) == "new" {
				return sealed, false, nil
			}
			return append([]byte("renewed "), sealed...), true, nil
		})
		if err != nil || got.Payload != want.Payload || changed != (was.Payload != want.Payload) ||
			!slices.Equal(labels, c.labels) {
			t.Errorf("%s is resealed as %s under %q, changed: %t, want %s under %q (%v)", was.Payload, got.Payload, labels,
				changed, want.Payload, c.labels, err)
		}
		failure := errors.New("it can't be opened")
		_, _, err = ports.Webhooks.Reseal(was.Payload, func([]byte, string) ([]byte, bool, error) {
			return nil, false, failure
		})
		expect.Error(t, err, failure)
	}
}
