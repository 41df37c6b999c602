package simulate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"resellerd/domain/session"
	"resellerd/test/model"
)

// crowd is a run in whose world an account has so many sessions, the first of them the oldest, with the largest id.
func crowd(sessions int) (r *run, all []*model.Session) {
	r = &run{world: &model.World{}, gone: map[session.ID]string{}}
	of := &model.Reseller{ID: 2}
	for i := range sessions {
		began := time.Date(2026, time.May, 1, 0, i, 0, 0, time.UTC)
		all = append(all, &model.Session{ID: fmt.Sprintf("%032x", sessions-i), Person: model.Person{Of: of}, Created: began,
			Used: began})
		r.world.Add(all[i])
	}
	return r, all
}

// TestASessionTooManyEndsHoweverManyAreLeft: between the look of a sign-in and what it ends another session may end.
func TestASessionTooManyEndsHoweverManyAreLeft(t *testing.T) {
	t.Parallel()
	r, all := crowd(model.MostSessions + 1)
	signIn := &attempt{request: &request{signsIn: "name"}, session: sessionFacts{begun: all[model.MostSessions]}}
	r.crowds(signIn)
	r.drop(all[7], metSignedOut)
	if why := r.why(signIn, all[0]); why != metCrowded {
		t.Errorf("the oldest of %d ends: %q", len(all), why)
	}
	if why := r.why(signIn, all[1]); why != "" {
		t.Errorf("one of the %d newest ends: %q", model.MostSessions, why)
	}
}

// TestSessionsAreListedByTheirLastDates: whoever removes sessions dates those back that a clock was ahead of.
func TestSessionsAreListedByTheirLastDates(t *testing.T) {
	t.Parallel()
	r, all := crowd(3)
	now := all[0].Created
	for _, ahead := range all {
		r.changed(
			changes{sessions: []sessionChange{
				{id: session.ID(ahead.ID), now: &session.Session{ID: session.ID(ahead.ID), Created: now, Used: now}}}})
	}
	if got := r.world.SessionsOf(all[0].Person); !slices.Equal(got, all) {
		t.Errorf("listed in the order %v, want the largest id first", got)
	}
}

// TestASessionIsDatedBackUnderItsRequest: between the look-up of a session and that its use is kept whoever removes
// sessions may have dated it back, and the answer may have it either way.
func TestASessionIsDatedBackUnderItsRequest(t *testing.T) {
	t.Parallel()
	r, all := crowd(1)
	found := *all[0]
	lasts := r.lasts(&found)
	before, now := *all[0], all[0].Created.Add(-time.Hour)
	r.changed(
		changes{sessions: []sessionChange{
			{id: session.ID(found.ID), now: &session.Session{ID: session.ID(found.ID), Created: now, Used: now}}}})
	for _, may := range []*model.Session{&before, all[0]} {
		if wrong := compare(lasts, fields{"expires_at": iso(may.ExpiresAt()), "ends_at": iso(may.EndsAt())}); wrong != "" {
			t.Errorf("of a session that began at %s, dated back to %s: %s", before.Created, now, wrong)
		}
	}
	if wrong := compare(lasts, fields{"expires_at": iso(now.Add(model.SessionIdle)), "ends_at": iso(now)}); wrong == "" {
		t.Error("it may end when it pleases")
	}
}
