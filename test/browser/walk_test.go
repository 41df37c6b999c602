package browser

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// widest is the longest name, and farthest the longest one that can't break.
var (
	widest   = "Distribuidora-Internacional-de-Canais-e-Filmes-do-Nordeste-e-Sul"
	farthest = strings.Repeat("abcdefgh", 8)
)

// TestWalk enters each screen of each role by its address, with the longest names and the largest numbers, and looks at
// it in every window: each role in another language, in the long form in all of them.
func TestWalk(t *testing.T) {
	t.Parallel()
	address := serveOn(t, "memory:", adminPassword, "RESELLERD_TRIAL_DURATION=1h")
	boss := admin(t, address)
	notes := strings.Repeat("pays on Fridays, but for the last one of a month; ", 39)
	members := map[string]string{"empty": "", "rows": "one\n\n  three: 3",
		strings.Repeat("w", 40): strings.Repeat("W", 500)}
	for i := range 17 {
		members[fmt.Sprintf("customer_reference_of_the_billing_%02d", i)] = strings.Repeat("a value of some words, ", 4)
	}
	below := func(above *account, language, name string, master bool, credits string) *account {
		made := above.reader(t, language, name, master, credits)
		above.send(t, "PATCH", fmt.Sprintf("/users/%d/contact", made.ID),
			map[string]any{"country": "BR", "whatsapp": "+55 11 98888-7777",
				"email": "a.very.long.name@mail.of.a.very.long.domain.example.com", "notes": notes})
		return made
	}
	jobs := map[string]int64{}
	who, lines, ids := map[string]*account{}, map[string][2]int64{}, map[string]int64{"admin": 1}
	hooks, stopped := map[string][2]int64{}, map[string][2]int64{}
	reason := farthest + strings.Repeat(", and so on", 39)
	hear := func(of *account) {
		for i, url := range []string{"https://" + farthest[:56] + ".example.com/" + strings.Repeat(farthest, 5),
			"https://127.0.0.1:444/" + widest} {
			made, _ := of.send(t, "POST", "/webhooks",
				map[string]any{"url": url, "types": []string{"line.*", "session.started", "balance.low", "operator.*"},
					"scope": "tree", "description": notes})["id"].(float64)
			ids := hooks[of.Name]
			ids[i] = int64(made)
			hooks[of.Name] = ids
		}
		of.send(t, "PATCH", fmt.Sprintf("/webhooks/%d", hooks[of.Name][0]), map[string]any{"enabled": false})
		of.send(t, "POST", fmt.Sprintf("/webhooks/%d/test", hooks[of.Name][1]), nil)
	}
	principals := map[string]map[string]int64{}
	engage := func(of *account, name string) {
		rights := map[string]any{
			"scopes": []string{"lines:read", "lines:passwords", "lines:write", "lines:spend", "lines:delete", "users:read",
				"users:write", "credits:move", "ledger:read", "events:read", "entitlements:read"},
			"spend_limit": map[string]any{"credits": "999999999.9999", "per": "day"},
		}
		networks := []string{}
		for i := range 50 {
			networks = append(networks, fmt.Sprintf("2001:db8:aaaa:bbbb:cccc:dddd:eeee:%x", 61440+i))
		}
		key := maps.Clone(rights)
		key["name"], key["expires_at"], key["allowed_addresses"] = farthest, "2031-02-03T12:34:56.789Z", networks
		member := maps.Clone(rights)
		member["username"], member["password"] = name, "s3cret-member"
		principals[of.Name] = map[string]int64{}
		for path, body := range map[string]any{"/keys": key, "/staff": member} {
			made, _ := of.send(t, "POST", path, body)["id"].(float64)
			principals[of.Name][path] = int64(made)
			of.send(t, "POST", path,
				map[string]any{"/keys": map[string]any{"name": "shop", "role": "cashier"},
					"/staff": map[string]any{"username": "ana-" + name[:20], "password": "s3cret-ana", "role": "support"}}[path])
		}
		(&account{address: address, Name: name, Password: "s3cret-member"}).signsInWith(t, farthest+farthest)
	}
	hear(boss)
	engage(boss, "Ana-"+widest[:60])
	for _, language := range languages {
		maria := below(boss, language, "Maria-"+language+"-"+widest[:64-9-len(language)], true, "987654321.1234")
		joao := below(maria, language, farthest[:64-len(language)]+language, false, "1234567.8901")
		who["master "+language], who["reseller "+language] = maria, joao
		above := maria
		for depth := 2; depth < 8; depth++ {
			above = below(above, language, fmt.Sprintf("level-%d-%s-%s", depth, language, widest[:20]), true, "1000.5")
		}
		for i, of := range []*account{joao, maria, above} {
			lines[of.Name] = [2]int64{of.line(t, "", ""),
				of.line(t, fmt.Sprintf("%d%s%s", i, language, farthest[:64-1-len(language)]), "1")}
			of.line(t, fmt.Sprintf("%d-%s-%s", i, language, widest[:60-len(language)]), "0.5")
			of.line(t, fmt.Sprintf("ana.tv.%d.%s", i, language), "5")
			of.send(t, "PATCH", fmt.Sprintf("/lines/%d", lines[of.Name][1]), map[string]any{
				"username": fmt.Sprintf("%d%s%s", i, language, farthest[:64-1-len(language)]), "password": "7788", "country": "BR",
				"whatsapp": "+55 11 98888-7777", "notes": notes,
			})
			of.send(t, "PATCH", fmt.Sprintf("/lines/%d/details", lines[of.Name][1]),
				map[string]any{"external_id": farthest, "metadata": members})
			of.send(t, "PUT", fmt.Sprintf("/lines/%d/suspension", lines[of.Name][0]), map[string]any{"reason": reason})
		}
		ids["master "+language], ids["reseller "+language] = joao.ID, joao.ID
		for _, of := range []*account{joao, maria} {
			jobs[of.Name] = of.job(t, map[string]any{"action": "extend", "select": map[string]any{"filter": map[string]any{}},
				"params": map[string]any{"credits": "0.5"}})
		}
		for _, of := range []*account{joao, maria} {
			hear(of)
			engage(of, memberOf(of))
			of.send(t, "PUT", fmt.Sprintf("/users/%d/messages", of.ID),
				map[string]any{"server": "http://" + farthest, "access": strings.Repeat(farthest+"{username}", 9),
					"welcome": notes})
			of.send(t, "PUT", fmt.Sprintf("/users/%d/alerts", of.ID), map[string]any{"balance_low": "999999999.9999"})
			for _, agent := range []string{farthest + farthest,
				"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36"} {
				of.signsInWith(t, agent)
			}
		}
		blocked := below(maria, language, fmt.Sprintf("%s-%s", language, farthest[:60-len(language)]), false, "1000.5")
		stopped["master "+language] = [2]int64{blocked.ID, blocked.line(t, "", "")}
		stopped["admin "+language] = stopped["master "+language]
		maria.send(t, "PUT", fmt.Sprintf("/users/%d/block", blocked.ID), map[string]any{"lines": "suspend", "reason": reason})
		who["admin "+language] = boss
		ids["admin "+language], lines["admin "+language] = joao.ID, lines[joao.Name]
	}
	jobs[boss.Name] = boss.job(t, map[string]any{"action": "resume", "select": map[string]any{"ids": []int64{1, 999_999}}})
	for _, role := range roles {
		for _, language := range languages {
			if of := who[role+" "+language]; jobs[of.Name] == 0 {
				t.Fatalf("%s has no job", of.Name)
			}
		}
	}
	for n, language := range languages {
		if long || n == 0 {
			t.Run("staff, "+language, func(t *testing.T) {
				t.Parallel()
				of := who["master "+language]
				walksAsStaff(t, address, language, memberOf(of), lines[of.Name][1])
			})
		}
	}
	for i, role := range roles {
		for n, language := range languages {
			if !long && n != (i+1)%len(languages) {
				continue
			}
			t.Run(role+", "+language, func(t *testing.T) {
				t.Parallel()
				self := who[role+" "+language]
				looked := walked(i)
				// Where it is entered decides what can jump.
				size := looked[min(i, 1)]
				v := open(t, size[0], size[1])
				v.signIn(t, self)
				v.speak(t, language)
				own := lines[self.Name]
				if role == "admin" {
					own = lines[role+" "+language]
				}
				at := func(path, screen string) {
					v.do(t, chromedp.Navigate(address+"/console"+path))
					v.isIn(t)
					v.until(t, `document.body.innerText.length > 100`)
					v.fitsAt(t, screen, looked...)
					v.isWorded(t, screen, wordsOf(t, language))
				}
				at("", "home")
				at("/lines", "lines")
				v.click(t, `[data-search]`)
				v.do(t, chromedp.SendKeys(`.palette input`, "a"))
				v.shows(t, `.palette mark`)
				v.fitsAt(t, "search", looked...)
				v.do(t, chromedp.KeyEvent("\x1b"))
				v.click(t, `.filter-of .filter, .filters-all .chip`)
				v.fitsAt(t, "filters", looked...)
				v.do(t, chromedp.KeyEvent("\x1b"))
				v.click(t, `[data-renew]`)
				v.shows(t, `.renew [type=submit]:enabled, .renew .note.bad`)
				v.fitsAt(t, "renew in a row", looked...)
				v.click(t, `.side-head button`)
				v.selects(t)
				v.click(t, `td.pick input`)
				v.shows(t, `.pick-bar`)
				v.fitsAt(t, "selected", looked...)
				v.click(t, `[data-queue]`)
				v.shows(t, `[data-next]`)
				v.fitsAt(t, "queue of reminders", looked...)
				v.click(t, `.side-head button`)
				v.click(t, `[data-all]`)
				v.fitsAt(t, "all selected", looked...)
				// The last ones cost nothing, and ask for something to be typed.
				for i := range 4 {
					if i > 0 {
						v.click(t, `.pick-bar .pop > button`)
					}
					v.click(t, fmt.Sprintf(`.pick-bar [data-action=%s]`, []string{"extend", "suspend", "resume", "delete"}[i]))
					if i == 0 {
						v.click(t, `main input[value="10"]`)
					}
					v.shows(t, `[data-outcome]`)
					v.fitsAt(t, fmt.Sprintf("many %d", i), looked...)
					v.isWorded(t, fmt.Sprintf("many %d", i), wordsOf(t, language))
					v.click(t, `form [type=button]:not([data-again])`)
					v.shows(t, `.pick-bar`)
				}
				at("/jobs", "jobs")
				at(fmt.Sprintf("/jobs/%d", jobs[self.Name]), "a job")
				v.shows(t, `[data-job=done]`)
				v.fitsAt(t, "a job that is done", looked...)
				at("/lines?q=zz&show=official", "no such line")
				at(fmt.Sprintf("/lines/%d", own[0]), "a trial")
				at(fmt.Sprintf("/lines/%d?do=activate", own[0]), "activate")
				at(fmt.Sprintf("/lines/%d?do=resume", own[0]), "resume")
				at("/lines?status=suspended", "suspended lines")
				for _, do := range []string{"", "extend", "edit", "suspend", "delete"} {
					at(fmt.Sprintf("/lines/%d?do=%s", own[1], do), "a line "+do)
				}
				at("/statement", "statement")
				at("/messages", "messages")
				at("/sessions", "sessions")
				at("/sessions?do=password", "own password")
				at("/activity", "activity")
				at("/sessions?do=totp", "begin with a second factor")
				at("/sessions?do=no-totp", "remove a second factor")
				for path, id := range principals[self.Name] {
					at(path, path)
					at(path+"?do=create", "create "+path)
					for _, do := range []string{"", "edit", "remove"} {
						at(fmt.Sprintf("%s/%d?do=%s", path, id, do), path+" "+do)
					}
				}
				for _, do := range []string{"password", "totp"} {
					at(fmt.Sprintf("/staff/%d?do=%s", principals[self.Name]["/staff"], do), "/staff "+do)
				}
				at("/webhooks", "webhooks")
				at("/webhooks?do=create", "new webhook")
				at(fmt.Sprintf("/webhooks/%d?do=enable", hooks[self.Name][0]), "enable a webhook")
				for _, id := range hooks[self.Name] {
					at(fmt.Sprintf("/webhooks/%d", id), "a webhook")
				}
				for _, do := range []string{"edit", "rotate", "replay", "disable", "delete"} {
					at(fmt.Sprintf("/webhooks/%d?do=%s", hooks[self.Name][1], do), "a webhook "+do)
				}
				if role != "admin" {
					at("?do=alert", "own alert")
				}
				if role == "reseller" {
					v.quiet(t, address)
					return
				}
				at("/resellers", "resellers")
				at("/resellers?all=1&sort=balance", "resellers at all levels")
				at("/resellers?do=create", "new reseller")
				for _, do := range []string{"", "topup", "reclaim", "contact", "password", "block", "alert", "totp"} {
					at(fmt.Sprintf("/resellers/%d?do=%s", ids[role+" "+language], do), "a reseller "+do)
				}
				at(fmt.Sprintf("/resellers/%d", stopped[role+" "+language][0]), "a blocked reseller")
				at(fmt.Sprintf("/resellers/%d?do=unblock", stopped[role+" "+language][0]), "lift a block")
				at(fmt.Sprintf("/lines/%d", stopped[role+" "+language][1]), "a line of a blocked reseller")
				at("/lines?status=owner_blocked", "lines of blocked resellers")
				if role == "admin" {
					at("/proof", "proof")
					at("/prices", "prices")
				}
				v.quiet(t, address)
			})
		}
	}
}

