package model

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/events"
	"resellerd/application/reports"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
	"resellerd/test/journals"
)

// epoch is the one in force, which the head may not have yet.
func (m *machine) epoch(t *rapid.T) string {
	var epoch journal.Epoch
	check(t, m.kept.Update(t.Context(), func(ctx context.Context, tx ports.Tx) (err error) {
		epoch, err = tx.Journal.Epoch(ctx)
		return err
	}))
	return string(epoch)
}

// operate has an operator do what the command line does: block anybody and lift any block, give another password, or
// say that the store was restored or its service key replaced.
func (m *machine) operate(t *rapid.T) {
	target := m.anyReseller(t, "target")
	name := fixture.Name(target.Name)
	switch rapid.IntRange(0, 9).Draw(t, "command") {
	case 0:
		check(t, m.service.Epochs.BeginRestored(t.Context()))
		m.RestoreJournal(m.epoch(t), m.now)
	case 1:
		check(t, m.service.Epochs.ServiceKeyReplaced(t.Context()))
		m.ReplaceKey(m.now)
	case 4, 5:
		m.resetByOperator(t)
	case 2, 3:
		password := rapid.SampledFrom([]string{target.Password, "password", "another"}).Draw(t, "password")
		check(t, m.service.Admins.ResetPassword(t.Context(), name, profile.NewSecret(password)))
		m.OperatorResets(target, password, m.now)
		kept, err := m.service.Resellers.Get(t.Context(), application.Call{Caller: m.tokens[m.Resellers[0]]}, target.ID)
		if target.Admin { // whose token has ended
			m.tokens[target] = m.login(t, target)
		} else {
			check(t, err)
			m.tokens[target] = m.tokenOf(t, kept)
		}
		m.ended(t, Person{Of: target})
	default:
		if target.Admin {
			t.Skip("everything else would stand still")
		}
		on := rapid.IntRange(0, 3).Draw(t, "on") == 0
		check(t, m.service.Admins.SetBlocked(t.Context(), name, on))
		m.OperatorBlocks(target, on, m.now)
	}
	check(t, m.service.Epochs.Begin(t.Context())) // as each start does, and each command
}

// journal compares what happened with what the model says.
func (m *machine) journal(t *rapid.T) {
	m.numbered(t)
	m.number(t)
	entries, err := journals.Sound(t.Context(), m.kept)
	check(t, err)
	admin := m.Resellers[0]
	if len(entries) < len(m.Journal) {
		t.Fatalf("there are %d entries, and the model says %d", len(entries), len(m.Journal))
	}
	for i, got := range entries {
		if i >= len(m.Journal) {
			t.Fatalf("there is entry %s, and nothing happened", text(t, journals.Shown(&got)))
		}
		if got, want := text(t, journals.Shown(&got)), text(t, m.Journal[i].Shown(admin)); got != want {
			t.Fatalf("there is entry\n%s, and the model says\n%s", got, want)
		}
	}
	for _, r := range m.Resellers[1:] {
		m.sight(t, r, entries)
	}
	for _, r := range m.Resellers {
		m.figures(t, r)
	}
}

// patience is how long a store may take to number an entry.
const patience = 2 * time.Minute

// numbered waits until every entry has its number: a store may give them a moment after the commits.
func (m *machine) numbered(t *rapid.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	check(t, m.kept.AwaitEntry(ctx, int64(len(m.Journal))-1))
}

// sight compares what a reseller may see.
func (m *machine) sight(t *rapid.T, r *Reseller, entries []journal.Numbered) {
	var as *reseller.Reseller
	check(t, m.kept.View(t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		as, err = s.Resellers.Get(ctx, r.ID)
		return err
	}))
	want := m.Events(r, EventFilter{})
	for _, n := range entries {
		shown, err := n.SeenBy(as)
		if err != nil {
			continue
		}
		n.Entry = shown
		if len(want) == 0 || text(t, journals.Shown(&n)) != text(t, want[0].Shown(r)) {
			t.Fatalf("account %d sees\n%s, and the model says\n%s", r.ID, text(t, journals.Shown(&n)), text(t, want))
		}
		want = want[1:]
	}
	if len(want) > 0 {
		t.Fatalf("account %d does not see %s", r.ID, text(t, want[0].Shown(r)))
	}
}

// number gives movements their ids, which the service has made.
func (m *machine) number(t *rapid.T) {
	known := 0
	check(t, m.kept.Parts().Archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		for after := int64(0); ; {
			found, err := r.Movements(ctx, after, 100)
			if err != nil || len(found) == 0 {
				return err
			}
			for _, f := range found {
				if after = f.ID; known < len(m.Movements) {
					m.Movements[known].ID = f.ID
				}
				known++
			}
		}
	}))
	if known != len(m.Movements) {
		t.Fatalf("there are %d movements, and the model says %d", known, len(m.Movements))
	}
}

// figures compares what a reseller did in all.
func (m *machine) figures(t *rapid.T, r *Reseller) {
	from, to := m.Journal[0].Now, m.now.Add(24*time.Hour)
	var got Figures
	check(t, m.kept.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		days, err := s.Journal.Figures(ctx, []int64{r.ID}, from, to)
		got = Figures{}
		for _, d := range days {
			got.Trials += int(d.Trials)
			got.Activations += int(d.Activations)
			got.Extensions += int(d.Extensions)
			got.Spent, got.Received = got.Spent.Add(d.Spent), got.Received.Add(d.Received)
		}
		return err
	}))
	if want := m.FiguresOf(r, from, to); text(t, got) != text(t, want) {
		t.Fatalf("account %d did %s, and the model says %s", r.ID, text(t, got), text(t, want))
	}
}

