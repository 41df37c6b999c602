package servicekey

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"sync"

	"github.com/golang-jwt/jwt/v5"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// maxToken bounds a token before it is decoded. An issued token has at most about 190 bytes.
const maxToken = 1024

// claims are the content of a token: the reseller's id in decimal as the subject, and the generation in base64url. They
// have no time, so that the same content gives the same token.
type claims struct {
	jwt.RegisteredClaims
	Generation string `json:"gen"`
}

// Issue implements ports.Tokens: a JSON Web Token (RFC 7519), signed with HS256.
func (k *Keyring) Issue(t ports.Token) profile.Secret {
	unsigned := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{Subject: strconv.FormatInt(t.Reseller, 10)},
		Generation:       base64.RawURLEncoding.EncodeToString(t.Generation[:]),
	})
	unsigned.Header["kid"] = k.tokenKey.ID.String()
	signed, err := unsigned.SignedString(k.tokenKey.Key)
	if err != nil {
		panic(err) // two strings always encode, and the key is of the method's type
	}
	return profile.NewSecret(signed)
}

// MostVerified is the most bytes of memory that remembered tokens take: about 100 each.
const (
	MostVerified = mostVerified * 128
	mostVerified = 10_000
)

// verified caches the content of valid tokens by their digests, because a client sends the same token with each
// request.
type verified struct {
	mu     sync.RWMutex
	tokens map[[sha256.Size]byte]ports.Token
}

func (v *verified) get(digest [sha256.Size]byte) (ports.Token, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	t, ok := v.tokens[digest]
	return t, ok
}

func (v *verified) put(digest [sha256.Size]byte, t ports.Token) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.tokens) >= mostVerified {
		clear(v.tokens)
	}
	v.tokens[digest] = t
}

// Verify implements ports.Tokens. It does not check whether the token is revoked: the reseller's record shows that.
func (k *Keyring) Verify(token string) (ports.Token, error) {
	if len(token) > maxToken {
		return ports.Token{}, reseller.ErrTokenRevoked
	}
	digest := sha256.Sum256([]byte(token))
	if t, ok := k.verified.get(digest); ok {
		return t, nil
	}
	t, err := k.verify(token)
	if err == nil {
		k.verified.put(digest, t)
	}
	return t, err
}

func (k *Keyring) verify(token string) (ports.Token, error) {
	var said claims
	_, err := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(),
	).ParseWithClaims(token, &said, k.keyOf)
	if err != nil {
		return ports.Token{}, reseller.ErrTokenRevoked
	}
	id, badID := strconv.ParseInt(said.Subject, 10, 64)
	generation, badGeneration := base64.RawURLEncoding.DecodeString(said.Generation)
	read := ports.Token{Reseller: id}
	if badID != nil || badGeneration != nil || id <= 0 || copy(read.Generation[:], generation) != len(read.Generation) {
		return ports.Token{}, reseller.ErrTokenRevoked
	}
	// A content has exactly one token. An id with leading zeros, other claims or line feeds in the encoding would give
	// a different text.
	if subtle.ConstantTimeCompare([]byte(token), []byte(k.Issue(read).Reveal())) != 1 {
		return ports.Token{}, reseller.ErrTokenRevoked
	}
	return read, nil
}

// keyOf returns the key that a token names.
func (k *Keyring) keyOf(t *jwt.Token) (any, error) {
	if kid := t.Header["kid"]; kid != k.tokenKey.ID.String() {
		return nil, fmt.Errorf("no key %v", kid)
	}
	return k.tokenKey.Key, nil
}
