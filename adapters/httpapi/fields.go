package httpapi

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// A request body is a struct whose fields are members; the json tag names the member, the validate tag says what its
// syntax must be, and its type what the domain makes of it. A command is made of a body of which nothing was refused.
type field interface {
	state() *member
	// read takes the member's JSON, which is not null, or reports that its type is another.
	read(raw json.RawMessage) bool
	// content is what the validate tag is about.
	content() string
	// parse has the domain read a member that is given, not null and right in its syntax.
	parse() error
}

// member is what a body has under one name.
type member struct {
	given   bool
	literal string // a string's content, a number's literal
}

func (m *member) state() *member  { return m }
func (m *member) content() string { return m.literal }
func (m *member) parse() error    { return nil }

func (m *member) readString(raw json.RawMessage) bool {
	text, ok := unquote(raw)
	if ok {
		m.literal = text
	}
	return ok
}

func (m *member) readNumber(raw json.RawMessage) bool {
	m.literal = string(raw)
	return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// The types of JSON that a member can have.
type (
	// text is a JSON string, taken as it is.
	text struct{ member }
	// trimmed is a JSON string, checked without the spaces around it.
	trimmed struct{ member }
	// flag is the JSON number 0 or 1.
	flag struct{ member }
	// amount is a JSON number, or a JSON string that holds one.
	amount struct{ member }
)

func (t *text) read(raw json.RawMessage) bool    { return t.readString(raw) }
func (t *trimmed) read(raw json.RawMessage) bool { return t.readString(raw) }
func (t *trimmed) content() string               { return strings.TrimSpace(t.literal) }
func (a *amount) read(raw json.RawMessage) bool  { return a.readString(raw) || a.readNumber(raw) }

// read accepts any way to write the two numbers: some clients send 1.0.
func (f *flag) read(raw json.RawMessage) bool {
	if !f.readNumber(raw) {
		return false
	}
	if n, err := credit.Parse(f.literal); err == nil {
		f.literal = n.String()
	}
	return true
}

// parsed is what the domain makes of a member, the zero value where it is absent or null.
type parsed[T any] struct{ value T }

func (p *parsed[T]) set(value T, err error) error {
	p.value = value
	return err
}

// description is a text about somebody.
type description struct {
	trimmed
	parsed[profile.Text]
}

// change is nil for an absent member, which leaves a text alone, and a pointer to an
// empty text for null, which clears it.
func (d *description) change() *profile.Text {
	if !d.given {
		return nil
	}
	return &d.value
}

// What members mean.
type (
	username struct {
		text
		parsed[profile.Username]
	}
	password struct {
		text
		parsed[profile.Secret]
	}
	resellerPassword struct{ password }
	linePassword     struct{ password }
	shortText        struct{ description }
	requiredText     struct{ description }
	email            struct{ description }
	notes            struct{ description }
	credits          struct {
		amount
		parsed[credit.Amount]
	}
	positiveCredits struct{ credits }
	price           struct {
		amount
		parsed[credit.Price]
	}
)

func (m *username) parse() error { return m.set(profile.ParseUsername(m.literal)) }
func (m *resellerPassword) parse() error {
	return m.set(profile.ParsePassword(m.literal, reseller.MinPassword))
}
func (m *linePassword) parse() error {
	return m.set(profile.ParsePassword(m.literal, line.MinPassword))
}
func (m *shortText) parse() error       { return m.set(profile.ParseText(m.literal)) }
func (m *requiredText) parse() error    { return m.set(profile.ParseRequired(m.literal)) }
func (m *email) parse() error           { return m.set(profile.ParseEmail(m.literal)) }
func (m *notes) parse() error           { return m.set(profile.ParseNotes(m.literal)) }
func (m *credits) parse() error         { return m.set(credit.Parse(m.literal)) }
func (m *positiveCredits) parse() error { return m.set(credit.ParsePositive(m.literal)) }
func (m *price) parse() error           { return m.set(credit.ParsePrice(m.literal)) }

// syntax is safe for concurrent use.
var syntax = validator.New()

// syntaxFaults says what a broken validate tag is called.
var syntaxFaults = map[string]*fault.Fault{
	"required":           profile.ErrEmpty,
	"email":              fault.New(fault.Invalid, "bad-email", "This is not an e-mail address."),
	"bcp47_language_tag": fault.New(fault.Invalid, "bad-language", "This is not a language tag (BCP 47)."),
	"oneof":              fault.New(fault.Invalid, "bad-value", "This must be 0 or 1."),
}

var errWrongType = fault.New(fault.Invalid, "wrong-type", "This has the wrong JSON type.")

// shape is what the tags of a body's members say. The first word of a validate tag may be of our own: required, or
// notnull for a member that may be left out but not cleared.
type shape struct {
	names       []string
	required    []bool
	notNull     []bool
	rest        []string // of the validate tag, for the validator
	requiresAny bool
}

// shapes has the shape of each type of a body, once it was seen.
var shapes sync.Map

func shapeOf(body reflect.Type) *shape {
	if known, ok := shapes.Load(body); ok {
		return known.(*shape)
	}
	s := &shape{}
	for i := range body.NumField() {
		tag := body.Field(i).Tag
		first, rest, _ := strings.Cut(tag.Get("validate"), ",")
		if first != "required" && first != "notnull" {
			rest = tag.Get("validate")
		}
		s.names = append(s.names, tag.Get("json"))
		s.required = append(s.required, first == "required")
		s.notNull = append(s.notNull, first == "notnull")
		s.rest = append(s.rest, rest)
		s.requiresAny = s.requiresAny || first == "required"
	}
	shapes.Store(body, s)
	return s
}

// bind fills body, a pointer to a struct of members, or refuses every field that is invalid. Names match exactly, with
// case; members that body does not have are ignored.
func bind(given members, body any) error {
	fields := reflect.ValueOf(body).Elem()
	s := shapeOf(fields.Type())
	f := &form{order: s.names}
	for i, name := range s.names {
		f.refuse(name, fill(fields.Field(i).Addr().Interface().(field), given, s, i))
	}
	return f.err()
}

// fill gives the member i of a shape its JSON and returns the first that is wrong with it.
func fill(m field, given members, s *shape, i int) error {
	raw, found := given.get([]byte(s.names[i]))
	m.state().given = found
	if !found || string(raw) == "null" {
		if s.required[i] || found && s.notNull[i] {
			return syntaxFaults["required"]
		}
		return nil
	}
	if !m.read(raw) {
		return errWrongType
	}
	content := m.content()
	if content == "" && s.required[i] {
		return syntaxFaults["required"]
	}
	if s.rest[i] != "" {
		var broken validator.ValidationErrors
		if errors.As(syntax.Var(content, s.rest[i]), &broken) {
			return syntaxFaults[broken[0].Tag()]
		}
	}
	return m.parse()
}

// requiresAny reports whether a member of body is required.
func requiresAny(body any) bool { return shapeOf(reflect.TypeOf(body).Elem()).requiresAny }
