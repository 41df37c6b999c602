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

// accountDay is an account and a day, the key of figures.
type accountDay struct {
	account int64
	day     time.Time
}

func inOrder(of map[accountDay]journal.Figures) []accountDay {
	return slices.SortedFunc(maps.Keys(of), func(a, b accountDay) int {
		return cmp.Or(cmp.Compare(a.account, b.account), a.day.Compare(b.day))
	})
}

// sums compare figures that come in different orders and parts, in constant memory. Each figure is weighted with a
// secret hash of its account, day and name, so that one wrong figure does not make up for another. Each is in one of
// many sums, which narrows the search for a wrong one.
type sums struct {
	seed   maphash.Seed
	totals []uint64
}

// sumsKept is the number of sums.
const sumsKept = 4096

// sumsSeed is one for a process, so that its sums can be compared.
var sumsSeed = maphash.MakeSeed()

func newSums() sums { return sums{sumsSeed, make([]uint64, sumsKept)} }

// place returns the index of the sum that figures belong to.
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

// count adds to the number of changes of a line.
func (s sums) count(line, changes int64) {
	of := accountDay{account: line}
	s.totals[s.place(of)] += uint64(changes) * s.weight(of, 1) //nolint:gosec // all of it is modulo 2^64
}

// units returns the ten-thousandths of an amount of any size. Its higher digits are lost, like those of the sums.
func units(amount credit.Sum) uint64 {
	if amount.IsZero() {
		return 0
	}
	low := new(big.Int).And(amount.Shift(credit.Scale).BigInt(), new(big.Int).SetUint64(1<<64-1))
	return low.Uint64()
}

// differences returns the indexes of the sums that differ.
func (s sums) differences(other sums) (places []int) {
	for i, total := range s.totals {
		if total != other.totals[i] {
			places = append(places, i)
		}
	}
	return places
}
