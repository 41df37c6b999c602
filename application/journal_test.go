package application_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/audit"
	"resellerd/application/jobs"
	"resellerd/application/lines"
	"resellerd/application/prices"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/message"
	"resellerd/domain/plan"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// stage has the subjects of a test's commands: a master acts.
type stage struct {
	*spender
	blocked, trial, hook int64
	key, member          int64 // principals
	job                  int64 // that runs, once ready has started it
	browser              kit.Browser
	password, factor     profile.Secret // the caller's
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{spender: newSpender(t, 0), password: profile.NewSecret("password-master")}
	blocked, _ := s.Create(s.Caller, "blocked", "0", false)
	require.NoError(t, kit.ErrorOf(s.Resellers.Block(t.Context(), kit.Call(s.Caller), resellers.Block{ID: blocked.ID()},
		kit.Shown)))
	s.blocked, s.trial, s.browser = blocked.ID(), s.Harness.Trial(s.Caller).ID(), s.SignIn("master")
	require.NoError(t, kit.ErrorOf(s.Webhooks.Create(t.Context(), kit.Call(s.Caller), webhookAt("https://a.example/"),
		func(w webhooks.Webhook) application.Receipt {
			s.hook = w.ID
			return kit.Shown(w)
		})))
	s.key, _ = s.NewKey(s.Caller, principal.Scopes()...)
	s.member = s.NewMember(s.Caller, "member", principal.Scopes()...)
	return s
}

// webhookAt returns the command to create a webhook for all types of events.
func webhookAt(url string) webhooks.Create {
	return webhooks.Create{URL: url, Types: []string{webhook.Any}, Scope: webhook.OwnAccount, Description: "canary"}
}

// as returns the stage's account with each kind of credential.
func (s *stage) as(kind journal.ActorKind) application.Caller {
	switch kind {
	case journal.BySession:
		return s.By(s.browser)
	case journal.ByKey:
		_, by := s.NewKey(s.Caller, principal.Scopes()...)
		return by
	case journal.ByStaff:
		s.NewMember(s.Caller, "colleague", principal.Scopes()...)
		s.password = profile.NewSecret("password-colleague")
		return s.By(s.SignIn("colleague"))
	}
	return s.Caller
}

// told is the content of a command's entry, apart from the actor.
type told struct {
	of       journal.Type // none: the command appends no entry
	account  func(s *stage) int64
	line     func(s *stage) int64
	changes  string // names of the fields
	movement bool
}

func itself(s *stage) int64  { return s.Reseller() }
func below(s *stage) int64   { return s.Below }
func trial(s *stage) int64   { return s.trial }
func sold(s *stage) int64    { return s.Line }
func none(*stage) int64      { return 0 }
func blocked(s *stage) int64 { return s.blocked }

// newest returns the id of the record that a command has created, the largest one.
func newest[R any](all map[int64]R) int64 { return slices.Max(slices.Collect(maps.Keys(all))) }

func newestReseller(s *stage) int64 { return newest(s.Recorded().Resellers) }
func newestLine(s *stage) int64     { return newest(s.Recorded().Lines) }

