package simulate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/adapters/httpapi"
	"resellerd/test/model"
)

// operation is an operation of the API: how a client comes to ask for it, and what the model says to that. A new
// operation of the API is a row of the table, and a method of choice that draws a request; sessions are to be rows like
// the others, with a cookie in the place of the token.
type operation struct {
	method string
	path   string // as the OpenAPI document has it
	weight int    // how often it is asked for
	draw   func(c *choice) *request
}

// operations are all of them.
func operations() []*operation {
	return []*operation{
		{http.MethodPost, "/auth/static-token", 4, (*choice).login},
		{http.MethodDelete, "/auth/static-token", 2, (*choice).revoke},
		{http.MethodPost, "/users", 8, (*choice).create},
		{http.MethodPatch, "/users/{id}", 6, (*choice).update},
		{http.MethodPatch, "/users/{id}/contact", 5, (*choice).contact},
		{http.MethodPatch, "/users/credits/{id}", 14, (*choice).fund},
		{http.MethodPost, "/users/{id}/credits/reclaim", 6, (*choice).reclaim},
		{http.MethodPut, "/users/{id}/block", 3, (*choice).block},
		{http.MethodDelete, "/users/{id}/block", 5, (*choice).unblock},
		{http.MethodPost, "/lines/test", 22, (*choice).trial},
		{http.MethodPatch, "/lines/active/{id}", 26, (*choice).activate},
		{http.MethodPatch, "/lines/extend/{id}", 24, (*choice).extend},
		{http.MethodPatch, "/lines/{id}", 8, (*choice).edit},
		{http.MethodDelete, "/lines/{id}", 6, (*choice).remove},
		{http.MethodGet, "/users/logged", 3, (*choice).self},
		{http.MethodGet, "/users", 3, (*choice).listResellers},
		{http.MethodGet, "/users/{id}", 6, (*choice).reseller},
		{http.MethodGet, "/users/{id}/ledger", 5, (*choice).statement},
		{http.MethodGet, "/lines", 5, (*choice).listLines},
		{http.MethodGet, "/lines/{id}", 8, (*choice).line},
		{http.MethodGet, "/lines/extend-preview/{id}", 6, (*choice).preview},
		{http.MethodGet, "/prices", 1, (*choice).prices},
		{http.MethodGet, proofPath, 2, (*choice).proof},
	}
}

// repetition is asked for as often as the operations that have an effect are: of what was asked under a key, once more.
var repetition = &operation{"", "", 22, (*choice).again}

var (
	// table is what clients ask for: the operations that the service has, and repetitions.
	table = func() []*operation {
		has := documented()
		return append(slices.DeleteFunc(operations(), func(op *operation) bool {
			return !slices.Contains(has, op.method+" "+op.path)
		}), repetition)
	}()
	create = slices.IndexFunc(table, func(op *operation) bool { return op.method+" "+op.path == "POST /users" })

	allWeight = func() (sum int) {
		for _, op := range table {
			sum += op.weight
		}
		return sum
	}()
)

