package fields_test

import (
	"strings"
	"testing"

	"resellerd/adapters/storekit/fields"
	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestExtraIsWrittenOneWay reads the optional fields of an account as they are written, and no other text.
func TestExtraIsWrittenOneWay(t *testing.T) {
	t.Parallel()
	told := `{"alert_below":1000000000000000,"alert_told":true}`
	for text, want := range map[string]reseller.Alert{
		"":                    {},
		`{"alert_below":1}`:   {Below: fixture.Units(1)},
		told:                  {Below: credit.MaxBalance(), Told: true},
		`{"alert_told":true}`: {Told: true}, // that the account can't be like this is the domain's to say
	} {
		expect.Equal(t, fields.Reseller.Extra(&reseller.State{Alert: want}), text, "%+v is written as", want)
		var s reseller.State
		if err := fields.Reseller.SetExtra(&s, text); err != nil || !s.Alert.Below.Equal(want.Below) ||
			s.Alert.Told != want.Told {
			t.Errorf("%s is read as %+v, want %+v (%v)", text, s.Alert, want, err)
		}
	}
	for _, damaged := range []string{
		"{}", "null", told + " ", told[1:], `{"alert_below":0}`, `{"alert_below":-1}`, `{"alert_below":1000000000000001}`,
		`{"alert_below":1.5}`,
		`{"alert_below":1.0}`, `{"alert_below":1e3}`, `{"alert_below":"1"}`, `{"alert_below":null}`, `{"alert_below":true}`,
		`{"alert_told":false}`,
		`{"alert_told":1}`, `{"alert_below":1,"alert_below":1}`, `{"alert_told":true,"alert_below":1}`, `{"alert_below": 1}`,
		`{"alert":1}`,
		`{"alert_below":99999999999999999999}`, strings.ToUpper(told),
	} {
		if err := fields.Reseller.SetExtra(new(reseller.State), damaged); err == nil {
			t.Errorf("%s is read", damaged)
		}
	}
}

// TestInstantsAmongExtra does so for an instant and a text, of which the one may be there without the other.
func TestInstantsAmongExtra(t *testing.T) {
	t.Parallel()
	at := fixture.Time("2026-11-25T18:47:56.789Z")
	for text, want := range map[string]reseller.Block{
		`{"blocked_at":1795632476789}`: {At: at},
		`{"blocked_at":0}`:             {At: fixture.Time("1970-01-01T00:00:00Z")},
		`{"blocked_at":-1}`:            {At: fixture.Time("1969-12-31T23:59:59.999Z")},
		`{"block_reason":"unpaid"}`:    {Terms: reseller.Terms{Reason: fixture.Text("unpaid")}},
		`{"block_reason":"\"\u003cé\u003e\"","blocked_at":1795632476789}`: {
			Terms: reseller.Terms{Reason: fixture.Text("\"<é>\"")}, At: at},
	} {
		expect.Equal(t, fields.Reseller.Extra(&reseller.State{Block: want}), text, "%+v is written as", want)
		var s reseller.State
		expect.Error(t, fields.Reseller.SetExtra(&s, text), nil, "%s", text)
		expect.Equal(t, s.Block, want, "%s is read as", text)
	}
	for _, damaged := range []string{
		`{"blocked_at":1.5}`, `{"blocked_at":1e3}`, `{"blocked_at":"1"}`, `{"blocked_at":null}`, `{"blocked_at":true}`,
		`{"blocked_at":01}`, `{"blocked_at":-0}`,
		`{"blocked_at":-62135596800000}`, `{"blocked_at":99999999999999999999}`, `{"block_reason":""}`,
		`{"block_suspends":true}`,
	} {
		if err := fields.Reseller.SetExtra(new(reseller.State), damaged); err == nil {
			t.Errorf("%s is read", damaged)
		}
	}
}
