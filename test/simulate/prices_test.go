package simulate

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/test/model"
)

// price returns a price to ask for: mostly one that the owner of the line has now.
func (c *choice) price(owner *model.Reseller) model.Asked {
	if owner == nil || c.n(8) == 0 {
		owner = c.someone()
	}
	p := pick(c.a.random, c.world.Offered(owner, c.now()))
	asked := model.Asked{Credits: p.Credits}
	if c.n(3) == 0 {
		asked.Plan = 1 + int64(c.n(6))
	} else if c.n(2) == 0 {
		asked.Plan = p.Plan
	}
	return asked
}

// longest is the last price of an account, of the longest period.
func (c *choice) longest(of *model.Reseller) model.Asked {
	offered := c.world.Offered(of, c.now())
	return model.Asked{Credits: offered[len(offered)-1].Credits}
}

// asking is the part of a body that names a price.
func asking(p model.Asked) fields {
	body := fields{"credits": json.Number(p.Credits)}
	if p.Plan != 0 {
		body["plan"] = p.Plan
	}
	return body
}

func (c *choice) setPrices() *request {
	by, target, id := c.govern()
	return c.publish(by, target, "/users/"+id+"/prices", c.table())
}

func (c *choice) setPlatformPrices() *request {
	by, _, _ := c.govern()
	return c.publish(by, nil, "/prices/book", c.table())
}

func (c *choice) inheritPrices() *request {
	by, target, id := c.govern()
	return c.publish(by, target, "/users/"+id+"/prices", nil)
}

// table draws prices: those of the contract, all a part cheaper or dearer, now and then without the last.
func (c *choice) table() []model.Price {
	prices := model.Prices()
	part := decimal.New(int64(60+10*c.n(10)), -2)
	for i := range prices {
		prices[i].Credits = prices[i].Amount().Mul(part).String()
	}
	return prices[:len(prices)-c.n(2)*c.n(3)]
}

// publish sends prices, in force as soon as may be, or at an instant that mostly is far enough ahead.
func (c *choice) publish(by, target *model.Reseller, path string, prices []model.Price) *request {
	v, body := model.BookVersion{Prices: prices}, fields{}
	if prices != nil {
		rows := []fields{}
		for _, p := range prices {
			rows = append(rows, fields{"plan": p.Plan, "credits": json.Number(p.Credits)})
		}
		body["rows"] = rows
	}
	if c.n(2) == 0 {
		ahead := time.Duration(c.n(100)-1) * time.Duration(1+c.n(100)) * 10 * time.Second
		v.At = c.now().Add(ahead).Truncate(time.Millisecond).UTC()
		body["effective_at"] = iso(v.At)
	}
	return c.effect(by, path, body, func(at model.Moment) *outcome {
		refusal, set := c.world.SetPrices(by, target, path == "/prices/book", v, at)
		return answered(refusal, 200, func(*attempt) fields {
			is := set()
			shown := fields{"version": is.Number, "effective_at": nil}
			if !is.At.IsZero() {
				shown["effective_at"] = iso(is.At)
			}
			return shown
		})
	})
}
