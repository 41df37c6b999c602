package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// Two resellers, of whose sessions the checks are. Sessions do not ask whether they are there.
const (
	someReseller  int64 = 1<<40 + 5
	otherReseller int64 = 1<<40 + 6
)

// sessionChecks are of a store that one process has open.
var sessionChecks = []Check{
	{
		"sessions-survive-unchanged", proves{"N1"},
		func(w *harness) {
			var some, other []session.Session
			for i, s := range awkwardSessions() {
				if i%3 == 0 {
					s.Reseller = otherReseller
					other = append(other, s)
				} else {
					some = append(some, s)
				}
				w.begins(s, session.Most)
			}
			w.hasSessions(someReseller, some, "sessions that began")
			w.hasSessions(otherReseller, other, "sessions that began, of another reseller")
			for i := range some {
				some[i].Used = some[i].Used.Add(session.Idle)
				w.uses(some[i].ID, some[i].Used)
			}
			w.hasSessions(someReseller, some, "sessions that were used")
			w.hasSessions(otherReseller, other, "sessions that were not used")
		},
	},
	{
		"sessions-that-are-not-there-are-not-found", proves{"N6", "N14"},
		func(w *harness) {
			s := sessionOf(someReseller, "kept", noon)
			w.gone(s.ID, "never began")
			w.begins(s, session.Most)
			id := string(s.ID)
			for _, other := range []string{
				"", id[:31], id + "0", " " + id, strings.ToUpper(id), "0x" + id, "%", "_", id[:16] + "%", "' OR '' = '", `{"$gt":""}`, "$id", "é", "\x00", "\xff", strings.Repeat("0", 4_000),
			} {
				w.gone(session.ID(other), fmt.Sprintf("is not the one that was asked for by %q", other))
			}
			w.hasSessions(someReseller, []session.Session{s}, "the session that is there")
			w.ends(s)
			w.gone(s.ID, "was ended")
		},
	},
	{
		"a-session-that-begins-ends-the-oldest", proves{"N4", "N5"},
		func(w *harness) {
			others := w.beginsMany(otherReseller, noon, 4)
			var all []session.Session
			begins := func(s session.Session, most int, when string) {
				w.begins(s, most)
				all = newest(append(all, s), most)
				w.hasSessions(someReseller, all, "sessions "+when)
			}
			for i, minutes := range []int{5, 1, 4, 2, 3} { // by Created, whenever they are told of
				begins(sessionOf(someReseller, fmt.Sprint(i), at(minutes)), 3, "of which three are left")
			}
			begins(sessionOf(someReseller, "late", at(-60)), 3, "of which one that begins is the oldest")
			for i := range 6 { // by id, and not by what else there is
				s := sessionOf(someReseller, fmt.Sprint("same ", i), at(7))
				s.Device, s.Used = fmt.Sprint(9-i), s.Used.Add(time.Duration(i%3)*time.Minute)
				begins(s, 4, "that began in one instant")
			}
			for i, most := range []int{9, 9, 2, 1, 5, 5} {
				begins(sessionOf(someReseller, fmt.Sprint("most ", i), at(10+i)), most, fmt.Sprintf("of which %d are left", most))
			}
			old := sessionOf(someReseller, "used", at(-30))
			begins(old, 9, "of which the oldest is still in use")
			w.uses(old.ID, at(200))
			all[len(all)-1].Used = at(200)
			begins(sessionOf(someReseller, "new", at(20)), len(all), "of which the oldest was used last")
			w.gone(old.ID, "was the oldest")
			w.hasSessions(otherReseller, others, "sessions of another reseller")
		},
	},
	{
		"sessions-that-begin-at-once-are-as-many-as-may-be", proves{"N4", "N5"},
		func(w *harness) { w.beginTogether(w.sessions()) },
	},
	{
		"the-last-use-of-a-session-never-goes-back", proves{"N8"},
		func(w *harness) {
			s, other := sessionOf(someReseller, "used", noon), sessionOf(someReseller, "unused", noon)
			w.begins(s, session.Most)
			w.begins(other, session.Most)
			for _, used := range []time.Time{at(1), at(1), at(0), noon.Add(time.Minute + time.Millisecond), noon.AddDate(1, 0, 0), at(600), noon.AddDate(-1, 0, 0)} {
				w.uses(s.ID, used)
				if used.After(s.Used) {
					s.Used = used
				}
				w.hasSessions(someReseller, []session.Session{s, other}, fmt.Sprintf("sessions of which one was used at %s", used))
			}
		},
	},
	{
		"the-latest-of-many-uses-of-a-session-is-kept", proves{"N8"},
		func(w *harness) { w.useTogether(w.sessions()) },
	},
	{
		"a-use-of-no-session-changes-nothing", proves{"N7"},
		func(w *harness) {
			kept := sessionOf(someReseller, "kept", at(5))
			w.uses(session.IDOf("unknown"), at(1))
			w.gone(session.IDOf("unknown"), "never began")
			w.begins(kept, session.Most)
			for how, end := range w.waysToEnd() {
				s := sessionOf(someReseller, how, noon)
				w.begins(s, session.Most)
				end(s)
				w.uses(s.ID, at(60))
				w.gone(s.ID, how+", and used after it")
			}
			w.hasSessions(someReseller, []session.Session{kept}, "sessions of which one was never ended")
		},
	},
	{
		"a-use-beside-the-end-of-a-session-never-revives-it", proves{"N6", "N7"},
		func(w *harness) { w.useAndEndTogether(w.sessions()) },
	},
	{
		"a-session-is-saved-with-its-update-or-not-at-all", proves{"N14", "N15"},
		func(w *harness) {
			other := sessionOf(someReseller, "other", at(1))
			w.begins(other, session.Most)
			refused := errors.New("refused")
			for _, s := range awkwardSessions() {
				kept := sessionOf(someReseller, "kept", noon)
				w.begins(kept, session.Most)
				s.ID = kept.ID
				for _, end := range []error{refused, nil} {
					beside := fixture.Admin(w.id(ports.ResellerIDs), func(s *reseller.State) { s.Username = fixture.Name(fmt.Sprint("admin-", s.ID)) })
					err := w.try(func(ctx context.Context, tx ports.Tx) error {
						found, err := tx.Sessions.Session(ctx, s.ID)
						if err == nil && found != kept {
							w.Errorf("an update finds %+v, want %+v", found, kept)
						}
						if err = errors.Join(err, tx.Resellers.Insert(ctx, beside), tx.Sessions.SaveSession(ctx, s)); err != nil {
							return err
						}
						if found, err := tx.Sessions.Session(ctx, s.ID); err != nil || found != s {
							w.Errorf("an update finds %+v, which it has saved as %+v: %v", found, s, err)
						}
						return end
					})
					w.want(err, end, "save a session")
					want := s
					if end != nil {
						want = kept
					}
					w.hasSessions(someReseller, []session.Session{want, other}, "sessions of which one was saved")
					w.same(seen(w, func(ctx context.Context, v ports.Snapshot) (session.Session, error) {
						return v.Sessions.Session(ctx, s.ID)
					}),
						want, "a session that was saved, in a view")
				}
				w.ends(s)
			}
		},
	},
	{
		"a-session-that-is-not-there-is-not-saved", proves{"N16"},
		func(w *harness) {
			for how, end := range w.waysToEnd() {
				s := sessionOf(someReseller, how, noon)
				w.begins(s, session.Most)
				end(s)
				w.want(w.savesSession(s), fault.ErrNotFound, "save a session that "+how)
				w.gone(s.ID, how+", and saved after it")
			}
			w.want(w.savesSession(sessionOf(someReseller, "unknown", noon)), fault.ErrNotFound, "save a session that never began")
			w.hasSessions(someReseller, nil, "sessions none of which is there")
		},
	},
	{
		"a-save-beside-the-end-or-a-use-of-a-session-loses-neither", proves{"N7", "N8", "N16"},
		func(w *harness) { w.saveTogether(w) },
	},
	{
		"the-sessions-of-a-reseller-are-all-that-are-there", proves{"N9"},
		func(w *harness) {
			w.hasSessions(someReseller, nil, "sessions of a reseller that has none")
			others := w.beginsMany(otherReseller, noon, 3)
			w.hasSessions(someReseller, nil, "sessions of a reseller beside whose others are")
			var all []session.Session
			for i, began := range []time.Time{at(3), noon.AddDate(-20, 0, 0), noon.AddDate(20, 0, 0), at(3), at(1), at(2)} { // some over, one of tomorrow
				s := sessionOf(someReseller, fmt.Sprint(i), began)
				w.begins(s, session.Most)
				all = append(all, s)
			}
			w.hasSessions(someReseller, all, "sessions, some of which are over")
			w.ends(all[3])
			w.hasSessions(someReseller, slices.Delete(all, 3, 4), "sessions without one that was ended")
			w.hasSessions(otherReseller, others, "sessions of another reseller")
			w.hasSessions(-someReseller, nil, "sessions of no reseller")
		},
	},
	{
		"a-session-is-ended-by-its-reseller-once", proves{"N6", "N10"},
		func(w *harness) {
			s, stays, other := sessionOf(someReseller, "ended", at(1)), sessionOf(someReseller, "stays", noon), sessionOf(otherReseller, "other", noon)
			for _, begun := range []session.Session{s, stays, other} {
				w.begins(begun, session.Most)
			}
			refuses := func(reseller int64, id session.ID, doing string) {
				w.want(w.sessions().EndSession(w.ctx, reseller, id), fault.ErrNotFound, doing)
			}
			refuses(otherReseller, s.ID, "end a session of another reseller")
			refuses(0, s.ID, "end a session of nobody")
			refuses(someReseller, session.IDOf("unknown"), "end a session that never began")
			w.hasSessions(someReseller, []session.Session{s, stays}, "sessions that were not ended")
			w.ends(s)
			w.gone(s.ID, "was ended")
			refuses(someReseller, s.ID, "end a session again")
			w.hasSessions(someReseller, []session.Session{stays}, "sessions without one that was ended")
			w.hasSessions(otherReseller, []session.Session{other}, "sessions of another reseller")
		},
	},
	{
		"one-of-many-ends-of-a-session-removes-it", proves{"N10"},
		func(w *harness) { w.endTogether(w.sessions()) },
	},
	{
		"sessions-that-are-over-are-dropped", proves{"N11", "N12"},
		func(w *harness) {
			now := noon.Add(30 * 24 * time.Hour)
			var good, over []session.Session
			for name, c := range map[string]struct {
				began, used time.Duration // before now
				over        bool
			}{
				"unused up to now":          {session.Idle, session.Idle, true},
				"unused almost up to now":   {session.Idle - time.Millisecond, session.Idle - time.Millisecond, false},
				"unused for long":           {session.Idle * 3, session.Idle * 2, true},
				"begun just now":            {0, 0, false},
				"in use up to its end":      {session.Longest, time.Minute, true},
				"in use shortly before it":  {session.Longest - time.Millisecond, time.Minute, false},
				"in use long after its end": {2 * session.Longest, -session.Idle, true},
				"of a clock that was ahead": {-time.Hour, -time.Hour, false},
			} {
				s := sessionOf(someReseller, name, now.Add(-c.began))
				s.Used = now.Add(-c.used)
				if s.Good(now) == c.over {
					w.Fatalf("%s: the domain says otherwise", name)
				}
				if w.begins(s, session.Most); c.over {
					over = append(over, s)
				} else {
					good = append(good, s)
				}
			}
			for i, name := range []string{"used in time", "used too late"} { // what counts is the last use
				s := sessionOf(otherReseller, name, now.Add(-2*session.Idle))
				w.begins(s, session.Most)
				s.Used = s.Used.Add(session.Idle + time.Duration(1-i)*time.Millisecond)
				if w.uses(s.ID, s.Used); s.Good(now) {
					good = append(good, s)
				} else {
					over = append(over, s)
				}
			}
			w.dropsSessions(now, 100, len(over))
			for i := range good {
				good[i] = good[i].Clamped(now)
			}
			for _, reseller := range []int64{someReseller, otherReseller} {
				w.hasSessions(reseller, of(reseller, good), "sessions that are good")
			}
			for _, s := range over {
				w.gone(s.ID, "was over")
			}
			w.dropsSessions(now, 100, 0)
			w.dropsSessions(now.AddDate(1, 0, 0), 100, len(good))
			w.hasSessions(someReseller, nil, "sessions of which all are over")
		},
	},
	{
		"sessions-dated-ahead-are-clamped", proves{"N12", "N17"},
		func(w *harness) {
			now := noon
			var all []session.Session
			for i, c := range []struct{ began, used time.Duration }{ // after now
				{365 * 24 * time.Hour, 400 * 24 * time.Hour}, {time.Millisecond, time.Millisecond}, {-time.Hour, 30 * 24 * time.Hour},
				{0, 0}, {-time.Hour, -time.Minute}, {time.Minute, time.Minute},
			} {
				s := sessionOf(someReseller, fmt.Sprint(i), now.Add(c.began))
				s.Used = now.Add(c.used)
				w.begins(s, session.Most)
				all = append(all, s)
			}
			clamped := func() (n int) {
				for _, s := range all {
					kept, err := w.sessions().Session(w.ctx, s.ID)
					w.must(err, "get a session")
					if kept != s {
						w.same(kept, s.Clamped(now), "a session that was clamped")
						n++
					}
				}
				return n
			}
			for _, c := range []struct{ limit, want int }{{0, 0}, {1, 1}, {2, 3}, {2, 4}, {2, 4}} {
				w.dropsSessions(now, c.limit, 0)
				if n := clamped(); n != c.want {
					w.Fatalf("%d sessions are clamped, want %d", n, c.want)
				}
			}
			w.dropsSessions(now.Add(session.Idle), 100, len(all))
		},
	},
	{
		"no-more-sessions-than-limit-are-dropped", proves{"N11"},
		func(w *harness) {
			const all = 5
			w.beginsMany(someReseller, noon, all) // which are over at once, but for some minutes
			left := all
			for _, c := range []struct{ limit, want int }{{0, 0}, {2, 2}, {1, 1}, {2, 2}, {2, 0}} {
				w.dropsSessions(noon.AddDate(1, 0, 0), c.limit, c.want)
				left -= c.want
				if found := w.sessionsOf(someReseller); len(found) != left {
					w.Fatalf("%d sessions are left, want %d", len(found), left)
				}
			}
		},
	},
	{
		"closed-stores-keep-no-sessions", proves{"N3"},
		func(w *harness) {
			s := sessionOf(someReseller, "kept", noon)
			w.begins(s, session.Most)
			w.close()
			_, found := w.sessions().Session(w.ctx, s.ID)
			_, listed := w.sessions().SessionsOf(w.ctx, someReseller)
			_, dropped := w.sessions().DropSessions(w.ctx, noon, 1)
			for doing, err := range map[string]error{
				"begin a session":      w.sessions().BeginSession(w.ctx, sessionOf(someReseller, "late", noon), session.Most),
				"get a session":        found,
				"use a session":        w.sessions().UseSession(w.ctx, s.ID, at(60)),
				"list sessions":        listed,
				"end a session":        w.sessions().EndSession(w.ctx, someReseller, s.ID),
				"drop sessions":        dropped,
				"use an ended session": w.sessions().UseSession(w.ctx, session.IDOf("unknown"), noon),
			} {
				w.want(err, ports.ErrUnavailable, doing+" after close")
			}
		},
	},
}

