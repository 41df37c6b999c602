package principal

// Description returns what a scope permits, for the reference of scopes.
func (s Scope) Description() string {
	return map[Scope]string{
		LinesRead:        "Read lines, bulk jobs, reports and messages. Stop a bulk job.",
		LinesPasswords:   "See the passwords of lines in the answers of other operations. Without it `password` is null, unless `entitlements:read` is the only scope of an API key.",
		LinesWrite:       "Create trials. Edit, suspend and resume lines.",
		LinesSpend:       "Activate and extend lines. The owner of the line pays.",
		LinesDelete:      "Delete lines.",
		UsersRead:        "Read resellers and their low-balance alerts.",
		UsersWrite:       "Create, update and block resellers. Set their messages and low-balance alerts.",
		CreditsMove:      "Add credits to a reseller and take them back. Give credits to a new reseller.",
		LedgerRead:       "Read statements and balances. Run the proof of the ledger.",
		EventsRead:       "Read the journal. Create a webhook, or change what it receives, together with `manage`.",
		EntitlementsRead: "Read which customers to serve, with their passwords if the API key has no other scope.",
		PricesWrite:      "Create plans and change prices, as an administrator.",
		Manage:           "Manage API keys, staff and webhooks. Import lines. Revoke the token. Remove lost second factors.",
	}[s]
}

// Description returns the purpose of a role.
func (r Role) Description() string {
	return map[Role]string{
		ReadOnly: "Reads everything but passwords.",
		Support:  "Helps customers: also sees passwords of lines and edits lines.",
		Cashier:  "Sells: also activates and extends lines.",
		Manager:  "Has every scope but `prices:write` and `manage`.",
	}[r]
}
