package application

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// auditPage is how many records an audit holds in memory at a time.
const auditPage = 500

// Verdict is what an audit examined and found.
type Verdict struct {
	credit.Totals
	Accounts, Lines int64
	Findings        int64
}

// Audit examines the whole store in one snapshot and in constant memory, and
// tells report of each record that does not fit: that every movement is what was
// chained, that every number 1, 2, 3 ... of every account is there and no other,
// that every balance follows from the movements, that every official line was
// paid for by its owner, and that issued, consumed and held credits agree.
//
// With a checkpoint that an earlier audit wrote, it also finds what a forger hid
// by rewriting an account's record along with its last movements. It writes a
// checkpoint of what it saw where write is not nil.
func (s *Service) Audit(ctx context.Context, checkpoint io.Reader, write io.Writer, report func(finding string)) (v Verdict, err error) {
	err = s.out.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		v = Verdict{}
		a := auditor{snapshot: snapshot, verdict: &v, report: report}
		if err := each(ctx, &a, "movement", &v.Movements, snapshot.Audit.Movements, a.movement); err != nil {
			return err
		}
		out := bufio.NewWriter(orDiscard(write))
		_, _ = fmt.Fprintln(out, checkpointTitle) // an error comes back from Flush
		if err := each(ctx, &a, "account", &v.Accounts, snapshot.Audit.Accounts, func(ctx context.Context, account *reseller.Account) error {
			return a.account(ctx, account.State(), out)
		}); err != nil {
			return err
		}
		if err := each(ctx, &a, "line", &v.Lines, snapshot.Audit.Lines, a.line); err != nil {
			return err
		}
		if checkpoint != nil {
			if err := a.compare(ctx, checkpoint); err != nil {
				return err
			}
		}
		if err := a.totals(ctx); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, checkpointEnd, v.Accounts)
		return out.Flush()
	})
	return v, err
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// each counts every record of a kind, page by page, names those that are damaged
// and calls visit for the others.
func each[T any](
	ctx context.Context, a *auditor, kind string, count *int64,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error),
	visit func(ctx context.Context, record T) error,
) error {
	after := int64(math.MinInt64)
	for {
		found, err := page(ctx, after, auditPage)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, f := range found {
			*count++
			if f.Damage != nil {
				a.find("%s %d: %v", kind, f.ID, f.Damage)
			} else if f.ID <= 0 {
				a.find("%s %d: an id is positive", kind, f.ID)
			} else if err := visit(ctx, f.Record); err != nil {
				return err
			}
		}
		after = found[len(found)-1].ID
	}
}

// auditor examines one snapshot.
type auditor struct {
	snapshot ports.Snapshot
	verdict  *Verdict
	report   func(string)

	entered  int64 // entries of all movements
	numbered int64 // movements that all accounts count
}

func (a *auditor) find(format string, args ...any) {
	a.verdict.Findings++
	a.report(fmt.Sprintf(format, args...))
}

// presence is how a movement is found that should be there.
type presence int

const (
	there presence = iota
	missing
	damaged // it is named where the movements are examined
)

func stateOf(found ports.Audited[credit.Movement], err error) (credit.Movement, presence, error) {
	if isNotFound(err) {
		return credit.Movement{}, missing, nil
	}
	if err != nil || found.Damage != nil {
		return credit.Movement{}, damaged, err
	}
	return found.Record, there, nil
}

// movement checks that the movement follows, for each account that it concerns,
// from the one before. With what account checks, by induction over the numbers,
// the whole chain is there.
func (a *auditor) movement(ctx context.Context, m credit.Movement) error {
	for _, party := range []credit.Party{m.Source, m.Target} {
		if id := party.AccountID(); id != 0 {
			if _, concerned := m.Entry(id); !concerned {
				a.find("movement %d: it is not entered in the chain of account %d", m.ID, id)
			}
		}
	}
	if len(m.Entries) == 0 {
		a.find("movement %d: it is entered in no account's chain", m.ID)
	}
	if !wellFormed(m) {
		a.find("movement %d: no %s goes from %s to %s, for line %d", m.ID, m.Operation, m.Source, m.Target, m.Line)
	}
	if err := a.lineOf(ctx, m); err != nil {
		return err
	}
	a.entered += int64(len(m.Entries))
	for _, e := range m.Entries {
		var before credit.Entry
		self := credit.Account(e.Account)
		standsForIssuance := m.Source != self && m.Target != self
		if e.Seq == 1 || standsForIssuance {
			account, err := a.lookUp(ctx, e.Account)
			if err != nil {
				return err
			}
			if account.missing && e.Seq == 1 {
				a.find("account %d: it has movements and is missing", e.Account)
			}
			if standsForIssuance && account.known && account.Role != reseller.Admin {
				a.find("movement %d: account %d is no admin and does not pay by issuance", m.ID, e.Account)
			}
		}
		if e.Seq > 1 {
			previous, is, err := stateOf(a.snapshot.Audit.Entry(ctx, e.Account, e.Seq-1))
			if err != nil {
				return err
			}
			if is == missing {
				a.find("movement %d: it is number %d of account %d, and number %d is missing", m.ID, e.Seq, e.Account, e.Seq-1)
			}
			if is == damaged {
				a.find("movement %d: it can't be verified, for number %d of account %d is damaged", m.ID, e.Seq-1, e.Account)
			}
			if is != there {
				continue
			}
			before, _ = previous.Entry(e.Account)
		}
		if !m.Fits(e.Account, before.Link) {
			a.find("movement %d: it is not what was recorded as number %d of account %d, or number %d before it is not", m.ID, e.Seq, e.Account, e.Seq-1)
			continue
		}
		if !e.Balance.Decimal().Equal(before.Balance.Decimal().Add(m.Change(e.Account))) {
			a.find("movement %d: the balance %s of account %d does not follow from %s before it", m.ID, e.Balance, e.Account, before.Balance)
		}
	}
	return nil
}

