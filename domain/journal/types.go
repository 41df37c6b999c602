package journal

import (
	"fmt"
	"strings"
)

// Type is a type of events. The set is closed.
type Type struct{ name string }

// The types.
var (
	ResellerCreated   = Type{"reseller.created"}
	ResellerUpdated   = Type{"reseller.updated"}
	ResellerCredited  = Type{"reseller.credited"}  // credits were added to it
	ResellerReclaimed = Type{"reseller.reclaimed"} // credits were taken back from it
	ResellerBlocked   = Type{"reseller.blocked"}
	ResellerUnblocked = Type{"reseller.unblocked"}

	TrialCreated   = Type{"line.trial_created"}
	LineActivated  = Type{"line.activated"}
	LineExtended   = Type{"line.extended"}
	PlanChanged    = Type{"line.plan_changed"}
	LineUpdated    = Type{"line.updated"}
	LineDeleted    = Type{"line.deleted"}
	LineExpiring   = Type{"line.expiring"} // an official line, so many days before its expiry
	LineExpired    = Type{"line.expired"}
	LineSuspended  = Type{"line.suspended"}
	LineResumed    = Type{"line.resumed"}
	LineImported   = Type{"line.imported"}   // official, without a charge
	LineReimported = Type{"line.reimported"} // an imported line took over other values

	BulkFinished = Type{"bulk.finished"} // a job for many lines, done or stopped

	PlanCreated   = Type{"plan.created"}
	PlanUpdated   = Type{"plan.updated"}
	PricesChanged = Type{"prices.changed"} // a version of a price book was added or removed

	BalanceLow       = Type{"balance.low"} // below its alert threshold
	BalanceRecovered = Type{"balance.recovered"}

	SessionStarted  = Type{"session.started"} // by a sign-in
	SessionEnded    = Type{"session.ended"}   // by a sign-out, or by its account; not by expiry
	TokenRevoked    = Type{"token.revoked"}
	PasswordChanged = Type{"password.changed"} // by a caller that knew the previous one

	KeyCreated   = Type{"key.created"}
	KeyUpdated   = Type{"key.updated"}
	KeyRevoked   = Type{"key.revoked"}
	StaffCreated = Type{"staff.created"}
	StaffUpdated = Type{"staff.updated"}
	StaffRemoved = Type{"staff.removed"}

	TOTPEnabled  = Type{"totp.enabled"} // a second factor was confirmed
	TOTPDisabled = Type{"totp.disabled"}
	TOTPReset    = Type{"totp.reset"} // by another account or the operator, because it was lost

	WebhookCreated  = Type{"webhook.created"}
	WebhookUpdated  = Type{"webhook.updated"}
	WebhookRotated  = Type{"webhook.rotated"}  // its secret
	WebhookDisabled = Type{"webhook.disabled"} // by the service
	WebhookRemoved  = Type{"webhook.removed"}

	Began    = Type{"journal.began"}    // the first entry of a journal
	Restored = Type{"journal.restored"} // the first entry of a store that was restored from a backup

	AdminCreated   = Type{"operator.admin_created"}
	PasswordReset  = Type{"operator.password_reset"}
	AdminBlocked   = Type{"operator.blocked"} // any account, by an operator
	AdminUnblocked = Type{"operator.unblocked"}
	KeyReplaced    = Type{"operator.service_key_replaced"}
)

// WebhookTest is the type of the event that a test of a webhook sends. No entry of a journal has this type.
var WebhookTest = Type{"webhook.test"}

var types = []Type{
	ResellerCreated, ResellerUpdated, ResellerCredited, ResellerReclaimed, ResellerBlocked, ResellerUnblocked,
	TrialCreated, LineActivated, LineExtended, PlanChanged, LineUpdated, LineDeleted, LineSuspended, LineResumed,
	LineImported,
	LineReimported, LineExpiring, LineExpired, BulkFinished,
	PlanCreated, PlanUpdated, PricesChanged,
	BalanceLow, BalanceRecovered,
	SessionStarted, SessionEnded, TokenRevoked, PasswordChanged,
	KeyCreated, KeyUpdated, KeyRevoked, StaffCreated, StaffUpdated, StaffRemoved, TOTPEnabled, TOTPDisabled, TOTPReset,
	WebhookCreated, WebhookUpdated, WebhookRotated, WebhookDisabled, WebhookRemoved,
	Began, Restored,
	AdminCreated, PasswordReset, AdminBlocked, AdminUnblocked, KeyReplaced,
}

