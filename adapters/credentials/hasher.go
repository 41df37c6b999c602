// Package credentials implements argon2id hashes of passwords (RFC 9106), and generates names, passwords and token
// generations.
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
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// Cost is the cost of one hash; memory is in KiB.
type Cost struct {
	memory, passes uint32
	lanes          uint8
}

var (
	// Recommended is the minimum of OWASP's password storage cheat sheet for argon2id, about 26 ms of one core.
	Recommended = Cost{memory: 19 * 1024, passes: 2, lanes: 1}
	// Least is the minimum of argon2id, for tests that make many passwords.
	Least = Cost{memory: 8, passes: 1, lanes: 1}
)

// Bytes returns the memory that one hash takes.
func (c Cost) Bytes() int64 { return int64(c.memory) << 10 }

const (
	saltLength = 16
	keyLength  = 32
)

// The greatest parameters of a stored hash: a forged record can cost only a few times as much as a normal one.
const (
	maxMemory = 64 * 1024 // KiB
	maxPasses = 8
	maxLanes  = 4
	maxBytes  = 64 // of salt and of key
)

const (
	// soon limits the wait of a comparison that Queue admits.
	soon = time.Second
	// quantum is the unit of the time between Queue and the start of its comparison. In between the name is looked up,
	// which is faster for an unknown name. The time of the answer must not show the difference.
	quantum = 5 * time.Millisecond
	// tick is the precision of the end of a wait.
	tick = time.Millisecond
	// largeHash is the memory of a hash, in bytes, from which on it is collected as soon as the hash is made.
	largeHash = 1 << 20
)

var (
	errMalformed = errors.New("the stored password hash is malformed")
	errLate      = errors.New("the work could not begin soon")
)

// Hasher implements ports.PasswordHasher with argon2id. Each hash is a string in PHC format, so that the parameters can
// be raised and old hashes remain valid.
//
// Logins and commands have separate queues. Only as many commands as there are slots compete with the logins. Commands
// that set passwords, however many, delay a login by no more than that.
type Hasher struct {
	logins   callerQueue
	commands callerQueue
	turns    chan struct{} // of commands that wait for a slot or use one
	slots    chan struct{}
	cost     Cost         // of new hashes
	standIn  string       // a hash at that cost, for accounts without one
	took     atomic.Int64 // recent nanoseconds of one use of a slot, 0 before the first
	key      func(password, salt []byte, passes, memory uint32, lanes uint8, length uint32) []byte
}

var _ ports.PasswordHasher = (*Hasher)(nil)

// NewHasher returns a hasher that makes hashes at a cost. It runs at most parallel computations at once, each on one
// core. For 0 or less the limit is half of the cores, at least one, so that other requests have the other half. The
// limit bounds the load of a flood of logins.
func NewHasher(cost Cost, parallel int) *Hasher {
	if parallel <= 0 {
		parallel = Parallel()
	}
	return &Hasher{
		logins: callerQueue{turns: map[string]*turn{}}, commands: callerQueue{turns: map[string]*turn{}},
		turns: make(chan struct{}, parallel), slots: make(chan struct{}, parallel),
		cost: cost, standIn: encode(cost, make([]byte, saltLength), make([]byte, keyLength)), key: argon2.IDKey,
	}
}

// Parallel returns half of the cores, at least one.
func Parallel() int { return max(runtime.GOMAXPROCS(0)/2, 1) }

// Hash implements ports.PasswordHasher.
func (h *Hasher) Hash(ctx context.Context, caller string, password profile.Secret) (string, error) {
	p := h.commands.enter(caller)
	defer p.leave()
	salt := make([]byte, saltLength)
	rand.Read(salt) // never fails: it ends the process without randomness
	key, err := h.derive(ctx, p, nil, password, h.cost, salt, keyLength)
	if err != nil {
		return "", err
	}
	return encode(h.cost, salt, key), nil
}

// Matches implements ports.PasswordHasher. The error for a malformed hash does not contain its text.
func (h *Hasher) Matches(ctx context.Context, caller string, password profile.Secret, hash string) (bool, error) {
	p := h.commands.enter(caller)
	defer p.leave()
	return h.matches(ctx, p, nil, password, hash)
}

// Queue implements ports.PasswordHasher. Earlier calls of the same caller run one after the other. All callers share
// the slots, also with the commands that compete for one.
func (h *Hasher) Queue(caller string) (ports.Comparison, time.Duration) {
	var wait time.Duration
	p := h.logins.enterWhere(caller, func(ofCaller, all int) bool {
		all += len(h.turns)
		took := time.Duration(h.took.Load())
		wait = max(time.Duration(ofCaller)*took, time.Duration(all)*took/time.Duration(cap(h.slots)))
		return wait <= soon
	})
	if p == nil {
		return nil, wait - soon
	}
	return &comparison{h, p, time.Now()}, 0
}