// job does the same to many lines, and waits until that is done.
func (a *account) job(t *testing.T, order map[string]any) int64 {
	t.Helper()
	order["dry_run"] = true
	would := a.send(t, "POST", "/bulk", order)
	order["dry_run"], order["expect"] = false, map[string]any{"count": would["would_succeed"], "total": would["total"]}
	id, _ := a.send(t, "POST", "/bulk", order)["id"].(float64)
	for deadline := time.Now().Add(
		patience); a.send(t, "GET", fmt.Sprintf("/bulk/%d", int64(id)), nil)["status"] == "running"; time.Sleep(
		50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the job %v is not done", order)
		}
	}
	return int64(id)
}

// memberOf is the longest name of a staff member of an account.
func memberOf(a *account) string { return fmt.Sprintf("%d-%s", a.ID, farthest)[:64] }

// walksAsStaff enters the screens of a staff member that acts for an account, both with the longest names.
func walksAsStaff(t *testing.T, address, language, name string, line int64) {
	v := open(t, 360, 740)
	v.signIn(t, &account{address: address, Name: name, Password: "s3cret-member"})
	v.speak(t, language)
	for _, path := range []string{"", "/lines", fmt.Sprintf("/lines/%d", line), "/resellers", "/resellers?do=create",
		"/statement", "/activity", "/messages", "/sessions", "/sessions?do=password", "/keys"} {
		v.do(t, chromedp.Navigate(address+"/console"+path))
		v.isIn(t)
		v.until(t, `document.body.innerText.length > 100`)
		v.fitsAt(t, "for another account: "+path, walked(1)...)
		v.isWorded(t, path, wordsOf(t, language))
	}
	v.quiet(t, address)
}

