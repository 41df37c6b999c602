package engine

import (
	"testing"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/internals"
	"resellerd/test/expect"
)

// TestTheCacheFollowsOnlyItsOwnCommits has another process commit between a commit and the check of its version.
func TestTheCacheFollowsOnlyItsOwnCommits(t *testing.T) {
	for _, c := range []struct {
		written  bool
		versions uint32
		want     bool
	}{
		{true, 1, true},
		{true, 2, false},  // another's after it
		{false, 0, true},  // no commit
		{false, 1, false}, // its own, or one of another process after one that wrote nothing
	} {
		head := internals.Version{1}
		cache := NewCache()
		cache.Index.Watch(&head)
		records := NewTable(cache, 1000, false, func(*int) int { return 1 })
		view := &Tx{Version: cache.Version()}
		records.Keep(view, 7, new(int))
		cache.commits()
		head[2] += c.versions
		records.Keep(&Tx{Version: cache.Version()}, 8, new(int)) // by a view of the new version
		cache.committed(view.Version, c.written, true)
		_, got := records.Get(&Tx{Version: cache.Version()}, 7)
		expect.Equal(t, got, c.want, "%+v: it has the record", c)
	}
}

// TestACachedRecordCountsOnce adds one record more often than there is room for: another record remains.
func TestACachedRecordCountsOnce(t *testing.T) {
	head := internals.Version{1}
	cache := NewCache()
	cache.Index.Watch(&head)
	records := NewTable(cache, 10, false, func(*int) int { return 1 })
	view := &Tx{Version: cache.Version()}
	records.Keep(view, 7, new(int))
	for range 100 {
		records.put(8, new(int))
	}
	_, got := records.Get(view, 7)
	expect.Equal(t, got, true)
}

// TestTheCacheIsBoundedInBytes adds more records than there is room for. A record that is read again
// remains.
func TestTheCacheIsBoundedInBytes(t *testing.T) {
	head := internals.Version{1}
	cache := NewCache()
	cache.Index.Watch(&head)
	const room, size = 1_000, 10
	records := NewTable(cache, room, false, func(*int) int { return size })
	view := &Tx{Version: cache.Version()}
	for id := range int64(room) {
		records.Keep(view, id, new(int))
		_, got := records.Get(view, 0)
		expect.Equal(t, got, true)
	}
	kept := 0
	records.Each(func(int64, *int) { kept++ })
	if kept < room/size/2 || kept > room/size {
		t.Errorf("%d records of %d bytes are in a cache of %d", kept, size, room)
	}
}

func TestErrorsOfTheEngineNameTheRemedy(t *testing.T) {
	for code, want := range map[sqlite.ResultCode]string{
		sqlite.ResultFull: "make room", sqlite.ResultIOErrSHMSize: "make room", sqlite.ResultCorrupt: "restore a backup",
	} {
		expect.Contains(t, Explained(t.TempDir()+"/store.db", true, code.ToError()).Error(), want, "%s", code)
	}
}
