package audit

import (
	"context"
	"hash/maphash"
	"math"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// nameOf checks that a name is compared as it is shown.
func (a *auditor) nameOf(of kind, id int64, name profile.Username) {
	if !name.IsCanonical() {
		a.Find("%s %d: its name %q is not what is compared as %q", of.name, id, name, name.Key())
	}
}

// platformID checks that no other line has the platform id of a line.
func (a *auditor) platformID(s line.State) {
	if s.Trial {
		return
	}
	a.given(ports.PlatformIDs, s.PlatformID, "line %d: it has a platform id that was not given yet", s.ID)
	if !a.platforms.add(s.PlatformID) {
		a.Find("line %d: another line has its platform id, %d", s.ID, s.PlatformID)
	}
}

// numbers is a set of numbers that are mostly near each other: one word holds 64 of them.
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

// has reports whether the number is in the set.
func (s numbers) has(n int64) bool { return s[n>>6]&(1<<(n&63)) != 0 }

// mostStrays bounds how many ids beyond a sequence are reported one by one: if the sequence was set back, more would
// add nothing.
const mostStrays = 20

// given reports an id that its sequence has not assigned yet, and so may assign to another record.
func (a *auditor) given(by ports.Sequence, id int64, format string, args ...any) {
	if id < a.origin.Next[by] {
		return
	}
	if a.strays[by]++; a.strays[by] <= mostStrays {
		a.Find(format, args...)
	}
}

// sequences counts the ids that given did not report one by one.
func (a *auditor) sequences(context.Context) error {
	for _, of := range ports.Sequences() {
		if more := a.strays[of] - mostStrays; more > 0 {
			a.Find("sequence %s: it goes on with %d, and %d more ids are not less", of, a.origin.Next[of], more)
		}
	}
	return nil
}

// sharedHashes finds resellers that have the password hash of another one. Hashes are salted, so only a copy is the
// same. It reads the resellers again only if two digests are the same.
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
	for after, highest := int64(math.MinInt64), int64(math.MinInt64); ; {
		page, err := a.stored.Resellers(ctx, after, auditing.PageSize)
		a.saw(len(page))
		if err != nil || len(page) == 0 {
			return err
		}
		for _, f := range page {
			if f.Damage != nil {
				continue
			}
			if f.ID <= highest {
				return nil // each reports it
			}
			highest = f.ID
			hash := f.Record.PasswordHash()
			if hash == "" || !suspects[maphash.String(a.seed, hash)] {
				continue
			}
			if id, taken := first[hash]; taken {
				a.Find("account %d: it has the password hash of account %d", f.ID, id)
			} else {
				first[hash] = f.ID
			}
		}
		after = page[len(page)-1].ID
	}
}
