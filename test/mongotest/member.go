package mongotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Member is a server of a cluster. Its address and its records outlive the
// process. The methods may be called from several goroutines.
type Member struct {
	cluster *Cluster
	dir     string
	port    int
	known   int // port by which others know it

	mu      sync.Mutex
	process *process // nil before the first start
	paused  bool
	host    *host // nil: its machine's
}

// process is one run of a server.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed once the process is gone
}

func (p *process) running() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// errPortTaken says that the server can't listen on its port.
var errPortTaken = errors.New("the port is taken")

// errEnded says that a member has no process.
var errEnded = errors.New("the server does not run")

// Address returns the host and the port by which others know the member.
func (m *Member) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(m.known)) }

// own returns the address at which the server itself listens.
func (m *Member) own() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(m.port)) }

// PID returns the id of the process, 0 where it doesn't run.
func (m *Member) PID() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.process.running() {
		return 0
	}
	return m.process.cmd.Process.Pid
}

// Kill ends the process as a power failure of its machine would, paused or not, and returns when it is gone.
func (m *Member) Kill() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.process.running() {
		return m.failed(errEnded)
	}
	return m.kill()
}

// kill is Kill for a running process. The caller has the lock.
func (m *Member) kill() error {
	if err := m.process.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return m.failed(err)
	}
	<-m.process.ended
	m.paused = false
	return nil
}

// Stop pauses the process: its connections stay open, and it answers nothing.
func (m *Member) Stop() error { return m.signal(true) }

// Continue lets a paused process go on.
func (m *Member) Continue() error { return m.signal(false) }

func (m *Member) signal(paused bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.process.running() {
		return m.failed(errEnded)
	}
	signal := unpause
	if paused {
		signal = pause
	}
	if err := m.process.cmd.Process.Signal(signal); err != nil {
		return m.failed(err)
	}
	m.paused = paused
	return nil
}

// Restart starts the process on the records that it left and returns when it takes connections; before, it kills one
// that runs. The member joins the others by itself.
func (m *Member) Restart(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process.running() {
		if err := m.kill(); err != nil {
			return err
		}
	}
	return m.failed(m.start(ctx))
}

// start runs the server and waits until it reports that it takes connections: another server that took the port could
// answer a dial. The caller has the lock.
func (m *Member) start(ctx context.Context) error {
	log, err := os.OpenFile(m.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	written, err := os.Open(m.logPath())
	if err != nil {
		return err
	}
	defer written.Close()
	if _, err := written.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	cmd := exec.Command(m.cluster.binary, "--dbpath", m.dir, "--port", strconv.Itoa(m.port), "--bind_ip", "127.0.0.1",
		"--nounixsocket",
		"--replSet", setName, "--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64",
		"--setParameter", "diagnosticDataCollectionEnabled=false",
		// Lets a test make a command fail, or lose its answer (failCommand).
		"--setParameter", "enableTestCommands=1",
		// The transaction of a client that was killed holds its records, and the drop
		// of its database, for so long; the default is 60.
		"--setParameter", "transactionLifetimeLimitSeconds=5",
		// A secondary that was about to ask a member for its oplog when the way to it was cut asks another one after so
		// long and 5 seconds; the default is 60. Until then a set of three confirms no write.
		"--setParameter", "oplogInitialFindMaxSeconds=5")
	cmd.Stdout, cmd.Stderr = log, log
	if m.host != nil {
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+m.cluster.preload, hostVariable+"="+m.host.path)
	}
	if m.cluster.lock != nil {
		cmd.ExtraFiles = []*os.File{m.cluster.lock}
	}
	cmd.SysProcAttr = attributes()
	if err := m.cluster.starter.start(cmd); err != nil {
		return err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	m.process, m.paused = p, false
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // how it ended is in its log
	}()
	for said := []byte(nil); ; {
		ended := !p.running()
		more, err := io.ReadAll(written)
		said = append(said, more...)
		switch {
		case err != nil:
			return err
		case ended && bytes.Contains(said, []byte("Address already in use")):
			return errPortTaken
		case ended:
			return fmt.Errorf("%w: %w; the end of its log:\n%s", errEnded, errors.New(cmd.ProcessState.String()), m.Log(20))
		case bytes.Contains(said, []byte(`"Waiting for connections"`)):
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the start: %w; the end of its log:\n%s", ctx.Err(), m.Log(20))
		case <-p.ended:
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Log returns the last lines that the server logged, in all its runs.
func (m *Member) Log(lines int) string {
	text, err := os.ReadFile(m.logPath())
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (m *Member) logPath() string { return filepath.Join(m.dir, "mongod.log") }

func (m *Member) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("mongod on %s: %w", m.Address(), err)
}

// freePorts returns ports without a listener. They are below the range that systems assign to outgoing connections, so
// that no connection takes the port of a member that is down.
func freePorts(count int) ([]int, error) {
	const lowest, above = 15000, 32000
	var ports []int
	for range 1000 {
		if len(ports) == count {
			return ports, nil
		}
		port := lowest + rand.IntN(above-lowest)
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil || slices.Contains(ports, port) {
			continue
		}
		if err := listener.Close(); err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return nil, errors.New("mongotest: no free port")
}
