package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/application/access"
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
	token, err := a.Service.Access.Login(ctx, login)
	if err != nil {
		return err
	}
	ok(c, tokenRecord{http.StatusOK, token.Reveal()})
	return nil
}

// receiveLogin reads a name and a password.
func (a *api) receiveLogin(c *gin.Context) (login access.Login, err error) {
	var body loginBody
	if _, _, err := a.receive(c, &body, false); err != nil {
		return login, err
	}
	login.Username, _ = profile.ParseUsername(body.Username.literal) // the zero value for a wrong one, as of a password
	login.Password = attempted(body.Password)
	login.Code = body.TOTP.literal
	login.Client = client(a.address(c.Request))
	return login, nil
}

// attempted returns a password that may be wrong. A text that no reseller can have is a wrong one like any other, and
// the zero value stands for it.
func attempted(password text) profile.Secret {
	secret, _ := profile.ParsePassword(password.literal, 1)
	return secret
}

type changePasswordBody struct {
	Password    text             `json:"password" validate:"required"`
	NewPassword resellerPassword `json:"new_password" validate:"required"`
}

func (b changePasswordBody) command(client string) access.ChangePassword {
	return access.ChangePassword{Present: attempted(b.Password), New: b.NewPassword.value, Client: client}
}

var passwordChanged = messageShown[struct{}](http.StatusOK,
	"The password is the new one; the token and all other sessions have ended.")

func (a *api) revokeToken(ctx context.Context, call application.Call, _ int64,
	render application.Render[struct{}]) (application.Receipt, error) {
	return a.Service.Access.RevokeToken(ctx, call, render)
}

var tokenRevoked = messageShown[struct{}](http.StatusOK, "The token was revoked; the next login gives another.")
