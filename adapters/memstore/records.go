package memstore

import (
	"bytes"
	"cmp"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// errEnded refuses a write that would be lost.
var errEnded = errors.New("the update that this transaction belongs to has ended")

// records is all that is kept. A copy of the struct is a snapshot.
type records struct {
	resellers     tree[int64, reseller.State]
	resellerNames tree[string, int64] // by the key of the name
	resellerLists tree[resellerEntry, struct{}]
	lines         tree[int64, line.State]
	lineNames     tree[string, int64]
	lineLists     tree[lineEntry, struct{}]
	tombstones    tree[int64, line.Tombstone]
	movements     tree[int64, credit.Movement]
	entries       tree[entryID, int64] // the movement
	keys          tree[keyID, ports.KeyRecord]
	expiries      tree[expiry, struct{}] // one entry for each record in keys
	fingerprint   *string                // nil: none is recorded
	buriedSince   time.Time              // when deletions began to leave tombstones, zero: they always have
	copying       *importer              // what fills an unfinished copy, nil where this is none
}

func noRecords() *records {
	return &records{
		resellers:     tree[int64, reseller.State]{compare: cmp.Compare[int64]},
		resellerNames: tree[string, int64]{compare: strings.Compare},
		resellerLists: tree[resellerEntry, struct{}]{compare: resellerEntry.compare},
		lines:         tree[int64, line.State]{compare: cmp.Compare[int64]},
		lineNames:     tree[string, int64]{compare: strings.Compare},
		lineLists:     tree[lineEntry, struct{}]{compare: lineEntry.compare},
		tombstones:    tree[int64, line.Tombstone]{compare: cmp.Compare[int64]},
		movements:     tree[int64, credit.Movement]{compare: cmp.Compare[int64]},
		entries:       tree[entryID, int64]{compare: entryID.compare},
		keys:          tree[keyID, ports.KeyRecord]{compare: keyID.compare},
		expiries:      tree[expiry, struct{}]{compare: expiry.compare},
	}
}

type keyID struct {
	reseller int64
	key      string
}

func (a keyID) compare(b keyID) int {
	return cmp.Or(cmp.Compare(a.reseller, b.reseller), strings.Compare(a.key, b.key))
}

type expiry struct {
	at time.Time
	id keyID
}

func (a expiry) compare(b expiry) int { return cmp.Or(a.at.Compare(b.at), a.id.compare(b.id)) }

func (r *records) putKey(k ports.KeyRecord) {
	id := keyID{k.Reseller, k.Key}
	if older, found := r.keys.get(id); found {
		r.expiries = r.expiries.without(expiry{older.Expires, id})
	}
	r.keys = r.keys.with(id, clone(k))
	r.expiries = r.expiries.with(expiry{k.Expires, id}, struct{}{})
}

func (r *records) dropKey(e expiry) {
	r.keys = r.keys.without(e.id)
	r.expiries = r.expiries.without(e)
}

// expireBy has up to limit of the records that expire after latest expire then.
func (r *records) expireBy(latest time.Time, limit int) {
	for e := range r.expiries.from(expiry{at: latest.Add(time.Nanosecond)}) {
		if limit--; limit < 0 {
			return
		}
		k, _ := r.keys.get(e.id)
		k.Expires = latest
		r.putKey(k)
	}
}

// clone keeps what is stored apart from what callers hold.
func clone(k ports.KeyRecord) ports.KeyRecord {
	k.Request, k.Body = bytes.Clone(k.Request), bytes.Clone(k.Body)
	return k
}

// session is the write side of one Update.
type transaction struct {
	*records
	ended atomic.Bool
}

func (s *transaction) tx() ports.Tx {
	return ports.Tx{
		Resellers: resellers{resellerReader{s.records}, s},
		Lines:     lines{lineReader{s.records}, s},
		Ledger:    ledger{s},
		Keys:      keys{keyReader{s.records}, s},
	}
}

func (s *transaction) open() error {
	if s.ended.Load() {
		return errEnded
	}
	return nil
}

// give makes key the name of id in place of the name that id had, if any.
func give(names tree[string, int64], id int64, had, key string) (tree[string, int64], error) {
	if holder, taken := names.get(key); taken && holder != id {
		return names, profile.ErrUsernameTaken
	}
	return names.without(had).with(key, id), nil
}
