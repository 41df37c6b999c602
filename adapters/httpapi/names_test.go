package httpapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	apitest "resellerd/test/api"
	"resellerd/test/expect"
)

// contract are the operations of the contract that have a body.
var contract = []string{"issueToken", "createReseller", "updateReseller", "addCredits", "createTrial",
	"activateLine", "editLine"}

// TestNoRecordHasAMemberThatIsRefused by the operations beyond the contract on it: clients send whole records back.
func TestNoRecordHasAMemberThatIsRefused(t *testing.T) {
	checked := 0
	for path, item := range apitest.Contract().Paths.Map() {
		for _, o := range item.Operations() {
			body := bodies[o.OperationID]
			if body == nil || slices.Contains(contract, o.OperationID) {
				continue
			}
			shape := shapeOf(body)
			for name := range namesIn(recordsOf(path)) {
				if slices.ContainsFunc(shape, func(m syntaxOf) bool { return m.name == name }) {
					continue
				}
				for _, m := range shape {
					checked++
					misspelt := !m.given && isNear(name, m.name) && (misnamed{sent: name, name: m.name}).isMisspelt()
					expect.Equal(t, misspelt, false, "%s refuses %s of records", o.OperationID, name)
				}
			}
		}
	}
	expect.Equal(t, checked > 1000, true, "%d pairs of names were checked: enough", checked)
}

// recordsOf returns the schemas of what the operations on a path answer, and those on the paths that it begins with.
func recordsOf(path string) (schemas []*openapi3.SchemaRef) {
	for other, item := range apitest.Contract().Paths.Map() {
		if !strings.HasPrefix(path+"/", other+"/") {
			continue
		}
		for _, o := range item.Operations() {
			for status, answer := range o.Responses.Map() {
				if content := answer.Value.Content["application/json"]; content != nil && status[0] == '2' {
					schemas = append(schemas, content.Schema)
				}
			}
		}
	}
	return schemas
}

// namesIn returns the names of the properties of schemas, at every depth.
func namesIn(schemas []*openapi3.SchemaRef) map[string]bool {
	names, seen := map[string]bool{}, map[*openapi3.Schema]bool{}
	for len(schemas) > 0 {
		s := schemas[0]
		if schemas = schemas[1:]; s == nil || seen[s.Value] {
			continue
		}
		seen[s.Value] = true
		for name, property := range s.Value.Properties {
			names[name], schemas = true, append(schemas, property)
		}
		schemas = slices.Concat(schemas, s.Value.AllOf, s.Value.OneOf, s.Value.AnyOf,
			[]*openapi3.SchemaRef{s.Value.Items, s.Value.AdditionalProperties.Schema})
	}
	return names
}
