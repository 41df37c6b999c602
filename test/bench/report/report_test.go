package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func rates(r *Results, k Key, all ...float64) {
	for _, rate := range all {
		r.Add(k, Sample{Rate: rate, CPU: time.Duration(rate) * time.Microsecond, P50: time.Millisecond, P99: 5 * time.Millisecond})
	}
}

func TestMediansAreThoseOfTheRounds(t *testing.T) {
	r := NewResults()
	rates(r, ours("trial"), 300, 100, 200)
	if s, known := r.Median(ours("trial")); !known || s.Rate != 200 || s.CPU != 200*time.Microsecond {
		t.Errorf("the median is %v, known %t", s, known)
	}
	if _, known := r.Median(ours("other")); known {
		t.Error("what was not measured has a median")
	}
}

func TestARatioComparesWithinARound(t *testing.T) {
	r := NewResults()
	one, other := ours("trial"), Key{Spike, Command, Many}
	rates(r, one, 100, 10, 50)
	rates(r, other, 200, 20, 500) // the machine was busy in the second round
	if got, known := r.Ratio(one, other); !known || got != 0.5 {
		t.Errorf("the ratio is %v, known %t", got, known)
	}
	if _, known := r.Ratio(one, Key{Who: "nobody"}); known {
		t.Error("there is a ratio to what was not measured")
	}
}

func TestVerdicts(t *testing.T) {
	r := NewResults()
	rates(r, ours("activation"), 690)
	rates(r, ours("trial"), 140)
	rates(r, Key{Spike, Command, Many}, 1000)
	r.Binary = 29e6
	got := map[string]Verdict{}
	for _, v := range Verdicts(r) {
		if v.Known {
			got[v.Text] = v
		}
	}
	for text, want := range map[string]Verdict{
		"activation beside the spike's command": {"", "≥ 0.70 times", "0.69 times", true, false},
		"trial beside the spike's command":      {"", "≥ 0.85 times", "0.14 times", true, false},
		"activation: p99 beside p50":            {"", "≤ 4.00 times", "5.00 times", true, false},
		"trial: p99 beside p50":                 {"", "≤ 4.00 times", "5.00 times", true, false},
		"activation: CPU of a request":          {"", "≤ 250 µs", "690 µs", true, false},
		"trial: CPU of a request":               {"", "≤ 150 µs", "140 µs", true, true},
		"the binary, stripped":                  {"", "≤ 45.0 MB", "29.0 MB", true, true},
	} {
		if want.Text = text; got[text] != want {
			t.Errorf("%+v, want %+v", got[text], want)
		}
		delete(got, text)
	}
	for _, more := range got {
		t.Errorf("what was not measured has a verdict: %+v", more)
	}
}

func TestTheRoomThatRowsLeave(t *testing.T) {
	r := NewResults()
	rates(r, Key{Spike, Command, Many}, 1000)
	if got := Room(r); got != "" {
		t.Errorf("what was not measured is told: %s", got)
	}
	rates(r, Key{Spike, RawCommand, Many}, 800)
	rates(r, Key{Spike, TrialRows, Many}, 700)
	if got := strings.Join(strings.Fields(Room(r)), " "); !strings.Contains(got, ": 0.80 times (0.80 times its CPU) as an activation does, 0.70 times (0.70 times its CPU) as a trial does.") {
		t.Error(got)
	}
}

func TestTables(t *testing.T) {
	read, disk := Key{Resellerd, "read", 1}, Key{Disk, Fsync, 1}
	r := NewResults(ours("trial"), read, disk)
	r.Add(disk, Sample{Rate: 700, Refused: 0.25})
	r.Add(read, Sample{Rate: 7, P50: 123456 * time.Nanosecond, P99: time.Second})
	rates(r, ours("trial"), 12_345)
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	want := `| | Operation | Clients | /s | CPU, µs | p50 / p99, ms |
|---|---|---:|---:|---:|---:|
| resellerd | trial | 64 | 12,350 | 12,350 | 1.00 / 5.00 |
|  | read | 1 | 7.00 |  | 0.12 / 1,000 |
| disk | append 4 KiB and fsync (25 % refused) | 1 | 700 |  | 0.00 / 0.00 |
`
	if b.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := WriteTargets(&b, []Verdict{{"one", "≥ 1", "2", true, true}, {"two", "≥ 1", "0", true, false}, {Text: "three"}}); err != nil {
		t.Fatal(err)
	}
	if want := "| Target | Wanted | Measured | |\n|---|---:|---:|---|\n| one | ≥ 1 | 2 | met |\n| two | ≥ 1 | 0 | **missed** |\n"; b.String() != want {
		t.Errorf("the table is\n%s", b.String())
	}
}

func TestMongoDBIsComparedWithinARound(t *testing.T) {
	r := NewResults(Key{Resellerd, LoneActivation, 1})
	add := func(who, what string, clients int, s Sample) { r.Add(Key{who, what, clients}, s) }
	add(Resellerd, Activations, Many, Sample{Rate: 4000})
	add(PlainLoop, Activations, Many, Sample{Rate: 1000})
	add(Resellerd, HotActivations, Many, Sample{Rate: 1999})
	add(PlainLoop, HotActivations, Many, Sample{Rate: 100})
	for _, slow := range []time.Duration{time.Millisecond, 10 * time.Millisecond} { // the machine was busy in the second round
		add(Resellerd, LoneActivation, 1, Sample{Rate: 7, CPU: time.Millisecond, Database: 2 * time.Millisecond, P50: slow * 13 / 10, P99: time.Second})
		add(PlainLoop, LoneActivation, 1, Sample{P50: slow})
	}
	want := []Verdict{
		{"activation at 64 resellers beside the plain loop", "≥ 4.00 times", "4.00 times", true, true},
		{"activation at one hot reseller beside the plain loop", "≥ 20.0 times", "20.0 times", true, false},
		{"a lone activation: p50 beside the plain loop's", "≤ 1.30 times", "1.30 times", true, true},
	}
	if got := MongoDBVerdicts(r); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	var b strings.Builder
	if err := r.WriteMongoDB(&b); err != nil {
		t.Fatal(err)
	}
	if want := "\n| resellerd | activation, a lone client | 1 | 7.00 | 1,000 | 2,000 | 1.30 / 1,000 |\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("the table is %q", b.String())
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -123: "-123"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
}

func TestAPageKeepsWhatStandsAroundTheMarkers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("before\n<!-- a -->\nold\n<!-- end of a -->\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Replace(file, "a", "new\n"); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != "before\n<!-- a -->\n\nnew\n\n<!-- end of a -->\nafter\n" {
			t.Errorf("the page is %q", got)
		}
	}
	if err := Replace(file, "b", "new"); err == nil {
		t.Error("a part that is not there was replaced")
	}
}

func TestMachineSaysWhatIsKnown(t *testing.T) {
	got := Machine(t.TempDir(), time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC))
	if !strings.HasPrefix(got, "2026-11-22: ") || !strings.Contains(got, " cores, ") || !strings.Contains(got, "go1.") {
		t.Errorf("the machine is %q", got)
	}
}

func TestProseIsBroken(t *testing.T) {
	got := Prose(strings.Repeat("é23456789 ", 25))
	for l := range strings.Lines(got) {
		if n := utf8.RuneCountInString(strings.TrimSpace(l)); n > longest {
			t.Errorf("a line of %d characters: %q", n, l)
		}
	}
	if strings.Count(got, "\n") != 3 || strings.Count(got, "é") != 25 || Prose("one\n two") != "one two\n" {
		t.Errorf("the paragraph is %q", got)
	}
}
