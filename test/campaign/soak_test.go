package campaign

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// soak is the workload of a business, and of tenants that use every operation of the OpenAPI document, with the example
// of its row. The memory of the process, its goroutines, its open files and the WAL must not grow.
type soak struct {
	*business
	hooks   string // address of a receiver
	running sync.RWMutex
	seen    []segment
}

func newSoak(s *site) workload {
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	s.t.Cleanup(receiver.Close)
	return &soak{business: newBusiness(s), hooks: receiver.URL}
}

// run implements workload.
func (s *soak) run() {
	s.business.run()
	for range 8 {
		random := s.client("tenant").random
		s.work.Go(func() {
			for !s.ended.Load() && s.failures.Load() == 0 {
				s.tenant(random)
			}
		})
	}
}

// tenant makes a master with the records that operations are about, and requests operations at random. Some operations
// remove records that the next ones need, so it soon continues with another master.
func (s *soak) tenant(random *rand.Rand) {
	// together keeps the process from restarting while do runs: the business workload covers restarts.
	together := func(do func()) {
		s.running.RLock()
		defer s.running.RUnlock()
		do()
	}
	var f api.Fixture
	var session api.Caller
	together(func() {
		f = api.NewFixture(s.t, s.processes[0].at.Load())
		f.Master.Send(s.t, "DELETE", api.Path("/webhooks", f.Master.Webhook), nil).Is(http.StatusOK) // no server is at its address
		f.Master.Webhook = f.Master.MakeWebhook(s.t, api.Fields{"url": s.hooks}).ID()
		session = f.Master.SignIn(s.t).Caller
	})
	table := api.Table()
	for range 100 {
		r := table[random.IntN(len(table))]
		by := map[api.Right]api.Caller{api.Anybody: f.Admin.Server.Nobody(), api.Browser: session,
			api.Account: f.Master.Caller, api.Master: f.Master.Caller, api.Operator: f.Admin}[r.For]
		together(func() {
			op := f.Operation(r.ID)
			a := op.By(s.t, by.On(s.processes[0].at.Load()))
			if a.Status >= http.StatusInternalServerError && a.Status != http.StatusServiceUnavailable {
				s.fail("%s: %d %s", a.Request, a.Status, a.Body)
			}
		})
		s.requests.Add(1)
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
	}
}

// ready implements workload: it watches the process for a segment of the whole time.
func (s *soak) ready() {
	const restartEvery = 10 * time.Minute
	_, all := s.row.strikes(s.t)
	s.seen = append(s.seen, s.watch(all/max(2, all/restartEvery)))
}

// end implements workload.
func (s *soak) end() {
	s.t.Helper()
	_, all := s.row.strikes(s.t)
	s.seen = append(s.seen, s.watch(all/time.Duration(2*max(1, len(s.seen)))))
	s.close()
	s.flat(all/time.Duration(len(s.seen)) >= 3*time.Minute)
	s.t.Logf("%d requests", s.requests.Load())
}

// looks are the figures of a process that must not grow, and the allowed growth of each.
var looks = []struct {
	name, metric string
	mayGrow      func(from float64) float64
}{
	{"memory", "process_resident_memory_bytes", func(from float64) float64 { return from*0.15 + 8<<20 }},
	{"goroutines", "go_goroutines", func(from float64) float64 { return from*0.1 + 16 }},
	{"open files", "process_open_fds", func(float64) float64 { return 8 }},
	{"WAL", "resellerd_store_wal_bytes", func(from float64) float64 { return from*0.5 + 8<<20 }},
}

// segment has the medians of the second and of the last third of a process's time, by the looks.
type segment struct{ middle, last []float64 }

// watch samples the figures of the program for some time.
func (s *soak) watch(lasting time.Duration) segment {
	const samples = 90
	seen := make([][]float64, len(looks))
	look := time.NewTicker(max(time.Millisecond, lasting/samples))
	defer look.Stop()
	for range samples {
		<-look.C
		metrics, err := s.processes[0].Metrics()
		if err != nil {
			s.fail("the figures of the program: %v", err)
			continue
		}
		for i, l := range looks {
			if value, err := program.Figure(metrics, l.metric); err == nil {
				seen[i] = append(seen[i], value)
			} else if runtime.GOOS == "linux" {
				s.fail("%v", err)
			}
		}
	}
	var g segment
	for _, values := range seen {
		third := len(values) / 3
		g.middle, g.last = append(g.middle, median(values[third:2*third])), append(g.last, median(values[2*third:]))
	}
	return g
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	if len(values) == 0 {
		return 0
	}
	return values[len(values)/2]
}

// flat expects that nothing grows: neither in a process's time nor from the first process to the last. Processes that
// ran for a short time are not judged by their memory.
func (s *soak) flat(memoryToo bool) {
	s.t.Helper()
	for i, l := range looks {
		grows := func(what string, from, to float64) {
			if to > from+l.mayGrow(from) && (i > 0 || memoryToo) {
				s.t.Errorf("%s: %s grows from %.0f to %.0f", what, l.name, from, to)
			}
		}
		for _, g := range s.seen {
			grows("a process", g.middle[i], g.last[i])
		}
		grows("from the first process to the last", s.seen[0].last[i], s.seen[len(s.seen)-1].last[i])
		s.t.Logf("%s at first %.4g, at last %.4g", l.name, s.seen[0].last[i], s.seen[len(s.seen)-1].last[i])
	}
}

// restart ends the process in order, or kills it.
var restart = failure{"the process is restarted", func(s *site, w workload) {
	running := &w.(*soak).running
	running.Lock()
	defer running.Unlock()
	[]failure{stop, kill}[rand.IntN(2)].strike(s, w)
}}