// commands are all commands of callers, by the names of their methods and a distinction where there are several. Each
// changes something.
var commands = map[string]struct {
	do   func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error)
	told told
}{
	"Resellers.Create": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.Create(ctx, c,
			resellers.Create{Username: fixture.Name("new"), Password: profile.NewSecret("canary-password"),
				Credits: fixture.Credits("2")}, kit.Shown)
	}, told{journal.ResellerCreated, newestReseller, none, "role username", true}},
	"Resellers.Update": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.Update(ctx, c, resellers.Update{
			ID: s.Below, Username: fixture.Name("renamed"), Password: profile.NewSecret("canary-password"),
			ContactChange: reseller.ContactChange{Country: new(fixture.Text("AO")), Notes: new(fixture.Text("canary-notes"))},
		}, kit.Shown)
	}, told{journal.ResellerUpdated, below, none, "country notes password username", false}},
	"Resellers.ChangeContact": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.ChangeContact(ctx, c, s.contact("canary-notes"), kit.Shown)
	}, told{journal.ResellerUpdated, below, none, "notes", false}},
	"Resellers.Block": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.Block(ctx, c, resellers.Block{ID: s.Below}, kit.Shown)
	}, told{journal.ResellerBlocked, below, none, "blocked", false}},
	"Resellers.Block lines as well": {func(ctx context.Context, s *stage,
		c application.Call) (application.Receipt, error) {
		return s.Resellers.Block(ctx, c,
			resellers.Block{ID: s.Below, Terms: reseller.Terms{Suspends: true, Reason: fixture.Text("canary-reason")}},
			kit.Shown)
	}, told{journal.ResellerBlocked, below, none, "block_reason blocked lines_suspended", false}},
	"Resellers.Block on other terms": {func(ctx context.Context, s *stage,
		c application.Call) (application.Receipt, error) {
		return s.Resellers.Block(ctx, c, resellers.Block{ID: s.blocked, Terms: reseller.Terms{Suspends: true}}, kit.Shown)
	}, told{journal.ResellerBlocked, blocked, none, "lines_suspended", false}},
	"Resellers.Unblock": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.Unblock(ctx, c, s.blocked, kit.Shown)
	}, told{journal.ResellerUnblocked, blocked, none, "blocked", false}},
	"Credits.Add": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Credits.Add(ctx, c, resellers.Move{ID: s.Below, Credits: fixture.Credits("3"),
			Notes: fixture.Text("canary-notes")}, kit.Shown)
	}, told{journal.ResellerCredited, below, none, "", true}},
	"Credits.Reclaim": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Credits.Reclaim(ctx, c, resellers.Move{ID: s.Below, Credits: fixture.Credits("0.5")}, kit.Shown)
	}, told{journal.ResellerReclaimed, below, none, "", true}},
	"Lines.CreateTrial": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.CreateTrial(ctx, c, line.Description{Notes: new(fixture.Text("canary-notes"))}, kit.Shown)
	}, told{journal.TrialCreated, itself, newestLine, "expDate username", false}},
	"Lines.Activate": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Activate(ctx, c, s.Activation(s.trial, "activated", "1"), kit.Shown)
	}, told{journal.LineActivated, itself, trial, "connections country expDate password plan username", true}},
	"Lines.Extend": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Extend(ctx, c, lines.Extend{ID: s.Line, Price: fixture.Request("1")}, kit.Shown)
	}, told{journal.LineExtended, itself, sold, "expDate", true}},
	"Lines.ChangePlan": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.ChangePlan(ctx, c, lines.ChangePlan{ID: s.Line, Plan: 7, Expected: fixture.Credits("2")}, kit.Shown)
	}, told{journal.PlanChanged, itself, sold, "connections packages plan", true}},
	"Lines.Edit": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Edit(ctx, c, s.edit("canary-password"), kit.Shown)
	}, told{journal.LineUpdated, itself, sold, "password", false}},
	"Lines.Describe": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Describe(ctx, c,
			lines.Edit{ID: s.trial, Description: line.Description{Email: new(fixture.Text("canary@x.pt"))}}, kit.Shown)
	}, told{journal.LineUpdated, itself, trial, "email", false}},
	"Lines.Suspend": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Suspend(ctx, c, lines.Suspend{ID: s.trial, Reason: fixture.Text("canary-reason")}, kit.Shown)
	}, told{journal.LineSuspended, itself, trial, "suspended suspension_reason", false}},
	"Lines.Resume": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Resume(ctx, c, s.Line, kit.Shown)
	}, told{journal.LineResumed, itself, sold, "suspended suspension_reason", false}},
	"Lines.Delete": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Lines.Delete(ctx, c, s.Line, kit.Shown)
	}, told{journal.LineDeleted, itself, sold, "expDate username", false}},
	"Jobs.Start": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Jobs.Start(ctx, c, s.order(), kit.Shown)
	}, told{}},
	"Jobs.Stop": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Jobs.Stop(ctx, c, s.job, kit.Shown)
	}, told{journal.BulkFinished, itself, none, "", false}},
	"Access.RevokeToken": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Access.RevokeToken(ctx, c, kit.Shown)
	}, told{journal.TokenRevoked, itself, none, "", false}},
	"Access.ChangePassword": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Access.ChangePassword(ctx, c,
			access.ChangePassword{Present: s.password, New: profile.NewSecret("canary-password")}, kit.Shown)
	}, told{journal.PasswordChanged, itself, none, "password", false}},
	"Resellers.SetAlert": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.SetAlert(ctx, c, resellers.SetAlert{ID: s.Below, Below: fixture.Credits("0.5")}, kit.Shown)
	}, told{journal.ResellerUpdated, below, none, "balance_low", false}},
	"Resellers.SetMessages": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Resellers.SetMessages(ctx, c, resellers.SetMessages{ID: s.Below, Texts: message.Texts{Access: "canary"}},
			kit.Shown)
	}, told{journal.ResellerUpdated, below, none, "messages", false}},
	"Webhooks.Create": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Webhooks.Create(ctx, c, webhookAt("https://canary.example/"), kit.Shown)
	}, told{journal.WebhookCreated, itself, none, "", false}},
	"Webhooks.Update": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		change := webhook.Change{URL: new("https://canary.example/"), Description: new("another canary"),
			Types: []string{"line.*"}}
		return s.Webhooks.Update(ctx, c, webhooks.Update{ID: s.hook, Change: change}, kit.Shown)
	}, told{journal.WebhookUpdated, itself, none, "description types url", false}},
	"Webhooks.Rotate": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Webhooks.Rotate(ctx, c, webhooks.Rotate{ID: s.hook, Overlap: time.Hour}, kit.Shown)
	}, told{journal.WebhookRotated, itself, none, "", false}},
	"Webhooks.Delete": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Webhooks.Delete(ctx, c, s.hook, kit.Shown)
	}, told{journal.WebhookRemoved, itself, none, "", false}},
	"Webhooks.Test": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Webhooks.Test(ctx, c, s.hook, kit.Shown)
	}, told{}},
	"Webhooks.Replay": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Webhooks.Replay(ctx, c, webhooks.Replay{ID: s.hook, After: 1}, kit.Shown)
	}, told{}},
	"Principals.Create key": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Principals.Create(ctx, c, access.CreatePrincipal{Kind: principal.Key, Name: "canary",
			Role: principal.Cashier}, kit.Shown)
	}, told{journal.KeyCreated, itself, none, "", false}},
	"Principals.Create staff": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		made := access.CreatePrincipal{Kind: principal.Staff, Username: fixture.Name("canary"),
			Password: profile.NewSecret("canary-password"), Role: principal.Support}
		return s.Principals.Create(ctx, c, made, kit.Shown)
	}, told{journal.StaffCreated, itself, none, "", false}},
	"Principals.Update key": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		change := principal.Change{Name: new("canary"), Role: new(principal.ReadOnly), Limit: new(principal.Units(1))}
		return s.Principals.Update(ctx, c, access.UpdatePrincipal{ID: s.key, Kind: principal.Key, Change: change}, kit.Shown)
	}, told{journal.KeyUpdated, itself, none, "name role scopes spend_limit", false}},
	"Principals.Update staff": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		change := access.UpdatePrincipal{ID: s.member, Kind: principal.Staff, Username: fixture.Name("canary"),
			Password: new(profile.NewSecret("canary-password"))}
		return s.Principals.Update(ctx, c, change, kit.Shown)
	}, told{journal.StaffUpdated, itself, none, "password username", false}},
	"Principals.Remove key": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Principals.Remove(ctx, c, access.RemovePrincipal{ID: s.key, Kind: principal.Key}, kit.Shown)
	}, told{journal.KeyRevoked, itself, none, "", false}},
	"Principals.Remove staff": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Principals.Remove(ctx, c, access.RemovePrincipal{ID: s.member, Kind: principal.Staff}, kit.Shown)
	}, told{journal.StaffRemoved, itself, none, "", false}},
	"Access.BeginFactor": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Access.BeginFactor(ctx, c, access.BeginFactor{Password: s.password}, kit.Shown)
	}, told{}},
	"Access.ConfirmFactor": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Access.ConfirmFactor(ctx, c, access.ConfirmFactor{Code: s.Code(s.factor)}, kit.Shown)
	}, told{journal.TOTPEnabled, itself, none, "", false}},
	"Access.RemoveFactor": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Access.RemoveFactor(ctx, c, access.RemoveFactor{Password: s.password, Code: s.Code(s.factor)}, kit.Shown)
	}, told{journal.TOTPDisabled, itself, none, "", false}},
	"Access.ResetFactor": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Access.ResetFactor(ctx, c, s.Below, kit.Shown)
	}, told{journal.TOTPReset, below, none, "", false}},
	"Principals.ResetFactor": {func(ctx context.Context, s *stage, c application.Call) (application.Receipt, error) {
		return s.Principals.ResetFactor(ctx, c, s.member, kit.Shown)
	}, told{journal.TOTPReset, itself, none, "", false}},
}