// documented returns every operation of the OpenAPI document.
func documented() (all []string) {
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(httpapi.Document(""), &document); err != nil {
		panic(err)
	}
	for path, item := range document.Paths {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			if _, has := item[strings.ToLower(method)]; has {
				all = append(all, method+" "+path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// choose draws the operation of a step.
func (r *run) choose(a *actor) *operation {
	if len(r.world.Resellers) < 6 && r.round < 12 {
		return table[create] // somebody has to be there
	}
	if r.hot.operation != nil && a.random.IntN(4) > 0 {
		return r.hot.operation
	}
	n := a.random.IntN(allWeight)
	for _, op := range table {
		if n -= op.weight; n < 0 {
			return op
		}
	}
	return repetition
}

// choice draws a request.
type choice struct {
	*run
	a *actor
}

func (c *choice) n(n int) int { return c.a.random.IntN(n) }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// someone returns an account that asks: in a hot round mostly the one that all are after, now and then the admin, who
// sees all.
func (c *choice) someone() *model.Reseller {
	switch n := c.n(10); {
	case c.hot.reseller != nil && n < 7:
		return c.hot.reseller
	case n < 2:
		return c.world.Resellers[0]
	}
	return pick(c.a.random, c.world.Resellers)
}

// govern returns an account that acts on another, mostly on one below it, and the id in the path.
func (c *choice) govern() (by, target *model.Reseller, id string) {
	if c.n(40) == 0 {
		return c.someone(), nil, pick(c.a.random, append([]string{"999999"}, noIDs...))
	}
	target = c.someone()
	if target.Admin {
		target = pick(c.a.random, c.world.Resellers)
	}
	by = target
	switch n := c.n(20); {
	case n < 5:
		by = c.someone()
	case n < 12:
		for by.Parent != nil && (by == target || c.n(3) > 0) {
			by = by.Parent
		}
	case n < 18:
		by = c.world.Resellers[0]
	}
	return by, target, strconv.FormatInt(target.ID, 10)
}

// manage returns an account, a line, mostly one of a kind that the account may manage, and the id in the path.
func (c *choice) manage(trial bool) (*model.Reseller, *model.Line, string) {
	by := c.someone()
	if len(c.world.Lines) == 0 || c.n(40) == 0 {
		return by, nil, "999999"
	}
	lines := c.world.Lines
	if c.n(3) > 0 { // a recent one
		lines = lines[max(0, len(lines)-40):]
	}
	l := pick(c.a.random, lines)
	if c.hot.line != nil && c.n(4) > 0 {
		l = c.hot.line
	}
	for range 10 {
		if c.hot.line == l || l.Trial == trial && !l.Deleted {
			break
		}
		l = pick(c.a.random, lines)
	}
	if c.n(2) == 0 {
		for _, other := range c.world.Lines {
			if !other.Deleted && ending(other.Expires, c.now()) {
				l = other
			}
		}
	}
	if c.n(8) > 0 {
		for by = l.Owner; by.Parent != nil && c.n(3) == 0; {
			by = by.Parent
		}
	}
	return by, l, strconv.FormatInt(l.ID, 10)
}

// ask makes a request that reads, and now and then spoils it.
func (c *choice) ask(by *model.Reseller, path string, decide func(at model.Moment) *outcome) *request {
	q := c.request(by, path, nil, decide)
	c.spoil(q)
	return q
}

// request makes a request, whose body is encoded.
func (c *choice) request(by *model.Reseller, path string, body fields, decide func(at model.Moment) *outcome) *request {
	q := &request{by: by, path: path, decide: decide}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		q.body = string(text)
	}
	before, _, _ := strings.Cut(path, "?")
	if slices.ContainsFunc(strings.Split(before, "/"), func(part string) bool { return slices.Contains(noIDs, part) }) {
		q.spoiled = refused("not-found")
	}
	return q
}

// noIDs name nothing, and no store is asked for them.
var noIDs = []string{"0", "07", "x", "-1"}

// spoil makes a request, now and then, one that is refused before any store is asked.
func (c *choice) spoil(q *request) {
	if q.spoiled != nil || c.n(60) > 0 {
		return
	}
	switch n := c.n(6); {
	case n == 0:
		q.noToken, q.spoiled = true, refused("missing-token")
	case n == 1:
		q.noToken, q.spoiled, q.token = true, refused("invalid-token"), &token{text: "nonsense"}
	case q.body == "":
	case n == 2:
		q.body, q.spoiled = q.body[:len(q.body)-1], refused("malformed-body")
	case n == 3:
		q.media, q.spoiled = "text/plain", refused("unsupported-media-type")
	case n == 4 && q.key != "":
		q.key, q.spoiled = "a key of words", refused("bad-idempotency-key")
	case strings.Contains(q.body, `"credits"`) || strings.Contains(q.body, `"username"`):
		q.body, q.spoiled = `{"notes":"and nothing else"}`, refused("validation-failed")
	}
}

// effect makes a request that changes something, mostly under a key, and now and then one of another request.
func (c *choice) effect(by *model.Reseller, path string, body fields, decide func(at model.Moment) *outcome) *request {
	q := c.request(by, path, body, decide)
	if c.n(5) > 0 {
		c.names++
		q.key = fmt.Sprintf("key-%d", c.names)
		if c.n(50) == 0 && len(c.keyed) > 0 {
			q.key = pick(c.a.random, c.keyed[max(0, len(c.keyed)-20):]).key
		}
	}
	c.spoil(q)
	return q
}

// again repeats a request of the past under its key: soon, or at the end of the key's life, or with other content.
func (c *choice) again() *request {
	if len(c.keyed) == 0 {
		return nil
	}
	recent := c.keyed[max(0, len(c.keyed)-pick(c.a.random, []int{3, 30, 200})):]
	q := *pick(c.a.random, recent)
	if c.n(2) == 0 {
		for _, other := range c.keyed[max(0, len(c.keyed)-300):] {
			if known := c.answers[other.account(other.key)]; known != nil && ending(known.expires, c.now()) {
				q = *other
			}
		}
	}
	q.token = nil
	if c.n(12) == 0 { // somebody else's key is nobody's
		q.by = c.someone()
		return c.reseated(&q)
	}
	return &q
}

// ending reports whether something ends about now.
func ending(end, now time.Time) bool { return end.Sub(now).Abs() <= 2*time.Millisecond }

// reseated returns a copy of a request for another account, which must not have the answer that the first one had.
func (c *choice) reseated(q *request) *request {
	for range 20 {
		again := q.op.draw(c)
		if again != nil && again.key != "" && again.spoiled == nil {
			again.op, again.key, again.method = q.op, q.key, q.op.method
			return again
		}
	}
	return nil
}

// decided makes an outcome of a refusal, or of what is answered otherwise.
func decided(refusal string, otherwise func() *outcome) *outcome {
	if refusal != "" {
		return refused(refusal)
	}
	return otherwise()
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// name returns a new name, or now and then one that somebody has.
func (c *choice) name(taken string) string {
	if taken != "" && c.n(12) == 0 {
		return strings.ToUpper(taken[:1]) + taken[1:]
	}
	c.names++
	return fmt.Sprintf("name-%d", c.names)
}

func (c *choice) resellerRecord(r *model.Reseller) fields {
	parent := int64(0)
	if r.Parent != nil {
		parent = r.Parent.ID
	}
	return fields{
		"id": r.ID, "username": r.Name, "is_master": bit(r.Master), "credits": r.Balance.String(), "country": r.Contact.Country,
		"whatsapp": nullable(r.Contact.Whatsapp), "telegram": nullable(r.Contact.Telegram), "master": parent,
		"recharge": iso(r.RechargedAt), "status": 1, "is_admin": bit(r.Admin), "language": "en", "createdAt": iso(r.CreatedAt),
		"updatedAt": iso(r.UpdatedAt), "token": nil, "notes": nullable(r.Contact.Notes), "trash": 0,
		"active_tree": bit(!r.Frozen()), "block_reseller": bit(r.Blocked), "email": nullable(r.Contact.Email),
	}
}

func lineRecord(l *model.Line, now time.Time) fields {
	platform := any(nil)
	if l.Platform != 0 {
		platform = l.Platform
	}
	return fields{
		"id": l.ID, "username": l.Name, "owner": l.Owner.ID, "expDate": iso(l.Expires),
		"notes": nullable(l.Notes), "status": bit(l.Running(now)), "isTrial": bit(l.Trial), "whatsapp": nullable(l.Whatsapp),
		"telegram": nil, "country": l.Country, "email": nil, "idPlatform": platform, "trash": 0, "error_platform": 0,
		"updated": bit(l.Edited), "migrationUrl": nil, "lastTrust": nil, "createdAt": iso(l.CreatedAt), "updatedAt": iso(l.UpdatedAt),
	}
}

func with(f fields, more fields) fields {
	for name, value := range more {
		f[name] = value
	}
	return f
}

// fresh checks that an id was never given before.
func (c *choice) fresh(kind string, id int64) bool {
	if id <= 0 || id <= c.taken[kind] && slices.Contains(c.ids(kind), id) {
		c.differ(c.a.step.String(), "a new id of a "+kind, strconv.FormatInt(id, 10))
		return false
	}
	c.taken[kind] = max(c.taken[kind], id)
	return true
}

// ids returns those that the world has of a kind.
func (c *choice) ids(kind string) (ids []int64) {
	switch kind {
	case "reseller":
		for _, r := range c.world.Resellers {
			ids = append(ids, r.ID)
		}
	case "line":
		for _, l := range c.world.Lines {
			ids = append(ids, l.ID)
		}
	case "platform id":
		for _, l := range c.world.Lines {
			ids = append(ids, l.Platform)
		}
	case "movement":
		for _, m := range c.world.Movements {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// moved takes the id of the movement over that the service has made.
func (c *choice) moved(t *attempt, before int) {
	if len(c.world.Movements) == before {
		if t.wrote.movement != nil {
			c.differ(t.String(), "no movement", fmt.Sprintf("%+v", *t.wrote.movement))
		}
		return
	}
	if t.wrote.movement == nil {
		c.differ(t.String(), "a movement", "none")
		return
	}
	if id := t.wrote.movement.ID; c.fresh("movement", id) {
		c.world.Movements[before].ID = id
	}
}

// loginOf returns the login of an account, nil for one that is not there.
func (r *run) loginOf(a *actor, who *model.Reseller, password string) *request {
	name := "nobody-" + a.step.String()[5:]
	if who != nil {
		name = who.Name
	}
	body, err := json.Marshal(fields{"username": name, "password": password})
	if err != nil {
		panic(err)
	}
	q := &request{login: true, method: http.MethodPost, path: "/auth/static-token", body: string(body)}
	q.decide = func(model.Moment) *outcome {
		holder := r.world.ResellerNamed(name)
		switch {
		case holder == nil || holder.Password != password:
			return refused("invalid-credentials")
		case holder.Frozen():
			return refused("account-blocked")
		}
		made := holder.Tokens
		t := a.attempt
		return &outcome{status: http.StatusOK, fields: fields{"status": 200}, seen: func(body fields) string {
			return r.hold(&token{fmt.Sprint(body["token"]), holder, made, t.epoch})
		}}
	}
	return q
}

// hold keeps a token that a client got: it is the one that it had until it was changed, and never one of the past.
func (r *run) hold(got *token) string {
	if known := r.known[got.text]; known != nil {
		if known.of != got.of || known.made != got.made || known.epoch != got.epoch {
			return "a token that nobody had before"
		}
	} else {
		for _, other := range r.known {
			if other.of == got.of && other.made == got.made && other.epoch == got.epoch {
				return "the token that the account has: " + other.text
			}
		}
		r.known[got.text] = got
	}
	if held := r.tokens[got.of]; held == nil || held.made < got.made || held.epoch <= got.epoch {
		r.tokens[got.of] = got
	}
	return ""
}

func (c *choice) login() *request {
	who := c.someone()
	switch c.n(4) {
	case 0:
		return c.loginOf(c.a, nil, "password")
	case 1: // the same again and again, until it has to wait
		q := c.loginOf(c.a, who, "wrong password")
		for range c.n(16) {
			c.a.tries = 0
			c.send(c.a, c.processes[0], q)
			if c.n(4) == 0 {
				c.a.rest(time.Duration(c.n(70_000)) * time.Millisecond)
			}
			if c.difference != nil {
				return nil
			}
		}
		return q
	}
	return c.loginOf(c.a, who, who.Password)
}

func (c *choice) revoke() *request {
	by := c.someone()
	return c.effect(by, "/auth/static-token", nil, func(at model.Moment) *outcome {
		refusal, revoke := c.world.Revoke(by, at)
		return decided(refusal, func() *outcome {
			return &outcome{status: http.StatusOK, fields: fields{"status": 200}, effect: func(*attempt) { revoke() }}
		})
	})
}

func (c *choice) create() *request {
	by := c.someone()
	if c.n(3) == 0 { // one below the other, as deep as may be
		for _, other := range c.world.Resellers {
			if other.Master && other.Depth() > by.Depth() && !other.Frozen() {
				by = other
			}
		}
	}
	for range 5 {
		if !by.Master {
			by = c.someone()
		}
	}
	n := model.NewReseller{
		Name: c.name(c.world.Resellers[c.n(len(c.world.Resellers))].Name), Password: fmt.Sprintf("password %d", c.n(1000)), Master: c.n(3) > 0,
		Contact: model.Contact{Country: "BR"},
	}
	if len(c.world.Resellers) > 30 {
		n.Name = c.world.Resellers[1].Name // enough of them
	}
	if c.n(2) == 0 {
		n.Credits = c.amount()
	}
	body := fields{"username": n.Name, "password": n.Password, "is_master": bit(n.Master), "credits": n.Credits.String(), "country": n.Contact.Country}
	if c.n(2) == 0 {
		n.Contact.Email, n.Contact.Notes = "someone@example.com", "some notes"
		body["email"], body["notes"] = n.Contact.Email, n.Contact.Notes
	}
	q := c.effect(by, "/users", body, nil)
	q.decide = func(at model.Moment) *outcome {
		refusal, create := c.world.Create(by, n, at)
		o := decided(refusal, func() *outcome { return &outcome{status: http.StatusCreated} })
		if refusal == "" {
			o.effect = func(t *attempt) {
				id := int64(0)
				if t.wrote.reseller != nil {
					id = t.wrote.reseller.ID()
				}
				if !c.fresh("reseller", id) {
					return
				}
				before := len(c.world.Movements)
				created := create(id)
				c.moved(t, before)
				o.fields = with(c.resellerRecord(created), fields{"password": n.Password, "recharge": at.Now.Format("1/2/2006, 3:04:05 PM")})
			}
		}
		if refusal == "insufficient-credits" {
			o.fields = shortfall(by, n.Credits)
		}
		return o
	}
	return q
}

func shortfall(payer *model.Reseller, required decimal.Decimal) fields {
	return fields{"balance": payer.Balance.String(), "required": required.String(), "shortfall": required.Sub(payer.Balance).String()}
}

// amount returns credits: mostly a few, now and then many, to the last of four decimal places.
func (c *choice) amount() decimal.Decimal {
	return decimal.New(int64(1+c.n(pick(c.a.random, []int{400_000, 4_000_000, 40_000_000_000}))), -4)
}

func (c *choice) update() *request {
	by, target, id := c.govern()
	u := model.ResellerUpdate{Name: c.name("admin"), Password: fmt.Sprintf("password %d", c.n(1000)), Country: "PT", Whatsapp: "1"}
	if target != nil {
		if c.n(2) == 0 {
			u.Password = target.Password
		}
		if c.n(2) == 0 {
			u.Name = target.Name
		}
	}
	body := fields{"username": u.Name, "password": u.Password, "country": u.Country, "whatsapp": u.Whatsapp}
	empty := ""
	switch c.n(3) {
	case 0:
		body["telegram"], u.Telegram = nil, &empty
	case 1:
		text := "@somebody"
		body["telegram"], u.Telegram = text, &text
	}
	return c.effect(by, "/users/"+id, body, func(at model.Moment) *outcome {
		refusal, update := c.world.Update(by, target, u, at)
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(*attempt) {
				update()
				k := target.Contact
				o.fields = fields{
					"id": target.ID, "username": u.Name, "password": u.Password, "email": nullable(k.Email), "country": k.Country,
					"whatsapp": k.Whatsapp, "telegram": nullable(k.Telegram), "notes": nullable(k.Notes),
				}
			}
			return o
		})
	})
}

func (c *choice) contact() *request {
	by, target, id := c.govern()
	notes, email := fmt.Sprintf("notes %d", c.n(1000)), "other@example.com"
	var k [5]model.Change
	body := fields{"notes": notes}
	if k[4] = &notes; c.n(2) == 0 {
		body["email"], k[3] = email, &email
	}
	return c.effect(by, "/users/"+id+"/contact", body, func(at model.Moment) *outcome {
		refusal, change := c.world.ChangeContact(by, target, k, at)
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(*attempt) {
				change()
				o.fields = c.resellerRecord(target)
			}
			return o
		})
	})
}

func (c *choice) fund() *request {
	return c.transfer(func(id string) string { return "/users/credits/" + id }, (*model.World).Fund, "added to")
}

func (c *choice) reclaim() *request {
	return c.transfer(func(id string) string { return "/users/" + id + "/credits/reclaim" }, (*model.World).Reclaim, "taken back from")
}

func (c *choice) transfer(
	path func(id string) string, decide func(w *model.World, by, target *model.Reseller, x model.Transfer, at model.Moment) (string, func()), how string,
) *request {
	by, target, id := c.govern()
	x := model.Transfer{Amount: c.amount()}
	body := fields{"credits": json.Number(x.Amount.String())}
	if c.n(3) == 0 {
		x.Notes = "a note"
		body["notes"] = x.Notes
	}
	return c.effect(by, path(id), body, func(at model.Moment) *outcome {
		refusal, move := decide(c.world, by, target, x, at)
		o := decided(refusal, func() *outcome { return &outcome{status: http.StatusOK} })
		if refusal == "insufficient-credits" {
			payer := by
			if strings.HasPrefix(how, "taken") {
				payer = target
			}
			o.fields = shortfall(payer, x.Amount)
		}
		if refusal == "" {
			o.effect = func(t *attempt) {
				before := len(c.world.Movements)
				move()
				c.moved(t, before)
				o.fields = fields{
					"id": target.ID, "username": target.Name, "credits": json.Number(target.Balance.String()), "recharge": iso(target.RechargedAt),
					"message": fmt.Sprintf("%s credits %s %s.", x.Amount, how, target.Name),
				}
			}
		}
		return o
	})
}

func (c *choice) block() *request   { return c.blocking(true) }
func (c *choice) unblock() *request { return c.blocking(false) }

func (c *choice) blocking(on bool) *request {
	by, target, id := c.govern()
	if on && c.n(3) > 0 { // mostly somebody without many below
		if t := c.world.Resellers[len(c.world.Resellers)-1]; by.Sees(t) {
			target, id = t, strconv.FormatInt(t.ID, 10)
		}
	}
	if !on {
		for _, t := range c.world.Resellers {
			if t.Blocked && c.n(2) == 0 {
				target, id = t, strconv.FormatInt(t.ID, 10)
				if t.Parent != nil {
					by = c.world.Resellers[0]
				}
			}
		}
	}
	q := c.effect(by, "/users/"+id+"/block", nil, func(at model.Moment) *outcome {
		refusal, block := c.world.Block(by, target, on, at)
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(*attempt) {
				block()
				o.fields = c.resellerRecord(target)
			}
			return o
		})
	})
	if on {
		q.key = ""
	}
	return q
}

func (c *choice) trial() *request {
	by := c.someone()
	body, notes := fields(nil), ""
	if c.n(3) == 0 {
		notes = "on trial"
		body = fields{"notes": notes}
	}
	q := c.effect(by, "/lines/test", body, nil)
	q.decide = func(at model.Moment) *outcome {
		refusal, issue := c.world.Trial(by, notes, at)
		if refusal == "trial-allowance-spent" {
			o := refused(refusal)
			o.wait = c.world.TrialWait(by, at.Now)
			o.aside = func() { by.BringTrialsBack(at.Now) }
			return o
		}
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusCreated}
			o.effect = func(t *attempt) {
				if t.wrote.line == nil {
					c.differ(t.String(), "a line", "none")
					return
				}
				made := t.wrote.line.State()
				if !c.fresh("line", made.ID) {
					return
				}
				l := issue(model.NewTrial{ID: made.ID, Name: made.Username.String(), Password: t.password})
				o.fields = with(lineRecord(l, at.Now), fields{"password": l.Password, "code": "201"})
			}
			return o
		})
	}
	return q
}

