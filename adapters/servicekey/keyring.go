// Package servicekey signs tokens, encrypts and digests, all with keys derived
// from one secret, the service key.
//
// Tokens and ciphertexts name the key they were made with, so that a second one
// can be accepted beside the first while a service is moved from one to the other.
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
	"slices"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// MinLength is the least number of bytes in a service key. It cannot tell a good
// key from a long word: what it stops is the placeholder of an example.
const MinLength = 16

// Why sealed content is not opened.
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

// Keyring implements ports.Tokens and ports.Vault. It is safe for concurrent use.
type Keyring struct {
	fingerprint string
	id          string // first 8 hexadecimal digits of the fingerprint
	header      []byte // of everything sealed: version, then the key's id
	tokens      []byte
	digests     []byte
	sealing     cipher.AEAD
	verified    verified
}

var (
	_ ports.Tokens = (*Keyring)(nil)
	_ ports.Vault  = (*Keyring)(nil)
)

// New derives the keys from the secret and refuses one under MinLength bytes.
func New(secret profile.Secret) (*Keyring, error) {
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
	tokens, digests, sealing := derive("tokens", derivedLength), derive("digests", derivedLength), derive("sealing", derivedLength)
	if err := errors.Join(failures...); err != nil {
		return nil, fmt.Errorf("derive keys from the service key: %w", err)
	}
	block, err := aes.NewCipher(sealing)
	if err != nil {
		return nil, err
	}
	// Random nonces are safe for 2³² seals under one key: a hundred million a year
	// for four decades.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Keyring{
		fingerprint: hex.EncodeToString(fingerprint),
		id:          hex.EncodeToString(fingerprint[:keyIDLength]),
		header:      append([]byte{sealVersion}, fingerprint[:keyIDLength]...),
		tokens:      tokens,
		digests:     digests,
		sealing:     aead,
		verified:    verified{tokens: map[[sha256.Size]byte]ports.Token{}},
	}, nil
}

func checkLength(secret profile.Secret) error {
	if n := len(secret.Reveal()); n < MinLength {
		return fmt.Errorf("the service key has %d bytes and needs at least %d: make one with `openssl rand -hex 32`", n, MinLength)
	}
	return nil
}

// Fingerprint returns 32 hexadecimal digits that tell keys apart and nothing
// about the key.
func (k *Keyring) Fingerprint() string { return k.fingerprint }

// Seal implements ports.Vault: version, key id, random nonce, AES-256-GCM.
func (k *Keyring) Seal(plain []byte, label string) []byte {
	return k.sealing.Seal(slices.Clone(k.header), nil, plain, k.bind(label)) //nolint:gosec // no nonce: this AEAD draws its own
}

// Open implements ports.Vault. The error is ErrOtherKey, which names the key that
// is needed, or ErrDamaged.
func (k *Keyring) Open(sealed []byte, label string) ([]byte, error) {
	if len(sealed) < len(k.header) || sealed[0] != sealVersion {
		return nil, ErrDamaged
	}
	header, content := sealed[:len(k.header)], sealed[len(k.header):]
	if !bytes.Equal(header, k.header) {
		return nil, fmt.Errorf("%w: %x, and this is %s", ErrOtherKey, header[1:], k.id)
	}
	plain, err := k.sealing.Open(nil, nil, content, k.bind(label))
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}

// bind returns the associated data: the header has a fixed length, so no two
// pairs of header and label read the same.
func (k *Keyring) bind(label string) []byte { return append(slices.Clone(k.header), label...) }

// Digest implements ports.Vault with HMAC-SHA256.
func (k *Keyring) Digest(content []byte) []byte {
	mac := hmac.New(sha256.New, k.digests)
	mac.Write(content)
	return mac.Sum(nil)
}

// Generate returns a new random service key: 32 bytes in hexadecimal.
func Generate() profile.Secret {
	var random [derivedLength]byte
	rand.Read(random[:]) // never fails: it ends the process where there is no randomness
	return profile.NewSecret(hex.EncodeToString(random[:]))
}