// order is one that suspends the line.
func (s *stage) order() jobs.Start {
	return jobs.Start{
		Change: bulk.Change{Action: bulk.Suspend, Reason: "canary-reason"}, IDs: []int64{s.Line},
		Expected: bulk.Expected{Count: 1},
	}
}

// ready prepares the state that a command of the table needs.
var ready = map[string]func(s *stage, by application.Caller){
	"Lines.Resume": func(s *stage, by application.Caller) {
		require.NoError(s.T, kit.ErrorOf(s.Lines.Suspend(s.T.Context(), kit.Call(by),
			lines.Suspend{ID: s.Line, Reason: fixture.Text("canary-reason")}, kit.Shown)))
	},
	"Lines.ChangePlan": func(s *stage, _ application.Caller) {
		admin := kit.Call(s.Admin)
		require.NoError(s.T, kit.ErrorOf(s.Prices.CreatePlan(s.T.Context(), admin, plan.Plan{Name: "two", Unit: credit.Month,
			Count: 1, Connections: 2, Packages: []string{"full"}, OnSale: true}, kit.Shown)))
		require.NoError(s.T, kit.ErrorOf(s.Prices.Put(s.T.Context(), admin, prices.Put{Next: plan.Next{
			Rows: []plan.Row{{Plan: 2, Credits: fixture.Credits("1")}, {Plan: 7, Credits: fixture.Credits("2")}}}}, kit.Shown)))
		s.Now = s.Now.Add(plan.Lead)
	},
	"Jobs.Stop": func(s *stage, by application.Caller) {
		var started jobs.Started
		require.NoError(s.T, kit.ErrorOf(s.Jobs.Start(s.T.Context(), kit.Call(by), s.order(), kit.Into(&started))))
		s.job = started.Job.ID
	},
	"Access.ConfirmFactor": func(s *stage, by application.Caller) { s.factor = s.BeginFactor(by, s.password) },
	"Access.RemoveFactor":  func(s *stage, by application.Caller) { s.factor = s.ConfirmFactor(by, s.password) },
	"Access.ResetFactor": func(s *stage, _ application.Caller) {
		s.ConfirmFactor(s.By(s.SignIn("below")), profile.NewSecret("password-below"))
	},
	"Principals.ResetFactor": func(s *stage, _ application.Caller) {
		s.ConfirmFactor(s.By(s.SignIn("member")), profile.NewSecret("password-member"))
	},
}

