package report

import (
	"fmt"
	"os"
	"strings"
)

// Replace replaces the text between the markers of this name in a Markdown file, and leaves the rest unchanged. The
// markers are comments, <!-- name --> and <!-- end of name -->, each on a line of its own.
func Replace(file, name, text string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := replace(string(content), name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}

func replace(content, name, text string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, found := strings.Cut(content, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("there is no part between %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + "\n" + strings.TrimSpace(text) + "\n\n" + end + after, nil
}
