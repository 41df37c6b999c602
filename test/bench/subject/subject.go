// Package subject runs resellerd for the load generator: a separate process with masters, resellers and lines, the
// requests of each operation, and an audit of the result.
package subject

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"resellerd/test/bench/wire"
	"resellerd/test/program"
)

// Shape is the number of accounts and lines, and the owners of the lines.
type Shape struct {
	Owners int // resellers that own lines; 1 is a contended one
	Depth  int // how deep below the admin they are, at least 1: their parents are a chain of masters
	Lines  int // official lines of each at the beginning
}

// Service is a running resellerd.
type Service struct {
	*program.Process

	others []*program.Process // that serve the same store

	folder string
	shape  Shape
	binary string
	serve  []string
	env    []string
	admin  account
	payer  account // above the owners
	owners []account

	trials   []clientLine // that no client has activated or deleted
	stock    *stock       // of the present measurement, which has the trials
	official []clientLine

	keys     atomic.Int64
	tally    tally
	requests *wire.Conn // for requests that are not measured
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
	serviceKey    = "the service key of a load" // of a store that has no file for one
	patience      = 30 * time.Second
)

// Start starts the released binary on a new SQLite file in the folder, and makes accounts and lines. serve has its
// arguments.
func Start(folder, binary string, shape Shape, serve ...string) (*Service, error) {
	return populated(&Service{folder: folder, shape: shape, binary: binary, serve: serve,
		env: environment(folder, "sqlite:resellerd.db")})
}

// StartOnMongoDB starts so many processes of the binary on an empty database, and makes accounts and lines. The clients
// of each measurement use them in turn.
func StartOnMongoDB(folder, binary, uri string, processes int, shape Shape) (*Service, error) {
	env := append(environment(folder, uri), "RESELLERD_SECRET="+serviceKey)
	return populated(&Service{folder: folder, shape: shape, binary: binary, serve: []string{"serve"}, env: env,
		others: make([]*program.Process, processes-1)})
}

func environment(folder, store string) []string {
	return []string{"HOME=" + folder, "RESELLERD_ADDR=127.0.0.1:0", "RESELLERD_ADMIN_ADDR=127.0.0.1:0",
		"RESELLERD_STORE=" + store, "RESELLERD_ADMIN_PASSWORD=" + adminPassword, "RESELLERD_FREE_CHANGES_PER_DAY=0"}
}

func populated(s *Service) (*Service, error) {
	if err := s.start(); err != nil {
		return nil, err
	}
	s.tally = newTally(s.shape.Owners)
	if err := s.populate(); err != nil {
		for _, p := range s.processes() {
			p.Kill()
		}
		return nil, fmt.Errorf("set up resellerd: %w", err)
	}
	return s, nil
}

// processes returns those that serve the store, the first one first.
func (s *Service) processes() []*program.Process {
	return append([]*program.Process{s.Process}, s.others...)
}

// CPU returns the CPU time that the processes have used so far.
func (s *Service) CPU() (all time.Duration, known bool) {
	for _, p := range s.processes() {
		one, known := p.CPU()
		if !known {
			return 0, false
		}
		all += one
	}
	return all, true
}

// Owner returns the sign-in of the owner of this number.
func (s *Service) Owner(i int) (name, password string) { return ownerName(i), s.owners[i].password }

// Folder returns the folder in which the program runs.
func (s *Service) Folder() string { return s.folder }

// Stop ends the program in order.
func (s *Service) Stop() (err error) {
	for _, p := range s.processes() {
		err = errors.Join(err, p.Stop())
	}
	return err
}

// Restart ends the program in order and starts it again on what it has stored.
func (s *Service) Restart() error {
	if err := s.Stop(); err != nil {
		return err
	}
	return s.start()
}

func (s *Service) start() error {
	p, err := program.Serve(context.Background(), s.folder, s.env, s.binary, s.serve...)
	if err != nil {
		return err
	}
	s.Process, s.requests = p, wire.New(p.ListensOn, patience)
	for i := range s.others {
		if s.others[i], err = program.Serve(context.Background(), s.folder, s.env, s.binary, s.serve...); err != nil {
			for _, p := range s.processes()[:i+1] {
				p.Kill()
			}
			return err
		}
	}
	return nil
}
