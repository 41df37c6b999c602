package sqlitestore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestEveryStatementFindsItsRowsByAnIndex(t *testing.T) {
	t.Parallel()
	s := holding(t)
	plan := func(statement string) (steps []string) {
		must(t, s.OnWriter(func(c sqlitestore.Raw) (err error) {
			steps, err = c.Plan(statement)
			return err
		}), statement)
		return steps
	}
	scans := func(statement string) bool {
		for _, step := range plan(statement) {
			if strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW" && !strings.HasSuffix(step, "VALUES CLAUSE") &&
				!strings.HasPrefix(step, "SCAN (subquery") || // whose own steps are there too
				strings.Contains(step, "TEMP B-TREE") {
				return true
			}
		}
		return false
	}
	for _, bad := range []string{"SELECT id FROM accounts WHERE country = ?1",
		"SELECT id FROM accounts WHERE id > ?1 ORDER BY country"} {
		expect.Equal(t, scans(bad), true, "a scan: %s", bad)
	}

	// A page starts and ends within its index.
	const (
		ids    = "(scope=? AND line>? AND line<?)"
		names  = "(scope=? AND (name,line)>(?,?) AND (name,line)<(?,?))"
		expiry = "(scope=? AND (expiry,line)>(?,?) AND (expiry,line)<(?,?))" // in either direction
		events = "(list=? AND id=? AND seq>? AND seq<?)"
	)
	pages := map[string]string{
		"list accounts":                                           "(list=? AND account>? AND account<?)",
		"find the edge of a page of accounts":                     "(list=? AND account>?)",
		"filter the lines of a list":                              ids,
		"find the edge of a page of lines":                        ids,
		"find the first lines of a list":                          ids,
		"filter the lines of a list by expiry":                    expiry,
		"find the edge of a page of lines by expiry":              expiry,
		"find the first lines of a list by expiry":                expiry,
		"filter the lines of a list by name":                      names,
		"find the edge of a page of lines by name":                names,
		"find the first lines of a list by name":                  names,
		"filter the lines of a list from the newest":              ids,
		"find the edge of a page of lines from the newest":        ids,
		"find the first lines of a list from the newest":          ids,
		"filter the lines of a list from the latest expiry":       expiry,
		"find the edge of a page of lines from the latest expiry": expiry,
		"find the first lines of a list from the latest expiry":   expiry,
		"list movements of an account":                            "(target_account=? AND target_seq<?)",
		"count the lines of a list":                               expiry,
		"count some of the lines of a list":                       expiry,
		"look for more lines of a list":                           expiry,
		"read the journal":                                        "(rowid>? AND rowid<?)",
		"read the journal from its end":                           "(rowid>? AND rowid<?)",
		"list entries of the journal":                             events,
		"list entries of the journal from its end":                events,
		"find the edge of a page of entries":                      events,
		"find the edge of a page of entries from its end":         events,
		"filter a list of entries":                                events,
		"filter a list of entries from its end":                   events,
		"read the figures of an account":                          "(account=? AND day>? AND day<?)",
		"read figures":                                            "((account,day)>(?,?))",
	}
	for _, st := range engine.Statements() {
		switch verb, _, _ := strings.Cut(st.SQL, " "); verb {
		case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
			continue // nothing to find
		}
		switch st.String() {
		case "look for any account", "look for any record":
			continue // ends at the first row, whichever it is
		case "examine tables and indexes":
			continue // goes through the schema
		case "sum the movements", "sum the balances", "count entries of indexes", "remove movements", "remove journal",
			"remove journal_listed", "remove lines", "remove tombstones", "remove accounts":
			continue // of all there are, or of any
		case "look for accounts that a list lacks", "look for accounts in other lists", "look for lines that a list lacks",
			"look for lines in other lists",
			"read where lines belong", "read lists of lines", "read lists of lines by expiry", "read lists of lines by name",
			"read answers", "read all of the journal", "read lists of the journal",
			"repair account_lists: remove", "repair account_lists: add", "repair line_ids: remove", "repair line_ids: add",
			"repair line_expiries: remove", "repair line_expiries: add", "repair line_names: remove", "repair line_names: add":
			// Each goes once through all there are, in the order of ids, and finds by an
			// index what it compares with.
			steps := strings.Join(plan(st.SQL), "\n")
			if strings.Count(steps, "SCAN") > 1+strings.Count(steps, "VIRTUAL TABLE") || strings.Contains(steps, "TEMP B-TREE") {
				t.Errorf("%s:\n%s\n%s", st.String(), st.SQL, steps)
			}
			continue
		case "look for lines in other lists by expiry", "look for lines in other lists by name":
			continue // goes through all there are only where lists have not as many entries in each order
		case "list accounts at the root":
			steps := strings.Join(plan(st.SQL), "\n")
			expect.Equal(t, steps, "SCAN accounts USING INDEX accounts_roots", "%s: the plan", st.String())
			continue
		case "insert an account":
			continue // looks for lines without an owner where its own trigger left any, and it makes no lines
		}
		expect.Equal(t, scans(st.SQL), false, "%s:\n%s\n%s", st.String(), st.SQL, strings.Join(plan(st.SQL), "\n"))
		if ranges, is := pages[st.String()]; is && !strings.Contains(strings.Join(plan(st.SQL), "\n"), ranges) {
			t.Errorf("%s: want the range %s:\n%s\n%s", st.String(), ranges, st.SQL, strings.Join(plan(st.SQL), "\n"))
		}
		delete(pages, st.String())
	}
	expect.DeepEqual(t, len(pages), 0, "every page is looked at %v", pages)
}

