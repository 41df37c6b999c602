package api

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var names atomic.Int64

// Unique returns a user name that no other test has.
func Unique(name string) string { return fmt.Sprintf("%s-%d", name, names.Add(1)) }

// Reseller is a reseller with a token.
type Reseller struct {
	Caller
	ID       int64
	Username string
	Password string
	Webhook  int64 // id of one that a test has made, 0 if it has made none
	Key      int64 // likewise
	Member   int64 // of its staff, likewise
	Job      int64 // likewise
}

// Line is a client account.
type Line struct {
	ID       int64
	Username string
	Password string
}

// Service is the API as its clients know it. A restart may change its address.
type Service struct {
	Address  string // host and port
	BasePath string // before every path but those of the health checks

	loginAdmin sync.Once
	AdminToken string
}

// The first admin of every service.
const (
	AdminName     = "admin"
	AdminPassword = "the operator's password"
)

// Nobody sends requests without a token.
func (s *Service) Nobody() Caller { return s.As("") }

// As sends requests with a token.
func (s *Service) As(token string) Caller { return Caller{Server: s, Token: token} }

// Admin sends requests as the operator.
func (s *Service) Admin(t testing.TB) Caller {
	t.Helper()
	s.loginAdmin.Do(func() { s.AdminToken = s.Login(t, AdminName, AdminPassword) })
	return s.As(s.AdminToken)
}

// Login returns the account's token.
func (s *Service) Login(t testing.TB, username, password string) string {
	t.Helper()
	body := Fields{"username": username, "password": password}
	return s.Nobody().Send(t, "POST", s.BasePath+"/auth/static-token", body).Is(200).Text("token")
}

// NewReseller returns a body that creates a reseller; changes win over defaults.
func NewReseller(changes Fields) Fields {
	body := Fields{
		"username":  Unique("reseller"),
		"password":  "a reseller's password",
		"is_master": 0,
		"credits":   "0",
		"country":   "BR",
	}
	maps.Copy(body, changes)
	return body
}

// Create makes an account below c and logs it in.
func (c Caller) Create(t testing.TB, changes Fields) Reseller {
	t.Helper()
	body := NewReseller(changes)
	a := c.Send(t, "POST", "/users", body).Is(201)
	made := Reseller{ID: a.ID(), Username: body["username"].(string), Password: body["password"].(string)}
	made.Caller = c.Server.As(c.Server.Login(t, made.Username, made.Password))
	return made
}

// Master makes a master below c with credits.
func (c Caller) Master(t testing.TB, credits string) Reseller {
	t.Helper()
	return c.Create(t, Fields{"username": Unique("master"), "is_master": 1, "credits": credits})
}

// Reseller makes an account below c with credits, which has lines only.
func (c Caller) Reseller(t testing.TB, credits string) Reseller {
	t.Helper()
	return c.Create(t, Fields{"credits": credits})
}

// Update returns a body that leaves the account unchanged, except for whatsapp.
func (r Reseller) Update() Fields {
	return Fields{"username": r.Username, "password": r.Password, "country": "BR", "whatsapp": "+55"}
}

// Trial makes a trial that c owns.
func (c Caller) Trial(t testing.TB) Line {
	t.Helper()
	return c.Send(t, "POST", "/lines/test", nil).Is(201).Line()
}

// Official makes a line that c owns and paid 0.5 credits for.
func (c Caller) Official(t testing.TB) Line {
	t.Helper()
	l := c.Trial(t)
	c.Activate(t, l, "0.5").Is(201)
	return l
}

// Activation returns a body that activates the line under the name it has.
func (l Line) Activation(credits any) Fields {
	return Fields{"username": l.Username, "password": l.Password, "credits": credits, "country": "BR"}
}

// Edit returns a body that leaves the line unchanged, except for whatsapp.
func (l Line) Edit() Fields {
	return Fields{"username": l.Username, "password": l.Password, "whatsapp": "+55", "country": "BR"}
}

// NewWebhook returns a body that creates a webhook for everything; changes win over defaults.
func NewWebhook(changes Fields) Fields {
	body := Fields{"url": "https://hooks.example.com/resellerd", "types": []string{"*"}, "scope": "tree"}
	maps.Copy(body, changes)
	return body
}

