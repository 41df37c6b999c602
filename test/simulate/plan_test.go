package simulate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"resellerd/application/audit"
	"resellerd/domain/credit"
	"resellerd/ports"
	"resellerd/test/model"
)

const day = 24 * time.Hour

// gap returns the time without a request before a round: moments, hours, or until an instant at which something ends.
func (r *run) gap() time.Duration {
	switch n := r.random.IntN(10); {
	case n < 1:
		return time.Duration(r.random.IntN(30_000)) * time.Millisecond
	case n < 5:
		return time.Duration(r.random.Int64N(int64(2*day)/1e6)) * time.Millisecond
	}
	now := r.now()
	var ends []time.Time
	for _, l := range r.world.Lines {
		ends = append(ends, l.Expires, l.Expires.Add(-time.Duration(pick(r.random, expiringDays))*day))
	}
	for _, known := range r.answers {
		ends = append(ends, known.expires)
	}
	for _, s := range r.world.Sessions {
		ends = append(ends, s.ExpiresAt(), s.EndsAt())
	}
	for _, p := range r.world.Principals {
		ends = append(ends, p.Expires)
	}
	month := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	ends = append(ends, month, month.Add(-6*time.Hour), now.Truncate(day).Add(day))
	ends = slices.DeleteFunc(ends, func(end time.Time) bool { return !end.After(now) || end.After(now.Add(2*day)) })
	slices.SortFunc(ends, time.Time.Compare)
	if len(ends) == 0 {
		return time.Hour
	}
	end := ends[r.random.IntN(len(ends))].Add(time.Duration(r.random.IntN(3)-1) * time.Millisecond)
	return max(0, end.Sub(now))
}

// heat has the clients of a round, now and then, be after the same: an account, a line or a webhook of its, an
// operation.
func (r *run) heat() {
	r.contended = contended{}
	if r.random.IntN(3) > 0 {
		return
	}
	r.contended.reseller = pick(r.random, r.world.Resellers)
	among, w := table, r.world
	switch n := r.random.IntN(8); {
	case n < 3 && len(w.Lines) > 0:
		r.contended.line = pick(r.random, w.Lines[max(0, len(w.Lines)-20):])
		r.contended.reseller = r.contended.line.Owner
	case n < 5 && len(w.Webhooks) > 0:
		r.contended.webhook = pick(r.random, w.Webhooks)
		r.contended.reseller, among = r.contended.webhook.Of, ofWebhooks
	case n < 7 && len(w.Principals) > 0:
		r.contended.principal = pick(r.random, w.Principals)
		if r.contended.reseller = r.contended.principal.Of; n == 6 {
			among = ofPrincipals
		}
	}
	if r.random.IntN(2) == 0 {
		r.contended.operation = pick(r.random, among)
		for range 3 {
			if r.contended.operation.Method == http.MethodGet {
				r.contended.operation = pick(r.random, among)
			}
		}
	}
}

// mostAhead is how far a clock is off at most.
const mostAhead = 26 * time.Hour

// jump sets the clock of a process, now and then: by little, by minutes, or by a day.
func (r *run) jump() {
	if r.random.IntN(10) > 0 {
		return
	}
	p := r.processes[r.random.IntN(processes)]
	most := []time.Duration{50 * time.Millisecond, 5 * time.Second, 5 * time.Minute, mostAhead}[r.random.IntN(4)]
	p.skew = time.Duration(r.random.Int64N(int64(2*most/time.Millisecond))-int64(most/time.Millisecond)) * time.Millisecond
	if r.random.IntN(2) == 0 {
		p.skew = 0
	}
	r.tell(stepID{r.round, 0}, "the clock of process %d is off by %s", p.number, p.skew)
}

