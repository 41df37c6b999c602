package hostile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/program"
	"resellerd/test/require"
)

// canaries are texts that the test puts into inputs, by input. Secret ones must not be stored in clear.
type canaries struct{ private, secret map[string]string }

func (c canaries) add(to map[string]string, where string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	to[where] = "canary" + hex.EncodeToString(random)
	return to[where]
}

// found returns the inputs whose canaries are in a text.
func found(text []byte, all ...map[string]string) (where []string) {
	for _, these := range all {
		for _, name := range slices.Sorted(maps.Keys(these)) {
			if bytes.Contains(text, []byte(these[name])) {
				where = append(where, name)
			}
		}
	}
	return where
}

// TestCanaries puts a text into each input. It searches for the text where it must not appear: logs, metrics, problem
// documents, the answers to another account and, if it is secret, the database. Two texts are repeated on purpose, to
// their sender: the path, as instance, and the name of a field that is twice in a body.
func TestCanaries(t *testing.T) {
	t.Parallel()
	p := program.Start(t, map[string]string{"RESELLERD_LOG_LEVEL": "debug"}, program.CheapPasswords)
	c := canaries{map[string]string{}, map[string]string{}}
	private := func(where string) string { return c.add(c.private, where) }
	secret := func(where string) string { return c.add(c.secret, where) }
	admin := p.Service.Admin(t)
	other := admin.Master(t, "10") // which may see nothing of all this
	mine := other.Caller

	everywhere := func(of string) []string { // any request may have
		return []string{
			"User-Agent", private(of + ": User-Agent"), "Referer", "http://x/" + private(of+": Referer"),
			"X-Forwarded-For", private(of + ": X-Forwarded-For"), "Accept", private(of + ": Accept"),
			"Traceparent", private(of + ": Traceparent"), private(of + ": a header's name"), private(of + ": a header"),
		}
	}
	refused := func(a api.Answer) {
		t.Helper()
		expect.Equal(t, a.Status >= 400, true, "%s is refused: %d %s", a.Request, a.Status, a.Body)
		delete(a.Fields, "instance") // which is the path of the request
		rest, err := json.Marshal(a.Fields)
		require.NoError(t, err)
		expect.Elements(t, found(rest, c.private, c.secret), nil, "%s: the refusal says again: %s", a.Request, a.Body)
	}
	login := func(path string, of api.Fields) api.Answer {
		return p.Nobody().Send(t, "POST", path, api.Fields{"username": of["username"], "password": of["password"],
			"totp": of["totp"]}, everywhere("a login")...)
	}
	cookie := func(where string, in api.Answer) api.Caller {
		by := p.BySession(in.Is(201))
		_, c.secret[where], _ = strings.Cut(by.Cookie, "=")
		return by
	}

	// An account, and all that it may say of itself.
	account := api.NewReseller(api.Fields{
		"username": private("an account's name"), "password": secret("an account's password"), "credits": "5", "is_master": 1,
		"notes": private("an account's notes"), "email": private("an account's address") + "@example.com",
		"whatsapp": private("whatsapp"), "country": private("country"), "unknown": private("an unknown field"),
	})
	made := admin.Send(t, "POST", "/users?unknown="+private("a query"), account,
		append(everywhere("an effect"), "Idempotency-Key", private("a key"))...).Is(201)
	owner := p.As(login("/auth/static-token", account).Is(200).Text("token"))
	c.secret["a token"] = owner.Token
	session := cookie("a cookie", login("/auth/session", account))
	owner.Send(t, "PATCH", api.Path("/users", made.ID(), "/contact"), api.Fields{"notes": private("other notes")}).Is(200)

	// A line.
	trial := owner.Send(t, "POST", "/lines/test", api.Fields{"notes": private("a trial's notes")}, "Idempotency-Key",
		private("a trial's key")).Is(201).Line()
	c.secret["a trial's password"] = trial.Password
	line := api.Fields{"username": private("a line's name"), "password": secret("a line's password"), "credits": 1,
		"country": private("a line's country"), "whatsapp": private("a line's whatsapp")}
	owner.Send(t, "PATCH", api.Path("/lines/active", trial.ID), line).Is(201)
	edit := api.With(line, api.Fields{"password": secret("a line's new password"), "notes": private("a line's new notes")})
	owner.Send(t, "PATCH", api.Path("/lines", trial.ID), edit, "Idempotency-Key", private("an edit's key")).Is(200)
	owner.Send(t, "PATCH", api.Path("/lines", trial.ID, "/details"), api.Fields{"external_id": private("an external id"),
		"metadata": map[string]string{"plan": private("metadata")}}).Is(200)
	own := found(owner.Get(t, api.Path("/lines", trial.ID)).Body, c.private, c.secret)
	expect.Equal(t, slices.Contains(own, "a line's new password"), true, "what its owner sees of a line, %q, is found", own)

	// Each operation with a secret, and those that end one. The names stay.
	theirs := admin.Reseller(t, "0")
	given := api.Fields{"username": theirs.Username, "password": secret("a password that a master gives"), "country": "BR",
		"whatsapp": private("an update's whatsapp")}
	admin.Send(t, "PATCH", api.Path("/users", theirs.ID), given, "Idempotency-Key", private("an update's key")).Is(200)
	token := p.As(login("/auth/static-token", given).Is(200).Text("token"))
	c.secret["another token"] = token.Token
	change := api.Fields{"password": given["password"], "new_password": secret("a password that it gives itself")}
	token.Send(t, "PATCH", "/auth/password", change, everywhere("a change of a password")...).Is(200)
	given["password"] = change["new_password"]
	cookie("another cookie", login("/auth/session", given)).Send(t, "DELETE", "/auth/session", nil).Is(200)
	key := owner.MakeKey(t, api.Fields{"name": private("a key's name"), "role": "support"}, everywhere("a new key")...)
	c.secret["a key"] = strings.SplitN(key.Text("key"), "_", 3)[2]
	byKey := p.As(key.Text("key"))
	c.secret["a password that a key is shown"] = byKey.Send(t, "POST", "/lines/test", nil).Is(201).Text("password")
	staff := api.NewMember(api.Fields{"username": private("a member's name"), "password": secret("a member's password")})
	member := owner.Send(t, "POST", "/staff", staff, everywhere("a new member")...).Is(201).ID()
	in := cookie("a member's cookie", login("/auth/session", staff))
	factor, recovery := in.HaveFactor(t, c.secret["a member's password"], time.Now().Add(-30*time.Second))
	c.secret["a second factor"] = factor
	for i, code := range recovery {
		c.secret[fmt.Sprint("recovery code ", i)] = code
	}

	// Refused requests.
	for _, path := range []string{"/auth/static-token", "/auth/session"} {
		refused(login(path, api.Fields{"username": private("nobody's name by " + path),
			"password": secret("wrong by " + path)}))
		refused(login(path, api.Fields{"username": account["username"], "password": secret("wrong again by " + path)}))
	}
	refused(login("/auth/session", staff))
	refused(login("/auth/session", api.With(staff, api.Fields{"totp": secret("a wrong code")})))
	refused(in.Send(t, "POST", "/auth/totp/confirm", api.Fields{"code": secret("a code of nothing")}))
	for _, wrong := range []string{secret("a wrong token"), owner.Token + secret("behind a token"),
		key.Text("key") + secret("behind a key"), "rsk_1_" + secret("a key that is none")} {
		refused(p.As(wrong).Send(t, "GET", "/lines", nil, everywhere("a wrong token")...))
	}
	refused(p.Nobody().Send(t, "GET", "/lines", nil, "Authorization", "Basic "+secret("another scheme")))
	refused(p.Nobody().Send(t, "GET", "/lines", nil, "Cookie", api.CookieName("")+"="+secret("a wrong cookie")))
	refused(session.Send(t, "DELETE", "/auth/session", nil, "Origin", "http://"+private("an origin")))
	refused(owner.Send(t, "GET", "/"+private("a path"), nil))
	refused(owner.Send(t, "GET", "/users/"+private("an id"), nil))
	refused(owner.Send(t, "DELETE", "/keys/"+key.Text("key"), nil))
	refused(owner.Send(t, "GET", "/lines?limit="+private("a limit")+"&cursor="+private("a cursor")+"&owner="+
		private("an owner"), nil))
	refused(byKey.Send(t, "POST", "/users", api.NewReseller(api.Fields{"notes": private("notes without the right")})))
	trials := func(body string, headers ...string) {
		t.Helper()
		refused(owner.Send(t, "POST", "/lines/test", body, headers...))
	}
	trials(`{"notes": `+private("what is no JSON"), everywhere("a broken body")...)
	trials(`{"` + private("a field") + `":1,"` + private("a field") + `":1} ` + private("behind a body"))
	trials("{}", "Content-Type", "text/"+private("a media type"))
	trials("{}", "Idempotency-Key", private("a key with a space")+" x")
	trials(`{"notes":"x"}`, "Idempotency-Key", c.private["a trial's key"])
	for _, wrong := range []api.Fields{
		{"username": private("a name with a line feed") + "\n"}, {"email": private("an address that is none")},
		{"password": secret("a password that is too long") + strings.Repeat("x", 200)}, {"username": account["username"]},
		{"credits": private("credits that are no number")}, {"notes": private("notes with a control character") + "\x07"},
		{"whatsapp": []string{private("a list")}}, {"language": private("a language")},
	} {
		refused(owner.Send(t, "POST", "/users",
			api.With(api.NewReseller(api.Fields{"password": secret(fmt.Sprint("a password beside ", len(c.secret)))}), wrong)))
	}
	inJournal(t, admin, c)

	// The answers to another account.
	for _, ask := range []string{"/users", "/lines", "/keys", "/events?limit=500", api.Path("/keys", key.ID()),
		api.Path("/staff", member), api.Path("/users", made.ID()), api.Path("/lines", trial.ID),
		api.Path("/users", made.ID(), "/ledger"), "/lines?username=" + c.private["a line's name"]} {
		a := mine.Send(t, "GET", ask, nil)
		said := bytes.ReplaceAll(a.Body, []byte(strings.SplitN(ask, "?", 2)[0]), nil) // the path, in instance
		expect.Elements(t, found(said, c.private, c.secret), nil, "another account gets from %s: %s", a.Request, a.Body)
	}
	refused(mine.Send(t, "POST", "/users", api.NewReseller(api.Fields{"username": account["username"]})))

	metrics, err := p.Metrics()
	require.NoError(t, err)
	expect.Contains(t, string(metrics), "resellerd_http_requests_total", "the figures")
	expect.Elements(t, found(metrics, c.private, c.secret), nil, "in the figures")
	running := kept(t, p.Folder) // including the WAL
	expect.Error(t, p.Stop(), nil, "the end of the program")
	expect.Contains(t, string(p.Log()), `"route":"/lines/test"`, "the log")
	expect.Elements(t, found(p.Log(), c.private, c.secret), nil, "in the log")
	for _, content := range [][]byte{running, kept(t, p.Folder)} {
		expect.Elements(t, found(content, c.secret), nil, "in the database, in clear")
		expect.Equal(t, slices.Contains(found(content, c.private), "other notes"), true, "what is no secret is found there")
	}
	t.Logf("%d texts, %d of them secret", len(c.private)+len(c.secret), len(c.secret))
}

// inJournal searches the journal for canaries. The journal has an entry for each change. It has names, and nothing else
// that people typed.
func inJournal(t *testing.T, admin api.Caller, c canaries) {
	t.Helper()
	all := admin.Get(t, "/events?limit=500").Body
	for _, done := range []string{"reseller.updated", "line.updated", "session.ended", "password.changed", "key.created",
		"staff.created", "totp.enabled"} {
		expect.Contains(t, string(all), `"`+done+`"`, "the journal")
	}
	expect.Elements(t, found(all, c.private, c.secret, map[string]string{"the operator's password": api.AdminPassword,
		"a hash": "argon2"}), []string{"a key's name", "a line's name", "a member's name", "an account's name"},
		"in the journal")
}

// kept returns the contents of a program's folder, without its log.
func kept(t *testing.T, folder string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".log") {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(all, content...)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return all
}
