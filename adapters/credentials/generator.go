package credentials

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"strings"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// alphabet lacks i, l, o, 0 and 1, so that texts can be read out and typed. Twelve of its 31 characters carry 59 bits,
// twenty carry 99.
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789"

const (
	lineLength  = 12
	adminLength = 20
)

// Generator implements ports.Generator with the system's randomness.
type Generator struct{}

var _ ports.Generator = Generator{}

// LineUsername implements ports.Generator.
func (Generator) LineUsername() profile.Username {
	name, err := profile.ParseUsername(randomText(lineLength))
	if err != nil {
		panic(err) // names may contain the whole alphabet
	}
	return name
}

// LinePassword implements ports.Generator.
func (Generator) LinePassword() profile.Secret { return profile.NewSecret(randomText(lineLength)) }

// Password returns a password of 20 characters, for a reseller created without one.
func (Generator) Password() profile.Secret { return profile.NewSecret(randomText(adminLength)) }

// Generation implements ports.Generator.
func (Generator) Generation() reseller.Generation {
	var g reseller.Generation
	rand.Read(g[:]) // never fails: it ends the process without randomness
	return g
}

// SessionSecret implements ports.Generator.
func (Generator) SessionSecret() profile.Secret {
	var secret [32]byte
	rand.Read(secret[:])
	return profile.NewSecret(base64.RawURLEncoding.EncodeToString(secret[:]))
}

// WebhookSecret implements ports.Generator.
func (Generator) WebhookSecret() profile.Secret {
	var secret [32]byte
	rand.Read(secret[:])
	return profile.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(secret[:]))
}

// RecoveryCode implements ports.Generator: RFC 4648 base 32, in small letters.
func (Generator) RecoveryCode() profile.Secret {
	var secret [10]byte
	rand.Read(secret[:])
	text := strings.ToLower(base32.StdEncoding.EncodeToString(secret[:]))
	return profile.NewSecret(text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:])
}

func randomText(length int) string {
	var text []byte
	for len(text) < length {
		random := make([]byte, length)
		rand.Read(random)
		text = spell(text, random)
	}
	return string(text[:length])
}

// spell appends a character for each random byte, with equal probability. It drops a byte whose low five bits name no
// character instead of wrapping it around.
func spell(text, random []byte) []byte {
	for _, b := range random {
		if i := int(b & 0x1f); i < len(alphabet) {
			text = append(text, alphabet[i])
		}
	}
	return text
}
