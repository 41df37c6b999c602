// Package onetime implements time-based one-time passwords (RFC 6238) with SHA-1, 6 digits and 30 seconds: every
// authenticator app supports these parameters.
package onetime

import (
	"crypto/subtle"
	"fmt"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"resellerd/domain/profile"
	"resellerd/ports"
)

const (
	period     = 30 // seconds
	secretSize = 20 // bytes, as RFC 4226 recommends
)

// Codes implements ports.OneTimeCodes.
type Codes struct{ Issuer string }

var _ ports.OneTimeCodes = Codes{}

// New implements ports.OneTimeCodes.
func (c Codes) New(account string) (secret profile.Secret, url string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: c.Issuer, AccountName: account, Period: period,
		SecretSize: secretSize})
	if err != nil {
		return secret, "", fmt.Errorf("make a second factor: %w", err)
	}
	return profile.NewSecret(key.Secret()), key.URL(), nil
}

// Step implements ports.OneTimeCodes. It compares all valid codes, even after a match, to take the same time.
func (Codes) Step(secret profile.Secret, code string, now time.Time) (step int64, right bool) {
	present := now.Unix() / period
	for _, at := range []int64{present - 1, present, present + 1} {
		want, err := totp.GenerateCodeCustom(secret.Reveal(), time.Unix(at*period, 0),
			totp.ValidateOpts{Period: period, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, right = at, true
		}
	}
	return step, right
}
