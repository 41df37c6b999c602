// Package record implements kinds of records, each declared once for every store: how a record is written as text, its
// key, its indexes, what is unique, what is secret, whether copies contain it. A store has texts by key, and index
// entries with keys; it knows no particular kind. The promises of stores about all kinds are in collection.go.
//
// A kind is declared in package ports, by a function that lists its fields once:
//
//	var Notes = record.Declare(record.Declaration[int64, note.Note]{
//		Name:     "note",
//		Sequence: "notes",
//		Copied:   true,
//		Audited:  true,
//		Key:      func(n *note.Note) int64 { return n.ID },
//		Fields: func(f *record.Fields, n *note.Note) {
//			record.Int(f, "id", &n.ID)
//			record.Text(f, "text", &n.Text)
//			record.Time(f, "at", &n.At)
//		},
//	})
//
// A field that is added later is Optional, and comes last. Records that were written before lack it, and stay
// unchanged. A process of a version that lacks the field reads a record without it, and keeps it when it saves the
// record: see D14.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/domain/fault"
)

// ErrDamaged marks a stored record that this program can't have written.
var ErrDamaged = errors.New("a stored record is damaged")

// ErrNewer refuses to audit, copy or reseal a record with fields that this version does not know.
var ErrNewer = errors.New("it has fields that only a newer version of this program knows")

// ErrExists refuses to insert a record under a key that another record has.
var ErrExists = fault.New(fault.Conflict, "record-exists", "There is such a record already.")

// Declaration declares a kind of records.
type Declaration[K ~string | ~int64, V any] struct {
	Name     string // in stores, permanent: lower-case letters and _
	Sequence string // of the ids that are its keys, "" if the keys come from elsewhere
	Copied   bool   // whether copies and backups contain its records
	Audited  bool   // whether an audit reads each of its records, required if they are copied
	// Shared is for records that almost every command reads, by ids. Stores cache them, also that there is none.
	// Collection.Get returns one value for equal records, which callers never change.
	Shared bool
	Key    func(v *V) K
	// Fields calls a function of this package for each field of a record, in the order in which they are written.
	Fields func(f *Fields, v *V)
}

// Kind is a kind of records without the type of its values, as stores and tools use it.
type Kind struct {
	name     string
	sequence Sequence
	copied   bool
	audited  bool
	shared   bool
	fields   []Field
	indexes  []index
	blank    func() any
	write    func(v any) (Stored, error)
	read     func(payload string) (any, error)
	examine  func(payload string) (Stored, error)
	reseal   func(payload string, renew Renew) (Stored, bool, error)
}

// Renew reseals a text under its label, and reports whether the text changed.
type Renew = func(sealed []byte, label string) (renewed []byte, changed bool, err error)

// Name returns the name of the kind in stores.
func (k *Kind) Name() string { return k.name }

// Copied reports whether copies and backups contain its records.
func (k *Kind) Copied() bool { return k.copied }

// Audited reports whether audits read its records.
func (k *Kind) Audited() bool { return k.audited }

// Shared reports whether almost every command reads records of the kind, so that stores cache them. Their keys are ids.
func (k *Kind) Shared() bool { return k.shared }

// Sequence returns the sequence of its keys, the zero value if they come from elsewhere.
func (k *Kind) Sequence() Sequence { return k.sequence }

// Fields returns its fields in the order in which they are written.
func (k *Kind) Fields() []Field { return slices.Clone(k.fields) }

// Secret reports whether any of its fields is sealed.
func (k *Kind) Secret() bool {
	return slices.ContainsFunc(k.fields, func(f Field) bool { return f.Options&Secret != 0 })
}

// Examine returns the record of this payload with its entries. The error wraps ErrDamaged if neither this program nor a
// newer version of it would write exactly these bytes.
func (k *Kind) Examine(payload string) (Stored, error) { return k.examine(payload) }

// Blank returns a pointer to an empty value of the kind, for callers that do not know its type, such as tests.
func (k *Kind) Blank() any { return k.blank() }

// Write returns the value to which v points, in its stored form.
func (k *Kind) Write(v any) (Stored, error) { return k.write(v) }

// Read returns a pointer to the value of this payload, or an error like that of Examine, or ErrNewer.
func (k *Kind) Read(payload string) (any, error) { return k.read(payload) }

// Reseal returns the record of this payload with its secrets renewed, and reports whether any of them changed. It fails
// like Read.
func (k *Kind) Reseal(payload string, renew Renew) (Stored, bool, error) {
	return k.reseal(payload, renew)
}

// Bounds returns the range of the kind's entries: from the first on, and before the second.
func (k *Kind) Bounds() (from, to string) { return bounds(k.name + "/") }

