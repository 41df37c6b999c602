package memstore

import (
	"cmp"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// records is all that is kept. A copy of the struct is a snapshot.
type records struct {
	resellers       tree[int64, reseller.State]
	resellerNames   tree[string, int64] // by the key of the name
	resellerLists   tree[resellerEntry, struct{}]
	lines           tree[int64, line.State]
	lineNames       tree[string, int64]
	lineLists       tree[lineEntry, struct{}]
	externalIDs     tree[externalID, int64] // the line
	tombstones      tree[int64, line.Tombstone]
	movements       tree[int64, credit.Movement]
	postings        tree[postingID, int64] // the movement
	keys            tree[keyID, ports.KeyRecord]
	expiries        tree[expiry, struct{}] // one entry for each record in keys
	ofKinds         tree[recordID, string] // what was written
	entries         tree[string, string]   // of their indexes, with the key
	fingerprint     *string                // nil: none is recorded
	earlierKeys     string
	tombstonesSince time.Time // when deletions began to leave tombstones, zero: they always have
	copying         *importer // what fills an unfinished copy, nil where this is none
}

func noRecords() *records {
	return &records{
		resellers:     tree[int64, reseller.State]{compare: cmp.Compare[int64]},
		resellerNames: tree[string, int64]{compare: strings.Compare},
		resellerLists: tree[resellerEntry, struct{}]{compare: resellerEntry.compare},
		lines:         tree[int64, line.State]{compare: cmp.Compare[int64]},
		lineNames:     tree[string, int64]{compare: strings.Compare},
		lineLists:     tree[lineEntry, struct{}]{compare: lineEntry.compare},
		externalIDs:   tree[externalID, int64]{compare: externalID.compare},
		tombstones:    tree[int64, line.Tombstone]{compare: cmp.Compare[int64]},
		movements:     tree[int64, credit.Movement]{compare: cmp.Compare[int64]},
		postings:      tree[postingID, int64]{compare: postingID.compare},
		keys:          tree[keyID, ports.KeyRecord]{compare: keyID.compare},
		expiries:      tree[expiry, struct{}]{compare: expiry.compare},
		ofKinds:       tree[recordID, string]{compare: recordID.compare},
		entries:       tree[string, string]{compare: strings.Compare},
	}
}
