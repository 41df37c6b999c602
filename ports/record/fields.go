package record

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Option qualifies a field.
type Option uint8

// The options.
const (
	// Optional leaves out the zero value, so that a record without the field is written as before the field existed.
	// Only optional fields come after it, and a new one comes last.
	Optional Option = 1 << iota
	// Secret marks bytes that are sealed under the service key: rekey reseals them.
	Secret
)

// Field is a field of a kind.
type Field struct {
	Name    string
	Type    string // text, int, bool, time, bytes, texts or objects
	Options Option
}

// Fields walks through the fields of a record, to write, read, reseal or describe them. Each field is passed to one of
// the functions below. A record is written as a JSON object with its members in the order of the fields, without white
// space. Instants are Unix milliseconds, bytes are base64. A record with optional fields begins with a member that
// counts the fields: see fieldsName.
type Fields struct {
	describes *[]Field
	renew     func(field string, sealed []byte) ([]byte, error)
	to        *jsontext.Encoder // nil if nothing is written
	from      *jsontext.Decoder // nil if nothing is read

	next     jsontext.Value // the quoted name of a member whose value was not read
	behind   int64          // the end of the member before it
	at, last int            // the number of the field, from 1 on, and that of the last written optional one
	err      error
}

// Text passes a text, which is valid UTF-8.
func Text[T ~string](f *Fields, name string, v *T, options ...Option) {
	text := string(*v)
	if f.pass(name, "text", options, text == "", &text) {
		*v = T(text)
	}
}

// Int passes a number.
func Int[T ~int | ~int64](f *Fields, name string, v *T, options ...Option) {
	n := int64(*v)
	if f.pass(name, "int", options, n == 0, &n) {
		*v = T(n)
	}
}

// Bool passes a truth value.
func Bool(f *Fields, name string, v *bool, options ...Option) {
	f.pass(name, "bool", options, !*v, v)
}

// Time passes an instant, which is UTC to the millisecond.
func Time(f *Fields, name string, v *time.Time, options ...Option) {
	milliseconds := v.UnixMilli()
	if f.pass(name, "time", options, v.IsZero(), &milliseconds) {
		*v = time.UnixMilli(milliseconds).UTC()
	}
}

// Bytes passes bytes. Nil and empty bytes are the same, and are read as nil.
func Bytes[T ~[]byte](f *Fields, name string, v *T, options ...Option) {
	if f.renew != nil && merged(options)&Secret != 0 && len(*v) > 0 && f.err == nil {
		var renewed []byte
		renewed, f.err = f.renew(name, *v)
		*v = renewed
	}
	all := []byte(*v)
	if f.pass(name, "bytes", options, len(all) == 0, &all) && len(all) > 0 {
		*v = all
	}
}

// Array passes all bytes of an array: v is a slice of it. Another number of bytes is damage.
func Array(f *Fields, name string, v []byte) {
	all := v
	if f.pass(name, "bytes", nil, false, &all) {
		copy(v, all)
	}
}

// Objects passes a list of objects, each with the fields that a function passes. None of these is optional or secret.
// Nil and an empty list are the same, and are read as nil.
func Objects[T any](f *Fields, name string, v *[]T, fields func(f *Fields, v *T), options ...Option) {
	if f.describes != nil {
		var within []Field
		fields(&Fields{describes: &within}, new(T))
		if slices.ContainsFunc(within, func(of Field) bool { return of.Options != 0 }) {
			panic("an object within a record has a field that is optional or secret: " + name)
		}
	}
	f.pass(name, "objects", options, len(*v) == 0, &objects[T]{fields, v})
}

// Texts passes a list of texts. Nil and an empty list are the same, and are read as nil.
func Texts[T ~string](f *Fields, name string, v *[]T, options ...Option) {
	if f.pass(name, "texts", options, len(*v) == 0, v) && len(*v) == 0 {
		*v = nil
	}
}

func merged(options []Option) (all Option) {
	for _, o := range options {
		all |= o
	}
	return all
}

// pass writes, reads, reseals or describes a field, and reports whether it has read v.
func (f *Fields) pass(name, kind string, options []Option, zero bool, v any) (read bool) {
	optional := merged(options)&Optional != 0
	f.at++
	switch {
	case f.err != nil:
	case f.describes != nil:
		*f.describes = append(*f.describes, Field{name, kind, merged(options)})
	case f.from != nil:
		if read = f.named(name); read {
			f.failed(name, json.UnmarshalDecode(f.from, v))
		} else if !optional {
			f.failed(name, errors.New("it is not where it should be"))
		}
	case f.to != nil && (!optional || !zero):
		if optional {
			f.last = f.at
		}
		f.token(jsontext.String(name))
		f.failed(name, json.MarshalEncode(f.to, v))
	}
	return read
}

func (f *Fields) failed(name string, err error) {
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
}

// named reports whether the next member has this name, and reads it.
func (f *Fields) named(name string) bool {
	f.peek()
	if len(f.next) != len(name)+2 || string(f.next[1:len(name)+1]) != name {
		return false
	}
	f.next = nil
	return true
}

// peek reads the name of the next member, if there is one and it was not read yet.
func (f *Fields) peek() {
	if f.next != nil {
		return
	}
	f.behind = f.from.InputOffset()
	if f.from.PeekKind() == jsontext.KindString {
		f.next, f.err = f.from.ReadValue()
	}
}

// token writes a token, or reads one of its kind.
func (f *Fields) token(t jsontext.Token) {
	switch {
	case f.err != nil:
	case f.to != nil:
		f.err = f.to.WriteToken(t)
	default:
		if read, err := f.from.ReadToken(); err != nil || read.Kind() != t.Kind() {
			f.err = errors.Join(fmt.Errorf("no %s", t.Kind()), err)
		}
	}
}

// object is a record with its fields as the JSON library writes and reads it.
type object[T any] struct {
	Fields

	fields func(f *Fields, v *T)
	v      *T
	count  int // the number of fields that the record states
}

// MarshalJSONTo implements json.MarshalerTo.
func (o *object[T]) MarshalJSONTo(to *jsontext.Encoder) error {
	o.to = to
	o.token(jsontext.BeginObject)
	o.fields(&o.Fields, o.v)
	o.token(jsontext.EndObject)
	return o.err
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. The members after the known fields begin at behind.
func (o *object[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	o.from = from
	o.token(jsontext.BeginObject)
	Int(&o.Fields, fieldsName, &o.count, Optional)
	o.fields(&o.Fields, o.v)
	for o.peek(); o.err == nil && from.PeekKind() != jsontext.KindEndObject; {
		o.err = from.SkipValue()
	}
	o.token(jsontext.EndObject)
	return o.err
}

// objects is a list of objects, likewise.
type objects[T any] struct {
	fields func(f *Fields, v *T)
	all    *[]T
}

// MarshalJSONTo implements json.MarshalerTo.
func (o *objects[T]) MarshalJSONTo(to *jsontext.Encoder) error {
	f := Fields{to: to}
	f.token(jsontext.BeginArray)
	for i := range *o.all {
		f.token(jsontext.BeginObject)
		o.fields(&f, &(*o.all)[i])
		f.token(jsontext.EndObject)
	}
	f.token(jsontext.EndArray)
	return f.err
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *objects[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	f := Fields{from: from}
	f.token(jsontext.BeginArray)
	for f.err == nil && from.PeekKind() == jsontext.KindBeginObject {
		var one T
		f.token(jsontext.BeginObject)
		o.fields(&f, &one)
		f.token(jsontext.EndObject)
		*o.all = append(*o.all, one)
	}
	f.token(jsontext.EndArray)
	return f.err
}
