// Package kit has the common parts of use-case tests: the service on a store in memory, a clock that the test sets, and
// short forms of the most frequent commands.
package kit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/domain/message"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// Harness is the service on a real store with real adapters, its clock set by hand.
type Harness struct {
	*application.Service
	T            *testing.T
	Dependencies application.Dependencies
	Archive      ports.Archive // the same store
	Keyring      *servicekey.Keyring
	Now          time.Time
	Admin        application.Caller
}

// New returns the service under a policy. The process "this" holds its lease.
func New(t *testing.T, policy application.Policy) *Harness {
	t.Helper()
	store := memstore.New()
	h := &Harness{T: t, Archive: store, Now: time.Date(2026, time.January, 31, 12, 0, 0, 123_000_000, time.UTC)}
	var parts *inprocess.Parts
	s, err := inprocess.New(storetest.Rerun(store), inprocess.At(func() time.Time { return h.Now }),
		func(p *inprocess.Parts) {
			policy.TrialDuration = cmp.Or(policy.TrialDuration, p.Policy.TrialDuration)
			p.Policy = policy
			parts = p
		})
	require.NoError(t, err)
	h.Service, h.Dependencies, h.Keyring = s.Service, parts.Dependencies, s.Keyring
	require.NoError(t, h.Admins.Create(t.Context(), fixture.Name("admin"), profile.NewSecret("admin-password")))
	require.NoError(t, ErrorOf(h.Leases.Change(t.Context(),
		func(l lease.Lease) (lease.Lease, bool) { return l.Take("this"), true })))
	h.Admin = h.Login("admin", "admin-password")
	t.Cleanup(h.checkDescriptions)
	return h
}

// checkDescriptions fails unless the reference of events describes all data and changes of the entries in the journal.
func (h *Harness) checkDescriptions() {
	described := map[journal.Type]journal.Description{}
	for _, d := range journal.Descriptions() {
		described[d.Type] = d
	}
	require.NoError(h.T, h.Archive.ViewRecords(context.Background(), func(ctx context.Context, all ports.Records) error {
		entries, err := all.Entries(ctx, 0, mostRead)
		for _, f := range entries {
			d := described[f.Record.Type]
			for _, datum := range f.Record.Data {
				if !slices.Contains(d.Data, datum.Name) {
					h.T.Errorf("the description of %s lacks the data %s", f.Record.Type, datum.Name)
				}
			}
			for _, change := range f.Record.Changes {
				if !slices.Contains(d.Changes, change.Field) {
					h.T.Errorf("the description of %s lacks the change %s", f.Record.Type, change.Field)
				}
			}
		}
		return err
	}))
}

// Master is a master that has 98 credits.
type Master struct {
	*Harness
	application.Caller
	Below int64 // a reseller, which has 1
	Line  int64 // an official one
}

// NewMaster returns a master of a service of its own.
func NewMaster(t *testing.T, policy application.Policy) *Master {
	t.Helper()
	h := New(t, policy)
	_, by := h.Create(h.Admin, "master", "100", true)
	below, _ := h.Create(by, "below", "1", false)
	l, err := h.Activate(by, h.Activation(h.Trial(by).ID(), "official", "1"))
	require.NoError(t, err)
	return &Master{h, by, below.ID(), l.ID()}
}

// Appended returns the entries that a function appends to the journal.
func (h *Harness) Appended(do func()) []journal.Numbered {
	h.T.Helper()
	before := len(h.Recorded().Entries)
	do()
	return h.Recorded().Entries[before:]
}

// On returns the service on another store.
func (h *Harness) On(store ports.Store, policy application.Policy) *application.Service {
	d := h.Dependencies
	d.Store = store
	return application.New(d, policy)
}

// ErrorOf returns the error of a result.
func ErrorOf[R any](_ R, err error) error { return err }

// Login returns the caller that a name and a password authenticate.
func (h *Harness) Login(username, password string) application.Caller {
	return h.CallerOf(Must(h.Access.Login(h.T.Context(),
		access.Login{Username: fixture.Name(username), Password: profile.NewSecret(password), Client: "192.0.2.1"})))
}

