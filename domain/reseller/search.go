package reseller

import "resellerd/domain/profile"

// Mentions reports whether a search finds its part in what people know a reseller by: its name, its notes, its
// contacts.
func (s *State) Mentions(search profile.Search) bool {
	c := &s.Contact
	return search.In(s.Username.String(), c.Notes.String(), c.Email.String()) ||
		search.InNumber(c.Whatsapp.String(), c.Telegram.String())
}
