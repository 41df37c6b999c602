package httpapi_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"resellerd/adapters/httpapi"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	domainline "resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/webhook"
	"resellerd/test/api"
	"resellerd/test/expect"
)

func texts[T any](values []T) (all []string) {
	for _, v := range values {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// TestKnownValuesMatchTheService compares the document with the code. An answer's text with known values has no
// enumeration: a client of this version can read a value that a later one adds.
func TestKnownValuesMatchTheService(t *testing.T) {
	published, err := openapi3.NewLoader().LoadFromData(httpapi.Document(""))
	must(t, err)
	of := func(name string, members ...string) (values []string) {
		schema := published.Components.Schemas[name].Value
		for _, member := range members {
			schema = schema.Properties[member].Value
		}
		expect.Equal(t, len(schema.Enum), 0, "%s %v is no enumeration", name, members)
		return slices.Sorted(slices.Values(api.KnownValues(schema.Description)))
	}
	for _, c := range []struct{ documented, known []string }{
		{of("Scope"), texts(principal.Scopes())},
		{of("EntryKind"), texts([]credit.Operation{credit.Opening, credit.Recharge, credit.Reclaim, credit.Activation,
			credit.Extension, credit.PlanChange})},
		{of("Event", "type"), append(texts(journal.Types()), journal.WebhookTest.String())},
		{of("Line", "effective"), texts(domainline.Effects())},
		{of("Job", "action"), texts(bulk.Actions())},
		{of("Webhook", "disabled_reason"), texts(webhook.Reasons())},
		{of("Delivery", "error"), texts(webhook.Failures())},
		{of("Delivery", "cause"), texts(webhook.Causes())},
	} {
		slices.Sort(c.known)
		expect.Elements(t, c.documented, c.known)
	}
}
