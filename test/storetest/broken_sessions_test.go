package storetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/domain/fault"
	"resellerd/domain/session"
	"resellerd/ports"
)

// all is more than the sessions that any check begins.
const all = 1_000

// every remembers the sessions that began, to find them again.
type every struct {
	mu    sync.Mutex
	begun map[session.ID]session.Session
}

func (e *every) add(s session.Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun == nil {
		e.begun = map[session.ID]session.Session{}
	}
	e.begun[s.ID] = s
}

func (e *every) all() map[session.ID]session.Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.begun)
}

// locked has one of the calls of a process run at a time.
func locked(lock chan struct{}, do func() error) error {
	lock <- struct{}{}
	defer func() { <-lock }()
	return do()
}

// rewrites keeps a session whole, whether or not it is still there.
func rewrites(ctx context.Context, sound full, s session.Session) error {
	if err := sound.EndSession(ctx, s.Reseller, s.ID); absent(err) != nil {
		return err
	}
	return sound.BeginSession(ctx, s, all)
}

// trims begins a session and ends those beyond most in an order of its own.
func trims(ctx context.Context, sound full, s session.Session, most int, order func(a, b session.Session) int) error {
	if err := sound.BeginSession(ctx, s, all); err != nil {
		return err
	}
	there, err := sound.SessionsOf(ctx, s.Reseller)
	slices.SortFunc(there, order)
	for _, over := range there[min(most, len(there)):] {
		err = errors.Join(err, sound.EndSession(ctx, over.Reseller, over.ID))
	}
	return err
}

// makesRoom ends the oldest of the sessions that it finds, and begins one a moment later.
func makesRoom(ctx context.Context, sound full, s session.Session, most int) error {
	there, err := sound.SessionsOf(ctx, s.Reseller)
	if err != nil {
		return err
	}
	time.Sleep(tick)
	if there = newest(append(there, s), all); len(there) > most {
		for _, over := range there[most:] {
			if over.ID == s.ID {
				return nil
			}
			if err := sound.EndSession(ctx, over.Reseller, over.ID); absent(err) != nil {
				return err
			}
		}
	}
	return sound.BeginSession(ctx, s, all)
}

// writesBack reads a session and writes it whole, used, a moment later.
func writesBack(ctx context.Context, sound full, id session.ID, used time.Time) error {
	s, err := sound.Session(ctx, id)
	if err != nil || !used.After(s.Used) {
		return absent(err)
	}
	time.Sleep(tick)
	s.Used = used
	return rewrites(ctx, sound, s)
}

// looksAndEnds ends a session that it has found.
func looksAndEnds(ctx context.Context, sound full, reseller int64, id session.ID) error {
	if s, err := sound.Session(ctx, id); err != nil || s.Reseller != reseller {
		return cmp.Or(err, error(fault.ErrNotFound))
	}
	time.Sleep(tick)
	return absent(sound.EndSession(ctx, reseller, id))
}

// savingSessions saves sessions in a way of its own.
type savingSessions struct {
	ports.SessionKeeper
	save func(ctx context.Context, k ports.SessionKeeper, s session.Session) error
}

func (k savingSessions) SaveSession(ctx context.Context, s session.Session) error {
	return k.save(ctx, k.SessionKeeper, s)
}

// rememberedSessions finds sessions that are not there any more.
type rememberedSessions struct {
	ports.SessionReader
	known *every
}

func (r rememberedSessions) Session(ctx context.Context, id session.ID) (session.Session, error) {
	if s, is := r.known.all()[id]; is {
		return s, nil
	}
	return r.SessionReader.Session(ctx, id)
}

type rememberingKeeper struct {
	rememberedSessions
	keeper ports.SessionKeeper
}

func (k rememberingKeeper) SaveSession(ctx context.Context, s session.Session) error {
	return k.keeper.SaveSession(ctx, s)
}

