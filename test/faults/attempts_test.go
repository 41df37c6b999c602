package faults

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAttemptsAreKeptInTheOrderOfTheirEnds(t *testing.T) {
	var seen attempts
	for _, ended := range []time.Duration{3, 1, 2, 5, 4} {
		seen.add(attempt{ended: ended})
	}
	var got []time.Duration
	for _, a := range seen.since(2) {
		got = append(got, a.ended)
	}
	if want := []time.Duration{2, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTheLongestGap(t *testing.T) {
	all := []attempt{
		{purpose: effect, ended: 5, status: 200},
		{purpose: effect, ended: 12, status: 201},
		{purpose: readiness, ended: 15, status: 200},
		{purpose: effect, ended: 18, status: 503},
		{purpose: effect, ended: 21, status: 200},
		{purpose: effect, ended: 40, status: 200},
	}
	for to, want := range map[time.Duration]struct{ longest, began time.Duration }{12: {2, 10}, 15: {3, 12}, 22: {9, 12}, 39: {18, 21}, 41: {19, 21}} {
		if longest, began := longestGap(all, 10, to); longest != want.longest || began != want.began {
			t.Errorf("from 10 to %d it is %d from %d on, want %d", to, longest, began, want)
		}
	}
}

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

func TestTheFormOfAnAnswer(t *testing.T) {
	reply := func(status int, contentType, retryAfter, body string) answer {
		a := answer{status: status, header: http.Header{"Content-Type": {contentType}, "Retry-After": {retryAfter}}, body: []byte(body)}
		a.decode()
		return a
	}
	const unavailable = `{"status":503,"code":"store-unavailable"}`
	for _, a := range []answer{
		reply(200, "application/json", "", `{}`),
		reply(409, "application/problem+json", "", `{"code":"x"}`),
		reply(503, "application/problem+json", "1", unavailable),
	} {
		if wrong := a.malformed(); wrong != "" {
			t.Errorf("%d %s: %s", a.status, a.body, wrong)
		}
	}
	for want, a := range map[string]answer{
		"want application/problem+json":       reply(503, "application/json", "1", unavailable),
		"want application/json":               reply(200, "text/plain", "", `{}`),
		"the body is no JSON object":          reply(200, "application/json", "", `[]`),
		`Retry-After ""`:                      reply(503, "application/problem+json", "", unavailable),
		`Retry-After "0"`:                     reply(503, "application/problem+json", "0", unavailable),
		"that does not say store-unavailable": reply(503, "application/problem+json", "1", `{"status":503,"code":"internal-error"}`),
	} {
		if wrong := a.malformed(); !strings.Contains(wrong, want) {
			t.Errorf("%d %s: %q, want %q", a.status, a.body, wrong, want)
		}
	}
}
