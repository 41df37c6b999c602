package subject

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"resellerd/test/api"
	"resellerd/test/bench/drive"
	"resellerd/test/bench/wire"
)

// Operation is an operation that clients request.
type Operation struct {
	Name string

	usesTrial bool // each request takes one away
	hashes    bool // a password: many at once may take longer than a request's limit
	counts    kind // of movement
	request   func(s *Service, pick *pick) (wire.Request, error)
}

// Operations are the measured operations, in the order of a run. Logins and password changes are left out: a password
// hash makes them slow on purpose. Creating a reseller hashes a password, too; the table shows how slow it is.
var Operations = []Operation{
	{Name: "activation", usesTrial: true, counts: activations, request: func(s *Service, p *pick) (wire.Request, error) {
		l, err := p.trials.next()
		if err == nil {
			p.activated = append(p.activated, l)
			p.owner = l.owner
		}
		return s.activation(l), err
	}},
	{Name: "extension", counts: extensions, request: func(s *Service, p *pick) (wire.Request, error) {
		l := p.line()
		return s.command(extendLine, l.id, s.owners[l.owner], halfACredit), nil
	}},
	{Name: "trial", request: func(s *Service, p *pick) (wire.Request, error) { return s.trial(p.anyOwner(s)), nil }},
	{Name: "recharge", counts: recharges, request: func(s *Service, p *pick) (wire.Request, error) {
		return s.command(addCredits, s.owners[p.anyOwner(s)].id, s.payer, oneCredit), nil
	}},
	{Name: "line update", request: func(s *Service, p *pick) (wire.Request, error) {
		l := p.line()
		body := `{"username":"` + l.name + `","password":"` + l.password + `","whatsapp":"+55119` +
			strconv.Itoa(10_000_000+p.random.IntN(10_000_000)) + `","country":"BR"}`
		return s.command(editLine, l.id, s.owners[l.owner], []byte(body)), nil
	}},
	{Name: "deletion", usesTrial: true, request: func(s *Service, p *pick) (wire.Request, error) {
		l, err := p.trials.next()
		return s.command(deleteLine, l.id, s.owners[l.owner], nil), err
	}},
	{Name: "read of a line", request: func(s *Service, p *pick) (wire.Request, error) {
		l := p.line()
		return getLine().request(l.id, "", s.owners[l.owner]), nil
	}},
	{Name: "list of 30", request: func(s *Service, p *pick) (wire.Request, error) {
		return listLines().request(0, "?limit=30", s.owners[p.anyOwner(s)]), nil
	}},
	{Name: "statement of 30", request: func(s *Service, p *pick) (wire.Request, error) {
		owner := s.owners[p.anyOwner(s)]
		return getStatement().request(owner.id, "?limit=30", owner), nil
	}},
	{Name: "reseller creation", hashes: true, request: func(s *Service, _ *pick) (wire.Request, error) {
		r := s.command(createReseller, 0, s.admin, nil)
		r.Body = []byte(`{"username":"made-by-` + string(r.Key) +
			`","password":"a password of its own","is_master":0,"credits":"0","country":"BR"}`)
		return r, nil
	}},
}

// Find returns the operation of a name.
func Find(name string) (Operation, error) {
	i := slices.IndexFunc(Operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, fmt.Errorf("there is no operation %q", name)
	}
	return Operations[i], nil
}

var oneCredit, halfACredit, empty = []byte(`{"credits":1}`), []byte(`{"credits":0.5}`), []byte(`{}`)

// Asked are the operationIds of a load.
var Asked []string

// asked is an operation of the API in parts, so that requests are made as fast as possible.
type asked struct{ method, before, after string }

// operation reads the document at its first call: a server that a run starts has no checkout.
func operation(id string) func() asked {
	Asked = append(Asked, id)
	return sync.OnceValue(func() asked {
		row := api.RowOf(id)
		before, after, _ := strings.Cut(row.Path, "{id}")
		return asked{row.Method, before, after}
	})
}

