package httpapi

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"resellerd/adapters/spelling"
	"resellerd/domain/fault"
)

// errUnknownMember refuses an unknown member that is probably a misspelling of an absent one, in operations beyond the
// contract. Other unknown members are ignored: clients send whole records back, and no record has a name that is near
// to an absent one.
var errUnknownMember = fault.New(fault.Invalid, "unknown-member", "No member has this name.")

// mostNames is the number of members of an object in which misspellings are searched. It bounds the cost of a refusal.
const mostNames = 100

// isNear reports whether a name is probably a misspelling of another: both have the same letters, few letters differ,
// or it is the beginning of the other, such as user.
func isNear(sent, known string) bool {
	if len(sent) > 2*len(known)+8 {
		return false
	}
	sent, known = spelling.Letters(sent), spelling.Letters(known)
	return sent == known || len(sent) >= 4 && strings.HasPrefix(known, sent) || len(known) >= 4 &&
		spelling.Distance(sent, known) <= len(known)/3
}

// misnamed is a member that a body has instead of an absent one.
type misnamed struct {
	at   string // JSON Pointer to the object, "" for the body itself
	sent string
	name string
}

// isMisspelt reports whether the two names differ only in case, _ and -, or in few letters.
func (m misnamed) isMisspelt() bool { return spelling.Suggest(m.sent, []string{m.name}) != "" }

// Error implements error, with a bounded part of the client's name.
func (m misnamed) Error() string { return fmt.Sprintf("%.64q is not %q.", m.sent, m.name) }

// misnamedOf finds the members of a body, a pointer to a struct of members, whose names are probably misspellings of
// absent ones.
func misnamedOf(raw []byte, body any, at string) (found []misnamed) {
	names, values := namesOf(raw)
	fields := reflect.ValueOf(body).Elem()
	shape := shapeOf(fields.Type())
	known := func(name string) bool {
		return slices.ContainsFunc(shape, func(m syntaxOf) bool { return m.name == name })
	}
	for _, m := range shape {
		if sent := slices.Index(names, m.name); sent >= 0 {
			if object, is := fields.FieldByIndex(m.index).Addr().Interface().(interface{ body() any }); is &&
				values[sent].Kind() == jsontext.KindBeginObject {
				found = append(found, misnamedOf(values[sent], object.body(), at+"/"+m.name)...)
			}
			continue
		}
		sent := slices.IndexFunc(names, func(sent string) bool { return !known(sent) && isNear(sent, m.name) })
		if sent >= 0 {
			found = append(found, misnamed{at, names[sent], m.name})
		}
	}
	return found
}

// namesOf returns the names of the members of an object, and their values.
func namesOf(raw []byte) (names []string, values []jsontext.Value) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil, nil
	}
	for d.PeekKind() == jsontext.KindString && len(names) < mostNames {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		text := name.String()
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		names, values = append(names, text), append(values, value.Clone())
	}
	return names, values
}

// nameMembers adds the probably misspelt members to the refusal of a body. With strict, it refuses a valid body that
// has one.
func nameMembers(raw []byte, body any, strict bool, err error) error {
	invalid, is := err.(*invalidFields) //nolint:errorlint // what bind returns
	if err != nil && !is {
		return err
	}
	f := form{}
	for _, m := range misnamedOf(raw, body, "") {
		if err == nil {
			if strict && m.isMisspelt() {
				f.refuse(strings.TrimPrefix(m.at+"/"+pointerTo.Replace(m.sent), "/"), errUnknownMember.WithDetail("%s", m.Error()))
			}
			continue
		}
		at := slices.IndexFunc(invalid.violations, func(v violation) bool { return v.Pointer == m.at+"/"+m.name })
		if at >= 0 {
			invalid.violations[at].Detail += " " + m.Error()
		} else {
			invalid.also = append(invalid.also, m.Error())
		}
	}
	if err == nil {
		return f.err()
	}
	return err
}

// pointerTo escapes a name in a JSON Pointer (RFC 6901).
var pointerTo = strings.NewReplacer("~", "~0", "/", "~1")
