package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/ledger"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// TestABalanceIsFoundAtAnyInstant, and so are the periods between two instants.
func TestABalanceIsFoundAtAnyInstant(t *testing.T) {
	h := kit.New(t, application.Policy{})
	began := h.Now
	h.Now = began.Add(time.Hour)
	maria, token := h.Create(h.Admin, "maria", "1", false)
	const movements = 21 // hour by hour, two at a time
	for i := range movements - 1 {
		h.Now = began.Add(time.Duration(2+i/2) * time.Hour)
		require.NoError(t, kit.ErrorOf(h.Credits.Add(t.Context(), kit.Call(h.Admin),
			resellers.Move{ID: maria.ID(), Credits: fixture.Credits("1")}, kit.Shown)))
	}
	h.Now = h.Now.Add(time.Hour)
	at := func(instant time.Time) string {
		found, err := h.Ledger.BalanceAt(t.Context(), kit.Call(token), ledger.BalanceAt{Reseller: maria.ID(), At: &instant})
		require.NoError(t, err)
		expect.Equal(t, found.At.UnixMilli(), min(instant.UnixMilli(), h.Now.UnixMilli()), "requested: %s", instant)
		expect.Equal(t, found.Reseller, maria.ID(), "requested: %s, the account", instant)
		return found.Credits.String()
	}
	seen := 0
	for hour := range 13 {
		this := began.Add(time.Duration(hour) * time.Hour)
		before, want := max(0, 2*hour-3), max(0, 2*hour-1)
		if hour == 12 {
			before, want = movements, movements
		}
		expect.Equal(t, at(this.Add(-time.Millisecond)), fmt.Sprint(before), "just before hour %d it is", hour)
		expect.Equal(t, at(this), fmt.Sprint(want), "at hour %d it is", hour)

		next := this.Add(time.Hour)
		period := kit.Must(h.Ledger.Period(t.Context(), kit.Call(token), ledger.Bounds{maria.ID(), &this, &next}))
		expect.Equal(t, fmt.Sprint(period.Opening, period.Closing), fmt.Sprint(before, " ", want), "in hour %d", hour)
		for c := (ledger.Statement{Reseller: maria.ID(), Period: &period, Limit: 1}); ; {
			page := kit.Must(h.Ledger.Statement(t.Context(), kit.Call(token), c))
			for _, e := range page.Items {
				expect.Equal(t, e.At.Sub(this).Truncate(time.Hour), 0, "hour %d has movement %d", hour, e.Posting.Seq)
				seen++
			}
			if c.After = page.Next; c.After == nil {
				break
			}
		}
	}
	expect.Equal(t, seen, movements, "movements of all periods")
	expect.Equal(t, at(h.Now.Add(time.Hour)), fmt.Sprint(movements), "in the future it is")
	found := kit.Must(h.Ledger.BalanceAt(t.Context(), kit.Call(h.Admin), ledger.BalanceAt{Reseller: maria.ID()}))
	expect.Equal(t, found.At, h.Now, "the instant by default")
	_, err := h.Ledger.BalanceAt(t.Context(), kit.Call(token), ledger.BalanceAt{Reseller: h.Admin.Reseller()})
	expect.Error(t, err, fault.ErrNotFound)
}

// TestAPastPeriodDoesNotChange when movements follow, although the clocks of two processes differ.
func TestAPastPeriodDoesNotChange(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, token := h.Create(h.Admin, "maria", "1", false)
	end := h.Now.Add(time.Hour)
	closing := func() string {
		period := kit.Must(h.Ledger.Period(t.Context(), kit.Call(token), ledger.Bounds{maria.ID(), nil, &end}))
		return period.Closing.String()
	}
	first := ""
	for i := range 40 {
		h.Now = end.Add(time.Duration(i-10) * time.Second).Add(time.Duration(i%3) * -5 * time.Second)
		require.NoError(t, kit.ErrorOf(h.Credits.Add(t.Context(), kit.Call(h.Admin),
			resellers.Move{ID: maria.ID(), Credits: fixture.Credits("1")}, kit.Shown)))
		if i == 25 {
			first = closing()
		}
	}
	expect.Equal(t, closing(), first, "the closing balance after more movements")
}
