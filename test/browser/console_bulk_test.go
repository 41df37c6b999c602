package browser

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// until tells when each line of an account runs out, by name.
func (a *account) until(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	data, _ := a.send(t, "GET", "/lines?limit=500", nil)["data"].([]any)
	for _, one := range data {
		line, _ := one.(map[string]any)
		found[fmt.Sprint(line["username"])] = fmt.Sprint(line["expDate"])
	}
	return found
}

// picks selects the lines of these names.
func (v *tab) picks(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		v.click(t, fmt.Sprintf(`.pick input[aria-label="Select %s"]`, name))
	}
}

// selects by a button beside the filters.
func (v *tab) selects(t *testing.T, words string) {
	t.Helper()
	v.opensFilters(t)
	v.press(t, words)
}

// TestConsoleBulk extends three lines that are selected, and all that a filter finds: what it costs and who is refused
// is said before, and by name afterwards. What has changed meanwhile is counted anew, and nothing is done unseen.
func TestConsoleBulk(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			address := serve(t, "")
			maria := admin(t, address).reseller(t, "maria", true, "100")
			joao := maria.reseller(t, "joao", false, "3")
			for _, name := range []string{"ana.tv", "bia.tv", "caio.tv", "duda.tv", "eva.tv"} {
				maria.line(t, name, "1")
			}
			maria.line(t, "", "") // a trial
			joao.line(t, "far.tv", "1")
			v := open(t, width, 740)
			v.signIn(t, maria)
			v.press(t, "Lines")
			v.sees(t, "That is all.")
			v.fits(t, "a list")
			before := maria.until(t)

			v.picks(t, "ana.tv", "bia.tv", "caio.tv")
			v.sees(t, "3 selected")
			v.fits(t, "selected")
			v.picks(t, "caio.tv")
			v.sees(t, "2 selected")
			v.picks(t, "caio.tv")
			v.click(t, `.bar .main`)
			v.sees(t, "Renew: 3 lines")
			v.click(t, `main input[value="1"]`)
			v.sees(t, "3 lines are selected.", "Costs 3 credits. Your balance: 92, then 89.", "Renew 3 lines for 3 credits")
			v.fits(t, "extend three")
			if got := maria.until(t); fmt.Sprint(got) != fmt.Sprint(before) {
				t.Errorf("something was extended before it was sent: %v, then %v", before, got)
			}
			v.click(t, `form .main`)
			v.sees(t, "Done: 3 succeeded.", "Charged", "3 credits")
			v.fits(t, "extended")
			after := maria.until(t)
			for name := range before {
				if changed, want := before[name] != after[name], strings.Contains("ana.tv bia.tv caio.tv", name); changed != want {
					t.Errorf("%s was extended: %t", name, changed)
				}
			}
			v.sees(t, "89 credits") // above the screen

			// Everything in the list: the trial is refused, and so is what joao cannot pay.
			v.click(t, `[aria-label=Back]`)
			v.sees(t, "That is all.")
			v.until(t, `!document.querySelector('.bar')`)
			v.selects(t, "Select all")
			v.sees(t, "All that the list finds")
			v.fits(t, "all selected")
			v.click(t, `.bar .main`)
			v.sees(t, "The list is not filtered")
			v.click(t, `main input[value="5"]`)
			v.sees(t, "7 lines are selected.", "2 of them are left as they are:", "The line is still a trial.",
				"The balance of its owner is not enough.")
			v.sees(t, "Renew 5 lines for 25 credits", "Your balance: 89, then 64.")
			v.fits(t, "extend all")

			// Another line comes: what was shown is not what would be done.
			maria.line(t, "gil.tv", "1")
			v.click(t, `form .main`)
			v.sees(t, "They were counted anew", "8 lines are selected.", "Renew 6 lines for 30 credits",
				"Your balance: 88, then 58.")
			v.fits(t, "counted anew")
			v.click(t, `form .main`)
			v.sees(t, "Done: 6 succeeded and 2 refused.", "1 line: The line is still a trial.",
				"1 line: The balance of its owner is not enough.", "far.tv")
			v.fits(t, "refused")
			v.click(t, `//a[normalize-space(.)="far.tv"]`)
			v.sees(t, "Record", "joao", "far.tv")
			ask[bool](t, v, `history.back() ?? true`)
			v.press(t, "All jobs")
			v.sees(t, "Renew: 8 lines", "Renew: 3 lines", "Done: 3 succeeded.")
			v.fits(t, "jobs")
			v.more(t)
			v.press(t, "Activity")
			v.sees(t, "Job ended", "Done: 6 succeeded and 2 refused.")
			v.fits(t, "activity")
			proof := admin(t, address).send(t, "GET", "/ledger/proof", nil)
			if balance := fmt.Sprint(maria.send(t, "GET", "/users/logged", nil)["credits"]); balance != "58" ||
				proof["balanced"] != true {
				t.Errorf("the balance is %s, the ledger is balanced: %v", balance, proof["balanced"])
			}

			// Suspended with a reason, by a filter, and resumed.
			v.press(t, "Lines")
			v.filters(t, "Kind", "trials")
			v.until(t, `document.querySelectorAll('a.row').length === 1`)
			v.selects(t, "Select all")
			v.press(t, "Suspend")
			v.sees(t, "Filtered by: Trials", "1 line is selected.")
			v.fill(t, "reason", "no answer")
			v.fits(t, "suspend")
			v.click(t, `form .danger`)
			v.sees(t, "Suspend: 1 line", "Done: 1 succeeded.")
			v.press(t, "Lines")
			v.filters(t, "State", "suspended")
			v.until(t, `document.querySelectorAll('a.row').length === 1`)
			v.selects(t, "Select shown")
			v.sees(t, "1 selected")
			v.press(t, "Resume")
			v.click(t, `form .main`)
			v.sees(t, "Resume: 1 line", "Done: 1 succeeded.")

			// Deleted once their number was typed.
			v.press(t, "Lines")
			v.sees(t, "eva.tv")
			v.picks(t, "duda.tv", "eva.tv")
			v.press(t, "Delete")
			v.sees(t, "gone for good", "Type 2 to delete them")
			v.until(t, `document.querySelector('form .danger').disabled`)
			v.fits(t, "delete")
			v.fill(t, "typed", "2")
			v.click(t, `form .danger`)
			v.sees(t, "Done: 2 succeeded.")
			v.press(t, "Lines")
			v.sees(t, "ana.tv", "That is all.")
			v.until(t, `!document.body.innerText.includes('eva.tv') && !document.querySelector('.bar')`)
			v.hush() // of the refusal that was meant
			v.quiet(t, address)
		})
	}
}