// wellFormed reports whether the program makes movements of this shape.
func wellFormed(m credit.Movement) bool {
	switch m.Operation {
	case credit.Opening, credit.Recharge:
		return m.Target.AccountID() != 0 && m.Line == 0
	case credit.Reclaim:
		return m.Source.AccountID() != 0 && m.Target != credit.Consumption && m.Line == 0
	default:
		return m.Target == credit.Consumption && m.Line != 0
	}
}

// lineOf checks that a line that was paid for, if it is still there, is official
// by its one activation.
func (a *auditor) lineOf(ctx context.Context, m credit.Movement) error {
	if m.Line == 0 {
		return nil
	}
	page, err := a.snapshot.Audit.Lines(ctx, m.Line-1, 1)
	if err != nil || len(page) == 0 || page[0].ID != m.Line || page[0].Damage != nil {
		return err // it may be deleted; a damaged one is named by itself
	}
	s := page[0].Record.State()
	if s.Trial {
		a.find("line %d: it is a trial, and movement %d paid for it", m.Line, m.ID)
	} else if m.Operation == credit.Activation && s.Charge != m.ID {
		a.find("line %d: movement %d activated it, and movement %d is named as its charge", m.Line, m.ID, s.Charge)
	}
	return nil
}

// lookedUp is an account that another record names. One that is damaged is
// neither known nor missing: it is named by itself.
type lookedUp struct {
	reseller.State
	known, missing bool
}

func (a *auditor) lookUp(ctx context.Context, account int64) (lookedUp, error) {
	page, err := a.snapshot.Audit.Accounts(ctx, account-1, 1)
	if err != nil {
		return lookedUp{}, err
	}
	if len(page) == 0 || page[0].ID != account {
		return lookedUp{missing: true}, nil
	}
	if found := page[0]; found.Damage == nil {
		return lookedUp{State: found.Record.State(), known: true}, nil
	}
	return lookedUp{}, nil
}

// account checks that the account's record agrees with the last movement of its
// chain, and that the chain ends there.
func (a *auditor) account(ctx context.Context, s reseller.State, checkpoint io.Writer) error {
	a.numbered += s.Ledger.Seq
	if len(s.Above) > 0 {
		parent, err := a.lookUp(ctx, s.Parent())
		if err != nil {
			return err
		}
		if parent.missing || parent.known && (parent.Role == reseller.Seller || !slices.Equal(parent.Path(), s.Above)) {
			a.find("account %d: its place below account %d is not one in the tree", s.ID, s.Parent())
		}
	}
	_, _ = fmt.Fprintf(checkpoint, "%d %d %s %x\n", s.ID, s.Ledger.Seq, s.Credits, s.Ledger.Link)
	var last credit.Entry
	if s.Ledger.Seq > 0 {
		m, is, err := stateOf(a.snapshot.Audit.Entry(ctx, s.ID, s.Ledger.Seq))
		if is == missing {
			a.find("account %d: its movement number %d, the last, is missing", s.ID, s.Ledger.Seq)
		}
		if is == damaged {
			a.find("account %d: it can't be verified, for its movement number %d, the last, is damaged", s.ID, s.Ledger.Seq)
		}
		if is != there {
			return err // nil where it is named by now
		}
		last, _ = m.Entry(s.ID)
	}
	if last.Link != s.Ledger.Link {
		a.find("account %d: its movement number %d is not the one that the account ends with", s.ID, s.Ledger.Seq)
	}
	if !last.Balance.Equal(s.Credits) {
		a.find("account %d: its balance is %s, and its movements make %s", s.ID, s.Credits, last.Balance)
	}
	next, is, err := stateOf(a.snapshot.Audit.Entry(ctx, s.ID, s.Ledger.Seq+1))
	if is == there {
		a.find("account %d: movement %d was appended after its last, number %d", s.ID, next.ID, s.Ledger.Seq)
	}
	return err
}

