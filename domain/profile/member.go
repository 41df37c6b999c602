package profile

// Member is a text of a record, under the name that the interface, the journal and the stores have for it. T is Text,
// or *Text for a change of it: nil leaves it alone, and a pointer to an empty text clears it.
type Member[T any] struct {
	Name       string
	At         *T
	Number     bool // it may be a telephone number, of which a search finds the digits
	Unsearched bool // no search looks at it
	Required   bool // it is never empty
	OfOne      bool // no two records have the same, so that a job for many sets none
}

// Finds reports whether a search looks at a member and finds its part there.
func (s Search) Finds(m Member[Text]) bool {
	switch {
	case m.Unsearched:
		return false
	case m.Number:
		return s.InNumber(m.At.String())
	}
	return s.In(m.At.String())
}
