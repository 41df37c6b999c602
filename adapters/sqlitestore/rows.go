package sqlitestore

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

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
type scan func(columns ...sql.Scanner) error

func rowOfReseller(s reseller.State) []any {
	return []any{
		s.ID,
		pathText(s.Position),
		s.Role.String(),
		s.Username.String(),
		s.Username.Key(),
		s.PasswordHash,
		s.Token[:],
		s.Contact.Country.String(),
		s.Contact.Whatsapp.String(),
		s.Contact.Telegram.String(),
		s.Contact.Email.String(),
		s.Contact.Notes.String(),
		s.Language.String(),
		s.Credits.Units(),
		s.Tip.Seq,
		s.Tip.Hash[:],
		s.RechargedAt.UnixMilli(),
		s.Blocked,
		trialsText(s.Trials),
		s.CreatedAt.UnixMilli(),
		s.UpdatedAt.UnixMilli(),
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
		read(&s.Position, placeOf),
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
		read(&s.Tip.Hash, linkOf),
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
		return nil, fmt.Errorf("%w: account %d has the path %s", errCorrupt, id, pathText(s.Position))
	}
	s.Username = profile.RestoreUsername(shown, key)
	return restored(reseller.Restore(s))
}

func rowOfLine(s line.State) []any {
	return []any{
		s.ID,
		s.Owner.ID,
		pathText(s.Owner),
		s.Username.String(),
		s.Username.Key(),
		orEmpty(s.Password),
		s.Trial,
		s.ExpiresAt.UnixMilli(),
		s.Country.String(),
		s.Whatsapp.String(),
		s.Notes.String(),
		orNull(s.PlatformID),
		orNull(s.Charge),
		s.Edited,
		s.CreatedAt.UnixMilli(),
		s.UpdatedAt.UnixMilli(),
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
		read(&s.Owner, placeOf),
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
		return nil, fmt.Errorf("%w: line %d of account %d has the path %s", errCorrupt, s.ID, owner, pathText(s.Owner))
	}
	s.Username = profile.RestoreUsername(shown, key)
	return restored(line.Restore(s))
}

func rowOfTombstone(t line.Tombstone) []any {
	return []any{t.Line, orNull(t.Charge), t.Actor, t.At.UnixMilli()}
}

func tombstoneOfRow(scan scan) (t line.Tombstone, err error) {
	err = scan(plain(&t.Line), optional{plain(&t.Charge)}, plain(&t.Actor), read(&t.At, instantOf))
	return t, err
}

