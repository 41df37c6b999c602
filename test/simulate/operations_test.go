package simulate

import (
	"slices"

	"resellerd/test/api"
)

// operation is an operation of the API with a weight: draw makes a client's request, with the model's decision.
type operation struct {
	api.Row

	draw func(c *choice) *request
}

// operations are all of them.
func operations() []*operation {
	return []*operation{
		{api.RowOf("issueToken"), (*choice).login},
		{api.RowOf("revokeToken"), (*choice).revoke},
		{api.RowOf("changePassword"), (*choice).changePassword},
		{api.RowOf("createReseller"), (*choice).create},
		{api.RowOf("updateReseller"), (*choice).update},
		{api.RowOf("changeContact"), (*choice).contact},
		{api.RowOf("addCredits"), (*choice).fund},
		{api.RowOf("reclaimCredits"), (*choice).reclaim},
		{api.RowOf("blockReseller"), of(true, (*choice).blocking)},
		{api.RowOf("unblockReseller"), of(false, (*choice).blocking)},
		{api.RowOf("createTrial"), (*choice).trial},
		{api.RowOf("activateLine"), (*choice).activate},
		{api.RowOf("extendLine"), (*choice).extend},
		{api.RowOf("setPrices"), (*choice).setPrices},
		{api.RowOf("setPlatformPrices"), (*choice).setPlatformPrices},
		{api.RowOf("inheritPrices"), (*choice).inheritPrices},
		{api.RowOf("editLine"), (*choice).edit},
		{api.RowOf("describeLine"), (*choice).describe},
		{api.RowOf("suspendLine"), (*choice).suspend},
		{api.RowOf("resumeLine"), (*choice).resume},
		{api.RowOf("deleteLine"), (*choice).remove},
		{api.RowOf("listEntitlements"), (*choice).listEntitlements},
		{api.RowOf("letIn"), (*choice).letIn},
		{api.RowOf("getSelf"), (*choice).self},
		{api.RowOf("listResellers"), (*choice).listResellers},
		{api.RowOf("getReseller"), (*choice).reseller},
		{api.RowOf("getStatement"), (*choice).statement},
		{api.RowOf("getAlerts"), (*choice).alerts},
		{api.RowOf("setAlerts"), (*choice).setAlerts},
		{api.RowOf("createKey"), (*choice).createKey},
		{api.RowOf("updateKey"), of(false, (*choice).updatePrincipal)},
		{api.RowOf("revokeKey"), of(false, (*choice).removePrincipal)},
		{api.RowOf("listKeys"), of(false, (*choice).listPrincipals)},
		{api.RowOf("getKey"), of(false, (*choice).principal)},
		{api.RowOf("createStaff"), (*choice).createStaff},
		{api.RowOf("updateStaff"), of(true, (*choice).updatePrincipal)},
		{api.RowOf("removeStaff"), of(true, (*choice).removePrincipal)},
		{api.RowOf("listStaff"), of(true, (*choice).listPrincipals)},
		{api.RowOf("getStaff"), of(true, (*choice).principal)},
		{api.RowOf("createWebhook"), (*choice).createWebhook},
		{api.RowOf("updateWebhook"), (*choice).updateWebhook},
		{api.RowOf("rotateWebhook"), (*choice).rotateWebhook},
		{api.RowOf("testWebhook"), (*choice).testWebhook},
		{api.RowOf("replayWebhook"), (*choice).replayWebhook},
		{api.RowOf("deleteWebhook"), (*choice).deleteWebhook},
		{api.RowOf("listWebhooks"), (*choice).listWebhooks},
		{api.RowOf("getWebhook"), (*choice).webhook},
		{api.RowOf("listLines"), (*choice).listLines},
		{api.RowOf("getLine"), (*choice).line},
		{api.RowOf("proveLedger"), (*choice).proof},
		{api.RowOf("listEvents"), (*choice).listEvents},
		{api.RowOf("signIn"), (*choice).signIn},
		{api.RowOf("getSession"), (*choice).currentSession},
		{api.RowOf("signOut"), (*choice).signOut},
	}
}

// of has an operation be drawn in one of its two forms.
func of(which bool, draw func(c *choice, which bool) *request) func(c *choice) *request {
	return func(c *choice) *request { return draw(c, which) }
}

// repetition repeats an earlier request under its key. Its weight is as high as that of the operations with an effect
// together.
var repetition = &operation{Row: api.Row{Weight: 22}, draw: (*choice).again}

var (
	// table has the operations that clients request.
	table  = append(operations(), repetition)
	create = slices.IndexFunc(table, func(op *operation) bool { return op.ID == "createReseller" })

	// ofPrincipals are the operations on a key, or on a staff member.
	ofPrincipals = slices.DeleteFunc(operations(), func(op *operation) bool {
		return op.Of != api.AKey && op.Of != api.AMember
	})

	// ofWebhooks are those that are about a webhook.
	ofWebhooks = slices.DeleteFunc(operations(), func(op *operation) bool { return op.Of != api.AWebhook })

	allWeight = func() (sum int) {
		for _, op := range table {
			sum += op.Weight
		}
		return sum
	}()
)

// choose draws the operation of a step.
func (r *run) choose(a *actor) *operation {
	if len(r.world.Resellers) < 6 && r.round < 12 {
		return table[create] // the year needs some resellers
	}
	if r.contended.operation != nil && a.random.IntN(4) > 0 {
		return r.contended.operation
	}
	n := a.random.IntN(allWeight)
	for _, op := range table {
		if n -= op.Weight; n < 0 {
			return op
		}
	}
	return repetition
}