// MakeWebhook makes a webhook of c.
func (c Caller) MakeWebhook(t testing.TB, changes Fields, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "POST", "/webhooks", NewWebhook(changes), headers...).Is(201)
}

// Credits returns the account's balance from its own record.
func (r Reseller) Credits(t testing.TB) string {
	t.Helper()
	return r.Get(t, "/users/logged").Text("credits")
}

// AtOnce calls do n times at the same time and waits for all.
func AtOnce(n int, do func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			do(i)
		})
	}
	close(start)
	all.Wait()
}

// Count returns how many answers have each status.
func Count(answers []Answer) map[int]int {
	statuses := map[int]int{}
	for _, a := range answers {
		statuses[a.Status]++
	}
	return statuses
}

// Login returns the reseller with a new token.
func (r Reseller) Login(t *testing.T) Reseller {
	t.Helper()
	r.Token = r.Server.Login(t, r.Username, r.Password)
	return r
}

// Name is an account as a counterparty.
func (r Reseller) Name() string { return strconv.FormatInt(r.ID, 10) }

// On sends requests to another service with the same token, or the same session.
func (c Caller) On(other *Service) Caller {
	c.Server = other
	return c
}

// On sends requests to another service on the same records as the same account.
func (r Reseller) On(other *Service) Reseller {
	r.Caller = r.Caller.On(other)
	return r
}

// With returns an object with the changes to it.
func With(base, changes Fields) Fields {
	all := maps.Clone(base)
	maps.Copy(all, changes)
	return all
}

// Fund sends credits to an account.
func (c Caller) Fund(t testing.TB, account int64, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PATCH", Path("/users/credits", account), Fields{"credits": credits}, headers...)
}

// Reclaim takes credits back from an account.
func (c Caller) Reclaim(t testing.TB, account int64, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "POST", Path("/users", account, "/credits/reclaim"), Fields{"credits": credits}, headers...)
}

// Block blocks an account.
func (c Caller) Block(t testing.TB, account int64, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PUT", Path("/users", account, "/block"), nil, headers...)
}

// Unblock lifts the block of an account.
func (c Caller) Unblock(t testing.TB, account int64, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "DELETE", Path("/users", account, "/block"), nil, headers...)
}

// Activate makes a trial official for so many credits, under the name that it has.
func (c Caller) Activate(t testing.TB, trial Line, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PATCH", Path("/lines/active", trial.ID), trial.Activation(credits), headers...)
}

// Extend makes an official line run longer for so many credits.
func (c Caller) Extend(t testing.TB, line int64, credits any, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "PATCH", Path("/lines/extend", line), Fields{"credits": credits}, headers...)
}

// DeleteLine deletes a line.
func (c Caller) DeleteLine(t testing.TB, line int64, headers ...string) Answer {
	t.Helper()
	return c.Send(t, "DELETE", Path("/lines", line), nil, headers...)
}

// NewJob returns a body that resumes a line as a job; changes win over defaults.
func NewJob(line int64, changes Fields) Fields {
	body := Fields{"action": "resume", "select": Fields{"ids": []int64{line}}, "expect": Fields{"count": 1, "total": "0"}}
	maps.Copy(body, changes)
	return body
}

// StartJob has c start a job that resumes a line.
func (c Caller) StartJob(t testing.TB, line int64, changes Fields) Answer {
	t.Helper()
	return c.Send(t, "POST", "/bulk", NewJob(line, changes)).Is(202)
}

// importPath takes rows, each a JSON object, and not one object.
const importPath = "/imports/lines"

// MediaType is how the body of an operation is declared.
func MediaType(path string) string {
	if strings.HasSuffix(path, importPath) {
		return "application/x-ndjson"
	}
	return "application/json"
}

var imports atomic.Int64

// NewImport returns a row that no import has had before in this process.
func NewImport() Fields {
	n := imports.Add(1)
	return Fields{
		"external_id": fmt.Sprintf("there-%d", n), "username": fmt.Sprintf("from.there.%d", n), "password": "s3cret-there",
		"expDate": "2027-06-30T12:00:00.000Z",
	}
}
