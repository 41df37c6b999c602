package simulate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/domain/principal"
	"resellerd/test/api"
	"resellerd/test/model"
)

// permitted refuses an operation that the principal has no scope for, and then a request with a fault of its own.
func (r *run) permitted(q *request) *outcome {
	if q.as == nil {
		return q.spoiled
	}
	if needed := q.op.Scope; needed != "" && !q.as.Has(needed) {
		not := refused("insufficient-scope")
		not.fields = fields{"required_scope": needed}
		return not
	}
	return q.spoiled
}

// authenticating reports whether the service is still authenticating the caller, and has not yet begun the operation.
func (r *run) authenticating(t *attempt) bool {
	switch q := t.request; {
	case q.as == nil:
		return false
	case q.byKey():
		return t.clocks <= 1
	}
	return t.clocks <= 2
}

// decideKey decides whether a key may use an operation, before the operation's own rules.
func (r *run) decideKey(t *attempt, at model.Moment) *outcome {
	q := t.request
	if refusal := q.as.Refused(at.Now); refusal != "" {
		return refused(refusal)
	}
	switch {
	case !q.as.From(at.Address): // narrowed since, it may be
		return refused("address-not-allowed")
	case r.authenticating(t) && q.op.ID == "changePassword":
		return refused("not-allowed")
	}
	return r.permitted(q)
}

// delegate has a principal of the account make the request, now and then: mostly one with the right.
func (r *run) delegate(a *actor, q *request) {
	if q.delegated {
		return
	}
	q.delegated = true
	ofPrincipal := q.op.Of == api.AKey || q.op.Of == api.AMember // it may concern the caller itself
	if q.as != nil || q.personal || ofPrincipal && r.contended.principal != nil && a.random.IntN(4) > 0 ||
		a.random.IntN(3) > 0 && r.contended.principal == nil {
		return
	}
	var all []*model.Principal
	for _, p := range r.world.Principals {
		if p.Of == q.by && (p.Staff || !q.bySession) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return
	}
	p := pick(a.random, all)
	for range 8 {
		if needed := q.op.Scope; !p.Removed && (needed == "" || p.Has(needed)) {
			break
		}
		p = pick(a.random, all)
	}
	if slices.Contains(all, r.contended.principal) && a.random.IntN(4) > 0 {
		p = r.contended.principal
	}
	q.as, q.bySession = p, p.Staff
}

// metUsed is an outcome that few years lack: a campaign has to meet it.
const metUsed = "the use of a principal is stored"

// keptPrincipal takes over when a principal was used.
func (r *run) keptPrincipal(t *attempt, kept *principal.Principal) {
	i := slices.IndexFunc(r.world.Principals, func(p *model.Principal) bool { return p.ID == kept.ID })
	if i < 0 {
		r.differ(r.doing(), "no principal", fmt.Sprintf("%+v", kept))
		return
	}
	p := r.world.Principals[i]
	if !kept.Used.Equal(p.Used) {
		if t == nil || t.request.as != p || kept.UsedFrom != addressOf(r.current) {
			r.differ(r.doing(), fmt.Sprintf("no use of principal %d", p.ID), fmt.Sprintf("at %s from %s", iso(kept.Used),
				kept.UsedFrom))
		}
		p.Used, p.UsedFrom = kept.Used, kept.UsedFrom
		r.seen[metUsed]++
	}
	r.same("principal", spelledPrincipal(p), storedPrincipal(kept))
}

func (r *run) doing() string {
	if t := r.attempt(); t != nil {
		return t.String()
	}
	return "the stored records"
}

// principalForm is how the model's and the stored principals are compared.
const principalForm = "principal %d of %d, %t, %q, %s %s until %s, %s of %s of %s, removed %t"

func spelledPrincipal(p *model.Principal) string {
	return fmt.Sprintf(principalForm, p.ID, p.Of.ID, p.Staff, p.Name, p.Role, p.Shown(), iso(p.Expires), p.Spent, p.Limit,
		iso(p.Day), p.Removed)
}

func storedPrincipal(p *principal.Principal) string {
	return fmt.Sprintf(principalForm, p.ID, p.Account, p.Kind == principal.Staff, p.Name, p.Role, p.Scopes(),
		iso(p.Expires), p.Spent.Amount(), p.Limit.Amount(), iso(p.Day), !p.Revoked.IsZero())
}

