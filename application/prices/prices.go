// Package prices implements plans and price books: who sells what at which price, from when on.
package prices

import (
	"cmp"
	"context"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/plan"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Platform is the account of the platform's price book.
const Platform = usecase.Platform

// Service handles plans and price books.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of plans and prices.
func New(k *usecase.Kernel) Service { return Service{k} }

// Plan is a plan at an instant, with its price.
type Plan struct {
	plan.Offer // without credits: the book in force has no price of it
	At         time.Time
}

// Priced reports whether the book in force has a price of the plan.
func (p Plan) Priced() bool { return !p.Credits.IsZero() }

// List selects plans.
type List struct {
	All bool // also those that are not sold, for administrators
}

// Plans returns the plans that the caller can buy, by their sort. The refusal of all plans is reseller.ErrNotAllowed.
func (s Service) Plans(ctx context.Context, call usecase.Call, c List) ([]Plan, error) {
	return usecase.Query(ctx, s.k, call, "list plans", func(ctx context.Context, in usecase.View) (all []Plan, err error) {
		if c.All {
			if err := in.Actor.MayAudit(); err != nil {
				return nil, err
			}
		}
		offers, err := usecase.Offers(ctx, in.Records, in.Actor.Position(), in.Now)
		if err != nil {
			return nil, err
		}
		for _, p := range offers.InOrder() {
			if price, sold := offers.Of(p.ID); c.All || sold && p.Sold(in.Now) {
				all = append(all, Plan{plan.Offer{Plan: p, Price: price}, in.Now})
			}
		}
		return all, nil
	})
}

// Prices returns the prices for lines of the caller, or of an account that it sees, the cheapest first. The refusal is
// fault.ErrNotFound.
func (s Service) Prices(ctx context.Context, call usecase.Call, owner *int64) ([]plan.Offer, error) {
	return usecase.Query(ctx, s.k, call, "read prices", func(ctx context.Context, in usecase.View) ([]plan.Offer, error) {
		of := in.Actor
		if owner != nil {
			var err error
			if of, err = usecase.VisibleReseller(ctx, in.Resellers, in.Actor, *owner); err != nil {
				return nil, err
			}
		}
		offers, err := usecase.Offers(ctx, in.Records, of.Position(), in.Now)
		return offers.All(), err
	})
}

var readsPlans = ports.Reads{Records: []record.Name{ports.Plans.Named(Platform)}}

// CreatePlan creates a plan of parsed values. Refusals: reseller.ErrNotAllowed, plan.ErrTooManyPlans.
func (s Service) CreatePlan(ctx context.Context, call usecase.Call, c plan.Plan,
	render usecase.Render[Plan]) (usecase.Receipt, error) {
	return s.changePlans(ctx, call, render, "create plan", journal.PlanCreated,
		func(all plan.Catalogue, _ time.Time) (plan.Catalogue, plan.Plan, []string, error) {
			all, created, err := all.Create(c)
			return all, created, nil, err
		})
}

// UpdatePlan changes a plan. Refusals: reseller.ErrNotAllowed, fault.ErrNotFound, plan.ErrImmutable, plan.ErrChanging.
func (s Service) UpdatePlan(ctx context.Context, call usecase.Call, c plan.Change,
	render usecase.Render[Plan]) (usecase.Receipt, error) {
	return s.changePlans(ctx, call, render, "update plan", journal.PlanUpdated,
		func(all plan.Catalogue, now time.Time) (plan.Catalogue, plan.Plan, []string, error) {
			all, is, changed, err := all.Update(c, now)
			if changed == nil {
				all.Plans = nil // nothing to save
			}
			return all, is, changed, err
		})
}

// changePlans saves the changed catalogue, unless it has no plans.
func (s Service) changePlans(ctx context.Context, call usecase.Call, render usecase.Render[Plan], name string,
	event journal.Type,
	change func(plan.Catalogue, time.Time) (plan.Catalogue, plan.Plan, []string, error)) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Plan]{
		Name:  name,
		Event: event,
		Reads: usecase.ReadsPrices(readsPlans),
		Rules: func(ctx context.Context, tx *usecase.Tx) (Plan, error) {
			if err := tx.Actor.MayAudit(); err != nil {
				return Plan{}, err
			}
			was, err := usecase.Catalogue(ctx, tx.Records)
			if err != nil {
				return Plan{}, err
			}
			is, of, changed, err := change(was, tx.Now)
			if err != nil {
				return Plan{}, err
			}
			offers, err := usecase.Offers(ctx, tx.Records, tx.Actor.Position(), tx.Now)
			if err != nil {
				return Plan{}, err
			}
			shown := Plan{plan.Offer{Plan: of}, tx.Now}
			shown.Price, _ = offers.Of(of.ID)
			if is.Plans == nil {
				return shown, nil
			}
			tx.Written, tx.Entry = true, tx.Entry.WithPlan(of.ID, changed...)
			return shown, save(ctx, tx, ports.Plans, is)
		},
	})
}

