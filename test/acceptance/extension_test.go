package acceptance

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// periods are what the prices buy.
var periods = []struct {
	credits any
	query   string
	price   string
	after   func(time.Time) time.Time
}{
	{0.5, "0.50", "0.5", daysAfter(15)},
	{"1.00", "1e0", "1", func(from time.Time) time.Time { return monthsAfter(from, 1) }},
	{json.RawMessage("2.0"), "2", "2", func(from time.Time) time.Time { return monthsAfter(from, 2) }},
	{3, "3.0000", "3", func(from time.Time) time.Time { return monthsAfter(from, 3) }},
	{json.RawMessage("5e0"), "0.5e1", "5", daysAfter(180)},
	{"10", "10", "10", daysAfter(360)},
}

func daysAfter(n int) func(time.Time) time.Time {
	return func(from time.Time) time.Time { return from.Add(time.Duration(n) * 24 * time.Hour) }
}

// TestExtensionIsItsPreview extends a line by each price: first the preview says
// what the extension then gives, and changes nothing.
func TestExtensionIsItsPreview(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		master := sharedServer(t, s).admin(t).master(t, "1000")
		owner := master.reseller(t, "100")
		l := owner.official(t)
		edited := owner.send(t, "PATCH", path("/lines", l.id), with(l.edit(), fields{"notes": "kept"})).is(200)
		at := path("/lines", l.id)
		balance := units(99_5000)
		for i, p := range periods {
			by := []caller{owner.caller, master.caller, owner.server.admin(t)}[i%3]
			was := owner.get(t, at)
			preview := by.get(t, query(path("/lines/extend-preview", l.id), "credits", p.query))
			until := p.after(was.instant("expDate"))
			preview.exactly(fields{"id": l.id, "credits": json.Number(p.price), "from": was.text("expDate"), "expDate": until.Format(isoMillis)})
			owner.get(t, at).exactly(was.fields)
			if got := owner.credits(t); got != balance.String() {
				t.Errorf("the preview left %s of %s credits", got, balance)
			}

			extended := by.send(t, "PATCH", path("/lines/extend", l.id), fields{"credits": p.credits, "username": "ignored", "notes": "ignored"}).is(200)
			extended.exactly(with(was.fields, fields{"expDate": preview.text("expDate"), "updatedAt": iso}))
			extended.has(fields{"updated": 1, "password": edited.text("password"), "notes": "kept", "isTrial": 0, "status": 1, "owner": owner.id})
			if extended.instant("updatedAt").Before(was.instant("updatedAt")) {
				t.Errorf("updatedAt went back: %s", extended.body)
			}
			owner.get(t, at).exactly(extended.fields)
			for _, price := range []struct {
				text  string
				units units
			}{{"0.5", 5000}, {"1", 1_0000}, {"2", 2_0000}, {"3", 3_0000}, {"5", 5_0000}, {"10", 10_0000}} {
				if price.text == p.price {
					balance -= price.units
				}
			}
			if got := owner.credits(t); got != balance.String() {
				t.Errorf("after an extension for %s the owner holds %s, want %s", p.price, got, balance)
			}
		}
		if got := master.credits(t); got != "900" {
			t.Errorf("the master holds %s, want 900: it is not the owner", got)
		}
		untouched := owner.official(t) // an extension is no edit
		owner.send(t, "PATCH", path("/lines/extend", untouched.id), fields{"credits": 1}).is(200).has(fields{"updated": 0})
	})
}

