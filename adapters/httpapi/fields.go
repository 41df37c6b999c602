package httpapi

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-playground/validator/v10"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/message"
	"resellerd/domain/plan"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// A request body is a struct whose fields are members. The json tag names the member, the validate tag defines its
// syntax, and its type determines how the domain parses it. A command is built from a body only if all members are
// valid.
type field interface {
	state() *member
	// typed reports whether a present member that is not null has the right type.
	typed() bool
	// wants names the accepted types, and sent the type of the member.
	wants() string
	sent() string
	// content returns the text that the validate tag checks.
	content() string
	// parse parses a present member that is not null and has valid syntax, with the domain's parser.
	parse() error
}

// member is the value of one name in a body.
type member struct {
	kind    jsontext.Kind // 0 if it is absent
	literal string        // a string's content, a number's literal
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It accepts any type, so that bind can refuse all faults at once.
func (m *member) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	m.kind = d.PeekKind()
	if m.kind != jsontext.KindString && m.kind != jsontext.KindNumber {
		return d.SkipValue()
	}
	token, err := d.ReadToken()
	if err == nil {
		m.literal = token.String()
	}
	return err
}

// readInto reads a member into value if it has this type, and skips it otherwise.
func (m *member) readInto(value any, kind jsontext.Kind, d *jsontext.Decoder) error {
	if m.kind = d.PeekKind(); m.kind != kind {
		return d.SkipValue()
	}
	return json.UnmarshalDecode(d, value)
}

func (m *member) state() *member  { return m }
func (m *member) content() string { return m.literal }
func (m *member) parse() error    { return nil }
func (m *member) sent() string    { return kinds[m.kind] }

// The types of JSON that a member can have.
type (
	// text is a JSON string, unchanged.
	text struct{ member }
	// trimmed is a JSON string, checked without the spaces around it.
	trimmed struct{ member }
	// flag is the JSON number 0 or 1.
	flag struct{ member }
	// amount is a JSON number, or a JSON string with a number.
	amount struct{ member }
	// number is a JSON number.
	number struct{ member }
	// boolean is true or false.
	boolean struct {
		member
		parsed[*bool]
	}
)

func (t *text) typed() bool        { return t.kind == jsontext.KindString }
func (t *trimmed) typed() bool     { return t.kind == jsontext.KindString }
func (t *trimmed) content() string { return strings.TrimSpace(t.literal) }
func (f *flag) typed() bool        { return f.kind == jsontext.KindNumber }
func (n *number) typed() bool      { return n.kind == jsontext.KindNumber }
func (b *boolean) typed() bool     { return b.kind == jsontext.KindTrue || b.kind == jsontext.KindFalse }
func (a *amount) typed() bool      { return a.kind == jsontext.KindString || a.kind == jsontext.KindNumber }

func (*text) wants() string    { return "a text in quotes" }
func (*trimmed) wants() string { return "a text in quotes" }
func (*flag) wants() string    { return "the number 0 or 1" }
func (*number) wants() string  { return "a number" }
func (*boolean) wants() string { return "true or false" }
func (*amount) wants() string  { return "a number, or a text in quotes with a number" }

// content accepts any notation of the two numbers: some clients send 1.0.
func (f *flag) content() string {
	if n, err := credit.Parse(f.literal); err == nil {
		return n.String()
	}
	return f.literal
}

func (b *boolean) parse() error {
	is := b.kind == jsontext.KindTrue
	return b.set(&is, nil)
}

// whole returns a whole number from 0 to most. It accepts any notation, as flag does.
func (n *number) whole(most int64) (int64, error) {
	whole, err := strconv.ParseInt(n.literal, 10, 64)
	if err != nil {
		var f float64
		f, err = strconv.ParseFloat(n.literal, 64)
		if whole = int64(min(f, float64(most)+1)); err == nil && float64(whole) != f {
			err = strconv.ErrSyntax
		}
	}
	if err == nil && (whole < 0 || whole > most) {
		err = strconv.ErrRange
	}
	return whole, err
}

// parsed is the parsed value of a member, the zero value if it is absent or null.
type parsed[T any] struct{ value T }

func (p *parsed[T]) set(value T, err error) error {
	p.value = value
	return err
}

// description is a text about a reseller or a customer.
type description struct {
	trimmed
	parsed[profile.Text]
}

// change returns nil for an absent member, which changes nothing, and a pointer to an empty text for null, which clears
// the text.
func (d *description) change() *profile.Text {
	if d.kind == 0 {
		return nil
	}
	return &d.value
}