func text(t *rapid.T, v any) string {
	written, err := json.Marshal(v)
	check(t, err)
	return string(written)
}

// listEvents compares what a reseller is shown of the journal with the model, from the oldest on or from the newest.
func (m *machine) listEvents(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	m.numbered(t)
	m.number(t)
	query := events.List{Newest: rapid.Bool().Draw(t, "newest"),
		Limit: rapid.SampledFrom([]int{1, 3, 500}).Draw(t, "limit")}
	var filter EventFilter
	if a := maybe(t, "account", 3, m.Resellers); a != nil {
		filter.Account, query.Account = *a, &(*a).ID
	}
	if a := maybe(t, "tree", 3, m.Resellers); a != nil {
		filter.Tree, query.Tree = *a, &(*a).ID
	}
	if len(m.Lines) > 0 {
		if l := maybe(t, "line", 3, m.Lines); l != nil {
			filter.Line, query.Line = (*l).ID, &(*l).ID
		}
	}
	if pattern := maybe(t, "type", 2, []string{"line.*", "reseller.credited", "session.*", "operator.*", "token.revoked",
		"line.suspended", "reseller.blocked"}); pattern != nil {
		types, err := journal.ParseTypes(*pattern)
		check(t, err)
		filter.Types, query.Types = []string{*pattern}, types
	}
	var want []string
	if (filter.Account == nil || by.Sees(filter.Account)) && (filter.Tree == nil || by.Sees(filter.Tree)) {
		for _, e := range m.Events(by, filter) {
			want = append(want, text(t, e.Shown(by)))
		}
	}
	if query.Newest {
		slices.Reverse(want)
	}
	caller, _, refused := m.asks(t, by)
	var got []string
	for more := true; more; {
		page, err := m.service.Events.List(t.Context(), application.Call{Caller: caller}, query)
		if !outcome(t, "list events", err, firstOf(refused != "", refused, by.Frozen(), "account-blocked")) {
			return
		}
		for _, n := range page.Items {
			got = append(got, text(t, journals.Shown(&n)))
		}
		query.After, more = page.Next, page.More
	}
	if !slices.Equal(got, want) {
		t.Fatalf("account %d is shown\n%s, and the model says\n%s", by.ID, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// reports compares what a reseller is told of an account, or of a tree: its balance at an instant, its lines, and what
// was done on each day.
func (m *machine) reports(t *rapid.T) {
	by, of := m.anyReseller(t, "actor"), m.anyReseller(t, "of")
	m.numbered(t)
	caller, _, refused := m.asks(t, by)
	refused = firstOf(refused != "", refused, by.Frozen(), "account-blocked", !by.Sees(of), "not-found")
	at := m.Journal[0].Now.Add(
		time.Duration(rapid.Int64Range(-1, m.now.Sub(m.Journal[0].Now).Milliseconds()+1).Draw(t, "at")) * time.Millisecond)
	if len(of.Statement) > 0 && rapid.Bool().Draw(t, "at a movement") {
		at = rapid.SampledFrom(of.Statement).Draw(t, "movement").Now
	}
	balance, err := m.service.Reports.BalanceAt(t.Context(), application.Call{Caller: caller},
		reports.BalanceAt{Reseller: of.ID, At: &at})
	if outcome(t, "balance", err, refused) && !balance.Credits.Decimal().Equal(of.BalanceAt(at)) {
		t.Fatalf("account %d had %s at %s, and the model says %s", of.ID, balance.Credits, at, of.BalanceAt(at))
	}

	query := reports.Summary{Account: &of.ID, Days: rapid.SampledFrom([]int{1, 2, 40}).Draw(t, "days")}
	if rapid.Bool().Draw(t, "tree") {
		query.Account, query.Tree = nil, &of.ID
	}
	sum, err := m.service.Reports.Summary(t.Context(), application.Call{Caller: caller}, query)
	if !outcome(t, "summary", err, refused) {
		return
	}
	all, held := []*Reseller{of}, of.Balance
	if query.Tree != nil {
		all, held = nil, decimal.Decimal{}
		for _, r := range m.Resellers {
			if r.Within(of) || of.Admin {
				all, held = append(all, r), held.Add(r.Balance)
			}
		}
	}
	lines := m.CountLines(m.now, all...)
	if got := (Counts{sum.Lines.Running, sum.Lines.Trials, sum.Lines.Expiring, sum.Lines.Expired}); got != lines ||
		sum.Lines.Capped || !sum.Balance.Equal(held) {
		t.Fatalf("the summary of account %d says %s, %+v, and the model %s, %+v", of.ID, sum.Balance, sum.Lines, held, lines)
	}
	if len(sum.Days) != query.Days || !sum.Days[query.Days-1].Begins.Equal(m.now.Truncate(24*time.Hour)) {
		t.Fatalf("the summary of %d days has %d", query.Days, len(sum.Days))
	}
	for _, d := range sum.Days {
		var want Figures
		for _, r := range all {
			f := m.FiguresOf(r, d.Begins, d.Begins.Add(24*time.Hour))
			want = Figures{want.Trials + f.Trials, want.Activations + f.Activations, want.Extensions + f.Extensions,
				want.Spent.Add(f.Spent), want.Received.Add(f.Received)}
		}
		if got := (Figures{int(d.Trials), int(d.Activations), int(d.Extensions), d.Spent, d.Received}); text(t,
			got) != text(t, want) {
			t.Fatalf("on %s account %d did %s, and the model says %s", d.Begins, of.ID, text(t, got), text(t, want))
		}
	}
}
