package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// lineRecord is a line as the contract writes it. Telegram, email, trash,
// error_platform, migrationUrl and lastTrust belong to the contract and are never
// set by any operation.
type lineRecord struct {
	ID            int64   `json:"id"`
	Username      string  `json:"username"`
	Password      string  `json:"password,omitempty"` // not in lists
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
	return parse(f, &b.Notes, profile.ParseNotes)
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
			Username: parse(f, &b.Username, profile.ParseUsername),
			Password: parse(f, &b.Password, parsePassword(line.MinPassword)),
			Country:  parse(f, &b.Country, profile.ParseRequired),
			Whatsapp: change(f, &b.Whatsapp, profile.ParseText),
			Notes:    change(f, &b.Notes, profile.ParseNotes),
		},
		Price: parse(f, &b.Credits, credit.ParsePrice),
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
		Username: parse(f, &b.Username, profile.ParseUsername),
		Password: parse(f, &b.Password, parsePassword(line.MinPassword)),
		Whatsapp: change(f, &b.Whatsapp, profile.ParseRequired),
		Country:  parse(f, &b.Country, profile.ParseRequired),
		Notes:    change(f, &b.Notes, profile.ParseNotes),
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

type extendLineBody struct {
	Credits amount `json:"credits" validate:"required"`
}

func (b extendLineBody) command(f *form, id int64) application.ExtendLine {
	return application.ExtendLine{ID: id, Price: parse(f, &b.Credits, credit.ParsePrice)}
}

func (a *api) extendLine(ctx context.Context, call application.Call, command application.ExtendLine) (application.Answer, error) {
	return a.Service.ExtendLine(ctx, call, command, func(l application.Line) application.Answer {
		return answer(http.StatusOK, recordOf(l))
	})
}

type previewRecord struct {
	ID      int64       `json:"id"`
	Credits json.Number `json:"credits"`
	From    string      `json:"from"`
	ExpDate string      `json:"expDate"`
}

func (a *api) previewExtension(c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	price := value(q, "credits", credit.ParsePrice)
	if !q.values.Has("credits") {
		q.refuse("credits", profile.ErrEmpty)
	}
	if err := q.err(); err != nil {
		return err
	}
	p, err := a.Service.PreviewExtension(c.Request.Context(), caller(c), application.ExtendLine{ID: id, Price: *price})
	if err != nil {
		return err
	}
	ok(c, previewRecord{p.Line, json.Number(p.Price.Credits().String()), iso(p.From), iso(p.Until)})
	return nil
}

func (a *api) line(c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	l, err := a.Service.Line(c.Request.Context(), caller(c), id)
	if err != nil {
		return err
	}
	ok(c, recordOf(l))
	return nil
}

func (a *api) listLines(c *gin.Context) error {
	q := queryOf(c)
	command := application.ListLines{
		Owner:         value(q, "owner", parseID),
		Tree:          value(q, "tree", parseID),
		Running:       value(q, "status", parseFlag),
		Trial:         value(q, "isTrial", parseFlag),
		ExpiresAfter:  value(q, "expires_after", parseTime),
		ExpiresBefore: value(q, "expires_before", parseTime),
		Username:      valueOr(q, "username", "", profile.UsernamePrefix),
		Limit:         q.limit(),
	}
	// A cursor is good in one order only.
	if command.ByExpiry() {
		if at := value(q, "cursor", parseCursor("expiry", 2)); at != nil {
			command.After = ports.LineCursor{ExpiresAt: time.UnixMilli((*at)[0]).UTC(), ID: (*at)[1]}
		}
	} else if at := value(q, "cursor", parseCursor("lines", 1)); at != nil {
		command.After = ports.LineCursor{ID: (*at)[0]}
	}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.answers.begin(c.Request.Context(), token(c).Reseller, command.Limit)
	if err != nil {
		return err
	}
	defer page.release()
	found, err := a.Service.ListLines(c.Request.Context(), caller(c), command)
	if err != nil {
		return err
	}
	after := func(at ports.LineCursor) *string {
		if command.ByExpiry() {
			return cursor("expiry", at.ExpiresAt.UnixMilli(), at.ID)
		}
		return cursor("lines", at.ID)
	}
	lines := listing[application.Line]{items: found.Lines, after: func(l application.Line) *string {
		s := l.State()
		return after(ports.LineCursor{ExpiresAt: s.ExpiresAt, ID: s.ID})
	}}
	if found.Next != nil {
		lines.next = after(*found.Next)
	}
	sendPage(c, page, lines, recordOf)
	return nil
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
