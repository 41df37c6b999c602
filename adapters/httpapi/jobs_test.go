package httpapi_test

import (
	"fmt"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestFilters sends each value of a filter as a number, a truth value or a text; other types are refused.
func TestFilters(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	v.Master.Send(t, "PUT", api.Path("/lines", v.Trial.ID, "/suspension"), nil).Is(200)
	dry := func(filter any) answer {
		return v.Master.Send(t, "POST", "/bulk",
			fields{"action": "resume", "dry_run": true, "select": fields{"filter": filter}})
	}
	for _, c := range []struct {
		filter  fields
		matched int
	}{
		{fields{"owner": nil, "suspended": nil}, 2},
		{fields{"owner": fmt.Sprint(v.Seller.ID)}, 2}, {fields{"owner": v.Master.ID}, 0}, {fields{"tree": v.Master.ID}, 2},
		{fields{"suspended": "true"}, 1}, {fields{"suspended": false, "isTrial": 1}, 0}, {fields{"status": true}, 1},
		{fields{"effective": "suspended"}, 1}, {fields{"username": v.Line.Username}, 1}, {fields{"q": v.Line.Username}, 1},
		{fields{"external_id": 7}, 0}, {fields{"q": "\u0301"}, 0}, // accents alone
		{fields{"expires_before": "2000-01-01T00:00:00Z"}, 0}, {fields{"expires_after": "2000-01-01T00:00:00Z"}, 2},
	} {
		dry(c.filter).Is(200).Has(fields{"matched": c.matched, "would_succeed": c.matched, "total": "0"})
	}
	for _, c := range []struct {
		filter fields
		want   map[string]string
	}{
		{fields{"Owner": 2, "limit": 5}, map[string]string{"Owner": "unknown-filter", "limit": "unknown-filter"}},
		{fields{"owner": 0, "tree": []int{1}}, map[string]string{"owner": "bad-value", "tree": "wrong-type"}},
		{fields{"username": "", "q": " "}, map[string]string{"username": "required", "q": "required"}},
		{fields{"status": 2, "effective": "gone", "expires_after": "soon"},
			map[string]string{"status": "bad-value", "effective": "bad-value", "expires_after": "bad-time"}},
	} {
		want := map[string]string{}
		for name, code := range c.want {
			want["select/filter/"+name] = code
		}
		dry(c.filter).Invalid("validation-failed", want)
	}
}

// TestInvalidFieldsOfABulkJobAreNamed within its objects.
func TestInvalidFieldsOfABulkJobAreNamed(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	many := make([]int64, 501)
	for i := range many {
		many[i] = int64(i + 1)
	}
	order := func(action string, changes fields) fields {
		return api.With(fields{"action": action, "select": fields{"ids": []int64{v.Line.ID}}, "dry_run": true}, changes)
	}
	for _, c := range []struct {
		body fields
		want map[string]string
	}{
		{order("extend", nil), map[string]string{"params/credits": "required"}},
		{order("details", fields{"params": fields{"external_id": "crm-1"}}), map[string]string{"params": "required"}},
		{order("details", fields{"params": fields{"email": "nobody", "country": nil, "username": "x", "password": 7}}),
			map[string]string{"params/email": "bad-email", "params/country": "required", "params/username": "bad-value",
				"params/password": "bad-value"}},
		{order("resume", fields{"select": fields{"ids": many}}), map[string]string{"select/ids": "bad-value"}},
		{order("resume", fields{"dry_run": false, "expect": fields{"count": 1_000_001, "total": "x"}}),
			map[string]string{"expect/count": "bad-value", "expect/total": "not-a-number"}},
	} {
		v.Master.Send(t, "POST", "/bulk", c.body).Invalid("validation-failed", c.want)
	}
	v.Master.Send(t, "POST", "/bulk", order("extend", fields{"params": fields{"credits": 4}})).
		Is(200).Has(fields{"would_succeed": 0, "total": "0"})
	v.Master.Send(t, "POST", "/bulk", order("resume", fields{"select": fields{"ids": many[:500]}})).Is(200).
		Has(fields{"matched": 500})
	v.Unchanged(t)
}

// TestScopesOfABulkJob depend on its action.
func TestScopesOfABulkJob(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	params := fields{"credits": 0.5, "notes": "known"}
	scopes := map[string]string{"extend": "lines:spend", "delete": "lines:delete", "suspend": "lines:write",
		"resume": "lines:write", "details": "lines:write"}
	for action, scope := range scopes {
		body := fields{"action": action, "select": fields{"ids": []int64{v.Line.ID}}, "params": params, "dry_run": true}
		v.Master.Scoped(t, scope).Send(t, "POST", "/bulk", body).Is(200)
		all := []string{"lines:read", "manage"}
		for _, other := range scopes {
			if other != scope {
				all = append(all, other)
			}
		}
		v.Master.Scoped(t, all...).Send(t, "POST", "/bulk", body).Refused(403, "insufficient-scope").Has(
			fields{"required_scope": scope})
	}
	job := v.Master.StartJob(t, v.Line.ID, nil).ID() // a caller that reads jobs may stop them
	v.Master.Scoped(t, "lines:read").Send(t, "DELETE", api.Path("/bulk", job), nil).Is(200).Has(
		fields{"status": "stopped"})
	expect.Elements(t, v.Master.Walk(t, "/bulk"), []int64{job, v.Master.Job}, "jobs, page by page")
}
