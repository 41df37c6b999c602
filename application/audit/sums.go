package audit

import (
	"cmp"
	"hash/maphash"
	"maps"
	"math/big"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
)

// accountDay is what figures are of.
type accountDay struct {
	account int64
	day     time.Time
}

func inOrder(of map[accountDay]journal.Figures) []accountDay {
	return slices.SortedFunc(maps.Keys(of), func(a, b accountDay) int {
		return cmp.Or(cmp.Compare(a.account, b.account), a.day.Compare(b.day))
	})
}

// sums compare figures that come in different orders and parts, in constant memory: each figure counts as often as a
// secret hash of its account, day and name says, so that none makes up for another. Each is in one of many sums, which
// tells where to look for it.
type sums struct {
	seed   maphash.Seed
	totals []uint64
}

// sumsKept is how many sums there are.
const sumsKept = 4096

// sumsSeed is one for a process: its sums can be compared.
var sumsSeed = maphash.MakeSeed()

func newSums() sums { return sums{sumsSeed, make([]uint64, sumsKept)} }

// place returns in which of the sums figures are.
func (s sums) place(of accountDay) int { return int(s.weight(of, 0) % sumsKept) }

func (s sums) weight(of accountDay, figure int64) uint64 {
	return maphash.Comparable(s.seed, [...]int64{of.account, of.day.UnixMilli(), figure})
}

// add adds figures of an account and a day.
func (s sums) add(account int64, day time.Time, f journal.Figures) {
	of := accountDay{account, day}
	total := &s.totals[s.place(of)]
	//nolint:gosec // all of it is modulo 2^64
	counts := [...]uint64{uint64(f.Trials), uint64(f.Activations), uint64(f.Extensions), units(f.Spent), units(f.Received)}
	for i, value := range counts {
		*total += value * s.weight(of, int64(i)+1)
	}
}

// count adds to how often a line has changed.
func (s sums) count(line, changes int64) {
	of := accountDay{account: line}
	s.totals[s.place(of)] += uint64(changes) * s.weight(of, 1) //nolint:gosec // all of it is modulo 2^64
}

// units returns the ten-thousandths of an amount of any size, whose higher digits are lost like those of the sums.
func units(amount credit.Sum) uint64 {
	if amount.IsZero() {
		return 0
	}
	low := new(big.Int).And(amount.Shift(credit.Scale).BigInt(), new(big.Int).SetUint64(1<<64-1))
	return low.Uint64()
}

// differences returns the places of the sums that are not the same.
func (s sums) differences(other sums) (places []int) {
	for i, total := range s.totals {
		if total != other.totals[i] {
			places = append(places, i)
		}
	}
	return places
}
