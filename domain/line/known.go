package line

import "resellerd/domain/profile"

// known is the description of a line: its texts, and its metadata.
type known[T, M any] struct {
	ExternalID T // in the owner's own systems: unique among the owner's lines
	Notes      T
	Country    T
	Whatsapp   T
	Telegram   T
	Email      T
	Metadata   M // from the owner's own systems
}

// Texts is the table of a line's texts. Search, journal, export, import, jobs and stores follow it.
func (k *known[T, M]) Texts() [6]profile.Member[T] {
	return [...]profile.Member[T]{
		{Name: "external_id", At: &k.ExternalID, OfOne: true},
		{Name: "notes", At: &k.Notes},
		{Name: "country", At: &k.Country, Required: true, Unsearched: true},
		{Name: "whatsapp", At: &k.Whatsapp, Number: true},
		{Name: "telegram", At: &k.Telegram, Number: true},
		{Name: "email", At: &k.Email},
	}
}

type (
	// Known is the description of a line.
	Known = known[profile.Text, Metadata]
	// Description is a change of it. A nil field stays, and a pointer to an empty value clears the field. The country
	// is never empty.
	Description = known[*profile.Text, *Metadata]
)

func (l *Line) describe(d Description) {
	texts := l.s.Texts()
	for i, m := range d.Texts() {
		texts[i].At.Change(*m.At)
	}
	if d.Metadata != nil {
		l.s.Metadata = *d.Metadata
	}
}

// MatchesSearch reports whether a search finds its part in the line's name or in its texts.
func (s *State) MatchesSearch(search profile.Search) bool {
	found := search.In(s.Username.String())
	for _, m := range s.Texts() {
		found = found || search.Finds(m)
	}
	return found
}

// SizeOfTexts returns the sum of the sizes of all stored texts of a line.
func (s *State) SizeOfTexts(size func(text string) int) (sum int) {
	for _, m := range s.Texts() {
		sum += size(m.At.String())
	}
	return sum + size(s.Username.String()) + size(s.Username.Key()) + size(string(s.Password)) +
		size(s.Metadata.packed) + size(s.Reason.String()) + size(string(s.Packages))
}
