package storekit

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
)

// EncodeEntry returns an entry of the journal but for its type and its instant, which stores keep beside it, as one JSON
// object. What an entry lacks has no member. It refuses text that is not UTF-8, which JSON can't hold.
func EncodeEntry(e *journal.Entry) (string, error) {
	text, err := json.Marshal(storedOf(e))
	return string(text), err
}

// DecodeEntry adds to an entry, which has its type and its instant, what EncodeEntry returned for it. All else is
// ErrDamaged.
func DecodeEntry(e *journal.Entry, stored string) error {
	var s storedEntry
	err := json.Unmarshal([]byte(stored), &s)
	read := journal.Entry{Type: e.Type, At: e.At}
	s.restore(&read)
	if again, _ := EncodeEntry(&read); err != nil || again != stored {
		return errors.Join(fmt.Errorf("%w: an entry of the journal encodes otherwise", ErrDamaged), err)
	}
	*e = read
	return nil
}

// storedEntry is an entry as JSON. What restore misreads is written otherwise.
type storedEntry struct {
	Path     []int64          `json:"path,omitempty"` // of the account, from the top, itself last
	Line     int64            `json:"line,omitzero"`
	Actor    storedActor      `json:"actor,omitzero"`
	Request  string           `json:"request,omitzero"`
	Movement *storedMovement  `json:"movement,omitzero"`
	Changes  [][]storedValue  `json:"changes,omitempty"` // the field, and the values before and after if they are shown
	Reason   string           `json:"reason,omitzero"`
	Version  int64            `json:"version,omitzero"`
	Data     [][2]storedValue `json:"data,omitempty"` // the name and the value
}

type storedActor struct {
	Account   int64  `json:"id,omitzero"`
	Kind      string `json:"kind,omitzero"`
	Name      string `json:"name,omitzero"`
	Address   string `json:"address,omitzero"`
	Principal int64  `json:"principal,omitzero"`
}

// storedMovement has amounts in their smallest unit.
type storedMovement struct {
	ID        int64       `json:"id"`
	Operation string      `json:"operation,omitzero"`
	Amount    int64       `json:"amount"`
	From      storedValue `json:"from"` // a reseller's id, or the name of an account of the system
	To        storedValue `json:"to"`
	Balances  [][2]int64  `json:"balances,omitempty"` // the reseller and its balance
}

func storedOf(e *journal.Entry) *storedEntry {
	s := &storedEntry{
		Line: e.Line, Request: e.Request, Reason: e.Reason, Version: e.Version,
		Actor: storedActor{e.Actor.Account, e.Actor.Kind.String(), e.Actor.Name, e.Actor.Address, e.Actor.Principal},
	}
	if e.Account.ID != 0 {
		s.Path = append(append(make([]int64, 0, len(e.Account.Ancestors)+1), e.Account.Ancestors...), e.Account.ID)
	}
	if m := e.Movement; m != nil {
		s.Movement = &storedMovement{
			ID: m.ID, Operation: m.Operation.String(), Amount: m.Amount.Units(), From: partyValue(m.Source), To: partyValue(m.Target),
		}
		for _, b := range m.Balances {
			s.Movement.Balances = append(s.Movement.Balances, [2]int64{b.Reseller, b.Credits.Units()})
		}
	}
	for _, c := range e.Changes {
		stored := []storedValue{{journal.Text(c.Field)}}
		if c.Shown {
			stored = append(stored, storedValue{c.Before}, storedValue{c.After})
		}
		s.Changes = append(s.Changes, stored)
	}
	for _, d := range e.Data {
		s.Data = append(s.Data, [2]storedValue{{journal.Text(d.Name)}, {d.Value}})
	}
	return s
}

func (s *storedEntry) restore(e *journal.Entry) {
	e.Line, e.Request, e.Reason, e.Version = s.Line, s.Request, s.Reason, s.Version
	e.Actor = journal.Actor{Account: s.Actor.Account, Name: s.Actor.Name, Address: s.Actor.Address, Principal: s.Actor.Principal}
	e.Actor.Kind, _ = journal.ParseActorKind(s.Actor.Kind)
	if last := len(s.Path) - 1; last >= 0 {
		e.Account.ID = s.Path[last]
		if last > 0 {
			e.Account.Ancestors = s.Path[:last:last]
		}
	}
	if m := s.Movement; m != nil {
		e.Movement = &journal.Movement{ID: m.ID, Source: m.From.party(), Target: m.To.party()}
		e.Movement.Operation, _ = credit.ParseOperation(m.Operation)
		e.Movement.Amount, _ = credit.FromUnits(m.Amount)
		for _, stored := range m.Balances {
			b := journal.Balance{Reseller: stored[0]}
			b.Credits, _ = credit.FromUnits(stored[1])
			e.Movement.Balances = append(e.Movement.Balances, b)
		}
	}
	for _, stored := range s.Changes {
		var c journal.Change
		if len(stored) > 0 {
			c.Field, _ = stored[0].Any().(string)
		}
		if c.Shown = len(stored) == 3; c.Shown {
			c.Before, c.After = stored[1].Value, stored[2].Value
		}
		e.Changes = append(e.Changes, c)
	}
	for _, stored := range s.Data {
		d := journal.Datum{Value: stored[1].Value}
		d.Name, _ = stored[0].Any().(string)
		e.Data = append(e.Data, d)
	}
}

// storedValue is an instant as an array of its Unix milliseconds, which tells it from a number, and all else as itself.
type storedValue struct{ journal.Value }

func partyValue(p credit.Party) storedValue {
	if p.System() == "" {
		return storedValue{journal.Number(p.ResellerID())}
	}
	return storedValue{journal.Text(p.System())}
}

func (v storedValue) party() (p credit.Party) {
	switch v := v.Any().(type) {
	case string:
		p, _ = credit.ParseSystemParty(v)
	case int64:
		p = credit.Reseller(v)
	}
	return p
}

// MarshalJSONTo implements json.MarshalerTo.
func (v storedValue) MarshalJSONTo(to *jsontext.Encoder) error {
	switch v := v.Any().(type) {
	case string:
		return to.WriteToken(jsontext.String(v))
	case int64:
		return to.WriteToken(jsontext.Int(v))
	case bool:
		return to.WriteToken(jsontext.Bool(v))
	case time.Time:
		return json.MarshalEncode(to, [1]int64{v.UnixMilli()})
	}
	return to.WriteToken(jsontext.Null)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (v *storedValue) UnmarshalJSONFrom(from *jsontext.Decoder) (err error) {
	switch byte(from.PeekKind()) {
	case '[':
		var at [1]int64
		err = json.UnmarshalDecode(from, &at)
		v.Value = journal.Instant(time.UnixMilli(at[0]))
	case '0':
		var n int64
		err = json.UnmarshalDecode(from, &n)
		v.Value = journal.Number(n)
	case '"':
		var text string
		err = json.UnmarshalDecode(from, &text)
		v.Value = journal.Text(text)
	case 't', 'f':
		var is bool
		err = json.UnmarshalDecode(from, &is)
		v.Value = journal.Truth(is)
	default:
		v.Value = journal.Value{}
		err = json.UnmarshalDecode(from, new(struct{})) // null, or nothing that is written
	}
	return err
}
