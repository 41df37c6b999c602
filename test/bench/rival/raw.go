package rival

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore"
)

// lines is how many the raw store updates in turn.
const lines = 10_000

// Raw writes what an activation writes, in straight SQL, a batch in a transaction: a line and its owner are changed, a
// movement and the record of a key are added. The tables are those of resellerd's store.
type Raw struct {
	*batcher
	batch int
	lists bool
	done  int64
	seqs  [accounts]int64

	expiries map[int64]int64 // of each line

	saveLine, saveAccount, addMovement, addKey, leave, enter *sqlite.Stmt
}

// OpenRaw makes a store in a new file. With lists it writes the entries of the line in the lists by expiry, too, as the
// store does; without them there are the four rows alone, with their unique indexes.
func OpenRaw(ctx context.Context, path string, batch int, lists bool) (*Raw, error) {
	s, err := sqlitestore.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	b, err := newBatcher(path)
	if err != nil {
		return nil, err
	}
	r := &Raw{batcher: b, batch: batch, lists: lists, expiries: map[int64]int64{}}
	if err = r.fill(); err == nil {
		err = r.prepare(map[string]**sqlite.Stmt{
			`UPDATE lines SET password = ?, trial = 0, expires_at = ?, country = 'BR', whatsapp = '+5511912345678', platform_id = ?, charge = ?, updated_at = ?,
				checksum = 1234567890, changes = changes + 1 WHERE id = ?`: &r.saveLine,
			`UPDATE accounts SET credits = credits - 10000, ledger_seq = ?, ledger_link = ?, checksum = 1234567890, changes = changes + 1 WHERE id = ?`: &r.saveAccount,
			`INSERT INTO movements (id, operation, source_account, source_seq, source_balance, source_link, target_system, amount, line, actor, request, notes, at)
				VALUES (?, 'activation', ?, ?, ?, ?, 'consumption', 10000, ?, ?, '01a1fdb1-b618-7e37-a278-f890978cb119', '', ?)`: &r.addMovement,
			`INSERT INTO idempotency (account, key, request, status, body, expires, checksum) VALUES (?, ?, ?, 201, ?, ?, 1234567890)`: &r.addKey,
			`DELETE FROM line_expiries WHERE scope = ? AND expiry = ? AND line = ?`:                                                    &r.leave,
			`INSERT INTO line_expiries (scope, expiry, line) VALUES (?, ?, ?)`:                                                         &r.enter,
		})
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return r, nil
}

func (r *Raw) fill() error {
	var addAccount, addLine, list *sqlite.Stmt
	err := r.prepare(map[string]**sqlite.Stmt{
		`INSERT INTO accounts (id, path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email,
			notes, language, credits, ledger_seq, ledger_link, recharged_at, blocked, trials, created_at, updated_at)
			VALUES (?1, ?2, ?3, 'account' || ?1, 'account' || ?1, ?4, zeroblob(16), 'BR', '', '', '', '', '', ?5, 0, zeroblob(32), 0, 0, '[]', 0, 0)`: &addAccount,
		`INSERT INTO lines (id, owner, path, username, username_key, password, trial, expires_at, country, whatsapp, notes,
			edited, created_at, updated_at) VALUES (?1, ?2, '/1/' || ?2 || '/', ?3, ?3, zeroblob(40), 1, ?4, '', '', '', 0, 0, 0)`: &addLine,
		`INSERT INTO line_expiries (scope, expiry, line) VALUES (?, ?, ?)`: &list,
	})
	if err != nil {
		return err
	}
	return r.transact(func() error {
		for i := int64(1); i <= accounts+1; i++ {
			role, path, credits := "reseller", fmt.Sprintf("/1/%d/", i), int64(1e14)
			if i == 1 {
				role, path, credits = "admin", "/1/", 0
			}
			if err := execute(addAccount, i, path, role, strings.Repeat("x", 97), credits); err != nil {
				return err
			}
		}
		for i := range int64(lines) {
			id, owner := i+1, account(i)
			r.expiries[id] = id
			if err := execute(addLine, id, owner, fmt.Sprintf("%012x", uint64(i)*0x9E3779B97F4A7C15>>16), id); err != nil {
				return err
			}
			if err := errors.Join(execute(list, -owner, id, id), execute(list, int64(1), id, id)); err != nil {
				return err
			}
		}
		return nil
	})
}

func account(i int64) int64 { return 2 + i%accounts }

var link, digest, sealed, answer = make([]byte, 32), make([]byte, 32), make([]byte, 40), make([]byte, 600)

// Write writes one batch, whose commands are as many as OpenRaw was told.
func (r *Raw) Write() error {
	return r.transact(func() error {
		for range r.batch {
			if err := r.activate(fmt.Sprint("bench-", r.done)); err != nil {
				return err
			}
		}
		return nil
	})
}

// activate writes the rows of one activation.
func (r *Raw) activate(key string) error {
	r.done++
	id, now := r.done, time.Now().UnixMilli()
	owner, l := account(id), id%lines+1
	r.seqs[id%accounts]++
	seq := r.seqs[id%accounts]
	expiry := now + id
	link[0] = 1 // no chain is empty
	err := errors.Join(
		execute(r.saveLine, sealed, expiry, id, id, now, l),
		execute(r.saveAccount, seq, link, owner),
		execute(r.addMovement, id, owner, seq, int64(1e14)-seq, link, l, owner, now),
		execute(r.addKey, owner, key, digest, answer, now),
	)
	if err != nil || !r.lists {
		return err
	}
	for _, scope := range []int64{-account(l - 1), 1} {
		if err := errors.Join(execute(r.leave, scope, r.expiries[l], l), execute(r.enter, scope, expiry, l)); err != nil {
			return err
		}
	}
	r.expiries[l] = expiry
	return nil
}

// Close closes the store.
func (r *Raw) Close() error { return r.close() }
