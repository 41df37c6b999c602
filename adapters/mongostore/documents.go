package mongostore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/shopspring/decimal"
	"go.mongodb.org/mongo-driver/v2/bson"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Each record has one converter each way. A document is taken for what it holds
// only if this program would write it so to the last byte: others may have changed
// what is in the database, and a decoder takes a missing amount for none.

// codec is how records of one kind are kept as documents.
type codec[V any] struct {
	write func(v V, version int64) any
	read  func(raw bson.Raw) (v V, version int64, err error)
}

// codecOf makes a codec of two converters.
func codecOf[V, D any](write func(V, int64) D, read func(D) (V, int64, error)) codec[V] {
	return codec[V]{
		write: func(v V, version int64) any { return write(v, version) },
		read: func(raw bson.Raw) (v V, version int64, err error) {
			if !wellFormed(raw) {
				return v, 0, fmt.Errorf("%w: it is no well-formed document of the types that are written", storekit.ErrDamaged)
			}
			var d D
			if err := bson.Unmarshal(raw, &d); err != nil {
				return v, 0, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
			}
			if v, version, err = read(d); err != nil {
				return v, 0, fmt.Errorf("%w: %w", storekit.ErrDamaged, err)
			}
			again, err := bson.Marshal(write(v, version))
			if err != nil || !bytes.Equal(raw, again) {
				return v, 0, errors.Join(fmt.Errorf("%w: it is not what this program writes", storekit.ErrDamaged), err)
			}
			return v, version, nil
		},
	}
}

// The documents. The version of a reseller or a line grows with each save, so that
// a save always writes and meets every other one.
type (
	resellerDocument struct {
		ID           int64           `bson:"_id"`
		Path         []int64         `bson:"path"` // from the root down to the reseller itself
		Parent       int64           `bson:"parent"`
		Role         string          `bson:"role"`
		Username     string          `bson:"username"`
		UsernameKey  string          `bson:"username_key"`
		PasswordHash string          `bson:"password_hash"`
		Token        []byte          `bson:"token"`
		Contact      contactDocument `bson:"contact"`
		Language     string          `bson:"language"`
		Credits      bson.Decimal128 `bson:"credits"`
		Ledger       tipDocument     `bson:"ledger"`
		RechargedAt  time.Time       `bson:"recharged_at"`
		Blocked      bool            `bson:"blocked"`
		Trials       []slotDocument  `bson:"trials"`
		CreatedAt    time.Time       `bson:"created_at"`
		UpdatedAt    time.Time       `bson:"updated_at"`
		Version      int64           `bson:"version"`
	}
	contactDocument struct {
		Country  string `bson:"country"`
		Whatsapp string `bson:"whatsapp"`
		Telegram string `bson:"telegram"`
		Email    string `bson:"email"`
		Notes    string `bson:"notes"`
	}
	tipDocument struct {
		Seq  int64  `bson:"seq"`
		Link []byte `bson:"link"`
	}
	slotDocument struct {
		Start time.Time `bson:"start"`
		Count int64     `bson:"count"`
	}

	lineDocument struct {
		ID          int64     `bson:"_id"`
		Owner       int64     `bson:"owner"`
		Path        []int64   `bson:"path"` // of the owner
		Username    string    `bson:"username"`
		UsernameKey string    `bson:"username_key"`
		Password    []byte    `bson:"password"` // encrypted
		Trial       bool      `bson:"trial"`
		ExpiresAt   time.Time `bson:"expires_at"`
		Country     string    `bson:"country"`
		Whatsapp    string    `bson:"whatsapp"`
		Notes       string    `bson:"notes"`
		PlatformID  int64     `bson:"platform_id,omitempty"`
		Charge      int64     `bson:"charge,omitempty"`
		Edited      bool      `bson:"edited"`
		CreatedAt   time.Time `bson:"created_at"`
		UpdatedAt   time.Time `bson:"updated_at"`
		Version     int64     `bson:"version"`
	}

	// nameDocument makes a name unique: a unique index over names would have to
	// contain the shard key of a sharded collection, an _id has not.
	nameDocument struct {
		Key    string `bson:"_id"`
		Holder int64  `bson:"holder"`
	}

	// tombstoneDocument has the id of the line that was deleted.
	tombstoneDocument struct {
		ID     int64     `bson:"_id"`
		Charge int64     `bson:"charge,omitempty"`
		Actor  int64     `bson:"actor"`
		At     time.Time `bson:"at"`
	}

	movementDocument struct {
		ID        int64           `bson:"_id"`
		Reseller  int64           `bson:"account"` // of the first entry, to be kept near
		Operation string          `bson:"operation"`
		Source    sideDocument    `bson:"source"`
		Target    sideDocument    `bson:"target"`
		Amount    bson.Decimal128 `bson:"amount"`
		Line      int64           `bson:"line,omitempty"`
		Actor     int64           `bson:"actor"`
		Request   string          `bson:"request"`
		Notes     string          `bson:"notes"`
		At        time.Time       `bson:"at"`
	}
	// sideDocument is a side of a movement: a system account or a reseller, and with
	// a reseller its entry. An admin's entry stands beside issuance, which the admin
	// stands for.
	sideDocument struct {
		System   string           `bson:"system,omitempty"`
		Reseller int64            `bson:"account,omitempty"`
		Seq      int64            `bson:"seq,omitempty"`
		Balance  *bson.Decimal128 `bson:"balance,omitempty"`
		Link     []byte           `bson:"link,omitempty"`
	}

	keyID struct {
		Reseller int64  `bson:"account"`
		Key      string `bson:"key"`
	}
	keyDocument struct {
		ID      keyID     `bson:"_id"`
		Request []byte    `bson:"request"`
		Status  int64     `bson:"status"`
		Body    []byte    `bson:"body"` // encrypted
		Expires time.Time `bson:"expires"`
	}
)

