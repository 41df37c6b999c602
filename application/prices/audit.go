package prices

import (
	"context"
	"slices"
	"time"

	"resellerd/application/internal/auditing"
	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/plan"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Audit audits plans and price books, and recomputes each charge from the book that was in force at its instant. It has
// all versions of all books in memory.
func Audit(a auditing.Audit) auditing.Checks {
	p := &priceAudit{a: a, books: map[int64]*audited{}, rows: map[*plan.Version]map[int64]credit.Amount{}}
	return auditing.Checks{
		Before: p.read,
		Entry:  p.entry,
		Kinds: map[*record.Kind]auditing.Check{
			ports.Plans.Kind: auditing.Of(nil, func(name string, c *plan.Catalogue) {
				if !c.Possible() {
					a.Find("%s: no change could have made it", name)
				}
			}, nil),
			ports.PriceBooks.Kind: auditing.Of(func(b *plan.Book) int64 { return b.Account }, p.book, nil),
			ports.PastPrices.Kind: auditing.Of(func(v *plan.Past) int64 { return v.Account }, p.past, nil),
		},
		After: p.announced,
	}
}

type priceAudit struct {
	a       auditing.Audit
	all     plan.Catalogue
	books   map[int64]*audited
	damaged bool // some record can't be read: charges can't be recomputed
	rows    map[*plan.Version]map[int64]credit.Amount
}

// audited are all versions of a book, in their order.
type audited struct {
	last      int64
	versions  []plan.Version
	announced map[int64]bool // by an entry of the journal
}

func (p *priceAudit) of(account int64) *audited {
	b := p.books[account]
	if b == nil {
		b = &audited{announced: map[int64]bool{}}
		p.books[account] = b
	}
	return b
}

// read reads all plans and versions.
func (p *priceAudit) read(ctx context.Context) error {
	all, platform := plan.Founding()
	p.all = all
	p.of(Platform).announced[1] = true
	for _, of := range []*record.Kind{ports.Plans.Kind, ports.PriceBooks.Kind, ports.PastPrices.Kind} {
		for after := ""; ; {
			page, err := p.a.Page(ctx, of, after)
			if err != nil {
				return err
			}
			if len(page) == 0 || page[len(page)-1].Key <= after {
				break
			}
			after = page[len(page)-1].Key
			for _, f := range page {
				v, err := of.Read(f.Payload)
				if p.damaged = p.damaged || f.Damage != nil || err != nil; f.Damage == nil && err == nil {
					p.add(v)
				}
			}
		}
	}
	if b := p.of(Platform); b.last == 0 {
		b.last, b.versions = platform.Last, platform.Versions
	}
	for _, b := range p.books {
		slices.SortFunc(b.versions, plan.Order)
	}
	return nil
}

func (p *priceAudit) add(v any) {
	switch v := v.(type) {
	case *plan.Catalogue:
		p.all = *v
	case *plan.Book:
		b := p.of(v.Account)
		b.last, b.versions = v.Last, append(b.versions, v.Versions...)
	case *plan.Past:
		b := p.of(v.Account)
		b.versions = append(b.versions, v.Version)
	}
}

func (p *priceAudit) book(name string, b *plan.Book) {
	account, is := p.a.Account(b.Account)
	switch {
	case !b.Possible():
		p.a.Find("%s: no change could have made it", name)
	case is == auditing.There && b.Path != plan.PathOf(account.Position().Path()):
		p.a.Find("%s: its path is not that of its account", name)
	case b.Account != Platform && is == auditing.There && account.MayAudit() == nil:
		p.a.Find("%s: an admin has no prices of its own", name)
	}
	for _, v := range b.Versions {
		p.version(name, v)
	}
}

func (p *priceAudit) past(name string, v *plan.Past) {
	if b := p.of(v.Account); !v.Possible() || v.Number > b.last {
		p.a.Find("%s: no change could have made it", name)
	}
	p.version(name, v.Version)
}

// version checks that all plans of a version exist.
func (p *priceAudit) version(name string, v plan.Version) {
	for _, r := range v.Prices() {
		if _, there := p.all.Find(r.Plan); !there {
			p.a.Find("%s: version %d has a price of plan %d, which is missing", name, v.Number, r.Plan)
		}
	}
}

// entry checks the entries of price books and of charges.
func (p *priceAudit) entry(n journal.Numbered) {
	switch n.Type {
	case journal.PricesChanged:
		p.changed(n)
	case journal.LineActivated, journal.LineExtended, journal.PlanChanged:
		if !p.damaged {
			p.charge(n)
		}
	}
}

// changed checks that a version is the one that its entry announced.
func (p *priceAudit) changed(n journal.Numbered) {
	number, _ := n.Datum(journal.BookVersion).(int64)
	b := p.of(n.Account.ID)
	at := slices.IndexFunc(b.versions, func(v plan.Version) bool { return v.Number == number })
	if n.Datum(journal.Removed) == true {
		if at >= 0 {
			p.a.Find("entry %d: version %d of a price book, whose removal it is, still exists", n.Seq, number)
		}
		return
	}
	if b.announced[number] = true; at < 0 {
		return // removed; a finding about a charge reports a version that is missing
	}
	v := b.versions[at]
	if effective, _ := n.Datum(journal.EffectiveAt).(time.Time); n.Datum(journal.Rows) != v.Rows ||
		!effective.Equal(v.EffectiveAt) {
		p.a.Find("entry %d: version %d of the price book is not what it says", n.Seq, number)
	}
}

// announced checks that an entry announced each version.
func (p *priceAudit) announced() {
	if last, sound := p.a.Journal(); last == 0 || !sound {
		return
	}
	for account, b := range p.books {
		for _, v := range b.versions {
			if !b.announced[v.Number] {
				p.a.Find("price_book %d: no entry of the journal records version %d", account, v.Number)
			}
		}
	}
}

// inForce returns the account and the version of the book that counts for an owner at an instant. Versions that the
// journal records later do not count: where a clock was wrong, their instants may be earlier.
func (p *priceAudit) inForce(owner reseller.Position, at time.Time) (int64, *plan.Version) {
	for _, id := range usecase.BooksOf(owner) {
		b := p.of(id)
		for i := len(b.versions) - 1; i >= 0; i-- {
			if v := &b.versions[i]; !v.EffectiveAt.After(at) && b.announced[v.Number] {
				if v.Inherits() {
					break
				}
				return id, v
			}
		}
	}
	return 0, new(plan.Version)
}

// price returns the price of a plan in a version.
func (p *priceAudit) price(v *plan.Version, of any) credit.Amount {
	rows := p.rows[v]
	if rows == nil {
		rows = map[int64]credit.Amount{}
		for _, r := range v.Prices() {
			rows[r.Plan] = r.Credits
		}
		p.rows[v] = rows
	}
	id, _ := of.(int64)
	return rows[id]
}

// charge recomputes a charge.
func (p *priceAudit) charge(n journal.Numbered) {
	book, v := p.inForce(n.Account, n.At)
	price := p.price(v, n.Datum(journal.Plan))
	if n.Datum(journal.Book) != book || n.Datum(journal.BookVersion) != v.Number ||
		n.Datum(journal.Price) != price.String() || price.IsZero() {
		p.a.Find("entry %d: version %d of the price book %d was in force, and has another price than it says", n.Seq,
			v.Number, book)
		return
	}
	if n.Type == journal.PlanChanged {
		before := p.price(v, n.Datum(journal.PlanBefore))
		to, _ := n.Datum(journal.Plan).(int64)
		of, _ := p.all.Find(to)
		remaining, _ := n.Datum(journal.RemainingMS).(int64)
		if n.Datum(journal.PriceBefore) != before.String() ||
			n.Datum(journal.PeriodMS) != of.Period().Nominal().Milliseconds() {
			p.a.Find("entry %d: the plans of the change have other prices or periods than it says", n.Seq)
			return
		}
		price, _ = plan.CostOfSwitch(before, price, time.Duration(remaining)*time.Millisecond, of.Period().Nominal())
	}
	if n.Movement != nil && !n.Movement.Amount.Equal(price) {
		p.a.Find("entry %d: the charge is %s credits, and the price book makes %s", n.Seq, n.Movement.Amount, price)
	}
}