// addressOrNetwork writes a network as the API shows it.
func addressOrNetwork(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

func isoOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return iso(t)
}

// principalRecord is a principal as the API shows it at an instant.
func principalRecord(p *model.Principal, now time.Time) fields {
	record := fields{
		"id": p.ID, "role": nullable(p.Role), "scopes": texts(p.Shown()), "spend_limit": nil,
		"spent": p.SpentOn(now).String(), "resets_at": iso(p.Resets(now)),
		"last_used_at": isoOrNull(p.Used), "last_used_address": nullable(p.UsedFrom), "created_at": iso(p.CreatedAt),
	}
	if p.Limit.IsPositive() {
		record["spend_limit"] = json.RawMessage(spelled(fields{"credits": p.Limit.String(), "per": "day"}))
	}
	if p.Staff {
		return with(record, fields{"username": p.Name})
	}
	addresses := []string{}
	for _, a := range p.Addresses {
		addresses = append(addresses, addressOrNetwork(a))
	}
	return with(record, fields{"name": p.Name, "expires_at": isoOrNull(p.Expires), "allowed_addresses": texts(addresses)})
}

// rights draws what a principal may, and adds it to a body.
func (c *choice) rights(body fields, staff bool) (r model.Rights) {
	switch c.n(6) {
	case 0:
		r.Scopes = model.Scopes
	case 5:
		r.Scopes = []string{"entitlements:read"}
	case 1:
		for _, s := range model.Scopes {
			if c.n(2) == 0 {
				r.Scopes = append(r.Scopes, s)
			}
		}
	default:
		r.Role = pick(c.a.random, []string{"read_only", "support", "cashier", "manager", "manager"})
	}
	if body["role"] = r.Role; r.Role == "" {
		delete(body, "role")
		body["scopes"] = texts(r.Scopes)
	}
	if c.n(2) == 0 {
		r.Limit = decimal.New(int64(1+c.n(200_000)), -4)
		body["spend_limit"] = fields{"credits": r.Limit.String(), "per": "day"}
	}
	if staff {
		return r
	}
	if c.n(4) == 0 {
		r.Addresses = pick(c.a.random, [][]netip.Prefix{
			{netip.MustParsePrefix("10.0.0.0/8")},
			{netip.MustParsePrefix("10.0.0.0/30"), netip.MustParsePrefix("2001:db8::/32")},
			{netip.MustParsePrefix("10.0.0.2/32")},
		})
		body["allowed_addresses"] = r.Addresses
	}
	if c.n(3) == 0 {
		r.Expires = c.now().Add(time.Duration(c.n(21*24*3600)-24*3600) * time.Second).Truncate(time.Millisecond)
		body["expires_at"] = iso(r.Expires)
	}
	return r
}

func (c *choice) createKey() *request {
	by := c.someone()
	if c.n(120) == 0 { // up to the limit, and some beyond it
		c.several(model.MostPrincipals+20-len(c.world.PrincipalsOf(by, false)), "createKey",
			func() *request { return c.newPrincipal(by, false) })
	}
	return c.newPrincipal(by, false)
}

func (c *choice) createStaff() *request { return c.newPrincipal(c.someone(), true) }

func (c *choice) newPrincipal(by *model.Reseller, staff bool) *request {
	n := model.NewPrincipal{Staff: staff, Name: fmt.Sprintf("key of %s", c.a.step)}
	path, body := "/keys", fields{}
	n.Rights = c.rights(body, staff)
	if staff {
		n.Name, n.Password = c.name(pick(c.a.random, c.world.Persons()).Name()), fmt.Sprintf("password %d", c.n(1000))
		path, body["username"], body["password"] = "/staff", n.Name, n.Password
	} else {
		body["name"] = n.Name
	}
	q := c.effect(by, path, body, func(at model.Moment) *outcome {
		refusal, create := c.world.CreatePrincipal(by, n, at)
		return answered(refusal, http.StatusCreated, func(t *attempt) fields {
			made := wroteA[*principal.Principal](t.wrote)
			if made == nil {
				c.differ(t.String(), "a principal", "none")
				return nil
			}
			if !c.fresh("principal", made.ID) {
				return nil
			}
			if staff {
				return principalRecord(create(made.ID, ""), at.Now)
			}
			key := fmt.Sprintf("rsk_%d_%s", made.ID, t.secret)
			return with(principalRecord(create(made.ID, key), at.Now), fields{"key": key})
		})
	})
	q.beyond = func(giver *model.Principal) bool { return !n.Within(giver) }
	return q
}

