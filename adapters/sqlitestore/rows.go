package sqlitestore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Each record has one converter each way. Rows are written and read in the order
// of the columns that statements.go lists. A column takes no other type than the
// one that is written: others may have changed what is in the file.

func rowOfReseller(s reseller.State) args {
	return args{
		{"id", s.ID},
		{"path", pathText(s.Position)},
		{"role", s.Role.String()},
		{"username", s.Username.String()},
		{"username_key", s.Username.Key()},
		{"password_hash", s.PasswordHash},
		{"token", s.Token[:]},
		{"country", s.Contact.Country.String()},
		{"whatsapp", s.Contact.Whatsapp.String()},
		{"telegram", s.Contact.Telegram.String()},
		{"email", s.Contact.Email.String()},
		{"notes", s.Contact.Notes.String()},
		{"language", s.Language.String()},
		{"credits", s.Credits.Units()},
		{"ledger_seq", s.Tip.Seq},
		{"ledger_link", s.Tip.Hash[:]},
		{"recharged_at", s.RechargedAt.UnixMilli()},
		{"blocked", s.Blocked},
		{"trials", trialsText(s.Trials)},
		{"created_at", s.CreatedAt.UnixMilli()},
		{"updated_at", s.UpdatedAt.UnixMilli()},
	}
}

func resellerOfRow(r *row) (*reseller.Reseller, error) {
	var s reseller.State
	id := r.integer()
	s.Position = parsed(r, r.text(), positionOf)
	s.Role = parsed(r, r.text(), reseller.ParseRole)
	s.Username = profile.RestoreUsername(r.text(), r.text())
	s.PasswordHash = r.text()
	s.Token = parsed(r, r.blob(), generationOf)
	s.Contact.Country = profile.RestoreText(r.text())
	s.Contact.Whatsapp = profile.RestoreText(r.text())
	s.Contact.Telegram = profile.RestoreText(r.text())
	s.Contact.Email = profile.RestoreText(r.text())
	s.Contact.Notes = profile.RestoreText(r.text())
	s.Language = profile.RestoreText(r.text())
	s.Credits = parsed(r, r.integer(), credit.FromUnits)
	s.Tip.Seq = r.integer()
	s.Tip.Hash = parsed(r, r.blob(), hashOf)
	s.RechargedAt = r.instant()
	s.Blocked = parsed(r, r.integer(), truthOf)
	s.Trials = parsed(r, r.text(), trialsOf)
	s.CreatedAt = r.instant()
	s.UpdatedAt = r.instant()
	if r.err != nil {
		return nil, r.err
	}
	if s.ID != id {
		return nil, fmt.Errorf("%w: account %d has the path %s", storekit.ErrDamaged, id, pathText(s.Position))
	}
	return restored(reseller.Restore(s))
}

func rowOfLine(s line.State) args {
	return args{
		{"id", s.ID},
		{"owner", s.Owner.ID},
		{"path", pathText(s.Owner)},
		{"username", s.Username.String()},
		{"username_key", s.Username.Key()},
		{"password", storekit.OrEmpty(s.Password)},
		{"trial", s.Trial},
		{"expires_at", s.ExpiresAt.UnixMilli()},
		{"country", s.Country.String()},
		{"whatsapp", s.Whatsapp.String()},
		{"notes", s.Notes.String()},
		{"platform_id", orNull(s.PlatformID)},
		{"charge", orNull(s.Charge)},
		{"edited", s.Edited},
		{"created_at", s.CreatedAt.UnixMilli()},
		{"updated_at", s.UpdatedAt.UnixMilli()},
	}
}

func lineOfRow(r *row) (*line.Line, error) {
	var s line.State
	s.ID = r.integer()
	owner := r.integer()
	s.Owner = parsed(r, r.text(), r.positionOf)
	s.Username = profile.RestoreUsername(r.text(), r.text())
	s.Password = r.blob()
	s.Trial = parsed(r, r.integer(), truthOf)
	s.ExpiresAt = r.instant()
	s.Country = profile.RestoreText(r.text())
	s.Whatsapp = profile.RestoreText(r.text())
	s.Notes = profile.RestoreText(r.text())
	s.PlatformID = r.integerOrNull()
	s.Charge = r.integerOrNull()
	s.Edited = parsed(r, r.integer(), truthOf)
	s.CreatedAt = r.instant()
	s.UpdatedAt = r.instant()
	if r.err != nil {
		return nil, r.err
	}
	if s.Owner.ID != owner {
		return nil, fmt.Errorf("%w: line %d of account %d has the path %s", storekit.ErrDamaged, s.ID, owner, pathText(s.Owner))
	}
	return restored(line.Restore(s))
}

