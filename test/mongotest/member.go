package mongotest

import (
	"bytes"
	"context"
	"encoding/json"
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

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
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

// own returns where the server itself listens.
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
func (m *Member) Kill() error { return m.end(context.Background(), os.Kill) }

// Terminate ends the process in order, paused or not, and returns when it is gone.
// A primary hands over before it ends, for at most a second.
func (m *Member) Terminate(ctx context.Context) error { return m.end(ctx, askToEnd) }

// Stop pauses the process: it keeps its connections and answers nothing.
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

// end sends the signal and waits; of a process that is gone it returns an error.
func (m *Member) end(ctx context.Context, signal os.Signal) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.process.running() {
		return m.failed(errEnded)
	}
	return m.endRunning(ctx, signal)
}

func (m *Member) endRunning(ctx context.Context, signal os.Signal) error {
	err := m.process.cmd.Process.Signal(signal)
	if m.paused && signal != os.Kill {
		err = errors.Join(err, m.process.cmd.Process.Signal(unpause))
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return m.failed(err)
	}
	select {
	case <-m.process.ended:
		m.paused = false
		return nil
	case <-ctx.Done():
		return m.failed(fmt.Errorf("end by %v: %w", signal, ctx.Err()))
	}
}

// Restart starts the process on the records that it left and returns when it takes connections; before, it kills one
// that runs. The member joins the others by itself.
func (m *Member) Restart(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process.running() {
		if err := m.endRunning(ctx, os.Kill); err != nil {
			return err
		}
	}
	return m.failed(m.start(ctx))
}

// start runs the server and waits until it says that it takes connections: a dial could be answered by another server
// that took the port. The caller holds the lock.
func (m *Member) start(ctx context.Context) error {
	log, err := os.OpenFile(m.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	before, err := log.Stat()
	if err != nil {
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
		"--setParameter", "oplogInitialFindMaxSeconds=5",
		// Terminate takes so long at most; the default is 15,000.
		"--setParameter", "shutdownTimeoutMillisForSignaledShutdown=1000")
	cmd.Stdout, cmd.Stderr = log, log
	if m.host != nil {
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+m.cluster.preload, hostVariable+"="+m.host.path)
	}
	cmd.ExtraFiles = m.cluster.inherited
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
	for {
		ended := !p.running()
		written, err := readFrom(m.logPath(), before.Size())
		switch {
		case err != nil:
			return err
		case ended && bytes.Contains(written, []byte("Address already in use")):
			return errPortTaken
		case ended:
			return fmt.Errorf("%w: %w; the end of its log:\n%s", errEnded, errors.New(cmd.ProcessState.String()), m.Log(20))
		case bytes.Contains(written, []byte(`"Waiting for connections"`)):
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
	text, err := readFrom(m.logPath(), -int64(lines)*2000)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// replication returns the beginnings of the last lines that the server logged of elections and of what it copies from
// whom: why a write waits for a majority, the end of the log alone doesn't say.
func (m *Member) replication() string {
	const lines, width = 80, 300
	text, err := readFrom(m.logPath(), 0)
	if err != nil {
		return err.Error()
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		var entry struct {
			Component string `json:"c"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil &&
			slices.Contains([]string{"ELECTION", "INITSYNC", "REPL"}, entry.Component) {
			found = append(found, line[:min(len(line)-1, width)])
		}
	}
	return strings.Join(found[max(0, len(found)-lines):], "\n")
}

func (m *Member) logPath() string { return filepath.Join(m.dir, "mongod.log") }

func (m *Member) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("mongod on %s: %w", m.Address(), err)
}

// command runs work with a client of its own on this member alone, whatever its role.
func (m *Member) command(ctx context.Context, work func(context.Context, *mongo.Client) error) error {
	client, err := mongo.Connect(options.Client().SetHosts([]string{m.own()}).SetDirect(true).SetAppName("mongotest").
		SetServerSelectionTimeout(patience))
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, client), disconnect(client))
}

// readFrom reads a file from an offset, or its last -offset bytes.
func readFrom(path string, offset int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if offset < 0 {
		at, err := file.Stat()
		if err != nil {
			return nil, err
		}
		offset = max(0, at.Size()+offset)
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

// freePorts returns ports on which nobody listens now. They are below those that systems give to outgoing connections,
// one of which could take the port of a member that is down.
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