// CallerOf returns the caller that a token authenticates.
func (h *Harness) CallerOf(token profile.Secret) application.Caller {
	return Must(h.Authentication.Authenticate(token.Reveal()))
}

// Call returns a request of a caller, without an idempotency key.
func Call(by application.Caller) application.Call {
	return application.Call{Caller: by, Request: "request-1"}
}

// Shown renders any result as text.
func Shown[R any](r R) application.Receipt {
	return application.Receipt{Code: 200, Content: fmt.Append(nil, r)}
}

// Into returns a function that stores a result, and renders it.
func Into[R any](result *R) application.Render[R] {
	return func(r R) application.Receipt {
		*result = r
		return Shown(r)
	}
}

// Create creates a reseller, and returns it with the caller of its token.
func (h *Harness) Create(by application.Caller, username, credits string,
	master bool) (*reseller.Reseller, application.Caller) {
	h.T.Helper()
	var created resellers.Reseller
	require.NoError(h.T, ErrorOf(h.Resellers.Create(h.T.Context(), Call(by), resellers.Create{
		Username: fixture.Name(username), Password: profile.NewSecret("password-" + username), Master: master,
		Credits: fixture.Credits(credits), Contact: reseller.Contact{Country: fixture.Text("BR")},
		Language: fixture.Text("pt"),
	}, Into(&created))))
	return created.Reseller, h.CallerOf(h.Keyring.Issue(ports.Token{Reseller: created.ID(), Generation: created.Token()}))
}

// Balance returns the credits of a reseller.
func (h *Harness) Balance(id int64) string {
	h.T.Helper()
	return h.Recorded().Resellers[id].Credits.String()
}

// Trial creates a trial.
func (h *Harness) Trial(by application.Caller) (l lines.Line) {
	h.T.Helper()
	require.NoError(h.T, ErrorOf(h.Lines.CreateTrial(h.T.Context(), Call(by),
		line.Description{Notes: new(fixture.Text("a note"))}, Into(&l))))
	return l
}

// Activation returns the command to activate a trial.
func (h *Harness) Activation(id int64, username, credits string) lines.Activate {
	return lines.Activate{
		Edit: lines.Edit{ID: id, Username: fixture.Name(username), Password: profile.NewSecret("7788"),
			Description: line.Description{Country: new(fixture.Text("PT"))}},
		Price: fixture.Request(credits),
	}
}

// Activate activates a trial.
func (h *Harness) Activate(by application.Caller, c lines.Activate) (l lines.Line, err error) {
	_, err = h.Lines.Activate(h.T.Context(), Call(by), c, Into(&l))
	return l, err
}

// ChangeLine changes the stored state of a line.
func (h *Harness) ChangeLine(id int64, change func(s *line.State)) {
	h.T.Helper()
	require.NoError(h.T, h.Dependencies.Store.Update(h.T.Context(), func(ctx context.Context, tx ports.Tx) error {
		l, err := tx.Lines.Get(ctx, id)
		require.NoError(h.T, err)
		return tx.Lines.Save(ctx, fixture.ChangedLine(l, change))
	}))
}

// Must returns a value, and panics on an error.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Recorded has all records that a command may change, and the journal.
type Recorded struct {
	Resellers   map[int64]reseller.State // without their trials, which follow from the lines
	Lines       map[int64]line.State
	Movements   map[int64]credit.Movement
	Sessions    map[session.ID]session.Session
	Messages    map[int64]message.AccountTexts
	Webhooks    map[int64]webhook.Webhook
	Principals  map[int64]principal.Principal // the valid ones, without their last use
	Factors     map[string]secondfactor.Factor
	Ended       map[int64]bulk.Job
	Unjournaled Unjournaled
	Entries     []journal.Numbered
}

// Unjournaled has the records that commands may change without an entry.
type Unjournaled struct {
	Deliveries map[int64]webhook.Progress
	Pending    map[string][]byte // second factors that are not confirmed
	Running    map[int64]bulk.Job
}

