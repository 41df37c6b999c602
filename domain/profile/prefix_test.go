package profile_test

import (
	"errors"
	"strings"
	"testing"

	"resellerd/domain/profile"
)

func TestPrefixesOfNames(t *testing.T) {
	for _, c := range []struct {
		text, want string
		err        error
	}{
		{"", "", nil},
		{"anna", "anna", nil},
		{"E\u0301", "é", nil},
		{"ＡＢ", "ab", nil},
		{"οδος", "οδοσ", nil},
		{"%_[*?\\", "%_[*?\\", nil},
		{strings.Repeat("é", profile.MaxUsername+1), "", profile.ErrTooLong},
		{strings.Repeat("e\u0301", profile.MaxUsername), strings.Repeat("é", profile.MaxUsername), nil}, // 64 once composed
		{strings.Repeat("İ", profile.MaxUsername), strings.Repeat("i\u0307", profile.MaxUsername), nil},
		{strings.Repeat("a", 1<<16), "", profile.ErrTooLong},
		{"a b", "", profile.ErrUsername},
		{"a\xff", "", profile.ErrUsername},
	} {
		if got, err := profile.UsernamePrefix(c.text); got != c.want || !errors.Is(err, c.err) ||
			(err == nil) != (c.err == nil) {
			t.Errorf("%q: got %q, error %v, want %q, %v", c.text, got, err, c.want, c.err)
		}
	}
}
