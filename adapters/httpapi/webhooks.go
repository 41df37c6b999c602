package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"resellerd/application"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/webhook"
)

// Refusals of the members of a webhook.
var (
	errURL      = fault.New(fault.Invalid, "bad-url", "This must be an address such as https://crm.example.com/hooks.")
	errTypes    = fault.New(fault.Invalid, "bad-value", "This must be an array of 1 to 50 event types.")
	errNotHeard = fault.New(fault.Invalid, "bad-value",
		"There is no such event type; GET /openapi.json lists them. A prefix is written as line.*, and * means all types.")
	errScope     = fault.New(fault.Invalid, "bad-value", "This must be own or tree.")
	errOverlap   = fault.New(fault.Invalid, "bad-value", "This must be a whole number of hours from 0 to 168.")
	errNotNumber = fault.New(fault.Invalid, "bad-value", "This must be the number of an event: a whole number from 0 on.")
)

// The members of a webhook.
type (
	webhookURL struct {
		text
		parsed[*string]
	}
	webhookScope struct {
		text
		parsed[*webhook.Scope]
	}
	webhookTypes struct {
		list
		parsed[[]string]
	}
	overlap struct {
		number
		parsed[time.Duration]
	}
	sequence struct {
		number
		parsed[int64]
	}
)

func (m *webhookURL) parse() error {
	at, err := url.Parse(m.literal)
	switch {
	case strings.TrimSpace(m.literal) != m.literal:
		return errURL.WithDetail("This has a space or a line end before or after the address: remove it.")
	case len(m.literal) > webhook.MaxURL:
		return errURL.WithDetail("This must have at most %d bytes.", webhook.MaxURL)
	case !visibleASCII(m.literal):
		return errURL.WithDetail(
			"This must have only ASCII characters and no spaces: write the host as xn--..., and other characters as in %%C3%%A9.")
	case err != nil || at.Scheme != "https" && at.Scheme != "http" || !reachable(at):
		return errURL
	case at.User != nil:
		return errURL.WithDetail("This must have no user name and no password.")
	case strings.Contains(m.literal, "#"):
		return errURL.WithDetail("This must have no fragment: remove it from # on.")
	}
	address := at.Scheme + m.literal[len(at.Scheme):] // in small letters, as the rules compare it
	return m.set(&address, nil)
}

// reachable reports whether an address has a host, and no impossible port.
func reachable(at *url.URL) bool {
	port, err := strconv.ParseUint(at.Port(), 10, 16)
	return at.Hostname() != "" && (at.Port() == "" && !strings.HasSuffix(at.Host, ":") || err == nil && port > 0)
}

func (m *webhookScope) parse() error {
	scope := webhook.Scope(m.literal)
	if scope != webhook.OwnAccount && scope != webhook.Tree {
		return errScope
	}
	return m.set(&scope, nil)
}

func (m *webhookTypes) parse() error {
	if len(m.elements) == 0 || len(m.elements) > webhook.MaxTypes {
		return errTypes
	}
	for _, name := range m.elements {
		if webhook.CheckType(name) != nil {
			return fmt.Errorf("%.64q: %w", name, errNotHeard)
		}
	}
	return m.set(m.elements, nil)
}

func (m *overlap) parse() error {
	hours, err := m.whole(int64(webhook.MaxOverlap / time.Hour))
	if err != nil {
		return errOverlap
	}
	return m.set(time.Duration(hours)*time.Hour, nil)
}

func (m *sequence) parse() error {
	n, err := m.whole(maxSequence)
	if err != nil {
		return errNotNumber
	}
	return m.set(n, nil)
}

// maxSequence is the largest number that every JSON library reads exactly.
const maxSequence = 1<<53 - 1

type createWebhookBody struct {
	URL         webhookURL   `json:"url" validate:"required"`
	Types       webhookTypes `json:"types" validate:"required"`
	Scope       webhookScope `json:"scope" validate:"required"`
	Description notes        `json:"description"`
}

func (b createWebhookBody) command(int64) webhooks.Create {
	return webhooks.Create{URL: *b.URL.value, Types: b.Types.value, Scope: *b.Scope.value,
		Description: b.Description.value.String()}
}

type updateWebhookBody struct {
	URL         webhookURL   `json:"url" validate:"notnull"`
	Types       webhookTypes `json:"types" validate:"notnull"`
	Scope       webhookScope `json:"scope" validate:"notnull"`
	Description notes        `json:"description"`
	Enabled     boolean      `json:"enabled" validate:"notnull"`
}

