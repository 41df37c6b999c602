package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
)

// versionsFile has a line for each version of the interface, the newest last: the version, and the digest of what
// clients are made of.
const versionsFile = "openapi.versions"

var recording = flag.Bool("interface.record", false, "record the interface as that of the version in openapi.json")

// TestTheVersionOfTheInterface advances with each change that a client could notice, words apart.
func TestTheVersionOfTheInterface(t *testing.T) {
	var document map[string]any
	if err := json.Unmarshal(httpapi.Document(""), &document); err != nil {
		t.Fatal(err)
	}
	info, _ := document["info"].(map[string]any)
	version, _ := info["version"].(string)
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		t.Fatalf("info.version is %q", version)
	}
	delete(document, "info")
	now := version + " " + digestOf(t, document)
	text, err := os.ReadFile(versionsFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	recorded := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, version+" ") })
	if *recording {
		if recorded >= 0 {
			lines = slices.Delete(lines, recorded, recorded+1)
		}
		if err := os.WriteFile(versionsFile, []byte(strings.Join(append(lines, now), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if recorded < 0 || recorded < len(lines)-1 || lines[recorded] != now {
		t.Errorf("the interface is not the one that is recorded of version %s: advance info.version in openapi.yaml where a release has that version, "+
			"then run make interface", version)
	}
}

// TestWordsAreNoChangeOfTheInterface and everything else is one.
func TestWordsAreNoChangeOfTheInterface(t *testing.T) {
	digest := func(old, by string) string {
		text := string(httpapi.Document(""))
		if !strings.Contains(text, old) {
			t.Fatalf("the document does not say %s", old)
		}
		var document map[string]any
		if err := json.Unmarshal([]byte(strings.Replace(text, old, by, 1)), &document); err != nil {
			t.Fatal(err)
		}
		return digestOf(t, document)
	}
	is := digest("", "")
	for change, want := range map[[2]string]bool{
		{`"summary": "Get the fixed token of an account"`, `"summary": "Log in"`}: false,
		{`"description": "The token."`, `"description": "It."`}:                   false,
		{`"/users/logged": {`, `"/users/me": {`}:                                  true,
		{`"operationId": "issueToken"`, `"operationId": "logIn"`}:                 true,
		{`"maximum": 500, "default": 50`, `"maximum": 501, "default": 50`}:        true,
		{"(`malformed-body`)", "(`malformed-body`, `another-code`)"}:              true,
		{`"Cursor": {`, `"description": {"type": "string"}, "Cursor": {`}:         true, // an object of that name is no words
	} {
		if got := digest(change[0], change[1]) != is; got != want {
			t.Errorf("%s in place of %s is a change: %t, want %t", change[1], change[0], got, want)
		}
	}
}

// digestOf returns that of what generators make clients of, and of the codes that descriptions name.
func digestOf(t *testing.T, document map[string]any) string {
	t.Helper()
	text, err := json.Marshal(withoutWords(document)) // names in order
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

var codes = regexp.MustCompile("`[a-z]+(?:-[a-z]+)+`")

func withoutWords(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, part := range value {
			text, words := part.(string)
			switch {
			case name == "example" || name == "examples":
			case words && (name == "description" || name == "summary"):
				if found := codes.FindAllString(text, -1); found != nil {
					slices.Sort(found)
					kept[name] = fmt.Sprint(slices.Compact(found))
				}
			default:
				kept[name] = withoutWords(part)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, part := range value {
			kept[i] = withoutWords(part)
		}
		return kept
	}
	return value
}
