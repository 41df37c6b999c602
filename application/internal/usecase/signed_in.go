package usecase

import (
	"errors"
	"sync"
	"time"

	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// SessionNames names the records of sessions.
func SessionNames(ids []session.ID) (names []record.Name) {
	for _, id := range ids {
		names = append(names, ports.Sessions.Named(id))
	}
	return names
}

// mostSignedIn bounds the sessions whose resellers are remembered.
const mostSignedIn = 10_000

// SessionCache remembers the resellers of sessions, which never change, and until when each is good as far as this
// process knows. It decides only whether the store is also read for a session before the request is decoded.
type SessionCache struct {
	mu    sync.Mutex
	known map[session.ID]session.Session
}

func (m *SessionCache) of(id session.ID, now time.Time) (s session.Session, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, known = m.known[id]
	return s, known && s.Good(now)
}

// remember takes a session that was found good, in place of any other one if there are too many.
func (m *SessionCache) remember(s session.Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[session.ID]session.Session{}
	}
	if _, known := m.known[s.ID]; !known && len(m.known) >= mostSignedIn {
		for other := range m.known {
			delete(m.known, other)
			break
		}
	}
	m.known[s.ID] = s
}

// Forget removes sessions that have ended.
func (m *SessionCache) Forget(ids ...session.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.known, id)
	}
}

// After takes the outcome of a request of a caller.
func (m *SessionCache) After(by Caller, err error) {
	if by.session == nil {
		return
	}
	if errors.Is(err, session.ErrEnded) {
		m.Forget(by.session.id)
	} else if found := by.session.found.Load(); found != nil {
		m.remember(*found)
	}
}
