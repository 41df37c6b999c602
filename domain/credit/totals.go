package credit

import "github.com/shopspring/decimal"

// Totals are exact sums over the whole ledger and all resellers, of any size.
type Totals struct {
	Issued    decimal.Decimal // from issuance, less what went back
	Consumed  decimal.Decimal
	Balances  decimal.Decimal // of all resellers, as their records say
	Movements int64
}

// Balanced reports whether every credit that was issued was either consumed or is on a reseller.
func (t Totals) Balanced() bool { return t.Issued.Equal(t.Consumed.Add(t.Balances)) }
