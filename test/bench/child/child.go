// Package child runs what is measured as a process of its own, so that what it costs is told apart from what the load
// generator costs.
package child

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a server that runs.
type Process struct {
	Address string        // on which it listens
	Started time.Duration // how long it took to listen

	cmd    *exec.Cmd
	folder string
	log    string
	ended  chan struct{} // closed once err is known
	err    error
}

const patience = 2 * time.Minute

// Start runs a program that writes a JSON record with the message "listening" and its address to standard error, which
// goes to a file in the folder: a pipe would cost whoever reads it. It gets these variables and no others.
func Start(folder, name string, env []string, program string, args ...string) (*Process, error) {
	return start(folder, name, env, program, args, (*Process).listening)
}

// StartAt is Start for a program that is told where to listen, and does not say that it does.
func StartAt(address, folder, name string, env []string, program string, args ...string) (*Process, error) {
	return start(folder, name, env, program, args, func(*Process) string {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return ""
		}
		_ = conn.Close()
		return address
	})
}

func start(folder, name string, env []string, program string, args []string, ready func(*Process) (address string)) (*Process, error) {
	p := &Process{cmd: exec.Command(program, args...), folder: folder, log: filepath.Join(folder, name+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd.Env, p.cmd.Stderr, p.cmd.Dir = env, log, folder
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for time.Since(began) < patience {
		if p.Address = ready(p); p.Address != "" {
			p.Started = time.Since(began)
			return p, nil
		}
		select {
		case <-look.C:
		case <-p.ended:
			return nil, fmt.Errorf("%s ended before it listened: %w\n%s", name, p.err, p.Log())
		}
	}
	p.Kill()
	return nil, fmt.Errorf("%s does not listen:\n%s", name, p.Log())
}

// listening returns the address that the log tells, "" as long as it does not.
func (p *Process) listening() string {
	for line := range bytes.Lines(p.Log()) {
		var record struct{ Msg, Addr string }
		if json.Unmarshal(line, &record) == nil && record.Msg == "listening" {
			return record.Addr
		}
	}
	return ""
}

// Log returns what the process has written to standard error.
func (p *Process) Log() []byte {
	text, _ := os.ReadFile(p.log)
	return text
}

// Folder returns the folder in which the process runs.
func (p *Process) Folder() string { return p.folder }

// CPU returns what the process has used so far, user and system, and false where the machine does not tell.
func (p *Process) CPU() (time.Duration, bool) { return cpu(p.cmd.Process.Pid) }

// Memory returns what the process holds in memory, and the most that it held, in bytes; false where the machine does
// not tell.
func (p *Process) Memory() (now, most int64, ok bool) { return Memory(p.cmd.Process.Pid) }

// Memory is that of any process.
func Memory(pid int) (now, most int64, ok bool) { return memory(pid) }

// Stop asks the process to end, and expects that it does so in order.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(patience, p.Kill)
	defer late.Stop()
	<-p.ended
	return p.err
}

// Kill ends the process at once.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}
