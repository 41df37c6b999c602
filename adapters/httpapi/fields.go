package httpapi

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// A request body is a struct whose fields are members; the json tag names the
// member, the validate tag says what its syntax must be. What a value means is
// the domain's to parse.
type member struct {
	name  string
	given bool
	null  bool
	value string // a string's content, a number's literal
}

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

// reader is what every kind of member can do: take the member's JSON, which is
// not null, or report that its type is another.
type reader interface {
	read(raw json.RawMessage) bool
	state() *member
}

func (m *member) state() *member { return m }

func (m *member) readString(raw json.RawMessage) bool {
	return raw[0] == '"' && json.Unmarshal(raw, &m.value) == nil
}

func (m *member) readNumber(raw json.RawMessage) bool {
	m.value = string(raw)
	return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

func (t *text) read(raw json.RawMessage) bool    { return t.readString(raw) }
func (t *trimmed) read(raw json.RawMessage) bool { return t.readString(raw) }
func (a *amount) read(raw json.RawMessage) bool  { return a.readString(raw) || a.readNumber(raw) }

// read accepts any way to write the two numbers: some clients send 1.0.
func (f *flag) read(raw json.RawMessage) bool {
	if !f.readNumber(raw) {
		return false
	}
	if n, err := credit.Parse(f.value); err == nil {
		f.value = n.String()
	}
	return true
}

// syntax is safe for concurrent use once it is made.
var syntax = newSyntax()

func newSyntax() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("json") })
	v.RegisterCustomTypeFunc(func(field reflect.Value) any {
		switch m := field.Interface().(type) {
		case trimmed:
			return m.content(strings.TrimSpace(m.value))
		case text:
			return m.content(m.value)
		case flag:
			return m.content(m.value)
		case amount:
			return m.content(m.value)
		}
		return nil
	}, text{}, trimmed{}, flag{}, amount{})
	return v
}

// content is nil for a member that is absent or null.
func (m member) content(value string) any {
	if !m.given || m.null {
		return nil
	}
	return value
}

// syntaxFaults says what a broken validate tag is called.
var syntaxFaults = map[string]*fault.Fault{
	"required":           profile.ErrEmpty,
	"email":              fault.New(fault.Invalid, "bad-email", "This is not an e-mail address."),
	"bcp47_language_tag": fault.New(fault.Invalid, "bad-language", "This is not a language tag (BCP 47)."),
	"oneof":              fault.New(fault.Invalid, "bad-value", "This must be 0 or 1."),
}

var errWrongType = fault.New(fault.Invalid, "wrong-type", "This has the wrong JSON type.")

// violation is an invalid value: of the member at Pointer, or of the query
// parameter Parameter.
type violation struct {
	Pointer   string `json:"pointer,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Code      string `json:"code"`
	Detail    string `json:"detail"`
}

// form collects every invalid field of a body, or value of a query, the first
// fault of each.
type form struct {
	query  bool
	order  []string
	faults map[string]error
}

func (f *form) refuse(name string, err error) {
	if f.faults[name] == nil {
		f.faults[name] = err
	}
}

// bind fills body, a pointer to a struct of members, and checks its syntax.
// Names match exactly, with case; members that body does not have are ignored.
func bind(members map[string]json.RawMessage, body any) *form {
	f := &form{faults: map[string]error{}}
	fields := reflect.ValueOf(body).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Tag.Get("json")
		f.order = append(f.order, name)
		r := fields.Field(i).Addr().Interface().(reader)
		state := r.state()
		state.name = name
		raw, given := members[name]
		if !given {
			continue
		}
		state.given = true
		if state.null = string(raw) == "null"; !state.null && !r.read(raw) {
			f.refuse(name, errWrongType)
		}
	}
	var broken validator.ValidationErrors
	if errors.As(syntax.Struct(body), &broken) {
		for _, b := range broken {
			f.refuse(b.Field(), syntaxFaults[b.Tag()])
		}
	}
	return f
}

// requiresAny reports whether a member of body is required.
func requiresAny(body any) bool {
	fields := reflect.TypeOf(body).Elem()
	for i := range fields.NumField() {
		if strings.HasPrefix(fields.Field(i).Tag.Get("validate"), "required") {
			return true
		}
	}
	return false
}

// parse returns what the domain makes of a member that is given, the zero value
// of one that is not or that is known to be invalid.
func parse[T any](f *form, m reader, domain func(string) (T, error)) T {
	state := m.state()
	var none T
	if !state.given || state.null || f.faults[state.name] != nil {
		return none
	}
	v, err := domain(state.value)
	if err != nil {
		f.refuse(state.name, err)
		return none
	}
	return v
}

// change returns nil for an absent member, which leaves a text alone, and a
// pointer to an empty text for null, which clears it.
func change(f *form, m reader, domain func(string) (profile.Text, error)) *profile.Text {
	if !m.state().given {
		return nil
	}
	v := parse(f, m, domain)
	return &v
}

// err returns nil, or a refusal that names every invalid field. A price that is
// not sold has a code of its own where it is all that is wrong.
func (f *form) err() error {
	if len(f.faults) == 0 {
		return nil
	}
	invalid := &invalidFields{fault: errValidation}
	for _, name := range f.order {
		err := f.faults[name]
		if err == nil {
			continue
		}
		var known *fault.Fault
		if !errors.As(err, &known) {
			return err
		}
		if errors.Is(err, credit.ErrUnknownPrice) {
			invalid.prices = credit.Prices()
		}
		v := violation{Code: known.Code(), Detail: err.Error()}
		if f.query {
			v.Parameter = name
		} else {
			v.Pointer = "/" + name
		}
		invalid.violations = append(invalid.violations, v)
	}
	if invalid.prices != nil && len(invalid.violations) == 1 {
		invalid.fault = credit.ErrUnknownPrice
	}
	return invalid
}

// invalidFields refuses a request for its fields.
type invalidFields struct {
	fault      *fault.Fault
	violations []violation
	prices     []credit.Price // where a price is not sold
}

func (e *invalidFields) Error() string { return e.fault.Error() }
func (e *invalidFields) Unwrap() error { return e.fault }
