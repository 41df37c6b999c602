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

func (a *api) login(ctx context.Context, c *gin.Context) error {
	var body loginBody
	if _, _, err := a.receive(c, &body, false); err != nil {
		return err
	}
	// A text that no reseller can have is a wrong credential like any other, and the zero value stands for it.
	name, _ := profile.ParseUsername(body.Username.literal)
	password, _ := profile.ParsePassword(body.Password.literal, 1)
	token, err := a.Service.Login(ctx, application.Login{
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

func (a *api) revokeToken(ctx context.Context, call application.Call, _ int64, render application.Render[struct{}]) (application.Receipt, error) {
	return a.Service.RevokeToken(ctx, call, render)
}

func tokenRevoked(struct{}) application.Receipt {
	return answer(http.StatusOK, messageRecord{http.StatusOK, "The token was revoked; the next login gives another."})
}
