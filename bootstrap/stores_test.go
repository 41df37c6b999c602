package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"resellerd/adapters/cli"
	"resellerd/adapters/memstore"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// ofATeam returns the default stores and an adapter of a team's own.
func ofATeam(open func(ctx context.Context, migrating ports.Migrating) (ports.Store, error)) Stores {
	stores := DefaultStores()
	stores["mine"] = opening{open: open}
	return stores
}

// opening is an Opener with the required methods only.
type opening struct {
	Defaults
	open func(ctx context.Context, migrating ports.Migrating) (ports.Store, error)
}

func (opening) Check(string) error { return nil }

func (o opening) Open(ctx context.Context, _ string, migrating ports.Migrating) (ports.Store, error) {
	return o.open(ctx, migrating)
}

// reading is a ReadOnlyOpener. It counts calls of OpenReadOnly, and Open fails.
type reading struct {
	opening
	kept   *memstore.Store
	opened *int
}

func (r reading) OpenReadOnly(context.Context, string) (ports.OpenArchive, error) {
	*r.opened++
	return keeping{r.kept}, nil
}

func run(t *testing.T, stores Stores, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("RESELLERD_STORE", "mine:")
	t.Setenv("RESELLERD_SECRET", "the service key of a team's store")
	t.Setenv("RESELLERD_ADDR", "127.0.0.1:0")
	t.Setenv("RESELLERD_ADMIN_ADDR", "off")
	var out, log bytes.Buffer
	status = Run(args, &out, &log, stores)
	return status, out.String(), log.String()
}

// keeping is a store whose Close does nothing.
type keeping struct{ *memstore.Store }

func (keeping) Close() error { return nil }

// TestCommandsThatOnlyReadOpenTheStoreReadOnly with a store that can't be opened for writing.
func TestCommandsThatOnlyReadOpenTheStoreReadOnly(t *testing.T) {
	kept := memstore.New()
	_, err := kept.ClaimKey(t.Context(), "fingerprint")
	require.NoError(t, err)
	opened := 0
	stores := DefaultStores()
	stores["mine"] = reading{opening{open: func(context.Context, ports.Migrating) (ports.Store, error) {
		return nil, errors.New("it was opened to be written")
	}}, kept, &opened}
	for _, args := range [][]string{{"audit"},
		{"copy", "--from", "mine:", "--to", "sqlite:" + filepath.Join(t.TempDir(), "copy.db")}} {
		status, stdout, stderr := run(t, stores, args...)
		expect.Equal(t, status, 0, "%s: printed %q and %q", args, stdout, stderr)
	}
	expect.Equal(t, opened, 2, "calls of OpenReadOnly")
}

// TestCommandsBesideAServiceUpgradeNothing and refuse an older store, which serve upgrades.
func TestCommandsBesideAServiceUpgradeNothing(t *testing.T) {
	stores := ofATeam(func(_ context.Context, migrating ports.Migrating) (ports.Store, error) {
		if migrating == nil {
			return nil, errors.New("it is older")
		}
		return nil, errors.New("it was upgraded")
	})
	for want, commands := range map[string][][]string{
		"it was upgraded": {{"serve"}},
		"it is older":     {{"admin", "list"}, {"admin", "create", "operator"}, {"rekey"}},
	} {
		for _, args := range commands {
			if status, _, stderr := run(t, stores, args...); status != cli.ExitFailed || !strings.Contains(stderr, want) {
				t.Errorf("%s: status %d, printed %q", args, status, stderr)
			}
		}
	}
}

var errEnough = errors.New("enough was seen")

// TestAMigrationHasNoDeadline in the context with which the store is opened. Only a signal ends it.
func TestAMigrationHasNoDeadline(t *testing.T) {
	status, _, stderr := run(t, ofATeam(func(ctx context.Context, migrating ports.Migrating) (ports.Store, error) {
		if deadline, has := ctx.Deadline(); has {
			t.Errorf("the context has the deadline %s", deadline)
		}
		migrating(1, 2, nil)(nil)
		migrating(2, 3, nil)(errEnough)
		return nil, errEnough
	}), "serve")
	expect.Equal(t, status, cli.ExitFailed, "status")
	for _, text := range []string{
		`"msg":"the store is being upgraded, and can't be used until that is done","from":1,"to":2`,
		`"msg":"the store was upgraded","from":1,"to":2,"took_ms":`,
		`"msg":"the store was not upgraded: the next start continues","from":2,"to":3,"took_ms":`,
		"enough was seen",
	} {
		expect.Contains(t, stderr, text)
	}
}

func TestASignalEndsAMigration(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	must(t, err)
	status, _, stderr := run(t, ofATeam(func(ctx context.Context, migrating ports.Migrating) (ports.Store, error) {
		ended := migrating(1, 2, nil)
		expect.Error(t, self.Signal(syscall.SIGTERM), nil)
		<-ctx.Done()
		ended(ctx.Err())
		return nil, ctx.Err()
	}), "serve")
	if status != 0 || !strings.Contains(stderr, "stopped before the store was open") {
		t.Errorf("status %d, the log says\n%s", status, stderr)
	}

	// The signal may come when the store is just open.
	closed := false
	status, _, stderr = run(t, ofATeam(func(ctx context.Context, _ ports.Migrating) (ports.Store, error) {
		expect.Error(t, self.Signal(syscall.SIGTERM), nil)
		<-ctx.Done()
		return closing{memstore.New(), &closed}, nil
	}), "serve")
	if status != 0 || !closed {
		t.Errorf("status %d, closed: %t; the log says\n%s", status, closed, stderr)
	}
}

func TestAFailedStartClosesTheStore(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	closed := false
	stores := ofATeam(func(context.Context, ports.Migrating) (ports.Store, error) {
		return closing{memstore.New(), &closed}, nil
	})
	status, stdout, stderr := run(t, stores, "serve", "--addr", taken.Addr().String())
	if status != cli.ExitFailed || stdout != "" || !strings.Contains(stderr, "resellerd: RESELLERD_ADDR: listen tcp") ||
		!strings.Contains(stderr, "another process uses this address") || !closed {
		t.Errorf("a taken port: status %d, closed: %t, printed %q and %q", status, closed, stdout, stderr)
	}
}

type closing struct {
	ports.Store
	closed *bool
}

func (c closing) Close() error { *c.closed = true; return c.Store.Close() }