// The operator's steps of a round, behind those of its clients.
const (
	rekeySlot   = 1000
	forgetSlot  = 1001
	leaveSlot   = 1002
	beginSlot   = 1010 // and one for each process
	restoreSlot = 1020
	remindSlot  = 1030 // likewise, as for the next
	deliverSlot = 1040
	settleSlot  = 1050
	blockSlot   = 1021
	resetSlot   = 1022
)

// operate adds what an operator does in a round: it replaces the service key, or has keys and sessions removed that
// have expired.
func (r *run) operate() {
	add := func(slot int, do func(a *actor), effect func(w written)) {
		id := stepID{r.round, slot}
		if r.mask.dropped[id] {
			return
		}
		r.steps = append(r.steps, id)
		r.operator(id, false, do, effect)
	}
	if r.random.IntN(150) == 0 && r.round > 20 {
		add(rekeySlot, r.replaceKey, nil)
	}
	if r.random.IntN(12) == 0 {
		add(forgetSlot, func(a *actor) {
			r.tell(a.step, "expired keys are removed")
			_, err := r.services[a.random.IntN(processes)].IdempotencyKeys.ForgetExpired(context.Background(), 100_000)
			r.may(a, "that expired keys can be removed", err)
		}, nil)
	}
	if r.random.IntN(12) == 0 {
		add(leaveSlot, func(a *actor) {
			r.tell(a.step, "sessions that are over are removed")
			_, err := r.services[a.random.IntN(processes)].Access.ForgetSessions(context.Background(), 100_000)
			r.may(a, "that sessions can be removed", err)
		}, nil)
	}
	if r.random.IntN(100) == 0 {
		add(restoreSlot, r.restore, r.newEpoch)
	}
	r.beside(add)
	if r.random.IntN(60) == 0 {
		add(blockSlot, r.blockByOperator, nil)
	}
	if r.random.IntN(100) == 0 {
		add(resetSlot, r.resetByOperator, nil)
	}
}

// replaceKey has the journal say of another service key.
func (r *run) replaceKey(a *actor) {
	a.effect = func(written) { r.world.ReplaceKey(a.clockRead) }
	r.may(a, "that the journal says of another service key",
		r.services[a.random.IntN(processes)].Epochs.ServiceKeyReplaced(context.Background()))
}

// conclude compares all stored records with the model: each acknowledged change is there once, no refused change is
// there, and the books are right.
func (r *run) conclude() {
	r.current = nil
	ctx := context.Background()
	verdict, err := audit.Run(ctx, r.store,
		audit.Options{Report: func(finding string) { r.differ("the audit", "no finding", finding) }})
	if err != nil {
		r.differ("the audit", "that it runs", err.Error())
		return
	}
	sums := r.sums()
	r.same("issued", sums["issued"], verdict.Issued.String())
	r.same("balances", sums["balances"], verdict.Balances.String())
	r.same("consumed", sums["consumed"], verdict.Consumed.String())
	if !verdict.Balanced() {
		r.differ("the books", "that issued is held and consumed", fmt.Sprintf("%+v", verdict.Totals))
	}
	err = r.store.ViewRecords(ctx, func(ctx context.Context, stored ports.Records) error {
		return errors.Join(r.concludeResellers(ctx, stored), r.concludeLines(ctx, stored), r.concludeMovements(ctx, stored))
	})
	err = errors.Join(err, r.concludePrincipals(ctx), r.concludeJournal(ctx))
	if err != nil {
		r.differ("the records", "that they can be read", err.Error())
	}
}

func (r *run) same(what string, want, got any) {
	if want != got {
		r.differ("what is stored: "+what, fmt.Sprint(want), fmt.Sprint(got))
	}
}

const everything = 1 << 20

// sameAll compares all records of a kind, by their ids.
func (r *run) sameAll(what string, want, got map[int64]string) {
	r.same("how many of each "+what, len(want), len(got))
	for _, id := range slices.Sorted(maps.Keys(want)) {
		r.same(fmt.Sprintf("%s %d", what, id), want[id], got[id])
	}
}

