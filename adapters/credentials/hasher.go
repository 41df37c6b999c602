// Package credentials makes and keeps what proves who someone is: argon2id
// hashes of passwords, and generated names, passwords and token generations.
package credentials

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// Cost is what one hash takes; memory is in KiB.
type Cost struct {
	memory, passes uint32
	lanes          uint8
}

var (
	// Recommended is the least that OWASP's password storage cheat sheet recommends for
	// argon2id, about 26 ms of one core.
	Recommended = Cost{memory: 19 * 1024, passes: 2, lanes: 1}
	// Least is the least that argon2id takes, for tests that make many passwords and
	// prove nothing about how slow a hash is.
	Least = Cost{memory: 8, passes: 1, lanes: 1}
)

const (
	saltLength = 16
	keyLength  = 32
)

// What a stored hash may ask for at most. A record that was tampered with can
// then cost a few times the usual and no more.
const (
	maxMemory = 64 * 1024 // KiB
	maxPasses = 8
	maxLanes  = 4
	maxBytes  = 64 // of salt and of key
)

var errMalformed = errors.New("the stored password hash is malformed")

// Hasher implements ports.PasswordHasher with argon2id. Each hash is a string in
// PHC format, so that the parameters can be raised without losing old hashes.
type Hasher struct {
	callers callerQueue
	slots   chan struct{}
	cost    Cost // of new hashes
}

var _ ports.PasswordHasher = (*Hasher)(nil)

// NewHasher returns a hasher that makes hashes at a cost and runs at most parallel
// computations at once, a core each; 0 or less means one per core. It is the bound on
// what a flood of logins can take.
func NewHasher(cost Cost, parallel int) *Hasher {
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	return &Hasher{callers: callerQueue{turns: map[string]*turn{}}, slots: make(chan struct{}, parallel), cost: cost}
}

// Hash implements ports.PasswordHasher.
func (h *Hasher) Hash(ctx context.Context, caller string, password profile.Secret) (string, error) {
	salt := make([]byte, saltLength)
	rand.Read(salt) // never fails: it ends the process where there is no randomness
	key, err := h.derive(ctx, caller, password, h.cost, salt, keyLength)
	if err != nil {
		return "", err
	}
	return encode(h.cost, salt, key), nil
}

// Matches implements ports.PasswordHasher. A hash that cannot be read is an error
// without its text.
func (h *Hasher) Matches(ctx context.Context, caller string, password profile.Secret, hash string) (bool, error) {
	if hash == "" {
		_, err := h.derive(ctx, caller, password, h.cost, make([]byte, saltLength), keyLength)
		return false, err
	}
	p, salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	got, err := h.derive(ctx, caller, password, p, salt, len(want))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

func (h *Hasher) derive(ctx context.Context, caller string, password profile.Secret, p Cost, salt []byte, length int) ([]byte, error) {
	done, err := h.callers.take(ctx, caller)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := h.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(password.Reveal()), salt, p.passes, p.memory, p.lanes, uint32(length)), nil //nolint:gosec // at most maxBytes
}

func (h *Hasher) acquire(ctx context.Context) error {
	if ctx.Err() == nil { // nobody waits any more: not even for a free slot
		select {
		case h.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return fmt.Errorf("wait to compare a password: %w: %w", ports.ErrUnavailable, context.Cause(ctx))
}

func encode(p Cost, salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, p.memory, p.passes, p.lanes, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// decode reads what encode writes, within the bounds, and nothing else: a text
// that is not the one spelling of its content is refused.
func decode(hash string) (p Cost, salt, key []byte, err error) {
	fields := strings.Split(hash, "$")
	if len(fields) != 6 {
		return Cost{}, nil, nil, errMalformed
	}
	_, scanned := fmt.Sscanf(fields[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.lanes)
	salt, badSalt := base64.RawStdEncoding.DecodeString(fields[4])
	key, badKey := base64.RawStdEncoding.DecodeString(fields[5])
	if errors.Join(scanned, badSalt, badKey) != nil || encode(p, salt, key) != hash {
		return Cost{}, nil, nil, errMalformed
	}
	inBounds := p.passes >= 1 && p.passes <= maxPasses &&
		p.lanes >= 1 && p.lanes <= maxLanes &&
		p.memory >= 8*uint32(p.lanes) && p.memory <= maxMemory &&
		len(salt) >= 8 && len(salt) <= maxBytes &&
		len(key) >= 16 && len(key) <= maxBytes
	if !inBounds {
		return Cost{}, nil, nil, errMalformed
	}
	return p, salt, key, nil
}
