package sqlitestore

import (
	"reflect"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// MostCached is the most bytes of memory that the cached records of a store take: two generations of resellers, of
// about 1 KiB each, of lines, of about half, and of shared kinds.
const (
	MostCached = 10 << 20
	mostShared = 1 << 20
)

// sharedKinds returns a table of each kind that almost every command reads.
func sharedKinds(c *engine.Cache) map[*record.Kind]*engine.Table[record.Found] {
	all := map[*record.Kind]*engine.Table[record.Found]{}
	for _, of := range ports.Kinds() {
		if of.Shared() {
			all[of] = nil
		}
	}
	for of := range all {
		all[of] = engine.NewTable(c, mostShared/len(all), true, func(f *record.Found) int {
			return foundSize + sizeOfText(f.Key) + sizeOfText(f.Payload)
		})
	}
	return all
}

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
	foundSize    = entrySize + int(reflect.TypeFor[record.Found]().Size())
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
