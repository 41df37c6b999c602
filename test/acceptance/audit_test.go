package acceptance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/bootstrap"
	"resellerd/domain/credit"
	"resellerd/test/api"
	"resellerd/test/fixture"
)

// verdict is what an audit says of a store.
type verdict struct {
	t        *testing.T
	status   int
	findings []string // a line each
	summary  string
	stderr   string
}

// audit runs the program's command on the server's records, whether the server runs or not.
func (s *server) audit(t *testing.T, flags ...string) verdict {
	t.Helper()
	status, stdout, stderr := s.command(t, append([]string{"audit"}, flags...)...)
	return newVerdict(t, status, stdout, stderr)
}

// auditHere runs the same command within this process, for tests that audit many stores: a process takes longer to
// start than an audit. TestAuditByEitherName holds the two to the same words.
func (s *server) auditHere(t *testing.T, flags ...string) verdict {
	t.Helper()
	var stdout, stderr strings.Builder
	args := append([]string{"audit", "--store", s.env["RESELLERD_STORE"]}, flags...)
	status := bootstrap.Run(args, &stdout, &stderr, bootstrap.DefaultStores())
	return newVerdict(t, status, stdout.String(), stderr.String())
}

func newVerdict(t *testing.T, status int, stdout, stderr string) verdict {
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	last := len(lines) - 1
	return verdict{t, status, lines[:last], lines[last], stderr}
}

// well expects that nothing is found.
func (v verdict) well() {
	v.t.Helper()
	if v.status != 0 || len(v.findings) > 0 || !strings.HasPrefix(v.summary, "all well: ") {
		v.t.Errorf("the audit ended with status %d:\n%s", v.status, v)
	}
}

// finds expects that these records are named, such as movement 12, and no others unless it is loose about them.
func (v verdict) finds(loose bool, records ...string) {
	v.t.Helper()
	named := map[string]bool{}
	for _, finding := range v.findings {
		record, _, _ := strings.Cut(finding, ": ")
		named[record] = true
		// of the journal, or of a name, which tell of the same
		if strings.HasPrefix(record, "entry ") || strings.HasPrefix(record, "name_claim ") {
			continue
		}
		if !loose && !slices.Contains(records, record) {
			v.t.Errorf("found, and not expected: %s", finding)
		}
	}
	for _, record := range records {
		if !named[record] {
			v.t.Errorf("the audit does not name %s", record)
		}
	}
	if v.status != 3 || !strings.HasPrefix(v.summary, fmt.Sprintf("%d findings in ", len(v.findings))) {
		v.t.Errorf("the audit ended with status %d, want 3:\n%s", v.status, v)
	}
}

func (v verdict) String() string {
	return strings.Join(slices.Concat(v.findings, []string{v.summary, v.stderr}), "\n")
}

// ledgerOfMany is a stopped server with a history behind it, and where in it the forgers of these tests set to work.
type ledgerOfMany struct {
	*server
	seed   uint64
	stored stored
	copies copies

	master, child, leaf api.Reseller
	idle                api.Reseller // it was never funded
	// movement from the master to the leaf, with others before and after it in both chains
	middle      int64
	issued      int64 // movement from issuance to the leaf, likewise
	own         int64 // the admin's payment for a line of its own, likewise
	crossed     int64 // the last movement of the master and of the child, between them
	last        int64 // the last movement of the leaf, from issuance
	paid, other line  // official lines of the leaf
	buried      line  // likewise, and deleted
	trial       line  // of the leaf
}

// newLedgerOfMany returns the ledger of a storage, which the first test makes: by random operations on a tree, with
// those between that the forgers need. Nobody may change it but in copies.
func newLedgerOfMany(t *testing.T, s store) *ledgerOfMany {
	t.Helper()
	l := madeOnce(t, s, "ledger", func(srv *server) *ledgerOfMany { return driveLedgerOfMany(t, srv) })
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed of the ledger: %d", l.seed)
		}
	})
	return l
}

