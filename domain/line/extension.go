package line

import (
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
)

// ErrTooLong refuses an extension, or an import, beyond what a line may run ahead.
var ErrTooLong = fault.New(fault.Conflict, "period-too-long", "A line runs at most 10 years ahead.")

// maxYearsAhead bounds how far a line runs ahead.
const maxYearsAhead = 10

// tooLong reports whether an expiry is further ahead than a line may run.
func tooLong(expiry, now time.Time) bool {
	latest, _ := credit.Years(maxYearsAhead).After(now, 0)
	return expiry.After(latest)
}

// Extend makes an official line run longer by the price's period, counted from the later of now and its expiry, and
// charges payer, who must be the owner. While the line runs its months keep the day of the month, so that months bought
// one by one end as months bought at once. It returns the start of the period with the charge. Refusals: ErrIsTrial,
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
