// Package rows implements the conversion of records to and from rows, with the columns of each kind of records.
package rows

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Each record has one converter each way. A column is read only as the type that this program writes, because the file
// may have been changed from outside.

// The columns of the records with listed fields. The chain of a movement is its checksum.
var (
	Resellers  = columnsOf(fields.Reseller, true, checksum)
	Lines      = columnsOf(fields.Line, true, checksum)
	Tombstones = columnsOf(fields.Tombstone, false, checksum)
	Movements  = columnsOf(fields.Movement, false)
)

// Reseller returns the reseller of a row.
func Reseller(r *engine.Row) (*reseller.Reseller, error) {
	return restored(Resellers, r, reseller.Restore)
}

// Line returns the line of a row.
func Line(r *engine.Row) (*line.Line, error) { return restored(Lines, r, line.Restore) }

// OfTombstone returns the row of a tombstone.
func OfTombstone(t *line.Tombstone, room *Room) engine.Args {
	row := append(Tombstones.of(t, room), engine.Null(checksum))
	engine.WithChecksum(row, len(row))
	return row
}

// Tombstone returns the tombstone of a row.
func Tombstone(r *engine.Row) (t line.Tombstone, err error) {
	_ = Tombstones.read(r.Summed(), &t)
	return t, r.Sound()
}

// OfMovement returns the row of a movement.
func OfMovement(m *credit.Movement, room *Room) (engine.Args, error) {
	moved, err := fields.Part(*m)
	if err != nil {
		return nil, err
	}
	return Movements.of(&moved, room), nil
}

// Movement returns the movement of a row.
func Movement(r *engine.Row) (m credit.Movement, err error) {
	var moved fields.Moved
	if err := Movements.read(r, &moved); err != nil {
		return credit.Movement{}, err
	}
	if m, err = moved.Join(); err != nil {
		err = fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return m, err
}

// OfKey returns the row of an answer under an idempotency key.
func OfKey(r *ports.KeyRecord) (row [7]engine.Arg) {
	row = [...]engine.Arg{
		engine.Integer("account", r.Reseller), engine.Text("key", r.Key), engine.Blob("request", r.Request),
		engine.Integer("status", r.Status), engine.Blob("body", r.Body), engine.Instant("expires", r.Expires),
		engine.ItsChecksum,
	}
	engine.WithChecksum(row[:], len(row))
	return row
}

// Key returns the answer of a row.
func Key(r *engine.Row) (ports.KeyRecord, error) {
	k := ports.KeyRecord{
		Reseller: r.Summed().Integer(), Key: r.Text(), Request: r.Blob(), Status: int(r.Integer()), Body: r.Blob(),
		Expires: r.Instant(),
	}
	return k, r.Sound()
}

func pathText(p reseller.Position) string {
	path := make([]byte, 0, 64)
	for _, above := range p.Ancestors {
		path = strconv.AppendInt(append(path, '/'), above, 10)
	}
	return string(append(strconv.AppendInt(append(path, '/'), p.ID, 10), '/'))
}

func trialsText(slots []reseller.TrialSlot) string {
	if len(slots) == 0 {
		return "[]"
	}
	pairs := make([]byte, 0, 512)
	for i, s := range slots {
		before := byte(',')
		if i == 0 {
			before = '['
		}
		pairs = strconv.AppendInt(append(pairs, before, '['), s.Start.UnixMilli(), 10)
		pairs = append(strconv.AppendInt(append(pairs, ','), int64(s.Count), 10), ']')
	}
	return string(append(pairs, ']'))
}

func trialsOf(stored string) ([]reseller.TrialSlot, error) {
	if stored == "[]" {
		return nil, nil
	}
	var pairs [][2]int64
	if err := json.Unmarshal([]byte(stored), &pairs); err != nil {
		return nil, fmt.Errorf("trials: %w", err)
	}
	slots := make([]reseller.TrialSlot, len(pairs))
	for i, p := range pairs {
		slots[i] = reseller.TrialSlot{Start: time.UnixMilli(p[0]).UTC(), Count: int(p[1])}
	}
	if trialsText(slots) != stored {
		return nil, fmt.Errorf("trials: %w", engine.ErrNotWritten)
	}
	return slots, nil
}

// RecordColumns are the columns of a record of a kind.
const RecordColumns = `kind, key, payload, checksum`

// OfRecord returns the row of a record.
func OfRecord(of *record.Kind, s record.Stored) (row [4]engine.Arg) {
	row = [...]engine.Arg{engine.Text("kind", of.Name()), engine.Text("key", s.Key), engine.Text("payload", s.Payload),
		engine.ItsChecksum}
	engine.WithChecksum(row[:], len(row))
	return row
}

// Record reads a record of a kind, damaged or not. A record that contains another key is damaged.
func Record(of *record.Kind, r *engine.Row) (found record.Found) {
	r.Summed().Text()
	found.Key, found.Payload = r.Text(), r.Text()
	if found.Damage = r.Sound(); found.Damage != nil {
		return found
	}
	kept, err := of.Examine(found.Payload)
	if err == nil && kept.Key != found.Key {
		err = fmt.Errorf("%w: it belongs to another key", storekit.ErrDamaged)
	}
	found.Damage = err
	return found
}
