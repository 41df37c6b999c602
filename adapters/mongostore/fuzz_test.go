package mongostore

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.mongodb.org/mongo-driver/v2/bson"

	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// FuzzDocuments reads any bytes as each kind of document. Either the record encodes to the same bytes, or it is
// damaged.
func FuzzDocuments(f *testing.F) {
	var ledger fixture.Ledger
	admin := fixture.Admin(1)
	north := fixture.Master(admin, 2)
	south := fixture.Changed(fixture.Reseller(north, 3), func(s *reseller.State) {
		s.Trials = []reseller.TrialSlot{{Start: fixture.Noon, Count: 2}, {Start: fixture.Noon.Add(time.Hour), Count: 1}}
		s.Alert = reseller.Alert{Below: fixture.Credits("5"), Sent: true}
	})
	entry := journal.Entry{Type: journal.LineExtended, At: fixture.Noon, Account: south.State().Position, Line: 7,
		Movement: journal.MovementOf(ledger.Fund(admin, south, "1.5"))}
	payload, err := storekit.EncodeEntry(&entry)
	require.NoError(f, err)
	for _, d := range []any{
		resellerCodec.write(south.State(), 3), lineCodec.write(fixture.Trial(south, 7).State(), 1),
		nameCodec.write(holder{"anna", 7}, 0),
		tombstoneCodec.write(line.Tombstone{Line: 7, Charge: 9, Actor: 3, At: fixture.Noon}, 0),
		movementCodec.write(ledger.Fund(admin, south, "99.5"), 0),
		keyCodec.write(ports.KeyRecord{Reseller: 3, Key: "a key", Request: []byte("digest"), Status: 201,
			Body: []byte("body"), Expires: fixture.Noon}, 0),
		pendingCodec.write(
			pendingEntries{
				all: []pendingEntry{{Entry: entry, payload: payload, begins: "0000abcd"}, {Entry: entry, payload: payload}}}, 0),
		journalCodec.write(numberedEntry{journal.Head{Epoch: "0000abcd"}.Append(entry), payload}, 0),
		figuresCodec.write(ports.DayFigures{Account: 3, Day: journal.DayOf(fixture.Noon),
			Figures: journal.Figures{Trials: 1, Spent: fixture.Credits("1.5").Decimal()}}, 0),
		bson.D{}, bson.D{{Key: "_id", Value: 1.5}, {Key: "path", Value: bson.A{}}},
	} {
		raw, err := bson.Marshal(d)
		require.NoError(f, err)
		f.Add(raw)
		f.Add(raw[:len(raw)-1])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		reads := 0
		for name, read := range map[string]func(bson.Raw) error{
			"reseller": func(raw bson.Raw) error {
				s, _, err := resellerCodec.read(raw)
				if err == nil {
					_, err = reseller.Restore(s)
				}
				return err
			},
			"line": func(raw bson.Raw) error {
				s, _, err := lineCodec.read(raw)
				if err == nil {
					_, err = line.Restore(s)
				}
				return err
			},
			"name":      func(raw bson.Raw) error { _, _, err := nameCodec.read(raw); return err },
			"tombstone": func(raw bson.Raw) error { _, _, err := tombstoneCodec.read(raw); return err },
			"movement":  func(raw bson.Raw) error { _, _, err := movementCodec.read(raw); return err },
			"pending":   func(raw bson.Raw) error { _, _, err := pendingCodec.read(raw); return err },
			"numbered":  func(raw bson.Raw) error { _, _, err := journalCodec.read(raw); return err },
			"figures":   func(raw bson.Raw) error { _, _, err := figuresCodec.read(raw); return err },
			"key":       func(raw bson.Raw) error { _, _, err := keyCodec.read(raw); return err },
		} {
			err := read(bson.Raw(raw))
			if err == nil {
				reads++
			} else if !errors.Is(err, storekit.ErrDamaged) {
				t.Fatalf("as a %s: %v", name, err)
			}
		}
		if reads > 1 {
			t.Fatalf("%s can be read as documents of %d kinds", bson.Raw(raw), reads)
		}
	})
}

// FuzzAmounts reads any Decimal128 as an amount and as a sum, and compares it with its text.
func FuzzAmounts(f *testing.F) {
	for _, text := range []string{"0.0000", "0", "-0.0000", "12.5000", "100000000000.0000", "100000000000.0001", "1E+3",
		"1E-5", "NaN", "-Infinity", "9.999999999999999999999999999999999E+6144"} {
		d, err := bson.ParseDecimal128(text)
		require.NoError(f, err)
		high, low := d.GetBytes()
		f.Add(high, low)
	}
	f.Fuzz(func(t *testing.T, high, low uint64) {
		d := bson.NewDecimal128(high, low)
		if amount, err := amountOf(d); err == nil {
			said, err := decimal.NewFromString(d.String())
			if err != nil || !said.Equal(amount.Decimal()) || said.IsNegative() {
				t.Fatalf("%s is read as %s", d, amount)
			}
			if again := creditsOf(amount); again.String() != d.String() && !amount.IsZero() {
				t.Fatalf("%s is written again as %s", d, again)
			}
		}
		if sum, err := sumOf(d); err == nil {
			said, err := decimal.NewFromString(d.String())
			if err != nil || !said.Equal(sum) {
				t.Fatalf("%s is read as the sum %s", d, sum)
			}
		} else if !errors.Is(err, storekit.ErrDamaged) {
			t.Fatalf("%s: %v", d, err)
		}
	})
}

// FuzzAddress simulates mistyped addresses. The message never contains the password.
func FuzzAddress(f *testing.F) {
	for _, rest := range []string{"@localhost:27017/db?replicaSet=rs", "localhost", "@localhost:port/", "@[::1/",
		"@a,b:1/?directConnection=true", "/@", "%zz@h/", "@h/?w=5x&tls=maybe", "@h/?=&&;", "\x00@h", "@h:1:2"} {
		f.Add("pass%21word", rest)
		f.Add("p@ss:w/rd", rest)
	}
	f.Fuzz(func(t *testing.T, password, rest string) {
		if strings.Contains(rest, "ile=") || strings.Contains(rest, "ILE") { // it would name files
			return
		}
		const before, after = "Xq7", "7qX" // so that no message contains it by chance
		uri := "mongodb://user:" + before + password + after + rest
		err := Check(uri)
		if again := Check(uri); (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("%q: %v, then %v", uri, err, again)
		}
		if err == nil {
			return
		}
		plain, bad := url.PathUnescape(before + password + after)
		if strings.Contains(err.Error(), before+password+after) || bad == nil && strings.Contains(err.Error(), plain) {
			t.Fatalf("%q: the message tells the password: %v", uri, err)
		}
	})
}
