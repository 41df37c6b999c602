package api

import "testing"

// Operation is an operation of the contract that acts on a record, with a body that it accepts.
type Operation struct {
	Method, Path string
	Body         Fields // nil: it takes none
}

// Fixture is a master with an account and two lines below it, which refused requests are sent at.
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
	v.Seller = v.Master.Create(t, Fields{"telegram": "@seller"})
	v.Admin.Fund(t, v.Seller.ID, 0.5).Is(200)
	v.Line = v.Seller.Official(t)
	v.Trial = v.Seller.Trial(t)
	return v
}

// Operations are those that change something, each with what it is accepted with.
func (v Fixture) Operations() []Operation {
	return []Operation{
		{"POST", "/users", NewReseller(nil)},
		{"PATCH", Path("/users", v.Seller.ID), v.Seller.Update()},
		{"PATCH", Path("/users/credits", v.Seller.ID), Fields{"credits": 1}},
		{"POST", "/lines/test", Fields{}},
		{"PATCH", Path("/lines/active", v.Trial.ID), v.Trial.Activation(1)},
		{"PATCH", Path("/lines", v.Line.ID), v.Line.Edit()},
		{"POST", Path("/users", v.Seller.ID, "/credits/reclaim"), Fields{"credits": 1}},
		{"PATCH", Path("/lines/extend", v.Line.ID), Fields{"credits": 0.5}},
		{"PUT", Path("/users", v.Seller.ID, "/block"), nil},
		{"DELETE", Path("/users", v.Seller.ID, "/block"), nil},
		{"DELETE", Path("/lines", v.Line.ID), nil},
		{"PATCH", Path("/users", v.Seller.ID, "/contact"), Fields{"whatsapp": "+55"}},
		{"PATCH", "/auth/password", Fields{"password": v.Master.Password, "new_password": v.Master.Password}},
	}
}

// Reads are the operations on a record that change nothing.
func (v Fixture) Reads() []Operation {
	return []Operation{
		{"GET", Path("/users", v.Seller.ID), nil},
		{"GET", Path("/users", v.Seller.ID, "/ledger"), nil},
		{"GET", Path("/lines", v.Line.ID), nil},
		{"GET", Path("/lines/extend-preview", v.Line.ID, "?credits=0.5"), nil},
	}
}

// Unchanged expects that what refused requests were sent at is as it was.
func (v Fixture) Unchanged(t *testing.T) {
	t.Helper()
	if got := v.Master.Balance(t, v.Seller.ID); got != "100" {
		t.Errorf("the master's balance is %s, want 100", got)
	}
	v.Seller.Activate(t, v.Trial, 1).Refused(402, "insufficient-credits").Has(Fields{"balance": "0", "required": "1", "shortfall": "1"})
	v.Seller.Send(t, "PATCH", Path("/users", v.Seller.ID), v.Seller.Update()).Is(200).
		Has(Fields{"username": v.Seller.Username, "telegram": "@seller", "notes": nil, "email": nil})
	v.Master.Get(t, Path("/users", v.Seller.ID)).Has(Fields{"credits": "0", "block_reseller": 0, "active_tree": 1})
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
