package model

import (
	"context"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/resellers"
	"resellerd/domain/message"
)

// textsOf are the texts of a model as the service has them.
func textsOf(m Messages) message.Texts {
	return message.Texts{
		Server: m["server"], Apps: m["apps"], Access: m["access"], Reminder: m["reminder"], Expired: m["expired"],
		Welcome:  m["welcome"],
		Whatsapp: m["whatsapp"], Telegram: m["telegram"],
	}
}

// setMessages has an account tell its customers some texts, those that it has, or none; then somebody reads them.
func (m *machine) setMessages(t *rapid.T) {
	by, target := m.anyReseller(t, "actor"), m.anyReseller(t, "target")
	texts := Messages{}
	switch rapid.IntRange(0, 4).Draw(t, "which") {
	case 0:
	case 1:
		texts = maps.Clone(target.Messages)
	default:
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(MessageNames), 1, 4, rapid.ID).Draw(t, "names") {
			texts[name] = rapid.SampledFrom([]string{"a text", "another, {username}"}).Draw(t, name)
		}
	}
	a := m.ask(t, by)
	refusal, set := m.SetMessages(by, target, texts, a.at)
	var got resellers.Messages
	if m.effect(t, "set messages", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Resellers.SetMessages(ctx, call, resellers.SetMessages{ID: target.ID, Texts: textsOf(texts)},
				shown(&got))
		}) {
		set()
		m.tells(t, got, target)
	}
	reader, of := m.anyReseller(t, "reader"), m.anyReseller(t, "whose")
	a = m.ask(t, reader)
	read, err := m.service.Resellers.Messages(t.Context(), a.call, of.ID)
	if outcome(t, "read messages", err, firstOf(a.refused != "", a.refused, reader.Frozen(), "account-blocked",
		!reader.Sees(of), "not-found")) {
		m.tells(t, read, of)
	}
}

func (m *machine) tells(t *rapid.T, got resellers.Messages, of *Reseller) {
	if want := (resellers.Messages{Own: textsOf(of.Messages), Inherited: textsOf(of.Inherited())}); got != want {
		t.Fatalf("account %d tells %+v, and the model says %+v: %v", of.ID, got, want, slices.Sorted(maps.Keys(of.Messages)))
	}
}
