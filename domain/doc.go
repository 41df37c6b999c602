// Package domain holds no code: its folders hold the rules of the service, as pure values and aggregates that know
// neither a clock nor a store. These are the terms, here and in ports, application and adapters.
//
// # Who and what
//
//   - Reseller: who signs in, holds credits and owns lines; an aggregate. The API calls
//     it a user, its problem documents and what is stored an account.
//   - Role: what a reseller may do. An admin operates the platform, sees all and issues
//     credits; a master creates and funds resellers below itself; a standard reseller
//     owns lines only.
//   - Tree, position, ancestors: every reseller but an admin stands below another one,
//     for good. Its position is its id with those of its ancestors, the root first.
//   - Sight: a reseller sees itself and all below it. What is out of sight is answered
//     as if it did not exist.
//   - Principal: who acts for a reseller besides its owner; a value. It is a key, which a program
//     sends, or a member of the staff, a person who signs in by a name of its own.
//   - Scope: a part of what a reseller may do, which a principal has or has not. The roles of
//     principals are sets of scopes, and none of those above.
//   - Limit: how many credits a principal may spend in a day.
//   - Line: the account of a client with the platform, owned by a reseller; an aggregate.
//   - Trial, official: a line begins as a trial, which is free and runs for hours. It
//     becomes official once, by activation, when its owner pays.
//   - Extension: an official line runs longer because its owner pays again.
//   - Order, job: the same for many lines, which are selected as it starts and done one by one. A
//     dry run counts what would come of it: its outcome.
//   - Part: some of the lines of a job, with what became of each.
//   - Tombstone: what a deleted line leaves, so that a deletion can be distinguished from a loss.
//
// # Credits
//
//   - Amount: an exact decimal number of credits, with at most 4 decimal places.
//   - Price, period: an amount that a line can cost, and how long it then runs.
//   - Movement: an amount that left one party and reached another at once. It is never
//     changed nor removed.
//   - Party: a reseller, or one of two system accounts: issuance, from which all credits
//     come, and consumption, where those spent on lines end.
//   - Provenance: who asked for a movement, when and in which request.
//   - Posting: a movement as it stands in the ledger of one reseller, with its number
//     there, the balance right after it and the hash.
//   - Chain, tip: each hash covers the one before, so the postings of a reseller form a
//     chain. Its tip, the last number and hash, is kept with the reseller.
//   - Statement: the postings of a reseller, the newest first.
//
// # What happened
//
//   - Journal, entry: one entry for each command that changed something, numbered and chained. Its
//     account is whom it concerns.
//   - Epoch: a journal between two restores.
//   - Webhook: an address to which entries are sent, signed. Its cursor is the number up to which
//     all that it is for have arrived, are waiting to be sent again, or were given up.
//   - Attempt: one entry sent once. A delivery is all attempts of one.
//   - Reminder: an entry that a line expires, or has. Its watermark is how far lines were looked
//     at in the order of their expiry.
//   - Alert: below which balance a reseller is told.
//   - Messages: what a reseller tells its customers, its own or inherited from above.
//   - Lease: which process does what only one may do at a time.
//
// # Requests
//
//   - Fault: a refusal, with a kind that says how to treat it and a code that says which.
//   - Allowance: how many trials a reseller may issue in any 24 hours.
//   - Generation: what a token carries; another one revokes the token.
//   - Session: a sign-in in one browser, of a reseller or of a member of its staff. It ends by
//     itself, at a sign-out and with the password that it began with; the token goes on.
//   - Second factor: what a sign-in needs besides the password, a code of an app or a recovery code.
//     A step is the half-minute of a code.
//   - Idempotency key: what a client names a request by, so that a repetition gets the
//     recorded answer and has no second effect.
//   - Audit: the examination of every record of a store, which trusts none of them.
package domain
