package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"
)

type fields = map[string]any

// call sends a request as a client without a generator does, and returns the answer.
func call(t *testing.T, token, method, path string, body fields) fields {
	t.Helper()
	sent, err := json.Marshal(body)
	must(t, err)
	r, err := http.NewRequest(method, service+path, bytes.NewReader(sent))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	var got fields
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || answer.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s, %v", method, path, answer.Status, text, err)
	}
	return got
}

// changing are the operations that leave omitted fields unchanged. Each has the record that it changes, the fields that
// a client sets, and the fields that a client clears.
var changing = []struct {
	name, record   string
	changed, clear fields
}{
	{"activateLine", "/lines/", fields{"whatsapp": "+2"}, fields{"notes": nil}},
	{"editLine", "/lines/", fields{"whatsapp": "+2"}, fields{"notes": nil}},
	{"describeLine", "/lines/", fields{"email": "b@example.com"},
		fields{"telegram": nil, "external_id": nil, "metadata": nil}},
	{"updateReseller", "/users/", fields{"whatsapp": "+2"}, fields{"telegram": nil}},
	{"changeContact", "/users/", fields{"email": "b@example.com"}, fields{"notes": nil}},
	{"updateKey", "/keys/", fields{"name": "b"},
		fields{"spend_limit": nil, "expires_at": nil, "allowed_addresses": []any{}}},
	{"updateWebhook", "/webhooks/", fields{"scope": "tree"}, fields{"description": nil}},
	{"updateStaff", "/staff/", fields{"scopes": []any{"lines:write"}}, fields{"spend_limit": nil}},
	{"setAlerts", "/users/", fields{"balance_low": "2"}, fields{"balance_low": nil}},
}

// incidental are the fields that a change of others changes: those of an activation, and of any.
var incidental = []string{"username", "password", "isTrial", "idPlatform", "plan", "connections", "expDate", "updated",
	"updatedAt", "credits"}

// changes has a client change a member of each record, and checks that the others are unchanged. Then the client clears
// some members, except those of the operations in kept, which the client can't clear. The client gets the address, a
// token, the mode ("change" or "clear") and the ids, in the order of changing.
func changes(t *testing.T, dir string, env []string, kept []string, command ...string) {
	t.Helper()
	admin := call(t, "", "POST", "/auth/static-token", fields{"username": "admin", "password": password})["token"].(string)
	texts := fields{"whatsapp": "+1", "telegram": "@a", "email": "a@example.com", "notes": "a"}
	names := 0
	id := func(record fields) string { return fmt.Sprintf("%.0f", record["id"]) }
	account := func(token string, master int) (name string, record fields) {
		names++
		name = fmt.Sprintf("%s-%d", t.Name(), names)
		body := fields{"username": name, "password": "s3cret-word", "is_master": master, "credits": 10 * master,
			"country": "BR"}
		maps.Copy(body, texts)
		return name, call(t, token, "POST", "/users", body)
	}
	name, self := account(admin, 1)
	token := call(t, "", "POST", "/auth/static-token",
		fields{"username": name, "password": "s3cret-word"})["token"].(string)
	line := func() string {
		names++
		trial := call(t, token, "POST", "/lines/test",
			fields{"external_id": fmt.Sprint("a", names), "metadata": fields{"a": "b"}})
		call(t, token, "PATCH", "/lines/"+id(trial)+"/details", texts)
		return id(trial)
	}
	official := func() string {
		id := line()
		call(t, token, "PATCH", "/lines/active/"+id, fields{"username": "line-" + id, "password": "s3cret-word",
			"credits": 0.5, "country": "BR"})
		return id
	}
	below := func() string {
		_, record := account(token, 0)
		return id(record)
	}
	rights := fields{"scopes": []string{"lines:read"}, "spend_limit": fields{"credits": "5", "per": "day"}}
	key := fields{"name": "a", "expires_at": "2100-01-31T00:00:00Z", "allowed_addresses": []string{"192.0.2.0/24"}}
	maps.Copy(key, rights)
	member := fields{"username": t.Name() + "-staff", "password": "s3cret-word"}
	maps.Copy(member, rights)
	call(t, admin, "PUT", "/users/"+id(self)+"/alerts", fields{"balance_low": "1"})
	ids := []string{
		line(), official(), line(), below(), below(),
		id(call(t, token, "POST", "/keys", key)),
		id(call(t, token, "POST", "/webhooks", fields{"url": "https://example.com/", "types": []string{"line.*"},
			"scope": "own", "description": "a"})),
		id(call(t, token, "POST", "/staff", member)),
		id(self),
	}

	state := func(i int) fields {
		path := changing[i].record + ids[i]
		if changing[i].name == "setAlerts" {
			path += "/alerts"
		}
		return call(t, token, "GET", path, nil)
	}
	for _, step := range []string{"change", "clear"} {
		if step == "clear" {
			ids[0] = line() // a line is activated once
		}
		var before []fields
		for i := range changing {
			before = append(before, state(i))
		}
		silent(t, run(t, dir, env, command[0], append(append(command[1:], service, token, step), ids...)...))
		for i, c := range changing {
			want, to := maps.Clone(before[i]), c.changed
			if step == "clear" {
				to = c.clear
			}
			for name, value := range to {
				if reflect.DeepEqual(want[name], value) {
					t.Fatalf("%s of %s is %v before it is changed", name, c.name, value)
				}
				if step == "change" || !slices.Contains(kept, name) {
					want[name] = value
				}
			}
			got := state(i)
			for _, name := range incidental {
				delete(got, name)
				delete(want, name)
			}
			for name, value := range want {
				if !reflect.DeepEqual(got[name], value) {
					t.Errorf("%s, %s: %s is %v, want %v", c.name, step, name, got[name], value)
				}
			}
		}
	}
}
