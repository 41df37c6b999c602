package httpapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/credit"
)

// entryRecord is a movement as the statement of one reseller shows it.
type entryRecord struct {
	ID           int64      `json:"id"`
	Seq          int64      `json:"seq"`
	Kind         string     `json:"kind"`
	Amount       string     `json:"amount"` // negative where the reseller was the source
	Balance      string     `json:"balance"`
	Counterparty string     `json:"counterparty"`
	Line         nullableID `json:"line"`
	Actor        int64      `json:"actor"`
	RequestID    string     `json:"request_id"`
	Notes        nullable   `json:"notes"`
	At           instant    `json:"at"`
}

func (r entryRecord) appendJSON(b []byte) []byte {
	b = appendNumber(b, `{"id":`, r.ID)
	b = appendNumber(b, `,"seq":`, r.Seq)
	b = appendMember(b, `,"kind":`, r.Kind)
	b = appendMember(b, `,"amount":`, r.Amount)
	b = appendMember(b, `,"balance":`, r.Balance)
	b = appendMember(b, `,"counterparty":`, r.Counterparty)
	b = r.Line.append(append(b, `,"line":`...))
	b = appendNumber(b, `,"actor":`, r.Actor)
	b = appendMember(b, `,"request_id":`, r.RequestID)
	b = r.Notes.append(append(b, `,"notes":`...))
	b = r.At.append(append(b, `,"at":`...))
	return append(b, '}')
}

func entryOf(e application.Entry) entryRecord {
	record := entryRecord{
		ID:        e.ID,
		Seq:       e.Posting.Seq,
		Kind:      e.Operation.String(),
		Balance:   e.Posting.Balance.String(),
		Actor:     e.Actor,
		RequestID: e.Request,
		Line:      nullableID(e.Line),
		Notes:     nullable(e.Notes),
		At:        instant(e.At),
	}
	if e.Target == credit.Reseller(e.Posting.Reseller) {
		record.Amount, record.Counterparty = e.Amount.String(), e.Source.Name()
	} else {
		record.Amount, record.Counterparty = "-"+e.Amount.String(), e.Target.Name()
	}
	return record
}

func (a *api) statement(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	at := valueOr(q, "cursor", application.Cursor{}, application.NewestEntries.Parse)
	limit := q.limit()
	if err := q.err(); err != nil {
		return err
	}
	return sendPage(ctx, a, c, limit, a.Service.Statement, application.Statement{Reseller: id, After: at, Limit: limit}, entryOf)
}

type proofRecord struct {
	Issued    string `json:"issued"`
	Balances  string `json:"balances"`
	Consumed  string `json:"consumed"`
	Balanced  bool   `json:"balanced"`
	Movements int64  `json:"movements"`
	At        string `json:"at"`
}

func proofOf(p application.Proof) proofRecord {
	return proofRecord{
		Issued:    p.Issued.String(),
		Balances:  p.Balances.String(),
		Consumed:  p.Consumed.String(),
		Balanced:  p.Balanced(),
		Movements: p.Movements,
		At:        iso(p.At),
	}
}

type pricesRecord struct {
	Prices []priceRecord `json:"prices"`
}

func pricesOf(prices []credit.Price) pricesRecord { return pricesRecord{priceRecords(prices)} }
