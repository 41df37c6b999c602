package simulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"github.com/shopspring/decimal"

	"resellerd/domain/line"
	"resellerd/test/model"
)

func (c *choice) trial() *request {
	by := c.someone()
	d, body := c.description(by, "notes", "external_id", "metadata")
	if len(body) == 0 {
		body = nil
	}
	return c.effect(by, "/lines/test", body, func(at model.Moment) *outcome {
		refusal, issue := c.world.Trial(by, d, at)
		return answered(refusal, http.StatusCreated, func(t *attempt) fields {
			wrote := wroteA[*line.Line](t.wrote)
			if wrote == nil {
				c.differ(t.String(), "a line", "none")
				return nil
			}
			made := wrote.State()
			if !c.fresh("line", made.ID) {
				return nil
			}
			l := issue(model.NewTrial{ID: made.ID, Name: made.Username.String(), Password: t.password})
			return with(wholeLine(l)(at), fields{"code": "201"})
		})
	})
}

// details returns the new name and password of a line, and new values of these members.
func (c *choice) details(l *model.Line, also ...string) (model.LineDetails, fields) {
	taken := ""
	if len(c.world.Lines) > 0 {
		taken = pick(c.a.random, c.world.Lines).Name
	}
	known, body := c.description(ownerOf(l), also...)
	known.Country, body["country"] = new("BR"), "BR"
	d := model.LineDetails{Name: c.name(taken), Password: fmt.Sprintf("pass %d", c.n(1000)), Description: known}
	if l != nil && c.n(2) == 0 {
		d.Name = l.Name
	}
	return d, with(body, fields{"username": d.Name, "password": d.Password})
}

// ownerOf is nil for no line.
func ownerOf(l *model.Line) *model.Reseller {
	if l == nil {
		return nil
	}
	return l.Owner
}

// description returns the new description of a line of an owner: each of these members is unchanged, has another text,
// or none.
func (c *choice) description(owner *model.Reseller, members ...string) (d model.Description, body fields) {
	body = fields{}
	for _, name := range members {
		if c.n(2) == 0 {
			continue
		}
		text := c.known(name, owner)
		if body[name] = nullable(text); name == "metadata" {
			body[name] = json.RawMessage(cmp.Or(text, "null"))
		}
		*map[string]*model.Change{
			"notes": &d.Notes, "country": &d.Country, "whatsapp": &d.Whatsapp, "telegram": &d.Telegram, "email": &d.Email,
			"external_id": &d.ExternalID, "metadata": &d.Metadata,
		}[name] = &text
	}
	return d, body
}

// known returns a value of a member, "" for none. An external id is now and then one that a line, mostly of the owner,
// has or had.
func (c *choice) known(member string, owner *model.Reseller) string {
	n := c.n(100)
	switch {
	case member == "country":
		return pick(c.a.random, []string{"BR", "PT"})
	case n < 15:
		return ""
	case member == "email":
		return fmt.Sprintf("client%d@example.com", n)
	case member == "metadata":
		return fmt.Sprintf(`{"plan":"","seat_%d":"%d"}`, n%3, n)
	case member == "external_id" && n < 60 && len(c.world.Lines) > 0:
		l := pick(c.a.random, c.world.Lines)
		for range 20 {
			if l.Owner == owner && l.ExternalID != "" {
				break
			}
			l = pick(c.a.random, c.world.Lines)
		}
		return l.ExternalID
	case member == "external_id":
		c.names++
		return fmt.Sprintf("crm-%d", c.names)
	}
	return fmt.Sprintf("%s %d", member, n)
}

// shownTo is the password of a line as the caller sees it.
func shownTo(at model.Moment, password string) any {
	if at.As != nil && !at.As.Has("lines:passwords") {
		return nil
	}
	return password
}