// TestExtensionRevives extends lines that have expired: the period starts now.
func TestExtensionRevives(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		if s.expire == nil {
			t.Skip("the records of this storage can't be reached past the program")
		}
		srv := startServer(t, s, nil)
		r := srv.admin(t).reseller(t, "100")
		var expired []line
		for range periods {
			expired = append(expired, r.official(t))
		}
		srv.stop(t)
		for i, l := range expired {
			s.expire(t, srv.dir, l.id, time.Date(2020+i%2, 1, 31, 0, 0, 0, 0, time.UTC))
		}
		srv.start(t)
		for i, p := range periods {
			at := path("/lines", expired[i].id)
			was := r.get(t, at).has(fields{"status": 0})
			before := r.get(t, path("/lines", r.trial(t).id)).instant("createdAt")
			preview := r.get(t, query(path("/lines/extend-preview", expired[i].id), "credits", p.query))
			after := r.get(t, path("/lines", r.trial(t).id)).instant("createdAt")
			if from := preview.instant("from"); from.Before(before) || from.After(after) {
				t.Errorf("the period would start at %s, want now, which is from %s to %s", from, before, after)
			}
			if want := p.after(preview.instant("from")); !preview.instant("expDate").Equal(want) {
				t.Errorf("%s credits from %s on: %s, want %s", p.price, preview.text("from"), preview.text("expDate"), want)
			}
			r.get(t, at).exactly(was.fields)
			extended := r.send(t, "PATCH", path("/lines/extend", expired[i].id), fields{"credits": p.credits}).is(200)
			extended.exactly(with(was.fields, fields{"status": 1, "expDate": iso, "updatedAt": iso}))
			if want := p.after(extended.instant("updatedAt")); !extended.instant("expDate").Equal(want) {
				t.Errorf("%s credits at %s: expDate %s, want %s", p.price, extended.text("updatedAt"), extended.text("expDate"), want)
			}
		}
		srv.audit(t)
	})
}

// TestExtensionRefusals asks for what the extension and its preview refuse, which
// is the same in the same words, and charges nobody.
func TestExtensionRefusals(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		admin := srv.admin(t)
		master := admin.master(t, "100")
		poor := master.reseller(t, "1")
		official, trial := poor.official(t), poor.trial(t)
		stranger := admin.master(t, "100")
		both := func(by caller, id int64, credits string, status int, code string) answer {
			t.Helper()
			extension := by.send(t, "PATCH", path("/lines/extend", id), fields{"credits": credits}).refused(status, code)
			preview := by.send(t, "GET", query(path("/lines/extend-preview", id), "credits", credits), nil).refused(status, code)
			delete(extension.fields, "errors") // they differ in where the value is
			errors := preview.fields["errors"]
			delete(preview.fields, "errors")
			if anonymous(extension) != anonymous(preview) {
				t.Errorf("the extension is refused with %s, its preview with %s", extension.body, preview.body)
			}
			if errors != nil {
				preview.fields["errors"] = errors
			}
			return preview
		}
		for _, by := range []caller{poor.caller, master.caller, admin} {
			both(by, trial.id, "1", 409, "line-is-trial").has(fields{
				"remedy": map[string]any{"method": "PATCH", "href": path("/lines/active", trial.id)},
			})
			both(by, official.id, "1", 402, "insufficient-credits").has(fields{"balance": "0.5", "required": "1", "shortfall": "0.5"})
			both(by, 999_999_999, "1", 404, "not-found")
		}
		both(stranger.caller, official.id, "1", 404, "not-found")
		both(stranger.caller, trial.id, "1", 404, "not-found")
		both(poor.caller, official.id, "4", 422, "unknown-price").has(fields{"prices": poor.get(t, "/prices").fields["prices"]})
		both(poor.caller, official.id, "0", 422, "unknown-price")
		both(poor.caller, official.id, "many", 422, "validation-failed")
		both(stranger.caller, official.id, "4", 422, "unknown-price") // the price before sight
		both(poor.caller, trial.id, "10", 409, "line-is-trial")       // the state before the balance
		both(srv.nobody(), official.id, "1", 401, "missing-token")
		if got := poor.credits(t); got != "0.5" {
			t.Errorf("after refusals the owner holds %s, want 0.5", got)
		}
		poor.get(t, path("/lines", official.id)).has(fields{"updated": 0})
	})
}

// TestExtensionEndsAtTenYears extends a line as far ahead as it goes.
func TestExtensionEndsAtTenYears(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "500")
		l := r.official(t)
		extend := func(credits any) answer {
			return r.send(t, "PATCH", path("/lines/extend", l.id), fields{"credits": credits})
		}
		balance := 4995 // tenths
		for n := 1; ; n++ {
			a := extend(10)
			if a.status == 409 {
				break
			}
			balance -= 100
			if a.is(200); n > 10 {
				t.Fatalf("after %d extensions of 360 days the line ends %s", n, a.text("expDate"))
			}
		}
		for _, credits := range []any{5, 3, 2, 1, 0.5} {
			for extend(credits).status == 200 {
				balance -= map[any]int{5: 50, 3: 30, 2: 20, 1: 10, 0.5: 5}[credits]
			}
		}
		for _, p := range periods {
			extend(p.credits).refused(409, "period-too-long")
			r.send(t, "GET", query(path("/lines/extend-preview", l.id), "credits", p.query), nil).refused(409, "period-too-long")
		}
		record := r.get(t, path("/lines", l.id))
		now, ends := record.instant("updatedAt"), record.instant("expDate")
		if ends.After(now.AddDate(10, 0, 0)) || ends.Before(now.AddDate(10, 0, -15)) {
			t.Errorf("the line ends %s, want less than 15 days before 10 years from %s on", ends, now)
		}
		if got, want := r.credits(t), units(balance*1000).String(); got != want {
			t.Errorf("the owner holds %s, want %s: a refusal was charged, or an extension was not", got, want)
		}
		if rich := srv.admin(t).send(t, "GET", query(path("/lines/extend-preview", l.id), "credits", 10), nil); rich.status != 409 {
			t.Errorf("%s: status %d, want 409", rich.request, rich.status)
		}
	})
}

