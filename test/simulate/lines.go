package simulate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"resellerd/test/model"
)

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
