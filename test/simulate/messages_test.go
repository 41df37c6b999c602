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
	return c.look(by, target, "/users/"+id+"/messages", func() fields { return messagesOf(target) })
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
	return c.change(by, "/users/"+id+"/messages", body, func(at model.Moment) (string, func()) {
		return c.world.SetMessages(by, target, texts, at)
	}, func(model.Moment) fields { return messagesOf(target) })
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
