package sqlitestore

import (
	"sync"
	"unsafe"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// MostCached is how many bytes of memory the records in the cache of a store take, at most: those of two generations of
// resellers, of about 1 KiB each, and of lines, of about half.
const MostCached = 10 << 20

const mostOfGeneration = MostCached / 4

// version names a state of the file: the head of the index that SQLite keeps of the WAL,
// https://sqlite.org/walformat.html, which every commit of any process changes. It is zero
// where it is not known.
type version [12]uint32

// follows reports whether exactly one commit lies between two versions: the third word
// counts them.
func (v version) follows(before version) bool { return v[2] == before[2]+1 }

// cache has resellers, and the lines that views have read, as commits have left them. All are
// of one version of the file: as long as that is the present one, a view needs nothing of
// SQLite for them.
type cache struct {
	file *file

	mu         sync.Mutex
	of         version
	committing bool // a version may be there that committed tells of
	resellers  generations[reseller.State]
	lines      generations[line.State]
}

// newCache returns the cache of a file.
func newCache() *cache {
	return &cache{
		file:      new(file),
		resellers: generations[reseller.State]{size: sizeOfReseller},
		lines:     generations[line.State]{size: sizeOfLine},
	}
}

// reseller returns a reseller as it is in a version of the file, or nil where that is not known.
func (c *cache) reseller(at version, id int64) *reseller.State {
	return cached(c, at, func(c *cache) *generations[reseller.State] { return &c.resellers }, id)
}

// line returns a line as it is in a version of the file, or nil where that is not known.
func (c *cache) line(at version, id int64) *line.State {
	return cached(c, at, func(c *cache) *generations[line.State] { return &c.lines }, id)
}

func cached[T any](c *cache, at version, of func(*cache) *generations[T], id int64) *T {
	if c == nil || at == (version{}) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != at {
		return nil
	}
	return of(c).get(id)
}

// keep keeps what was read of a version of the file, if it is the one that the cache is of, or the present one.
func (c *cache) keep(at version, keep func(*cache)) {
	if c == nil || at == (version{}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != at {
		if c.committing || at != c.file.version() {
			return
		}
		c.begin(at)
	}
	keep(c)
}

// forget empties the cache, and the file is not followed any more.
func (c *cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin(version{})
	c.file.forget()
}

// begin empties the cache, for another version of the file.
func (c *cache) begin(at version) {
	c.of = at
	c.resellers.clear()
	c.lines.clear()
}

// commits says that the one connection that writes is about to commit what follows the
// present version.
func (c *cache) commits() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.committing = true
}

// committed says how a commit that was begun on a version of the file has ended: with
// these changes, or with an error where there are none.
func (c *cache) committed(before version, changed *changes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.committing = false
	if changed == nil || before == (version{}) {
		return // what is of an earlier version is not used any more
	}
	now := c.file.version()
	// Another process may have committed since, and this commit may have changed nothing:
	// only where neither is so the present version is what it made.
	if !changed.written || changed.incomplete || !now.follows(before) {
		return
	}
	if c.of != before {
		c.begin(now)
	}
	c.of = now
	for id, s := range changed.resellers {
		c.resellers.put(id, s)
	}
	for id, s := range changed.lines {
		c.lines.replace(id, s)
	}
}

// changes is what the commands of a transaction have changed that are kept.
type changes struct {
	resellers  map[int64]*reseller.State
	lines      map[int64]*line.State // nil for one that was deleted
	incomplete bool                  // others were changed as well
	written    bool                  // a page of the file, for sure
}

func newChanges() *changes {
	return &changes{resellers: make(map[int64]*reseller.State), lines: make(map[int64]*line.State)}
}

func (c *changes) forget() {
	clear(c.resellers)
	clear(c.lines)
	c.incomplete, c.written = false, false
}

// add adds what a command has changed.
func (c *changes) add(q *transaction) {
	for _, s := range q.writeSet.resellers {
		c.resellers[s.ID] = s
	}
	for _, m := range q.writeSet.moves {
		c.lines[m.line], _ = q.writeSet.line(m.line)
	}
	c.incomplete = c.incomplete || q.incomplete
	c.written = c.written || q.written
}

// reseller returns a reseller that was changed, or nil.
func (c *changes) reseller(id int64) *reseller.State {
	if c == nil {
		return nil
	}
	return c.resellers[id]
}

// line returns a line that was changed, and reports whether it was.
func (c *changes) line(id int64) (s *line.State, changed bool) {
	if c == nil {
		return nil, false
	}
	s, changed = c.lines[id]
	return s, changed
}

// generations has the records of two generations: what is asked for again gets into the
// recent one, all else goes sooner or later.
type generations[T any] struct {
	size           func(*T) int // of a record, in bytes
	recent, before generation[T]
}

type generation[T any] struct {
	records map[int64]*T
	size    int // of all
}

func (g *generations[T]) get(id int64) *T {
	if found := g.recent.records[id]; found != nil {
		return found
	}
	found := g.before.records[id]
	if found != nil {
		g.put(id, found)
	}
	return found
}

func (g *generations[T]) put(id int64, record *T) {
	g.drop(id)
	size := g.size(record)
	if g.recent.size+size > mostOfGeneration || g.recent.records == nil {
		g.recent, g.before = generation[T]{records: make(map[int64]*T)}, g.recent
	}
	g.recent.records[id] = record
	g.recent.size += size
}

// replace replaces a record where it has one, by none where that is nil.
func (g *generations[T]) replace(id int64, record *T) {
	if g.drop(id) && record != nil {
		g.put(id, record)
	}
}

// drop reports whether it had a record.
func (g *generations[T]) drop(id int64) (had bool) {
	for _, generation := range [...]*generation[T]{&g.recent, &g.before} {
		if record := generation.records[id]; record != nil {
			delete(generation.records, id)
			generation.size -= g.size(record)
			had = true
		}
	}
	return had
}

func (g *generations[T]) clear() { g.recent, g.before = generation[T]{}, generation[T]{} }

// What a record takes: its state, its place in a map, and what the state refers to.

func sizeOfReseller(s *reseller.State) int {
	texts := s.Texts()
	return entrySize + int(unsafe.Sizeof(*s)) + sizeOf(s.Ancestors) + sizeOf(s.Trials) + sizeOfTexts(texts[:]...)
}

func sizeOfLine(s *line.State) int {
	texts := s.Texts()
	return entrySize + int(unsafe.Sizeof(*s)) + sizeOf(s.Owner.Ancestors) + sizeOfTexts(texts[:]...)
}

// entrySize is what an entry of a map takes, which is between half and seven eighths full.
const entrySize = 48

func sizeOf[T any](of []T) int { return allocated(cap(of) * int(unsafe.Sizeof(*new(T)))) }

func sizeOfTexts(texts ...string) (size int) {
	for _, t := range texts {
		size += allocated(len(t))
	}
	return size
}

// allocated is what so many bytes take: memory is given out in sizes that are at most an eighth apart, or 16 bytes.
func allocated(bytes int) int {
	if bytes == 0 {
		return 0
	}
	return bytes + max(bytes/8, 16)
}
