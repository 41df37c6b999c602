// Package simulate runs the whole service for years, in one process, and compares each answer with the model of
// test/model. A year runs in virtual time, over a store in memory that fails in every way that its port allows. Or it
// runs in real time, one request after the other, over any store. A seed alone determines a year. README.md has more.
package simulate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/fixture"
	"resellerd/test/model"
)

// run is the year of one seed. All of it runs in one bubble of testing/synctest. The bubble's time stops while any
// goroutine can run, and then jumps ahead. One goroutine runs at a time: each client is a coroutine that the seed's
// choice resumes until its next call of a port.
type run struct {
	setting

	store     kept
	world     *model.World
	processes []*process
	services  []*application.Service // of the processes
	generator *generator
	hashed    int
	locked    bool // an Update runs

	compared int           // how many entries of the journal were compared with the model
	origin   time.Time     // what the clock shows at the start
	began    time.Time     // by the bubble's clock
	passed   time.Duration // in real time: how far the clock was set
	round    int
	random   *rand.Rand // of the round
	actors   []*actor
	steps    []stepID // that were taken
	current  *actor

	keyring   *servicekey.Keyring
	contended contended

	browsers   map[session.ID]*browser // that ever had a cookie
	held       map[model.Person][]*browser
	cookieName string

	holder    string              // of the lease
	hasty     bool                // others continue as if they had it
	receivers map[int64]*receiver // by webhook

	feeds     map[*model.Reseller][]*feed
	followers map[*model.Reseller]*model.Follower
	tokens    map[*model.Reseller]*token // that clients have
	known     map[string]*token          // every token that was assigned
	answers   map[string]*recorded       // by reseller and key, the answers to replay
	keyed     []*request                 // requests under keys, for later repetitions
	names     int
	taken     map[string]bool // every id that was assigned, with its kind
	requests  int
	faults    int
	seen      map[string]int // how often each outcome of each operation was answered

	trace      hash.Hash
	story      []storyLine // nil: none
	cause      string      // of the last failure that was logged
	difference *Difference
}

// contended are the records and the operation that all clients of a round use, nil for none.
type contended struct {
	reseller  *model.Reseller
	line      *model.Line
	operation *operation
	webhook   *model.Webhook   // that receives deliveries
	principal *model.Principal // that acts
}

// token is a text that a client got.
type token struct {
	text string
	of   *model.Reseller
	made int // how often the reseller's token had changed
}

// recorded is the answer that the service should have stored under a key.
type recorded struct {
	content string
	answer  *outcome
	body    []byte // as it was first seen; nil until then
	expires time.Time
}

// Difference is the first answer, or the first record, that is not what the model says.
type Difference struct {
	Round    int
	Step     string
	Expected string
	Got      string
}

// String returns the difference for people.
func (d *Difference) String() string {
	return fmt.Sprintf("at %s:\n  expected %s\n  got      %s", d.Step, d.Expected, d.Got)
}

// mask leaves out steps. It is how a difference is shrunk.
type mask struct {
	rounds  int // the last one, 0: all of the year
	dropped map[stepID]bool
}

// stepID names a step: the number of its round, and its position in the round.
type stepID struct{ round, slot int }

// String names the step in a story.
func (s stepID) String() string { return fmt.Sprintf("step %d.%d", s.round, s.slot) }

// actor is a client, or an operator, at work on one step.
type actor struct {
	r         *run
	step      stepID
	random    *rand.Rand
	address   string
	calm      bool
	next      func() (struct{}, bool)
	stop      func()
	yield     func(struct{}) bool
	ready     func() bool // nil: always
	until     time.Time
	attempt   *attempt
	tries     int
	do        func(a *actor)  // nil for a client
	clockRead time.Time       // the time that was last read from a clock
	effect    func(w written) // of an operator: the effect of a stored update on the world; nil for none
	wrote     written         // of an operator
	process   *process        // that does background work, nil for none
	begun     int             // of it
	inView    bool            // a snapshot answers its next reads
	looks     func(view bool) // is called as soon as that is at hand, or an update begins
}

// attempt is one request on its way.
type attempt struct {
	request  *request
	process  *process
	begun    int // of the process
	id       string
	now      time.Time // that the use case last read
	password string    // that was last generated
	secret   string    // likewise, of a webhook or a key
	clocks   int       // how often the use case read the time
	entries  int       // of the journal, when it began
	decided  *outcome
	failed   bool // a port answered that it is unavailable
	kept     *outcome
	died     bool
	wrote    written
	session  sessionFacts
}

// written has the records that the present run of work has given to the store.
type written []any

