package sqlitestore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/walcheck"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// walOfThree returns the file of a store that was killed after three commits, with the sizes of its WAL before each of
// them and after the last.
func walOfThree(t *testing.T) (path string, sizes []int64) {
	t.Helper()
	served := newPath(t)
	s := open(t, served)
	insert(t, s, admin())
	for id := int64(2); id <= 4; id++ {
		sizes = append(sizes, s.Load().WAL)
		insert(t, s, master(id))
	}
	return copied(t, served, "", "-wal", "-shm"), append(sizes, s.Load().WAL)
}

// damage changes a byte of the WAL of a copy of the file at path, and returns the copy.
func damage(t *testing.T, path string, at int64) string {
	t.Helper()
	damaged := copied(t, path, "", "-wal", "-shm")
	wal, err := os.ReadFile(damaged + "-wal")
	must(t, err)
	wal[at] ^= 1
	must(t, os.WriteFile(damaged+"-wal", wal, 0o600))
	return damaged
}

func TestADamagedWALIsRefused(t *testing.T) {
	t.Parallel()
	path, sizes := walOfThree(t)
	for name, at := range map[string]int64{
		"its magic number":           0,
		"its checksum":               31,
		"the first page":             32 + 24 + 100,
		"the commit before the last": sizes[1] + 24 + 7,
		"the last page of that":      sizes[2] - 1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damaged := damage(t, path, at)
			before := folderOf(t, filepath.Dir(damaged))
			link := filepath.Join(t.TempDir(), "link.db")
			must(t, os.Symlink(damaged, link))
			_, err := sqlitestore.Open(t.Context(), link)
			expect.Error(t, err, walcheck.ErrDamaged, "by another name")
			_, err = sqlitestore.Open(t.Context(), damaged)
			expect.Error(t, err, walcheck.ErrDamaged)
			wantMention(t, err, damaged)
			_, err = archive.Open(damaged)
			expect.Error(t, err, walcheck.ErrDamaged)
			for file, content := range folderOf(t, filepath.Dir(damaged)) {
				expect.DeepEqual(t, content, before[file], "%v is left as it is", file)
			}
		})
	}
}

// TestAWALInUseIsNotDamaged checks a WAL while it grows and is restarted.
func TestAWALInUseIsNotDamaged(t *testing.T) {
	t.Parallel()
	path, s := storeOfTwo(t)
	var looks atomic.Int64
	written, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-written:
				return
			default:
				expect.Error(t, walcheck.Check(path), nil)
				looks.Add(1)
			}
		}
	}()
	for id := int64(3); looks.Load() < 50; id++ {
		insert(t, s, master(id))
		if id%20 == 0 {
			execute(t, s, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
	}
	close(written)
	<-looked
}

// TestAnUnfinishedWALIsNoDamage checks the WAL of a crash in the last transaction.
func TestAnUnfinishedWALIsNoDamage(t *testing.T) {
	t.Parallel()
	path, sizes := walOfThree(t)
	for at := sizes[2]; at < sizes[3]; at += 1300 {
		s := open(t, damage(t, path, at))
		expect.Error(t, s.View(t.Context(), read(3)), nil)
		expect.Error(t, s.View(t.Context(), read(4)), fault.ErrNotFound)
		must(t, s.Close())
	}
}

// TestAMarkOfAnOlderFrameIsNoDamage loses parts of a long transaction that was never flushed. An earlier use of the WAL
// has left the page and the commit mark of one frame, which end where a sector ends.
func TestAMarkOfAnOlderFrameIsNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	insert(t, s, admin(), master(2))
	execute(t, s, "PRAGMA wal_checkpoint(TRUNCATE)")
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) (err error) {
		for id := int64(1); id <= 1_500; id++ {
			err = errors.Join(err, tx.Lines.Insert(ctx, fixture.Trial(master(2), id)))
		}
		return err
	}))
	lost := damage(t, path, 32+24+100)
	wal, err := os.ReadFile(lost + "-wal")
	must(t, err)
	wal[32+41*(24+4096)+7] = 1
	must(t, os.WriteFile(lost+"-wal", wal, 0o600))
	expect.Error(t, walcheck.Check(lost), nil)
}

// TestATornHeaderIsNoDamage: a new header may be incomplete after the file has the content of the WAL.
func TestATornHeaderIsNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	insert(t, s, admin(), master(2))
	execute(t, s, "PRAGMA wal_checkpoint(FULL)")
	for at := int64(0); at < 32; at += 4 { // of each word
		torn := open(t, damage(t, path, at))
		expect.Error(t, torn.View(t.Context(), read(2)), nil)
		must(t, torn.Close())
	}
}

// TestAWALOfAnotherFileIsRefused replaces a store that was killed by a backup, and removes one.
func TestAWALOfAnotherFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put    func(t *testing.T, path string)
		toRead error
	}{
		"a backup": {func(t *testing.T, path string) {
			a := openArchive(t, path)
			content, err := os.ReadFile(copyOf(t, a))
			must(t, errors.Join(err, a.Close()))
			must(t, os.WriteFile(path, content, 0o600))
		}, walcheck.ErrOfAnother},
		"no file": {func(t *testing.T, path string) { must(t, os.Remove(path)) }, os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := killedStore(t)
			c.put(t, path)
			before := folderOf(t, filepath.Dir(path))
			_, err := sqlitestore.Open(t.Context(), path)
			expect.Error(t, err, walcheck.ErrOfAnother)
			_, err = archive.Open(path)
			expect.Error(t, err, c.toRead)
			expect.DeepEqual(t, folderOf(t, filepath.Dir(path)), before, "a refused file and its folder")

			must(t, os.Remove(path+"-wal"))
			s := open(t, path)
			if name == "a backup" {
				get(t, s, 2)
			}
			insert(t, s, master(7))
			must(t, s.Close())
			get(t, open(t, path), 7)
		})
	}
}
