package usecase

import (
	"context"
	"slices"
	"time"

	"resellerd/domain/plan"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Platform is the account of the platform's price book and plans.
const Platform = 0

var foundingPlans, foundingBook = plan.Founding()

// Catalogue returns all plans.
func Catalogue(ctx context.Context, records record.Reader) (plan.Catalogue, error) {
	c, err := ports.Plans.From(records).Get(ctx, Platform)
	if IsNotFound(err) {
		return foundingPlans, nil
	}
	return c, err
}

// Book returns the price book of an account, or of the platform. An account without a record has an empty one.
func Book(ctx context.Context, records record.Reader, account int64) (plan.Book, error) {
	b, err := ports.PriceBooks.From(records).Get(ctx, account)
	switch {
	case !IsNotFound(err):
		return b, err
	case account == Platform:
		return foundingBook, nil
	}
	return plan.Book{Account: account}, nil
}

// BooksOf returns the accounts whose price books count for lines of an owner, the nearest first. An admin has no book.
func BooksOf(owner reseller.Position) []int64 {
	path := owner.Path()[1:]
	slices.Reverse(path)
	return append(path, Platform)
}

// Offers returns the prices for lines of an owner.
func Offers(ctx context.Context, records record.Reader, owner reseller.Position, at time.Time) (plan.Offers, error) {
	all, err := Catalogue(ctx, records)
	if err != nil {
		return plan.Offers{}, err
	}
	for _, id := range BooksOf(owner) {
		b, err := Book(ctx, records, id)
		if err != nil {
			return plan.Offers{}, err
		}
		if offers, is := plan.InForce(all, b, at); is {
			return offers, nil
		}
	}
	return plan.Offers{Catalogue: all, At: at}, nil // no stored book of the platform is empty
}

// ReadsPrices adds the records that Offers reads to a hint.
func ReadsPrices(r ports.Reads) ports.Reads {
	r.Records = append(r.Records, ports.Plans.Named(Platform), ports.PriceBooks.Named(Platform))
	r.Along = ports.PriceBooks.Named
	return r
}