// details returns what a line is to be called from now on.
func (c *choice) details(l *model.Line) (model.LineDetails, fields) {
	taken := ""
	if len(c.world.Lines) > 0 {
		taken = pick(c.a.random, c.world.Lines).Name
	}
	d := model.LineDetails{Name: c.name(taken), Password: fmt.Sprintf("pass %d", c.n(1000)), Country: "BR"}
	if l != nil && c.n(2) == 0 {
		d.Name = l.Name
	}
	return d, fields{"username": d.Name, "password": d.Password, "country": d.Country}
}

func (c *choice) price() model.Price { return pick(c.a.random, model.Prices()) }

func (c *choice) activate() *request {
	by, l, id := c.manage(true)
	d, body := c.details(l)
	p := c.price()
	body["credits"] = json.Number(p.Credits)
	if c.n(3) == 0 {
		text := "paid"
		body["notes"], d.Notes = text, &text
	}
	q := c.effect(by, "/lines/active/"+id, body, func(at model.Moment) *outcome {
		refusal, activate := c.world.Activate(by, l, p, d, at)
		o := decided(refusal, func() *outcome { return &outcome{status: http.StatusCreated} })
		if refusal == "insufficient-credits" {
			o.fields = shortfall(l.Owner, p.Amount())
		}
		if refusal == "" {
			o.effect = func(t *attempt) {
				platform := int64(0)
				if t.wrote.line != nil {
					platform = t.wrote.line.State().PlatformID
				}
				if !c.fresh("platform id", platform) {
					return
				}
				before := len(c.world.Movements)
				activate(platform)
				c.moved(t, before)
				o.fields = with(lineRecord(l, at.Now), fields{"password": l.Password})
			}
		}
		return o
	})
	if q.spoiled == nil && c.n(40) == 0 { // a price that nobody sells
		body["credits"] = json.Number("4")
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		q.body, q.key, q.spoiled = string(text), "", refused("unknown-price")
	}
	return q
}