func driveLedgerOfMany(t *testing.T, srv *server) *ledgerOfMany {
	t.Helper()
	l := &ledgerOfMany{server: srv, seed: rand.Uint64()}
	random := rand.New(rand.NewPCG(l.seed, 0))
	l.copies.of = srv
	srv.start(t)
	admin := l.Admin(t)
	l.master = admin.Master(t, "1000")
	l.child = l.master.Master(t, "200")
	l.leaf = l.child.Reseller(t, "50")
	l.idle = l.master.Reseller(t, "0")
	l.paid, l.other, l.trial = l.leaf.Official(t), l.leaf.Official(t), l.leaf.Trial(t)
	l.buried = l.leaf.Official(t)
	l.leaf.DeleteLine(t, l.buried.ID).Is(200)
	lines := []line{l.paid, l.other}
	deal := func() {
		accounts := []api.Reseller{l.master, l.child, l.leaf}
		i := random.IntN(len(accounts))
		above := []caller{admin, l.master.Caller, l.child.Caller}[random.IntN(i+1)]
		amount := fields{"credits": fixture.Units(1 + random.Int64N(5_0000)).String(), "notes": "a random one"}
		switch random.IntN(5) {
		case 0, 1:
			above.Send(t, "PATCH", api.Path("/users/credits", accounts[i].ID), amount)
		case 2:
			above.Send(t, "POST", api.Path("/users", accounts[i].ID, "/credits/reclaim"), amount)
		case 3:
			above.Extend(t, lines[random.IntN(2)].ID, 0.5)
		case 4:
			gone := accounts[i].Official(t)
			above.DeleteLine(t, gone.ID).Is(200)
		}
	}
	newest := func(a api.Reseller) int64 {
		return admin.Get(t, api.Path("/users", a.ID, "/ledger?limit=1")).List()[0].ID()
	}
	fund := func(by caller, a api.Reseller, credits string) int64 {
		by.Send(t, "PATCH", api.Path("/users/credits", a.ID), fields{"credits": credits, "notes": "a landmark"}).Is(200)
		return newest(a)
	}
	for range 15 {
		deal()
	}
	admin.Official(t)
	admin.Official(t)
	l.own = newest(api.Reseller{ID: 1})
	admin.Official(t)
	l.middle = fund(l.master.Caller, l.leaf, "1.5")
	l.issued = fund(admin, l.leaf, "2.5")
	for range 15 {
		deal()
	}
	fund(l.master.Caller, l.leaf, "1")
	l.crossed = fund(l.master.Caller, l.child, "3")
	l.last = fund(admin, l.leaf, "4")
	l.stop(t)
	l.stored = srv.store.left(l.dir).read(t)
	return l
}

// copy returns the stopped server with a copy of its records.
func (s *server) copy(t *testing.T) *server {
	t.Helper()
	copied := s.in(newDir(t, s.store))
	s.store.left(s.dir).copy(t, copied.dir)
	return copied
}

// in returns a server like s on the records in a folder.
func (s *server) in(dir string) *server {
	return serverOn(s.store, dir, changed(s.env, map[string]string{"RESELLERD_STORE": s.store.address(dir)}))
}

// copies are what tests were lent of a stopped server and have given back.
type copies struct {
	of *server

	mu   sync.Mutex
	made int
	free []*server
}

// lend returns the stopped server with a copy of its records until the test ends.
// The test changes no more than records.
func (c *copies) lend(t *testing.T) *server {
	t.Helper()
	c.mu.Lock()
	var lent *server
	if last := len(c.free) - 1; last >= 0 {
		lent, c.free = c.free[last], c.free[:last]
	} else {
		c.made++
	}
	dir := fmt.Sprintf("%s-copy-%d", c.of.dir, c.made)
	c.mu.Unlock()
	if records := c.of.store.left(c.of.dir); lent != nil {
		records.refresh(t, lent.dir)
	} else {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		lent = c.of.in(dir)
		records.copy(t, lent.dir)
	}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.free = append(c.free, lent)
	})
	return lent
}

