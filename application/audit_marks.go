package application

import (
	"context"
	"hash/maphash"
	"math"
	"slices"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// roles checks that who made a movement could do so. Roles and places never change,
// so what a reseller has done tells of its own.
func (a *auditor) roles(m credit.Movement) {
	actor, is := a.resellers.get(m.Actor)
	switch is {
	case missing:
		a.find("movement %d: account %d, which made it, is missing", m.ID, m.Actor)
		return
	case damaged: // it is named where the resellers are examined
		return
	case there:
	}
	id := otherThanActor(m)
	if other, is := a.resellers.get(id); is == there && !actor.CouldMake(m, other) {
		a.find("movement %d: by their roles and places account %d could not make it with account %d", m.ID, m.Actor, id)
	}
}

// otherThanActor returns the reseller that was funded, that credits were reclaimed
// from, or that paid for a line.
func otherThanActor(m credit.Movement) int64 {
	switch m.Operation {
	case credit.Opening, credit.Recharge:
		return m.Target.ResellerID()
	case credit.Reclaim:
		return m.Source.ResellerID()
	default:
		return m.Postings[0].Reseller // an admin's too, which issuance stands for
	}
}

// deleted checks that a line that was paid for and is not there has left a tombstone
// that knows of it.
func (a *auditor) deleted(m credit.Movement) {
	t, is := a.tombstones.get(m.Line)
	switch {
	case is == there && m.Operation == credit.Activation && t.Charge != m.ID:
		a.find("tombstone %d: movement %d activated the line, and movement %d is named as its charge", m.Line, m.ID, t.Charge)
	case is == there && t.Charge == 0:
		a.find("tombstone %d: it is of a trial, and movement %d paid for the line", m.Line, m.ID)
	case is == missing && !m.At.Before(a.origin.TombstonesSince):
		a.find("movement %d: line %d, which it paid for, is missing and has left no tombstone", m.ID, m.Line)
	case is == missing && m.Operation == credit.Activation:
		a.verdict.Unrecorded++
	}
}

func (a *auditor) namedByTombstone(t line.Tombstone) {
	a.lines.name(t.Line)
	a.resellers.name(t.Actor)
	if t.Charge != 0 {
		a.movements.name(t.Charge)
	}
}

// tombstone checks that the line is gone, and that what was paid for it was. That it
// is not of another charge shows where the movements are examined.
func (a *auditor) tombstone(t line.Tombstone) {
	if _, is := a.lines.get(t.Line); is != missing {
		a.find("tombstone %d: the line is still there", t.Line)
	}
	if _, is := a.resellers.get(t.Actor); is == missing {
		a.find("tombstone %d: account %d, which deleted the line, is missing", t.Line, t.Actor)
	}
	if t.Charge == 0 {
		return
	}
	m, is := a.movements.get(t.Charge)
	if is == missing {
		a.find("tombstone %d: movement %d, the charge of the line, is missing", t.Line, t.Charge)
	}
	if is == there && (m.Operation != credit.Activation || m.Line != t.Line) {
		a.find("tombstone %d: movement %d is not the charge of the line", t.Line, t.Charge)
	}
}

func (a *auditor) nameOf(of kind, id int64, name profile.Username) {
	if !name.Sound() {
		a.find("%s %d: its name %q is not what is compared as %q", of.name, id, name, name.Key())
	}
}

// platformID checks that no other line has the platform id of a line.
func (a *auditor) platformID(s line.State) {
	if s.Trial {
		return
	}
	a.given(ports.PlatformIDs, s.PlatformID, "line %d: it has a platform id that was not given yet", s.ID)
	if !a.platforms.add(s.PlatformID) {
		a.find("line %d: another line has its platform id, %d", s.ID, s.PlatformID)
	}
}

// numbers is a set of numbers that are mostly near each other: 64 of them share a word.
type numbers map[int64]uint64

// add reports whether the number was not in the set yet.
func (s numbers) add(n int64) bool {
	word, bit := n>>6, uint64(1)<<(n&63)
	if s[word]&bit != 0 {
		return false
	}
	s[word] |= bit
	return true
}

// mostStrays bounds how many ids beyond a sequence are found one by one: where the
// sequence was set back, more say nothing new.
const mostStrays = 20

// given finds an id that its sequence has not given: it may be given again.
func (a *auditor) given(by ports.Sequence, id int64, format string, args ...any) {
	if id < a.origin.Next[by] {
		return
	}
	if a.strays[by]++; a.strays[by] <= mostStrays {
		a.find(format, args...)
	}
}

func (a *auditor) sequences() {
	for _, of := range ports.Sequences() {
		if more := a.strays[of] - mostStrays; more > 0 {
			a.find("sequence %s: it goes on with %d, and %d more ids are not less", of, a.origin.Next[of], more)
		}
	}
}

// sharedHashes finds resellers that have the password hash of another. Hashes are
// salted, so that only a copy is the same. It reads the resellers again only where
// two digests are the same.
func (a *auditor) sharedHashes(ctx context.Context) error {
	slices.Sort(a.hashes)
	suspects := map[uint64]bool{}
	for i := 1; i < len(a.hashes); i++ {
		if a.hashes[i] == a.hashes[i-1] {
			suspects[a.hashes[i]] = true
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	first := map[string]int64{}
	for after := int64(math.MinInt64); ; {
		page, err := a.stored.Resellers(ctx, after, auditPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, f := range page {
			if f.Damage != nil {
				continue
			}
			hash := f.Record.PasswordHash()
			if hash == "" || !suspects[maphash.String(a.seed, hash)] {
				continue
			}
			if id, taken := first[hash]; taken {
				a.find("account %d: it has the password hash of account %d", f.ID, id)
			} else {
				first[hash] = f.ID
			}
		}
		after = page[len(page)-1].ID
	}
}
