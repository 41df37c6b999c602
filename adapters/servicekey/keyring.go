// Package servicekey implements ports.Tokens (JSON Web Tokens, RFC 7519, signed with HS256) and ports.Vault
// (AES-256-GCM and HMAC-SHA256). It derives all keys from one secret, the service key.
//
// Tokens, ciphertexts and digests name the service key that made them. While a store moves from one service key to
// another, both are accepted. After that the store records the required parts of earlier service keys, sealed under the
// present one.
package servicekey

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"sync"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// MinLength is the least number of bytes in a service key. The check can't distinguish a strong key from a long word:
// it only rejects the placeholder of an example.
const MinLength = 16

// Errors of opening sealed content.
var (
	ErrOtherKey = errors.New("sealed under another service key")
	ErrDamaged  = errors.New("sealed content is damaged, or not where it was sealed for")
)

const (
	derivedLength     = 32
	fingerprintLength = 16
	keyIDLength       = 4 // bytes of the fingerprint
	sealVersion       = 1
)

// Keyring implements ports.Tokens and ports.Vault. It has the service key of a store, the service keys of a move of
// that store, and the required parts of earlier ones. It is safe for concurrent use.
type Keyring struct {
	recorded ports.ServiceKey
	active   *subkeys            // seals and digests
	given    map[string]*subkeys // the service keys that the operator set, by fingerprint
	sealing  map[keyID]sealer
	digests  map[keyID][]byte
	first    []byte // for the digests that name no key
	tokenKey subkey
	earlier  earlier
	verified verified
}

var (
	_ ports.Tokens = (*Keyring)(nil)
	_ ports.Vault  = (*Keyring)(nil)
)

// keyID identifies a service key in its tokens, ciphertexts and digests: the first bytes of its fingerprint.
type keyID [keyIDLength]byte

// String returns 8 hexadecimal digits.
func (id keyID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText implements encoding.TextMarshaler.
func (id keyID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *keyID) UnmarshalText(text []byte) error {
	read, err := hex.DecodeString(string(text))
	if err == nil && copy(id[:], read) != len(read) {
		err = ErrDamaged
	}
	return err
}

// subkeys are the keys that are derived from a service key, one for each use.
type subkeys struct {
	fingerprint string
	id          keyID
	tokens      []byte
	digests     []byte
	macs        sync.Pool // of hash.Hash, under digests
	sealing     []byte
	sealer      sealer
}

func derive(secret profile.Secret) (*subkeys, error) {
	if err := checkLength(secret); err != nil {
		return nil, err
	}
	var failures []error
	derive := func(use string, length int) []byte {
		key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "resellerd/v1/"+use, length)
		failures = append(failures, err)
		return key
	}
	fingerprint := derive("fingerprint", fingerprintLength)
	s := &subkeys{
		fingerprint: hex.EncodeToString(fingerprint),
		tokens:      derive("tokens", derivedLength),
		digests:     derive("digests", derivedLength),
		sealing:     derive("sealing", derivedLength),
	}
	if err := errors.Join(failures...); err != nil {
		return nil, fmt.Errorf("derive keys from the service key: %w", err)
	}
	s.id = keyID(fingerprint)
	var err error
	s.sealer, err = newSealer(s.id, s.sealing)
	return s, err
}

// sealer seals under one key.
type sealer struct {
	header []byte // of everything sealed: version, then the key's id
	aead   cipher.AEAD
}

func newSealer(id keyID, key []byte) (sealer, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, err
	}
	// Random nonces are safe for 2³² ciphertexts of one key: a hundred million a year for four decades.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealer{append([]byte{sealVersion}, id[:]...), aead}, err
}

// New returns the keyring of a store whose first service key is secret. It refuses a key of fewer than MinLength bytes.
func New(secret profile.Secret) (*Keyring, error) {
	key, err := derive(secret)
	if err != nil {
		return nil, err
	}
	return restore(ports.ServiceKey{Fingerprint: key.fingerprint}, key)
}

// Restore returns the keyring of a store whose recorded service key is one of the secrets. It opens content that any of
// them has sealed, and seals under the recorded one. The error is ErrOtherKey if no secret is the recorded key.
func Restore(recorded ports.ServiceKey, secrets ...profile.Secret) (*Keyring, error) {
	var given []*subkeys
	for _, secret := range secrets {
		key, err := derive(secret)
		if err != nil {
			return nil, err
		}
		given = append(given, key)
	}
	return restore(recorded, given...)
}

