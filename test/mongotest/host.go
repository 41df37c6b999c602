package mongotest

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// hostSource replaces the C library's clock and file writes of a server.
//
//go:embed testdata/host.c
var hostSource []byte

// hostVariable names the environment variable with the file of a server's host.
const hostVariable = "MONGOTEST_HOST"

// errNoHost says that the servers of a cluster run directly on their machine.
var errNoHost = errors.New(
	"the clock and the disk of this server can't be hurt: that takes WithHosts, Linux with glibc, and a C compiler")

// host is the clock and the disk that one member sees. Its fields are the fields of struct host in host.c, and are
// stored in that file.
type host struct {
	path              string
	ahead, slow, full int64
}

// write applies the values to the server, from now on.
func (h *host) write() error {
	var text []byte
	for _, field := range []int64{h.ahead, h.slow, h.full} {
		text = binary.NativeEndian.AppendUint64(text, uint64(field))
	}
	file, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(text, 0) // in place: a server has it mapped
	return errors.Join(err, file.Close())
}

// CanHurtHosts reports whether the clocks and the disks of members can be hurt here.
func CanHurtHosts() bool {
	_, err := exec.LookPath("cc")
	return err == nil && runtime.GOOS == "linux"
}

// buildHost compiles what the servers load first.
func buildHost(ctx context.Context, dir string) (preload string, err error) {
	source := filepath.Join(dir, "host.c")
	if err := os.WriteFile(source, hostSource, 0o600); err != nil {
		return "", err
	}
	preload = filepath.Join(dir, "host.so")
	if out, err := exec.CommandContext(ctx, "cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", preload, source,
		"-ldl").CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile %s: %w\n%s", source, err, out)
	}
	return preload, nil
}

// SetClock has the member's clock, running or not, be ahead of the machine's, or behind where that is negative. As on a
// real machine a server whose clock is set back may confirm no write until the clock is where it was: its waits end at
// instants of that clock.
func (m *Member) SetClock(ahead time.Duration) error {
	return m.hurtHost(func(h *host) { h.ahead = int64(ahead) })
}

// SlowDisk has each flush of the member to its disk take so much longer.
func (m *Member) SlowDisk(by time.Duration) error {
	return m.hurtHost(func(h *host) { h.slow = int64(by) })
}

// FillDisk leaves no room on the member's disk, or some again.
func (m *Member) FillDisk(full bool) error {
	return m.hurtHost(func(h *host) {
		if h.full = 0; full {
			h.full = 1
		}
	})
}

func (m *Member) hurtHost(change func(h *host)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.host == nil {
		return m.failed(errNoHost)
	}
	change(m.host)
	return m.failed(m.host.write())
}

// LoseRecords removes all records of a member, as when its disk is replaced. It must not run. Once it is started again
// it copies everything from the others.
func (m *Member) LoseRecords() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process.running() {
		return m.failed(errors.New("the server still runs"))
	}
	entries, err := os.ReadDir(m.dir)
	for _, e := range entries {
		if path := filepath.Join(m.dir, e.Name()); path != m.logPath() {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return m.failed(err)
}
