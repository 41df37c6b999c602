package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/test/program"
)

// server is a program that clients send requests to. A store on MongoDB has several processes.
type server struct {
	name      string
	processes []*program.Process
}

// costs returns the CPU time that the processes have used, and the bytes that they have passed to the system to write:
// to files, to the log and to clients.
func (s *server) costs() (cpu time.Duration, written int) {
	for _, p := range s.processes {
		used, _ := p.CPU()
		cpu += used
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", p.Cmd.Process.Pid))
		_, text, _ = bytes.Cut(text, []byte("wchar: "))
		text, _, _ = bytes.Cut(text, []byte("\n"))
		n, _ := strconv.Atoi(string(text))
		written += n
	}
	return cpu, written
}

// The figures of a measurement.
const (
	rate = iota
	cpu
	written
	p50
	p99
	columns
)

var headings = [columns]string{"/s", "CPU, µs", "written, bytes", "p50, ms", "p99, ms"}

type figures [columns]float64

// measurement is an operation of a server, requested by a number of clients. Each round measures it once.
type measurement struct {
	*server

	operation string
	clients   int
	prepare   func(requests int) error // before so many requests; nil where they need nothing
	request   func(c *conn) error
	beside    *measurement // what it is compared with, nil for nothing
	rounds    []figures
}

// median returns the middle one of a figure's values in the rounds: of two, the lower one.
func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[(len(values)-1)/2] }

// figure returns the median of a figure, and that of its ratios to the other measurement in each round, 0 for none.
func (m *measurement) figure(column int) (value, ratio float64) {
	values := make([]float64, len(m.rounds))
	for i, r := range m.rounds {
		values[i] = r[column]
	}
	value = median(values)
	if m.beside == nil {
		return value, 0
	}
	for i, r := range m.beside.rounds {
		values[i] /= r[column]
	}
	return value, median(values)
}

// The rates, in requests a second, for which the first round prepares: of a client, and of all.
const (
	expectedOfClient = 1500
	expected         = 4000
)

// measure makes a measurement for so long.
func (m *measurement) measure(long time.Duration) error {
	if m.prepare != nil {
		requests := float64(min(expected, expectedOfClient*m.clients))
		if n := len(m.rounds); n > 0 {
			requests = 1.5 * m.rounds[n-1][rate]
		}
		if err := m.prepare(int(requests * long.Seconds())); err != nil {
			return err
		}
	}
	cpuBefore, writtenBefore := m.costs()
	took, elapsed, err := m.closed(m.clients, long, m.request)
	if err != nil {
		return err
	}
	cpuAfter, writtenAfter := m.costs()
	n := float64(len(took))
	quantile := func(q float64) float64 { return took[int(q*(n-1))].Seconds() * 1e3 }
	m.rounds = append(m.rounds, figures{n / elapsed.Seconds(), (cpuAfter - cpuBefore).Seconds() * 1e6 / n,
		float64(writtenAfter-writtenBefore) / n, quantile(0.5), quantile(0.99)})
	return nil
}

// errNothingLeft ends a load early: the clients have used all that their requests need.
var errNothingLeft = errors.New("nothing is left for a request")

// closed has clients send requests for so long: each sends the next one when it has its answer. It returns the
// latencies, the shortest first. One failure fails the load.
func (s *server) closed(clients int, long time.Duration, request func(c *conn) error) (all []time.Duration,
	elapsed time.Duration, err error) {
	var (
		mu    sync.Mutex
		ended atomic.Bool
		group sync.WaitGroup
		began = time.Now()
	)
	for i := range clients {
		group.Go(func() {
			c := &conn{address: s.processes[i%len(s.processes)].ListensOn}
			defer c.close()
			var took []time.Duration
			var failed error
			for !ended.Load() && time.Since(began) < long {
				sent := time.Now()
				if failed = request(c); failed != nil {
					ended.Store(true)
					break
				}
				took = append(took, time.Since(sent))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if !errors.Is(failed, errNothingLeft) {
				err = cmp.Or(err, failed)
			}
		})
	}
	group.Wait()
	slices.Sort(all)
	if err == nil && len(all) == 0 {
		err = errors.New("no request was answered")
	}
	return all, time.Since(began), err
}
