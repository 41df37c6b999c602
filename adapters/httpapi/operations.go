package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/domain/principal"
)

// operation is a row of the table of the API's operations.
type operation struct {
	id     string // its operationId in the OpenAPI document
	method string // GET also answers HEAD
	path   string // below the base path, except for probes; logs, metrics and traces use it
	permission
	limits
	handler
}

// access defines the callers of an operation.
type permission struct {
	by    asker
	scope principal.Scope // that an API key, or a member of the staff, needs; "": none
}

// asker is the kind of credential that an operation accepts.
type asker int

const (
	undecided asker = iota // the service does not start with such a route
	anybody
	account // token, session or API key
	person  // token or session
	browser // session only
)

// anyScope is for operations that tell callers about themselves, or public facts.
const anyScope principal.Scope = ""

// open is for operations without a credential.
var open = permission{by: anybody}

func needs(by asker, scope principal.Scope) permission { return permission{by, scope} }

// probes are the paths of health checks. They are not below the base path, count for no limit, and are logged at debug
// level only.
var probes = map[string]bool{"/healthz": true, "/readyz": true}

// The limits of operations. A change continues after its client disconnects: a repetition with the same idempotency key
// gets the same outcome.
//
// Emergency operations end access or service. The quota of requests does not apply to them: an owner can revoke an API
// key at any time.
var (
	ordinary    = limits{time: requestTimeout}
	effects     = limits{time: requestTimeout, detached: true}
	emergencies = limits{time: requestTimeout, detached: true, uncounted: true}
	proofs      = limits{time: 5 * time.Minute}                 // they read the whole ledger
	counts      = limits{time: 5 * time.Minute, detached: true} // they read many lines before they change anything
	imports     = limits{time: time.Minute, detached: true}
)

// requestTimeout is the time limit of most requests.
const requestTimeout = 10 * time.Second

