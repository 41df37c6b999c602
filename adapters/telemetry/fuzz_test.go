package telemetry

import (
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

var traceparents = regexp.MustCompile(`^(00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-(?s:.*))?)$`)

func FuzzTraceparent(f *testing.F) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, text := range []string{"", good, good + "-x", "cc" + good[2:] + "-x", "ff" + good[2:], strings.ToUpper(good), "00-" + strings.Repeat("0", 32) + good[35:], good[:54] + "\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got, given := parseTraceparent(header)
		want := traceparents.MatchString(header) && !strings.HasPrefix(header, "ff") && (!strings.HasPrefix(header, "00") || len(header) == 55) &&
			header[3:35] != strings.Repeat("0", 32) && header[36:52] != strings.Repeat("0", 16)
		if given != want {
			t.Fatalf("%q: given %t, want %t", header, given, want)
		}
		if given && (hex.EncodeToString(got.trace[:]) != header[3:35] || hex.EncodeToString(got.id[:]) != header[36:52]) {
			t.Fatalf("%q is read as %+v", header, got)
		}
		if !given && got != (position{}) {
			t.Fatalf("%q is refused and read as %+v", header, got)
		}
	})
}
