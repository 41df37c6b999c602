package record

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Option qualifies a field.
type Option uint8

// The options.
const (
	// Optional leaves out the zero value, so that a record without the field is written as before the field existed.
	// Only optional fields come after it, and each new one is the last.
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

// Fields goes through the fields of a record, each of which is passed to one of the functions below: to write, read,
// reseal or describe them. A record is written as a JSON object with its members in the order of the fields, without
// white space; instants are Unix milliseconds, bytes are hexadecimal. A record with optional fields begins with a member
// that counts the fields: see fieldsName.
type Fields struct {
	describes *[]Field
	reads     bool
	renew     func(field string, sealed []byte) ([]byte, error)

	in, name string // what is left to read, and the field that is read
	out      []byte
	at, last int // the number of the field, from 1 on, and that of the last optional one that was written
	err      error
}

// Text passes a text, which is valid UTF-8.
func Text[T ~string](f *Fields, name string, v *T, options ...Option) {
	pass(f, name, "text", options, v, *v == "",
		func(out []byte) []byte { return f.quote(out, string(*v)) },
		func() T { return T(f.unquote()) })
}

// Int passes a number.
func Int[T ~int | ~int64](f *Fields, name string, v *T, options ...Option) {
	pass(f, name, "int", options, v, *v == 0,
		func(out []byte) []byte { return strconv.AppendInt(out, int64(*v), 10) },
		func() T { return T(f.integer()) })
}

// Bool passes a truth value.
func Bool(f *Fields, name string, v *bool, options ...Option) {
	pass(f, name, "bool", options, v, !*v,
		func(out []byte) []byte { return strconv.AppendBool(out, *v) },
		func() bool { return f.token() == "true" })
}

// Time passes an instant, which is UTC to the millisecond.
func Time(f *Fields, name string, v *time.Time, options ...Option) {
	pass(f, name, "time", options, v, v.IsZero(),
		func(out []byte) []byte { return strconv.AppendInt(out, v.UnixMilli(), 10) },
		func() time.Time { return time.UnixMilli(f.integer()).UTC() })
}

// Bytes passes bytes; nil and none are the same, and are read as nil.
func Bytes[T ~[]byte](f *Fields, name string, v *T, options ...Option) {
	if f.renew != nil && merged(options)&Secret != 0 && len(*v) > 0 && f.err == nil {
		var renewed []byte
		renewed, f.err = f.renew(name, *v)
		*v = renewed
	}
	pass(f, name, "bytes", options, v, len(*v) == 0,
		func(out []byte) []byte { return append(hex.AppendEncode(append(out, '"'), *v), '"') },
		func() T { return f.bytes() })
}

// Array passes the bytes of an array, all of them: v is a slice of it.
func Array(f *Fields, name string, v []byte) {
	pass(f, name, "bytes", nil, &v, false,
		func(out []byte) []byte { return append(hex.AppendEncode(append(out, '"'), v), '"') },
		func() []byte {
			read := f.bytes()
			if len(read) != len(v) && f.err == nil {
				f.fail(fmt.Errorf("%d bytes in place of %d", len(read), len(v)))
			}
			copy(v, read)
			return v
		})
}

// Objects passes a list of objects, each with the fields that a function passes, none of which is optional or secret;
// nil and an empty one are the same, and are read as nil.
func Objects[T any](f *Fields, name string, v *[]T, fields func(f *Fields, v *T), options ...Option) {
	if f.describes != nil {
		var within []Field
		fields(&Fields{describes: &within}, new(T))
		if slices.ContainsFunc(within, func(of Field) bool { return of.Options != 0 }) {
			panic("an object within a record has a field that is optional or secret: " + name)
		}
	}
	pass(f, name, "objects", options, v, len(*v) == 0,
		func(out []byte) []byte {
			out = append(out, '[')
			for i := range *v {
				if i > 0 {
					out = append(out, ',')
				}
				of := Fields{}
				fields(&of, &(*v)[i])
				if of.err != nil && f.err == nil {
					f.fail(of.err)
				}
				out = append(append(out, of.out...), '}')
			}
			return append(out, ']')
		},
		func() (all []T) {
			for f.expect("["); f.err == nil && !f.skip("]"); {
				if len(all) > 0 {
					f.expect(",")
				}
				of, one := Fields{reads: true, in: f.in}, *new(T)
				if fields(&of, &one); of.err != nil && f.err == nil {
					f.fail(of.err)
				}
				f.in, all = of.in, append(all, one)
				f.expect("}")
			}
			return all
		})
}

// Texts passes a list of texts; nil and an empty one are the same, and are read as nil.
func Texts[T ~string](f *Fields, name string, v *[]T, options ...Option) {
	pass(f, name, "texts", options, v, len(*v) == 0,
		func(out []byte) []byte {
			out = append(out, '[')
			for i, text := range *v {
				if i > 0 {
					out = append(out, ',')
				}
				out = f.quote(out, string(text))
			}
			return append(out, ']')
		},
		func() (all []T) {
			for f.expect("["); f.err == nil && !f.skip("]"); {
				if len(all) > 0 {
					f.expect(",")
				}
				all = append(all, T(f.unquote()))
			}
			return all
		})
}

func merged(options []Option) (all Option) {
	for _, o := range options {
		all |= o
	}
	return all
}

// pass does with a field what is asked for.
func pass[T any](f *Fields, name, kind string, options []Option, v *T, zero bool, write func(out []byte) []byte, read func() T) {
	optional := merged(options)&Optional != 0
	f.at++
	switch {
	case f.err != nil:
	case f.describes != nil:
		*f.describes = append(*f.describes, Field{name, kind, merged(options)})
	case f.renew != nil:
	case f.reads:
		f.name = name
		begin := ","
		if strings.HasPrefix(f.in, "{") {
			begin = "{"
		}
		switch {
		case f.skip(begin + `"` + name + `":`):
			*v = read()
		case optional:
		default:
			f.fail(errors.New("it is not where it should be"))
		}
	case optional && zero:
	default:
		begin := byte(',')
		if len(f.out) == 0 {
			begin = '{'
		}
		if optional {
			f.last = f.at
		}
		f.name = name
		f.out = write(append(append(append(f.out, begin, '"'), name...), '"', ':'))
	}
}

func (f *Fields) fail(err error) { f.err = fmt.Errorf("%s: %w", f.name, err) }

// skip consumes text if it comes next.
func (f *Fields) skip(text string) (is bool) {
	f.in, is = strings.CutPrefix(f.in, text)
	return is
}

func (f *Fields) expect(text string) {
	if !f.skip(text) && f.err == nil {
		f.fail(fmt.Errorf("no %s", text))
	}
}

// token reads up to where a value ends.
func (f *Fields) token() string {
	end := strings.IndexAny(f.in, ",}]")
	if end < 0 {
		end = len(f.in)
	}
	token := f.in[:end]
	f.in = f.in[end:]
	return token
}

func (f *Fields) integer() int64 {
	n, err := strconv.ParseInt(f.token(), 10, 64)
	if err != nil {
		f.fail(errors.New("no number"))
	}
	return n
}

func (f *Fields) bytes() []byte {
	read, err := hex.DecodeString(f.unquote())
	if err != nil && f.err == nil {
		f.fail(errors.New("no bytes"))
	}
	if len(read) == 0 {
		return nil
	}
	return read
}

const escaped = "\b\f\n\r\t\"\\"

// quote writes a text as SQLite's json_quote does.
func (f *Fields) quote(out []byte, text string) []byte {
	if !utf8.ValidString(text) && f.err == nil {
		f.fail(errors.New("a text that is not UTF-8"))
	}
	out = append(out, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte(escaped, c) >= 0:
			out = append(out, '\\', `bfnrt"\`[strings.IndexByte(escaped, c)])
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// unquote reads what quote wrote. Whether it was written so shows when it is written again.
func (f *Fields) unquote() string {
	f.expect(`"`)
	end := strings.IndexAny(f.in, `"\`)
	if end >= 0 && f.in[end] == '"' { // the usual case
		text := f.in[:end]
		f.in = f.in[end+1:]
		return text
	}
	var text []byte
	for f.err == nil {
		switch {
		case f.in == "":
			f.fail(errors.New("a text without an end"))
		case f.skip(`"`):
			return string(text)
		case strings.HasPrefix(f.in, `\u`) && len(f.in) >= 6:
			c, err := strconv.ParseUint(f.in[2:6], 16, 7)
			if err != nil {
				f.fail(errors.New("a text that is none"))
			}
			text = append(text, byte(c))
			f.in = f.in[6:]
		case f.in[0] == '\\' && len(f.in) > 1:
			at := strings.IndexByte(`bfnrt"\`, f.in[1])
			if at < 0 {
				f.fail(errors.New("a text that is none"))
				break
			}
			text = append(text, escaped[at])
			f.in = f.in[2:]
		default:
			text = append(text, f.in[0])
			f.in = f.in[1:]
		}
	}
	return ""
}
