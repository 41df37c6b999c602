package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/reports"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// sumUp returns a summary as a text: balance, counts, and the days with activity, as distances from today.
func sumUp(h *kit.Harness, by application.Caller, c reports.Summary) string {
	h.T.Helper()
	found, err := h.Reports.Summary(h.T.Context(), kit.Call(by), c)
	require.NoError(h.T, err)
	if len(found.Days) != c.Days || !found.Days[c.Days-1].Begins.Equal(h.Now.Truncate(24*time.Hour)) ||
		!found.At.Equal(h.Now) {
		h.T.Errorf("%d days until %s were requested, at %s; got %v", c.Days, h.Now, found.At, found.Days)
	}
	l := found.Lines
	text := fmt.Sprintf("%s; %d %d %d %d %t", found.Balance, l.Running, l.Trials, l.Expiring, l.Expired, l.Capped)
	for i, d := range found.Days {
		if f := fmt.Sprintf("%d %d %d %s %s", d.Trials, d.Activations, d.Extensions, d.Spent, d.Received); f != "0 0 0 0 0" {
			text += fmt.Sprintf("; %d: %s", i-c.Days+1, f)
		}
	}
	return text
}

func TestSummaryCountsActivityDayByDay(t *testing.T) {
	h := kit.New(t, application.Policy{})
	master, masters := h.Create(h.Admin, "master", "20", true)
	below, belows := h.Create(masters, "below", "5", false)
	sold, err := h.Activate(belows, h.Activation(h.Trial(belows).ID(), "sold", "0.5"))
	require.NoError(t, err)
	h.Now = h.Now.Add(12 * time.Hour) // the next day
	require.NoError(t, kit.ErrorOf(h.Lines.Extend(t.Context(), kit.Call(masters),
		lines.Extend{ID: sold.ID(), Price: fixture.Request("1")}, kit.Shown)))
	require.NoError(t, kit.ErrorOf(h.Credits.Reclaim(t.Context(), kit.Call(masters),
		resellers.Move{ID: below.ID(), Credits: fixture.Credits("2")}, kit.Shown)))
	require.NoError(t, kit.ErrorOf(h.Activate(h.Admin, h.Activation(h.Trial(h.Admin).ID(), "own", "10"))))
	h.Trial(masters)
	own := reports.Summary{Days: 2}
	of := func(id int64) reports.Summary { return reports.Summary{Account: &id, Days: 2} }
	tree := reports.Summary{Tree: new(master.ID()), Days: 2}
	for _, c := range []struct {
		name string
		by   application.Caller
		asks reports.Summary
		want string
	}{
		{"one's own", belows, own, "1.5; 1 0 0 0 false; -1: 1 1 0 0.5 5; 0: 0 0 1 1 0"},
		{"of one below", masters, of(below.ID()), "1.5; 1 0 0 0 false; -1: 1 1 0 0.5 5; 0: 0 0 1 1 0"},
		{"its own, without what is below", masters, own, "17; 0 1 0 0 false; -1: 0 0 0 0 20; 0: 1 0 0 0 2"},
		{"of a tree", masters, tree, "18.5; 1 1 0 0 false; -1: 1 1 0 0.5 25; 0: 1 0 1 1 2"},
		{"of an admin, whose lines issuance pays", h.Admin, own, "0; 1 0 0 0 false; 0: 1 1 0 10 0"},
		{"of all that an admin has", h.Admin, reports.Summary{Tree: new(h.Admin.Reseller()), Days: 1},
			"18.5; 2 1 0 0 false; 0: 2 1 1 11 2"},
		{"of one of a tree", h.Admin, reports.Summary{Account: new(below.ID()), Tree: new(master.ID()), Days: 1},
			"1.5; 1 0 0 0 false; 0: 0 0 1 1 0"},
		{"of a year", belows, reports.Summary{Days: reports.MostDays},
			"1.5; 1 0 0 0 false; -1: 1 1 0 0.5 5; 0: 0 0 1 1 0"},
	} {
		expect.Equal(t, sumUp(h, c.by, c.asks), c.want, "%s", c.name)
	}
	expect.Error(t, kit.ErrorOf(h.Reports.Summary(t.Context(), kit.Call(belows), of(master.ID()))), fault.ErrNotFound)
	expect.Error(t, kit.ErrorOf(h.Reports.Summary(t.Context(), kit.Call(masters),
		reports.Summary{Account: new(master.ID()), Tree: new(below.ID()), Days: 1})), fault.ErrNotFound)
	for _, c := range []struct {
		expires time.Duration // of the one official line, from now
		want    string
	}{
		{7*24*time.Hour + time.Millisecond, "1 0 0 0"}, {7 * 24 * time.Hour, "1 0 1 0"}, {time.Millisecond, "1 0 1 0"},
		{0, "0 0 0 1"}, {-14 * 24 * time.Hour, "0 0 0 1"}, {-14*24*time.Hour - time.Millisecond, "0 0 0 0"},
	} {
		line, err := h.Lines.Get(t.Context(), kit.Call(belows), sold.ID())
		require.NoError(t, err)
		h.Now = line.ExpiresAt().Add(-c.expires)
		got := sumUp(h, belows, own)
		expect.Equal(t, strings.HasPrefix(got, "1.5; "+c.want+" false"), true, "in %s, %q has %q", c.expires, got, c.want)
	}
}
