package engine

import (
	"bytes"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// kind is the type of a value in SQLite.
type kind uint8

const (
	isNull kind = iota
	isInteger
	isText
	isBlob
)

// Arg is a value for the parameter of its name, NULL unless set. It is no interface: allocating each column of each
// record would cost more than writing it.
type Arg struct {
	Name   string
	kind   kind
	number int64
	text   string
	blob   []byte
}

// Null is NULL.
func Null(name string) Arg { return Arg{Name: name} }

// Integer is a number.
func Integer[T int | int64](name string, v T) Arg {
	return Arg{Name: name, kind: isInteger, number: int64(v)}
}

// IntegerOrNull has 0 as NULL.
func IntegerOrNull(name string, v int64) Arg {
	if v == 0 {
		return Null(name)
	}
	return Integer(name, v)
}

// Text is a text.
func Text(name, v string) Arg { return Arg{Name: name, kind: isText, text: v} }

// TextOrNull has "" as NULL.
func TextOrNull(name, v string) Arg {
	if v == "" {
		return Null(name)
	}
	return Text(name, v)
}

// Blob is bytes; nil is an empty blob, not NULL.
func Blob(name string, v []byte) Arg { return Arg{Name: name, kind: isBlob, blob: v} }

// Instant is a time in Unix milliseconds.
func Instant(name string, v time.Time) Arg { return Integer(name, v.UnixMilli()) }

// Truth is 0 or 1.
func Truth(name string, v bool) Arg {
	if v {
		return Integer(name, 1)
	}
	return Integer(name, 0)
}

// Equal reports whether two values are the same, whatever their names.
func (a Arg) Equal(other Arg) bool {
	return a.kind == other.kind && a.number == other.number && a.text == other.text && bytes.Equal(a.blob, other.blob)
}

// Bind gives a statement the value of a parameter.
func (a *Arg) Bind(st *sqlite.Stmt, parameter int) {
	switch a.kind {
	case isNull:
		st.BindNull(parameter)
	case isInteger:
		st.BindInt64(parameter, a.number)
	case isText:
		st.BindText(parameter, a.text)
	case isBlob:
		st.BindBytes(parameter, a.blob)
	}
}

// Args are values for parameters. A statement takes those that it names.
type Args []Arg

// Set gives a parameter another value.
func (a Args) Set(v Arg) {
	for i := range a {
		if a[i].Name == v.Name {
			a[i] = v
		}
	}
}

// clone returns args that share nothing with a.
func (a Args) clone() Args {
	copied := make(Args, len(a))
	for i, from := range a {
		copied[i] = Arg{strings.Clone(from.Name), from.kind, from.number, strings.Clone(from.text), bytes.Clone(from.blob)}
	}
	return copied
}
