package soak

import (
	"time"

	"resellerd/test/api"
)

// job suspends and resumes the lines of the tenant, by jobs whose dry runs have counted the same.
func (w *tenant) job() {
	for _, action := range []string{"suspend", "resume"} {
		order := api.Fields{"action": action, "select": api.Fields{"filter": api.Fields{"owner": w.reseller.ID}}}
		dry := w.settle(w.master.Caller, "POST", "/bulk", api.With(order, api.Fields{"dry_run": true}), "", 200)
		count := dry.Fields["would_succeed"]
		dry.Has(api.Fields{"matched": len(w.trials) + len(w.official), "would_succeed": len(w.trials) + len(w.official),
			"total": "0"})
		a, _ := w.effect(w.master.Caller, "POST", "/bulk",
			api.With(order, api.Fields{"expect": api.Fields{"count": count, "total": "0"}}), 202)
		w.started = a.ID()
		for late := time.Now().Add(2 * time.Minute); w.jobs("").Fields["status"] == "running"; time.Sleep(
			20 * time.Millisecond) {
			if time.Now().After(late) {
				w.t.Errorf("job %d does not end", w.started)
				return
			}
		}
		w.jobs("").Has(api.Fields{"status": "done", "succeeded": count, "refused": 0, "charged": "0"})
		if got := w.jobs("/results"); len(got.List()) != len(w.trials)+len(w.official) {
			w.t.Errorf("job %d has %d results, of %v", w.started, len(got.List()), count)
		}
	}
}

// jobs reads something of the job that the tenant has started last.
func (w *tenant) jobs(what string) (a api.Answer) {
	if w.started > 0 {
		a = w.read(w.master.Caller, api.Path("/bulk", w.started, what))
	}
	return a
}
