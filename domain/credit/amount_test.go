package credit_test

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text  string
		units int64
		err   error
	}{
		{"0", 0, nil},
		{"-0", 0, nil},
		{"0e99999999999", 0, nil},
		{"0.5", 5000, nil},
		{"12.3456", 12_3456, nil},
		{"1e-4", 1, nil},
		{"0.00001e1", 1, nil},
		{"999999999.9999", 999_999_999_9999, nil},
		{"1." + strings.Repeat("0", 62), 1_0000, nil}, // 64 characters

		{"1." + strings.Repeat("0", 63), 0, credit.ErrNotANumber}, // 65 characters
		{"", 0, credit.ErrNotANumber},
		{"+1", 0, credit.ErrNotANumber},
		{"01", 0, credit.ErrNotANumber},
		{"NaN", 0, credit.ErrNotANumber},

		{"-1", 0, credit.ErrNegative},
		{"-1e-999999999", 0, credit.ErrNegative},
		{"1e-5", 0, credit.ErrDecimalPlaces},
		{"1000000000.0001", 0, credit.ErrTooLarge},
		{"18446744073709551617", 0, credit.ErrTooLarge}, // 2⁶⁴+1
	} {
		got, err := credit.Parse(c.text)
		expect.Error(t, err, c.err, "%q", c.text)
		expect.Equal(t, got.Units(), c.units, "%q: units", c.text)
	}
}

func TestHostileNumbersCostNoMemory(t *testing.T) {
	for _, text := range []string{"1e999999999", "1e-999999999", "-1e999999999", "NaN", strings.Repeat("9", 1<<20)} {
		if n := testing.AllocsPerRun(10, func() { _, _ = credit.Parse(text) }); n > 0 {
			t.Errorf("%.20q: %v allocations", text, n)
		}
	}
}

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE]([+-]?[0-9]+))?$`)
	canonical  = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$`)
)

// oracle reads an amount with the arithmetic of math/big, for exponents that it can carry out.
func oracle(text string) (units *big.Int, ok bool) {
	parts := jsonNumber.FindStringSubmatch(text)
	if len(text) > 64 || parts == nil {
		return nil, false
	}
	if e, err := strconv.Atoi(parts[4]); parts[4] != "" && (err != nil || e > 500 || e < -500) {
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		return new(big.Int), !strings.ContainsAny(mantissa, "123456789")
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok || value.Sign() < 0 || value.Cmp(big.NewRat(1_000_000_000, 1)) > 0 {
		return nil, false
	}
	value.Mul(value, big.NewRat(10_000, 1))
	return value.Num(), value.IsInt()
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"0", "-0", "0.50", "1.00000", "1e-4", "1e-5", "10000e-1", "1e9", "1000000000.0001", "1000000000.00010",
		"1e999999999", "0e99999999999", "-1", "+1", ".5", "1.", "01", "0x1", "NaN", "0.00001e1", "1E+9", "1e-500", "1e501",
		"0e-99999999999", "1E-4", "100e-6", "1e+0003", "1000000000.00000", "-", " 1", "1 ", "1\n", "1.e1",
		"-01", "00", "1_000", "1,5", "1.2.3", "--1", "1e+", "1e1.5", "1e1e1", "Infinity", "-Infinity", "１２",
		"٣", `"1"`, "1\x00", "-1e999999999", "0.00001", "1e-999999999", "1e99999999999999999999999999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := credit.Parse(text)
		want, ok := oracle(text)
		expect.Equal(t, err == nil, ok, "%q is accepted: %v", text, err)
		if err != nil {
			return
		}
		expect.Equal(t, big.NewInt(got.Units()).String(), want.String(), "%q: units", text)
		if !canonical.MatchString(got.String()) {
			t.Fatalf("%q: %q is not canonical", text, got)
		}
		if again, err := credit.Parse(got.String()); err != nil || !again.Equal(got) {
			t.Fatalf("%q: its form %q is read as %s, error %v", text, got, again, err)
		}
	})
}

func TestAmountsOfStores(t *testing.T) {
	most := credit.MaxBalance().Units()
	for n, want := range map[int64]string{0: "0", 1: "0.0001", 10: "0.001", 5000: "0.5", 125_000: "12.5", 100_0000: "100",
		most: "100000000000"} {
		got := fixture.Units(n)
		if got.String() != want || got.Units() != n || got.Decimal().String() != want {
			t.Errorf("%d units: got %s of %d units, want %s", n, got, got.Units(), want)
		}
	}
	for _, n := range []int64{-1, most + 1} {
		_, err := credit.FromUnits(n)
		expect.Error(t, err, credit.ErrOutOfRange, "%d units", n)
	}
}

func TestSumsAndDifferencesKeepTheBounds(t *testing.T) {
	most := credit.MaxBalance().Units()
	for _, c := range []struct {
		a, b, sum, difference int64 // -1: refused
	}{
		{0, 0, 0, 0},
		{5000, 1, 5001, 4999},
		{1, 5000, 5001, -1},
		{most, 0, most, most},
		{most - 1, 1, most, most - 2},
		{most, 1, -1, most - 1},
		{most, most, -1, 0},
	} {
		check := func(what string, want int64, got credit.Amount, ok bool) {
			if ok != (want >= 0) || ok && got.Units() != want || !ok && !got.IsZero() {
				t.Errorf("%d %s %d: got %s, %v, want %d", c.a, what, c.b, got, ok, want)
			}
		}
		sum, ok := fixture.Units(c.a).Plus(fixture.Units(c.b))
		check("plus", c.sum, sum, ok)
		difference, ok := fixture.Units(c.a).Minus(fixture.Units(c.b))
		check("minus", c.difference, difference, ok)
	}
}
