package simulate

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"resellerd/adapters/httpapi"
)

// operation is an operation of the API: how a client comes to ask for it, and what the model says to that. A new
// operation of the API is a row of the table, and a method of choice that draws a request.
type operation struct {
	method string
	path   string // as the OpenAPI document has it
	weight int    // how often it is asked for
	draw   func(c *choice) *request
}

// operations are all of them.
func operations() []*operation {
	return []*operation{
		{http.MethodPost, "/auth/static-token", 4, (*choice).login},
		{http.MethodDelete, "/auth/static-token", 2, (*choice).revoke},
		{http.MethodPatch, "/auth/password", 4, (*choice).changePassword},
		{http.MethodPost, "/users", 8, (*choice).create},
		{http.MethodPatch, "/users/{id}", 6, (*choice).update},
		{http.MethodPatch, "/users/{id}/contact", 5, (*choice).contact},
		{http.MethodPatch, "/users/credits/{id}", 14, (*choice).fund},
		{http.MethodPost, "/users/{id}/credits/reclaim", 6, (*choice).reclaim},
		{http.MethodPut, "/users/{id}/block", 3, (*choice).block},
		{http.MethodDelete, "/users/{id}/block", 5, (*choice).unblock},
		{http.MethodPost, "/lines/test", 22, (*choice).trial},
		{http.MethodPatch, "/lines/active/{id}", 26, (*choice).activate},
		{http.MethodPatch, "/lines/extend/{id}", 24, (*choice).extend},
		{http.MethodPatch, "/lines/{id}", 8, (*choice).edit},
		{http.MethodDelete, "/lines/{id}", 6, (*choice).remove},
		{http.MethodGet, "/users/logged", 3, (*choice).self},
		{http.MethodGet, "/users", 3, (*choice).listResellers},
		{http.MethodGet, "/users/{id}", 6, (*choice).reseller},
		{http.MethodGet, "/users/{id}/ledger", 5, (*choice).statement},
		{http.MethodGet, "/lines", 5, (*choice).listLines},
		{http.MethodGet, "/lines/{id}", 8, (*choice).line},
		{http.MethodGet, "/lines/extend-preview/{id}", 6, (*choice).preview},
		{http.MethodGet, "/prices", 1, (*choice).prices},
		{http.MethodGet, proofPath, 2, (*choice).proof},
		{http.MethodPost, sessionPath, 5, (*choice).signIn},
		{http.MethodGet, sessionPath, 5, (*choice).currentSession},
		{http.MethodDelete, sessionPath, 4, (*choice).signOut},
		{http.MethodGet, sessionsPath, 4, (*choice).listSessions},
		{http.MethodDelete, "/auth/sessions/{id}", 5, (*choice).endSession},
		{http.MethodGet, "/healthz", 1, (*choice).health},
		{http.MethodGet, "/readyz", 1, (*choice).readiness},
		{http.MethodGet, "/openapi.json", 1, (*choice).document},
	}
}

// repetition is asked for as often as the operations that have an effect are: of what was asked under a key, once more.
var repetition = &operation{"", "", 22, (*choice).again}

var (
	// table is what clients ask for.
	table  = append(operations(), repetition)
	create = slices.IndexFunc(table, func(op *operation) bool { return op.method+" "+op.path == "POST /users" })

	allWeight = func() (sum int) {
		for _, op := range table {
			sum += op.weight
		}
		return sum
	}()
)

// documented returns every operation of the OpenAPI document.
func documented() (all []string) {
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(httpapi.Document(""), &document); err != nil {
		panic(err)
	}
	for path, item := range document.Paths {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			if _, has := item[strings.ToLower(method)]; has {
				all = append(all, method+" "+path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// choose draws the operation of a step.
func (r *run) choose(a *actor) *operation {
	if len(r.world.Resellers) < 6 && r.round < 12 {
		return table[create] // somebody has to be there
	}
	if r.hot.operation != nil && a.random.IntN(4) > 0 {
		return r.hot.operation
	}
	n := a.random.IntN(allWeight)
	for _, op := range table {
		if n -= op.weight; n < 0 {
			return op
		}
	}
	return repetition
}
