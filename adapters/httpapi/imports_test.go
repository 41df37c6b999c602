package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

const (
	ndjson = "application/x-ndjson"
	csv    = "text/csv; charset=UTF-8"
)

func imports(t *testing.T, by api.Caller, media, query, body string) api.Answer {
	t.Helper()
	return by.Send(t, "POST", "/imports/lines"+query, body, "Content-Type", media)
}

// TestRowsAreTheSameInBothTypes imports rows as JSON, and then as a table: they are unchanged.
func TestRowsAreTheSameInBothTypes(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	owner := admin.Master(t, "5")
	rows := fmt.Sprintf(
		`{"external_id":"a-1","owner":%d,"username":"South.TV","password":"=1+1, \"x\"","expDate":"2027-06-30T12:00:00.000Z","suspended":true,"whatsapp":"+55 11","metadata":{"plan":"gold"},"id":4,"status":1}

{"external_id":"a-2","username":"past","password":"'past","expDate":"2020-06-30T14:00:00+02:00","notes":"two\nlines","isTrial":0,"country":"PT"}
`, owner.ID)
	imports(t, admin, ndjson, "", rows).Is(200).Exactly(fields{"created": 2, "updated": 0, "unchanged": 0,
		"refused": []any{}})
	table := fmt.Sprintf(
		"\ufeffexternal_id,owner,username,password,expDate,suspended,whatsapp,metadata,notes,isTrial,country,effective\r\n"+
			`a-1,%d,South.TV,"'=1+1, ""x""",2027-06-30T12:00:00.000Z,1,'+55 11,"{""plan"":""gold""}",,0,,running`+"\r\n"+
			`a-2,,past,''past,2020-06-30T12:00:00.000Z,false,,,"two`+"\n"+`lines",false,PT,`+"\r\n", owner.ID)
	imports(t, admin, csv, "?dry_run=false", table).Is(200).Exactly(fields{"created": 0, "updated": 0, "unchanged": 2,
		"refused": []any{}})
	admin.Get(t, "/lines/1").Has(fields{
		"owner": owner.ID, "username": "South.TV", "password": `=1+1, "x"`, "isTrial": 0, "status": 0, "suspended": true,
		"whatsapp": "+55 11", "origin": "imported",
		"external_id": "a-1", "expDate": "2027-06-30T12:00:00.000Z", "notes": nil,
	})
	admin.Get(t, "/lines/2").Has(fields{"password": "'past", "notes": "two\nlines", "country": "PT",
		"effective": "expired", "suspended": false})
	admin.Get(t, "/ledger/proof").Has(fields{"imported": 2, "consumed": "0", "balanced": true})
}

// TestRefusedRowsNameTheirFaults: the code belongs to the first invalid field, and the detail has all of them.
func TestRefusedRowsNameTheirFaults(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	good := api.NewImport()
	const altered = "This would be stored in another spelling, such as without full-width letters: send that spelling"
	for _, c := range []struct {
		change       fields
		code, detail string
	}{
		{fields{"username": nil, "password": nil, "expDate": nil}, "required",
			"username: This is required and must not be null; password: This is required and must not be null; expDate: This is required and must not be null."},
		{fields{"username": "ａbc"}, "would-be-altered", "username: " + altered + "."},
		{fields{"password": "e\u0301bcd"}, "would-be-altered", "password: " + altered + "."},
		{fields{"username": "a b", "password": "abc"}, "bad-username",
			"username: A user name has letters, digits and symbols, and no spaces or control characters (RFC 8265); password: This is too short: at least 4 characters."},
		{fields{"expDate": "1969-12-31T23:59:59Z"}, "bad-time", "expDate: This must be a time since 1970."},
		{fields{"expDate": "2096-01-01T00:00:00Z"}, "period-too-long", "A line runs at most 10 years ahead."},
		{fields{"owner": 99}, "owner-not-found", "The account that is named as owner does not exist."},
		{fields{"suspended": []int{1}}, "wrong-type", "suspended: This must be true or false, not an array."},
		{fields{"isTrial": 1}, "line-is-trial", "The line is a trial: it must be activated first."},
	} {
		row := string(api.Encode(t, api.With(good, c.change)))
		other := string(api.Encode(t, api.NewImport()))
		want := fmt.Sprintf(`{"created":1,"updated":0,"unchanged":0,"refused":[{"row":2,"code":%q,"detail":%q}]}`,
			c.code, c.detail)
		for _, query := range []string{"?dry_run=true", ""} {
			got := imports(t, admin, ndjson, query, other+"\n"+row).Is(200)
			expect.Equal(t, strings.TrimSpace(string(got.Body)), want, "%v", c.change)
		}
	}
}

// TestAnUnreadableBodyChangesNothing also if some of its rows are readable.
func TestAnUnreadableBodyChangesNothing(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	good := string(api.Encode(t, api.NewImport()))
	const header = "external_id,username,password,expDate\n"
	for media, bodies := range map[string][]string{
		ndjson: {"", good + "\n{", good + "\n" + `{"external_id":"a","external_id":"b"}`, "[" + good + "]"},
		csv:    {"", "a-1,south-tv,k2m9xq4w,2027-06-30T12:00:00Z\n", header + "a,b,c,d,e\n", "username,username\n"},
	} {
		for _, body := range bodies {
			imports(t, admin, media, "", body).Refused(400, "malformed-body")
		}
	}
	imports(t, admin, "application/json", "", good).Refused(415, "unsupported-media-type")
	imports(t, admin, "text/csv; charset=latin1", "", header).Refused(415, "unsupported-media-type")
	imports(t, admin, csv, "", header+strings.Repeat("a,b,c,d\n", 501)).Refused(422, "too-many-rows")
	imports(t, admin, ndjson, "?dry_run=1", good).Refused(422, "validation-failed")
	expect.Elements(t, admin.Get(t, "/lines").IDs(), nil, "lines")
	imports(t, admin, csv, "", header).Is(200).Has(fields{"created": 0})
}

// TestATableIsReadAsASpreadsheetProgramSavesIt. Cells that the program changed are refused by name.
func TestATableIsReadAsASpreadsheetProgramSavesIt(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	const end = ";2027-06-30T12:00:00Z;"
	imports(t, admin, csv, "", "sep=;\r\nUser Name;PASSWORD;Exp Date;Suspended;Tariff\r\nana;'0042"+end+
		"VERDADEIRO;#N/A\r\n;;;;\r\n#REF!;5.5E+12"+end+"Falso\r\n").
		Is(200).Exactly(fields{"created": 1, "updated": 0, "unchanged": 0, "refused": []any{
		refusedRow("2", "altered-by-spreadsheet", "username: "+altered("#REF!")+"; password: "+altered("5.5E+12")+".")}})
	admin.Get(t, "/lines/1").Has(fields{"username": "ana", "password": "0042", "external_id": "ana", "suspended": true})
}

func refusedRow(row json.Number, code, detail string) map[string]any {
	return map[string]any{"row": row, "code": code, "detail": detail}
}

func altered(cell string) string {
	return "A spreadsheet program wrote " + cell +
		" in place of the text that was here; write it again in a column of the format Text, or with an apostrophe in front if it is meant"
}
