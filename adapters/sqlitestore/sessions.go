package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/domain/fault"
	"resellerd/domain/session"
)

const sessionColumns = `id, account, password, device, address, created_at, used_at, checksum`

var (
	beginSession = ofSessions(engine.Write("begin a session", engine.InsertInto("sessions", sessionColumns+", expires_at")))
	endOldest    = ofSessions(engine.Write("end the oldest sessions", `DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE account = :account ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET (:most + 0))`))
	getSession  = ofSessions(engine.Query("get a session", `SELECT `+sessionColumns+` FROM sessions WHERE id = :id`))
	saveSession = ofSessions(engine.Write("save a session", `UPDATE sessions SET account = :account, password = :password, device = :device,
		address = :address, created_at = :created_at, used_at = :used_at, checksum = :checksum, expires_at = :expires_at WHERE id = :id`))
	listSessions = ofSessions(engine.Query("list sessions", `SELECT `+sessionColumns+` FROM sessions WHERE account = :account ORDER BY created_at DESC, id DESC`))
	ownsSession  = ofSessions(engine.Query("look for a session of an account", `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = :id AND account = :account)`))
	endSession   = ofSessions(engine.Write("end a session", `DELETE FROM sessions WHERE id = :id AND account = :account`))
	dropSessions = ofSessions(engine.Write("drop sessions", `DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE expires_at <= :now ORDER BY expires_at LIMIT (:limit + 0))`))
	aheadSessions = ofSessions(engine.Query("look for sessions dated ahead", `SELECT `+sessionColumns+` FROM sessions
		WHERE expires_at > :latest ORDER BY expires_at LIMIT (:limit + 0)`))
	emptySessions = ofSessions(engine.Write("remove all sessions", `DELETE FROM sessions`))
)

// ofSessions marks a statement that no archive runs.
func ofSessions(n *engine.Statement) *engine.Statement {
	n.Unread = true
	return n
}

func rowOfSession(s session.Session) engine.Args {
	row := engine.Args{
		engine.Text("id", string(s.ID)),
		engine.Integer("account", s.Reseller),
		engine.Blob("password", s.Password[:]),
		engine.Text("device", s.Device),
		engine.Text("address", s.Address),
		engine.Instant("created_at", s.Created),
		engine.Instant("used_at", s.Used),
		engine.ItsChecksum,
	}
	engine.WithChecksum(row, len(row))
	return append(row, engine.Instant("expires_at", s.ExpiresAt()))
}

func sessionOfRow(r *engine.Row) (session.Session, error) {
	s := session.Session{
		ID:       session.ID(r.Summed().Text()),
		Reseller: r.Integer(),
		Password: engine.Parsed(r, r.Blob(), markOf),
		Device:   r.Text(),
		Address:  r.Text(),
		Created:  r.Instant(),
		Used:     r.Instant(),
	}
	return s, r.Sound()
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
		if _, err := q.Exec(ctx, beginSession, rowOfSession(begun)); err != nil {
			return err
		}
		_, err := q.Exec(ctx, endOldest, engine.Args{engine.Integer("account", begun.Reseller), engine.Integer("most", most)})
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
	return engine.One(ctx, s.Tx, getSession, engine.Args{engine.Text("id", string(id))}, sessionOfRow)
}

// SaveSession implements ports.SessionKeeper.
func (s sessions) SaveSession(ctx context.Context, changed session.Session) error {
	return s.Change(ctx, saveSession, rowOfSession(changed))
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
		return q.Rows(ctx, listSessions, engine.Args{engine.Integer("account", reseller)}, func(r *engine.Row) error {
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
		own := engine.Args{engine.Text("id", string(id)), engine.Integer("account", reseller)}
		var there bool
		if err := q.Row(ctx, ownsSession, own, func(r *engine.Row) { there = engine.Parsed(r, r.Integer(), engine.TruthOf) }); err != nil {
			return err
		}
		if !there {
			return fault.ErrNotFound
		}
		_, err := q.Exec(ctx, endSession, own)
		return err
	})
}

// DropSessions implements ports.Sessions.
func (s *Store) DropSessions(ctx context.Context, now time.Time, limit int) (int, error) {
	limit = max(limit, 0) // SQLite takes a negative one for none
	var dropped int64
	err := s.update(ctx, func(q *transaction) (err error) {
		var ahead []session.Session
		err = q.Rows(ctx, aheadSessions, engine.Args{engine.Instant("latest", now.Add(session.Idle)), engine.Integer("limit", limit)}, func(r *engine.Row) error {
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
		dropped, err = q.Exec(ctx, dropSessions, engine.Args{engine.Instant("now", now), engine.Integer("limit", limit)})
		return err
	})
	return int(dropped), err
}
