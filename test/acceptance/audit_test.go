package acceptance

import (
	"database/sql"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// audit proves the ledger, stops the server, and reads what it left in two ways,
// where the storage can be read: by the program itself and past it.
func (s *server) audit(t *testing.T) {
	t.Helper()
	s.admin(t).get(t, "/ledger/proof").has(fields{"balanced": true})
	s.stop(t)
	if s.store.audit != nil {
		s.verify(t).well()
		s.store.audit(t, s.dir)
	}
}

func openSQLite(t *testing.T, dir, mode string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database(dir)+"?mode="+mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func expireSQLite(t *testing.T, dir string, line int64, at time.Time) {
	t.Helper()
	db := openSQLite(t, dir, "rw")
	if _, err := db.ExecContext(t.Context(), `UPDATE lines SET expires_at = ? WHERE id = ?`, at.UnixMilli(), line); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func auditSQLite(t *testing.T, dir string) {
	t.Helper()
	db := openSQLite(t, dir, "ro")
	number := func(query string) (n int64) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if number(`SELECT count(*) FROM movements`) == 0 {
		t.Error("nothing has moved: there is nothing to audit")
	}
	for what, query := range map[string]string{
		"accounts whose balance is not the sum of their movements": `
			SELECT count(*) FROM accounts a WHERE role <> 'admin' AND credits <>
				coalesce((SELECT sum(amount) FROM movements WHERE target_account = a.id), 0) -
				coalesce((SELECT sum(amount) FROM movements WHERE source_account = a.id), 0)`,
		"accounts whose balance was never reached by a movement": `
			SELECT count(*) FROM accounts a WHERE credits > 0 AND credits NOT IN (
				SELECT source_balance FROM movements WHERE source_account = a.id UNION ALL
				SELECT target_balance FROM movements WHERE target_account = a.id)`,
		"official lines without exactly one activation": `
			SELECT count(*) FROM lines l WHERE trial = 0 AND 1 <>
				(SELECT count(*) FROM movements WHERE line = l.id AND operation = 'activation')`,
		"trials that were paid for": `
			SELECT count(*) FROM lines l WHERE trial = 1 AND EXISTS (SELECT 1 FROM movements WHERE line = l.id)`,
		"official lines that were charged otherwise": `
			SELECT count(*) FROM lines l WHERE trial = 0 AND NOT EXISTS
				(SELECT 1 FROM movements WHERE id = l.charge AND line = l.id AND operation = 'activation' AND source_account = l.owner)`,
		"charges that are not of one line": `
			SELECT count(*) FROM movements WHERE (operation IN ('activation', 'extension')) <> (line IS NOT NULL)`,
		"accounts whose movements are not numbered 1, 2, 3 ...": `
			SELECT count(*) FROM accounts a WHERE ledger_seq <> (
				SELECT count(seq) FROM (
					SELECT source_seq AS seq FROM movements WHERE source_account = a.id UNION
					SELECT target_seq FROM movements WHERE target_account = a.id)
				WHERE seq BETWEEN 1 AND a.ledger_seq)`,
		"platform ids given twice": `
			SELECT count(platform_id) - count(DISTINCT platform_id) FROM lines`,
	} {
		if n := number(query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	issued := number(`SELECT coalesce(sum(amount) FILTER (WHERE source_system = 'issuance'), 0) -
		coalesce(sum(amount) FILTER (WHERE target_system = 'issuance'), 0) FROM movements`)
	consumed := number(`SELECT coalesce(sum(amount), 0) FROM movements WHERE target_system = 'consumption'`)
	held := number(`SELECT sum(credits) FROM accounts`)
	if issued != held+consumed {
		t.Errorf("issued %d, held %d and consumed %d ten-thousandths: the sum is not 0", issued, held, consumed)
	}
}
