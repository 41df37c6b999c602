package httpapi

import (
	"context"

	"github.com/gin-gonic/gin"

	"resellerd/application/ledger"
	"resellerd/domain/credit"
)

func (a *api) statement(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	limit := q.limit()
	return sendPage(ctx, a, c, q, limit, batchOf(limit), a.Service.Ledger.Statement, ledger.Statement{Reseller: id},
		entryOf)
}

type proofRecord struct {
	Issued    string `json:"issued"`
	Balances  string `json:"balances"`
	Consumed  string `json:"consumed"`
	Balanced  bool   `json:"balanced"`
	Movements int64  `json:"movements"`
	Imported  int64  `json:"imported"` // lines
	At        string `json:"at"`
}

func proofOf(p ledger.Proof) proofRecord {
	return proofRecord{
		Issued:    p.Issued.String(),
		Balances:  p.Balances.String(),
		Consumed:  p.Consumed.String(),
		Balanced:  p.Balanced(),
		Movements: p.Movements,
		Imported:  p.Imported,
		At:        iso(p.At),
	}
}

type pricesRecord struct {
	Prices []priceRecord `json:"prices"`
}

func pricesOf(prices []credit.Price) pricesRecord { return pricesRecord{priceRecords(prices)} }