// sessionCopyChecks are of copies.
var sessionCopyChecks = []Check{
	{
		"copies-have-no-sessions", proves{"N13"},
		func(w *harness) {
			none := func(when string) {
				w.hasSessions(someReseller, nil, "sessions of a copy that "+when)
			}
			w.beginsMany(someReseller, noon, 3)
			w.begin(unused("key"), false)
			none("has begun")
			w.begins(sessionOf(someReseller, "of an unfinished copy", noon), session.Most)
			importer := w.begin(unused("key"), true)
			none("was started over")
			w.must(importer.Finish(w.ctx), "finish")
			none("was finished")
			s := sessionOf(someReseller, "new", noon)
			w.begins(s, session.Most) // it goes on like any other store
			w.hasSessions(someReseller, []session.Session{s}, "sessions that a copy keeps")
		},
	},
}

// sessionDurabilityChecks are of what must outlive the process.
var sessionDurabilityChecks = []Check{
	{
		"sessions-survive-reopening", proves{"N2", "N15"},
		func(w *harness) {
			const oldest, used, ended, saved = 0, 1, 2, 3
			all := w.beginsMany(someReseller, noon, 6)
			old := sessionOf(someReseller, "over", noon.AddDate(-1, 0, 0))
			w.begins(old, session.Most)
			others := w.beginsMany(otherReseller, noon, 3)
			w.reopen()
			w.hasSessions(someReseller, append(slices.Clone(all), old), "sessions opened again")
			all[used].Used = at(90)
			w.uses(all[used].ID, at(90))
			all[saved].Password = session.MarkOf("another")
			w.must(w.savesSession(all[saved]), "save a session")
			w.ends(all[ended])
			w.dropsSessions(at(100), 100, 1)
			w.reopen()
			w.hasSessions(someReseller, slices.Delete(slices.Clone(all), ended, ended+1), "sessions that were used and ended, opened again")
			w.begins(sessionOf(someReseller, "one more", at(100)), 5)
			w.reopen()
			for _, s := range []session.Session{all[ended], old, all[oldest]} {
				w.gone(s.ID, "was ended before the store was opened again")
			}
			w.hasSessions(otherReseller, others, "sessions of another reseller, opened again")
			// Of the five that are left one was used, and one began later.
			w.dropsSessions(at(89).Add(session.Idle), 100, 3+len(others))
		},
	},
}

