package sqlitestore_test

import (
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/test/expect"
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
	for _, st := range engine.Statements() {
		switch verb, _, _ := strings.Cut(st.SQL, " "); verb {
		case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
			continue // nothing to find
		}
		switch st.String() {
		case "find any account", "find any record", // end at the first row, whichever it is
			"examine tables and indexes", // goes through the schema
			"sum the movements", "sum the balances", "count entries of indexes", "remove movements", "remove journal",
			"remove journal_listed", "remove lines", "remove tombstones", "remove accounts", // of all there are, or of any
			// Go through all there are only where lists have not as many entries in each order.
			"find lines in other lists by expiry",
			"insert an account": // looks for lines without an owner where its own trigger left any, and makes no lines
			continue
		case "find accounts that a list lacks", "find accounts in other lists", "find lines that a list lacks",
			"find lines in other lists",
			"read where lines belong", "read lists of lines", "read lists of lines by expiry",
			"read answers", "read all of the journal", "read lists of the journal",
			"repair account_lists: remove", "repair account_lists: add", "repair line_ids: remove", "repair line_ids: add",
			"repair line_expiries: remove", "repair line_expiries: add":
			// Each goes once through all there are, in the order of ids, and finds by an index what it compares with.
			steps := strings.Join(plan(st.SQL), "\n")
			if strings.Count(steps, "SCAN") > 1+strings.Count(steps, "VIRTUAL TABLE") || strings.Contains(steps, "TEMP B-TREE") {
				t.Errorf("%s:\n%s\n%s", st.String(), st.SQL, steps)
			}
			continue
		case "list accounts at the root":
			steps := strings.Join(plan(st.SQL), "\n")
			expect.Equal(t, steps, "SCAN accounts USING INDEX accounts_roots", "%s: the plan", st.String())
			continue
		}
		expect.Equal(t, scans(st.SQL), false, "%s:\n%s\n%s", st.String(), st.SQL, strings.Join(plan(st.SQL), "\n"))
	}
}

func TestTheFileRefusesInvalidRecords(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2))
	movement := func(id, source, target, amount string) string {
		return "INSERT INTO movements VALUES (" + id + ", 'recharge', " + source + ", " + target + ", " + amount +
			", NULL, 1, '', 'r', '', 0)"
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
		"a negative balance":          "UPDATE accounts SET credits = -1 WHERE id = 2",
		"credits of an admin":         "UPDATE accounts SET credits = 1 WHERE id = 1",
		"a removed movement":          "DELETE FROM movements",
		"a changed entry":             "UPDATE journal SET entry = '{}'",
		"an account with movements":   "DELETE FROM accounts WHERE id = 2",
		"a chain without an end":      "UPDATE accounts SET ledger_seq = 1 WHERE id = 2",
		"a movement of nothing":       movement("2", issuance, next, "0"),
		"a number assigned twice":     movement("2", issuance, second, "5"),
		"an account to itself":        movement("2", next, "NULL, 2, 3, 5, "+link, "5"),
		"an official line without id": "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 0, 0, '', '', '', NULL, 7, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
		"a trial with a charge":       "INSERT INTO lines VALUES (1, 2, '/1/2/', 'a', 'a', x'00', 1, 0, '', '', '', NULL, 7, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
	} {
		wantMention(t, tryExecute(t, s, statement), "constraint", rule)
	}
	expect.Error(t, tryExecute(t, s, movement("2", first, next, "5")), nil, "what is right is taken")
	expect.Error(t, tryExecute(t, s, movement("3", "'issuance', 1, 2, 0, "+link, consumption, "5")), nil,
		"an admin's own line is accepted too")
}
