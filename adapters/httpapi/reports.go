package httpapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/application/ledger"
	"resellerd/application/reports"
	"resellerd/domain/fault"
)

// defaultDays is the default number of days of a summary.
const defaultDays = 30

func (a *api) summary(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	command := reports.Summary{Account: value(q, "account", parseID), Tree: value(q, "tree", parseID),
		Days: valueOr(q, "days", defaultDays, limitUpTo(reports.MostDays))}
	if err := q.err(); err != nil {
		return err
	}
	// It reads thousands of records, so it counts as a long page.
	under, err := a.answers.begin(ctx, caller(c).Reseller(), application.MostHeld, application.MostHeld)
	if err != nil {
		return err
	}
	defer under.release()
	found, err := a.Service.Reports.Summary(ctx, callOf(c), command)
	if err != nil {
		return err
	}
	if len(found.Damaged) > 0 {
		a.report(ctx, c, slog.LevelError, "damaged accounts were left out of a summary: run 'resellerd audit'",
			slog.Any("damaged", found.Damaged))
	}
	ok(c, summaryOf(found))
	return nil
}

type summaryRecord struct {
	At      string       `json:"at"`
	Balance string       `json:"balance"`
	Lines   countsRecord `json:"lines"`
	Days    []dayRecord  `json:"days"`
	Damaged []int64      `json:"damaged,omitempty"`
}

type countsRecord struct {
	Running  int  `json:"running"`
	Trials   int  `json:"trials"`
	Expiring int  `json:"expiring_7d"`
	Expired  int  `json:"expired_14d"`
	Capped   bool `json:"capped"`
}

type dayRecord struct {
	Day         string `json:"day"`
	Trials      int64  `json:"trials"`
	Activations int64  `json:"activations"`
	Extensions  int64  `json:"extensions"`
	Spent       string `json:"spent"`
	Received    string `json:"received"`
}

func summaryOf(s reports.SummaryResult) summaryRecord {
	l := s.Lines
	r := summaryRecord{At: iso(s.At), Balance: s.Balance.String(),
		Lines: countsRecord{l.Running, l.Trials, l.Expiring, l.Expired, l.Capped}, Damaged: s.Damaged}
	for _, d := range s.Days {
		r.Days = append(r.Days, dayRecord{d.Begins.Format(time.DateOnly), d.Trials, d.Activations, d.Extensions,
			d.Spent.String(), d.Received.String()})
	}
	return r
}

func (a *api) balance(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	command := ledger.BalanceAt{Reseller: id, At: value(q, "at", parseTime)}
	if err := q.err(); err != nil {
		return err
	}
	found, err := a.Service.Ledger.BalanceAt(ctx, callOf(c), command)
	if err != nil {
		return err
	}
	ok(c, instantBalanceRecord{found.Reseller, found.Credits.String(), iso(found.At)})
	return nil
}

type instantBalanceRecord struct {
	ID      int64  `json:"id"`
	Balance string `json:"balance"`
	At      string `json:"at"`
}

func (a *api) statement(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	limit := q.limit()
	m := movementsAsked(a, q)
	return sendPage(ctx, a, c, q, limit, batchOf(limit), m.list, ledger.Statement{Reseller: id}, entryOf, m.balances)
}

// movements lists a statement, or the period of one that the query selects. The period is found once for all pages of
// an answer.
type movements struct {
	service ledger.Service
	bounds  ledger.Bounds
	period  *ledger.Period // nil: not yet found, or none
}

var errNotLater = fault.New(fault.Invalid, "bad-value", "This must be later than from.")

func movementsAsked(a *api, q *query) *movements {
	from, to := value(q, "from", parseTime), value(q, "to", parseTime)
	if from != nil && to != nil && !to.After(*from) {
		q.refuse("to", errNotLater)
	}
	return &movements{a.Service.Ledger, ledger.Bounds{From: from, To: to}, nil}
}

func (m *movements) list(ctx context.Context, call application.Call, c ledger.Statement) (
	page application.Page[ledger.Entry], err error) {
	if m.bounds.Reseller = c.Reseller; m.period == nil && (m.bounds.From != nil || m.bounds.To != nil) {
		found, err := m.service.Period(ctx, call, m.bounds)
		if err != nil {
			return page, err
		}
		m.period = &found
	}
	c.Period = m.period
	return m.service.Statement(ctx, call, c)
}

// balances returns the balances of the period as members, "" without a period.
func (m *movements) balances() string {
	if m.period == nil {
		return ""
	}
	return string(appendText(appendText(nil, `,"opening":`, m.period.Opening.String()), `,"closing":`,
		m.period.Closing.String()))
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

// aboutRecord describes the service to an administrator.
type aboutRecord struct {
	Version    string  `json:"version"`
	Store      string  `json:"store"`
	Started    string  `json:"started_at"`
	LastBackup *string `json:"last_backup_at"`
}

func aboutOf(a reports.About) aboutRecord {
	return aboutRecord{a.Version, a.Store, iso(a.Started), isoOrNull(a.LastBackup)}
}
