package acceptance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"resellerd/test/program"
	"resellerd/test/require"
)

// TestAStoreOfAnotherModule follows README's section "Write a storage adapter". Its go.mod is what go mod tidy would
// write; go mod tidy itself would use the network.
func TestAStoreOfAnotherModule(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("../..")
	require.NoError(t, err)
	modules, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	require.NoError(t, err)
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	require.NoError(t, err)
	modules = bytes.ReplaceAll(modules, []byte(" => ./"), []byte(" => "+repository+"/"))
	module := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(modules), "module example.com/panel") +
		"\nrequire resellerd v0.0.0\n\nreplace resellerd => " + repository + "\n"
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": module, "go.sum": string(sums), "store_test.go": anotherStore} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.NoError(t, program.SeeSource())
	test := exec.CommandContext(t.Context(), "go", "test", "-tags", "nomsgpack", "-count=1", "-vet=off", "-run",
		"^(TestConformance|TestProgram)$/^(ready|ids-increase|)$", ".")
	test.Dir = dir
	test.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const anotherStore = `package panel

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"resellerd/adapters/memstore"
	"resellerd/adapters/sqlitestore"
	"resellerd/bootstrap"
	"resellerd/ports"
	"resellerd/test/storetest"
)

// mine is a store that someone else wrote.
type mine struct{ ports.Store }

func (mine) Parts() ports.Parts { return ports.Parts{} }

// keeping outlives the commands below.
type keeping struct{ mine }

func (keeping) Close() error { return nil }

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Subject{
		Open:  func(storetest.T) ports.Store { return mine{memstore.New()} },
		Lacks: map[storetest.Capability]string{storetest.Durability: "it has its records in memory"},
	})
}

type opener struct {
	bootstrap.Defaults
	store ports.Store
}

func (opener) Check(string) error { return nil }

func (o opener) Open(context.Context, string, ports.Migrating) (ports.Store, error) { return o.store, nil }

func TestProgram(t *testing.T) {
	kept := keeping{mine{memstore.New()}}
	stores := bootstrap.DefaultStores()
	stores["mystore"] = opener{store: kept}
	t.Setenv("RESELLERD_STORE", "mystore:")
	t.Setenv("RESELLERD_SECRET", "a service key of the team's own")
	if status := bootstrap.Run([]string{"admin", "create", "operator"}, os.Stdout, os.Stderr, stores); status != 0 {
		t.Errorf("admin: status %d", status)
	}
	// A store with only the required port can't be audited or copied. The commands report that.
	copied, other := t.TempDir()+"/copy.db", t.TempDir()+"/other.db"
	if store, err := sqlitestore.Open(t.Context(), other); err != nil || store.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"audit"}, "this store can be neither audited nor copied: it has no ports.Archive"},
		{[]string{"rekey"}, "this store keeps its service key"},
		{[]string{"copy", "--from", "mystore:", "--to", "sqlite:" + copied}, "--from: this store can be neither audited nor copied"},
		{[]string{"copy", "--from", "sqlite:" + other, "--to", "mystore:"}, "--to: this store can't become a copy: it has no ports.CopyTarget"},
	} {
		var said strings.Builder
		status := bootstrap.Run(c.args, os.Stdout, &said, stores)
		if status != 1 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: status %d, said %s", c.args, status, said.String())
		}
	}
	if _, err := os.Stat(copied); err == nil {
		t.Error("a copy was begun")
	}
	// And it serves.
	t.Setenv("RESELLERD_ADDR", "127.0.0.1:0")
	t.Setenv("RESELLERD_ADMIN_ADDR", "off")
	if status := bootstrap.Run([]string{"serve"}, os.Stdout, &untilReady{}, stores); status != 0 {
		t.Errorf("serve: status %d", status)
	}
}

// untilReady ends the process as an operator does, once it says that it serves.
type untilReady struct{ once sync.Once }

func (u *untilReady) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "listening") {
		u.once.Do(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) })
	}
	return len(p), nil
}
`
