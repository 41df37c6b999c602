package simulate

import (
	"slices"
	"strings"

	"resellerd/test/api"
)

// operation is an operation of the API: how a client comes to ask for it, and what the model says to that. A new
// operation of the API is a row of the table, and a method of choice that draws a request.
type operation struct {
	api.Row

	weight int // how often it is asked for
	draw   func(c *choice) *request
}

// operations are all of them.
func operations() []*operation {
	return []*operation{
		{api.RowOf("issueToken"), 4, (*choice).login},
		{api.RowOf("revokeToken"), 2, (*choice).revoke},
		{api.RowOf("changePassword"), 4, (*choice).changePassword},
		{api.RowOf("createReseller"), 8, (*choice).create},
		{api.RowOf("updateReseller"), 6, (*choice).update},
		{api.RowOf("changeContact"), 5, (*choice).contact},
		{api.RowOf("addCredits"), 14, (*choice).fund},
		{api.RowOf("reclaimCredits"), 6, (*choice).reclaim},
		{api.RowOf("blockReseller"), 4, (*choice).block},
		{api.RowOf("unblockReseller"), 5, (*choice).unblock},
		{api.RowOf("createTrial"), 22, (*choice).trial},
		{api.RowOf("activateLine"), 26, (*choice).activate},
		{api.RowOf("extendLine"), 24, (*choice).extend},
		{api.RowOf("editLine"), 8, (*choice).edit},
		{api.RowOf("describeLine"), 10, (*choice).describe},
		{api.RowOf("suspendLine"), 9, (*choice).suspend},
		{api.RowOf("resumeLine"), 6, (*choice).resume},
		{api.RowOf("deleteLine"), 6, (*choice).remove},
		{api.RowOf("exportLines"), 4, (*choice).exportLines},
		{api.RowOf("exportResellers"), 2, (*choice).exportResellers},
		{api.RowOf("exportLedger"), 2, (*choice).exportLedger},
		{api.RowOf("listEntitlements"), 16, (*choice).listEntitlements},
		{api.RowOf("letIn"), 6, (*choice).letIn},
		{api.RowOf("getSelf"), 3, (*choice).self},
		{api.RowOf("listResellers"), 3, (*choice).listResellers},
		{api.RowOf("getReseller"), 6, (*choice).reseller},
		{api.RowOf("getStatement"), 5, (*choice).statement},
		{api.RowOf("getBalance"), 3, (*choice).balance},
		{api.RowOf("getSummary"), 3, (*choice).summary},
		{api.RowOf("getAlerts"), 2, (*choice).alerts},
		{api.RowOf("setAlerts"), 6, (*choice).setAlerts},
		{api.RowOf("getMessages"), 3, (*choice).messages},
		{api.RowOf("setMessages"), 5, (*choice).setMessages},
		{api.RowOf("createKey"), 7, (*choice).createKey},
		{api.RowOf("updateKey"), 5, (*choice).updateKey},
		{api.RowOf("revokeKey"), 3, (*choice).revokeKey},
		{api.RowOf("listKeys"), 2, (*choice).listKeys},
		{api.RowOf("getKey"), 3, (*choice).key},
		{api.RowOf("createStaff"), 7, (*choice).createStaff},
		{api.RowOf("updateStaff"), 5, (*choice).updateStaff},
		{api.RowOf("removeStaff"), 3, (*choice).removeStaff},
		{api.RowOf("listStaff"), 2, (*choice).listStaff},
		{api.RowOf("getStaff"), 3, (*choice).member},
		{api.RowOf("resetStaffTOTP"), 3, (*choice).resetStaffsFactor},
		{api.RowOf("beginTOTP"), 4, (*choice).beginFactor},
		{api.RowOf("confirmTOTP"), 9, (*choice).confirmFactor},
		{api.RowOf("removeTOTP"), 5, (*choice).removeFactor},
		{api.RowOf("resetTOTP"), 4, (*choice).resetFactor},
		{api.RowOf("createWebhook"), 4, (*choice).createWebhook},
		{api.RowOf("updateWebhook"), 5, (*choice).updateWebhook},
		{api.RowOf("rotateWebhook"), 2, (*choice).rotateWebhook},
		{api.RowOf("testWebhook"), 3, (*choice).testWebhook},
		{api.RowOf("replayWebhook"), 2, (*choice).replayWebhook},
		{api.RowOf("deleteWebhook"), 1, (*choice).deleteWebhook},
		{api.RowOf("listWebhooks"), 2, (*choice).listWebhooks},
		{api.RowOf("getWebhook"), 2, (*choice).webhook},
		{api.RowOf("listDeliveries"), 4, (*choice).deliveries},
		{api.RowOf("listLines"), 5, (*choice).listLines},
		{api.RowOf("getLine"), 8, (*choice).line},
		{api.RowOf("previewExtension"), 6, (*choice).preview},
		{api.RowOf("listPrices"), 1, (*choice).prices},
		{api.RowOf("proveLedger"), 2, (*choice).proof},
		{api.RowOf("listEvents"), 12, (*choice).listEvents},
		{api.RowOf("signIn"), 5, (*choice).signIn},
		{api.RowOf("getSession"), 5, (*choice).currentSession},
		{api.RowOf("signOut"), 4, (*choice).signOut},
		{api.RowOf("listSessions"), 4, (*choice).listSessions},
		{api.RowOf("endSession"), 5, (*choice).endSession},
		{api.RowOf("getService"), 1, (*choice).service},
		{api.RowOf("getHealth"), 1, (*choice).health},
		{api.RowOf("getReadiness"), 1, (*choice).readiness},
		{api.RowOf("getDescription"), 1, (*choice).document},
	}
}

// repetition is asked for as often as the operations that have an effect are: of what was asked under a key, once more.
var repetition = &operation{weight: 22, draw: (*choice).again}

var (
	// table is what clients ask for.
	table  = append(operations(), repetition)
	create = slices.IndexFunc(table, func(op *operation) bool { return op.ID == "createReseller" })

	// ofPrincipals are those that are about a key, or about somebody on a staff.
	ofPrincipals = slices.DeleteFunc(operations(), func(op *operation) bool {
		return op.Of != api.AKey && op.Of != api.AMember
	})

	// ofWebhooks are those that are about a webhook.
	ofWebhooks = slices.DeleteFunc(operations(), func(op *operation) bool { return op.Of != api.AWebhook })

	// bounded are those of which an account may do so many at once, or on a day: bounds that are met where many clients
	// do.
	bounded = slices.DeleteFunc(operations(), func(op *operation) bool {
		return op.ID != "createTrial" && !strings.HasPrefix(op.Path, exportsPath)
	})

	allWeight = func() (sum int) {
		for _, op := range table {
			sum += op.weight
		}
		return sum
	}()
)

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
