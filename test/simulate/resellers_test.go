package simulate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"resellerd/domain/reseller"

	"github.com/shopspring/decimal"

	"resellerd/test/model"
)

// loginOf returns the login of an account, or of one that does not exist.
func (r *run) loginOf(name, password string) *request {
	q := &request{login: true, method: http.MethodPost, path: "/auth/static-token", body: credentials(name, password)}
	q.decide = func(model.Moment) *outcome {
		holder := r.world.ResellerNamed(name)
		if not := lets(model.Person{Of: holder}, password); not != nil {
			return not
		}
		made := holder.Tokens
		return &outcome{status: http.StatusOK, fields: fields{"status": 200}, seen: func(body fields) string {
			return r.hold(&token{fmt.Sprint(body["token"]), holder, made})
		}}
	}
	return q
}

// hold stores a token that a client got: it is the one that it had until it was changed, and never an earlier one.
func (r *run) hold(got *token) string {
	if known := r.known[got.text]; known != nil {
		if known.of != got.of || known.made != got.made {
			return "a token that no client had before"
		}
	} else {
		for _, other := range r.known {
			if other.of == got.of && other.made == got.made {
				return "the token that the account has: " + other.text
			}
		}
		r.known[got.text] = got
	}
	if held := r.tokens[got.of]; held == nil || held.made <= got.made {
		r.tokens[got.of] = got
	}
	return ""
}

func (c *choice) login() *request {
	who := c.someone()
	switch c.n(4) {
	case 0:
		return c.loginOf("nobody-"+c.a.step.String()[5:], "password")
	case 1:
		return c.loginOf(who.Name, "wrong password")
	}
	return c.loginOf(who.Name, who.Password)
}

func (c *choice) revoke() *request {
	by := c.someone()
	return c.change(by, "/auth/static-token", nil, func(at model.Moment) (string, func()) {
		return c.world.Revoke(by, at)
	}, done)
}

func (c *choice) changePassword() *request {
	by := c.someone()
	who := c.someoneOf(by)
	present, next := who.Password(), fmt.Sprintf("password %d", c.n(1000))
	switch c.n(8) {
	case 0:
		present = "wrong password"
	case 1:
		next = present
	}
	q := c.effect(by, "/auth/password", fields{"password": present, "new_password": next}, func(at model.Moment) *outcome {
		if at.As != nil && !at.As.Staff {
			return refused("not-allowed")
		}
		refusal, change := c.world.ChangePassword(by, present, next, at)
		return answered(refusal, http.StatusOK, func(t *attempt) fields {
			change()
			if t.request.browser != nil { // whose session goes on
				s := c.world.Sessions[string(t.request.browser.id)]
				s.Began = s.Passwords()
			}
			return fields{"status": 200}
		})
	})
	if q.personal, q.as = true, who.As; q.as != nil {
		q.bySession = true
	}
	return q
}

func (c *choice) create() *request {
	by := c.someone()
	deep := c.n(3) == 0
	if deep { // one below the other, as deep as may be
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
		Name: c.name(c.world.Resellers[c.n(len(c.world.Resellers))].Name), Password: fmt.Sprintf("password %d", c.n(1000)),
		Master:  c.n(3) > 0 || deep,
		Contact: model.Contact{Country: "BR"},
	}
	if len(c.world.Resellers) > 30 {
		n.Name = c.world.Resellers[1].Name // enough of them
	}
	if c.n(2) == 0 {
		n.Credits = c.amount()
	}
	body := fields{"username": n.Name, "password": n.Password, "is_master": bit(n.Master), "credits": n.Credits.String(),
		"country": n.Contact.Country}
	if c.n(2) == 0 {
		n.Contact.Email, n.Contact.Notes = "someone@example.com", "some notes"
		body["email"], body["notes"] = n.Contact.Email, n.Contact.Notes
	}
	return c.effect(by, "/users", body, func(at model.Moment) *outcome {
		refusal, create := c.world.Create(by, n, at)
		return c.spending(answered(refusal, http.StatusCreated, func(t *attempt) fields {
			id := int64(0)
			if made := wroteA[*reseller.Reseller](t.wrote); made != nil {
				id = made.ID()
			}
			if !c.fresh("reseller", id) {
				return nil
			}
			before := len(c.world.Movements)
			created := create(id)
			c.moved(t, before)
			return with(c.resellerRecord(created),
				fields{"password": n.Password, "recharge": at.Now.Format("1/2/2006, 3:04:05 PM")})
		}), by, n.Credits, at)
	})
}

// spending adds the available and the required credits to a refusal.
func (c *choice) spending(o *outcome, payer *model.Reseller, required decimal.Decimal, at model.Moment) *outcome {
	switch o.code {
	case "insufficient-credits":
		o.fields = fields{"balance": payer.Balance.String(), "required": required.String(),
			"shortfall": required.Sub(payer.Balance).String()}
	case "insufficient-scope":
		o.fields = fields{"required_scope": "credits:move"}
	case "spend-limit-reached":
		resets := at.As.Resets(at.Now)
		o.wait = resets.Sub(at.Now)
		o.fields = fields{"limit": at.As.Limit.String(), "spent": at.As.SpentOn(at.Now).String(),
			"required": required.String(), "resets_at": iso(resets)}
	}
	return o
}

// amount returns credits: mostly a few, now and then many, to the last of four decimal places.
func (c *choice) amount() decimal.Decimal {
	return decimal.New(int64(1+c.n(pick(c.a.random, []int{400_000, 4_000_000, 40_000_000_000}))), -4)
}

