package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/profile"
)

// lineRecord is a line in the form of the contract. Trash, error_platform, migrationUrl and lastTrust belong to the
// contract and are never set.
type lineRecord struct {
	lines.Line // without its password in lists

	trial bool // a new one
}

func recordOf(l lines.Line) lineRecord { return lineRecord{Line: l} }

func (r lineRecord) appendJSON(b []byte) []byte {
	s, effect := r.Shown(), r.Effect()
	b = appendNumber(b, `{"id":`, s.ID)
	b = appendText(b, `,"username":`, s.Username.String())
	if password := r.Password.Reveal(); password != "" {
		b = appendText(b, `,"password":`, password)
	} else if r.Concealed {
		b = append(b, `,"password":null`...)
	}
	b = appendNumber(b, `,"owner":`, s.Owner.ID)
	b = appendTime(b, `,"expDate":`, s.ExpiresAt)
	b = appendNullable(b, `,"notes":`, s.Notes.String())
	b = appendBit(b, `,"status":`, effect == line.Running)
	b = appendBit(b, `,"isTrial":`, s.Trial)
	b = appendNullable(b, `,"whatsapp":`, s.Whatsapp.String())
	b = appendNullable(b, `,"telegram":`, s.Telegram.String())
	b = appendText(b, `,"country":`, s.Country.String())
	b = appendNullable(b, `,"email":`, s.Email.String())
	b = appendNullableID(b, `,"idPlatform":`, s.PlatformID)
	b = appendBit(b, `,"trash":0,"error_platform":0,"updated":`, s.Edited)
	b = appendTime(b, `,"migrationUrl":null,"lastTrust":null,"createdAt":`, s.CreatedAt)
	b = appendTime(b, `,"updatedAt":`, s.UpdatedAt)
	b = appendNullable(b, `,"external_id":`, s.ExternalID.String())
	b = appendMetadata(b, `,"metadata":`, s.Metadata)
	b = appendTerms(b, s.Plan, s.Terms)
	b = appendTruth(b, `,"suspended":`, s.Suspended)
	b = appendNullable(b, `,"suspension_reason":`, s.Reason.String())
	b = appendText(b, `,"effective":`, string(effect))
	if s.Origin != "" {
		b = appendText(b, `,"origin":`, string(s.Origin))
	}
	if r.trial {
		b = append(b, `,"code":"201"`...)
	}
	return append(b, '}')
}

type createTrialBody struct {
	Notes      notes     `json:"notes"`
	ExternalID shortText `json:"external_id"`
	Metadata   metadata  `json:"metadata"`
}

func (b createTrialBody) command(int64) line.Description {
	return descriptionOf(&b, &b.Metadata)
}

func trialCreated(l lines.Line) application.Receipt {
	return answer(http.StatusCreated, lineRecord{l, true})
}

type activateLineBody struct {
	Username username     `json:"username" validate:"required"`
	Password linePassword `json:"password" validate:"required"`
	Credits  price        `json:"credits" validate:"either"`
	Plan     recordID     `json:"plan" validate:"either"`
	Whatsapp shortText    `json:"whatsapp"`
	Country  requiredText `json:"country" validate:"required"`
	Notes    notes        `json:"notes"`

	ExternalID shortText `json:"external_id"`
	Metadata   metadata  `json:"metadata"`
}

func (b activateLineBody) command(id int64) lines.Activate {
	return lines.Activate{
		Edit: lines.Edit{ID: id, Username: b.Username.value, Password: b.Password.value,
			Description: descriptionOf(&b, &b.Metadata)},
		Price: asked(b.Credits, b.Plan),
	}
}

type editLineBody struct {
	Username username     `json:"username" validate:"required"`
	Password linePassword `json:"password" validate:"required"`
	Whatsapp requiredText `json:"whatsapp" validate:"required"`
	Country  requiredText `json:"country" validate:"required"`
	Notes    notes        `json:"notes"`
}

func (b editLineBody) command(id int64) lines.Edit {
	return lines.Edit{ID: id, Username: b.Username.value, Password: b.Password.value,
		Description: descriptionOf(&b, nil)}
}

// lineTexts are texts of a line in the bodies that have all of them.
type lineTexts struct {
	Whatsapp shortText `json:"whatsapp"`
	Telegram shortText `json:"telegram"`
	Email    email     `json:"email" validate:"omitempty,email"`
}

// descriptionOf returns the change of a line in a body, with metadata, nil for none.
func descriptionOf(body any, m *metadata) (d line.Description) {
	texts := d.Texts()
	changesOf(body, texts[:])
	if m != nil {
		d.Metadata = m.change()
	}
	return d
}

type describeLineBody struct {
	Notes   notes        `json:"notes"`
	Country requiredText `json:"country" validate:"notnull"`
	lineTexts
	ExternalID shortText    `json:"external_id"`
	Metadata   metadata     `json:"metadata"`
	Username   username     `json:"username" validate:"notnull"`
	Password   linePassword `json:"password" validate:"notnull"`
}

func (b describeLineBody) command(id int64) lines.Edit {
	return lines.Edit{ID: id, Username: b.Username.value, Password: b.Password.value,
		Description: descriptionOf(&b, &b.Metadata)}
}