// wholeLine is a line as its own operations show it.
func wholeLine(l *model.Line) func(at model.Moment) fields {
	return func(at model.Moment) fields {
		return with(lineRecord(l, at.Now), fields{"password": shownTo(at, l.Password)})
	}
}

func (c *choice) activate() *request {
	by, l, id := c.manage(true)
	d, body := c.details(l, "notes", "whatsapp", "external_id", "metadata")
	p := c.price(ownerOf(l))
	if c.n(40) == 0 {
		p.Credits = "4" // which no plan costs
	}
	maps.Copy(body, asking(p))
	return c.effect(by, "/lines/active/"+id, body, func(at model.Moment) *outcome {
		refusal, activate := c.world.Activate(by, l, p, d, at)
		return c.spending(answered(refusal, http.StatusCreated, func(t *attempt) fields {
			platform := int64(0)
			if made := wroteA[*line.Line](t.wrote); made != nil {
				platform = made.State().PlatformID
			}
			if !c.fresh("platform id", platform) {
				return nil
			}
			before := len(c.world.Movements)
			activate(platform)
			c.moved(t, before)
			return wholeLine(l)(at)
		}), ownerOf(l), decimal.RequireFromString(p.Credits), at)
	})
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
	p := c.price(ownerOf(l))
	if c.n(60) == 0 && len(c.world.Lines) > 0 { // one that an admin pays for, as long as may be
		admin := c.world.Resellers[0]
		for _, other := range c.world.Lines {
			if other.Owner == admin && !other.Trial && !other.Deleted {
				by, l, id, p = admin, other, strconv.FormatInt(other.ID, 10), c.longest(admin)
			}
		}
		c.several(11, "extendLine", func() *request { return c.extension(by, l, id, p) })
	}
	return c.extension(by, l, id, p)
}

func (c *choice) extension(by *model.Reseller, l *model.Line, id string, p model.Asked) *request {
	return c.effect(by, "/lines/extend/"+id, asking(p), func(at model.Moment) *outcome {
		refusal, extend := c.world.Extend(by, l, p, at)
		return c.spending(answered(refusal, http.StatusOK, func(t *attempt) fields {
			before := len(c.world.Movements)
			extend()
			c.moved(t, before)
			return wholeLine(l)(at)
		}), ownerOf(l), decimal.RequireFromString(p.Credits), at)
	})
}

func (c *choice) edit() *request {
	by, l, id := c.manage(false)
	d, body := c.details(l, "notes")
	whatsapp := "+1"
	d.Whatsapp, body["whatsapp"] = &whatsapp, whatsapp
	return c.change(by, "/lines/"+id, body, func(at model.Moment) (string, func()) {
		return c.world.Edit(by, l, d, at)
	}, func(at model.Moment) fields {
		return fields{
			"id": l.ID, "username": l.Name, "password": shownTo(at, l.Password), "whatsapp": l.Whatsapp, "country": l.Country,
			"notes": nullable(l.Notes),
		}
	})
}

func (c *choice) describe() *request {
	by, l, id := c.manage(c.n(2) == 0)
	members := []string{"notes", "country", "whatsapp", "telegram", "email", "external_id", "metadata"}
	description, body := c.description(ownerOf(l), members...)
	d := model.LineDetails{Description: description}
	if c.n(6) == 0 {
		all, named := c.details(l, members...)
		if d, body = all, named; c.n(2) == 0 {
			d.Name = ""
			delete(body, "username")
		} else if c.n(2) == 0 {
			d.Password = ""
			delete(body, "password")
		}
	}
	return c.change(by, "/lines/"+id+"/details", body, func(at model.Moment) (string, func()) {
		return c.world.Describe(by, l, d, at)
	}, wholeLine(l))
}

func (c *choice) remove() *request {
	by, l, id := c.manage(c.n(2) == 0)
	return c.change(by, "/lines/"+id, nil, func(at model.Moment) (string, func()) {
		return c.world.Delete(by, l, at)
	}, done)
}