func (c *choice) update() *request {
	by, target, id := c.govern()
	u := model.ResellerUpdate{Name: c.name("admin"), Password: fmt.Sprintf("password %d", c.n(1000)),
		Contact: [5]model.Change{new("PT"), new("1")}}
	if target != nil {
		if c.n(2) == 0 {
			u.Password = target.Password
		}
		if c.n(2) == 0 {
			u.Name = target.Name
		}
	}
	body := fields{"username": u.Name, "password": u.Password, "country": "PT", "whatsapp": "1"}
	if c.n(2) == 0 {
		u.Contact[2] = new(pick(c.a.random, []string{"", "@somebody"}))
		body["telegram"] = nullable(*u.Contact[2])
	}
	return c.change(by, "/users/"+id, body, func(at model.Moment) (string, func()) {
		return c.world.Update(by, target, u, at)
	}, func(model.Moment) fields {
		k := target.Contact
		return fields{
			"id": target.ID, "username": u.Name, "password": u.Password, "email": nullable(k.Email), "country": k.Country,
			"whatsapp": k.Whatsapp, "telegram": nullable(k.Telegram), "notes": nullable(k.Notes),
		}
	})
}

func (c *choice) contact() *request {
	by, target, id := c.govern()
	notes, email := fmt.Sprintf("notes %d", c.n(1000)), "other@example.com"
	var u model.ResellerUpdate
	body := fields{"notes": notes}
	if u.Contact[4] = &notes; c.n(2) == 0 {
		body["email"], u.Contact[3] = email, &email
	}
	if c.n(8) == 0 {
		u.Name = c.name("admin")
		body["username"] = u.Name
	}
	if c.n(8) == 0 {
		u.Password = fmt.Sprintf("password %d", c.n(1000))
		body["password"] = u.Password
	}
	return c.change(by, "/users/"+id+"/contact", body, func(at model.Moment) (string, func()) {
		return c.world.ChangeContact(by, target, u, at)
	}, c.wholeReseller(target))
}

func (c *choice) wholeReseller(target *model.Reseller) func(model.Moment) fields {
	return func(model.Moment) fields { return c.resellerRecord(target) }
}

func (c *choice) fund() *request {
	return c.transfer(func(id string) string { return "/users/credits/" + id }, (*model.World).Fund, "added to")
}

func (c *choice) reclaim() *request {
	return c.transfer(func(id string) string {
		return "/users/" + id + "/credits/reclaim"
	}, (*model.World).Reclaim, "taken back from")
}

// transfer is a rule of the model for a movement of credits.
type transfer func(w *model.World, by, target *model.Reseller, x model.Transfer, at model.Moment) (string, func())

func (c *choice) transfer(path func(id string) string, decide transfer, how string) *request {
	by, target, id := c.govern()
	x := model.Transfer{Amount: c.amount()}
	if target != nil && c.n(300) == 0 {
		by, x.Amount = c.fill(target), most
	}
	body := fields{"credits": json.Number(x.Amount.String())}
	if c.n(3) == 0 {
		x.Notes = "a note"
		body["notes"] = x.Notes
	}
	return c.effect(by, path(id), body, c.moving(decide, by, target, x, how))
}

// moving decides a movement of credits between two accounts.
func (c *choice) moving(decide transfer, by, target *model.Reseller, x model.Transfer,
	how string) func(at model.Moment) *outcome {
	return func(at model.Moment) *outcome {
		refusal, move := decide(c.world, by, target, x, at)
		payer := by
		if strings.HasPrefix(how, "taken") {
			payer = target
		}
		return c.spending(answered(refusal, http.StatusOK, func(t *attempt) fields {
			before := len(c.world.Movements)
			move()
			c.moved(t, before)
			return fields{
				"id": target.ID, "username": target.Name, "credits": json.Number(target.Balance.String()),
				"recharge": iso(target.RechargedAt),
				"message":  fmt.Sprintf("%s credits %s %s.", x.Amount, how, target.Name),
			}
		}), payer, x.Amount, at)
	}
}

// most is the largest amount of a movement.
var most = decimal.New(1, 9)

// fill has an admin raise the balance of an account to the limit, and returns the admin.
func (c *choice) fill(target *model.Reseller) (by *model.Reseller) {
	by = c.world.Resellers[0]
	room := decimal.New(1, 11).Sub(target.Balance).Div(most).IntPart()
	path, body := fmt.Sprintf("/users/credits/%d", target.ID), fields{"credits": json.Number(most.String())}
	decide := c.moving((*model.World).Fund, by, target, model.Transfer{Amount: most}, "added to")
	c.several(int(room)+2, "addCredits", func() *request { return c.request(by, path, body, decide) })
	return by
}

func (c *choice) blocking(on bool) *request {
	by, target, id := c.govern()
	if on && c.n(3) > 0 { // mostly an account with few below it
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
	var to *model.Terms
	var body fields
	if on {
		if to, body = c.terms(); to.Suspends && len(c.world.Lines) > 0 && c.n(2) == 0 { // an account with lines
			if t := pick(c.a.random, c.world.Lines).Owner; !t.Admin {
				by, target, id = c.world.Resellers[0], t, strconv.FormatInt(t.ID, 10)
			}
		}
	}
	q := c.change(by, "/users/"+id+"/block", body, func(at model.Moment) (string, func()) {
		return c.world.Block(by, target, to, at)
	}, c.wholeReseller(target))
	if on && q.spoiled == nil {
		q.key = ""
	}
	return q
}