// wroteA returns the first record of a type, the zero value if there is none.
func wroteA[T any](w written) (first T) {
	for _, record := range w {
		if is, of := record.(T); of {
			return is
		}
	}
	return first
}

const (
	processes = 3
	year      = 365 * 24 * time.Hour
	// mostRounds is more than a year has.
	mostRounds = 2000
	// mostInside is how long a request waits inside of the service, at most: for the next entries, once one has come.
	mostInside = time.Second
)

// setting are the parameters of a year.
type setting struct {
	seed     uint64
	mask     mask
	narrated bool // a story
	// broken, if not nil, breaks the store of the year, to see that the year finds out.
	broken func(ports.Store) ports.Store
	// real is the store of a year in real time, nil in virtual time. Then no call fails or waits, a client is done
	// before the next one begins, and the clock is set.
	real kept
}

// kept is a store that can be audited.
type kept interface {
	ports.Store
	ports.Archive
}

// simulate runs a year. It is called in a bubble.
func simulate(s setting) *run {
	r := &run{
		setting: s, trace: sha256.New(),
		store: s.real, world: &model.World{
			TrialRuns: trialRuns, ExpiringDays: expiringDays, ClocksDiffer: mostAhead * 2,
			Sessions: map[string]*model.Session{},
		}, services: make([]*application.Service, processes),
		tokens: map[*model.Reseller]*token{}, known: map[string]*token{}, answers: map[string]*recorded{},
		taken: map[string]bool{}, seen: map[string]int{},
		browsers: map[session.ID]*browser{}, held: map[model.Person][]*browser{},
		feeds: map[*model.Reseller][]*feed{}, followers: map[*model.Reseller]*model.Follower{},
		receivers: map[int64]*receiver{},
	}
	if r.store == nil {
		r.store = memstore.New()
	}
	defer func() { _ = r.store.Close() }()
	r.random = r.stream(0, 0)
	r.generator = &generator{r, r.stream(0, 1)}
	r.origin = time.Date(2026+r.random.IntN(8), time.January, 1+r.random.IntN(365), r.random.IntN(24), r.random.IntN(60),
		0, 0, time.UTC)
	r.began = r.present()
	if err := r.open(); err != nil {
		r.differ("the start", "that it succeeds", err.Error())
		return r
	}
	for r.round = 1; r.difference == nil && r.now().Before(r.origin.Add(year)) && r.round < mostRounds; r.round++ {
		if r.mask.rounds > 0 && r.round > r.mask.rounds {
			break
		}
		r.pass()
	}
	if r.difference == nil {
		r.settle()
	}
	if r.difference == nil {
		r.conclude()
	}
	return r
}

// stream returns the randomness of a step, or of a round as its slot 0. It depends on nothing else, so that the
// remaining steps of a year stay the same when others are dropped.
func (r *run) stream(round, slot int) *rand.Rand {
	return rand.New(rand.NewPCG(r.seed, uint64(round)<<16|uint64(slot)))
}

// present is the time of the bubble's clock, or of the clock that is set.
func (r *run) present() time.Time {
	if r.real != nil {
		return r.origin.Add(r.passed)
	}
	return time.Now().UTC()
}

// now is the time of a right clock, to the millisecond.
func (r *run) now() time.Time {
	return r.origin.Add(r.present().Sub(r.began)).Truncate(time.Millisecond)
}

// open makes a store with an admin, and starts the processes.
func (r *run) open() error {
	keyring, err := servicekey.New(profile.NewSecret("the service key of all processes"))
	if err != nil {
		return err
	}
	r.keyring = keyring
	for i := range processes {
		p := &process{Keyring: keyring, r: r, number: i}
		r.processes = append(r.processes, p)
		if err := p.start(); err != nil {
			return err
		}
	}
	for i := range processes {
		r.operator(stepID{0, beginSlot + i}, false, func(a *actor) { r.begin(a, i) }, r.newEpoch)
	}
	r.play(-1)
	admin := &model.Reseller{
		Admin: true, Master: true, Name: "admin", Password: "password of admin", Contact: model.Contact{Country: "ZZ"},
	}
	r.operator(stepID{0, 0}, true, func(a *actor) {
		r.may(a, "an admin", r.services[0].Admins.Create(context.Background(), fixture.Name(admin.Name),
			profile.NewSecret(admin.Password)))
	}, func(w written) {
		if made := wroteA[*reseller.Reseller](w); made != nil {
			now := r.current.clockRead
			admin.ID, admin.CreatedAt, admin.RechargedAt, admin.UpdatedAt = made.ID(), now, now, now
			r.world.CreateAdmin(admin, now)
			r.taken[fmt.Sprintf("reseller %d", admin.ID)] = true
		}
	})
	r.play(-1)
	return nil
}