// late is a store that keeps what an update has saved of sessions once that has ended: so far as it ended so, and what
// was said to the save is so.
func late(ended, said func(err error) bool) func(sound full) full {
	return func(sound full) full {
		return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
			var saved []session.Session
			err := sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
				saved = nil
				tx.Sessions = savingSessions{tx.Sessions, func(ctx context.Context, k ports.SessionKeeper, s session.Session) error {
					err := k.SaveSession(ctx, s)
					if said(err) {
						saved, err = append(saved, s), nil
					}
					return err
				}}
				return do(ctx, tx)
			})
			time.Sleep(tick)
			for _, s := range saved {
				if ended(err) {
					err = errors.Join(err, rewrites(ctx, sound, s))
				}
			}
			return err
		}}
	}
}

func brokenSessions() (broke []broken) {
	add := func(how string, sabotage func(sound full) full, checks ...string) {
		broke = append(broke, broken{how: how, caught: checks, sabotage: sabotage})
	}
	beginning := func(how string, begin func(ctx context.Context, sound full, s session.Session, most int) error, checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, beginSession: func(ctx context.Context, s session.Session, most int) error { return begin(ctx, sound, s, most) }}
		}, checks...)
	}
	keeping := func(how string, change func(s *session.Session), checks ...string) {
		beginning(how, func(ctx context.Context, sound full, s session.Session, most int) error {
			change(&s)
			return sound.BeginSession(ctx, s, most)
		}, checks...)
	}
	using := func(how string, use func(ctx context.Context, sound full, id session.ID, used time.Time) error, checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, useSession: func(ctx context.Context, id session.ID, used time.Time) error { return use(ctx, sound, id, used) }}
		}, checks...)
	}
	finding := func(how string, find func(ctx context.Context, sound full, id session.ID) (session.Session, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, session: func(ctx context.Context, id session.ID) (session.Session, error) { return find(ctx, sound, id) }}
		}, checks...)
	}
	listing := func(how string, change func(there []session.Session) []session.Session, checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, sessionsOf: func(ctx context.Context, reseller int64) ([]session.Session, error) {
				there, err := sound.SessionsOf(ctx, reseller)
				return change(there), err
			}}
		}, checks...)
	}
	ending := func(how string, end func(ctx context.Context, sound full, reseller int64, id session.ID) error, checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, endSession: func(ctx context.Context, reseller int64, id session.ID) error {
				return end(ctx, sound, reseller, id)
			}}
		}, checks...)
	}
	type drop = func(now time.Time, limit int) (int, error)
	dropping := func(how string, with func(now time.Time, limit int, sound drop) (int, error), checks ...string) {
		add(how, func(sound full) full {
			return &wrapped{full: sound, dropSessions: func(ctx context.Context, now time.Time, limit int) (int, error) {
				return with(now, limit, func(now time.Time, limit int) (int, error) { return sound.DropSessions(ctx, now, limit) })
			}}
		}, checks...)
	}

	const unchanged = "sessions-survive-unchanged"
	keeping("forgets the device of a session", func(s *session.Session) { s.Device = "" }, unchanged)
	keeping("trims the device of a session", func(s *session.Session) { s.Device = strings.TrimSpace(s.Device) }, unchanged)
	keeping("keeps the start of a device", func(s *session.Session) { s.Device = s.Device[:min(len(s.Device), 199)] }, unchanged)
	keeping("forgets the address of a session", func(s *session.Session) { s.Address = "" }, unchanged)
	keeping("cuts the zone of an address", func(s *session.Session) { s.Address, _, _ = strings.Cut(s.Address, "%") }, unchanged)
	keeping("forgets the password of a session", func(s *session.Session) { s.Password = session.Mark{} }, unchanged)
	keeping("keeps a part of the password's mark", func(s *session.Session) { clear(s.Password[16:]) }, unchanged)
	keeping("keeps seconds of when a session began", func(s *session.Session) { s.Created = s.Created.Truncate(time.Second) }, unchanged)
	keeping("takes a session for used when it began", func(s *session.Session) { s.Used = s.Created }, unchanged)
	keeping("keeps local times of sessions", func(s *session.Session) { s.Created = s.Created.In(time.FixedZone("there", 3600)) }, unchanged)
	keeping("keeps 32 bits of the reseller of a session", func(s *session.Session) { s.Reseller = int64(int32(s.Reseller)) }, unchanged)

	const notFound = "sessions-that-are-not-there-are-not-found"
	finding("compares ids of sessions without case", func(ctx context.Context, sound full, id session.ID) (session.Session, error) {
		return sound.Session(ctx, session.ID(strings.ToLower(string(id))))
	}, notFound)
	finding("trims ids of sessions", func(ctx context.Context, sound full, id session.ID) (session.Session, error) {
		return sound.Session(ctx, session.ID(strings.TrimSpace(string(id))))
	}, notFound)
	finding("finds sessions by the start of an id", func(ctx context.Context, sound full, id session.ID) (session.Session, error) {
		return sound.Session(ctx, id[:min(len(id), 32)])
	}, notFound)
	finding("finds an empty session where there is none", func(ctx context.Context, sound full, id session.ID) (session.Session, error) {
		s, err := sound.Session(ctx, id)
		return s, absent(err)
	}, notFound)
	finding("can't read ids that are none", func(ctx context.Context, sound full, id session.ID) (session.Session, error) {
		if strings.Trim(string(id), "0123456789abcdef") != "" {
			return session.Session{}, ports.ErrUnavailable
		}
		return sound.Session(ctx, id)
	}, notFound)

	const oldest = "a-session-that-begins-ends-the-oldest"
	beginning("keeps all sessions", func(ctx context.Context, sound full, s session.Session, _ int) error {
		return sound.BeginSession(ctx, s, all)
	}, oldest)
	beginning("begins no session where there are enough", func(ctx context.Context, sound full, s session.Session, most int) error {
		there, err := sound.SessionsOf(ctx, s.Reseller)
		if err != nil || len(there) >= most {
			return err
		}
		return sound.BeginSession(ctx, s, most)
	}, oldest)
	beginning("ends one session for each that begins", func(ctx context.Context, sound full, s session.Session, most int) error {
		there, err := sound.SessionsOf(ctx, s.Reseller)
		return errors.Join(err, sound.BeginSession(ctx, s, max(most, len(there))))
	}, oldest)
	for how, order := range map[string]func(a, b session.Session) int{
		"ends sessions that were not used for longest": func(a, b session.Session) int {
			return cmp.Or(b.Used.Compare(a.Used), b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
		},
		"ends the greater id of one instant": func(a, b session.Session) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) },
		"ends the newest sessions":           func(a, b session.Session) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(b.ID, a.ID)) },
		"counts by the device in one instant": func(a, b session.Session) int {
			return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.Device, a.Device))
		},
	} {
		beginning(how, func(ctx context.Context, sound full, s session.Session, most int) error {
			return trims(ctx, sound, s, most, order)
		}, oldest)
	}
	beginning("keeps a session that begins, however old", func(ctx context.Context, sound full, s session.Session, most int) error {
		return trims(ctx, sound, s, most, func(a, b session.Session) int {
			switch s.ID {
			case a.ID:
				return -1
			case b.ID:
				return 1
			}
			return b.Created.Compare(a.Created)
		})
	}, oldest)
	add("keeps the newest sessions of all resellers together", func(sound full) full {
		var begun every
		return &wrapped{full: sound, beginSession: func(ctx context.Context, s session.Session, most int) error {
			begun.add(s)
			err := sound.BeginSession(ctx, s, most)
			there := newest(slices.Collect(maps.Values(begun.all())), all)
			for _, over := range there[min(most, len(there)):] {
				err = errors.Join(err, absent(sound.EndSession(ctx, over.Reseller, over.ID)))
			}
			return err
		}}
	}, oldest)
	const begunAtOnce = "sessions-that-begin-at-once-are-as-many-as-may-be"
	beginning("makes room for a session and then begins it", makesRoom, begunAtOnce)

	const lastUse, latestUse = "the-last-use-of-a-session-never-goes-back", "the-latest-of-many-uses-of-a-session-is-kept"
	using("keeps the use that it was told of last", func(ctx context.Context, sound full, id session.ID, used time.Time) error {
		s, err := sound.Session(ctx, id)
		if err != nil {
			return absent(err)
		}
		s.Used = used
		return rewrites(ctx, sound, s)
	}, lastUse)
	using("keeps a use now and then", func(ctx context.Context, sound full, id session.ID, used time.Time) error {
		if s, err := sound.Session(ctx, id); err == nil && used.Sub(s.Used) < session.SavedEvery {
			return nil
		}
		return sound.UseSession(ctx, id, used)
	}, lastUse)
	using("keeps no use", func(context.Context, full, session.ID, time.Time) error { return nil }, lastUse, latestUse)
	using("uses all sessions of a reseller", func(ctx context.Context, sound full, id session.ID, used time.Time) error {
		s, err := sound.Session(ctx, id)
		there, listed := sound.SessionsOf(ctx, s.Reseller)
		for _, s := range there {
			listed = errors.Join(listed, sound.UseSession(ctx, s.ID, used))
		}
		return errors.Join(absent(err), listed)
	}, lastUse)
	const revives, revivesBeside = "a-use-of-no-session-changes-nothing", "a-use-beside-the-end-of-a-session-never-revives-it"
	using("writes a session that is used back whole", writesBack, latestUse, revivesBeside)
	using("refuses to use a session that is not there", func(ctx context.Context, sound full, id session.ID, used time.Time) error {
		_, err := sound.Session(ctx, id)
		return errors.Join(err, sound.UseSession(ctx, id, used))
	}, revives)
	add("begins a session that is used and not there", func(sound full) full {
		var begun every
		return &wrapped{full: sound,
			beginSession: func(ctx context.Context, s session.Session, most int) error {
				begun.add(s)
				return sound.BeginSession(ctx, s, most)
			},
			useSession: func(ctx context.Context, id session.ID, used time.Time) error {
				s, known := begun.all()[id]
				if _, err := sound.Session(ctx, id); known && err != nil {
					s.Used = used
					return sound.BeginSession(ctx, s, all)
				}
				return sound.UseSession(ctx, id, used)
			}}
	}, revives, revivesBeside)

	const list = "the-sessions-of-a-reseller-are-all-that-are-there"
	listing("lists the oldest session first", func(there []session.Session) []session.Session {
		slices.Reverse(there)
		return there
	}, list)
	listing("lists the session first that was used last", func(there []session.Session) []session.Session {
		slices.SortFunc(there, func(a, b session.Session) int { return b.Used.Compare(a.Used) })
		return there
	}, unchanged)
	listing("hides sessions that are over", func(there []session.Session) []session.Session {
		return slices.DeleteFunc(there, func(s session.Session) bool { return !s.Good(noon) })
	}, list)
	listing("hides sessions of tomorrow", func(there []session.Session) []session.Session {
		return slices.DeleteFunc(there, func(s session.Session) bool { return s.Created.After(noon.Add(session.Idle)) })
	}, list)
	listing("hides all but the newest sessions", func(there []session.Session) []session.Session { return there[:min(4, len(there))] }, list)
	add("shows the sessions of all resellers", func(sound full) full {
		return &wrapped{full: sound, sessionsOf: func(ctx context.Context, _ int64) ([]session.Session, error) {
			there, err := sound.SessionsOf(ctx, someReseller)
			others, other := sound.SessionsOf(ctx, otherReseller)
			return newest(append(there, others...), all), errors.Join(err, other)
		}}
	}, list)

	const endsOnce, endedAtOnce = "a-session-is-ended-by-its-reseller-once", "one-of-many-ends-of-a-session-removes-it"
	ending("ends sessions of any reseller", func(ctx context.Context, sound full, _ int64, id session.ID) error {
		s, err := sound.Session(ctx, id)
		return cmp.Or(err, sound.EndSession(ctx, s.Reseller, id))
	}, endsOnce)
	ending("ends a session and says nothing where there is none", func(ctx context.Context, sound full, reseller int64, id session.ID) error {
		return absent(sound.EndSession(ctx, reseller, id))
	}, endsOnce, endedAtOnce)
	ending("ends no session", func(context.Context, full, int64, session.ID) error { return nil }, endsOnce, notFound)
	ending("ends all sessions of a reseller", func(ctx context.Context, sound full, reseller int64, id session.ID) error {
		err := sound.EndSession(ctx, reseller, id)
		there, listed := sound.SessionsOf(ctx, reseller)
		for _, s := range there {
			listed = errors.Join(listed, sound.EndSession(ctx, reseller, s.ID))
		}
		return errors.Join(err, listed)
	}, endsOnce)
	ending("refuses to end a session in a way of its own", func(ctx context.Context, sound full, reseller int64, id session.ID) error {
		return instead(fault.ErrNotFound, errors.New("no such session"))(sound.EndSession(ctx, reseller, id))
	}, endsOnce, endedAtOnce)
	ending("looks for a session and then ends it", looksAndEnds, endedAtOnce)

	const saved, unsaved, savedAtOnce = "a-session-is-saved-with-its-update-or-not-at-all", "a-session-that-is-not-there-is-not-saved",
		"a-save-beside-the-end-or-a-use-of-a-session-loses-neither"
	add("forgets to save a session", forgetting(sessionSave), saved, savedAtOnce)
	saving := func(how string, save func(ctx context.Context, k ports.SessionKeeper, s session.Session) error, checks ...string) {
		add(how, by(patchedTx, func(tx *ports.Tx) { tx.Sessions = savingSessions{tx.Sessions, save} }), checks...)
	}
	for how, change := range map[string]func(to *session.Session, from session.Session){
		"the password":  func(to *session.Session, from session.Session) { to.Password = from.Password },
		"the device":    func(to *session.Session, from session.Session) { to.Device = from.Device },
		"the address":   func(to *session.Session, from session.Session) { to.Address = from.Address },
		"the beginning": func(to *session.Session, from session.Session) { to.Created = from.Created },
		"the last use":  func(to *session.Session, from session.Session) { to.Used = from.Used },
	} {
		saving("leaves "+how+" of a session that is saved", func(ctx context.Context, k ports.SessionKeeper, s session.Session) error {
			before, err := k.Session(ctx, s.ID)
			if err != nil {
				return err
			}
			change(&s, before)
			return k.SaveSession(ctx, s)
		}, saved)
	}
	saving("says nothing of a session to save that is not there", func(ctx context.Context, k ports.SessionKeeper, s session.Session) error {
		return absent(k.SaveSession(ctx, s))
	}, unsaved)
	committed, there := func(err error) bool { return err == nil }, func(err error) bool { return err == nil }
	add("saves a session whatever becomes of the update", late(func(error) bool { return true }, there), saved)
	add("saves sessions that are not there", late(committed, func(error) bool { return true }), unsaved)
	add("saves a session later than its update", late(committed, there), savedAtOnce)
	for how, patch := range map[string]func(known *every) func(full) full{
		"in a view": func(known *every) func(full) full {
			return by(patchedView, func(s *ports.Snapshot) { s.Sessions = rememberedSessions{s.Sessions, known} })
		},
		"in an update": func(known *every) func(full) full {
			return by(patchedTx, func(tx *ports.Tx) {
				tx.Sessions = rememberingKeeper{rememberedSessions{tx.Sessions, known}, tx.Sessions}
			})
		},
	} {
		add("remembers sessions that it has read "+how, func(sound full) full {
			known := new(every)
			w := patch(known)(sound).(*wrapped)
			w.beginSession = func(ctx context.Context, s session.Session, most int) error {
				known.add(s)
				return sound.BeginSession(ctx, s, most)
			}
			return w
		}, notFound, "a-use-of-no-session-changes-nothing")
	}

	const over, limited, clamped = "sessions-that-are-over-are-dropped", "no-more-sessions-than-limit-are-dropped", "sessions-dated-ahead-are-clamped"
	dropping("keeps sessions that are over now", func(now time.Time, limit int, sound drop) (int, error) {
		return sound(now.Add(-time.Millisecond), limit)
	}, over)
	dropping("drops sessions that are about to be over", func(now time.Time, limit int, sound drop) (int, error) {
		return sound(now.Add(time.Millisecond), limit)
	}, over)
	dropping("drops no sessions", func(time.Time, int, drop) (int, error) { return 0, nil }, over, limited)
	dropping("drops whatever sessions there are", func(now time.Time, limit int, sound drop) (int, error) { return sound(now.AddDate(100, 0, 0), limit) }, over)
	for how, clamps := range map[string]func(s session.Session, now time.Time) session.Session{
		"leaves sessions that are dated ahead":         func(s session.Session, _ time.Time) session.Session { return s },
		"leaves the beginning of sessions dated ahead": func(s session.Session, now time.Time) session.Session { s.Used = s.Clamped(now).Used; return s },
		"leaves the last use of sessions dated ahead":  func(s session.Session, now time.Time) session.Session { s.Created = s.Clamped(now).Created; return s },
	} {
		add(how, func(sound full) full {
			return &wrapped{full: sound, dropSessions: func(ctx context.Context, now time.Time, limit int) (int, error) {
				before, err := sound.SessionsOf(ctx, someReseller)
				n, dropped := sound.DropSessions(ctx, now, limit)
				err = errors.Join(err, dropped)
				for _, s := range before {
					if kept, missing := sound.Session(ctx, s.ID); missing == nil && kept != s {
						err = errors.Join(err, rewrites(ctx, sound, clamps(s, now)))
					}
				}
				return n, err
			}}
		}, clamped)
	}
	for how, good := range map[string]func(s session.Session, now time.Time) bool{
		"drops sessions by their last use alone":  func(s session.Session, now time.Time) bool { return now.Before(s.Used.Add(session.Idle)) },
		"drops sessions by their beginning alone": func(s session.Session, now time.Time) bool { return now.Before(s.EndsAt()) },
		"forgets that sessions were used":         func(s session.Session, now time.Time) bool { return now.Before(s.Created.Add(session.Idle)) },
		"drops sessions of tomorrow":              func(s session.Session, now time.Time) bool { return s.Good(now) && !s.Created.After(now) },
	} {
		add(how, func(sound full) full {
			var begun every
			return &wrapped{full: sound,
				beginSession: func(ctx context.Context, s session.Session, most int) error {
					begun.add(s)
					return sound.BeginSession(ctx, s, most)
				},
				dropSessions: func(ctx context.Context, now time.Time, limit int) (dropped int, err error) {
					for id := range begun.all() {
						if s, missing := sound.Session(ctx, id); missing == nil && dropped < limit && !good(s, now) {
							dropped++
							if err := sound.EndSession(ctx, s.Reseller, id); err != nil {
								return dropped, err
							}
						}
					}
					return dropped, err
				}}
		}, over)
	}
	dropping("ignores the limit of sessions", func(now time.Time, limit int, sound drop) (int, error) {
		n, err := sound(now, all)
		return min(n, limit), err
	}, limited, clamped)
	dropping("takes limit 0 for no limit of sessions", func(now time.Time, limit int, sound drop) (int, error) {
		return sound(now, cmp.Or(limit, all))
	}, limited)
	dropping("counts sessions and does not drop them", func(_ time.Time, limit int, _ drop) (int, error) { return limit, nil }, limited)
	dropping("drops sessions and does not count them", func(now time.Time, limit int, sound drop) (int, error) {
		_, err := sound(now, limit)
		return 0, err
	}, limited, over)

	for how, as := range map[string]error{"serves after its end": nil, "fails in a way of its own after its end": errors.New("closed")} {
		says := instead(ports.ErrUnavailable, as)
		const closed = "closed-stores-keep-no-sessions"
		beginning(how+": begin a session", func(ctx context.Context, sound full, s session.Session, most int) error {
			return says(sound.BeginSession(ctx, s, most))
		}, closed)
		using(how+": use a session", func(ctx context.Context, sound full, id session.ID, used time.Time) error {
			return says(sound.UseSession(ctx, id, used))
		}, closed)
		finding(how+": get a session", func(ctx context.Context, sound full, id session.ID) (session.Session, error) {
			s, err := sound.Session(ctx, id)
			return s, says(err)
		}, closed)
		ending(how+": end a session", func(ctx context.Context, sound full, reseller int64, id session.ID) error {
			return says(sound.EndSession(ctx, reseller, id))
		}, closed)
		dropping(how+": drop sessions", func(now time.Time, limit int, sound drop) (int, error) {
			n, err := sound(now, limit)
			return n, says(err)
		}, closed)
		add(how+": list sessions", func(sound full) full {
			return &wrapped{full: sound, sessionsOf: func(ctx context.Context, reseller int64) ([]session.Session, error) {
				there, err := sound.SessionsOf(ctx, reseller)
				return there, says(err)
			}}
		}, closed)
	}

	add("leaves the sessions of a store that becomes a copy", func(sound full) full {
		return &wrapped{full: sound, beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
			there, err := sound.SessionsOf(ctx, someReseller)
			importer, begun := sound.BeginCopy(ctx, origin, restart)
			for _, s := range there {
				err = errors.Join(err, sound.BeginSession(ctx, s, all))
			}
			return importer, errors.Join(begun, err)
		}}
	}, "copies-have-no-sessions")

	return append(broke, brokenSessionsOfProcesses()...)
}