func (c *choice) extend() *request {
	by, l, id := c.manage(false)
	if l != nil && c.n(3) == 0 { // one that runs for years already
		for _, other := range c.world.Lines {
			if by.SeesLine(other) && other.Expires.After(l.Expires) {
				l = other
			}
		}
		id = strconv.FormatInt(l.ID, 10)
	}
	p := c.price()
	return c.effect(by, "/lines/extend/"+id, fields{"credits": json.Number(p.Credits)}, func(at model.Moment) *outcome {
		refusal, _, extend := c.world.Extend(by, l, p, at)
		o := decided(refusal, func() *outcome { return &outcome{status: http.StatusOK} })
		if refusal == "insufficient-credits" {
			o.fields = shortfall(l.Owner, p.Amount())
		}
		if refusal == "" {
			o.effect = func(t *attempt) {
				before := len(c.world.Movements)
				extend()
				c.moved(t, before)
				o.fields = with(lineRecord(l, at.Now), fields{"password": l.Password})
			}
		}
		return o
	})
}

func (c *choice) edit() *request {
	by, l, id := c.manage(false)
	d, body := c.details(l)
	whatsapp := "+1"
	d.Whatsapp, body["whatsapp"] = &whatsapp, whatsapp
	return c.effect(by, "/lines/"+id, body, func(at model.Moment) *outcome {
		refusal, edit := c.world.Edit(by, l, d, at)
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(*attempt) {
				edit()
				o.fields = fields{
					"id": l.ID, "username": l.Name, "password": l.Password, "whatsapp": l.Whatsapp, "country": l.Country, "notes": nullable(l.Notes),
				}
			}
			return o
		})
	})
}

