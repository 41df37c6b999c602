// Package rows has the columns of each kind of records, and turns records into rows and back.
package rows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Each record has one converter each way. Rows are written and read in the order
// of the columns that statements.go lists. A column takes no other type than the
// one that is written: others may have changed what is in the file. Rows are arrays,
// which need not outlive their statement.

func OfReseller(s *reseller.State) (row [22]engine.Arg) {
	row = [...]engine.Arg{
		engine.Integer("id", s.ID),
		engine.Text("path", pathText(s.Position)),
		engine.Text("role", s.Role.String()),
		engine.Text("username", s.Username.String()),
		engine.Text("username_key", s.Username.Key()),
		engine.Text("password_hash", s.PasswordHash),
		engine.Blob("token", s.Token[:]),
		engine.Text("country", s.Contact.Country.String()),
		engine.Text("whatsapp", s.Contact.Whatsapp.String()),
		engine.Text("telegram", s.Contact.Telegram.String()),
		engine.Text("email", s.Contact.Email.String()),
		engine.Text("notes", s.Contact.Notes.String()),
		engine.Text("language", s.Language.String()),
		engine.Truth("blocked", s.Blocked),
		engine.Instant("created_at", s.CreatedAt),
		engine.Integer("credits", s.Credits.Units()),
		engine.Integer("ledger_seq", s.Tip.Seq),
		engine.Blob("ledger_link", s.Tip.Hash[:]),
		engine.Instant("recharged_at", s.RechargedAt),
		engine.Text("trials", trialsText(s.Trials)),
		engine.Instant("updated_at", s.UpdatedAt),
		engine.ItsChecksum,
	}
	engine.WithChecksum(row[:])
	return row
}

// OnlyBalanceMoved reports whether two states differ in BalanceColumns alone.
func OnlyBalanceMoved(a, b *reseller.State) bool {
	return a.ID == b.ID && slices.Equal(a.Ancestors, b.Ancestors) && a.Role == b.Role && a.Username == b.Username &&
		a.PasswordHash == b.PasswordHash && a.Token == b.Token && a.Contact == b.Contact && a.Language == b.Language &&
		a.Blocked == b.Blocked && a.CreatedAt.Equal(b.CreatedAt)
}

func Reseller(r *engine.Row) (*reseller.Reseller, error) {
	var s reseller.State
	id := r.Summed().Integer()
	s.Position = PositionOf(r.Path())
	s.Role = engine.Parsed(r, r.Text(), reseller.ParseRole)
	s.Username = profile.RestoreUsername(r.Text(), r.Text())
	s.PasswordHash = r.Text()
	s.Token = engine.Parsed(r, r.Blob(), generationOf)
	s.Contact.Country = profile.RestoreText(r.Text())
	s.Contact.Whatsapp = profile.RestoreText(r.Text())
	s.Contact.Telegram = profile.RestoreText(r.Text())
	s.Contact.Email = profile.RestoreText(r.Text())
	s.Contact.Notes = profile.RestoreText(r.Text())
	s.Language = profile.RestoreText(r.Text())
	s.Blocked = engine.Parsed(r, r.Integer(), engine.TruthOf)
	s.CreatedAt = r.Instant()
	s.Credits = engine.Parsed(r, r.Integer(), credit.FromUnits)
	s.Tip.Seq = r.Integer()
	s.Tip.Hash = engine.Parsed(r, r.Blob(), hashOf)
	s.RechargedAt = r.Instant()
	s.Trials = engine.Parsed(r, r.Text(), trialsOf)
	s.UpdatedAt = r.Instant()
	if r.Err() != nil {
		return nil, r.Err()
	}
	if s.ID != id {
		return nil, fmt.Errorf("%w: account %d has the path %s", storekit.ErrDamaged, id, pathText(s.Position))
	}
	return restored(r, s, reseller.Restore)
}