func restore(recorded ports.ServiceKey, given ...*subkeys) (*Keyring, error) {
	k := &Keyring{
		recorded: recorded,
		given:    map[string]*subkeys{},
		sealing:  map[keyID]sealer{},
		digests:  map[keyID][]byte{},
		verified: verified{tokens: map[[sha256.Size]byte]ports.Token{}},
	}
	for _, key := range given {
		if err := k.accept(key); err != nil {
			return nil, err
		}
	}
	if k.active = k.given[recorded.Fingerprint]; k.active == nil {
		return nil, ErrOtherKey
	}
	k.first = k.active.digests
	k.tokenKey = subkey{ID: k.active.id, Key: k.active.tokens}
	if recorded.Earlier != "" {
		if err := k.readEarlier(); err != nil {
			return nil, fmt.Errorf("the record of earlier service keys in the store: %w", err)
		}
	}
	return k, nil
}

// accept adds a service key whose ciphertexts the keyring opens and whose digests it compares.
func (k *Keyring) accept(key *subkeys) error {
	if err := learn(k.digests, subkey{key.id, key.digests}); err != nil {
		return err
	}
	k.given[key.fingerprint], k.sealing[key.id] = key, key.sealer
	return nil
}

func checkLength(secret profile.Secret) error {
	if n := len(secret.Reveal()); n < MinLength {
		return fmt.Errorf("the service key has %d bytes and needs at least %d: make one with `openssl rand -hex 32`",
			n, MinLength)
	}
	return nil
}

// Fingerprint returns 32 hexadecimal digits that identify the recorded service key. They reveal nothing about it.
func (k *Keyring) Fingerprint() string { return k.recorded.Fingerprint }

// Recorded returns the service key that the store had recorded when the keyring was made.
func (k *Keyring) Recorded() ports.ServiceKey { return k.recorded }

// Seal implements ports.Vault. The result is the version, the key's id, a random nonce, and the AES-256-GCM ciphertext.
// It never fails.
func (k *Keyring) Seal(plain []byte, label string) ([]byte, error) { return k.seal(plain, label), nil }

func (k *Keyring) seal(plain []byte, label string) []byte {
	s := k.active.sealer
	//nolint:gosec // no nonce: this AEAD draws its own
	return s.aead.Seal(slices.Clone(s.header), nil, plain, s.bind(label))
}

// Open implements ports.Vault. The error is ErrOtherKey, which names the required key, or ErrDamaged.
func (k *Keyring) Open(sealed []byte, label string) ([]byte, error) {
	if len(sealed) < 1+keyIDLength || sealed[0] != sealVersion {
		return nil, ErrDamaged
	}
	id := keyID(sealed[1:])
	s := k.active.sealer
	if id != k.active.id {
		var known bool
		if s, known = k.sealing[id]; !known {
			return nil, fmt.Errorf("%w: %s, and this is %s", ErrOtherKey, id, k.active.id)
		}
	}
	plain, err := s.aead.Open(nil, nil, sealed[len(s.header):], s.bind(label))
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}

// Renew implements ports.Vault.
func (k *Keyring) Renew(sealed []byte, label string) (renewed []byte, changed bool, err error) {
	if bytes.HasPrefix(sealed, k.active.sealer.header) {
		return sealed, false, nil
	}
	plain, err := k.Open(sealed, label)
	if err != nil {
		return nil, false, err
	}
	return k.seal(plain, label), true, nil
}

// bind returns the associated data. The header has a fixed length, so two different pairs of header and label never
// give the same data.
func (s sealer) bind(label string) []byte { return append(slices.Clone(s.header), label...) }

// Digest implements ports.Vault with HMAC-SHA256. The digest of a store's first service key names no key. A digest of a
// later one begins with the key's id.
func (k *Keyring) Digest(content []byte) []byte {
	if len(k.earlier.Digests) == 0 {
		return k.active.digest(content) // the first is the active one
	}
	return append(slices.Clone(k.active.id[:]), k.active.digest(content)...)
}

// Digested implements ports.Vault. The error is ErrOtherKey or ErrDamaged.
func (k *Keyring) Digested(made, content []byte) (bool, error) {
	key := k.first
	switch len(made) {
	case sha256.Size:
	case keyIDLength + sha256.Size:
		id := keyID(made)
		if key = k.digests[id]; key == nil {
			return false, fmt.Errorf("%w: digest of %s, and this is %s", ErrOtherKey, id, k.active.id)
		}
		made = made[keyIDLength:]
	default:
		return false, ErrDamaged
	}
	return hmac.Equal(made, digest(key, content)), nil
}

func digest(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	return mac.Sum(nil)
}

// digest makes a digest with a pooled hash, because making a hash takes longer than making a digest.
func (s *subkeys) digest(content []byte) []byte {
	mac, used := s.macs.Get().(hash.Hash)
	if !used {
		mac = hmac.New(sha256.New, s.digests)
	}
	defer s.macs.Put(mac)
	mac.Reset()
	mac.Write(content)
	return mac.Sum(nil)
}

// Generate returns a new random service key: 32 bytes in hexadecimal.
func Generate() profile.Secret {
	var random [derivedLength]byte
	rand.Read(random[:]) // never fails: it ends the process without randomness
	return profile.NewSecret(hex.EncodeToString(random[:]))
}