type editedLineRecord struct {
	ID       int64   `json:"id"`
	Username string  `json:"username"`
	Password *string `json:"password"` // null: the caller may not see it
	Whatsapp string  `json:"whatsapp"`
	Country  string  `json:"country"`
	Notes    *string `json:"notes"`
}

func lineEdited(l lines.Line) application.Receipt {
	s := l.Shown()
	return answer(http.StatusOK, editedLineRecord{
		ID:       s.ID,
		Username: s.Username.String(),
		Password: nullable(l.Password.Reveal()),
		Whatsapp: s.Whatsapp.String(),
		Country:  s.Country.String(),
		Notes:    nullable(s.Notes.String()),
	})
}

type extendLineBody struct {
	Credits price    `json:"credits" validate:"either"`
	Plan    recordID `json:"plan" validate:"either"`
}

func (b extendLineBody) command(id int64) lines.Extend {
	return lines.Extend{ID: id, Price: asked(b.Credits, b.Plan)}
}

type changePlanBody struct {
	Plan     recordID `json:"plan" validate:"required"`
	Expected credits  `json:"expected_credits" validate:"notnull"`
}

type switchedRecord struct {
	ID          int64          `json:"id"`
	Plan        int64          `json:"plan"`
	Connections int64          `json:"connections"`
	Packages    *[]string      `json:"packages"`
	Credits     jsontext.Value `json:"credits"`
	ExpDate     string         `json:"expDate"`
}

var planChanged = recordShown(http.StatusOK, func(s lines.Switched) switchedRecord {
	l := s.Shown()
	return switchedRecord{l.ID, l.Plan, l.Connections, allOrNull(l.Packages.Names()), jsontext.Value(s.Cost.String()),
		iso(l.ExpiresAt)}
})

func (a *api) changePlan(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	command := lines.ChangePlan{DryRun: valueOr(q, "dry_run", false, parseTruth)}
	var body changePlanBody
	id, call, err := a.receiveWith(c, &body, true, func() error {
		var f form
		if !command.DryRun && body.Expected.kind == 0 {
			f.refuse("expected_credits", errMissing)
		}
		return together(f.err(), q.err())
	})
	if err != nil {
		return err
	}
	command.ID, command.Plan, command.Expected = id, body.Plan.value, body.Expected.value
	if command.DryRun && !body.Expected.isGiven() {
		command.Expected = credit.MaxMovement()
	}
	done, err := a.Service.Lines.ChangePlan(ctx, call, command, planChanged)
	return hand(c, done, err)
}

type suspendLineBody struct {
	Reason reason `json:"reason"`
}

func (b suspendLineBody) command(id int64) lines.Suspend {
	return lines.Suspend{ID: id, Reason: b.Reason.value}
}

type previewRecord struct {
	ID      int64          `json:"id"`
	Credits jsontext.Value `json:"credits"`
	Plan    int64          `json:"plan"`
	From    string         `json:"from"`
	ExpDate string         `json:"expDate"`
}

func (a *api) previewExtension(ctx context.Context, c *gin.Context) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	q := queryOf(c)
	price := value(q, "credits", func(text string) (plan.Request, error) {
		return new(amount).request(credit.Parse(text))
	})
	of := value(q, "plan", parseSomeID)
	if !q.values.Has("credits") && !q.values.Has("plan") {
		q.refuse("credits", errMissing)
	}
	if err := q.err(); err != nil {
		return err
	}
	command := lines.Extend{ID: id}
	set(&command.Price, price)
	set(&command.Price.Plan, of)
	p, err := a.Service.Lines.PreviewExtension(ctx, callOf(c), command)
	if err != nil {
		return err
	}
	ok(c, previewRecord{id, jsontext.Value(p.Price.Credits.String()), p.Price.Plan, iso(p.From), iso(p.Until)})
	return nil
}

func (a *api) listLines(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	command := linesAsked(q)
	limit, held := q.part(command.Searches())
	return sendPage(ctx, a, c, q, limit, held, a.Service.Lines.List, command, recordOf, nil)
}

// linesAsked reads the filters of lists of lines, and their order.
func linesAsked(q *query) lines.List {
	owner, tree := value(q, "owner", parseID), value(q, "tree", parseID)
	running, trial := value(q, "status", parseFlag), value(q, "isTrial", parseFlag)
	after, before := value(q, "expires_after", parseTime), value(q, "expires_before", parseTime)
	suspended, effect := value(q, "suspended", parseTruth), value(q, "effective", parseEffect)
	username := valueOr(q, "username", "", profile.UsernamePrefix)
	externalID := valueOr(q, "external_id", profile.Text{}, profile.ParseStored(profile.MaxText))
	return lines.List{
		Owner: owner, Tree: tree, Running: running, Effect: effect, Suspended: suspended, Trial: trial,
		ExpiresAfter: after, ExpiresBefore: before, Username: username, ExternalID: externalID.String(),
		Search: valueOr(q, "q", profile.Search{}, profile.ParseSearch), Sort: value(q, "sort", parseLineOrder),
	}
}

// The answers of changes of a line.
var (
	lineShown     = recordShown(http.StatusOK, recordOf)
	lineActivated = recordShown(http.StatusCreated, recordOf)
	lineDeleted   = messageShown[int64](http.StatusOK, "The line was deleted for good.")
)