// sessionSharingChecks are of a store that two processes have open.
var sessionSharingChecks = []Check{
	{
		"processes-have-the-same-sessions", proves{"N6", "N8", "N14"},
		func(w *harness) {
			all := w.beginsMany(someReseller, noon, 4)
			other := w.beside()
			other.hasSessions(someReseller, all, "sessions that began in another process")
			other.uses(all[0].ID, at(60))
			all[0].Used = at(60)
			w.hasSessions(someReseller, all, "sessions of which one was used in another process")
			w.uses(all[0].ID, at(30))
			other.hasSessions(someReseller, all, "sessions of which one was used earlier in another process")
			for how, end := range other.waysToEnd() {
				s := sessionOf(otherReseller, how, noon)
				w.begins(s, session.Most)
				w.hasSessions(otherReseller, []session.Session{s}, "a session that is to end")
				end(s)
				w.gone(s.ID, how+" by another process")
				w.hasSessions(otherReseller, nil, "sessions of which the only one "+how+" by another process")
			}
		},
	},
	{
		"sessions-that-begin-at-once-in-two-processes-are-as-many-as-may-be", proves{"N4", "N5"},
		func(w *harness) { w.beginTogether(w.sessions(), w.beside().sessions()) },
	},
	{
		"the-latest-of-many-uses-in-two-processes-is-kept", proves{"N8"},
		func(w *harness) { w.useTogether(w.sessions(), w.beside().sessions()) },
	},
	{
		"a-use-in-another-process-never-revives-a-session", proves{"N6", "N7"},
		func(w *harness) { w.useAndEndTogether(w.sessions(), w.beside().sessions()) },
	},
	{
		"a-save-in-another-process-loses-neither-the-end-nor-a-use-of-a-session", proves{"N7", "N8", "N16"},
		func(w *harness) { w.saveTogether(w, w.beside()) },
	},
	{
		"one-of-many-ends-in-two-processes-removes-a-session", proves{"N10"},
		func(w *harness) { w.endTogether(w.sessions(), w.beside().sessions()) },
	},
}

