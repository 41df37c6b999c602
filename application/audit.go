package application

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

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
	var after int64
	for {
		found, err := page(ctx, after, auditPage)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, f := range found {
			*count++
			if f.Damage != nil {
				a.find("%s %d: %v", kind, f.ID, f.Damage)
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
	a.entered += int64(len(m.Entries))
	for _, e := range m.Entries {
		var before credit.Entry
		if e.Seq == 1 {
			if exists, err := a.exists(ctx, e.Account); err != nil {
				return err
			} else if !exists {
				a.find("account %d: it has movements and is missing", e.Account)
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

func (a *auditor) exists(ctx context.Context, account int64) (bool, error) {
	page, err := a.snapshot.Audit.Accounts(ctx, account-1, 1)
	return len(page) > 0 && page[0].ID == account, err
}

// account checks that the account's record agrees with the last movement of its
// chain, and that the chain ends there.
func (a *auditor) account(ctx context.Context, s reseller.State, checkpoint io.Writer) error {
	a.numbered += s.Ledger.Seq
	_, _ = fmt.Fprintf(checkpoint, "%d %d %s %x\n", s.ID, s.Ledger.Seq, s.Credits, s.Ledger.Link)
	var last credit.Entry
	if s.Ledger.Seq > 0 {
		m, is, err := stateOf(a.snapshot.Audit.Entry(ctx, s.ID, s.Ledger.Seq))
		if is == missing {
			a.find("account %d: its movement number %d, the last, is missing", s.ID, s.Ledger.Seq)
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
		var (
			account, seq    int64
			balance, digits string
			recorded        credit.Link
		)
		_, err := fmt.Sscanf(lines.Text(), "%d %d %s %s", &account, &seq, &balance, &digits)
		raw, hexErr := hex.DecodeString(digits)
		if err != nil || hexErr != nil || copy(recorded[:], raw) != len(recorded) || len(raw) != len(recorded) {
			return fmt.Errorf("%w: line %d", errCheckpoint, accounts+1)
		}
		if seq == 0 {
			if exists, err := a.exists(ctx, account); err != nil {
				return err
			} else if !exists {
				a.find("account %d: it was there at the checkpoint and is missing", account)
			}
			continue
		}
		m, is, err := stateOf(a.snapshot.Audit.Entry(ctx, account, seq))
		if err != nil {
			return err
		}
		if is == missing {
			a.find("account %d: its movement number %d was there at the checkpoint and is missing", account, seq)
		}
		if is != there {
			continue
		}
		if e, _ := m.Entry(account); e.Link != recorded || e.Balance.String() != balance {
			a.find("movement %d: number %d of account %d is not what it was at the checkpoint", m.ID, seq, account)
		}
	}
	return fmt.Errorf("%w: it has no end", errors.Join(errCheckpoint, lines.Err()))
}