func rowOfTombstone(t line.Tombstone) args {
	return args{{"line", t.Line}, {"charge", orNull(t.Charge)}, {"actor", t.Actor}, {"at", t.At.UnixMilli()}}
}

func tombstoneOfRow(r *row) (t line.Tombstone, err error) {
	t = line.Tombstone{Line: r.integer(), Charge: r.integerOrNull(), Actor: r.integer(), At: r.instant()}
	return t, r.err
}

func rowOfMovement(m credit.Movement) (args, error) {
	source, target, err := storekit.Sides(m)
	if err != nil {
		return nil, err
	}
	row := append(make(args, 0, 18), args{{"id", m.ID}, {"operation", m.Operation.String()}}...)
	for i, s := range []storekit.Side{source, target} {
		p, names := s.Posting, sideColumns[i]
		row = append(row, args{{names[0], orNull(s.System)}, {names[1], orNull(p.Reseller)}, {names[2], nil}, {names[3], nil}, {names[4], nil}}...)
		if p.Reseller != 0 {
			row[len(row)-3].value, row[len(row)-2].value, row[len(row)-1].value = p.Seq, p.Balance.Units(), p.Hash[:]
		}
	}
	return append(row, args{
		{"amount", m.Amount.Units()},
		{"line", orNull(m.Line)},
		{"actor", m.Actor},
		{"request", m.Request},
		{"notes", m.Notes},
		{"at", m.At.UnixMilli()},
	}...), nil
}

// sideColumns are the columns of either side of a movement.
var sideColumns = [2][5]string{
	{"source_system", "source_account", "source_seq", "source_balance", "source_link"},
	{"target_system", "target_account", "target_seq", "target_balance", "target_link"},
}

func movementOfRow(r *row) (credit.Movement, error) {
	var m credit.Movement
	m.ID = r.integer()
	m.Operation = parsed(r, r.text(), credit.ParseOperation)
	source, target := r.side(), r.side()
	m.Amount = parsed(r, r.integer(), credit.FromUnits)
	m.Line = r.integerOrNull()
	m.Actor = r.integer()
	m.Request = r.text()
	m.Notes = r.text()
	m.At = r.instant()
	if r.err != nil {
		return credit.Movement{}, r.err
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

func (r *row) side() (s storekit.Side) {
	s.System = r.textOrNull()
	s.Posting.Reseller = r.integerOrNull()
	s.Posting.Seq = r.integerOrNull()
	if !r.null() {
		s.Posting.Balance = parsed(r, r.integer(), credit.FromUnits)
	}
	if !r.null() {
		s.Posting.Hash = parsed(r, r.blob(), hashOf)
	}
	return s
}

func rowOfKey(r ports.KeyRecord) args {
	return args{
		{"account", r.Reseller}, {"key", r.Key},
		{"request", storekit.OrEmpty(r.Request)}, {"status", r.Status}, {"body", storekit.OrEmpty(r.Body)}, {"expires", r.Expires.UnixMilli()},
	}
}

func keyOfRow(r *row) (ports.KeyRecord, error) {
	k := ports.KeyRecord{
		Reseller: r.integer(), Key: r.text(), Request: r.blob(), Status: int(r.integer()), Body: r.blob(), Expires: r.instant(),
	}
	return k, r.err
}

func restored[T any](aggregate *T, err error) (*T, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return aggregate, nil
}

// orNull stores the zero value as NULL.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func truthOf(stored int64) (bool, error) {
	if stored != 0 && stored != 1 {
		return false, fmt.Errorf("%d is neither true nor false", stored)
	}
	return stored == 1, nil
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
	var b strings.Builder
	b.WriteByte('/')
	for _, id := range p.Path() {
		b.WriteString(strconv.FormatInt(id, 10))
		b.WriteByte('/')
	}
	return b.String()
}

func positionOf(stored string) (reseller.Position, error) {
	inner, rooted := strings.CutPrefix(stored, "/")
	inner, ended := strings.CutSuffix(inner, "/")
	if !rooted || !ended {
		return reseller.Position{}, fmt.Errorf("path %q", stored)
	}
	path := make([]int64, 0, 1+strings.Count(inner, "/"))
	for text := range strings.SplitSeq(inner, "/") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return reseller.Position{}, fmt.Errorf("path %q: %w", stored, err)
		}
		path = append(path, id)
	}
	position := reseller.Position{ID: path[len(path)-1]}
	if len(path) > 1 {
		position.Ancestors = path[:len(path)-1]
	}
	return position, nil
}

func trialsText(slots []reseller.TrialSlot) string {
	b := []byte{'['}
	for i, s := range slots {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "[%d,%d]", s.Start.UnixMilli(), s.Count)
	}
	return string(append(b, ']'))
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
	return slots, nil
}
