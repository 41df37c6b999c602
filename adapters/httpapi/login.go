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
	TOTP     text `json:"totp"` // a code of the second factor
}

type tokenRecord struct {
	Status int    `json:"status"`
	Token  string `json:"token"`
}

func (a *api) login(ctx context.Context, c *gin.Context) error {
	login, err := a.receiveLogin(c)
	if err != nil {
		return err
	}
	token, err := a.Service.Login(ctx, login)
	if err != nil {
		return err
	}
	ok(c, tokenRecord{http.StatusOK, token.Reveal()})
	return nil
}

// receiveLogin reads a name and a password.
func (a *api) receiveLogin(c *gin.Context) (login application.Login, err error) {
	var body loginBody
	if _, _, err := a.receive(c, &body, false); err != nil {
		return login, err
	}
	// A text that no reseller can have is a wrong credential like any other, and the zero value stands for it.
	login.Username, _ = profile.ParseUsername(body.Username.literal)
	login.Password, _ = profile.ParsePassword(body.Password.literal, 1)
	login.Code = body.TOTP.literal
	login.Client = client(a.address(c.Request))
	return login, nil
}

type changePasswordBody struct {
	Password    text             `json:"password" validate:"required"`
	NewPassword resellerPassword `json:"new_password" validate:"required"`
}

func (a *api) changePassword(ctx context.Context, c *gin.Context) error {
	var body changePasswordBody
	_, call, err := a.receive(c, &body, true)
	if err != nil {
		return err
	}
	change := application.ChangePassword{New: body.NewPassword.value, Client: client(a.address(c.Request))}
	change.Present, _ = profile.ParsePassword(body.Password.literal, 1) // as for a login
	done, err := a.Service.ChangePassword(ctx, call, change, passwordChanged)
	return hand(c, done, err)
}

func passwordChanged(struct{}) application.Receipt {
	return answer(http.StatusOK, messageRecord{http.StatusOK, "The password is the new one; the token and all other sessions have ended."})
}

func (a *api) revokeToken(ctx context.Context, call application.Call, _ int64, render application.Render[struct{}]) (application.Receipt, error) {
	return a.Service.RevokeToken(ctx, call, render)
}

func tokenRevoked(struct{}) application.Receipt {
	return answer(http.StatusOK, messageRecord{http.StatusOK, "The token was revoked; the next login gives another."})
}
