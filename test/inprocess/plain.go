package inprocess

import (
	"context"
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

// Causes is a slog.Handler that is told the cause of each failure. It may be told side by side.
type Causes func(cause string)

// Enabled implements slog.Handler.
func (Causes) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

// Handle implements slog.Handler.
func (c Causes) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			c(a.Value.String())
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (c Causes) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup implements slog.Handler.
func (c Causes) WithGroup(string) slog.Handler { return c }
