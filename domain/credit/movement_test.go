package credit_test

import (
	"encoding/hex"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

func TestImpossibleMovementsAreNotChained(t *testing.T) {
	to := func(source, target credit.Party, amount int64) credit.Movement {
		return credit.Movement{Source: source, Target: target, Amount: fixture.Units(amount)}
	}
	most := credit.MaxMovement().Units()
	for _, m := range []credit.Movement{
		to(credit.Issuance, credit.Reseller(1), 1),
		to(credit.Reseller(1), credit.Reseller(2), most),
		to(credit.Reseller(1), credit.Issuance, 1),
		to(credit.Reseller(1), credit.Consumption, 1),
		to(credit.Issuance, credit.Consumption, 5000),
	} {
		_, err := m.Chain()
		expect.Error(t, err, nil, "%s from %s to %s", m.Amount, m.Source, m.Target)
	}
	var missing credit.Party
	for _, c := range []struct {
		situation string
		movement  credit.Movement
		want      error // nil: any, as no caller distinguishes it
	}{
		{"nothing moved", to(credit.Issuance, credit.Reseller(1), 0), credit.ErrNotPositive},
		{"too much moved", to(credit.Issuance, credit.Reseller(1), most+1), credit.ErrTooLarge},
		{"without a source", to(missing, credit.Reseller(1), 1), nil},
		{"without a target", to(credit.Reseller(1), missing, 1), nil},
		{"back from consumption", to(credit.Consumption, credit.Reseller(1), 1), nil},
		{"from consumption to issuance", to(credit.Consumption, credit.Issuance, 1), nil},
		{"an account pays itself", to(credit.Reseller(1), credit.Reseller(1), 1), nil},
		{"issuance pays itself", to(credit.Issuance, credit.Issuance, 1), nil},
		{"consumption pays itself", to(credit.Consumption, credit.Consumption, 1), nil},
	} {
		m, err := c.movement.Chain(credit.Posting{Reseller: 1})
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !reflect.DeepEqual(m, credit.Movement{}) {
			t.Errorf("%s: got %+v, error %v, want error %v", c.situation, m, err, c.want)
		}
	}
}

// previous is a link that is not the first.
var previous = credit.Hash(everyByte()[:32])

func everyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

// recharge concerns reseller 7, for the 42nd time, and reseller 21, for the first.
func recharge(t testing.TB) credit.Movement {
	t.Helper()
	m, err := credit.Movement{
		Provenance: credit.Provenance{
			ID: 1234567890123, Actor: 7, ActorName: "north", Request: "req-1", Notes: "first line\nçé 𐐀",
			At: time.Date(2026, 2, 28, 23, 59, 59, 999e6, time.UTC),
		},
		Operation: credit.Recharge,
		Source:    credit.Reseller(7),
		Target:    credit.Reseller(21),
		Amount:    fixture.Units(125_001),
	}.Chain(
		credit.Posting{Reseller: 7, Balance: fixture.Units(9_876_543), Tip: credit.Tip{Seq: 41, Hash: previous}},
		credit.Posting{Reseller: 21, Balance: fixture.Units(125_001)},
	)
	require.NoError(t, err)
	return m
}

// Links are permanent, and auditors store them, too. A program in another language computed these, and they never
// change.
func TestLinksAreWhatTheyHaveAlwaysBeen(t *testing.T) {
	issued, err := credit.Movement{
		Provenance: credit.Provenance{ID: 5, Actor: 1, At: time.UnixMilli(0)},
		Operation:  credit.Activation,
		Source:     credit.Issuance,
		Target:     credit.Consumption,
		Amount:     fixture.Units(100_000),
		Line:       70,
	}.Chain(credit.Posting{Reseller: 1})
	require.NoError(t, err)
	for _, c := range []struct {
		movement credit.Movement
		reseller int64
		seq      int64
		want     string
	}{
		{recharge(t), 7, 42, "66b9ed6d346fc8ddf163200f4cfec79a1242b7f78b6be53270ec48257a8492bb"},
		{recharge(t), 21, 1, "fa9d180c7f592ef77d8a55d8129b1d9ce7b64af99cebc060ea994978e26adabf"},
		{issued, 1, 1, "b48432ca1907d710dda82df54620afa8bcd34af569bd5c79a7966ee071deeedd"},
	} {
		e, concerned := c.movement.Posting(c.reseller)
		if got := hex.EncodeToString(e.Hash[:]); !concerned || e.Seq != c.seq || got != c.want {
			t.Errorf("movement %d of account %d: got number %d, link %s, want %d, %s", c.movement.ID, c.reseller, e.Seq, got,
				c.seq, c.want)
		}
	}
}

// fields lists the paths of all fields that a movement records, those of its entries included.
func fields(of reflect.Type) (paths []string) {
	for _, f := range reflect.VisibleFields(of) {
		switch {
		case f.Anonymous || !f.IsExported():
		case f.Type == reflect.TypeFor[[]credit.Posting]():
			for _, below := range fields(reflect.TypeFor[credit.Posting]()) {
				paths = append(paths, f.Name+"."+below)
			}
		default:
			paths = append(paths, f.Name)
		}
	}
	return paths
}

func TestChangedMovementNoLongerFits(t *testing.T) {
	first := func(m *credit.Movement) *credit.Posting { return &m.Postings[0] }
	spoiled := map[string]func(m *credit.Movement){
		"ID":                func(m *credit.Movement) { m.ID++ },
		"Actor":             func(m *credit.Movement) { m.Actor = 21 },
		"ActorName":         func(m *credit.Movement) { m.ActorName = "south" },
		"Request":           func(m *credit.Movement) { m.Request = "req-2" },
		"Notes":             func(m *credit.Movement) { m.Notes = strings.TrimSuffix(m.Notes, "𐐀") },
		"At":                func(m *credit.Movement) { m.At = m.At.Add(time.Millisecond) },
		"Operation":         func(m *credit.Movement) { m.Operation = credit.Reclaim },
		"Source":            func(m *credit.Movement) { m.Source = credit.Issuance },
		"Target":            func(m *credit.Movement) { m.Target = credit.Reseller(22) },
		"Amount":            func(m *credit.Movement) { m.Amount = fixture.Units(m.Amount.Units() + 1) },
		"Line":              func(m *credit.Movement) { m.Line = 1 },
		"Postings.Reseller": func(m *credit.Movement) { first(m).Reseller = 8 },
		"Postings.Balance":  func(m *credit.Movement) { first(m).Balance = fixture.Units(1) },
		"Postings.Seq":      func(m *credit.Movement) { first(m).Seq++ },
		"Postings.Hash":     func(m *credit.Movement) { first(m).Hash[31] ^= 1 },
	}
	for _, field := range fields(reflect.TypeFor[credit.Movement]()) {
		if spoiled[field] == nil {
			t.Errorf("nothing proves that field %s is under the links", field)
		}
	}
	for situation, spoil := range map[string]func(m *credit.Movement){
		"no request":              func(m *credit.Movement) { m.Request = "" },
		"no notes":                func(m *credit.Movement) { m.Notes = "" },
		"request moved to notes":  func(m *credit.Movement) { m.Request, m.Notes = "", m.Request+m.Notes },
		"request and notes":       func(m *credit.Movement) { m.Request, m.Notes = m.Notes, m.Request },
		"accounts exchanged":      func(m *credit.Movement) { m.Source, m.Target = m.Target, m.Source },
		"the other entry removed": func(m *credit.Movement) { m.Postings = m.Postings[:1] },
		"an entry added":          func(m *credit.Movement) { m.Postings = append(m.Postings, credit.Posting{Reseller: 9}) },
		"entries exchanged":       func(m *credit.Movement) { slices.Reverse(m.Postings) },
		"the other's balance":     func(m *credit.Movement) { m.Postings[1].Balance = fixture.Units(1) },
		"the other's number":      func(m *credit.Movement) { m.Postings[1].Seq++ },
		"ten times as much":       func(m *credit.Movement) { m.Amount = fixture.Units(10 * m.Amount.Units()) },
		"a digit moved":           func(m *credit.Movement) { m.ID, m.Actor = m.ID*10+7, 0 },
	} {
		spoiled[situation] = spoil
	}
	for situation, spoil := range spoiled {
		m := recharge(t)
		if !m.Follows(7, previous) || !m.Follows(21, credit.Hash{}) {
			t.Fatalf("what was chained does not fit: %+v", m)
		}
		spoil(&m)
		expect.Equal(t, m.Follows(7, previous), false, "%s: it fits account 7", situation)
		// The other reseller's chain does not depend on this link.
		expect.Equal(t, m.Follows(21, credit.Hash{}), situation == "Postings.Hash", "%s: it fits account 21", situation)
	}
}

func TestMovementFitsOnlyItsResellers(t *testing.T) {
	m := recharge(t)
	for _, reseller := range []int64{0, 8, -7} {
		if e, concerned := m.Posting(reseller); concerned || e != (credit.Posting{}) {
			t.Errorf("account %d: got entry %+v", reseller, e)
		}
		for _, previous := range []credit.Hash{{}, previous} {
			expect.Equal(t, m.Follows(reseller, previous), false, "account %d: it fits", reseller)
		}
	}
	expect.Equal(t, m.Follows(7, credit.Hash{}), false, "it fits at the start of a chain")
	expect.Equal(t, m.Follows(21, previous), false, "it fits in the chain of another account")
}

func TestWhatAMovementChanges(t *testing.T) {
	amount := fixture.Units(125_001)
	between := func(source, target credit.Party) credit.Movement {
		return credit.Movement{Source: source, Target: target, Amount: amount}
	}
	for _, c := range []struct {
		movement credit.Movement
		reseller int64
		want     string
	}{
		{between(credit.Reseller(7), credit.Reseller(21)), 7, "-12.5001"},
		{between(credit.Reseller(7), credit.Reseller(21)), 21, "12.5001"},
		{between(credit.Reseller(7), credit.Reseller(21)), 8, "0"},
		{between(credit.Issuance, credit.Reseller(7)), 7, "12.5001"},
		{between(credit.Reseller(7), credit.Issuance), 7, "-12.5001"},
		{between(credit.Reseller(7), credit.Consumption), 7, "-12.5001"},
		{between(credit.Issuance, credit.Consumption), 7, "0"},
		{between(credit.Issuance, credit.Consumption), 0, "0"},
		{between(credit.Issuance, credit.Reseller(7)), 0, "0"},
	} {
		expect.Equal(t, c.movement.Change(c.reseller).String(), c.want,
			"%s from %s to %s: it changed account %d by", amount, c.movement.Source, c.movement.Target, c.reseller)
	}
}
