package soak

import (
	"encoding/json"
	"slices"

	"resellerd/test/api"
)

// suspend suspends a line, whose customer is not let in, and resumes it.
func (w *tenant) suspend() {
	l := w.line()
	suspension := api.Path("/lines", l.ID, "/suspension")
	w.effect(w.reseller.Caller, "PUT", suspension, api.Fields{"reason": w.name()}, 200)
	w.settle(w.reseller.Caller, "GET", api.RowOf("letIn").At(l.Username), nil, "", 403).Has(
		api.Fields{"effective": "suspended"})
	if w.random.IntN(2) == 0 {
		w.follow(false, l.ID)
	}
	w.effect(w.reseller.Caller, "DELETE", suspension, nil, 200)
}

// follow has the master take all entitlements that there are, by which it has the lines of the tenant, and no others.
// It says whether all of them are out of service, or which of them are.
func (w *tenant) follow(all bool, out ...int64) {
	for more := true; more; {
		path := api.Query("/entitlements", "limit", 1+w.random.IntN(60))
		if w.follows == "" {
			w.served = map[int64]bool{}
		} else {
			path = api.Query("/entitlements", "limit", 1+w.random.IntN(60), "cursor", w.follows)
		}
		page := w.read(w.master.Caller, path)
		for _, e := range page.List() {
			number, _ := e.Fields["line"].(json.Number)
			id, err := number.Int64()
			if err != nil {
				w.t.Errorf("%s: %s", e.Request, e.Body)
			}
			enabled, there := e.Fields["enabled"].(bool)
			if delete(w.served, id); there {
				w.served[id] = enabled
			}
		}
		w.follows = page.Next()
		more, _ = page.Fields["has_more"].(bool)
	}
	lines := slices.Concat(w.trials, w.official)
	for _, l := range lines {
		if enabled, there := w.served[l.ID]; !there || enabled == (all || slices.Contains(out, l.ID)) {
			w.t.Errorf("line %d: who follows entitlements has it %t, enabled %t", l.ID, there, enabled)
		}
	}
	if len(w.served) != len(lines) {
		w.t.Errorf("who follows entitlements has %d lines, of %d", len(w.served), len(lines))
	}
}
