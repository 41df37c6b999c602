package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/domain/credit"
)

// verdict is what verify says of a store.
type verdict struct {
	t        *testing.T
	status   int
	findings []string // a line each
	summary  string
	stderr   string
}

// verify runs the program's own examination of the server's records, whether the
// server runs or not.
func (s *server) verify(t *testing.T, flags ...string) verdict {
	t.Helper()
	status, stdout, stderr := s.command(t, append([]string{"verify"}, flags...)...)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	last := len(lines) - 1
	return verdict{t, status, lines[:last], lines[last], stderr}
}

// well expects that nothing is found.
func (v verdict) well() {
	v.t.Helper()
	if v.status != 0 || len(v.findings) > 0 || !strings.HasPrefix(v.summary, "all well: ") {
		v.t.Errorf("verify ended with status %d:\n%s", v.status, v)
	}
}

// finds expects that these records are named, such as movement 12, and no others
// unless it is loose about them.
func (v verdict) finds(loose bool, records ...string) {
	v.t.Helper()
	named := map[string]bool{}
	for _, finding := range v.findings {
		record, _, _ := strings.Cut(finding, ": ")
		named[record] = true
		if !loose && !slices.Contains(records, record) {
			v.t.Errorf("found, and not expected: %s", finding)
		}
	}
	for _, record := range records {
		if !named[record] {
			v.t.Errorf("verify does not name %s", record)
		}
	}
	if v.status != 3 || !strings.HasPrefix(v.summary, fmt.Sprintf("%d findings in ", len(v.findings))) {
		v.t.Errorf("verify ended with status %d, want 3:\n%s", v.status, v)
	}
}

func (v verdict) String() string {
	return strings.Join(slices.Concat(v.findings, []string{v.summary, v.stderr}), "\n")
}

// ledgerOfMany is a stopped server with a history behind it, and where in it the
// forgers of these tests set to work.
type ledgerOfMany struct {
	*server
	master, child, leaf account
	idle                account // it was never funded
	middle              int64   // movement from the master to the leaf, with others before and after it in both chains
	issued              int64   // movement from issuance to the leaf, likewise
	own                 int64   // the admin's payment for a line of its own, likewise
	crossed             int64   // the last movement of the master and of the child, between them
	last                int64   // the last movement of the leaf, from issuance
	paid, other         line    // official lines of the leaf
	trial               line    // of the leaf
}

// newLedgerOfMany drives random operations on a tree, with those between that the
// forgers need.
func newLedgerOfMany(t *testing.T) *ledgerOfMany {
	t.Helper()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	l := &ledgerOfMany{server: startServer(t, sqlite, nil)}
	admin := l.admin(t)
	l.master = admin.master(t, "1000")
	l.child = l.master.master(t, "200")
	l.leaf = l.child.reseller(t, "50")
	l.idle = l.master.reseller(t, "0")
	l.paid, l.other, l.trial = l.leaf.official(t), l.leaf.official(t), l.leaf.trial(t)
	lines := []line{l.paid, l.other}
	deal := func() {
		accounts := []account{l.master, l.child, l.leaf}
		i := random.IntN(len(accounts))
		above := []caller{admin, l.master.caller, l.child.caller}[random.IntN(i+1)]
		amount := fields{"credits": units(1 + random.Int64N(5_0000)).String(), "notes": "a random one"}
		switch random.IntN(5) {
		case 0, 1:
			above.send(t, "PATCH", path("/users/credits", accounts[i].id), amount)
		case 2:
			above.send(t, "POST", path("/users", accounts[i].id, "/credits/reclaim"), amount)
		case 3:
			above.send(t, "PATCH", path("/lines/extend", lines[random.IntN(2)].id), fields{"credits": 0.5})
		case 4:
			gone := accounts[i].official(t)
			above.send(t, "DELETE", path("/lines", gone.id), nil).is(200)
		}
	}
	newest := func(a account) int64 {
		return admin.get(t, path("/users", a.id, "/ledger?limit=1")).list()[0].id()
	}
	fund := func(by caller, a account, credits string) int64 {
		by.send(t, "PATCH", path("/users/credits", a.id), fields{"credits": credits, "notes": "a landmark"}).is(200)
		return newest(a)
	}
	for range 15 {
		deal()
	}
	admin.official(t)
	admin.official(t)
	l.own = newest(account{id: 1})
	admin.official(t)
	l.middle = fund(l.master.caller, l.leaf, "1.5")
	l.issued = fund(admin, l.leaf, "2.5")
	for range 15 {
		deal()
	}
	fund(l.master.caller, l.leaf, "1")
	l.crossed = fund(l.master.caller, l.child, "3")
	l.last = fund(admin, l.leaf, "4")
	l.stop(t)
	return l
}

