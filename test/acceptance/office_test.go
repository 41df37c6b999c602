package acceptance

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
)

// office is an account with a key that has spent, one that was revoked, and a member of its staff; the member and an
// account below sign in with a second factor each, of which a code and a recovery code are used up.
type office struct {
	owner        api.Reseller
	key, revoked string
	keys         string // as the owner sees them
	ids          int64  // of principals, so far
	people       []insider
}

// insider is who signs in with a second factor.
type insider struct {
	username, password string
	secret, used       string
	recovery           []string
}

func newOffice(t *testing.T, srv *server) *office {
	t.Helper()
	o := &office{owner: srv.Admin(t).Master(t, "100")}
	below := o.owner.Master(t, "10")
	member := api.NewMember(fields{"role": "cashier"})
	o.owner.Send(t, "POST", "/staff", member).Is(201)
	o.key = o.owner.MakeKey(t,
		fields{"name": "tíll", "role": "manager", "spend_limit": fields{"credits": 10, "per": "day"},
			"allowed_addresses": []string{"127.0.0.0/8"}}).Text("key")
	revoked := o.owner.MakeKey(t, nil)
	o.owner.Send(t, "DELETE", api.Path("/keys", revoked.ID()), nil).Is(200)
	o.revoked, o.ids = revoked.Text("key"), revoked.ID()
	srv.As(o.key).Fund(t, below.ID, 8).Is(200)
	for _, p := range []insider{{username: member["username"].(string), password: member["password"].(string)},
		{username: below.Username, password: below.Password}} {
		p.secret, p.recovery = srv.SignIn(t, p.username, p.password).HaveFactor(t, p.password,
			time.Now().Add(-30*time.Second))
		p.used = api.Code(t, p.secret, time.Now())
		p.signsIn(t, srv, p.used).Is(201)
		p.signsIn(t, srv, p.recovery[0]).Is(201)
		o.people = append(o.people, p)
	}
	o.keys = string(o.owner.Get(t, "/keys").Body)
	return o
}

func (p insider) signsIn(t *testing.T, on *server, code any) answer {
	t.Helper()
	return on.Nobody().Send(t, "POST", "/auth/session",
		fields{"username": p.username, "password": p.password, "totp": code})
}

// worksOn expects all of it on another server, or on the same one after something happened to it.
func (o *office) worksOn(t *testing.T, srv *server) {
	t.Helper()
	owner := srv.As(srv.Login(t, o.owner.Username, o.owner.Password))
	if keys := string(owner.Get(t, "/keys").Body); keys != o.keys {
		t.Errorf("the keys are\n%s\nand were\n%s", keys, o.keys)
	}
	by := srv.As(o.key)
	trial := by.Trial(t)
	by.Activate(t, trial, 3).Refused(429, "spend-limit-reached").Has(fields{"limit": "10", "spent": "8", "required": "3"})
	by.Activate(t, trial, 2).Is(201).Has(fields{"owner": o.owner.ID})
	srv.As(o.revoked).Send(t, "GET", "/lines", nil).Refused(401, "key-revoked")
	for _, p := range o.people {
		p.signsIn(t, srv, nil).Refused(401, "totp-required")
		p.signsIn(t, srv, p.used).Refused(401, "invalid-credentials")
		p.signsIn(t, srv, p.recovery[0]).Refused(401, "invalid-credentials")
		p.signsIn(t, srv, p.recovery[1]).Is(201)
		p.signsIn(t, srv, api.Code(t, p.secret, time.Now().Add(30*time.Second))).Is(201)
		owner.Send(t, "POST", "/staff", api.NewMember(fields{"username": p.username})).Refused(409, "username-taken")
		owner.Send(t, "POST", "/users", api.NewReseller(fields{"username": p.username})).Refused(409, "username-taken")
	}
	if made := owner.MakeKey(t, nil); made.ID() <= o.ids {
		t.Errorf("a new key got id %d, and there was %d", made.ID(), o.ids)
	}
	srv.audit(t).well()
}

func TestACopyHasTheSamePeople(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		o := newOffice(t, source)
		source.stop(t)
		source.copyTo(t, target).well()
		target.start(t)
		o.worksOn(t, target)
		target.stop(t)
		source.audit(t).well()
	})
}

func TestARestoredStoreHasTheSamePeople(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	o := newOffice(t, srv)
	made := srv.backup(t, filepath.Join(t.TempDir(), "backups"), "--with-key")
	restored := srv.restore(t, made.File)
	restored.start(t)
	o.worksOn(t, restored)
	o.worksOn(t, srv)
}

// TestANameIsOnePersons, whoever asks for it at once and whichever kind of person it is for.
func TestANameIsOnePersons(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		owner := srv.Admin(t).Master(t, "5")
		for range 3 {
			name, answers := api.Unique("Straße"), make([]answer, 8)
			api.AtOnce(len(answers), func(i int) {
				if i%2 == 0 {
					answers[i] = owner.Send(t, "POST", "/staff", api.NewMember(fields{"username": name}))
				} else {
					answers[i] = owner.Send(t, "POST", "/users", api.NewReseller(fields{"username": strings.ToUpper(name)}))
				}
			})
			made := 0
			for _, a := range answers {
				if a.Status == 201 {
					made++
				} else {
					a.Refused(409, "username-taken")
				}
			}
			if made != 1 {
				t.Errorf("%d have the name", made)
			}
		}
		srv.stopAndAudit(t)
	})
}
