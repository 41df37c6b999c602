package sqlitestore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
// one that is written: others may have changed what is in the file. Rows are arrays,
// which need not outlive their statement.

func rowOfReseller(s *reseller.State) (row [22]arg) {
	row = [...]arg{
		{"id", integer(s.ID)},
		{"path", text(pathText(s.Position))},
		{"role", text(s.Role.String())},
		{"username", text(s.Username.String())},
		{"username_key", text(s.Username.Key())},
		{"password_hash", text(s.PasswordHash)},
		{"token", blob(s.Token[:])},
		{"country", text(s.Contact.Country.String())},
		{"whatsapp", text(s.Contact.Whatsapp.String())},
		{"telegram", text(s.Contact.Telegram.String())},
		{"email", text(s.Contact.Email.String())},
		{"notes", text(s.Contact.Notes.String())},
		{"language", text(s.Language.String())},
		{"blocked", truth(s.Blocked)},
		{"created_at", instant(s.CreatedAt)},
		{"credits", integer(s.Credits.Units())},
		{"ledger_seq", integer(s.Tip.Seq)},
		{"ledger_link", blob(s.Tip.Hash[:])},
		{"recharged_at", instant(s.RechargedAt)},
		{"trials", text(trialsText(s.Trials))},
		{"updated_at", instant(s.UpdatedAt)},
		itsChecksum,
	}
	withChecksum(row[:])
	return row
}

// onlyBalanceMoved reports whether two states differ in balanceColumns alone.
func onlyBalanceMoved(a, b *reseller.State) bool {
	return a.ID == b.ID && slices.Equal(a.Ancestors, b.Ancestors) && a.Role == b.Role && a.Username == b.Username &&
		a.PasswordHash == b.PasswordHash && a.Token == b.Token && a.Contact == b.Contact && a.Language == b.Language &&
		a.Blocked == b.Blocked && a.CreatedAt.Equal(b.CreatedAt)
}

func resellerOfRow(r *row) (*reseller.Reseller, error) {
	var s reseller.State
	id := r.summed().integer()
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
	s.Blocked = parsed(r, r.integer(), truthOf)
	s.CreatedAt = r.instant()
	s.Credits = parsed(r, r.integer(), credit.FromUnits)
	s.Tip.Seq = r.integer()
	s.Tip.Hash = parsed(r, r.blob(), hashOf)
	s.RechargedAt = r.instant()
	s.Trials = parsed(r, r.text(), trialsOf)
	s.UpdatedAt = r.instant()
	if r.err != nil {
		return nil, r.err
	}
	if s.ID != id {
		return nil, fmt.Errorf("%w: account %d has the path %s", storekit.ErrDamaged, id, pathText(s.Position))
	}
	return restored(r, s, reseller.Restore)
}

func rowOfLine(s *line.State) (row [17]arg) {
	row = [...]arg{
		{"id", integer(s.ID)},
		{"owner", integer(s.Owner.ID)},
		{"path", text(pathText(s.Owner))},
		{"username", text(s.Username.String())},
		{"username_key", text(s.Username.Key())},
		{"created_at", instant(s.CreatedAt)},
		{"password", blob(s.Password)},
		{"trial", truth(s.Trial)},
		{"expires_at", instant(s.ExpiresAt)},
		{"country", text(s.Country.String())},
		{"whatsapp", text(s.Whatsapp.String())},
		{"notes", text(s.Notes.String())},
		{"platform_id", integerOrNull(s.PlatformID)},
		{"charge", integerOrNull(s.Charge)},
		{"edited", truth(s.Edited)},
		{"updated_at", instant(s.UpdatedAt)},
		itsChecksum,
	}
	withChecksum(row[:])
	return row
}

func lineOfRow(r *row) (*line.Line, error) {
	var s line.State
	s.ID = r.summed().integer()
	owner := r.integer()
	s.Owner = parsed(r, r.text(), r.positionOf)
	s.Username = profile.RestoreUsername(r.text(), r.text())
	s.CreatedAt = r.instant()
	s.Password = r.blob()
	s.Trial = parsed(r, r.integer(), truthOf)
	s.ExpiresAt = r.instant()
	s.Country = profile.RestoreText(r.text())
	s.Whatsapp = profile.RestoreText(r.text())
	s.Notes = profile.RestoreText(r.text())
	s.PlatformID = r.integerOrNull()
	s.Charge = r.integerOrNull()
	s.Edited = parsed(r, r.integer(), truthOf)
	s.UpdatedAt = r.instant()
	if r.err != nil {
		return nil, r.err
	}
	if s.Owner.ID != owner {
		return nil, fmt.Errorf("%w: line %d of account %d has the path %s", storekit.ErrDamaged, s.ID, owner, pathText(s.Owner))
	}
	return restored(r, s, line.Restore)
}

