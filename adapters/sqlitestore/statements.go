package sqlitestore

import (
	"context"
	"fmt"
	"strings"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// blockedAtOnce is how many resellers one statement reads: the most ancestors of a reseller.
const blockedAtOnce = 8

const blockedIDs = `id1, id2, id3, id4, id5, id6, id7, id8`

// The entries that a page of a list examines, in each order, by the parameters of a lineSearch.
const (
	linePage   = ` CROSS JOIN lines ON id = line WHERE scope = :scope AND `
	lineStates = `(:trial IS NULL OR trial = :trial) AND (:suspended IS NULL OR coalesce(+suspended, 0) = :suspended)
		AND (:external_id IS NULL OR +external_id = :external_id)`
	lineFilters = ` AND ` + lineStates +
		` AND +username_key >= :names_from AND +username_key < :names_to AND expires_at >= :expires_from AND expires_at < :expires_to`
	lineRange       = `line > :after_line AND line <= :last_line`
	newestRange     = `line < :after_line AND line >= :last_line`
	lineScope       = `(:owner IS NULL OR +owner = :owner) AND instr(path, :above)` + lineFilters
	linesByName     = `SELECT 0, username_key, id FROM lines WHERE ` + lineNameRange
	entryRange      = `seq > :after AND seq < :before`
	lineNameRange   = `username_key >= :after_name AND username_key <= :last_name AND (username_key, id) > (:after_name, :after_line) AND (username_key, id) <= (:last_name, :last_line)`
	lineExpiryRange = `(expiry, line) > (:after_expiry, :after_line) AND (expiry, line) <= (:last_expiry, :last_line)`
	latestRange     = `(expiry, line) < (:after_expiry, :after_line) AND (expiry, line) >= (:last_expiry, :last_line)`
)

// keyID is the first free id of an answer that expires at this time: see the schema.
const keyID = `coalesce((SELECT max(id) + 1 FROM idempotency WHERE id >= :expires << 15 AND id < (:expires + 1) << 15), :expires << 15)`

// The statements. A parameter is named after its column.
var (
	findReseller = engine.Query("find an account", `SELECT id, `+rows.Resellers.All+
		` FROM accounts WHERE username_key = :username_key`)
	blockedResellers = engine.Query("find blocked accounts", `SELECT id FROM accounts WHERE id IN (`+
		engine.Parameters(blockedIDs)+`) AND blocked = 1`)
	suspending = engine.Query("find accounts whose block suspends lines",
		`SELECT id FROM accounts WHERE id IN (`+engine.Parameters(blockedIDs)+`) AND block_suspends = 1`)
	anySuspending = engine.Query("find any account whose block suspends lines",
		`SELECT EXISTS (SELECT 1 FROM accounts WHERE block_suspends = 1)`)
	anyReseller    = engine.Query("find any account", `SELECT EXISTS (SELECT 1 FROM accounts)`)
	insertReseller = named(engine.Write("insert an account", engine.InsertInto("accounts", "id, "+rows.Resellers.All)))
	saveBalance    = engine.Write("save a balance", `UPDATE accounts SET saves = saves + 1, (`+rows.Resellers.Often+
		`) = (`+engine.Parameters(rows.Resellers.Often)+`) WHERE id = :id`)
	saveReseller = named(engine.Write("save an account", `UPDATE accounts SET saves = saves + 1, (`+rows.Resellers.All+
		`) = (`+engine.Parameters(rows.Resellers.All)+`) WHERE id = :id`))
	listResellers = engine.Query("list accounts", `SELECT account FROM account_lists CROSS JOIN accounts ON id = account
		WHERE list = :list AND account > :after AND account <= :last AND +username_key >= :names_from AND +username_key < :names_to ORDER BY account LIMIT (:limit + 0)`)
	resellersEdge = engine.Query("find the edge of a page of accounts",
		`SELECT account FROM account_lists WHERE list = :list AND account > :after ORDER BY account LIMIT 1 OFFSET :examined - 1`)
	resellerInList = engine.Query("find an account in a list",
		`SELECT EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = :account)`)
	resellerNamesBeyond = engine.Query("count names of accounts",
		`SELECT id FROM accounts WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`)
	resellersNamed = engine.Query("find accounts by the start of their names", `SELECT id FROM accounts
		WHERE username_key >= :names_from AND username_key < :names_to AND +id > :after AND EXISTS (SELECT 1 FROM account_lists WHERE list = :list AND account = id)`)

	findExternalID = engine.Query("find a line by its external id",
		`SELECT id FROM lines WHERE external_id = :external_id AND owner = :owner`)
	findLine             = engine.Query("find a line", `SELECT id FROM lines WHERE username_key = :username_key`)
	insertLine           = named(engine.Write("insert a line", engine.InsertInto("lines", "id, "+rows.Lines.All)))
	saveLineKeepingName  = engine.Write("save a line that keeps its name", updateLine(rows.Lines.Often))
	saveLineKeepingOwner = named(engine.Write("save a line that keeps its owner", updateLine(rows.Lines.Renamed)))
	saveLine             = named(engine.Write("save a line", updateLine(rows.Lines.All)))
	deleteLine           = engine.Write("delete a line", `DELETE FROM lines WHERE id = :id`)
	addTombstone         = engine.Write("store a tombstone", engine.InsertInto("tombstones", "line, "+rows.Tombstones.All))
	countLines           = engine.Query("count the lines of a list",
		`SELECT count(*), count(*) FROM (SELECT 1 FROM line_expiries WHERE scope = :scope AND `+lineExpiryRange+
			` LIMIT (:examined + 0))`)
	countSomeLines = engine.Query("count some of the lines of a list",
		`SELECT count(*), count(*) FILTER (WHERE matches) FROM
		(SELECT `+lineStates+` AS matches FROM line_expiries`+linePage+lineExpiryRange+` LIMIT (:examined + 0))`)
	linesBeyondByExpiry = engine.Query("find more lines of a list",
		`SELECT line FROM line_expiries WHERE scope = :scope AND `+lineExpiryRange+
			` ORDER BY expiry, line LIMIT 1 OFFSET :examined + 0`)
	listRoots = engine.Query("list accounts at the root",
		`SELECT id FROM accounts WHERE path = '/' || id || '/'`)
	enterByID = insertRows("enter lines in lists", `INSERT INTO line_ids (scope, line) VALUES `,
		` ON CONFLICT DO NOTHING`, "scope", "line")
	leaveByID = engine.Write("take a line from a list",
		`DELETE FROM line_ids WHERE scope = :scope AND line = :line`)
	enterByExpiry = insertRows("enter lines in lists by expiry",
		`INSERT INTO line_expiries (scope, expiry, line) VALUES `, ` ON CONFLICT DO NOTHING`, "scope", "expiry", "line")
	leaveByExpiry = engine.Write("take a line from a list by expiry",
		`DELETE FROM line_expiries WHERE scope = :scope AND expiry = :expiry AND line = :line`)
	lineNamesBeyond = engine.Query("count names of lines",
		`SELECT id FROM lines WHERE username_key >= :names_from AND username_key < :names_to ORDER BY username_key LIMIT 1 OFFSET :examined`)
	externalIDsBeyond = engine.Query("count external ids",
		`SELECT id FROM lines WHERE external_id = :external_id ORDER BY owner LIMIT 1 OFFSET :examined`)
	linesOfExternalID = engine.Query("find lines by their external id",
		`SELECT expires_at, username_key, id FROM lines WHERE external_id = :external_id AND `+lineScope)
	suspendedBeyond = engine.Query("count suspended lines",
		`SELECT id FROM lines WHERE suspended = 1 LIMIT 1 OFFSET :examined`)
	linesSuspended = engine.Query("find suspended lines",
		`SELECT expires_at, username_key, id FROM lines WHERE suspended = 1 AND `+lineScope)
	linesBeyond = engine.Query("count the lines of a scope",
		`SELECT line FROM line_ids WHERE scope IN (-:reseller, :tree) LIMIT 1 OFFSET :examined`)
	linesOfScope = engine.Query("find the lines of a scope",
		`SELECT expires_at, username_key, id FROM line_ids CROSS JOIN lines ON id = line WHERE scope IN (-:reseller, :tree) AND `+
			lineScope)
	linesNamed = engine.Query("find lines by the start of their names",
		`SELECT expires_at, username_key, id FROM lines WHERE username_key >= :names_from AND username_key < :names_to AND `+
			lineScope)

	appendMovement = engine.Write("append a movement", engine.InsertInto("movements", "id, "+rows.Movements.All))

	getMovement   = engine.Query("get a movement", `SELECT id, `+rows.Movements.All+` FROM movements WHERE id = :id`)
	listMovements = engine.Query("list movements of an account", `SELECT id, `+rows.Movements.All+
		`, source_seq AS seq FROM movements WHERE source_account = :account AND source_seq < :before
		UNION ALL SELECT id, `+rows.Movements.All+
		`, target_seq FROM movements WHERE target_account = :account AND target_seq < :before ORDER BY seq DESC LIMIT (:limit + 0)`)

	appendEntry  = engine.Write("append to the journal", engine.InsertInto("journal", rows.EntryColumns))
	enterEntries = insertRows("enter entries of the journal in lists",
		`INSERT INTO journal_lists (list, id, seq) VALUES `, "", "list", "id", "seq")
	addFigures = engine.Write("add to the figures of an account",
		engine.InsertInto("journal_figures", rows.FiguresColumns)+` ON CONFLICT (account, day) DO UPDATE SET
		(trials, activations, extensions) = (trials + excluded.trials, activations + excluded.activations, extensions + excluded.extensions),
		(spent_high, spent_low) = (spent_high + excluded.spent_high + (spent_low + excluded.spent_low) / `+rows.Carry+
			`, (spent_low + excluded.spent_low) % `+rows.Carry+`),
		(received_high, received_low) = (received_high + excluded.received_high + (received_low + excluded.received_low) / `+
			rows.Carry+`, (received_low + excluded.received_low) % `+rows.Carry+`)`)
	putListed = engine.Write("write where the lists of the journal end",
		`INSERT INTO journal_listed (id, epoch, seq, hash) VALUES (1, :epoch, :seq, :hash)
		ON CONFLICT (id) DO UPDATE SET (epoch, seq, hash) = (excluded.epoch, excluded.seq, excluded.hash)`)

	namesMovement = engine.Query("find the entry that names a movement",
		`SELECT 1 FROM journal_lists WHERE list = 4 AND id = :movement`)
	entryOfMovement = engine.Query("get the entry that names a movement", `SELECT `+rows.EntryColumns+
		` FROM journal WHERE seq IN (SELECT seq FROM journal_lists WHERE list = 4 AND id = :movement)`)
	entriesOf = inOrder("read the journal", `SELECT `+rows.EntryColumns+` FROM journal WHERE `+entryRange+
		` AND (:types = '' OR instr(:types, '/' || type || '/')) ORDER BY seq DESC LIMIT (:limit + 0)`)
	entriesIn = inOrder("list entries of the journal",
		`SELECT seq FROM journal_lists WHERE list = :list AND id = :id AND `+entryRange+
			` ORDER BY seq DESC LIMIT (:limit + 0)`)
	entriesEdge = inOrder("find the edge of a page of entries",
		`SELECT seq FROM journal_lists WHERE list = :list AND id = :id AND `+entryRange+
			` ORDER BY seq DESC LIMIT 1 OFFSET :examined - 1`)
	filterEntries = inOrder("filter a list of entries",
		`SELECT e.seq FROM journal_lists AS e CROSS JOIN journal AS j ON j.seq = e.seq WHERE e.list = :list AND e.id = :id AND e.seq > :after AND e.seq < :before AND instr(:types, '/' || type || '/') ORDER BY e.seq DESC LIMIT (:limit + 0)`)
	figuresOf = engine.Query("read the figures of an account", `SELECT `+rows.FiguresColumns+
		` FROM journal_figures WHERE account = :account AND day >= :from AND day < :to ORDER BY day`)

	getKey = engine.Query("get a key", `SELECT `+rows.KeyColumns+
		` FROM idempotency WHERE account = :account AND key = :key`)
	putKey = engine.Write("put a key", `INSERT INTO idempotency (id, `+rows.KeyColumns+`) VALUES (`+keyID+`, `+
		engine.Parameters(rows.KeyColumns)+`) ON CONFLICT (account, key) DO UPDATE SET (id, request, status, body, expires, checksum) =
		(excluded.id, excluded.request, excluded.status, excluded.body, excluded.expires, excluded.checksum)`)
	keysBeyond = engine.Query("find keys that expire too late",
		`SELECT id FROM idempotency WHERE id >= (:expires + 1) << 15 LIMIT (:limit + 0)`)
	expireBy = engine.Write("bring back a key that expires too late",
		`UPDATE idempotency SET (id, expires, checksum) = (`+keyID+`, :expires, NULL) WHERE id = :id`)
	dropExpired = engine.Write("drop expired keys", `DELETE FROM idempotency WHERE id IN
		(SELECT id FROM idempotency WHERE id < (:now + 1) << 15 ORDER BY id LIMIT (:limit + 0))`)

	takeIDs = engine.Write("take ids", `INSERT INTO sequences (name, next) VALUES (:name, 1 + :count)
		ON CONFLICT (name) DO UPDATE SET next = next + :count RETURNING next`)
	returnIDs    = engine.Write("return ids", `UPDATE sequences SET next = :next WHERE name = :name AND next = :end`)
	startIDs     = engine.Write("start a sequence", engine.InsertInto("sequences", "name, next"))
	claimSetting = engine.Write("claim a setting", engine.InsertInto("settings", "name, value")+
		` ON CONFLICT (name) DO NOTHING`)
	putSetting = engine.Write("put a setting", engine.InsertInto("settings", "name, value")+
		` ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
	dropSetting = engine.Write("drop a setting", `DELETE FROM settings WHERE name = :name`)

	anyRecord = engine.Write("find any record",
		`SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM lines) OR EXISTS (SELECT 1 FROM tombstones) OR EXISTS (SELECT 1 FROM movements)
		OR EXISTS (SELECT 1 FROM idempotency) OR EXISTS (SELECT 1 FROM sequences) OR EXISTS (SELECT 1 FROM journal)`)

	// The tables of a copy that is restarted. A table that others refer to comes after them.
	emptied = []*engine.Statement{
		removeSome("journal", "seq"), removeAll("journal_lists"), removeAll("journal_figures"),
		removeSome("journal_listed", "id"),
		removeSome("movements", "id"), removeAll("line_ids"), removeAll("line_expiries"),
		removeSome("lines", "id"), removeSome("tombstones", "line"),
		removeAll("account_lists"), removeSome("accounts", "id"), removeAll("idempotency"), removeAll("sequences"),
	}
	emptiedOfKinds = []*engine.Statement{removeAll("records"), removeAll("record_index")}
)

// lineOrders has the statements for pages of lines in each order. Each has three for a list: its first lines, the lines
// that match the filters, and the last line that a page examines.
var lineOrders = map[ports.LineOrder]struct{ first, filter, edge *engine.Statement }{
	ports.LinesByID:     inLineOrder("", "line_ids", "0, '', line", lineRange, "line"),
	ports.LinesByExpiry: inLineOrder(" by expiry", "line_expiries", "expiry, '', line", lineExpiryRange, "expiry, line"),
	ports.LinesByName: {
		first:  engine.Query("find the first lines by name", linesByName+` ORDER BY username_key LIMIT (:limit + 0)`),
		filter: engine.Query("filter the lines by name", linesByName+` AND `+lineScope+` ORDER BY username_key LIMIT (:limit + 0)`),
		edge:   engine.Query("find the edge of a page of lines by name", linesByName+` ORDER BY username_key LIMIT 1 OFFSET :examined - 1`),
	},
	ports.NewestLines: inLineOrder(" from the newest", "line_ids", "0, '', line", newestRange, "line DESC"),
	ports.LatestExpiry: inLineOrder(" from the latest expiry", "line_expiries", "expiry, '', line", latestRange,
		"expiry DESC, line DESC"),
}

func inLineOrder(how, list, position, within, order string) struct{ first, filter, edge *engine.Statement } {
	from := `SELECT ` + position + ` FROM ` + list
	return struct{ first, filter, edge *engine.Statement }{
		first: engine.Query("find the first lines of a list"+how, from+` WHERE scope = :scope AND `+within+` ORDER BY `+
			order+` LIMIT (:limit + 0)`),
		filter: engine.Query("filter the lines of a list"+how, from+linePage+within+lineFilters+` ORDER BY `+order+
			` LIMIT (:limit + 0)`),
		edge: engine.Query("find the edge of a page of lines"+how, from+` WHERE scope = :scope AND `+within+` ORDER BY `+
			order+` LIMIT 1 OFFSET :examined - 1`),
	}
}

// rowInserts are statements that insert rows of integers, each for another number of rows: most of the cost is the call.
// The one for most rows is the first, the one for a single row the last.
type rowInserts []*engine.Statement

func insertRows(purpose, insert, conflict string, columns ...string) (s rowInserts) {
	for _, count := range [...]int{16, 4, 1} {
		var values []string
		for row := range count {
			var names []string
			for _, column := range columns {
				names = append(names, fmt.Sprintf(":%s%d", column, row))
			}
			values = append(values, "("+strings.Join(names, ", ")+")")
		}
		s = append(s, engine.Write(purpose, insert+strings.Join(values, ", ")+conflict))
	}
	return s
}

// insert inserts rows, given the values of all columns of the first row, of the second and so on.
func (s rowInserts) insert(ctx context.Context, q *engine.Tx, values []int64) error {
	var args engine.Args
	for _, n := range s {
		for len(values) >= len(n.Names) {
			args = args[:0]
			for i, name := range n.Names {
				args = append(args, engine.Integer(name, values[i]))
			}
			if _, err := q.Exec(ctx, n, args); err != nil {
				return err
			}
			values = values[len(n.Names):]
		}
	}
	return nil
}

// inOrder makes the statements of a page in the order of numbers and in the reverse order.
func inOrder(purpose, text string) map[bool]*engine.Statement {
	return map[bool]*engine.Statement{
		false: engine.Query(purpose, strings.Replace(text, " DESC LIMIT", " LIMIT", 1)),
		true:  engine.Query(purpose+" from its end", text),
	}
}

// removeAll empties a table. SQLite frees its pages at once.
func removeAll(table string) *engine.Statement {
	return engine.Write("remove all "+table, `DELETE FROM `+table)
}

// removeSome is for a table whose rows must be deleted one by one, because of a trigger or of rows that refer to them.
func removeSome(table, id string) *engine.Statement {
	return engine.Write("remove "+table, `DELETE FROM `+table+` WHERE `+id+` IN (SELECT `+id+` FROM `+table+
		` LIMIT (:limit + 0))`)
}

func updateLine(columns string) string {
	return `UPDATE lines SET saves = saves + 1, (` + columns + `) = (` + engine.Parameters(columns) + `) WHERE id = :id`
}

// named marks a statement that writes a name or an external id: a violation of a unique index means that it is taken.
func named(n *engine.Statement) *engine.Statement {
	n.Taken = map[string]error{"username_key": profile.ErrUsernameTaken, "external_id": line.ErrExternalIDTaken}
	return n
}
