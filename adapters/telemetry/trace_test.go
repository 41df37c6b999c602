package telemetry

import (
	"strings"
	"testing"
)

func TestTraceparent(t *testing.T) {
	t.Parallel()
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	p, given := parseTraceparent(good)
	if !given || p.trace.String() != "0af7651916cd43dd8448eb211c80319c" || p.id != (spanID{0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31}) || !p.sampled {
		t.Errorf("%s is read as %+v, %t", good, p, given)
	}
	for header, sampled := range map[string]bool{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00":      false,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03":      true,
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more": true, // a later version may say more
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":      true,
	} {
		if p, given := parseTraceparent(header); !given || p.sampled != sampled {
			t.Errorf("%s: given %t, sampled %t, want %t", header, given, p.sampled, sampled)
		}
	}
	for _, header := range []string{
		"", "00", good + " ", good + "-", good + "-more", good[:54], strings.ToUpper(good), " " + good,
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
	} {
		if p, given := parseTraceparent(header); given || p != (position{}) {
			t.Errorf("%q is read as %+v", header, p)
		}
	}
}
