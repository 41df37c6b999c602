package rows

import (
	"fmt"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/ports/record"
)

// RecordColumns are those of a record of a kind.
const RecordColumns = `kind, key, payload, checksum`

// OfRecord returns the row of a record.
func OfRecord(of *record.Kind, s record.Stored) (row [4]engine.Arg) {
	row = [...]engine.Arg{engine.Text("kind", of.Name()), engine.Text("key", s.Key), engine.Text("payload", s.Payload),
		engine.ItsChecksum}
	engine.WithChecksum(row[:], len(row))
	return row
}

// Record reads a record as it was written, damaged or not. One with another key in it is damaged.
func Record(of *record.Kind, r *engine.Row) (found record.Found) {
	r.Summed().Text()
	found.Key, found.Payload = r.Text(), r.Text()
	if found.Damage = r.Sound(); found.Damage != nil {
		return found
	}
	kept, err := of.Examine(found.Payload)
	if err == nil && kept.Key != found.Key {
		err = fmt.Errorf("%w: it is that of another key", storekit.ErrDamaged)
	}
	found.Damage = err
	return found
}