var resellerCodec = codecOf(
	func(s reseller.State, version int64) resellerDocument {
		d := resellerDocument{
			ID:           s.ID,
			Path:         s.Path(),
			Parent:       s.Parent(),
			Role:         s.Role.String(),
			Username:     s.Username.String(),
			UsernameKey:  s.Username.Key(),
			PasswordHash: s.PasswordHash,
			Token:        s.Token[:],
			Contact: contactDocument{
				Country:  s.Contact.Country.String(),
				Whatsapp: s.Contact.Whatsapp.String(),
				Telegram: s.Contact.Telegram.String(),
				Email:    s.Contact.Email.String(),
				Notes:    s.Contact.Notes.String(),
			},
			Language:    s.Language.String(),
			Credits:     creditsOf(s.Credits),
			Ledger:      tipDocument{s.Tip.Seq, s.Tip.Hash[:]},
			RechargedAt: s.RechargedAt,
			Blocked:     s.Blocked,
			Trials:      make([]slotDocument, len(s.Trials)),
			CreatedAt:   s.CreatedAt,
			UpdatedAt:   s.UpdatedAt,
			Version:     version,
		}
		for i, slot := range s.Trials {
			d.Trials[i] = slotDocument{slot.Start, int64(slot.Count)}
		}
		return d
	},
	func(d resellerDocument) (s reseller.State, version int64, err error) {
		s = reseller.State{
			Username:     profile.RestoreUsername(d.Username, d.UsernameKey),
			PasswordHash: d.PasswordHash,
			Contact: reseller.Contact{
				Country:  profile.RestoreText(d.Contact.Country),
				Whatsapp: profile.RestoreText(d.Contact.Whatsapp),
				Telegram: profile.RestoreText(d.Contact.Telegram),
				Email:    profile.RestoreText(d.Contact.Email),
				Notes:    profile.RestoreText(d.Contact.Notes),
			},
			Language:    profile.RestoreText(d.Language),
			Tip:         credit.Tip{Seq: d.Ledger.Seq},
			RechargedAt: d.RechargedAt,
			Blocked:     d.Blocked,
			CreatedAt:   d.CreatedAt,
			UpdatedAt:   d.UpdatedAt,
		}
		for _, slot := range d.Trials {
			s.Trials = append(s.Trials, reseller.TrialSlot{Start: slot.Start, Count: int(slot.Count)})
		}
		copy(s.Token[:], d.Token)
		copy(s.Tip.Hash[:], d.Ledger.Link)
		var position, role, amount error
		s.Position, position = positionOf(d.Path)
		s.Role, role = reseller.ParseRole(d.Role)
		s.Credits, amount = amountOf(d.Credits)
		if err = errors.Join(position, role, amount, checkVersion(d.Version)); err == nil {
			_, err = reseller.Restore(s)
		}
		return s, d.Version, err
	},
)

