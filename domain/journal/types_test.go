package journal

import (
	"slices"
	"testing"
)

func TestTypesAreFoundByTheirBeginning(t *testing.T) {
	for pattern, want := range map[string][]Type{
		"line.activated": {LineActivated},
		"journal.*":      {Began, Restored},
		"session.*":      {SessionStarted, SessionEnded},
	} {
		if got, err := ParseTypes(pattern); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v, %v, want %v", pattern, got, err, want)
		}
	}
	for _, pattern := range []string{"", "*", ".", ".*", "line", "line.", "line*", "lin.*", "line.a*", "Line.*",
		"line.activated.*", "line.*.*", "line.nothing"} {
		if got, err := ParseTypes(pattern); err == nil {
			t.Errorf("%q is %v", pattern, got)
		}
	}
}
