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
	extendLine, countTrial, addLine, list                    *sqlite.Stmt
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
				VALUES (?, ?, ?, ?, ?, ?, 'consumption', 10000, ?, ?, '01a1fdb1-b618-7e37-a278-f890978cb119', '', ?)`: &r.addMovement,
			`INSERT INTO idempotency (account, key, request, status, body, expires, checksum) VALUES (?, ?, ?, 201, ?, ?, 1234567890)`: &r.addKey,
			`UPDATE lines SET expires_at = ?, updated_at = ?, checksum = 1234567890, changes = changes + 1 WHERE id = ?`:               &r.extendLine,
			`UPDATE accounts SET trials = '[[1795440000000,1]]', checksum = 1234567890, changes = changes + 1 WHERE id = ?`:            &r.countTrial,
			`INSERT INTO lines (id, owner, path, username, username_key, password, trial, expires_at, country, whatsapp, notes, edited, created_at, updated_at, checksum)
				VALUES (?1, ?2, '/1/' || ?2 || '/', ?3, ?3, ?4, 1, ?5, '', '', '', 0, ?6, ?6, 1234567890)`: &r.addLine,
			`INSERT INTO line_ids (scope, line) VALUES (?, ?)`:                      &r.list,
			`DELETE FROM line_expiries WHERE scope = ? AND expiry = ? AND line = ?`: &r.leave,
			`INSERT INTO line_expiries (scope, expiry, line) VALUES (?, ?, ?)`:      &r.enter,
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
			if err := execute(addLine, id, owner, username(i), id); err != nil {
				return err
			}
			if err := errors.Join(execute(list, -owner, id, id), execute(list, int64(1), id, id)); err != nil {
				return err
			}
		}
		return nil
	})
}

func username(i int64) string { return fmt.Sprintf("%012x", uint64(i)*0x9E3779B97F4A7C15>>16) }

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

// activate writes the rows of one activation, of lines in turn.
func (r *Raw) activate(key string) error {
	r.done++
	now, i := time.Now().UnixMilli(), r.done%lines
	expiry := now + r.done
	return errors.Join(
		execute(r.saveLine, sealed, expiry, r.done, r.done, now, i+1),
		r.charge("activation", i, key, now),
		r.move(i, expiry),
	)
}

// extend writes the rows of one extension, of lines in no order.
func (r *Raw) extend(key string) error {
	r.done++
	const stride, month = 7_919, int64(30 * 24 * time.Hour / time.Millisecond) // it leads to each line
	now, i := time.Now().UnixMilli(), r.done*stride%lines
	expiry := r.expiries[i+1] + month
	return errors.Join(execute(r.extendLine, expiry, now, i+1), r.charge("extension", i, key, now), r.move(i, expiry))
}

// trial writes the rows of one trial.
func (r *Raw) trial(key string) error {
	r.done++
	now, i := time.Now().UnixMilli(), lines+r.done
	owner, expiry := account(i), now+int64(4*time.Hour/time.Millisecond)
	err := errors.Join(
		execute(r.addLine, i+1, owner, username(i), sealed, expiry, now),
		execute(r.countTrial, owner),
		execute(r.addKey, owner, key, digest, answer, now),
	)
	for _, scope := range []int64{-owner, 1} {
		err = errors.Join(err, execute(r.list, scope, i+1), execute(r.enter, scope, expiry, i+1))
	}
	return err
}

// charge writes what each command that is paid for does, but for its line.
func (r *Raw) charge(operation string, i int64, key string, now int64) error {
	owner := account(i)
	r.seqs[i%accounts]++
	seq := r.seqs[i%accounts]
	link[0] = 1 // no chain is empty
	return errors.Join(
		execute(r.saveAccount, seq, link, owner),
		execute(r.addMovement, r.done, operation, owner, seq, int64(1e14)-seq, link, i+1, owner, now),
		execute(r.addKey, owner, key, digest, answer, now),
	)
}

// move takes a line to where it expires in lists.
func (r *Raw) move(i, expiry int64) (err error) {
	if !r.lists {
		return nil
	}
	for _, scope := range []int64{-account(i), 1} {
		err = errors.Join(err, execute(r.leave, scope, r.expiries[i+1], i+1), execute(r.enter, scope, expiry, i+1))
	}
	r.expiries[i+1] = expiry
	return err
}

// Close closes the store.
func (r *Raw) Close() error { return r.close() }
