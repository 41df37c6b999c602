package bench

import (
	"testing"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
)

// BenchmarkDomain runs the rules alone: what a command may cost at least.
func BenchmarkDomain(b *testing.B) {
	provenance := credit.Provenance{ID: 1, Actor: 2, Request: "01a1fdb1-b618-7e37-a278-f890978cb119", At: epoch}
	price := fixture.Price("1")
	owner := fixture.Reseller(fixture.Admin(1), 2, fixture.Holding("1000000000"))
	state, trial := owner.State(), fixture.Trial(owner, 1).State()

	b.Run("activation", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			// Restored, as a store does: so it is the same balance each time.
			payer, err := reseller.Restore(state)
			if err != nil {
				b.Fatal(err)
			}
			l, err := line.Restore(trial)
			if err != nil {
				b.Fatal(err)
			}
			details := line.Details{Username: trial.Username, Password: trial.Password,
				Description: line.Description{Country: new(fixture.Text("BR"))}}
			if _, err := l.Activate(payer, price, details, 1, provenance); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("name", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := profile.ParseUsername("João.TV-2026"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("amount", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := credit.Parse("12345678.5"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
