package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/profile"
)

type loginBody struct {
	Username text `json:"username" validate:"required"`
	Password text `json:"password" validate:"required"`
}

type tokenRecord struct {
	Status int    `json:"status"`
	Token  string `json:"token"`
}

func (a *api) login(c *gin.Context) error {
	raw, err := readBody(c.Writer, c.Request)
	if err != nil {
		return err
	}
	var body loginBody
	form, err := decode(c.Request, raw, &body)
	if err != nil {
		return err
	}
	if err := form.err(); err != nil {
		return err
	}
	// A text that no reseller can have is a wrong credential like any other, and
	// the zero value stands for it.
	name, _ := profile.ParseUsername(body.Username.value)
	password, _ := profile.ParsePassword(body.Password.value, 1)
	token, err := a.Service.Login(c.Request.Context(), application.Login{
		Username: name,
		Password: password,
		Client:   client(a.address(c.Request)),
	})
	if err != nil {
		return err
	}
	ok(c, tokenRecord{http.StatusOK, token.Reveal()})
	return nil
}

func (a *api) revokeToken(ctx context.Context, call application.Call, _ int64) (application.Answer, error) {
	return a.Service.RevokeToken(ctx, call, func(struct{}) application.Answer {
		return answer(http.StatusOK, messageRecord{http.StatusOK, "The token was revoked; the next login gives another."})
	})
}
