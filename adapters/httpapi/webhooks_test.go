package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestAddressesOfWebhooks are accepted, each a character away from a refusal in TestInvalidFields, and kept as they
// are.
func TestAddressesOfWebhooks(t *testing.T) {
	t.Parallel()
	r := serve(t).Admin(t).Reseller(t, "0")
	at := api.Path("/webhooks", r.MakeWebhook(t, nil).ID())
	for _, url := range []string{
		"https://a.example", "https://a.example/", "https://A.Example:443/Hooks?of=me&a=%2F", "https://a.example:65535/hooks",
		"https://a.example:1", "https://192.0.2.1/",
		"https://[2001:db8::1]:8443/x", "https://a.example/?", "https://a.example/%C3%A9", "https://a.example/" +
			strings.Repeat("x", 2048-18),
	} {
		r.Send(t, "PATCH", at, fields{"url": url}).Is(200).Has(fields{"url": url})
		r.Get(t, at).Has(fields{"url": url})
	}
	for _, types := range [][]string{{"*"}, {"line.*", "*", "line.*"}, {"operator.*", "webhook.disabled"}} {
		r.Send(t, "PATCH", at, fields{"types": types}).Is(200)
		expect.Equal(t, fmt.Sprint(r.Get(t, at).Fields["types"]), fmt.Sprint(types), "the types")
	}
	many := make([]string, 50)
	for i := range many {
		many[i] = "line.*"
	}
	r.Send(t, "PATCH", at, fields{"types": many, "scope": "own", "description": strings.Repeat("é", 2000)}).Is(200).Has(
		fields{"scope": "own"})
	for _, empty := range []any{nil, "", " \n "} {
		r.Send(t, "PATCH", at, fields{"description": " the\noffice's "}).Is(200).Has(fields{"description": "the\noffice's"})
		r.Send(t, "PATCH", at, fields{"description": empty}).Is(200).Has(fields{"description": nil})
	}
	for _, seq := range []string{"0", "1e3", "7.0", "9007199254740991"} {
		r.Send(t, "POST", at+"/replay", json.RawMessage(`{"after_seq":`+seq+`}`)).Is(202)
	}
	for _, hours := range []string{"0", "168", "1.0"} {
		r.Send(t, "POST", at+"/rotate", json.RawMessage(`{"overlap_hours":`+hours+`}`)).Is(200)
	}
}

// TestTypesAreNamedThatAreNone in the refusal.
func TestTypesAreNamedThatAreNone(t *testing.T) {
	t.Parallel()
	a := serve(t).Admin(t).Send(t, "POST", "/webhooks",
		api.NewWebhook(fields{"types": []string{"line.*", "line.none", "other"}})).
		Invalid("validation-failed", map[string]string{"types": "bad-value"})
	expect.Contains(t, string(a.Body), `\"line.none\": There is no such type`)
}

// TestBalancesAreToldOf once they are low, and once they have recovered.
func TestBalancesAreToldOf(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "100")
	r := master.Reseller(t, "10")
	at := api.Path("/users", r.ID, "/alerts")
	r.Get(t, at).Has(fields{"balance_low": nil})
	r.Send(t, "PUT", at, fields{"balance_low": 5}).Is(200).Has(fields{"balance_low": "5"})
	master.Reclaim(t, r.ID, "5.5").Is(200)
	master.Fund(t, r.ID, "1.5").Is(200)
	master.Send(t, "PUT", at, fields{"balance_low": "6.0001"}).Is(200).Has(fields{"balance_low": "6.0001"})
	r.Send(t, "PUT", at, fields{"balance_low": nil}).Is(200).Has(fields{"balance_low": nil})
	admin.Get(t, "/users/1/alerts").Has(fields{"balance_low": nil})
	var got []string
	for _, e := range r.Get(t, "/events?type=balance.*").List() {
		e.Has(fields{"account": r.ID,
			"actor": map[string]any{"account": nil, "kind": "system", "id": nil, "name": "", "address": nil}, "movement": nil})
		data, _ := e.Fields["data"].(map[string]any)
		got = append(got, fmt.Sprint(strings.TrimPrefix(e.Text("type"), "balance."), " ", data["balance"], " of ",
			data["balance_low"]))
	}
	expect.Elements(t, got, []string{"low 4.5 of 5", "recovered 6 of 5", "low 6 of 6.0001"}, "it was told of")
}

// TestWhatIsSentIsWhatListsHave word by word, and a test has a name of its own.
func TestWhatIsSentIsWhatListsHave(t *testing.T) {
	t.Parallel()
	n := journal.Numbered{Entry: journal.Entry{
		Type: journal.LineExpired, At: fixture.Time("2026-01-31T09:00:00Z"), Account: reseller.Position{ID: 7}, Line: 9,
		Actor: journal.Actor{Kind: journal.BySystem}, Version: 3,
		Data: []journal.Datum{{Name: journal.ExpDate, Value: journal.Instant(fixture.Time("2026-01-31T09:00:00Z"))},
			{Name: journal.Username, Value: journal.Text("anna\u2028")}},
	}, Head: journal.Head{Seq: 12, Epoch: "4d1f0a7c"}}
	const rest = `"timestamp":"2026-01-31T09:00:00.000Z","account":7,"line":9,"actor":{"account":null,"kind":"system","id":null,"name":"","address":null},` +
		`"request_id":null,"movement":null,"changes":{},"reason":null,"version":3,"data":{"expDate":"2026-01-31T09:00:00.000Z","username":"anna\u2028"}}`
	expect.Equal(t, string(httpapi.EncodeEvent(n)), `{"id":"evt_4d1f0a7c_12","seq":12,"type":"line.expired",`+rest)
	n = journal.Numbered{
		Entry: journal.Entry{Type: journal.WebhookTest, At: n.At,
			Data: []journal.Datum{{Name: journal.Test, Value: journal.Number(2)},
				{Name: journal.Webhook, Value: journal.Number(5)}}}}
	got := string(httpapi.EncodeEvent(n))
	expect.Equal(t, strings.HasPrefix(got, `{"id":"test_5_2","seq":0,"type":"webhook.test",`), true)
	expect.Equal(t, strings.HasSuffix(got, `"data":{"test":2,"webhook":5}}`), true)
}
