package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

var (
	small     = Size{Lines: 1000, Depth: 1}
	large     = Size{Lines: 1_000_000, Depth: 1}
	smallDeep = Size{Lines: 1000, Depth: 8}
	largeDeep = Size{Lines: 1_000_000, Depth: 8}
	little    = Size{Lines: 1000, Depth: 1, Ledger: 10}
	much      = Size{Lines: 1000, Depth: 1, Ledger: 1_000_000}
	grown     = []Size{small, large, smallDeep, largeDeep, little, much}
)

func growthOf() *Results {
	r := NewResults()
	for size, rate := range map[Size]float64{small: 1000, large: 700, smallDeep: 600, largeDeep: 580, little: 400, much: 390} {
		r.keys = append(r.keys, size.Key("trial"))
		r.Add(size.Key("trial"), Sample{Rate: rate})
	}
	return r
}

func TestGrowthIsBesideTheSmallestAndTheShallowest(t *testing.T) {
	var b strings.Builder
	passes := map[Size]Passes{large: {Started: time.Second, Proof: 400_000, Verify: 50_000}}
	if err := WriteGrowth(&b, growthOf(), grown, passes); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"| 1,000 lines, depth 1 | trial | 1,000 | 0.00 | 0.00 / 0.00 |  |  |\n",
		"| 1,000,000 lines, depth 1 | trial | 700 | 0.00 | 0.00 / 0.00 | **0.70** |  |\n",
		"| 1,000 lines, depth 8 | trial | 600 | 0.00 | 0.00 / 0.00 |  | 0.60 |\n",
		"| 1,000,000 lines, depth 8 | trial | 580 | 0.00 | 0.00 / 0.00 | 0.97 | 0.83 |\n",
		"| ledger of 10 | trial | 400 | 0.00 | 0.00 / 0.00 |  |  |\n",
		"| ledger of 1,000,000 | trial | 390 | 0.00 | 0.00 / 0.00 | 0.97 |  |\n",
		"| 1,000,000 lines, depth 1 | **1,000** | 0 | 400,000 | **50,000** | 0 | 0.00 | 0 |\n",
	} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("there is no row %q in\n%s", row, b.String())
		}
	}
}

func TestTheChartIsWellFormed(t *testing.T) {
	for name, sizes := range map[string][]Size{"all": grown, "one": {small}, "none": nil} {
		chart := Chart(growthOf(), sizes, []string{"trial"})
		decoder := xml.NewDecoder(strings.NewReader(chart))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, chart)
			}
		}
		if want := len(distinct(sizes, depthOf)); strings.Count(chart, "<polyline") != want || strings.Contains(chart, "NaN") {
			t.Errorf("%s: want %d curves:\n%s", name, want, chart)
		}
	}
	chart := Chart(growthOf(), grown, []string{"trial"})
	// 1 and 0.7 of 1.4 at the ends.
	if want := `<polyline points="60.0,124.3 560.0,195.0"`; !strings.Contains(chart, want) {
		t.Errorf("there is no %s in\n%s", want, chart)
	}
}
