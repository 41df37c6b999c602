package campaign

import (
	"context"
	"math/rand/v2"
	"syscall"
	"time"

	"resellerd/test/require"
)

// The failures of processes. Where there are several, mostly the one with the background work fails.
var (
	kill = failure{"a process is killed", func(s *site, _ workload) {
		p := s.victim()
		s.kill(p)
		for s.random.IntN(4) == 0 { // once more, before it listens
			ctx, cancel := context.WithTimeout(s.t.Context(), rand.N(150*time.Millisecond))
			_ = p.Run(ctx)
			cancel()
			s.kill(p)
		}
		s.launch(p)
	}}
	stop = failure{"a process gets the signal to end", func(s *site, _ workload) {
		p := s.victim()
		if err := p.Stop(); err != nil {
			s.fail("process %s: %v", p.name, err)
		}
		s.launch(p)
	}}
	// pause is longer than the lease of the background work. On SQLite a paused process may keep the file locked.
	pause = failure{"a process is paused", func(s *site, _ workload) {
		p := s.victim()
		p.signal(s, syscall.SIGSTOP)
		time.Sleep(12 * time.Second)
		p.signal(s, syscall.SIGCONT)
	}}
	// night is less than the 24 hours for which an idempotency key is stored.
	night = failure{"all processes are killed, and their clocks go 20 hours ahead", func(s *site, _ workload) {
		for _, p := range s.processes {
			s.kill(p)
		}
		const nights = 36 // in the longest period that is sold
		if len(s.ahead) <= nights {
			s.forward(20 * time.Hour)
		}
		for _, p := range s.processes {
			s.launch(p)
		}
	}}
)

// victim returns the process that fails next.
func (s *site) victim() *process {
	if len(s.processes) > 1 && s.random.IntN(3) > 0 {
		return s.holder()
	}
	return s.processes[s.random.IntN(len(s.processes))]
}

func (p *process) signal(s *site, what syscall.Signal) {
	require.NoError(s.t, p.Cmd.Process.Signal(what))
}
