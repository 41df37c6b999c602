package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/test/program"
)

const (
	adminPassword = "the operator's password"
	setUpClients  = 32
	setUpTime     = 12 * time.Hour
	masterCredits = 900_000_000
	masterStep    = 50_000_000 // credits that stay with each master
	ownerCredits  = 5_000_000
)

// resellerd is the service with a chain of masters, resellers at the end of the chain, and their lines.
type resellerd struct {
	server

	binary, folder string
	env            []string
	admin, payer   *account // payer is the parent of the owners
	owners         []*account

	mu     sync.Mutex
	trials []line
	lines  []line // official ones
}

type account struct{ id, name, password, token string }

type line struct {
	id, name, password string
	owner              *account
}

// serviceKey is the setting with the service key of each store.
const serviceKey = "RESELLERD_SECRET=the service key of a load"

// startResellerd starts processes of a binary on an empty store, and creates accounts: the owners are at the depth.
func startResellerd(name, binary, folder, store string, processes, owners, depth int) (*resellerd, error) {
	s := &resellerd{server: server{name: name}, binary: binary, folder: folder, env: []string{"HOME=" + folder,
		"RESELLERD_ADDR=127.0.0.1:0", "RESELLERD_ADMIN_ADDR=127.0.0.1:0", "RESELLERD_STORE=" + store,
		"RESELLERD_ADMIN_PASSWORD=" + adminPassword, "RESELLERD_FREE_CHANGES_PER_DAY=0",
		serviceKey}}
	for range processes {
		p, err := program.Serve(context.Background(), folder, s.env, binary, "serve")
		if err != nil {
			s.kill()
			return nil, err
		}
		s.processes = append(s.processes, p)
	}
	if err := s.createAccounts(owners, depth); err != nil {
		s.kill()
		return nil, fmt.Errorf("set up %s: %w", name, err)
	}
	return s, nil
}

func (s *server) kill() {
	for _, p := range s.processes {
		p.Kill()
	}
}

func (s *resellerd) createAccounts(owners, depth int) (err error) {
	c := &conn{address: s.processes[0].ListensOn}
	defer c.close()
	s.admin = &account{name: "admin", password: adminPassword}
	if s.admin.token, err = login(c, s.admin); err != nil {
		return err
	}
	s.payer = s.admin
	for level := 1; level < depth; level++ {
		if s.payer, err = s.create(c, fmt.Sprint("master", level), 1, masterCredits-level*masterStep); err != nil {
			return err
		}
	}
	for i := range owners {
		owner, err := s.create(c, fmt.Sprint("owner", i), 0, ownerCredits)
		if err != nil {
			return err
		}
		s.owners = append(s.owners, owner)
	}
	return nil
}

// create creates an account below the payer.
func (s *resellerd) create(c *conn, name string, master, credits int) (*account, error) {
	a := &account{name: name, password: "the password of " + name}
	made, err := post(c, "/users", s.payer.token, fmt.Sprintf(
		`{"username":%q,"password":%q,"is_master":%d,"credits":"%d","country":"BR"}`, name, a.password, master, credits))
	if err != nil {
		return nil, err
	}
	a.id = string(made.ID)
	a.token, err = login(c, a)
	return a, err
}

func login(c *conn, a *account) (token string, err error) {
	got, err := post(c, "/auth/static-token", "",
		fmt.Sprintf(`{"username":%q,"password":%q}`, a.name, a.password))
	return got.Token, err
}

// answer has the members of answers that a load needs.
type answer struct {
	ID                        json.RawMessage
	Token, Username, Password string
}

