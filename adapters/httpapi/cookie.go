package httpapi

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/gin-gonic/gin"

	"resellerd/domain/profile"
	"resellerd/domain/session"
)

// cookieName returns the name of the session cookie of a service with this base path, for HTTPS and proxies. Two
// services on one host do not share it, and a moved service does not get the old one. A browser accepts a cookie with
// this prefix only from the host itself, and only if it is Secure (RFC 6265bis).
func cookieName(basePath string) string { return "__Host-" + plainCookieName(basePath) }

// plainCookieName returns the name for plain HTTP to a service on the browser's own machine.
func plainCookieName(basePath string) string {
	sum := sha256.Sum256([]byte(basePath))
	return fmt.Sprintf("resellerd-%x", sum[:4])
}

// cookieNames are the names of a service's cookie.
type cookieNames struct{ secure, plain string }

// cookieOf returns the name of the session cookie that a request may have, and whether the cookie is for HTTPS only.
// Over plain HTTP from another machine a browser stores it only if it has used HTTPS to a proxy.
func (a *api) cookieOf(r *http.Request) (name string, secure bool) {
	if r.TLS == nil && isLoopback(r.Host) {
		return a.cookies.plain, false
	}
	return a.cookies.secure, true
}

// isLoopback reports whether a host, with or without a port, is the browser's own machine, by the rules of browsers.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && ip.Zone() == "" && (ip.Is4() || ip == netip.IPv6Loopback()) && ip.IsLoopback()
}

// secretLength is the length of a secret that Generator.SessionSecret makes.
const secretLength = 43

// secretOf returns the secret of the request's session, and whether the request has the session cookie. It returns ""
// for a value that can't be a secret, and for two cookies, which are ambiguous. "" is never valid.
func (a *api) secretOf(r *http.Request) (secret string, given bool) {
	if len(r.Header["Cookie"]) == 0 {
		return "", false
	}
	name, _ := a.cookieOf(r)
	found := r.CookiesNamed(name)
	if len(found) != 1 || len(found[0].Value) != secretLength || found[0].Quoted {
		return "", len(found) > 0
	}
	return found[0].Value, true
}

// keepCookie stores the secret of a session in the browser for the longest lifetime of a session.
func (a *api) keepCookie(c *gin.Context, secret profile.Secret) {
	a.setCookie(c, secret.Reveal(), int(session.MaxLifetime.Seconds()))
}

// clearCookie removes the session cookie from the browser, if there is one.
func (a *api) clearCookie(c *gin.Context) {
	if _, given := a.secretOf(c.Request); given {
		a.setCookie(c, "", -1)
	}
}

func (a *api) setCookie(c *gin.Context, value string, maxAge int) {
	name, secure := a.cookieOf(c.Request)
	//nolint:gosec // plain HTTP to the browser's own machine can't have a Secure one
	http.SetCookie(c.Writer, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteStrictMode,
	})
}

// refuseOtherOrigins refuses requests from pages of other origins, reads included: a cookie is valid only for its own
// origin.
func refuseOtherOrigins(r *http.Request) error {
	asked := *r
	asked.Method = http.MethodPost // or a read would pass
	if origins.Check(&asked) != nil {
		return errCrossOrigin
	}
	return nil
}

var origins = http.NewCrossOriginProtection()
