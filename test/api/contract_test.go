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

// TestContractCheckCanFail takes an example of the document for an answer and shows that each way to break it is found.
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
		} else if good[alike] && len(headers) == 0 { // that there is a request id is asked of each answer
			t.Errorf("it would be taken for good: %v", err)
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

// TestCreditsMayBeNumberOrString shows what requests the published document has no words for, and where they end.
func TestCreditsMayBeNumberOrString(t *testing.T) {
	for _, schema := range []string{"ResellerCreation", "Recharge", "Activation", "Extension"} {
		credits := Contract().Components.Schemas[schema].Value.Properties["credits"].Value
		for _, c := range []struct {
			given any
			good  bool
		}{
			{1.0, true}, {"1", true}, {"0.50", true}, {"1e1", true}, {0.5, true},
			{"+1", false}, {" 1", false}, {".5", false}, {"", false}, {true, false}, {nil, false}, {-1.0, false}, {1e10, false},
		} {
			if err := credits.VisitJSON(c.given); (err == nil) != c.good {
				t.Errorf("%s: credits %#v: want them good %t, got %v", schema, c.given, c.good, err)
			}
		}
	}
}

// TestDocumentCanBeFollowed keeps out of the published document what generators of clients stop at or get wrong, each
// as test/clients has found; what takes no generator to see is seen here.
func TestDocumentCanBeFollowed(t *testing.T) {
	var document map[string]any
	if err := json.Unmarshal(Contract().Text, &document); err != nil {
		t.Fatal(err)
	}
	for _, fault := range unfollowable("#", document) {
		t.Error(fault)
	}
}

// identifiers are the fields that hold an id of 64 bits, or count without end.
var identifiers = []string{"id", "owner", "master", "actor", "line", "idPlatform", "seq", "movements",
	"account", "version"}

// unfollowable returns what is wrong with a part of a document.
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
			fault("openapi-python-client gives up answers with integers of an enumeration")
		case kind == "object" && object["properties"] == nil && object["additionalProperties"] == nil:
			fault("an object without properties is of no type")
		case format == "date-time" && object["pattern"] != nil:
			fault("a pattern of what clients take for a time is matched by none")
		}
	}
	if pattern, is := object["pattern"].(string); is && !strings.HasPrefix(pattern, "^") {
		fault("openapi-generator's Python takes a first slash for a delimiter, and looks for %s at the beginning only",
			pattern)
	}
	if _, refers := object["$ref"]; refers && len(object) > 1 {
		fault("what stands beside a $ref counts for nothing")
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
			fault("oapi-codegen gives up %s, which a parameter is named as well", name)
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

// sentAsNull returns the members of a request that may be absent or null and lack x-omitempty, and others that have it.
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

// TestSchemasCanFail takes the examples of records that are only read, and shows that each way to break them is found.
func TestSchemasCanFail(t *testing.T) {
	example := func(method, path, list string) Fields {
		t.Helper()
		text, err := json.Marshal(
			Contract().Paths.Value(path).GetOperation(method).Responses.Value("200").Value.Content["application/json"].Example)
		var record Fields
		if err == nil {
			err = json.Unmarshal(text, &record)
		}
		if err != nil {
			t.Fatal(err)
		}
		if list == "" {
			return record
		}
		return record[list].([]any)[0].(map[string]any)
	}
	listed := Contract().Paths.Value("/auth/sessions").Get.Responses.Value("200").
		Value.Content["application/json"].Example.([]any)[0].(map[string]any)
	for _, c := range []struct {
		schema  string
		example Fields
		broken  []Fields
	}{
		{"Account", example("GET", "/users/{id}", ""), []Fields{
			{"password": "x"}, {"token": "x"}, {"credits": 5}, {"credits": "-1"}, {"master": 0}, {"is_admin": 1},
			{"is_master": true},
			{"recharge": "1/31/2026, 9:30:00 AM"}, {"status": 0}, {"secret": 1},
		}},
		{"SignedIn", example("GET", "/auth/session", ""), []Fields{
			{"password": "x"}, {"token": "x"}, {"is_admin": true}, {"is_admin": 1, "is_master": 0}, {"expires_at": nil},
			{"ends_at": "2026-01-31T09:30:00Z"}, {"secret": "x"},
			{"staff": nil}, {"staff": Fields{"id": 3, "username": "ana", "role": "owner", "scopes": []string{}}},
			{"staff": Fields{"id": 3, "username": "ana", "role": nil, "scopes": []string{"lines"}}},
			{"staff": Fields{"id": 3, "username": "ana", "role": nil}},
		}},
		{"ListedSession", listed, []Fields{{"id": 1}, {"id": strings.Repeat("A", 32)}, {"device": nil}, {"current": 1},
			{"secret": "x"}, {"password": "x"}, {"staff": ""}, {"staff": 3}}},
		{"Line", example("GET", "/lines/{id}", ""), []Fields{{"code": "201"}, {"isTrial": 1}, {"idPlatform": nil},
			{"password": 5}, {"status": true}}},
		{"ListedLine", example("GET", "/lines", "data"), []Fields{{"password": "x"}, {"isTrial": 1}, {"idPlatform": nil},
			{"notes": ""}}},
		{"Entry", example("GET", "/users/{id}/ledger", "data"), []Fields{
			{"amount": "1"}, {"amount": "-0"}, {"amount": "-1.0"}, {"amount": -1}, {"kind": "opening"}, {"kind": "gift"},
			{"line": nil}, {"balance": "-1"},
			{"counterparty": "issuance"}, {"counterparty": 7}, {"seq": 0}, {"actor": 0}, {"at": "2026-01-31"},
			{"request_id": ""}, {"notes": "x"},
			{"line_username": ""}, {"actor_name": 5}, {"secret": "x"},
		}},
		{"Event", example("GET", "/events", "data"), []Fields{
			{"id": "evt_13"}, {"seq": "13"}, {"type": "activated"}, {"timestamp": "2026-01-31T10:30:00Z"}, {"account": 0},
			{"line": "2"}, {"actor": nil},
			{"actor": Fields{"account": 2}}, {"request_id": ""}, {"movement": Fields{"id": 4}}, {"changes": nil},
			{"changes": []any{}}, {"reason": ""},
			{"version": 0}, {"data": "x"}, {"password": "x"}, {"seq": 0}, {"id": "test_1_14"},
			{"type": "webhook.test", "seq": 0},
		}},
		{"AccessKey", example("GET", "/keys/{id}", ""), []Fields{
			{"key": "x"}, {"name": ""}, {"role": "owner"}, {"scopes": nil}, {"scopes": []string{"lines"}},
			{"spend_limit": Fields{"credits": "50"}},
			{"spend_limit": Fields{"credits": 50, "per": "day"}}, {"spend_limit": Fields{"credits": "50", "per": "week"}},
			{"spent": "-1"}, {"resets_at": nil},
			{"last_used_at": nil, "last_used_address": "192.0.2.1"}, {"created_at": nil}, {"expires_at": "2027-01-31"},
			{"allowed_addresses": nil}, {"hash": "x"},
		}},
		{"AccessKeyList", example("GET", "/keys", ""), []Fields{{"data": nil}, {"next_cursor": ""}, {"total": 1}}},
		{"Member", example("GET", "/staff/{id}", ""), []Fields{
			{"password": "x"}, {"username": nil}, {"role": "owner"}, {"scopes": []string{"lines"}}, {"spent": 0},
			{"expires_at": nil},
			{"last_used_at": nil, "last_used_address": "192.0.2.1"}, {"last_used_at": "today"},
		}},
		{"StaffList", example("GET", "/staff", ""), []Fields{{"data": nil}, {"next_cursor": ""}, {"total": 1}}},
		{"PendingTOTP", example("POST", "/auth/totp", ""), []Fields{{"secret": "short"}, {"otpauth_url": "https://a.example"},
			{"qr_svg": nil}, {"codes": []string{}}}},
		{"RecoveryCodes", example("POST", "/auth/totp/confirm", ""),
			[]Fields{{"recovery_codes": []string{}}, {"recovery_codes": nil}, {"secret": "x"}}},
		{"Webhook", example("GET", "/webhooks/{id}", ""), []Fields{
			{"secret": "x"}, {"url": nil}, {"types": []string{}}, {"types": "*"}, {"scope": "all"}, {"description": ""},
			{"enabled": 1}, {"enabled": false},
			{"disabled_reason": "gone"}, {"enabled": false, "disabled_reason": "other"}, {"created_at": nil},
		}},
		{"WebhookList", example("GET", "/webhooks", ""), []Fields{{"data": nil}, {"next_cursor": ""}, {"total": 1}}},
		{"RotatedSecret", example("POST", "/webhooks/{id}/rotate", ""),
			[]Fields{{"secret": "whsec_"}, {"secret": nil}, {"previous_expires_at": "tomorrow"}, {"id": 2}}},
		{"Delivery", example("GET", "/webhooks/{id}/deliveries", "data"), []Fields{
			{"event": ""}, {"attempt": 0}, {"http_status": 500}, {"http_status": nil}, {"error": "timed-out"},
			{"error": "not-accepted", "http_status": nil},
			{"error": "other"}, {"duration_ms": -1}, {"duration_ms": "48"}, {"at": nil},
			{"next_attempt_at": "2026-01-31T10:57:00.000Z"}, {"body": "x"},
		}},
		{"DeliveryList", example("GET", "/webhooks/{id}/deliveries", ""),
			[]Fields{{"data": nil}, {"next_cursor": ""}, {"total": 1}}},
		{"Alerts", example("GET", "/users/{id}/alerts", ""),
			[]Fields{{"balance_low": 10}, {"balance_low": "0"}, {"balance_low": "1.50"}, {"expiring_days": nil},
				{"expiring_days": []int{0}}, {"id": 2}}},
		{"Actor", example("GET", "/events", "data")["actor"].(map[string]any), []Fields{
			{"account": "2"}, {"kind": ""}, {"id": "x"}, {"name": nil}, {"address": ""}, {"token": "x"},
		}},
		{"EventList", example("GET", "/events", ""), []Fields{{"next_cursor": ""}, {"next_cursor": nil, "has_more": true},
			{"has_more": 1}, {"data": nil}, {"total": 1}}},
		{"Balance", example("GET", "/users/{id}/balance", ""),
			[]Fields{{"id": 0}, {"balance": 112.5}, {"balance": "-1"}, {"at": "2026-01-31"}, {"at": nil}, {"secret": "x"}}},
		{"Summary", example("GET", "/reports/summary", ""),
			[]Fields{{"at": nil}, {"balance": 1}, {"lines": nil}, {"days": []any{}}, {"days": nil}, {"damaged": []any{}},
				{"secret": "x"}}},
		{"LineCounts", example("GET", "/reports/summary", "")["lines"].(map[string]any),
			[]Fields{{"running": -1}, {"trials": "1"}, {"expiring_7d": nil}, {"capped": 0}, {"secret": "x"}}},
		{"Day", example("GET", "/reports/summary", "days"), []Fields{{"day": "31.1.2026"}, {"trials": -1}, {"spent": 3},
			{"received": nil}, {"secret": "x"}}},
		{"Proof", example("GET", "/ledger/proof", ""), []Fields{{"issued": 1}, {"balanced": 1}, {"movements": "2"},
			{"consumed": "-1"}}},
		{"ExtensionPreview", example("GET", "/lines/extend-preview/{id}", ""),
			[]Fields{{"credits": "2"}, {"credits": 0}, {"from": nil}, {"password": "x"}}},
		{"LineList", example("GET", "/lines", ""), []Fields{{"next_cursor": ""}, {"next_cursor": 5}, {"data": nil},
			{"data": Fields{}}, {"total": 1}}},
	} {
		schema := Contract().Components.Schemas[c.schema].Value
		broken := func(record Fields) bool {
			t.Helper()
			var plain any
			if err := json.Unmarshal(Encode(t, record), &plain); err != nil {
				t.Fatal(err)
			}
			return schema.VisitJSON(plain) != nil
		}
		if broken(c.example) {
			t.Errorf("%s: the example of the document breaks it", c.schema)
		}
		for _, change := range c.broken {
			if !broken(With(c.example, change)) {
				t.Errorf("%s: %v is not found", c.schema, change)
			}
		}
		for name := range c.example {
			missing := With(c.example, nil)
			if delete(missing, name); !broken(missing) {
				t.Errorf("%s: a missing %s is not found", c.schema, name)
			}
		}
	}

	for _, c := range []struct {
		refusal, code string
		fields        Fields
		broken        bool
	}{
		{"Unpaid", "insufficient-credits", Fields{"balance": "0", "required": "1", "shortfall": "1"}, false},
		{"Unpaid", "insufficient-credits", Fields{"balance": "0", "required": "1"}, true},
		{"Unpaid", "not-found", nil, true},
		{"Blocked", "account-blocked", nil, false},
		{"Blocked", "account-blocked", Fields{"status": 400}, true},
		{"Blocked", "not-allowed", nil, true},
		{"Blocked", "cross-origin", nil, false},
		{"LoginBlocked", "cross-origin", nil, true},
		{"Unauthenticated", "session-ended", nil, false},
		{"Unauthenticated", "missing-session", nil, true},
		{"NoSession", "missing-token", nil, true},
		{"TwoCredentials", "malformed-body", nil, true},
		{"Blocked", "account-blocked", Fields{"balance": "1"}, true},
		{"Blocked", "insufficient-scope", Fields{"required_scope": "manage"}, true},
		{"NotPermitted", "insufficient-scope", Fields{"required_scope": "manage"}, false},
		{"NotPermitted", "insufficient-scope", nil, true},
		{"NotPermitted", "insufficient-scope", Fields{"required_scope": "all"}, true},
		{"NotPermitted", "beyond-own-rights", nil, true},
		{"NotPermitted", "account-blocked", Fields{"required_scope": "manage"}, true},
		{"SpendLimitReached", "spend-limit-reached",
			Fields{"limit": "1", "spent": "0", "required": "2", "resets_at": "2026-02-01T00:00:00.000Z"}, false},
		{"SpendLimitReached", "spend-limit-reached", Fields{"limit": "1", "spent": "0", "required": "2"}, true},
		{"SpendLimitReached", "spend-limit-reached",
			Fields{"limit": 1, "spent": "0", "required": "2", "resets_at": "2026-02-01T00:00:00.000Z"}, true},
		{"SpendLimitReached", "too-many-requests", Fields{"limit": "1"}, true},
		{"Unauthenticated", "key-revoked", nil, false},
		{"NoSession", "key-revoked", nil, true},
		{"InvalidQuery", "validation-failed",
			Fields{"errors": []any{Fields{"parameter": "limit", "code": "bad-value", "detail": "x"}}}, false},
		{"InvalidQuery", "validation-failed", Fields{"errors": []any{Fields{"code": "bad-value", "detail": "x"}}}, true},
		{"InvalidQuery", "validation-failed",
			Fields{"errors": []any{Fields{"parameter": "a", "pointer": "/a", "code": "bad-value", "detail": "x"}}}, true},
		{"InvalidQuery", "validation-failed",
			Fields{"errors": []any{Fields{"parameter": "limit", "code": "bad", "detail": "x"}}}, true},
		{"InvalidQuery", "validation-failed", nil, true},
		{"InvalidOrPlain", "bad-url", Fields{"errors": []any{Fields{"pointer": "/url", "code": "bad-url", "detail": "x"}}},
			false},
		{"InvalidOrPlain", "bad-url", nil, true},
		{"CursorUnknown", "cursor-unknown", Fields{"restart": "x"}, false},
		{"CursorUnknown", "cursor-unknown", nil, true},
		{"InvalidQuery", "validation-failed",
			Fields{"errors": []any{Fields{"parameter": "cursor", "code": "bad-cursor", "detail": "x"}}, "restart": "x"}, true},
		{"InvalidOrUnsold", "unknown-price",
			Fields{"errors": []any{Fields{"pointer": "/credits", "code": "unknown-price", "detail": "x"}}}, true},
	} {
		refusal := Contract().Components.Responses[c.refusal].Value.Content["application/problem+json"]
		status := refusal.Example.(map[string]any)["status"]
		problem := With(Fields{"type": "urn:resellerd:problem:" + c.code, "title": "x", "status": status, "detail": "x",
			"instance": "/", "code": c.code, "request_id": "x"}, c.fields)
		var plain any
		if err := json.Unmarshal(Encode(t, problem), &plain); err != nil {
			t.Fatal(err)
		}
		if err := refusal.Schema.Value.VisitJSON(plain); (err != nil) != c.broken {
			t.Errorf("%s %s with %v: want it found broken %t, got %v", c.refusal, c.code, c.fields, c.broken, err)
		}
	}

	conflict := func(code string, remedy any) bool {
		problem := Fields{"type": "urn:resellerd:problem:" + code, "title": "x", "status": 409, "detail": "x",
			"instance": "/", "code": code, "request_id": "x"}
		if remedy != nil {
			problem["remedy"] = remedy
		}
		var plain any
		if err := json.Unmarshal(Encode(t, problem), &plain); err != nil {
			t.Fatal(err)
		}
		refusals := Contract().Paths.Value("/lines/extend/{id}").Patch.Responses
		if code == "line-not-trial" {
			refusals = Contract().Paths.Value("/lines/active/{id}").Patch.Responses
		}
		return refusals.Value("409").Value.Content["application/problem+json"].Schema.Value.VisitJSON(plain) != nil
	}
	remedy := Fields{"method": "PATCH", "href": "/lines/extend/7"}
	for _, c := range []struct {
		code   string
		remedy any
		broken bool
	}{
		{"line-not-trial", remedy, false},
		{"line-not-trial", nil, true},
		{"line-is-trial", With(remedy, Fields{"href": "/lines/delete/7"}), true},
		{"line-is-trial", With(remedy, Fields{"method": "GET"}), true},
		{"period-too-long", nil, false},
		{"period-too-long", remedy, true},
		{"not-found", nil, true},
	} {
		if conflict(c.code, c.remedy) != c.broken {
			t.Errorf("%s with the remedy %v: want it found broken %t", c.code, c.remedy, c.broken)
		}
	}
}