func (r *run) concludeResellers(ctx context.Context, stored ports.Records) error {
	all, err := stored.Resellers(ctx, 0, everything)
	want, got := map[int64]string{}, map[int64]string{}
	for _, found := range all {
		s := found.Record.State()
		b := s.Block
		got[s.ID] = fmt.Sprintf("%s %s %d %t %t %q %s %s", s.Username, s.Credits, s.Tip.Seq, s.Blocked, b.Suspends, b.Reason,
			iso(b.At), iso(s.UpdatedAt))
		if s.Credits.Decimal().IsNegative() {
			r.differ("what is stored: account "+strconv.FormatInt(s.ID, 10), "no negative balance", s.Credits.String())
		}
	}
	for _, a := range r.world.Resellers {
		b := a.Block
		want[a.ID] = fmt.Sprintf("%s %s %d %t %t %q %s %s", a.Name, a.Balance, len(a.Statement), a.Blocked, b.Suspends,
			b.Reason, iso(b.At), iso(a.UpdatedAt))
	}
	r.sameAll("account", want, got)
	return err
}

func (r *run) concludePrincipals(ctx context.Context) error {
	return r.store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		for _, p := range r.world.Principals {
			kept, err := ports.Principals.From(s.Records).Get(ctx, p.ID)
			if err != nil {
				return err
			}
			r.same("principal", spelledPrincipal(p), storedPrincipal(&kept))
		}
		return nil
	})
}

func (r *run) concludeLines(ctx context.Context, stored ports.Records) error {
	all, err := stored.Lines(ctx, 0, everything)
	want, got := map[int64]string{}, map[int64]string{}
	for _, found := range all {
		s := found.Record.State()
		password, err := r.keyring.Open(s.Password, "line/["+strconv.FormatInt(s.ID, 10)+"]")
		if err != nil {
			return err
		}
		got[s.ID] = fmt.Sprintf("%s %s %t %s %d %t %q %q", s.Username, password, s.Trial, iso(s.ExpiresAt), s.PlatformID,
			s.Suspended, s.Reason, model.Known{
				Notes: s.Notes.String(), Country: s.Country.String(), Whatsapp: s.Whatsapp.String(), Telegram: s.Telegram.String(),
				Email: s.Email.String(), ExternalID: s.ExternalID.String(), Metadata: model.Metadata(s.Metadata.All()),
			})
	}
	for _, l := range r.world.Lines {
		if !l.Deleted {
			want[l.ID] = fmt.Sprintf("%s %s %t %s %d %t %q %q", l.Name, l.Password, l.Trial, iso(l.Expires), l.Platform,
				l.Suspended, l.Reason, l.Known)
		}
	}
	r.sameAll("line", want, got)
	return err
}

// concludeMovements has each movement be that of one request that took effect, and each official line charged once.
func (r *run) concludeMovements(ctx context.Context, stored ports.Records) error {
	all, err := stored.Movements(ctx, 0, everything)
	want, got, charged := map[int64]string{}, map[int64]string{}, map[int64]int{}
	for _, found := range all {
		m := found.Record
		got[m.ID] = fmt.Sprintf("%s %s of line %d by %d for %s at %s", m.Operation, m.Amount, m.Line, m.Actor,
			m.Request, iso(m.At))
		if m.Operation == credit.Activation {
			charged[m.Line]++
		}
	}
	for _, m := range r.world.Movements {
		line := int64(0)
		if m.Line != nil {
			line = m.Line.ID
		}
		want[m.ID] = fmt.Sprintf("%s %s of line %d by %d for %s at %s", m.Kind, m.Amount, line, m.By.ID, m.Request,
			iso(m.Now))
	}
	r.sameAll("movement", want, got)
	for _, l := range r.world.Lines {
		r.same("charges for the activation of line "+strconv.FormatInt(l.ID, 10), bit(!l.Trial), charged[l.ID])
	}
	return err
}
