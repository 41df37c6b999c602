package storekit_test

import (
	"testing"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/test/fixture"
)

// FuzzSides checks that JoinSides restores each movement that Sides splits, and that one of the two refuses all others.
func FuzzSides(f *testing.F) {
	f.Add("issuance", int64(0), int64(0), int64(0), byte(0), "", int64(7), int64(1), int64(5), byte(1))
	f.Add("", int64(7), int64(2), int64(5), byte(1), "consumption", int64(0), int64(0), int64(0), byte(0))
	f.Add("issuance", int64(1), int64(1), int64(0), byte(9), "", int64(1), int64(2), int64(3), byte(4))
	f.Add("", int64(7), int64(2), int64(5), byte(1), "", int64(7), int64(3), int64(5), byte(1))
	f.Fuzz(func(t *testing.T, s1 string, r1, q1, b1 int64, h1 byte, s2 string, r2, q2, b2 int64, h2 byte) {
		side := func(system string, reseller, seq, balance int64, hash byte) storekit.Side {
			if _, err := credit.FromUnits(balance); err != nil {
				balance = 0
			}
			return storekit.Side{System: system, Posting: credit.Posting{
				Reseller: reseller, Balance: fixture.Units(balance), Tip: credit.Tip{Seq: seq, Hash: credit.Hash{31: hash}},
			}}
		}
		source, target := side(s1, r1, q1, b1, h1), side(s2, r2, q2, b2, h2)
		var m credit.Movement
		if storekit.JoinSides(&m, source, target) != nil {
			return
		}
		from, to, err := storekit.Sides(m)
		same := func(a, b storekit.Side) bool {
			return a.System == b.System && a.Posting.Reseller == b.Posting.Reseller && a.Posting.Tip == b.Posting.Tip &&
				a.Posting.Balance.Equal(b.Posting.Balance)
		}
		if err == nil && (!same(from, source) || !same(to, target)) {
			t.Fatalf("%+v and %+v come back as %+v and %+v", source, target, from, to)
		}
	})
}
