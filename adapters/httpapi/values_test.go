package httpapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

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

// constants are the texts of answers that are always the same.
var constants = []any{"201", "ok", "ready", "Reject"}

// answered returns each text of an answer that has an enumeration or known values, by its place in the document.
func answered(t *testing.T) map[string]map[string]any {
	t.Helper()
	var document map[string]any
	must(t, json.Unmarshal(httpapi.Document(""), &document))
	found, seen := map[string]map[string]any{}, map[string]bool{}
	var walk func(at string, value any, answer bool)
	walk = func(at string, value any, answer bool) {
		switch v := value.(type) {
		case map[string]any:
			if to, refers := v["$ref"].(string); refers && answer && !seen[to] {
				seen[to] = true
				var target any = document
				for step := range strings.SplitSeq(strings.TrimPrefix(to, "#/"), "/") {
					target = target.(map[string]any)[step]
				}
				walk(to, target, true)
			}
			description, _ := v["description"].(string)
			if answer && (v["enum"] != nil || api.KnownValues(description) != nil) {
				found[at] = v
			}
			for name, inner := range v {
				walk(at+"/"+name, inner, answer || name == "responses" || name == "headers")
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s/%d", at, i), inner, answer)
			}
		}
	}
	walk("#", document["paths"], false)
	return found
}

// TestAnswersHaveNoClosedEnumerations checks that a client of this version can read a value that a later one adds:
// texts have known values and a pattern which these match.
func TestAnswersHaveNoClosedEnumerations(t *testing.T) {
	open := 0
	for at, schema := range answered(t) {
		if enum, closed := schema["enum"].([]any); closed {
			constant := len(enum) == 1 && slices.Contains(constants, enum[0])
			expect.Equal(t, constant, true, "%s is no enumeration: %v", at, enum)
			continue
		}
		open++
		pattern, _ := schema["pattern"].(string)
		for _, value := range api.KnownValues(schema["description"].(string)) {
			if matches, err := regexp.MatchString(pattern, value); pattern == "" || err != nil || !matches {
				t.Errorf("%s: %q does not match its pattern %q: %v", at, value, pattern, err)
			}
		}
	}
	expect.Equal(t, open >= 15, true, "%d texts have known values: enough", open)
}

func texts[T any](values []T) (all []string) {
	for _, v := range values {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// TestKnownValuesAreThoseOfTheService compares the document with the code. A year of test/simulate compares the codes.
func TestKnownValuesAreThoseOfTheService(t *testing.T) {
	found := answered(t)
	for at, want := range map[string][]string{
		"Scope": texts(principal.Scopes()),
		"EntryKind": texts([]credit.Operation{credit.Opening, credit.Recharge, credit.Reclaim,
			credit.Activation, credit.Extension}),
		"Event/properties/type":              append(texts(journal.Types()), journal.WebhookTest.String()),
		"Line/properties/effective":          texts(domainline.Effects()),
		"Job/properties/action":              texts(bulk.Actions()),
		"Webhook/properties/disabled_reason": texts(webhook.Reasons()),
		"Delivery/properties/error":          texts(webhook.Failures()),
		"Delivery/properties/cause":          texts(webhook.Causes()),
	} {
		description, _ := found["#/components/schemas/"+at]["description"].(string)
		got := api.KnownValues(description)
		slices.Sort(got)
		slices.Sort(want)
		expect.Elements(t, got, want, "%s", at)
	}
}
