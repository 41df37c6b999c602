package deliveries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// TestTakeover has two processes on one store, of which the one that delivers is stopped and goes on later, killed, or
// asked to end: the other one delivers from then on, nothing is lost, nothing is sent that must not be, and no line is
// told of twice.
func TestTakeover(t *testing.T) {
	many, long := kills(t)
	rounds := max(1, many/10)
	forEachStore(t, func(t *testing.T, store string) {
		seed := seedOf(t)
		s := newSite(t, store, 2, nil)
		to := receive(t, seed)
		o := take(s, to, seed)
		selling := o.sell()
		ways := []way{{name: "stopped", do: o.stopped}, {name: "killed", do: o.killed},
			{name: "terminated", do: o.terminated}}
		if !long { // what is the most on each
			ways = slices.DeleteFunc(ways, func(w way) bool {
				return w.name == "killed" || w.name == "terminated" && o.embedded()
			})
		}
		for range rounds {
			for i := range ways {
				o.strike(&ways[i])
			}
		}
		selling()
		o.concludes()
		for _, w := range ways {
			if slices.Sort(w.waited); len(w.waited) == 0 {
				continue
			}
			t.Logf("%s: until the other process delivered, entries waited for at most %s, half of the times %s, at least %s; %d times",
				w.name, short(w.waited[len(w.waited)-1]), short(w.waited[len(w.waited)/2]), short(w.waited[0]), len(w.waited))
		}
		if o.kept > 0 {
			t.Logf("%d times the stopped process kept the file locked, so that no other could write before it went on", o.kept)
		}
		s.said(t)
		t.Log(s.verified())
	})
}

// way is how the process that delivers ends to do so.
type way struct {
	name   string
	do     func(p *process)
	waited []time.Duration // the longest time that an entry waited for its arrival, each time
}

// overtaken is a site whose work is taken over.
type overtaken struct {
	*client
	to        *receiver
	admin     api.Caller
	shop      api.Reseller // makes trials, below a master
	blocked   api.Reseller // a master that is blocked now and then; its line is changed by the admin
	its       int64        // that line
	all       *hook
	silent    []*hook // of the first master, disabled now and then, and of the blocked one
	kept      int
	unwelcome []silence
}

// silence is when a hook was to be sent nothing that happened since.
type silence struct {
	hook     *hook
	from, to time.Time
}

// embedded reports whether a process that is stopped may keep the store locked.
func (o *overtaken) embedded() bool { return strings.HasPrefix(o.store, "sqlite:") }

func take(s *site, to *receiver, seed uint64) *overtaken {
	s.t.Helper()
	random := rand.New(rand.NewPCG(seed, 200))
	o := &overtaken{to: to, client: &client{site: s, name: "setup", random: random}}
	first := s.processes[0].at.Load()
	o.admin = first.Admin(s.t)
	master := o.admin.Master(s.t, "100")
	o.blocked = o.admin.Master(s.t, "100")
	o.shop = master.Reseller(s.t, "0")
	o.its = o.blocked.Official(s.t).ID
	o.all = o.hook(to, kind, api.Reseller{Caller: o.admin}, "tree", "line.*")
	o.silent = []*hook{o.hook(to, kind, master, "tree", "line.*"), o.hook(to, kind, o.blocked, "own", "line.*")}
	return o
}

// sell has something happen all the time, until the function is called that it returns.
func (o *overtaken) sell() (end func()) {
	const each = 40 * time.Millisecond
	over, ended := make(chan struct{}), make(chan struct{})
	c := &client{site: o.site, name: "shop", random: rand.New(rand.NewPCG(o.random.Uint64(), 1))}
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			case <-time.After(each):
			}
			if n%2 == 0 {
				c.settle(o.shop.Caller, "POST", "/lines/test", nil)
			} else {
				c.settle(o.admin, "PATCH", api.Path("/lines", o.its, "/details"), api.Fields{"notes": fmt.Sprint(n)})
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

const (
	// settled is how long after another process delivers all has arrived that waited.
	settled = 2 * time.Second
	// locked is how long to wait for another process where the one that is stopped may keep the file locked.
	locked = 12 * time.Second
)

// strike has the process that delivers end to do so, and measures for how long that is felt.
func (o *overtaken) strike(w *way) {
	o.t.Helper()
	p := o.holder()
	time.Sleep(time.Duration(o.random.IntN(1000)) * time.Millisecond)
	p.shunned.Store(true)
	time.Sleep(100 * time.Millisecond) // what was asked of it is answered
	began := time.Now()
	w.do(p)
	time.Sleep(settled)
	if waited := o.waited(began, time.Now().Add(-settled/2)); waited > 0 {
		w.waited = append(w.waited, waited)
	}
}

// waited returns the longest time that an entry waited that was made in a time.
func (o *overtaken) waited(from, to time.Time) (longest time.Duration) {
	seen := map[string]bool{}
	for _, a := range o.all.arrivals() {
		made := parseEntry(o.t, o.all.body(a.id)).Timestamp
		if seen[a.id] || made.Before(from) || made.After(to) {
			continue
		}
		seen[a.id] = true
		longest = max(longest, a.at.Sub(made))
	}
	return longest
}

// arrives waits until something comes that is sent after an instant, and reports whether it does in time.
func (o *overtaken) arrives(after time.Time, patience time.Duration) bool {
	const underWay = 20 * time.Millisecond // what was sent before has arrived by then
	for late := time.Now().Add(patience); !o.to.since(after.Add(underWay)); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			return false
		}
	}
	return true
}

