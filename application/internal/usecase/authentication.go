package usecase

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// KeyPrefix is the beginning of every API key: rsk_, its id, and its secret part.
const KeyPrefix = "rsk_"

// IsKey reports whether a bearer credential has the form of an API key.
func IsKey(bearer string) bool { return strings.HasPrefix(bearer, KeyPrefix) }

// longestKey bounds an API key before it is parsed.
const longestKey = 128

// AuthenticateKey returns the caller of an API key, from the network of one address. Refusals: reseller.ErrTokenRevoked
// for a text that is not an API key, principal.ErrRevoked, principal.ErrExpired, principal.ErrAddress.
func (s Authentication) AuthenticateKey(ctx context.Context, key string, from principal.Network,
	address string) (Caller, error) {
	ctx, ended := s.k.Observe(ctx, "authenticate key")
	defer ended()
	text, _, _ := strings.Cut(strings.TrimPrefix(key, KeyPrefix), "_")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(key) > longestKey {
		return Caller{}, reseller.ErrTokenRevoked
	}
	by := Caller{acting: &acting{id: id, network: from, from: address}}
	now := s.k.Dependencies.Clock()
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		p, err := ports.Principals.From(snapshot.Records).Get(ctx, id)
		if IsNotFound(err) || err == nil && !p.MatchesDigest(principal.DigestOf(key)) {
			return reseller.ErrTokenRevoked
		}
		if err != nil {
			return err
		}
		by.reseller = p.Account
		_, due := p.Use(address, now)
		by.acting.found.Store(&p)
		by.acting.due.Store(due)
		return cmp.Or(p.CheckActive(now), p.CheckAddress(from))
	})
	return by, err
}

// Permit decides whether the caller's scopes include a scope, before the body of its request is read; each request
// decides again. The refusals are *principal.MissingScope, and those of a request, except a block, which is found
// later.
func (s Authentication) Permit(ctx context.Context, caller Caller, needs principal.Scope) error {
	if caller.acting == nil {
		return nil
	}
	caller.acting.scope = needs
	if caller.Principal() == nil { // otherwise it was read a moment ago
		return s.CheckCredential(ctx, caller)
	}
	return caller.RequireScope(needs)
}

// Authentication finds the caller of a credential.
type Authentication struct{ k *Kernel }

// Authentication returns the use cases of authentication.
func (s *Kernel) Authentication() Authentication { return Authentication{s} }

// Authenticate returns the caller of a bearer token, or reseller.ErrTokenRevoked if its signature is invalid. Whether
// the token is revoked is decided with the request.
func (s Authentication) Authenticate(bearer string) (Caller, error) {
	token, err := s.k.Dependencies.Tokens.Verify(bearer)
	return Caller{reseller: token.Reseller, token: token.Generation}, err
}

// CheckCredential returns nil if the token or the session is valid at this moment, otherwise the refusal of any use
// case. It checks no rights, and each request decides again.
func (s Authentication) CheckCredential(ctx context.Context, caller Caller) error {
	now := s.k.Dependencies.Clock()
	if caller.Principal() != nil { // it was read a moment ago
		return s.k.SaveUse(ctx, caller, now)
	}
	err := s.k.Read(ctx, Call{Caller: caller}, now,
		func(context.Context, ports.Snapshot, *reseller.Reseller) error { return nil })
	if errors.Is(err, reseller.ErrBlocked) { // only a valid credential gets this refusal
		return nil
	}
	return err
}

// AuthenticateSession returns the caller whose browser has this secret, or session.ErrEnded. Whether the session is
// active is decided with the request: the store is read here only if the session's reseller is not in the cache.
func (s Authentication) AuthenticateSession(ctx context.Context, secret string) (Caller, error) {
	ctx, ended := s.k.Observe(ctx, "authenticate session")
	defer ended()
	id, now := session.IDOf(secret), s.k.Dependencies.Clock()
	by := Caller{session: &callersSession{id: id}}
	if known, is := s.k.Sessions.of(id, now); is {
		by.signedIn(known)
		return by, nil
	}
	err := s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		found, err := goodSession(ctx, snapshot.Records, id, now)
		by.signedIn(found)
		return err
	})
	return by, err
}

// SessionNames names the records of sessions.
func SessionNames(ids []session.ID) (names []record.Name) {
	for _, id := range ids {
		names = append(names, ports.Sessions.Named(id))
	}
	return names
}

// mostSignedIn bounds the sessions whose resellers are cached.
const mostSignedIn = 10_000

// SessionCache caches the resellers of sessions, which never change, and the end of each session as far as this process
// knows. It decides only whether the store is also read for a session before the request is decoded.
type SessionCache struct {
	mu    sync.Mutex
	known map[session.ID]session.Session
}

func (m *SessionCache) of(id session.ID, now time.Time) (s session.Session, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, known = m.known[id]
	return s, known && s.Active(now)
}

// remember caches an active session, in place of any other one if there are too many.
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

// After handles the outcome of a request of a caller.
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
