package acceptance

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"resellerd/test/api"
)

// history is a sequence of changes to a server. Each of them must be there after a restart, in a copy, in a restored
// store and under another service key.
type history struct {
	*server
	master, seller, blocked api.Reseller
	trial, line, gone       line
	imported                fields // as it was sent
	sent                    []operation
	answers                 []answer // to sent
	key, revoked            string   // keys of the master; the first one has spent 8 of 10 credits
	signedIn, left          caller   // sessions of the seller; the second one was ended
	people                  []insider
	before                  map[string]string // what everybody read
	newest                  map[string]int64  // ids
}

// insider signs in with a second factor. One code and one recovery code of it are used up.
type insider struct {
	username, password, secret, used string
	recovery                         []string
}

func (p insider) signsIn(t *testing.T, on *server, code any) answer {
	t.Helper()
	return on.Nobody().Send(t, "POST", "/auth/session",
		fields{"username": p.username, "password": p.password, "totp": code})
}

// newHistory makes records of every kind in a server that runs.
func newHistory(t *testing.T, srv *server) *history {
	t.Helper()
	h := &history{server: srv, newest: map[string]int64{}}
	admin := srv.Admin(t)
	h.master = admin.Master(t, "100")
	child := h.master.Master(t, "40.25")
	h.seller = child.Create(t, fields{"username": api.Unique("Straße.ÉLAN"), "credits": "12.0001",
		"notes": "first line\n\"second\" 'line'; --"})
	h.blocked = h.master.Reseller(t, "7")
	h.trial, h.line, h.gone = h.seller.Trial(t), h.seller.Official(t), h.seller.Trial(t)
	h.blocked.Official(t)
	h.imported = api.With(api.NewImport(), fields{"owner": h.seller.ID, "metadata": fields{"plan": "gold"}})
	admin.Send(t, "POST", "/imports/lines", string(api.Encode(t, h.imported))).Is(200).Has(fields{"created": 1})
	h.sent = []operation{
		api.Op("POST", "/users", api.NewReseller(fields{"credits": 1.5, "country": "PT"})),
		api.Op("POST", "/lines/test", fields{"notes": "for a friend"}),
		api.Op("PATCH", api.Path("/users/credits", h.seller.ID), fields{"credits": 0.0001, "notes": "once"}),
		api.Op("POST", api.Path("/users", h.seller.ID, "/credits/reclaim"), fields{"credits": 2}),
		api.Op("PATCH", api.Path("/lines/extend", h.line.ID), fields{"credits": 0.5}),
		api.Op("PATCH", api.Path("/lines", h.line.ID),
			api.With(h.line.Edit(), fields{"notes": "edited", "password": "another password"})),
		api.Op("PUT", api.Path("/users", h.blocked.ID, "/block"), nil),
		api.Op("DELETE", api.Path("/lines", h.gone.ID), nil),
	}
	for i, op := range h.sent {
		h.answers = append(h.answers, op.By(t, h.master.Caller, "Idempotency-Key", fmt.Sprintf("key-%d", i)))
		if h.answers[i].Status >= 300 {
			t.Fatalf("%s: %s", h.answers[i].Request, h.answers[i].Body)
		}
	}
	h.key = h.master.MakeKey(t, fields{"name": "tíll", "role": "manager",
		"spend_limit": fields{"credits": 10, "per": "day"}, "allowed_addresses": []string{"127.0.0.0/8"}}).Text("key")
	revoked := h.master.MakeKey(t, nil)
	h.master.Send(t, "DELETE", api.Path("/keys", revoked.ID()), nil).Is(200)
	h.revoked = revoked.Text("key")
	srv.As(h.key).Fund(t, child.ID, 8).Is(200)
	member := api.NewMember(fields{"role": "cashier"})
	h.master.Send(t, "POST", "/staff", member).Is(201)
	for _, p := range []insider{{username: member["username"].(string), password: member["password"].(string)},
		{username: child.Username, password: child.Password}} {
		p.secret, p.recovery = srv.SignIn(t, p.username, p.password).HaveFactor(t, p.password,
			time.Now().Add(-30*time.Second))
		p.used = api.Code(t, p.secret, time.Now())
		p.signsIn(t, srv, p.used).Is(201)
		p.signsIn(t, srv, p.recovery[0]).Is(201)
		h.people = append(h.people, p)
	}
	h.signedIn, h.left = h.seller.SignIn(t).Caller, h.seller.SignIn(t).Caller
	h.left.Send(t, "DELETE", "/auth/session", nil).Is(200)
	awaitJournal(t, admin, 11)
	h.before = h.reads(t, srv)
	h.newest["/users"] = slices.Max(admin.Get(t, "/users?limit=500").IDs())
	h.newest["/lines"] = max(h.gone.ID, slices.Max(admin.Get(t, "/lines?limit=500").IDs()))
	h.newest["/keys"] = revoked.ID()
	return h
}

// ofNow is when a proof was made.
var ofNow = regexp.MustCompile(`,"at":"[^"]*"}\s*$`)

