package mongostore

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Each kind of record has one codec. A document is accepted only if this program would write exactly these bytes: the
// database may have been changed from outside, and a decoder takes a missing amount for 0.

// codec converts records of one kind to and from documents.
type codec[V any] struct {
	write func(v V, version int64) any
	read  func(raw bson.Raw) (v V, version int64, err error)
}

// codecOf makes a codec from two converters.
func codecOf[V, D any](write func(V, int64) D, read func(D) (V, int64, error)) codec[V] {
	return codec[V]{
		write: func(v V, version int64) any { return write(v, version) },
		read: checked(func(raw bson.Raw) (v V, version int64, again []byte, err error) {
			var d D
			if err := bson.Unmarshal(raw, &d); err != nil {
				return v, 0, nil, err
			}
			if v, version, err = read(d); err != nil {
				return v, 0, nil, err
			}
			again, err = bson.Marshal(write(v, version))
			return v, version, again, err
		}),
	}
}

// asWritten makes a codec of values that are documents themselves.
func asWritten[V any]() codec[V] {
	return codecOf(func(v V, _ int64) V { return v }, func(v V) (V, int64, error) { return v, 0, nil })
}

// checked returns the record of a document, unless the document is damaged. read also returns the document that this
// program writes for the record.
func checked[V any](read func(raw bson.Raw) (v V, version int64, again []byte, err error)) func(
	bson.Raw) (V, int64, error) {
	return func(raw bson.Raw) (v V, version int64, err error) {
		if !wellFormed(raw) {
			return v, 0, fmt.Errorf("%w: it is no well-formed document of the types that this program writes", storekit.ErrDamaged)
		}
		v, version, again, err := read(raw)
		if err != nil {
			return v, 0, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
		}
		if !bytes.Equal(raw, again) {
			return v, 0, fmt.Errorf("%w: it is not what this program writes", storekit.ErrDamaged)
		}
		return v, version, nil
	}
}

// The codecs of records with listed fields. The version of a reseller or a line grows with each save, so that a save
// always writes and conflicts with every other one.
var (
	resellerCodec = versioned(fields.Reseller, reseller.Restore)
	lineCodec     = versioned(fields.Line, line.Restore)

	tombstoneCodec = codec[line.Tombstone]{
		write: func(t line.Tombstone, _ int64) any { return write(fields.Tombstone, &t, 0) },
		read: checked(func(raw bson.Raw) (t line.Tombstone, version int64, again []byte, err error) {
			_, err = read(fields.Tombstone, &t, raw)
			return t, 0, write(fields.Tombstone, &t, 0), err
		}),
	}
	movementCodec = codec[credit.Movement]{
		write: func(m credit.Movement, _ int64) any {
			moved, _ := fields.Part(m) // checked when it was appended
			return write(fields.Movement, &moved, 0)
		},
		read: checked(func(raw bson.Raw) (m credit.Movement, version int64, again []byte, err error) {
			var moved fields.Moved
			if _, err = read(fields.Movement, &moved, raw); err == nil {
				m, err = moved.Join()
			}
			return m, 0, write(fields.Movement, &moved, 0), err
		}),
	}
)

// versioned makes a codec of records that have a version.
func versioned[R, A any](list fields.List[R], restore func(R) (A, error)) codec[R] {
	return codec[R]{
		write: func(r R, version int64) any { return write(list, &r, version) },
		read: checked(func(raw bson.Raw) (r R, version int64, again []byte, err error) {
			if version, err = read(list, &r, raw); err == nil && version < 1 {
				err = fmt.Errorf("no save has the version %d", version)
			}
			if err == nil {
				_, err = restore(r)
			}
			return r, version, write(list, &r, version), err
		}),
	}
}

// idName is the name of a document's first member in any kind of record, and versionName that of its last.
const idName, versionName = "_id", "version"

// path returns the name of the inner document that contains a field, "" for none, and the name of the field in it.
func path[R any](i int, f *fields.Field[R]) (within, name string) {
	if within, name, nested := strings.Cut(f.Name, "."); nested {
		return within, name
	}
	if i == 0 {
		return "", idName
	}
	return "", f.Name
}