func rowOfTombstone(t line.Tombstone) (row [5]arg) {
	row = [...]arg{{"line", integer(t.Line)}, {"charge", integerOrNull(t.Charge)}, {"actor", integer(t.Actor)}, {"at", instant(t.At)}, itsChecksum}
	withChecksum(row[:])
	return row
}

func tombstoneOfRow(r *row) (t line.Tombstone, err error) {
	t = line.Tombstone{Line: r.summed().integer(), Charge: r.integerOrNull(), Actor: r.integer(), At: r.instant()}
	return t, r.sound()
}

func rowOfMovement(m *credit.Movement) (row [18]arg, err error) {
	source, target, err := storekit.Sides(*m)
	if err != nil {
		return row, err
	}
	sourceSeq, sourceBalance, sourceLink := columnsOfPosting(&source.Posting)
	targetSeq, targetBalance, targetLink := columnsOfPosting(&target.Posting)
	return [...]arg{
		{"id", integer(m.ID)},
		{"operation", text(m.Operation.String())},
		{"source_system", textOrNull(source.System)},
		{"source_account", integerOrNull(source.Posting.Reseller)},
		{"source_seq", sourceSeq},
		{"source_balance", sourceBalance},
		{"source_link", sourceLink},
		{"target_system", textOrNull(target.System)},
		{"target_account", integerOrNull(target.Posting.Reseller)},
		{"target_seq", targetSeq},
		{"target_balance", targetBalance},
		{"target_link", targetLink},
		{"amount", integer(m.Amount.Units())},
		{"line", integerOrNull(m.Line)},
		{"actor", integer(m.Actor)},
		{"request", text(m.Request)},
		{"notes", text(m.Notes)},
		{"at", instant(m.At)},
	}, nil
}

// columnsOfPosting returns what stands beside the account of a side, NULL where that has none.
func columnsOfPosting(p *credit.Posting) (seq, balance, link value) {
	if p.Reseller == 0 {
		return seq, balance, link
	}
	return integer(p.Seq), integer(p.Balance.Units()), blob(p.Hash[:])
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

// side reads a side of a movement. One that is no account's has no balance and no hash.
func (r *row) side() (s storekit.Side) {
	s.System = r.textOrNull()
	s.Posting.Reseller = r.integerOrNull()
	s.Posting.Seq = r.integerOrNull()
	if s.Posting.Reseller == 0 && r.null() && r.null() {
		return s
	}
	s.Posting.Balance = parsed(r, r.integer(), credit.FromUnits)
	s.Posting.Hash = parsed(r, r.blob(), hashOf)
	return s
}

func rowOfKey(r *ports.KeyRecord) (row [7]arg) {
	row = [...]arg{
		{"account", integer(r.Reseller)}, {"key", text(r.Key)}, {"request", blob(r.Request)},
		{"status", integer(r.Status)}, {"body", blob(r.Body)}, {"expires", instant(r.Expires)},
		itsChecksum,
	}
	withChecksum(row[:])
	return row
}

func keyOfRow(r *row) (ports.KeyRecord, error) {
	k := ports.KeyRecord{
		Reseller: r.summed().integer(), Key: r.text(), Request: r.blob(), Status: int(r.integer()), Body: r.blob(), Expires: r.instant(),
	}
	return k, r.sound()
}

// restored returns the aggregate of a state whose columns were all read but for the checksum.
func restored[S, T any](r *row, s S, restore func(S) (*T, error)) (*T, error) {
	aggregate, err := restore(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return aggregate, r.sound()
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

// errNotWritten says that a text means something and was not written so by this program.
var errNotWritten = errors.New("this is not how it is written")

func pathText(p reseller.Position) string {
	path := make([]byte, 0, 64)
	for _, above := range p.Ancestors {
		path = strconv.AppendInt(append(path, '/'), above, 10)
	}
	return string(append(strconv.AppendInt(append(path, '/'), p.ID, 10), '/'))
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
		if err != nil || text[0] < '1' || text[0] > '9' { // an id is written in one way
			return reseller.Position{}, fmt.Errorf("path %q: %w", stored, cmp.Or(err, errNotWritten))
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
		return nil, fmt.Errorf("trials: %w", errNotWritten)
	}
	return slots, nil
}