func TestConnectionsAreAsPromised(t *testing.T) {
	t.Parallel()
	s := holding(t)
	pragma := func(name string) func(sqlitestore.Raw) string {
		return func(c sqlitestore.Raw) (value string) {
			must(t, c.Ask("PRAGMA "+name, &value))
			return value
		}
	}
	const inMemory = "2"
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "temp_store": inMemory,
		"cache_spill": "0", "journal_size_limit": "33554432", "trusted_schema": "0",
	} {
		must(t, s.OnWriter(func(c sqlitestore.Raw) error {
			expect.DeepEqual(t, pragma(name)(c), want, "%v", name)
			return nil
		}))
	}
	must(t, s.OnReader(func(c sqlitestore.Raw) error {
		expect.DeepEqual(t, pragma("busy_timeout")(c), "5000")
		expect.DeepEqual(t, pragma("temp_store")(c), inMemory)
		expect.DeepEqual(t, pragma("trusted_schema")(c), "0")
		err := c.Exec("DELETE FROM accounts")
		wantMention(t, err, "readonly")
		return nil
	}))
}

func TestTheFileItselfRefuses(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2))
	movement := func(id, source, target, amount string) string {
		return "INSERT INTO movements VALUES (" + id + ", 'recharge', " + source + ", " + target + ", " + amount +
			", NULL, 1, 'r', '', 0)"
	}
	const (
		link          = "zeroblob(32)"
		issuance      = "'issuance', NULL, NULL, NULL, NULL"
		consumption   = "'consumption', NULL, NULL, NULL, NULL"
		first, second = "NULL, 1, 1, 0, " + link, "NULL, 2, 1, 5, " + link
		next          = "NULL, 2, 2, 5, " + link
	)
	execute(t, s, movement("1", issuance, second, "5"))
	appendAll(t, s)
	execute(t, s, "INSERT INTO journal_listed SELECT 1, epoch, seq, hash FROM journal")

	for rule, statement := range map[string]string{
		"a negative balance":           "UPDATE accounts SET credits = -1 WHERE id = 2",
		"a balance over the limit":     "UPDATE accounts SET credits = 1000000000000001 WHERE id = 2",
		"credits of an admin":          "UPDATE accounts SET credits = 1 WHERE id = 1",
		"a broken amount":              "UPDATE accounts SET credits = 1.5 WHERE id = 2",
		"an unknown role":              "UPDATE accounts SET role = 'root' WHERE id = 2",
		"a short generation":           "UPDATE accounts SET token = x'00' WHERE id = 2",
		"a changed movement":           "UPDATE movements SET notes = 'x'",
		"a removed movement":           "DELETE FROM movements",
		"a changed entry":              "UPDATE journal SET entry = '{}'",
		"a removed entry":              "DELETE FROM journal",
		"forgotten lists":              "DELETE FROM journal_listed",
		"an account with movements":    "DELETE FROM accounts WHERE id = 2",
		"a chain without an end":       "UPDATE accounts SET ledger_seq = 1 WHERE id = 2",
		"an end without a chain":       "UPDATE accounts SET ledger_link = randomblob(32) WHERE id = 2",
		"a short end":                  "UPDATE accounts SET ledger_seq = 1, ledger_link = x'01' WHERE id = 2",
		"a movement of nothing":        movement("2", issuance, next, "0"),
		"a movement over the limit":    movement("2", issuance, next, "10000000000001"),
		"a target with two parties":    movement("2", first, "'issuance', 2, 2, 5, "+link, "5"),
		"a side with no party":         movement("2", "NULL, NULL, NULL, NULL, NULL", next, "5"),
		"an account without number":    movement("2", "NULL, 1, NULL, 0, "+link, next, "5"),
		"an account without balance":   movement("2", "NULL, 1, 1, NULL, "+link, next, "5"),
		"an account without link":      movement("2", "NULL, 1, 1, 0, NULL", next, "5"),
		"a short link":                 movement("2", "NULL, 1, 1, 0, x'00'", next, "5"),
		"a number below 1":             movement("2", "NULL, 1, 0, 0, "+link, next, "5"),
		"a number given twice":         movement("2", issuance, second, "5"),
		"an entry of a system":         movement("2", "'issuance', NULL, 1, 5, "+link, next, "5"),
		"a movement of nobody":         movement("2", issuance, consumption, "5"),
		"a way back from consumption":  movement("2", consumption, next, "5"),
		"an account to itself":         movement("2", next, "NULL, 2, 3, 5, "+link, "5"),
		"a system account to itself":   movement("2", "'issuance', 1, 1, 0, "+link, issuance, "5"),
		"a movement of a stranger":     movement("2", first, "NULL, 9, 1, 5, "+link, "5"),
		"an official line without id":  "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 0, 0, '', '', '', NULL, 7, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL)",
		"an official line for free":    "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 0, 0, '', '', '', 7, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL)",
		"a trial with a platform id":   "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 1, 0, '', '', '', 7, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL)",
		"a trial with a charge":        "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 1, 0, '', '', '', NULL, 7, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL)",
		"an imported line with charge": "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 0, 0, '', '', '', 7, 7, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, 'imported')",
		"an imported trial":            "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 1, 0, '', '', '', NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, 'imported')",
		"a line of another origin":     "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 0, 0, '', '', '', 7, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, 'found')",
		"a line of a stranger":         "INSERT INTO lines VALUES (1, 9, '/1/9/', 'a', 'a', x'00', 1, 0, '', '', '', NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL)",
	} {
		wantMention(t, tryExecute(t, s, statement), "constraint", rule)
	}
	expect.Error(t, tryExecute(t, s, movement("2", first, next, "5")), nil, "what is right is taken")
	expect.Error(t, tryExecute(t, s, movement("3", "'issuance', 1, 2, 0, "+link, consumption, "5")), nil,
		"so is an admin's own line")
}

func TestARepeatedMovementIsNoTakenName(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2))
	unit := fixture.Units(1)
	pay := func(to *reseller.Reseller, id int64) error {
		m, err := admin().Fund(to, unit, credit.Provenance{ID: id, Actor: 1, At: to.State().CreatedAt})
		must(t, err)
		return s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			if err := tx.Resellers.Save(ctx, to); err != nil {
				return err
			}
			return tx.Ledger.Append(ctx, m)
		})
	}
	must(t, pay(get(t, s, 2), 7))
	for repeated, err := range map[string]error{
		"the id":                   pay(get(t, s, 2), 7),
		"the number of an account": pay(master(2), 8),
	} {
		wantMention(t, err, "append a movement", repeated)
		if errors.Is(err, profile.ErrUsernameTaken) || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: got %v, want a defect of the caller", repeated, err)
		}
	}
	expect.DeepEqual(t, get(t, s, 2).State().Credits, unit)
}