// Types returns every type.
func Types() []Type { return append([]Type(nil), types...) }

// ParseType finds a type by its name.
func ParseType(name string) (Type, error) {
	for _, t := range types {
		if t.name == name {
			return t, nil
		}
	}
	return Type{}, fmt.Errorf("unknown type of entry %q", name)
}

// ParseTypes finds a type by its name. It finds all types with a common beginning by that beginning, such as line.*
func ParseTypes(pattern string) (found []Type, err error) {
	beginning, many := strings.CutSuffix(pattern, "*")
	for _, t := range types {
		if t.name == pattern || many && strings.HasSuffix(beginning, ".") && strings.HasPrefix(t.name, beginning) {
			found = append(found, t)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no type of entry is named %q", pattern)
	}
	return found, nil
}

// String returns the type's name.
func (t Type) String() string { return t.name }

// LinesSuspended is the field of a reseller that states whether its own block suspends lines.
const LinesSuspended = "lines_suspended"

// The names of data.
const (
	Username      = "username"       // of entries about a line or a reseller: its name right after the event
	PreviousEpoch = "previous_epoch" // of Restored
	Days          = "days"           // of LineExpiring: the days before the expiry
	ExpDate       = "expDate"        // of LineExpiring and LineExpired: the expiry
	AlertBalance  = "balance"        // of BalanceLow and BalanceRecovered
	AlertBelow    = "balance_low"    // likewise: the threshold
	Principal     = "principal"      // of entries about a key or a member of the staff: its id
	Job           = "job"            // of BulkFinished: its id
	Action        = "action"         // likewise
	Status        = "status"         // likewise: done or stopped
	Matched       = "matched"        // likewise: the number of selected lines
	Succeeded     = "succeeded"      // likewise: the number of changed lines
	Refused       = "refused"        // likewise: the number of lines that were not changed
	Webhook       = "webhook"        // of entries about a webhook: its id
	LineOrigin    = "origin"         // of LineImported: the origin of the line
	Plan          = "plan"           // of entries about a plan or a charge: its id
	Book          = "book"           // of charges: the account whose price book counted, 0 for the platform's
	BookVersion   = "version"        // of charges and PricesChanged: the version of the book
	Price         = "price"          // of charges: the price in the book
	PlanBefore    = "plan_before"    // of PlanChanged
	PriceBefore   = "price_before"   // likewise: of that plan
	RemainingMS   = "remaining_ms"   // likewise: the time until the expiry
	PeriodMS      = "period_ms"      // likewise: the period of both plans, a month as 30 days
	EffectiveAt   = "effective_at"   // of PricesChanged
	Rows          = "rows"           // likewise: each plan with its price, "" if the book above counts
	Removed       = "removed"        // likewise: the version was removed before its instant
	Test          = "test"           // of WebhookTest: the number of tests of the webhook
)

// ActorKind is how an actor was authenticated. The set is closed.
type ActorKind struct{ name string }

// The kinds of actors.
var (
	ByToken    = ActorKind{"token"}    // the account's fixed token
	BySession  = ActorKind{"session"}  // a browser with a session of the account
	ByKey      = ActorKind{"key"}      // an API key of the account
	ByStaff    = ActorKind{"staff"}    // a member of its staff
	BySystem   = ActorKind{"system"}   // the service itself
	ByOperator = ActorKind{"operator"} // with access to the store
)

// ParseActorKind finds a kind of actors by its name.
func ParseActorKind(name string) (ActorKind, error) {
	for _, k := range []ActorKind{ByToken, BySession, ByKey, ByStaff, BySystem, ByOperator} {
		if k.name == name {
			return k, nil
		}
	}
	return ActorKind{}, fmt.Errorf("unknown kind of actor %q", name)
}

// String returns the kind's name.
func (k ActorKind) String() string { return k.name }