// write makes the document of a record. It has a version unless that is 0.
func write[R any](list fields.List[R], r *R, version int64) bson.Raw {
	start, doc := bsoncore.AppendDocumentStart(make([]byte, 0, 512))
	inner, open := int32(0), ""
	for i := range list.Fields {
		f := &list.Fields[i]
		within, name := path(i, f)
		if within != open && open != "" {
			doc, _ = bsoncore.AppendDocumentEnd(doc, inner) // it has begun
		}
		if within != open && within != "" {
			inner, doc = bsoncore.AppendDocumentElementStart(doc, within)
		}
		open = within
		doc = appendField(doc, name, f.Nullable || f.Optional, f.At(r))
	}
	if version != 0 {
		doc = bsoncore.AppendInt64Element(doc, versionName, version)
	}
	doc, _ = bsoncore.AppendDocumentEnd(doc, start)
	return doc
}

func appendField(doc []byte, name string, absent bool, at any) []byte {
	switch at := at.(type) {
	case *int64:
		return appendInteger(doc, name, *at, absent)
	case *bool:
		if !*at && absent {
			return doc
		}
		return bsoncore.AppendBooleanElement(doc, name, *at)
	case *time.Time:
		if at.IsZero() && absent {
			return doc
		}
		return bsoncore.AppendDateTimeElement(doc, name, at.UnixMilli())
	case *credit.Amount:
		if at.IsZero() && absent {
			return doc
		}
		return appendAmount(doc, name, *at)
	case *profile.Username:
		return appendText(appendText(doc, name, at.String(), false), name+nameKey, at.Key(), false)
	case *reseller.Position:
		return appendArray(doc, name, len(at.Ancestors)+1, func(doc []byte, i int, key string) []byte {
			id := at.ID
			if i < len(at.Ancestors) {
				id = at.Ancestors[i]
			}
			return bsoncore.AppendInt64Element(doc, key, id)
		})
	case *[]reseller.TrialSlot:
		return appendArray(doc, name, len(*at), func(doc []byte, i int, key string) []byte {
			return appendDocument(doc, key, func(doc []byte) []byte {
				doc = bsoncore.AppendDateTimeElement(doc, "start", (*at)[i].Start.UnixMilli())
				return bsoncore.AppendInt64Element(doc, "count", int64((*at)[i].Count))
			})
		})
	case *line.Metadata:
		if at.IsZero() && absent {
			return doc
		}
		return appendDocument(doc, name, func(doc []byte) []byte {
			for member, value := range at.All() {
				doc = bsoncore.AppendStringElement(doc, member, value)
			}
			return doc
		})
	case *storekit.Side:
		return appendDocument(doc, name, func(doc []byte) []byte {
			doc = appendText(doc, "system", at.System, true)
			if p := &at.Posting; p.Reseller != 0 {
				doc = bsoncore.AppendInt64Element(doc, "account", p.Reseller)
				doc = appendInteger(doc, "seq", p.Seq, true)
				doc = appendAmount(doc, "balance", p.Balance)
				doc = bsoncore.AppendBinaryElement(doc, "link", bson.TypeBinaryGeneric, p.Hash[:])
			}
			return doc
		})
	}
	if text, is := fields.TextAt(at); is {
		return appendText(doc, name, text, absent)
	}
	return bsoncore.AppendBinaryElement(doc, name, bson.TypeBinaryGeneric, fields.BlobAt(at))
}

// nameKey is the suffix of the member with a username's key.
const nameKey = "_key"

func appendInteger(doc []byte, name string, v int64, absent bool) []byte {
	if v == 0 && absent {
		return doc
	}
	return bsoncore.AppendInt64Element(doc, name, v)
}

func appendText(doc []byte, name, v string, absent bool) []byte {
	if v == "" && absent {
		return doc
	}
	return bsoncore.AppendStringElement(doc, name, v)
}

func appendAmount(doc []byte, name string, v credit.Amount) []byte {
	high, low := creditsOf(v).GetBytes()
	return bsoncore.AppendDecimal128Element(doc, name, high, low)
}

func appendDocument(doc []byte, name string, members func([]byte) []byte) []byte {
	start, doc := bsoncore.AppendDocumentElementStart(doc, name)
	doc, _ = bsoncore.AppendDocumentEnd(members(doc), start) // it has begun
	return doc
}

func appendArray(doc []byte, name string, n int, member func(doc []byte, i int, key string) []byte) []byte {
	start, doc := bsoncore.AppendArrayElementStart(doc, name)
	for i := range n {
		doc = member(doc, i, arrayKey(i))
	}
	doc, _ = bsoncore.AppendArrayEnd(doc, start) // it has begun
	return doc
}

