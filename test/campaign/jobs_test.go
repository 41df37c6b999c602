package campaign

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"resellerd/domain/journal"
	"resellerd/test/api"
)

// jobs is the workload of one bulk job that extends all lines of a master: each is charged once, and all that the dry
// run counted.
type jobs struct {
	*client
	master   api.Reseller
	expected api.Fields // the order
	dry      outcomeOfJob
	job      int64
	under    string // its key
	kills    int
}

// outcomeOfJob is the result of a dry run.
type outcomeOfJob struct {
	WouldSucceed  int `json:"would_succeed"`
	Total         string
	BalancesAfter map[string]string `json:"balances_after"`
}

func newJobs(s *site) workload {
	j := &jobs{client: s.client("job"), master: s.admin.Master(s.t, "1000000")}
	const most = 500 // lines of an import
	for from := 0; from < s.size(); from += most {
		var rows strings.Builder
		for i := from; i < min(from+most, s.size()); i++ {
			fmt.Fprintf(&rows,
				`{"external_id":"l-%d","username":"line.%d","password":"a password","owner":%d,"expDate":%q}`+"\n", i, i,
				j.master.ID, time.Now().AddDate(0, 1, 0).UTC().Format(api.ISOMillis))
		}
		s.admin.Send(s.t, "POST", "/imports/lines", rows.String()).Is(http.StatusOK)
	}
	return j
}

func (j *jobs) order(more api.Fields) api.Fields {
	return api.With(api.Fields{"action": "extend", "select": api.Fields{"filter": api.Fields{"isTrial": 0}},
		"params": api.Fields{"credits": 0.5}}, more)
}

// progressOfJob is the progress that a job shows.
type progressOfJob struct {
	Status, Charged string
	Done, Succeeded int
}

func (j *jobs) shows(job int64) (p progressOfJob) {
	a, _ := j.settle(j.master.Caller, "GET", api.Path("/bulk", job), nil)
	j.decode(a.Body, &p)
	return p
}

// run implements workload.
func (j *jobs) run() {
	a, _ := j.settle(j.master.Caller, "POST", "/bulk", j.order(api.Fields{"dry_run": true}))
	j.decode(a.Body, &j.dry)
	if j.dry.WouldSucceed != j.size() {
		j.t.Fatalf("the dry run is %s, of %d lines", a.Body, j.size())
	}
	j.expected = j.order(api.Fields{"expect": api.Fields{"count": j.size(), "total": j.dry.Total}})
	a, _ = j.settle(j.master.Caller, "POST", "/bulk", j.expected)
	j.job, j.under = a.ID(), j.key()
}

// ready implements workload: the failures strike while the job works, one after the other.
func (j *jobs) ready() {
	count, _ := j.row.strikes(j.t)
	j.kills++
	j.until("the job", func() bool {
		p := j.shows(j.job)
		return p.Status != "running" || p.Done >= j.size()*j.kills/(count+2)
	})
}

func (j *jobs) struck() {}

// end implements workload.
func (j *jobs) end() {
	j.t.Helper()
	j.master.On(j.at(j.random)).Send(j.t, "POST", "/bulk", j.expected, "Idempotency-Key", j.under).Is(
		http.StatusAccepted).Replayed(true)
	var is progressOfJob
	j.until("the end of the job", func() bool { is = j.shows(j.job); return is.Status != "running" })
	if is.Status != "done" || is.Done != j.size() || is.Succeeded != j.size() || is.Charged != j.dry.Total {
		j.t.Errorf("the job is %+v, and the dry run was %+v", is, j.dry)
	}
	if got, want := j.master.On(j.at(j.random)).Credits(j.t), j.dry.BalancesAfter[j.master.Name()]; got != want {
		j.t.Errorf("the account has %s, and the dry run said %s", got, want)
	}
}

// concluded implements workload: the journal has one extension of each line.
func (j *jobs) concluded(_ sums, entries []journal.Numbered) {
	extensions := map[int64]int{}
	for _, e := range entries {
		if e.Type == journal.LineExtended {
			if extensions[e.Line]++; extensions[e.Line] > 1 {
				j.fail("line %d was charged %d times", e.Line, extensions[e.Line])
			}
		}
	}
	if len(extensions) != j.size() {
		j.t.Errorf("%d lines were charged, of %d", len(extensions), j.size())
	}
}
