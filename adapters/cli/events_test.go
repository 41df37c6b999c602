package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resellerd/application/operate"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// told are entries of different kinds. testdata has their output.
func told() (all []operate.Event) {
	maria := reseller.Position{ID: 7, Ancestors: []int64{1}}
	for i, e := range []journal.Entry{
		{
			Type: journal.ResellerCredited, Account: maria, Request: "019ac5f0-6a10", Version: 3,
			Actor: journal.Actor{Account: 1, Kind: journal.ByToken, Name: "admin", Address: "203.0.113.7"},
			Movement: &journal.Movement{
				ID: 12, Operation: credit.Recharge, Amount: fixture.Credits("50"), Source: credit.Issuance,
				Target:   credit.Reseller(7),
				Balances: []journal.Balance{{Reseller: 7, Credits: fixture.Credits("112.5")}},
			},
			Data: []journal.Datum{{Name: journal.Username, Value: journal.Text("maria")}},
		},
		{
			Type: journal.LineUpdated, Account: reseller.Position{ID: 8}, Line: 9, Reason: "unpaid\nlate",
			Actor: journal.Actor{Account: 8, Kind: journal.BySession, Name: "ana"},
			Changes: []journal.Change{
				{Field: "expDate", Shown: true, After: journal.Instant(fixture.Time("2026-12-01T00:00:00Z"))}, {Field: "notes"},
				{Field: "password"}, {Field: "telegram", Shown: true, Before: journal.Text("ana")},
				{Field: "username", Shown: true, Before: journal.Text("a<b"), After: journal.Text("c")},
			},
			Data: []journal.Datum{{Name: "days", Value: journal.Number(7)}, {Name: "first", Value: journal.Bool(true)},
				{Name: journal.Username, Value: journal.Text("c")}},
		},
		{Type: journal.Began, Actor: journal.Actor{Kind: journal.BySystem}},
		{Type: journal.AdminBlocked, Account: maria, Actor: journal.Actor{Kind: journal.ByOperator, Name: "operator"},
			Changes: []journal.Change{{Field: "blocked", Shown: true, Before: journal.Bool(false),
				After: journal.Bool(true)}}},
		{Type: journal.LineDeleted, Account: maria, Line: 9,
			Actor: journal.Actor{Account: 7, Kind: journal.ByKey, Principal: 4, Name: "the till", Address: "203.0.113.7"},
			Data:  []journal.Datum{{Name: journal.Username, Value: journal.Text("c")}}},
		{Type: journal.KeyUpdated, Account: maria, Changes: []journal.Change{{Field: "role"}},
			Actor: journal.Actor{Account: 7, Kind: journal.ByStaff, Principal: 5, Name: "ana"},
			Data:  []journal.Datum{{Name: journal.Principal, Value: journal.Number(4)}}},
	} {
		e.At = fixture.Time("2026-11-23T21:14:05.123Z")
		all = append(all, operate.Event{Numbered: journal.Numbered{Head: journal.Head{Epoch: "0a1b2c3d", Seq: int64(i + 1)},
			Entry: e}, Names: map[int64]string{7: "maria", 1: "root"}})
	}
	return all
}

func TestEventsAreForPeopleOrPrograms(t *testing.T) {
	for format, file := range map[string]string{"text": "events.txt", "ndjson": "events.ndjson"} {
		want, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(t, err)
		code, stdout, _ := ranBy(fake{events: told()}, "events", "--format", format)
		expect.Equal(t, code, 0, "%s: code", format)
		expect.Equal(t, stdout, string(want), "%s", format)
	}
	expect.Equal(t, quotedUnlessWord("ana-7.b"), "ana-7.b")
	for _, of := range journal.Types() {
		if sentences[of] == "" {
			t.Errorf("nothing is said of %s", of)
		}
	}
}

func TestEventFlagsAreParsed(t *testing.T) {
	now := fixture.Time("2026-11-24T12:00:00Z")
	var wrong Misconfiguration
	q := eventsCommand{Since: "36h", Until: "2026-11-24", Account: "maria", Line: "7",
		Type: []string{"line.activated", "session.*"}}.query(now, &wrong)
	want := []journal.Type{journal.LineActivated, journal.SessionStarted, journal.SessionEnded}
	if wrong.Err() != nil || !q.Since.Equal(now.Add(-36*time.Hour)) ||
		!q.Until.Equal(fixture.Time("2026-11-24T00:00:00Z")) ||
		q.Account.Name.String() != "maria" || q.Account.ID != 0 || q.Line != 7 || len(q.Types) != len(want) ||
		q.Types[2] != want[2] {
		t.Errorf("got %+v, %v", q, wrong.Err())
	}
}

func TestAReportIsATableOrASpreadsheet(t *testing.T) {
	maria := operate.AccountReport{
		ID: 7, Name: "=maria", Trials: 3, Activations: 2, Extensions: 1, Received: fixture.Credits("50").Decimal(),
		Spent: fixture.Credits("3.5").Decimal(),
		Given: fixture.Credits("10").Decimal(), Reclaimed: fixture.Credits("1").Decimal(),
		Beginning: fixture.Credits("100").Decimal(), End: fixture.Credits("135.5").Decimal(),
	}
	f := fake{report: operate.Report{
		From: fixture.Time("2026-11-01T00:00:00Z"), To: fixture.Time("2026-12-01T00:00:00Z"),
		Accounts: []operate.AccountReport{maria}, Total: maria,
		Kinds: []operate.KindReport{{Kind: credit.Recharge, Count: 1, Credits: fixture.Credits("50").Decimal()}},
	}}
	f.report.Total.ID, f.report.Total.Name = 0, ""
	for _, c := range []struct {
		args    string
		program fake
		want    string
	}{
		{"--format csv", f,
			"account,username,trials,activations,extensions,received,spent,given,reclaimed,beginning,end\n7,'=maria,3,2,1,50,3.5,10,1,100,135.5\ntotal,,3,2,1,50,3.5,10,1,100,135.5\n"},
		{"--by kind", f, "KIND      COUNT  CREDITS\ntrial     3      0\nrecharge  1      50\n"},
	} {
		code, stdout, _ := ranBy(c.program, append([]string{"report", "--month", "2026-11"}, strings.Fields(c.args)...)...)
		expect.Equal(t, code, 0, "%q: exit code", c.args)
		expect.Equal(t, stdout, c.want, "%q prints", c.args)
	}
}
