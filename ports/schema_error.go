package ports

// Altered is what a store is refused with of which somebody has changed what is not records: tables and indexes, triggers,
// validators. What protects the records may be gone. A store that can be read all the same is opened for an archive, and
// Derived reports what was found.
type Altered struct {
	Findings []string // what differs from what this program makes, each with what it is about
	Text     string   // of the error
}

// Error returns the text.
func (a *Altered) Error() string { return a.Text }
