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

// TestExtraHasOneEncoding reads the optional fields of an account in their stored form, and refuses all other texts.
func TestExtraHasOneEncoding(t *testing.T) {
	t.Parallel()
	at := fixture.Time("2026-11-25T18:47:56.789Z")
	told := `{"alert_below":1000000000000000,"alert_told":true}`
	for text, want := range map[string]reseller.State{
		"":                  {},
		`{"alert_below":1}`: {Alert: reseller.Alert{Below: fixture.Units(1)}},
		told:                {Alert: reseller.Alert{Below: credit.MaxBalance(), Sent: true}},
		`{"blocked_at":-1}`: {Block: reseller.Block{At: fixture.Time("1969-12-31T23:59:59.999Z")}},
		`{"block_reason":"\"\u003cé\u003e\"","blocked_at":1795632476789}`: {
			Block: reseller.Block{Terms: reseller.Terms{Reason: fixture.Text("\"<é>\"")}, At: at}},
	} {
		expect.Equal(t, fields.Reseller.Extra(&want), text, "%+v is written as", want)
		var s reseller.State
		expect.Error(t, fields.Reseller.SetExtra(&s, text), nil, "%s", text)
		expect.Equal(t, fields.Reseller.Extra(&s), text, "%s is read as %+v", text, s)
	}
	for _, damaged := range []string{
		"{}", "null", told + " ", told[1:], `{"alert_below":0}`, `{"alert_below":1000000000000001}`,
		`{"alert_below":1.5}`, `{"alert_below":1.0}`, `{"alert_below":"1"}`, `{"alert_below":null}`, `{"alert_told":false}`,
		`{"alert_told":1}`, `{"alert_below":1,"alert_below":1}`, `{"alert_told":true,"alert_below":1}`, `{"alert_below": 1}`,
		`{"alert":1}`, `{"alert_below":99999999999999999999}`, strings.ToUpper(told), `{"blocked_at":1e3}`,
		`{"blocked_at":"1"}`, `{"blocked_at":01}`, `{"blocked_at":-0}`, `{"blocked_at":-62135596800000}`,
		`{"block_reason":""}`, `{"block_suspends":true}`,
	} {
		if err := fields.Reseller.SetExtra(new(reseller.State), damaged); err == nil {
			t.Errorf("%s is read", damaged)
		}
	}
}

func TestHashesHaveOneLength(t *testing.T) {
	t.Parallel()
	for _, blob := range []any{new(credit.Hash), new(reseller.Generation)} {
		stored := append([]byte{0}, fields.BlobAt(blob)...)
		for length := range len(stored) + 1 {
			err := fields.SetBlob(blob, stored[:length])
			expect.Equal(t, err == nil, length == len(stored)-1, "%T of %d bytes", blob, length)
		}
	}
}
