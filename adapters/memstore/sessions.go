package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/session"
)

// BeginSession implements ports.Sessions.
func (s *Store) BeginSession(ctx context.Context, begun session.Session, most int) error {
	return s.alone(ctx, func(r *records) error {
		r.putSession(begun)
		for i, kept := range r.sessionsOf(begun.Reseller) {
			if i >= most {
				r.dropSession(kept)
			}
		}
		return nil
	})
}

// Session implements ports.Sessions.
func (s *Store) Session(ctx context.Context, id session.ID) (session.Session, error) {
	if err := s.users.Enter(ctx); err != nil {
		return session.Session{}, err
	}
	defer s.users.Leave()
	return sessionReader{s.committed.Load()}.Session(ctx, id)
}

// sessionReader implements ports.SessionReader.
type sessionReader struct{ *records }

// Session implements ports.SessionReader.
func (r sessionReader) Session(_ context.Context, id session.ID) (session.Session, error) {
	found, there := r.sessions.get(id)
	if !there {
		return session.Session{}, fault.ErrNotFound
	}
	return found, nil
}

// sessionKeeper implements ports.SessionKeeper.
type sessionKeeper struct {
	sessionReader
	tx *transaction
}

// SaveSession implements ports.SessionKeeper.
func (k sessionKeeper) SaveSession(ctx context.Context, s session.Session) error {
	if err := k.tx.open(); err != nil {
		return err
	}
	if _, err := k.Session(ctx, s.ID); err != nil {
		return err
	}
	k.putSession(s)
	return nil
}

// UseSession implements ports.Sessions.
func (s *Store) UseSession(ctx context.Context, id session.ID, used time.Time) error {
	return s.alone(ctx, func(r *records) error {
		if kept, there := r.sessions.get(id); there && used.After(kept.Used) {
			kept.Used = used
			r.putSession(kept)
		}
		return nil
	})
}

// SessionsOf implements ports.Sessions.
func (s *Store) SessionsOf(ctx context.Context, reseller int64) ([]session.Session, error) {
	if err := s.users.Enter(ctx); err != nil {
		return nil, err
	}
	defer s.users.Leave()
	return s.committed.Load().sessionsOf(reseller), nil
}

// EndSession implements ports.Sessions.
func (s *Store) EndSession(ctx context.Context, reseller int64, id session.ID) error {
	return s.alone(ctx, func(r *records) error {
		found, there := r.sessions.get(id)
		if !there || found.Reseller != reseller {
			return fault.ErrNotFound
		}
		r.dropSession(found)
		return nil
	})
}

// DropSessions implements ports.Sessions.
func (s *Store) DropSessions(ctx context.Context, now time.Time, limit int) (dropped int, err error) {
	err = s.alone(ctx, func(r *records) error {
		var ahead []session.ID
		for end := range r.sessionEnds.from(sessionEnd{at: now.Add(session.Idle + 1)}) {
			if len(ahead) >= limit {
				break
			}
			ahead = append(ahead, end.id)
		}
		for _, id := range ahead {
			kept, _ := r.sessions.get(id)
			r.putSession(kept.Clamped(now))
		}
		for end := range r.sessionEnds.all() {
			if dropped >= limit || end.at.After(now) {
				break
			}
			over, _ := r.sessions.get(end.id)
			r.dropSession(over)
			dropped++
		}
		return nil
	})
	return dropped, err
}

// sessionEntry is a session's place in the list of its reseller's.
type sessionEntry struct {
	reseller int64
	created  time.Time
	id       session.ID
}

// compare puts a reseller's newest session last.
func (a sessionEntry) compare(b sessionEntry) int {
	return cmp.Or(cmp.Compare(a.reseller, b.reseller), a.created.Compare(b.created), cmp.Compare(a.id, b.id))
}

func entryOf(s session.Session) sessionEntry { return sessionEntry{s.Reseller, s.Created, s.ID} }

// sessionEnd is when a session is over.
type sessionEnd struct {
	at time.Time
	id session.ID
}

func (a sessionEnd) compare(b sessionEnd) int {
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id))
}

func endOf(s session.Session) sessionEnd { return sessionEnd{s.ExpiresAt(), s.ID} }

// putSession keeps a session in place of the one of its id, if any.
func (r *records) putSession(s session.Session) {
	if older, there := r.sessions.get(s.ID); there {
		r.dropSession(older)
	}
	r.sessions = r.sessions.with(s.ID, s)
	r.sessionLists = r.sessionLists.with(entryOf(s), struct{}{})
	r.sessionEnds = r.sessionEnds.with(endOf(s), struct{}{})
}

func (r *records) dropSession(s session.Session) {
	r.sessions = r.sessions.without(s.ID)
	r.sessionLists = r.sessionLists.without(entryOf(s))
	r.sessionEnds = r.sessionEnds.without(endOf(s))
}

// sessionsOf returns the sessions of a reseller, the newest first.
func (r *records) sessionsOf(reseller int64) (all []session.Session) {
	for entry := range r.sessionLists.from(sessionEntry{reseller: reseller}) {
		if entry.reseller != reseller {
			break
		}
		found, _ := r.sessions.get(entry.id)
		all = append(all, found)
	}
	slices.Reverse(all)
	return all
}
