package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"resellerd/test/api"
)

// shop is a master with some official lines, on a server that others use too.
type shop struct {
	api.Reseller
	t     *testing.T
	lines []int64
}

func newShop(t *testing.T, srv *server, lines int, credits string) *shop {
	t.Helper()
	s := &shop{Reseller: srv.Admin(t).Master(t, credits), t: t}
	for range lines {
		s.lines = append(s.lines, s.Official(t).ID)
	}
	return s
}

// extension is an order to extend all lines by half a credit.
func extension(changes fields) fields {
	return api.With(fields{"action": "extend", "select": fields{"filter": fields{"isTrial": 0}},
		"params": fields{"credits": "0.5"}}, changes)
}

// ended waits for the end of a job.
func ended(t *testing.T, by api.Caller, id int64) answer {
	t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		a := by.Get(t, api.Path("/bulk", id))
		if a.Text("status") != "running" || time.Now().After(late) {
			return a
		}
	}
}

// codes returns the codes of the results of a job, by how many lines have them.
func codes(t *testing.T, by api.Caller, id int64) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, row := range by.Get(t, api.Path("/bulk", id, "/results")).List() {
		all[fmt.Sprint(row.Fields["code"])]++
	}
	return all
}

func TestAJobIsWhatItsDryRunShows(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		of := newShop(t, srv, 12, "8") // of which they have cost 0.5 each: for four there is enough
		dry := of.Send(t, "POST", "/bulk", extension(fields{"dry_run": true})).Is(http.StatusOK)
		dry.Exactly(fields{
			"matched": 12, "would_succeed": 4, "refused": map[string]any{"insufficient-credits": json.Number("8")}, "total": "2",
			"balances_after": map[string]any{of.Name(): "0"},
		})
		of.Send(t, "POST", "/bulk", extension(nil)).Invalid("validation-failed", map[string]string{"expect": "required"})
		of.Send(t, "POST", "/bulk", extension(fields{"expect": fields{"count": 5, "total": "2"}})).Refused(
			http.StatusConflict, "selection-changed")
		of.Send(t, "POST", "/bulk", extension(fields{"expect": fields{"count": 4, "total": "2.5"}})).Refused(
			http.StatusConflict, "selection-changed")
		if got := of.Credits(t); got != "2" {
			t.Errorf("what was refused leaves %s credits, want 2", got)
		}
		expected := extension(fields{"expect": fields{"count": 4, "total": "2"}})
		job := of.Send(t, "POST", "/bulk", expected, "Idempotency-Key", "a-job").Is(http.StatusAccepted)
		again := of.Send(t, "POST", "/bulk", expected, "Idempotency-Key", "a-job").Is(http.StatusAccepted).Replayed(true)
		again.Same(job)
		done := ended(t, of.Caller, job.ID())
		done.Has(fields{"status": "done", "matched": 12, "done": 12, "succeeded": 4, "refused": 8, "charged": "2",
			"outcome": nil, "dry_run": false})
		if got := of.Credits(t); got != "0" {
			t.Errorf("the job leaves %s credits", got)
		}
		if got := fmt.Sprint(codes(t, of.Caller, job.ID())); got != "map[<nil>:4 insufficient-credits:8]" {
			t.Errorf("the results are %s", got)
		}
		of.Send(t, "POST", "/bulk", expected, "Idempotency-Key", "a-job").Is(http.StatusAccepted).Replayed(true).Same(job)
		told := of.Get(t, "/events?type=bulk.finished&wait=9").List()
		if len(told) != 1 || told[0].Fields["data"].(map[string]any)["status"] != "done" {
			t.Errorf("it is told of by %v", told)
		}
		srv.Admin(t).Send(t, "GET", api.Path("/bulk", job.ID()), nil).Refused(http.StatusNotFound, "not-found")
	})
}

func TestAJobByAKey(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		of := newShop(t, sharedServer(t, s), 40, "100")
		made := of.MakeKey(t, fields{"role": "cashier", "spend_limit": fields{"credits": "2", "per": "day"}})
		till := of.Server.As(made.Text("key"))
		till.Send(t, "POST", "/bulk", extension(fields{"action": "delete", "dry_run": true})).Refused(http.StatusForbidden,
			"insufficient-scope").Has(fields{"required_scope": "lines:delete"})
		till.Send(t, "POST", "/bulk", extension(fields{"dry_run": true})).Is(http.StatusOK).Has(
			fields{"would_succeed": 4, "total": "2"})
		id := till.Send(t, "POST", "/bulk", extension(fields{"expect": fields{"count": 4, "total": "2"}})).Is(
			http.StatusAccepted).ID()
		ended(t, of.Caller, id).Has(fields{"status": "done", "succeeded": 4, "refused": 36, "charged": "2"})
		if got := codes(t, of.Caller, id)["spend-limit-reached"]; got != 36 {
			t.Errorf("%d lines were refused for the limit", got)
		}

		// A key that is revoked while its job goes on, wherever that is by then.
		made = of.MakeKey(t, fields{"role": "manager"})
		id = of.Server.As(made.Text("key")).Send(t, "POST", "/bulk",
			extension(fields{"expect": fields{"count": 40, "total": "20"}})).Is(http.StatusAccepted).ID()
		of.Send(t, "DELETE", api.Path("/keys", made.ID()), nil).Is(http.StatusOK)
		a := ended(t, of.Caller, id).Has(fields{"status": "done", "done": 40})
		got := codes(t, of.Caller, id)
		if got["<nil>"]+got["key-revoked"] != 40 || fmt.Sprint(a.Fields["refused"]) != fmt.Sprint(got["key-revoked"]) {
			t.Errorf("the results are %v, and the job is %s", got, a.Body)
		}
	})
}

func TestAJobThatIsStopped(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		of := newShop(t, sharedServer(t, s), 60, "100")
		id := of.Send(t, "POST", "/bulk", extension(fields{"expect": fields{"count": 60, "total": "30"}})).Is(
			http.StatusAccepted).ID()
		stopped := of.Send(t, "DELETE", api.Path("/bulk", id), nil).Is(http.StatusOK)
		time.Sleep(100 * time.Millisecond) // for what would go on
		now := ended(t, of.Caller, id)
		now.Has(fields{"status": stopped.Fields["status"], "done": stopped.Fields["done"],
			"charged": stopped.Fields["charged"]})
		if got := codes(t, of.Caller, id); fmt.Sprint(got["<nil>"]) != fmt.Sprint(stopped.Fields["succeeded"]) ||
			len(got) > 1 {
			t.Errorf("the results are %v, and the job is %s", got, stopped.Body)
		}
		of.Send(t, "DELETE", api.Path("/bulk", id), nil).Is(http.StatusOK)
	})
}

// TestAJobOutlivesItsProcess kills the process while it works on a job, and starts another one. test/jobs does so
// often.
func TestAJobOutlivesItsProcess(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		of := newShop(t, srv, 80, "100")
		id := of.Send(t, "POST", "/bulk", extension(fields{"expect": fields{"count": 80, "total": "40"}})).Is(
			http.StatusAccepted).ID()
		srv.Kill()
		srv.start(t)
		ended(t, of.Caller, id).Has(fields{"status": "done", "succeeded": 80, "refused": 0, "charged": "40"})
		if got := of.Credits(t); got != "20" {
			t.Errorf("the job leaves %s credits, want 20", got)
		}
		srv.stopAndAudit(t)
	})
}
