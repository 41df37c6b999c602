package program

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Settings of a binary for tests that differ from the released one.
const (
	// CheapPasswords are hashed with the least cost of argon2id, for tests that hash many.
	CheapPasswords = "leastPasswordCost=yes"
	// QuickSettling is a start that waits 4 seconds for other processes to follow.
	QuickSettling = "settleTimeOfTests=4s"
	// Ahead is followed by how far the clock is ahead.
	Ahead = "aheadInTests="
)

var (
	mu     sync.Mutex
	folder string // of the binaries
	built  = map[string]func() (string, error){}
)

// Main runs the tests of a package, and removes what was built for them.
func Main(m *testing.M) int {
	defer Clean()
	return m.Run()
}

// Clean removes what was built.
func Clean() {
	mu.Lock()
	defer mu.Unlock()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
}

// Binary returns the program, static and stripped like a release, with these settings of the package bootstrap. It is
// built once.
func Binary(settings ...string) (string, error) {
	settings = slices.Sorted(slices.Values(settings))
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(settings, " "))))[:8]
	mu.Lock()
	build := built[name]
	if build == nil {
		build = sync.OnceValues(func() (string, error) { return buildBinary(name, settings) })
		built[name] = build
	}
	mu.Unlock()
	if err := SeeSource(); err != nil {
		return "", err
	}
	return build()
}

func buildBinary(name string, settings []string) (path string, err error) {
	root, err := checkout()
	if err != nil {
		return "", err
	}
	mu.Lock()
	if folder == "" {
		folder, err = os.MkdirTemp("", "resellerd-program-")
	}
	mu.Unlock()
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, name, "resellerd")
	flags := "-s -w"
	for _, setting := range settings {
		flags += " -X resellerd/bootstrap." + setting
	}
	build := exec.Command("go", "build", "-tags", "nomsgpack", "-trimpath", "-ldflags", flags, "-o", path,
		"./bootstrap/resellerd")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
}

// checkout returns the folder of the module: the nearest that has a go.mod, above that of the package.
var checkout = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
		} else {
			err = fmt.Errorf("no folder above %s has a go.mod", dir)
		}
	}
	return "", err
})

// SeeSource reads the status of each file that the program is built from. The go command reuses the results of tests
// until a file changes that the tests have read. Reads of a child process, or of TestMain, do not count.
var SeeSource = sync.OnceValue(func() error {
	root, err := checkout()
	if err != nil {
		return err
	}
	for _, of := range []string{"adapters", "application", "bootstrap", "domain", "ports", "go.mod", "go.sum"} {
		if err := filepath.WalkDir(filepath.Join(root, of), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
})