func (c *choice) remove() *request {
	by, l, id := c.manage(c.n(2) == 0)
	return c.effect(by, "/lines/"+id, nil, func(model.Moment) *outcome {
		refusal, remove := c.world.Delete(by, l)
		return decided(refusal, func() *outcome {
			return &outcome{status: http.StatusOK, fields: fields{"status": 200}, effect: func(*attempt) { remove() }}
		})
	})
}

func (c *choice) self() *request {
	by := c.someone()
	return c.ask(by, "/users/logged", func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: c.resellerRecord(by)}
	})
}

func (c *choice) reseller() *request {
	by, target, id := c.govern()
	return c.ask(by, "/users/"+id, func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: c.resellerRecord(target)}
	})
}

// page is what the model says of a list: the first records of all, and whether there are more.
func page(all []fields, limit int) *outcome {
	more := len(all) > limit
	o := &outcome{status: http.StatusOK, fields: fields{"data": all[:min(limit, len(all))]}}
	o.fields["next_cursor"] = matcher(func(got any) string {
		if _, is := got.(string); is != more && more {
			return "a cursor, as there are more"
		}
		return ""
	})
	return o
}

func (c *choice) listResellers() *request {
	by := c.someone()
	limit := pick(c.a.random, []int{1, 3, 50})
	return c.ask(by, fmt.Sprintf("/users?limit=%d", limit), func(model.Moment) *outcome {
		var all []*model.Reseller
		for _, target := range c.world.Resellers {
			if by.Sees(target) {
				all = append(all, target)
			}
		}
		slices.SortFunc(all, func(a, b *model.Reseller) int { return int(a.ID - b.ID) })
		var records []fields
		for _, target := range all {
			records = append(records, c.resellerRecord(target))
		}
		return page(records, limit)
	})
}