// at is so many minutes after noon.
func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

// sessionOf returns a session that began at this instant and was not used since. Its
// name tells it from others of its reseller.
func sessionOf(reseller int64, name string, began time.Time) session.Session {
	name = fmt.Sprintf("%s of %d", name, reseller)
	return session.Session{
		ID:       session.IDOf(name),
		Reseller: reseller,
		Password: session.MarkOf(name),
		Device:   "device " + name,
		Address:  "192.0.2.7",
		Created:  began,
		Used:     began,
	}
}

// awkwardSessions returns sessions whose values a careless store would change.
func awkwardSessions() (all []session.Session) {
	add := func(change func(s *session.Session)) {
		s := sessionOf(someReseller, fmt.Sprint("awkward ", len(all)), at(len(all)))
		change(&s)
		all = append(all, s)
	}
	var printable []byte
	for c := byte(' '); c <= '~'; c++ {
		printable = append(printable, c)
	}
	add(func(s *session.Session) { s.Device = "" })
	add(func(s *session.Session) { s.Device = " Mozilla/5.0 (X11; Linux x86_64) " })
	add(func(s *session.Session) { s.Device = string(printable) })
	add(func(s *session.Session) { s.Device = strings.Repeat("'", 200) })
	add(func(s *session.Session) { s.Device = awkwardNotes[0] })
	add(func(s *session.Session) { s.Address = "" })
	add(func(s *session.Session) { s.Address = "fe80::1ff:fe23:4567:890a%eth2" })
	add(func(s *session.Session) { s.Password = session.Mark(everyByte()[224:]) })
	add(func(s *session.Session) { s.Password = session.Mark{1: '\'', 2: 0x80} })
	add(func(s *session.Session) {
		s.Created, s.Used = fixture.Time("1999-12-31T23:59:59.999Z"), fixture.Time("2026-03-29T01:30:00.001Z")
	})
	add(func(s *session.Session) { s.Created, s.Used = fixture.Time("2036-02-29T23:59:59.999Z"), noon })
	return all
}

