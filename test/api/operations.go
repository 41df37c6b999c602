package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Row is an operation of the API, as every campaign knows it. A new operation is one row here.
type Row struct {
	ID           string // its operationId
	Method, Path string // as the OpenAPI document has them
	For          Right
	Of           Of
	Keyed        bool   // it takes effect once under an Idempotency-Key
	Query        string // that it needs, with the question mark
	// Body is one that is accepted, of who asks for something of an account or of a line; nil where the operation takes
	// none.
	Body func(by, account Reseller, l Line) Fields
}

// Right is whom an operation is for.
type Right int

// The rights.
const (
	Anybody  Right = iota
	Account        // who has a token or a session
	Browser        // who has a session
	Master         // an account that may have others below it
	Operator       // an admin
)

// Of is the record that an operation is about, whose id is in its path.
type Of int

// The records.
const (
	Nothing Of = iota
	AnAccount
	ATrial
	AnOfficialLine
	ALineByName // whose name is in the path
	ASession
	AWebhook // of who asks, as those that follow are
	AKey
	AMember // of its staff
	AJob
)

func credits(_, _ Reseller, _ Line) Fields { return Fields{"credits": 1} }

// Table is all of them, in the order of the document.
var Table = []Row{
	{ID: "issueToken", Method: "POST", Path: "/auth/static-token", Body: signingIn},
	{ID: "revokeToken", Method: "DELETE", Path: "/auth/static-token", For: Account, Keyed: true},
	{ID: "changePassword", Method: "PATCH", Path: "/auth/password", For: Account, Keyed: true,
		Body: func(by, _ Reseller, _ Line) Fields {
			return Fields{"password": by.Password, "new_password": by.Password}
		}},
	{ID: "signIn", Method: "POST", Path: "/auth/session", Body: signingIn},
	{ID: "getSession", Method: "GET", Path: "/auth/session", For: Browser},
	{ID: "signOut", Method: "DELETE", Path: "/auth/session", For: Browser},
	{ID: "listSessions", Method: "GET", Path: "/auth/sessions", For: Browser},
	{ID: "endSession", Method: "DELETE", Path: "/auth/sessions/{id}", For: Browser, Of: ASession},
	{ID: "beginTOTP", Method: "POST", Path: "/auth/totp", For: Browser, Keyed: true,
		Body: func(by, _ Reseller, _ Line) Fields { return Fields{"password": by.Password} }},
	{ID: "confirmTOTP", Method: "POST", Path: "/auth/totp/confirm", For: Browser, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"code": "123456"} }},
	{ID: "removeTOTP", Method: "DELETE", Path: "/auth/totp", For: Browser, Keyed: true,
		Body: func(by, _ Reseller, _ Line) Fields {
			return Fields{"password": by.Password, "totp": "123456"}
		}},
	{ID: "listResellers", Method: "GET", Path: "/users", For: Account},
	{ID: "createReseller", Method: "POST", Path: "/users", For: Master, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return NewReseller(nil) }},
	{ID: "getSelf", Method: "GET", Path: "/users/logged", For: Account},
	{ID: "getReseller", Method: "GET", Path: "/users/{id}", For: Account, Of: AnAccount},
	{ID: "updateReseller", Method: "PATCH", Path: "/users/{id}", For: Account, Of: AnAccount, Keyed: true,
		Body: func(_, a Reseller, _ Line) Fields { return a.Update() }},
	{ID: "changeContact", Method: "PATCH", Path: "/users/{id}/contact", For: Account, Of: AnAccount, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"whatsapp": "+55"} }},
	{ID: "addCredits", Method: "PATCH", Path: "/users/credits/{id}", For: Master, Of: AnAccount, Keyed: true,
		Body: credits},
	{ID: "reclaimCredits", Method: "POST", Path: "/users/{id}/credits/reclaim", For: Master, Of: AnAccount, Keyed: true,
		Body: credits},
	{ID: "blockReseller", Method: "PUT", Path: "/users/{id}/block", For: Master, Of: AnAccount, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"lines": "suspend", "reason": "unpaid"} }},
	{ID: "unblockReseller", Method: "DELETE", Path: "/users/{id}/block", For: Master, Of: AnAccount, Keyed: true},
	{ID: "resetTOTP", Method: "DELETE", Path: "/users/{id}/totp", For: Master, Of: AnAccount, Keyed: true},
	{ID: "getStatement", Method: "GET", Path: "/users/{id}/ledger", For: Account, Of: AnAccount},
	{ID: "getBalance", Method: "GET", Path: "/users/{id}/balance", For: Account, Of: AnAccount},
	{ID: "getAlerts", Method: "GET", Path: "/users/{id}/alerts", For: Account, Of: AnAccount},
	{ID: "setAlerts", Method: "PUT", Path: "/users/{id}/alerts", For: Account, Of: AnAccount, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"balance_low": "10"} }},
	{ID: "getMessages", Method: "GET", Path: "/users/{id}/messages", For: Account, Of: AnAccount},
	{ID: "setMessages", Method: "PUT", Path: "/users/{id}/messages", For: Account, Of: AnAccount, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"access": "User: {username}"} }},
	{ID: "listLines", Method: "GET", Path: "/lines", For: Account},
	{ID: "createTrial", Method: "POST", Path: "/lines/test", For: Account, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{} }},
	{ID: "activateLine", Method: "PATCH", Path: "/lines/active/{id}", For: Account, Of: ATrial, Keyed: true,
		Body: func(_, _ Reseller, l Line) Fields { return l.Activation(1) }},
	{ID: "extendLine", Method: "PATCH", Path: "/lines/extend/{id}", For: Account, Of: AnOfficialLine, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"credits": 0.5} }},
	{ID: "previewExtension", Method: "GET", Path: "/lines/extend-preview/{id}", For: Account, Of: AnOfficialLine,
		Query: "?credits=0.5"},
	{ID: "getLine", Method: "GET", Path: "/lines/{id}", For: Account, Of: AnOfficialLine},
	{ID: "editLine", Method: "PATCH", Path: "/lines/{id}", For: Account, Of: AnOfficialLine, Keyed: true,
		Body: func(_, _ Reseller, l Line) Fields { return l.Edit() }},
	{ID: "describeLine", Method: "PATCH", Path: "/lines/{id}/details", For: Account, Of: ATrial, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"external_id": "crm-1042"} }},
	{ID: "suspendLine", Method: "PUT", Path: "/lines/{id}/suspension", For: Account, Of: AnOfficialLine, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"reason": "asked for a pause"} }},
	{ID: "resumeLine", Method: "DELETE", Path: "/lines/{id}/suspension", For: Account, Of: AnOfficialLine, Keyed: true},
	{ID: "deleteLine", Method: "DELETE", Path: "/lines/{id}", For: Account, Of: AnOfficialLine, Keyed: true},
	{ID: "listJobs", Method: "GET", Path: "/bulk", For: Account},
	{ID: "startBulk", Method: "POST", Path: "/bulk", For: Account, Keyed: true,
		Body: func(_, _ Reseller, l Line) Fields { return NewJob(l.ID, nil) }},
	{ID: "getJob", Method: "GET", Path: "/bulk/{id}", For: Account, Of: AJob},
	{ID: "stopJob", Method: "DELETE", Path: "/bulk/{id}", For: Account, Of: AJob, Keyed: true},
	{ID: "getJobResults", Method: "GET", Path: "/bulk/{id}/results", For: Account, Of: AJob},
	{ID: "exportLines", Method: "GET", Path: "/exports/lines", For: Account},
	{ID: "exportResellers", Method: "GET", Path: "/exports/users", For: Account},
	{ID: "exportLedger", Method: "GET", Path: "/exports/ledger", For: Account},
	{ID: "importLines", Method: "POST", Path: "/imports/lines", For: Operator, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return NewImport() }},
	{ID: "listEntitlements", Method: "GET", Path: "/entitlements", For: Account},
	{ID: "letIn", Method: "GET", Path: "/radius/users/{username}", For: Account, Of: ALineByName},
	{ID: "listPrices", Method: "GET", Path: "/prices", For: Account},
	{ID: "proveLedger", Method: "GET", Path: "/ledger/proof", For: Operator},
	{ID: "listEvents", Method: "GET", Path: "/events", For: Account},
	{ID: "getSummary", Method: "GET", Path: "/reports/summary", For: Account},
	{ID: "listKeys", Method: "GET", Path: "/keys", For: Account},
	{ID: "createKey", Method: "POST", Path: "/keys", For: Account, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return NewKey(nil) }},
	{ID: "getKey", Method: "GET", Path: "/keys/{id}", For: Account, Of: AKey},
	{ID: "updateKey", Method: "PATCH", Path: "/keys/{id}", For: Account, Of: AKey, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"name": "known"} }},
	{ID: "revokeKey", Method: "DELETE", Path: "/keys/{id}", For: Account, Of: AKey, Keyed: true},
	{ID: "listStaff", Method: "GET", Path: "/staff", For: Account},
	{ID: "createStaff", Method: "POST", Path: "/staff", For: Account, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return NewMember(nil) }},
	{ID: "getStaff", Method: "GET", Path: "/staff/{id}", For: Account, Of: AMember},
	{ID: "updateStaff", Method: "PATCH", Path: "/staff/{id}", For: Account, Of: AMember, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"role": "support"} }},
	{ID: "removeStaff", Method: "DELETE", Path: "/staff/{id}", For: Account, Of: AMember, Keyed: true},
	{ID: "resetStaffTOTP", Method: "DELETE", Path: "/staff/{id}/totp", For: Account, Of: AMember, Keyed: true},
	{ID: "listWebhooks", Method: "GET", Path: "/webhooks", For: Account},
	{ID: "createWebhook", Method: "POST", Path: "/webhooks", For: Account, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return NewWebhook(nil) }},
	{ID: "getWebhook", Method: "GET", Path: "/webhooks/{id}", For: Account, Of: AWebhook},
	{ID: "updateWebhook", Method: "PATCH", Path: "/webhooks/{id}", For: Account, Of: AWebhook, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"description": "known"} }},
	{ID: "deleteWebhook", Method: "DELETE", Path: "/webhooks/{id}", For: Account, Of: AWebhook, Keyed: true},
	{ID: "rotateWebhook", Method: "POST", Path: "/webhooks/{id}/rotate", For: Account, Of: AWebhook, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"overlap_hours": 1} }},
	{ID: "testWebhook", Method: "POST", Path: "/webhooks/{id}/test", For: Account, Of: AWebhook, Keyed: true},
	{ID: "replayWebhook", Method: "POST", Path: "/webhooks/{id}/replay", For: Account, Of: AWebhook, Keyed: true,
		Body: func(_, _ Reseller, _ Line) Fields { return Fields{"after_seq": 0} }},
	{ID: "listDeliveries", Method: "GET", Path: "/webhooks/{id}/deliveries", For: Account, Of: AWebhook},
	{ID: "getService", Method: "GET", Path: "/service", For: Operator},
	{ID: "getHealth", Method: "GET", Path: "/healthz"},
	{ID: "getReadiness", Method: "GET", Path: "/readyz"},
	{ID: "getDescription", Method: "GET", Path: "/openapi.json"},
}

