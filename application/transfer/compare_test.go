package transfer

import (
	"reflect"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestFormsOfOneValueAreTheSame(t *testing.T) {
	half, again, at := fixture.Credits("0.5"), fixture.Units(5_000), fixture.Noon
	for _, c := range []struct{ a, b any }{
		{reseller.State{Credits: half}, reseller.State{Credits: again}},
		{reseller.State{CreatedAt: at}, reseller.State{CreatedAt: time.UnixMilli(at.UnixMilli()).UTC()}},
		{reseller.State{}, reseller.State{Trials: []reseller.TrialSlot{}, Position: reseller.Position{Ancestors: []int64{}}}},
		{ports.KeyRecord{}, ports.KeyRecord{Request: []byte{}, Body: []byte{}}},
		{credit.Movement{}, credit.Movement{Postings: []credit.Posting{}}},
		{journal.Entry{Movement: &journal.Movement{ID: 7, Amount: half}},
			journal.Entry{Movement: &journal.Movement{ID: 7, Amount: again}}},
	} {
		expect.Equal(t, same(reflect.ValueOf(c.a), reflect.ValueOf(c.b)), true, "%+v is the same as %+v", c.a, c.b)
	}
	entries := func(seq int64) credit.Movement {
		return credit.Movement{Postings: []credit.Posting{{Tip: credit.Tip{Seq: seq}}}}
	}
	expect.Equal(t, same(reflect.ValueOf(entries(1)), reflect.ValueOf(entries(2))), false, "other entries in a slice")
	named := func(id int64) journal.Entry { return journal.Entry{Movement: &journal.Movement{ID: id}} }
	if same(reflect.ValueOf(named(1)), reflect.ValueOf(named(2))) ||
		same(reflect.ValueOf(named(1)), reflect.ValueOf(journal.Entry{})) {
		t.Error("what a pointer leads to counts for nothing")
	}
}
