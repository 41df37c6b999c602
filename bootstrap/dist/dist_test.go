package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"resellerd/test/require"
)

var stamp = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func TestArchivesHoldWhatTheyAreGiven(t *testing.T) {
	t.Parallel()
	given := []file{
		{name: "resellerd", content: bytes.Repeat([]byte("binary"), 10_000), mode: 0o755},
		{name: "LICENSE", from: filepath.Join("..", "..", "LICENSE"), mode: 0o644},
	}
	type entry struct {
		name    string
		content string
		mode    fs.FileMode
		at      time.Time
	}
	for name, form := range map[string]struct {
		write func(io.Writer, string, []file, time.Time) error
		read  func(t *testing.T, archive []byte) []entry
	}{
		"tar": {writeTar, func(t *testing.T, archive []byte) (found []entry) {
			plain, err := gzip.NewReader(bytes.NewReader(archive))
			if err != nil {
				t.Fatal(err)
			}
			for r := tar.NewReader(plain); ; {
				h, err := r.Next()
				if errors.Is(err, io.EOF) {
					return found
				}
				if err != nil {
					t.Fatal(err)
				}
				content, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				if h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
					t.Errorf("%s is owned by %d:%d %s", h.Name, h.Uid, h.Gid, h.Uname)
				}
				found = append(found, entry{h.Name, string(content), h.FileInfo().Mode(), h.ModTime.UTC()})
			}
		}},
		"zip": {writeZip, func(t *testing.T, archive []byte) (found []entry) {
			r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.File {
				opened, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				content, err := io.ReadAll(opened)
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, entry{f.Name, string(content), f.Mode(), f.Modified.UTC()})
			}
			return found
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first, second bytes.Buffer
			for _, w := range []*bytes.Buffer{&first, &second} {
				if err := form.write(w, "resellerd-1", given, stamp); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("the same files make two different archives")
			}
			found := form.read(t, first.Bytes())
			if len(found) != len(given) {
				t.Fatalf("the archive has %d files, want %d", len(found), len(given))
			}
			for i, f := range given {
				content, err := f.read()
				if err != nil {
					t.Fatal(err)
				}
				if want := (entry{"resellerd-1/" + f.name, string(content), f.mode, stamp}); found[i] != want {
					t.Errorf("%s: %v at %v with %d bytes, want %v at %v with %d", found[i].name,
						found[i].mode, found[i].at, len(found[i].content), want.mode, want.at, len(want.content))
				}
			}
		})
	}
}

// TestSameCommitSameBytes makes a release in two checkouts of the last commit, and runs its binary. It takes minutes, and is
// left to make test-all.
func TestSameCommitSameBytes(t *testing.T) {
	if os.Getenv("RESELLERD_TEST_DIST") == "" {
		t.Skip("RESELLERD_TEST_DIST is not set: two releases take minutes to make")
	}
	var sums [2]string
	for i := range sums {
		checkout := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "checkout")
		do(t, ".", "git", "clone", "--quiet", "--no-hardlinks", filepath.Join("..", ".."), checkout)
		do(t, checkout, "go", "run", "-tags", "nomsgpack", "./bootstrap/dist", "-version", "0.0.1-test", "-only", "linux/amd64,windows/arm64")
		sum, err := os.ReadFile(filepath.Join(checkout, "bin", "dist", "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = string(sum)
		do(t, filepath.Join(checkout, "bin", "dist"), "tar", "-xzf", "resellerd-0.0.1-test-linux-amd64.tar.gz")
		if said := do(t, checkout, filepath.Join(checkout, "bin", "dist", "resellerd-0.0.1-test-linux-amd64", "resellerd"), "--version"); said != "0.0.1-test\n" {
			t.Errorf("the version is %q", said)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("one commit made two releases:\n%s\n%s", sums[0], sums[1])
	}
}

// TestOnlyWhatIsCommittedIsReleased has a file that git does not know, and one that differs from its commit.
func TestOnlyWhatIsCommittedIsReleased(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	change := func(name, content string) {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(".gitignore", "/bin/\n")
	change("main.go", "package main\n")
	do(t, folder, "git", "init", "--quiet")
	do(t, folder, "git", "add", ".")
	do(t, folder, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "--quiet", "-m", "first")
	if err := os.Mkdir("bin", 0o700); err != nil {
		t.Fatal(err)
	}
	change("bin/ignored", "")
	if err := allCommitted(t.Context()); err != nil {
		t.Errorf("a checkout without changes: %v", err)
	}
	refused := func(why, name string) {
		for _, version := range []string{"", "1.0.0"} {
			if err := run(t.Context(), io.Discard, "bin", platforms, version); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, version %q: %v, want an error that names %s", why, version, err, name)
			}
		}
		if _, err := os.Stat("bin/ignored"); err != nil {
			t.Errorf("%s: what was released before is gone: %v", why, err)
		}
	}
	change("new.go", "package main\n")
	refused("a file that is in no commit", "new.go")
	if err := os.Remove("new.go"); err != nil {
		t.Fatal(err)
	}
	change("main.go", "package other\n")
	refused("a changed file", "main.go")
}

// TestTheBillNamesTheRedocThatIsServed compares the version in the list of parts with what the bundle says of itself.
func TestTheBillNamesTheRedocThatIsServed(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	packed, err := os.Open(filepath.FromSlash("adapters/httpapi/pages/redoc/redoc.standalone.js.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	says := regexp.MustCompile(`ReDoc Version: ","([^"]+)"`).FindSubmatch(bundle)
	if says == nil {
		t.Fatal("the bundle does not say its version")
	}
	var bill bytes.Buffer
	if err := writeBill(&bill, "1", stamp, nil); err != nil {
		t.Fatal(err)
	}
	if want := `"pkg:npm/redoc@` + string(says[1]) + `"`; !strings.Contains(bill.String(), want) {
		t.Errorf("the bundle is %s, and the list of parts says\n%s", says[1], &bill)
	}
}

func do(t *testing.T, folder, name string, arguments ...string) string {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

// TestUnitIsHardened has systemd judge the unit: below 2 is "OK", the least that it gives to a service with a network.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	do(t, ".", require.Tool(t, "systemd-analyze"), "security", "--offline=yes", "--threshold=20", filepath.Join("..", "deploy", "resellerd.service"))
}

// TestBackupUnitsAreValid has systemd read the backup's units, with another program, since none is installed.
func TestBackupUnitsAreValid(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"resellerd-backup.service", "resellerd-backup.timer"} {
		text, err := os.ReadFile(filepath.Join("..", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte("/usr/local/bin/resellerd "), []byte("/bin/true "), 1)
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := do(t, folder, require.Tool(t, "systemd-analyze"), "verify", "resellerd-backup.service", "resellerd-backup.timer")
	if strings.Contains(said, "resellerd") {
		t.Error(said)
	}
}
