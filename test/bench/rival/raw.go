package rival

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"resellerd/adapters/sqlitestore"
)

// lines is how many the raw store updates in turn.
const lines = 10_000

// Raw writes what an activation writes, in straight SQL, a batch in a transaction: a line and its owner are changed, a
// movement and the record of a key are added. The tables are those of resellerd's store.
type Raw struct {
	*batcher
	batch int
	done  int64
	seqs  [accounts]int64

	saveLine, saveAccount, addMovement, addKey *sql.Stmt
}

// OpenRaw makes a store in a new file. Where its triggers are left out, so is what they keep: the lists that lines are
// in. What is left is the four rows alone, with their unique indexes.
func OpenRaw(ctx context.Context, path string, batch int, triggers bool) (*Raw, error) {
	s, err := sqlitestore.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	b, err := newBatcher(ctx, path)
	if err != nil {
		return nil, err
	}
	r := &Raw{batcher: b, batch: batch}
	if err = r.fill(ctx); err == nil && !triggers {
		err = r.dropTriggers(ctx)
	}
	if err == nil {
		err = r.prepare(ctx, map[string]**sql.Stmt{
			`UPDATE lines SET password = ?, trial = 0, expires_at = ?, country = 'BR', whatsapp = '+5511912345678', platform_id = ?, charge = ?, updated_at = ?,
				version = version + 1 WHERE id = ?`: &r.saveLine,
			`UPDATE accounts SET credits = credits - 10000, ledger_seq = ?, ledger_link = ?, version = version + 1 WHERE id = ?`: &r.saveAccount,
			`INSERT INTO movements (id, operation, source_account, source_seq, source_balance, source_link, target_system, amount, line, actor, request, notes, at)
				VALUES (?, 'activation', ?, ?, ?, ?, 'consumption', 10000, ?, ?, '01a1fdb1-b618-7e37-a278-f890978cb119', '', ?)`: &r.addMovement,
			`INSERT INTO idempotency (account, key, request, status, body, expires) VALUES (?, ?, ?, 201, ?, ?)`: &r.addKey,
		})
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return r, nil
}

func (r *Raw) fill(ctx context.Context) error {
	return r.transact(func() error {
		for i := 1; i <= accounts+1; i++ {
			role, path, credits := "reseller", fmt.Sprintf("/1/%d/", i), int64(1e14)
			if i == 1 {
				role, path, credits = "admin", "/1/", 0
			}
			_, err := r.conn.ExecContext(ctx, `INSERT INTO accounts (id, path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email,
				notes, language, credits, ledger_seq, ledger_link, recharged_at, blocked, trials, created_at, updated_at)
				VALUES (?1, ?2, ?3, 'account' || ?1, 'account' || ?1, ?4, zeroblob(16), 'BR', '', '', '', '', '', ?5, 0, zeroblob(32), 0, 0, '[]', 0, 0)`,
				i, path, role, strings.Repeat("x", 97), credits)
			if err != nil {
				return err
			}
		}
		for i := int64(0); i < lines; i++ {
			_, err := r.conn.ExecContext(ctx, `INSERT INTO lines (id, owner, owner_path, username, username_key, password, trial, expires_at, country, whatsapp, notes,
				edited, created_at, updated_at) VALUES (?1, ?2, '/1/' || ?2 || '/', ?3, ?3, zeroblob(40), 1, ?1, '', '', '', 0, 0, 0)`,
				i+1, account(i), fmt.Sprintf("%012x", uint64(i)*0x9E3779B97F4A7C15>>16))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func account(i int64) int64 { return 2 + i%accounts }

func (r *Raw) dropTriggers(ctx context.Context) error {
	rows, err := r.conn.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := r.conn.ExecContext(ctx, `DROP TRIGGER `+name); err != nil {
			return err
		}
	}
	return nil
}

var link, digest, sealed, answer = make([]byte, 32), make([]byte, 32), make([]byte, 40), make([]byte, 600)

// Write writes one batch, whose commands are as many as OpenRaw was told.
func (r *Raw) Write() error {
	link[0] = 1 // no chain is empty
	return r.transact(func() error {
		for range r.batch {
			r.done++
			id, now := r.done, time.Now().UnixMilli()
			owner, l := account(id), id%lines+1
			r.seqs[id%accounts]++
			seq := r.seqs[id%accounts]
			if _, err := r.saveLine.Exec(sealed, now+id, id, id, now, l); err != nil {
				return err
			}
			if _, err := r.saveAccount.Exec(seq, link, owner); err != nil {
				return err
			}
			if _, err := r.addMovement.Exec(id, owner, seq, int64(1e14)-seq, link, l, owner, now); err != nil {
				return err
			}
			if _, err := r.addKey.Exec(owner, fmt.Sprint("bench-", id), digest, answer, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the store.
func (r *Raw) Close() error { return r.close() }
