// Package reference describes the codes of problem details (RFC 9457) to clients, for the generated reference of
// errors. The service itself does not use it.
package reference

// Repeat says whether a client sends a refused request again.
type Repeat int

// The answers.
const (
	No    Repeat = iota // the same request is refused again
	After               // after the client has done what Action says
	Later               // after the time in Retry-After
	Keyed               // with the same idempotency key only
)

// Code describes a code.
type Code struct {
	Code    string
	Meaning string
	Action  string // of the client; "" for the code of a field or a row: the client corrects that
	Repeat  Repeat
}

// Problems returns the codes of problem details.
func Problems() []Code {
	return []Code{
		{"malformed-body", "The body is not one JSON object in valid UTF-8. A name may not appear twice in an object, and nothing may follow the object.", "Correct the body. `detail` says what is wrong.", No},
		{"bad-idempotency-key", "The `Idempotency-Key` is empty, too long, sent more than once, or has a character that is not permitted.", "Send 1 to 255 visible ASCII characters without `\"` and `\\`.", No},
		{"two-credentials", "The request has an `Authorization` header and the cookie of a session.",
			"Send only one of them.", No},

		{"missing-token", "The request has no `Authorization` header of the form `Bearer` and a token.",
			"Get a token with `POST /auth/static-token`, or use an API key, and send it.", After},
		{"invalid-token", "The token or the API key is not one of this service. Or the token was revoked: a new password also does that.",
			"Get a new token with `POST /auth/static-token`, or correct the API key.", After},
		{"key-revoked", "The API key was revoked.", "Use another API key.", After},
		{"key-expired", "The API key has expired.", "Use another API key, or ask its owner for a later expiry.", After},
		{"missing-session", "The operation needs the cookie of a session. The request has no such cookie.",
			"Sign in with `POST /auth/session`.", After},
		{"session-ended", "The session of this cookie is not valid any more. The answer clears the cookie.",
			"Sign in again with `POST /auth/session`.", After},
		{"invalid-credentials", "The user name, the password or the code of the second factor is wrong. The answer does not say which.", "Ask the user for the credentials again. Wrong ones are counted.", No},
		{"totp-required", "The password is right. The account also has a second factor.",
			"Ask the user for a code and send it as `totp`.", After},

		{"insufficient-credits", "The balance of the account that pays is less than the price, or less than the credits to take back. The problem has `balance`, `required` and `shortfall`.", "Add credits to this account.", After},

		{"not-allowed", "The caller sees the record, but its role does not permit the operation. Some operations refuse API keys or staff.", "Use an account with the right role. `detail` names the rule.", No},
		{"account-blocked", "The account of the caller, or an account above it, is blocked.",
			"Ask the account above to end the block.", After},
		{"insufficient-scope", "The API key or the staff member lacks a scope. The problem names it as `required_scope`.",
			"Give the scope to the API key or the staff member, or use another one.", After},
		{"address-not-allowed", "The API key is not valid from this client address.",
			"Add the address to `allowed_addresses` of the API key.", After},
		{"beyond-own-rights", "An API key or a staff member tries to grant more rights than its own, or to change an account that has more rights.", "Let the owner of the account do this, or grant less.", No},
		{"cross-origin", "A page of another origin signs in, or sends a request with the cookie of a session.",
			"Call the service from a page of its own origin, or with a token from a server.", No},
		{"line-not-served", "The customer is not authorized. `effective` says why: `suspended`, `owner_blocked` or `expired`.",
			"Do not serve the customer.", No},

		{"not-found", "No record has this id, or the caller may not see it. Both cases have the same answer.",
			"Check the id, and the account of the caller.", No},
		{"unknown-route", "The service has no such path. A slash at the end makes another path.",
			"Correct the path. `detail` may name the operation that you mean.", No},
		{"method-not-allowed", "The path does not have this method.", "Use a method of the `Allow` header.", No},

		{"username-taken", "Another line has this user name, or another reseller or staff member has it.",
			"Choose another user name.", No},
		{"line-not-trial", "The line is official already. Only a trial can be activated.",
			"Extend the line: `remedy` has the method and the path.", No},
		{"line-is-trial", "The line is a trial. The operation is for official lines only.",
			"Activate the line first: `remedy` has the method and the path.", After},
		{"external-id-taken", "Another line of the same owner has this `external_id`.",
			"Use the other line, or choose another `external_id`.", No},
		{"period-too-long", "The line would expire more than 10 years from now.", "Choose a shorter period.", No},
		{"price-changed", "The plan has another price than the request expects. The problem has `plan`, `expected`, `actual` and `version`. Nothing was charged.",
			"Show the new price, and repeat with it.", No},
		{"plan-off-sale", "The plan is not sold any more.", "Choose another plan of `GET /plans`.", No},
		{"plan-differs", "The line is running, and the plan has other connections or packages.",
			"Change the plan of the line: `remedy` has the method and the path.", After},
		{"period-differs", "The plan has another period than the present plan of the running line.",
			"Take the plan at an extension, after the line has expired.", After},
		{"downgrade-at-extension", "The plan is cheaper than the present plan of the running line.",
			"Take the plan at an extension, after the line has expired.", After},
		{"line-expired", "The line has expired, so its plan does not change.", "Extend the line by the plan.", No},
		{"line-suspended", "The line is suspended, so its plan does not change.", "Resume the line first.", After},
		{"line-without-plan", "The line was imported without a plan.", "Extend the line first.", After},
		{"plan-immutable", "A plan has another period, other connections or other packages than the request says.",
			"Create another plan.", No},
		{"plan-changing", "The sale of the plan begins or ends within a minute.", "Repeat after a minute.", After},
		{"too-many-plans", "There are 200 plans already.", "Change a plan that is not sold any more.", No},
		{"too-many-versions", "20 versions of the price book are ahead.", "Remove one of them first.", After},
		{"version-in-force", "The version is in force, or will be in less than 60 seconds.",
			"Set the prices again.", No},
		{"tree-too-deep", "The new account would be more than 8 levels below an administrator.",
			"Create the account higher in the tree.", No},
		{"balance-limit", "The account would hold more than 100,000,000,000 credits.", "Move fewer credits.", No},
		{"no-balance", "The account is an administrator. Administrators hold no credits, so they have no low-balance alert.",
			"Set the alert of a reseller.", No},
		{"too-many-webhooks", "The account already has 10 webhooks.", "Delete a webhook first.", After},
		{"webhook-disabled", "The webhook is disabled.", "Enable the webhook first.", After},
		{"too-many-principals", "The account already has 100 API keys, or 100 staff members.",
			"Revoke an API key, or remove a staff member, first.", After},
		{"totp-active", "There already is a second factor.", "Remove the second factor first.", After},
		{"totp-inactive", "There is no second factor.", "No step is needed.", No},
		{"totp-not-pending", "There is no new second factor to confirm.", "Start again with `POST /auth/totp`.", After},
		{"job-running", "The account already has a bulk job, which can be a dry run.",
			"Wait for the end of the bulk job, or stop it.", After},
		{"selection-changed", "The bulk job would have another result than `expect` says. Nothing was changed.",
			"Make a dry run again and send its result as `expect`.", No},

		{"cursor-unknown", "The store was restored from a backup after the service gave out this cursor.",
			"Compare your records with the service, then continue with `restart` as the cursor.", No},

		{"body-too-large", "The body is larger than 64 KiB, or than 1 MiB for an import.", "Send less in one request.", No},

		{"unsupported-media-type", "`Content-Type` does not name the type of the body, or names another charset than UTF-8. A compressed body is also refused.",
			"Send `Content-Type: application/json`. An import takes `text/csv` or `application/x-ndjson`.", No},

		{"validation-failed", "Fields of the body, or values of the query, are invalid. `errors` lists each one with a [code of its own](#codes-of-fields).", "Correct the fields in `errors`.", No},
		{"unknown-parameter", "The query has a parameter that the operation does not have.",
			"Remove or correct the parameter. `errors` names it.", No},
		{"unknown-price", "No period is sold for this number of credits. `prices` lists what is sold.",
			"Choose one of `prices`.", No},
		{"ambiguous-price", "Several plans have this price. `prices` lists them.", "Send `plan`.", No},
		{"unknown-plan", "Rows of prices name plans that do not exist. `errors` lists them.",
			"Use the ids of `GET /plans?all=true`.", No},
		{"effective-too-soon", "Prices change at least 60 seconds ahead.", "Leave `effective_at` out, or send a later instant.",
			No},
		{"bad-url", "The address of a webhook is not permitted. It must use HTTPS, unless the operator permits its network.",
			"Use an HTTPS address.", No},
		{"expiry-in-past", "The expiry of an API key is not in the future.", "Send a later `expires_at`.", No},
		{"wrong-code", "The code that should confirm a second factor is wrong, or was used before.",
			"Ask the user for the next code.", No},
		{"idempotency-key-reused", "The idempotency key was sent with another request, or by another API key or staff member.",
			"Use a new idempotency key for each new request.", No},
		{"too-many-rows", "An import has more than 500 rows.", "Send the rows in several requests.", No},
		{"too-many-lines", "A bulk job would be for more than 1,000,000 lines.", "Select fewer lines.", No},

		{"too-many-attempts", "Too many logins for this user name failed, or too many codes of a second factor were wrong.",
			"Wait. The right password or code is refused too, but a recovery code is accepted in place of a code.", Later},
		{"logins-busy", "The service checks as many passwords as it can. It did not check this one and does not count the login as failed.", "Wait.", Later},
		{"trial-allowance-spent", "The account has created as many trials in 24 hours as the operator permits.", "Wait.",
			Later},
		{"spend-limit-reached", "The daily spend limit of the API key or the staff member does not cover the price. The problem has `limit`, `spent`, `required` and `resets_at`.", "Wait until `resets_at`, or ask for a higher limit.",
			Later},
		{"too-many-free-changes", "The caller has made as many changes without a price as it may make in a day (UTC).",
			"Wait until midnight UTC.", Later},
		{"count-running", "The service still counts the lines of another bulk job of this account.",
			"Wait until the other request has its answer.", Later},
		{"too-many-exports", "The account already has 2 exports in progress.", "Read one to its end, or close its connection.",
			Later},
		{"too-many-waiting", "Too many requests of this account, of this connection or of all clients wait for events.",
			"Wait, or use fewer requests with `wait`.", Later},
		{"too-many-requests", "The caller has sent as many requests as it may in a minute. Or this client address has sent as many requests with invalid credentials.", "Wait. `RateLimit` says how many requests are left.", Later},

		{"internal-error", "The service has a defect. Its log has the cause under the `request_id`.",
			"Tell the operator the `request_id`.", Keyed},

		{"store-unavailable", "The service cannot reach its store, or cannot know whether the change was stored.",
			"Send the request again with the same idempotency key. The answer then says what happened.", Later},
		{"proof-unavailable", "The proof of the ledger was not finished in time.",
			"Ask the operator to run `resellerd verify`.", Later},
		{"too-many-answers", "Clients have not read earlier answers to their end, or too many exports are in progress. There is no room for this answer.",
			"Read the earlier answers, or close their connections.", Later},
	}
}

