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

// scan reads a row into its columns.
type scan func(columns ...column) error

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

func resellerOfRow(scan scan) (*reseller.Reseller, error) {
	var (
		s          reseller.State
		id         int64
		shown, key string
	)
	err := scan(
		plain(&id),
		read(&s.Position, positionOf),
		read(&s.Role, reseller.ParseRole),
		plain(&shown),
		plain(&key),
		plain(&s.PasswordHash),
		read(&s.Token, generationOf),
		read(&s.Contact.Country, textOf),
		read(&s.Contact.Whatsapp, textOf),
		read(&s.Contact.Telegram, textOf),
		read(&s.Contact.Email, textOf),
		read(&s.Contact.Notes, textOf),
		read(&s.Language, textOf),
		read(&s.Credits, credit.FromUnits),
		plain(&s.Tip.Seq),
		read(&s.Tip.Hash, hashOf),
		read(&s.RechargedAt, instantOf),
		read(&s.Blocked, truthOf),
		read(&s.Trials, trialsOf),
		read(&s.CreatedAt, instantOf),
		read(&s.UpdatedAt, instantOf),
	)
	if err != nil {
		return nil, err
	}
	if s.ID != id {
		return nil, fmt.Errorf("%w: account %d has the path %s", storekit.ErrDamaged, id, pathText(s.Position))
	}
	s.Username = profile.RestoreUsername(shown, key)
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

func lineOfRow(scan scan) (*line.Line, error) {
	var (
		s          line.State
		owner      int64
		shown, key string
	)
	err := scan(
		plain(&s.ID),
		plain(&owner),
		read(&s.Owner, positionOf),
		plain(&shown),
		plain(&key),
		plain((*[]byte)(&s.Password)),
		read(&s.Trial, truthOf),
		read(&s.ExpiresAt, instantOf),
		read(&s.Country, textOf),
		read(&s.Whatsapp, textOf),
		read(&s.Notes, textOf),
		optional{plain(&s.PlatformID)},
		optional{plain(&s.Charge)},
		read(&s.Edited, truthOf),
		read(&s.CreatedAt, instantOf),
		read(&s.UpdatedAt, instantOf),
	)
	if err != nil {
		return nil, err
	}
	if s.Owner.ID != owner {
		return nil, fmt.Errorf("%w: line %d of account %d has the path %s", storekit.ErrDamaged, s.ID, owner, pathText(s.Owner))
	}
	s.Username = profile.RestoreUsername(shown, key)
	return restored(line.Restore(s))
}

func rowOfTombstone(t line.Tombstone) args {
	return args{{"line", t.Line}, {"charge", orNull(t.Charge)}, {"actor", t.Actor}, {"at", t.At.UnixMilli()}}
}

func tombstoneOfRow(scan scan) (t line.Tombstone, err error) {
	err = scan(plain(&t.Line), optional{plain(&t.Charge)}, plain(&t.Actor), read(&t.At, instantOf))
	return t, err
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

// movementOfRow reads a movement, and what the row holds after it.
func movementOfRow(scan scan, more ...column) (credit.Movement, error) {
	var (
		m              credit.Movement
		source, target storekit.Side
	)
	columns := []column{
		plain(&m.ID),
		read(&m.Operation, credit.ParseOperation),
		optional{plain(&source.System)},
		optional{plain(&source.Posting.Reseller)},
		optional{plain(&source.Posting.Seq)},
		optional{read(&source.Posting.Balance, credit.FromUnits)},
		optional{read(&source.Posting.Hash, hashOf)},
		optional{plain(&target.System)},
		optional{plain(&target.Posting.Reseller)},
		optional{plain(&target.Posting.Seq)},
		optional{read(&target.Posting.Balance, credit.FromUnits)},
		optional{read(&target.Posting.Hash, hashOf)},
		read(&m.Amount, credit.FromUnits),
		optional{plain(&m.Line)},
		plain(&m.Actor),
		plain(&m.Request),
		plain(&m.Notes),
		read(&m.At, instantOf),
	}
	if err := scan(append(columns, more...)...); err != nil {
		return credit.Movement{}, err
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

func rowOfKey(r ports.KeyRecord) args {
	return args{
		{"account", r.Reseller}, {"key", r.Key},
		{"request", storekit.OrEmpty(r.Request)}, {"status", r.Status}, {"body", storekit.OrEmpty(r.Body)}, {"expires", r.Expires.UnixMilli()},
	}
}

func keyOfRow(scan scan) (ports.KeyRecord, error) {
	var r ports.KeyRecord
	err := scan(plain(&r.Reseller), plain(&r.Key), plain(&r.Request), read(&r.Status, countOf), plain(&r.Body), read(&r.Expires, instantOf))
	return r, err
}

func restored[T any](aggregate *T, err error) (*T, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return aggregate, nil
}

// column takes what is stored in a column of a row.
type column interface {
	Scan(stored any) error
}

// parsed parses a stored value, of the type that SQLite gives for it, into its
// target.
type parsed[S, T any] struct {
	target *T
	parse  func(S) (T, error)
}

func read[S, T any](target *T, parse func(S) (T, error)) parsed[S, T] {
	return parsed[S, T]{target, parse}
}

// Scan implements column.
func (c parsed[S, T]) Scan(stored any) (err error) {
	v, ok := stored.(S)
	if !ok {
		return fmt.Errorf("%w: %T in place of %T", storekit.ErrDamaged, stored, v)
	}
	if *c.target, err = c.parse(v); err != nil {
		return fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
	}
	return nil
}

// plain is a column whose stored value is the value itself.
func plain[T any](target *T) parsed[T, T] {
	return read(target, func(stored T) (T, error) { return stored, nil })
}

// orNull stores the zero value as NULL, and optional reads it back.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// optional is a column whose target stays what it is where NULL is stored.
type optional struct{ column }

// Scan implements column.
func (o optional) Scan(stored any) error {
	if stored == nil {
		return nil
	}
	return o.column.Scan(stored)
}

func countOf(stored int64) (int, error) { return int(stored), nil }

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

func textOf(stored string) (profile.Text, error) { return profile.RestoreText(stored), nil }

func instantOf(stored int64) (time.Time, error) { return time.UnixMilli(stored).UTC(), nil }

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
	var path []int64
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
