package storetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// noon is the instant of records that need any instant.
var noon = fixture.Noon

// same compares records before and after storing: exactly, except for nil and empty slices, with values by value and
// times in UTC.
var same = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() }),
	byValue[profile.Text](),
	byValue[profile.Username](),
	byValue[reseller.Role](),
	byValue[credit.Operation](),
	byValue[credit.Party](),
	byValue[journal.Type](),
	byValue[journal.ActorKind](),
	byValue[journal.Value](),
}

func byValue[V comparable]() cmp.Option { return cmp.Comparer(func(a, b V) bool { return a == b }) }

// restored returns the reseller of a state.
func restored(s reseller.State) *reseller.Reseller {
	return fixture.Admin(1, func(to *reseller.State) { *to = s })
}

// restoredLine returns the line of a state.
func restoredLine(s line.State) *line.Line {
	return fixture.Trial(fixture.Admin(1), 1, func(to *line.State) { *to = s })
}

// below returns a master below above, without credits, that is not stored yet.
func below(above *reseller.Reseller, id int64, username string) *reseller.Reseller {
	return fixture.Master(above, id, func(s *reseller.State) { s.Username = fixture.Name(username) })
}

// newTrial returns a trial of owner's that is not stored yet.
func newTrial(owner *reseller.Reseller, id int64, username string) *line.Line {
	return fixture.Trial(owner, id, func(s *line.State) { s.Username = fixture.Name(username) })
}

var (
	// Names whose shown and compared forms differ, with letters outside ASCII and
	// outside the basic plane, and of the greatest length.
	awkwardNames = [2]profile.Username{fixture.Name("Straße.ÉLAN"), fixture.Name(strings.Repeat("𐐀", profile.MaxUsername))}

	// Texts that a careless store would interpret, trim or cut.
	awkwardNotes = [2]string{
		"first line\n\n\"double\" 'single' `back` \\n \\ %s $where {\"$gt\": 0}; DROP TABLE accounts; --\n€ 🜚 e\u0301",
		strings.Repeat("𐐀", profile.MaxNotes),
	}

	awkwardSeals = [2]line.Sealed{everyByte(), {0, 0xff, 0}}

	awkwardLinks = [2]credit.Hash{credit.Hash(everyByte()[224:]), {0: 0, 1: '\'', 31: 0}}
)

func everyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

// fullReseller returns a state of the reseller in which every field has a value of
// its own. Version 1 differs from version 0 in every field that can change.
func fullReseller(a *reseller.Reseller, version int) reseller.State {
	v := [2]string{"α", "β'"}[version]
	s := a.State()
	s.Username = awkwardNames[version]
	s.PasswordHash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$" + v
	s.Token = reseller.Generation{0: byte(version), 1: 0xff, 7: '\'', 15: 0x80}
	for _, m := range s.Contact.Texts() {
		*m.At = fixture.Text("\"a b\"@exämple/" + m.Name + v)
	}
	s.Contact.Notes = fixture.Text(awkwardNotes[version])
	s.Language = fixture.Text("zh-Hant-TW-x-private")
	if s.Role != reseller.Admin {
		s.Credits = [2]credit.Amount{credit.MaxBalance(), fixture.Units(1)}[version]
		s.Alert = [2]reseller.Alert{{Below: fixture.Units(credit.MaxBalance().Units() - 1)},
			{Below: credit.MaxBalance(), Sent: true}}[version]
	}
	s.Tip = [2]credit.Tip{{Seq: 1<<40 + 1, Hash: awkwardLinks[0]}, {Seq: 1, Hash: awkwardLinks[1]}}[version]
	s.RechargedAt = [2]time.Time{fixture.Time("1999-12-31T23:59:59.999Z"),
		fixture.Time("2026-03-29T01:30:00.001Z")}[version]
	s.Blocked = version == 0
	s.Block = [2]reseller.Block{
		{Terms: reseller.Terms{Suspends: true, Reason: fixture.Text("unpaid \"é\"\n")},
			At: fixture.Time("2001-02-28T23:59:59.999Z")}, {},
	}[version]
	s.Trials = [2][]reseller.TrialSlot{
		{{Start: fixture.Time("2026-02-27T23:45:00Z"), Count: 1}, {Start: fixture.Time("2026-02-28T00:00:00Z"), Count: 4321}},
		{{Start: fixture.Time("2026-02-28T00:15:00.001Z"), Count: 7}},
	}[version]
	s.CreatedAt = fixture.Time("2024-02-29T00:00:00.001Z")
	s.UpdatedAt = [2]time.Time{fixture.Time("2024-02-29T23:59:59.999Z"), fixture.Time("2026-12-31T23:59:59.998Z")}[version]
	s.Version = [2]int64{1<<40 + 5, 1<<40 + 6}[version]
	return s
}