// Fields returns the codes of `errors`, each of a field or a value of the query. Codes of Problems can be among them.
func Fields() []Code {
	return []Code{
		{Code: "required", Meaning: "The field is absent, null or empty, and it is required."},
		{Code: "wrong-type", Meaning: "The value has the wrong JSON type, such as a number in place of a string."},
		{Code: "too-long", Meaning: "The text is too long. `detail` has the limit."},
		{Code: "too-short", Meaning: "The text is too short. `detail` has the limit."},
		{Code: "bad-username", Meaning: "The user name has a character that RFC 8265 does not permit, such as a space."},
		{Code: "bad-password", Meaning: "The password has a character that RFC 8265 does not permit."},
		{Code: "control-character", Meaning: "The text has a control character, or a format character that is not permitted."},
		{Code: "not-a-number", Meaning: "The value is not a decimal number of at most 64 characters."},
		{Code: "too-many-decimal-places", Meaning: "The credits have more than 4 decimal places."},
		{Code: "negative", Meaning: "The credits are negative."},
		{Code: "not-positive", Meaning: "The number is 0 or less."},
		{Code: "too-large", Meaning: "The credits are more than 1,000,000,000 in one movement."},
		{Code: "bad-email", Meaning: "The text is not an e-mail address."},
		{Code: "bad-language", Meaning: "The text is not a language tag (BCP 47)."},
		{Code: "bad-value", Meaning: "The value is not permitted here. `detail` says which values are."},
		{Code: "bad-time", Meaning: "The text is not a time of RFC 3339, such as `2026-01-31T00:00:00Z`."},
		{Code: "bad-cursor", Meaning: "The cursor is not the `next_cursor` of an answer to the same query."},
		{Code: "unknown-price", Meaning: "No period is sold for this number of credits."},
		{Code: "ambiguous-price", Meaning: "Several plans have this price."},
		{Code: "unknown-plan", Meaning: "There is no plan with this id."},
		{Code: "bad-period", Meaning: "The period is not 1 to 3660 days or 1 to 120 months."},
		{Code: "bad-packages", Meaning: "The packages are not 1 to 50 different names."},
		{Code: "bad-rows", Meaning: "The prices do not have 1 to 50 rows."},
		{Code: "plan-twice", Meaning: "Another row has the same plan."},
		{Code: "effective-too-soon", Meaning: "The instant is less than 60 seconds ahead."},
		{Code: "bad-metadata-name", Meaning: "A name in `metadata` is not 1 to 40 characters of `a` to `z`, `0` to `9` and `_`."},
		{Code: "metadata-too-large", Meaning: "`metadata` has more than 20 members, or more than 4 KiB as JSON."},
		{Code: "bad-url", Meaning: "The text is not an address that a webhook may have."},
		{Code: "unknown-filter", Meaning: "The filter of a bulk job has a name that `GET /lines` does not have."},
		{Code: "unknown-parameter", Meaning: "The operation does not have this parameter."},
		{Code: "expiry-in-past", Meaning: "The time is not in the future."},
		{Code: "unknown-member", Meaning: "No field has this name. It is probably a misspelling of an absent field."},
	}
}

// Rows returns the codes that only rows of imports, results of bulk jobs and the sandbox have.
func Rows() []Code {
	return []Code{
		{Code: "would-be-altered", Meaning: "An import: the service would store the user name or the password in another spelling. Send that spelling."},
		{Code: "owner-not-found", Meaning: "An import: no account that the caller sees has the id in `owner`."},
		{Code: "external-id-differs", Meaning: "An import: a line with this `external_id` has other values. `detail` names them."},
		{Code: "altered-by-spreadsheet", Meaning: "An import: a spreadsheet program changed the cell, such as to `1E+05`."},
		{Code: "no-longer-selected", Meaning: "A bulk job: the line changed after the start, and the filter does not select it any more."},
		{Code: "bad-duration", Meaning: "The sandbox: `forward` is not a duration of at least `1ms`, such as `36h`."},
		{Code: "clock-goes-forward", Meaning: "The sandbox: the clock cannot go back."},
		{Code: "clock-limit", Meaning: "The sandbox: the clock goes at most 100 years ahead of the real time."},
	}
}
