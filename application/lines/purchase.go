package lines

import (
	"context"
	"time"

	"resellerd/application/dryrun"
	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Activate is the command to make a trial official.
type Activate struct {
	Edit
	Price plan.Request
}

// Activate makes a trial official and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrNotTrial, profile.ErrUsernameTaken, those of plan.Offers.ForActivation, *reseller.InsufficientCredits.
func (s Service) Activate(ctx context.Context, call usecase.Call, c Activate,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Line]{
		Name:  "activate line",
		Event: journal.LineActivated,
		Reads: usecase.ReadsPrices(ports.Reads{Line: c.ID, LineName: c.Username}),
		IDs:   activationIDs,
		Paid:  true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (Line, error) {
			l, err := tx.Line(ctx, c.ID)
			if err != nil {
				return Line{}, err
			}
			if err := l.Activatable(); err != nil {
				return Line{}, err
			}
			if err := freeLineName(ctx, tx.Lines, l.State(), c.Username); err != nil {
				return Line{}, err
			}
			payer, err := ownerOf(ctx, tx.Resellers, l, tx.Actor)
			if err != nil {
				return Line{}, err
			}
			offers, err := usecase.Offers(ctx, tx.Records, l.Owner(), tx.Now)
			if err != nil {
				return Line{}, err
			}
			price, err := offers.ForActivation(c.Price)
			if err != nil {
				return Line{}, err
			}
			details, err := details(s.k, c.Edit)
			if err != nil {
				return Line{}, err
			}
			charge, err := l.Activate(payer, price, details, tx.ID(ports.PlatformIDs), tx.Provenance(profile.Text{}))
			if err != nil {
				return Line{}, err
			}
			if err := settle(ctx, tx, l, charge, payer); err != nil {
				return Line{}, err
			}
			tx.Entry = tx.Entry.WithPrice(price)
			return shows(ctx, tx, Line{Line: l, Password: c.Password})
		},
	})
}

// settle stores a line and the movement of its owner's payment.
func settle(ctx context.Context, tx *usecase.Tx, l *line.Line, charge credit.Movement, payer *reseller.Reseller) error {
	if err := tx.Spend(ctx, charge); err != nil {
		return err
	}
	if err := tx.SaveLine(ctx, l); err != nil {
		return err
	}
	return tx.Post(ctx, charge, payer)
}

var activationIDs = []ports.Sequence{ports.PlatformIDs, ports.MovementIDs}

// Extend is the command to make an official line run longer.
type Extend struct {
	ID    int64
	Price plan.Request
	// AsOf is the start of the job that extends the line, zero without one: a price that changed since then is refused.
	AsOf time.Time
}

// Extend makes an official line run longer and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, those of plan.Offers.ForExtension, line.ErrTooLong, *reseller.InsufficientCredits.
func (s Service) Extend(ctx context.Context, call usecase.Call, c Extend,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, func(x Extended) usecase.Receipt { return render(x.Line) }, ExtendCommand(s.k, c))
}

// Extended is a line after an extension.
type Extended struct {
	Line
	From  time.Time // the start of the period
	Price credit.Price
}

// ExtendCommand is the command of Extend.
func ExtendCommand(s *usecase.Kernel, c Extend) usecase.Command[Extended] {
	return usecase.Command[Extended]{
		Name:  "extend line",
		Event: journal.LineExtended,
		Reads: usecase.ReadsPrices(ports.Reads{Line: c.ID}),
		IDs:   usecase.MovementID,
		Paid:  true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (x Extended, err error) {
			l, err := tx.Line(ctx, c.ID)
			if err != nil {
				return x, err
			}
			if err := l.Extendable(); err != nil {
				return x, err
			}
			payer, err := ownerOf(ctx, tx.Resellers, l, tx.Actor)
			if err != nil {
				return x, err
			}
			price, err := extensionPrice(ctx, tx, l, c)
			if err != nil {
				return x, err
			}
			from, charge, err := l.Extend(payer, price, tx.Provenance(profile.Text{}))
			if err != nil {
				return x, err
			}
			shown, err := reveal(s, l, tx.Now)
			if err != nil {
				return x, err
			}
			if err := settle(ctx, tx, l, charge, payer); err != nil {
				return x, err
			}
			tx.Entry = tx.Entry.WithPrice(price)
			shown, err = shows(ctx, tx, shown)
			return Extended{shown, from, price}, err
		},
	}
}

