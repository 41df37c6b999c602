package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// shrink looks for a smaller year with a difference: it leaves out steps, as many at a time as it can, and faults. It
// is done when no single one can be left out any more, or when its time is over; what it returns tells its story.
func shrink(found *run, again func(setting) *run, patience time.Duration) *run {
	begun := time.Now()
	s := found.setting
	s.mask = mask{rounds: found.difference.Round, dropped: maps.Clone(s.mask.dropped), calm: maps.Clone(s.mask.calm)}
	if s.mask.dropped == nil {
		s.mask.dropped, s.mask.calm = map[stepID]bool{}, map[stepID]bool{}
	}
	left := slices.Clone(found.steps)
	// try reports whether there still is a difference with this mask, which is kept then.
	try := func(m mask) bool {
		if time.Since(begun) > patience {
			return false
		}
		smaller := s
		smaller.mask = m
		r := again(smaller)
		if r.difference == nil {
			return false
		}
		m.rounds = min(m.rounds, r.difference.Round)
		s.mask = m
		left = slices.DeleteFunc(left, func(id stepID) bool { return !slices.Contains(r.steps, id) })
		return true
	}
	adding := func(known map[stepID]bool, ids []stepID) map[stepID]bool {
		all := maps.Clone(known)
		for _, id := range ids {
			all[id] = true
		}
		return all
	}
	for size := (len(left) + 1) / 2; size > 0; size /= 2 {
		for more := true; more; {
			more = false
			for end := len(left); end > 0; end -= size {
				end = min(end, len(left))
				ids := slices.Clone(left[max(0, end-size):end])
				if len(ids) < len(left) && try(mask{s.mask.rounds, adding(s.mask.dropped, ids), s.mask.calm}) {
					more = size == 1
				}
			}
		}
	}
	for _, id := range slices.Clone(left) {
		try(mask{s.mask.rounds, s.mask.dropped, adding(s.mask.calm, []stepID{id})})
	}
	s.telling = true
	return again(s)
}

// tale is the story of a difference: its seed, the steps that are left, and what was expected.
func tale(r *run) string {
	var b strings.Builder
	steps := r.steps
	fmt.Fprintf(&b, "seed %d, with %d steps:\n", r.seed, len(steps))
	rounds := map[int]bool{}
	for _, id := range steps {
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