func signingIn(by, _ Reseller, _ Line) Fields {
	return Fields{"username": by.Username, "password": by.Password}
}

var byID = func() map[string]Row {
	all := map[string]Row{}
	for _, r := range Table {
		all[r.ID] = r
	}
	return all
}()

// RowOf returns the row of an operationId, which there has to be.
func RowOf(id string) Row {
	r, there := byID[id]
	if !there {
		panic(fmt.Sprintf("no row has the operationId %q", id))
	}
	return r
}

// Name is the operation as the document has it: its method and its path.
func (r Row) Name() string { return r.Method + " " + r.Path }

// At returns the path of the operation on the record with an id, or a name, whatever that is.
func (r Row) At(id any) string {
	return strings.NewReplacer("{id}", fmt.Sprint(id), "{username}", fmt.Sprint(id)).Replace(r.Path) + r.Query
}

// Example returns the operation with a body that is accepted: of who asks, about an account or a line.
func (r Row) Example(by, account Reseller, l Line) Operation {
	op := Operation{Method: r.Method}
	switch r.Of {
	case AnAccount:
		op.Path = r.At(account.ID)
	case ATrial, AnOfficialLine:
		op.Path = r.At(l.ID)
	case ALineByName:
		op.Path = r.At(url.PathEscape(l.Username))
	case AWebhook:
		op.Path = r.At(max(1, by.Webhook))
	case AKey:
		op.Path = r.At(max(1, by.Key))
	case AMember:
		op.Path = r.At(max(1, by.Member))
	case AJob:
		op.Path = r.At(max(1, by.Job))
	case Nothing, ASession:
		op.Path = r.At("")
	}
	if r.Body != nil {
		op.Body = r.Body(by, account, l)
	}
	return op
}

// Covers expects that a campaign asks for every operation of the table but for those that it says it leaves out, by
// the reason.
func Covers(t testing.TB, asked []string, leftOut map[string][]string) {
	t.Helper()
	told := map[string]string{}
	for reason, ids := range leftOut {
		for _, id := range ids {
			told[RowOf(id).ID] = reason
		}
	}
	for _, r := range Table {
		switch reason, left := told[r.ID], slices.Contains(asked, r.ID); {
		case left && reason != "":
			t.Errorf("%s is asked for, and said to be left out as %s", r.ID, reason)
		case !left && reason == "":
			t.Errorf("%s (%s) is not asked for, and nothing says why", r.ID, r.Name())
		}
	}
	for _, id := range asked {
		RowOf(id)
	}
}
