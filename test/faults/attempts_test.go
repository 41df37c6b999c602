package faults

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func tried(service int, p purpose, began, ended time.Duration, status int) attempt {
	return attempt{service: service, purpose: p, began: began, ended: ended, status: status}
}

func TestWhatAMemberAloneMayAcknowledge(t *testing.T) {
	cut, mended := 10*time.Second, 20*time.Second
	replay := tried(0, effect, cut+1, cut+2, 201)
	replay.replayed = true
	honest := []attempt{
		tried(0, effect, cut-1, cut+time.Second, 200), // it was under way
		tried(0, effect, cut+1, mended+1, 200),
		tried(1, effect, cut+1, cut+2, 503), tried(1, effect, cut+1, cut+2, 0), tried(1, reading, cut+1, cut+2, 200), replay,
	}
	if wrong := alone(honest, cut, mended); len(wrong) > 0 {
		t.Error(wrong)
	}
	if wrong := alone(append(honest, tried(1, effect, cut+1, mended-1, 201)), cut, mended); len(wrong) != 1 {
		t.Error(wrong)
	}
}

func TestWhatIsSeenWithoutAServer(t *testing.T) {
	dark, light := 10*time.Second, 20*time.Second
	var honest []attempt
	for s := range 2 {
		for _, p := range []purpose{effect, readiness, reading} {
			honest = append(honest,
				tried(s, p, dark-time.Second, dark+1, 200), // it was under way
				tried(s, p, dark-time.Second, dark+8*time.Second, 503),
				tried(s, p, dark+1, light-1, 0),
				tried(s, p, dark+1, light+1, 200),
			)
		}
	}
	if wrong := inDarkness(honest, dark, light, 2); len(wrong) > 0 {
		t.Error(wrong)
	}
	and := func(a attempt) []attempt { return append(slices.Clone(honest), a) }
	for want, all := range map[string][]attempt{
		"process 1 answered 201 to an attempt at effect":      and(tried(1, effect, dark+1, dark+2, 201)),
		"process 0 answered 200 to an attempt at readiness":   and(tried(0, readiness, dark, dark+2, 200)),
		"process 0 answered 402 to an attempt at effect":      and(tried(0, effect, dark, dark+2, 402)),
		"process 1 answered 503 to no attempt at readiness":   honest[:8*2],
		"process 0 answered 503 to no attempt at effect":      honest[2:],
		"process 1 answered 500 to an attempt at read at 12.": and(tried(1, reading, dark, 12*time.Second, 500)),
	} {
		wrong := inDarkness(all, dark, light, 2)
		if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, want) }) {
			t.Errorf("%q, want %s", wrong, want)
		}
	}
}
