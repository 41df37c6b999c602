package simulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/test/api"
	"resellerd/test/model"
)

// choice draws a request.
type choice struct {
	*run
	a *actor
}

func (c *choice) n(n int) int { return c.a.random.IntN(n) }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// someone returns an account for a request. In a contended round it is mostly the one that all clients use, and now and
// then the admin, who sees all.
func (c *choice) someone() *model.Reseller {
	switch n := c.n(10); {
	case c.contended.reseller != nil && n < 7:
		return c.contended.reseller
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
	if c.contended.line != nil && c.n(4) > 0 {
		l = c.contended.line
	}
	for range 10 {
		if c.contended.line == l || l.Trial == trial && !l.Deleted {
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
		q.body = spelled(body)
	}
	before, _, _ := strings.Cut(path, "?")
	if slices.ContainsFunc(strings.Split(before, "/"), func(part string) bool { return slices.Contains(noIDs, part) }) {
		q.spoiled = refused("not-found")
	}
	return q
}

// noIDs are no ids: the API refuses them without a read of the store.
var noIDs = []string{"0", "07", "x", "-1"}

// spoil changes a request, now and then, into one that the API refuses before it uses the store.
func (c *choice) spoil(q *request) {
	if q.spoiled != nil || c.n(60) > 0 {
		return
	}
	switch n := c.n(9); {
	case n == 6:
		q.path, q.early = "/nowhere", refused("unknown-route")
	case n == 7:
		q.method, q.path, q.early = http.MethodPut, "/prices", refused("method-not-allowed")
	case n == 8 && q.body != "":
		q.body, q.spoiled = q.body+strings.Repeat(" ", 1<<16), refused("body-too-large")
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
	case strings.HasPrefix(q.path, "/keys/"), strings.HasPrefix(q.path, "/staff/"),
		strings.HasSuffix(q.path, "/contact"), strings.HasSuffix(q.path, "/details"): // no field of these is required
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

// change makes a request that changes something: decide is the model's decision, and the last function has the fields
// of the answer.
func (c *choice) change(by *model.Reseller, path string, body fields,
	decide func(at model.Moment) (refusal string, do func()), shown func(at model.Moment) fields) *request {
	return c.effect(by, path, body, func(at model.Moment) *outcome {
		refusal, do := decide(at)
		return answered(refusal, http.StatusOK, func(*attempt) fields {
			do()
			return shown(at)
		})
	})
}

// done is the answer of operations that answer with their status alone.
func done(model.Moment) fields { return fields{"status": http.StatusOK} }

// look makes a request that reads something of an account.
func (c *choice) look(by, target *model.Reseller, path string, shown func() fields) *request {
	return c.ask(by, path, func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: shown()}
	})
}

// several sends requests for an operation, one after the other, until a bound is met.
func (c *choice) several(times int, id string, draw func() *request) {
	for range times {
		q := draw()
		q.op, q.delegated = &operation{Row: api.RowOf(id)}, true
		q.method, c.a.tries = q.op.Method, 0
		if c.difference != nil || !c.introduce(c.a, q) {
			return
		}
		c.send(c.a, c.processes[c.n(processes)], q)
	}
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
	if c.n(8) == 0 {
		for _, other := range c.keyed[max(0, len(c.keyed)-100):] {
			if other.personal && c.answers[other.account(other.key)] != nil {
				q = *other
			}
		}
	}
	q.token, q.browser, q.headers, q.early, q.bySession = nil, nil, nil, nil, q.personal || c.n(4) == 0
	switch q.delegated = false; {
	case !q.personal:
		q.as = nil
	case q.as != nil && c.n(2) == 0: // the record then belongs to another account
		q.as = nil
	default:
		if staff := c.world.PrincipalsOf(q.by, true); len(staff) > 0 && c.n(2) == 0 {
			q.as = pick(c.a.random, staff)
		}
	}
	if c.n(12) == 0 { // no account sees the key of another
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
		if again != nil && again.key != "" && again.spoiled == nil && again.early == nil {
			again.op, again.key, again.method = q.op, q.key, q.op.Method
			return again
		}
	}
	return nil
}

// decided makes an outcome of a refusal, or of the other answer.
func decided(refusal string, otherwise func() *outcome) *outcome {
	if refusal != "" {
		return refused(refusal)
	}
	return otherwise()
}

// answered makes an outcome of a refusal, or of a status, an effect, and the fields that are shown then.
func answered(refusal string, status int, effect func(t *attempt) fields) *outcome {
	return decided(refusal, func() *outcome {
		o := &outcome{status: status}
		o.effect = func(t *attempt) { o.fields = effect(t) }
		return o
	})
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

// name returns a new name, or now and then a taken one.
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
		"id": r.ID, "username": r.Name, "is_master": bit(r.Master), "credits": r.Balance.String(),
		"country":  r.Contact.Country,
		"whatsapp": nullable(r.Contact.Whatsapp), "telegram": nullable(r.Contact.Telegram), "master": parent,
		"recharge": iso(r.RechargedAt), "status": 1, "is_admin": bit(r.Admin), "language": "en",
		"createdAt": iso(r.CreatedAt),
		"updatedAt": iso(r.UpdatedAt), "token": nil, "notes": nullable(r.Contact.Notes), "trash": 0,
		"active_tree": bit(!r.Frozen()), "block_reseller": bit(r.Blocked), "email": nullable(r.Contact.Email),
		"block": blockRecord(r),
	}
}

func blockRecord(r *model.Reseller) any {
	if !r.Blocked {
		return nil
	}
	lines := "run"
	if r.Block.Suspends {
		lines = "suspend"
	}
	return json.RawMessage(spelled(fields{"lines": lines, "reason": nullable(r.Block.Reason), "at": iso(r.Block.At)}))
}

func lineRecord(l *model.Line, now time.Time) fields {
	platform := any(nil)
	if l.Platform != 0 {
		platform = l.Platform
	}
	plan, connections := any(nil), any(nil)
	if l.Plan != 0 {
		plan, connections = l.Plan, 1
	}
	return fields{
		"plan": plan, "connections": connections, "packages": nil,
		"id": l.ID, "username": l.Name, "owner": l.Owner.ID, "expDate": iso(l.Expires), "external_id": nullable(l.ExternalID),
		"metadata": json.RawMessage(cmp.Or(l.Metadata, "null")),
		"notes":    nullable(l.Notes), "status": bit(l.Effective(now) == "running"), "isTrial": bit(l.Trial),
		"whatsapp": nullable(l.Whatsapp),
		"telegram": nullable(l.Telegram), "country": l.Country, "email": nullable(l.Email), "idPlatform": platform,
		"trash": 0, "error_platform": 0,
		"updated": bit(l.Edited), "migrationUrl": nil, "lastTrust": nil, "createdAt": iso(l.CreatedAt),
		"updatedAt": iso(l.UpdatedAt),
		"suspended": l.Suspended, "suspension_reason": nullable(l.Reason), "effective": l.Effective(now),
	}
}

func with(f fields, more fields) fields {
	for name, value := range more {
		f[name] = value
	}
	return f
}

// fresh checks that an id was never assigned before.
func (c *choice) fresh(kind string, id int64) bool {
	named := fmt.Sprintf("%s %d", kind, id)
	if id <= 0 || c.taken[named] {
		c.differ(c.a.step.String(), "a new id of a "+kind, strconv.FormatInt(id, 10))
		return false
	}
	c.taken[named] = true
	return true
}

// moved takes the id of the movement over that the service has made.
func (c *choice) moved(t *attempt, before int) {
	made, there := wroteA[credit.Movement](t.wrote), len(c.world.Movements) > before
	if there != (made.ID != 0) {
		c.differ(t.String(), fmt.Sprintf("a movement: %t", there), fmt.Sprintf("%+v", made))
	} else if there && c.fresh("movement", made.ID) {
		c.world.Movements[before].ID = made.ID
	}
}
