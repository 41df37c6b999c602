package credit_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/test/expect"
)

func TestBalanced(t *testing.T) {
	for _, c := range []struct {
		issued, consumed, balances string
		want                       bool
	}{
		{"0", "0", "0", true},
		{"10", "2.5", "7.5", true},
		{"10", "2.5", "7.4999", false},
		{"10", "2.5", "7.5001", false},
		// One ten-thousandth more than any int64 or float64 represents.
		{"123456789012345678901234567890.0001", "0.0001", "123456789012345678901234567890", true},
		{"123456789012345678901234567890.0001", "0", "123456789012345678901234567890", false},
	} {
		totals := credit.Totals{
			Issued:   decimal.RequireFromString(c.issued),
			Consumed: decimal.RequireFromString(c.consumed),
			Balances: decimal.RequireFromString(c.balances),
		}
		expect.Equal(t, totals.Balanced(), c.want,
			"%s issued, %s consumed, %s held: balanced", c.issued, c.consumed, c.balances)
	}
}