// line checks that an official line was paid for by its owner.
func (a *auditor) line(ctx context.Context, l *line.Line) error {
	s := l.State()
	owner, err := a.lookUp(ctx, s.Owner.ID)
	if err != nil {
		return err
	}
	if owner.missing || owner.known && !slices.Equal(owner.Above, s.Owner.Above) {
		a.find("line %d: its owner, account %d, does not stand where the line says", s.ID, s.Owner.ID)
	}
	if s.Trial {
		return nil
	}
	m, is, err := stateOf(a.snapshot.Audit.Movement(ctx, s.Charge))
	if is == missing {
		a.find("line %d: it is official, and movement %d, its charge, is missing", s.ID, s.Charge)
	}
	if is != there {
		return err // nil where it is named by now
	}
	if _, byOwner := m.Entry(s.Owner.ID); !byOwner || m.Line != s.ID || m.Operation != credit.Activation || m.Target != credit.Consumption {
		a.find("line %d: it is official, and movement %d is not its charge", s.ID, s.Charge)
	}
	return nil
}

func (a *auditor) totals(ctx context.Context) error {
	if a.verdict.Findings > 0 {
		return nil // sums over damaged records would say nothing new
	}
	totals, err := a.snapshot.Ledger.Totals(ctx)
	if err != nil {
		return err
	}
	if totals.Movements != a.verdict.Movements {
		a.find("ledger: %d movements were examined, and %d are counted", a.verdict.Movements, totals.Movements)
	}
	if a.entered != a.numbered {
		a.find("ledger: accounts count %d movements and %d are entered: a number stands twice", a.numbered, a.entered)
	}
	a.verdict.Totals = totals
	if !totals.Balanced() {
		a.find("ledger: %s credits were issued, and %s consumed and %s held do not make them", totals.Issued, totals.Consumed, totals.Balances)
	}
	return nil
}

// A checkpoint is a text: a title, then for each account its id, the number of
// its movements, its balance and the link of the last one, and an end that counts
// the accounts, so that a part of a checkpoint is none.
const (
	checkpointTitle = "resellerd checkpoint 1"
	checkpointEnd   = "end %d\n"
)

var errCheckpoint = errors.New("the checkpoint is damaged or is none")

// vouched is what a checkpoint says of an account.
type vouched struct {
	account, seq int64
	balance      string
	link         credit.Link
}

// parseVouched reads what account wrote.
func parseVouched(text string) (v vouched, err error) {
	var digits string
	if _, err := fmt.Sscan(text, &v.account, &v.seq, &v.balance, &digits); err != nil || len(strings.Fields(text)) != 4 {
		return vouched{}, errCheckpoint
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != len(v.link) {
		return vouched{}, errCheckpoint
	}
	copy(v.link[:], raw)
	unmoved := v.link == credit.Link{} && v.balance == "0"
	if v.account <= 0 || v.seq < 0 || v.seq == 0 && !unmoved {
		return vouched{}, errCheckpoint
	}
	return v, nil
}

// compare checks that every chain still goes through where it ended when the
// checkpoint was written: a link vouches for everything before it.
func (a *auditor) compare(ctx context.Context, checkpoint io.Reader) error {
	lines := bufio.NewScanner(checkpoint)
	if !lines.Scan() || lines.Text() != checkpointTitle {
		return errors.Join(errCheckpoint, lines.Err())
	}
	var accounts int64
	for lines.Scan() {
		if lines.Text()+"\n" == fmt.Sprintf(checkpointEnd, accounts) && !lines.Scan() {
			return lines.Err()
		}
		accounts++
		v, err := parseVouched(lines.Text())
		if err != nil {
			return fmt.Errorf("%w: line %d", err, accounts+1)
		}
		if err := a.compareOne(ctx, v); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: it has no end", errors.Join(errCheckpoint, lines.Err()))
}

func (a *auditor) compareOne(ctx context.Context, v vouched) error {
	if v.seq == 0 {
		found, err := a.lookUp(ctx, v.account)
		if found.missing {
			a.find("account %d: it was there at the checkpoint and is missing", v.account)
		}
		return err
	}
	m, is, err := stateOf(a.snapshot.Audit.Entry(ctx, v.account, v.seq))
	switch is {
	case missing:
		a.find("account %d: its movement number %d was there at the checkpoint and is missing", v.account, v.seq)
	case there:
		if e, _ := m.Entry(v.account); e.Link != v.link || e.Balance.String() != v.balance {
			a.find("movement %d: number %d of account %d is not what it was at the checkpoint", m.ID, v.seq, v.account)
		}
	case damaged: // it is named where the movements are examined
	}
	return err
}
