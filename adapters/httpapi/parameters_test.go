package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// ignoreQuery are the operations that ignore their query: the operations of the contract, health checks and the
// document.
var ignoreQuery = []string{
	"issueToken", "createReseller", "updateReseller", "addCredits", "createTrial", "activateLine", "editLine",
	"deleteLine",
	"getHealth", "getReadiness", "getDescription",
}

// TestUnknownParametersAreRefused sends an unknown parameter to each operation. The refusal names the parameters of the
// operation, as in the document.
func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	session := srv.SignIn(t, api.AdminName, api.AdminPassword)
	for _, row := range api.Table() {
		op, by := v.Operation(row.ID), v.Admin
		if row.For == api.Browser {
			by = session
		}
		if row.Of == api.ASession {
			op.Path = row.At(strings.Repeat("a", 32))
		}
		path := op.Path + "?no_such=1"
		if row.Query != "" {
			path = op.Path + "&no_such=1"
		}
		got := by.Send(t, row.Method, path, op.Body)
		if slices.Contains(ignoreQuery, row.ID) {
			expect.Equal(t, got.Status < 300, true, "%s: the query is ignored: %s", got.Request, got.Body)
			continue
		}
		var documented []string
		for _, p := range api.Contract().Route(row.Method, row.Path).Operation.Parameters {
			if p.Value.In == "query" {
				documented = append(documented, p.Value.Name)
			}
		}
		detail := detailOf(got.Invalid("unknown-parameter", map[string]string{"?no_such": "unknown-parameter"}))
		_, list, _ := strings.Cut(strings.TrimSuffix(detail, "."), "parameters are: ")
		named := slices.Sorted(slices.Values(strings.Split(list, ", ")))
		if documented == nil {
			named, documented = []string{detail}, []string{`"no_such" is unknown: this operation takes no query parameters.`}
		}
		slices.Sort(documented)
		expect.Elements(t, named, documented, "%s: the refusal names", got.Request)
	}
}

// detailOf returns the detail of the first invalid field.
func detailOf(a answer) string {
	list, _ := a.Fields["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	first, _ := list[0].(map[string]any)
	detail, _ := first["detail"].(string)
	return detail
}

// TestARepeatedParameterHasOneValue, except for the type of events, which may have several.
func TestARepeatedParameterHasOneValue(t *testing.T) {
	t.Parallel()
	r := serve(t).Admin(t).Reseller(t, "0")
	r.Get(t, "/lines?status=1&status=1&limit=5&limit=5")
	for path, name := range map[string]string{"/lines?status=1&status=0": "status", "/lines?owner=&owner=2": "owner"} {
		a := r.Send(t, "GET", path, nil).Invalid("validation-failed", map[string]string{"?" + name: "bad-value"})
		expect.Equal(t, detailOf(a), "This is given more than once, with different values.", "%s", a.Request)
	}
}

// TestBoundsOfParametersAreAccepted sends the bounds of each parameter in the document, and each value that the
// document lists. TestBadQueries sends values beyond them.
func TestBoundsOfParametersAreAccepted(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	for _, row := range api.Table() {
		op := v.Operation(row.ID)
		if row.Method != http.MethodGet || row.For == api.Browser {
			continue
		}
		path, _, _ := strings.Cut(op.Path, "?")
		for _, p := range api.Contract().Route(row.Method, row.Path).Operation.Parameters {
			s := p.Value.Schema.Value
			if p.Value.In != "query" || p.Value.Required {
				continue
			}
			values := slices.Clone(s.Enum)
			for _, bound := range []*float64{s.Min, s.Max} {
				if bound != nil && (bound != s.Min || s.Format != "int64" && !s.ExclusiveMin.IsTrue()) { // no account is number 0
					values = append(values, int64(*bound))
				}
			}
			if s.Type.Is("boolean") {
				values = append(values, true, false)
			}
			for _, value := range values {
				if p.Value.Name == "wait" && value != int64(0) {
					continue
				}
				got := v.Admin.Send(t, row.Method, api.Query(path, p.Value.Name, value), op.Body)
				expect.Equal(t, got.Status != http.StatusUnprocessableEntity, true, "%s: %s", got.Request, got.Body)
			}
		}
	}
}