var signedIn = []journal.ActorKind{journal.BySession, journal.ByStaff}

// only has the kinds of actors for commands that not every principal may run.
var only = map[string][]journal.ActorKind{
	"Access.BeginFactor": signedIn, "Access.ConfirmFactor": signedIn, "Access.RemoveFactor": signedIn,
	"Access.ChangePassword": {journal.ByToken, journal.BySession, journal.ByStaff},
}

// A new command fails the test until the table has it.
func TestTableHasEveryCommand(t *testing.T) {
	var there []string
	for feature := range reflect.TypeFor[application.Service]().Fields() {
		for m := range feature.Type.Methods() {
			if m.Type.NumOut() == 2 && m.Type.Out(0) == reflect.TypeFor[application.Receipt]() {
				there = append(there, feature.Name+"."+m.Name)
			}
		}
	}
	// An import has an entry for each line. Only administrators change prices. Both have tests of their own.
	want := []string{"Lines.Import", "Prices.Cancel", "Prices.CreatePlan", "Prices.Put", "Prices.UpdatePlan"}
	for name := range commands {
		method, _, _ := strings.Cut(name, " ")
		want = append(want, method)
	}
	slices.Sort(there)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(there, want) {
		t.Errorf("the service has the commands %q, and the table %q", there, want)
	}
}

