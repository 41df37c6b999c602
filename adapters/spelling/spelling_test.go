package spelling_test

import (
	"strings"
	"testing"

	"resellerd/adapters/spelling"
	"resellerd/test/expect"
)

func TestMeant(t *testing.T) {
	known := []string{"owner", "tree", "status", "effective", "isTrial", "expires_after", "dry_run", "type", "days",
		"line", "limit", "cursor", "q", "at", "account"}
	for name, want := range map[string]string{
		"Limit": "limit", "LIMIT": "limit", "is_trial": "isTrial", "istrial": "isTrial", "isTrail": "isTrial",
		"dry-run": "dry_run", "dryRun": "dry_run",
		"expiresAfter": "expires_after", "expire_after": "expires_after", "efective": "effective", "acount": "account",
		"account_id": "account", "type[]": "type",
		"types": "type", "day": "days", "ownr": "owner", "onwer": "owner", "Q": "q", "lines": "line",
		"page": "", "per_page": "", "offset": "", "search": "", "since": "", "size": "", "date": "", "_": "", "": "",
		"user": "", "order": "", "ids": "",
		"limit" + strings.Repeat("t", 1<<14): "",
	} {
		expect.Equal(t, spelling.Meant(name, known), want, "%.80q is taken for", name)
	}
	expect.Equal(t, spelling.Meant("limit", nil), "", "meant without known names")
}
