package api

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"maps"
	"testing"
	"time"
)

// NewKey returns a body that makes a key which reads; changes win over defaults.
func NewKey(changes Fields) Fields {
	body := Fields{"name": "a key", "role": "read_only"}
	if changes["scopes"] != nil {
		delete(body, "role")
	}
	maps.Copy(body, changes)
	return body
}

// NewPlan is the body of a plan.
func NewPlan(changes Fields) Fields {
	body := Fields{"name": "a plan", "period": Fields{"count": 1, "unit": "month"}}
	maps.Copy(body, changes)
	return body
}

// MakeKey makes a key of c.
func (c Caller) MakeKey(t testing.TB, changes Fields, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "POST", "/keys", NewKey(changes), headers...).Is(201)
}

// ByKey sends requests with a new key of c.
func (c Caller) ByKey(t testing.TB, changes Fields) Caller {
	t.Helper()
	return c.Server.As(c.MakeKey(t, changes).Text("key"))
}

// Scoped sends requests with a new key of c with these scopes alone.
func (c Caller) Scoped(t testing.TB, scopes ...string) Caller {
	t.Helper()
	return c.ByKey(t, Fields{"scopes": append([]string{}, scopes...)})
}

// memberPassword is the password of a staff member, unless a test sets another one.
const memberPassword = "a member's password"

// NewMember returns a body that adds a member to the staff who reads; changes win over defaults.
func NewMember(changes Fields) Fields {
	body := Fields{"username": Unique("member"), "password": memberPassword, "role": "read_only"}
	if changes["scopes"] != nil {
		delete(body, "role")
	}
	maps.Copy(body, changes)
	return body
}

// MakeMember adds a member to the staff of c.
func (c Caller) MakeMember(t testing.TB, changes Fields, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "POST", "/staff", NewMember(changes), headers...).Is(201)
}

// ByMember sends requests with the session of a new member of the staff of c.
func (c Caller) ByMember(t testing.TB, changes Fields) Caller {
	t.Helper()
	body := NewMember(changes)
	c.Send(t, "POST", "/staff", body).Is(201)
	return c.Server.SignIn(t, body["username"].(string), body["password"].(string))
}

// Code returns the code of an authenticator app with this secret at an instant (RFC 6238).
func Code(t testing.TB, secret string, at time.Time) string {
	t.Helper()
	code, err := CodeOf(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// CodeOf is Code if there is no test.
func CodeOf(secret string, at time.Time) (string, error) {
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30)
	sum := mac.Sum(nil)
	from := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[from:])&0x7fffffff%1_000_000), nil
}

// HaveFactor sets up a second factor for the session's person, who has this password. It confirms the factor with its
// code at an instant, and returns its secret and its recovery codes.
func (c Caller) HaveFactor(t testing.TB, password string, at time.Time) (secret string, recovery []string) {
	t.Helper()
	secret = c.Send(t, "POST", "/auth/totp", Fields{"password": password}).Is(200).Text("secret")
	confirmed := c.Send(t, "POST", "/auth/totp/confirm", Fields{"code": Code(t, secret, at)})
	if confirmed.Status != 200 { // the next half minute has begun
		confirmed = c.Send(t, "POST", "/auth/totp/confirm", Fields{"code": Code(t, secret, at.Add(30*time.Second))})
	}
	confirmed.Is(200)
	codes, _ := confirmed.Fields["recovery_codes"].([]any)
	for _, code := range codes {
		recovery = append(recovery, fmt.Sprint(code))
	}
	return secret, recovery
}
