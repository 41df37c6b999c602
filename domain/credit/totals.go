package credit

import "github.com/shopspring/decimal"

// Totals are exact sums over the whole ledger and all accounts, of any size.
type Totals struct {
	Issued    decimal.Decimal // from issuance, less what went back
	Consumed  decimal.Decimal
	Balances  decimal.Decimal // of all accounts, as their records say
	Movements int64
}

// Balanced reports whether every credit that was issued was either consumed or
// is on an account.
func (t Totals) Balanced() bool { return t.Issued.Equal(t.Consumed.Add(t.Balances)) }