// changesOf sets the changed texts of a table from a body, a pointer to a struct of members.
func changesOf(body any, texts []profile.Member[*profile.Text]) {
	fields := reflect.ValueOf(body).Elem()
	for _, m := range shapeOf(fields.Type()) {
		for _, text := range texts {
			if text.Name == m.name {
				*text.At = fields.FieldByIndex(m.index).Addr().Interface().(interface{ change() *profile.Text }).change()
			}
		}
	}
}

// The members by meaning.
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
	server           struct{ description } // the address where customers sign in
	apps             struct{ description } // which app to use
	template         struct{ description } // of a message
	reason           struct{ description } // for accounts that may manage the line, or the reseller
	// linesChoice is run or suspend: whether a block suspends lines.
	linesChoice struct {
		text
		parsed[bool]
	}
	credits struct {
		amount
		parsed[credit.Amount]
	}
	positiveCredits struct{ credits }
	// price is a number of credits that a plan may cost.
	price struct {
		amount
		parsed[plan.Request]
	}
)

// container is the common part of an array and an object of strings.
type container struct {
	member
	other string // the type of an element that is not a string
}

// element returns an element of the container, "" if it is not a string.
func (m *container) element(value any) string {
	text, is := value.(string)
	if !is {
		m.other = typeOf(value)
	}
	return text
}

func (m *container) sent() string {
	if m.other != "" {
		return "one with " + m.other
	}
	return m.member.sent()
}

// list is a JSON array of strings.
type list struct {
	container
	elements []string
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *list) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var elements []any
	err := m.readInto(&elements, jsontext.KindBeginArray, d)
	for _, element := range elements {
		m.elements = append(m.elements, m.element(element))
	}
	return err
}

// typeOf names the type of a JSON value that is not a string.
func typeOf(value any) string {
	switch value := value.(type) {
	case bool:
		return strconv.FormatBool(value)
	case float64:
		return kinds[jsontext.KindNumber]
	case []any:
		return kinds[jsontext.KindBeginArray]
	case map[string]any:
		return kinds[jsontext.KindBeginObject]
	}
	return kinds[jsontext.KindNull]
}

func (m *list) typed() bool { return m.kind == jsontext.KindBeginArray && m.other == "" }
func (*list) wants() string { return "an array of texts in quotes" }

// metadata is a JSON object of strings.
type metadata struct {
	container
	parsed[line.Metadata]
	members map[string]string
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. A duplicate name was refused with the body.
func (m *metadata) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var values map[string]any
	err := m.readInto(&values, jsontext.KindBeginObject, d)
	m.members = map[string]string{}
	for name, value := range values {
		m.members[name] = m.element(value)
	}
	return err
}

func (m *metadata) typed() bool { return m.kind == jsontext.KindBeginObject && m.other == "" }
func (*metadata) wants() string { return "an object of texts in quotes" }

// change returns nil for an absent member, and a pointer to empty metadata for null.
func (m *metadata) change() *line.Metadata {
	if m.kind == 0 {
		return nil
	}
	return &m.value
}

func (m *username) parse() error { return m.set(profile.NewUsername(m.literal)) }
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
func (m *server) parse() error          { return m.set(message.ParseServer(m.literal)) }
func (m *apps) parse() error            { return m.set(message.ParseApps(m.literal)) }
func (m *template) parse() error        { return m.set(message.ParseTemplate(m.literal)) }
func (m *reason) parse() error          { return m.set(profile.ParseReason(m.literal)) }
func (m *credits) parse() error         { return m.decimals(m.set(credit.Parse(m.literal))) }
func (m *positiveCredits) parse() error { return m.decimals(m.set(credit.ParsePositive(m.literal))) }
func (m *metadata) parse() error        { return m.set(line.ParseMetadata(m.members)) }
func (m *price) parse() (err error)     { return m.set(m.request(credit.Parse(m.literal))) }

// request returns the request for a price of so many credits. A number that is no amount is a price that no plan has.
func (a *amount) request(credits credit.Amount, err error) (plan.Request, error) {
	r := plan.Request{Credits: &credits}
	if errors.Is(err, credit.ErrNotANumber) {
		return r, err
	}
	if short := a.short(); short != "" {
		r.Hint = fmt.Sprintf("Send the amount as a text: %q.", short)
	}
	return r, nil
}

// decimals adds the short number that a client probably meant to the refusal of a number with too many decimal places.
// Nothing is rounded: the client decides.
func (a *amount) decimals(err error) error {
	short := a.short()
	if !errors.Is(err, credit.ErrDecimalPlaces) || short == "" {
		return err
	}
	return credit.ErrDecimalPlaces.WithDetail("%s Send the amount as a text: %q.", err, short)
}

