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

	made string // the id of the last entry that making it left
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
	v.made = v.newest(t)
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

// Operations returns the operations that change something under an idempotency key, with a token or a session. Each has
// a body that the service accepts. The operation that changes the token of its caller is left out.
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

// Unchanged expects that refused requests changed nothing: each change has its entry in the journal.
func (v Fixture) Unchanged(t *testing.T) {
	t.Helper()
	if now := v.newest(t); now != v.made {
		t.Errorf("the newest entry of a change is %s, and was %s", now, v.made)
	}
}

// newest returns the last entry of the journal that does not concern a session.
func (v Fixture) newest(t testing.TB) string {
	t.Helper()
	const changes = "&type=line.*&type=reseller.*&type=key.*&type=staff.*&type=webhook.*&type=password.*&type=bulk.*"
	return v.Admin.Get(t, "/events?order=desc&limit=1"+changes).List()[0].Text("id")
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
