package httpapi

import (
	"net/http"

	"resellerd/application/resellers"
	"resellerd/domain/message"
)

type messagesBody struct {
	Server   server    `json:"server"`
	Apps     apps      `json:"apps"`
	Access   template  `json:"access"`
	Reminder template  `json:"reminder"`
	Expired  template  `json:"expired"`
	Welcome  template  `json:"welcome"`
	Whatsapp shortText `json:"whatsapp"`
	Telegram shortText `json:"telegram"`
}

func (b messagesBody) command(id int64) resellers.SetMessages {
	return resellers.SetMessages{ID: id, Texts: message.Texts{
		Server:   b.Server.value.String(),
		Apps:     b.Apps.value.String(),
		Access:   b.Access.value.String(),
		Reminder: b.Reminder.value.String(),
		Expired:  b.Expired.value.String(),
		Welcome:  b.Welcome.value.String(),
		Whatsapp: b.Whatsapp.value.String(),
		Telegram: b.Telegram.value.String(),
	}}
}

type textsRecord struct {
	Server   *string `json:"server"`
	Apps     *string `json:"apps"`
	Access   *string `json:"access"`
	Reminder *string `json:"reminder"`
	Expired  *string `json:"expired"`
	Welcome  *string `json:"welcome"`
	Whatsapp *string `json:"whatsapp"`
	Telegram *string `json:"telegram"`
}

type messagesRecord struct {
	textsRecord

	Inherited textsRecord `json:"inherited"`
}

func textsOf(t message.Texts) textsRecord {
	return textsRecord{
		Server: nullable(t.Server), Apps: nullable(t.Apps),
		Access: nullable(t.Access), Reminder: nullable(t.Reminder), Expired: nullable(t.Expired),
		Welcome:  nullable(t.Welcome),
		Whatsapp: nullable(t.Whatsapp), Telegram: nullable(t.Telegram),
	}
}

func messagesOf(m resellers.Messages) messagesRecord {
	return messagesRecord{textsOf(m.Own), textsOf(m.Inherited)}
}

var messagesShown = recordShown(http.StatusOK, messagesOf)
