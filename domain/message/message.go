// Package message implements an account's messages to customers, their sign-in address, and its contacts for accounts
// below. A text that the account lacks comes from the nearest parent that has it.
package message

import (
	"resellerd/domain/profile"
)

// Limits in characters.
const (
	MaxServer   = profile.MaxEmail
	MaxApps     = 1000
	MaxTemplate = profile.MaxNotes
)

// Texts are the texts of an account, each empty if the account lacks it. They are stored as they were parsed. The
// client that sends a template fills its placeholders.
type Texts struct {
	Server string // the address where customers sign in
	Apps   string // the app to use

	// Templates.
	Access   string // how a customer signs in
	Reminder string // that a line expires
	Expired  string // that a line has expired
	Welcome  string

	// The account's contacts for the accounts below it, to ask for credits.
	Whatsapp, Telegram string
}

// AccountTexts are an account's own texts. Without any, no record is stored.
type AccountTexts struct {
	Account int64
	Texts
}

// ParseServer reads the address where customers sign in.
func ParseServer(text string) (profile.Text, error) { return profile.ParseLine(text, MaxServer) }

// ParseApps reads the text about the app, which may have line feeds.
func ParseApps(text string) (profile.Text, error) { return profile.ParseLines(text, MaxApps) }

// ParseTemplate reads a template, which may have line feeds.
func ParseTemplate(text string) (profile.Text, error) { return profile.ParseLines(text, MaxTemplate) }

// IsCanonical reports whether parsing returns each text unchanged: a store may have other texts.
func (t Texts) IsCanonical() bool {
	for _, of := range []struct {
		parse func(string) (profile.Text, error)
		texts []string
	}{
		{ParseServer, []string{t.Server}}, {ParseApps, []string{t.Apps}},
		{ParseTemplate, []string{t.Access, t.Reminder, t.Expired, t.Welcome}},
		{profile.ParseText, []string{t.Whatsapp, t.Telegram}},
	} {
		for _, text := range of.texts {
			if parsed, err := of.parse(text); err != nil || parsed.String() != text {
				return false
			}
		}
	}
	return true
}

// Inherited returns the texts that apply where the account lacks them. Each text comes from the nearest parent that has
// it. Both contacts come together, from the nearest parent that has one of them. The nearest parent is first in above.
func Inherited(above []Texts) (has Texts) {
	for _, from := range above {
		for _, m := range []struct {
			into *string
			text string
		}{
			{&has.Server, from.Server}, {&has.Apps, from.Apps}, {&has.Access, from.Access},
			{&has.Reminder, from.Reminder}, {&has.Expired, from.Expired}, {&has.Welcome, from.Welcome},
		} {
			if *m.into == "" {
				*m.into = m.text
			}
		}
		if has.Whatsapp == "" && has.Telegram == "" {
			has.Whatsapp, has.Telegram = from.Whatsapp, from.Telegram
		}
	}
	return has
}