// copy returns the stopped server with a copy of its files.
func (s *server) copy(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	files, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(s.dir, file.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file.Name()), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return &server{store: s.store, dir: dir, env: changed(s.env, map[string]string{"RESELLERD_STORE": s.store.address(dir)})}
}

// forgery is a statement that someone runs on the file with the sqlite3 command
// line.
type forgery struct {
	sql  string
	args []any
}

func forge(sql string, args ...any) forgery { return forgery{sql, args} }

// forge runs statements, each of which has an effect, on a stopped server's file,
// once what would keep them from it is gone.
func (s *server) forge(t *testing.T, statements ...forgery) {
	t.Helper()
	db := openSQLite(t, s.dir, "rw")
	for _, unlock := range []string{`DROP TRIGGER movements_are_never_changed`, `DROP TRIGGER movements_are_never_removed`} {
		if _, err := db.ExecContext(t.Context(), unlock); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range statements {
		done, err := db.ExecContext(t.Context(), f.sql, f.args...)
		if err != nil {
			t.Fatalf("%s: %v", f.sql, err)
		}
		if n, err := done.RowsAffected(); !strings.HasPrefix(f.sql, "DROP") && (err != nil || n == 0) {
			t.Fatalf("%s changed nothing (%v)", f.sql, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// number returns what a query of a stopped server's file finds.
func (s *server) number(t *testing.T, query string, args ...any) (n int64) {
	t.Helper()
	if err := openSQLite(t, s.dir, "ro").QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// seq returns the number of a movement in an account's chain.
func (s *server) seq(t *testing.T, movement int64, of account) int64 {
	t.Helper()
	return s.number(t, `SELECT iif(source_account = ?1, source_seq, target_seq) FROM movements WHERE id = ?2`, of.id, movement)
}

// after returns the movement that comes next in an account's chain.
func (s *server) after(t *testing.T, movement int64, of account) int64 {
	t.Helper()
	return s.number(t, `SELECT id FROM movements WHERE (source_account = ?1 AND source_seq = ?2) OR (target_account = ?1 AND target_seq = ?2)`,
		of.id, s.seq(t, movement, of)+1)
}

// head returns where an account's chain ends, as its record says, and its balance.
func (s *server) head(t *testing.T, of account) (head credit.Head, balance credit.Amount) {
	t.Helper()
	var held int64
	var link []byte
	row := openSQLite(t, s.dir, "ro").QueryRowContext(t.Context(), `SELECT ledger_seq, ledger_link, credits FROM accounts WHERE id = ?`, of.id)
	if err := row.Scan(&head.Seq, &link, &held); err != nil {
		t.Fatal(err)
	}
	head.Link = credit.Link(link)
	balance, err := credit.FromUnits(held)
	if err != nil {
		t.Fatal(err)
	}
	return head, balance
}

// previous returns where an account's chain ended before its last movement.
func (s *server) previous(t *testing.T, of account) (head credit.Head, balance credit.Amount) {
	t.Helper()
	now, _ := s.head(t, of)
	var held int64
	var link []byte
	row := openSQLite(t, s.dir, "ro").QueryRowContext(t.Context(), `
		SELECT source_balance, source_link FROM movements WHERE source_account = ?1 AND source_seq = ?2 UNION ALL
		SELECT target_balance, target_link FROM movements WHERE target_account = ?1 AND target_seq = ?2`, of.id, now.Seq-1)
	if err := row.Scan(&held, &link); err != nil {
		t.Fatal(err)
	}
	balance, err := credit.FromUnits(held)
	if err != nil {
		t.Fatal(err)
	}
	return credit.Head{Seq: now.Seq - 1, Link: credit.Link(link)}, balance
}

// issue is a movement from issuance to an account, chained as the program does it.
func issue(t *testing.T, id int64, to account, credits string, before credit.Head, balance credit.Amount) (m credit.Movement, reached credit.Amount) {
	t.Helper()
	amount, err := credit.Parse(credits)
	if err != nil {
		t.Fatal(err)
	}
	reached, _ = balance.Plus(amount)
	m, err = credit.Movement{
		Voucher:   credit.Voucher{ID: id, Actor: 1, Request: "forged", Notes: "forged", At: time.UnixMilli(1_700_000_000_000).UTC()},
		Operation: credit.Recharge, Source: credit.Issuance, Target: credit.Account(to.id), Amount: amount,
	}.Chain(credit.Concern{Account: to.id, Balance: reached, Head: before})
	if err != nil {
		t.Fatal(err)
	}
	return m, reached
}

// insert is the row of a movement from issuance to an account.
func insert(m credit.Movement, link credit.Link) forgery {
	e := m.Entries[0]
	return forge(`INSERT INTO movements (id, operation, source_system, target_account, target_seq, target_balance, target_link, amount, actor, request, notes, at)
		VALUES (?, ?, 'issuance', ?, ?, ?, ?, ?, ?, ?, ?, ?)`, m.ID, m.Operation.String(), e.Account, e.Seq, e.Balance.Units(), link[:],
		m.Amount.Units(), m.Actor, m.Request, m.Notes, m.At.UnixMilli())
}

// rewind makes an account's record end its chain somewhere else.
func rewind(of account, head credit.Head, balance credit.Amount) forgery {
	return forge(`UPDATE accounts SET ledger_seq = ?, ledger_link = ?, credits = ? WHERE id = ?`, head.Seq, head.Link[:], balance.Units(), of.id)
}

func movement(id int64) string   { return fmt.Sprintf("movement %d", id) }
func (a account) record() string { return fmt.Sprintf("account %d", a.id) }
func (l line) record() string    { return fmt.Sprintf("line %d", l.id) }

// TestVerifyNamesWhatWasForged changes one thing in a copy of the records, in every
// way that comes to mind: verify names the record.
func TestVerifyNamesWhatWasForged(t *testing.T) {
	t.Parallel()
	l := newLedgerOfMany(t)
	l.verify(t).well()

	afterMaster, afterLeaf := l.after(t, l.middle, l.master), l.after(t, l.middle, l.leaf)
	newID := l.number(t, `SELECT max(id) + 1000 FROM movements`)
	head, balance := l.head(t, l.leaf)
	forged, reached := issue(t, newID, l.leaf, "7", head, balance)
	other := forged.Entries[0].Link
	other[0] ^= 1
	first, _ := issue(t, newID, l.idle, "7", credit.Head{}, credit.Amount{})
	edit := func(set string, args ...any) []forgery {
		return []forgery{forge(`UPDATE movements SET `+set+` WHERE id = ?`, append(args, l.middle)...)}
	}
	missing := func(movement int64, of account) string {
		return fmt.Sprintf("number %d is missing", l.seq(t, movement, of))
	}
	zero := make([]byte, 32)
	for _, c := range []struct {
		name    string
		forgery []forgery
		names   []string // records
		says    []string // words that are in the findings
		loose   bool     // others may be named besides: what follows does not fit either
	}{
		{"the amount of a movement", edit(`amount = amount + 1`), []string{movement(l.middle)}, nil, false},
		{"the amount of a movement, by much", edit(`amount = 1`), []string{movement(l.middle)}, nil, false},
		{"the notes of a movement", edit(`notes = 'another note'`), []string{movement(l.middle)}, nil, false},
		{"the notes of a movement, taken away", edit(`notes = ''`), []string{movement(l.middle)}, nil, false},
		{"the actor of a movement", edit(`actor = 1`), []string{movement(l.middle)}, nil, false},
		{"the request of a movement", edit(`request = request || ' '`), []string{movement(l.middle)}, nil, false},
		{"the time of a movement", edit(`at = at + 1`), []string{movement(l.middle)}, nil, false},
		{"the kind of a movement", edit(`operation = 'reclaim'`), []string{movement(l.middle)}, nil, false},
		{"the kind of a movement, to none", edit(`operation = 'gift'`), []string{movement(l.middle)}, []string{"gift"}, true},
		{"the line of a movement", edit(`line = ?`, l.paid.id), []string{movement(l.middle)}, nil, false},
		{"the id of a movement", edit(`id = ?`, newID), []string{movement(newID)}, nil, false},
		{"the balance of the source", edit(`source_balance = source_balance + 1`), []string{movement(l.middle)}, nil, true},
		{"the balance of the target", edit(`target_balance = target_balance - 1`), []string{movement(l.middle)}, nil, true},
		{"the amount with both balances", edit(`amount = amount + 1, source_balance = source_balance - 1, target_balance = target_balance + 1`), []string{movement(l.middle)}, nil, true},
		{"the link of the source", edit(`source_link = ?`, other[:]), []string{movement(l.middle)}, nil, true},
		{"the link of the target", edit(`target_link = source_link`), []string{movement(l.middle)}, nil, true},
		{"the link of the target, to nothing", edit(`target_link = ?`, zero), []string{movement(l.middle)}, nil, true},
		{"the source of a movement", edit(`source_account = NULL, source_seq = NULL, source_balance = NULL, source_link = NULL, source_system = 'issuance'`),
			[]string{movement(l.middle), movement(afterMaster)}, []string{missing(l.middle, l.master)}, false},
		{"the target of a movement", edit(`target_account = NULL, target_seq = NULL, target_balance = NULL, target_link = NULL, target_system = 'consumption'`),
			[]string{movement(l.middle), movement(afterLeaf)}, []string{missing(l.middle, l.leaf)}, false},
		{"the account of the target", edit(`target_account = ?, target_seq = 999999`, l.idle.id), []string{movement(l.middle), movement(afterLeaf)}, []string{missing(l.middle, l.leaf)}, true},
		{"the number of a movement", edit(`target_seq = 999999`), []string{movement(l.middle), movement(afterLeaf)}, []string{missing(l.middle, l.leaf)}, false},
		{"what an admin issued", []forgery{forge(`UPDATE movements SET amount = amount + 10000 WHERE id = ?`, l.issued)}, []string{movement(l.issued)}, nil, false},
		{"what was issued, with every balance after it", []forgery{
			forge(`UPDATE movements SET target_balance = target_balance + 10000 WHERE target_account = ?1 AND target_seq >= ?2`, l.leaf.id, l.seq(t, l.issued, l.leaf)),
			forge(`UPDATE movements SET source_balance = source_balance + 10000 WHERE source_account = ?1 AND source_seq >= ?2`, l.leaf.id, l.seq(t, l.issued, l.leaf)),
			forge(`UPDATE movements SET amount = amount + 10000 WHERE id = ?`, l.issued),
			forge(`UPDATE accounts SET credits = credits + 10000 WHERE id = ?`, l.leaf.id),
		}, []string{movement(l.issued), movement(l.last)}, nil, true},
		{"what an admin's line cost", []forgery{forge(`UPDATE movements SET amount = amount * 2 WHERE id = ?`, l.own)}, []string{movement(l.own)}, nil, false},

		{"two movements that changed places", []forgery{
			forge(`UPDATE movements SET id = ?1 WHERE id = ?2`, newID, l.middle),
			forge(`UPDATE movements SET id = ?1 WHERE id = ?2`, l.middle, l.issued),
			forge(`UPDATE movements SET id = ?1 WHERE id = ?2`, l.issued, newID),
		}, []string{movement(l.middle), movement(l.issued)}, nil, false},
		{"two movements that changed numbers", []forgery{
			forge(`UPDATE movements SET target_seq = 999999 WHERE id = ?`, l.middle),
			forge(`UPDATE movements SET target_seq = ?1 WHERE id = ?2`, l.seq(t, l.middle, l.leaf), l.issued),
			forge(`UPDATE movements SET target_seq = ?1 WHERE id = ?2`, l.seq(t, l.issued, l.leaf), l.middle),
		}, []string{movement(l.middle), movement(l.issued)}, nil, true},
		{"two movements that changed amounts", []forgery{
			forge(`UPDATE movements SET amount = 40000 - amount WHERE id IN (?, ?)`, l.middle, l.issued), // 1.5 and 2.5 credits
		}, []string{movement(l.middle), movement(l.issued)}, nil, false},

		{"a movement removed", []forgery{forge(`DELETE FROM movements WHERE id = ?`, l.middle)}, []string{movement(afterMaster), movement(afterLeaf)},
			[]string{missing(l.middle, l.master), missing(l.middle, l.leaf), fmt.Sprintf("account %d", l.master.id), fmt.Sprintf("account %d", l.leaf.id)}, false},
		{"the last movement removed", []forgery{forge(`DELETE FROM movements WHERE id = ?`, l.last)}, []string{l.leaf.record()}, []string{fmt.Sprintf("number %d", head.Seq)}, false},
		{"the last movement of two removed", []forgery{forge(`DELETE FROM movements WHERE id = ?`, l.crossed)}, []string{l.master.record(), l.child.record()}, nil, false},
		{"the last movement and its credits removed", []forgery{
			forge(`DELETE FROM movements WHERE id = ?`, l.last),
			forge(`UPDATE accounts SET credits = credits - 40000 WHERE id = ?`, l.leaf.id),
		}, []string{l.leaf.record()}, nil, false},
		{"all movements of an account removed", []forgery{
			forge(`DELETE FROM movements WHERE target_account = ?1 OR source_account = ?1`, l.leaf.id),
		}, []string{l.leaf.record()}, nil, true},

		{"a movement appended", []forgery{insert(forged, other)}, []string{movement(newID), l.leaf.record()}, nil, false},
		{"a movement appended with the right link", []forgery{insert(forged, forged.Entries[0].Link)}, []string{l.leaf.record()}, []string{movement(newID)}, false},
		{"a movement appended with the right link, and its credits", []forgery{
			insert(forged, forged.Entries[0].Link), forge(`UPDATE accounts SET credits = ? WHERE id = ?`, reached.Units(), l.leaf.id),
		}, []string{l.leaf.record()}, []string{movement(newID)}, false},
		{"a first movement of an account", []forgery{insert(first, first.Entries[0].Link)}, []string{l.idle.record()}, []string{movement(newID)}, false},
		{"a movement appended far ahead", []forgery{insert(forged, other), forge(`UPDATE movements SET target_seq = target_seq + 5 WHERE id = ?`, newID)}, []string{movement(newID)}, nil, false},
		{"a movement of a number that is taken", []forgery{
			forge(`DROP INDEX movements_target`), insert(forged, other), forge(`UPDATE movements SET target_seq = ? WHERE id = ?`, l.seq(t, l.middle, l.leaf), newID),
		}, []string{movement(newID)}, nil, true},
		{"a movement of nobody", []forgery{insert(forged, forged.Entries[0].Link), forge(`UPDATE movements SET target_account = 999999, target_seq = 1 WHERE id = ?`, newID)},
			[]string{movement(newID), "account 999999"}, nil, false},

		{"the credits of an account", []forgery{forge(`UPDATE accounts SET credits = credits + 1 WHERE id = ?`, l.leaf.id)}, []string{l.leaf.record()}, nil, false},
		{"the credits of an account that never had any", []forgery{forge(`UPDATE accounts SET credits = 1 WHERE id = ?`, l.idle.id)}, []string{l.idle.record()}, nil, false},
		{"credits from one account to another", []forgery{
			forge(`UPDATE accounts SET credits = credits - 10000 WHERE id = ?`, l.master.id), forge(`UPDATE accounts SET credits = credits + 10000 WHERE id = ?`, l.leaf.id),
		}, []string{l.master.record(), l.leaf.record()}, nil, false},
		{"the last number of an account", []forgery{forge(`UPDATE accounts SET ledger_seq = ledger_seq - 1 WHERE id = ?`, l.leaf.id)}, []string{l.leaf.record()}, nil, false},
		{"the last number of an account, beyond", []forgery{forge(`UPDATE accounts SET ledger_seq = ledger_seq + 1 WHERE id = ?`, l.leaf.id)}, []string{l.leaf.record()}, nil, false},
		{"the last link of an account", []forgery{forge(`UPDATE accounts SET ledger_link = ? WHERE id = ?`, other[:], l.leaf.id)}, []string{l.leaf.record()}, nil, false},
		{"the whole end of an account", []forgery{forge(`UPDATE accounts SET ledger_seq = 0, ledger_link = ?, credits = 0 WHERE id = ?`, zero, l.leaf.id)}, []string{l.leaf.record()}, nil, false},
		{"an account removed", []forgery{forge(`DELETE FROM accounts WHERE id = ?`, l.leaf.id)}, []string{l.leaf.record()}, nil, true},
		{"a master removed", []forgery{forge(`DELETE FROM accounts WHERE id = ?`, l.master.id)}, []string{l.master.record()}, nil, true},

		{"the charge of a line", []forgery{forge(`UPDATE lines SET charge = (SELECT charge FROM lines WHERE id = ?) WHERE id = ?`, l.other.id, l.paid.id)}, []string{l.paid.record()}, nil, false},
		{"the charge of a line, to a recharge", []forgery{forge(`UPDATE lines SET charge = ? WHERE id = ?`, l.middle, l.paid.id)}, []string{l.paid.record()}, nil, false},
		{"the charge of a line, to none", []forgery{forge(`UPDATE lines SET charge = ? WHERE id = ?`, newID, l.paid.id)}, []string{l.paid.record()}, nil, false},
		{"a trial made official on another's charge", []forgery{
			forge(`UPDATE lines SET trial = 0, platform_id = 999999, charge = (SELECT charge FROM lines WHERE id = ?) WHERE id = ?`, l.paid.id, l.trial.id),
		}, []string{l.trial.record()}, nil, false},
		{"a trial made official on no charge", []forgery{forge(`UPDATE lines SET trial = 0, platform_id = 999999, charge = ? WHERE id = ?`, newID, l.trial.id)}, []string{l.trial.record()}, nil, false},
		{"the owner of a line", []forgery{forge(`UPDATE lines SET (owner, owner_path) = (SELECT id, path FROM accounts WHERE id = ?) WHERE id = ?`, l.idle.id, l.paid.id)}, []string{l.paid.record()}, nil, false},
		{"the place of a line's owner", []forgery{forge(`UPDATE lines SET owner_path = '/1/' || owner || '/' WHERE id = ?`, l.paid.id)}, []string{l.paid.record()}, nil, false},
		{"the place of an account", []forgery{forge(`UPDATE accounts SET path = '/1/999999/' || id || '/' WHERE id = ?`, l.idle.id)}, []string{l.idle.record()}, nil, false},
		{"an official line made a trial again", []forgery{forge(`UPDATE lines SET trial = 1, platform_id = NULL, charge = NULL WHERE id = ?`, l.paid.id)}, []string{l.paid.record()}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copied := l.copy(t)
			copied.forge(t, c.forgery...)
			draft := filepath.Join(copied.dir, "checkpoint.txt")
			v := copied.verify(t, "--write-checkpoint", draft)
			v.finds(c.loose, c.names...)
			for _, words := range c.says {
				if !strings.Contains(strings.Join(v.findings, "\n"), words) {
					t.Errorf("no finding says %q:\n%s", words, v)
				}
			}
			if _, err := os.Stat(draft); !os.IsNotExist(err) {
				t.Errorf("a checkpoint was written of records that do not fit: %v", err)
			}
		})
	}
}

// TestVerifyWithACheckpoint rewrites the newest records as a whole, so that they fit
// one another: a checkpoint from before tells, and stays good while credits move
// as they should.
func TestVerifyWithACheckpoint(t *testing.T) {
	t.Parallel()
	l := newLedgerOfMany(t)
	file := filepath.Join(t.TempDir(), "monday.txt")
	l.verify(t, "--write-checkpoint", file).well()
	checkpoint := []string{"--checkpoint", file}
	l.verify(t, checkpoint...).well()

	leafBefore, leafBalance := l.previous(t, l.leaf)
	masterBefore, masterBalance := l.previous(t, l.master)
	childBefore, childBalance := l.previous(t, l.child)
	again, reached := issue(t, l.last, l.leaf, "40", leafBefore, leafBalance)
	for _, c := range []struct {
		name    string
		forgery []forgery
		names   []string
	}{
		{"the last movement undone", []forgery{
			forge(`DELETE FROM movements WHERE id = ?`, l.last), rewind(l.leaf, leafBefore, leafBalance),
		}, []string{l.leaf.record()}},
		{"the last movement of two accounts undone", []forgery{
			forge(`DELETE FROM movements WHERE id = ?`, l.crossed), rewind(l.master, masterBefore, masterBalance), rewind(l.child, childBefore, childBalance),
		}, []string{l.master.record(), l.child.record()}},
		{"the last movement written anew", []forgery{
			forge(`DELETE FROM movements WHERE id = ?`, l.last), insert(again, again.Entries[0].Link), rewind(l.leaf, again.Entries[0].Head, reached),
		}, []string{movement(l.last)}},
		{"an account without movements removed", []forgery{forge(`DELETE FROM accounts WHERE id = ?`, l.idle.id)}, []string{l.idle.record()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := l.copy(t)
			copied.forge(t, c.forgery...)
			copied.verify(t).well() // that is why a checkpoint is kept elsewhere
			copied.verify(t, checkpoint...).finds(false, c.names...)
		})
	}

	t.Run("while credits move", func(t *testing.T) {
		l.start(t)
		admin := l.admin(t)
		l.verify(t, checkpoint...).well() // beside the service
		admin.send(t, "PATCH", path("/users/credits", l.leaf.id), fields{"credits": 5}).is(200)
		l.master.send(t, "POST", path("/users", l.leaf.id, "/credits/reclaim"), fields{"credits": 2}).is(200)
		l.leaf.send(t, "PATCH", path("/lines/extend", l.paid.id), fields{"credits": 0.5}).is(200)
		l.master.send(t, "PATCH", path("/users/credits", l.idle.id), fields{"credits": 1}).is(200)
		l.child.reseller(t, "1")
		l.leaf.send(t, "DELETE", path("/lines", l.other.id), nil).is(200)
		admin.official(t)
		l.verify(t, checkpoint...).well()
		l.stop(t)
		l.verify(t, checkpoint...).well()

		// What was recorded before the checkpoint is found below all that came since.
		copied := l.copy(t)
		copied.forge(t, forge(`UPDATE movements SET notes = 'forged' WHERE id = ?`, l.last))
		copied.verify(t, checkpoint...).finds(false, movement(l.last))
		later := filepath.Join(t.TempDir(), "tuesday.txt")
		l.verify(t, append(checkpoint, "--write-checkpoint", later)...).well()
		l.verify(t, "--checkpoint", later).well()
	})

	t.Run("that is damaged", func(t *testing.T) {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{
			"empty":            "",
			"something else":   "hello\n",
			"cut in a line":    string(whole[:len(whole)-20]),
			"cut after a line": string(whole[:strings.LastIndex(strings.TrimSuffix(string(whole), "\n"), "\n")+1]),
			"a line too many":  string(whole) + "x\n",
			"another link":     strings.Replace(string(whole), "0", "g", 1) + "\n",
		} {
			damaged := filepath.Join(t.TempDir(), "damaged.txt")
			if err := os.WriteFile(damaged, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if v := l.verify(t, "--checkpoint", damaged); v.status != 1 || !strings.Contains(v.stderr, "checkpoint") {
				t.Errorf("%s: status %d, want 1:\n%s", name, v.status, v)
			}
		}
		if v := l.verify(t, "--checkpoint", filepath.Join(t.TempDir(), "none.txt")); v.status != 1 || !strings.Contains(v.stderr, "none.txt") {
			t.Errorf("no such checkpoint: status %d, want 1:\n%s", v.status, v)
		}
	})
}

// TestVerifyOfWhatIsNoStore examines what there is not.
func TestVerifyOfWhatIsNoStore(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	srv.verify(t).well() // one admin, and nothing else
	nowhere := filepath.Join(srv.dir, "nowhere.db")
	if v := srv.verify(t, "--store", "sqlite:"+nowhere); v.status != 1 || !strings.Contains(v.stderr, "nowhere.db") {
		t.Errorf("a store that is not there: status %d, want 1:\n%s", v.status, v)
	}
	if _, err := os.Stat(nowhere); !os.IsNotExist(err) {
		t.Errorf("verify made a store of its own: %v", err)
	}
}