// operations returns the table, in the order of the document. The last operation exists only in a sandbox, and not in
// the document.
func (a *api) operations() []operation {
	const get, post, put, patch, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete
	s := a.Service
	all := []operation{
		{"issueToken", post, "/auth/static-token", open, ordinary, lenient(a.login)},
		{"revokeToken", remove, "/auth/static-token", needs(account, principal.Manage), emergencies,
			effect[noBody](a, a.revokeToken, tokenRevoked)},
		{"changePassword", patch, "/auth/password", needs(person, anyScope), emergencies,
			proven[changePasswordBody](a, s.Access.ChangePassword, passwordChanged)},
		{"signIn", post, "/auth/session", open, ordinary, a.signIn},
		{"getSession", get, "/auth/session", needs(browser, anyScope), ordinary, show(s.Access.Session, recordOfSession)},
		{"signOut", remove, "/auth/session", needs(browser, anyScope), emergencies, a.signOut},
		{"listSessions", get, "/auth/sessions", needs(browser, anyScope), ordinary, a.listSessions},
		{"endSession", remove, "/auth/sessions/:id", needs(browser, anyScope), emergencies, a.endSession},
		{"beginTOTP", post, "/auth/totp", needs(browser, anyScope), emergencies,
			proven[beginFactorBody](a, s.Access.BeginFactor, factorBegun)},
		{"confirmTOTP", post, "/auth/totp/confirm", needs(browser, anyScope), emergencies,
			proven[confirmFactorBody](a, s.Access.ConfirmFactor, factorConfirmed)},
		{"removeTOTP", remove, "/auth/totp", needs(browser, anyScope), emergencies,
			proven[removeFactorBody](a, s.Access.RemoveFactor, factorRemoved)},

		{"listResellers", get, "/users", needs(account, principal.UsersRead), ordinary, a.listResellers},
		{"createReseller", post, "/users", needs(account, principal.UsersWrite), effects,
			lenient(effect[createResellerBody](a, s.Resellers.Create, resellerCreated))},
		{"getSelf", get, "/users/logged", needs(account, anyScope), ordinary, show(s.Resellers.Self, recordOfReseller)},
		{"getReseller", get, "/users/:id", needs(account, principal.UsersRead), ordinary,
			showByID(s.Resellers.Get, recordOfReseller)},
		{"updateReseller", patch, "/users/:id", needs(account, principal.UsersWrite), emergencies,
			lenient(effect[updateResellerBody](a, s.Resellers.Update, resellerUpdated))},
		{"changeContact", patch, "/users/:id/contact", needs(account, principal.UsersWrite), effects,
			effect[changeContactBody](a, s.Resellers.ChangeContact, resellerShown)},
		{"addCredits", patch, "/users/credits/:id", needs(account, principal.CreditsMove), effects,
			lenient(effect[creditsBody](a, s.Credits.Add, creditsAdded))},
		{"reclaimCredits", post, "/users/:id/credits/reclaim", needs(account, principal.CreditsMove), effects,
			effect[creditsBody](a, s.Credits.Reclaim, creditsReclaimed)},
		{"blockReseller", put, "/users/:id/block", needs(account, principal.UsersWrite), emergencies,
			effect[blockBody](a, s.Resellers.Block, resellerShown)},
		{"unblockReseller", remove, "/users/:id/block", needs(account, principal.UsersWrite), effects,
			effect[noBody](a, s.Resellers.Unblock, resellerShown)},
		{"resetTOTP", remove, "/users/:id/totp", needs(account, principal.Manage), emergencies,
			effect[noBody](a, s.Access.ResetFactor, factorReset)},
		{"getStatement", get, "/users/:id/ledger", needs(account, principal.LedgerRead), ordinary, a.statement},
		{"getBalance", get, "/users/:id/balance", needs(account, principal.LedgerRead), ordinary, a.balance},
		{"getAlerts", get, "/users/:id/alerts", needs(account, principal.UsersRead), ordinary,
			showByID(s.Resellers.Get, a.alertsOf)},
		{"setAlerts", put, "/users/:id/alerts", needs(account, principal.UsersWrite), effects,
			effect[alertsBody](a, s.Resellers.SetAlert, recordShown(http.StatusOK, a.alertsOf))},
		{"getMessages", get, "/users/:id/messages", needs(account, principal.LinesRead), ordinary,
			showByID(s.Resellers.Messages, messagesOf)},
		{"setMessages", put, "/users/:id/messages", needs(account, principal.UsersWrite), effects,
			effect[messagesBody](a, s.Resellers.SetMessages, messagesShown)},

		{"listLines", get, "/lines", needs(account, principal.LinesRead), ordinary, a.listLines},
		{"createTrial", post, "/lines/test", needs(account, principal.LinesWrite), effects,
			lenient(effect[createTrialBody](a, s.Lines.CreateTrial, trialCreated))},
		{"activateLine", patch, "/lines/active/:id", needs(account, principal.LinesSpend), effects,
			lenient(effect[activateLineBody](a, s.Lines.Activate, lineActivated))},
		{"extendLine", patch, "/lines/extend/:id", needs(account, principal.LinesSpend), effects,
			effect[extendLineBody](a, s.Lines.Extend, lineShown)},
		{"previewExtension", get, "/lines/extend-preview/:id", needs(account, principal.LinesRead), ordinary,
			a.previewExtension},
		{"getLine", get, "/lines/:id", needs(account, principal.LinesRead), ordinary, showByID(s.Lines.Get, recordOf)},
		{"editLine", patch, "/lines/:id", needs(account, principal.LinesWrite), effects,
			lenient(effect[editLineBody](a, s.Lines.Edit, lineEdited))},
		{"describeLine", patch, "/lines/:id/details", needs(account, principal.LinesWrite), effects,
			effect[describeLineBody](a, s.Lines.Describe, lineShown)},
		{"changePlan", patch, "/lines/:id/plan", needs(account, principal.LinesSpend), effects, a.changePlan},
		{"suspendLine", put, "/lines/:id/suspension", needs(account, principal.LinesWrite), emergencies,
			effect[suspendLineBody](a, s.Lines.Suspend, lineShown)},
		{"resumeLine", remove, "/lines/:id/suspension", needs(account, principal.LinesWrite), effects,
			effect[noBody](a, s.Lines.Resume, lineShown)},
		{"deleteLine", remove, "/lines/:id", needs(account, principal.LinesDelete), emergencies,
			lenient(effect[noBody](a, s.Lines.Delete, lineDeleted))},
		{"startBulk", post, "/bulk", needs(account, anyScope), counts, effect[startBulkBody](a, a.startBulk, bulkStarted)},
		{"listJobs", get, "/bulk", needs(account, principal.LinesRead), ordinary, a.listJobs},
		{"getJob", get, "/bulk/:id", needs(account, principal.LinesRead), ordinary, showByID(s.Jobs.Get, recordOfJob)},
		{"getJobResults", get, "/bulk/:id/results", needs(account, principal.LinesRead), exports, a.jobResults},
		{"stopJob", remove, "/bulk/:id", needs(account, principal.LinesRead), emergencies,
			effect[noBody](a, s.Jobs.Stop, jobShown)},

		{"importLines", post, "/imports/lines", needs(account, principal.Manage), imports, a.importLines},
		{"exportLines", get, "/exports/lines", needs(account, principal.LinesRead), exports, a.exportLines},
		{"exportResellers", get, "/exports/users", needs(account, principal.UsersRead), exports, a.exportResellers()},
		{"exportLedger", get, "/exports/ledger", needs(account, principal.LedgerRead), exports, a.exportLedger},

		{"listEntitlements", get, "/entitlements", needs(account, principal.EntitlementsRead), ordinary, a.listEntitlements},
		{"letIn", get, "/radius/users/:username", needs(account, principal.EntitlementsRead), ordinary, a.authorizeCustomer},
		{"listPrices", get, "/prices", needs(account, anyScope), ordinary, a.listPrices},
		{"listPlans", get, "/plans", needs(account, anyScope), ordinary, a.listPlans},
		{"createPlan", post, "/plans", needs(account, principal.PricesWrite), effects,
			effect[createPlanBody](a, s.Prices.CreatePlan, recordShown(http.StatusCreated, recordOfPlan))},
		{"updatePlan", patch, "/plans/:id", needs(account, principal.PricesWrite), effects,
			effect[updatePlanBody](a, s.Prices.UpdatePlan, recordShown(http.StatusOK, recordOfPlan))},
		{"getPlatformPrices", get, "/prices/book", needs(account, principal.UsersRead), ordinary, a.priceBook},
		{"setPlatformPrices", put, "/prices/book", needs(account, principal.PricesWrite), effects,
			effect[setPricesBody](a, s.Prices.Put, pricesSet)},
		{"listPlatformPrices", get, "/prices/book/history", needs(account, principal.UsersRead), ordinary, a.priceHistory},
		{"cancelPlatformPrices", remove, "/prices/book/versions/:version", needs(account, principal.PricesWrite), effects,
			a.cancelPrices},
		{"getPrices", get, "/users/:id/prices", needs(account, principal.UsersRead), ordinary, a.priceBook},
		{"setPrices", put, "/users/:id/prices", needs(account, principal.PricesWrite), effects,
			effect[setPricesBody](a, s.Prices.Put, pricesSet)},
		{"inheritPrices", remove, "/users/:id/prices", needs(account, principal.PricesWrite), effects,
			effect[inheritPricesBody](a, s.Prices.Put, pricesSet)},
		{"listVersions", get, "/users/:id/prices/history", needs(account, principal.UsersRead), ordinary, a.priceHistory},
		{"cancelPrices", remove, "/users/:id/prices/versions/:version", needs(account, principal.PricesWrite), effects,
			a.cancelPrices},
		{"proveLedger", get, "/ledger/proof", needs(account, principal.LedgerRead), proofs, show(s.Ledger.Prove, proofOf)},
		{"listEvents", get, "/events", needs(account, principal.EventsRead), ordinary, a.listEvents},
		{"getSummary", get, "/reports/summary", needs(account, principal.LinesRead), ordinary, a.summary},
		{"listKeys", get, "/keys", needs(account, principal.Manage), ordinary, principals(a, principal.Key, recordOfKey)},
		{"createKey", post, "/keys", needs(account, principal.Manage), effects,
			effect[createKeyBody](a, s.Principals.Create, recordShown(http.StatusCreated, recordOfKey))},
		{"getKey", get, "/keys/:id", needs(account, principal.Manage), ordinary,
			principalByID(a, principal.Key, recordOfKey)},
		{"updateKey", patch, "/keys/:id", needs(account, principal.Manage), effects,
			effect[updateKeyBody](a, s.Principals.Update, recordShown(http.StatusOK, recordOfKey))},
		{"revokeKey", remove, "/keys/:id", needs(account, principal.Manage), emergencies,
			effect[noBody](a, a.remove(principal.Key), keyRevoked)},
		{"listStaff", get, "/staff", needs(account, principal.Manage), ordinary,
			principals(a, principal.Staff, recordOfStaff)},
		{"createStaff", post, "/staff", needs(account, principal.Manage), effects,
			effect[createStaffBody](a, s.Principals.Create, recordShown(http.StatusCreated, recordOfStaff))},
		{"getStaff", get, "/staff/:id", needs(account, principal.Manage), ordinary,
			principalByID(a, principal.Staff, recordOfStaff)},
		{"updateStaff", patch, "/staff/:id", needs(account, principal.Manage), emergencies,
			effect[updateStaffBody](a, s.Principals.Update, recordShown(http.StatusOK, recordOfStaff))},
		{"removeStaff", remove, "/staff/:id", needs(account, principal.Manage), emergencies,
			effect[noBody](a, a.remove(principal.Staff), staffRemoved)},
		{"resetStaffTOTP", remove, "/staff/:id/totp", needs(account, principal.Manage), emergencies,
			effect[noBody](a, s.Principals.ResetFactor, factorReset)},
		{"listWebhooks", get, "/webhooks", needs(account, principal.Manage), ordinary,
			show(s.Webhooks.List, listOf(recordOfWebhook))},
		{"createWebhook", post, "/webhooks", needs(account, principal.Manage), effects,
			effect[createWebhookBody](a, s.Webhooks.Create, webhookCreated)},
		{"getWebhook", get, "/webhooks/:id", needs(account, principal.Manage), ordinary,
			showByID(s.Webhooks.Get, recordOfWebhook)},
		{"updateWebhook", patch, "/webhooks/:id", needs(account, principal.Manage), emergencies,
			effect[updateWebhookBody](a, s.Webhooks.Update, webhookShown)},
		{"deleteWebhook", remove, "/webhooks/:id", needs(account, principal.Manage), emergencies,
			effect[noBody](a, s.Webhooks.Delete, webhookDeleted)},
		{"rotateWebhook", post, "/webhooks/:id/rotate", needs(account, principal.Manage), effects,
			effect[rotateWebhookBody](a, s.Webhooks.Rotate, webhookRotated)},
		{"testWebhook", post, "/webhooks/:id/test", needs(account, principal.Manage), effects,
			effect[noBody](a, s.Webhooks.Test, webhookTested)},
		{"replayWebhook", post, "/webhooks/:id/replay", needs(account, principal.Manage), effects,
			effect[replayWebhookBody](a, s.Webhooks.Replay, webhookReplayed)},
		{"listDeliveries", get, "/webhooks/:id/deliveries", needs(account, principal.Manage), ordinary,
			showByID(s.Webhooks.Deliveries, listOf(recordOfDelivery))},
		{"getService", get, "/service", needs(account, anyScope), ordinary, show(s.Reports.About, aboutOf)},
		{"getHealth", get, "/healthz", open, ordinary, health},
		{"getReadiness", get, "/readyz", open, ordinary, a.readiness},
		{"getDescription", get, "/openapi.json", open, ordinary, document(Document(a.BasePath))},
	}
	if a.TestClock != nil {
		all = append(all, operation{"setClock", post, "/sandbox/clock", needs(account, principal.Manage), ordinary,
			a.setClock})
	}
	return all
}

