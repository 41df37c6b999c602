package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"

	"resellerd/test/program"
)

// pocketBase is a PocketBase with two collections of seven fields and a user, whose token the clients have.
type pocketBase struct {
	server

	token string
	ids   []string // of entries
}

const (
	pocketBaseEntries  = 2_000
	pocketBaseEmail    = "bench@example.com"
	pocketBasePassword = "a password of its own"
	pocketBaseLogin    = `{"identity":"` + pocketBaseEmail + `","password":"` + pocketBasePassword + `"}`
	pocketBaseTable    = `,"type":"base","listRule":"@request.auth.id != ''","viewRule":"@request.auth.id != ''",` +
		`"createRule":"@request.auth.id != ''","fields":[{"name":"username","type":"text"},{"name":"secret","type":"text"},` +
		`{"name":"country","type":"text"},{"name":"owner","type":"number"},{"name":"trial","type":"bool"},` +
		`{"name":"expires","type":"date"},{"name":"notes","type":"text"}]}`
	pocketBaseEntry = `{"username":"k3v9x0q2m4t7","secret":"b8n1c5z6h2j4","country":"BR","owner":2,"trial":false,` +
		`"expires":"2026-12-21 10:05:00.000Z","notes":""}`

	// Clients create records in a collection of their own: a list counts all records of its collection.
	pocketBaseRead    = "/api/collections/entries/records"
	pocketBaseCreated = "/api/collections/created/records"
)

// startPocketBase starts the binary on a new folder, and makes the collections, the user and some entries.
func startPocketBase(binary, folder string) (*pocketBase, error) {
	env, data := []string{"HOME=" + folder}, "--dir="+folder+"/pocketbase"
	admin := exec.Command(binary, "superuser", "upsert", pocketBaseEmail, pocketBasePassword, data)
	admin.Env, admin.Dir = env, folder
	if out, err := admin.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a superuser: %w: %s", err, out)
	}
	// A port that is free now: PocketBase does not promise how it logs its own.
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	_ = free.Close()
	p := program.NewProcess(binary, env, "serve", "--http="+address, data)
	p.Cmd.Dir, p.ListensOn = folder, address
	if err := p.Start(); err != nil {
		return nil, err
	}
	b := &pocketBase{server: server{name: "PocketBase", processes: []*program.Process{p}}}
	for began := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		probe, err := net.Dial("tcp", address)
		if err == nil {
			_ = probe.Close()
			break
		}
		if time.Since(began) > program.Patience {
			b.kill()
			return nil, err
		}
	}
	if err := b.populate(); err != nil {
		b.kill()
		return nil, fmt.Errorf("set up PocketBase: %w", err)
	}
	return b, nil
}

func (b *pocketBase) populate() error {
	c := &conn{address: b.processes[0].ListensOn}
	defer c.close()
	admin, err := post(c, "/api/collections/_superusers/auth-with-password", "", pocketBaseLogin)
	if err != nil {
		return err
	}
	for _, record := range []struct{ path, body string }{
		{"/api/collections", `{"name":"entries"` + pocketBaseTable},
		{"/api/collections", `{"name":"created"` + pocketBaseTable},
		{"/api/collections/users/records", `{"email":"` + pocketBaseEmail + `","password":"` + pocketBasePassword +
			`","passwordConfirm":"` + pocketBasePassword + `"}`},
	} {
		if _, err := c.do("POST", record.path, admin.Token, record.body); err != nil {
			return err
		}
	}
	user, err := post(c, "/api/collections/users/auth-with-password", "", pocketBaseLogin)
	if err != nil {
		return err
	}
	b.token = user.Token
	var mu sync.Mutex
	return b.each(pocketBaseEntries, func(c *conn, _ int) error {
		made, err := post(c, pocketBaseRead, b.token, pocketBaseEntry)
		mu.Lock()
		defer mu.Unlock()
		b.ids = append(b.ids, strings.Trim(string(made.ID), `"`))
		return err
	})
}

// request returns the request of an operation. A list has the number of all records, as PocketBase answers it.
func (b *pocketBase) request(operation string) func(c *conn) error {
	return func(c *conn) error {
		switch operation {
		case "create":
			return failed(c.do("POST", pocketBaseCreated, b.token, pocketBaseEntry))
		case "read":
			return failed(c.do("GET", pocketBaseRead+"/"+b.ids[rand.IntN(len(b.ids))], b.token, ""))
		default:
			return failed(c.do("GET", pocketBaseRead+"?perPage=30", b.token, ""))
		}
	}
}
