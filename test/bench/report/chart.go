package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The chart, in units of SVG.
const (
	chartWidth, chartHeight = 760, 420
	plotLeft, plotTop       = 60, 30
	plotWidth, plotHeight   = 500, 330
	mostShown               = 1.4 // times the rate in the smallest store
)

// colours tell operations apart, also by who sees few colours.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// Chart draws how the rates of operations change with the number of lines, beside the rate in the smallest store of the
// least depth, which is 1. Depths are told apart by dashes. Sizes of ledgers are left out.
func Chart(r *Results, sizes []Size, operations []string) string {
	sizes = slices.DeleteFunc(slices.Clone(sizes), func(s Size) bool { return s.Ledger > 0 })
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", chartWidth, chartHeight)
	if len(sizes) > 0 {
		drawAxes(&b, sizes)
		for i, what := range operations {
			drawOperation(&b, r, sizes, what, i)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func linesOf(s Size) int { return s.Lines }

func depthOf(s Size) int { return s.Depth }

// distinct returns the values that sizes have, in order.
func distinct(sizes []Size, of func(Size) int) (values []int) {
	for _, s := range sizes {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// x returns where a number of lines stands, by its logarithm.
func x(lines int, all []int) float64 {
	low, high := math.Log(float64(all[0])), math.Log(float64(all[len(all)-1]))
	if low == high {
		return plotLeft + plotWidth/2
	}
	return plotLeft + plotWidth*(math.Log(float64(lines))-low)/(high-low)
}

func y(part float64) float64 { return plotTop + plotHeight*(1-min(part, mostShown)/mostShown) }

func drawAxes(b *strings.Builder, sizes []Size) {
	for tenths := 0; tenths <= mostShown*10; tenths += 2 {
		at := y(float64(tenths) / 10)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>`+"\n", plotLeft, at, plotLeft+plotWidth, at)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", plotLeft-8, at+4, float64(tenths)/10)
	}
	all := distinct(sizes, linesOf)
	for _, lines := range all {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x(lines, all), plotTop+plotHeight+20, thousands(int64(lines)))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">lines</text>`+"\n", plotLeft+plotWidth/2, plotTop+plotHeight+40)
	fmt.Fprintf(b, `<text x="%d" y="%d">rate beside that in the smallest store</text>`+"\n", plotLeft, plotTop-12)
}

func drawOperation(b *strings.Builder, r *Results, sizes []Size, what string, number int) {
	all, depths := distinct(sizes, linesOf), distinct(sizes, depthOf)
	reference := Size{Lines: all[0], Depth: depths[0]}.Key(what)
	colour := colours[number%len(colours)]
	for d, depth := range depths {
		var points []string
		for _, lines := range all {
			if part, known := r.Ratio(Size{Lines: lines, Depth: depth}.Key(what), reference); known {
				points = append(points, fmt.Sprintf("%.1f,%.1f", x(lines, all), y(part)))
			}
		}
		dashes := ""
		if d > 0 {
			dashes = fmt.Sprintf(` stroke-dasharray="%d 4"`, 8/d)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(points, " "), colour, dashes)
		const legend, row = plotLeft + plotWidth + 20, 18
		at := plotTop + row*(number*len(depths)+d)
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2"%s/>`+"\n", legend, at, legend+24, at, colour, dashes)
		fmt.Fprintf(b, `<text x="%d" y="%d">%s, depth %d</text>`+"\n", legend+30, at+4, what, depth)
	}
}