// newest returns the newest of these sessions, up to most, the newest first.
func newest(all []session.Session, most int) []session.Session {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b session.Session) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID)) })
	return all[:min(most, len(all))]
}

// of returns those of these sessions that are a reseller's.
func of(reseller int64, all []session.Session) (own []session.Session) {
	for _, s := range all {
		if s.Reseller == reseller {
			own = append(own, s)
		}
	}
	return own
}

// sessions is the store as who signs in sees it.
func (w *harness) sessions() ports.Sessions {
	w.Helper()
	sessions := w.store.Parts().Sessions
	if sessions == nil {
		w.Fatalf("this store has no ports.Sessions: it keeps none, and RunSessions is not for it")
	}
	return sessions
}

// beside returns the same store as another process has it open.
func (w *harness) beside() *harness {
	w.Helper()
	w.sessions() // without which no check looks beside
	if w.subject.Beside == nil {
		w.Fatalf("the subject has no Beside: one process at a time can have the store open")
	}
	other := &harness{T: w.T, ctx: w.ctx, subject: w.subject, store: w.subject.Beside(w.T, w.store), audited: w.audited}
	w.Cleanup(other.close)
	return other
}

func (w *harness) begins(s session.Session, most int) {
	w.Helper()
	w.must(w.sessions().BeginSession(w.ctx, s, most), "begin a session")
}

