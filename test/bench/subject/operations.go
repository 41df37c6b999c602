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

// Operation is what a client asks for.
type Operation struct {
	Name string

	usesTrial bool // each request takes one away
	hashes    bool // a password, which may take longer than a request may where many are asked for
	counts    kind // of movement
	request   func(s *Service, pick *pick) (wire.Request, error)
}

// Operations are those that are measured, in the order of a run. Logins and changed passwords are left out: they are as
// slow as a password hash is meant to be. So is the creation of a reseller, of which the table shows it.
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
		return wire.Request{Method: extendLine.method, Path: extendLine.path(l.id), Token: s.owners[l.owner].token,
			Key: s.key(), Body: halfACredit}, nil
	}},
	{Name: "trial", request: func(s *Service, p *pick) (wire.Request, error) { return s.trial(p.anyOwner(s)), nil }},
	{Name: "recharge", counts: recharges, request: func(s *Service, p *pick) (wire.Request, error) {
		owner := s.owners[p.anyOwner(s)]
		return wire.Request{Method: addCredits.method, Path: addCredits.path(owner.id), Token: s.payer.token, Key: s.key(),
			Body: oneCredit}, nil
	}},
	{Name: "line update", request: func(s *Service, p *pick) (wire.Request, error) {
		l := p.line()
		body := `{"username":"` + l.name + `","password":"` + l.password + `","whatsapp":"+55119` +
			strconv.Itoa(10_000_000+p.random.IntN(10_000_000)) + `","country":"BR"}`
		return wire.Request{Method: editLine.method, Path: editLine.path(l.id), Token: s.owners[l.owner].token, Key: s.key(),
			Body: []byte(body)}, nil
	}},
	{Name: "deletion", usesTrial: true, request: func(s *Service, p *pick) (wire.Request, error) {
		l, err := p.trials.next()
		return wire.Request{Method: deleteLine.method, Path: deleteLine.path(l.id), Token: s.owners[l.owner].token,
			Key: s.key()}, err
	}},
	{Name: "read of a line", request: func(s *Service, p *pick) (wire.Request, error) {
		l := p.line()
		return wire.Request{Method: getLine.method, Path: getLine.path(l.id), Token: s.owners[l.owner].token}, nil
	}},
	{Name: "list of 30", request: func(s *Service, p *pick) (wire.Request, error) {
		return wire.Request{Method: listLines.method, Path: listLines.before + "?limit=30",
			Token: s.owners[p.anyOwner(s)].token}, nil
	}},
	{Name: "statement of 30", request: func(s *Service, p *pick) (wire.Request, error) {
		owner := s.owners[p.anyOwner(s)]
		return wire.Request{Method: getStatement.method, Path: getStatement.path(owner.id) + "?limit=30", Token: owner.token},
			nil
	}},
	{Name: "reseller creation", hashes: true, request: func(s *Service, _ *pick) (wire.Request, error) {
		key := s.key()
		body := `{"username":"made-by-` + string(key) +
			`","password":"a password of its own","is_master":0,"credits":"0","country":"BR"}`
		return wire.Request{Method: createReseller.method, Path: createReseller.before, Token: s.admin.token, Key: key,
			Body: []byte(body)}, nil
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

// Asked are the operationIds that a load is made of.
var Asked []string

// asked is an operation of the API, taken apart: requests are made as fast as can be.
type asked struct{ method, before, after string }

func operation(id string) asked {
	row := api.RowOf(id)
	Asked = append(Asked, id)
	before, after, _ := strings.Cut(row.Path, "{id}")
	return asked{row.Method, before, after}
}

func (a asked) path(id int64) string {
	return string(append(strconv.AppendInt([]byte(a.before), id, 10), a.after...))
}

// Those that are measured.
var (
	activateLine, extendLine, createTrial = operation("activateLine"), operation("extendLine"), operation("createTrial")
	addCredits, editLine, deleteLine      = operation("addCredits"), operation("editLine"), operation("deleteLine")
	getLine, listLines, getStatement      = operation("getLine"), operation("listLines"), operation("getStatement")
	createReseller                        = operation("createReseller")
)

func (s *Service) activation(l clientLine) wire.Request {
	body := `{"username":"` + l.name + `","password":"` + l.password +
		`","credits":1,"country":"BR","whatsapp":"+5511912345678"}`
	return wire.Request{Method: activateLine.method, Path: activateLine.path(l.id), Token: s.owners[l.owner].token,
		Key: s.key(), Body: []byte(body)}
}

func (s *Service) trial(owner int) wire.Request {
	return wire.Request{Method: createTrial.method, Path: createTrial.before, Token: s.owners[owner].token, Key: s.key(),
		Body: empty}
}

// pick is what one client chooses from.
type pick struct {
	random    *rand.Rand
	owner     int // of the present request
	activated []clientLine

	// The client works for the owners whose index, divided by shares, leaves share.
	share, shares int
	trials        *stock
	official      []clientLine
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

// left returns what nobody has taken.
func (t *stock) left() []clientLine { return t.lines[min(int(t.taken.Load()), len(t.lines)):] }

// picks returns what each of n clients chooses from. Where owners are shared out and there are fewer of them than
// clients, several clients have the same ones.
func (s *Service) picks(n int) []pick {
	shares := 1
	if s.shape.Shared {
		shares = min(n, len(s.owners))
	}
	s.stocks = make([]stock, shares)
	official := make([][]clientLine, shares)
	for _, l := range s.trials {
		of := &s.stocks[l.owner%shares]
		of.lines = append(of.lines, l)
	}
	for _, l := range s.official {
		official[l.owner%shares] = append(official[l.owner%shares], l)
	}
	picks := make([]pick, n)
	for i := range picks {
		share := i % shares
		picks[i] = pick{
			random: rand.New(rand.NewPCG(uint64(i), uint64(s.keys.Load()))),
			share:  share, shares: shares, trials: &s.stocks[share], official: official[share],
		}
	}
	return picks
}

// takeBack takes over what the clients have left and what they have made.
func (s *Service) takeBack(picks []pick) {
	s.trials = nil
	for i := range s.stocks {
		s.trials = append(s.trials, s.stocks[i].left()...)
	}
	for _, p := range picks {
		s.official = append(s.official, p.activated...)
	}
}

func (p *pick) anyOwner(s *Service) int {
	p.owner = p.share + p.shares*p.random.IntN((len(s.owners)-p.share+p.shares-1)/p.shares)
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

// Clients returns so many clients that ask for the operation, and what is to be called when all of them have ended.
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
