package sqlitestore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"

	"zombiezen.com/go/sqlite"
)

// SQLite keeps no checksum of what is in its file. So each record has one, of its columns in the order in which they are
// read, and what the disk changed in it is told when it is read next. It is there for damage: whoever forges a record
// can make one that fits.

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // for which processors have an instruction

// content is what a checksum is of: each value with its kind and, where that has none by itself, its length.
type content []byte

func (c content) null() content { return append(c, byte(isNull)) }

func (c content) integer(v int64) content {
	return binary.LittleEndian.AppendUint64(append(c, byte(isInteger)), uint64(v)) //nolint:gosec // each number is another one
}

func (c content) text(v string) content {
	return append(binary.AppendUvarint(append(c, byte(isText)), uint64(len(v))), v...)
}

func (c content) blob(v []byte) content {
	return append(binary.AppendUvarint(append(c, byte(isBlob)), uint64(len(v))), v...)
}

// checksum is signed, which takes SQLite less room.
func (c content) checksum() int64 {
	return int64(int32(crc32.Checksum(c, castagnoli))) //nolint:gosec // the same bits
}

// itsChecksum is the last column of a record that is written.
var itsChecksum = arg{name: "checksum"}

// contents are used again: what a checksum is of would escape to the heap each time.
var contents = sync.Pool{New: func() any { return new(content) }}

// withChecksum gives the last column of a record the checksum of those before it.
func withChecksum(record args) {
	last := len(record) - 1
	used := contents.Get().(*content) //nolint:forcetypeassert // the pool makes no others
	c := (*used)[:0]
	for i := range record[:last] {
		switch v := &record[i].value; v.kind {
		case isNull:
			c = c.null()
		case isInteger:
			c = c.integer(v.number)
		case isText:
			c = c.text(v.text)
		case isBlob:
			c = c.blob(v.blob)
		}
	}
	record[last].value = integer(c.checksum())
	*used = c
	contents.Put(used)
}

// functions are those that migrations may use besides SQLite's own.
var functions = map[string]*sqlite.FunctionImpl{
	// The checksum of columns.
	"resellerd_checksum": {NArgs: -1, Deterministic: true, Scalar: func(_ sqlite.Context, columns []sqlite.Value) (sqlite.Value, error) {
		var c content
		for _, column := range columns {
			switch column.Type() {
			case sqlite.TypeNull:
				c = c.null()
			case sqlite.TypeInteger:
				c = c.integer(column.Int64())
			case sqlite.TypeText:
				c = c.text(column.Text())
			case sqlite.TypeBlob:
				c = c.blob(column.Blob())
			case sqlite.TypeFloat:
				return sqlite.Value{}, fmt.Errorf("a checksum of %v", column.Type())
			}
		}
		return sqlite.IntegerValue(c.checksum()), nil
	}},
}

func (c *connection) addFunctions() error {
	for name, f := range functions {
		if err := c.CreateFunction(name, f); err != nil {
			return fmt.Errorf("add the function %s: %w", name, err)
		}
	}
	return nil
}
