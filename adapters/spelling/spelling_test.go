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
		"LIMIT": "limit", "is_trial": "isTrial", "isTrail": "isTrial", "dry-run": "dry_run", "dryRun": "dry_run",
		"expire_after": "expires_after", "account_id": "account", "type[]": "type", "types": "type", "onwer": "owner",
		"Q": "q", "page": "", "per_page": "", "date": "", "_": "", "": "", "ids": "",
		"limit" + strings.Repeat("t", 1<<14): "",
	} {
		expect.Equal(t, spelling.Suggest(name, known), want, "%.80q is taken for", name)
	}
}
