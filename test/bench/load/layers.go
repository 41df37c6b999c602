package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"resellerd/test/bench/drive"
	"resellerd/test/bench/layers"
	"resellerd/test/bench/report"
	"resellerd/test/bench/subject"
)

// profiledOperations are those whose CPU is told by layer.
var profiledOperations = []string{"activation", "extension", "trial", "recharge", "read of a line", "list of 30"}

// byLayer profiles the operations on a service of their own, which is built of the same packages as the one that is
// measured, and returns the CPU of a request by layer.
func (c *contest) byLayer() (columns []layers.Column, err error) {
	names := slices.DeleteFunc(slices.Clone(profiledOperations), func(name string) bool { return !c.wanted(name) })
	if len(names) == 0 || c.profile == 0 {
		return nil, nil
	}
	folder := filepath.Join(c.folder, "profiled")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	told := filepath.Join(folder, "address")
	s, err := subject.Start(folder, own, c.shape, serveProfiled, told)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	address, err := os.ReadFile(told)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		column, err := c.profiled(s, name, string(address), filepath.Join(folder, "profile"))
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", name, err)
		}
		columns = append(columns, column)
	}
	return columns, nil
}

func (c *contest) profiled(s *subject.Service, name, address, file string) (layers.Column, error) {
	long := max(c.profile, time.Second)
	o, err := subject.Find(name)
	if err != nil {
		return layers.Column{}, err
	}
	if err := s.Prepare(o, int(1.5*expected*long.Seconds())); err != nil {
		return layers.Column{}, err
	}
	clients, ended := s.Clients(o, report.Many)
	defer ended()
	taken := make(chan error, 1)
	before, _ := s.CPU()
	go func() { taken <- profile(address, file, long) }()
	result := drive.Closed(clients, long)
	after, _ := s.CPU()
	if err := errors.Join(<-taken, result.First); err != nil {
		return layers.Column{}, err
	}
	traces, err := exec.Command("go", "tool", "pprof", "-traces", file).Output()
	if err != nil {
		return layers.Column{}, err
	}
	shares, err := layers.Shares(string(traces))
	return layers.Column{Name: name, CPU: (after - before) / time.Duration(result.Count), Shares: shares}, err
}
