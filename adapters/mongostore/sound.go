package mongostore

import (
	"bytes"
	lengths "encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// sound says whether what a document holds is of types that this program writes, and as long as it says it is. The
// driver believes the length of a field that it does not know: it goes back by one that is negative, and reads the same
// again for ever.
func sound(document []byte) bool {
	if length, found := lengthIn(document); !found || length != int64(len(document)) || length < 5 || document[length-1] != 0 {
		return false
	}
	for rest := document[4 : len(document)-1]; len(rest) > 0; {
		_, value, found := bytes.Cut(rest[1:], []byte{0}) // behind the name
		if !found {
			return false
		}
		var length int64
		var inside bool
		switch bson.Type(rest[0]) { //nolint:exhaustive // any other type is damage
		case bson.TypeNull:
		case bson.TypeBoolean:
			length = 1
		case bson.TypeInt32:
			length = 4
		case bson.TypeInt64, bson.TypeDateTime:
			length = 8
		case bson.TypeDecimal128:
			length = 16
		case bson.TypeString:
			length, found = lengthIn(value)
			length += 4
		case bson.TypeBinary:
			length, found = lengthIn(value)
			length += 5 // with its subtype
		case bson.TypeEmbeddedDocument, bson.TypeArray:
			length, found = lengthIn(value)
			inside = true
		default:
			return false
		}
		if !found || length < 0 || length > int64(len(value)) || inside && !sound(value[:length]) {
			return false
		}
		rest = value[length:]
	}
	return true
}

// lengthIn returns the length that stands first.
func lengthIn(value []byte) (int64, bool) {
	if len(value) < 4 {
		return 0, false
	}
	return int64(int32(lengths.LittleEndian.Uint32(value))), true //nolint:gosec // it is a signed one
}