// Show names a record of the kind to people.
func (k *Kind) Show(key string) string {
	if text, rest, ok := cutText(key); ok && rest == "" {
		return k.name + " " + text
	}
	if n, rest, ok := cutInt(key); ok && rest == "" {
		return fmt.Sprintf("%s %d", k.name, n)
	}
	return fmt.Sprintf("%s %q", k.name, key)
}

// ID returns the id in a key of a kind with a sequence, 0 for any other key.
func (k *Kind) ID(key string) int64 {
	if n, rest, ok := cutInt(key); ok && rest == "" {
		return n
	}
	return 0
}

// Taken returns the error that refuses a record whose unique entry another one has.
func Taken(entry string) error {
	for _, k := range declared {
		for _, i := range k.indexes {
			if i.taken != nil && strings.HasPrefix(entry, k.name+"/"+i.name+"/") {
				return i.taken
			}
		}
	}
	return ErrExists
}

// index is an order of the records of a kind.
type index struct {
	name  string
	taken *fault.Fault // of a unique index: the refusal of a second record
}

// Of is a kind of records with values of a type.
type Of[K ~string | ~int64, V any] struct {
	*Kind
	declared Declaration[K, V]
	tuples   []func(*V) Tuple // by index
	shared   shared[V]
}

// shared are the values of the records that were read last, by their payloads.
type shared[V any] struct {
	mu     sync.Mutex
	values map[string]V
}

// mostShared bounds the shared values of a kind. They are forgotten all at once.
const mostShared = 256

