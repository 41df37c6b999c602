package disk

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/adapters/credentials"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
)

var serviceKey = profile.NewSecret("the service key of every disk that fails")

const (
	administrator = "admin"
	password      = "password" // of everybody
)

// office is the service on a store, without sockets, and the knowledge of its clients. It survives its stores: look
// drops the knowledge that a power cut took.
type office struct {
	random  *rand.Rand
	keyring *servicekey.Keyring
	now     time.Time
	asked   int // requests, each of which has a name of its own
	made    *generator

	store   *sqlitestore.Store
	ids     *ids
	handler http.Handler
	cause   atomic.Value // of the last answer that says nothing of it

	tokens    map[string]string // by name
	resellers []api.Reseller
	lines     []api.Line
}

func newOffice(seed uint64) (*office, error) {
	keyring, err := servicekey.New(serviceKey)
	return &office{
		random: rand.New(rand.NewPCG(seed, 1)), keyring: keyring, now: fixture.Noon,
		made: &generator{random: rand.New(rand.NewPCG(seed, 3))},
	}, err
}

// open opens the office on a store, and makes its admin if there is none.
func (o *office) open(ctx context.Context, store *sqlitestore.Store) error {
	o.ids = &ids{Store: store, left: map[ports.Sequence][]int64{}}
	clock := func() time.Time { return o.now }
	service, err := inprocess.New(o.ids, inprocess.At(clock), inprocess.Sealed(o.keyring), func(p *inprocess.Parts) {
		p.Generator, p.Hasher = o.made, inprocess.PlainHasher{Salt: func() string { return o.made.text(16) }}
		p.HTTP.Log = slog.New(inprocess.Causes(func(cause string) { o.cause.Store(cause) }))
	})
	if err != nil {
		return err
	}
	o.store, o.handler = store, service.Handler
	if _, err := store.ClaimKey(ctx, o.keyring.Fingerprint()); err != nil {
		return err
	}
	if o.look(ctx); len(o.resellers) > 0 || o.tokens[administrator] != "" {
		return nil
	}
	if err := service.Admins.Create(ctx, fixture.Name(administrator), profile.NewSecret(password)); err != nil {
		return err
	}
	return o.look(ctx)
}

// look reads the accounts and records from the store.
func (o *office) look(ctx context.Context) error {
	return o.store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		o.tokens, o.resellers, o.lines = map[string]string{}, nil, nil
		all, err := s.Resellers.List(ctx, ports.ResellerQuery{Limit: 500})
		if err != nil {
			return err
		}
		webhooks, err := ports.WebhooksByID.List(ctx, s.Records, record.Query{Limit: 500})
		if err != nil {
			return err
		}
		has := map[int64]int64{} // the newest webhook, by account
		for _, w := range webhooks.Items {
			has[w.Account] = w.ID
		}
		for _, r := range all.Resellers {
			name := r.State().Username.String()
			o.tokens[name] = o.keyring.Issue(ports.Token{Reseller: r.ID(), Generation: r.Token()}).Reveal()
			if name != administrator {
				o.resellers = append(o.resellers, api.Reseller{ID: r.ID(), Username: name, Password: password,
					Webhook: has[r.ID()]})
			}
		}
		lines, err := s.Lines.List(ctx, ports.LineQuery{Limit: 500})
		for _, l := range lines.Lines {
			o.lines = append(o.lines, api.Line{ID: l.ID(), Username: l.Shown().Username.String(), Password: password})
		}
		return err
	})
}

// request is a request to the office.
type request struct {
	by, method, path, body, key string
}

// String names the request in a report.
func (r request) String() string { return fmt.Sprintf("%s %s %s %s", r.by, r.method, r.path, r.body) }

// answer is the answer to a request.
type answer struct {
	status   int
	body     []byte
	replayed bool
}