// read fills a record from a document, and returns its version. A member that is missing, has another type or is in the
// wrong position shows when the record is written again.
func read[R any](list fields.List[R], r *R, raw bson.Raw) (version int64, err error) {
	document := members(raw)
	var nested reader
	open := ""
	for i := range list.Fields {
		f := &list.Fields[i]
		within, name := path(i, f)
		from := &document
		if within != "" {
			if within != open {
				nested = members(document.next(within).Data)
			}
			from = &nested
		}
		open = within
		if err := from.field(name, f.At(r)); err != nil {
			return 0, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	version, _ = document.next(versionName).Int64OK()
	return version, nil
}

// reader reads the members of a document one after the other.
type reader struct{ rest []byte }

// members reads the members of a well-formed document.
func members(document []byte) reader {
	if len(document) < 5 {
		return reader{}
	}
	return reader{document[4 : len(document)-1]}
}

// next returns the next member if it has this name, and no value otherwise.
func (r *reader) next(name string) bsoncore.Value {
	element, rest, _ := bsoncore.ReadElement(r.rest)
	if key := element.KeyBytes(); len(r.rest) == 0 || string(key) != name {
		return bsoncore.Value{}
	}
	r.rest = rest
	return element.Value()
}

var errAmount = errors.New("it is no amount")

func (r *reader) field(name string, at any) (err error) {
	v := r.next(name)
	switch at := at.(type) {
	case *int64:
		*at, _ = v.Int64OK()
	case *bool:
		*at, _ = v.BooleanOK()
	case *time.Time:
		*at = instantOf(v)
	case *credit.Amount:
		*at, err = amountIn(v)
	case *profile.Username:
		shown, _ := v.StringValueOK()
		key, _ := r.next(name + nameKey).StringValueOK()
		*at = profile.RestoreUsername(shown, key)
	case *reseller.Position:
		var path []int64
		for _, v := range elements(v) {
			id, _ := v.Int64OK()
			path = append(path, id)
		}
		err = fields.SetPath(at, path)
	case *[]reseller.TrialSlot:
		for _, v := range elements(v) {
			slot := members(v.Data)
			start := instantOf(slot.next("start"))
			count, _ := slot.next("count").Int64OK()
			*at = append(*at, reseller.TrialSlot{Start: start, Count: int(count)})
		}
	case *line.Metadata:
		all := map[string]string{}
		for r := members(v.Data); len(r.rest) > 0; {
			element, rest, _ := bsoncore.ReadElement(r.rest)
			all[element.Key()], _ = element.Value().StringValueOK()
			r.rest = rest
		}
		*at, err = line.RestoreMetadata(all)
	case *storekit.Side:
		err = members(v.Data).side(at)
	default:
		if _, is := fields.TextAt(at); is {
			text, _ := v.StringValueOK()
			return fields.SetText(at, text)
		}
		_, content, _ := v.BinaryOK()
		err = fields.SetBlob(at, bytes.Clone(content))
	}
	return err
}

func (r reader) side(s *storekit.Side) (err error) {
	s.System, _ = r.next("system").StringValueOK()
	s.Posting.Reseller, _ = r.next("account").Int64OK()
	s.Posting.Seq, _ = r.next("seq").Int64OK()
	s.Posting.Balance, err = amountIn(r.next("balance"))
	if _, link, there := r.next("link").BinaryOK(); there {
		err = errors.Join(err, fields.SetBlob(&s.Posting.Hash, link))
	}
	return err
}

// instantOf returns the zero instant if there is no member.
func instantOf(v bsoncore.Value) time.Time {
	if v.Type == 0 {
		return time.Time{}
	}
	milliseconds, _ := v.DateTimeOK()
	return time.UnixMilli(milliseconds).UTC()
}

// amountIn returns 0 if there is no member.
func amountIn(v bsoncore.Value) (credit.Amount, error) {
	high, low, is := v.Decimal128OK()
	switch {
	case v.Type == 0:
		return credit.Amount{}, nil
	case !is:
		return credit.Amount{}, errAmount
	}
	return amountOf(bson.NewDecimal128(high, low))
}

// elements are the values of an array.
func elements(v bsoncore.Value) (all []bsoncore.Value) {
	array, _ := v.ArrayOK()
	for r := members(array); len(r.rest) > 0; {
		v := r.next(arrayKey(len(all)))
		if v.Type == 0 {
			break // out of order
		}
		all = append(all, v)
	}
	return all
}

func arrayKey(i int) string { return strconv.Itoa(i) }
