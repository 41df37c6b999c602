package simulate

import (
	"crypto/sha256"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/model"
)

// TestARequestIsSentOnceItWaitsForNoOther: to a process that has others under way.
func TestARequestIsSentOnceItWaitsForNoOther(t *testing.T) {
	t.Parallel()
	north, south := &model.Reseller{ID: 2}, &model.Reseller{ID: 3}
	get := func(by *model.Reseller, path string) *request {
		return &request{by: by, method: http.MethodGet, path: path}
	}
	lines, proof, export := "/lines?q=x", proofPath, exportsPath+"lines?format=ndjson"
	for _, c := range []struct {
		underWay []*request
		sent     *request
		admitted bool
	}{
		{nil, get(north, lines), true},
		{[]*request{get(north, lines)}, get(north, "/events"), false},
		{[]*request{get(north, lines)}, get(south, "/events"), true},
		{[]*request{get(north, lines)}, &request{by: north, method: http.MethodPost, path: "/lines"}, true},
		{[]*request{get(north, proof)}, get(south, proof), false},
		{[]*request{get(north, lines), get(north, export)}, get(north, proof), true},
		{[]*request{get(north, export)}, get(south, export), true},
		{[]*request{get(north, export), get(south, export)}, get(south, export), false},
		{[]*request{get(north, export), get(north, export)}, get(south, export), false},
		{[]*request{get(north, export), get(north, export)}, get(north, export), true}, // and is refused
	} {
		p := &process{underWay: map[*attempt]bool{}}
		for _, q := range c.underWay {
			p.underWay[&attempt{request: q}] = true
		}
		if got := p.admits(c.sent); got != c.admitted {
			t.Errorf("beside %v %s is sent: %t", c.underWay, c.sent, got)
		}
	}
}

// TestAWaitInsideOfTheServiceIsReported, for it holds up all simulated clients.
func TestAWaitInsideOfTheServiceIsReported(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{mostInside, mostInside + time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			r := &run{trace: sha256.New()}
			r.random = r.stream(1, 0)
			r.operator(stepID{1, 1}, true, func(*actor) { time.Sleep(wait) }, nil)
			r.play(-1)
			if reported := r.difference != nil; reported != (wait > mostInside) {
				t.Errorf("a wait of %s is reported: %t", wait, reported)
			}
		})
	}
}

// TestAnEarlierLookAtACodeIsForgotten: a session may end after the look in which its code was wrong, and then no wrong
// code is counted.
func TestAnEarlierLookAtACodeIsForgotten(t *testing.T) {
	t.Parallel()
	by := &model.Reseller{ID: 2}
	remove := &request{by: by, method: http.MethodDelete, path: "/auth/totp",
		browser: &browser{of: model.Person{Of: by}, id: "ended"}}
	looked := &attempt{request: remove, process: &process{}, now: time.Unix(1e9, 0), entry: &entry{counts: true}}
	r := &run{world: &model.World{}, seen: map[string]int{}, current: &actor{address: "10.0.0.1:4000", attempt: looked}}
	if decided := r.decide(looked); decided.code != "session-ended" || looked.entry != nil {
		t.Errorf("decided %s, and the code of before is %+v", decided, looked.entry)
	}
}

// TestARefusalInALookIsDecidedAgain: what is kept of a refusal is kept by its update, and a use of a principal is kept
// in an update of its own before that.
func TestARefusalInALookIsDecidedAgain(t *testing.T) {
	t.Parallel()
	for _, inView := range []bool{true, false} {
		refused := &attempt{decided: &outcome{aside: func() {}}}
		r := &run{current: &actor{attempt: refused, inView: inView}}
		if r.leave(); refused.settled == inView {
			t.Errorf("decided in a look %t: it is settled %t", inView, refused.settled)
		}
	}
}
