package journal

import (
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Description describes the entries of a type to clients, for the reference of events.
type Description struct {
	Type    Type
	When    string   // the service appends such an entry
	Data    []string // the names that Entry.Data can have
	Changes []string // the fields that Entry.Changes can name
}

// Descriptions returns the description of every type that a client can receive, in the order of Types, then that of
// WebhookTest.
func Descriptions() []Description {
	none := []string(nil)
	username := []string{Username}
	ofReseller, ofLine := new(reseller.Contact).Texts(), new(line.Known).Texts()
	contact, known := names(ofReseller[:]), names(ofLine[:], "metadata")
	block := []string{"block_reason", "blocked", LinesSuspended}
	charge := []string{Book, Plan, Price, Username, BookVersion}
	of := func(fields []string, more ...string) []string {
		return append(append([]string(nil), fields...), more...)
	}
	return []Description{
		{ResellerCreated, "An administrator or a master creates a reseller. With initial credits the entry has a `movement`.",
			username, []string{"role", Username}},
		{ResellerUpdated, "The name, the password, the contact, the messages or the low-balance alert of a reseller change.",
			username, of(contact, "balance_low", "messages", "password", Username)},
		{ResellerCredited, "An administrator or a master adds credits to a reseller. The entry has the `movement`.", username, none},
		{ResellerReclaimed, "An administrator or a master takes credits back from a reseller. The entry has the `movement`.",
			username, none},
		{ResellerBlocked, "An administrator or a master blocks a reseller, or changes the terms of the block.", username, block},
		{ResellerUnblocked, "An administrator or a master ends the block of a reseller.", username, block},

		{TrialCreated, "An account creates a trial.", username, []string{ExpDate, Username}},
		{LineActivated, "A trial becomes an official line. The entry has the `movement` that pays for it.", charge,
			of(known, "connections", ExpDate, "packages", "password", Plan, Username)},
		{LineExtended, "An official line runs longer. The entry has the `movement` that pays for it.", charge,
			[]string{"connections", ExpDate, "packages", Plan}},
		{PlanChanged, "A running line gets another plan. The entry has the `movement` that pays for it, and the numbers from which the amount follows.",
			[]string{Book, PeriodMS, Plan, PlanBefore, Price, PriceBefore, RemainingMS, Username, BookVersion},
			[]string{"connections", "packages", Plan}},
		{LineUpdated, "The name, the password, the contact, the notes, the external id or the metadata of a line change.",
			username, of(known, "password", Username)},
		{LineDeleted, "A line is deleted. The new value of each change is null.", username,
			[]string{ExpDate, "suspended", Username}},
		{LineSuspended, "A line is suspended, or the reason of its suspension changes.", username,
			[]string{"suspended", "suspension_reason"}},
		{LineResumed, "The suspension of a line ends.", username, []string{"suspended", "suspension_reason"}},
		{LineImported, "An import creates an official line. No account pays for it.", []string{LineOrigin, Username},
			[]string{"connections", ExpDate, "packages", Plan, "suspended", Username}},
		{LineReimported, "An import with `update=true` changes an imported line.", username,
			of(known, "connections", ExpDate, "packages", "password", Plan, "suspended", Username)},
		{LineExpiring, "An official line expires in the given number of days. The operator sets the numbers: 7, 3 and 1 by default. The service appends the entry once for each number and expiry date.", []string{Days, ExpDate, Username},
			none},
		{LineExpired, "A line expires: a trial or an official line.", []string{ExpDate, Username}, none},

		{BulkFinished, "A bulk job is done, or is stopped. A dry run has no entry.",
			[]string{Action, Job, Matched, Refused, Status, Succeeded}, none},

		{PlanCreated, "An administrator creates a plan. Only administrators see it.", []string{Plan}, none},
		{PlanUpdated, "An administrator changes a plan. Only administrators see it.", []string{Plan},
			[]string{"metadata", "name", "on_sale", "sort"}},
		{PricesChanged, "An administrator adds a version to a price book, or removes it before its instant. Only administrators see it for the book of the platform.",
			[]string{EffectiveAt, Removed, Rows, Username, BookVersion}, none},

		{BalanceLow, "The balance of a reseller falls below its alert threshold, or the threshold rises above the balance.",
			[]string{AlertBalance, AlertBelow, Username}, none},
		{BalanceRecovered, "After a low balance, the balance of a reseller reaches 1.2 times its alert threshold.",
			[]string{AlertBalance, AlertBelow, Username}, none},

		{SessionStarted, "An owner or a staff member signs in with a browser.", none, none},
		{SessionEnded, "An owner or a staff member signs out, or ends another session. A session that expires has no entry.",
			none, none},
		{TokenRevoked, "An account revokes its token.", username, none},
		{PasswordChanged, "An owner or a staff member changes its password. Of a staff member the entry has `principal`.",
			[]string{Principal, Username}, []string{"password"}},

		{KeyCreated, "An account creates an API key.", []string{Principal}, none},
		{KeyUpdated, "An API key changes.", []string{Principal},
			[]string{"allowed_addresses", "expires_at", "name", "role", "scopes", "spend_limit"}},
		{KeyRevoked, "An account revokes an API key.", []string{Principal}, none},
		{StaffCreated, "An account adds a staff member.", []string{Principal}, none},
		{StaffUpdated, "The name, the password, the rights or the spend limit of a staff member change.", []string{Principal},
			[]string{"password", "role", "scopes", "spend_limit", Username}},
		{StaffRemoved, "An account removes a staff member.", []string{Principal}, none},

		{TOTPEnabled, "An owner or a staff member confirms a second factor. Of a staff member the entry has `principal`.",
			[]string{Principal}, none},
		{TOTPDisabled, "An owner or a staff member removes its second factor. Of a staff member the entry has `principal`.",
			[]string{Principal}, none},
		{TOTPReset, "Another account or the operator removes a lost second factor. The entry has `username` for an account, and `principal` for a staff member.", []string{Principal, Username}, none},

		{WebhookCreated, "An account creates a webhook.", []string{Webhook}, none},
		{WebhookUpdated, "An account changes, enables or disables a webhook.", []string{Webhook},
			[]string{"description", "enabled", "scope", "types", "url"}},
		{WebhookRotated, "A webhook gets a new secret.", []string{Webhook}, none},
		{WebhookDisabled, "The service disables a webhook. The entry has the `reason`: `gone`, `failing` or `restored`.",
			[]string{Webhook}, []string{"enabled"}},
		{WebhookRemoved, "An account deletes a webhook.", []string{Webhook}, none},

		{Began, "The service starts with an empty store. It is the first entry. Only administrators see it.", none, none},
		{Restored, "The operator restores the store from a backup. A new epoch of the journal begins. Only administrators see it.",
			[]string{PreviousEpoch}, none},

		{AdminCreated, "The operator creates an administrator.", username, []string{"role", Username}},
		{PasswordReset, "The operator sets a new password for an account.", username, []string{"password"}},
		{AdminBlocked, "The operator blocks an account.", username, block},
		{AdminUnblocked, "The operator ends the block of an account.", username, block},
		{KeyReplaced, "The operator replaces the service key. Only administrators see it.", none, none},

		{WebhookTest, "An account tests a webhook. Only this webhook receives it: the journal does not list it.",
			[]string{Test, Webhook}, none},
	}
}

// names returns the names of texts, and more names.
func names(texts []profile.Member[profile.Text], more ...string) []string {
	for _, m := range texts {
		more = append(more, m.Name)
	}
	return more
}

// DatumDescription describes a name of Entry.Data to clients.
type DatumDescription struct{ Name, Meaning string }

// DataDescriptions returns the description of every name that Entry.Data can have.
func DataDescriptions() []DatumDescription {
	return []DatumDescription{
		{Action, "The action of the bulk job, such as `extend`."},
		{AlertBalance, "The balance of the reseller, a string."},
		{AlertBelow, "The alert threshold of the reseller, a string."},
		{Book, "The account whose price book counted: 0 for the book of the platform. An account out of sight is left out."},
		{Days, "The number of days until the line expires."},
		{EffectiveAt, "The instant from which the prices count."},
		{ExpDate, "The expiry date of the line."},
		{Job, "The id of the bulk job."},
		{Matched, "The number of lines that the bulk job selected."},
		{LineOrigin, "The origin of the line: `imported`."},
		{PeriodMS, "The period of both plans in milliseconds, a month as 30 days."},
		{Plan, "The id of the plan."},
		{PlanBefore, "The id of the plan before."},
		{PreviousEpoch, "The epoch of the journal before the restore."},
		{Price, "The price of the plan in the book, a string."},
		{PriceBefore, "The price of the plan before, a string."},
		{Principal, "The id of the API key or of the staff member."},
		{Refused, "The number of lines that the bulk job did not change."},
		{RemainingMS, "The time until the expiry of the line in milliseconds."},
		{Removed, "Whether the version was removed before its instant."},
		{Rows, "The prices: each plan with its price, such as `1=0.5 2=1`. An empty text: the book above counts."},
		{Status, "The status of the bulk job: `done` or `stopped`."},
		{Succeeded, "The number of lines that the bulk job changed."},
		{Test, "The number of tests of this webhook so far."},
		{Username, "The name of the line, or else of the reseller, right after the event."},
		{BookVersion, "The version of the price book."},
		{Webhook, "The id of the webhook."},
	}
}