// TestConsoleJob follows a job that takes its time: on other screens, after a reload, to its end.
func TestConsoleJob(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	for i := range 3 {
		maria.line(t, fmt.Sprintf("line%d.tv", i), "1")
	}
	var held atomic.Bool // the job seems to be under way
	held.Store(true)
	proxied := through(t, address, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		const job = `{"id":1,"action":"extend","dry_run":false,"status":"running","matched":3,"done":1,"succeeded":1,"refused":0,"charged":"1","created_at":"2026-01-31T10:50:00.000Z","finished_at":null,"outcome":null}`
		if held.Load() && r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/bulk") {
			jobs, _ := maria.send(t, "GET", "/bulk", nil)["data"].([]any)
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.URL.Path == "/bulk/1":
				_, _ = io.WriteString(w, job)
			case len(jobs) > 0:
				_, _ = io.WriteString(w, `{"data":[`+job+`],"next_cursor":null}`)
			default:
				_, _ = io.WriteString(w, `{"data":[],"next_cursor":null}`)
			}
			return
		}
		next.ServeHTTP(w, r)
	})
	for _, width := range []int64{360, 1280} {
		held.Store(true)
		v := open(t, width, 740)
		v.signIn(t, &account{address: proxied, Name: maria.Name, Password: maria.Password})
		if width == 360 {
			v.press(t, "Lines")
			v.sees(t, "That is all.")
			v.selects(t, "Select shown")
			v.click(t, `.bar .main`)
			v.click(t, `main input[value="1"]`)
			v.click(t, `form .main`)
		} else {
			v.do(t, chromedp.Navigate(proxied+"/console/jobs/1"))
		}
		v.until(t,
			`document.querySelector('[role=progressbar]')?.ariaValueNow === '1' && document.querySelector('[role=progressbar]').ariaValueMax === '3'`)
		v.sees(t, "1 of 3", "Stop")
		v.fits(t, "a job")
		v.press(t, "Home")
		v.sees(t, "Latest activity", "Renew: 3 lines – 1 of 3")
		v.fits(t, "a job elsewhere")
		v.do(t, chromedp.Reload())
		v.sees(t, "Renew: 3 lines – 1 of 3")
		v.press(t, "Lines")
		v.sees(t, "That is all.")
		v.selects(t, "Select shown")
		v.sees(t, "3 selected")
		v.fits(t, "selected while a job runs")
		v.click(t, `nav > .job`)
		v.until(t, `!!document.querySelector('[role=progressbar]')`)
		held.Store(false)
		v.sees(t, "Done: 3 succeeded.")
		v.until(t, `!document.querySelector('nav > .job, [role=progressbar]')`)
		v.quiet(t, proxied)
	}
}

