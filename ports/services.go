package ports

import (
	"context"
	"time"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
)

// Clock returns the present instant, UTC to the millisecond.
type Clock func() time.Time

// Generator makes random secrets and names. It is safe for concurrent use.
type Generator interface {
	// LineUsername returns 12 lower-case letters and digits, without letters and digits that look alike.
	LineUsername() profile.Username
	// LinePassword returns 12 characters that are easy to read out.
	LinePassword() profile.Secret
	// Generation returns 128 random bits.
	Generation() reseller.Generation
	// SessionSecret returns 256 random bits as 43 characters of base64url.
	SessionSecret() profile.Secret
	// WebhookSecret returns 256 random bits as Standard Webhooks writes a secret: whsec_ and base64.
	WebhookSecret() profile.Secret
	// RecoveryCode returns 80 random bits, easy to read out: 4 groups of 4 letters and digits.
	RecoveryCode() profile.Secret
}

// OneTimeCodes implements the codes of authenticator apps. It is safe for concurrent use.
type OneTimeCodes interface {
	// New makes a secret for an account, and the URL through which an app receives it.
	New(account string) (secret profile.Secret, url string, err error)
	// Step returns the half-minute of this code, out of the present one and its two neighbours; right is false for any
	// other code.
	Step(secret profile.Secret, code string, now time.Time) (step int64, right bool)
}

// PasswordHasher hashes passwords so that they can be compared and never read. It is slow on purpose and limits the
// number of hashes at once. Each caller, named by any text, has one call in progress at a time, so that a frequent
// caller delays no other. Waiting ends with ctx, in ErrUnavailable. It is safe for concurrent use.
type PasswordHasher interface {
	// Hash returns a salted hash that names its own parameters.
	Hash(ctx context.Context, caller string, password profile.Secret) (string, error)
	// Matches reports whether hash is a hash of password. An empty hash matches no password and costs the same time, so
	// that an unknown name cannot be distinguished from a wrong password.
	Matches(ctx context.Context, caller string, password profile.Secret, hash string) (bool, error)
	// Queue reserves a comparison that must begin soon. It decides at once, by the number of calls ahead and the time
	// of each. It returns a reservation. If the comparison would begin later than in a second, it returns wait > 0
	// instead, the time to wait. It takes neither password nor hash: a refusal before the lookup of a name reveals
	// nothing about the name.
	Queue(caller string) (place Comparison, wait time.Duration)
}

// Comparison is a reservation of a comparison by a PasswordHasher. One goroutine uses it.
type Comparison interface {
	// Matches compares like Matches of PasswordHasher, and is called once at most. If it could not begin within a
	// second of Queue it compares nothing and returns wait > 0, the time to wait. Its start does not reveal, to some
	// milliseconds, how long after Queue it was called: the lookup of an unknown name takes less time.
	Matches(ctx context.Context, password profile.Secret, hash string) (right bool, wait time.Duration, err error)
	// Leave releases the reservation. It must be called, after Matches or without it, and may be called again.
	Leave()
}

// Token is the content of a token with a valid signature.
type Token struct {
	Reseller   int64
	Generation reseller.Generation
}

// Tokens signs tokens. The same content always gives the same token, until a change of the service key changes every
// token. It is safe for concurrent use.
type Tokens interface {
	// Issue returns the token with this content.
	Issue(Token) profile.Secret
	// Verify returns the content of a token that Issue returned, and reseller.ErrTokenRevoked for any other text.
	Verify(token string) (Token, error)
}

// Vault encrypts data that the service must read again and digests data that it only compares, under keys derived from
// the service key. Its results name their key, so that they can be opened and compared after a replacement of the key.
// It is safe for concurrent use.
type Vault interface {
	// Seal encrypts plain. The label states where the result is stored. Open needs the same label, so that it refuses a
	// ciphertext that was moved elsewhere. The error is ErrUnavailable if the present key is not known. It is called
	// inside Update, so that the result is soon recorded.
	Seal(plain []byte, label string) ([]byte, error)
	// Open decrypts a result of Seal under the same label.
	Open(sealed []byte, label string) ([]byte, error)
	// Renew reseals a result of Seal with the present key, under the same label, and reports whether the text changed.
	// It fails like Open and Seal.
	Renew(sealed []byte, label string) (renewed []byte, changed bool, err error)
	// Digest returns a keyed digest of content.
	Digest(content []byte) []byte
	// Digested reports whether a digest belongs to content, whichever key it was made with. A digest with an unknown
	// key is an error.
	Digested(digest, content []byte) (bool, error)
}

// LoginLimiter limits failed logins per name and client. It is safe for concurrent use.
type LoginLimiter interface {
	// Attempt waits for other attempts of the same pair that could exhaust the limit. It returns wait > 0, the time to
	// wait, or done, which must be called once with the result of the attempt. Other pairs do not wait. If ctx ends
	// first the error is ErrUnavailable.
	Attempt(ctx context.Context, usernameKey, client string) (done func(failed bool), wait time.Duration, err error)
}

// Backups knows the backups of the served store. It is safe for concurrent use.
type Backups interface {
	// Latest returns the time of the newest backup of the store with this time of birth, the zero value if none is
	// known.
	Latest(ctx context.Context, born string) time.Time
}

// WebhookMessage is a message to a webhook's receiver.
type WebhookMessage struct {
	URL     string
	ID      string // of the entry: the same for each attempt
	Body    []byte
	Secrets []profile.Secret // each of them signs
}

// WebhookAnswer is the result of sending a message.
type WebhookAnswer struct {
	Status     int             // 0 without an answer
	Failure    webhook.Failure // "" if the message arrived
	Cause      webhook.Cause   // of webhook.TLSFailed
	Excerpt    string          // of an answer that did not accept the message: see webhook.Excerpt
	RetryAfter time.Duration   // requested by the receiver, 0: none
	Took       time.Duration
}

// WebhookSender sends to the receivers of webhooks. Any account may have written the URL, so the sender reaches only
// addresses that the operator allows. It is safe for concurrent use.
type WebhookSender interface {
	// Send takes at most webhook.Timeout, ends with ctx, and follows no redirect.
	Send(ctx context.Context, m WebhookMessage) WebhookAnswer
}
