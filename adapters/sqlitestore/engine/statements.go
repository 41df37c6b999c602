package engine

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// The statements of a transaction.
var (
	takeSnapshot = Query("take a snapshot", `PRAGMA data_version`)
	getVersion   = Query("read the version of the file", `PRAGMA user_version`)

	// IMMEDIATE takes the write lock at once. A transaction that starts with a read could not continue after a commit
	// of another process.
	begin      = Write("begin a transaction", `BEGIN IMMEDIATE`)
	commit     = Write("commit", `COMMIT`)
	rollback   = Write("roll back", `ROLLBACK`)
	savepoint  = Write("begin a command", `SAVEPOINT command`)
	release    = Write("end a command", `RELEASE command`)
	rollbackTo = Write("undo a command", `ROLLBACK TO command`)
)

// Statement is one of the statements. Each connection prepares it once.
type Statement struct {
	number  int    // in statements
	purpose string // names it in an error
	Reads   bool   // a View runs it too
	long    bool   // it reads a whole table, and can be interrupted
	changes bool   // it changes a page of the file whenever it changes a row
	SQL     string
	Names   []string // of the parameters, in the order of their numbers

	// Taken maps the first column of a unique index to the error for a value that already exists. A violation without
	// an entry is a defect.
	Taken map[string]error
}

var statements []*Statement

// Query makes a statement that a View runs too.
func Query(purpose, text string) *Statement {
	n := Write(purpose, text)
	n.Reads = true
	return n
}

// ScanAll makes a statement that a View runs and that reads a whole table.
func ScanAll(purpose, text string) *Statement {
	n := Query(purpose, text)
	n.long = true
	return n
}

// Write makes a statement that writes, or runs in updates only. SQLite gets numbers for its parameters: looking names
// up would cost more with every call.
func Write(purpose, text string) *Statement {
	n := &Statement{number: len(statements), purpose: purpose}
	n.SQL = regexp.MustCompile(`:[a-z_0-9]+`).ReplaceAllStringFunc(text, func(parameter string) string {
		name := parameter[1:]
		if !slices.Contains(n.Names, name) {
			n.Names = append(n.Names, name)
		}
		return fmt.Sprintf("?%d", 1+slices.Index(n.Names, name))
	})
	n.changes = alwaysChanges.MatchString(text) && !strings.Contains(text, "excluded.") // may equal the old row
	statements = append(statements, n)
	return n
}

// alwaysChanges matches statements that never write an unchanged row.
var alwaysChanges = regexp.MustCompile(`^(DELETE|INSERT|UPDATE \w+ SET saves = saves \+ 1)\b`)

// Statements returns all statements.
func Statements() []*Statement { return statements }

// String returns the purpose of the statement.
func (n *Statement) String() string { return n.purpose }

// InsertInto returns a statement that inserts a row with these columns.
func InsertInto(table, columns string) string {
	return `INSERT INTO ` + table + ` (` + columns + `) VALUES (` + Parameters(columns) + `)`
}

// Parameters returns a parameter for each column, with its name.
func Parameters(columns string) string { return ":" + strings.ReplaceAll(columns, ", ", ", :") }

// bind sets the value of each parameter.
func (n *Statement) bind(st *sqlite.Stmt, a Args) {
	at := -1 // usually they come in the same order
	for i, name := range n.Names {
		for tried := 0; ; tried++ {
			if tried > len(a) {
				panic(fmt.Sprintf("%s: no value for %s", n, name))
			}
			if at++; at >= len(a) {
				at = 0
			}
			if a[at].Name == name {
				break
			}
		}
		a[at].Bind(st, 1+i)
	}
}

// kind is the type of a value in SQLite.
type kind uint8

const (
	isNull kind = iota
	isInteger
	isText
	isBlob
)

// Arg is a value for the parameter with its name, NULL unless set. It is no interface: allocating each column of each
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

// IntegerOrNull stores 0 as NULL.
func IntegerOrNull(name string, v int64) Arg {
	if v == 0 {
		return Null(name)
	}
	return Integer(name, v)
}

// Text is a text.
func Text(name, v string) Arg { return Arg{Name: name, kind: isText, text: v} }

// TextOrNull stores "" as NULL.
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

// Bind sets the value of a parameter of a statement.
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

// Args are values for parameters. A statement uses those that it names.
type Args []Arg

// Set replaces the value of a parameter.
func (a Args) Set(v Arg) {
	for i := range a {
		if a[i].Name == v.Name {
			a[i] = v
		}
	}
}

// clone returns a deep copy of a.
func (a Args) clone() Args {
	copied := make(Args, len(a))
	for i, from := range a {
		copied[i] = Arg{strings.Clone(from.Name), from.kind, from.number, strings.Clone(from.text), bytes.Clone(from.blob)}
	}
	return copied
}
