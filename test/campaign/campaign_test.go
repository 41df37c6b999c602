// Package campaign runs the whole program under load and makes it fail again and again. At the end it compares the
// records with the answers that the clients got. A campaign is a row of a table: a store, a workload, the failures and
// their number.
package campaign

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the tests again
	"resellerd/domain/journal"
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// How a campaign is run. Without -campaign.many it has its shortest form, or none.
var (
	many = flag.String("campaign.many", "", "how often something fails: a number, or a time such as 10m")
	size = flag.Int("campaign.size", 0, "how many lines, or customers, a workload has")
	seed = flag.Uint64("campaign.seed", 0, "repeats the choices of an earlier run")
)

// storage is the store that a row's processes share.
type storage int

const (
	onSQLite  storage = iota
	onMongoDB         // a database of the server that tests share
	onCluster         // a replica set of three members of its own, with relays between them
)

// row is a campaign.
type row struct {
	name      string
	store     storage
	processes int // 0: one
	settings  map[string]string
	workload  func(s *site) workload
	failures  []failure // each strikes once, and then in random order
	few       int       // how many failures the shortest form has; 0: it takes too long for make test
	small     int       // size of the workload in the shortest form
}

// workload is the work of clients, and the checks of its result.
type workload interface {
	// run has clients go on.
	run()
	// ready returns when the next failure may strike.
	ready()
	// struck checks the rules that apply once everything runs again.
	struck()
	// end stops the clients, and checks the rules that apply then.
	end()
	// concluded compares the sums of the ledger, and the whole journal, with the acknowledged requests.
	concluded(found sums, entries []journal.Numbered)
}

// failure is something that happens to a process, or to the store. Strike returns when everything runs again.
type failure struct {
	name   string
	strike func(s *site, w workload)
}

var shortTrials = map[string]string{"RESELLERD_TRIAL_DURATION": shortTrial.String()}

var rows = []row{
	{name: "kills/SQLite", workload: newCommands, failures: []failure{kill}, few: 3},
	{name: "kills/SQLite, two processes", processes: 2, workload: newCommands, failures: []failure{kill, stop}, few: 2},
	{name: "kills/MongoDB", store: onMongoDB, processes: 2, workload: newCommands,
		failures: []failure{kill, stop, pause}, few: 1},
	{name: "faults", store: onCluster, processes: 2, workload: newCommands, failures: outages},
	{name: "deliveries/SQLite", settings: shortTrials, workload: newWebhooks,
		failures: []failure{kill, kill, night}, few: 1},
	{name: "deliveries/SQLite, two processes", processes: 2, settings: shortTrials, workload: newWebhooks,
		failures: []failure{overtake, stop, kill}},
	{name: "deliveries/MongoDB", store: onMongoDB, processes: 2, settings: shortTrials, workload: newWebhooks,
		failures: []failure{kill, overtake, stop, kill, night}, few: 1},
	{name: "jobs/SQLite", workload: newJobs, failures: []failure{kill}, few: 1, small: 60},
	{name: "jobs/MongoDB", store: onMongoDB, processes: 2, workload: newJobs, failures: []failure{kill}, few: 1,
		small: 60},
	{name: "followers/SQLite", workload: newFollowers, failures: []failure{kill}, few: 2},
	{name: "followers/MongoDB", store: onMongoDB, workload: newFollowers, failures: []failure{kill}, few: 1},
	{name: "moves/SQLite", workload: newMoves, failures: []failure{kill}, few: 2, small: 100},
	{name: "moves/MongoDB", store: onMongoDB, workload: newMoves, failures: []failure{kill}, few: 1, small: 100},
	{name: "prices/SQLite", processes: 2, workload: newPrices, failures: []failure{kill}, few: 1, small: 4},
	{name: "prices/MongoDB", store: onMongoDB, processes: 2, workload: newPrices, failures: []failure{kill}, few: 1,
		small: 4},
	{name: "soak/SQLite", workload: newSoak, failures: []failure{restart}},
}

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(mongotest.Main(suite{m})) }

// suite is the tests with the program.
type suite struct{ *testing.M }

// Run implements mongotest.Suite.
func (s suite) Run() int { return program.Main(s.M) }

// TestCampaign runs the rows.
func TestCampaign(t *testing.T) {
	t.Parallel()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.run(t)
		})
	}
}

// long reports whether the campaign has more than its shortest form.
func long() bool { return *many != "" }

// size returns that of the row's workload.
func (s *site) size() int {
	if *size > 0 {
		return *size
	}
	return s.row.small
}

// strikes returns the number of failures, or the time for which they occur.
func (r *row) strikes(t *testing.T) (count int, lasting time.Duration) {
	t.Helper()
	if !long() {
		if r.few == 0 {
			name, _, _ := strings.Cut(r.name, "/")
			t.Skip("takes a minute or more: make " + name + " runs it")
		}
		return r.few, 0
	}
	count, err := strconv.Atoi(*many)
	if err != nil {
		count = 0
		lasting, err = time.ParseDuration(*many)
	}
	if err != nil {
		t.Fatalf("-campaign.many: %v", err)
	}
	return count, lasting
}

func (r *row) run(t *testing.T) {
	count, lasting := r.strikes(t)
	from := *seed
	if from == 0 {
		from = rand.Uint64()
	}
	t.Logf("seed %d", from)
	s := newSite(t, r, from)
	r = s.row // limited to the abilities of this machine
	w := r.workload(s)
	w.run()
	done := map[string]int{}
	var order []failure
	began := s.now()
	for n := 0; n < count || s.now()-began < lasting; n++ {
		if len(order) == 0 {
			order = append(order, r.failures...)
			if n > 0 || long() {
				s.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			}
		}
		w.ready()
		f := order[0]
		order = order[1:]
		if s.cluster != nil {
			s.progress("%s", f.name)
		}
		f.strike(s, w)
		if done[f.name]++; t.Failed() {
			return
		}
		w.struck()
		if n%100 == 99 {
			s.progress("%d failures", n+1)
		}
	}
	w.end()
	w.concluded(s.conclude())
	t.Logf("%v, in %s", done, s.now().Round(time.Second))
}
