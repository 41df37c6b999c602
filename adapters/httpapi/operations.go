package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// operation is a row of the table of the API's operations.
type operation struct {
	id     string // its operationId in the OpenAPI document
	method string // GET answers HEAD as well
	path   string // below the base path, except those of probes; logs, figures and traces name it
	by     asker
	limits
	handler
}

// asker says which callers may use an operation.
type asker int

const (
	anybody asker = iota
	account       // by token or session
	browser       // by session only
)

// probes are the paths of health checks: they are not below the base path, count for no limit, and are seldom logged.
var probes = map[string]bool{"/healthz": true, "/readyz": true}

// How long operations may take, and whether they end with their client. A change goes on without it: a repetition with
// the same key gets the same outcome.
var (
	ordinary = limits{time: requestTimeout}
	effects  = limits{time: requestTimeout, detached: true}
	proofs   = limits{time: 5 * time.Minute} // which read the whole ledger
)

// requestTimeout bounds what one request may take.
const requestTimeout = 10 * time.Second

// operations returns the table, in the order of the document. A service and the document lack the last one.
func (a *api) operations() []operation {
	const get, post, put, patch, remove = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	s := a.Service
	all := []operation{
		{"issueToken", post, "/auth/static-token", anybody, ordinary, a.login},
		{"revokeToken", remove, "/auth/static-token", account, effects, effect[noBody](a, a.revokeToken, tokenRevoked)},
		{"changePassword", patch, "/auth/password", account, effects, a.changePassword},
		{"signIn", post, "/auth/session", anybody, ordinary, a.signIn},
		{"getSession", get, "/auth/session", browser, ordinary, show(s.Session, recordOfSession)},
		{"signOut", remove, "/auth/session", browser, effects, a.signOut},
		{"listSessions", get, "/auth/sessions", browser, ordinary, a.listSessions},
		{"endSession", remove, "/auth/sessions/:id", browser, effects, a.endSession},

		{"listResellers", get, "/users", account, ordinary, a.listResellers},
		{"createReseller", post, "/users", account, effects, effect[createResellerBody](a, s.CreateReseller, resellerCreated)},
		{"getSelf", get, "/users/logged", account, ordinary, show(s.Self, recordOfReseller)},
		{"getReseller", get, "/users/:id", account, ordinary, showByID(s.Reseller, recordOfReseller)},
		{"updateReseller", patch, "/users/:id", account, effects, effect[updateResellerBody](a, s.UpdateReseller, resellerUpdated)},
		{"changeContact", patch, "/users/:id/contact", account, effects, effect[changeContactBody](a, s.ChangeContact, resellerShown)},
		{"addCredits", patch, "/users/credits/:id", account, effects, effect[creditsBody](a, s.AddCredits, creditsAdded)},
		{"reclaimCredits", post, "/users/:id/credits/reclaim", account, effects, effect[creditsBody](a, s.ReclaimCredits, creditsReclaimed)},
		{"blockReseller", put, "/users/:id/block", account, effects, effect[noBody](a, s.Block, resellerShown)},
		{"unblockReseller", remove, "/users/:id/block", account, effects, effect[noBody](a, s.Unblock, resellerShown)},
		{"getStatement", get, "/users/:id/ledger", account, ordinary, a.statement},
		{"getBalance", get, "/users/:id/balance", account, ordinary, a.balance},
		{"getAlerts", get, "/users/:id/alerts", account, ordinary, showByID(s.Reseller, a.alertsOf)},
		{"setAlerts", put, "/users/:id/alerts", account, effects, effect[alertsBody](a, s.SetAlert, a.alertsShown)},

		{"listLines", get, "/lines", account, ordinary, a.listLines},
		{"createTrial", post, "/lines/test", account, effects, effect[createTrialBody](a, s.CreateTrial, trialCreated)},
		{"activateLine", patch, "/lines/active/:id", account, effects, effect[activateLineBody](a, s.ActivateLine, lineActivated)},
		{"extendLine", patch, "/lines/extend/:id", account, effects, effect[extendLineBody](a, s.ExtendLine, lineShown)},
		{"previewExtension", get, "/lines/extend-preview/:id", account, ordinary, a.previewExtension},
		{"getLine", get, "/lines/:id", account, ordinary, showByID(s.Line, recordOf)},
		{"editLine", patch, "/lines/:id", account, effects, effect[editLineBody](a, s.EditLine, lineEdited)},
		{"describeLine", patch, "/lines/:id/details", account, effects, effect[describeLineBody](a, s.DescribeLine, lineShown)},
		{"deleteLine", remove, "/lines/:id", account, effects, effect[noBody](a, s.DeleteLine, lineDeleted)},

		{"listPrices", get, "/prices", account, ordinary, show(s.Prices, pricesOf)},
		{"proveLedger", get, "/ledger/proof", account, proofs, show(s.Prove, proofOf)},
		{"listEvents", get, "/events", account, ordinary, a.listEvents},
		{"getSummary", get, "/reports/summary", account, ordinary, a.summary},
		{"listWebhooks", get, "/webhooks", account, ordinary, show(s.WebhooksOf, webhooksOf)},
		{"createWebhook", post, "/webhooks", account, effects, effect[createWebhookBody](a, s.CreateWebhook, webhookCreated)},
		{"getWebhook", get, "/webhooks/:id", account, ordinary, showByID(s.Webhook, recordOfWebhook)},
		{"updateWebhook", patch, "/webhooks/:id", account, effects, effect[updateWebhookBody](a, s.UpdateWebhook, webhookShown)},
		{"deleteWebhook", remove, "/webhooks/:id", account, effects, effect[noBody](a, s.DeleteWebhook, webhookDeleted)},
		{"rotateWebhook", post, "/webhooks/:id/rotate", account, effects, effect[rotateWebhookBody](a, s.RotateWebhook, webhookRotated)},
		{"testWebhook", post, "/webhooks/:id/test", account, effects, effect[noBody](a, s.TestWebhook, webhookTested)},
		{"replayWebhook", post, "/webhooks/:id/replay", account, effects, effect[replayWebhookBody](a, s.ReplayWebhook, webhookReplayed)},
		{"listDeliveries", get, "/webhooks/:id/deliveries", account, ordinary, showByID(s.Deliveries, deliveriesOf)},
		{"getHealth", get, "/healthz", anybody, ordinary, health},
		{"getReadiness", get, "/readyz", anybody, ordinary, a.readiness},
		{"getDescription", get, "/openapi.json", anybody, ordinary, document(Document(a.BasePath))},
	}
	if a.TestClock != nil {
		all = append(all, operation{"setClock", post, "/sandbox/clock", account, ordinary, a.setClock})
	}
	return all
}

// serve adds the route of an operation.
func (a *api) serve(routes gin.IRoutes, o operation) {
	chain := gin.HandlersChain{a.handle(o.limits, o.handler)}
	switch o.by {
	case anybody:
	case account:
		chain = append(gin.HandlersChain{a.authenticate}, chain...)
	case browser:
		chain = append(gin.HandlersChain{a.authenticateBrowser}, chain...)
	}
	path := o.path
	if !probes[path] {
		path = a.BasePath + path
	}
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