func OfLine(s *line.State) (row [17]engine.Arg) {
	row = [...]engine.Arg{
		engine.Integer("id", s.ID),
		engine.Integer("owner", s.Owner.ID),
		engine.Text("path", pathText(s.Owner)),
		engine.Text("username", s.Username.String()),
		engine.Text("username_key", s.Username.Key()),
		engine.Instant("created_at", s.CreatedAt),
		engine.Blob("password", s.Password),
		engine.Truth("trial", s.Trial),
		engine.Instant("expires_at", s.ExpiresAt),
		engine.Text("country", s.Country.String()),
		engine.Text("whatsapp", s.Whatsapp.String()),
		engine.Text("notes", s.Notes.String()),
		engine.IntegerOrNull("platform_id", s.PlatformID),
		engine.IntegerOrNull("charge", s.Charge),
		engine.Truth("edited", s.Edited),
		engine.Instant("updated_at", s.UpdatedAt),
		engine.ItsChecksum,
	}
	engine.WithChecksum(row[:])
	return row
}

func Line(r *engine.Row) (*line.Line, error) {
	var s line.State
	s.ID = r.Summed().Integer()
	owner := r.Integer()
	s.Owner = PositionOf(r.Path())
	s.Username = profile.RestoreUsername(r.Text(), r.Text())
	s.CreatedAt = r.Instant()
	s.Password = r.Blob()
	s.Trial = engine.Parsed(r, r.Integer(), engine.TruthOf)
	s.ExpiresAt = r.Instant()
	s.Country = profile.RestoreText(r.Text())
	s.Whatsapp = profile.RestoreText(r.Text())
	s.Notes = profile.RestoreText(r.Text())
	s.PlatformID = r.IntegerOrNull()
	s.Charge = r.IntegerOrNull()
	s.Edited = engine.Parsed(r, r.Integer(), engine.TruthOf)
	s.UpdatedAt = r.Instant()
	if r.Err() != nil {
		return nil, r.Err()
	}
	if s.Owner.ID != owner {
		return nil, fmt.Errorf("%w: line %d of account %d has the path %s", storekit.ErrDamaged, s.ID, owner, pathText(s.Owner))
	}
	return restored(r, s, line.Restore)
}

func OfTombstone(t line.Tombstone) (row [5]engine.Arg) {
	row = [...]engine.Arg{engine.Integer("line", t.Line), engine.IntegerOrNull("charge", t.Charge), engine.Integer("actor", t.Actor), engine.Instant("at", t.At), engine.ItsChecksum}
	engine.WithChecksum(row[:])
	return row
}

func Tombstone(r *engine.Row) (t line.Tombstone, err error) {
	t = line.Tombstone{Line: r.Summed().Integer(), Charge: r.IntegerOrNull(), Actor: r.Integer(), At: r.Instant()}
	return t, r.Sound()
}

func OfMovement(m *credit.Movement) (row [18]engine.Arg, err error) {
	source, target, err := storekit.Sides(*m)
	if err != nil {
		return row, err
	}
	row = [...]engine.Arg{
		engine.Integer("id", m.ID),
		engine.Text("operation", m.Operation.String()),
		engine.TextOrNull("source_system", source.System),
		engine.IntegerOrNull("source_account", source.Posting.Reseller),
		engine.IntegerOrNull("source_seq", source.Posting.Seq),
		engine.Null("source_balance"), engine.Null("source_link"), // those of an account
		engine.TextOrNull("target_system", target.System),
		engine.IntegerOrNull("target_account", target.Posting.Reseller),
		engine.IntegerOrNull("target_seq", target.Posting.Seq),
		engine.Null("target_balance"), engine.Null("target_link"), // those of an account
		engine.Integer("amount", m.Amount.Units()),
		engine.IntegerOrNull("line", m.Line),
		engine.Integer("actor", m.Actor),
		engine.Text("request", m.Request),
		engine.Text("notes", m.Notes),
		engine.Instant("at", m.At),
	}
	withBalance(row[5:7], &source.Posting)
	withBalance(row[10:12], &target.Posting)
	return row, nil
}

