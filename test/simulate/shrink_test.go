package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// shrink looks for a smaller year with a difference: it leaves out steps, as many at a time as it can, and then one by
// one, until its time is over. It returns a year with a story.
func shrink(found *run, again func(setting) *run, patience time.Duration) *run {
	begun, small := time.Now(), found.setting
	small.mask = mask{rounds: found.difference.Round, dropped: map[stepID]bool{}}
	left := slices.Clone(found.steps)
	for size := (len(left) + 1) / 2; size > 0; size /= 2 {
		for end := len(left); end > 0 && time.Since(begun) < patience; end -= size {
			end = min(end, len(left))
			try := small
			try.mask.dropped = maps.Clone(small.mask.dropped)
			for _, id := range left[max(0, end-size):end] {
				try.mask.dropped[id] = true
			}
			if r := again(try); r.difference != nil {
				small, left = try, slices.Clone(r.steps)
				small.mask.rounds = min(small.mask.rounds, r.difference.Round)
			}
		}
	}
	small.narrated = true
	return again(small)
}

// tale is the story of a difference: its seed, the remaining steps, and the expected outcome.
func tale(r *run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, with %d steps:\n", r.seed, len(r.steps))
	rounds := map[int]bool{}
	for _, id := range r.steps {
		rounds[id.round] = true
	}
	for _, l := range r.story {
		if rounds[l.step.round] {
			fmt.Fprintf(&b, "  %s\n", l.text)
		}
	}
	if r.difference != nil {
		fmt.Fprintf(&b, "%s\n", r.difference)
	}
	return b.String()
}