// brokenSessionsOfProcesses are stores that work in one process.
func brokenSessionsOfProcesses() []broken {
	const survive, same = "sessions-survive-reopening", "processes-have-the-same-sessions"
	inProcess := func(how string, sabotage func(records full) full, checks ...string) broken {
		return broken{how: how, caught: checks, sabotage: sabotage,
			reopen: func(old full) full { return sabotage(old.(*wrapped).full) },
			beside: func(open full) full { return sabotage(open.(*wrapped).full) }}
	}
	// oneByOne replaces some of the calls by others that run one by one in a process.
	oneByOne := func(replace func(w *wrapped, records full, lock chan struct{})) func(records full) full {
		return func(records full) full {
			w := process(records).(*wrapped)
			replace(w, records, make(chan struct{}, 1))
			return w
		}
	}
	return []broken{
		inProcess("keeps sessions in the process", func(records full) full {
			w, own := process(records).(*wrapped), memstore.New()
			w.beginSession, w.session, w.sessionsOf = own.BeginSession, own.Session, own.SessionsOf
			w.useSession, w.endSession, w.dropSessions = own.UseSession, own.EndSession, own.DropSessions
			return w
		}, survive, same),
		inProcess("keeps uses of sessions in the process", func(records full) full {
			w := process(records).(*wrapped)
			var uses every // by the sessions as they are used
			current := func(s session.Session) session.Session {
				if last, is := uses.all()[s.ID]; is {
					s.Used = last.Used
				}
				return s
			}
			w.useSession = func(ctx context.Context, id session.ID, used time.Time) error {
				s, err := records.Session(ctx, id)
				if err == nil && used.After(current(s).Used) {
					s.Used = used
					uses.add(s)
				}
				return absent(err)
			}
			w.session = func(ctx context.Context, id session.ID) (session.Session, error) {
				s, err := records.Session(ctx, id)
				return current(s), err
			}
			w.sessionsOf = func(ctx context.Context, reseller int64) ([]session.Session, error) {
				there, err := records.SessionsOf(ctx, reseller)
				return mapped(there, current), err
			}
			return w
		}, survive, same),
		inProcess("ends sessions in the process", func(records full) full {
			w := process(records).(*wrapped)
			var ended every
			w.endSession = func(ctx context.Context, reseller int64, id session.ID) error {
				s, err := w.session(ctx, id)
				if err == nil && s.Reseller != reseller {
					err = fault.ErrNotFound
				}
				if err == nil {
					ended.add(s)
				}
				return err
			}
			w.session = func(ctx context.Context, id session.ID) (session.Session, error) {
				if _, is := ended.all()[id]; is {
					return session.Session{}, fault.ErrNotFound
				}
				return records.Session(ctx, id)
			}
			w.sessionsOf = func(ctx context.Context, reseller int64) ([]session.Session, error) {
				there, err := records.SessionsOf(ctx, reseller)
				return slices.DeleteFunc(there, func(s session.Session) bool { _, is := ended.all()[s.ID]; return is }), err
			}
			return w
		}, survive, same),
		inProcess("remembers sessions that it has read", func(records full) full {
			w := process(records).(*wrapped)
			var known atomic.Pointer[every]
			known.Store(new(every))
			forget := func() { known.Store(new(every)) }
			w.session = func(ctx context.Context, id session.ID) (session.Session, error) {
				if s, is := known.Load().all()[id]; is {
					return s, nil
				}
				s, err := records.Session(ctx, id)
				if err == nil {
					known.Load().add(s)
				}
				return s, err
			}
			w.beginSession = func(ctx context.Context, s session.Session, most int) error {
				defer forget()
				return records.BeginSession(ctx, s, most)
			}
			w.useSession = func(ctx context.Context, id session.ID, used time.Time) error {
				defer forget()
				return records.UseSession(ctx, id, used)
			}
			w.endSession = func(ctx context.Context, reseller int64, id session.ID) error {
				defer forget()
				return records.EndSession(ctx, reseller, id)
			}
			w.dropSessions = func(ctx context.Context, now time.Time, limit int) (int, error) {
				defer forget()
				return records.DropSessions(ctx, now, limit)
			}
			return w
		}, same),
		inProcess("begins sessions one by one in a process alone", oneByOne(func(w *wrapped, records full, lock chan struct{}) {
			w.beginSession = func(ctx context.Context, s session.Session, most int) error {
				return locked(lock, func() error { return makesRoom(ctx, records, s, most) })
			}
		}), "sessions-that-begin-at-once-in-two-processes-are-as-many-as-may-be"),
		inProcess("writes sessions one by one in a process alone", oneByOne(func(w *wrapped, records full, lock chan struct{}) {
			w.useSession = func(ctx context.Context, id session.ID, used time.Time) error {
				return locked(lock, func() error { return writesBack(ctx, records, id, used) })
			}
			w.endSession = func(ctx context.Context, reseller int64, id session.ID) error {
				return locked(lock, func() error { return records.EndSession(ctx, reseller, id) })
			}
		}), "the-latest-of-many-uses-in-two-processes-is-kept", "a-use-in-another-process-never-revives-a-session"),
		inProcess("saves sessions after an update in another process", late(
			func(err error) bool { return err == nil }, func(err error) bool { return err == nil },
		), "a-save-in-another-process-loses-neither-the-end-nor-a-use-of-a-session"),
		inProcess("ends sessions one by one in a process alone", oneByOne(func(w *wrapped, records full, lock chan struct{}) {
			w.endSession = func(ctx context.Context, reseller int64, id session.ID) error {
				return locked(lock, func() error { return looksAndEnds(ctx, records, reseller, id) })
			}
		}), "one-of-many-ends-in-two-processes-removes-a-session"),
	}
}
