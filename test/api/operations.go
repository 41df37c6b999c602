package api

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// Row is an operation of the API, as every campaign knows it. A new operation is one row here: what the tests need to
// know beyond the OpenAPI document. The rest is read from there.
type Row struct {
	ID    string // its operationId
	For   Right  // where it is for fewer than the document says: Master or Operator
	Of    Of     // where it is not the record of its path: ATrial
	Query string // that it needs, with the question mark
	// Body returns a body that the service accepts, from the caller, an account and a line; nil where the operation
	// takes none. It does not change names and passwords, so campaigns can send it again and again.
	Body func(by, account Reseller, l Line) Fields

	Event      string // the type of the entry that its example leaves in the journal, "" for none
	Weight     int    // how often test/simulate requests it; 0: never
	Unmodelled string // of a change that test/model does not know: why
	Console    string // why the console does not use it; test/browser reads it in this file

	Documented
}

// Documented is the part of an operation that the OpenAPI document has.
type Documented struct {
	Method, Path string
	Scope        string // that a key, or a member of the staff, needs; "" for none
	By           string // the credentials that it takes, "" for none, or EveryCredential
	Keyed        bool   // it takes effect once under an Idempotency-Key
	TakesBody    bool
}

// EveryCredential is By of the operations that take tokens, keys and sessions.
const EveryCredential = "account"

// Right is the kind of caller that an operation is for.
type Right int

// The rights.
const (
	Documentary Right = iota // one of the next three, as the document says
	Anybody
	Account  // a caller with a token or a session
	Browser  // a caller with a session
	Master   // an account that may have others below it
	Operator // an admin
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
	AWebhook // of the caller, as the records that follow
	AKey
	AMember // of its staff
	AJob
	APlan
)

// records has the record of each path with an id, by the first part of the path.
var records = map[string]Of{
	"users": AnAccount, "lines": AnOfficialLine, "radius": ALineByName, "auth": ASession, "webhooks": AWebhook,
	"keys": AKey, "staff": AMember, "bulk": AJob, "plans": APlan,
}

// always is a body that is the same for everybody.
func always(body Fields) func(by, account Reseller, l Line) Fields {
	return func(_, _ Reseller, _ Line) Fields { return maps.Clone(body) }
}

// fresh is a body for a record that each call creates.
func fresh(body func(changes Fields) Fields) func(by, account Reseller, l Line) Fields {
	return func(_, _ Reseller, _ Line) Fields { return body(nil) }
}

// noFactors is why test/simulate leaves the operations of second factors out.
const noFactors = "a year has no second factors: domain/secondfactor and test/acceptance test them"

// unpriced is why test/model knows the plans of a new store only.
const unpriced = "a year has the plans of a new store: domain/plan and application/prices test others"

// farAhead is an instant at which no test looks.
const farAhead = "2126-01-01T00:00:00.000Z"

// contractRows are the prices that a new store has.
var contractRows = []Fields{{"plan": 1, "credits": 0.5}, {"plan": 2, "credits": 1}, {"plan": 3, "credits": 2},
	{"plan": 4, "credits": 3}, {"plan": 5, "credits": 5}, {"plan": 6, "credits": 10}}

// Table returns all of them, in the order of the document.
var Table = sync.OnceValue(func() []Row {
	documented := Operations()
	for i := range table {
		r := &table[i]
		if r.Documented = documented[r.ID]; strings.Contains(r.Path, "{") && r.Of == Nothing {
			first, _, _ := strings.Cut(r.Path[1:], "/")
			r.Of = records[first]
		}
		if r.For == Documentary {
			r.For = map[string]Right{"": Anybody, "session": Browser}[r.By]
		}
		if r.For == Documentary {
			r.For = Account
		}
	}
	return table
})

