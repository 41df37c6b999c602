// Package spelling finds the name that was probably meant by a misspelt one.
package spelling

import (
	"slices"
	"strings"
	"unicode"
)

// Suggest returns the known name that a name probably stands for, "" if none is near: another spelling of it in case,
// hyphens, underscores and brackets, or one with a few letters wrong.
func Suggest(name string, known []string) string {
	if len(known) == 0 || len(name) > longest {
		return ""
	}
	given := Letters(name)
	far := func(known string) int { return Distance(given, Letters(known)) }
	nearest := slices.MinFunc(known, func(a, b string) int { return far(a) - far(b) })
	if far(nearest) > (len(nearest)+1)/4 {
		return ""
	}
	return nearest
}

// longest is how long a name may be to be near any.
const longest = 64

// Letters returns a name in lower case without anything but letters and digits: what its spellings have in common.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Distance is the number of insertions, deletions, replacements and swaps of neighbours that turn b into a.
func Distance(a, b string) int {
	var before, last []int // rows of the table, two and one characters of a before
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			same := last[j]
			if a[i] != b[j] {
				same++
			}
			row[j+1] = min(same, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
