package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"resellerd/application"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

type createResellerBody struct {
	Username username         `json:"username" validate:"required"`
	Password resellerPassword `json:"password" validate:"required"`
	IsMaster flag             `json:"is_master" validate:"required,oneof=0 1"`
	Credits  credits          `json:"credits" validate:"required"`
	Whatsapp shortText        `json:"whatsapp"`
	Telegram shortText        `json:"telegram"`
	Language shortText        `json:"language" validate:"omitempty,bcp47_language_tag"`
	Country  requiredText     `json:"country" validate:"required"`
	Email    email            `json:"email" validate:"omitempty,email"`
	Notes    notes            `json:"notes"`
}

func (b createResellerBody) command(int64) resellers.Create {
	c := resellers.Create{
		Username: b.Username.value,
		Password: b.Password.value,
		Master:   b.IsMaster.content() == "1",
		Credits:  b.Credits.value,
		Contact: reseller.Contact{
			Country:  b.Country.value,
			Whatsapp: b.Whatsapp.value,
			Telegram: b.Telegram.value,
			Email:    b.Email.value,
			Notes:    b.Notes.value,
		},
		Language: b.Language.value,
	}
	if c.Language.String() == "" {
		c.Language = profile.RestoreText("en")
	}
	return c
}

func resellerCreated(r resellers.Reseller) application.Receipt {
	return answer(http.StatusCreated, resellerRecord{r, true})
}

type updateResellerBody struct {
	Username username         `json:"username" validate:"required"`
	Password resellerPassword `json:"password" validate:"required"`
	Email    email            `json:"email" validate:"omitempty,email"`
	Country  requiredText     `json:"country" validate:"required"`
	Whatsapp requiredText     `json:"whatsapp" validate:"required"`
	Telegram shortText        `json:"telegram"`
	Notes    notes            `json:"notes"`
}

func (b updateResellerBody) command(id int64) resellers.Update {
	return resellers.Update{ID: id, Username: b.Username.value, Password: b.Password.value,
		ContactChange: contactOf(&b)}
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

func resellerUpdated(r resellers.Reseller) application.Receipt {
	s := r.State()
	return answer(http.StatusOK, updatedResellerRecord{
		ID:       s.ID,
		Username: s.Username.String(),
		Password: r.Password.Reveal(),
		Email:    nullable(s.Contact.Email.String()),
		Country:  s.Contact.Country.String(),
		Whatsapp: s.Contact.Whatsapp.String(),
		Telegram: nullable(s.Contact.Telegram.String()),
		Notes:    nullable(s.Contact.Notes.String()),
	})
}

// contactOf returns the change of a reseller in a body.
func contactOf(body any) (c reseller.ContactChange) {
	texts := c.Texts()
	changesOf(body, texts[:])
	return c
}

type changeContactBody struct {
	Country  requiredText     `json:"country" validate:"notnull"`
	Whatsapp shortText        `json:"whatsapp"`
	Telegram shortText        `json:"telegram"`
	Email    email            `json:"email" validate:"omitempty,email"`
	Notes    notes            `json:"notes"`
	Username username         `json:"username" validate:"notnull"`
	Password resellerPassword `json:"password" validate:"notnull"`
}

func (b changeContactBody) command(id int64) resellers.Update {
	return resellers.Update{ID: id, Username: b.Username.value, Password: b.Password.value,
		ContactChange: contactOf(&b)}
}

// creditsBody is the body of an operation that adds credits, or takes them back.
type creditsBody struct {
	Credits positiveCredits `json:"credits" validate:"required"`
	Notes   notes           `json:"notes"`
}

func (b creditsBody) command(id int64) resellers.Move {
	return resellers.Move{ID: id, Credits: b.Credits.value, Notes: b.Notes.value}
}

type balanceRecord struct {
	ID       int64          `json:"id"`
	Username string         `json:"username"`
	Credits  jsontext.Value `json:"credits"`
	Recharge string         `json:"recharge"`
	Message  string         `json:"message"`
}

func creditsAdded(m resellers.Moved) application.Receipt {
	return balanceAnswer(m, "%s credits added to %s.")
}

func creditsReclaimed(m resellers.Moved) application.Receipt {
	return balanceAnswer(m, "%s credits taken back from %s.")
}

func balanceAnswer(m resellers.Moved, message string) application.Receipt {
	s := m.State()
	return answer(http.StatusOK, balanceRecord{
		ID:       s.ID,
		Username: s.Username.String(),
		Credits:  jsontext.Value(s.Credits.String()),
		Recharge: iso(s.RechargedAt),
		Message:  fmt.Sprintf(message, m.Credits, s.Username),
	})
}

var resellerShown = recordShown(http.StatusOK, recordOfReseller)

// The effects of a block on lines.
const (
	linesRun     = "run"
	linesSuspend = "suspend"
)

var parseLinesChoice = oneOf(map[string]bool{linesRun: false, linesSuspend: true},
	fault.New(fault.Invalid, "bad-value", "This must be run or suspend."))

func (m *linesChoice) parse() error { return m.set(parseLinesChoice(m.literal)) }

type blockBody struct {
	Lines  linesChoice `json:"lines" validate:"notnull"`
	Reason reason      `json:"reason"`
}

func (b blockBody) command(id int64) resellers.Block {
	return resellers.Block{ID: id, Terms: reseller.Terms{Suspends: b.Lines.value, Reason: b.Reason.value}}
}

type alertsBody struct {
	BalanceLow positiveCredits `json:"balance_low" validate:"given"`
}

func (b alertsBody) command(id int64) resellers.SetAlert {
	return resellers.SetAlert{ID: id, Below: b.BalanceLow.value}
}

// alertsRecord has the alerts of a reseller.
type alertsRecord struct {
	BalanceLow   *string `json:"balance_low"`
	ExpiringDays []int   `json:"expiring_days"` // the platform's
}

func (a *api) alertsOf(r resellers.Reseller) alertsRecord {
	record := alertsRecord{ExpiringDays: a.Service.Resellers.ReminderDays()}
	if below := r.Alert().Below; !below.IsZero() {
		record.BalanceLow = nullable(below.String())
	}
	return record
}

func (a *api) listResellers(ctx context.Context, c *gin.Context) error {
	q := queryOf(c)
	command := resellersAsked(q)
	limit, held := q.part(command.Searches())
	return sendPage(ctx, a, c, q, limit, held, a.Service.Resellers.List, command, recordOfReseller, nil)
}

// resellersAsked reads the filters of lists of resellers.
func resellersAsked(q *query) resellers.List {
	tree, master := value(q, "tree", parseID), value(q, "master", parseID)
	username := valueOr(q, "username", "", profile.UsernamePrefix)
	return resellers.List{
		Tree: tree, Master: master, Username: username, Search: valueOr(q, "q", profile.Search{}, profile.ParseSearch),
	}
}