// signsInWith signs an account in by a browser that calls itself so, when it is its turn.
func (a *account) signsInWith(t *testing.T, agent string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Second) {
		body := strings.NewReader(fmt.Sprintf(`{"username":%q,"password":%q}`, a.Name, a.Password))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.address+"/auth/session", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User-Agent", agent)
		got, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode == http.StatusCreated {
			return
		}
		if got.StatusCode != http.StatusTooManyRequests || time.Now().After(deadline) {
			t.Fatal(got.Status)
		}
	}
}

// TestConsoleFocus checks, with the keyboard alone, that the focus moves to the next step when its element goes away:
// after a refused sign-in and a successful one, at the first link to another screen, when an answer comes, when a row
// or a button goes.
func TestConsoleFocus(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	maria := admin(t, address).reseller(t, "maria", true, "10")
	maria.signsInWith(t, "Elsewhere/1.0")
	f := between(t, address)
	v := open(t, 768, 700)
	at := func(selector string) {
		t.Helper()
		v.until(t, fmt.Sprintf(`document.activeElement?.matches(%q)`, selector))
	}
	v.do(t, chromedp.Navigate(f.address+"/console"))
	at(`[name=username]`)
	v.do(t, chromedp.KeyEvent(maria.Name+"\tnot-the-password\r"))
	v.sees(t, "Wrong user name or password.")
	at(`[name=password]`)
	v.do(t, chromedp.KeyEvent(maria.Password+"\r"))
	v.isIn(t)
	at(`h1`)
	enter := func(words string) {
		t.Helper()
		v.until(t,
			fmt.Sprintf(
				`((e) => (e?.focus(), document.activeElement === e))([...document.querySelectorAll('a, button')].find((e) => e.textContent.trim() === %q && !e.disabled && e.checkVisibility()))`, words))
		v.do(t, chromedp.KeyEvent("\r"))
	}
	v.sees(t, "Recent activity") // all lists of this screen are read
	f.mu.Lock()
	f.lists = []func(http.ResponseWriter, *http.Request){refuse}
	f.mu.Unlock()
	enter("Customers")
	v.sees(t, "cannot reach its storage")
	at(`h1`)
	enter("Try again")
	v.sees(t, "No customers yet.")
	at(`h1`)
	f.fail(unavailable)
	enter("New trial")
	v.sees(t, "No answer came")
	at(`[data-again]`)
	v.do(t, chromedp.KeyEvent("\r"))
	v.sees(t, "is ready.")
	at(`h1`)
	enter("Access and security")
	v.sees(t, "Elsewhere/1.0")
	at(`h1`)
	v.click(t, `.row.session button`)
	v.until(t, `document.querySelectorAll('.row.session').length === 1`)
	at(`h1`)
	enter("Change password")
	at(`h2`)
	v.fill(t, "password", "not-the-password")
	v.fill(t, "new_password", "another-s3cret")
	v.do(t, chromedp.KeyEvent("\r"))
	v.until(t, `document.querySelector('[data-form]').dataset.form === 'refused'`)
	at(`main button, main input`)
}
