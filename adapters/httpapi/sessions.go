package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/domain/fault"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
)

// sessionRecord is the session of a request, with its account.
type sessionRecord struct {
	ID        int64         `json:"id"` // of the account
	Username  string        `json:"username"`
	IsAdmin   int           `json:"is_admin"`
	IsMaster  int           `json:"is_master"`
	Language  string        `json:"language"`
	ExpiresAt string        `json:"expires_at"`
	EndsAt    string        `json:"ends_at"`
	TOTP      bool          `json:"totp"`            // of the owner, or of the member of the staff
	Staff     *actingRecord `json:"staff,omitempty"` // nil for the owner
}

// actingRecord is the signed-in member of the staff.
type actingRecord struct {
	ID       int64             `json:"id"`
	Username string            `json:"username"`
	Role     *string           `json:"role"`
	Scopes   []principal.Scope `json:"scopes"`
}

func recordOfSession(s access.SignedIn) sessionRecord {
	r := s.Reseller.State()
	var staff *actingRecord
	if p := s.Staff; p != nil {
		staff = &actingRecord{p.ID, p.Name, nullable(p.Role), p.Scopes()}
	}
	return sessionRecord{
		Staff:     staff,
		ID:        r.ID,
		Username:  r.Username.String(),
		IsAdmin:   bit(r.Role == reseller.Admin),
		IsMaster:  bit(r.Role != reseller.Standard),
		Language:  r.Language.String(),
		ExpiresAt: iso(s.ExpiresAt()),
		EndsAt:    iso(s.EndsAt()),
		TOTP:      s.Factor,
	}
}

func (a *api) signIn(ctx context.Context, c *gin.Context) error {
	if err := refuseOtherOrigins(c.Request); err != nil {
		return err
	}
	login, err := a.receiveLogin(c)
	if err != nil {
		return err
	}
	previous, _ := a.secretOf(c.Request)
	begun, secret, err := a.Service.Access.SignIn(ctx, access.SignIn{
		Login:    login,
		Device:   device(c.Request.UserAgent()),
		Address:  a.address(c.Request),
		Request:  requestID(c),
		Previous: previous,
	})
	if err != nil {
		return err
	}
	a.keepCookie(c, secret)
	send(c, jsonContent, http.StatusCreated, encode(recordOfSession(begun)))
	return nil
}

// maxDevice is the stored length of a browser's User-Agent.
const maxDevice = 200

// device returns a browser's User-Agent, at most maxDevice characters, "" if it has others than printable ASCII.
func device(userAgent string) string {
	for _, r := range userAgent {
		if r < ' ' || r > '~' {
			return ""
		}
	}
	return userAgent[:min(len(userAgent), maxDevice)]
}

func (a *api) signOut(ctx context.Context, c *gin.Context) error {
	if err := noQuery(c); err != nil {
		return err
	}
	if err := a.Service.Access.SignOut(ctx, a.changeOf(c)); err != nil {
		return err
	}
	a.clearCookie(c)
	ok(c, messageRecord{http.StatusOK, "You are signed out."})
	return nil
}

// listedSession is one of an account's sessions.
type listedSession struct {
	ID         string  `json:"id"`
	Device     string  `json:"device"`
	Address    string  `json:"address"`
	CreatedAt  string  `json:"created_at"`
	LastUsedAt string  `json:"last_used_at"`
	Current    bool    `json:"current"`
	Staff      *string `json:"staff"` // the name of the member of the staff who signed in
}

func (a *api) listSessions(ctx context.Context, c *gin.Context) error {
	return show(a.Service.Access.Sessions, func(found []access.ListedSession) []listedSession {
		records := make([]listedSession, 0, len(found))
		for _, s := range found {
			records = append(records, listedSession{
				ID:         string(s.ID),
				Device:     s.Device,
				Address:    s.Address,
				CreatedAt:  iso(s.Created),
				LastUsedAt: iso(s.Used),
				Current:    s.ID == caller(c).SessionID(),
				Staff:      nullable(s.StaffName),
			})
		}
		return records
	})(ctx, c)
}

func (a *api) endSession(ctx context.Context, c *gin.Context) error {
	id, named := session.ParseID(c.Param("id"))
	if !named {
		return fault.ErrNotFound
	}
	if err := noQuery(c); err != nil {
		return err
	}
	if err := a.Service.Access.EndSession(ctx, a.changeOf(c), id); err != nil {
		return err
	}
	if id == caller(c).SessionID() {
		a.clearCookie(c)
	}
	ok(c, messageRecord{http.StatusOK, "The session has ended."})
	return nil
}

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

// attempted returns a password that may be wrong, the zero value for a text that no reseller can have. The zero value
// counts as a wrong password.
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
	"The password is changed; the token and all other sessions have ended.")

func (a *api) revokeToken(ctx context.Context, call application.Call, _ int64,
	render application.Render[struct{}]) (application.Receipt, error) {
	return a.Service.Access.RevokeToken(ctx, call, render)
}

var tokenRevoked = messageShown[struct{}](http.StatusOK, "The token is revoked; the next login answers a new one.")
