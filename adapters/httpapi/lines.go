package httpapi

import (
	"context"
	"net/http"

	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// lineRecord is a line as the contract writes it. Telegram, email, trash,
// error_platform, migrationUrl and lastTrust belong to the contract and are never
// set by any operation.
type lineRecord struct {
	ID            int64   `json:"id"`
	Username      string  `json:"username"`
	Password      string  `json:"password"`
	Owner         int64   `json:"owner"`
	ExpDate       string  `json:"expDate"`
	Notes         *string `json:"notes"`
	Status        int     `json:"status"`
	IsTrial       int     `json:"isTrial"`
	Whatsapp      *string `json:"whatsapp"`
	Telegram      *string `json:"telegram"`
	Country       string  `json:"country"`
	Email         *string `json:"email"`
	IDPlatform    *int64  `json:"idPlatform"`
	Trash         int     `json:"trash"`
	ErrorPlatform int     `json:"error_platform"`
	Updated       int     `json:"updated"`
	MigrationURL  *string `json:"migrationUrl"`
	LastTrust     *string `json:"lastTrust"`
	CreatedAt     string  `json:"createdAt"`
	UpdatedAt     string  `json:"updatedAt"`
	Code          string  `json:"code,omitempty"` // with a new trial only
}

func recordOf(l application.Line) lineRecord {
	s := l.State()
	record := lineRecord{
		ID:        s.ID,
		Username:  s.Username.String(),
		Password:  l.Password.Reveal(),
		Owner:     s.Owner.ID,
		ExpDate:   iso(s.ExpiresAt),
		Notes:     orNull(s.Notes),
		Status:    bit(l.Running(l.At)),
		IsTrial:   bit(s.Trial),
		Whatsapp:  orNull(s.Whatsapp),
		Country:   s.Country.String(),
		Updated:   bit(s.Edited),
		CreatedAt: iso(s.CreatedAt),
		UpdatedAt: iso(s.UpdatedAt),
	}
	if s.PlatformID != 0 {
		record.IDPlatform = &s.PlatformID
	}
	return record
}

type createTrialBody struct {
	Notes trimmed `json:"notes"`
}

func (b createTrialBody) command(f *form, _ int64) profile.Text {
	return parse(f, "notes", b.Notes.member, profile.ParseNotes)
}

func (a *api) createTrial(ctx context.Context, call application.Call, notes profile.Text) (application.Answer, error) {
	return a.Service.CreateTrial(ctx, call, notes, func(l application.Line) application.Answer {
		record := recordOf(l)
		record.Code = "201"
		return answer(http.StatusCreated, record)
	})
}

type activateLineBody struct {
	Username text    `json:"username" validate:"required"`
	Password text    `json:"password" validate:"required"`
	Credits  amount  `json:"credits" validate:"required"`
	Whatsapp trimmed `json:"whatsapp"`
	Country  trimmed `json:"country" validate:"required"`
	Notes    trimmed `json:"notes"`
}

func (b activateLineBody) command(f *form, id int64) application.ActivateLine {
	return application.ActivateLine{
		EditLine: application.EditLine{
			ID:       id,
			Username: parse(f, "username", b.Username.member, profile.ParseUsername),
			Password: parse(f, "password", b.Password.member, parsePassword(line.MinPassword)),
			Country:  parse(f, "country", b.Country.member, profile.ParseRequired),
			Whatsapp: change(f, "whatsapp", b.Whatsapp.member, profile.ParseText),
			Notes:    change(f, "notes", b.Notes.member, profile.ParseNotes),
		},
		Price: parse(f, "credits", b.Credits.member, credit.ParsePrice),
	}
}

func (a *api) activateLine(ctx context.Context, call application.Call, command application.ActivateLine) (application.Answer, error) {
	return a.Service.ActivateLine(ctx, call, command, func(l application.Line) application.Answer {
		return answer(http.StatusCreated, recordOf(l))
	})
}

type editLineBody struct {
	Username text    `json:"username" validate:"required"`
	Password text    `json:"password" validate:"required"`
	Whatsapp trimmed `json:"whatsapp" validate:"required"`
	Country  trimmed `json:"country" validate:"required"`
	Notes    trimmed `json:"notes"`
}

func (b editLineBody) command(f *form, id int64) application.EditLine {
	return application.EditLine{
		ID:       id,
		Username: parse(f, "username", b.Username.member, profile.ParseUsername),
		Password: parse(f, "password", b.Password.member, parsePassword(line.MinPassword)),
		Whatsapp: change(f, "whatsapp", b.Whatsapp.member, profile.ParseRequired),
		Country:  parse(f, "country", b.Country.member, profile.ParseRequired),
		Notes:    change(f, "notes", b.Notes.member, profile.ParseNotes),
	}
}

type editedLineRecord struct {
	ID       int64   `json:"id"`
	Username string  `json:"username"`
	Password string  `json:"password"`
	Whatsapp string  `json:"whatsapp"`
	Country  string  `json:"country"`
	Notes    *string `json:"notes"`
}

func (a *api) editLine(ctx context.Context, call application.Call, command application.EditLine) (application.Answer, error) {
	return a.Service.EditLine(ctx, call, command, func(l application.Line) application.Answer {
		s := l.State()
		return answer(http.StatusOK, editedLineRecord{
			ID:       s.ID,
			Username: s.Username.String(),
			Password: l.Password.Reveal(),
			Whatsapp: s.Whatsapp.String(),
			Country:  s.Country.String(),
			Notes:    orNull(s.Notes),
		})
	})
}

type messageRecord struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

func (a *api) deleteLine(ctx context.Context, call application.Call, id int64) (application.Answer, error) {
	return a.Service.DeleteLine(ctx, call, id, func(int64) application.Answer {
		return answer(http.StatusOK, messageRecord{http.StatusOK, "The line was deleted for good."})
	})
}