// withBalance says what stands beside the account of a side. One that is no account's has no balance and no link.
func withBalance(columns []engine.Arg, p *credit.Posting) {
	if p.Reseller == 0 {
		return
	}
	columns[0] = engine.Integer(columns[0].Name, p.Balance.Units())
	columns[1] = engine.Blob(columns[1].Name, p.Hash[:])
}

func Movement(r *engine.Row) (credit.Movement, error) {
	var m credit.Movement
	m.ID = r.Integer()
	m.Operation = engine.Parsed(r, r.Text(), credit.ParseOperation)
	source, target := sideOf(r), sideOf(r)
	m.Amount = engine.Parsed(r, r.Integer(), credit.FromUnits)
	m.Line = r.IntegerOrNull()
	m.Actor = r.Integer()
	m.Request = r.Text()
	m.Notes = r.Text()
	m.At = r.Instant()
	if r.Err() != nil {
		return credit.Movement{}, r.Err()
	}
	err := storekit.JoinSides(&m, source, target)
	if err == nil {
		_, err = m.Chain() // adds nothing, and refuses what no chain takes
	}
	if err != nil {
		return credit.Movement{}, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return m, nil
}

// sideOf reads a side of a movement. One that is no account's has no balance and no hash.
func sideOf(r *engine.Row) (s storekit.Side) {
	s.System = r.TextOrNull()
	s.Posting.Reseller = r.IntegerOrNull()
	s.Posting.Seq = r.IntegerOrNull()
	if s.Posting.Reseller == 0 && r.Null() && r.Null() {
		return s
	}
	s.Posting.Balance = engine.Parsed(r, r.Integer(), credit.FromUnits)
	s.Posting.Hash = engine.Parsed(r, r.Blob(), hashOf)
	return s
}

func OfKey(r *ports.KeyRecord) (row [7]engine.Arg) {
	row = [...]engine.Arg{
		engine.Integer("account", r.Reseller), engine.Text("key", r.Key), engine.Blob("request", r.Request),
		engine.Integer("status", r.Status), engine.Blob("body", r.Body), engine.Instant("expires", r.Expires),
		engine.ItsChecksum,
	}
	engine.WithChecksum(row[:])
	return row
}

func Key(r *engine.Row) (ports.KeyRecord, error) {
	k := ports.KeyRecord{
		Reseller: r.Summed().Integer(), Key: r.Text(), Request: r.Blob(), Status: int(r.Integer()), Body: r.Blob(), Expires: r.Instant(),
	}
	return k, r.Sound()
}

// restored returns the aggregate of a state whose columns were all read but for the checksum.
func restored[S, T any](r *engine.Row, s S, restore func(S) (*T, error)) (*T, error) {
	aggregate, err := restore(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return aggregate, r.Sound()
}

func hashOf(stored []byte) (l credit.Hash, err error) {
	if len(stored) != len(l) {
		return l, fmt.Errorf("a link of %d bytes", len(stored))
	}
	return credit.Hash(stored), nil
}

func generationOf(stored []byte) (g reseller.Generation, err error) {
	if len(stored) != len(g) {
		return g, fmt.Errorf("a token generation of %d bytes", len(stored))
	}
	return reseller.Generation(stored), nil
}

func pathText(p reseller.Position) string {
	path := make([]byte, 0, 64)
	for _, above := range p.Ancestors {
		path = strconv.AppendInt(append(path, '/'), above, 10)
	}
	return string(append(strconv.AppendInt(append(path, '/'), p.ID, 10), '/'))
}

// PositionOf returns the position of which a path tells.
func PositionOf(path []int64) (p reseller.Position) {
	if last := len(path) - 1; last >= 0 {
		p.ID = path[last]
		if last > 0 {
			p.Ancestors = path[:last:last]
		}
	}
	return p
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
