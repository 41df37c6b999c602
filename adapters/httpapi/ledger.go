package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
)

// proofTimeout bounds a proof, which reads the whole ledger.
const proofTimeout = 5 * time.Minute

// entryRecord is a movement as the statement of one reseller shows it.
type entryRecord struct {
	ID           int64   `json:"id"`
	Seq          int64   `json:"seq"`
	Kind         string  `json:"kind"`
	Amount       string  `json:"amount"` // negative where the reseller was the source
	Balance      string  `json:"balance"`
	Counterparty string  `json:"counterparty"`
	Line         *int64  `json:"line"`
	Actor        int64   `json:"actor"`
	RequestID    string  `json:"request_id"`
	Notes        *string `json:"notes"`
	At           string  `json:"at"`
}

func entryOf(reseller int64) func(credit.Movement) entryRecord {
	return func(m credit.Movement) entryRecord {
		e, _ := m.Posting(reseller)
		record := entryRecord{
			ID:        m.ID,
			Seq:       e.Seq,
			Kind:      m.Operation.String(),
			Balance:   e.Balance.String(),
			Actor:     m.Actor,
			RequestID: m.Request,
			Notes:     orNull(profile.RestoreText(m.Notes)),
			At:        iso(m.At),
		}
		if m.Target == credit.Reseller(reseller) {
			record.Amount, record.Counterparty = m.Amount.String(), m.Source.Name()
		} else {
			record.Amount, record.Counterparty = "-"+m.Amount.String(), m.Target.Name()
		}
		if m.Line != 0 {
			record.Line = &m.Line
		}
		return record
	}
}

func (a *api) statement(c *gin.Context) error {
	const kind = "entries"
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	before := valueOr(q, "cursor", []int64{0}, parseCursor(kind, 1))[0]
	limit := q.limit()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.answers.begin(c.Request.Context(), token(c).Reseller, limit)
	if err != nil {
		return err
	}
	defer page.release()
	movements, err := a.Service.Statement(c.Request.Context(), caller(c), id, before, limit)
	if err != nil {
		return err
	}
	seq := func(m credit.Movement) int64 {
		e, _ := m.Posting(id)
		return e.Seq
	}
	entries := listing[credit.Movement]{items: movements, after: func(m credit.Movement) *string { return cursor(kind, seq(m)) }}
	if len(movements) == limit && seq(movements[limit-1]) > 1 {
		entries.next = entries.after(movements[limit-1])
	}
	sendPage(c, page, entries, entryOf(id))
	return nil
}

type proofRecord struct {
	Issued    string `json:"issued"`
	Balances  string `json:"balances"`
	Consumed  string `json:"consumed"`
	Balanced  bool   `json:"balanced"`
	Movements int64  `json:"movements"`
	At        string `json:"at"`
}

func (a *api) proof(c *gin.Context) error {
	// It ends with its client, so that what nobody waits for holds up nobody.
	ctx, cancel := context.WithTimeout(c.MustGet(unlimitedKey).(context.Context), proofTimeout)
	defer cancel()
	// The server's own deadlines are meant for shorter requests.
	deadline := time.Now().Add(proofTimeout + requestTimeout)
	connection := http.NewResponseController(c.Writer)
	if err := errors.Join(connection.SetReadDeadline(deadline), connection.SetWriteDeadline(deadline)); err != nil {
		return err
	}
	p, err := a.Service.Prove(ctx, caller(c))
	if err != nil {
		return err
	}
	ok(c, proofRecord{
		Issued:    p.Issued.String(),
		Balances:  p.Balances.String(),
		Consumed:  p.Consumed.String(),
		Balanced:  p.Balanced(),
		Movements: p.Movements,
		At:        iso(p.At),
	})
	return nil
}

type pricesRecord struct {
	Prices []priceRecord `json:"prices"`
}

func (a *api) prices(c *gin.Context) error {
	prices, err := a.Service.Prices(c.Request.Context(), caller(c))
	if err != nil {
		return err
	}
	ok(c, pricesRecord{priceRecords(prices)})
	return nil
}
