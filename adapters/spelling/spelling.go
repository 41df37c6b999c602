// Package spelling finds the known name that a misspelt name probably means, by edit distance.
package spelling

import (
	"slices"
	"strings"
	"unicode"
)

// Suggest returns the known name that a misspelt name probably means, "" if no known name is near. A near name differs
// in case, hyphens, underscores or brackets, or in a few letters.
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

// longest is the length of the longest name that gets a suggestion.
const longest = 64

// Letters returns the letters and digits of a name in lower case, which all its spellings have in common.
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
	var before, last []int // rows of the table for two and one characters of a before this row
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