func post(c *conn, path, token, body string) (a answer, err error) {
	text, err := c.do("POST", path, token, body)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

// each calls do for each number below n, from several clients.
func (s *server) each(n int, do func(c *conn, i int) error) error {
	var next atomic.Int64
	if n <= 0 {
		return nil
	}
	done, _, err := s.closed(setUpClients, setUpTime, func(c *conn) error {
		if i := int(next.Add(1)) - 1; i < n {
			return do(c, i)
		}
		return errNothingLeft
	})
	if err == nil && len(done) < n {
		err = fmt.Errorf("%d of %d were done", len(done), n)
	}
	return err
}

// issueTrials creates trials until there are so many.
func (s *resellerd) issueTrials(want int) error {
	return s.each(want-len(s.trials), func(c *conn, i int) error {
		owner := s.owners[i%len(s.owners)]
		made, err := post(c, "/lines/test", owner.token, "{}")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trials = append(s.trials, line{string(made.ID), made.Username, made.Password, owner})
		return err
	})
}

// addLines activates lines.
func (s *resellerd) addLines(n int) error {
	if err := s.issueTrials(n); err != nil {
		return err
	}
	return s.each(n, func(c *conn, _ int) error { return s.activate(c) })
}

func (s *resellerd) owner() *account { return s.owners[rand.IntN(len(s.owners))] }

func (s *resellerd) line() line { return s.lines[rand.IntN(len(s.lines))] }

// activate activates a trial.
func (s *resellerd) activate(c *conn) error {
	s.mu.Lock()
	if len(s.trials) == 0 {
		s.mu.Unlock()
		return errNothingLeft
	}
	l := s.trials[0]
	s.trials, s.lines = s.trials[1:], append(s.lines, l)
	s.mu.Unlock()
	_, err := c.do("PATCH", "/lines/active/"+l.id, l.owner.token, `{"username":"`+l.name+`","password":"`+l.password+
		`","credits":1,"country":"BR","whatsapp":"+5511912345678"}`)
	return err
}

// operation is a measured operation.
type operation struct {
	name    string
	rival   string // the operation of PocketBase that it is compared with, if any
	trials  bool   // each request takes a trial
	request func(s *resellerd, c *conn) error
}

var operations = []operation{
	{"trial", "create", false, func(s *resellerd, c *conn) error {
		return failed(c.do("POST", "/lines/test", s.owner().token, "{}"))
	}},
	{"activation", "create", true, (*resellerd).activate},
	{"extension", "create", false, func(s *resellerd, c *conn) error {
		l := s.line()
		return failed(c.do("PATCH", "/lines/extend/"+l.id, l.owner.token, `{"credits":0.5}`))
	}},
	{"recharge", "create", false, func(s *resellerd, c *conn) error {
		return failed(c.do("PATCH", "/users/credits/"+s.owner().id, s.payer.token, `{"credits":1}`))
	}},
	{"read of a line", "read", false, func(s *resellerd, c *conn) error {
		l := s.line()
		return failed(c.do("GET", "/lines/"+l.id, l.owner.token, ""))
	}},
	{"list of 30", "list", false, func(s *resellerd, c *conn) error {
		return failed(c.do("GET", "/lines?limit=30", s.owner().token, ""))
	}},
	{"statement of 30", "", false, func(s *resellerd, c *conn) error {
		owner := s.owner()
		return failed(c.do("GET", "/users/"+owner.id+"/ledger?limit=30", owner.token, ""))
	}},
}

func failed(_ []byte, err error) error { return err }

const (
	starts = 20              // whose median counts
	idle   = 2 * time.Second // after which a process no longer uses what its start needed
)

// upkeep has the costs of a service apart from requests.
type upkeep struct {
	start, audit     time.Duration
	memory, mostUsed int64 // in bytes: idle, and at most under load
}

// stop measures the upkeep of the service, audits its store, and stops it.
func (s *resellerd) stop() (u upkeep, err error) {
	_, u.mostUsed, _ = s.processes[0].Memory()
	var took []float64
	for range starts {
		if err := s.processes[0].Stop(); err != nil {
			return u, err
		}
		if s.processes[0], err = program.Serve(context.Background(), s.folder, s.env, s.binary, "serve"); err != nil {
			return u, err
		}
		took = append(took, float64(s.processes[0].Started))
	}
	u.start = time.Duration(median(took))
	time.Sleep(idle)
	u.memory, _, _ = s.processes[0].Memory()
	audit := exec.Command(s.binary, "audit")
	audit.Dir, audit.Env = s.folder, s.env
	began := time.Now()
	if out, err := audit.CombinedOutput(); err != nil {
		return u, fmt.Errorf("%s: the audit failed: %w: %s", s.name, err, out)
	}
	u.audit = time.Since(began)
	for _, p := range s.processes {
		if err := p.Stop(); err != nil {
			return u, err
		}
	}
	return u, nil
}
