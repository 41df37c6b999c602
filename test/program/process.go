package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
)

// Patience is how long a start, an answer or an end may take before a test fails: far more than on a machine that
// compiles and runs many other tests at the same time. A test that waits for a step of its own uses it as well, so that
// no test fails because the machine is busy.
const Patience = 10 * time.Minute

// Process is one run of a program.
type Process struct {
	Cmd            *exec.Cmd
	Stdout, Stderr *Output
	ListensOn      string        // once it listens
	Started        time.Duration // how long that took
	Status         int           // once it has ended; -1 where a signal ended it, or nothing else

	began time.Time
	ended chan struct{}
}

// NewProcess returns a run of a program that did not start yet, with these variables and no others.
func NewProcess(program string, env []string, args ...string) *Process {
	p := &Process{Cmd: exec.Command(program, args...), Stdout: new(Output), Stderr: new(Output),
		ended: make(chan struct{})}
	p.Cmd.Env, p.Cmd.Stdout = env, p.Stdout
	return p
}

// Start starts it. Its log goes to a file without a name, so that it never waits for a reader of a pipe.
func (p *Process) Start() error {
	log, err := os.CreateTemp("", "resellerd-log-")
	if err != nil {
		return err
	}
	_ = os.Remove(log.Name())
	p.Stderr.file, p.Cmd.Stderr, p.began = log, log, time.Now()
	if err := p.Cmd.Start(); err != nil {
		return err
	}
	go func() {
		defer close(p.ended)
		_ = p.Cmd.Wait()
		p.Status = p.Cmd.ProcessState.ExitCode()
	}()
	return nil
}

// Serve starts a program in a folder, and returns once it listens.
func Serve(ctx context.Context, folder string, env []string, program string, args ...string) (*Process, error) {
	p := NewProcess(program, env, args...)
	p.Cmd.Dir = folder
	if err := p.Start(); err != nil {
		return nil, err
	}
	return p, p.Serves(ctx)
}

// Serves returns once the program listens; where it does not, it is killed.
func (p *Process) Serves(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		for line := range strings.Lines(p.Stderr.String()) {
			var record struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &record) == nil && record.Msg == "listening" {
				p.ListensOn, p.Started = record.Addr, time.Since(p.began)
				return nil
			}
		}
		select {
		case <-look.C:
		case <-p.ended:
			return fmt.Errorf("the program ended with status %d before it listened:\n%s", p.Status, p.Stderr)
		case <-ctx.Done():
			p.Kill()
			return fmt.Errorf("the program does not listen: %w:\n%s", ctx.Err(), p.Stderr)
		}
	}
}

// Ended is closed once the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Terminate sends the process the signal to end and returns its status, -1 where it had to be killed.
func (p *Process) Terminate() int {
	// A connection that was opened and never used holds up the drain of net/http for 5 seconds.
	api.Client.CloseIdleConnections()
	_ = p.Cmd.Process.Signal(syscall.SIGTERM)
	return p.Wait()
}

// Stop is Terminate, and expects that the process ends in order.
func (p *Process) Stop() error {
	if status := p.Terminate(); status != 0 {
		return fmt.Errorf("SIGTERM ended the program with status %d:\n%s", status, p.Stderr)
	}
	return nil
}

// Wait returns the status with which the process ends by itself, -1 where it had to be killed.
func (p *Process) Wait() int {
	select {
	case <-p.ended:
		return p.Status
	case <-time.After(Patience):
		p.Kill()
		return -1
	}
}

// Kill ends the process as a power failure would, if it still runs.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill()
	<-p.ended
}

// Log returns the output of the process on standard error.
func (p *Process) Log() []byte { return []byte(p.Stderr.String()) }

// CPU returns the CPU time that the process has used so far, user and system, and false where the machine does not
// report it.
func (p *Process) CPU() (time.Duration, bool) { return CPU(p.Cmd.Process.Pid) }

// Memory returns the memory that the process uses now, and its peak, in bytes; false where the machine does not report
// it.
func (p *Process) Memory() (now, most int64, ok bool) { return Memory(p.Cmd.Process.Pid) }

// Output collects what a process writes. In a message it is the end of that.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
	file *os.File // where it is, nil for in memory
}

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// String returns all of it.
func (o *Output) String() string {
	if o.file != nil {
		text, _ := io.ReadAll(io.NewSectionReader(o.file, 0, math.MaxInt64))
		return string(text)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Format implements fmt.Formatter.
func (o *Output) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, ending(o.String())) }

// Keep writes the whole output to the folder of go test -artifacts.
func (o *Output) Keep(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), []byte(o.String()), 0o600); err != nil {
		t.Error(err)
	}
}

// ending returns the end of a text, and the size of the part that it leaves out: many logs in one failure hide the
// cause.
func ending(text string) string {
	const most = 8 << 10
	left := len(text) - most
	if left <= 0 {
		return text
	}
	return fmt.Sprintf("(%d bytes are left out here; go test -artifacts stores the whole)\n%s", left,
		strings.ToValidUTF8(text[left:], ""))
}
