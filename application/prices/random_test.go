package prices_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/prices"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// modelVersion is a version of a book as the model has it.
type modelVersion struct {
	at   time.Time
	rows map[int64]string // nil: inherits
}

// modelPrice returns the price of a plan for an owner by the rule alone: of the nearest account from the owner upwards
// whose latest version that is not after now has rows, last of the platform. Of versions at one instant the later one
// counts.
func modelPrice(books map[int64][]modelVersion, path []int64, now time.Time, of int64) string {
	for _, account := range path {
		var in *modelVersion
		for i, v := range books[account] {
			if !v.at.After(now) && (in == nil || !v.at.Before(in.at)) {
				in = &books[account][i]
			}
		}
		if in != nil && in.rows != nil {
			return in.rows[of]
		}
	}
	return ""
}

// TestRandomBooksChargeTheRowInForce sets 10,000 random prices at random instants in random trees, charges after each,
// and recomputes each charge by a model. The sum over all accounts stays 0, and an audit finds nothing.
func TestRandomBooksChargeTheRowInForce(t *testing.T) {
	books := 10_000
	if testing.Short() {
		books = 500
	}
	const inOneStore = 250
	for seed := range books / inOneStore {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			chargeRandomBooks(t, rand.New(rand.NewPCG(uint64(seed), 55)), inOneStore)
		})
	}
}

type owner struct {
	by   application.Caller
	id   int64
	path []int64 // the books that count, the nearest first
	line int64   // 0: none yet
}

func chargeRandomBooks(t *testing.T, random *rand.Rand, changes int) {
	s := &shop{Harness: kit.New(t, application.Policy{TrialDuration: time.Hour})}
	owners := []*owner{{by: s.Admin, id: 1, path: []int64{prices.Platform}}}
	for i := range 2 + random.IntN(6) { // each below another one
		r, by := s.Create(owners[random.IntN(len(owners))].by, fmt.Sprintf("r%d", i), fmt.Sprint(1_000_000>>(2*i)), true)
		o := &owner{by: by, id: r.ID()}
		for _, id := range slices.Backward(r.Position().Path()[1:]) {
			o.path = append(o.path, id)
		}
		o.path = append(o.path, prices.Platform)
		owners = append(owners, o)
	}
	model := map[int64][]modelVersion{prices.Platform: {{rows: map[int64]string{1: "0.5", 2: "1", 3: "2", 4: "3", 5: "5",
		6: "10"}}}}
	for range changes {
		s.randomChange(random, owners, model)
		o := owners[random.IntN(len(owners))]
		s.Now = s.Now.Add(time.Duration(random.IntN(100)) * time.Second)
		s.randomCharge(random, o, model)
	}
	proof, err := s.Ledger.Prove(t.Context(), kit.Call(s.Admin))
	require.NoError(t, err)
	expect.Equal(t, proof.Balanced(), true, "issued credits are consumed or in balances")
	s.audited()
}

// randomChange sets prices of a random account at a random instant.
func (s *shop) randomChange(random *rand.Rand, owners []*owner, model map[int64][]modelVersion) {
	s.T.Helper()
	account := owners[random.IntN(len(owners))].id
	if account == 1 {
		account = prices.Platform
	}
	v := modelVersion{at: s.Now.Add(plan.Lead)}
	n := plan.Next{}
	if random.IntN(2) == 0 {
		v.at = v.at.Add(time.Duration(random.IntN(300)) * time.Second)
		n.EffectiveAt = &v.at
	}
	if account == prices.Platform || random.IntN(4) > 0 {
		v.rows = map[int64]string{}
		for of := range int64(6) {
			if random.IntN(4) > 0 || of == 0 {
				price := fixture.Units(1 + random.Int64N(20_000))
				v.rows[of+1] = price.String()
				n.Rows = append(n.Rows, plan.Row{Plan: of + 1, Credits: price})
			}
		}
	}
	var put prices.Version
	_, err := s.Prices.Put(s.T.Context(), kit.Call(s.Admin), prices.Put{Account: account, Next: n}, kit.Into(&put))
	require.NoError(s.T, err)
	if put.Number == 0 || !put.EffectiveAt.Equal(v.at) || put.Inherits() != (v.rows == nil) {
		return // the account inherits its prices already
	}
	model[account] = append(model[account], v)
}

// randomCharge activates or extends a line of an owner by a random plan, and compares the charge with the model.
func (s *shop) randomCharge(random *rand.Rand, o *owner, model map[int64][]modelVersion) {
	s.T.Helper()
	of := 1 + random.Int64N(6)
	want := modelPrice(model, o.path, s.Now, of)
	ask := plan.Request{Plan: of}
	if want != "" && random.IntN(2) == 0 {
		ask.Credits = new(fixture.Credits(want))
	}
	before := len(s.Recorded().Movements)
	var err error
	if o.line == 0 {
		var l lines.Line
		if l, err = s.activate(o.by, fmt.Sprintf("line-%d", o.id), ask); err == nil {
			o.line = l.ID()
		}
	} else {
		_, err = s.Lines.Extend(s.T.Context(), kit.Call(o.by), lines.Extend{ID: o.line, Price: ask}, kit.Shown)
	}
	if want == "" {
		expect.Error(s.T, err, plan.ErrUnknownPrice, "plan %d of account %d at %s", of, o.id, s.Now)
		return
	}
	if errors.Is(err, line.ErrTooLong) {
		require.NoError(s.T, kit.ErrorOf(s.Lines.Delete(s.T.Context(), kit.Call(o.by), o.line, kit.Shown)))
		o.line = 0
		return
	}
	require.NoError(s.T, err)
	all := s.Recorded().Movements
	expect.Equal(s.T, len(all), before+1, "movements")
	latest := int64(0)
	for id := range all {
		latest = max(latest, id)
	}
	expect.Equal(s.T, all[latest].Amount.String(), want, "plan %d of account %d at %s", of, o.id, s.Now)
}
