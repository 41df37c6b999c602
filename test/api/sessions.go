package api

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"
)

// CookieName returns the name of the session cookie of a service with this base path, for a browser that uses plain
// HTTP on its own machine, as tests do.
func CookieName(basePath string) string {
	return fmt.Sprintf("resellerd-%x", sha256.Sum256([]byte(basePath)))[:len("resellerd-")+8]
}

// SetCookie returns the cookie that the answer sets in a browser. Its value is empty where the answer clears it. It is
// nil where the answer sets no cookie.
func (a Answer) SetCookie() *http.Cookie {
	a.T.Helper()
	lines := a.Header.Values("Set-Cookie")
	if len(lines) == 0 {
		return nil
	}
	cookie, err := http.ParseSetCookie(lines[0])
	if err != nil || len(lines) > 1 {
		a.T.Errorf("%s: Set-Cookie %q: %v", a.Request, lines, err)
	}
	return cookie
}

// SignIn sends requests with a new session of the account.
func (s *Service) SignIn(t testing.TB, username, password string, headers ...string) Caller {
	t.Helper()
	a := s.Nobody().Send(t, "POST", s.BasePath+"/auth/session", Fields{"username": username, "password": password},
		headers...).Is(201)
	return s.BySession(a)
}

// BySession sends requests as the browser that signed in with this answer.
func (s *Service) BySession(a Answer) Caller {
	a.T.Helper()
	cookie := a.SetCookie()
	if cookie == nil {
		a.T.Fatalf("%s: no cookie", a.Request)
	}
	return Caller{Server: s, Cookie: cookie.Name + "=" + cookie.Value}
}

// SignIn replaces the token with a new session.
func (r Reseller) SignIn(t testing.TB) Reseller {
	t.Helper()
	r.Caller = r.Server.SignIn(t, r.Username, r.Password)
	return r
}

// SessionEnded expects that the answer reports an ended session and clears the session cookie of the browser.
func (a Answer) SessionEnded() Answer {
	a.T.Helper()
	a.Refused(http.StatusUnauthorized, "session-ended")
	if got := a.Header.Get("WWW-Authenticate"); got != "Bearer" {
		a.T.Errorf("%s: WWW-Authenticate is %q", a.Request, got)
	}
	if cookie := a.SetCookie(); cookie == nil || cookie.Value != "" || cookie.MaxAge >= 0 {
		a.T.Errorf("%s: the cookie is not cleared: %v", a.Request, cookie)
	}
	return a
}
