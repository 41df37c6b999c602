package sqlitestore

import (
	"reflect"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// MostCached is the most bytes of memory that the cached records of a store take: two generations of resellers, of
// about 1 KiB each, and of lines, of about half.
const MostCached = 10 << 20

// The memory of a record: its state, its entry in a map, and what the state refers to.

func sizeOfReseller(s *reseller.State) int {
	return resellerSize + sizeOf(s.Ancestors) + sizeOf(s.Trials) + s.SizeOfTexts(sizeOfText)
}

func sizeOfLine(s *line.State) int {
	return lineSize + sizeOf(s.Owner.Ancestors) + s.SizeOfTexts(sizeOfText)
}

// entrySize is the size of an entry of a map, which is between half and seven eighths full.
const entrySize = 48

var (
	resellerSize = entrySize + int(reflect.TypeFor[reseller.State]().Size())
	lineSize     = entrySize + int(reflect.TypeFor[line.State]().Size())
)

func sizeOf[T any](of []T) int { return allocated(cap(of) * int(reflect.TypeFor[T]().Size())) }

func sizeOfText(text string) int { return allocated(len(text)) }

// allocated returns the size class of this many bytes: classes are at most an eighth apart, or 16 bytes.
func allocated(bytes int) int {
	if bytes == 0 {
		return 0
	}
	return bytes + max(bytes/8, 16)
}
