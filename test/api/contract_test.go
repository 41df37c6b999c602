package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestContractCheckCanFail uses an example of the document as an answer and shows that the check finds each way to
// break it.
func TestContractCheckCanFail(t *testing.T) {
	var reseller Fields
	example := Contract().Paths.Value("/users").Post.Responses.Value("201").Value.Content["application/json"].Example
	text, err := json.Marshal(example)
	if err == nil {
		err = json.Unmarshal(text, &reseller)
	}
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "http://localhost/users", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	good := map[string]bool{} // by likeness
	violation := func(status int, request *http.Request, sent, body Fields, headers ...string) error {
		a := Answer{T: t, Status: status, Header: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}},
			Body: Encode(t, body)}
		for _, name := range headers {
			a.Header.Del(name)
		}
		decoder := json.NewDecoder(bytes.NewReader(a.Body))
		decoder.UseNumber()
		if err := decoder.Decode(&a.Fields); err != nil {
			t.Fatal(err)
		}
		err := Contract().Violation(request, "/users", Encode(t, sent), a)
		alike := Contract().likeness(request, "/users", Encode(t, sent), a)
		if err == nil {
			good[alike] = true
		} else if good[alike] && len(headers) == 0 { // each answer needs a request id
			t.Errorf("it would be accepted: %v", err)
		}
		return err
	}
	if err := violation(201, request, NewReseller(nil), reseller); err != nil {
		t.Errorf("the example of the document: %v", err)
	}
	for name, change := range map[string]Fields{
		"an unknown field":          {"secret": 1},
		"a number for a string":     {"credits": 100},
		"a string for a number":     {"id": "2"},
		"null for a string":         {"country": nil},
		"a token":                   {"token": "x"},
		"a form that is not exact":  {"credits": "1.50"},
		"a time without its millis": {"createdAt": "2026-01-31T09:30:00Z"},
	} {
		if violation(201, request, NewReseller(nil), With(reseller, change)) == nil {
			t.Errorf("%s in an answer is not found", name)
		}
	}
	for name := range reseller {
		missing := With(reseller, nil)
		delete(missing, name)
		if violation(201, request, NewReseller(nil), missing) == nil {
			t.Errorf("a missing %s in an answer is not found", name)
		}
	}
	if violation(201, request, Fields{"username": 5}, reseller) == nil {
		t.Error("a request that succeeds against the document is not found")
	}
	if violation(404, request, NewReseller(nil), reseller) == nil {
		t.Error("a status that the document does not have is not found")
	}
	if violation(201, request, NewReseller(nil), reseller, "X-Request-Id") == nil {
		t.Error("a missing header is not found")
	}
}

// TestDocumentCanBeFollowed rejects constructs in the published document that generators of clients do not support.
// test/clients has found each of them. This test finds them without a generator.
func TestDocumentCanBeFollowed(t *testing.T) {
	var document map[string]any
	if err := json.Unmarshal(Contract().Text, &document); err != nil {
		t.Fatal(err)
	}
	for _, fault := range unfollowable("#", document) {
		t.Error(fault)
	}
}

// identifiers are the fields that have an id of 64 bits, or count without end.
var identifiers = []string{"id", "owner", "master", "actor", "line", "idPlatform", "seq", "movements",
	"account", "version"}

// unfollowable returns the faults of a part of a document.
func unfollowable(at string, value any) (faults []string) {
	fault := func(format string, of ...any) { faults = append(faults, at+": "+fmt.Sprintf(format, of...)) }
	list, _ := value.([]any)
	for i, inner := range list {
		faults = append(faults, unfollowable(fmt.Sprintf("%s/%d", at, i), inner)...)
	}
	object, _ := value.(map[string]any)
	if version, is := object["openapi"].(string); is && !strings.HasPrefix(version, "3.0.") {
		fault("openapi-generator takes %s as a beta", version)
	}
	for _, word := range []string{"const", "oneOf", "anyOf", "allOf", "not"} {
		if _, has := object[word]; has {
			fault("%s is understood by few", word)
		}
	}
	switch kind := object["type"].(type) {
	case []any:
		fault("a list of types is understood by few")
	case string:
		switch format, _ := object["format"].(string); {
		case kind == "null":
			fault("null is no type to most")
		case kind == "number" && format != "double":
			fault("a number without the format double is a float32 to some")
		case kind == "integer" && object["enum"] != nil:
			fault("openapi-python-client drops answers with integers of an enumeration")
		case kind == "object" && object["properties"] == nil && object["additionalProperties"] == nil:
			fault("an object without properties has no type")
		case format == "date-time" && object["pattern"] != nil:
			fault("clients send times that the pattern does not match")
		}
	}
	if pattern, is := object["pattern"].(string); is && !strings.HasPrefix(pattern, "^") {
		fault("openapi-generator's Python takes a first slash for a delimiter, and looks for %s at the beginning only",
			pattern)
	}
	if _, refers := object["$ref"]; refers && len(object) > 1 {
		fault("members beside a $ref are ignored")
	}
	properties, _ := object["properties"].(map[string]any)
	for _, name := range identifiers {
		if field, _ := properties[name].(map[string]any); field["type"] == "integer" && field["format"] != "int64" {
			fault("%s without the format int64 has 32 bits to some", name)
		}
	}
	schemas, _ := object["schemas"].(map[string]any)
	constants := map[string]string{}
	for name, schema := range schemas {
		s, _ := schema.(map[string]any)
		values, _ := s["enum"].([]any)
		for _, value := range values {
			if other, twice := constants[fmt.Sprint(value)]; twice {
				fault("%v of %s and of %s is one constant in openapi-generator's Go", value, name, other)
			}
			constants[fmt.Sprint(value)] = name
		}
	}
	parameters, _ := object["parameters"].(map[string]any)
	for name := range schemas {
		if _, twice := parameters[name]; twice {
			fault("oapi-codegen fails at %s, which is also the name of a parameter", name)
		}
		if _, twice := schemas["New"+name]; twice {
			fault("New%s is in Go also what makes a %s", name, name)
		}
	}
	body, _ := object["requestBody"].(map[string]any)
	contents, _ := body["content"].(map[string]any)
	for _, content := range contents {
		if media, _ := content.(map[string]any); media["example"] != nil || media["examples"] != nil {
			fault("openapi-generator's Java warns of an example beside a request's schema: put it inside")
		}
	}
	for name, inner := range object {
		if name != "example" {
			faults = append(faults, unfollowable(at+"/"+name, inner)...)
		}
	}
	return faults
}

// TestAbsentMembersAreNotSentAsNull checks that a member of a request that may be absent, and is cleared by null, has
// x-omitempty: without it oapi-codegen before 2.7 sends null for a member that its caller leaves out.
func TestAbsentMembersAreNotSentAsNull(t *testing.T) {
	published, err := read(Contract().Text)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range published.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for _, content := range operation.RequestBody.Value.Content {
				for _, at := range sentAsNull("", content.Schema.Value) {
					t.Errorf("%s %s: %s: x-omitempty is for a member that may be absent or null, and for no other", method, path, at)
				}
			}
		}
	}
}

// sentAsNull returns the members of a request whose null and x-omitempty do not match: optional or nullable ones
// without x-omitempty, and others with it.
func sentAsNull(at string, schema *openapi3.Schema) (names []string) {
	for name, member := range schema.Properties {
		m := member.Value
		if optional := !slices.Contains(schema.Required,
			name); (optional && m.Nullable) != (m.Extensions["x-omitempty"] == true) {
			names = append(names, at+"/"+name)
		}
		names = append(names, sentAsNull(at+"/"+name, m)...)
	}
	return names
}
