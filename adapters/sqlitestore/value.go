package sqlitestore

import (
	"time"

	"zombiezen.com/go/sqlite"
)

// kind is what SQLite takes a value for.
type kind uint8

const (
	isNull kind = iota
	isInteger
	isText
	isBlob
)

// value is what a column holds, NULL as long as nothing is said. It is no interface: to
// put each column of each record in a place of its own would cost more than to write it.
type value struct {
	kind   kind
	number int64
	text   string
	blob   []byte
}

func integer[T int | int64](v T) value { return value{kind: isInteger, number: int64(v)} }

// integerOrNull stores 0 as NULL.
func integerOrNull(v int64) value {
	if v == 0 {
		return value{}
	}
	return integer(v)
}

func text(v string) value { return value{kind: isText, text: v} }

// textOrNull stores "" as NULL.
func textOrNull(v string) value {
	if v == "" {
		return value{}
	}
	return text(v)
}

// blob stores nil as an empty one.
func blob(v []byte) value { return value{kind: isBlob, blob: v} }

func instant(v time.Time) value { return integer(v.UnixMilli()) }

func truth(v bool) value {
	if v {
		return integer(1)
	}
	return integer(0)
}

// bind gives a statement the value of a parameter.
func (v *value) bind(st *sqlite.Stmt, parameter int) {
	switch v.kind {
	case isNull:
		st.BindNull(parameter)
	case isInteger:
		st.BindInt64(parameter, v.number)
	case isText:
		st.BindText(parameter, v.text)
	case isBlob:
		st.BindBytes(parameter, v.blob)
	}
}
