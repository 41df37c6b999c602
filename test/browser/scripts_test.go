package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// evil is a text that would run as a script if a page did not treat it as text. It has no space, because a name can't
// have one.
func evil(name string) string {
	return name + `<img/src=x/onerror=alert(1)>`
}

// TestScriptsStayTexts writes a script into every field of every object, and looks at every screen and form that shows
// one.
func TestScriptsStayTexts(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	note := func(name string) string {
		return name + `"'><script>alert(1)</script><svg onload=alert(1)>{{1+1}}${1+1}`
	}
	contact := map[string]any{
		"country": evil("BR"), "whatsapp": evil("+55"), "telegram": evil("@m"), "notes": note("notes"),
		"email": `"<svg/onload=alert(1)>"@x.example`,
	}
	boss := admin(t, address)
	maria := &account{address: address, Name: evil("maria"), Password: note("secret")}
	below := func(by *account, name string, master int, credits string) (id int64) {
		t.Helper()
		body := map[string]any{"username": name, "password": maria.Password, "is_master": master, "credits": credits,
			"language": "en"}
		for field, value := range contact {
			body[field] = value
		}
		body["email"] = "a@x.example"
		made, _ := by.send(t, "POST", "/users", body)["id"].(float64)
		return int64(made)
	}
	below(boss, maria.Name, 1, "50")
	maria = logIn(t, address, maria.Name, maria.Password)
	joao := below(maria, evil("joao"), 1, "20")
	deep := below(logIn(t, address, evil("joao"), maria.Password), evil("deep"), 0, "5")
	maria.send(t, "PUT", fmt.Sprintf("/users/%d/block", deep),
		map[string]any{"lines": "suspend", "reason": note("unpaid")})
	maria.send(t, "PATCH", fmt.Sprintf("/users/credits/%d", joao), map[string]any{"credits": "1", "notes": note("paid")})
	line, trial := maria.line(t, "", ""), maria.line(t, "", "")
	maria.send(t, "PATCH", fmt.Sprintf("/lines/active/%d", line), map[string]any{
		"username": evil("ana"), "password": evil("1234"), "credits": "0.5", "country": evil("BR"), "whatsapp": evil("+55"),
		"notes": note("line"),
	})
	maria.send(t, "PATCH", fmt.Sprintf("/lines/%d/details", line), map[string]any{
		"telegram": evil("@a"), "external_id": evil("crm"), "metadata": map[string]string{"plan": note("gold")},
	})
	maria.send(t, "PUT", fmt.Sprintf("/lines/%d/suspension", line), map[string]any{"reason": note("pause")})
	made, _ := maria.send(t, "POST", "/webhooks", map[string]any{
		"url": evil("https://127.0.0.1:444/?"), "types": []string{"line.*"}, "scope": "own", "description": note("webhook"),
	})["id"].(float64)
	hook := int64(made)
	maria.send(t, "POST", "/keys", map[string]any{"name": evil("key"), "role": "cashier"})
	maria.send(t, "POST", "/staff", map[string]any{"username": evil("ana"), "password": note("secret"), "role": "cashier"})
	other := &account{address: address}
	other.send(t, "POST", "/auth/session", map[string]any{"username": maria.Name, "password": maria.Password})

	v := open(t, 1280, 800)
	v.signIn(t, maria)
	for _, screen := range []struct {
		path  string
		texts []string
	}{
		{"", []string{"Your balance"}},
		{"/lines", []string{evil("ana"), note("line")}},
		{"/lines?username=" + strings.ReplaceAll(evil("zz"), "+", "%2B"), []string{"No customer matches."}},
		{fmt.Sprintf("/lines/%d", line), []string{evil("ana"), evil("1234"), evil("+55"), evil("BR"), note("line"),
			evil("@a"), evil("crm"), note("gold"), note("pause")}},
		{fmt.Sprintf("/lines/%d?do=extend", line), []string{"Renew " + evil("ana")}},
		{fmt.Sprintf("/lines/%d?do=edit", line), []string{"Edit " + evil("ana")}},
		{fmt.Sprintf("/lines/%d?do=suspend", trial), []string{"does not see this."}},
		{fmt.Sprintf("/lines/%d?do=resume", line), []string{note("pause")}},
		{fmt.Sprintf("/lines/%d?do=delete", line), []string{"Type " + evil("ana") + " to confirm"}},
		{fmt.Sprintf("/lines/%d?do=activate", trial), []string{"Activate"}},
		{"/resellers", []string{evil("joao"), note("notes")}},
		{"/resellers?all=1", []string{evil("joao"), evil("deep")}},
		{fmt.Sprintf("/resellers/%d", joao), []string{evil("joao"), evil("+55"), evil("@m"), evil("BR"), note("notes"),
			note("paid"), evil("deep")}},
		{fmt.Sprintf("/resellers/%d?do=topup", joao), []string{evil("joao")}},
		{fmt.Sprintf("/resellers/%d?do=reclaim", joao), []string{evil("joao")}},
		{fmt.Sprintf("/resellers/%d?do=block", joao), []string{evil("joao")}},
		{fmt.Sprintf("/resellers/%d", deep), []string{evil("deep"), note("unpaid")}},
		{fmt.Sprintf("/resellers/%d?do=unblock", deep), []string{note("unpaid")}},
		{fmt.Sprintf("/resellers/%d?do=contact", joao), []string{evil("joao")}},
		{fmt.Sprintf("/resellers/%d?do=password", joao), []string{evil("joao")}},
		{"/statement", []string{note("paid")}},
		{"/webhooks", []string{evil("https://127.0.0.1:444/?"), note("webhook")}},
		{fmt.Sprintf("/webhooks/%d", hook), []string{evil("https://127.0.0.1:444/?"), note("webhook")}},
		{fmt.Sprintf("/webhooks/%d?do=edit", hook), []string{"Edit: 127.0.0.1:444"}},
		{"/keys", []string{evil("key")}},
		{"/keys/1", []string{evil("key")}},
		{"/keys/1?do=remove", []string{"Revoke: " + evil("key")}},
		{"/staff", []string{evil("ana")}},
		{"/staff/2?do=edit", []string{"Edit: " + evil("ana")}},
		{"/sessions?do=totp", []string{"Current password"}},
		{fmt.Sprintf("/resellers/%d?do=alert", joao), []string{evil("joao")}},
		{"?do=alert", []string{maria.Name}},
		{"/activity", []string{evil("joao"), "Webhook created"}},
		{"/sessions", []string{"Go-http-client"}},
		{"/sessions?do=password", []string{"Change password"}},
		{"/sessions?do=name", []string{"Change user name"}},
	} {
		v.do(t, chromedp.Navigate(address+"/console"+screen.path))
		v.sees(t, screen.texts...)
		if found := ask[int](t, v,
			`document.querySelectorAll('img, svg[onload], body script, [onerror], [onload]').length`); found > 0 {
			t.Errorf("%s has %d elements that a text was made of", screen.path, found)
		}
		if over := ask[int](t, v, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%s is %d pixels wider than the device", screen.path, over)
		}
	}
	v.account(t)
	v.sees(t, maria.Name)
	// A link that is made of a text leads to where it should.
	v.do(t, chromedp.Navigate(fmt.Sprintf("%s/console/lines/%d", address, line)))
	v.shows(t, `a[href^="https://wa.me/"]`)
	if link := ask[string](t, v, `document.querySelector('a[href^="https://wa.me/"]').href`); !strings.HasPrefix(link,
		"https://wa.me/?text=Hi!%20Your%20access") || strings.ContainsAny(link, "<>\"'") {
		t.Errorf("the message goes to %s", link)
	}
	v.quiet(t, address)
}
