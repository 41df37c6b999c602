package rival

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"time"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/wire"
	"resellerd/test/program"
)

// PocketBase is a PocketBase with two collections of a few fields and a user, whose token the clients have. The clients
// have the rights of any logged-in user.
type PocketBase struct {
	*program.Process

	token string
	ids   []string // of entries
}

const (
	pocketBaseEntries  = 2_000
	pocketBaseEmail    = "bench@example.com"
	pocketBasePassword = "a password of its own"
	pocketBaseTable    = `,"type":"base","listRule":"@request.auth.id != ''","viewRule":"@request.auth.id != ''","createRule":"@request.auth.id != ''",` +
		`"fields":[{"name":"username","type":"text"},{"name":"secret","type":"text"},{"name":"country","type":"text"},{"name":"owner","type":"number"},` +
		`{"name":"trial","type":"bool"},{"name":"expires","type":"date"},{"name":"notes","type":"text"}]}`
)

// Created records go to a collection of their own: a list counts all records.
const (
	pocketBaseRead    = "entries"
	pocketBaseCreated = "created"
)

func pocketBaseRecords(collection string) string {
	return "/api/collections/" + collection + "/records"
}

var pocketBaseEntry = []byte(
	`{"username":"k3v9x0q2m4t7","secret":"b8n1c5z6h2j4","country":"BR","owner":2,"trial":false,"expires":"2026-12-21 10:05:00.000Z","notes":""}`)

// StartPocketBase starts the binary on a new folder, and makes the collections, the user and some entries.
func StartPocketBase(folder, binary string) (*PocketBase, error) {
	env := []string{"HOME=" + folder}
	data := "--dir=" + folder + "/pocketbase"
	admin := exec.Command(binary, "superuser", "upsert", pocketBaseEmail, pocketBasePassword, data)
	admin.Env, admin.Dir = env, folder
	if out, err := admin.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a superuser: %w: %s", err, out)
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	process := program.NewProcess(binary, env, "serve", "--http="+address, data)
	process.Cmd.Dir, process.ListensOn = folder, address
	if err := process.Start(); err != nil {
		return nil, err
	}
	for began := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Since(began) > program.Patience {
			process.Kill()
			return nil, err
		}
	}
	p := &PocketBase{Process: process}
	if err := p.populate(); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

// freeAddress returns one that is free now: this server logs its own in no form that is promised.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (p *PocketBase) populate() error {
	c := wire.New(p.ListensOn, patience)
	defer c.Close()
	ask := func(token, path, body string) (r wire.Response, err error) {
		r, err = c.Do(wire.Request{Method: "POST", Path: path, Token: token, Body: []byte(body)}.Append(nil))
		if err == nil && r.Status >= 300 {
			err = fmt.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
		return r, err
	}
	login := func(who string) (string, error) {
		r, err := ask("", "/api/collections/"+who+"/auth-with-password", `{"identity":"`+pocketBaseEmail+`","password":"`+
			pocketBasePassword+`"}`)
		return string(wire.Field(r.Body, "token")), err
	}
	admin, err := login("_superusers")
	if err != nil {
		return err
	}
	for _, name := range []string{pocketBaseRead, pocketBaseCreated} {
		if _, err := ask(admin, "/api/collections", `{"name":"`+name+`"`+pocketBaseTable); err != nil {
			return err
		}
	}
	user := `{"email":"` + pocketBaseEmail + `","password":"` + pocketBasePassword + `","passwordConfirm":"` +
		pocketBasePassword + `"}`
	if _, err := ask(admin, "/api/collections/users/records", user); err != nil {
		return err
	}
	if p.token, err = login("users"); err != nil {
		return err
	}
	for range pocketBaseEntries {
		r, err := ask(p.token, pocketBaseRecords(pocketBaseRead), string(pocketBaseEntry))
		if err != nil {
			return err
		}
		p.ids = append(p.ids, string(wire.Field(r.Body, "id")))
	}
	return nil
}

// Creates returns clients that make an entry.
func (p *PocketBase) Creates(n int) (clients []drive.Client, ended func()) {
	request := wire.Request{Method: "POST", Path: pocketBaseRecords(pocketBaseCreated), Token: p.token,
		Body: pocketBaseEntry}
	return clientsOf(p.ListensOn, n, func(_ int, to []byte) []byte { return request.Append(to) })
}

// Reads returns clients that read an entry by its id.
func (p *PocketBase) Reads(n int) (clients []drive.Client, ended func()) {
	return clientsOf(p.ListensOn, n, func(_ int, to []byte) []byte {
		return wire.Request{Method: "GET", Path: pocketBaseRecords(pocketBaseRead) + "/" + p.ids[rand.IntN(len(p.ids))],
			Token: p.token}.Append(to)
	})
}

// Lists returns clients that read 30 entries, as PocketBase answers that: with the number of all that there are.
func (p *PocketBase) Lists(n int) (clients []drive.Client, ended func()) {
	request := wire.Request{Method: "GET", Path: pocketBaseRecords(pocketBaseRead) + "?perPage=30", Token: p.token}
	return clientsOf(p.ListensOn, n, func(_ int, to []byte) []byte { return request.Append(to) })
}
