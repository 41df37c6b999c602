package line

import "resellerd/domain/profile"

// Mentions reports whether a search finds its part in what people know a line by: its name, its notes, its contacts,
// telephone numbers among them, or its external id.
func (s *State) Mentions(search profile.Search) bool {
	return search.In(s.Username.String(), s.Notes.String(), s.Email.String(), s.ExternalID.String()) ||
		search.InNumber(s.Whatsapp.String(), s.Telegram.String())
}