// anyPrincipal returns an account, a key or a staff member, mostly its own, and the id in the path.
func (c *choice) anyPrincipal(staff bool) (by *model.Reseller, p *model.Principal, id string) {
	by = c.someone()
	all := slices.DeleteFunc(slices.Clone(c.world.Principals), func(p *model.Principal) bool { return p.Staff != staff })
	if len(all) == 0 || c.n(40) == 0 {
		return by, nil, pick(c.a.random, append([]string{"999999"}, noIDs...))
	}
	for range 5 {
		if p = pick(c.a.random, all); !p.Removed {
			break
		}
	}
	if c.contended.principal != nil && c.n(2) == 0 {
		p = c.contended.principal // of the other kind it is none
	}
	if c.n(8) > 0 {
		by = p.Of
	}
	return by, p, strconv.FormatInt(p.ID, 10)
}

func pathOf(staff bool) string {
	if staff {
		return "/staff"
	}
	return "/keys"
}

func (c *choice) updatePrincipal(staff bool) *request {
	by, p, id := c.anyPrincipal(staff)
	drawn, body := fields{}, fields{}
	r := c.rights(drawn, staff)
	var change model.PrincipalChange
	if c.n(2) == 0 {
		if change.Role, change.Scopes = &r.Role, nil; r.Role == "" {
			change.Role, change.Scopes = nil, append([]string{}, r.Scopes...)
		}
		for _, name := range []string{"role", "scopes"} {
			if v, is := drawn[name]; is {
				body[name] = v
			}
		}
	}
	if c.n(2) == 0 {
		change.Limit, body["spend_limit"] = &r.Limit, drawn["spend_limit"]
	}
	switch n := c.n(3); {
	case staff && n == 0:
		change.Password = new(fmt.Sprintf("password %d", c.n(1000)))
		body["password"] = *change.Password
	case staff && n == 1:
		change.Name = new(c.name(pick(c.a.random, c.world.Persons()).Name()))
		body["username"] = *change.Name
	case !staff && n == 0:
		change.Name = new(pick(c.a.random, []string{"a key", "another"}))
		body["name"] = *change.Name
	case !staff && n == 1:
		change.Addresses, body["allowed_addresses"] = &r.Addresses, drawn["allowed_addresses"]
	case !staff:
		change.Expires, body["expires_at"] = &r.Expires, drawn["expires_at"]
	}
	return c.change(by, pathOf(staff)+"/"+id, body, func(at model.Moment) (string, func()) {
		return c.world.UpdatePrincipal(by, p, staff, change, at)
	}, func(at model.Moment) fields { return principalRecord(p, at.Now) })
}

func (c *choice) removePrincipal(staff bool) *request {
	by, p, id := c.anyPrincipal(staff)
	return c.change(by, pathOf(staff)+"/"+id, nil, func(at model.Moment) (string, func()) {
		return c.world.RemovePrincipal(by, p, staff, at)
	}, done)
}

func (c *choice) listPrincipals(staff bool) *request {
	by := c.someone()
	return c.ask(by, pathOf(staff), func(at model.Moment) *outcome {
		records := []fields{}
		for _, p := range c.world.PrincipalsOf(by, staff) {
			records = append(records, principalRecord(p, at.Now))
		}
		return &outcome{status: http.StatusOK, fields: fields{"data": records, "next_cursor": nil}}
	})
}

func (c *choice) principal(staff bool) *request {
	by, p, id := c.anyPrincipal(staff)
	return c.ask(by, pathOf(staff)+"/"+id, func(at model.Moment) *outcome {
		if p == nil || p.Removed || p.Of != by || p.Staff != staff {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: principalRecord(p, at.Now)}
	})
}
