package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// object reads a JSON object strictly: one value and nothing after it, names unique at every depth once unescaped,
// valid UTF-8 and no lone surrogates. It returns the members as they were written.
func object(raw []byte) (map[string]json.RawMessage, error) {
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
	if name, found := duplicateName(raw); found {
		return nil, malformed(fmt.Sprintf("The name %q stands twice in one object.", name))
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, malformed("The body is not one well-formed JSON value.")
	}
	return members, nil
}

// duplicateName returns a member name that an object in valid JSON holds twice.
func duplicateName(raw []byte) (string, bool) {
	type level struct {
		names map[string]bool // nil in an array
		value bool            // a value comes next, not a name
	}
	var open []level
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", false // the end: the JSON is known to be valid
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if last := len(open) - 1; last >= 0 && open[last].names != nil {
			if name, isName := token.(string); isName && !open[last].value {
				if open[last].names[name] {
					return name, true
				}
				open[last].names[name] = true
				open[last].value = true
				continue
			}
			open[last].value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		}
	}
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