// comparison implements ports.Comparison.
type comparison struct {
	hasher *Hasher
	place  *place
	taken  time.Time // when Queue was called
}

// Matches implements ports.Comparison.
func (c *comparison) Matches(ctx context.Context, password profile.Secret, hash string) (bool, time.Duration, error) {
	late := time.NewTimer(time.Until(c.taken.Add(soon)))
	defer late.Stop()
	if err := c.rest(ctx); err != nil {
		return false, 0, err
	}
	right, err := c.hasher.matches(ctx, c.place, late.C, password, hash)
	if errors.Is(err, errLate) {
		return false, soon, nil
	}
	return right, 0, err
}

// rest waits until the next quantum, unless the comparison is already late.
func (c *comparison) rest(ctx context.Context) error {
	since := time.Since(c.taken)
	if since >= soon {
		return nil
	}
	next := time.NewTimer(quantum - since%quantum)
	defer next.Stop()
	select {
	case <-next.C:
	case <-ctx.Done():
		return fmt.Errorf("wait to compare a password: %w: %w", ports.ErrUnavailable, context.Cause(ctx))
	}
	// Systems round waits to their own ticks, so the end of the wait depends on its beginning.
	since = time.Since(c.taken)
	for end := (since + tick - 1).Truncate(tick); since < end; since = time.Since(c.taken) {
		runtime.Gosched()
	}
	return nil
}

// Leave implements ports.Comparison.
func (c *comparison) Leave() { c.place.leave() }

func (h *Hasher) matches(ctx context.Context, p *place, late <-chan time.Time, password profile.Secret,
	hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.standIn // the same work as for other accounts
	}
	cost, salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	got, err := h.derive(ctx, p, late, password, cost, salt, len(want))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

// derive waits for the place's turn and for a slot, each until ctx ends or late ticks. A nil late does not limit the
// wait.
func (h *Hasher) derive(ctx context.Context, p *place, late <-chan time.Time, password profile.Secret, cost Cost,
	salt []byte, length int) ([]byte, error) {
	if err := acquire(ctx, p.turn.held, late); err != nil {
		return nil, fmt.Errorf("wait for other requests of the same caller: %w", err)
	}
	defer func() { <-p.turn.held }()
	if late == nil {
		if err := acquire(ctx, h.turns, nil); err != nil {
			return nil, fmt.Errorf("wait for other accounts' passwords: %w", err)
		}
		defer func() { <-h.turns }()
	}
	if err := acquire(ctx, h.slots, late); err != nil {
		return nil, fmt.Errorf("wait to compare a password: %w", err)
	}
	began := time.Now()
	defer func() { h.release(cost, time.Since(began), late != nil) }()
	//nolint:gosec // at most maxBytes
	return h.key([]byte(password.Reveal()), salt, cost.passes, cost.memory, cost.lanes, uint32(length)), nil
}

// release returns a slot after a computation that took so long, once its memory is collected. Otherwise the collector
// would let the memory of two or three more hashes accumulate, more than everything else takes. After a queued
// computation the slot pauses for the same time, at most a second: on two cores, a slot in permanent use costs other
// work more than half.
func (h *Hasher) release(cost Cost, took time.Duration, queued bool) {
	took = min(took, soon) // the machine may have been suspended
	var rest time.Duration
	if queued {
		rest = took
	}
	h.measured(took + rest)
	switch {
	case cost.Bytes() >= largeHash:
		rested := time.NewTimer(rest)
		go func() {
			runtime.GC()
			<-rested.C
			<-h.slots
		}()
	case queued:
		time.AfterFunc(rest, func() { <-h.slots })
	default:
		<-h.slots
	}
}

// measured keeps a moving average of how long slots are taken, with a weight of an eighth. One that ends at the same
// instant as another may be lost.
func (h *Hasher) measured(taken time.Duration) {
	is, was := int64(taken), h.took.Load()
	if was > 0 {
		is = was + (is-was)/8
	}
	h.took.Store(is)
}

// acquire takes one of the slots, by putting a value in, in the order of arrival. A free slot is taken at once, however
// late it is.
func acquire(ctx context.Context, all chan<- struct{}, late <-chan time.Time) error {
	if ctx.Err() != nil { // the caller has gone: not even a free slot is taken
		return fmt.Errorf("%w: %w", ports.ErrUnavailable, context.Cause(ctx))
	}
	select {
	case all <- struct{}{}:
		return nil
	default:
	}
	select {
	case all <- struct{}{}:
		return nil
	case <-late:
		return errLate
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ports.ErrUnavailable, context.Cause(ctx))
	}
}

func encode(p Cost, salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, p.memory, p.passes, p.lanes, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// decode reads exactly the texts that encode writes, within the bounds. It refuses any other spelling of the same
// content.
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
