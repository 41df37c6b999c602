package httpapi_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestExtensionIsItsPreview extends a line that runs, and once it has expired: first the preview says what the
// extension then gives, and changes nothing. What each price buys is decided in domain/credit.
func TestExtensionIsItsPreview(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "1000")
	owner := master.Reseller(t, "100")
	l := owner.Official(t)
	at := api.Path("/lines", l.ID)
	days := func(n int) func(time.Time) time.Time {
		return func(from time.Time) time.Time { return from.Add(time.Duration(n) * 24 * time.Hour) }
	}
	month := func(from time.Time) time.Time { return api.MonthsAfter(from, 1) }
	for _, p := range []struct {
		by           caller
		revives      bool
		credits      any
		query, price string
		after        func(time.Time) time.Time
		left         string
	}{
		{owner.Caller, false, 0.5, "0.50", "0.5", days(15), "99"},
		{master.Caller, true, "1.00", "1e0", "1", month, "98"},
		{srv.Admin(t), false, json.RawMessage("5e0"), "0.5e1", "5", days(180), "93"},
	} {
		was := owner.Get(t, at)
		from := was.Instant("expDate")
		if p.revives {
			srv.clock.Set(from)
			was = owner.Get(t, at).Has(fields{"status": 0})
		}
		preview := p.by.Get(t, api.Query(api.Path("/lines/extend-preview", l.ID), "credits", p.query))
		if p.revives {
			if from = preview.Instant("from"); srv.clock.Now().Sub(from) > time.Second {
				t.Errorf("the period would start at %s, want now, which is %s", from, srv.clock.Now())
			}
		}
		preview.Exactly(fields{
			"id": l.ID, "credits": json.Number(p.price), "from": from.Format(api.ISOMillis),
			"expDate": p.after(from).Format(api.ISOMillis),
		})
		owner.Get(t, at).Exactly(was.Fields)

		extended := p.by.Send(t, "PATCH", api.Path("/lines/extend", l.ID),
			fields{"credits": p.credits, "username": "ignored", "notes": "ignored"}).Is(200)
		if p.revives {
			from = extended.Instant("updatedAt")
		}
		extended.Exactly(
			api.With(was.Fields, fields{"status": 1, "effective": "running", "expDate": p.after(from).Format(api.ISOMillis),
				"updatedAt": api.ISO}))
		owner.Get(t, at).Exactly(extended.Fields)
		expect.Equal(t, owner.Credits(t), p.left, "after an extension for %s the owner holds", p.price)
	}
	srv.audit(t)
}

// TestExtensionRefusals asks for what the extension and its preview refuse, which
// is the same in the same words, and charges nobody.
func TestExtensionRefusals(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	master := admin.Master(t, "200")
	poor := master.Reseller(t, "1")
	official, trial := poor.Official(t), poor.Trial(t)
	stranger := admin.Master(t, "100")
	both := func(by caller, id int64, credits string, status int, code string) answer {
		t.Helper()
		extension := by.Extend(t, id, credits).Refused(status, code)
		preview := by.Send(t, "GET", api.Query(api.Path("/lines/extend-preview", id), "credits", credits), nil).Refused(
			status, code)
		delete(extension.Fields, "errors") // they differ in where the value is
		errors := preview.Fields["errors"]
		delete(preview.Fields, "errors")
		expect.Equal(t, api.Anonymous(extension), api.Anonymous(preview), "an extension, and its preview")
		if errors != nil {
			preview.Fields["errors"] = errors
		}
		return preview
	}
	for _, by := range []caller{poor.Caller, master.Caller, admin} {
		both(by, trial.ID, "1", 409, "line-is-trial").Has(fields{
			"remedy": map[string]any{"method": "PATCH", "href": api.Path("/lines/active", trial.ID)},
		})
		both(by, official.ID, "1", 402, "insufficient-credits").Has(fields{"balance": "0.5", "required": "1",
			"shortfall": "0.5"})
		both(by, 999_999_999, "1", 404, "not-found")
	}
	both(stranger.Caller, official.ID, "1", 404, "not-found")
	both(poor.Caller, official.ID, "4", 422, "unknown-price").Has(
		fields{"prices": poor.Get(t, "/prices").Fields["prices"]})
	both(poor.Caller, official.ID, "many", 422, "validation-failed")
	expect.Equal(t, poor.Credits(t), "0.5", "after refusals the owner holds")
	poor.Get(t, api.Path("/lines", official.ID)).Has(fields{"updated": 0})
	rich := master.Official(t)
	for range 10 {
		master.Extend(t, rich.ID, 10)
	}
	both(master.Caller, rich.ID, "10", 409, "period-too-long")
}

// TestRemedies asks for what another operation does, under a prefix too.
func TestRemedies(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/api/v1"} {
		admin := serveWith(t, httpapi.Options{BasePath: prefix}).Admin(t)
		trial := admin.Send(t, "POST", prefix+"/lines/test", nil).Is(201)
		l := trial.Line()
		names := func(a answer, code, operation string) {
			t.Helper()
			a.Refused(409, code).Has(
				fields{"remedy": map[string]any{"method": "PATCH", "href": api.Path(prefix+operation, l.ID)}})
		}
		names(admin.Send(t, "PATCH", prefix+api.Path("/lines", l.ID), l.Edit()), "line-is-trial", "/lines/active")
		names(admin.Send(t, "PATCH", prefix+api.Path("/lines/extend", l.ID), fields{"credits": 1}), "line-is-trial",
			"/lines/active")
		names(admin.Send(t, "GET", prefix+api.Path("/lines/extend-preview", l.ID, "?credits=1"), nil), "line-is-trial",
			"/lines/active")
		// The remedy is what it says.
		refused := admin.Send(t, "PATCH", prefix+api.Path("/lines", l.ID), l.Edit())
		follow := func(refused answer, body fields) answer {
			t.Helper()
			remedy, _ := refused.Fields["remedy"].(map[string]any)
			return admin.Send(t, fmt.Sprint(remedy["method"]), fmt.Sprint(remedy["href"]), body)
		}
		follow(refused, l.Activation(1)).Is(201).Has(fields{"id": l.ID, "isTrial": 0})
		again := admin.Send(t, "PATCH", prefix+api.Path("/lines/active", l.ID), l.Activation(1))
		names(again, "line-not-trial", "/lines/extend")
		follow(again, fields{"credits": 1}).Is(200).Has(fields{"id": l.ID})
		for _, other := range []answer{
			admin.Send(t, "PATCH", prefix+"/lines/active/999999", l.Activation(1)).Refused(404, "not-found"),
			admin.Send(t, "PATCH", prefix+api.Path("/lines/extend", l.ID), fields{"credits": 4}).Refused(422, "unknown-price"),
		} {
			_, found := other.Fields["remedy"]
			expect.Equal(t, found, false, "%s has a remedy", other.Request)
		}
	}
}
