package audit

import "resellerd/domain/message"

// messages checks that what is told is of an account, and something.
func (a *auditor) messages(name string, m *message.Own) {
	if _, is := a.resellers.get(m.Account); is == missing {
		a.find("%s: account %d, whose they are, is missing", name, m.Account)
	}
	if !m.Sound() {
		a.find("%s: a text is none that is kept", name)
	}
	if m.Texts == (message.Texts{}) {
		a.find("%s: there is no text", name)
	}
}
