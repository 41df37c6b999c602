package faults

import (
	"slices"
	"time"

	"resellerd/test/model"
)

// scene is a group as the model of the rules has it, with the line that a request is about.
type scene struct {
	model.World
	admin     *model.Reseller
	resellers [groupSize]*model.Reseller
	line      *model.Line // nil: it is not there
}

// scene returns the group in this state.
func (s state) scene(r request, o outcome) *scene {
	w := &scene{admin: &model.Reseller{Admin: true, Master: true}}
	for i, balance := range s.balances {
		parent := w.admin
		if i != master {
			parent = w.resellers[master]
		}
		w.resellers[i] = &model.Reseller{Parent: parent, Master: i == master, Balance: balance.credits()}
	}
	id := r.line
	if r.kind == trial {
		id = o.line
	}
	if at, there := s.find(id); there {
		l := s.lines[at]
		w.line = &model.Line{ID: l.id, Owner: w.resellers[l.owner], Trial: l.trial, Expires: l.expires, Day: l.day}
		w.Lines = append(w.Lines, w.line)
	}
	return w
}

var prices = model.Prices()

// decide has the model say how a request is refused, "" where it is not, and what it does then. Of its outcome it takes
// what the model can't know: ids, instants and how long a trial runs.
func (w *scene) decide(r request, o outcome) (refusal string, effect func()) {
	of, above := w.resellers[r.reseller], w.resellers[master]
	t := model.Transfer{Amount: r.amount.credits()}
	at := model.Moment{Now: w.instant(r, o), Request: r.id}
	owner := above
	if w.line != nil {
		owner = w.line.Owner
	}
	switch r.kind {
	case recharge:
		return w.Fund(w.admin, of, t, at)
	case transfer:
		return w.Fund(above, of, t, at)
	case reclaim:
		return w.Reclaim(above, of, t, at)
	case withdrawal:
		return w.Reclaim(w.admin, of, t, at)
	case opening:
		refusal, create := w.Create(of.Parent, model.NewReseller{Master: of.Master, Credits: t.Amount}, at)
		return refusal, func() { w.resellers[r.reseller] = create(0) }
	case trial:
		w.TrialRuns = o.expires.Sub(o.at)
		refusal, issue := w.Trial(of, model.Description{}, at)
		return refusal, func() { w.line = issue(model.NewTrial{ID: o.line}) }
	case deletion:
		return w.Delete(owner, w.line, at)
	}
	price := prices[slices.IndexFunc(prices, func(p model.Price) bool { return p.Credits == r.price })]
	if r.kind == activation {
		refusal, activate := w.Activate(owner, w.line, price, model.LineDetails{}, at)
		return refusal, func() { activate(0) }
	}
	refusal, _, effect = w.Extend(owner, w.line, price, at)
	return refusal, effect
}

// instant returns when a request took effect. A refusal does not say when that was. A period that is too long at some
// time was so when it was asked for, and none is once the line has expired.
func (w *scene) instant(r request, o outcome) time.Time {
	switch {
	case o.refusal == "" || w.line == nil:
		return o.at
	case o.refusal == tooLong:
		return r.asked
	default:
		return w.line.Expires
	}
}

// unpaid expects that who pays has too few credits.
func (w *scene) unpaid(r request, o outcome) string {
	payer, required := w.resellers[r.reseller], r.amount
	switch r.kind {
	case transfer:
		payer = payer.Parent
	case activation, extension:
		payer = w.line.Owner
		required, _ = parseUnits(r.price)
	}
	if o.required != required || o.shortfall != required-o.balance {
		return "the figures of the refusal don't fit: " + required.String() + " required"
	}
	return balanceIs(unitsOf(payer.Balance), o)
}

// following returns the state that the group of a scene is in, which was in this one before.
func (s state) following(w *scene) state {
	for i, r := range w.resellers {
		s.balances[i] = unitsOf(r.Balance)
	}
	if w.line == nil {
		return s
	}
	at, there := s.find(w.line.ID)
	s.lines = slices.Clone(s.lines)
	if there {
		s.lines = slices.Delete(s.lines, at, at+1)
	}
	if !w.line.Deleted {
		owner := slices.Index(w.resellers[:], w.line.Owner)
		s.lines = slices.Insert(s.lines, at, lineState{w.line.ID, owner, w.line.Trial, w.line.Expires, w.line.Day})
	}
	return s
}
