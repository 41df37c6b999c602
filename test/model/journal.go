package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Event is an entry of the journal, with the values of the moment when it happened.
type Event struct {
	Seq      int64
	Epoch    string
	Type     string
	Account  *Reseller // the account that it concerns, nil for none
	Line     *Line
	By       *Reseller // nil for an operator, and for the service itself
	ByName   string
	Kind     string // how the actor was authenticated
	Movement *Movement
	Changes  map[string]any // by the names of fields: the value before and the one after, or true
	Reason   string
	Version  int64
	Data     map[string]any
	Moment
}

// Ways to authenticate an actor.
const (
	byToken    = "token"
	bySession  = "session"
	byKey      = "key"
	byStaff    = "staff"
	bySystem   = "system"
	byOperator = "operator"
)

// Balance is the balance of a reseller right after a movement.
type Balance struct {
	Of      *Reseller
	Credits decimal.Decimal
}

// happened appends an entry to the journal.
func (w *World) happened(e *Event) {
	e.Seq, e.Epoch = int64(len(w.Journal))+1, w.Epoch
	if e.Session && e.Kind == byToken {
		e.Kind = bySession
	}
	w.Journal = append(w.Journal, e)
}

// did is an entry of an action of a reseller, or of a principal for it. It has the actor's name of that time.
func did(actor *Reseller, what string, at Moment) *Event {
	e := &Event{Type: what, By: actor, ByName: at.Person(actor).Name(), Kind: byToken, Moment: at}
	if at.As != nil {
		if e.Kind = byKey; at.As.Staff {
			e.Kind = byStaff
		}
	}
	return e
}

// operated is an entry of an operator's command.
func operated(what string, at Moment) *Event {
	at.Request, at.Address = "", ""
	return &Event{Type: what, ByName: byOperator, Kind: byOperator, Moment: at}
}

// ofReseller adds the changes of a reseller, and their movement. was is nil for a new one.
func (e *Event) ofReseller(was, is *Reseller, m *Movement) *Event {
	e.Account, e.Movement, e.Version, e.Data = is, m, is.Version, named(is.Name)
	e.Changes = map[string]any{}
	if was == nil {
		role := "reseller"
		if is.Master {
			role = "master"
		}
		if is.Admin {
			role = "admin"
		}
		e.Changes["username"], e.Changes["role"] = []any{nil, is.Name}, []any{nil, role}
		return e
	}
	e.shown("username", was.Name, is.Name)
	e.shown("blocked", was.Blocked, is.Blocked)
	e.shown("lines_suspended", was.Block.Suspends, is.Block.Suspends)
	e.hidden("block_reason", was.Block.Reason, is.Block.Reason)
	e.hidden("password", was.Passwords, is.Passwords)
	e.hidden("country", was.Contact.Country, is.Contact.Country)
	e.hidden("whatsapp", was.Contact.Whatsapp, is.Contact.Whatsapp)
	e.hidden("telegram", was.Contact.Telegram, is.Contact.Telegram)
	e.hidden("email", was.Contact.Email, is.Contact.Email)
	e.hidden("notes", was.Contact.Notes, is.Contact.Notes)
	e.hidden("balance_low", was.Low.Below.String(), is.Low.Below.String())
	return e
}