// effects are the operations that change something, each as often as it is listed.
var effects = func() (all []api.Row) {
	often := map[string]int{"createTrial": 14, "activateLine": 9, "addCredits": 7, "extendLine": 4, "editLine": 3,
		"deleteLine": 3, "reclaimCredits": 2}
	for _, row := range api.Table() {
		if row.Keyed && row.For != api.Browser || row.ID == "signIn" {
			all = append(all, slices.Repeat([]api.Row{row}, max(1, often[row.ID]))...)
		}
	}
	return all
}()

// choose returns a request for any of them, about whatever there is.
func (o *office) choose() request {
	o.asked++
	o.now = o.now.Add(time.Duration(o.random.IntN(20*60)) * time.Second)
	row := effects[o.random.IntN(len(effects))]
	if few := len(o.resellers) < 3; few || row.ID == "createReseller" && len(o.resellers) < 25 {
		row = api.RowOf("createReseller")
	} else if len(o.lines) == 0 && (row.Of == api.ATrial || row.Of == api.AnOfficialLine) {
		row = api.RowOf("createTrial")
	}
	var someone api.Reseller
	var line api.Line
	if len(o.resellers) > 0 {
		someone = o.resellers[o.random.IntN(len(o.resellers))]
	}
	if many := len(o.lines); many > 0 {
		line = o.lines[many-1-o.random.IntN(min(many, 20))]
	}
	r := o.example(row, someone, line, func(body api.Fields) {
		if amount, is := body["credits"]; is && row.Of != api.Nothing {
			if body["credits"] = []any{amount, 0.5, 2, 3}[o.random.IntN(4)]; row.Of == api.AnAccount {
				body["credits"] = fmt.Sprintf("%d.25", o.random.IntN(20))
			}
		}
		switch row.ID {
		case "createReseller":
			maps.Copy(body, api.Fields{"is_master": o.random.IntN(2), "credits": fmt.Sprintf("%d.5", o.random.IntN(40)),
				"username": fmt.Sprintf("reseller%d", o.asked)})
		case "activateLine", "editLine":
			body["username"] = fmt.Sprintf("line%d", o.asked)
			fallthrough
		case "createTrial", "changeContact", "addCredits":
			body["notes"] = strings.TrimSpace(strings.Repeat("note ", o.random.IntN(8)*o.random.IntN(20)))
		}
	})
	if r.by == administrator && o.random.IntN(3) == 0 && someone.Username != "" {
		r.by = someone.Username
	}
	if r.key = fmt.Sprintf("key-%d", o.asked); !row.Keyed || o.random.IntN(6) == 0 {
		r.key = ""
	}
	return r
}

// example returns the request for an operation of an account, with the changes to its body. It is from the
// administrator where the operation is for accounts with others below them.
func (o *office) example(row api.Row, someone api.Reseller, line api.Line, change func(api.Fields)) request {
	by := someone
	if row.For == api.Master || row.For == api.Operator {
		by = api.Reseller{Username: administrator, Password: password}
	}
	op := row.Example(by, someone, line)
	r := request{by: by.Username, method: op.Method, path: op.Path}
	if op.Body != nil {
		change(op.Body)
		r.body = string(api.Encode(nil, op.Body))
	}
	return r
}

// send sends a request to the office. It may be called from several goroutines.
func (o *office) send(ctx context.Context, r request) answer {
	asked, err := http.NewRequestWithContext(ctx, r.method, "http://localhost"+r.path, strings.NewReader(r.body))
	if err != nil {
		panic(err) // it is one of ours
	}
	asked.RemoteAddr, asked.RequestURI = "127.0.0.1:4000", r.path
	if r.body != "" {
		asked.Header.Set("Content-Type", api.MediaType(asked.URL.Path))
	}
	if r.key != "" {
		asked.Header.Set("Idempotency-Key", r.key)
	}
	if r.path != "/auth/session" && r.by != "" {
		asked.Header.Set("Authorization", "Bearer "+o.tokens[r.by])
	}
	w := api.NewRecorder()
	o.handler.ServeHTTP(w, asked)
	return answer{w.Code, w.Body.Bytes(), w.Header().Get("Idempotency-Replayed") != ""}
}

