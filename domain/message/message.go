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

// Texts are what an account tells, each empty where there is none. They are kept as they were parsed; whoever sends a
// template puts in what it leaves open.
type Texts struct {
	Server string // the address where customers sign in
	Apps   string // which app to use

	// Templates.
	Access   string // how one gets in
	Reminder string // that a line expires
	Expired  string // that it has
	Welcome  string

	// How those below reach the account, to ask for credits.
	Whatsapp, Telegram string
}

// AccountTexts are the texts that an account has of its own. One without any has none.
type AccountTexts struct {
	Account int64
	Texts
}

// ParseServer reads the address where customers sign in.
func ParseServer(text string) (profile.Text, error) { return profile.ParseLine(text, MaxServer) }

// ParseApps reads which app to use, which may have line feeds.
func ParseApps(text string) (profile.Text, error) { return profile.ParseLines(text, MaxApps) }

// ParseTemplate reads a template, which may have line feeds.
func ParseTemplate(text string) (profile.Text, error) { return profile.ParseLines(text, MaxTemplate) }

// IsCanonical reports whether each text is one that is parsed to itself: a store may have kept others.
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

// Inherited returns what holds where an account has no text of its own: of those above it, the nearest first, that of
// the first that has one. How it reaches them comes from one of them, which may have one way alone.
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