// pass lets time go by and runs the steps of a round side by side.
func (r *run) pass() {
	r.random = r.stream(r.round, 0)
	r.sleep(r.gap())
	r.jump()
	steps := 1 + r.random.IntN(8)
	if r.round <= 12 {
		steps = 2 // first a few resellers
	}
	calm := r.random.IntN(3) == 0
	r.heat()
	r.actors = nil
	for slot := 1; slot <= steps; slot++ {
		id := stepID{r.round, slot}
		if !r.mask.dropped[id] {
			r.steps = append(r.steps, id)
			r.actors = append(r.actors, r.actor(id, calm))
		}
	}
	r.operate()
	restart := -1
	if !calm && r.random.IntN(8) == 0 {
		restart = r.random.IntN(60)
	}
	r.play(restart)
}

// play has the actors of a round go on until all are done. At one turn, if any, a process is restarted.
func (r *run) play(restart int) {
	for turn := 0; r.difference == nil && len(r.actors) > 0; turn++ {
		if turn == restart {
			r.restart(r.processes[r.random.IntN(processes)])
		}
		r.turn()
	}
	for _, a := range r.actors {
		a.stop()
	}
	r.current, r.actors = nil, nil
}

// operator adds an actor that runs a command of the command line, or background work of a process.
func (r *run) operator(id stepID, calm bool, do func(a *actor), effect func(w written)) {
	a := r.actor(id, calm)
	a.do, a.effect = do, effect
	r.actors = append(r.actors, a)
}

// turn resumes one of the actors that can go on; where none can, time does.
func (r *run) turn() {
	var able []*actor
	for _, a := range r.actors {
		if !a.until.After(r.present()) && (a.ready == nil || a.ready()) {
			able = append(able, a)
		}
	}
	if len(able) == 0 {
		soonest := r.actors[0].until
		for _, a := range r.actors {
			if a.until.After(r.present()) && (!soonest.After(r.present()) || a.until.Before(soonest)) {
				soonest = a.until
			}
		}
		if !soonest.After(r.present()) {
			r.differ("the round", "that an actor can go on", "that all wait for each other")
			return
		}
		r.sleep(soonest.Sub(r.present()))
		return
	}
	a, began := able[r.random.IntN(len(able))], r.present()
	r.current = a
	if _, more := a.next(); !more {
		r.actors = slices.DeleteFunc(r.actors, func(other *actor) bool { return other == a })
	}
	r.current = nil
	if took := r.present().Sub(began); took > mostInside {
		r.differ(a.step.String(), "that other actors continue while it waits",
			fmt.Sprintf("%s inside of the service: see process.admits", took))
	}
}

// sleep lets time go by. Everything that is due in this time, such as the end of a request's time, has then happened.
func (r *run) sleep(d time.Duration) {
	if r.real != nil {
		r.passed += d
		return
	}
	time.Sleep(d)
	synctest.Wait()
}

// actor makes the client of a step.
func (r *run) actor(id stepID, calm bool) *actor {
	a := &actor{r: r, step: id, random: r.stream(id.round, id.slot), calm: calm,
		address: fmt.Sprintf("10.0.0.%d:4000", id.slot)}
	a.next, a.stop = iter.Pull(func(yield func(struct{}) bool) {
		a.yield = yield
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // the very value
				panic(p)
			}
		}()
		if a.do != nil {
			a.do(a)
			return
		}
		r.perform(a)
	})
	return a
}

// pause lets others go on. It does not return where the year is over, or the actor's process has died.
func (a *actor) pause() {
	if !a.yield(struct{}{}) {
		panic(http.ErrAbortHandler) // which the API passes on
	}
	a.ready = nil
	if t := a.attempt; t != nil && t.process.begun != t.begun {
		t.died = true
		panic(http.ErrAbortHandler)
	}
	if a.process != nil && a.process.begun != a.begun {
		panic(http.ErrAbortHandler)
	}
}

// rest lets others go on for at least so long.
func (a *actor) rest(d time.Duration) {
	a.until = a.r.present().Add(d)
	a.pause()
}

// attempt returns the request that the present actor has on its way, nil if there is none.
func (r *run) attempt() *attempt {
	if r.current == nil {
		return nil
	}
	return r.current.attempt
}

