package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

const (
	isoMillis = "2006-01-02T15:04:05.000Z"
	// locale is how the contract writes the recharge time of a new reseller.
	locale = "1/2/2006, 3:04:05 PM"
)

func iso(t time.Time) string { return t.UTC().Format(isoMillis) }

// orNull is nil for an unset text.
func orNull(t profile.Text) *string {
	if s := t.String(); s != "" {
		return &s
	}
	return nil
}

func parsePassword(minimum int) func(string) (profile.Secret, error) {
	return func(s string) (profile.Secret, error) { return profile.ParsePassword(s, minimum) }
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

type createResellerBody struct {
	Username text    `json:"username" validate:"required"`
	Password text    `json:"password" validate:"required"`
	IsMaster flag    `json:"is_master" validate:"required,oneof=0 1"`
	Credits  amount  `json:"credits" validate:"required"`
	Whatsapp trimmed `json:"whatsapp"`
	Telegram trimmed `json:"telegram"`
	Language trimmed `json:"language" validate:"omitempty,bcp47_language_tag"`
	Country  trimmed `json:"country" validate:"required"`
	Email    trimmed `json:"email" validate:"omitempty,email"`
	Notes    trimmed `json:"notes"`
}

func (b createResellerBody) command(f *form, _ int64) application.CreateReseller {
	c := application.CreateReseller{
		Username: parse(f, &b.Username, profile.ParseUsername),
		Password: parse(f, &b.Password, parsePassword(reseller.MinPassword)),
		Master:   b.IsMaster.value == "1",
		Credits:  parse(f, &b.Credits, credit.Parse),
		Contact: reseller.Contact{
			Country:  parse(f, &b.Country, profile.ParseRequired),
			Whatsapp: parse(f, &b.Whatsapp, profile.ParseText),
			Telegram: parse(f, &b.Telegram, profile.ParseText),
			Email:    parse(f, &b.Email, profile.ParseEmail),
			Notes:    parse(f, &b.Notes, profile.ParseNotes),
		},
		Language: parse(f, &b.Language, profile.ParseText),
	}
	if c.Language.String() == "" {
		c.Language = profile.RestoreText("en")
	}
	return c
}

// resellerRecord is a reseller as the contract writes it.
type resellerRecord struct {
	ID            int64   `json:"id"`
	Username      string  `json:"username"`
	Password      string  `json:"password,omitempty"` // in the answer to a creation only
	IsMaster      int     `json:"is_master"`
	Credits       string  `json:"credits"`
	Country       string  `json:"country"`
	Whatsapp      *string `json:"whatsapp"`
	Telegram      *string `json:"telegram"`
	Master        int64   `json:"master"`
	Recharge      string  `json:"recharge"`
	Status        int     `json:"status"`
	IsAdmin       int     `json:"is_admin"`
	Language      string  `json:"language"`
	CreatedAt     string  `json:"createdAt"`
	UpdatedAt     string  `json:"updatedAt"`
	Token         *string `json:"token"` // always null: the token operation alone shows one
	Notes         *string `json:"notes"`
	Trash         int     `json:"trash"`
	ActiveTree    int     `json:"active_tree"`
	BlockReseller int     `json:"block_reseller"`
	Email         *string `json:"email"`
}

func recordOfReseller(r application.Reseller) resellerRecord {
	s := r.State()
	return resellerRecord{
		ID:            s.ID,
		Username:      s.Username.String(),
		IsMaster:      bit(s.Role != reseller.Standard),
		Credits:       s.Credits.String(),
		Country:       s.Contact.Country.String(),
		Whatsapp:      orNull(s.Contact.Whatsapp),
		Telegram:      orNull(s.Contact.Telegram),
		Master:        s.Parent(),
		Recharge:      iso(s.RechargedAt),
		Status:        1,
		IsAdmin:       bit(s.Role == reseller.Admin),
		Language:      s.Language.String(),
		CreatedAt:     iso(s.CreatedAt),
		UpdatedAt:     iso(s.UpdatedAt),
		Notes:         orNull(s.Contact.Notes),
		ActiveTree:    bit(!s.Blocked && !r.BlockedAbove),
		BlockReseller: bit(s.Blocked),
		Email:         orNull(s.Contact.Email),
	}
}

func (a *api) createReseller(ctx context.Context, call application.Call, command application.CreateReseller) (application.Answer, error) {
	return a.Service.CreateReseller(ctx, call, command, func(created *reseller.Reseller) application.Answer {
		// Its creator was not blocked a moment ago, nor was anybody above.
		record := recordOfReseller(application.Reseller{Reseller: created})
		record.Password = command.Password.Reveal()
		record.Recharge = created.State().RechargedAt.UTC().Format(locale)
		return answer(http.StatusCreated, record)
	})
}

type updateResellerBody struct {
	Username text    `json:"username" validate:"required"`
	Password text    `json:"password" validate:"required"`
	Email    trimmed `json:"email" validate:"omitempty,email"`
	Country  trimmed `json:"country" validate:"required"`
	Whatsapp trimmed `json:"whatsapp" validate:"required"`
	Telegram trimmed `json:"telegram"`
	Notes    trimmed `json:"notes"`
}

func (b updateResellerBody) command(f *form, id int64) application.UpdateReseller {
	return application.UpdateReseller{
		ID:       id,
		Username: parse(f, &b.Username, profile.ParseUsername),
		Password: parse(f, &b.Password, parsePassword(reseller.MinPassword)),
		Email:    change(f, &b.Email, profile.ParseEmail),
		Country:  parse(f, &b.Country, profile.ParseRequired),
		Whatsapp: parse(f, &b.Whatsapp, profile.ParseRequired),
		Telegram: change(f, &b.Telegram, profile.ParseText),
		Notes:    change(f, &b.Notes, profile.ParseNotes),
	}
}

type updatedResellerRecord struct {
	ID       int64   `json:"id"`
	Username string  `json:"username"`
	Password string  `json:"password"`
	Email    *string `json:"email"`
	Country  string  `json:"country"`
	Whatsapp string  `json:"whatsapp"`
	Telegram *string `json:"telegram"`
	Notes    *string `json:"notes"`
}

func (a *api) updateReseller(ctx context.Context, call application.Call, command application.UpdateReseller) (application.Answer, error) {
	return a.Service.UpdateReseller(ctx, call, command, func(updated *reseller.Reseller) application.Answer {
		s := updated.State()
		return answer(http.StatusOK, updatedResellerRecord{
			ID:       s.ID,
			Username: s.Username.String(),
			Password: command.Password.Reveal(),
			Email:    orNull(s.Contact.Email),
			Country:  s.Contact.Country.String(),
			Whatsapp: s.Contact.Whatsapp.String(),
			Telegram: orNull(s.Contact.Telegram),
			Notes:    orNull(s.Contact.Notes),
		})
	})
}

// creditsBody asks to add credits, or to take them back.
type creditsBody struct {
	Credits amount  `json:"credits" validate:"required"`
	Notes   trimmed `json:"notes"`
}

func (b creditsBody) command(f *form, id int64) application.MoveCredits {
	return application.MoveCredits{
		ID:      id,
		Credits: parse(f, &b.Credits, credit.ParsePositive),
		Notes:   parse(f, &b.Notes, profile.ParseNotes),
	}
}

type balanceRecord struct {
	ID       int64       `json:"id"`
	Username string      `json:"username"`
	Credits  json.Number `json:"credits"`
	Recharge string      `json:"recharge"`
	Message  string      `json:"message"`
}

func balanceAnswer(a *reseller.Reseller, message string) application.Answer {
	s := a.State()
	return answer(http.StatusOK, balanceRecord{
		ID:       s.ID,
		Username: s.Username.String(),
		Credits:  json.Number(s.Credits.String()),
		Recharge: iso(s.RechargedAt),
		Message:  message,
	})
}

func (a *api) addCredits(ctx context.Context, call application.Call, command application.MoveCredits) (application.Answer, error) {
	return a.Service.AddCredits(ctx, call, command, func(funded *reseller.Reseller) application.Answer {
		return balanceAnswer(funded, fmt.Sprintf("%s credits added to %s.", command.Credits, funded.State().Username))
	})
}

func (a *api) reclaimCredits(ctx context.Context, call application.Call, command application.MoveCredits) (application.Answer, error) {
	return a.Service.ReclaimCredits(ctx, call, command, func(from *reseller.Reseller) application.Answer {
		return balanceAnswer(from, fmt.Sprintf("%s credits taken back from %s.", command.Credits, from.State().Username))
	})
}

func blockAnswer(r application.Reseller) application.Answer {
	return answer(http.StatusOK, recordOfReseller(r))
}

func (a *api) block(ctx context.Context, call application.Call, id int64) (application.Answer, error) {
	return a.Service.Block(ctx, call, id, blockAnswer)
}

func (a *api) unblock(ctx context.Context, call application.Call, id int64) (application.Answer, error) {
	return a.Service.Unblock(ctx, call, id, blockAnswer)
}

func (a *api) self(c *gin.Context) error {
	found, err := a.Service.Self(c.Request.Context(), caller(c))
	if err != nil {
		return err
	}
	ok(c, recordOfReseller(found))
	return nil
}

func (a *api) reseller(c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	found, err := a.Service.Reseller(c.Request.Context(), caller(c), id)
	if err != nil {
		return err
	}
	ok(c, recordOfReseller(found))
	return nil
}

func (a *api) listResellers(c *gin.Context) error {
	const kind = "accounts"
	q := queryOf(c)
	command := application.ListResellers{
		Tree:     value(q, "tree", parseID),
		Master:   value(q, "master", parseID),
		Username: valueOr(q, "username", "", profile.UsernamePrefix),
		After:    valueOr(q, "cursor", []int64{0}, parseCursor(kind, 1))[0],
		Limit:    q.limit(),
	}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.answers.begin(c.Request.Context(), token(c).Reseller, command.Limit)
	if err != nil {
		return err
	}
	defer page.release()
	found, err := a.Service.ListResellers(c.Request.Context(), caller(c), command)
	if err != nil {
		return err
	}
	resellers := listing[application.Reseller]{items: found.Resellers, after: func(r application.Reseller) *string {
		return cursor(kind, r.ID())
	}}
	if found.Next != 0 {
		resellers.next = cursor(kind, found.Next)
	}
	sendPage(c, page, resellers, recordOfReseller)
	return nil
}
