package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/fixture"
	"resellerd/test/journals"
	"resellerd/test/model"
)

// allSeeing is an account that sees everything.
var allSeeing = &model.Reseller{Admin: true}

// metEntry names the outcome that a year had an entry of a type.
func metEntry(t journal.Type) string { return "an entry of type " + t.String() }

// metEntries are the outcomes for each type of entry that a year can have: it has no imports, jobs, second factors and
// other plans, as notMet says.
func metEntries() (all []string) {
	elsewhere := []journal.Type{journal.LineImported, journal.LineReimported, journal.BulkFinished, journal.TOTPEnabled,
		journal.TOTPDisabled, journal.TOTPReset, journal.PlanCreated, journal.PlanUpdated, journal.PlanChanged}
	for _, t := range journal.Types() {
		if !slices.Contains(elsewhere, t) {
			all = append(all, metEntry(t))
		}
	}
	return all
}

// committed compares the journal: its stored entries must be exactly the model's.
func (r *run) committed() {
	var page ports.EventPage
	if last := len(r.world.Journal); r.real != nil && last > r.compared { // which a store may number a moment later
		ctx, end := context.WithTimeout(context.Background(), time.Minute)
		defer end()
		r.may(r.current, "that the journal goes on", r.store.AwaitEntry(ctx, int64(last)-1))
	}
	if err := r.store.View(context.Background(), func(ctx context.Context, s ports.Snapshot) (err error) {
		page, err = s.Journal.List(ctx, ports.EventQuery{After: int64(r.compared), Limit: everything})
		return err
	}); err != nil {
		r.differ("the journal", "that it can be read", err.Error())
		return
	}
	for i := range max(len(page.Entries), len(r.world.Journal)-r.compared) {
		want, got := "no entry", "no entry"
		if i < len(page.Entries) {
			got = spelled(journals.Shown(&page.Entries[i]))
		}
		if r.compared+i < len(r.world.Journal) {
			want = spelled(r.world.Journal[r.compared+i].Shown(allSeeing))
		}
		if got != want {
			r.differ(r.doing(), want, got)
			return
		}
		r.seen[metEntry(page.Entries[i].Type)]++
	}
	r.compared = len(r.world.Journal)
}

func spelled(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// may checks an operator's command: it succeeds, or is unavailable, or names an account that has been renamed.
func (r *run) may(a *actor, what string, err error) {
	if err != nil && !errors.Is(err, ports.ErrUnavailable) && !errors.Is(err, fault.ErrNotFound) {
		r.differ(a.step.String(), what, err.Error())
	}
}

// begin has a process that starts begin the journal, unless the store has one.
func (r *run) begin(a *actor, by int) {
	for {
		r.tell(a.step, "process %d begins the journal, unless it has begun", by)
		err := r.services[by].Epochs.Begin(context.Background())
		if r.may(a, "that a journal begins once", err); err == nil || r.difference != nil {
			return
		}
		a.rest(1)
	}
}

// restore has the store be one that was restored from a backup, as far as the journal knows.
func (r *run) restore(a *actor) {
	r.tell(a.step, "the store was restored")
	by := r.services[a.random.IntN(processes)]
	r.may(a, "that another epoch begins", by.Epochs.BeginRestored(context.Background()))
	var listed []*model.Webhook
	a.looks = func(view bool) {
		if view {
			listed = slices.Clone(r.world.Webhooks)
		}
	}
	a.effect = func(written) {
		for _, h := range listed {
			r.world.DisableWebhook(h, "restored", a.clockRead)
		}
	}
	_, err := by.Webhooks.DisableAll(context.Background(), webhook.Restored)
	r.may(a, "that webhooks can be disabled", err)
}

// newEpoch takes over a new epoch.
func (r *run) newEpoch(w written) {
	switch now, epoch := r.current.clockRead, wroteA[journal.Epoch](w); {
	case epoch == "":
	case r.world.Epoch == "":
		r.world.BeginJournal(string(epoch), now)
	default:
		r.world.RestoreJournal(string(epoch), now)
	}
}

// blockByOperator has an operator block an account that is no admin, or lift its block.
func (r *run) blockByOperator(a *actor) {
	if len(r.world.Resellers) == 1 {
		return
	}
	target, on := pick(a.random, r.world.Resellers[1:]), a.random.IntN(2) == 0
	for _, other := range r.world.Resellers[1:] {
		if !on && other.Blocked {
			target = other
		}
	}
	r.tell(a.step, "an operator blocks account %d: %t", target.ID, on)
	a.effect = func(w written) {
		if is := wroteA[*reseller.Reseller](w); is != nil {
			r.world.OperatorBlocks(r.account(is.ID()), on, a.clockRead)
		}
	}
	r.may(a, "that an operator blocks", r.services[a.random.IntN(processes)].Admins.SetBlocked(context.Background(),
		fixture.Name(target.Name), on))
}

// resetByOperator has an operator set another password of an account.
func (r *run) resetByOperator(a *actor) {
	target, password := pick(a.random, r.world.Resellers), fmt.Sprintf("password %d", a.random.IntN(1000))
	r.tell(a.step, "an operator sets the password of account %d to %q", target.ID, password)
	a.effect = func(w written) {
		if is := wroteA[*reseller.Reseller](w); is != nil {
			r.world.OperatorResets(r.account(is.ID()), password, a.clockRead)
		}
	}
	r.may(a, "that an operator resets", r.services[a.random.IntN(processes)].Admins.ResetPassword(context.Background(),
		fixture.Name(target.Name), profile.NewSecret(password)))
}

func (r *run) account(id int64) *model.Reseller {
	return r.world.Resellers[slices.IndexFunc(r.world.Resellers, func(a *model.Reseller) bool { return a.ID == id })]
}

// concludeJournal checks the whole journal against its promises. Its entries were compared as they came.
func (r *run) concludeJournal(ctx context.Context) error {
	entries, err := journals.Sound(ctx, r.store)
	r.same("how many entries", len(r.world.Journal), len(entries))
	return err
}
