package message_test

import (
	"strings"
	"testing"

	"resellerd/domain/message"
	"resellerd/test/expect"
)

// Each text comes from the nearest account that has it, both contacts from the same account.
func TestInherited(t *testing.T) {
	near := message.Texts{Server: "near", Access: "near", Telegram: "@near"}
	far := message.Texts{Server: "far", Apps: "far", Reminder: "far", Whatsapp: "+55 11", Telegram: "@far"}
	top := message.Texts{Expired: "top", Welcome: "top", Apps: "top", Whatsapp: "+1"}
	got := message.Inherited([]message.Texts{{}, near, far, top})
	if want := (message.Texts{
		Server: "near", Apps: "far", Access: "near", Reminder: "far", Expired: "top", Welcome: "top", Telegram: "@near",
	}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	expect.Equal(t, message.Inherited(nil), message.Texts{}, "without parents")
}

// A text is canonical if parsing returns it unchanged.
func TestCanonicalTexts(t *testing.T) {
	longest := message.Texts{
		Server: strings.Repeat("é", message.MaxServer), Apps: strings.Repeat("a", message.MaxApps), Access: "a\n{username}",
		Reminder: strings.Repeat("r", message.MaxTemplate), Whatsapp: strings.Repeat("1", 64), Telegram: "@maria",
	}
	for name, of := range map[string]struct {
		texts message.Texts
		sound bool
	}{
		"none":                     {message.Texts{}, true},
		"the longest":              {longest, true},
		"a server of two rows":     {message.Texts{Server: "a\nb"}, false},
		"a server too long":        {message.Texts{Server: longest.Server + "x"}, false},
		"apps too long":            {message.Texts{Apps: longest.Apps + "x"}, false},
		"a template too long":      {message.Texts{Expired: longest.Reminder + "x"}, false},
		"a space at the end":       {message.Texts{Welcome: "welcome "}, false},
		"a control character":      {message.Texts{Reminder: "a\tb"}, false},
		"a format character":       {message.Texts{Server: "\u200fa"}, false},
		"another one":              {message.Texts{Telegram: "\u202ea"}, false},
		"a number too long":        {message.Texts{Whatsapp: longest.Whatsapp + "1"}, false},
		"a name of more than rows": {message.Texts{Telegram: "@a\n@b"}, false},
	} {
		expect.Equal(t, of.texts.IsCanonical(), of.sound, "%s", name)
	}
}
