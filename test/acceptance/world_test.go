package acceptance

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
)

var names atomic.Int64

// unique returns a user name that no other test has.
func unique(name string) string { return fmt.Sprintf("%s-%d", name, names.Add(1)) }

// account is a reseller who is logged in.
type account struct {
	caller
	id       int64
	username string
	password string
}

// line is a client account.
type line struct {
	id       int64
	username string
	password string
}

// nobody asks without a token.
func (s *server) nobody() caller { return caller{server: s} }

// admin asks as the operator.
func (s *server) admin(t testing.TB) caller {
	t.Helper()
	s.loginAdmin.Do(func() { s.adminToken = s.login(t, adminName, adminPassword) })
	return caller{s, s.adminToken}
}

// login returns the account's token.
func (s *server) login(t testing.TB, username, password string) string {
	t.Helper()
	return s.nobody().send(t, "POST", "/auth/static-token", fields{"username": username, "password": password}).is(200).text("token")
}

// newReseller returns a body that creates a reseller; changes win over defaults.
func newReseller(changes fields) fields {
	body := fields{
		"username":  unique("reseller"),
		"password":  "a reseller's password",
		"is_master": 0,
		"credits":   "0",
		"country":   "BR",
	}
	maps.Copy(body, changes)
	return body
}

// create makes an account below c and logs it in.
func (c caller) create(t testing.TB, changes fields) account {
	t.Helper()
	body := newReseller(changes)
	a := c.send(t, "POST", "/users", body).is(201)
	made := account{id: a.id(), username: body["username"].(string), password: body["password"].(string)}
	made.caller = caller{c.server, c.server.login(t, made.username, made.password)}
	return made
}

// master makes a master below c with credits, and reseller one that is not.
func (c caller) master(t testing.TB, credits string) account {
	t.Helper()
	return c.create(t, fields{"username": unique("master"), "is_master": 1, "credits": credits})
}

func (c caller) reseller(t testing.TB, credits string) account {
	t.Helper()
	return c.create(t, fields{"credits": credits})
}

// update returns a body that leaves the account as it is, but for whatsapp.
func (a account) update() fields {
	return fields{"username": a.username, "password": a.password, "country": "BR", "whatsapp": "+55"}
}

// trial makes a trial that c owns.
func (c caller) trial(t testing.TB) line {
	t.Helper()
	a := c.send(t, "POST", "/lines/test", nil).is(201)
	return line{a.id(), a.text("username"), a.text("password")}
}

// official makes a line that c owns and paid 0.5 credits for.
func (c caller) official(t testing.TB) line {
	t.Helper()
	l := c.trial(t)
	c.send(t, "PATCH", path("/lines/active", l.id), l.activation("0.5")).is(201)
	return l
}

// activation returns a body that activates the line under the name it has.
func (l line) activation(credits any) fields {
	return fields{"username": l.username, "password": l.password, "credits": credits, "country": "BR"}
}

// edit returns a body that leaves the line as it is, but for whatsapp.
func (l line) edit() fields {
	return fields{"username": l.username, "password": l.password, "whatsapp": "+55", "country": "BR"}
}

// credits returns what the account holds, as its own record says.
func (a account) credits(t testing.TB) string {
	t.Helper()
	return a.get(t, "/users/logged").text("credits")
}

// balance returns what a master holds, as the refusal of more than it has says.
// To is an account below it.
func (a account) balance(t testing.TB, to int64) string {
	t.Helper()
	balance := a.send(t, "PATCH", path("/users/credits", to), fields{"credits": 1_000_000_000}).
		refused(402, "insufficient-credits").text("balance")
	if read := a.credits(t); read != balance {
		t.Errorf("account %d holds %s, and its record says %s", a.id, balance, read)
	}
	return balance
}

// atOnce calls do n times at the same time and waits for all.
func atOnce(n int, do func(i int)) {
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

// count returns how many answers have each status.
func count(answers []answer) map[int]int {
	statuses := map[int]int{}
	for _, a := range answers {
		statuses[a.status]++
	}
	return statuses
}
