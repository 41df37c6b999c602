package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Patience bounds what a start, an answer or an end may take before a test gives up: far more than on a machine that
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

	listening, ended chan struct{}
}

// NewProcess returns a run of a program that did not start yet, with these variables and no others.
func NewProcess(program string, env []string, args ...string) *Process {
	p := &Process{Cmd: exec.Command(program, args...), Stdout: new(Output), Stderr: new(Output),
		listening: make(chan struct{}), ended: make(chan struct{})}
	p.Cmd.Env, p.Cmd.Stdout = env, p.Stdout
	return p
}

// LogTo has the program log to a file, which costs nobody who reads a pipe.
func (p *Process) LogTo(path string) { p.Stderr.file = path }

// Start starts it.
func (p *Process) Start() error {
	began := time.Now()
	if p.Stderr.file != "" {
		log, err := os.Create(p.Stderr.file)
		if err != nil {
			return err
		}
		defer log.Close()
		p.Cmd.Stderr = log
		if err := p.Cmd.Start(); err != nil {
			return err
		}
		go p.poll(began)
		go p.wait()
		return nil
	}
	log, err := p.Cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.Cmd.Start(); err != nil {
		return err
	}
	go func() {
		lines := bufio.NewScanner(log)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.Stderr.line(lines.Bytes())
			p.hear(lines.Bytes(), began)
		}
		p.wait()
	}()
	return nil
}

// hear looks for the record that says where the program listens.
func (p *Process) hear(line []byte, began time.Time) bool {
	var record struct{ Msg, Addr string }
	if p.ListensOn != "" || !bytes.Contains(line, []byte(`"listening"`)) || json.Unmarshal(line, &record) != nil ||
		record.Msg != "listening" {
		return false
	}
	p.ListensOn, p.Started = record.Addr, time.Since(began)
	close(p.listening)
	return true
}

func (p *Process) poll(began time.Time) {
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		for line := range strings.Lines(p.Stderr.String()) {
			if p.hear([]byte(line), began) {
				return
			}
		}
		select {
		case <-look.C:
		case <-p.ended:
			return
		}
	}
}

func (p *Process) wait() {
	defer close(p.ended)
	var exit *exec.ExitError
	switch err := p.Cmd.Wait(); {
	case errors.As(err, &exit):
		p.Status = exit.ExitCode()
	case err != nil:
		p.Status = -1
	}
}

// Serve starts a program in a folder, where its log goes as well, and returns once it listens.
func Serve(folder, name string, env []string, program string, args ...string) (*Process, error) {
	p, err := begin(folder, name, env, program, args...)
	if err != nil {
		return nil, err
	}
	return p, p.Serves(context.Background())
}

func begin(folder, name string, env []string, program string, args ...string) (*Process, error) {
	p := NewProcess(program, env, args...)
	p.Cmd.Dir = folder
	p.LogTo(filepath.Join(folder, name+".log"))
	if err := p.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

// Listening is closed once the program listens, and Ended once it has ended.
func (p *Process) Listening() <-chan struct{} { return p.listening }

// Ended is closed once the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Serves returns once the program listens; where it does not, it is killed.
func (p *Process) Serves(ctx context.Context) error {
	late := time.NewTimer(Patience)
	defer late.Stop()
	select {
	case <-p.listening:
		return nil
	case <-p.ended:
		return fmt.Errorf("the program ended with status %d before it listened:\n%s", p.Status, p.Stderr)
	case <-late.C:
		p.Kill()
		return fmt.Errorf("the program does not listen:\n%s", p.Stderr)
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("%w:\n%s", ctx.Err(), p.Stderr)
	}
}

// Terminate asks the process to end and returns its status, -1 where it had to be killed.
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

// Log returns what the process has written to standard error.
func (p *Process) Log() []byte { return []byte(p.Stderr.String()) }

// CPU returns what the process has used so far, user and system, and false where the machine does not tell.
func (p *Process) CPU() (time.Duration, bool) { return cpu(p.Cmd.Process.Pid) }

// Memory returns what the process holds in memory, and the most that it held, in bytes; false where the machine does
// not tell.
func (p *Process) Memory() (now, most int64, ok bool) { return Memory(p.Cmd.Process.Pid) }

// Memory is that of any process.
func Memory(pid int) (now, most int64, ok bool) { return memory(pid) }

// Output collects what a process writes. In a message it is the end of that.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
	file string // where it is, "" for in memory
}

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *Output) line(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.text.Write(b)
	_ = o.text.WriteByte('\n')
}

// String returns all of it.
func (o *Output) String() string {
	if o.file != "" {
		text, _ := os.ReadFile(o.file)
		return string(text)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Format implements fmt.Formatter.
func (o *Output) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, ending(o.String())) }

// Keep writes the whole where go test -artifacts keeps it.
func (o *Output) Keep(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), []byte(o.String()), 0o600); err != nil {
		t.Error(err)
	}
}

// ending returns the last lines of a text, and says what it leaves out: many logs in one failure hide what failed.
func ending(text string) string {
	const most, mostBytes = 50, 8 << 10
	rest := text
	if len(rest) > mostBytes {
		rest = strings.ToValidUTF8(rest[len(rest)-mostBytes:], "")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(rest, "\n"), "\n")
	rest = strings.Join(lines[max(0, len(lines)-most):], "")
	left := len(strings.TrimSuffix(text, "\n")) - len(rest)
	if left == 0 {
		return text
	}
	return fmt.Sprintf("(%d bytes are left out here; go test -artifacts keeps the whole)\n%s\n", left, rest)
}
