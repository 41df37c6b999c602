package engine

import (
	"sync"

	"resellerd/adapters/sqlitestore/internals"
)

// Cache has records in their committed state, in one table for each kind. All belong to the same version of the file.
// While that is the present version, a view reads them without SQLite.
type Cache struct {
	Index internals.Index

	mu         sync.Mutex
	of         internals.Version
	committing bool // a new version may exist that committed will report
	tables     []anyTable
}

// anyTable is a table of any kind of records.
type anyTable interface {
	clear()  // empties it
	begin()  // a transaction begins
	reset()  // a command begins
	accept() // accepts the changes of the command
	commit() // adopts the changes of commands
}

// NewCache returns the cache of a file that is not open yet.
func NewCache() *Cache { return new(Cache) }

// Version returns the present version of the file.
func (c *Cache) Version() internals.Version { return c.Index.Version() }

// Of returns the version of its records.
func (c *Cache) Of() internals.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of
}

// forget empties the cache and stops following the file.
func (c *Cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin(internals.Version{})
	c.Index.Forget()
}

// begin empties the cache, for another version of the file.
func (c *Cache) begin(at internals.Version) {
	c.of = at
	c.each(anyTable.clear)
}

// each calls do for all tables, on the writer's goroutine.
func (c *Cache) each(do func(anyTable)) {
	for _, t := range c.tables {
		do(t)
	}
}

// commits announces that the writer is about to commit a successor of the present version.
func (c *Cache) commits() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.committing = true
}

// committed handles the outcome of a commit on a version of the file. It returns the version that the commit has made,
// zero if that is unknown. written means that it has certainly changed a page of the file, complete that the tables
// have all its changes.
func (c *Cache) committed(before internals.Version, written, complete bool) (now internals.Version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.committing = false
	// Another process may have committed since, and this commit may have changed nothing. Only if neither is true, the
	// present version is the result of this commit. Records of an earlier version are no longer used.
	now = c.Version()
	if !written || before == (internals.Version{}) || !now.Follows(before) {
		return internals.Version{}
	}
	if !complete {
		return now
	}
	if c.of != before {
		c.begin(now)
	}
	c.of = now
	c.each(anyTable.commit)
	return now
}

// Table has the records of one kind, by their ids, in two generations. A record that is used again moves to the recent
// generation, all others are dropped sooner or later. Its records are shared and never changed.
type Table[T any] struct {
	cache          *Cache
	most           int           // bytes of a generation
	size           func(*T) int  // of a record, in bytes
	written        bool          // it also caches written records, not only records that were read
	writeSet       []entry[T]    // changes of the present command; nil for a removed record
	changed        map[int64]*T  // by accepted commands of the present transaction
	recent, before generation[T] // the cached records
}

// entry is a record that a command has written, or read for itself only.
type entry[T any] struct {
	id      int64
	record  *T
	written bool
}

type generation[T any] struct {
	records map[int64]*T
	size    int // of all
}

// NewTable returns a table of a cache whose records take at most so many bytes. If written is false, it caches only
// records that were read: for kinds whose written records are seldom read.
func NewTable[T any](c *Cache, most int, written bool, size func(*T) int) *Table[T] {
	t := &Table[T]{cache: c, most: most / 2, size: size, written: written, changed: map[int64]*T{}}
	c.tables = append(c.tables, t)
	return t
}

// Get returns the state of a record for a transaction, and whether that is known. A nil record does not exist any more.
func (t *Table[T]) Get(q *Tx, id int64) (record *T, known bool) {
	if q.ended || q.lost != nil { // a statement reports why
		return nil, false
	}
	if q.update {
		if e := t.pending(id); e != nil {
			return e.record, true
		}
		if record, known = t.changed[id]; known && !q.stale {
			return record, true
		}
	}
	if q.Version == (internals.Version{}) {
		return nil, false
	}
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	if t.cache.of != q.Version {
		return nil, false
	}
	if record = t.get(id); record == nil {
		return nil, false
	}
	q.cached = true
	return record, true
}

// Keep caches a record that a transaction has read, if the transaction has the version of the cache or the present
// one.
func (t *Table[T]) Keep(q *Tx, id int64, record *T) {
	if q.update && !t.written {
		t.writeSet = append(t.writeSet, entry[T]{id: id, record: record})
		return
	}
	at, c := q.Version, t.cache
	if at == (internals.Version{}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != at {
		if c.committing || at != c.Version() {
			return
		}
		c.begin(at)
	}
	t.put(id, record)
}

// Put adds a record that a command has written, nil if it has removed it.
func (t *Table[T]) Put(id int64, record *T) {
	if e := t.pending(id); e != nil {
		e.record, e.written = record, true
		return
	}
	t.writeSet = append(t.writeSet, entry[T]{id, record, true})
}

// pending returns the entry of a record in the write set of the present command, nil if there is none.
func (t *Table[T]) pending(id int64) *entry[T] {
	for i := range t.writeSet {
		if t.writeSet[i].id == id {
			return &t.writeSet[i]
		}
	}
	return nil
}

// Each calls each with every record.
func (t *Table[T]) Each(each func(id int64, record *T)) {
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	for _, g := range [...]*generation[T]{&t.recent, &t.before} {
		for id, record := range g.records {
			each(id, record)
		}
	}
}

func (t *Table[T]) clear() { t.recent, t.before = generation[T]{}, generation[T]{} }

func (t *Table[T]) begin() { clear(t.changed) }

func (t *Table[T]) reset() { t.writeSet = t.writeSet[:0] }

func (t *Table[T]) accept() {
	for _, e := range t.writeSet {
		if e.written {
			t.changed[e.id] = e.record
		}
	}
}

func (t *Table[T]) commit() {
	for id, record := range t.changed {
		if had := t.drop(id); record != nil && (had || t.written) {
			t.put(id, record)
		}
	}
}

func (t *Table[T]) get(id int64) *T {
	if found := t.recent.records[id]; found != nil {
		return found
	}
	found := t.before.records[id]
	if found != nil {
		t.put(id, found)
	}
	return found
}

func (t *Table[T]) put(id int64, record *T) {
	t.drop(id)
	size := t.size(record)
	if t.recent.size+size > t.most || t.recent.records == nil {
		t.recent, t.before = generation[T]{records: make(map[int64]*T)}, t.recent
	}
	t.recent.records[id] = record
	t.recent.size += size
}

// drop reports whether it had a record.
func (t *Table[T]) drop(id int64) (had bool) {
	for _, g := range [...]*generation[T]{&t.recent, &t.before} {
		if record := g.records[id]; record != nil {
			delete(g.records, id)
			g.size -= t.size(record)
			had = true
		}
	}
	return had
}