// forge changes the records of a stopped server.
func (s *server) forge(t *testing.T, changes ...forgery) {
	t.Helper()
	s.store.left(s.dir).forge(t, changes...)
}

// seq returns the number of a movement in an account's chain.
func (l *ledgerOfMany) seq(t *testing.T, movement int64, of api.Reseller) int64 {
	t.Helper()
	return entry(l.stored.movement(t, movement), of.ID).Seq
}

// after returns the movement that comes next in an account's chain.
func (l *ledgerOfMany) after(t *testing.T, movement int64, of api.Reseller) int64 {
	t.Helper()
	return l.stored.chain(of.ID)[l.seq(t, movement, of)].ID
}

// head returns where an account's chain ends, as its record says, and its balance.
func (l *ledgerOfMany) head(of api.Reseller) (head credit.Tip, balance credit.Amount) {
	a := l.stored.accounts[of.ID]
	return a.head, a.credits
}

// previous returns where an account's chain ended before its last movement.
func (l *ledgerOfMany) previous(of api.Reseller) (head credit.Tip, balance credit.Amount) {
	chain := l.stored.chain(of.ID)
	e := entry(chain[len(chain)-2], of.ID)
	return e.Tip, e.Balance
}

// rewind makes an account's record end its chain somewhere else.
func rewind(of api.Reseller, head credit.Tip, balance credit.Amount) forgery {
	return change(accountRecord, of.ID, map[string]any{"ledger.seq": head.Seq, "ledger.link": head.Hash,
		"credits": balance})
}

func movement(id int64) string           { return fmt.Sprintf("movement %d", id) }
func accountNamed(a api.Reseller) string { return fmt.Sprintf("account %d", a.ID) }
func lineNamed(l line) string            { return fmt.Sprintf("line %d", l.ID) }

// forEachForger runs a test on every storage whose records can be forged.
func forEachForger(t *testing.T, test func(t *testing.T, s store)) {
	forStores(t, func(s store) bool { return s.left != nil }, test)
}

// TestAuditNamesWhatWasForged changes one thing in a copy of the records, in every
// way that comes to mind: the audit names the record.
func TestAuditNamesWhatWasForged(t *testing.T) {
	forEachForger(t, testAuditNamesWhatWasForged)
}