// save inserts or saves a record.
func save[K ~int64, V any](ctx context.Context, tx *usecase.Tx, of *record.Of[K, V], v V) error {
	all := of.In(tx.Records)
	if err := all.Save(ctx, v); !usecase.IsNotFound(err) {
		return err
	}
	return all.Insert(ctx, v)
}

// Book is the version of a price book that is in force for an account at an instant.
type Book struct {
	plan.Offers
	Account       int64
	InheritedFrom *int64 // nil: the account's own; 0: the platform's, or that of an account out of sight
	Reach
}

// Reach says whom the prices of an account reach: it and all accounts below, but those that have a book of their own
// and what is below these. Each is found by one bounded read.
type Reach struct {
	Resellers, Lines int     // also below other books
	Capped           bool    // there are more
	Others           []int64 // accounts below with books of their own, by their place in the tree
}

// Limits of a Reach.
const (
	countedResellers = 1_000
	countedLines     = 5_000
	countedBooks     = 100
)

// reach finds the reach of the prices of an account, or of the platform.
func reach(ctx context.Context, in usecase.View, account int64, of reseller.Position) (r Reach, err error) {
	scope, books := ports.Scope{Reseller: account, Tree: account != Platform}, record.Query{From: "", Limit: countedBooks + 2}
	if account != Platform {
		path := plan.PathOf(of.Path())
		books.From, books.To = path, path[:len(path)-1]+"0" // "0" follows "/"
	}
	below, err := in.Resellers.List(ctx, ports.ResellerQuery{Scope: scope, Limit: countedResellers})
	if err != nil {
		return r, err
	}
	var all bool
	for _, b := range below.Resellers {
		if b.MayAudit() != nil { // an admin pays no prices
			r.Resellers++
		}
	}
	if r.Lines, all, err = in.Lines.Count(ctx, ports.LineQuery{Scope: scope, Trial: new(false), Limit: 1},
		countedLines); err != nil {
		return r, err
	}
	found, err := ports.PriceBooksByPath.List(ctx, in.Records, books)
	for _, b := range found.Items {
		if b.Account != account && b.Account != Platform && b.Priced(in.Now) {
			r.Others = append(r.Others, b.Account)
		}
	}
	r.Capped = below.Next != 0 || !all || found.Next != "" || len(found.Damaged) > 0
	return r, err
}

// BookAt selects a price book at an instant.
type BookAt struct {
	Account int64      // Platform: that of the platform
	At      *time.Time // nil: now
}

// Book returns the prices in force for an account. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed for the
// platform's book.
func (s Service) Book(ctx context.Context, call usecase.Call, c BookAt) (Book, error) {
	return usecase.Query(ctx, s.k, call, "read price book", func(ctx context.Context, in usecase.View) (b Book, err error) {
		of, err := readable(ctx, in, c.Account)
		if err != nil {
			return b, err
		}
		all, err := usecase.Catalogue(ctx, in.Records)
		if err != nil {
			return b, err
		}
		b.Account, b.At = c.Account, in.Now
		if c.At != nil {
			b.At = *c.At
		}
		for _, id := range usecase.BooksOf(of) {
			own, err := bookAt(ctx, in, id, b.At)
			if err != nil {
				return b, err
			}
			offers, is := plan.InForce(all, own, b.At)
			if !is {
				continue
			}
			if b.Offers = offers; id != c.Account {
				b.InheritedFrom = new(visible(in.Actor, of, id))
			}
			b.Reach, err = reach(ctx, in, c.Account, of)
			return b, err
		}
		return b, nil
	})
}

