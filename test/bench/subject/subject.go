// Package subject is resellerd as the load generator sees it: a process of its own with masters, resellers and lines,
// the requests of each operation, and an audit of what they left behind.
package subject

import (
	"fmt"
	"sync/atomic"
	"time"

	"resellerd/test/bench/child"
	"resellerd/test/bench/wire"
)

// Shape says who owns what.
type Shape struct {
	Owners int // resellers who own lines; 1 is a hot one
	Depth  int // how deep below the admin they stand, at least 1: above them is a chain of masters
	Lines  int // official lines of each at the beginning
}

// Service is a running resellerd.
type Service struct {
	*child.Process

	shape  Shape
	binary string
	serve  []string
	env    []string
	admin  account
	payer  account // above the owners
	owners []account

	trials   []clientLine // which nobody has activated or deleted
	taken    atomic.Int64 // of trials
	official []clientLine

	keys     atomic.Int64
	tally    tally
	requests *wire.Conn // for what is not measured
}

type account struct {
	id       int64
	token    string
	password string
}

// clientLine is a client account, of the owner at this index.
type clientLine struct {
	id             int64
	owner          int
	name, password string
}

const (
	adminPassword = "the operator's password"
	patience      = 30 * time.Second
)

// Start starts the binary on a new SQLite file in the folder, as it is shipped, and makes accounts and lines. Serve are
// its arguments.
func Start(folder, binary string, shape Shape, serve ...string) (*Service, error) {
	env := []string{
		"HOME=" + folder, "RESELLERD_ADDR=127.0.0.1:0", "RESELLERD_STORE=sqlite:resellerd.db", "RESELLERD_ADMIN_PASSWORD=" + adminPassword,
	}
	p, err := child.Start(folder, "resellerd", env, binary, serve...)
	if err != nil {
		return nil, err
	}
	s := &Service{Process: p, shape: shape, binary: binary, serve: serve, env: env, requests: wire.New(p.Address, patience)}
	s.tally = newTally(shape.Owners)
	if err := s.populate(); err != nil {
		p.Kill()
		return nil, fmt.Errorf("set up resellerd: %w", err)
	}
	return s, nil
}

// Restart ends the program in order and starts it again on what it has stored.
func (s *Service) Restart() error {
	if err := s.Stop(); err != nil {
		return err
	}
	return s.start()
}

func (s *Service) start() error {
	p, err := child.Start(s.Folder(), "resellerd", s.env, s.binary, s.serve...)
	if err == nil {
		s.Process, s.requests = p, wire.New(p.Address, patience)
	}
	return err
}
