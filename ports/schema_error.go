package ports

// Altered refuses a store whose schema was changed from outside: tables, indexes, triggers or validators. What protects
// the records may be gone. A store that can still be read is opened as an archive, and Derived reports what was found.
type Altered struct {
	Findings []string // how the schema differs from what this program makes, each with its subject
	Text     string   // of the error
}

// Error returns the text.
func (a *Altered) Error() string { return a.Text }