// visible returns the id of an account above another one, 0 if the caller does not see it.
func visible(actor *reseller.Reseller, of reseller.Position, id int64) int64 {
	if slices.Contains(actor.VisiblePath(of), id) {
		return id
	}
	return Platform
}

// readable returns the position of an account whose book the caller may read. That of the platform is no account's.
func readable(ctx context.Context, in usecase.View, account int64) (reseller.Position, error) {
	if account == Platform {
		return reseller.Position{}, in.Actor.MayAudit()
	}
	of, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, account)
	if err != nil {
		return reseller.Position{}, err
	}
	return of.Position(), nil
}

// bookAt returns the book of an account with the version that was in force at an instant, also one that left the book.
func bookAt(ctx context.Context, in usecase.View, account int64, at time.Time) (plan.Book, error) {
	b, err := usecase.Book(ctx, in.Records, account)
	if err != nil {
		return b, err
	}
	if _, has := b.InForce(at); has {
		return b, nil
	}
	page, err := ports.PastPricesByInstant.List(ctx, in.Records, record.Query{Equal: record.Tuple{account},
		To: at.Add(time.Millisecond), Descending: true, Limit: 1})
	if err == nil && len(page.Damaged) > 0 {
		err = record.ErrDamaged
	}
	for _, past := range page.Items {
		b.Versions = []plan.Version{past.Version}
	}
	return b, err
}

// Put is the command to set the prices of an account and of all accounts below it, or of the platform. Without rows the
// account inherits prices again.
type Put struct {
	Account int64 // Platform: that of the platform
	plan.Next
}

// Version is a version of a price book, with the account that has it.
type Version struct {
	Account int64
	plan.Version
	Plans plan.Catalogue
	Now   time.Time
}

// Put adds a version to a price book. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed, *UnknownPlans,
// plan.ErrTooSoon, plan.ErrTooManyVersions.
func (s Service) Put(ctx context.Context, call usecase.Call, c Put,
	render usecase.Render[Version]) (usecase.Receipt, error) {
	return s.changeBook(ctx, call, render, "set prices", c.Account,
		func(ctx context.Context, tx *usecase.Tx, all plan.Catalogue, was plan.Book) (plan.Book, plan.Version, error) {
			if err := known(all, c.Rows); err != nil {
				return was, plan.Version{}, err
			}
			is, added, left, err := was.Put(c.Next, tx.Now)
			for _, past := range left {
				if err == nil {
					err = ports.PastPrices.In(tx.Records).Insert(ctx, past)
				}
			}
			return is, added, err
		})
}

// UnknownPlans refuses the rows of plans that do not exist. It matches plan.ErrUnknownPlan.
type UnknownPlans struct{ Rows []int }

// Error returns the sentence for people.
func (*UnknownPlans) Error() string { return plan.ErrUnknownPlan.Error() }

// Unwrap makes the error match its fault.
func (*UnknownPlans) Unwrap() error { return plan.ErrUnknownPlan }

func known(all plan.Catalogue, rows []plan.Row) error {
	var unknown []int
	for i, r := range rows {
		if _, there := all.Find(r.Plan); !there {
			unknown = append(unknown, i)
		}
	}
	if unknown == nil {
		return nil
	}
	return &UnknownPlans{unknown}
}

// Cancel is the command to remove a version of a price book before its instant.
type Cancel struct{ Account, Number int64 }

// Cancel removes a version. Refusals: fault.ErrNotFound, reseller.ErrNotAllowed, plan.ErrVersionInForce.
func (s Service) Cancel(ctx context.Context, call usecase.Call, c Cancel,
	render usecase.Render[Version]) (usecase.Receipt, error) {
	return s.changeBook(ctx, call, render, "remove prices", c.Account,
		func(_ context.Context, tx *usecase.Tx, _ plan.Catalogue, was plan.Book) (plan.Book, plan.Version, error) {
			return was.Cancel(c.Number, tx.Now)
		})
}

