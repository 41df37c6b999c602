package architecture

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"resellerd/test/require"
)

var (
	quotedMessage = regexp.MustCompile("(?m)^\\| [^|`]*`([^`]+)`")
	joinedStrings = regexp.MustCompile(`" \+\s+"`)
)

// TestTroubleshootingQuotesTheProgram finds each message of the page in the program's source.
func TestTroubleshootingQuotesTheProgram(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	var source strings.Builder
	for _, folder := range []string{"domain", "application", "adapters", "bootstrap"} {
		require.NoError(t, fs.WalkDir(root, folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(root, name)
			source.Write(joinedStrings.ReplaceAll(text, nil))
			return err
		}))
	}
	page, err := fs.ReadFile(root, "bootstrap/deploy/docs/troubleshooting.md")
	require.NoError(t, err)
	messages := quotedMessage.FindAllSubmatch(page, -1)
	if len(messages) < 20 {
		t.Errorf("the page has only %d messages", len(messages))
	}
	for _, message := range messages {
		if !strings.Contains(source.String(), string(message[1])) {
			t.Errorf("the program has no message %q", message[1])
		}
	}
}