// beginsMany begins sessions, the first at this instant and each a minute after the one before.
func (w *harness) beginsMany(reseller int64, from time.Time, n int) (all []session.Session) {
	w.Helper()
	for i := range n {
		s := sessionOf(reseller, fmt.Sprint(i), from.Add(time.Duration(i)*time.Minute))
		w.begins(s, n)
		all = append(all, s)
	}
	return all
}

func (w *harness) uses(id session.ID, used time.Time) {
	w.Helper()
	w.must(w.sessions().UseSession(w.ctx, id, used), "use a session")
}

func (w *harness) ends(s session.Session) {
	w.Helper()
	w.must(w.sessions().EndSession(w.ctx, s.Reseller, s.ID), "end a session")
}

// savesSession keeps a session whole, where it is there.
func (w *harness) savesSession(s session.Session) error {
	return w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Sessions.SaveSession(ctx, s) })
}

func (w *harness) dropsSessions(now time.Time, limit, want int) {
	w.Helper()
	got, err := w.sessions().DropSessions(w.ctx, now, limit)
	w.must(err, "drop sessions")
	if got != want {
		w.Fatalf("dropped %d sessions that were over at %s with limit %d, want %d", got, now, limit, want)
	}
}

// waysToEnd are the ways in which a session that began at noon may end. Those that began
// later, of which there may be one, are left.
func (w *harness) waysToEnd() map[string]func(s session.Session) {
	return map[string]func(s session.Session){
		"was ended":   w.ends,
		"was dropped": func(session.Session) { w.dropsSessions(noon.Add(session.Idle), 1, 1) },
		"gave way to newer ones": func(s session.Session) {
			newer := sessionOf(s.Reseller, "newer", at(50))
			w.begins(newer, len(w.sessionsOf(s.Reseller)))
			w.ends(newer)
		},
	}
}