// reads returns the answers to each reader on a server, by reader and request.
func (h *history) reads(t *testing.T, on *server) map[string]string {
	t.Helper()
	read := map[string]string{}
	for who, by := range map[string]caller{"admin": h.Admin(t), "master": h.master.Caller, "seller": h.seller.Caller,
		"blocked": h.blocked.Caller} {
		by := by.On(on.Service)
		note := func(path string) answer {
			a := by.Send(t, "GET", path, nil)
			body := string(a.Body)
			if a.Status >= 400 { // names the request
				body = a.Text("code")
			}
			read[who+" "+path] = fmt.Sprintf("%d %s", a.Status, ofNow.ReplaceAllString(body, "}"))
			return a
		}
		for _, path := range []string{"/users/logged", "/users?limit=500", "/lines?limit=500&status=1", "/ledger/proof",
			"/keys", "/staff"} {
			note(path)
		}
		for _, a := range []api.Reseller{h.master, h.seller, h.blocked} {
			note(api.Path("/users", a.ID))
			note(api.Path("/users", a.ID, "/ledger?limit=500"))
			note(fmt.Sprintf("/lines?limit=500&tree=%d", a.ID))
		}
		if lines := note("/lines?limit=500"); lines.Status == 200 {
			for _, id := range lines.IDs() {
				note(api.Path("/lines", id)) // with its password
			}
		}
	}
	return read
}

// isOn expects all of it on a server, and that the server goes on from there.
func (h *history) isOn(t *testing.T, srv *server) {
	t.Helper()
	after := h.reads(t, srv)
	for what, body := range h.before {
		if after[what] != body {
			t.Errorf("%s: read there\n%s\nand at first\n%s", what, after[what], body)
		}
	}
	if token := srv.Login(t, h.seller.Username, h.seller.Password); token != h.seller.Token {
		t.Error("the account has another token there")
	}
	master, seller := h.master.On(srv.Service), h.seller.On(srv.Service)
	for i, op := range h.sent {
		op.By(t, master.Caller, "Idempotency-Key", fmt.Sprintf("key-%d", i)).Same(h.answers[i])
	}
	h.sent[0].By(t, master.Caller, "Idempotency-Key", "key-1").Refused(422, "idempotency-key-reused")
	srv.Admin(t).Send(t, "POST", "/imports/lines", string(api.Encode(t, h.imported))).Is(200).Has(fields{"unchanged": 1})
	if again := h.reads(t, srv); !maps.Equal(again, after) {
		t.Errorf("replays had effects: %s", again["admin /ledger/proof"])
	}
	h.left.On(srv.Service).Send(t, "GET", "/users/logged", nil).SessionEnded()
	h.peopleWorkOn(t, srv)

	if made := srv.Admin(t).Reseller(t, "5"); made.ID <= h.newest["/users"] {
		t.Errorf("a new account got id %d, and there was %d", made.ID, h.newest["/users"])
	}
	fresh := seller.Official(t)
	if fresh.ID <= h.newest["/lines"] {
		t.Errorf("a new line got id %d, and there was %d", fresh.ID, h.newest["/lines"])
	}
	platform := func(l line) any { return seller.Get(t, api.Path("/lines", l.ID)).Fields["idPlatform"] }
	if platform(fresh) == platform(h.line) {
		t.Errorf("a new line got the platform id %v of another one", platform(fresh))
	}
	srv.Admin(t).Unblock(t, h.blocked.ID).Is(200)
	seller.Activate(t, h.trial, 1).Is(201)
	seller.DeleteLine(t, h.line.ID).Is(200)
}

// peopleWorkOn expects keys, staff and second factors on a server.
func (h *history) peopleWorkOn(t *testing.T, srv *server) {
	t.Helper()
	owner, by := srv.As(srv.Login(t, h.master.Username, h.master.Password)), srv.As(h.key)
	trial := by.Trial(t)
	by.Activate(t, trial, 3).Refused(429, "spend-limit-reached").Has(fields{"limit": "10", "spent": "8", "required": "3"})
	by.Activate(t, trial, 2).Is(201).Has(fields{"owner": h.master.ID})
	srv.As(h.revoked).Send(t, "GET", "/lines", nil).Refused(401, "key-revoked")
	for _, p := range h.people {
		p.signsIn(t, srv, nil).Refused(401, "totp-required")
		p.signsIn(t, srv, p.used).Refused(401, "invalid-credentials")
		p.signsIn(t, srv, p.recovery[0]).Refused(401, "invalid-credentials")
		p.signsIn(t, srv, p.recovery[1]).Is(201)
		p.signsIn(t, srv, api.Code(t, p.secret, time.Now().Add(30*time.Second))).Is(201)
		owner.Send(t, "POST", "/users", api.NewReseller(fields{"username": p.username})).Refused(409, "username-taken")
	}
	if made := owner.MakeKey(t, nil); made.ID() <= h.newest["/keys"] {
		t.Errorf("a new key got id %d, and there was %d", made.ID(), h.newest["/keys"])
	}
}

// awaitJournal waits until the journal has so many movements, and all entries before them: on a replica set entries get
// their numbers a moment after their commits.
func awaitJournal(t *testing.T, admin caller, movements int) {
	t.Helper()
	eventually(t, fmt.Sprintf("the journal does not have %d movements", movements), func() bool {
		named := 0
		for _, e := range admin.Get(t, "/events?limit=500").List() {
			if e.Fields["movement"] != nil {
				named++
			}
		}
		return named >= movements
	})
}

// TestARestartKeepsEverything checks that records and sessions survive a restart.
func TestARestartKeepsEverything(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		h := newHistory(t, srv)
		was := h.signedIn.Get(t, "/auth/session")
		srv.restart(t)
		h.signedIn.Get(t, "/auth/session").Exactly(was.Fields)
		h.isOn(t, srv)
		srv.stopAndAudit(t)
	})
}
