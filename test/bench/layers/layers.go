// Package layers tells from a CPU profile how much each layer of the program takes.
package layers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// layer has the packages, or functions of them, whose work is its own. A sample belongs to the first of its calls, from
// the innermost outwards, that any layer names: what the standard library and the runtime do for a layer is the
// layer's.
type layer struct {
	name string
	// whole is for a layer to which all belongs that happens within its calls, whatever that is.
	whole bool
	calls []string // how the names of functions begin
}

const sqlite = "modernc.org/sqlite/lib."

// The layers, from the wire to the disk.
var all = []layer{
	{"net/http and gin", false, []string{"github.com/gin-gonic/gin", "net/http.", "net/http/", "internal/poll.", "net."}},
	{"decoding and encoding", false, []string{"resellerd/adapters/httpapi", "github.com/go-playground/validator"}},
	{"log", true, []string{"log/slog."}},
	{"tokens and sealing", false, []string{"resellerd/adapters/servicekey", "resellerd/adapters/credentials",
		"github.com/golang-jwt"}},
	{"cryptography", false, []string{"crypto/", "golang.org/x/crypto/", "hash/"}},
	{"application", false, []string{"resellerd/application", "resellerd/ports"}},
	{"domain", false, []string{"resellerd/domain/", "github.com/shopspring/decimal", "golang.org/x/text/"}},
	{"store", false, []string{"resellerd/adapters/sqlitestore", "resellerd/adapters/storekit"}},
	{"driver and database/sql", false, []string{"database/sql", "modernc.org/sqlite."}},
	{"SQLite", false, []string{sqlite, "modernc.org/libc"}},
	{"commit: SQLite's log and fsync", true, []string{sqlite + "_sqlite3PagerCommitPhaseOne", sqlite + "_vdbeCommit",
		sqlite + "_sqlite3WalCheckpoint"}},
	{"scheduler", false, []string{
		"runtime.mcall", "runtime.park_m", "runtime.schedule", "runtime.findRunnable", "runtime.mstart", "runtime.sysmon",
		"runtime.goexit0", "runtime.gosched_m", "runtime.goschedImpl",
	}},
	{"garbage collector", true, []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge",
		"runtime.gcAssistAlloc", "runtime.gcStart", "runtime.gcMarkTermination"}},
}

const rest = "the rest of the runtime"

// Shares returns the part of all time that each layer took, by name, of what go tool pprof -traces prints.
func Shares(traces string) (map[string]float64, error) {
	times, total := map[string]time.Duration{}, time.Duration(0)
	var took time.Duration
	var calls []string // of the present sample, the innermost first
	ended := func() {
		if len(calls) > 0 {
			times[layerOf(calls)] += took
			total += took
		}
		calls = nil
	}
	for l := range strings.Lines(traces) {
		if strings.HasPrefix(l, "-----------+") {
			ended()
			continue
		}
		fields := strings.Fields(l)
		if len(fields) >= 2 && len(calls) == 0 {
			d, err := time.ParseDuration(strings.ReplaceAll(fields[0], "mins", "m"))
			if err != nil {
				continue // what stands above the samples
			}
			took, fields = d, fields[1:]
		}
		if len(fields) > 0 && took > 0 {
			calls = append(calls, fields[0])
		}
	}
	ended()
	if total == 0 {
		return nil, errors.New("the profile has no samples")
	}
	shares := map[string]float64{}
	for name, d := range times {
		shares[name] = float64(d) / float64(total)
	}
	return shares, nil
}

func layerOf(calls []string) string {
	for _, l := range all {
		if l.whole && slices.ContainsFunc(calls, l.has) {
			return l.name
		}
	}
	for _, call := range calls {
		for _, l := range all {
			if l.has(call) {
				return l.name
			}
		}
	}
	return rest
}

func (l layer) has(call string) bool {
	return slices.ContainsFunc(l.calls, func(prefix string) bool { return strings.HasPrefix(call, prefix) })
}

// Column is what an operation costs.
type Column struct {
	Name   string
	CPU    time.Duration // of a request
	Shares map[string]float64
}

// WriteTable writes the CPU of a request of each operation by layer, in microseconds, as a Markdown table.
func WriteTable(w io.Writer, columns []Column) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "| CPU of a request, µs |")
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.Name)
	}
	fmt.Fprint(b, "\n|---|", strings.Repeat("---:|", len(columns)), "\n")
	row := func(name string, part func(Column) float64) {
		fmt.Fprintf(b, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(b, " %.0f |", part(c)*float64(c.CPU)/float64(time.Microsecond))
		}
		fmt.Fprintln(b)
	}
	for _, l := range all {
		row(l.name, func(c Column) float64 { return c.Shares[l.name] })
	}
	row(rest, func(c Column) float64 { return c.Shares[rest] })
	row("**all**", func(Column) float64 { return 1 })
	return b.Flush()
}
