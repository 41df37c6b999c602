package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Size is the size of a store.
type Size struct {
	Lines, Depth int
	Ledger       int // movements of its one reseller; 0 where what grows is the number of lines
}

// String says the size.
func (s Size) String() string {
	if s.Ledger > 0 {
		return fmt.Sprintf("ledger of %s", thousands(int64(s.Ledger)))
	}
	return fmt.Sprintf("%s lines, depth %d", thousands(int64(s.Lines)), s.Depth)
}

// Key returns the key of an operation in a store of this size.
func (s Size) Key(operation string) Key { return Key{s.String(), operation, Many} }

// Passes are the passes over all of a store, in records a second, and the memory that they use, in bytes.
type Passes struct {
	Started                          time.Duration // how long a start took
	Memory, VerifyMemory, CopyMemory int64         // the first is the service's
	Proof, Verify, Copy              float64
}

const (
	flat      = 0.8 // of the rate in the smallest store
	deepest   = 0.5 // of the rate at the least depth
	fastProof = 300_000
	fastAudit = 100_000
	fastStart = 100 * time.Millisecond
)

// WriteGrowth writes what was measured in stores of these sizes as Markdown tables: the rates, and beside those of the
// smallest store of the kind; then the passes over all of it.
func WriteGrowth(w io.Writer, r *Results, sizes []Size, passes map[Size]Passes) error {
	var b strings.Builder
	b.WriteString(
		"| Store | Operation | /s | CPU, µs | p50 / p99, ms | beside the smallest | beside the least depth |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, size := range sizes {
		name := size.String()
		for _, k := range r.keys {
			if k.Who != size.String() {
				continue
			}
			s, _ := r.Median(k)
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s / %s | %s | %s |\n", name, k.What, figure(s.Rate),
				figure(float64(s.CPU.Nanoseconds())/1000),
				figure(milliseconds(s.P50)), figure(milliseconds(s.P99)), r.besideSize(k, size, smallest(sizes, size), flat),
				r.besideSize(k, size, shallowest(sizes, size), deepest))
			name = ""
		}
	}
	b.WriteString(
		"\n| Store | start, ms | memory, MB | proof, movements/s | audit, records/s | its memory, MB | copy, records/s | its memory, MB |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, size := range sizes {
		p := passes[size]
		fmt.Fprintf(&b, "| %s | %s | %.0f | %s | %s | %.0f | %s | %.0f |\n", size,
			checked(milliseconds(p.Started), p.Started <= fastStart), float64(p.Memory)/1e6,
			checked(p.Proof, p.Proof >= fastProof || !size.large()), checked(p.Verify, p.Verify >= fastAudit || !size.large()),
			float64(p.VerifyMemory)/1e6,
			figure(p.Copy), float64(p.CopyMemory)/1e6)
	}
	b.WriteString("\n" +
		Prose("Bold is what misses its target: 0.8 of the rate in the smallest store, and half of that at the least depth; a start in 100 ms; "+
			"300,000 movements a second for the proof and 100,000 records for the audit, in stores where that takes longer than a start."))
	_, err := io.WriteString(w, b.String())
	return err
}

// large reports whether a pass over the store takes long enough to be timed.
func (s Size) large() bool { return max(s.Lines, s.Ledger) >= fastAudit }

func checked(v float64, met bool) string {
	if met {
		return figure(v)
	}
	return "**" + figure(v) + "**"
}

// besideSize writes a rate as a part of that in another store, "" where that is the same one.
func (r *Results) besideSize(k Key, size, other Size, least float64) string {
	if size == other {
		return ""
	}
	part, known := r.Ratio(k, other.Key(k.What))
	if !known {
		return ""
	}
	return checked(part, part >= least)
}

// smallest returns the smallest store that differs from this one in its size alone.
func smallest(sizes []Size, of Size) Size {
	return least(sizes, func(s Size) bool {
		return s.Depth == of.Depth && (s.Ledger > 0) == (of.Ledger > 0)
	}, func(s Size) int { return s.Lines + s.Ledger })
}

// shallowest returns the store that differs from this one in its depth alone, and has the least.
func shallowest(sizes []Size, of Size) Size {
	return least(sizes, func(s Size) bool { return s.Lines == of.Lines && s.Ledger == of.Ledger }, func(s Size) int {
		return s.Depth
	})
}

func least(sizes []Size, alike func(Size) bool, by func(Size) int) Size {
	return slices.MinFunc(slices.DeleteFunc(slices.Clone(sizes), func(s Size) bool { return !alike(s) }),
		func(a, b Size) int { return by(a) - by(b) })
}