// blockedBy returns the state of the reseller with a block.
func blockedBy(a *reseller.Reseller, b reseller.Block) reseller.State {
	s := a.State()
	s.Blocked, s.Block = true, b
	return s
}

// fullLine does for lines what fullReseller does for resellers. Version 0 is
// official and edited, version 1 a trial.
func fullLine(l *line.Line, version int) line.State {
	v := [2]string{"γ", "δ\""}[version]
	s := l.State()
	s.Username = awkwardNames[version]
	s.Password = awkwardSeals[version]
	s.Trial = version == 1
	s.ExpiresAt = [2]time.Time{fixture.Time("2036-02-29T23:59:59.999Z"), fixture.Time("2026-03-01T00:00:00.001Z")}[version]
	for _, m := range s.Texts() {
		*m.At = fixture.Text("\"a b\"@exämple/" + m.Name + v)
	}
	s.Notes = fixture.Text(awkwardNotes[version])
	s.PlatformID = [2]int64{1<<40 + 1, 0}[version]
	s.Charge = [2]int64{1<<40 + 7, 0}[version]
	s.Edited = version == 0
	s.CreatedAt = fixture.Time("2024-02-29T00:00:00.001Z")
	s.UpdatedAt = [2]time.Time{fixture.Time("2024-02-29T23:59:59.999Z"), fixture.Time("2026-12-31T23:59:59.998Z")}[version]
	s.Metadata = [2]line.Metadata{fixture.Metadata("plan", "gold <&> \"é\"\n"+v, "0", "", "z_1", "$where: 1"),
		fixture.Metadata("plan", v)}[version]
	s.Suspension = [2]line.Suspension{{Suspended: true, Reason: fixture.Text("stolen <é>\n" + v)}, {}}[version]
	s.Version = [2]int64{1<<40 + 5, 1<<40 + 6}[version]
	s.MonthDay = [2]int64{31, 0}[version]
	s.Reimport = [2]int64{1<<40 + 4, 0}[version]
	s.Plan = [2]int64{1<<40 + 3, 0}[version]
	s.Terms = [2]credit.Terms{{Connections: 1<<40 + 2, Packages: "full,sport"}, {}}[version]
	return s
}

// chain inserts an admin and a master on every level below it, as deep as the
// tree may be, and returns them, the root first.
func (w *harness) chain() []*reseller.Reseller {
	resellers := []*reseller.Reseller{w.admin("root")}
	for depth := range reseller.MaxDepth {
		resellers = append(resellers, w.master(resellers[depth], "depth"+string(rune('1'+depth)), 0))
	}
	return resellers
}

// movements returns, without storing them, movements of every operation, with a
// system account on each side, a line and without one, that concern one reseller
// and two, the root among them. Each reseller numbers them without a gap, payer
// from a great number on.
func (w *harness) movements(root, payer, payee *reseller.Reseller, lineID int64) []credit.Movement {
	b := book{harness: w, actor: payer.ID(), tips: map[int64]credit.Tip{payer.ID(): {Seq: 1 << 40, Hash: awkwardLinks[0]}}}
	above, below := credit.Reseller(payer.ID()), credit.Reseller(payee.ID())
	b.chain(credit.Opening, credit.Issuance, above, credit.MaxMovement(), 0, payer.ID())
	b.chain(credit.Recharge, above, below, fixture.Units(1), 0, payer.ID(), payee.ID())
	b.chain(credit.Activation, below, credit.Consumption, fixture.Units(5_000), lineID, payee.ID())
	b.chain(credit.Extension, credit.Issuance, credit.Consumption, fixture.Units(100_000), 1<<40, root.ID())
	b.chain(credit.Reclaim, below, above, fixture.Units(2), 0, payee.ID(), payer.ID())
	b.chain(credit.Reclaim, above, credit.Issuance, fixture.Units(7), 0, payer.ID())
	return b.movements
}