// ofLine adds the changes of a line, and their movement. was is nil for a new one.
func (e *Event) ofLine(was, is *Line, m *Movement) *Event {
	e.Account, e.Line, e.Movement, e.Version, e.Data = is.Owner, is, m, is.Version, named(is.Name)
	switch {
	case was == nil:
		e.Changes = map[string]any{"username": []any{nil, is.Name}, "expDate": []any{nil, iso(is.Expires)}}
		return e
	case is.Deleted:
		e.Changes = map[string]any{"username": []any{is.Name, nil}, "expDate": []any{iso(is.Expires), nil}}
		if is.Suspended {
			e.Changes["suspended"] = []any{true, nil}
		}
		return e
	}
	e.Changes = map[string]any{}
	e.shown("username", was.Name, is.Name)
	e.shown("expDate", iso(was.Expires), iso(is.Expires))
	if was.Plan == 0 && is.Plan != 0 {
		e.Changes["plan"], e.Changes["connections"] = []any{nil, is.Plan}, []any{nil, 1}
	} else {
		e.shown("plan", was.Plan, is.Plan)
	}
	e.shown("suspended", was.Suspended, is.Suspended)
	e.hidden("suspension_reason", was.Reason, is.Reason)
	e.hidden("password", was.Password, is.Password)
	e.hidden("country", was.Country, is.Country)
	e.hidden("whatsapp", was.Whatsapp, is.Whatsapp)
	e.hidden("telegram", was.Telegram, is.Telegram)
	e.hidden("email", was.Email, is.Email)
	e.hidden("notes", was.Notes, is.Notes)
	e.hidden("external_id", was.ExternalID, is.ExternalID)
	e.hidden("metadata", was.Metadata, is.Metadata)
	return e
}

// at adds the price of a charge.
func (e *Event) at(p Price) *Event {
	e.Data["book"], e.Data["plan"], e.Data["price"], e.Data["version"] = p.Book, p.Plan, p.Credits, p.Version
	return e
}

func named(name string) map[string]any { return map[string]any{"username": name} }

func (e *Event) shown(field string, was, is any) {
	if was != is {
		e.Changes[field] = []any{was, is}
	}
}

func (e *Event) hidden(field string, was, is any) {
	if was != is {
		e.Changes[field] = true
	}
}

// BeginJournal has the journal begin, in an empty world.
func (w *World) BeginJournal(epoch string, now time.Time) {
	w.Epoch = epoch
	w.happened(&Event{Type: "journal.began", Kind: bySystem, Moment: Moment{Now: now}})
}

// RestoreJournal has another epoch begin.
func (w *World) RestoreJournal(epoch string, now time.Time) {
	before := w.Epoch
	w.Epoch = epoch
	w.happened(&Event{Type: "journal.restored", Kind: bySystem, Data: map[string]any{"previous_epoch": before},
		Moment: Moment{Now: now}})
}

// ReplaceKey has the service key be another one.
func (w *World) ReplaceKey(now time.Time) {
	w.happened(operated("operator.service_key_replaced", Moment{Now: now}))
}

// CreateAdmin has an operator make an admin, which lacks only its version.
func (w *World) CreateAdmin(r *Reseller, now time.Time) {
	r.Version = 1
	w.Resellers = append(w.Resellers, r)
	w.happened(operated("operator.admin_created", Moment{Now: now}).ofReseller(nil, r, nil))
}

// OperatorResets has an operator set the password of a reseller. It counts as changed even where its text is the same.
func (w *World) OperatorResets(target *Reseller, password string, now time.Time) {
	was := *target
	target.Password = password
	target.Tokens++
	target.Passwords++
	target.dated(now)
	w.happened(operated("operator.password_reset", Moment{Now: now}).ofReseller(&was, target, nil))
}

// Started appends the entry of a new session, with the name of the sign-in, which may have changed since.
func (w *World) Started(of *Reseller, name string, at Moment) {
	e := did(of, "session.started", at)
	if e.Account, e.ByName = of, name; e.Kind == byToken {
		e.Kind = bySession
	}
	w.happened(e)
}

// Ended has the journal say that a session was ended by its account.
func (w *World) Ended(of *Reseller, at Moment) {
	at.Session = true
	e := did(of, "session.ended", at)
	e.Account = of
	w.happened(e)
}

// EventFilter selects entries. The zero value selects all.
type EventFilter struct {
	Types   []string // full names, or "line.*"
	Account *Reseller
	Tree    *Reseller
	Line    int64
}

// Events returns the entries that an account sees and a filter selects, in the order of their numbers.
func (w *World) Events(to *Reseller, f EventFilter) (seen []*Event) {
	for _, e := range w.Journal {
		if e.seenBy(to) && f.selects(e) {
			seen = append(seen, e)
		}
	}
	return seen
}

