package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/session"
)

const sessionColumns = `id, account, password, device, address, created_at, used_at, checksum`

var (
	beginSession = ofSessions(write("begin a session", insertInto("sessions", sessionColumns+", expires_at")))
	endOldest    = ofSessions(write("end the oldest sessions", `DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE account = :account ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET (:most + 0))`))
	getSession  = ofSessions(query("get a session", `SELECT `+sessionColumns+` FROM sessions WHERE id = :id`))
	saveSession = ofSessions(write("save a session", `UPDATE sessions SET account = :account, password = :password, device = :device,
		address = :address, created_at = :created_at, used_at = :used_at, checksum = :checksum, expires_at = :expires_at WHERE id = :id`))
	listSessions = ofSessions(query("list sessions", `SELECT `+sessionColumns+` FROM sessions WHERE account = :account ORDER BY created_at DESC, id DESC`))
	ownsSession  = ofSessions(query("look for a session of an account", `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = :id AND account = :account)`))
	endSession   = ofSessions(write("end a session", `DELETE FROM sessions WHERE id = :id AND account = :account`))
	dropSessions = ofSessions(write("drop sessions", `DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE expires_at <= :now ORDER BY expires_at LIMIT (:limit + 0))`))
	aheadSessions = ofSessions(query("look for sessions dated ahead", `SELECT `+sessionColumns+` FROM sessions
		WHERE expires_at > :latest ORDER BY expires_at LIMIT (:limit + 0)`))
	emptySessions = ofSessions(write("remove all sessions", `DELETE FROM sessions`))
)

// ofSessions marks a statement that no archive runs.
func ofSessions(n *statement) *statement {
	n.sessions = true
	return n
}

func rowOfSession(s session.Session) args {
	row := args{
		{"id", text(string(s.ID))},
		{"account", integer(s.Reseller)},
		{"password", blob(s.Password[:])},
		{"device", text(s.Device)},
		{"address", text(s.Address)},
		{"created_at", instant(s.Created)},
		{"used_at", instant(s.Used)},
		itsChecksum,
	}
	withChecksum(row)
	return append(row, arg{"expires_at", instant(s.ExpiresAt())})
}

func sessionOfRow(r *row) (session.Session, error) {
	s := session.Session{
		ID:       session.ID(r.summed().text()),
		Reseller: r.integer(),
		Password: parsed(r, r.blob(), markOf),
		Device:   r.text(),
		Address:  r.text(),
		Created:  r.instant(),
		Used:     r.instant(),
	}
	return s, r.sound()
}

func markOf(stored []byte) (m session.Mark, err error) {
	if len(stored) != len(m) {
		return m, fmt.Errorf("a mark of %d bytes", len(stored))
	}
	return session.Mark(stored), nil
}

// BeginSession implements ports.Sessions.
func (s *Store) BeginSession(ctx context.Context, begun session.Session, most int) error {
	return s.update(ctx, func(q *transaction) error {
		if _, err := q.exec(ctx, beginSession, rowOfSession(begun)); err != nil {
			return err
		}
		_, err := q.exec(ctx, endOldest, args{{"account", integer(begun.Reseller)}, {"most", integer(most)}})
		return err
	})
}

// Session implements ports.Sessions.
func (s *Store) Session(ctx context.Context, id session.ID) (found session.Session, err error) {
	err = s.view(ctx, func(q *transaction) error {
		found, err = sessions{q}.Session(ctx, id)
		return err
	})
	return found, err
}

// sessions implements ports.SessionKeeper and, in a view, ports.SessionReader.
type sessions struct{ *transaction }

// Session implements ports.SessionReader.
func (s sessions) Session(ctx context.Context, id session.ID) (session.Session, error) {
	return one(ctx, s.transaction, getSession, args{{"id", text(string(id))}}, sessionOfRow)
}

// SaveSession implements ports.SessionKeeper.
func (s sessions) SaveSession(ctx context.Context, changed session.Session) error {
	return s.change(ctx, saveSession, rowOfSession(changed))
}

// UseSession implements ports.Sessions. It is read first for when it ends in any case, which only the domain knows.
func (s *Store) UseSession(ctx context.Context, id session.ID, used time.Time) error {
	return s.update(ctx, func(q *transaction) error {
		kept, err := sessions{q}.Session(ctx, id)
		switch {
		case errors.Is(err, fault.ErrNotFound), err == nil && !used.After(kept.Used):
			return nil
		case err != nil:
			return err
		}
		kept.Used = used
		return sessions{q}.SaveSession(ctx, kept)
	})
}

// SessionsOf implements ports.Sessions.
func (s *Store) SessionsOf(ctx context.Context, reseller int64) (newestFirst []session.Session, err error) {
	err = s.view(ctx, func(q *transaction) error {
		return q.rows(ctx, listSessions, args{{"account", integer(reseller)}}, func(r *row) error {
			if found, err := sessionOfRow(r); err == nil {
				newestFirst = append(newestFirst, found)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return newestFirst, nil
}

// EndSession implements ports.Sessions. It looks first: a command that fails after a statement that writes has all who
// share the transaction run again.
func (s *Store) EndSession(ctx context.Context, reseller int64, id session.ID) error {
	return s.update(ctx, func(q *transaction) error {
		own := args{{"id", text(string(id))}, {"account", integer(reseller)}}
		var there bool
		if err := q.row(ctx, ownsSession, own, func(r *row) { there = parsed(r, r.integer(), truthOf) }); err != nil {
			return err
		}
		if !there {
			return fault.ErrNotFound
		}
		_, err := q.exec(ctx, endSession, own)
		return err
	})
}

// DropSessions implements ports.Sessions.
func (s *Store) DropSessions(ctx context.Context, now time.Time, limit int) (int, error) {
	limit = max(limit, 0) // SQLite takes a negative one for none
	var dropped int64
	err := s.update(ctx, func(q *transaction) (err error) {
		var ahead []session.Session
		err = q.rows(ctx, aheadSessions, args{{"latest", instant(now.Add(session.Idle))}, {"limit", integer(limit)}}, func(r *row) error {
			if found, err := sessionOfRow(r); err == nil { // one that is damaged is good for nothing
				ahead = append(ahead, found)
			}
			return nil
		})
		for _, s := range ahead {
			err = errors.Join(err, sessions{q}.SaveSession(ctx, s.Clamped(now)))
		}
		if err != nil {
			return err
		}
		dropped, err = q.exec(ctx, dropSessions, args{{"now", instant(now)}, {"limit", integer(limit)}})
		return err
	})
	return int(dropped), err
}

// removeSessions removes the sessions from the file of a store that nobody has open, and leaves nothing of them in it.
// A file that says it has a WAL is written by way of one alone, which takes locks: so it says meanwhile that it has none.
func removeSessions(path string) (err error) {
	const at = 18 // and 19: how the file is to be written, and how it is to be read
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var versions [2]byte
	if _, err := file.ReadAt(versions[:], at); err != nil {
		return err
	}
	if _, err := file.WriteAt([]byte{1, 1}, at); err != nil {
		return err
	}
	if err := emptySessionsOf(path); err != nil {
		return err
	}
	_, err = file.WriteAt(versions[:], at)
	return err
}

func emptySessionsOf(path string) (err error) {
	c, err := connect(path, mode("rw", alone), "journal_mode = off", "synchronous = off", "secure_delete = on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var there bool // not in an older schema
	err = c.ask("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sessions')", func(r *row) { there = parsed(r, r.integer(), truthOf) })
	if err != nil || !there {
		return err
	}
	return c.do(emptySessions)
}