// keyRecord returns a record in which every field has a value of its own.
func keyRecord(reseller int64, key string) ports.KeyRecord {
	return ports.KeyRecord{
		Reseller: reseller,
		Key:      key,
		Request:  slices.Clone(everyByte()[:32]),
		Status:   201,
		Body:     everyByte(),
		Expires:  fixture.Time("2026-03-07T23:59:59.999Z"),
	}
}

// newerKey returns the record that replaces a record: it differs in every field except the identity.
func newerKey(r ports.KeyRecord) ports.KeyRecord {
	r.Request, r.Status, r.Body, r.Expires = []byte("another request"), 409, []byte("another body"),
		r.Expires.Add(time.Hour)
	return r
}

// fullTombstone returns the tombstone of a line that was paid for: every field has a value of its own.
func fullTombstone(l *line.Line) line.Tombstone {
	return line.Tombstone{Line: l.ID(), Charge: 1<<40 + 7, Actor: l.Owner().ID,
		At: fixture.Time("1999-12-31T23:59:59.999Z")}
}

// plainEntry returns an entry about a reseller that has nothing more than it must.
func plainEntry(of *reseller.Reseller) journal.Entry {
	return journal.Entry{Type: journal.ResellerUpdated, At: noon, Account: of.Position(),
		Actor: journal.Actor{Kind: journal.BySystem}}
}

// fullEntries returns entries of every type and by every kind of actors: some have each optional part, with values of
// every kind, those after them less and less, and the last one nothing. Each movement is named.
func fullEntries(movements []credit.Movement) (all []journal.Entry) {
	kinds := []journal.ActorKind{journal.ByToken, journal.BySession, journal.BySystem, journal.ByOperator, journal.ByKey,
		journal.ByStaff}
	changes := []journal.Change{
		{Field: "a", Shown: true, Before: journal.Text(awkwardNotes[0]), After: journal.Text("")},
		{Field: "b", Shown: true, After: journal.Instant(fixture.Time("2036-02-29T23:59:59.999Z"))},
		{Field: "c", Shown: true, Before: journal.Instant(fixture.Time("1969-12-31T23:59:59.999Z"))},
		{Field: "d"},
		{Field: "e", Shown: true, Before: journal.Number(math.MinInt64), After: journal.Number(math.MaxInt64)},
		{Field: "f", Shown: true, Before: journal.Bool(true), After: journal.Bool(false)},
		{Field: "g", Shown: true, Before: journal.Number(0), After: journal.Text("0")},
		{Field: "h"},
	}
	for i, of := range journal.Types() {
		e := journal.Entry{Type: of, At: fixture.Time("1999-12-31T23:59:59.999Z").Add(time.Duration(i) * time.Millisecond),
			Actor: journal.Actor{Kind: kinds[i%len(kinds)]}}
		if i < len(movements) {
			e.Movement = journal.MovementOf(movements[i])
		}
		if i < 12 {
			e.Account, e.Line, e.Version = listedPositions[len(listedPositions)-1-i], 1<<40+int64(i), 1<<41+int64(i)
			e.Actor.Account, e.Actor.Name, e.Actor.Address = 1<<42+int64(i), awkwardNames[i%2].String(),
				fmt.Sprintf("2001:db8::%x%%eth0", i)
			e.Actor.Principal = 1<<43 + int64(i)
		}
		if i < 16 {
			e.Request, e.Reason = "0192-request \"é\""+of.String(), awkwardNotes[i%2]
			e.Changes = changes[i%3 : len(changes)-i/3]
			for _, c := range e.Changes {
				e.Data = append(e.Data, journal.Datum{Name: c.Field, Value: c.After},
					journal.Datum{Name: c.Field + "'", Value: c.Before})
			}
		}
		all = append(all, copied(e)) // positions and changes are shared
	}
	return all
}

