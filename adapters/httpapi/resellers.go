package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

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
		Username: parse(f, "username", b.Username.member, profile.ParseUsername),
		Password: parse(f, "password", b.Password.member, parsePassword(reseller.MinPassword)),
		Master:   b.IsMaster.value == "1",
		Credits:  parse(f, "credits", b.Credits.member, credit.Parse),
		Contact: reseller.Contact{
			Country:  parse(f, "country", b.Country.member, profile.ParseRequired),
			Whatsapp: parse(f, "whatsapp", b.Whatsapp.member, profile.ParseText),
			Telegram: parse(f, "telegram", b.Telegram.member, profile.ParseText),
			Email:    parse(f, "email", b.Email.member, profile.ParseEmail),
			Notes:    parse(f, "notes", b.Notes.member, profile.ParseNotes),
		},
		Language: parse(f, "language", b.Language.member, profile.ParseText),
	}
	if c.Language.String() == "" {
		c.Language = profile.RestoreText("en")
	}
	return c
}

// newResellerRecord is the answer to a creation. It is the only one with the
// recharge time in locale form.
type newResellerRecord struct {
	ID            int64   `json:"id"`
	Username      string  `json:"username"`
	Password      string  `json:"password"`
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

func (a *api) createReseller(ctx context.Context, call application.Call, command application.CreateReseller) (application.Answer, error) {
	return a.Service.CreateReseller(ctx, call, command, func(created *reseller.Account) application.Answer {
		s := created.State()
		return answer(http.StatusCreated, newResellerRecord{
			ID:         s.ID,
			Username:   s.Username.String(),
			Password:   command.Password.Reveal(),
			IsMaster:   bit(s.Role == reseller.Master),
			Credits:    s.Credits.String(),
			Country:    s.Contact.Country.String(),
			Whatsapp:   orNull(s.Contact.Whatsapp),
			Telegram:   orNull(s.Contact.Telegram),
			Master:     s.Parent(),
			Recharge:   s.RechargedAt.UTC().Format(locale),
			Status:     1,
			Language:   s.Language.String(),
			CreatedAt:  iso(s.CreatedAt),
			UpdatedAt:  iso(s.UpdatedAt),
			Notes:      orNull(s.Contact.Notes),
			ActiveTree: 1, // its creator was not blocked a moment ago
			Email:      orNull(s.Contact.Email),
		})
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
		Username: parse(f, "username", b.Username.member, profile.ParseUsername),
		Password: parse(f, "password", b.Password.member, parsePassword(reseller.MinPassword)),
		Email:    change(f, "email", b.Email.member, profile.ParseEmail),
		Country:  parse(f, "country", b.Country.member, profile.ParseRequired),
		Whatsapp: parse(f, "whatsapp", b.Whatsapp.member, profile.ParseRequired),
		Telegram: change(f, "telegram", b.Telegram.member, profile.ParseText),
		Notes:    change(f, "notes", b.Notes.member, profile.ParseNotes),
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
	return a.Service.UpdateReseller(ctx, call, command, func(updated *reseller.Account) application.Answer {
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

type addCreditsBody struct {
	Credits amount  `json:"credits" validate:"required"`
	Notes   trimmed `json:"notes"`
}

func (b addCreditsBody) command(f *form, id int64) application.AddCredits {
	return application.AddCredits{
		ID:      id,
		Credits: parse(f, "credits", b.Credits.member, credit.ParsePositive),
		Notes:   parse(f, "notes", b.Notes.member, profile.ParseNotes),
	}
}

type rechargeRecord struct {
	ID       int64       `json:"id"`
	Username string      `json:"username"`
	Credits  json.Number `json:"credits"`
	Recharge string      `json:"recharge"`
	Message  string      `json:"message"`
}

func (a *api) addCredits(ctx context.Context, call application.Call, command application.AddCredits) (application.Answer, error) {
	return a.Service.AddCredits(ctx, call, command, func(funded *reseller.Account) application.Answer {
		s := funded.State()
		return answer(http.StatusOK, rechargeRecord{
			ID:       s.ID,
			Username: s.Username.String(),
			Credits:  json.Number(s.Credits.String()),
			Recharge: iso(s.RechargedAt),
			Message:  fmt.Sprintf("%s credits added to %s.", command.Credits, s.Username),
		})
	})
}
