package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/adapters/mongostore"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

const (
	secret = "7f1de0a8c3b64955b21e08d4a6f37c90112233445566778899aabbccddeeff00"
	// mostMemory bounds what a process may hold, whatever the job: some hundred bytes a line, beside what any takes.
	mostMemory = 512 << 20
	// pace is how often a single call is measured.
	pace = 10 * time.Millisecond
)

func TestAJobOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := t.TempDir() + "/resellerd.db"
		outlives(t, 1, "sqlite:"+path, func(ctx context.Context) (store, error) { return sqlitestore.Open(ctx, path) })
	})
	t.Run("MongoDB", func(t *testing.T) {
		t.Parallel()
		uri := mongotest.URI(t)
		outlives(t, 2, uri, func(ctx context.Context) (store, error) { return mongostore.Open(ctx, uri) })
	})
}

// store can be looked into.
type store interface {
	ports.Store
	ports.Archive
}

func outlives(t *testing.T, processes int, address string, open func(ctx context.Context) (store, error)) {
	lines, kills, long := size(t)
	s := &site{t: t, open: open}
	for range processes {
		s.processes = append(s.processes,
			program.New(t, map[string]string{"RESELLERD_STORE": address, "RESELLERD_SECRET": secret}, program.CheapPasswords,
				program.QuickSettling))
	}
	s.at = make([]atomic.Pointer[api.Service], processes)
	s.launch(0)
	s.master = s.any().Admin(t).Master(t, "1000000")
	if err := s.processes[0].Stop(); err != nil {
		t.Fatal(err)
	}
	s.fill(lines)
	for i := range s.processes {
		s.launch(i)
	}
	single := s.ask("POST", "/lines/test", nil, 201).ID()
	alone := s.measured(single, long, nil)

	order := api.Fields{"action": "extend", "select": api.Fields{"filter": api.Fields{"isTrial": 0}},
		"params": api.Fields{"credits": 0.5}}
	began := time.Now()
	outcome := s.outcome(order)
	t.Logf("a dry run of %d lines took %s", lines, time.Since(began).Round(time.Millisecond))
	if outcome["would_succeed"] != fmt.Sprint(lines) {
		t.Fatalf("the dry run says %v of %d lines", outcome, lines)
	}
	expected := api.With(order, api.Fields{"expect": api.Fields{"count": lines, "total": outcome["total"]}})
	began = time.Now()
	job := s.ask("POST", "/bulk", expected, 202, "Idempotency-Key", "the-job").ID()
	t.Logf("its start took %s", time.Since(began).Round(time.Millisecond))
	began = time.Now()

	var done atomic.Bool
	beside := make(chan []time.Duration)
	go func() { beside <- s.measured(single, long, &done) }()
	for kill := range kills {
		for s.job(job).done < lines*(kill+1)/(kills+2) {
			time.Sleep(20 * time.Millisecond)
		}
		at := s.working()
		s.processes[at].Kill()
		api.Client.CloseIdleConnections()
		if processes > 1 { // another one goes on with it
			for was := s.job(job).done; s.job(job).done == was; time.Sleep(20 * time.Millisecond) {
			}
		}
		s.launch(at)
	}
	s.ask("POST", "/bulk", expected, 202, "Idempotency-Key", "the-job").Replayed(true)
	var is progress
	for is = s.job(job); is.status == "running"; is = s.job(job) {
		time.Sleep(50 * time.Millisecond)
	}
	took := time.Since(began)
	done.Store(true)
	t.Logf("the job took %s, with %d kills: %.0f lines a second", took.Round(time.Millisecond), kills,
		float64(lines)/took.Seconds())
	meanwhile := <-beside
	t.Logf("single calls: p99 %s alone and %s beside the job, %.1f times as long (p50 %s and %s)",
		among(alone, 99), among(meanwhile, 99), float64(among(meanwhile, 99))/float64(among(alone, 99)), among(alone, 50),
		among(meanwhile, 50))
	if is.status != "done" || is.done != lines || is.succeeded != lines || is.charged != outcome["total"] {
		t.Errorf("the job is %+v, and the dry run said %v", is, outcome)
	}
	if got := s.master.On(s.any()).Credits(t); got != outcome["left"] {
		t.Errorf("the account has %s, and the dry run said %s", got, outcome["left"])
	}
	results, succeeded := s.results(job)
	if results != lines || succeeded != lines {
		t.Errorf("there are %d results, %d of which succeeded, of %d lines", results, succeeded, lines)
	}
	for _, p := range s.processes {
		if _, most, known := p.Memory(); known {
			if t.Logf("a process held %d MiB at most", most>>20); most > mostMemory {
				t.Errorf("a process held %d MiB", most>>20)
			}
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
	s.chargedOnce(lines)
	t.Log(s.processes[0].Verified(t))
}

// site is the processes of the service on one store.
type site struct {
	t         *testing.T
	open      func(ctx context.Context) (store, error)
	processes []*program.Program
	master    api.Reseller
	at        []atomic.Pointer[api.Service] // where each is, or was
}

// launch starts a process again, then at another address.
func (s *site) launch(i int) {
	s.t.Helper()
	s.processes[i].Launch(s.t)
	s.at[i].Store(&api.Service{Address: s.processes[i].Address})
}

// any returns one of the processes that have run.
func (s *site) any() *api.Service {
	for {
		if at := s.at[rand.IntN(len(s.at))].Load(); at != nil {
			return at
		}
	}
}

// try asks any process until there is an answer.
func (s *site) try(method, path string, body any, headers ...string) (api.Answer, error) {
	for late := time.Now().Add(program.Patience); ; time.Sleep(20 * time.Millisecond) {
		a, err := s.master.On(s.any()).Try(s.t, method, path, body, headers...)
		if err == nil && a.Status != 503 && a.Status != 429 {
			return a, nil
		}
		if time.Now().After(late) {
			return a, fmt.Errorf("%s %s has no answer: %w, %s", method, path, err, a.Body)
		}
	}
}

func (s *site) ask(method, path string, body any, status int, headers ...string) api.Answer {
	s.t.Helper()
	a, err := s.try(method, path, body, headers...)
	if err != nil || a.Status != status {
		s.t.Fatalf("%s %s: %v, %d %s", method, path, err, a.Status, a.Body)
	}
	return a
}

type progress struct {
	status, charged string
	done, succeeded int
}

func (s *site) job(id int64) progress {
	s.t.Helper()
	a := s.ask("GET", api.Path("/bulk", id), nil, 200)
	is := progress{status: a.Text("status"), charged: a.Text("charged")}
	if _, err := fmt.Sscan(fmt.Sprint(a.Fields["done"], " ", a.Fields["succeeded"]), &is.done, &is.succeeded); err != nil {
		s.t.Fatal(err)
	}
	return is
}

// outcome returns that of a dry run, a job or not: also what the master has left.
func (s *site) outcome(order api.Fields) map[string]any {
	s.t.Helper()
	dry := api.With(order, api.Fields{"dry_run": true})
	a, err := s.try("POST", "/bulk", dry)
	if err != nil {
		s.t.Fatal(err)
	}
	fields := map[string]any(a.Fields)
	for a.Status == 202 && fields["outcome"] == nil && fields["status"] != "stopped" {
		time.Sleep(50 * time.Millisecond)
		fields = s.ask("GET", api.Path("/bulk", a.ID()), nil, 200).Fields
	}
	if told, is := fields["outcome"].(map[string]any); is {
		fields = told
	}
	left, _ := fields["balances_after"].(map[string]any)
	return map[string]any{"would_succeed": fmt.Sprint(fields["would_succeed"]), "total": fields["total"],
		"left": left[s.master.Name()]}
}

// working returns the process that works on jobs, or any if none says so.
func (s *site) working() int {
	for i, p := range s.processes {
		log := string(p.Log())
		if strings.LastIndex(log, "this process sends reminders and webhooks") > strings.LastIndex(log,
			"another process sends reminders and webhooks") {
			return i
		}
	}
	return 0
}

// measured returns what single calls take, one after the other, until done, nil: for some seconds, fewer where it is
// short.
func (s *site) measured(id int64, long bool, done *atomic.Bool) (took []time.Duration) {
	many := 20
	if long {
		many = 1_000
	}
	for i := 0; done == nil && i < many || done != nil && !done.Load(); i++ {
		by := s.master.On(s.at[i%len(s.at)].Load())
		began := time.Now()
		a, err := by.Try(s.t, "PATCH", api.Path("/lines", id, "/details"), api.Fields{"notes": fmt.Sprint(i)})
		if err == nil && a.Status == 200 {
			took = append(took, time.Since(began))
		}
		time.Sleep(pace)
	}
	slices.Sort(took)
	return took
}

func among(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*percent/100].Round(10 * time.Microsecond)
}

// results counts the rows of the results of a job, past what tests hold against the document.
func (s *site) results(id int64) (rows, succeeded int) {
	s.t.Helper()
	body := string(s.ask("GET", api.Path("/bulk", id, "/results"), nil, 200).Body)
	return strings.Count(body, "\n"), strings.Count(body, `"result":"succeeded"`)
}

// fill makes official lines of the master, while no process runs.
func (s *site) fill(many int) {
	s.t.Helper()
	s.on(func(st store) error {
		keyring, err := servicekey.New(profile.NewSecret(secret))
		if err != nil {
			return err
		}
		service, err := inprocess.New(st, inprocess.Sealed(keyring), inprocess.At(func() time.Time {
			return time.Now().UTC().Truncate(time.Millisecond)
		}))
		if err != nil {
			return err
		}
		by, err := service.Authentication.Authenticate(s.master.Token)
		if err != nil {
			return err
		}
		call := application.Call{Caller: by, Request: "filled"}
		failed := make(chan error, many)
		api.AtOnce(64, func(worker int) {
			for i := worker; i < many; i += 64 {
				var l *line.Line
				show := func(made lines.Line) application.Receipt {
					l = made.Line
					return application.Receipt{}
				}
				_, err := service.Lines.CreateTrial(s.t.Context(), call, line.Description{}, show)
				if err == nil {
					sold := lines.Activate{Price: fixture.Price("0.5"), Edit: lines.Edit{
						ID: l.ID(), Username: fixture.Name(fmt.Sprintf("line-%d", i)), Password: profile.NewSecret("5566"),
						Description: line.Description{Country: new(fixture.Text("PT"))},
					}}
					_, err = service.Lines.Activate(s.t.Context(), call, sold, func(lines.Line) application.Receipt {
						return application.Receipt{}
					})
				}
				if err != nil {
					failed <- err
					return
				}
			}
		})
		close(failed)
		return <-failed
	})
}

// on opens the store while no process runs.
func (s *site) on(do func(store) error) {
	s.t.Helper()
	st, err := s.open(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	if err := errors.Join(do(st), st.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// chargedOnce expects one extension of each line among the movements.
func (s *site) chargedOnce(lines int) {
	s.t.Helper()
	charges := map[int64]int{}
	s.on(func(st store) error {
		return st.ViewRecords(s.t.Context(), func(ctx context.Context, r ports.Records) error {
			for after := int64(0); ; {
				page, err := r.Movements(ctx, after, 1_000)
				if err != nil || len(page) == 0 {
					return err
				}
				for _, m := range page {
					if after = m.ID; m.Record.Operation == credit.Extension {
						charges[m.Record.Line]++
					}
				}
			}
		})
	})
	for id, times := range charges {
		if times != 1 {
			s.t.Errorf("line %d is charged %d times", id, times)
		}
	}
	if len(charges) != lines {
		s.t.Errorf("%d lines are charged, of %d", len(charges), lines)
	}
}
