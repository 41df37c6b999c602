package report

import (
	"fmt"
	"strings"
	"time"
)

// The measured programs.
const (
	Resellerd  = "resellerd"
	Bare       = "bare gin handler"
	Disk       = "disk"
	PocketBase = "PocketBase"
)

// The measurements of programs other than resellerd.
const (
	Answer      = "fixed answer"
	Fsync       = "append 4 KiB and fsync"
	CreateEntry = "create"
	ReadEntry   = "read by id"
	ListEntries = "list of 30"
)

// Many is the number of clients of most targets.
const Many = 64

// target is a figure that the service is to reach.
type target struct {
	text    string
	measure func(*Results) (float64, bool)
	bound   float64
	most    bool // the bound is the most and not the least
	unit    string
}

// Verdict is a target and its measurement.
type Verdict struct {
	Text, Wanted, Measured string
	Known, Met             bool
}

// Verdicts compares the results with the targets.
func Verdicts(r *Results) []Verdict {
	list := targets()
	verdicts := make([]Verdict, len(list))
	for i, t := range list {
		sign := "≥"
		if t.most {
			sign = "≤"
		}
		v := Verdict{Text: t.text, Wanted: strings.TrimSpace(fmt.Sprintf("%s %s %s", sign, figure(t.bound), t.unit))}
		if got, known := t.measure(r); known {
			v.Known = true
			v.Met = got >= t.bound && !t.most || got <= t.bound && t.most
			v.Measured = strings.TrimSpace(figure(got) + " " + t.unit)
		}
		verdicts[i] = v
	}
	return verdicts
}

func ours(what string) Key { return Key{Resellerd, what, Many} }

// targets are the ratios, all of one run, and the costs that a request is to have.
func targets() (all []target) {
	for _, t := range []struct {
		what  string
		least float64
	}{{"activation", 4}, {"extension", 4}, {"trial", 5}, {"recharge", 5}} {
		all = append(all, ratio(t.what+" beside PocketBase's create", ours(t.what), Key{PocketBase, CreateEntry, Many},
			t.least))
	}
	all = append(all, ratio("read of a line beside PocketBase's read by id", ours("read of a line"),
		Key{PocketBase, ReadEntry, Many}, 6))
	all = append(all, ratio("list of 30 beside PocketBase's", ours("list of 30"), Key{PocketBase, ListEntries, Many}, 6))
	for _, what := range []string{"activation", "extension", "trial", "recharge"} {
		all = append(all, target{what + ": p99 beside p50", func(r *Results) (float64, bool) {
			s, known := r.Median(ours(what))
			return float64(s.P99) / float64(max(s.P50, 1)), known
		}, 4, true, "times"})
	}
	for _, what := range []string{"read of a line", "list of 30"} {
		all = append(all, target{what + ": p99 beyond the bare handler's", func(r *Results) (float64, bool) {
			s, known := r.Median(ours(what))
			bare, also := r.Median(Key{Bare, Answer, Many})
			return milliseconds(s.P99 - bare.P99), known && also
		}, 10, true, "ms"})
	}
	for _, t := range []struct {
		what string
		most float64
	}{{"activation", 250}, {"extension", 250}, {"trial", 150}, {"recharge", 120}, {"read of a line", 60},
		{"list of 30", 250}} {
		all = append(all, target{t.what + ": CPU of a request", func(r *Results) (float64, bool) {
			s, known := r.Median(ours(t.what))
			return float64(s.CPU) / float64(time.Microsecond), known && s.CPU > 0
		}, t.most, true, "µs"})
	}
	for _, what := range []string{"activation", "extension", "trial", "recharge"} {
		all = append(all, target{what + ", one client: p50 beyond one fsync", func(r *Results) (float64, bool) {
			s, known := r.Median(Key{Resellerd, what, 1})
			disk, also := r.Median(Key{Disk, Fsync, 1})
			return milliseconds(s.P50 - disk.P50), known && also
		}, 0.3, true, "ms"})
	}
	for _, t := range []struct {
		text string
		size func(*Results) int64 // in bytes
		most float64
	}{
		{"memory, idle", func(r *Results) int64 { return r.Idle }, 40},
		{"memory under load, at most", func(r *Results) int64 { return r.Most }, 120},
		{"the binary, stripped", func(r *Results) int64 { return r.Binary }, 45},
	} {
		all = append(all, target{t.text, func(r *Results) (float64, bool) {
			return float64(t.size(r)) / 1e6, t.size(r) > 0
		}, t.most, true, "MB"})
	}
	return append(all, target{"a start", func(r *Results) (float64, bool) {
		return milliseconds(r.Started), r.Started > 0
	}, 100, true, "ms"})
}

func ratio(text string, of, to Key, least float64) target {
	return target{text, func(r *Results) (float64, bool) { return r.Ratio(of, to) }, least, false, "times"}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
