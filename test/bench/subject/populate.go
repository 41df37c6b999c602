package subject

import (
	"fmt"
	"strconv"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/wire"
)

// Initial credits of the accounts. No load uses them up.
const (
	masterCredits = 900_000_000
	masterStep    = 50_000_000 // the balance that stays on each master
	ownerCredits  = 5_000_000
	setUpClients  = 32
)

// populate makes the admin's chain of masters, the owners below it, and their lines.
func (s *Service) populate() error {
	var err error
	if s.admin, err = s.login("admin", adminPassword, 1); err != nil {
		return err
	}
	s.payer = s.admin
	for level := 1; level < s.shape.Depth; level++ {
		if s.payer, err = s.create(fmt.Sprint("master", level), true, masterCredits-(level-1)*masterStep); err != nil {
			return err
		}
	}
	for i := range s.shape.Owners {
		owner, err := s.create(ownerName(i), false, ownerCredits)
		if err != nil {
			return err
		}
		s.owners = append(s.owners, owner)
	}
	lines := s.shape.Lines * s.shape.Owners
	if err := s.issue(lines); err != nil {
		return err
	}
	return s.each(lines, func(c *wire.Conn, i int) error {
		l := s.trials[i]
		_, err := s.ask(c, s.activation(l))
		return err
	}, func() {
		for _, l := range s.trials {
			s.tally.count(activations, l.owner)
		}
		s.official, s.trials = s.trials, nil
	})
}

func ownerName(i int) string { return fmt.Sprint("owner", i) }

// create makes an account below the present payer.
func (s *Service) create(name string, master bool, credits int) (account, error) {
	role := "0"
	if master {
		role = "1"
	}
	password := "the password of " + name
	r, err := s.ask(s.requests, wire.Request{
		Method: "POST", Path: "/users", Token: s.payer.token, Key: s.key(),
		Body: []byte(`{"username":"` + name + `","password":"` + password + `","is_master":` + role + `,"credits":"` +
			strconv.Itoa(credits) + `","country":"BR"}`),
	})
	if err != nil {
		return account{}, err
	}
	id, err := strconv.ParseInt(string(wire.Field(r.Body, "id")), 10, 64)
	if err != nil {
		return account{}, err
	}
	return s.login(name, password, id)
}

func (s *Service) login(name, password string, id int64) (account, error) {
	r, err := s.ask(s.requests, wire.Request{
		Method: "POST", Path: "/auth/static-token",
		Body: []byte(`{"username":"` + name + `","password":"` + password + `"}`),
	})
	return account{id: id, token: string(wire.Field(r.Body, "token")), password: password}, err
}

// issue sees to it that there are at least so many trials, as many of each owner.
func (s *Service) issue(want int) error {
	missing := make([]int, len(s.owners))
	for i := range missing {
		missing[i] = (want + len(s.owners) - 1) / len(s.owners)
	}
	for _, l := range s.trials {
		missing[l.owner]--
	}
	var of []int
	for more := true; more; {
		more = false
		for owner := range missing { // in turn, so that no owner is a hot one
			if missing[owner] > 0 {
				missing[owner]--
				of, more = append(of, owner), true
			}
		}
	}
	made := make([]clientLine, len(of))
	return s.each(len(made), func(c *wire.Conn, i int) error {
		owner := of[i]
		r, err := s.ask(c, s.trial(owner))
		if err != nil {
			return err
		}
		id, err := strconv.ParseInt(string(wire.Field(r.Body, "id")), 10, 64)
		made[i] = clientLine{id, owner, string(wire.Field(r.Body, "username")), string(wire.Field(r.Body, "password"))}
		return err
	}, func() { s.trials = append(s.trials, made...) })
}

// each does something n times, by several clients at once, and then what follows where all of it went well.
func (s *Service) each(n int, do func(c *wire.Conn, i int) error, then func()) error {
	if n == 0 {
		return nil
	}
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	clients := make([]drive.Client, setUpClients)
	for i := range clients {
		c := wire.New(s.ListensOn, patience)
		defer func() { _ = c.Close() }()
		clients[i] = func() error {
			if i, more := <-next; more {
				return do(c, i)
			}
			return drive.ErrNothingLeft
		}
	}
	r := drive.Closed(clients, patience*20)
	if r.First == nil && r.Count < n {
		return fmt.Errorf("%d of %d were made", r.Count, n)
	}
	if r.First == nil {
		then()
	}
	return r.First
}

// ask sends a request that has to succeed.
func (s *Service) ask(c *wire.Conn, request wire.Request) (wire.Response, error) {
	r, err := c.Do(request.Append(nil))
	if err == nil && r.Status >= 300 {
		err = fmt.Errorf("%s %s: %d %s", request.Method, request.Path, r.Status, r.Body)
	}
	return r, err
}

// key returns an idempotency key that no other command has.
func (s *Service) key() []byte { return strconv.AppendInt([]byte("bench-"), s.keys.Add(1), 10) }