// TestConsoleBulkStops stops a job of many lines: those that were not reached stay as they are.
func TestConsoleBulkStops(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	const lines = 4_000
	for range lines {
		maria.line(t, "", "")
	}
	v := open(t, 1280, 740)
	v.signIn(t, maria)
	v.press(t, "Lines")
	v.selects(t, "Select all")
	v.press(t, "Suspend")
	v.fill(t, "reason", "they move")
	v.do(t, chromedp.Reload())
	v.sees(t, "This is what you typed before.", "Suspend 4,000 lines")
	v.click(t, `form .danger`)
	v.press(t, "Stop")
	v.sees(t, "Stopped:", "Not reached")
	v.picture(t, "stopped")
	job := maria.send(t, "GET", "/bulk/1", nil)
	if done, _ := job["done"].(float64); job["status"] != "stopped" || done >= lines {
		t.Errorf("the job is %v", job)
	}
	v.quiet(t, address)
}

// TestConsoleSearchGoesOn has a search whose first pages find nothing: it goes on by itself, says how far it looked,
// and is given up when another text is typed.
func TestConsoleSearchGoesOn(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "100")
	maria.line(t, "ana.tv", "1")
	maria.send(t, "PATCH", fmt.Sprintf("/lines/%d/details", maria.line(t, "bia.tv", "1")),
		map[string]any{"notes": "pays on Fridays", "telegram": "@bianca"})
	answer := make(chan struct{})
	var gone, empty atomic.Int64
	proxied := through(t, address, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		query := r.URL.Query()
		page := func(cursor string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"data":[],"next_cursor":%q}`, cursor)
		}
		switch at := query.Get("cursor"); {
		case query.Get("q") == "never":
			empty.Add(1)
			page("n" + at)
		case query.Get("q") == "slow":
			select {
			case <-r.Context().Done():
				gone.Add(1)
			case <-answer:
			}
		case query.Get("q") == "frida" && at == "":
			page("a")
		case query.Get("q") == "frida" && at == "a":
			page("b")
		case query.Get("q") == "frida" && at == "b":
			<-answer
			query.Del("cursor")
			r.URL.RawQuery = query.Encode()
			next.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
	v := open(t, 360, 740)
	v.signIn(t, &account{address: proxied, Name: maria.Name, Password: maria.Password})
	v.press(t, "Lines")
	v.sees(t, "ana.tv")
	types := func(text string) {
		t.Helper()
		ask[bool](t, v, `document.querySelector('[data-search]').select() ?? true`)
		v.do(t, chromedp.SendKeys(`[data-search]`, text))
	}
	types("slow")
	v.until(t, `location.search === '?q=slow'`)
	types("frida")
	v.sees(t, "About 10,000 records were looked through so far.")
	for deadline := time.Now().Add(soon); gone.Load() != 1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the search for the former text was not given up")
		}
	}
	v.picture(t, "how far it looked")
	close(answer)
	v.sees(t, "bia.tv", "pays on Fridays", "That is all.")
	types("@BIAN")
	v.until(t, `document.querySelectorAll('a.row').length === 1 && location.search === '?q=%40BIAN'`)
	types("never")
	v.sees(t,
		"Nothing was found so far, and there is more to look through. About 100,000 records were looked through so far.",
		"Look further")
	if n := empty.Load(); n != 20 {
		t.Errorf("%d pages were read before it asked", n)
	}
	v.picture(t, "goes on when asked to")
	v.press(t, "Look further")
	v.sees(t, "About 200,000 records were looked through so far.", "Look further")
	v.quiet(t, proxied)
}
