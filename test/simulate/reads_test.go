package simulate

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"resellerd/test/model"
)

func (c *choice) self() *request {
	by := c.someone()
	return c.ask(by, "/users/logged", func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: c.resellerRecord(by)}
	})
}

func (c *choice) reseller() *request {
	by, target, id := c.govern()
	return c.look(by, target, "/users/"+id, func() fields { return c.resellerRecord(target) })
}

// page is the model's answer for a list: the first records of all, and whether there are more.
func page(all []fields, limit int) *outcome {
	o := &outcome{status: http.StatusOK, fields: fields{"data": all[:min(limit, len(all))]}}
	o.seen = func(body fields) string {
		if _, is := body["next_cursor"].(string); !is && len(all) > limit {
			return "a cursor, as there are more"
		}
		return ""
	}
	return o
}

func (c *choice) listResellers() *request {
	by := c.someone()
	limit := pick(c.a.random, []int{1, 3, 50})
	return c.ask(by, fmt.Sprintf("/users?limit=%d", limit), func(model.Moment) *outcome {
		var records []fields
		for _, target := range c.visible(by) {
			records = append(records, c.resellerRecord(target))
		}
		return page(records, limit)
	})
}

// visible are the accounts that an account sees, by id.
func (c *choice) visible(by *model.Reseller) (all []*model.Reseller) {
	for _, target := range c.world.Resellers {
		if by.Sees(target) {
			all = append(all, target)
		}
	}
	slices.SortFunc(all, func(a, b *model.Reseller) int { return int(a.ID - b.ID) })
	return all
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
			records = append(records, c.entry(by, target, seq))
		}
		return page(records, limit)
	})
}

// entry is the entry with a number in a statement, as an account sees it.
func (r *run) entry(by, of *model.Reseller, seq int) fields {
	e := of.Statement[seq-1]
	line, name, other, otherName := any(nil), any(nil), "consumption", any(nil)
	partner := e.To
	if e.Line != nil {
		line, name = e.Line.ID, e.Line.Name // its last one where it is gone
	}
	if e.To == of {
		partner = e.From
	}
	if partner != nil {
		other = party(partner)
		if !partner.Admin && by.Sees(partner) {
			otherName = partner.Name
		}
	}
	request := e.Request
	if !by.Sees(e.By) {
		request = ""
	}
	return fields{
		"id": e.ID, "seq": seq, "kind": e.Kind, "amount": e.Change.String(), "balance": e.Balance.String(),
		"counterparty": other, "counterparty_username": otherName,
		"line": line, "line_username": name, "actor": e.By.ID,
		"actor_name": nullable(r.world.Naming(e.Movement).NameTo(by)),
		"request_id": nullable(request), "notes": nullable(e.Notes), "at": iso(e.Now),
	}
}

func party(r *model.Reseller) string {
	if r.Admin {
		return "issuance"
	}
	return strconv.FormatInt(r.ID, 10)
}

// listLines lists lines by their ids. The tests of application and of the stores check orders and filters.
func (c *choice) listLines() *request {
	by, limit := c.someone(), pick(c.a.random, []int{1, 5, 40})
	return c.ask(by, fmt.Sprintf("/lines?sort=id&limit=%d", limit), func(at model.Moment) *outcome {
		var records []fields
		for _, l := range c.linesOf(by) {
			records = append(records, lineRecord(l, at.Now))
		}
		return page(records, limit)
	})
}

// linesOf are the lines that an account sees, by id.
func (c *choice) linesOf(by *model.Reseller) (all []*model.Line) {
	for _, l := range c.world.Lines {
		if by.SeesLine(l) {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *model.Line) int { return int(a.ID - b.ID) })
	return all
}

func (c *choice) line() *request {
	by, l, id := c.manage(c.n(3) == 0)
	return c.ask(by, "/lines/"+id, func(at model.Moment) *outcome {
		if !by.SeesLine(l) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: wholeLine(l)(at)}
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

// sums are the expected sums of the proof.
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
