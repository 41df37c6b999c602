package disk

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
)

// sector is the unit that a disk writes whole. A write may be torn at any other boundary.
const sector = 512

// change is a write to a file, or its truncation.
type change struct {
	at   int // its index among all changes of the disk
	data []byte
	from int64 // where the data belong, or the size to which the file is cut
	cut  bool
}

// apply makes the change in the content of a file.
func (c change) apply(content []byte) []byte {
	if c.cut {
		return resized(content, c.from)
	}
	if end := c.from + int64(len(c.data)); end > int64(len(content)) {
		content = resized(content, end)
	}
	copy(content[c.from:], c.data)
	return content
}

func resized(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// content is the content of a file, under any name.
type content struct {
	now     []byte // what a process reads
	kept    []byte // survives a power cut
	pending []change
}

func (c *content) change(p change) {
	c.now = p.apply(c.now)
	c.pending = append(c.pending, p)
}

// flush has all that was written survive, unless it fails.
func (c *content) flush(fails bool) {
	for _, p := range c.pending {
		if !fails {
			c.kept = p.apply(c.kept)
		}
	}
	c.pending = nil
}

// move adds or removes a name of a file.
type move struct {
	name string
	file *content // nil: the name is taken away
}

func (m move) apply(names map[string]*content) {
	if names[m.name] = m.file; m.file == nil {
		delete(names, m.name)
	}
}

// disk models a folder on a disk with a cache. After a flush of a file all earlier writes to it survive. A name
// survives for certain once the folder was flushed.
type disk struct {
	names, kept map[string]*content // now, and after a power cut at the least
	moves       []move              // that a power cut may undo
	changes     int
}

func newDisk() *disk { return &disk{names: map[string]*content{}, kept: map[string]*content{}} }

// laid returns a disk with these files, which survive whole.
func laid(files map[string][]byte) *disk {
	d := newDisk()
	for name, data := range files {
		d.names[name] = &content{now: bytes.Clone(data), kept: bytes.Clone(data)}
	}
	d.kept = maps.Clone(d.names)
	return d
}

// clone returns a copy that goes its own way.
func (d *disk) clone() *disk {
	own := map[*content]*content{}
	copied := func(c *content) *content {
		if c != nil && own[c] == nil {
			own[c] = &content{bytes.Clone(c.now), bytes.Clone(c.kept), slices.Clone(c.pending)}
		}
		return own[c]
	}
	made := &disk{map[string]*content{}, map[string]*content{}, nil, d.changes}
	for name, c := range d.names {
		made.names[name] = copied(c)
	}
	for name, c := range d.kept {
		made.kept[name] = copied(c)
	}
	for _, m := range d.moves {
		made.moves = append(made.moves, move{m.name, copied(m.file)})
	}
	return made
}

// do follows a call of the record.
func (d *disk) do(c call) {
	d.changes++
	if c.kind == deleted {
		d.move(c.name, nil)
		if c.folder {
			d.flushFolder()
		}
		return
	}
	file := d.names[c.name]
	if file == nil { // also the database itself, which the store makes before SQLite opens it
		file = new(content)
		d.move(c.name, file)
	}
	switch c.kind { //nolint:exhaustive // no other kind changes a file's content
	case written:
		file.change(change{d.changes, c.data, c.offset, false})
	case truncated:
		file.change(change{d.changes, nil, c.size, true})
	case flushed:
		file.flush(c.lost)
		if c.folder && !c.lost {
			d.flushFolder()
		}
	}
}

func (d *disk) move(name string, file *content) {
	m := move{name, file}
	m.apply(d.names)
	d.moves = append(d.moves, m)
}

func (d *disk) flushFolder() { d.kept, d.moves = maps.Clone(d.names), nil }

// present returns the files that a killed process leaves to the next one.
func (d *disk) present() map[string][]byte {
	files := map[string][]byte{}
	for name, c := range d.names {
		files[name] = bytes.Clone(c.now)
	}
	return files
}

// cut is the treatment of unflushed writes in a power cut. The set is closed.
type cut int

const (
	nothing   cut = iota // of it survives
	all                  // survives, as after a kill
	begun                // up to some moment, and of the last write some sectors
	broken               // up to some moment, and of the last write some bytes
	some                 // of the writes survive, each whole
	scattered            // some sectors of each write survive
	shuffled             // some sectors survive, and of two writes to the same offset the earlier one may be the last
	grown                // the files have their sizes, and some sectors their content
	cuts
)

// String names the cut in a report.
func (how cut) String() string {
	return [...]string{"nothing", "all", "begun", "broken", "some", "scattered", "shuffled", "grown"}[how]
}

// after returns the files that a power cut leaves now.
func (d *disk) after(how cut, random *rand.Rand) map[string][]byte {
	names := maps.Clone(d.kept)
	for _, m := range d.moves {
		if how == all || how != nothing && random.IntN(2) == 0 {
			m.apply(names)
		}
	}
	var oldest []int
	for _, c := range names {
		for _, p := range c.pending {
			oldest = append(oldest, p.at)
		}
	}
	slices.Sort(oldest)
	last := 0
	if len(oldest) > 0 {
		last = oldest[random.IntN(len(oldest))]
	}
	share := 1 + random.IntN(9) // tenths that survive
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c := names[name]
		files[name] = how.of(c, last, share, random)
	}
	return files
}

// of returns the part of a file that a power cut leaves.
func (how cut) of(c *content, last, share int, random *rand.Rand) []byte {
	survives := func() bool { return random.IntN(10) < share }
	got := bytes.Clone(c.kept)
	var parts []change
	for _, p := range c.pending {
		switch how { //nolint:exhaustive // the others differ further down
		case nothing:
		case all:
			parts = append(parts, p)
		case begun, broken:
			switch {
			case p.at < last || p.at == last && p.cut:
				parts = append(parts, p)
			case p.at == last && how == broken:
				p.data = p.data[:random.IntN(len(p.data)+1)]
				parts = append(parts, p)
			case p.at == last:
				parts = append(parts, sectors(p, survives)...)
			}
		case some:
			if survives() {
				parts = append(parts, p)
			}
		default:
			if !p.cut || survives() {
				parts = append(parts, sectors(p, survives)...)
			}
		}
	}
	if how == shuffled {
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	for _, p := range parts {
		got = p.apply(got)
	}
	if size := int64(len(c.now)); how == grown && size > int64(len(got)) {
		got = resized(got, size)
	}
	return got
}

// sectors returns those of a write that survive.
func sectors(p change, survives func() bool) (parts []change) {
	if p.cut {
		return []change{p}
	}
	for data, from := p.data, p.from; len(data) > 0; {
		n := min(int64(len(data)), sector-from%sector)
		if survives() {
			parts = append(parts, change{p.at, data[:n], from, false})
		}
		data, from = data[n:], from+n
	}
	return parts
}
