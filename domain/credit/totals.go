package credit

import "github.com/shopspring/decimal"

// Sum is an exact sum of amounts, of any size and sign.
type Sum = decimal.Decimal

// Totals are exact sums over the whole ledger, all resellers and all lines, of any size.
type Totals struct {
	Issued    Sum // from issuance, less what went back
	Consumed  Sum
	Balances  Sum // of all resellers, as their records say
	Movements int64
	Last      int64 // largest id of a movement, 0 if there is none
	Imported  int64 // lines that are official without a movement: they were taken over from other systems
}

// Balanced reports whether every credit that was issued was either consumed or is on a reseller.
func (t Totals) Balanced() bool { return t.Issued.Equal(t.Consumed.Add(t.Balances)) }
