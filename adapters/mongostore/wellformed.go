package mongostore

import (
	"bytes"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// wellFormed reports whether a document is BSON with the types that this program writes, and with correct lengths. The
// driver trusts the length of an unknown field: with a negative one it reads the same bytes for ever. Its own Validate
// does not check inner documents.
func wellFormed(document []byte) bool {
	if length, _, found := bsoncore.ReadLength(document); !found || int(length) != len(document) || length < 5 ||
		document[length-1] != 0 {
		return false
	}
	for rest := document[4 : len(document)-1]; len(rest) > 0; {
		_, value, found := bytes.Cut(rest[1:], []byte{0}) // after the name
		if !found {
			return false
		}
		var stated int32
		var length int64 // of the value
		var within bool
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
			stated, _, found = bsoncore.ReadLength(value)
			length = 4 + int64(stated)
		case bson.TypeBinary:
			stated, _, found = bsoncore.ReadLength(value)
			length = 4 + 1 + int64(stated) // with its subtype
		case bson.TypeEmbeddedDocument, bson.TypeArray:
			stated, _, found = bsoncore.ReadLength(value)
			length, within = int64(stated), true
		default:
			return false
		}
		if !found || length > int64(len(value)) || within && !wellFormed(value[:length]) {
			return false
		}
		rest = value[length:]
	}
	return true
}