func testAuditNamesWhatWasForged(t *testing.T, s store) {
	l := newLedgerOfMany(t, s)
	l.audit(t).well()

	afterMaster, afterLeaf := l.after(t, l.middle, l.master), l.after(t, l.middle, l.leaf)
	newest := l.stored.movements[len(l.stored.movements)-1].ID
	newID := newest + 1000
	head, balance := l.head(l.leaf)
	forged, reached := issue(t, newID, l.leaf, "7", head, balance)
	unchained, ahead, doubled, ofNobody := forged, forged, forged, forged
	unchained.Postings = []credit.Posting{forged.Postings[0]}
	unchained.Postings[0].Hash[0] ^= 1
	other := unchained.Postings[0].Hash
	ahead.Postings = []credit.Posting{unchained.Postings[0]}
	ahead.Postings[0].Seq += 5
	doubled.Postings = []credit.Posting{unchained.Postings[0]}
	doubled.Postings[0].Seq = l.seq(t, l.middle, l.leaf)
	ofNobody.Postings = []credit.Posting{forged.Postings[0]}
	ofNobody.Postings[0].Reseller, ofNobody.Postings[0].Seq, ofNobody.Target = 999_999, 1, credit.Reseller(999_999)
	first, _ := issue(t, newID, l.idle, "7", credit.Tip{}, credit.Amount{})
	middle, issued, own := l.stored.movement(t, l.middle), l.stored.movement(t, l.issued), l.stored.movement(t, l.own)
	source, target := entry(middle, l.master.ID), entry(middle, l.leaf.ID)

	edit := func(field string, value any) []forgery {
		return []forgery{change(movementRecord, l.middle, map[string]any{field: value})}
	}
	editAll := func(changes map[string]any) []forgery { return []forgery{change(movementRecord, l.middle, changes)} }
	amount := func(m credit.Movement, units int64) forgery {
		return change(movementRecord, m.ID, map[string]any{"amount": more(m.Amount, units)})
	}
	number := func(movement, seq int64) forgery {
		return change(movementRecord, movement, map[string]any{"target.seq": seq})
	}
	rename := func(movement, id int64) forgery { return change(movementRecord, movement, map[string]any{"id": id}) }
	hold := func(a api.Reseller, units int64) forgery {
		return change(accountRecord, a.ID, map[string]any{"credits": more(l.stored.accounts[a.ID].credits, units)})
	}
	onLine := func(l line, changes map[string]any) []forgery { return []forgery{change(lineRecord, l.ID, changes)} }
	onAccount := func(a api.Reseller, changes map[string]any) []forgery {
		return []forgery{change(accountRecord, a.ID, changes)}
	}
	// raised adds a credit to the leaf's balance from a movement's number on.
	raised := func(from int64) (all []forgery) {
		for _, m := range l.stored.chain(l.leaf.ID)[from-1:] {
			e := entry(m, l.leaf.ID)
			all = append(all,
				change(movementRecord, m.ID, map[string]any{sideOf(m, l.leaf.ID) + ".balance": more(e.Balance, 10000)}))
		}
		return all
	}
	// An offset moves a credit from one balance after a movement to the other, with all that is made of the two.
	crossed := l.stored.movement(t, l.crossed)
	masterBefore, _ := l.previous(l.master)
	childBefore, _ := l.previous(l.child)
	masterHas, childHas := more(entry(crossed, l.master.ID).Balance, -10000),
		more(entry(crossed, l.child.ID).Balance, 10000)
	offset, err := crossed.Chain(credit.Posting{Reseller: l.master.ID, Balance: masterHas, Tip: masterBefore},
		credit.Posting{Reseller: l.child.ID, Balance: childHas, Tip: childBefore})
	if err != nil {
		t.Fatal(err)
	}
	masterEnd, childEnd := entry(offset, l.master.ID).Tip, entry(offset, l.child.ID).Tip
	var allOfLeaf []forgery
	for _, m := range l.stored.chain(l.leaf.ID) {
		allOfLeaf = append(allOfLeaf, remove(movementRecord, m.ID))
	}
	missing := func(movement int64, of api.Reseller) string {
		return fmt.Sprintf("number %d is missing", l.seq(t, movement, of))
	}
	for _, c := range []struct {
		name    string
		forgery []forgery
		names   []string // records
		says    []string // words that are in the findings
		loose   bool     // others may be named besides: what follows does not fit either
	}{
		{"the amount of a movement", []forgery{amount(middle, 1)}, []string{movement(l.middle)}, nil, false},
		{"the amount of a movement, by much", edit("amount", fixture.Units(1)), []string{movement(l.middle)}, nil, false},
		{"the notes of a movement", edit("notes", "another note"), []string{movement(l.middle)}, nil, false},
		{"the notes of a movement, taken away", edit("notes", ""), []string{movement(l.middle)}, nil, false},
		{"the actor of a movement", edit("actor", int64(1)), []string{movement(l.middle)}, nil, false},
		{"the request of a movement", edit("request", middle.Request+" "), []string{movement(l.middle)}, nil, false},
		{"the time of a movement", edit("at", middle.At.Add(time.Millisecond)), []string{movement(l.middle)}, nil, false},
		{"the kind of a movement", edit("operation", "reclaim"), []string{movement(l.middle)}, nil, false},
		{"the kind of a movement, to none", edit("operation", "gift"), []string{movement(l.middle)}, []string{"gift"}, true},
		{"the line of a movement", edit("line", l.paid.ID), []string{movement(l.middle)}, nil, false},
		{"the id of a movement", edit("id", newID), []string{movement(newID)}, nil, false},
		{"the balance of the source", edit("source.balance", more(source.Balance, 1)), []string{movement(l.middle)}, nil,
			true},
		{"the balance of the target", edit("target.balance", more(target.Balance, -1)), []string{movement(l.middle)}, nil,
			true},
		{"the amount with both balances", editAll(map[string]any{
			"amount": more(middle.Amount, 1), "source.balance": more(source.Balance, -1),
			"target.balance": more(target.Balance, 1),
		}), []string{movement(l.middle)}, nil, true},
		{"the link of the source", edit("source.link", other), []string{movement(l.middle)}, nil, true},
		{"the link of the target", edit("target.link", source.Hash), []string{movement(l.middle)}, nil, true},
		{"the link of the target, to nothing", edit("target.link", credit.Hash{}), []string{movement(l.middle)}, nil, true},
		{"the source of a movement",
			editAll(map[string]any{"source.account": nil, "source.seq": nil, "source.balance": nil, "source.link": nil,
				"source.system": "issuance"}),
			[]string{movement(l.middle), movement(afterMaster)}, []string{missing(l.middle, l.master)}, false},
		{"the target of a movement",
			editAll(map[string]any{"target.account": nil, "target.seq": nil, "target.balance": nil, "target.link": nil,
				"target.system": "consumption"}),
			[]string{movement(l.middle), movement(afterLeaf)}, []string{missing(l.middle, l.leaf)}, false},
		{"the account of the target", editAll(map[string]any{"target.account": l.idle.ID, "target.seq": int64(999999)}),
			[]string{movement(l.middle), movement(afterLeaf)}, []string{missing(l.middle, l.leaf)}, true},
		{"the number of a movement", []forgery{number(l.middle, 999999)}, []string{movement(l.middle), movement(afterLeaf)},
			[]string{missing(l.middle, l.leaf)}, false},
		{"what an admin issued", []forgery{amount(issued, 10000)}, []string{movement(l.issued)}, nil, false},
		{"what was issued, with every balance after it",
			slices.Concat(raised(l.seq(t, l.issued, l.leaf)), []forgery{amount(issued, 10000), hold(l.leaf, 10000)}),
			[]string{movement(l.issued), movement(l.last)}, nil, true},
		{"what an admin's line cost", []forgery{amount(own, own.Amount.Units())}, []string{movement(l.own)}, nil, false},

		{"two movements that changed places", []forgery{rename(l.middle, newID), rename(l.issued, l.middle),
			rename(newID, l.issued)},
			[]string{movement(l.middle), movement(l.issued)}, nil, false},
		{"two movements that changed numbers", []forgery{
			number(l.middle, 999999), number(l.issued, l.seq(t, l.middle, l.leaf)), number(l.middle, l.seq(t, l.issued, l.leaf)),
		}, []string{movement(l.middle), movement(l.issued)}, nil, true},
		// 1.5 and 2.5 credits
		{"two movements that changed amounts", []forgery{amount(middle, 10000), amount(issued, -10000)},
			[]string{movement(l.middle), movement(l.issued)}, nil, false},

		{"two balances that offset each other, with links made again", []forgery{
			change(movementRecord, l.crossed, map[string]any{
				"source.balance": masterHas, "source.link": masterEnd.Hash, "target.balance": childHas,
				"target.link": childEnd.Hash,
			}),
			rewind(l.master, masterEnd, masterHas), rewind(l.child, childEnd, childHas),
		}, []string{movement(l.crossed)}, []string{"does not follow from"}, false},

		{"a movement removed", []forgery{remove(movementRecord, l.middle)},
			[]string{movement(afterMaster), movement(afterLeaf)},
			[]string{missing(l.middle, l.master), missing(l.middle, l.leaf), fmt.Sprintf("account %d", l.master.ID),
				fmt.Sprintf("account %d", l.leaf.ID)}, false},
		{"the last movement removed", []forgery{remove(movementRecord, l.last)}, []string{accountNamed(l.leaf)},
			[]string{fmt.Sprintf("number %d", head.Seq)}, false},
		{"the last movement of two removed", []forgery{remove(movementRecord, l.crossed)},
			[]string{accountNamed(l.master), accountNamed(l.child)}, nil, false},
		{"the last movement and its credits removed", []forgery{remove(movementRecord, l.last), hold(l.leaf, -40000)},
			[]string{accountNamed(l.leaf)}, nil, false},
		{"all movements of an account removed", allOfLeaf, []string{accountNamed(l.leaf)}, nil, true},

		{"a movement appended", []forgery{add(unchained)}, []string{movement(newID), accountNamed(l.leaf)}, nil, false},
		{"a movement appended with the right link", []forgery{add(forged)}, []string{movement(newID), accountNamed(l.leaf)},
			[]string{movement(newID)}, false},
		{"a movement appended with the right link, and its credits", []forgery{
			add(forged), change(accountRecord, l.leaf.ID, map[string]any{"credits": reached}),
		}, []string{movement(newID), accountNamed(l.leaf)}, []string{movement(newID)}, false},
		{"a first movement of an account", []forgery{add(first)}, []string{movement(newID), accountNamed(l.idle)},
			[]string{movement(newID)}, false},
		{"a movement appended far ahead", []forgery{add(ahead)}, []string{movement(newID)}, nil, false},
		{"a movement of a number that is taken", []forgery{{doubles: true}, add(doubled)}, []string{movement(newID)}, nil,
			true},
		{"a movement of nobody", []forgery{add(ofNobody)}, []string{movement(newID), "account 999999"}, nil, false},

		{"the credits of an account", []forgery{hold(l.leaf, 1)}, []string{accountNamed(l.leaf)}, nil, false},
		{"the credits of an account that never had any", []forgery{hold(l.idle, 1)}, []string{accountNamed(l.idle)},
			nil, false},
		{"credits from one account to another", []forgery{hold(l.master, -10000), hold(l.leaf, 10000)},
			[]string{accountNamed(l.master), accountNamed(l.leaf)}, nil, false},
		{"the last number of an account", onAccount(l.leaf, map[string]any{"ledger.seq": head.Seq - 1}),
			[]string{accountNamed(l.leaf)}, nil, false},
		{"the last number of an account, beyond", onAccount(l.leaf, map[string]any{"ledger.seq": head.Seq + 1}),
			[]string{accountNamed(l.leaf)}, nil, false},
		{"the last link of an account", onAccount(l.leaf, map[string]any{"ledger.link": other}),
			[]string{accountNamed(l.leaf)}, nil, false},
		{"the whole end of an account", []forgery{rewind(l.leaf, credit.Tip{}, credit.Amount{})},
			[]string{accountNamed(l.leaf)}, nil, false},
		{"an account removed", []forgery{remove(accountRecord, l.leaf.ID)}, []string{accountNamed(l.leaf)}, nil, true},
		{"a master removed", []forgery{remove(accountRecord, l.master.ID)}, []string{accountNamed(l.master)}, nil, true},

		{"the charge of a line", onLine(l.paid, map[string]any{"charge": l.stored.lines[l.other.ID].charge}),
			[]string{lineNamed(l.paid)}, nil, false},
		{"the charge of a line, to a recharge", onLine(l.paid, map[string]any{"charge": l.middle}),
			[]string{lineNamed(l.paid)}, nil, false},
		{"the charge of a line, to none", onLine(l.paid, map[string]any{"charge": newID}), []string{lineNamed(l.paid)},
			nil, false},
		{"a trial made official on another's charge", onLine(l.trial, map[string]any{
			"trial": false, "platform_id": int64(999999), "charge": l.stored.lines[l.paid.ID].charge,
		}), []string{lineNamed(l.trial)}, nil, false},
		{"a trial made official on no charge",
			onLine(l.trial, map[string]any{"trial": false, "platform_id": int64(999999), "charge": newID}),
			[]string{lineNamed(l.trial)}, nil, false},
		{"the owner of a line", onLine(l.paid, map[string]any{"owner": l.idle.ID, "path": l.stored.accounts[l.idle.ID].path}),
			[]string{lineNamed(l.paid)}, nil, false},
		{"the place of a line's owner", onLine(l.paid, map[string]any{"path": []int64{1, l.leaf.ID}}),
			[]string{lineNamed(l.paid)}, nil, false},
		{"the place of an account", onAccount(l.idle, map[string]any{"path": []int64{1, 999999, l.idle.ID}}),
			[]string{accountNamed(l.idle)}, nil, false},
		{"an official line made a trial again",
			onLine(l.paid, map[string]any{"trial": true, "platform_id": nil, "charge": nil}), []string{lineNamed(l.paid)},
			nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copied := l.copies.lend(t)
			copied.forge(t, c.forgery...)
			draft := filepath.Join(copied.dir, "checkpoint.txt")
			v := copied.auditHere(t, "--write-checkpoint", draft)
			v.finds(c.loose, c.names...)
			for _, words := range c.says {
				if !strings.Contains(strings.Join(v.findings, "\n"), words) {
					t.Errorf("no finding says %q:\n%s", words, v)
				}
			}
			if strings.Contains(v.String(), "not what this program writes") {
				t.Errorf("the forger has left traces of another kind:\n%s", v)
			}
			if _, err := os.Stat(draft); !os.IsNotExist(err) {
				t.Errorf("a checkpoint was written of records that do not fit: %v", err)
			}
		})
	}
}

