package browser

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestConsoleSuspends suspends a line from the list in three presses, for a reason that a reload shows as well, and
// resumes it in as many; a lost answer is asked for again. Each line's state is said by word and picture, and lists are
// filtered by it.
func TestConsoleSuspends(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			address := serve(t, "")
			joao := admin(t, address).reseller(t, "joao", false, "10")
			id, trial := joao.line(t, "ana.tv", "1"), joao.line(t, "", "")
			joao.line(t, "bia.tv", "1")
			path := fmt.Sprintf("/lines/%d", id)
			is := func(suspended bool, reason any, effective string) {
				t.Helper()
				got := joao.send(t, "GET", path, nil)
				if got["suspended"] != suspended || got["suspension_reason"] != reason || got["effective"] != effective {
					t.Errorf("the line is suspended %v, for %v, and amounts to %v", got["suspended"], got["suspension_reason"],
						got["effective"])
				}
			}
			f := between(t, address)
			v := open(t, width, 740)
			v.signIn(t, &account{address: f.address, Name: joao.Name, Password: joao.Password})
			v.press(t, "Lines")
			v.click(t, `//a[contains(@class, "line")][starts-with(normalize-space(.), "ana.tv")]`)
			v.press(t, "Suspend")
			v.sees(t, "Suspend ana.tv", "The customer cannot get in until the line is resumed. Its time runs on meanwhile.",
				"ana.tv does not see this.")
			v.fill(t, "reason", "asked for a pause")
			f.fail(lost)
			v.click(t, `form .danger`)
			v.press(t, "Check it") // nothing was paid
			v.sees(t, "ana.tv is suspended.")
			is(true, "asked for a pause", "suspended")
			v.do(t, chromedp.Reload())
			v.sees(t, "The customer cannot get in", "asked for a pause", "Suspended")
			v.shows(t, `.glance .state.suspended svg path`)
			v.fits(t, "suspended")

			// A trial that is suspended is still called one, and no reason need be given.
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=suspend", f.address, trial)))
			v.click(t, `form .danger`)
			v.shows(t, `.glance .state.suspended + .state.trial`)
			v.until(t, `!document.querySelector('.notice dl')`)

			v.press(t, "Lines")
			v.sees(t, "bia.tv")
			v.fits(t, "lines")
			for state, rows := range map[string]int{"suspended": 2, "running": 1, "expired": 0, "owner_blocked": 0, "": 3} {
				v.filters(t, "State", state)
				v.until(t,
					fmt.Sprintf(
						`(new URLSearchParams(location.search).get('status') || '') === %q && document.querySelectorAll('a.row.line').length === %d && !document.body.innerText.includes('Loading')`, state, rows))
			}
			// in addresses of before, and in no address of ours
			for kept, state := range map[string]string{"status=1": "running", "status=0": "expired", "status=x": ""} {
				v.do(t, chromedp.Navigate(f.address+"/console/lines?"+kept))
				v.until(t, fmt.Sprintf(`document.querySelector('select[aria-label=State]')?.value === %q`, state))
				v.shows(t,
					map[string]string{"running": `a.row.line .state.active`, "expired": `.empty`,
						"": `a.row.line .state.suspended`}[state])
			}

			v.do(t, chromedp.Navigate(f.address+"/console/lines?status=suspended&show=official"))
			v.click(t, `a.row.line`)
			v.press(t, "Resume")
			v.sees(t, "Resume ana.tv", "asked for a pause")
			v.click(t, `form .main`)
			v.sees(t, "ana.tv was resumed.")
			v.shows(t, `.glance .state.active`)
			is(false, nil, "running")
			v.do(t, chromedp.Reload())
			v.sees(t, "Resumed ana.tv", "Suspended ana.tv") // its history
			v.until(t, `!document.querySelector('main div.notice dl')`)
			told, _ := joao.send(t, "GET", fmt.Sprintf("/events?type=line.suspended&type=line.resumed&line=%d", id),
				nil)["data"].([]any)
			if len(told) != 2 {
				t.Errorf("the journal tells %v of a suspension, sent twice, and its end", told)
			}
		})
	}
}