// Changed reports whether anything differs that entries report.
func (r Recorded) Changed(from Recorded) bool {
	same := maps.EqualFunc(r.Sessions, from.Sessions, func(a, b session.Session) bool {
		a.Used = b.Used
		return a == b
	})
	r.Entries, r.Unjournaled, r.Sessions = from.Entries, from.Unjournaled, from.Sessions
	return !same || !reflect.DeepEqual(r, from)
}

// mostRead is more than any test stores of anything.
const mostRead = 1000

// archived reads all records of an archive, by id.
func archived[R, S any](ctx context.Context, t *testing.T, state func(R) S,
	read func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error)) map[int64]S {
	t.Helper()
	all := map[int64]S{}
	found, err := read(ctx, 0, mostRead)
	require.NoError(t, err)
	for _, f := range found {
		all[f.ID] = state(f.Record)
	}
	return all
}

// recordsOf reads all records of a kind, by their identity.
func recordsOf[K comparable, V any](ctx context.Context, t *testing.T, r ports.Records, of *record.Kind,
	key func(V) K) map[K]V {
	t.Helper()
	all := map[K]V{}
	found, err := r.OfKind(ctx, of, "", mostRead)
	require.NoError(t, err)
	for _, f := range found {
		read, err := of.Read(f.Payload)
		require.NoError(t, err)
		v := *read.(*V) //nolint:forcetypeassert // it is of this kind
		all[key(v)] = v
	}
	return all
}

// Recorded returns the records of the store.
func (h *Harness) Recorded() (r Recorded) {
	h.T.Helper()
	require.NoError(h.T, h.Archive.ViewRecords(h.T.Context(), func(ctx context.Context, all ports.Records) error {
		entries, err := all.Entries(ctx, 0, mostRead)
		r = Recorded{
			Resellers: archived(ctx, h.T, func(of *reseller.Reseller) reseller.State {
				s := of.State()
				s.Trials = nil
				return s
			}, all.Resellers),
			Lines:      archived(ctx, h.T, (*line.Line).State, all.Lines),
			Movements:  archived(ctx, h.T, func(m credit.Movement) credit.Movement { return m }, all.Movements),
			Sessions:   recordsOf(ctx, h.T, all, ports.Sessions.Kind, func(s session.Session) session.ID { return s.ID }),
			Messages:   recordsOf(ctx, h.T, all, ports.Messages.Kind, func(m message.AccountTexts) int64 { return m.Account }),
			Webhooks:   recordsOf(ctx, h.T, all, ports.Webhooks.Kind, func(w webhook.Webhook) int64 { return w.ID }),
			Principals: recordsOf(ctx, h.T, all, ports.Principals.Kind, func(p principal.Principal) int64 { return p.ID }),
			Factors:    recordsOf(ctx, h.T, all, ports.SecondFactors.Kind, func(f secondfactor.Factor) string { return f.Of }),
			Ended:      recordsOf(ctx, h.T, all, ports.BulkJobs.Kind, func(j bulk.Job) int64 { return j.ID }),
			Unjournaled: Unjournaled{
				Deliveries: recordsOf(ctx, h.T, all, ports.WebhookProgress.Kind,
					func(p webhook.Progress) int64 { return p.Webhook }),
				Pending: map[string][]byte{}, Running: map[int64]bulk.Job{},
			},
		}
		for _, f := range entries {
			r.Entries = append(r.Entries, f.Record)
		}
		return err
	}))
	for id, p := range r.Principals {
		p.Used, p.UsedFrom = time.Time{}, ""
		if r.Principals[id] = p; !p.Revoked.IsZero() {
			delete(r.Principals, id)
		}
	}
	for of, f := range r.Factors {
		r.Unjournaled.Pending[of], f.Pending = f.Pending, nil
		if r.Factors[of] = f; !f.Active() {
			delete(r.Factors, of)
		}
	}
	for id, j := range r.Ended {
		if j.Status == bulk.Running {
			r.Unjournaled.Running[id] = j
			delete(r.Ended, id)
		}
	}
	return r
}

// Store is a store with functions around the calls of another one. Without a function it is the call alone.
type Store struct {
	ports.Store
	AroundView, AroundUpdate func(call func() error) error
	Fails                    bool // when an update is committed
}

