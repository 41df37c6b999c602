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

// Generator makes what nobody may guess. It is safe for concurrent use.
type Generator interface {
	// LineUsername returns 12 lower-case letters and digits, none of which look
	// alike.
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

// OneTimeCodes are those of authenticator apps. It is safe for concurrent use.
type OneTimeCodes interface {
	// New makes a secret for an account, and the address by which an app takes it over.
	New(account string) (secret profile.Secret, url string, err error)
	// Step returns the half-minute whose code this is, of the present one and its two neighbours, and whether there is
	// one.
	Step(secret profile.Secret, code string, now time.Time) (step int64, right bool)
}

// PasswordHasher keeps passwords so that they can be compared and never read. It is slow on purpose and bounds how much
// of it runs at once. Each caller, named by any text, has one call under way at a time, so that a frequent caller
// delays no other. Waiting ends with ctx, in ErrUnavailable. It is safe for concurrent use.
type PasswordHasher interface {
	// Hash returns a salted hash that names its own parameters.
	Hash(ctx context.Context, caller string, password profile.Secret) (string, error)
	// Matches reports whether password is the one that hash was made of. An empty
	// hash matches nothing and costs the same time, so that an unknown name
	// cannot be distinguished from a wrong password.
	Matches(ctx context.Context, caller string, password profile.Secret, hash string) (bool, error)
	// Queue takes a place for one comparison that must begin soon. It decides at once, by how many calls are ahead and
	// how long each takes: it returns either the place or, if the comparison would begin later than in a second, wait >
	// 0, how long to hold off. It takes neither password nor hash: a refusal before a name is looked up reveals nothing
	// about the name.
	Queue(caller string) (place Comparison, wait time.Duration)
}

// Comparison is a place among the calls of a PasswordHasher. One goroutine uses it.
type Comparison interface {
	// Matches is that of PasswordHasher, and is called once at most. If it could not begin within a second of Queue it
	// compares nothing and returns wait > 0, how long to hold off. When it begins does not reveal, to some
	// milliseconds, how long after Queue it was called: looking up an unknown name takes less time.
	Matches(ctx context.Context, password profile.Secret, hash string) (right bool, wait time.Duration, err error)
	// Leave gives the place up. It must be called, after Matches or without it, and may be
	// called again.
	Leave()
}

// Token is the content of a token with a good signature.
type Token struct {
	Reseller   int64
	Generation reseller.Generation
}

// Tokens signs tokens. The same content gives the same token, always, until every
// token is changed with the service key. It is safe for concurrent use.
type Tokens interface {
	// Issue returns the token with this content.
	Issue(Token) profile.Secret
	// Verify returns the content of a token that Issue gave, and reseller.ErrTokenRevoked for any other text.
	Verify(token string) (Token, error)
}

// Vault encrypts what must be read again and digests what must only be compared, under keys derived from the service
// key. Its results name their key, so that they can be opened and compared after that was replaced. It is safe for
// concurrent use.
type Vault interface {
	// Seal encrypts plain. The label says where the result is kept and must be given again to open it, so that a
	// ciphertext moved elsewhere is refused. The error is ErrUnavailable if the present key is not known. It is called
	// inside Update, so that what was sealed is soon recorded.
	Seal(plain []byte, label string) ([]byte, error)
	// Open returns what was sealed under the same label.
	Open(sealed []byte, label string) ([]byte, error)
	// Renew reseals what was sealed under the same label under the present key, and reports whether the text changed.
	// It fails like Open and Seal.
	Renew(sealed []byte, label string) (renewed []byte, changed bool, err error)
	// Digest returns a keyed digest of content.
	Digest(content []byte) []byte
	// Digested reports whether a digest is that of content, under whichever key it was made. One
	// of a key that is not known is an error.
	Digested(digest, content []byte) (bool, error)
}

// LoginLimiter bounds failed logins per name and client. It is safe for concurrent
// use.
type LoginLimiter interface {
	// Attempt waits for other attempts of the same pair that could exhaust the limit, and returns either wait > 0, how
	// long to hold off, or done, which must be called once with how the attempt ended. Other pairs do not wait. If ctx
	// ends first the error is ErrUnavailable.
	Attempt(ctx context.Context, usernameKey, client string) (done func(failed bool), wait time.Duration, err error)
}

// Backups tells of the backups of the store that is served. It is safe for concurrent use.
type Backups interface {
	// Latest returns when the newest was made of a store that was born then, the zero value if none is known.
	Latest(ctx context.Context, born string) time.Time
}

// WebhookMessage is what a webhook's receiver gets.
type WebhookMessage struct {
	URL     string
	ID      string // of the entry: the same for each attempt
	Body    []byte
	Secrets []profile.Secret // each of which signs
}

// WebhookAnswer is what became of a message.
type WebhookAnswer struct {
	Status     int             // 0 if there was none
	Failure    webhook.Failure // "" if the message arrived
	Cause      webhook.Cause   // of webhook.TLSFailed
	Excerpt    string          // of an answer that was not accepted: see webhook.Excerpt
	RetryAfter time.Duration   // that the receiver asked for, 0: none
	Took       time.Duration
}

// WebhookSender sends to the receivers of webhooks, whose addresses anybody may have written: it reaches only those
// that the operator allows. It is safe for concurrent use.
type WebhookSender interface {
	// Send takes at most webhook.Timeout, ends with ctx, and follows no redirect.
	Send(ctx context.Context, m WebhookMessage) WebhookAnswer
}