// changeBook saves a changed book: one record, whatever the number of accounts below.
func (s Service) changeBook(ctx context.Context, call usecase.Call, render usecase.Render[Version], name string,
	account int64, change func(context.Context, *usecase.Tx, plan.Catalogue, plan.Book) (plan.Book, plan.Version,
		error)) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Version]{
		Name:  name,
		Event: journal.PricesChanged,
		Reads: ports.Reads{Reseller: account,
			Records: []record.Name{ports.Plans.Named(Platform), ports.PriceBooks.Named(account)}},
		Rules: func(ctx context.Context, tx *usecase.Tx) (v Version, err error) {
			of, err := priced(ctx, tx, account)
			if err != nil {
				return v, err
			}
			all, err := usecase.Catalogue(ctx, tx.Records)
			if err != nil {
				return v, err
			}
			was, err := usecase.Book(ctx, tx.Records, account)
			if err != nil {
				return v, err
			}
			if of != nil {
				was.Path = plan.PathOf(of.Path())
			}
			is, changed, err := change(ctx, tx, all, was)
			v = Version{account, changed, all, tx.Now}
			if err != nil || is.Last == was.Last && len(is.Versions) == len(was.Versions) {
				return v, err
			}
			tx.Written, tx.Entry = true, tx.Entry.WithPrices(of, changed, is.Last == was.Last)
			return v, save(ctx, tx, ports.PriceBooks, is)
		},
	})
}

// priced returns the account whose prices the caller may set, nil for the platform.
func priced(ctx context.Context, tx *usecase.Tx, account int64) (*reseller.State, error) {
	if account == Platform {
		return nil, tx.Actor.MayAudit()
	}
	of, err := usecase.VisibleReseller(ctx, tx.Resellers, tx.Actor, account)
	if err == nil {
		err = tx.Actor.MaySetPrices(of)
	}
	if err != nil {
		return nil, err
	}
	return new(of.State()), nil
}

// History selects the versions of a price book.
type History struct {
	Account int64           // Platform: that of the platform
	After   *usecase.Cursor // next_cursor of the page before, nil: from the newest on
	Limit   int
}

// Cursor parses a cursor of this list, or returns ErrBadCursor.
func (c History) Cursor(text string) (usecase.Cursor, error) {
	return usecase.NewestVersions.Parse(text)
}

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c History) PageAfter(after *usecase.Cursor, limit int) History {
	c.After, c.Limit = after, limit
	return c
}

// History returns a page of the versions of a price book itself, the newest first. Refusals: fault.ErrNotFound,
// reseller.ErrNotAllowed for the platform's book.
func (s Service) History(ctx context.Context, call usecase.Call, c History) (usecase.Page[Version], error) {
	return usecase.Query(ctx, s.k, call, "list versions of prices",
		func(ctx context.Context, in usecase.View) (page usecase.Page[Version], err error) {
			if _, err := readable(ctx, in, c.Account); err != nil {
				return page, err
			}
			all, err := usecase.Catalogue(ctx, in.Records)
			if err != nil {
				return page, err
			}
			book, err := usecase.Book(ctx, in.Records, c.Account)
			if err != nil {
				return page, err
			}
			below := cmp.Or(c.After.Position().ID, book.Last+1)
			past, err := ports.PastPricesByNumber.List(ctx, in.Records,
				record.Query{Equal: record.Tuple{c.Account}, To: below, Descending: true, Limit: c.Limit + 1})
			if err == nil && len(past.Damaged) > 0 {
				err = record.ErrDamaged
			}
			versions := slices.DeleteFunc(slices.Clone(book.Versions), func(v plan.Version) bool { return v.Number >= below })
			for _, p := range past.Items {
				versions = append(versions, p.Version)
			}
			slices.SortFunc(versions, func(a, b plan.Version) int { return cmp.Compare(b.Number, a.Number) })
			page.After = func(v Version) usecase.Cursor { return usecase.NewestVersions.NumberCursor(v.Number) }
			for _, v := range versions[:min(len(versions), c.Limit)] {
				page.Items = append(page.Items, Version{c.Account, v, all, in.Now})
			}
			if len(versions) > c.Limit {
				page.Next = new(page.After(page.Items[c.Limit-1]))
			}
			return page, err
		})
}