// get returns the value of a payload, which decode makes.
func (s *shared[V]) get(payload string, decode func() (V, error)) (V, error) {
	s.mu.Lock()
	v, known := s.values[payload]
	s.mu.Unlock()
	if known {
		return v, nil
	}
	v, err := decode()
	if err != nil {
		return v, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil || len(s.values) >= mostShared {
		s.values = map[string]V{}
	}
	s.values[payload] = v
	return v, nil
}

var declared []*Kind

// Kinds returns every kind that is declared, in the order of their names.
func Kinds() []*Kind { return slices.Clone(declared) }

// Declare declares a kind. It is called only to initialise package variables.
func Declare[K ~string | ~int64, V any](d Declaration[K, V]) *Of[K, V] {
	of := &Of[K, V]{declared: d,
		Kind: &Kind{name: d.Name, sequence: Sequence{d.Sequence}, copied: d.Copied, audited: d.Audited,
			shared: d.Shared}}
	describe := Fields{describes: &of.fields}
	d.Fields(&describe, new(V))
	of.blank = func() any { return new(V) }
	of.write = func(v any) (Stored, error) { return of.encode(v.(*V)) }
	of.read = func(payload string) (any, error) {
		v, err := of.whole(payload)
		return &v, err
	}
	of.examine = func(payload string) (Stored, error) {
		v, _, err := of.decode(payload)
		if err != nil {
			return Stored{}, err
		}
		return of.stored(&v, payload), nil
	}
	of.reseal = func(payload string, renew Renew) (s Stored, changed bool, err error) {
		v, err := of.whole(payload)
		if err != nil {
			return s, false, err
		}
		f := Fields{renew: func(field string, sealed []byte) ([]byte, error) {
			renewed, another, err := renew(sealed, of.Label(of.declared.Key(&v), field))
			changed = changed || another
			return renewed, err
		}}
		if d.Fields(&f, &v); f.err != nil {
			return s, false, f.err
		}
		s, err = of.encode(&v)
		return s, changed, err
	}
	for i, field := range of.fields {
		if field.Name == fieldsName || i > 0 && field.Options&Optional == 0 && of.fields[i-1].Options&Optional != 0 {
			panic("a field of this name, or one that is not optional behind one that is: " + field.Name +
				" of the kind " + d.Name)
		}
	}
	if d.Copied && !d.Audited {
		panic("a copy audits what it has, and is to have records of the kind " + d.Name)
	}
	at, taken := slices.BinarySearchFunc(declared, d.Name, func(k *Kind, name string) int {
		return cmp.Compare(k.name, name)
	})
	if taken {
		panic("two kinds of records are named " + d.Name)
	}
	declared = slices.Insert(declared, at, of.Kind)
	return of
}

// Label returns the label under which a secret field of a record is sealed.
func (of *Of[K, V]) Label(key K, field string) string {
	return fmt.Sprintf("%s.%s/[%v]", of.name, field, key)
}

// Index is an order in which records of a kind are listed: by a tuple, and by key if tuples are equal.
type Index[K ~string | ~int64, V any] struct {
	of     *Of[K, V]
	prefix string
}

// Index adds an index to the kind. It is called like Declare. Records that are stored already have no entry in it. So
// an index is declared together with its kind, or with a rewrite of its records.
func (of *Of[K, V]) Index(name string, tuple func(v *V) Tuple) Index[K, V] {
	return of.Unique(name, nil, tuple)
}

// Unique adds an index in which no two records have the same tuple: the second record is refused with taken. A record
// whose tuple is nil has no entry.
func (of *Of[K, V]) Unique(name string, taken *fault.Fault, tuple func(v *V) Tuple) Index[K, V] {
	of.indexes, of.tuples = append(of.indexes, index{name, taken}), append(of.tuples, tuple)
	return Index[K, V]{of, of.name + "/" + name + "/"}
}

// Stored returns a value in its stored form.
func (of *Of[K, V]) Stored(v V) (Stored, error) { return of.encode(&v) }

func (of *Of[K, V]) encode(v *V) (Stored, error) {
	payload, err := of.text(v)
	if err != nil {
		return Stored{}, fmt.Errorf("write %s %v: %w", of.name, of.declared.Key(v), err)
	}
	return of.stored(v, payload), nil
}

func (of *Of[K, V]) text(v *V) (string, error) {
	o := object[V]{fields: of.declared.Fields, v: v}
	written, err := json.Marshal(&o, jsontext.AllowDuplicateNames(true))
	text := string(written)
	if o.last > 0 && err == nil {
		text = behindCount(o.last, text)
	}
	return text, cmp.Or(o.err, err)
}

// fieldsName is the first member of a record with optional fields: the number of its last field. It shows a version
// that knows fewer fields that the rest is no damage.
const fieldsName, countBegins = "fields", `{"fields":`

func behindCount(count int, text string) string {
	return countBegins + strconv.Itoa(count) + "," + text[1:]
}

// unknown is the part of a record that only a newer version knows.
type unknown struct {
	count   int
	members string // may be ""
}

// with adds the unknown part to the text that this version writes.
func (u unknown) with(text string) string {
	if u.members == "" {
		return text
	}
	if strings.HasPrefix(text, countBegins) {
		text = text[strings.IndexByte(text, ','):]
	}
	return behindCount(u.count, strings.TrimSuffix(text, "}")+u.members+"}")
}

func (of *Of[K, V]) stored(v *V, payload string) Stored {
	s := Stored{Key: keyText(of.declared.Key(v)), Payload: payload}
	for n, i := range of.indexes {
		tuple := of.tuples[n](v)
		if tuple == nil {
			continue
		}
		entry := tuple.append([]byte(of.name + "/" + i.name + "/"))
		if i.taken == nil {
			entry = append(entry, s.Key...)
		}
		s.Entries = append(s.Entries, string(entry))
	}
	return s
}

// decode reads the text of encode, from this or a newer version.
func (of *Of[K, V]) decode(payload string) (v V, newer unknown, err error) {
	o := object[V]{fields: of.declared.Fields, v: &v}
	err = json.Unmarshal([]byte(payload), &o, jsontext.AllowDuplicateNames(true))
	if newer.count = o.count; newer.count > len(of.fields) {
		newer.members = strings.TrimSuffix(payload[o.behind:], "}")
	}
	again := ""
	if err = cmp.Or(o.err, err); err == nil {
		again, err = of.text(&v)
	}
	if err == nil && newer.with(again) != payload {
		err = errors.New("this program would write it differently")
	}
	if err != nil {
		return *new(V), unknown{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return v, newer, nil
}

// whole is decode for callers that must know every field.
func (of *Of[K, V]) whole(payload string) (V, error) {
	v, newer, err := of.decode(payload)
	if err == nil && newer.members != "" {
		err = ErrNewer
	}
	return v, err
}

func keyText[K ~string | ~int64](key K) string {
	return string(Tuple{key}.append(make([]byte, 0, 40)))
}

// keyOf reads the text of keyText.
func keyOf[K ~string | ~int64](text string) (key K, ok bool) {
	v := reflect.ValueOf(&key).Elem()
	if v.Kind() == reflect.String {
		said, rest, ok := cutText(text)
		v.SetString(said)
		return key, ok && rest == ""
	}
	n, rest, ok := cutInt(text)
	v.SetInt(n)
	return key, ok && rest == ""
}

// Sequence names a series of ids. The set is closed: Sequences lists it.
type Sequence struct{ name string }

// NewSequence makes a sequence that belongs to no kind.
func NewSequence(name string) Sequence { return Sequence{name} }

// String returns the sequence's stored name.
func (s Sequence) String() string { return s.name }

// Sequences returns all and the sequences of kinds.
func Sequences(all ...Sequence) []Sequence {
	for _, k := range declared {
		if k.sequence.name != "" {
			all = append(all, k.sequence)
		}
	}
	return all
}