// View implements ports.Store.
func (s *Store) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return around(s.AroundView, func() error { return s.Store.View(ctx, look) })
}

// Update implements ports.Store.
func (s *Store) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	return around(s.AroundUpdate, func() error {
		return s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			err := work(ctx, tx)
			if err == nil && s.Fails {
				err = application.ErrUnavailable
			}
			return err
		}, hints...)
	})
}

func around(do func(call func() error) error, call func() error) error {
	if do == nil {
		return call()
	}
	return do(call)
}

// NewKey creates a key of the caller's account, and returns its id and the caller that it authenticates.
func (h *Harness) NewKey(by application.Caller, scopes ...principal.Scope) (int64, application.Caller) {
	h.T.Helper()
	var made access.Principal
	require.NoError(h.T, ErrorOf(h.Principals.Create(h.T.Context(), Call(by),
		access.CreatePrincipal{Kind: principal.Key, Name: "a key", Scopes: scopes}, Into(&made))))
	return made.ID, h.ByKey(made.Key)
}

// ByKey returns the caller that a key authenticates.
func (h *Harness) ByKey(key profile.Secret) application.Caller {
	return Must(h.Authentication.AuthenticateKey(h.T.Context(), key.Reveal(), principal.Network{Bits: 128}, "192.0.2.1"))
}

// NewMember adds a member to the staff of the caller's account, and returns its id.
func (h *Harness) NewMember(by application.Caller, name string, scopes ...principal.Scope) int64 {
	h.T.Helper()
	var made access.Principal
	require.NoError(h.T, ErrorOf(h.Principals.Create(h.T.Context(), Call(by), access.CreatePrincipal{
		Kind: principal.Staff, Username: fixture.Name(name), Password: profile.NewSecret("password-" + name), Scopes: scopes,
	}, Into(&made))))
	return made.ID
}

// Code returns the code of this moment of a second factor.
func (h *Harness) Code(secret profile.Secret) string {
	h.T.Helper()
	return api.Code(h.T, secret.Reveal(), h.Now)
}

// BeginFactor sets up a second factor of a session, without its confirmation.
func (h *Harness) BeginFactor(by application.Caller, password profile.Secret) profile.Secret {
	h.T.Helper()
	var begun access.NewFactor
	require.NoError(h.T, ErrorOf(h.Access.BeginFactor(h.T.Context(), Call(by),
		access.BeginFactor{Password: password}, Into(&begun))))
	return begun.Secret
}

// ConfirmFactor sets up a second factor of a session.
func (h *Harness) ConfirmFactor(by application.Caller, password profile.Secret) profile.Secret {
	h.T.Helper()
	secret := h.BeginFactor(by, password)
	require.NoError(h.T, ErrorOf(h.Access.ConfirmFactor(h.T.Context(), Call(by),
		access.ConfirmFactor{Code: h.Code(secret)}, Shown)))
	return secret
}

// Keyed returns a request under an idempotency key.
func Keyed(by application.Caller, key string) application.Call {
	c := Call(by)
	c.Key, c.Content = key, []byte("requested under "+key)
	return c
}

// Browser is the session that a browser stores.
type Browser struct {
	Secret string
	ID     session.ID
}

// SignIn signs a reseller in that Create made, or a member that NewMember made.
func (h *Harness) SignIn(username string) Browser {
	h.T.Helper()
	begun, secret, err := h.Access.SignIn(h.T.Context(), SignInOf(username))
	require.NoError(h.T, err)
	return Browser{secret.Reveal(), begun.ID}
}

// SignInOf returns the command by which SignIn signs in.
func SignInOf(username string) access.SignIn {
	return access.SignIn{
		Login: access.Login{Username: fixture.Name(username), Password: profile.NewSecret("password-" + username),
			Client: "192.0.2.1"},
		Device: "a browser", Address: "192.0.2.1",
	}
}

// By returns the caller that a session authenticates.
func (h *Harness) By(b Browser) application.Caller {
	return Must(h.Authentication.AuthenticateSession(h.T.Context(), b.Secret))
}