func (b updateWebhookBody) command(id int64) webhooks.Update {
	c := webhooks.Update{ID: id,
		Change: webhook.Change{URL: b.URL.value, Types: b.Types.value, Scope: b.Scope.value, Enabled: b.Enabled.value}}
	if described := b.Description.change(); described != nil {
		c.Description = new(described.String())
	}
	return c
}

type rotateWebhookBody struct {
	OverlapHours overlap `json:"overlap_hours" validate:"notnull"`
}

func (b rotateWebhookBody) command(id int64) webhooks.Rotate {
	c := webhooks.Rotate{ID: id, Overlap: b.OverlapHours.value}
	if b.OverlapHours.kind == 0 {
		c.Overlap = webhook.DefaultOverlap
	}
	return c
}

type replayWebhookBody struct {
	AfterSeq sequence `json:"after_seq" validate:"required"`
}

func (b replayWebhookBody) command(id int64) webhooks.Replay {
	return webhooks.Replay{ID: id, After: b.AfterSeq.value}
}

type webhookRecord struct {
	ID             int64    `json:"id"`
	URL            string   `json:"url"`
	Types          []string `json:"types"`
	Scope          string   `json:"scope"`
	Description    *string  `json:"description"`
	Enabled        bool     `json:"enabled"`
	DisabledReason *string  `json:"disabled_reason"`
	CreatedAt      string   `json:"created_at"`
	Secret         string   `json:"secret,omitempty"` // of a new one
}

func recordOfWebhook(w webhook.Webhook) webhookRecord {
	return webhookRecord{
		ID: w.ID, URL: w.URL, Types: w.Types, Scope: string(w.Scope), Description: nullable(w.Description),
		Enabled: w.Enabled, DisabledReason: nullable(w.Disabled), CreatedAt: iso(w.Created),
	}
}

func webhookCreated(w webhooks.Webhook) application.Receipt {
	record := recordOfWebhook(w.Webhook)
	record.Secret = w.NewSecret.Reveal()
	return answer(http.StatusCreated, record)
}

var webhookShown = recordShown(http.StatusOK, func(w webhooks.Webhook) webhookRecord {
	return recordOfWebhook(w.Webhook)
})

type rotatedRecord struct {
	Secret            string  `json:"secret"`
	PreviousExpiresAt *string `json:"previous_expires_at"`
}

func webhookRotated(w webhooks.Webhook) application.Receipt {
	return answer(http.StatusOK, rotatedRecord{w.NewSecret.Reveal(), isoOrNull(w.PreviousUntil)})
}

var (
	webhookDeleted = messageShown[int64](http.StatusOK, "The webhook was removed.")
	webhookTested  = messageShown[int64](http.StatusAccepted,
		"The test will be sent; the list of deliveries shows its result.")
	webhookReplayed = messageShown[int64](http.StatusAccepted, "The events after that one will be sent again.")
)

type deliveryRecord struct {
	Event         string  `json:"event"`
	Attempt       int     `json:"attempt"`
	HTTPStatus    *int    `json:"http_status"`
	DurationMS    int64   `json:"duration_ms"`
	Error         *string `json:"error"`
	Cause         *string `json:"cause"`
	Detail        *string `json:"detail"`
	Answer        *string `json:"answer"`
	At            string  `json:"at"`
	NextAttemptAt *string `json:"next_attempt_at"`
}

// causes are sentences for the causes of a failed TLS handshake.
var causes = map[webhook.Cause]string{
	webhook.UnknownAuthority:   "The certificate is signed by an authority that this service does not know, or certificates between them are missing.",
	webhook.CertificateExpired: "The certificate has expired, or is not valid yet.",
	webhook.WrongName:          "The certificate is for another name than that of the address.",
	webhook.CertificateInvalid: "The certificate is not valid for a server.",
	webhook.NotTLS:             "The receiver does not speak TLS at this port: it may be the port of plain HTTP.",
	webhook.TLSVersion:         "The receiver speaks only older versions of TLS: it must speak TLS 1.2 or 1.3.",
	webhook.HandshakeRefused:   "The receiver refused the TLS handshake: it may not know the name of the address, or require a client's certificate.",
	webhook.HandshakeCut:       "The connection ended during the TLS handshake.",
}

func recordOfDelivery(d webhook.Delivery) deliveryRecord {
	r := deliveryRecord{
		Event: d.Event, Attempt: d.Number, DurationMS: d.Took, Error: nullable(d.Failure), Cause: nullable(d.Cause),
		Detail: nullable(causes[d.Cause]),
		Answer: nullable(d.Excerpt), At: iso(d.At), NextAttemptAt: isoOrNull(d.Next),
	}
	if d.Status != 0 {
		r.HTTPStatus = &d.Status
	}
	return r
}
