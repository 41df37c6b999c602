package usecase

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// IdempotencyKeys removes the records of idempotency keys that have expired. No API operation reaches it.
type IdempotencyKeys struct{ k *Kernel }

// IdempotencyKeys returns the use cases of idempotency keys.
func (s *Kernel) IdempotencyKeys() IdempotencyKeys { return IdempotencyKeys{s} }

// KeyLifetime is how long an idempotency key replays its answer.
const KeyLifetime = 7 * 24 * time.Hour

// ErrKeyReused refuses an idempotency key of another request.
var ErrKeyReused = fault.New(fault.Invalid, "idempotency-key-reused",
	"This Idempotency-Key was used with another request.")

// Receipt is a driving adapter's form of a result. The caller gets it and, with an idempotency key, it is stored with
// the effect, so that a repetition gets the same receipt.
type Receipt struct {
	Code     int
	Content  []byte
	Replayed bool // an earlier request recorded it
}

// Render makes the receipt of a result. It is called after the commit or, for a receipt that a key stores, inside the
// transaction, possibly several times. It has no effects.
type Render[R any] func(R) Receipt

// storedAnswer returns the recorded receipt of this request under its key, nil without one, or ErrKeyReused. An expired
// record counts as absent.
func (s *Kernel) storedAnswer(ctx context.Context, keys ports.KeyReader, call Call, now time.Time) (*Receipt, error) {
	if call.Key == "" {
		return nil, nil
	}
	r, err := keys.Get(ctx, call.Caller.Reseller(), call.Key)
	if IsNotFound(err) || err == nil && !now.Before(r.Expires) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	same, err := s.Dependencies.Vault.Digested(r.Request, call.compared())
	if err != nil {
		return nil, fmt.Errorf("request recorded under an idempotency key of account %d: %w", r.Reseller, err)
	}
	if !same {
		return nil, ErrKeyReused
	}
	content, err := s.Dependencies.Vault.Open(r.Body, KeyLabel(r.Reseller, r.Key))
	if err != nil {
		return nil, fmt.Errorf("answer recorded under an idempotency key of account %d: %w", r.Reseller, err)
	}
	return &Receipt{Code: r.Status, Content: content, Replayed: true}, nil
}

// KeyLabel is the vault's label of the answer under an idempotency key.
func KeyLabel(reseller int64, key string) string {
	return LabelText("key", strconv.FormatInt(reseller, 10)+" "+key)
}

// storeAnswer stores a receipt under its key, encrypted, because it may have a password.
func (s *Kernel) storeAnswer(ctx context.Context, tx *Tx, receipt Receipt) error {
	call := tx.Call
	body, err := s.Dependencies.Vault.Seal(receipt.Content, KeyLabel(call.Caller.Reseller(), call.Key))
	if err != nil {
		return fmt.Errorf("seal an answer: %w", err)
	}
	r := ports.KeyRecord{
		Reseller: call.Caller.Reseller(),
		Key:      call.Key,
		Request:  s.Dependencies.Vault.Digest(call.compared()),
		Status:   receipt.Code,
		Body:     body,
		Expires:  tx.Now.Add(KeyLifetime),
	}
	tx.Written = true
	return tx.Keys.Put(ctx, r)
}

// ForgetExpired removes at most limit idempotency records past their lifetime, and returns their number. It affects no
// answer, with one exception: a record that a fast clock made expire later than a whole lifetime from now ends then.
func (s IdempotencyKeys) ForgetExpired(ctx context.Context, limit int) (int, error) {
	now := s.k.Dependencies.Clock()
	return s.k.Dependencies.Store.DropExpired(ctx, now, now.Add(KeyLifetime), limit)
}