// step runs a command and fails unless it appended one entry if, and only if, something has changed. It returns the
// entry.
func (s *stage) step(what string, do func() error) *journal.Numbered {
	s.T.Helper()
	before := s.Recorded()
	err := do()
	after := s.Recorded()
	changed, added := after.Changed(before), after.Entries[len(before.Entries):]
	if want := map[bool]int{true: 1}[changed]; len(added) != want {
		s.T.Fatalf("%s: changed something: %t, error %v, and %d entries, want %d: %+v", what, changed, err, len(added),
			want, added)
	}
	named := 0
	for id, m := range after.Movements {
		if _, old := before.Movements[id]; old {
			continue
		}
		if named++; named > 1 || added[0].Movement == nil || !added[0].Movement.Matches(m) {
			s.T.Errorf("%s: the entry names %+v, and not %+v", what, added[0].Movement, m)
		}
	}
	if len(added) == 0 {
		return nil
	}
	if named == 0 && added[0].Movement != nil {
		s.T.Errorf("%s: the entry names %+v, which was not made", what, added[0].Movement)
	}
	expect.Equal(s.T, strings.Contains(fmt.Sprintf("%+v", added[0]), "canary"), false, "%s tells %+v", what, added[0])
	return &added[0]
}

// kindsFor returns the kinds of actors that run a command: the owner and a key, each kind where they differ.
func kindsFor(command string) []journal.ActorKind {
	if only[command] == nil && command != "Lines.Edit" {
		return []journal.ActorKind{journal.ByToken, journal.ByKey}
	}
	return []journal.ActorKind{journal.ByToken, journal.BySession, journal.ByKey, journal.ByStaff}
}

// Each command is refused, fails at its commit, succeeds, is repeated under its key, and runs once more. Each time
// there is one entry if, and only if, something has changed.
func TestEachChangeHasOneEntry(t *testing.T) {
	for name, c := range commands {
		for _, kind := range kindsFor(name) {
			t.Run(name+" by "+kind.String(), func(t *testing.T) {
				s, ctx := newStage(t), t.Context()
				by := s.as(kind)
				if prepare := ready[name]; prepare != nil && (only[name] == nil || slices.Contains(only[name], kind)) {
					prepare(s, by)
				}
				do := func(as application.Call) func() error {
					return func() error { _, err := c.do(ctx, s, as); return err }
				}
				begun := s.Recorded()
				revoked := s.CallerOf(s.Keyring.Issue(ports.Token{Reseller: s.Reseller(), Generation: reseller.Generation{1}}))
				none := (*journal.Numbered)(nil)
				expect.Equal(t, s.step("by a token that was revoked", do(kit.Call(revoked))), none, "it changes something")
				sound := s.Service
				store := &kit.Store{Store: s.Dependencies.Store, Fails: true}
				s.Service = s.On(store, application.Policy{TrialDuration: time.Hour})
				expect.Equal(t, s.step("with a commit that fails", do(kit.Call(by))), none, "it changes something")
				s.Service = sound
				expect.DeepEqual(t, s.Recorded().Unjournaled, begun.Unjournaled,
					"what was refused, or not committed, has changed what is delivered, or a second factor")
				if only[name] != nil && !slices.Contains(only[name], kind) {
					_, err := c.do(ctx, s, kit.Call(by))
					if err == nil || s.Recorded().Changed(begun) {
						t.Errorf("got %v where it is not for this caller", err)
					}
					return
				}

				s.Now = s.Now.Add(time.Hour)
				asked := application.Call{Caller: by, Request: "this request", Address: "2001:db8::7", Key: "key",
					Content: []byte{1}}
				was := s.Recorded()
				done := s.step("done", do(asked))
				found, err := audit.Run(t.Context(), s.Archive, audit.Options{Report: func(finding string) { t.Error(finding) }})
				require.NoError(t, err)
				expect.Equal(t, found.Findings, 0, "findings of an audit")
				if c.told.of == (journal.Type{}) {
					if is := s.Recorded(); done != nil || reflect.DeepEqual(is.Unjournaled, was.Unjournaled) {
						t.Errorf("it has the entry %+v, and leaves %+v", done, is.Unjournaled)
					}
					return
				}
				if done == nil {
					t.Fatal("it has changed nothing")
				}
				var changes []string
				for _, change := range done.Changes {
					changes = append(changes, change.Field)
				}
				if done.Type != c.told.of || strings.Join(changes, " ") != c.told.changes ||
					(done.Movement != nil) != c.told.movement {
					t.Errorf("the entry tells %+v", done)
				}
				is := s.Recorded()
				account, version := is.Resellers[c.told.account(s)], is.Resellers[c.told.account(s)].Version
				if done.Line != 0 {
					version = was.Lines[done.Line].Version + 1 // also of a deleted line
				}
				if id, about := done.Datum(journal.Webhook).(int64); about {
					version = 0
					if len(is.Webhooks) >= len(was.Webhooks) && reflect.DeepEqual(is.Webhooks[id], was.Webhooks[id]) || id != s.hook &&
						id != newest(is.Webhooks) {
						t.Errorf("the entry is of webhook %d, which is %+v", id, is.Webhooks[id])
					}
				}
				_, ofPrincipal := done.Datum(journal.Principal).(int64)
				if id, about := done.Datum(journal.Job).(int64); about && (id != s.job || is.Ended[id].Status != bulk.Stopped) {
					t.Errorf("the entry is of job %d, which is %+v", id, is.Ended[id])
				}
				ofMessages := !reflect.DeepEqual(is.Messages, was.Messages)
				if ofPrincipal || ofMessages || strings.HasPrefix(done.Type.String(), "totp.") ||
					done.Type == journal.BulkFinished {
					version = 0
				}
				if done.Line != c.told.line(s) || !reflect.DeepEqual(done.Account, account.Position) || done.Version != version {
					t.Errorf("the entry is of line %d, account %+v and version %d, want line %d, account %+v and version %d",
						done.Line, done.Account, done.Version, c.told.line(s), account.Position, version)
				}
				actor := journal.Actor{Account: s.Reseller(), Kind: kind, Name: was.Resellers[s.Reseller()].Username.String(),
					Address: "2001:db8::7"}
				if p := was.Principals[done.Actor.Principal]; kind == journal.ByKey || kind == journal.ByStaff {
					actor.Principal, actor.Name = p.ID, p.Name
				}
				if done.Actor != actor || !done.At.Equal(s.Now) || done.Request != "this request" {
					t.Errorf("the entry is by %+v at %s by request %q, want %+v", done.Actor, done.At, done.Request, actor)
				}

				expect.Equal(t, s.step("once more under its key", do(asked)), none, "a replay changes something")
				s.Now = s.Now.Add(time.Hour)
				s.step("once more", do(kit.Call(by)))
			})
		}
	}
}

