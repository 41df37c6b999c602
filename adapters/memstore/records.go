package memstore

import (
	"encoding/binary"
	"iter"
	"strconv"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// records is the whole content of the store. A copy of the struct is a snapshot.
type records struct {
	resellers   tree[int64, reseller.State]
	lines       tree[int64, line.State]
	tombstones  tree[int64, line.Tombstone]
	movements   tree[int64, credit.Movement]
	keys        tree[string, ports.KeyRecord] // by keyName
	ofKinds     tree[string, string]          // the stored texts, by kindName
	journal     tree[int64, journal.Numbered]
	head        journal.Head
	figures     tree[string, ports.DayFigures] // by dayName
	index       tree[string, holder]           // every index entry of a record
	fingerprint *string                        // nil: no key is recorded
	earlierKeys string
	copying     *importer // the importer of an unfinished copy, else nil
}

// holder identifies the record of an index entry: by its id, by its key, or by both.
type holder struct {
	id  int64
	key string
}

// entry is an entry of the index. It begins with its purpose; entries of kinds begin with the name of the kind.
type entry struct {
	key string
	holder
}

const (
	resellerNames = "Account/"
	resellerLists = "Accounts/"
	lineNames     = "Line/"
	lineLists     = "Lines/"
	externalIDs   = "External/"
	// Suspended lines, and resellers whose block suspends lines: both are few.
	suspendedLines      = "Suspended/"
	suspendingResellers = "Suspending/"
	numbers             = "Number/" // of movements, for each reseller
	expiries            = "Expiry/" // of answers under keys
	eventLists          = "Event/"  // entries of the journal, in the lists that they are in
	namings             = "Named/"  // likewise, by the movement that they name
)

// ordered formats a number so that the texts sort like the numbers.
func ordered(n int64) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(n)^1<<63)) //nolint:gosec // the mapping is one to one
}

func keyName(reseller int64, key string) string { return ordered(reseller) + key }

func kindName(of *record.Kind, key string) string { return of.Name() + "\x00" + key }

// next returns the first text after this one.
func next(text string) string { return text + "\x00" }

func resellerEntries(s reseller.State) []entry {
	h := holder{id: s.ID}
	all := []entry{{resellerNames + s.Username.Key(), h}, {resellerList(0, 0) + ordered(s.ID), h}}
	if len(s.Ancestors) > 0 {
		all = append(all, entry{resellerList(s.Parent(), 0) + ordered(s.ID), h})
	}
	for _, top := range s.Path() {
		all = append(all, entry{resellerList(0, top) + ordered(s.ID), h})
	}
	if s.Block.Suspends {
		all = append(all, entry{suspendingResellers + ordered(s.ID), h})
	}
	return all
}

// resellerList returns the prefix of the entries of a list of resellers in the order of ids. The list has all
// resellers, those directly below a parent, or a tree.
func resellerList(master, tree int64) string { return resellerLists + ordered(master) + ordered(tree) }

func lineEntries(s line.State) []entry {
	h := holder{id: s.ID}
	all := []entry{{lineNames + s.Username.Key(), h}}
	for _, order := range []ports.LineOrder{ports.LinesByID, ports.LinesByExpiry, ports.LinesByName} {
		at := placeOf(order, s)
		all = append(all, entry{lineList(ports.Scope{}, order) + at, h},
			entry{lineList(ports.Scope{Reseller: s.Owner.ID}, order) + at, h})
		for _, top := range s.Owner.Path() {
			all = append(all, entry{lineList(ports.Scope{Reseller: top, Tree: true}, order) + at, h})
		}
	}
	if id := s.ExternalID.String(); id != "" {
		all = append(all, entry{withExternalID(id) + ordered(s.Owner.ID), h})
	}
	if s.Suspended {
		all = append(all, entry{suspendedLines + ordered(s.ID), h})
	}
	return all
}

func withExternalID(id string) string { return externalIDs + next(id) }

// lineList returns the prefix of the entries of a list of lines: those of a scope, in an order. An order and its
// reverse have the same list.
func lineList(scope ports.Scope, order ports.LineOrder) string {
	switch order {
	case ports.LinesByID, ports.LinesByExpiry, ports.LinesByName:
	case ports.NewestLines:
		order = ports.LinesByID
	case ports.LatestExpiry:
		order = ports.LinesByExpiry
	}
	return lineLists + ordered(scope.Reseller) + strconv.FormatBool(scope.Tree) + "/" + strconv.Itoa(int(order)) + "/"
}