var lineCodec = codecOf(
	func(s line.State, version int64) lineDocument {
		return lineDocument{
			ID:          s.ID,
			Owner:       s.Owner.ID,
			Path:        s.Owner.Path(),
			Username:    s.Username.String(),
			UsernameKey: s.Username.Key(),
			Password:    storekit.OrEmpty(s.Password),
			Trial:       s.Trial,
			ExpiresAt:   s.ExpiresAt,
			Country:     s.Country.String(),
			Whatsapp:    s.Whatsapp.String(),
			Notes:       s.Notes.String(),
			PlatformID:  s.PlatformID,
			Charge:      s.Charge,
			Edited:      s.Edited,
			CreatedAt:   s.CreatedAt,
			UpdatedAt:   s.UpdatedAt,
			Version:     version,
		}
	},
	func(d lineDocument) (s line.State, version int64, err error) {
		s = line.State{
			ID:         d.ID,
			Username:   profile.RestoreUsername(d.Username, d.UsernameKey),
			Password:   d.Password,
			Trial:      d.Trial,
			ExpiresAt:  d.ExpiresAt,
			Country:    profile.RestoreText(d.Country),
			Whatsapp:   profile.RestoreText(d.Whatsapp),
			Notes:      profile.RestoreText(d.Notes),
			PlatformID: d.PlatformID,
			Charge:     d.Charge,
			Edited:     d.Edited,
			CreatedAt:  d.CreatedAt,
			UpdatedAt:  d.UpdatedAt,
		}
		var position error
		s.Owner, position = positionOf(d.Path)
		if err = errors.Join(position, checkVersion(d.Version)); err == nil {
			_, err = line.Restore(s)
		}
		return s, d.Version, err
	},
)

// holder is who has a name.
type holder struct {
	key string
	id  int64
}

var nameCodec = codecOf(
	func(h holder, _ int64) nameDocument { return nameDocument{h.key, h.id} },
	func(d nameDocument) (holder, int64, error) { return holder{d.Key, d.Holder}, 0, nil },
)

var tombstoneCodec = codecOf(
	func(t line.Tombstone, _ int64) tombstoneDocument {
		return tombstoneDocument{t.Line, t.Charge, t.Actor, t.At}
	},
	func(d tombstoneDocument) (line.Tombstone, int64, error) {
		return line.Tombstone{Line: d.ID, Charge: d.Charge, Actor: d.Actor, At: d.At}, 0, nil
	},
)

