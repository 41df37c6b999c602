package line

import (
	"fmt"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
)

// ErrNotTrial refuses the activation of an official line.
var ErrNotTrial = fault.New(fault.Conflict, "line-not-trial",
	"The line is official already: only a trial can be activated.")

// Activatable returns ErrNotTrial for an official line.
func (l *Line) Activatable() error {
	if !l.s.Trial {
		return ErrNotTrial
	}
	return nil
}

// Activate makes a trial, running or expired, official for the price's period, counted from now, and charges payer, who
// must be the owner. Refusals: ErrNotTrial, *reseller.InsufficientCredits.
func (l *Line) Activate(payer *reseller.Reseller, price credit.Price, d Details, platformID int64,
	p credit.Provenance) (credit.Movement, error) {
	if err := l.Activatable(); err != nil {
		return credit.Movement{}, err
	}
	m, err := l.charge(payer, credit.Activation, price.Credits, p)
	if err != nil {
		return credit.Movement{}, err
	}
	l.set(d)
	l.s.Trial = false
	l.s.ExpiresAt, l.s.MonthDay = price.Period.After(p.At, 0)
	l.s.Plan, l.s.Terms = price.Plan, price.Terms
	l.s.PlatformID = platformID
	l.s.Charge = m.ID
	l.s.UpdatedAt = p.At
	l.s.Version++
	return m, nil
}

// charge makes the owner pay for the line.
func (l *Line) charge(payer *reseller.Reseller, op credit.Operation, cost credit.Amount,
	p credit.Provenance) (credit.Movement, error) {
	if payer.ID() != l.s.Owner.ID {
		return credit.Movement{}, fmt.Errorf("line %d is owned by account %d: account %d can't pay for it", l.s.ID,
			l.s.Owner.ID, payer.ID())
	}
	return payer.Pay(op, cost, l.s.ID, p)
}

// ErrTooLong refuses an extension, or an import, that ends too far ahead.
var ErrTooLong = fault.New(fault.Conflict, "period-too-long", "A line runs at most 10 years ahead.")

// maxYearsAhead is how far ahead a line may expire.
const maxYearsAhead = 10

// tooLong reports whether an expiry is too far ahead.
func tooLong(expiry, now time.Time) bool {
	latest, _ := credit.Years(maxYearsAhead).After(now, 0)
	return expiry.After(latest)
}

// Extendable returns ErrIsTrial for a trial.
func (l *Line) Extendable() error {
	if l.s.Trial {
		return ErrIsTrial
	}
	return nil
}

// Extend makes an official line run longer by the price's period, counted from the later of now and its expiry. It
// charges payer, who must be the owner. While the line runs its months keep the day of the month. So months bought one
// by one end as months bought at once. It returns the start of the period with the charge. Refusals: ErrIsTrial,
// ErrTooLong, *reseller.InsufficientCredits.
func (l *Line) Extend(payer *reseller.Reseller, price credit.Price,
	p credit.Provenance) (time.Time, credit.Movement, error) {
	if err := l.Extendable(); err != nil {
		return time.Time{}, credit.Movement{}, err
	}
	from, day := p.At, int64(0)
	if l.Running(p.At) {
		from, day = l.s.ExpiresAt, l.s.MonthDay
	}
	until, day := price.Period.After(from, day)
	if tooLong(until, p.At) {
		return time.Time{}, credit.Movement{}, ErrTooLong
	}
	m, err := l.charge(payer, credit.Extension, price.Credits, p)
	if err != nil {
		return time.Time{}, credit.Movement{}, err
	}
	l.s.ExpiresAt, l.s.MonthDay = until, day
	l.s.Plan, l.s.Terms = price.Plan, price.Terms
	l.s.UpdatedAt = p.At
	l.s.Version++
	return from, m, nil
}

// The reasons for which a line does not change its plan, besides ErrIsTrial.
var (
	ErrExpired   = fault.New(fault.Conflict, "line-expired", "The line has expired: extend it by the plan.")
	ErrSuspended = fault.New(fault.Conflict, "line-suspended", "The line is suspended: resume it first.")
	ErrNoPlan    = fault.New(fault.Conflict, "line-without-plan", "The line has no plan yet: an extension gives it one.")
)

// PlanChangeable returns why a line does not change its plan: ErrIsTrial, ErrExpired, ErrSuspended, ErrNoPlan.
func (l *Line) PlanChangeable(now time.Time) error {
	switch {
	case l.s.Trial:
		return ErrIsTrial
	case !l.Running(now):
		return ErrExpired
	case l.s.Suspended:
		return ErrSuspended
	case l.s.Plan == 0:
		return ErrNoPlan
	}
	return nil
}

// ChangePlan gives a running line another plan until its expiry, which stays, and charges payer, who must be the owner.
// Refusals: those of PlanChangeable, *reseller.InsufficientCredits.
func (l *Line) ChangePlan(payer *reseller.Reseller, to credit.Price, cost credit.Amount,
	p credit.Provenance) (credit.Movement, error) {
	if err := l.PlanChangeable(p.At); err != nil {
		return credit.Movement{}, err
	}
	m, err := l.charge(payer, credit.PlanChange, cost, p)
	if err != nil {
		return credit.Movement{}, err
	}
	l.s.Plan, l.s.Terms = to.Plan, to.Terms
	l.s.UpdatedAt = p.At
	l.s.Version++
	return m, nil
}