// TestAuditWithACheckpoint rewrites the newest records as a whole, so that they fit one another: a checkpoint from
// before tells, and stays good while credits move as they should.
func TestAuditWithACheckpoint(t *testing.T) {
	forEachForger(t, testAuditWithACheckpoint)
}

func testAuditWithACheckpoint(t *testing.T, s store) {
	l := newLedgerOfMany(t, s)
	file := filepath.Join(t.TempDir(), "monday.txt")
	l.audit(t, "--write-checkpoint", file).well()
	checkpoint := []string{"--checkpoint", file}
	l.audit(t, checkpoint...).well()

	leafBefore, leafBalance := l.previous(l.leaf)
	masterBefore, masterBalance := l.previous(l.master)
	childBefore, childBalance := l.previous(l.child)
	again, reached := issue(t, l.last, l.leaf, "40", leafBefore, leafBalance)
	for _, c := range []struct {
		name    string
		forgery []forgery
		names   []string
	}{
		{"the last movement undone", []forgery{
			remove(movementRecord, l.last), rewind(l.leaf, leafBefore, leafBalance),
		}, []string{accountNamed(l.leaf)}},
		{"the last movement of two accounts undone", []forgery{
			remove(movementRecord, l.crossed), rewind(l.master, masterBefore, masterBalance),
			rewind(l.child, childBefore, childBalance),
		}, []string{accountNamed(l.master), accountNamed(l.child)}},
		{"the last movement written again", []forgery{
			remove(movementRecord, l.last), add(again), rewind(l.leaf, again.Postings[0].Tip, reached),
		}, []string{movement(l.last)}},
		{"an account without movements removed", []forgery{remove(accountRecord, l.idle.ID)}, []string{accountNamed(l.idle)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := l.copies.lend(t)
			copied.forge(t, c.forgery...)
			// by the journal alone, which a forger would write again as well: that is why a checkpoint is kept elsewhere
			copied.auditHere(t).finds(false)
			copied.auditHere(t, checkpoint...).finds(false, c.names...)
		})
	}

	t.Run("while credits move", func(t *testing.T) {
		live := l.copy(t)
		live.start(t)
		admin := live.Admin(t)
		master, child, leaf := l.master.On(live.Service), l.child.On(live.Service), l.leaf.On(live.Service)
		live.audit(t, checkpoint...).well() // beside the service
		admin.Fund(t, l.leaf.ID, 5).Is(200)
		master.Reclaim(t, l.leaf.ID, 2).Is(200)
		leaf.Extend(t, l.paid.ID, 0.5).Is(200)
		master.Fund(t, l.idle.ID, 1).Is(200)
		child.Reseller(t, "1")
		leaf.DeleteLine(t, l.other.ID).Is(200)
		admin.Official(t)
		live.audit(t, checkpoint...).well()
		live.stop(t)
		live.audit(t, checkpoint...).well()

		// What was recorded before the checkpoint is found below all that came since.
		copied := live.copy(t)
		copied.forge(t, change(movementRecord, l.last, map[string]any{"notes": "forged"}))
		copied.audit(t, checkpoint...).finds(false, movement(l.last))
		later := filepath.Join(t.TempDir(), "tuesday.txt")
		live.audit(t, append(checkpoint, "--write-checkpoint", later)...).well()
		live.audit(t, "--checkpoint", later).well()
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
			if v := l.auditHere(t, "--checkpoint", damaged); v.status != 1 || !strings.Contains(v.stderr, "checkpoint") {
				t.Errorf("%s: status %d, want 1:\n%s", name, v.status, v)
			}
		}
		if v := l.audit(t, "--checkpoint", filepath.Join(t.TempDir(), "none.txt")); v.status != 1 ||
			!strings.Contains(v.stderr, "none.txt") {
			t.Errorf("no such checkpoint: status %d, want 1:\n%s", v.status, v)
		}
	})
}