var movementCodec = codecOf(
	func(m credit.Movement, _ int64) movementDocument {
		from, to, _ := storekit.Sides(m) // checked when it was appended
		source, target := sideDocumentOf(from), sideDocumentOf(to)
		return movementDocument{
			ID:        m.ID,
			Reseller:  cmp.Or(source.Reseller, target.Reseller),
			Operation: m.Operation.String(),
			Source:    source,
			Target:    target,
			Amount:    creditsOf(m.Amount),
			Line:      m.Line,
			Actor:     m.Actor,
			Request:   m.Request,
			Notes:     m.Notes,
			At:        m.At,
		}
	},
	func(d movementDocument) (m credit.Movement, version int64, err error) {
		m.Provenance = credit.Provenance{ID: d.ID, Actor: d.Actor, Request: d.Request, Notes: d.Notes, At: d.At}
		m.Line = d.Line
		source, err1 := d.Source.side()
		target, err2 := d.Target.side()
		var operation, amount error
		m.Operation, operation = credit.ParseOperation(d.Operation)
		m.Amount, amount = amountOf(d.Amount)
		if err = errors.Join(operation, amount, err1, err2, storekit.JoinSides(&m, source, target)); err == nil {
			_, err = m.Chain() // adds nothing, and refuses what no chain takes
		}
		return m, 0, err
	},
)

func sideDocumentOf(s storekit.Side) sideDocument {
	d := sideDocument{System: s.System}
	if p := s.Posting; p.Reseller != 0 {
		balance := creditsOf(p.Balance)
		d.Reseller, d.Seq, d.Balance, d.Link = p.Reseller, p.Seq, &balance, p.Hash[:]
	}
	return d
}

func (d sideDocument) side() (s storekit.Side, err error) {
	s = storekit.Side{System: d.System, Posting: credit.Posting{Reseller: d.Reseller, Tip: credit.Tip{Seq: d.Seq}}}
	copy(s.Posting.Hash[:], d.Link)
	if d.Balance != nil {
		s.Posting.Balance, err = amountOf(*d.Balance)
	}
	return s, err
}

var keyCodec = codecOf(
	func(r ports.KeyRecord, _ int64) keyDocument {
		return keyDocument{
			ID:      keyID{r.Reseller, r.Key},
			Request: storekit.OrEmpty(r.Request),
			Status:  int64(r.Status),
			Body:    storekit.OrEmpty(r.Body),
			Expires: r.Expires,
		}
	},
	func(d keyDocument) (ports.KeyRecord, int64, error) {
		return ports.KeyRecord{
			Reseller: d.ID.Reseller,
			Key:      d.ID.Key,
			Request:  d.Request,
			Status:   int(d.Status),
			Body:     d.Body,
			Expires:  d.Expires,
		}, 0, nil
	},
)

// creditsOf writes an amount as a decimal with four places.
func creditsOf(a credit.Amount) bson.Decimal128 {
	d, _ := bson.ParseDecimal128FromBigInt(big.NewInt(a.Units()), -credit.Scale) // 34 digits hold every int64
	return d
}

// amountOf reads what creditsOf wrote. That it was written so shows when the
// document is written again.
func amountOf(d bson.Decimal128) (credit.Amount, error) {
	digits, exponent, err := d.BigInt()
	if err != nil || !digits.IsInt64() || exponent != -credit.Scale {
		return credit.Amount{}, fmt.Errorf("%s is no amount of credits", d)
	}
	return credit.FromUnits(digits.Int64())
}

// sumOf reads a sum of amounts, which has more digits than an amount may. The zero
// value, the sum of none, is 0.
func sumOf(d bson.Decimal128) (decimal.Decimal, error) {
	digits, exponent, err := d.BigInt()
	if err == nil && digits.Sign() == 0 {
		return decimal.Decimal{}, nil
	}
	if err != nil || exponent < -credit.Scale || exponent > 0 {
		return decimal.Decimal{}, fmt.Errorf("%w: %s is no sum of credits", storekit.ErrDamaged, d)
	}
	return decimal.NewFromBigInt(digits, int32(exponent)), nil
}

func positionOf(path []int64) (reseller.Position, error) {
	if len(path) == 0 {
		return reseller.Position{}, errors.New("an empty path")
	}
	last := len(path) - 1
	position := reseller.Position{ID: path[last]}
	if last > 0 {
		position.Ancestors = path[:last]
	}
	return position, nil
}

func checkVersion(version int64) error {
	if version < 1 {
		return fmt.Errorf("no save has the version %d", version)
	}
	return nil
}