// TestExtensionsAtOnce extends one line many times at the same time: each counts
// from where the one before it ended, and is paid for.
func TestExtensionsAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		r := srv.admin(t).reseller(t, "10.5")
		l := r.official(t)
		ends := r.get(t, path("/lines", l.id)).instant("expDate")
		answers := make([]answer, 15)
		atOnce(len(answers), func(i int) {
			answers[i] = r.send(t, "PATCH", path("/lines/extend", l.id), fields{"credits": 1})
		})
		if got := count(answers); got[200] != 10 || got[402] != 5 {
			t.Errorf("15 extensions at once against 10 credits ended in %v, want 10 of 200 and 5 of 402", got)
		}
		for range 10 {
			ends = monthsAfter(ends, 1)
		}
		r.get(t, path("/lines", l.id)).has(fields{"expDate": ends.Format(isoMillis)})
		if got := len(r.get(t, path("/users", r.id, "/ledger")).list()); got != 12 {
			t.Errorf("the statement has %d entries, want an opening, an activation and 10 extensions", got)
		}
		srv.audit(t)
	})
}

// TestRemedies asks for what another operation does, under a prefix too.
func TestRemedies(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		for _, prefix := range []string{"", "/api/v1"} {
			srv := startServer(t, s, map[string]string{"RESELLERD_BASE_PATH": prefix})
			login := fields{"username": adminName, "password": adminPassword}
			admin := caller{srv, srv.nobody().send(t, "POST", prefix+"/auth/static-token", login).is(200).text("token")}
			trial := admin.send(t, "POST", prefix+"/lines/test", nil).is(201)
			l := line{trial.id(), trial.text("username"), trial.text("password")}
			names := func(a answer, code, operation string) {
				t.Helper()
				a.refused(409, code).has(fields{"remedy": map[string]any{"method": "PATCH", "href": path(prefix+operation, l.id)}})
			}
			names(admin.send(t, "PATCH", prefix+path("/lines", l.id), l.edit()), "line-is-trial", "/lines/active")
			names(admin.send(t, "PATCH", prefix+path("/lines/extend", l.id), fields{"credits": 1}), "line-is-trial", "/lines/active")
			names(admin.send(t, "GET", prefix+path("/lines/extend-preview", l.id, "?credits=1"), nil), "line-is-trial", "/lines/active")
			// The remedy is what it says.
			refused := admin.send(t, "PATCH", prefix+path("/lines", l.id), l.edit())
			follow := func(refused answer, body fields) answer {
				t.Helper()
				remedy, _ := refused.fields["remedy"].(map[string]any)
				return admin.send(t, fmt.Sprint(remedy["method"]), fmt.Sprint(remedy["href"]), body)
			}
			follow(refused, l.activation(1)).is(201).has(fields{"id": l.id, "isTrial": 0})
			again := admin.send(t, "PATCH", prefix+path("/lines/active", l.id), l.activation(1))
			names(again, "line-not-trial", "/lines/extend")
			follow(again, fields{"credits": 1}).is(200).has(fields{"id": l.id})
			for _, other := range []answer{
				admin.send(t, "PATCH", prefix+"/lines/active/999999", l.activation(1)).refused(404, "not-found"),
				admin.send(t, "PATCH", prefix+path("/lines/extend", l.id), fields{"credits": 4}).refused(422, "unknown-price"),
			} {
				if remedy, found := other.fields["remedy"]; found {
					t.Errorf("%s: a remedy that is none: %v", other.request, remedy)
				}
			}
		}
	})
}
