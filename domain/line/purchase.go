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
	m, err := l.charge(payer, credit.Activation, price, p)
	if err != nil {
		return credit.Movement{}, err
	}
	l.set(d)
	l.s.Trial = false
	l.s.ExpiresAt, l.s.MonthDay = price.Period().After(p.At, 0)
	l.s.PlatformID = platformID
	l.s.Charge = m.ID
	l.s.UpdatedAt = p.At
	l.s.Version++
	return m, nil
}

// charge makes the owner pay for the line.
func (l *Line) charge(payer *reseller.Reseller, op credit.Operation, price credit.Price,
	p credit.Provenance) (credit.Movement, error) {
	if payer.ID() != l.s.Owner.ID {
		return credit.Movement{}, fmt.Errorf("line %d is owned by account %d: account %d can't pay for it", l.s.ID,
			l.s.Owner.ID, payer.ID())
	}
	return payer.Pay(op, price.Credits(), l.s.ID, p)
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

// Extend makes an official line run longer by the price's period, counted from the later of now and its expiry. It
// charges payer, who must be the owner. While the line runs its months keep the day of the month. So months bought one
// by one end as months bought at once. It returns the start of the period with the charge. Refusals: ErrIsTrial,
// ErrTooLong, *reseller.InsufficientCredits.
func (l *Line) Extend(payer *reseller.Reseller, price credit.Price,
	p credit.Provenance) (time.Time, credit.Movement, error) {
	if l.s.Trial {
		return time.Time{}, credit.Movement{}, ErrIsTrial
	}
	from, day := p.At, int64(0)
	if l.Running(p.At) {
		from, day = l.s.ExpiresAt, l.s.MonthDay
	}
	until, day := price.Period().After(from, day)
	if tooLong(until, p.At) {
		return time.Time{}, credit.Movement{}, ErrTooLong
	}
	m, err := l.charge(payer, credit.Extension, price, p)
	if err != nil {
		return time.Time{}, credit.Movement{}, err
	}
	l.s.ExpiresAt, l.s.MonthDay = until, day
	l.s.UpdatedAt = p.At
	l.s.Version++
	return from, m, nil
}
