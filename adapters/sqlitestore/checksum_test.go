package sqlitestore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"

	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// damagedAtEach returns copies of a file, in each of which the first byte of a text is changed in another place.
func damagedAtEach(t *testing.T, path string, text []byte, by byte) (files []string) {
	t.Helper()
	whole, err := os.ReadFile(path)
	must(t, err)
	for at := range whole {
		if !bytes.HasPrefix(whole[at:], text) {
			continue
		}
		damaged := bytes.Clone(whole)
		damaged[at] ^= by
		files = append(files, newPath(t))
		must(t, os.WriteFile(files[len(files)-1], damaged, 0o600))
	}
	return files
}

// TestAnAnswerIsNotDroppedForDamage: whose retry finds it gone pays again. When it expires stands in its row and in an
// index.
func TestAnAnswerIsNotDroppedForDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	key := ports.KeyRecord{Reseller: 1, Key: "k", Request: []byte("r"), Status: 201, Body: []byte("b"),
		Expires: fixture.Time("2100-01-02T03:04:05.678Z")}
	s := open(t, path)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, key) }))
	must(t, s.Close())
	expires := binary.BigEndian.AppendUint64(nil, uint64(key.Expires.UnixMilli()))[2:] // of 6 bytes, as SQLite writes it
	files := damagedAtEach(t, path, expires, 2)                                        // half of the time since 1970
	for n, file := range files {
		s := open(t, file)
		dropped, err := s.DropExpired(t.Context(), fixture.Noon.AddDate(40, 0, 0), key.Expires, 10)
		must(t, err)
		expect.DeepEqual(t, dropped, 0, "damaged in place %v", n)
		must(t, s.Close())
	}
	expect.DeepEqual(t, len(files), 2, "the row and the index")
}

// TestChecksumsAreWhatTheyWere sums those of records that do not change. If a checksum were another, each record that
// is stored would be damaged.
func TestChecksumsAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2))
	put(t, s, fixture.Trial(master(2), 10))
	put(t, s, fixture.Trial(master(2), 11))
	putKey(t, s, 2)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Lines.Delete(ctx, line.Tombstone{Line: 11, Actor: 2, At: fixture.Noon})
	}))
	for table, want := range map[string]int{"accounts": -1_253_132_689, "lines": 806_069_052, "idempotency": 302_810_032,
		"tombstones": 2_083_563_449} {
		expect.DeepEqual(t, number(t, s, "SELECT sum(checksum) FROM "+table), want, "%v", table)
	}
	edit(t, s, "UPDATE idempotency SET status = 500") // which nothing else reads until somebody asks again
	expect.DeepEqual(t, derived(t, s),
		[]string{"account 2: an answer kept under a key: a stored record is damaged: its checksum is that of other content"})
}
