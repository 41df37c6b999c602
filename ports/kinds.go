package ports

import "resellerd/ports/record"

// Kinds returns every kind of records, declared in the file of its feature: what is small or seldom written. A store
// keeps them all alike, and archives, copies, audits and rekey follow what is declared.
func Kinds() []*record.Kind { return record.Kinds() }