// learn notes the facts in an answer.
func (o *office) learn(r request, a answer) {
	var made struct {
		ID       int64
		Username string
	}
	if a.status/100 != 2 || json.Unmarshal(a.body, &made) != nil {
		return
	}
	switch {
	case r.path == "/users", r.path == "/auth/static-token", r.path == "/webhooks", r.method == "DELETE" &&
		strings.HasPrefix(r.path, "/webhooks/"):
		_ = o.look(context.Background()) // for its token, or its webhooks; what can't be read now is not known
	case r.path == "/lines/test":
		o.lines = append(o.lines, api.Line{ID: made.ID, Username: made.Username, Password: password})
	case r.method == "DELETE" && strings.HasPrefix(r.path, "/lines/"):
		o.lines = slices.DeleteFunc(o.lines, func(l api.Line) bool { return r.path == fmt.Sprintf("/lines/%d", l.ID) })
	}
}

// round sends some requests side by side, which share a transaction, and returns what is no answer of a store that
// works. Which requests share one, and in which order, depends on the seed alone.
func (o *office) round(ctx context.Context, many int) error {
	if err := o.ids.fill(ctx, 2*many); err != nil {
		return err
	}
	requests, answers := make([]request, many), make([]answer, many)
	for i := range requests {
		requests[i] = o.choose()
	}
	if many == 1 {
		answers[0] = o.send(ctx, requests[0])
	} else if err := o.together(ctx, requests, answers); err != nil {
		return err
	}
	for i, a := range answers {
		if a.status >= 500 {
			return fmt.Errorf("%s: %d %s: %s", requests[i], a.status, a.body, o.cause.Load())
		}
		o.learn(requests[i], a)
	}
	return nil
}

// together sends requests while the store is busy, each once the one before waits for its turn or is answered.
func (o *office) together(ctx context.Context, requests []request, answers []answer) error {
	busy, release := make(chan struct{}), make(chan struct{})
	holding := make(chan error, 1)
	go func() {
		holding <- o.store.Update(ctx, func(context.Context, ports.Tx) error {
			close(busy)
			<-release
			return nil
		})
	}()
	select {
	case <-busy:
	case err := <-holding: // the store takes nothing
		return err
	}
	var done atomic.Int64
	var all sync.WaitGroup
	for i, r := range requests {
		all.Go(func() {
			answers[i] = o.send(ctx, r)
			done.Add(1)
		})
		for int(done.Load())+o.store.Load().Waiting <= i {
			time.Sleep(20 * time.Microsecond)
		}
	}
	close(release)
	all.Wait()
	return <-holding
}

// ids is a store that assigns the ids of a round from ids that it took before.
type ids struct {
	*sqlitestore.Store
	mu   sync.Mutex
	left map[ports.Sequence][]int64
}

// fill takes so many ids of each sequence.
func (s *ids) fill(ctx context.Context, many int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range ports.Sequences() {
		for len(s.left[of]) < many {
			id, err := s.Store.NextID(ctx, of)
			if err != nil {
				return err
			}
			s.left[of] = append(s.left[of], id)
		}
	}
	return nil
}

// NextID implements ports.Store.
func (s *ids) NextID(ctx context.Context, of ports.Sequence) (id int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left[of]) == 0 {
		return s.Store.NextID(ctx, of)
	}
	id, s.left[of] = s.left[of][0], s.left[of][1:]
	return id, nil
}

// generator generates the contents of an index from the seed's randomness, so that a seed lays out the same pages.
type generator struct {
	credentials.Generator
	mu     sync.Mutex
	random *rand.Rand
}

func (g *generator) text(length int) string {
	const alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
	g.mu.Lock()
	defer g.mu.Unlock()
	made := make([]byte, length)
	for i := range made {
		made[i] = alphabet[g.random.IntN(len(alphabet))]
	}
	return string(made)
}

// LineUsername implements ports.Generator.
func (g *generator) LineUsername() profile.Username { return fixture.Name(g.text(12)) }

// SessionSecret implements ports.Generator.
func (g *generator) SessionSecret() profile.Secret { return profile.NewSecret(g.text(43)) }
