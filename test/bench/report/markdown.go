package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// figure writes a number with three significant digits, thousands apart.
func figure(v float64) string {
	switch size := math.Abs(v); {
	case size >= 1000:
		return thousands(int64(math.Round(v/10) * 10))
	case size >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// WriteTable writes every measurement as a Markdown table.
func (r *Results) WriteTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| | Operation | Clients | /s | CPU, µs | p50 / p99, ms |\n|---|---|---:|---:|---:|---:|\n")
	before := ""
	for _, k := range r.keys {
		s, _ := r.Median(k)
		who := k.Who
		if who == before {
			who = ""
		}
		before = k.Who
		cpu := ""
		if s.CPU > 0 {
			cpu = figure(float64(s.CPU.Nanoseconds()) / 1000)
		}
		what := k.What
		if s.Refused > 0 {
			what += fmt.Sprintf(" (%.0f %% refused)", 100*s.Refused)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s / %s |\n", who, what, k.Clients, figure(s.Rate), cpu,
			figure(milliseconds(s.P50)), figure(milliseconds(s.P99)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteTargets writes the verdicts that are known as a Markdown table.
func WriteTargets(w io.Writer, verdicts []Verdict) error {
	var b strings.Builder
	b.WriteString("| Target | Wanted | Measured | |\n|---|---:|---:|---|\n")
	for _, v := range verdicts {
		if !v.Known {
			continue
		}
		met := "**missed**"
		if v.Met {
			met = "met"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.Text, v.Wanted, v.Measured, met)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// longest is how long a line of prose may be in the documents.
const longest = 120

// Prose breaks a paragraph into lines.
func Prose(text string) string {
	var b strings.Builder
	room := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			room = longest
		case n < room:
			b.WriteByte(' ')
			room--
		default:
			b.WriteByte('\n')
			room = longest
		}
		b.WriteString(word)
		room -= n
	}
	return b.String() + "\n"
}
