// Package webhook implements webhook subscriptions: their event filter, URL, secrets and retry schedule.
//
// An entry that the receiver does not accept is sent ten times in three days, and then abandoned. If no other entry
// arrived in that time, the webhook is disabled, and the entry waits. While the account is blocked nothing is sent, and
// after the block everything.
package webhook

import (
	"slices"
	"strings"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/journal"
)

const (
	// MaxWebhooks is the limit of webhooks of an account.
	MaxWebhooks = 10
	// MaxURL is the limit of a URL in bytes.
	MaxURL = 2048
	// MaxTypes is the limit of types, or beginnings of types, of a webhook.
	MaxTypes = 50
	// Any is a filter for every type.
	Any = "*"
	// DefaultOverlap is how long the secret before the last rotation still signs, by default.
	DefaultOverlap = 24 * time.Hour
	// MaxOverlap is the longest overlap.
	MaxOverlap = 7 * 24 * time.Hour
)

// The reasons for which a webhook is refused.
var (
	ErrTooMany   = fault.New(fault.Conflict, "too-many-webhooks", "An account has at most 10 webhooks.")
	ErrSlotTaken = fault.New(fault.Conflict, "webhook-slot-taken", "Another webhook was created at the same moment.")
	ErrDisabled  = fault.New(fault.Conflict, "webhook-disabled", "The webhook is disabled: enable it first.")
	ErrPlain     = fault.New(fault.Invalid, "bad-url", "This must be an https address.")
)

// Scope is which accounts' entries a webhook receives.
type Scope string

// The scopes.
const (
	OwnAccount Scope = "own"  // entries that concern its account
	Tree       Scope = "tree" // and entries of accounts below it
)

// Reason is the reason why a webhook is disabled.
type Reason string

// The reasons.
const (
	Requested Reason = "requested" // by its owner
	Gone      Reason = "gone"      // its receiver answered 410
	Failing   Reason = "failing"   // an entry failed MaxAttempts times, and no other entry arrived in that time
	Restored  Reason = "restored"  // the store was restored from a backup: a restored copy must send nothing
)

// Reasons returns every reason.
func Reasons() []Reason { return []Reason{Requested, Gone, Failing, Restored} }

// Webhook is a subscription to events. It is a value: a change is made to a copy.
type Webhook struct {
	ID            int64
	Account       int64
	Slot          int // from 1 to MaxWebhooks: unique within an account
	URL           string
	Types         []string // names of types, beginnings as in journal.ParseTypes, or Any
	Scope         Scope
	Description   string
	Enabled       bool
	Disabled      Reason // "" if it is enabled
	Created       time.Time
	Secret        []byte    // sealed
	Previous      []byte    // sealed, the secret before the last rotation
	PreviousUntil time.Time // the previous secret signs until then
}

// CheckType returns an error unless a text is valid among a webhook's types.
func CheckType(text string) error {
	if text == Any {
		return nil
	}
	_, err := journal.ParseTypes(text)
	return err
}

// Selects returns the types of entries that the webhook receives, nil for every type.
func (w Webhook) Selects() (types []journal.Type) {
	for _, pattern := range w.Types {
		if pattern == Any {
			return nil
		}
		found, _ := journal.ParseTypes(pattern) // a type of a newer version selects nothing here
		for _, t := range found {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	return types
}

// SelectsNothing reports whether this version knows none of the webhook's types.
func (w Webhook) SelectsNothing() bool {
	return !slices.Contains(w.Types, Any) && len(w.Selects()) == 0
}

// FreeSlot returns the lowest slot that no webhook of the account has, or ErrTooMany.
func FreeSlot(all []Webhook) (int, error) {
	for slot := 1; slot <= MaxWebhooks; slot++ {
		if !slices.ContainsFunc(all, func(w Webhook) bool { return w.Slot == slot }) {
			return slot, nil
		}
	}
	return 0, ErrTooMany
}

// Change is a change of a webhook. A nil field stays.
type Change struct {
	URL         *string
	Types       []string
	Scope       *Scope
	Description *string
	Enabled     *bool
}

// OnlyDisables reports whether the change disables a webhook and nothing else.
func (c Change) OnlyDisables() bool {
	return c.Enabled != nil && !*c.Enabled && c.URL == nil && c.Types == nil && c.Scope == nil && c.Description == nil
}

// Changed returns the changed webhook.
func (w Webhook) Changed(c Change) Webhook {
	if c.URL != nil {
		w.URL = *c.URL
	}
	if c.Types != nil {
		w.Types = c.Types
	}
	if c.Scope != nil {
		w.Scope = *c.Scope
	}
	if c.Description != nil {
		w.Description = *c.Description
	}
	switch {
	case c.Enabled == nil || *c.Enabled == w.Enabled:
	case *c.Enabled:
		w.Enabled, w.Disabled = true, ""
	default:
		w = w.Disable(Requested)
	}
	return w
}

// Disable returns the disabled webhook.
func (w Webhook) Disable(why Reason) Webhook {
	w.Enabled, w.Disabled = false, why
	return w
}

// Rotate returns the webhook with another sealed secret. The previous one signs as well during the overlap.
func (w Webhook) Rotate(secret []byte, previous []byte, overlap time.Duration, now time.Time) Webhook {
	w.Secret, w.Previous, w.PreviousUntil = secret, previous, now.Add(overlap)
	if overlap <= 0 {
		w.Previous, w.PreviousUntil = nil, time.Time{}
	}
	return w
}

// Overlaps reports whether the previous secret still signs.
func (w Webhook) Overlaps(now time.Time) bool {
	return len(w.Previous) > 0 && now.Before(w.PreviousUntil)
}

// Plain reports whether the webhook's URL is not encrypted (http).
func (w Webhook) Plain() bool { return strings.HasPrefix(w.URL, "http://") }
