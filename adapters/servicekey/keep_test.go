package servicekey_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"resellerd/adapters/servicekey"
	"resellerd/domain/profile"
)

func TestAKeyIsKeptWhereThereIsNone(t *testing.T) {
	path, work := filepath.Join(t.TempDir(), "store.db.key"), t.TempDir()
	first, second := servicekey.Generate(), servicekey.Generate()
	if err := servicekey.Keep(path, first, work); err != nil {
		t.Fatal(err)
	}
	if err := servicekey.Keep(path, second, work); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another key is kept in its place: %v", err)
	}
	if kept, err := servicekey.LoadOrCreate(path, false); err != nil || kept.Reveal() != first.Reveal() {
		t.Errorf("the key that is kept is another: %v", err)
	}
	if err := servicekey.Keep(path+"2", profile.NewSecret("short"), work); err == nil {
		t.Error("a short key is kept")
	}
	if _, err := os.Stat(path + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that was refused left %v", err)
	}
	// It is never there in part: it is made elsewhere, and nothing of that is left.
	if err := servicekey.Keep(path+"3", first, filepath.Join(work, "missing")); err == nil {
		t.Error("a key is kept that was not made elsewhere first")
	}
	if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
		t.Errorf("%v is left where it was made, %v", left, err)
	}
}
