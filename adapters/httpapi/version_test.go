package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
)

// versionsFile has a line for each released version of the interface, the newest last: the version, and the digest of
// what clients are made of. Before the first release there is no file.
const versionsFile = "openapi.versions"

var recording = flag.Bool("interface.record", false,
	"record the interface as that of the version in openapi.json, which is released")

// TestTheVersionOfTheInterface advances with the first change since a release that a client could notice, words apart.
func TestTheVersionOfTheInterface(t *testing.T) {
	var document map[string]any
	must(t, json.Unmarshal(httpapi.Document(""), &document))
	info, _ := document["info"].(map[string]any)
	version, _ := info["version"].(string)
	delete(document, "info")
	text, err := os.ReadFile(versionsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	now := version + " " + digestOf(t, document)
	if wrong := wrongVersion(string(text), now); wrong != "" {
		t.Fatal(wrong)
	}
	if *recording && !strings.Contains(string(text), now) {
		must(t, os.WriteFile(versionsFile, append(text, now+"\n"...), 0o644))
	}
}

// wrongVersion returns the fault of a version and its digest after the released ones, "" if there is none.
func wrongVersion(released, now string) string {
	version, _, _ := strings.Cut(now, " ")
	switch {
	case !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version):
		return fmt.Sprintf("info.version is %q", version)
	case released == "" && version != "1.0.0":
		return "info.version is " + version + " before the first release, want 1.0.0"
	case strings.Contains("\n"+released, "\n"+version+" ") && !strings.HasSuffix(released, now+"\n"):
		return "the interface is not the one that was released as version " + version +
			": advance info.version in openapi.yaml"
	}
	return ""
}

// digestOf returns the digest of the parts from which generators make clients, and of the codes and known values in
// descriptions.
func digestOf(t *testing.T, document map[string]any) string {
	t.Helper()
	text, err := json.Marshal(withoutWords(document)) // names in order
	must(t, err)
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
				if found := append(codes.FindAllString(text, -1), api.KnownValues(text)...); found != nil {
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
