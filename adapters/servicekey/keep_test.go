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
	path := filepath.Join(t.TempDir(), "store.db.key")
	first, second := servicekey.Generate(), servicekey.Generate()
	if err := servicekey.Keep(path, first); err != nil {
		t.Fatal(err)
	}
	if err := servicekey.Keep(path, second); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another key is kept in its place: %v", err)
	}
	if kept, err := servicekey.LoadOrCreate(path, false); err != nil || kept.Reveal() != first.Reveal() {
		t.Errorf("the key that is kept is another: %v", err)
	}
	if err := servicekey.Keep(path+"2", profile.NewSecret("short")); err == nil {
		t.Error("a short key is kept")
	}
	if _, err := os.Stat(path + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that was refused left %v", err)
	}
}
