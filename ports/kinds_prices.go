package ports

import (
	"resellerd/domain/plan"
	"resellerd/ports/record"
)

// Plans is the kind of the catalogue of plans: one record of the platform, none before the first change.
var Plans = record.Declare(record.Declaration[int64, plan.Catalogue]{
	Name:    "plans",
	Copied:  true,
	Audited: true,
	Shared:  true,
	Key:     func(c *plan.Catalogue) int64 { return c.Account },
	Fields: func(f *record.Fields, c *plan.Catalogue) {
		record.Int(f, "account", &c.Account)
		record.Int(f, "last", &c.Last)
		record.Objects(f, "plans", &c.Plans, func(f *record.Fields, p *plan.Plan) {
			record.Int(f, "id", &p.ID)
			record.Text(f, "name", &p.Name)
			record.Text(f, "unit", &p.Unit)
			record.Int(f, "count", &p.Count)
			record.Int(f, "connections", &p.Connections)
			record.Texts(f, "packages", &p.Packages)
			record.Bool(f, "on_sale", &p.OnSale)
			record.Time(f, "sale_from", &p.SaleFrom)
			record.Int(f, "sort", &p.Sort)
			record.Objects(f, "metadata", &p.Metadata, func(f *record.Fields, m *plan.Member) {
				record.Text(f, "name", &m.Name)
				record.Text(f, "value", &m.Value)
			})
		})
	},
})

// PriceBooks is the kind of price books, by account; 0 is the platform. The platform has no record before its first
// change, and neither has an account before it gets prices of its own.
var PriceBooks = record.Declare(record.Declaration[int64, plan.Book]{
	Name:    "price_book",
	Copied:  true,
	Audited: true,
	Shared:  true,
	Key:     func(b *plan.Book) int64 { return b.Account },
	Fields: func(f *record.Fields, b *plan.Book) {
		record.Int(f, "account", &b.Account)
		record.Text(f, "path", &b.Path)
		record.Int(f, "last", &b.Last)
		record.Objects(f, "versions", &b.Versions, func(f *record.Fields, v *plan.Version) {
			record.Int(f, "number", &v.Number)
			record.Time(f, "effective_at", &v.EffectiveAt)
			record.Text(f, "rows", &v.Rows)
			record.Text(f, "note", &v.Note)
			record.Time(f, "created_at", &v.CreatedAt)
		})
	},
})

// PriceBooksByPath is the index of price books by the paths of their accounts.
var PriceBooksByPath = PriceBooks.Index("path", func(b *plan.Book) record.Tuple { return record.Tuple{b.Path} })

// PastPrices is the kind of versions that have left their book.
var PastPrices = record.Declare(record.Declaration[string, plan.Past]{
	Name:    "past_prices",
	Copied:  true,
	Audited: true,
	Key:     func(p *plan.Past) string { return p.Key() },
	Fields: func(f *record.Fields, p *plan.Past) {
		record.Int(f, "account", &p.Account)
		record.Int(f, "number", &p.Number)
		record.Time(f, "effective_at", &p.EffectiveAt)
		record.Text(f, "rows", &p.Rows)
		record.Text(f, "note", &p.Note)
		record.Time(f, "created_at", &p.CreatedAt)
	},
})

// The indexes of versions that have left their book.
var (
	PastPricesByNumber = PastPrices.Index("number", func(p *plan.Past) record.Tuple {
		return record.Tuple{p.Account, p.Number}
	})
	PastPricesByInstant = PastPrices.Index("instant", func(p *plan.Past) record.Tuple {
		return record.Tuple{p.Account, p.EffectiveAt, p.Number}
	})
)