func (f EventFilter) selects(e *Event) bool {
	ofType := len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(name string) bool {
		family, all := strings.CutSuffix(name, "*")
		return name == e.Type || all && strings.HasPrefix(e.Type, family)
	})
	switch {
	case !ofType, f.Line != 0 && (e.Line == nil || e.Line.ID != f.Line), f.Account != nil && !e.concerns(f.Account):
		return false
	case f.Tree != nil:
		return e.Account != nil && e.Account.Within(f.Tree) || e.concerns(f.Tree)
	}
	return true
}

func (e *Event) concerns(r *Reseller) bool { return e.Account == r || e.Movement.has(r) }

// has reports whether a reseller is a side of the movement. An admin issues and takes back credits, and is no side of
// these movements, or of those for its own lines.
func (m *Movement) has(r *Reseller) bool { return m != nil && !r.Admin && (m.From == r || m.To == r) }

func (e *Event) seenBy(to *Reseller) bool {
	return to.Admin || e.Account != nil && (to.Sees(e.Account) || e.concerns(to))
}

// Shown returns the entry as the API shows it to a reseller that may see it. It leaves out balances, names, addresses
// and requests of the reseller's parents.
func (e *Event) Shown(to *Reseller) map[string]any {
	account, line, version, request := any(nil), any(nil), any(nil), any(nil)
	if e.Account != nil {
		account = e.Account.ID
	}
	if e.Line != nil {
		line = e.Line.ID
	}
	if e.Version != 0 {
		version = e.Version
	}
	if e.Request != "" && (e.By == nil || to.Sees(e.By)) {
		request = e.Request
	}
	by := map[string]any{"account": nil, "kind": e.Kind, "id": nil, "name": e.NameTo(to), "address": nil}
	if e.By != nil {
		by["account"] = e.By.ID
	}
	if e.By == nil || to.Sees(e.By) {
		if by["address"] = orNull(e.Address); e.As != nil {
			by["id"] = e.As.ID
		}
	}
	data := orEmpty(e.Data)
	if book, is := e.Data["book"].(int64); is && book != 0 && !to.Admin && !within(e.Account, to, book) {
		data = maps.Clone(data)
		delete(data, "book")
	}
	return map[string]any{
		"id": "evt_" + e.Epoch + "_" + strconv.FormatInt(e.Seq, 10), "seq": e.Seq, "type": e.Type, "timestamp": iso(e.Now),
		"account": account, "line": line, "actor": by, "request_id": request, "movement": e.Movement.shown(to),
		"changes": orEmpty(e.Changes), "reason": orNull(e.Reason), "version": version, "data": data,
	}
}

// within reports whether an account that is top or below it, and above another or the same, has an id.
func within(of, top *Reseller, id int64) bool {
	for r := of; r != nil && r.Within(top); r = r.Parent {
		if r.ID == id {
			return true
		}
	}
	return false
}

// NameTo returns the name with which the actor signed in, "" where the reader may not see it.
func (e *Event) NameTo(to *Reseller) string {
	if e.By != nil && !to.Sees(e.By) {
		return ""
	}
	return e.ByName
}

// Naming returns the entry that names a movement.
func (w *World) Naming(m *Movement) *Event {
	return w.Journal[slices.IndexFunc(w.Journal, func(e *Event) bool { return e.Movement == m })]
}

func (m *Movement) shown(to *Reseller) any {
	if m == nil {
		return nil
	}
	from, into := "issuance", "issuance"
	if !m.From.Admin {
		from = strconv.FormatInt(m.From.ID, 10)
	}
	switch {
	case m.To == nil:
		into = "consumption"
	case !m.To.Admin:
		into = strconv.FormatInt(m.To.ID, 10)
	}
	balances := map[string]any{}
	for _, b := range m.After {
		if to.Sees(b.Of) {
			balances[strconv.FormatInt(b.Of.ID, 10)] = b.Credits.String()
		}
	}
	return map[string]any{"id": m.ID, "kind": m.Kind, "amount": m.Amount.String(), "from": from, "to": into,
		"balances": balances}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func orEmpty(members map[string]any) map[string]any {
	if members == nil {
		return map[string]any{}
	}
	return members
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