func (c *choice) statement() *request {
	by, target, id := c.govern()
	limit := pick(c.a.random, []int{1, 5, 50})
	return c.ask(by, fmt.Sprintf("/users/%s/ledger?limit=%d", id, limit), func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		var records []fields
		for seq := len(target.Statement); seq > max(0, len(target.Statement)-limit-1); seq-- {
			records = append(records, entry(target, seq))
		}
		return page(records, limit)
	})
}

// entry is the entry with a number in a statement.
func entry(of *model.Reseller, seq int) fields {
	e := of.Statement[seq-1]
	line, other := any(nil), "consumption"
	if e.Line != nil {
		line = e.Line.ID
	}
	if e.To == of {
		other = party(e.From)
	} else if e.To != nil {
		other = party(e.To)
	}
	return fields{
		"id": e.ID, "seq": seq, "kind": e.Kind, "amount": e.Change.String(), "balance": e.Balance.String(), "counterparty": other,
		"line": line, "actor": e.By.ID, "request_id": e.Request, "notes": nullable(e.Notes), "at": iso(e.Now),
	}
}

func party(r *model.Reseller) string {
	if r.Admin {
		return "issuance"
	}
	return strconv.FormatInt(r.ID, 10)
}

func (c *choice) listLines() *request {
	by := c.someone()
	limit := pick(c.a.random, []int{1, 5, 40})
	query, status := fmt.Sprintf("?limit=%d", limit), c.n(3)
	if status < 2 {
		query += fmt.Sprintf("&status=%d", status)
	}
	return c.ask(by, "/lines"+query, func(at model.Moment) *outcome {
		var all []*model.Line
		for _, l := range c.world.Lines {
			if by.SeesLine(l) && (status > 1 || bit(l.Running(at.Now)) == status) {
				all = append(all, l)
			}
		}
		slices.SortFunc(all, func(a, b *model.Line) int {
			if byExpiry := a.Expires.Compare(b.Expires); status < 2 && byExpiry != 0 {
				return byExpiry
			}
			return int(a.ID - b.ID)
		})
		var records []fields
		for _, l := range all[:min(len(all), limit+1)] {
			records = append(records, lineRecord(l, at.Now))
		}
		return page(records, limit)
	})
}

