// Package domain has no code: its folders implement the rules of the service, as pure values and aggregates without a
// clock or a store. These are the terms of the rules, here and in ports, application and adapters.
//
// # Accounts and lines
//
//   - Account: a reseller or an admin. The paths of the API say user.
//   - Reseller: an account that signs in, holds credits and owns lines; an aggregate.
//   - Role: the rights of an account. An admin operates the platform, sees everything and issues credits. A master
//     creates and funds resellers below itself. A standard reseller owns lines only.
//   - Tree, position, ancestors: every account but an admin is below another one, for good. Its position is its id with
//     the ids of its ancestors, the root first.
//   - Sight: an account sees itself and all accounts below it. A record out of sight is answered as if it did not
//     exist.
//   - Principal: acts for an account besides its owner; a value. It is an API key, which a program sends, or a member
//     of the staff, a person with a sign-in.
//   - Scope: a part of the rights of an account, which a principal has or lacks. The roles of principals are sets of
//     scopes, and differ from the roles of accounts.
//   - Limit: the number of credits that a principal may spend in a day.
//   - Line: the account of a customer with the platform, owned by a reseller; an aggregate.
//   - Trial, official: a line begins as a trial, which is free and runs for hours. It becomes official once, by
//     activation, when its owner pays.
//   - Extension: an official line runs longer because its owner pays again.
//   - Job: one operation on many lines, which are selected when the job starts and done one by one. A dry run computes
//     the outcome without a change.
//   - Part: a batch of the lines of a job, with the result of each.
//   - Tombstone: the record that a deleted line leaves, so that a deletion can be distinguished from a loss.
//
// # Credits
//
//   - Amount: an exact decimal number of credits, with at most 4 decimal places.
//   - Plan: what the platform sells: a period, a number of connections, packages. It never changes what it gives.
//   - Price, period: the amount that a plan costs, and the time that the line then runs.
//   - Price book: the prices of plans, of the platform, or of a reseller and all accounts below it. A version of a book
//     is in force from its instant until that of another one. The nearest book from the owner upwards counts.
//   - Movement: an amount that left one party and reached another at once. It is never changed or removed.
//   - Party: an account, or one of two system accounts: issuance, from which all credits come, and consumption, where
//     credits that were spent on lines end.
//   - Provenance: the caller, the time and the request of a movement.
//   - Posting: a movement in the ledger of one reseller, with its number there, the balance right after it and the
//     hash.
//   - Chain, tip: each hash covers the one before, so the postings of a reseller form a chain. Its tip, the last number
//     and hash, is stored with the reseller.
//   - Statement: the postings of a reseller, the newest first.
//
// # Events
//
//   - Journal, entry: one entry for each command that changed something, numbered and chained. Its account is the one
//     that it concerns.
//   - Epoch: the part of the journal between two restores.
//   - Webhook: a subscription, which sends entries to a URL, signed. Its cursor is the number up to which each of its
//     entries has arrived, waits for a retry, or was abandoned.
//   - Attempt: one entry sent once. A delivery is all attempts of one entry.
//   - Reminder: an entry that a line expires soon, or has expired. Its cursor is the position in the order of expiry.
//   - Alert: the balance below which a reseller is notified.
//   - Messages: the texts that a reseller sends to its customers, its own or inherited from a parent.
//   - Lease: the right of one process to do background work.
//
// # Requests
//
//   - Fault: a refusal, with a kind that says how to treat it and a code that names it.
//   - Allowance: the number of trials that a reseller may issue in any 24 hours.
//   - Generation: a value in a token. A new generation revokes the token.
//   - Session: a sign-in in one browser, of an account's owner or of a member of its staff. It ends by itself, at a
//     sign-out, and with the password that it began with. The token goes on.
//   - Second factor: a code that a sign-in needs besides the password, of an app or a recovery code. A step is the
//     half-minute of a code.
//   - Idempotency key: the client's name of a request. A repetition gets the recorded answer and has no second effect.
//   - Audit: the examination of every record of a store, which trusts none of them.
package domain