func (o *overtaken) killed(p *process) {
	o.kill(p)
	if !o.arrives(time.Now(), program.Patience) {
		o.t.Errorf("after a kill nothing arrives for %s", program.Patience)
	}
	o.launch(p)
}

func (o *overtaken) terminated(p *process) {
	if err := p.Stop(); err != nil {
		o.t.Error(err)
	}
	if !o.arrives(time.Now(), program.Patience) {
		o.t.Errorf("after an orderly end nothing arrives for %s", program.Patience)
	}
	o.launch(p)
}

// stopped stops the process for longer than others wait. Meanwhile one webhook is disabled, the account of another one
// is blocked, and a third gets another secret: what the process knows of them is not so any more once it goes on.
func (o *overtaken) stopped(p *process) {
	at := time.Now()
	o.signal(p, syscall.SIGSTOP)
	goesOn := func() {
		o.signal(p, syscall.SIGCONT)
		p.shunned.Store(false)
	}
	patience := program.Patience
	if o.embedded() {
		patience = locked
	}
	if !o.arrives(at, patience) {
		goesOn()
		if !o.embedded() {
			o.t.Errorf("after the process that delivers was stopped nothing arrives for %s", patience)
		}
		o.kept++
		return
	}
	o.settle(o.silent[0].owner, "PATCH", o.silent[0].path(), api.Fields{"enabled": false})
	o.settle(o.admin, "PUT", api.Path("/users", o.blocked.ID, "/block"), nil)
	from := time.Now()
	o.rotate(o.all, 0)
	o.pause(time.Second)
	goesOn()
	time.Sleep(settled)
	for _, h := range o.silent {
		o.unwelcome = append(o.unwelcome, silence{h, from, time.Now()})
	}
	o.settle(o.admin, "DELETE", api.Path("/users", o.blocked.ID, "/block"), nil)
	o.settle(o.silent[0].owner, "PATCH", o.silent[0].path(), api.Fields{"enabled": true})
}

func (o *overtaken) signal(p *process, what syscall.Signal) {
	if err := p.Cmd.Process.Signal(what); err != nil {
		o.t.Fatal(err)
	}
}

// concludes expects that all has arrived, nothing came while it must not, and each line was told of once.
func (o *overtaken) concludes() {
	o.t.Helper()
	over := time.Now().Add(trialTime) // no trial runs any more
	whole := newFeed(o.admin)
	var sum tally
	for _, h := range append(o.silent, o.all) {
		f := h.feed()
		for late := time.Now().Add(program.Patience); ; time.Sleep(100 * time.Millisecond) {
			whole.read(o.t, o.at(o.random))
			lines, _ := untold(o.t, whole.entries, over)
			if f.read(o.t, o.at(o.random)); len(lines) == 0 && h.found(whole.entries) && len(h.missing(f.entries)) == 0 {
				break
			}
			if o.t.Failed() || time.Now().After(late) {
				o.t.Fatalf("of %d entries for webhook %d, %d have not arrived, and %d lines that have ended are not told of",
					len(f.entries), h.id, len(h.missing(f.entries)), len(lines))
			}
		}
		h.judge(o.t, o.site, f, &sum)
	}
	for _, s := range o.unwelcome {
		for _, a := range s.hook.arrivals() {
			if made := parseEntry(o.t, s.hook.body(a.id)).Timestamp; made.After(s.from) && a.at.Before(s.to) {
				o.t.Errorf("webhook %d was sent at %s what happened at %s, and was not to be sent anything from %s to %s",
					s.hook.id, a.at, made, s.from, s.to)
			}
		}
	}
	o.to.unharmed(o.t)
	o.t.Log(remindedOnce(o.t, whole.entries, over))
	o.t.Logf("%d entries for webhooks, %d attempts came, %d of them of what had been accepted before", sum.entries,
		sum.arrivals, sum.again)
}