func (w *harness) sessionsOf(reseller int64) []session.Session {
	w.Helper()
	found, err := w.sessions().SessionsOf(w.ctx, reseller)
	w.must(err, "list sessions")
	return found
}

// hasSessions fails unless these are the sessions of a reseller, whatever their order is here.
func (w *harness) hasSessions(reseller int64, want []session.Session, what string) {
	w.Helper()
	want = newest(want, len(want))
	w.same(w.sessionsOf(reseller), want, what)
	for _, s := range want {
		found, err := w.sessions().Session(w.ctx, s.ID)
		if err != nil {
			w.Errorf("%s: got error %v for session %s", what, err, s.ID)
			continue
		}
		w.same(found, s, "one of the "+what)
	}
}

// gone fails unless there is no such session, whoever asks.
func (w *harness) gone(id session.ID, because string) {
	w.Helper()
	_, err := w.sessions().Session(w.ctx, id)
	w.want(err, fault.ErrNotFound, "get a session that "+because)
	w.want(w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) error {
		_, err := s.Sessions.Session(ctx, id)
		return err
	}), fault.ErrNotFound, "get, in a view, a session that "+because)
	w.want(w.try(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Sessions.Session(ctx, id)
		return err
	}), fault.ErrNotFound, "get, in an update, a session that "+because)
}

// together runs do on many goroutines at once, which share the processes, and returns their errors.
func together[P any](processes []P, do func(i int, in P) error) []error {
	return AtOnce(2*workers, func(i int) error { return do(i, processes[i%len(processes)]) })
}

// beginTogether begins many sessions of two resellers at once, and then pairs of one reseller: the last of many may
// come after one another, where both of a pair find the same sessions.
func (w *harness) beginTogether(processes ...ports.Sessions) {
	w.Helper()
	for _, c := range []struct{ there, most int }{{0, 1}, {0, 3}, {session.Most - 1, session.Most}} {
		resellers := []int64{someReseller + 100*int64(c.most), otherReseller + 100*int64(c.most)}
		var all []session.Session
		for _, reseller := range resellers {
			all = append(all, w.beginsMany(reseller, noon, c.there)...)
		}
		begin := func(begun []session.Session) {
			w.Helper()
			w.must(errors.Join(together(processes, func(i int, in ports.Sessions) error {
				if i >= len(begun) {
					return nil
				}
				return in.BeginSession(w.ctx, begun[i], c.most)
			})...), "begin sessions at once")
			all = append(all, begun...)
			for _, reseller := range resellers {
				w.hasSessions(reseller, newest(of(reseller, all), c.most), fmt.Sprintf("sessions of which %d may be, many of which began at once", c.most))
			}
		}
		many := make([]session.Session, 2*workers)
		for i := range many {
			many[i] = sessionOf(resellers[i/2%2], fmt.Sprint("at once ", i), at(60+i%3)) // some in one instant
		}
		begin(many)
		for round := range rounds {
			pair := make([]session.Session, 2)
			for i := range pair {
				pair[i] = sessionOf(resellers[0], fmt.Sprint("of pair ", round, " ", i), at(120+round))
			}
			begin(pair)
		}
	}
}

