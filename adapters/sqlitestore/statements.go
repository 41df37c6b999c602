package sqlitestore

import "strings"

// statement names one of the statements that the store runs, each of which is
// prepared once per connection.
type statement int

const (
	begin statement = iota
	commit
	rollback
	savepoint
	release
	rollbackTo

	getAccount
	findAccount
	countBlocked
	anyAccount
	insertAccount
	saveAccount

	getLine
	findLine
	insertLine
	saveLine
	deleteLine

	appendMovement
	getMovement

	getKey
	putKey
	dropExpired

	takeIDs
	claimSetting
	getSetting
	probeWrite

	statementCount
)

// String returns what the statement is for, to name it in an error.
func (n statement) String() string { return statements[n].purpose }

const (
	accountColumns = `path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email, notes, language, credits, recharged_at, blocked, trials, created_at, updated_at`
	lineColumns    = `owner, owner_path, username, username_key, password, trial, expires_at, country, whatsapp, notes, platform_id, edited, created_at, updated_at`
	movementFields = `operation, source_system, source_account, source_balance, target_system, target_account, target_balance, amount, line, actor, request, notes, at`
)

// blockedAtOnce is how many accounts one countBlocked asks about: as many as can
// stand above an account.
const blockedAtOnce = 8

// statements holds the SQL. Where a row is written whole, the id is the first
// parameter and the columns follow in their order.
var statements = [statementCount]struct {
	purpose string
	look    bool // a View runs it too
	sql     string
}{
	// IMMEDIATE takes the lock of the one writer at once: a transaction that starts
	// by reading and is then overtaken by another process could not be continued.
	begin:      {"begin a transaction", false, `BEGIN IMMEDIATE`},
	commit:     {"commit", false, `COMMIT`},
	rollback:   {"roll back", false, `ROLLBACK`},
	savepoint:  {"begin a command", false, `SAVEPOINT command`},
	release:    {"end a command", false, `RELEASE command`},
	rollbackTo: {"undo a command", false, `ROLLBACK TO command`},

	getAccount:    {"get an account", true, `SELECT id, ` + accountColumns + ` FROM accounts WHERE id = ?`},
	findAccount:   {"find an account", true, `SELECT id, ` + accountColumns + ` FROM accounts WHERE username_key = ?`},
	countBlocked:  {"look for blocked accounts", true, `SELECT count(*) FROM accounts WHERE id IN (` + parameters(blockedAtOnce) + `) AND blocked = 1`},
	anyAccount:    {"look for any account", true, `SELECT EXISTS (SELECT 1 FROM accounts)`},
	insertAccount: {"insert an account", false, `INSERT INTO accounts (id, ` + accountColumns + `) VALUES (?, ` + parametersFor(accountColumns) + `)`},
	saveAccount:   {"save an account", false, `UPDATE accounts SET version = version + 1, ` + assignments(accountColumns) + ` WHERE id = ?1`},

	getLine:    {"get a line", false, `SELECT id, ` + lineColumns + ` FROM lines WHERE id = ?`},
	findLine:   {"find a line", false, `SELECT id FROM lines WHERE username_key = ?`},
	insertLine: {"insert a line", false, `INSERT INTO lines (id, ` + lineColumns + `) VALUES (?, ` + parametersFor(lineColumns) + `)`},
	saveLine:   {"save a line", false, `UPDATE lines SET version = version + 1, ` + assignments(lineColumns) + ` WHERE id = ?1`},
	deleteLine: {"delete a line", false, `DELETE FROM lines WHERE id = ?`},

	appendMovement: {"append a movement", false, `INSERT INTO movements (id, ` + movementFields + `) VALUES (?, ` + parametersFor(movementFields) + `)`},
	getMovement:    {"get a movement", false, `SELECT id, ` + movementFields + ` FROM movements WHERE id = ?`},

	getKey: {"get a key", true, `SELECT account, key, request, status, body, expires FROM idempotency WHERE account = ? AND key = ?`},
	putKey: {"put a key", false, `INSERT INTO idempotency (account, key, request, status, body, expires) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account, key) DO UPDATE SET (request, status, body, expires) = (excluded.request, excluded.status, excluded.body, excluded.expires)`},
	dropExpired: {"drop expired keys", false, `DELETE FROM idempotency WHERE (account, key) IN
		(SELECT account, key FROM idempotency WHERE expires <= ? ORDER BY expires LIMIT ?)`},

	takeIDs: {"take ids", false, `INSERT INTO sequences (name, next) VALUES (?1, 1 + ?2)
		ON CONFLICT (name) DO UPDATE SET next = next + ?2 RETURNING next`},
	claimSetting: {"claim a setting", false, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`},
	probeWrite:   {"see whether a write is kept", false, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`},
	getSetting:   {"get a setting", false, `SELECT value FROM settings WHERE name = ?`},
}

func parameters(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func parametersFor(columns string) string { return parameters(1 + strings.Count(columns, ",")) }

// assignments sets the columns to the parameters from the second on.
func assignments(columns string) string {
	return "(" + columns + ") = (" + strings.Replace(parametersFor(columns), "?", "?2", 1) + ")"
}