// serve adds the route of an operation.
func (a *api) serve(routes gin.IRoutes, o operation) {
	chain := gin.HandlersChain{a.handle(o.limits, o.handler)}
	count := a.countRequest
	if o.uncounted {
		count = func(*gin.Context) {}
	}
	switch o.by {
	case anybody:
	case account:
		chain = gin.HandlersChain{a.authenticate, count, a.permit(o.scope), chain[0]}
	case person:
		chain = gin.HandlersChain{a.authenticate, count, a.refuseKey, a.permit(o.scope), chain[0]}
	case browser:
		chain = gin.HandlersChain{a.authenticateBrowser, count, a.permit(o.scope), chain[0]}
	case undecided:
		panic("the callers of " + o.method + " " + o.path + " are not defined")
	}
	path := o.path
	if !probes[path] {
		path = a.BasePath + path
	}
	path = strings.Replace(path, "/:username", "/*username", 1) // a name may have a slash
	routes.Handle(o.method, path, chain...)
	if o.method == http.MethodGet {
		routes.Handle(http.MethodHead, path, chain...)
	}
}

func health(_ context.Context, c *gin.Context) error {
	ok(c, gin.H{"status": "ok"})
	return nil
}

func (a *api) readiness(ctx context.Context, c *gin.Context) error {
	if err := a.Ready(ctx); err != nil {
		return err
	}
	ok(c, gin.H{"status": "ready"})
	return nil
}

func document(text []byte) handler {
	return func(_ context.Context, c *gin.Context) error {
		send(c, jsonContent, http.StatusOK, text)
		return nil
	}
}