// useTogether uses a session at once: many times, and then twice, where both find the same last use.
func (w *harness) useTogether(processes ...ports.Sessions) {
	w.Helper()
	s := sessionOf(someReseller, "used", noon)
	w.begins(s, session.Most)
	use := func(times []time.Time) {
		w.Helper()
		w.must(errors.Join(together(processes, func(i int, in ports.Sessions) error {
			if i >= len(times) {
				return nil
			}
			return in.UseSession(w.ctx, s.ID, times[i])
		})...), "use a session at once")
		s.Used = slices.MaxFunc(times, time.Time.Compare)
		w.hasSessions(someReseller, []session.Session{s}, "a session that was used many times at once")
	}
	for round := range rounds {
		many := make([]time.Time, 2*workers)
		for i := range many {
			many[i] = at(100*round + (7*i+3)%16)
		}
		use(many)
		use([]time.Time{at(100*round + 20 + round%2), at(100*round + 21 - round%2)})
	}
}

// useAndEndTogether uses sessions while they end.
func (w *harness) useAndEndTogether(processes ...ports.Sessions) {
	w.Helper()
	for round := range rounds {
		s, newer := sessionOf(someReseller, fmt.Sprint("used ", round), noon), sessionOf(someReseller, fmt.Sprint("newer ", round), at(1))
		w.begins(s, session.Most)
		w.must(errors.Join(together(processes, func(i int, in ports.Sessions) error {
			switch {
			case i != 1:
				return in.UseSession(w.ctx, s.ID, at(60+i))
			case round%2 == 0:
				return in.EndSession(w.ctx, s.Reseller, s.ID)
			default:
				return in.BeginSession(w.ctx, newer, 1)
			}
		})...), "use a session while it ends")
		w.gone(s.ID, "ended while it was used")
		var left []session.Session
		if round%2 != 0 {
			left = append(left, newer)
		}
		w.hasSessions(someReseller, left, "sessions without one that ended while it was used")
		if len(left) > 0 {
			w.ends(newer)
		}
	}
}

// saveTogether saves a session that it got while others use it, or one of them ends it.
func (w *harness) saveTogether(processes ...*harness) {
	w.Helper()
	save := func(in *harness, id session.ID, password string) error {
		return absent(in.store.Update(w.ctx, func(ctx context.Context, tx ports.Tx) error {
			found, err := tx.Sessions.Session(ctx, id)
			if err != nil {
				return err
			}
			found.Password = session.MarkOf(password)
			return tx.Sessions.SaveSession(ctx, found)
		}))
	}
	for round := range rounds {
		s, ended := sessionOf(someReseller, fmt.Sprint("saved ", round), noon), sessionOf(otherReseller, fmt.Sprint("ended ", round), noon)
		w.begins(s, session.Most)
		w.begins(ended, session.Most)
		w.must(errors.Join(together(processes, func(i int, in *harness) error {
			switch {
			case i%4 == 0:
				return errors.Join(in.sessions().UseSession(w.ctx, s.ID, at(60+i)), save(in, ended.ID, "changed"))
			case i == 1:
				return in.sessions().EndSession(w.ctx, ended.Reseller, ended.ID)
			default:
				return errors.Join(save(in, ended.ID, "changed"), save(in, s.ID, "changed"))
			}
		})...), "save a session while it is used, and one while it ends")
		s.Password, s.Used = session.MarkOf("changed"), at(60+(2*workers-1)/4*4)
		w.hasSessions(someReseller, []session.Session{s}, "a session that was saved while it was used")
		w.gone(ended.ID, "ended while it was saved")
		w.ends(s)
	}
}

// endTogether ends a session at once.
func (w *harness) endTogether(processes ...ports.Sessions) {
	w.Helper()
	stays := sessionOf(someReseller, "stays", noon)
	w.begins(stays, session.Most)
	for round := range rounds {
		s := sessionOf(someReseller, fmt.Sprint(round), at(round))
		w.begins(s, session.Most)
		w.oneSucceeds(together(processes, func(_ int, in ports.Sessions) error {
			return in.EndSession(w.ctx, s.Reseller, s.ID)
		}), fault.ErrNotFound, "end a session at once")
		w.gone(s.ID, "was ended by many at once")
		w.hasSessions(someReseller, []session.Session{stays}, "sessions without one that many have ended at once")
	}
}
