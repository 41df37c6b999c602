package storetest

import (
	"slices"
	"strconv"

	"resellerd/domain/reseller"
	"resellerd/ports"
)

// beside opens the store as a second process does.
func (w *harness) beside() *harness {
	other, err := w.besides()
	w.must(err, "open the store in a second process")
	return other
}

// besides tries to open the store as a second process does.
func (w *harness) besides() (*harness, error) {
	if w.subject.Beside == nil {
		w.Fatalf("the subject has no Beside: no second process can be tried")
	}
	store, err := w.subject.Beside(w.T, w.store)
	if err != nil {
		return nil, err
	}
	other := &harness{T: w.T, ctx: w.ctx, subject: w.subject, store: store, audited: w.audited}
	w.Cleanup(other.close)
	return other, nil
}

// secondProcessChecks check every durable store: it supports a second process or refuses it.
var secondProcessChecks = []Check{{"a-second-process-shares-the-records-or-is-refused", proves{"S8"}, func(w *harness) {
	root := w.admin("root")
	var accounts []reseller.State
	other, err := w.besides()
	if _, refuses := w.subject.Lacks[Sharing]; refuses {
		if err == nil {
			w.Fatalf("a second process opened a store that lacks sharing")
		}
		accounts = append(accounts, w.master(root, "after-the-refusal", 5).State())
	} else {
		w.must(err, "open the store in a second process: one that refuses it lacks Sharing")
		for i, process := range []*harness{other, w, other, w} {
			accounts = append(accounts, process.master(root, "account"+strconv.Itoa(i), 5).State())
		}
		other.close()
	}
	w.reopen()
	for _, s := range accounts {
		w.seesReseller(s)
	}
}}}

// sharingChecks check a store that two processes have open.
var sharingChecks = []Check{
	{"transfers-in-two-processes-lose-nothing", proves{"U7"}, func(w *harness) { w.transferTogether(func() {}, w, w.beside()) }},
	{"ids-are-unique-among-two-processes", proves{"I2"}, func(w *harness) { w.idsTogether(w, w.beside()) }},
	{"one-of-many-in-two-processes-takes-a-name", proves{"R13", "L12"},
		func(w *harness) { w.takeNameTogether(w, w.beside()) }},
	{"one-key-in-two-processes-has-one-effect", proves{"K4"}, func(w *harness) { w.useKeyTogether(w, w.beside()) }},
	{"two-processes-record-one-service-key", proves{"F1"}, func(w *harness) { w.claimTogether(w, w.beside()) }},
	{"processes-have-the-same-records", proves{"D3", "D4", "D6", "D7", "D8", "D9", "D10", "D11"}, (*harness).sharesKinds},
	{"processes-follow-each-others-entries", proves{"J2", "J3", "J4", "J6", "J19"},
		func(w *harness) { w.follow(w, w.beside()) }},
}

// idsTogether takes ids at once.
func (w *harness) idsTogether(processes ...*harness) {
	const each = 10 * rounds
	for _, of := range ports.Sequences() {
		got := make([][]int64, workers)
		w.mustParallel(func(worker int) error {
			for range each {
				id, err := processes[worker%len(processes)].store.NextID(w.ctx, of)
				if err != nil {
					return err
				}
				got[worker] = append(got[worker], id)
			}
			return nil
		})
		seen := map[int64]bool{}
		for _, ids := range got {
			last := int64(0)
			for _, id := range ids {
				if seen[id] || id <= last {
					w.Fatalf("%s: got id %d after %d, twice: %t", of, id, last, seen[id])
				}
				seen[id], last = true, id
			}
		}
	}
}

// claimTogether claims the store for several service keys at once.
func (w *harness) claimTogether(processes ...*harness) {
	got := make([]string, workers)
	w.mustParallel(func(i int) (err error) {
		got[i], err = processes[i%len(processes)].store.ClaimKey(w.ctx, string(rune('a'+i)))
		return err
	})
	for _, process := range processes {
		process.claims("late", got[0])
	}
	w.same(got, slices.Repeat(got[:1], workers), "what claims at once got")
}
