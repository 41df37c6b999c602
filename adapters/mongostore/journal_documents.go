package mongostore

import (
	bigendian "encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// The documents of the journal.
type (
	entryDocument struct {
		Seq      int64     `bson:"_id"`
		Epoch    string    `bson:"epoch"`
		Hash     []byte    `bson:"hash"`
		Type     string    `bson:"type"`
		At       time.Time `bson:"at"`
		Lists    []string  `bson:"lists"`
		Movement int64     `bson:"movement,omitempty"`
		Payload  string    `bson:"payload"` // all other fields
	}
	// pendingDocument has the entries of a transaction, which have no numbers yet.
	pendingDocument struct {
		ID        []byte          `bson:"_id"` // a pendingPosition
		Entries   []pendingMember `bson:"entries"`
		Movements []int64         `bson:"movements,omitempty"` // of the entries
	}
	pendingMember struct {
		Type    string    `bson:"type"`
		At      time.Time `bson:"at"`
		Payload string    `bson:"payload"`
		Begins  string    `bson:"begins,omitempty"` // the epoch that begins with the entry
	}

	// headDocument is the head of the journal and the lease of the sequencer: see sequencer.
	headDocument struct {
		Name   string    `bson:"_id"`
		Epoch  string    `bson:"epoch"`
		Seq    int64     `bson:"seq"`
		Hash   []byte    `bson:"hash"`
		Term   int64     `bson:"term"`
		Holder string    `bson:"holder"`
		Until  time.Time `bson:"until"`
		// Session is the id of the session in which the holder assigns numbers.
		Session bson.RawValue `bson:"session,omitempty"`
	}

	figuresID struct {
		Account int64     `bson:"account"`
		Day     time.Time `bson:"day"`
	}
	// figuresDocument has its members in the order in which the server adds them.
	figuresDocument struct {
		ID          figuresID       `bson:"_id"`
		Activations int64           `bson:"activations"`
		Extensions  int64           `bson:"extensions"`
		Received    bson.Decimal128 `bson:"received"`
		Spent       bson.Decimal128 `bson:"spent"`
		Trials      int64           `bson:"trials"`
	}
)

// headName is the _id of the one headDocument.
const headName = "head"

// pendingPosition is the position of the entries of a transaction among the pending ones. It consists of an instant of
// the cluster's clock (see readTime), the process that appended them, and a counter of that process.
type pendingPosition [24]byte

func positionOf(read, process, count uint64) (p pendingPosition) {
	bigendian.BigEndian.PutUint64(p[:8], read)
	bigendian.BigEndian.PutUint64(p[8:16], process)
	bigendian.BigEndian.PutUint64(p[16:], count)
	return p
}

// after filters the documents after this position.
func (p pendingPosition) after() bson.D { return byID(beyond(p[:])) }

// positionIn returns the position of pending entries, damaged or not.
func positionIn(raw bson.Raw) (p pendingPosition) {
	if _, id, is := raw.Lookup("_id").BinaryOK(); is {
		copy(p[:], id)
	}
	return p
}

// age returns approximately how long ago the entries at this position were added.
func (p pendingPosition) age() time.Duration {
	return max(0, time.Since(time.Unix(int64(bigendian.BigEndian.Uint32(p[:4])), 0)))
}

// pendingEntry is an entry without a number. It has an epoch if that begins with it.
type pendingEntry struct {
	journal.Entry

	payload string // of the entry
	begins  journal.Epoch
}

// at returns the entry with the number after head.
func (e *pendingEntry) at(head journal.Head) journal.Numbered {
	if e.begins != "" {
		return head.AppendInNewEpoch(e.begins, e.Entry)
	}
	return head.Append(e.Entry)
}

// pendingEntries are the entries of a transaction, in order.
type pendingEntries struct {
	position pendingPosition
	all      []pendingEntry
}

var pendingCodec = codecOf(
	func(e pendingEntries, _ int64) pendingDocument {
		d := pendingDocument{ID: e.position[:]}
		for i := range e.all {
			one := &e.all[i]
			d.Entries = append(d.Entries, pendingMember{one.Type.String(), one.At, one.payload, string(one.begins)})
			if m := movementOf(&one.Entry); m != 0 {
				d.Movements = append(d.Movements, m)
			}
		}
		return d
	},
	func(d pendingDocument) (e pendingEntries, _ int64, err error) {
		copy(e.position[:], d.ID) // a position of another length is damage
		e.all = make([]pendingEntry, len(d.Entries))
		for i, m := range d.Entries {
			one := &e.all[i]
			one.payload, one.begins = m.Payload, journal.Epoch(m.Begins)
			if one.Entry, err = entryOf(m.Type, m.At, m.Payload); err != nil {
				return e, 0, err
			}
		}
		return e, 0, nil
	},
)

// numberedEntry is an entry with its payload, which is encoded once.
type numberedEntry struct {
	journal.Numbered

	payload string
}

// journalCodec checks that every indexed member agrees with the entry.
var journalCodec = codecOf(
	func(e numberedEntry, _ int64) entryDocument {
		return entryDocument{
			e.Seq, string(e.Epoch), e.Hash[:], e.Type.String(), e.At, listsOf(&e.Entry), movementOf(&e.Entry), e.payload,
		}
	},
	func(d entryDocument) (e numberedEntry, _ int64, err error) {
		e.payload = d.Payload
		if e.Head, err = headOf(d.Epoch, d.Seq, d.Hash); err == nil {
			e.Entry, err = entryOf(d.Type, d.At, d.Payload)
		}
		return e, 0, err
	},
)

func numberedOf(e numberedEntry) (journal.Numbered, error) { return e.Numbered, nil }

func entryOf(name string, at time.Time, payload string) (e journal.Entry, err error) {
	e.At = at.UTC()
	if e.Type, err = journal.ParseType(name); err == nil {
		err = storekit.DecodeEntry(&e, payload)
	}
	return e, err
}

func movementOf(e *journal.Entry) int64 {
	if e.Movement == nil {
		return 0
	}
	return e.Movement.ID
}

func headOf(epoch string, seq int64, hash []byte) (h journal.Head, err error) {
	if len(hash) != len(h.Hash) || seq < 0 {
		return h, fmt.Errorf("%w: half a position in the journal", storekit.ErrDamaged)
	}
	return journal.Head{Epoch: journal.Epoch(epoch), Seq: seq, Hash: journal.Hash(hash)}, nil
}

func (d *headDocument) head() (journal.Head, error) { return headOf(d.Epoch, d.Seq, d.Hash) }

// headIn returns the head from the result of a query, the zero value for an empty result.
func headIn(found []bson.Raw) (h journal.Head, err error) {
	for _, raw := range found {
		var d headDocument
		if err := bson.Unmarshal(raw, &d); err != nil {
			return h, fmt.Errorf("%w: the head of the journal: %w", storekit.ErrDamaged, err)
		}
		h, err = d.head()
	}
	return h, err
}

// listsOf returns the names of the lists that contain an entry.
func listsOf(e *journal.Entry) []string {
	lists := []string{}
	for _, l := range storekit.EventLists(e) {
		lists = append(lists, listName(l))
	}
	return lists
}

func listName(l storekit.EventList) string {
	of := map[storekit.EventListOf]string{storekit.OfAccount: "account ", storekit.BelowAccount: "below ",
		storekit.OfLine: "line "}
	return of[l.Of] + strconv.FormatInt(l.ID, 10)
}

var figuresCodec = codecOf(
	func(f ports.DayFigures, _ int64) figuresDocument {
		return figuresDocument{figuresID{f.Account, f.Day}, f.Activations, f.Extensions, decimalOf(f.Received),
			decimalOf(f.Spent), f.Trials}
	},
	func(d figuresDocument) (f ports.DayFigures, _ int64, err error) {
		f.Account, f.Day = d.ID.Account, d.ID.Day.UTC()
		f.Trials, f.Activations, f.Extensions = d.Trials, d.Activations, d.Extensions
		var err1, err2 error
		f.Received, err1 = sumOf(d.Received)
		f.Spent, err2 = sumOf(d.Spent)
		return f, 0, errors.Join(err1, err2)
	},
)

// decimalOf returns a sum of amounts with four decimal places, like an amount.
func decimalOf(sum decimal.Decimal) bson.Decimal128 {
	d, _ := bson.ParseDecimal128FromBigInt(sum.Shift(credit.Scale).BigInt(), -credit.Scale) // 34 digits hold any sum
	return d
}

// tally sums what entries add to figures.
type tally map[figuresID]journal.Figures

func (t tally) count(n *journal.Numbered) {
	n.Figures(func(account int64, f journal.Figures) {
		id := figuresID{account, journal.DayOf(n.At)}
		t[id] = t[id].Plus(f)
	})
}

// models returns the writes that add the tally.
func (t tally) models() (models []mongo.WriteModel) {
	for id, f := range t {
		models = append(models,
			mongo.NewUpdateOneModel().SetUpsert(true).SetFilter(byID(id)).SetUpdate(bson.D{{Key: "$inc", Value: bson.D{
				{Key: "activations", Value: f.Activations}, {Key: "extensions", Value: f.Extensions},
				{Key: "received", Value: decimalOf(f.Received)}, {Key: "spent", Value: decimalOf(f.Spent)},
				{Key: "trials", Value: f.Trials},
			}}}))
	}
	return models
}
