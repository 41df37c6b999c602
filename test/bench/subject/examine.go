package subject

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"resellerd/test/bench/wire"
	"resellerd/test/program"
)

// Pass is a pass over all that is stored.
type Pass struct {
	Took   time.Duration
	Memory int64  // its peak, in bytes, 0 where unknown
	Said   string // its output
}

// Records returns how many accounts, lines and movements an audit says that it has read.
func (p Pass) Records() (records int, err error) {
	var resellers, lines, movements int
	if _, err := fmt.Sscanf(p.Said, "all well: %d accounts, %d lines, %d movements", &resellers, &lines,
		&movements); err != nil {
		return 0, fmt.Errorf("%w: the audit says %s: %w", errDiffers, p.Said, err)
	}
	return resellers + lines + movements, nil
}

// Prove has the program sum its ledger, and returns how many movements there are.
func (s *Service) Prove() (movements int, p Pass, err error) {
	_ = s.requests.Close()
	began := time.Now()
	r, err := s.ask(s.requests, wire.Request{Method: "GET", Path: "/ledger/proof", Token: s.admin.token})
	p.Took = time.Since(began)
	if err != nil {
		return 0, p, err
	}
	if string(wire.Field(r.Body, "balanced")) != "true" {
		return 0, p, fmt.Errorf("%w: the proof says %s", errDiffers, r.Body)
	}
	movements, err = strconv.Atoi(string(wire.Field(r.Body, "movements")))
	return movements, p, err
}

// Verify has the program audit its store.
func (s *Service) Verify() (Pass, error) { return s.pass("audit") }

// Copy has the program copy its store to a file beside it.
func (s *Service) Copy() (Pass, error) {
	return s.pass("copy", "--from", "sqlite:resellerd.db", "--to", "sqlite:copy.db")
}

func (s *Service) pass(args ...string) (p Pass, err error) {
	var said bytes.Buffer
	command := exec.Command(s.binary, args...)
	command.Env, command.Dir, command.Stdout, command.Stderr = s.env, s.Folder(), &said, &said
	began := time.Now()
	if err := command.Start(); err != nil {
		return p, err
	}
	ended := make(chan error)
	go func() { ended <- command.Wait() }()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for waiting := true; waiting; {
		select {
		case err = <-ended:
			waiting = false
		case <-look.C:
			if _, most, known := program.Memory(command.Process.Pid); known {
				p.Memory = most
			}
		}
	}
	p.Took, p.Said = time.Since(began), said.String()
	if err != nil {
		return p, fmt.Errorf("%w: resellerd %s: %w: %s", errDiffers, args[0], err, p.Said)
	}
	return p, nil
}
