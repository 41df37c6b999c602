package inprocess

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"resellerd/domain/profile"
	"resellerd/ports"
)

// PlainHasher implements ports.PasswordHasher at no cost. No two hashes are the same where no two salts are.
type PlainHasher struct{ Salt func() string }

// Hash implements ports.PasswordHasher.
func (h PlainHasher) Hash(_ context.Context, _ string, p profile.Secret) (string, error) {
	return "plain " + h.Salt() + " " + p.Reveal(), nil
}

// Matches implements ports.PasswordHasher.
func (PlainHasher) Matches(_ context.Context, _ string, p profile.Secret, hash string) (bool, error) {
	return strings.HasSuffix(hash, " "+p.Reveal()), nil
}

// Queue implements ports.PasswordHasher.
func (h PlainHasher) Queue(string) (ports.Comparison, time.Duration) { return comparison{h}, 0 }

type comparison struct{ PlainHasher }

// Matches implements ports.Comparison.
func (c comparison) Matches(ctx context.Context, p profile.Secret, hash string) (bool, time.Duration, error) {
	right, err := c.PlainHasher.Matches(ctx, "", p, hash)
	return right, 0, err
}

// Leave implements ports.Comparison.
func (comparison) Leave() {}

// Causes returns a handler that tells the cause of each failure. It may tell of several side by side.
func Causes(tell func(cause string)) slog.Handler {
	return slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "error" {
				tell(a.Value.String())
			}
			return a
		}})
}
