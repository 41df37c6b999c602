package api

import (
	"net/http"
	"testing"
)

// Operation is an operation of the contract that acts on a record, with a body that it accepts.
type Operation struct {
	Method, Path string
	Body         Fields // nil: it takes none
}

// Fixture is a master with a webhook, a key, a member of its staff and a job that has ended, and with an account and
// two lines below it, which refused requests are sent at.
type Fixture struct {
	Admin  Caller
	Master Reseller // 100 credits
	Seller Reseller // 0 credits
	Trial  Line
	Line   Line // official
}

// NewFixture makes one in a service that many tests may use.
func NewFixture(t *testing.T, srv *Service) Fixture {
	t.Helper()
	v := Fixture{Admin: srv.Admin(t)}
	v.Master = v.Admin.Master(t, "100")
	v.Master.Webhook = v.Master.MakeWebhook(t, nil).ID()
	v.Master.Key = v.Master.MakeKey(t, nil).ID()
	v.Master.Member = v.Master.MakeMember(t, nil).ID()
	v.Seller = v.Master.Create(t, Fields{"telegram": "@seller"})
	v.Admin.Fund(t, v.Seller.ID, 0.5).Is(200)
	v.Line = v.Seller.Official(t)
	v.Trial = v.Seller.Trial(t)
	v.Master.Job = v.Master.StartJob(t, v.Line.ID, nil).ID()
	v.Master.Send(t, "DELETE", Path("/bulk", v.Master.Job), nil).Is(200) // or it is done by now
	return v
}

// Operation is an operation of the table with what it is accepted with.
func (v Fixture) Operation(id string) Operation {
	r := RowOf(id)
	l := v.Line
	if r.Of == ATrial {
		l = v.Trial
	}
	return r.Example(v.Master, v.Seller, l)
}

// Operations are those that change something under a key, by the token or by a session, each with what it is accepted
// with. The one that changes the token of who asks is left out.
func (v Fixture) Operations() []Operation {
	return v.those(func(r Row) bool { return r.Keyed && r.For != Browser && r.ID != "revokeToken" })
}

// Reads are the operations on a record that change nothing.
func (v Fixture) Reads() []Operation {
	return v.those(func(r Row) bool { return r.Method == http.MethodGet && r.Of != Nothing })
}

func (v Fixture) those(wanted func(Row) bool) (all []Operation) {
	for _, r := range Table() {
		if wanted(r) {
			all = append(all, v.Operation(r.ID))
		}
	}
	return all
}

// Unchanged expects that what refused requests were sent at is as it was.
func (v Fixture) Unchanged(t *testing.T) {
	t.Helper()
	if got := v.Master.Balance(t, v.Seller.ID); got != "100" {
		t.Errorf("the master's balance is %s, want 100", got)
	}
	v.Seller.Activate(t, v.Trial, 1).Refused(402, "insufficient-credits").Has(Fields{"balance": "0", "required": "1",
		"shortfall": "1"})
	v.Seller.Send(t, "PATCH", Path("/users", v.Seller.ID), v.Seller.Update()).Is(200).
		Has(Fields{"username": v.Seller.Username, "telegram": "@seller", "notes": nil, "email": nil})
	v.Master.Get(t, Path("/users", v.Seller.ID)).Has(Fields{"credits": "0", "block_reseller": 0, "active_tree": 1})
	v.Master.Get(t, Path("/users", v.Seller.ID, "/alerts")).Has(Fields{"balance_low": nil})
	v.Master.Get(t, Path("/webhooks", v.Master.Webhook)).Has(Fields{"description": nil, "enabled": true})
	v.Master.Get(t, Path("/keys", v.Master.Key)).Has(Fields{"name": "a key", "role": "read_only", "last_used_at": nil})
	v.Master.Get(t, Path("/staff", v.Master.Member)).Has(Fields{"role": "read_only", "last_used_at": nil})
	v.Seller.Send(t, "PATCH", Path("/lines", v.Line.ID), v.Line.Edit()).Is(200).Has(Fields{"notes": nil})
}

// By sends the operation.
func (op Operation) By(t testing.TB, c Caller, headers ...string) Answer {
	t.Helper()
	if op.Body == nil {
		return c.Send(t, op.Method, op.Path, nil, headers...)
	}
	return c.Send(t, op.Method, op.Path, op.Body, headers...)
}

// Op returns an operation.
func Op(method, path string, body Fields) Operation { return Operation{method, path, body} }