// TestAuditOfWhatIsNoStore examines what there is not.
func TestAuditOfWhatIsNoStore(t *testing.T) {
	forEachForger(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		srv.audit(t).well() // one admin, and nothing else
		nowhere := newServer(t, s, nil)
		if v := nowhere.audit(t); v.status != 1 || !strings.Contains(v.stderr, "RESELLERD_STORE") ||
			!strings.Contains(v.stderr, s.left(nowhere.dir).whereabouts(t)) {
			t.Errorf("a store that is not there: status %d, want 1:\n%s", v.status, v)
		}
		if made := s.left(nowhere.dir).bytes(t); len(made) > 0 {
			t.Errorf("an audit made a store of its own: %v", slices.Collect(maps.Keys(made)))
		}
	})
}

// TestAuditByEitherName runs the command by its name, by its former one and within this process: each says the same.
func TestAuditByEitherName(t *testing.T) {
	forEachForger(t, func(t *testing.T, s store) {
		l := newLedgerOfMany(t, s)
		forged := l.copies.lend(t)
		forged.forge(t, change(movementRecord, l.middle, map[string]any{"notes": "forged"}))
		for want, srv := range map[int]*server{0: l.server, 3: forged} {
			v := srv.audit(t)
			if v.status != want {
				t.Errorf("the audit ended with status %d, want %d:\n%s", v.status, want, v)
			}
			status, stdout, stderr := srv.command(t, "verify")
			for how, other := range map[string]verdict{"by its former name": newVerdict(t, status, stdout, stderr),
				"in this process": srv.auditHere(t)} {
				if other.status != v.status || other.String() != v.String() {
					t.Errorf("%s it ended with status %d, want %d:\n%s\nwant\n%s", how, other.status, v.status, other, v)
				}
			}
		}
	})
}