// rowOfMovement refuses a movement whose entries have no place in a row. One that
// the domain made has none such.
func rowOfMovement(m credit.Movement) ([]any, error) {
	row := []any{m.ID, m.Operation.String()}
	left := m.Postings
	for i, party := range []credit.Party{m.Source, m.Target} {
		row = append(row, orNull(party.System()))
		entered := len(left) > 0 && left[0].Reseller == party.ResellerID()
		if i == 0 && party == credit.Issuance { // it has the entry of the admin, if any
			entered = len(left) > 0 && left[0].Reseller != m.Target.ResellerID()
		}
		switch {
		case entered:
			e := left[0]
			row = append(row, e.Reseller, e.Seq, e.Balance.Units(), e.Hash[:])
			left = left[1:]
		case party.System() == "":
			return nil, fmt.Errorf("movement %d has no entry for %s", m.ID, party)
		default:
			row = append(row, nil, nil, nil, nil)
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("movement %d has an entry for account %d out of place", m.ID, left[0].Reseller)
	}
	return append(row, m.Amount.Units(), orNull(m.Line), m.Actor, m.Request, m.Notes, m.At.UnixMilli()), nil
}

// movementOfRow reads a movement, and what the row holds after it.
func movementOfRow(scan scan, more ...sql.Scanner) (credit.Movement, error) {
	var (
		m              credit.Movement
		source, target side
	)
	columns := []sql.Scanner{
		plain(&m.ID),
		read(&m.Operation, credit.ParseOperation),
		optional{plain(&source.system)},
		optional{plain(&source.entry.Reseller)},
		optional{plain(&source.entry.Seq)},
		optional{read(&source.entry.Balance, credit.FromUnits)},
		optional{read(&source.entry.Hash, linkOf)},
		optional{plain(&target.system)},
		optional{plain(&target.entry.Reseller)},
		optional{plain(&target.entry.Seq)},
		optional{read(&target.entry.Balance, credit.FromUnits)},
		optional{read(&target.entry.Hash, linkOf)},
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
	err := errors.Join(source.name(&m.Source), target.name(&m.Target))
	if err == nil {
		_, err = m.Chain() // adds nothing, and refuses what no chain takes
	}
	if err != nil {
		return credit.Movement{}, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	for _, s := range []side{source, target} {
		if s.entry.Reseller != 0 {
			m.Postings = append(m.Postings, s.entry)
		}
	}
	return m, nil
}

// side is a side of a movement as its columns.
type side struct {
	system string
	entry  credit.Posting
}

// name sets the party that the side is.
func (s side) name(party *credit.Party) (err error) {
	e := s.entry
	switch {
	case e.Reseller < 0 || (e.Reseller == 0) != (e.Seq <= 0) || (e.Reseller == 0) != (e.Hash == credit.Hash{}):
		return fmt.Errorf("half an entry of account %d, number %d", e.Reseller, e.Seq)
	case e.Reseller == 0 && !e.Balance.IsZero():
		return fmt.Errorf("%s has a balance of %s", s.system, e.Balance)
	case s.system != "":
		*party, err = credit.ParseSystemParty(s.system)
		return err
	case e.Reseller == 0:
		return errors.New("a side names no party")
	}
	*party = credit.Reseller(e.Reseller)
	return nil
}

func rowOfKey(r ports.KeyRecord) []any {
	return []any{r.Reseller, r.Key, orEmpty(r.Request), r.Status, orEmpty(r.Body), r.Expires.UnixMilli()}
}

func keyOfRow(scan scan) (ports.KeyRecord, error) {
	var r ports.KeyRecord
	err := scan(plain(&r.Reseller), plain(&r.Key), plain(&r.Request), read(&r.Status, countOf), plain(&r.Body), read(&r.Expires, instantOf))
	return r, err
}

// errCorrupt marks what is stored and can't have been written by this program.
var errCorrupt = errors.New("a stored record is damaged")

func restored[T any](aggregate *T, err error) (*T, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return aggregate, nil
}

// column parses a stored value, of the type that SQLite gives for it, into its
// target.
type column[S, T any] struct {
	target *T
	parse  func(S) (T, error)
}

func read[S, T any](target *T, parse func(S) (T, error)) column[S, T] {
	return column[S, T]{target, parse}
}

// Scan implements sql.Scanner.
func (c column[S, T]) Scan(stored any) (err error) {
	v, ok := stored.(S)
	if !ok {
		return fmt.Errorf("%w: %T in place of %T", errCorrupt, stored, v)
	}
	if *c.target, err = c.parse(v); err != nil {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	return nil
}

// plain is a column whose stored value is the value itself.
func plain[T any](target *T) column[T, T] {
	return read(target, func(stored T) (T, error) { return stored, nil })
}

// orEmpty keeps nil from becoming NULL.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
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
type optional struct{ sql.Scanner }

// Scan implements sql.Scanner.
func (o optional) Scan(stored any) error {
	if stored == nil {
		return nil
	}
	return o.Scanner.Scan(stored)
}

func countOf(stored int64) (int, error) { return int(stored), nil }

func truthOf(stored int64) (bool, error) {
	if stored != 0 && stored != 1 {
		return false, fmt.Errorf("%d is neither true nor false", stored)
	}
	return stored == 1, nil
}

func linkOf(stored []byte) (l credit.Hash, err error) {
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

func placeOf(stored string) (reseller.Position, error) {
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
	place := reseller.Position{ID: path[len(path)-1]}
	if len(path) > 1 {
		place.Ancestors = path[:len(path)-1]
	}
	return place, nil
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
