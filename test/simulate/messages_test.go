package simulate

import (
	"encoding/json"
	"fmt"
	"net/http"

	"resellerd/test/model"
)

// messagesOf are what an account tells its customers.
func messagesOf(r *model.Reseller) fields {
	own, above := fields{}, fields{}
	inherited := r.Inherited()
	for _, name := range model.MessageNames {
		own[name], above[name] = nullable(r.Messages[name]), nullable(inherited[name])
	}
	own["inherited"] = json.RawMessage(spelled(above))
	return own
}

func (c *choice) messages() *request {
	by, target, id := c.govern()
	return c.ask(by, "/users/"+id+"/messages", func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: messagesOf(target)}
	})
}

// setMessages has an account have some texts of its own, those that it has, or none.
func (c *choice) setMessages() *request {
	by, target, id := c.govern()
	texts, body := model.Messages{}, fields{}
	for _, name := range model.MessageNames {
		switch c.n(4) {
		case 0:
			texts[name] = fmt.Sprintf("{username} %d", c.n(3))
			body[name] = " " + texts[name] + "\n"
		case 1:
			body[name] = nil
		}
	}
	if c.n(8) == 0 {
		texts, body = model.Messages{}, fields{}
	}
	if target != nil && c.n(8) == 0 {
		texts, body = target.Messages, fields{}
		for name, text := range texts {
			body[name] = text
		}
	}
	return c.effect(by, "/users/"+id+"/messages", body, func(at model.Moment) *outcome {
		refusal, set := c.world.SetMessages(by, target, texts, at)
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(*attempt) {
				set()
				o.fields = messagesOf(target)
			}
			return o
		})
	})
}

// service asks what is known of the process, which in a simulation is none.
func (c *choice) service() *request {
	by := c.someone()
	return c.ask(by, "/service", func(model.Moment) *outcome {
		if !by.Admin {
			return refused("not-allowed")
		}
		return &outcome{status: http.StatusOK, fields: fields{"last_backup_at": nil}}
	})
}