func (c *choice) line() *request {
	by, l, id := c.manage(c.n(3) == 0)
	return c.ask(by, "/lines/"+id, func(at model.Moment) *outcome {
		if !by.SeesLine(l) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: with(lineRecord(l, at.Now), fields{"password": l.Password})}
	})
}

func (c *choice) preview() *request {
	by, l, id := c.manage(false)
	p := c.price()
	return c.ask(by, "/lines/extend-preview/"+id+"?credits="+p.Credits, func(at model.Moment) *outcome {
		refusal, x, _ := c.world.Extend(by, l, p, at)
		return decided(refusal, func() *outcome {
			return &outcome{status: http.StatusOK, fields: fields{
				"id": l.ID, "credits": json.Number(p.Credits), "from": iso(x.From), "expDate": iso(x.Until),
			}}
		})
	})
}

func (c *choice) prices() *request {
	var records []fields
	for _, p := range model.Prices() {
		records = append(records, fields{"credits": json.Number(p.Credits), "period": p.Period})
	}
	return c.ask(c.someone(), "/prices", func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: fields{"prices": records}}
	})
}

func (c *choice) proof() *request {
	by := c.someone()
	return c.ask(by, proofPath, func(at model.Moment) *outcome {
		if !by.Admin {
			return refused("not-allowed")
		}
		return &outcome{status: http.StatusOK, fields: with(c.sums(), fields{"at": iso(at.Now)})}
	})
}

// sums are what the proof should say.
func (r *run) sums() fields {
	var balances decimal.Decimal
	for _, a := range r.world.Resellers {
		balances = balances.Add(a.Balance)
	}
	return fields{
		"issued": r.world.Issued.String(), "balances": balances.String(), "consumed": r.world.Consumed.String(),
		"balanced": true, "movements": len(r.world.Movements),
	}
}
