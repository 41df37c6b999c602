package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// members are those of a JSON object, as they were written.
type members []namedValue

type namedValue struct {
	name  []byte // unescaped
	value json.RawMessage
}

// get returns the value of a member, and whether there is one. Bodies have few.
func (m members) get(name []byte) (json.RawMessage, bool) {
	for i := range m {
		if bytes.Equal(m[i].name, name) {
			return m[i].value, true
		}
	}
	return nil, false
}

// object reads a JSON object strictly: one value and nothing after it, names unique at every depth once unescaped,
// valid UTF-8 and no lone surrogates. It returns the members, which are parts of raw.
func object(raw []byte) (members, error) {
	switch {
	case len(raw) == 0:
		return nil, malformed("The body is empty; a JSON object is required.")
	case !utf8.Valid(raw):
		return nil, malformed("The body is not valid UTF-8.")
	case !json.Valid(raw):
		return nil, malformed("The body is not one well-formed JSON value.")
	case bytes.TrimLeft(raw, " \t\r\n")[0] != '{':
		return nil, malformed("The body is not a JSON object.")
	case hasLoneSurrogate(raw):
		return nil, malformed("A string in the body holds half of a surrogate pair.")
	}
	s := scan{raw: raw}
	found := s.object(make(members, 0, 8))
	if s.twice {
		return nil, malformed(fmt.Sprintf("The name %q stands twice in one object.", s.name))
	}
	return found, nil
}

// scan walks through valid JSON, as deep as json.Valid lets it be, until an object has a name twice.
type scan struct {
	raw   []byte
	at    int
	twice bool
	name  []byte // that stands twice
}

// next returns the first byte of the next token, which separators come before.
func (s *scan) next() byte {
	for {
		switch c := s.raw[s.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			return c
		}
	}
}

// fewNames is up to how many names are compared one by one.
const fewNames = 16

// object reads an object to its end, into members.
func (s *scan) object(found members) members {
	var many map[string]bool
	s.next()
	s.at++
	for s.next() != '}' {
		name := s.string()
		_, known := found[:min(len(found), fewNames)].get(name)
		if known || many[string(name)] {
			s.twice, s.name = true, name
			return nil
		}
		if len(found) >= fewNames {
			if many == nil {
				many = map[string]bool{}
			}
			many[string(name)] = true
		}
		s.next()
		from := s.at
		s.value()
		if s.twice {
			return nil
		}
		found = append(found, namedValue{name, s.raw[from:s.at:s.at]})
	}
	s.at++
	return found
}

// value reads a value to its end.
func (s *scan) value() {
	switch s.next() {
	case '{':
		s.object(nil)
	case '[':
		for s.at++; !s.twice && s.next() != ']'; {
			s.value()
		}
		s.at++
	case '"':
		s.skipString()
	default:
		s.at += bytes.IndexAny(s.raw[s.at:], " \t\r\n,:]}") // a number or a word: the object around it has an end
	}
}

// skipString reads a string to its end and reports whether it has an escape in it.
func (s *scan) skipString() (escaped bool) {
	for s.at++; s.raw[s.at] != '"'; s.at++ {
		if s.raw[s.at] == '\\' {
			escaped = true
			s.at++
		}
	}
	s.at++
	return escaped
}

// string reads a string.
func (s *scan) string() []byte {
	from := s.at
	if !s.skipString() {
		return s.raw[from+1 : s.at-1]
	}
	text, _ := unquote(s.raw[from:s.at])
	return []byte(text)
}

// unquote returns what a JSON value says that is a string, and reports whether it is one.
func unquote(raw []byte) (text string, ok bool) {
	switch {
	case raw[0] != '"':
		return "", false
	case bytes.IndexByte(raw, '\\') < 0:
		return string(raw[1 : len(raw)-1]), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

// hasLoneSurrogate reports whether valid JSON escapes half of a surrogate pair, which encoding/json would silently turn
// into U+FFFD. A backslash stands in strings only, and \u is followed by four hexadecimal digits.
func hasLoneSurrogate(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch surrogate(raw[i-1:]) {
		case neither:
		case low:
			return true
		case high:
			if surrogate(raw[i+5:]) != low {
				return true
			}
			i += 6
		}
		i += 4
	}
	return false
}

type half int

const (
	neither half = iota
	high
	low
)

// surrogate tells which half of a pair the escape at the start of raw is.
func surrogate(raw []byte) half {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' || raw[2]|0x20 != 'd' {
		return neither
	}
	switch c := raw[3] | 0x20; { // a digit is itself under 0x20
	case c == '8' || c == '9' || c == 'a' || c == 'b':
		return high
	case c >= 'c' && c <= 'f':
		return low
	}
	return neither
}