var table = []Row{
	{ID: "issueToken", Weight: 4, Console: "the fixed token is for programs: a browser has sessions", Body: signingIn},
	{ID: "revokeToken", Event: "token.revoked", Weight: 2,
		Console: "the fixed token is for programs: a browser has sessions"},
	{ID: "changePassword", Weight: 4,
		Body: func(by, _ Reseller, _ Line) Fields {
			return Fields{"password": by.Password, "new_password": by.Password}
		}},
	{ID: "signIn", Event: "session.started", Weight: 5, Body: signingIn},
	{ID: "getSession", Weight: 5},
	{ID: "signOut", Event: "session.ended", Weight: 4},
	{ID: "listSessions"},
	{ID: "endSession", Unmodelled: "domain/session tests whose sessions an account ends"},
	{ID: "beginTOTP", Unmodelled: noFactors, Body: func(by, _ Reseller, _ Line) Fields { return Fields{"password": by.Password} }},
	{ID: "confirmTOTP", Unmodelled: noFactors, Body: always(Fields{"code": "123456"})},
	{ID: "removeTOTP", Unmodelled: noFactors,
		Body: func(by, _ Reseller, _ Line) Fields { return Fields{"password": by.Password, "totp": "123456"} }},
	{ID: "listResellers", Weight: 3},
	{ID: "createReseller", For: Master, Event: "reseller.created", Weight: 8, Body: fresh(NewReseller)},
	{ID: "getSelf", Weight: 3},
	{ID: "getReseller", Weight: 6},
	{ID: "updateReseller", Event: "reseller.updated", Weight: 6,
		Body: func(_, a Reseller, _ Line) Fields { return a.Update() }},
	{ID: "changeContact", Event: "reseller.updated", Weight: 5, Body: always(Fields{"whatsapp": "+55"})},
	{ID: "addCredits", For: Master, Event: "reseller.credited", Weight: 14,
		Body: always(Fields{"credits": 1})},
	{ID: "reclaimCredits", For: Master, Event: "reseller.reclaimed", Weight: 6, Body: always(Fields{"credits": 1})},
	{ID: "blockReseller", For: Master, Event: "reseller.blocked", Weight: 4,
		Body: always(Fields{"lines": "suspend", "reason": "unpaid"})},
	{ID: "unblockReseller", For: Master, Weight: 5},
	{ID: "resetTOTP", For: Master, Unmodelled: noFactors},
	{ID: "getStatement", Weight: 5},
	{ID: "getBalance", Console: "the statement shows each balance with its movement"},
	{ID: "getAlerts", Weight: 2},
	{ID: "setAlerts", Event: "reseller.updated", Weight: 6, Body: always(Fields{"balance_low": "10"})},
	{ID: "getMessages"},
	{ID: "setMessages", Event: "reseller.updated", Body: always(Fields{"access": "User: {username}"}),
		Unmodelled: "it moves no credits, and application/resellers/messages_test.go tests it"},
	{ID: "listLines", Weight: 5},
	{ID: "createTrial", Event: "line.trial_created", Weight: 22, Body: always(Fields{})},
	{ID: "activateLine", Of: ATrial, Event: "line.activated", Weight: 26,
		Body: func(_, _ Reseller, l Line) Fields { return l.Activation(1) }},
	{ID: "extendLine", Event: "line.extended", Weight: 24, Body: always(Fields{"credits": 0.5})},
	{ID: "previewExtension", Query: "?credits=0.5"},
	{ID: "changePlan", Unmodelled: unpriced, Console: "the price of another plan counts after a minute: TestConsoleChangesPlan",
		Body: always(Fields{"plan": 1, "expected_credits": 0})}, // the plan of the line: nothing changes
	{ID: "getLine", Weight: 8},
	{ID: "editLine", Event: "line.updated", Weight: 8, Console: "its form uses describeLine, which changes more",
		Body: func(_, _ Reseller, l Line) Fields { return l.Edit() }},
	{ID: "describeLine", Of: ATrial, Event: "line.updated", Weight: 10,
		Body: always(Fields{"external_id": "crm-1042"})},
	{ID: "suspendLine", Event: "line.suspended", Weight: 9, Body: always(Fields{"reason": "asked for a pause"})},
	{ID: "resumeLine", Weight: 6},
	{ID: "deleteLine", Event: "line.deleted", Weight: 6},
	{ID: "listJobs"},
	{ID: "startBulk", Unmodelled: "it goes on by itself: test/campaign kills it", Body: func(_, _ Reseller, l Line) Fields { return NewJob(l.ID, nil) }},
	{ID: "getJob"},
	{ID: "stopJob", Unmodelled: "likewise"},
	{ID: "getJobResults"},
	{ID: "exportLines"},
	{ID: "exportResellers"},
	{ID: "exportLedger"},
	{ID: "importLines", For: Operator,
		Unmodelled: "it is several transactions, and application/lines/import_test.go ends it after each",
		Console:    "it is for programs: resellerd import does it",
		Body:       func(_, _ Reseller, _ Line) Fields { return NewImport() }},
	{ID: "listEntitlements", Weight: 16, Console: "for programs that serve customers: a panel, a RADIUS server"},
	{ID: "letIn", Weight: 6, Console: "for FreeRADIUS"},
	{ID: "listPrices"},
	{ID: "listPlans"},
	{ID: "createPlan", For: Operator, Event: "plan.created", Unmodelled: unpriced, Body: fresh(NewPlan)},
	{ID: "updatePlan", For: Operator, Event: "plan.updated", Unmodelled: unpriced,
		Body: always(Fields{"metadata": Fields{"known": "yes"}})},
	{ID: "getPlatformPrices", For: Operator},
	{ID: "setPlatformPrices", For: Operator, Event: "prices.changed", Weight: 2,
		Body: always(Fields{"rows": contractRows, "effective_at": farAhead})},
	{ID: "listPlatformPrices", For: Operator},
	{ID: "cancelPlatformPrices", For: Operator, Unmodelled: unpriced},
	{ID: "getPrices"},
	{ID: "setPrices", For: Operator, Event: "prices.changed", Weight: 4,
		Body: always(Fields{"rows": contractRows, "effective_at": farAhead})},
	{ID: "inheritPrices", For: Operator, Weight: 2, Body: always(Fields{})},
	{ID: "listVersions"},
	{ID: "cancelPrices", For: Operator, Unmodelled: unpriced},
	{ID: "proveLedger", For: Operator, Weight: 2},
	{ID: "listEvents", Weight: 12},
	{ID: "getSummary"},
	{ID: "listKeys", Weight: 2},
	{ID: "createKey", Event: "key.created", Weight: 7, Body: fresh(NewKey)},
	{ID: "getKey", Weight: 3},
	{ID: "updateKey", Event: "key.updated", Weight: 5, Body: always(Fields{"name": "known"})},
	{ID: "revokeKey", Event: "key.revoked", Weight: 3},
	{ID: "listStaff", Weight: 2},
	{ID: "createStaff", Event: "staff.created", Weight: 7, Body: fresh(NewMember)},
	{ID: "getStaff", Weight: 3},
	{ID: "updateStaff", Event: "staff.updated", Weight: 5, Body: always(Fields{"role": "support"})},
	{ID: "removeStaff", Event: "staff.removed", Weight: 3},
	{ID: "resetStaffTOTP", Unmodelled: noFactors},
	{ID: "listWebhooks", Weight: 2},
	{ID: "createWebhook", Event: "webhook.created", Weight: 4, Body: fresh(NewWebhook)},
	{ID: "getWebhook", Weight: 2},
	{ID: "updateWebhook", Event: "webhook.updated", Weight: 5, Body: always(Fields{"description": "known"})},
	{ID: "deleteWebhook", Event: "webhook.removed", Weight: 1},
	{ID: "rotateWebhook", Event: "webhook.rotated", Weight: 2, Body: always(Fields{"overlap_hours": 1})},
	{ID: "testWebhook", Weight: 3},
	{ID: "replayWebhook", Weight: 2, Body: always(Fields{"after_seq": 0})},
	{ID: "listDeliveries"},
	{ID: "getService", For: Operator},
	{ID: "getHealth", Console: "for the operator of the service"},
	{ID: "getReadiness", Console: "for the operator of the service"},
	{ID: "getDescription", Console: "the pages of the API show it"},
}