// request makes a request for the operation, of a record where id is not 0.
func (a asked) request(id int64, query string, by account) wire.Request {
	path := []byte(a.before)
	if id != 0 {
		path = strconv.AppendInt(path, id, 10)
	}
	return wire.Request{Method: a.method, Path: string(append(append(path, a.after...), query...)), Token: by.token}
}

// command is one under a key of its own.
func (s *Service) command(of func() asked, id int64, by account, body []byte) wire.Request {
	r := of().request(id, "", by)
	r.Key, r.Body = s.key(), body
	return r
}

// Those that are measured.
var (
	activateLine, extendLine, createTrial = operation("activateLine"), operation("extendLine"), operation("createTrial")
	addCredits, editLine, deleteLine      = operation("addCredits"), operation("editLine"), operation("deleteLine")
	getLine, listLines, getStatement      = operation("getLine"), operation("listLines"), operation("getStatement")
	createReseller                        = operation("createReseller")
)

func (s *Service) activation(l clientLine) wire.Request {
	return s.command(activateLine, l.id, s.owners[l.owner], []byte(`{"username":"`+l.name+`","password":"`+l.password+
		`","credits":1,"country":"BR","whatsapp":"+5511912345678"}`))
}

func (s *Service) trial(owner int) wire.Request {
	return s.command(createTrial, 0, s.owners[owner], empty)
}

// pick has the records that one client chooses from.
type pick struct {
	random    *rand.Rand
	owner     int // of the present request
	activated []clientLine
	trials    *stock
	official  []clientLine
}

// stock is trials that clients take one by one.
type stock struct {
	lines []clientLine
	taken atomic.Int64
}

func (t *stock) next() (clientLine, error) {
	i := int(t.taken.Add(1)) - 1
	if i >= len(t.lines) {
		return clientLine{}, drive.ErrNothingLeft
	}
	return t.lines[i], nil
}

// left returns the lines that no client has taken.
func (t *stock) left() []clientLine { return t.lines[min(int(t.taken.Load()), len(t.lines)):] }

// picks returns the records that each of n clients chooses from.
func (s *Service) picks(n int) []pick {
	s.stock = &stock{lines: s.trials}
	picks := make([]pick, n)
	for i := range picks {
		random := rand.New(rand.NewPCG(uint64(i), uint64(s.keys.Load())))
		picks[i] = pick{random: random, trials: s.stock, official: s.official}
	}
	return picks
}

// takeBack takes over the remaining and the new records of the clients.
func (s *Service) takeBack(picks []pick) {
	s.trials = s.stock.left()
	for _, p := range picks {
		s.official = append(s.official, p.activated...)
	}
}

func (p *pick) anyOwner(s *Service) int {
	p.owner = p.random.IntN(len(s.owners))
	return p.owner
}

func (p *pick) line() clientLine {
	l := p.official[p.random.IntN(len(p.official))]
	p.owner = l.owner
	return l
}

// Prepare issues trials for so many requests of the operation, where it needs them.
func (s *Service) Prepare(o Operation, requests int) error {
	if !o.usesTrial {
		return nil
	}
	return s.issue(requests)
}

// Clients returns so many clients that send requests for the operation, and a function to call when all of them have
// ended.
func (s *Service) Clients(o Operation, n int) (clients []drive.Client, ended func()) {
	picks, connections, processes := s.picks(n), make([]*wire.Conn, n), s.processes()
	for i := range n {
		p, c := &picks[i], wire.New(processes[i%len(processes)].ListensOn, patience)
		connections[i] = c
		var buffer []byte
		clients = append(clients, func() error {
			request, err := o.request(s, p)
			if err != nil {
				return err
			}
			buffer = request.Append(buffer[:0])
			r, err := c.Do(buffer)
			if err != nil {
				s.tally.unsure()
				return err
			}
			switch {
			case o.hashes && (r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable):
				return drive.ErrRefused
			case r.Status >= 300:
				return fmt.Errorf("%s: %d %s", o.Name, r.Status, r.Body)
			}
			s.tally.count(o.counts, p.owner)
			return nil
		})
	}
	return clients, sync.OnceFunc(func() {
		for _, c := range connections {
			_ = c.Close()
		}
		s.takeBack(picks)
	})
}