// place returns the text that sorts a line in its list. In an order without expiry all lines have the same expiry, and
// in an order without names no line has a name.
func place(at ports.LineCursor) string {
	return ordered(at.ExpiresAt.UnixMilli()) + next(at.Name) + ordered(at.ID)
}

// beyond sorts after the place of every line: no line expires that late.
const beyond = "\xff"

func placeOf(order ports.LineOrder, s line.State) string { return place(cursor(order, s)) }

func movementEntries(m credit.Movement) (all []entry) {
	for _, p := range m.Postings {
		all = append(all, entry{number(p.Reseller, p.Seq), holder{id: m.ID}})
	}
	return all
}

func number(reseller, seq int64) string { return numbers + ordered(reseller) + ordered(seq) }

func keyEntries(k ports.KeyRecord) []entry {
	return []entry{{expiries + ordered(k.Expires.UnixMilli()) + keyName(k.Reseller, k.Key), holder{k.Reseller, k.Key}}}
}

func kindEntries(s record.Stored) (all []entry) {
	for _, key := range s.Entries {
		all = append(all, entry{key, holder{key: s.Key}})
	}
	return all
}

// enter replaces the entries of a record. It returns an error if another record has one of them.
func (r *records) enter(before, now []entry) error {
	stays := func(i int) bool { return i < min(len(before), len(now)) && before[i] == now[i] }
	index := r.index
	for i, e := range before {
		if !stays(i) {
			index = index.without(e.key)
		}
	}
	for i, e := range now {
		if stays(i) {
			continue
		}
		if _, taken := index.get(e.key); taken {
			return e.taken()
		}
		index = index.with(e.key, e.holder)
	}
	r.index = index
	return nil
}

// taken returns the error for a record whose entry belongs to another record.
func (e entry) taken() error {
	switch {
	case strings.HasPrefix(e.key, resellerNames), strings.HasPrefix(e.key, lineNames):
		return profile.ErrUsernameTaken
	case strings.HasPrefix(e.key, externalIDs):
		return line.ErrExternalIDTaken
	}
	return record.Taken(e.key)
}

// between yields the records of the entries that begin with prefix and whose rest is at least from and less than to. An
// empty to is no bound.
func (r *records) between(prefix, from, to string) iter.Seq[holder] {
	return func(yield func(holder) bool) {
		for key, h := range r.index.from(prefix + from) {
			rest, is := strings.CutPrefix(key, prefix)
			if !is || to != "" && rest >= to || !yield(h) {
				return
			}
		}
	}
}

// few returns the ids of the entries with a prefix. It reports false if there are more than most.
func (r *records) few(prefix string, most int) (ids []int64, few bool) {
	for h := range r.between(prefix, "", "") {
		if len(ids) >= most {
			return nil, false
		}
		ids = append(ids, h.id)
	}
	return ids, true
}

// one returns the record with an id.
func one[S, R any](in tree[int64, S], id int64, restore func(S) (R, error)) (found R, err error) {
	state, there := in.get(id)
	if !there {
		return found, fault.ErrNotFound
	}
	return restore(state)
}

// page goes through records in the order of a list and returns up to limit selected ones. next is the last record that
// it examined, nil at the end of the list.
func page[S, R any](ids iter.Seq[int64], in tree[int64, S], limit int, selects func(S) bool,
	restore func(S) (R, error)) (found []R, next *S, err error) {
	seen := 0
	var last S
	for id := range ids {
		if len(found) >= limit || seen >= storekit.Examined(limit) {
			return found, &last, nil
		}
		seen++
		last, _ = in.get(id)
		if !selects(last) {
			continue
		}
		one, err := restore(last)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, one)
	}
	return found, nil, nil
}

// listed yields the ids of a list after a place and up to another one. An empty to is the end of the list.
func (r *records) listed(list, after, to string) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for h := range r.between(list, next(after), to) {
			if !yield(h.id) {
				return
			}
		}
	}
}

// listedBackwards yields the ids of a list before a place and down to another one, the last first. An empty to is the
// start of the list.
func (r *records) listedBackwards(list, before, to string) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for key, h := range r.index.before(list + before) {
			if rest, is := strings.CutPrefix(key, list); !is || rest < to || !yield(h.id) {
				return
			}
		}
	}
}
