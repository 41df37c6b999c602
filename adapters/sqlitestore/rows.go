package sqlitestore

import (
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
// of the columns that statements.go lists.

func rowOfAccount(s reseller.State) []any {
	return []any{
		s.ID,
		pathText(s.Place),
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
		s.RechargedAt.UnixMilli(),
		s.Blocked,
		trialsText(s.Trials),
		s.CreatedAt.UnixMilli(),
		s.UpdatedAt.UnixMilli(),
	}
}

func accountOfRow(scan func(targets ...any) error) (*reseller.Account, error) {
	var (
		s          reseller.State
		id         int64
		shown, key string
	)
	err := scan(
		&id,
		read(&s.Place, placeOf),
		read(&s.Role, reseller.ParseRole),
		&shown,
		&key,
		&s.PasswordHash,
		read(&s.Token, generationOf),
		read(&s.Contact.Country, textOf),
		read(&s.Contact.Whatsapp, textOf),
		read(&s.Contact.Telegram, textOf),
		read(&s.Contact.Email, textOf),
		read(&s.Contact.Notes, textOf),
		read(&s.Language, textOf),
		read(&s.Credits, credit.FromUnits),
		read(&s.RechargedAt, instantOf),
		&s.Blocked,
		read(&s.Trials, trialsOf),
		read(&s.CreatedAt, instantOf),
		read(&s.UpdatedAt, instantOf),
	)
	if err != nil {
		return nil, err
	}
	if s.ID != id {
		return nil, fmt.Errorf("%w: the path of account %d ends with %d", errCorrupt, id, s.ID)
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
		s.Edited,
		s.CreatedAt.UnixMilli(),
		s.UpdatedAt.UnixMilli(),
	}
}

func lineOfRow(scan func(targets ...any) error) (*line.Line, error) {
	var (
		s          line.State
		owner      int64
		shown, key string
	)
	err := scan(
		&s.ID,
		&owner,
		read(&s.Owner, placeOf),
		&shown,
		&key,
		(*[]byte)(&s.Password),
		&s.Trial,
		read(&s.ExpiresAt, instantOf),
		read(&s.Country, textOf),
		read(&s.Whatsapp, textOf),
		read(&s.Notes, textOf),
		orZero(&s.PlatformID),
		&s.Edited,
		read(&s.CreatedAt, instantOf),
		read(&s.UpdatedAt, instantOf),
	)
	if err != nil {
		return nil, err
	}
	if s.Owner.ID != owner {
		return nil, fmt.Errorf("%w: the path of the owner of line %d ends with %d and not %d", errCorrupt, s.ID, s.Owner.ID, owner)
	}
	s.Username = profile.RestoreUsername(shown, key)
	return restored(line.Restore(s))
}

func rowOfMovement(m credit.Movement) []any {
	row := []any{m.ID, m.Operation.String()}
	for _, leg := range []credit.Leg{m.Source, m.Target} {
		if system := leg.Party.System(); system != "" {
			row = append(row, system, nil, nil)
		} else {
			row = append(row, nil, leg.Party.AccountID(), leg.Balance.Units())
		}
	}
	return append(row, m.Amount.Units(), orNull(m.Line), m.Actor, m.Request, m.Notes, m.At.UnixMilli())
}

func movementOfRow(scan func(targets ...any) error) (credit.Movement, error) {
	var (
		m              credit.Movement
		source, target legRow
	)
	err := scan(
		&m.ID,
		read(&m.Operation, credit.ParseOperation),
		&source.system, &source.account, &source.balance,
		&target.system, &target.account, &target.balance,
		read(&m.Amount, credit.FromUnits),
		orZero(&m.Line),
		&m.Actor,
		&m.Request,
		&m.Notes,
		read(&m.At, instantOf),
	)
	if err != nil {
		return credit.Movement{}, err
	}
	var errs [2]error
	m.Source, errs[0] = source.leg()
	m.Target, errs[1] = target.leg()
	if err := errors.Join(errs[:]...); err != nil {
		return credit.Movement{}, fmt.Errorf("%w: movement %d: %w", errCorrupt, m.ID, err)
	}
	return m, nil
}

// legRow is a leg as its three columns: a system account, or an account and its
// balance.
type legRow struct {
	system           *string
	account, balance *int64
}

func (r legRow) leg() (credit.Leg, error) {
	switch {
	case r.system != nil:
		party, err := credit.ParseSystemParty(*r.system)
		return credit.Leg{Party: party}, err
	case r.account == nil || r.balance == nil:
		return credit.Leg{}, errors.New("a leg names no party")
	}
	balance, err := credit.FromUnits(*r.balance)
	return credit.Leg{Party: credit.Account(*r.account), Balance: balance}, err
}

func rowOfKey(r ports.KeyRecord) []any {
	return []any{r.Account, r.Key, orEmpty(r.Request), r.Status, orEmpty(r.Body), r.Expires.UnixMilli()}
}

func keyOfRow(scan func(targets ...any) error) (ports.KeyRecord, error) {
	var r ports.KeyRecord
	err := scan(&r.Account, &r.Key, &r.Request, &r.Status, &r.Body, read(&r.Expires, instantOf))
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

// orEmpty keeps nil from becoming NULL.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func orNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// zeroIfNull leaves its target alone for NULL.
type zeroIfNull struct{ target *int64 }

func orZero(target *int64) zeroIfNull { return zeroIfNull{target} }

// Scan implements sql.Scanner.
func (z zeroIfNull) Scan(stored any) error {
	if stored == nil {
		return nil
	}
	return read(z.target, func(n int64) (int64, error) { return n, nil }).Scan(stored)
}

func textOf(stored string) (profile.Text, error) { return profile.RestoreText(stored), nil }

func instantOf(stored int64) (time.Time, error) { return time.UnixMilli(stored).UTC(), nil }

func generationOf(stored []byte) (g reseller.Generation, err error) {
	if copy(g[:], stored) != len(g) {
		err = fmt.Errorf("a token generation of %d bytes", len(stored))
	}
	return g, err
}

func pathText(p reseller.Place) string {
	var b strings.Builder
	b.WriteByte('/')
	for _, id := range p.Path() {
		b.WriteString(strconv.FormatInt(id, 10))
		b.WriteByte('/')
	}
	return b.String()
}

func placeOf(stored string) (reseller.Place, error) {
	inner, rooted := strings.CutPrefix(stored, "/")
	inner, ended := strings.CutSuffix(inner, "/")
	if !rooted || !ended {
		return reseller.Place{}, fmt.Errorf("path %q", stored)
	}
	var path []int64
	for text := range strings.SplitSeq(inner, "/") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return reseller.Place{}, fmt.Errorf("path %q: %w", stored, err)
		}
		path = append(path, id)
	}
	place := reseller.Place{ID: path[len(path)-1]}
	if len(path) > 1 {
		place.Above = path[:len(path)-1]
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