// Operations returns the operations of openapi.json, by operationId.
var Operations = sync.OnceValue(func() map[string]Documented {
	all := map[string]Documented{}
	for path, item := range Contract().Paths.Map() {
		for method, o := range item.Operations() {
			d := Documented{Method: method, Path: path, TakesBody: o.RequestBody != nil, By: EveryCredential}
			d.Scope, _ = o.Extensions["x-required-scope"].(string)
			if o.Security != nil { // another one than that of the document
				var schemes []string
				for _, requirement := range *o.Security {
					schemes = slices.AppendSeq(schemes, maps.Keys(requirement))
				}
				d.By = strings.Join(schemes, " ")
			}
			d.Keyed = slices.ContainsFunc(o.Parameters, func(p *openapi3.ParameterRef) bool {
				return p.Ref == "#/components/parameters/Key"
			})
			all[o.OperationID] = d
		}
	}
	return all
})

func signingIn(by, _ Reseller, _ Line) Fields {
	return Fields{"username": by.Username, "password": by.Password}
}

// RowOf returns the row of an operationId, which there has to be.
func RowOf(id string) Row {
	i := slices.IndexFunc(Table(), func(r Row) bool { return r.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("no row has the operationId %q", id))
	}
	return Table()[i]
}

// Name is the operation as the document has it: its method and its path.
func (r Row) Name() string { return r.Method + " " + r.Path }

// At returns the path of the operation on the record with an id, or a name, whatever that is.
func (r Row) At(id any) string {
	return strings.NewReplacer("{id}", fmt.Sprint(id), "{username}", fmt.Sprint(id), "{version}", "1").Replace(r.Path) + r.Query
}

// Example returns the operation with a body that the service accepts from the caller, about an account or a line.
func (r Row) Example(by, account Reseller, l Line) Operation {
	of := map[Of]any{Nothing: "", AnAccount: account.ID, ATrial: l.ID, AnOfficialLine: l.ID,
		ALineByName: url.PathEscape(l.Username), ASession: "", AWebhook: max(1, by.Webhook), AKey: max(1, by.Key),
		AMember: max(1, by.Member), AJob: max(1, by.Job), APlan: 1}
	op := Operation{Method: r.Method, Path: r.At(of[r.Of])}
	if r.Body != nil {
		op.Body = r.Body(by, account, l)
	}
	return op
}