// copied returns an entry that shares nothing with another.
func copied(e journal.Entry) journal.Entry {
	e.Account.Ancestors, e.Changes, e.Data = slices.Clone(e.Account.Ancestors), slices.Clone(e.Changes),
		slices.Clone(e.Data)
	if e.Movement != nil {
		m := *e.Movement
		m.Balances = slices.Clone(m.Balances)
		e.Movement = &m
	}
	return e
}

// spoil changes whatever an entry may share with others.
func spoil(e *journal.Entry) {
	for i := range e.Account.Ancestors {
		e.Account.Ancestors[i]++
	}
	for i := range e.Changes {
		e.Changes[i].Field += "?"
	}
	for i := range e.Data {
		e.Data[i].Name += "?"
	}
	if e.Movement != nil {
		for i := range e.Movement.Balances {
			e.Movement.Balances[i].Reseller++
		}
		e.Movement.ID++
	}
}

// listedPositions are positions in two trees. One tree has the greatest depth. The digits of some ids start those of
// others.
var listedPositions = func() (all []reseller.Position) {
	all = []reseller.Position{{ID: 1}, {ID: 10}}
	add := func(id int64, above int) {
		all = append(all, reseller.Position{ID: id, Ancestors: all[above].Path()})
	}
	add(2, 0)
	for id := int64(3); id < 2+reseller.MaxDepth; id++ { // a chain below the first root
		add(id, len(all)-1)
	}
	for i, above := range []int{0, 0, 2, 2, 3, 4, 1, 1} {
		add(20+int64(i), above)
	}
	add(200, len(all)-1)
	return all
}()

// someEventScopes are the scopes to combine with other filters.
var someEventScopes = []ports.EventScope{{}, {Account: 1}, {Account: 3}, {Account: 27}, {Tree: 2}, {Tree: 4},
	{Tree: 26}, {Line: 2}, {Line: 20}}

// history begins the journal and appends entries of several types about each listed position, on days that follow each
// other. Some have lines, whose ids equal those of accounts. Some have movements: from the parent, from issuance, and
// to consumption. Some concern no account.
func (w *harness) history() *chronicle {
	c := w.chronicle()
	c.goOn()
	return c
}

func (c *chronicle) goOn() {
	types := []journal.Type{
		journal.TrialCreated, journal.LineActivated, journal.ResellerCredited, journal.LineExtended, journal.LineUpdated,
		journal.ResellerReclaimed, journal.LineActivated,
	}
	var all []journal.Entry
	for i := range 3 * len(listedPositions) {
		at := listedPositions[i%len(listedPositions)]
		self, above := credit.Reseller(at.ID), credit.Issuance
		if at.Parent() != 0 {
			above = credit.Reseller(at.Parent())
		}
		moves, moved := map[journal.Type]journal.Movement{
			journal.ResellerCredited:  {Operation: credit.Recharge, Source: above, Target: self},
			journal.ResellerReclaimed: {Operation: credit.Reclaim, Source: self, Target: above},
			journal.LineActivated:     {Operation: credit.Activation, Source: self, Target: credit.Consumption},
			journal.LineExtended:      {Operation: credit.Extension, Source: credit.Issuance, Target: credit.Consumption},
		}[types[i%len(types)]]
		e := journal.Entry{
			Type: types[i%len(types)], At: journal.DayOf(noon).Add(time.Duration(i%4) * (24*time.Hour - time.Millisecond)),
			Account: at, Actor: journal.Actor{Kind: journal.ByToken, Account: 1}, Version: int64(i),
		}
		if moved {
			moves.ID, moves.Amount = 1000-int64(i), fixture.Units(credit.MaxMovement().Units()-int64(i))
			moves.Balances = []journal.Balance{{Reseller: at.ID, Credits: fixture.Units(int64(i))}}
			e.Movement = &moves
		}
		if !moved || moves.Target == credit.Consumption {
			e.Line = listedPositions[i/2%len(listedPositions)].ID
		}
		if all = append(all, e); i%10 == 9 {
			e = journal.Entry{Type: journal.PasswordReset, At: noon,
				Actor: journal.Actor{Kind: journal.ByOperator, Name: "operator"}}
			all = append(all, e)
		}
	}
	for some := range slices.Chunk(all, 20) {
		c.append(some...)
	}
}
