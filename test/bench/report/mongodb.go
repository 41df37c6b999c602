package report

import (
	"fmt"
	"io"
	"strings"
)

// PlainLoop is beside what the service is measured on MongoDB.
const PlainLoop = "plain loop"

// What is measured on MongoDB.
const (
	LoneActivation = "activation, a lone client"
	Activations    = "activation, 64 resellers"
	HotActivations = "activation, one hot reseller"
)

// MongoDBVerdicts compares what was measured on MongoDB with the targets.
func MongoDBVerdicts(r *Results) []Verdict {
	return compare(r, []target{
		ratio("activation at 64 resellers beside the plain loop", ours(Activations), Key{PlainLoop, Activations, Many}, 4),
		ratio("activation at one hot reseller beside the plain loop", ours(HotActivations), Key{PlainLoop, HotActivations, Many}, 20),
		{"a lone activation: p50 beside the plain loop's", func(r *Results) (float64, bool) {
			return r.beside(Key{Resellerd, LoneActivation, 1}, Key{PlainLoop, LoneActivation, 1}, func(s Sample) float64 { return float64(s.P50) })
		}, 1.3, true, "times"},
	})
}

// WriteMongoDB writes every measurement as a Markdown table, with the CPU of the servers.
func (r *Results) WriteMongoDB(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| | Operation | Clients | /s | CPU, µs | of MongoDB, µs | p50 / p99, ms |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, k := range r.keys {
		s, _ := r.Median(k)
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s / %s |\n", k.Who, k.What, k.Clients, figure(s.Rate),
			figure(float64(s.CPU.Nanoseconds())/1000), figure(float64(s.Database.Nanoseconds())/1000), figure(milliseconds(s.P50)), figure(milliseconds(s.P99)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