// extensionPrice returns the price of an extension. If it changed since the job of the extension began, the refusal is
// *plan.PriceChanged.
func extensionPrice(ctx context.Context, tx *usecase.Tx, l *line.Line, c Extend) (credit.Price, error) {
	offers, err := usecase.Offers(ctx, tx.Records, l.Owner(), tx.Now)
	if err != nil {
		return credit.Price{}, err
	}
	s := l.Shown()
	price, err := offers.ForExtension(c.Price, s.Terms, l.Running(tx.Now))
	if err != nil || c.AsOf.IsZero() {
		return price, err
	}
	if offers, err = usecase.Offers(ctx, tx.Records, l.Owner(), c.AsOf); err != nil {
		return credit.Price{}, err
	}
	if was, _ := offers.Of(price.Plan); !was.Credits.Equal(price.Credits) {
		return credit.Price{}, &plan.PriceChanged{Plan: price.Plan, Expected: was.Credits, Actual: price.Credits,
			Version: price.Version}
	}
	return price, nil
}

// Preview is the period that an extension would add, and its price.
type Preview struct {
	From, Until time.Time
	Price       credit.Price
}

// PreviewExtension returns the result that Extend would have, with the same refusals but that of a spend limit: the
// command runs over a snapshot.
func (s Service) PreviewExtension(ctx context.Context, call usecase.Call, c Extend) (Preview, error) {
	return usecase.Query(ctx, s.k, call, "preview extension", func(ctx context.Context, in usecase.View) (Preview, error) {
		x, err := dryrun.Try(ctx, dryrun.New(in, call.Unlimited()), ExtendCommand(s.k, c), nil)
		if err != nil {
			return Preview{}, err
		}
		return Preview{x.From, x.ExpiresAt(), x.Price}, nil
	})
}

// ChangePlan is the command to give a running line another plan.
type ChangePlan struct {
	ID, Plan int64
	Expected credit.Amount // the most that may be charged: time only lowers the cost
	DryRun   bool          // return the result, and change nothing
}

// Switched is a line with its plan, and what the change has cost, 0 if the line had the plan already.
type Switched struct {
	*line.Line
	Cost credit.Amount
}

// ChangePlan gives a running line another plan of the same period, and charges its owner, not the caller. Refusals:
// fault.ErrNotFound, those of line.Line.PlanChangeable and plan.Offers.ForSwitch, *plan.PriceChanged,
// *reseller.InsufficientCredits.
func (s Service) ChangePlan(ctx context.Context, call usecase.Call, c ChangePlan,
	render usecase.Render[Switched]) (usecase.Receipt, error) {
	command := usecase.Command[Switched]{
		Name:  "change plan",
		Event: journal.PlanChanged,
		Reads: usecase.ReadsPrices(ports.Reads{Line: c.ID}),
		IDs:   usecase.MovementID,
		Paid:  true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (Switched, error) { return changePlan(ctx, tx, c) },
	}
	if !c.DryRun {
		return usecase.Run(ctx, s.k, call, render, command)
	}
	x, err := usecase.Query(ctx, s.k, call, command.Name, func(ctx context.Context, in usecase.View) (Switched, error) {
		return dryrun.Try(ctx, dryrun.New(in, call.Unlimited()), command, nil)
	})
	if err != nil {
		return usecase.Receipt{}, err
	}
	return render(x), nil
}

func changePlan(ctx context.Context, tx *usecase.Tx, c ChangePlan) (Switched, error) {
	l, err := tx.Line(ctx, c.ID)
	if err != nil {
		return Switched{}, err
	}
	has := l.Shown().Plan
	if err := l.PlanChangeable(tx.Now); err != nil || has == c.Plan {
		return Switched{Line: l}, err
	}
	offers, err := usecase.Offers(ctx, tx.Records, l.Owner(), tx.Now)
	if err != nil {
		return Switched{}, err
	}
	to, err := offers.ForSwitch(has, c.Plan, l.ExpiresAt().Sub(tx.Now))
	if err != nil {
		return Switched{}, err
	}
	if to.Cost.Cmp(c.Expected) > 0 {
		return Switched{}, &plan.PriceChanged{Plan: c.Plan, Expected: c.Expected, Actual: to.Cost, Version: to.To.Version}
	}
	payer, err := ownerOf(ctx, tx.Resellers, l, tx.Actor)
	if err != nil {
		return Switched{}, err
	}
	charge, err := l.ChangePlan(payer, to.To, to.Cost, tx.Provenance(profile.Text{}))
	if err != nil {
		return Switched{}, err
	}
	if err := settle(ctx, tx, l, charge, payer); err != nil {
		return Switched{}, err
	}
	tx.Entry = tx.Entry.WithSwitch(to)
	return Switched{l, to.Cost}, nil
}
