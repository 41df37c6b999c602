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
	"resellerd/test/program"
)

// canaries are texts that were put into each input, by where that was. Secret ones may be kept by nobody.
type canaries struct{ private, secret map[string]string }

func (c canaries) add(to map[string]string, where string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	to[where] = "canary" + hex.EncodeToString(random)
	return to[where]
}

// found returns where the canaries that a text has were put.
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

// TestCanaries puts a text into each input, and looks for it where it may not come out: logs, figures, problem
// documents, the database where it is secret, the answers to another account. Two things are said again on purpose: the
// path, as instance, and the name of a field that stands twice in a body, both to who sent them.
func TestCanaries(t *testing.T) {
	t.Parallel()
	p := program.Start(t, map[string]string{"RESELLERD_LOG_LEVEL": "debug"}, program.CheapPasswords)
	c := canaries{map[string]string{}, map[string]string{}}
	private := func(where string) string { return c.add(c.private, where) }
	secret := func(where string) string { return c.add(c.secret, where) }
	admin := p.Service.Admin(t)
	other := admin.Master(t, "10") // who may see nothing of all this
	mine := other.Caller

	// everywhere is what any request may have.
	everywhere := func(of string) []string {
		return []string{
			"User-Agent", private(of + ": User-Agent"), "Referer", "http://x/" + private(of+": Referer"), "X-Other",
			private(of + ": a header"),
			"X-Forwarded-For", private(of + ": X-Forwarded-For"), "Forwarded", "for=" + private(of+": Forwarded"), "Accept",
			private(of + ": Accept"), "Traceparent", private(of + ": Traceparent"),
			"Tracestate", private(of + ": Tracestate"), "From", private(of + ": From"), private(of + ": a header's name"), "x",
		}
	}
	refused := func(a api.Answer) {
		t.Helper()
		if a.Status < 400 {
			t.Errorf("%s: status %d: %s", a.Request, a.Status, a.Body)
		}
		var problem map[string]any
		if err := json.Unmarshal(a.Body, &problem); err != nil {
			t.Error(err)
			return
		}
		delete(problem, "instance") // which is the path that was asked for
		rest, err := json.Marshal(problem)
		if err != nil {
			t.Error(err)
		}
		if where := found(rest, c.private, c.secret); len(where) > 0 {
			t.Errorf("%s: the refusal says %q again: %s", a.Request, where, a.Body)
		}
	}

	// An account, and all that it may say of itself.
	password := secret("an account's password")
	account := api.NewReseller(api.Fields{
		"username": private("an account's name"), "password": password, "credits": "5", "is_master": 1,
		"notes": private("an account's notes"), "email": private("an account's address") + "@example.com",
		"whatsapp": private("whatsapp"), "telegram": private("telegram"), "country": private("country"),
		"unknown": private("an unknown field"),
	})
	made := admin.Send(t, "POST", "/users?unknown="+private("a query"), account,
		append(everywhere("an effect"), "Idempotency-Key", private("a key"))...).Is(201)
	name := account["username"].(string)
	login := func(path, username, password string) api.Answer {
		return p.Nobody().Send(t, "POST", path, api.Fields{"username": username, "password": password},
			everywhere("a login")...)
	}
	owner := p.As(login("/auth/static-token", name, password).Is(200).Text("token"))
	c.secret["a token"] = owner.Token
	session := p.BySession(login("/auth/session", name, password).Is(201))
	c.secret["a cookie"] = strings.SplitN(session.Cookie, "=", 2)[1]
	session.Get(t, "/auth/session")
	owner.Send(t, "PATCH", api.Path("/users", made.ID(), "/contact"),
		api.Fields{"notes": private("other notes"), "whatsapp": private("another whatsapp")}, "Idempotency-Key",
		private("another key")).Is(200)
	admin.Send(t, "PATCH", api.Path("/users/credits", made.ID()),
		api.Fields{"credits": 1, "notes": private("a recharge's notes")}).Is(200)

	// A line.
	trial := owner.Send(t, "POST", "/lines/test", api.Fields{"notes": private("a trial's notes")}, "Idempotency-Key",
		private("a trial's key")).Is(201).Line()
	c.secret["a trial's password"] = trial.Password
	line := api.Fields{
		"username": private("a line's name"), "password": secret("a line's password"), "credits": 1,
		"country": private("a line's country"), "whatsapp": private("a line's whatsapp"),
		"notes": private("a line's notes"),
	}
	owner.Send(t, "PATCH", api.Path("/lines/active", trial.ID), line, "Idempotency-Key",
		private("an activation's key")).Is(201)
	edit := api.With(line, api.Fields{"password": secret("a line's new password"), "notes": private("a line's new notes")})
	owner.Send(t, "PATCH", api.Path("/lines", trial.ID), edit, "Idempotency-Key", private("an edit's key")).Is(200)
	own := owner.Get(t, api.Path("/lines", trial.ID))
	if where := found(own.Body, c.private, c.secret); !slices.Contains(where, "a line's name") ||
		!slices.Contains(where, "a line's new password") {
		t.Errorf("its owner sees of a line %q alone: what is looked for can't be found", where)
	}

	// What each operation that has a secret does with it, and those that end one. The names stay.
	theirs := admin.Reseller(t, "0")
	update := api.Fields{"username": theirs.Username, "password": secret("a password that a master gives"),
		"country": "BR", "whatsapp": private("an update's whatsapp"), "notes": private("an update's notes")}
	admin.Send(t, "PATCH", api.Path("/users", theirs.ID), update, "Idempotency-Key", private("an update's key")).Is(200)
	given := p.As(login("/auth/static-token", theirs.Username, c.secret["a password that a master gives"]).Is(200).Text(
		"token"))
	c.secret["another token"] = given.Token
	change := api.Fields{"password": c.secret["a password that a master gives"],
		"new_password": secret("a password that it gives itself")}
	given.Send(t, "PATCH", "/auth/password", change, everywhere("a change of a password")...).Is(200)
	browser := p.BySession(login("/auth/session", theirs.Username, c.secret["a password that it gives itself"]).Is(201))
	c.secret["another cookie"] = strings.SplitN(browser.Cookie, "=", 2)[1]
	browser.Send(t, "DELETE", "/auth/session", nil, everywhere("a sign-out")...).Is(200)
	revoked := p.As(login("/auth/static-token", theirs.Username, c.secret["a password that it gives itself"]).Is(200).Text(
		"token"))
	c.secret["a third token"] = revoked.Token
	revoked.Send(t, "DELETE", "/auth/static-token", nil, everywhere("a revocation")...).Is(200)
	admin.Send(t, "PUT", api.Path("/users", theirs.ID, "/block"), nil, everywhere("a block")...).Is(200)
	owner.Send(t, "PATCH", api.Path("/lines", trial.ID, "/details"),
		api.Fields{"notes": private("a detail"), "external_id": private("an external id"),
			"metadata": map[string]string{"plan": private("metadata")}}).Is(200)

	// What is refused.
	refused(login("/auth/static-token", private("a name that nobody has"), secret("a wrong password")))
	refused(login("/auth/session", name, secret("another wrong password")))
	refused(login("/auth/session", private("a name")+strings.Repeat("x", 80), secret("a third wrong password")))
	refused(p.As(secret("a wrong token")).Send(t, "GET", "/lines", nil, everywhere("a wrong token")...))
	refused(p.As(owner.Token+secret("behind a token")).Send(t, "GET", "/lines", nil))
	refused(p.Nobody().Send(t, "GET", "/lines", nil, "Authorization", "Basic "+secret("another scheme")))
	refused(p.Nobody().Send(t, "GET", "/lines", nil, "Cookie", api.CookieName("")+"="+secret("a wrong cookie")))
	refused(owner.Send(t, "GET", "/"+private("a path"), nil))
	refused(owner.Send(t, "GET", "/users/"+private("an id"), nil))
	refused(owner.Send(t, "GET", "/lines?limit="+private("a limit")+"&status="+private("a status")+"&cursor="+
		private("a cursor")+"&expires_after="+private("an instant")+"&owner="+private("an owner"), nil))
	refused(owner.Send(t, "POST", "/lines/test", `{"notes": `+private("what is no JSON"), everywhere("a broken body")...))
	refused(owner.Send(t, "POST", "/lines/test", `{"`+private("a field")+`":1,"`+private("a field")+`":1} `+
		private("behind a body")))
	refused(owner.Send(t, "POST", "/lines/test", "{}", "Content-Type", "text/"+private("a media type")))
	refused(owner.Send(t, "POST", "/lines/test", "{}", "Idempotency-Key", private("a key with a space")+" x"))
	refused(owner.Send(t, "POST", "/lines/test", `{"notes":"x"}`, "Idempotency-Key", c.private["a trial's key"]))
	for _, wrong := range []api.Fields{
		{"username": private("a name that is too long") + strings.Repeat("x", 64)},
		{"username": private("a name with a line feed") + "\n"},
		{"password": secret("a password that is too long") + strings.Repeat("x", 200)},
		{"credits": private("credits that are no number")}, {"email": private("an address that is none")},
		{"language": private("a language")}, {"country": private("a country that is too long") + strings.Repeat("x", 100)},
		{"notes": private("notes with a control character") + "\x07"}, {"is_master": private("no bit")},
		{"whatsapp": []string{private("a list")}}, {"credits": 1_000_000_000}, {"username": name},
	} {
		refused(owner.Send(t, "POST", "/users",
			api.With(api.NewReseller(api.Fields{"password": secret(fmt.Sprint("a password beside ", len(c.secret)))}), wrong)))
	}
	refused(owner.Send(t, "PATCH", api.Path("/lines/active", trial.ID), line))
	refused(owner.Send(t, "PATCH", api.Path("/lines/extend", trial.ID), api.Fields{"credits": private("a price")}))
	refused(session.Send(t, "DELETE", "/auth/session", nil, "Origin", "http://"+private("an origin")))

	// Who else acts for the account, by what.
	key := owner.MakeKey(t, api.Fields{"name": private("a key's name"), "role": "support"},
		append(everywhere("a new key"), "Idempotency-Key", private("a key's key"))...)
	c.secret["a key"] = strings.SplitN(key.Text("key"), "_", 3)[2]
	program := p.As(key.Text("key"))
	refused(program.Send(t, "GET", "/lines?unknown="+private("a key's query"), nil, everywhere("a key's request")...))
	c.secret["a password that a key is shown"] = program.Send(t, "POST", "/lines/test", nil).Is(201).Text("password")
	refused(program.Send(t, "POST", "/users", api.NewReseller(api.Fields{"notes": private("notes of who may not")}),
		everywhere("a scope that is missing")...))
	refused(p.As(key.Text("key")+secret("behind a key")).Send(t, "GET", "/lines", nil))
	refused(p.As("rsk_1_"+secret("a key that is none")).Send(t, "GET", "/lines", nil))
	refused(owner.Send(t, "DELETE", "/keys/"+key.Text("key"), nil))
	staff := api.NewMember(api.Fields{"username": private("a member's name"), "password": secret("a member's password")})
	member := owner.Send(t, "POST", "/staff", staff, everywhere("a new member")...).Is(201).ID()
	in := p.BySession(login("/auth/session", staff["username"].(string), c.secret["a member's password"]).Is(201))
	c.secret["a member's cookie"] = strings.SplitN(in.Cookie, "=", 2)[1]
	factor, recovery := in.HaveFactor(t, c.secret["a member's password"], time.Now().Add(-30*time.Second))
	c.secret["a second factor"] = factor
	for i, code := range recovery {
		c.secret[fmt.Sprint("recovery code ", i)] = code
	}
	refused(login("/auth/session", staff["username"].(string), c.secret["a member's password"]))
	refused(p.Nobody().Send(t, "POST", "/auth/session",
		api.Fields{"username": staff["username"], "password": c.secret["a member's password"],
			"totp": secret("a wrong code")}))
	refused(in.Send(t, "POST", "/auth/totp/confirm", api.Fields{"code": secret("a code of nothing")}))
	owner.Send(t, "PATCH", api.Path("/staff", member), api.Fields{"password": secret("a member's new password")}).Is(200)
	owner.Send(t, "DELETE", api.Path("/keys", key.ID()), nil).Is(200)
	refused(program.Send(t, "GET", "/lines", nil))

	inJournal(t, admin, c)

	// What another account is told.
	for _, ask := range []string{
		"/users", "/users/logged", "/lines", "/prices", "/auth/sessions", "/keys", "/staff", api.Path("/keys", key.ID()),
		api.Path("/staff", member), "/openapi.json", "/events?limit=500", fmt.Sprint("/events?account=", made.ID()),
		api.Path("/users", made.ID()), api.Path("/lines", trial.ID), api.Path("/users", made.ID(), "/ledger"),
		"/lines?username=" + c.private["a line's name"], fmt.Sprint("/lines?tree=", made.ID()), "/users?username=" +
			c.private["an account's name"], fmt.Sprint("/users?tree=", made.ID()),
	} {
		a := mine.Send(t, "GET", ask, nil)
		said := bytes.ReplaceAll(a.Body, []byte(strings.SplitN(ask, "?", 2)[0]), nil) // the path, in instance
		if where := found(said, c.private, c.secret); len(where) > 0 {
			t.Errorf("another account is told %q by %s: %s", where, a.Request, a.Body)
		}
	}
	for _, taken := range []api.Answer{
		mine.Send(t, "POST", "/users", api.NewReseller(api.Fields{"username": name})),
		mine.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", c.private["a trial's key"]),
	} {
		if where := found(taken.Body, c.private, c.secret); len(where) > 0 {
			t.Errorf("another account is told %q by %s: %s", where, taken.Request, taken.Body)
		}
	}

	metrics, err := p.Metrics()
	if err != nil || !bytes.Contains(metrics, []byte("resellerd_http_requests_total")) {
		t.Errorf("the figures: %v", err)
	}
	if where := found(metrics, c.private, c.secret); len(where) > 0 {
		t.Errorf("the figures have %q", where)
	}
	running := kept(t, p.Folder) // with what the WAL has
	if err := p.Stop(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	stopped, log := kept(t, p.Folder), p.Log()
	if !bytes.Contains(log, []byte(`"route":"/lines/test"`)) {
		t.Errorf("the log has no requests:\n%s", log)
	}
	if where := found(log, c.private, c.secret); len(where) > 0 {
		t.Errorf("the log has %q", where)
	}
	for _, content := range [][]byte{running, stopped} {
		if where := found(content, c.secret); len(where) > 0 {
			t.Errorf("the database has %q in clear", where)
		}
		if where := found(content, c.private); !slices.Contains(where, "other notes") {
			t.Errorf("of what is no secret the database has %q alone: what is looked for can't be found", where)
		}
	}
	t.Logf("%d texts, %d of them secret: none is in %d bytes of the log or %d of the figures, and no secret in %d bytes of the database", len(c.private)+len(c.secret), len(c.secret), len(log), len(metrics), len(running)+len(stopped))
}

// inJournal looks for canaries in the journal, which everything that was done is in: it has names, and nothing else
// that people typed.
func inJournal(t *testing.T, admin api.Caller, c canaries) {
	t.Helper()
	all := admin.Get(t, "/events?limit=500")
	for _, done := range []string{
		"reseller.created", "reseller.updated", "reseller.credited", "reseller.blocked", "line.trial_created",
		"line.activated", "line.updated",
		"session.started", "session.ended", "token.revoked", "password.changed", "key.created", "key.revoked",
		"staff.created", "staff.updated", "totp.enabled", "operator.admin_created",
	} {
		if !bytes.Contains(all.Body, []byte(`"`+done+`"`)) {
			t.Errorf("the journal has no entry of type %s: what is looked for can't be found", done)
		}
	}
	if where := found(all.Body, c.private, c.secret,
		map[string]string{"the operator's password": api.AdminPassword}); !slices.Equal(where,
		[]string{"a key's name", "a line's name", "a member's name", "an account's name"}) {
		t.Errorf("the journal has %q, and is to have names alone", where)
	}
	if hashed := []byte("argon2"); bytes.Contains(all.Body, hashed) {
		t.Errorf("the journal has the hash of a password: %s", all.Body)
	}
}

// kept returns all that is in a program's folder but for its log.
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