// TestConsoleBlocksLines blocks an account so that its lines are not served: how many that stops is said before, why
// and since when it stands, on its page and before it is lifted, and its lines say that their owner is blocked.
func TestConsoleBlocksLines(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			address := serve(t, "")
			maria := admin(t, address).reseller(t, "maria", true, "100")
			north := maria.reseller(t, "north", true, "0")
			joao := north.reseller(t, "joao", false, "0")
			trial := joao.line(t, "", "")
			capped := false
			proxied := through(t, address, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if r.URL.Path == "/reports/summary" && r.URL.Query().Get("tree") == fmt.Sprint(north.ID) && capped {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w,
						`{"at":"2026-01-31T10:50:00.000Z","balance":"0","lines":{"running":5000,"trials":12,"expiring_7d":0,"expired_14d":0,"capped":true},"days":[]}`)
					return
				}
				next.ServeHTTP(w, r)
			})
			blocked := func() map[string]any {
				t.Helper()
				block, _ := maria.send(t, "GET", fmt.Sprintf("/users/%d", north.ID), nil)["block"].(map[string]any)
				return block
			}
			v := open(t, width, 740)
			v.signIn(t, &account{address: proxied, Name: maria.Name, Password: maria.Password})

			v.press(t, "Resellers")
			v.click(t, `//a[contains(@class, "reseller")][starts-with(normalize-space(.), "north")]`)
			v.press(t, "Block")
			v.until(t,
				`document.querySelector('main [name=lines][value=run]').checked && !document.querySelector('[data-stops]')`)
			v.click(t, `main [name=lines][value=suspend]`)
			v.sees(t, "This stops 1 line that runs now.", "north does not see this.")
			v.fill(t, "reason", "has not paid\nsince March")
			v.fits(t, "block")
			v.click(t, `form .danger`)
			v.sees(t, "north is blocked.")
			v.do(t, chromedp.Reload())
			v.sees(t, "Do not run", "Since", "has not paid\nsince March", "Lines: Do not run")
			v.shows(t, `.glance .state svg path`)
			v.fits(t, "blocked")
			if b := blocked(); b["lines"] != "suspend" || b["reason"] != "has not paid\nsince March" || b["at"] == nil {
				t.Errorf("the block is %v", b)
			}

			v.press(t, "Lines")
			v.shows(t, `a.row.line .state.owner_blocked + .state.trial`)
			v.filters(t, "State", "running")
			v.sees(t, "No line matches.")
			v.filters(t, "State", "owner_blocked")
			v.click(t, `a.row.line`)
			v.sees(t, "Owner blocked", "Its owner, or an account above, is blocked.")
			v.fits(t, "line of a blocked one")

			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d", proxied, north.ID)))
			v.press(t, "Lift the block")
			v.sees(t, "each as it could before.", "All lines run again as before.", "has not paid\nsince March", "Since")
			v.fits(t, "lift the block")
			v.click(t, `form .main`)
			v.sees(t, "north is not blocked any more.", "Lines: Run on")
			v.until(t, `!document.querySelector('.glance .state')`)
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", proxied, trial)))
			v.shows(t, `.glance .state.trial`)
			v.until(t, `!document.querySelector('.state.owner_blocked')`)

			// Lines run on unless something else is chosen. Of more lines than are counted it is said that there are more.
			capped = true
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d?do=block", proxied, north.ID)))
			v.click(t, `main [name=lines][value=suspend]`)
			v.sees(t, "This stops at least 5,012 lines that run now.")
			v.click(t, `main [name=lines][value=run]`)
			v.until(t, `!document.querySelector('[data-stops]')`)
			v.click(t, `form .danger`)
			v.sees(t, "north is blocked.", "Run on")
			if b := blocked(); b["lines"] != "run" || b["reason"] != nil {
				t.Errorf("the block is %v", b)
			}
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", proxied, trial)))
			v.shows(t, `.glance .state.trial`)
			v.until(t, `!document.querySelector('.state.owner_blocked')`)
			v.quiet(t, proxied)
		})
	}
}

// TestConsoleSuspendsByScope shows who acts for an account why a line and a reseller are stopped, and a button to those
// alone who may stop them and have them go on.
func TestConsoleSuspendsByScope(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "10")
	joao := maria.reseller(t, "joao", false, "0")
	suspended, running := maria.line(t, "", ""), maria.line(t, "", "")
	maria.send(t, "PUT", fmt.Sprintf("/lines/%d/suspension", suspended), map[string]any{"reason": "asked for a pause"})
	for _, of := range []struct {
		name                    string
		scopes                  []string
		suspends, blocks, count bool
	}{
		{"ana", []string{"lines:read", "users:read"}, false, false, false},
		{"bia", []string{"lines:read", "lines:write", "users:read"}, true, false, false},
		{"caio", []string{"users:read", "users:write"}, false, true, false},
		{"duda", []string{"lines:read", "users:read", "users:write"}, false, true, true},
	} {
		maria.send(t, "POST", "/staff", map[string]any{"username": of.name, "password": "s3cret-staff", "scopes": of.scopes})
		v := open(t, 844, 700)
		v.signIn(t, &account{address: address, Name: of.name, Password: "s3cret-staff"})
		has := func(words string, want bool) {
			t.Helper()
			if got := ask[bool](t, v,
				fmt.Sprintf(`[...document.querySelectorAll('main button')].some((b) => b.textContent.trim() === %q)`,
					words)); got != want {
				t.Errorf("%s has the button %s: %t", of.name, words, got)
			}
		}
		if of.name != "caio" {
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", address, suspended)))
			v.sees(t, "asked for a pause", "Record")
			has("Resume", of.suspends)
			v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d?do=suspend", address, running)))
			if of.suspends {
				v.sees(t, "does not see this.")
			} else {
				v.sees(t, "Record")
			}
			has("Suspend", of.suspends)
		}
		v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/resellers/%d", address, joao.ID)))
		v.sees(t, "Record")
		has("Block", of.blocks)
		if of.blocks {
			v.press(t, "Block")
			v.click(t, `main [name=lines][value=suspend]`)
			if of.count {
				v.sees(t, "This stops 0 lines that run now.")
			} else {
				v.until(t,
					`document.querySelector('main [name=lines][value=suspend]').checked && !document.querySelector('[data-stops]')`)
			}
		}
		v.quiet(t, address)
	}
}
