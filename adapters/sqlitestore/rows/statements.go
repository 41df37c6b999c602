package rows

import "resellerd/adapters/sqlitestore/engine"

// The columns of each kind of records.
const (
	// Of a record with a checksum that comes last: it is that of the columns before it, in this order.
	ResellerColumns  = `path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email, notes, language, blocked, created_at, ` + BalanceColumns
	LineColumns      = `owner, path, username, username_key, created_at, ` + KeptNameColumns
	TombstoneColumns = `charge, actor, at, checksum`
	KeyColumns       = `account, key, request, status, body, expires, checksum`
	// What moves with credits, and what changes of a line in its life.
	BalanceColumns  = `credits, ledger_seq, ledger_link, recharged_at, trials, updated_at, checksum`
	KeptNameColumns = `password, trial, expires_at, country, whatsapp, notes, platform_id, charge, edited, updated_at, checksum`
	// Its chain is the checksum.
	MovementColumns = `operation, source_system, source_account, source_seq, source_balance, source_link, target_system, target_account, target_seq, target_balance, target_link, amount, line, actor, request, notes, at`
)

// The statements by which more than one package reads.
var (
	GetReseller = engine.Query("get an account", `SELECT id, `+ResellerColumns+` FROM accounts WHERE id = :id`)
	GetLine     = engine.Query("get a line", `SELECT id, `+LineColumns+` FROM lines WHERE id = :id`)
	GetSetting  = engine.Query("get a setting", `SELECT value FROM settings WHERE name = :name`)
	NextID      = engine.Query("read the next id", `SELECT next FROM sequences WHERE name = :name`)
	// Sums of int64 may not fit in one: the high and the low half are summed apart.
	sumMovements = engine.ScanAll("sum the movements", `SELECT count(*),
		sum(amount >> 32) FILTER (WHERE source_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE source_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'consumption'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'consumption')
		FROM movements`)
	sumBalances = engine.ScanAll("sum the balances", `SELECT sum(credits >> 32), sum(credits & 0xffffffff) FROM accounts`)
)