func (r *run) called(_ context.Context, c call) verdict {
	a := r.current
	if a == nil {
		return fine
	}
	if t := a.attempt; t != nil && c.name == "return of SignIn" {
		t.session.answered = true
	}
	if r.real == nil {
		a.pause()
	}
	if c.name == "View" || c.work {
		a.inView = !c.work
	}
	if a.calm || a.tries > 4 || r.real != nil {
		return fine
	}
	v := fine
	switch n := a.random.IntN(1000); {
	case n < 8:
		v = before
	case c.effect && n < 50:
		v = after
	case c.work && n < 130:
		v = again
	case c.work && n < 150:
		v = twice
	case n < 155, n < 400 && c.name == "Ledger.Totals":
		late := time.Duration(1+a.random.IntN(15_000)) * time.Millisecond
		if c.name == "Ledger.Totals" {
			late *= 30 // the limit of the proof is five minutes
		}
		r.tell(a.step, "%s takes %s", c.name, late)
		a.rest(late)
	case n < 157 && a.serves() != nil:
		r.tell(a.step, "process %d dies in %s", a.serves().number, c.name)
		r.restart(a.serves())
		a.pause()
	}
	if v != fine {
		r.faults++
		r.tell(a.step, "%s: %s", c.name, v)
	}
	return v
}

// serves is the process that an actor uses, or that it is. It is nil for an actor whose process can't die.
func (a *actor) serves() *process {
	if a.attempt != nil {
		return a.attempt.process
	}
	return a.process
}

func (r *run) enter(ctx context.Context) bool {
	if a := r.current; a != nil {
		for r.locked && ctx.Err() == nil {
			a.ready = func() bool { return !r.locked || ctx.Err() != nil }
			a.pause()
		}
	}
	if ctx.Err() != nil {
		return false
	}
	r.locked = true
	return true
}

func (r *run) leave() { r.locked = false }

// reads implements hooks: the present world decides the next reads.
func (r *run) reads() {
	t := r.attempt()
	if t == nil {
		if a := r.current; a != nil {
			if a.wrote = nil; a.looks != nil {
				a.looks(a.inView)
			}
		}
		return
	}
	if !t.session.answered {
		t.failed, t.wrote, t.decided = false, nil, r.decide(t)
	}
}

func (r *run) later() bool {
	a := r.current
	return a != nil && !a.calm && r.real == nil && a.random.IntN(2) == 0
}

func (r *run) wrote(what any) {
	if r.current == nil {
		return
	}
	wrote := &r.current.wrote
	if t := r.attempt(); t != nil {
		wrote = &t.wrote
	}
	*wrote = append(*wrote, what)
}

// kept applies the effect of the request, which is stored.
func (r *run) kept() {
	t := r.attempt()
	if a := r.current; t == nil && a != nil && a.effect != nil {
		a.effect(a.wrote)
	}
	if t == nil || t.decided == nil {
		return
	}
	defer func() { r.tell(r.current.step, "stored: %s", t.decided) }()
	if t.decided.effect == nil {
		return
	}
	if t.kept != nil {
		r.differ(t.String(), "that the request takes effect once", "that it does so twice")
		return
	}
	t.kept = t.decided
	content := t.request.content() // with the caller's rights before the effect
	t.decided.effect(t)
	if key := t.request.key; key != "" {
		r.answers[t.request.account(key)] = &recorded{content: content, answer: t.decided,
			expires: t.now.Add(application.KeyLifetime)}
	}
}

func (r *run) dropped(now, latest time.Time) {
	for key, known := range r.answers {
		if known.expires.After(latest) {
			known.expires = latest
		}
		if !known.expires.After(now) {
			delete(r.answers, key)
		}
	}
}

func (r *run) unanswered() {
	if t := r.attempt(); t != nil && !t.session.answered { // no client waits for the steps after a sign-in
		t.failed = true
	}
}

// restart kills a process, which loses its memory, and starts it again.
func (r *run) restart(p *process) {
	r.tell(stepID{r.round, 0}, "process %d is started again", p.number)
	if err := p.start(); err != nil {
		r.differ("the start of a process", "that it succeeds", err.Error())
	}
}

// differ stores the first difference.
func (r *run) differ(step, expected, got string) {
	if r.difference == nil {
		r.difference = &Difference{Round: r.round, Step: step, Expected: expected, Got: got}
		r.tell(stepID{r.round, 0}, "expected %s, got %s", expected, got)
	}
}

// tell adds to the trace, and to the story if the year has one.
func (r *run) tell(id stepID, format string, args ...any) {
	text := fmt.Sprintf("%s %s: ", r.now().Format("2006-01-02 15:04:05.000"), id) + fmt.Sprintf(format, args...)
	_, _ = r.trace.Write([]byte(text + "\n"))
	if r.narrated {
		r.story = append(r.story, storyLine{id, text})
	}
}

// storyLine is a line of a story.
type storyLine struct {
	step stepID
	text string
}

// digest is the hash of all that happened.
func (r *run) digest() string { return fmt.Sprintf("%x", r.trace.Sum(nil)) }
