package engine

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
)

// SQLite stores no checksums in its file. Each record therefore has a checksum of its columns in the order in which
// they are read, so that the next read reports damage by the disk. It does not protect against forgery.

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // processors have an instruction for it

// Content is the input of a checksum: each value with its kind and, if that does not imply it, its length.
type Content []byte

// Null adds NULL.
func (c Content) Null() Content { return append(c, byte(isNull)) }

// Integer adds a number.
func (c Content) Integer(v int64) Content {
	//nolint:gosec // the mapping is one to one
	return binary.LittleEndian.AppendUint64(append(c, byte(isInteger)), uint64(v))
}

// Text adds a text.
func (c Content) Text(v string) Content {
	return append(binary.AppendUvarint(append(c, byte(isText)), uint64(len(v))), v...)
}

// Blob adds bytes.
func (c Content) Blob(v []byte) Content {
	return append(binary.AppendUvarint(append(c, byte(isBlob)), uint64(len(v))), v...)
}

// Checksum returns a signed number, which takes SQLite less space.
func (c Content) Checksum() int64 {
	return int64(int32(crc32.Checksum(c, castagnoli))) //nolint:gosec // the same bits
}

// ItsChecksum is the last column of a written record.
var ItsChecksum = Null("checksum")

// contents are reused, because they would escape to the heap each time.
var contents = sync.Pool{New: func() any { return new(Content) }}

// WithChecksum sets the last column of a record to the checksum of the columns before it. The first columns always
// count. Later ones count with their names, unless they are NULL. A record without them therefore has the same checksum
// as before the columns existed.
func WithChecksum(record Args, first int) {
	last := len(record) - 1
	used := contents.Get().(*Content) //nolint:forcetypeassert // the pool makes no others
	c := (*used)[:0]
	for i := range record[:last] {
		v := &record[i]
		if i >= first && v.kind != isNull {
			c = c.Text(v.Name)
		}
		switch v.kind {
		case isNull:
			if i < first {
				c = c.Null()
			}
		case isInteger:
			c = c.Integer(v.number)
		case isText:
			c = c.Text(v.text)
		case isBlob:
			c = c.Blob(v.blob)
		}
	}
	record[last] = Integer(record[last].Name, c.Checksum())
	*used = c
	contents.Put(used)
}
