package reseller

import "resellerd/domain/profile"

// contact has the contacts of the person behind a reseller.
type contact[T any] struct{ Country, Whatsapp, Telegram, Email, Notes T }

// Texts is the table of a reseller's texts. Search, journal and stores follow it.
func (c *contact[T]) Texts() [5]profile.Member[T] {
	return [...]profile.Member[T]{
		{Name: "country", At: &c.Country, Required: true, Unsearched: true},
		{Name: "whatsapp", At: &c.Whatsapp, Number: true},
		{Name: "telegram", At: &c.Telegram, Number: true},
		{Name: "email", At: &c.Email},
		{Name: "notes", At: &c.Notes},
	}
}

type (
	// Contact has the contacts of the person behind a reseller.
	Contact = contact[profile.Text]
	// ContactChange is a change of them. A nil text stays, and a pointer to an empty one clears the text. The country
	// is never empty.
	ContactChange = contact[*profile.Text]
)

func (s *State) become(c ContactChange) {
	texts := s.Contact.Texts()
	for i, m := range c.Texts() {
		texts[i].At.Change(*m.At)
	}
}

// MatchesSearch reports whether a search finds its part in the reseller's name or contacts.
func (s *State) MatchesSearch(search profile.Search) bool {
	found := search.In(s.Username.String())
	for _, m := range s.Contact.Texts() {
		found = found || search.Finds(m)
	}
	return found
}

// SizeOfTexts returns the sum of the sizes of all stored texts of a reseller.
func (s *State) SizeOfTexts(size func(text string) int) (sum int) {
	for _, m := range s.Contact.Texts() {
		sum += size(m.At.String())
	}
	return sum + size(s.Username.String()) + size(s.Username.Key()) + size(s.PasswordHash) +
		size(s.Language.String()) + size(s.Block.Reason.String())
}
