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
	// MaxWebhooks is how many webhooks an account has.
	MaxWebhooks = 10
	// MaxURL is how many bytes an address has.
	MaxURL = 2048
	// MaxTypes is how many types, or beginnings of some, a webhook names.
	MaxTypes = 50
	// Any stands for every type.
	Any = "*"
	// DefaultOverlap is for how long the secret before the last rotation still signs.
	DefaultOverlap = 24 * time.Hour
	// MaxOverlap is for how long it may.
	MaxOverlap = 7 * 24 * time.Hour
)

// Why a webhook is refused.
var (
	ErrTooMany   = fault.New(fault.Conflict, "too-many-webhooks", "An account has at most 10 webhooks.")
	ErrSlotTaken = fault.New(fault.Conflict, "webhook-slot-taken", "Another webhook was made at the same moment.")
	ErrDisabled  = fault.New(fault.Conflict, "webhook-disabled", "The webhook is disabled: enable it first.")
	ErrPlain     = fault.New(fault.Invalid, "bad-url", "This must be an https address.")
)

// Scope is which entries of the journal a webhook is for.
type Scope string

// The scopes.
const (
	OwnAccount Scope = "own"  // those that concern its account
	Tree       Scope = "tree" // and those of accounts below it
)

// Reason is why a webhook is disabled.
type Reason string

// The reasons.
const (
	Requested Reason = "requested" // by its owner
	Gone      Reason = "gone"      // its receiver answered 410
	Failing   Reason = "failing"   // an entry was sent as often as it may be, and no other arrived since its first time
	Restored  Reason = "restored"  // its store was restored from a backup: a rehearsal must not tell anybody
)

// Reasons returns every reason.
func Reasons() []Reason { return []Reason{Requested, Gone, Failing, Restored} }

// Webhook is who is told of what. It is a value: a change is made to a copy.
type Webhook struct {
	ID            int64
	Account       int64
	Slot          int // from 1 to Most: no two webhooks of an account have the same
	URL           string
	Types         []string // names of types, beginnings of some as in journal.ParseTypes, or Any
	Scope         Scope
	Description   string
	Enabled       bool
	Disabled      Reason // "" if it is enabled
	Created       time.Time
	Secret        []byte    // sealed
	Previous      []byte    // likewise: that before the last rotation
	PreviousUntil time.Time // until when the previous one signs as well
}

// CheckType returns an error unless a text may stand among a webhook's types.
func CheckType(text string) error {
	if text == Any {
		return nil
	}
	_, err := journal.ParseTypes(text)
	return err
}

// Selects returns the types of entries that it is for, nil for every one.
func (w Webhook) Selects() (types []journal.Type) {
	for _, pattern := range w.Types {
		if pattern == Any {
			return nil
		}
		found, _ := journal.ParseTypes(pattern) // one that only a newer version knows names nothing here
		for _, t := range found {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	return types
}

// SelectsNothing reports whether no type is left that this version knows.
func (w Webhook) SelectsNothing() bool {
	return !slices.Contains(w.Types, Any) && len(w.Selects()) == 0
}

// FreeSlot returns the lowest slot that none of an account's webhooks has, or ErrTooMany.
func FreeSlot(all []Webhook) (int, error) {
	for slot := 1; slot <= MaxWebhooks; slot++ {
		if !slices.ContainsFunc(all, func(w Webhook) bool { return w.Slot == slot }) {
			return slot, nil
		}
	}
	return 0, ErrTooMany
}

// Change is a change of a webhook. What is nil is left alone.
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

// Changed returns the webhook with a change.
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

// Disable returns the webhook as it is once it is disabled.
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

// Plain reports whether what is sent there is not encrypted.
func (w Webhook) Plain() bool { return strings.HasPrefix(w.URL, "http://") }