func TestSessionsHaveEntries(t *testing.T) {
	s, ctx := newStage(t), t.Context()
	var b kit.Browser
	started := s.step("a sign-in", func() error {
		c := kit.SignInOf("master")
		c.Request, c.Address, c.Previous = "this request", "2001:db8::7", s.browser.Secret // which ends with it
		begun, secret, err := s.Access.SignIn(ctx, c)
		b = kit.Browser{Secret: secret.Reveal(), ID: begun.ID}
		return err
	})
	other := s.SignIn("master")
	call := application.Call{Caller: s.By(b), Request: "this request", Address: "2001:db8::7"}
	s.step("the end of a session that does not exist", func() error { return s.Access.EndSession(ctx, call, "nothing") })
	ended := s.step("the end of another session", func() error { return s.Access.EndSession(ctx, call, other.ID) })
	out := s.step("a sign-out", func() error { return s.Access.SignOut(ctx, call) })
	for of, n := range map[journal.Type][]*journal.Numbered{journal.SessionStarted: {started},
		journal.SessionEnded: {ended, out}} {
		for _, n := range n {
			want := journal.Entry{
				Type: of, At: s.Now, Account: s.Recorded().Resellers[s.Reseller()].Position, Request: "this request",
				Actor: journal.Actor{Account: s.Reseller(), Kind: journal.BySession, Name: "master", Address: "2001:db8::7"},
			}
			if n == nil || !reflect.DeepEqual(n.Entry, want) {
				t.Errorf("got %+v, want %+v", n, want)
			}
		}
	}
}

