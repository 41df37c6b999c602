package rows

import "resellerd/adapters/sqlitestore/engine"

// KeyColumns are the columns of an answer under a key. The checksum covers the columns before it, in this order.
const KeyColumns = `account, key, request, status, body, expires, checksum`

// The statements that more than one package uses.
var (
	GetReseller = engine.Query("get an account", `SELECT id, `+Resellers.All+` FROM accounts WHERE id = :id`)
	GetLine     = engine.Query("get a line", `SELECT id, `+Lines.All+` FROM lines WHERE id = :id`)
	GetEntry    = engine.Query("get an entry of the journal", `SELECT `+EntryColumns+` FROM journal WHERE seq = :id`)
	getEnds     = engine.Query("read where the journal and its lists end",
		`SELECT 0, seq, epoch, hash FROM journal WHERE seq = (SELECT max(seq) FROM journal)
		UNION ALL SELECT 1, seq, epoch, hash FROM journal_listed WHERE id = 1`)
	getTail = engine.Query("read the entries of the journal that are in no list yet", `SELECT `+EntryColumns+
		` FROM journal WHERE seq > :after ORDER BY seq`)
	GetSetting = engine.Query("get a setting", `SELECT value FROM settings WHERE name = :name`)
	NextID     = engine.Query("read the next id", `SELECT next FROM sequences WHERE name = :name`)
	// Sums of int64 may overflow: the high and the low half are summed separately.
	sumMovements = engine.ScanAll("sum the movements", `SELECT count(*), coalesce(max(id), 0),
		sum(amount >> 32) FILTER (WHERE source_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE source_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'issuance'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'issuance'),
		sum(amount >> 32) FILTER (WHERE target_system = 'consumption'), sum(amount & 0xffffffff) FILTER (WHERE target_system = 'consumption')
		FROM movements`)
	sumBalances = engine.ScanAll("sum the balances",
		`SELECT sum(credits >> 32), sum(credits & 0xffffffff) FROM accounts`)
	countImported = engine.ScanAll("count imported lines", `SELECT count(*) FROM lines WHERE origin IS NOT NULL`)
)
