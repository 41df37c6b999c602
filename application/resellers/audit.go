package resellers

import (
	"resellerd/application/internal/auditing"
	"resellerd/domain/message"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Audit audits the messages of accounts to their customers.
func Audit(a auditing.Audit) auditing.Checks {
	check := func(name string, m *message.AccountTexts) {
		if !m.IsCanonical() {
			a.Find("%s: a text is not in its stored form", name)
		}
		if m.Texts == (message.Texts{}) {
			a.Find("%s: it has no text", name)
		}
	}
	return auditing.Checks{Kinds: map[*record.Kind]auditing.Check{
		ports.Messages.Kind: auditing.Of(func(m *message.AccountTexts) int64 { return m.Account }, check, nil),
	}}
}