func TestWhatOperatorsDoHasEntries(t *testing.T) {
	s, ctx := newStage(t), t.Context()
	master := fixture.Name("master")
	for _, c := range []struct {
		of      journal.Type // none: nothing is changed
		changes string
		do      func() error
	}{
		{journal.AdminCreated, "role username", func() error {
			return s.Admins.Create(ctx, fixture.Name("second"), profile.NewSecret("canary-password"))
		}},
		{journal.Type{}, "", func() error {
			return s.Admins.Create(ctx, fixture.Name("second"), profile.NewSecret("canary-password"))
		}},
		{journal.PasswordReset, "password", func() error {
			return s.Admins.ResetPassword(ctx, master, profile.NewSecret("canary-password"))
		}},
		{journal.Type{}, "", func() error {
			return s.Admins.ResetPassword(ctx, fixture.Name("nobody"), profile.NewSecret("canary-password"))
		}},
		{journal.Type{}, "", func() error { return s.Admins.SetBlocked(ctx, master, false) }},
		{journal.AdminBlocked, "blocked", func() error { return s.Admins.SetBlocked(ctx, master, true) }},
		{journal.Type{}, "", func() error { return s.Admins.SetBlocked(ctx, master, true) }},
		{journal.AdminUnblocked, "blocked", func() error { return s.Admins.SetBlocked(ctx, master, false) }},
	} {
		n := s.step(c.of.String(), c.do)
		if n == nil {
			expect.Equal(t, c.of, journal.Type{}, "has no entry")
			continue
		}
		var changes []string
		for _, change := range n.Changes {
			changes = append(changes, change.Field)
		}
		if n.Type != c.of || strings.Join(changes, " ") != c.changes ||
			n.Actor != (journal.Actor{Kind: journal.ByOperator, Name: "operator"}) ||
			!n.At.Equal(s.Now) || n.Version != s.Recorded().Resellers[n.Account.ID].Version {
			t.Errorf("got %+v, want %s of %s", n, c.of, c.changes)
		}
	}
	require.NoError(t, s.Epochs.ServiceKeyReplaced(ctx))
	all := s.Recorded().Entries
	want := journal.Entry{Type: journal.KeyReplaced, At: s.Now,
		Actor: journal.Actor{Kind: journal.ByOperator, Name: "operator"}}
	expect.DeepEqual(t, all[len(all)-1].Entry, want)
}

// A store of a version without a journal begins one, also if several processes start at once.
func TestAJournalBeginsOnce(t *testing.T) {
	store := memstore.New()
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	require.NoError(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Resellers.Insert(ctx, fixture.Admin(1))
	}))
	h := kit.New(t, application.Policy{})
	h.Dependencies.Store, h.Archive = storetest.Rerun(store), store
	h.Service = application.New(h.Dependencies, application.Policy{})
	for range 2 {
		require.NoError(t, errors.Join(storetest.AtOnce(8, func(int) error { return h.Epochs.Begin(t.Context()) })...))
		all := h.Recorded().Entries
		want := journal.Entry{Type: journal.Began, At: h.Now, Actor: journal.Actor{Kind: journal.BySystem}}
		if len(all) != 1 || !reflect.DeepEqual(all[0].Entry, want) {
			t.Fatalf("got %+v, want %+v", all, want)
		}
		_, ok := journal.ParseEpoch(string(all[0].Epoch))
		expect.Equal(t, ok, true, "the epoch %q is valid", all[0].Epoch)
	}
}

func TestARestoredJournalHasAnotherEpoch(t *testing.T) {
	h := kit.New(t, application.Policy{})
	before := h.Recorded().Entries
	h.Now = h.Now.Add(time.Hour)
	for range 2 { // each restore begins one
		last := before[len(before)-1]
		require.NoError(t, h.Epochs.BeginRestored(t.Context()))
		h.Trial(h.Admin)
		all := h.Recorded().Entries
		restored, later := all[len(before)], all[len(before)+1]
		want := journal.Entry{Type: journal.Restored, At: h.Now, Actor: journal.Actor{Kind: journal.BySystem},
			Data: []journal.Datum{
				{Name: journal.PreviousEpoch, Value: journal.Text(string(last.Epoch))},
			}}
		if !reflect.DeepEqual(restored.Entry, want) || restored.Epoch == last.Epoch || later.Epoch != restored.Epoch ||
			len(all) != len(before)+2 {
			t.Errorf("after %+v come %+v and %+v", last, restored, later)
		}
		expect.Equal(t, kit.Must(h.Epochs.Current(t.Context())), restored.Epoch, "the epoch")
		before = all
	}
}