// short returns the short number that a client probably meant, if it sent the long binary fraction that its language
// made of that number, as PHP does, and "" otherwise.
func (a *amount) short() string {
	sent, wrong := strconv.ParseFloat(a.literal, 64)
	short := strconv.FormatFloat(sent, 'f', credit.Scale, 64)
	near, _ := strconv.ParseFloat(short, 64)
	if a.kind != jsontext.KindNumber || wrong != nil || len(a.literal) < len("0.000000000000") ||
		math.Abs(sent-near) > 1e-9*near {
		return ""
	}
	return strings.TrimRight(strings.TrimRight(short, "0"), ".")
}

// syntax is safe for concurrent use.
var syntax = validator.New()

// syntaxFaults are the refusals for validate tags.
var syntaxFaults = map[string]*fault.Fault{
	"required":           profile.ErrEmpty,
	"email":              fault.New(fault.Invalid, "bad-email", "This is not an e-mail address."),
	"bcp47_language_tag": fault.New(fault.Invalid, "bad-language", "This is not a language tag (BCP 47)."),
	"oneof":              fault.New(fault.Invalid, "bad-value", "This must be 0 or 1."),
}

var (
	errWrongType = fault.New(fault.Invalid, "wrong-type", "This has the wrong JSON type.")
	errMissing   = profile.ErrEmpty.WithDetail("This is required.")
)

// shape has the parsed tags of a body's members.
type shape []syntaxOf

// syntaxOf has the parsed tags of a member. The first word of a validate tag may be one of this package: required;
// given, for a member that must be present but may be null; notnull, for one that may be absent but not null; or
// either, of which a body needs one: without any, the first is required.
type syntaxOf struct {
	name                             string
	index                            []int // of its field, which may be one of an embedded struct
	required, given, notNull, either bool
	rest                             string // of the validate tag, for the validator
}

// shapes caches the shape of each type of a body.
var shapes sync.Map

func shapeOf(body reflect.Type) shape {
	if known, ok := shapes.Load(body); ok {
		return known.(shape)
	}
	var s shape
	for _, f := range reflect.VisibleFields(body) {
		m := syntaxOf{name: f.Tag.Get("json"), index: f.Index, rest: f.Tag.Get("validate")}
		first, rest, _ := strings.Cut(m.rest, ",")
		switch first {
		case "required":
			m.required, m.given, m.notNull, m.rest = true, true, true, rest
		case "given":
			m.given, m.rest = true, rest
		case "notnull":
			m.notNull, m.rest = true, rest
		case "either":
			m.either, m.rest = true, rest
		}
		if !f.Anonymous {
			s = append(s, m)
		}
	}
	shapes.Store(body, s)
	return s
}

// bind parses the members of body, a pointer to a struct of members, with the domain's parsers, or refuses every
// invalid field.
func bind(body any) error {
	fields := reflect.ValueOf(body).Elem()
	var f form
	all := shapeOf(fields.Type())
	lacks := !slices.ContainsFunc(all, func(m syntaxOf) bool {
		return m.either && fields.FieldByIndex(m.index).Addr().Interface().(field).state().isGiven()
	})
	for _, m := range all {
		if m.either && lacks {
			m.required, m.given, lacks = true, true, false
		}
		f.refuse(m.name, check(fields.FieldByIndex(m.index).Addr().Interface().(field), m))
	}
	if w, is := body.(whole); is {
		w.check(&f)
	}
	return f.err()
}

// whole is a body that also checks some members together.
type whole interface{ check(f *form) }

// check parses a member and returns its first fault.
func check(m field, of syntaxOf) error {
	kind := m.state().kind
	switch {
	case kind == 0 && of.given:
		return errMissing
	case kind == jsontext.KindNull && of.required:
		return profile.ErrEmpty.WithDetail("This is required and must not be null.")
	case kind == jsontext.KindNull && of.notNull:
		return profile.ErrEmpty.WithDetail("This must not be null; it may be left out.")
	case kind == 0 || kind == jsontext.KindNull:
		return nil
	case !m.typed():
		return errWrongType.WithDetail("This must be %s, not %s.", m.wants(), m.sent())
	}
	content := m.content()
	if content == "" && kind == jsontext.KindString && of.required {
		return syntaxFaults["required"]
	}
	if of.rest != "" {
		if broken, is := errors.AsType[validator.ValidationErrors](syntax.Var(content, of.rest)); is {
			return syntaxFaults[broken[0].Tag()]
		}
	}
	return m.parse()
}

// requiresAny reports whether a member of body is required.
func requiresAny(body any) bool {
	for _, m := range shapeOf(reflect.TypeOf(body).Elem()) {
		if m.given || m.either {
			return true
		}
	}
	return false
}
